#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/golden/networks: small networks exported by PyTorch, with PyTorch's own values and gradients.

Each network NAME gives NAME.onnx (free batch), NAME_one.onnx (batch fixed at 1), some NAME_two.onnx (at 2), and NAME.npz with
  x [3,...], logits [3,C], and for class 1 of each row the gradients g_logit, g_softmax, g_logprob, g_sigmoid [3,...].
Seeded; PyTorch 1.13 from Debian.  Usage: tools/golden/networks.py [OUTPUT_FOLDER]
"""
import os
import sys
import warnings

import numpy as np
import onnx
import onnx.numpy_helper
import torch
from torch import nn
import torch.nn.functional as F

warnings.filterwarnings("ignore")


def conv(i, o, k, s=1, p=None, g=1, d=1, bias=False):
    return nn.Conv2d(i, o, k, s, k // 2 * d if p is None else p, d, g, bias)


class Residual(nn.Module):
    """Convolutions with BatchNorm, additions, a shortcut with its own convolution, max pooling."""

    def __init__(self):
        super().__init__()
        self.stem, self.n0 = conv(3, 16, 7, 2), nn.BatchNorm2d(16)
        self.a, self.na = conv(16, 16, 3), nn.BatchNorm2d(16)
        self.b, self.nb = conv(16, 16, 1), nn.BatchNorm2d(16)
        self.c, self.nc = conv(16, 24, 3, 2), nn.BatchNorm2d(24)
        self.s, self.ns = conv(16, 24, 1, 2), nn.BatchNorm2d(24)
        self.end = nn.Linear(24, 7)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.n0(self.stem(x))), 3, 2, 1)
        x = F.relu(self.nb(self.b(F.relu(self.na(self.a(x))))) + x)
        x = F.relu(self.nc(self.c(x)) + self.ns(self.s(x)))
        return self.end(torch.flatten(F.adaptive_avg_pool2d(x, 1), 1))


class Branches(nn.Module):
    """Concatenations, one inside another, of convolutions and poolings; odd channel counts too."""

    def __init__(self):
        super().__init__()
        self.stem = conv(3, 16, 3, bias=True)
        self.a, self.b, self.c = conv(16, 16, 1, bias=True), conv(16, 32, 3, bias=True), conv(16, 16, 5, bias=True)
        self.d, self.e = conv(80, 5, 1, bias=True), conv(80, 11, 3, bias=True)
        self.end = conv(16, 6, 1, bias=True)

    def forward(self, x):
        x = F.relu(self.stem(x))
        inner = torch.cat([F.relu(self.a(x)), F.relu(self.b(x))], 1)
        x = torch.cat([inner, F.avg_pool2d(x, 3, 1, 1, count_include_pad=False), F.relu(self.c(x))], 1)
        x = torch.cat([F.relu(self.d(x)), F.max_pool2d(F.relu(self.e(x)), 3, 1, 1)], 1)
        return torch.flatten(F.adaptive_avg_pool2d(F.relu(self.end(x)), 1), 1)


class Mobile(nn.Module):
    """Depthwise convolutions, squeeze and excitation, clipped and hard activations, channel shuffle."""

    def __init__(self):
        super().__init__()
        self.stem = conv(3, 8, 3, 2, bias=True)
        self.up, self.nu = conv(8, 24, 1), nn.BatchNorm2d(24)
        self.deep, self.nd = conv(24, 24, 5, 2, g=24), nn.BatchNorm2d(24)
        self.fc1, self.fc2 = conv(24, 6, 1, bias=True), conv(6, 24, 1, bias=True)
        self.down = conv(24, 8, 1)
        self.group = conv(8, 16, 3, g=4, bias=True)
        self.end = nn.Linear(16, 5)

    def forward(self, x):
        x = F.hardswish(self.stem(x))
        x = F.relu6(self.nd(self.deep(F.relu6(self.nu(self.up(x))))))
        s = F.hardsigmoid(self.fc2(F.relu(self.fc1(F.adaptive_avg_pool2d(x, 1)))))
        x = F.silu(self.down(x * s))
        n, c, h, w = x.shape
        x = x.view(n, 2, c // 2, h, w).transpose(1, 2).reshape(n, c, h, w)
        x = F.leaky_relu(self.group(x), 0.1)
        return self.end(x.mean([2, 3]))


class Dense(nn.Module):
    """BatchNorm and ReLU before convolutions; values concatenated again and again."""

    def __init__(self):
        super().__init__()
        self.stem = conv(3, 16, 3, bias=True)
        self.norms = nn.ModuleList([nn.BatchNorm2d(16 + 16 * i) for i in range(3)])
        self.convs = nn.ModuleList([conv(16 + 16 * i, 16, 3) for i in range(3)])
        self.end = nn.Linear(64, 4)

    def forward(self, x):
        parts = [self.stem(x)]
        for norm, layer in zip(self.norms, self.convs):
            parts.append(layer(F.relu(norm(torch.cat(parts, 1)))))
        return self.end(torch.cat(parts, 1).mean([2, 3]))


class Attention(nn.Module):
    """Patches, LayerNorm, multi-head attention, GELU: a small transformer."""

    def __init__(self):
        super().__init__()
        self.patch = conv(3, 16, 4, 4, 0, bias=True)
        self.position = nn.Parameter(torch.randn(1, 16, 16) * 0.1)
        self.n1, self.n2, self.n3 = nn.LayerNorm(16), nn.LayerNorm(16), nn.LayerNorm(16)
        self.qkv, self.out = nn.Linear(16, 48), nn.Linear(16, 16)
        self.m1, self.m2 = nn.Linear(16, 32), nn.Linear(32, 16)
        self.end = nn.Linear(16, 5)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2) + self.position
        h = self.qkv(self.n1(x)).reshape(-1, 16, 3, 2, 8).permute(2, 0, 3, 1, 4)
        q, k, v = h[0], h[1], h[2]
        a = torch.softmax(q @ k.transpose(-2, -1) * 8 ** -0.5, -1) @ v
        x = x + self.out(a.transpose(1, 2).reshape(-1, 16, 16))
        x = x + self.m2(F.gelu(self.m1(self.n2(x))))
        return self.end(self.n3(x).mean(1))


class Decoder(nn.Module):
    """Transposed convolution, upsampling, padding, dilation, normalisations, odd activations."""

    def __init__(self):
        super().__init__()
        self.a = conv(3, 8, 3, 2, bias=True)
        self.up = nn.ConvTranspose2d(8, 6, 3, 2, 1, 1)
        self.n = nn.InstanceNorm2d(6, affine=True)
        self.b = conv(6, 6, 3, d=2, bias=True)
        self.g = nn.GroupNorm(2, 6)
        self.p = nn.PReLU(6)
        self.end = nn.Linear(6, 3)

    def forward(self, x):
        x = F.elu(self.a(x))
        x = self.n(self.up(x))
        x = self.g(self.b(F.pad(F.softplus(x), (1, 2, 0, 1), mode="reflect")))
        x = F.interpolate(self.p(x), scale_factor=2, mode="bilinear", align_corners=False)
        return self.end(torch.tanh(x).amax([2, 3]))


class Block(nn.Module):
    def __init__(self, kernel, slope):
        super().__init__()
        self.mix, self.norm, self.bend = conv(8, 8, kernel), nn.BatchNorm2d(8), nn.LeakyReLU(slope)

    def forward(self, x):
        return self.bend(self.norm(self.mix(x))) + x


class Modules(nn.Module):
    """Every module a function of the file: functions that call functions, attributes handed on, a body used twice."""

    def __init__(self):
        super().__init__()
        self.stem = conv(3, 8, 3, 2, bias=True)
        self.a, self.b, self.c = Block(3, 0.1), Block(5, 0.3), Block(3, 0.1)
        self.end = nn.Linear(8, 5)

    def forward(self, x):
        return self.end(self.c(self.b(self.a(torch.tanh(self.stem(x))))).mean([2, 3]))


class Text(nn.Module):
    """Whole numbers in: only an inner tensor, the embedding, can be explained."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 6)
        self.mix = nn.Linear(6, 8)
        self.end = nn.Linear(8, 4)

    def forward(self, ids):
        return self.end(torch.tanh(self.mix(self.embed(ids))).mean(1))


def make_text(folder):
    torch.manual_seed(100)
    net = Text().eval()
    ids = torch.randint(0, 20, (3, 5))
    point = net.embed(ids).detach().requires_grad_(True)
    logits = net.end(torch.tanh(net.mix(point)).mean(1))
    torch.softmax(logits, 1)[:, 1].sum().backward()
    np.savez(os.path.join(folder, "text.npz"), ids=ids.numpy(), logits=logits.detach().numpy(),
             point=point.detach().numpy(), g_softmax=point.grad.numpy())
    torch.onnx.export(net, ids, os.path.join(folder, "text.onnx"), opset_version=13, input_names=["ids"],
                      output_names=["logits"], dynamic_axes={"ids": {0: "n"}, "logits": {0: "n"}})


def randomise(net, seed):
    generator = torch.Generator().manual_seed(seed)
    for module in net.modules():
        if isinstance(module, (nn.BatchNorm2d, nn.InstanceNorm2d, nn.GroupNorm, nn.LayerNorm)):
            module.weight.data.uniform_(0.5, 1.5, generator=generator)
            module.bias.data.uniform_(-0.5, 0.5, generator=generator)
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.uniform_(-0.3, 0.3, generator=generator)
            module.running_var.uniform_(0.5, 1.5, generator=generator)


def gradient(net, x, scalar):
    x = x.clone().requires_grad_(True)
    scalar(net(x)).sum().backward()
    return x.grad.numpy()


def export(*arguments, **options):
    """torch.onnx.export in a process of its own: PyTorch 1.13 exports modules as functions once per process."""
    child = os.fork()
    if child == 0:
        torch.onnx.export(*arguments, **options)
        os._exit(0)
    if os.waitpid(child, 0)[1] != 0:
        sys.exit("the export failed")


SCALARS = {
    "g_logit": lambda z: z[:, 1],
    "g_softmax": lambda z: torch.softmax(z, 1)[:, 1],
    "g_logprob": lambda z: torch.log_softmax(z, 1)[:, 1],
    "g_sigmoid": lambda z: torch.sigmoid(z[:, 1]),
}

class Folded(nn.Module):
    """Heads multiplied into the batch, as attention written by hand does: a file for 2 points says [8, ...]."""

    def __init__(self):
        super().__init__()
        self.stem, self.end = conv(3, 8, 3, 2, bias=True), nn.Linear(8, 5)

    def forward(self, x):
        n = x.shape[0]
        x = torch.tanh(self.stem(x)).permute(1, 0, 2, 3).reshape(2, n * 4, -1)
        x = (torch.softmax(x, -1) * x).reshape(8, n, -1).sum(2)
        return self.end(x.permute(1, 0))


class Gates(nn.Module):
    """Values that gate themselves, as exporters write them: SiLU, GELU, hard Swish; and a layer on many rows at once."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = conv(3, 16, 3), conv(16, 16, 1), conv(16, 16, 3, g=16)
        self.wide, self.narrow, self.end = nn.Linear(16, 40), nn.Linear(40, 16), nn.Linear(16, 5)

    def forward(self, x):
        x = F.silu(self.a(x))
        x = F.hardswish(self.b(x)) + torch.sigmoid(x) * torch.tanh(self.c(x))
        rows = x.permute(0, 2, 3, 1).reshape(-1, 16)
        rows = self.narrow(F.gelu(self.wide(rows))) + F.silu(rows)
        return self.end(rows.reshape(x.shape[0], -1, 16).mean(1))


class Positions(nn.Module):
    """x + conv(x): the sum's other side is what the convolution reads, as where transformers learn positions."""

    def __init__(self):
        super().__init__()
        self.start = conv(3, 32, 1)
        self.each = conv(32, 32, 3, g=32, bias=True)
        self.all = conv(32, 32, 3, bias=True)
        self.point = conv(32, 32, 1)
        self.end = nn.Linear(32, 5)

    def forward(self, x):
        x = F.relu(self.start(x))
        x = torch.tanh(x + self.each(x))
        x = torch.tanh(self.all(x) + x)
        x = torch.tanh(x + self.point(x))
        return self.end(x.mean((2, 3)))


NETWORKS = {"residual": (Residual, 32), "branches": (Branches, 12), "mobile": (Mobile, 24), "dense": (Dense, 10),
            "attention": (Attention, 16), "decoder": (Decoder, 12), "folded": (Folded, 10),
            "modules": (Modules, 14), "gates": (Gates, 10),
            "positions": (Positions, 9)}


def save_newer(path, newer):
    """The same network as exporters of later years write it: opset 22, IR 10, axes of reductions as inputs."""
    model = onnx.load(path)
    for number, node in enumerate(model.graph.node):
        axes = [a for a in node.attribute if a.name == "axes" and node.op_type.startswith("Reduce")]
        for attribute in axes:
            name = "axes_%d" % number
            model.graph.initializer.append(onnx.numpy_helper.from_array(np.array(attribute.ints, np.int64), name))
            node.input.append(name)
            node.attribute.remove(attribute)
    model.opset_import[0].version, model.ir_version = 22, 10
    onnx.save(model, newer)


class Mixed(nn.Module):
    """Not a batch: what is first in the output depends on all of the input."""

    def forward(self, x):
        return torch.flatten(torch.softmax(x, 0), 1)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "tests/golden/networks"
    os.makedirs(folder, exist_ok=True)
    torch.set_num_threads(1)
    make_text(folder)
    torch.onnx.export(Mixed(), torch.zeros(2, 3, 2, 2), os.path.join(folder, "mixed_two.onnx"), opset_version=13)
    for number, (name, (kind, side)) in enumerate(NETWORKS.items()):
        torch.manual_seed(number)
        net = kind()
        randomise(net, number)
        net.eval()
        x = torch.rand(3, 3, side, side)
        arrays = {"x": x.numpy(), "logits": net(x).detach().numpy()}
        for key, scalar in SCALARS.items():
            arrays[key] = gradient(net, x, scalar)
        np.savez(os.path.join(folder, name + ".npz"), **arrays)
        common = dict(opset_version=13, training=torch.onnx.TrainingMode.PRESERVE, input_names=["input"], output_names=["logits"])
        if kind is Modules:
            common.update(opset_version=15, export_modules_as_functions=True)
        export(net, x, os.path.join(folder, name + ".onnx"), **common,
               dynamic_axes={"input": {0: "n"}, "logits": {0: "n"}})
        export(net, x[:1], os.path.join(folder, name + "_one.onnx"), **common)
        if name == "attention":
            save_newer(os.path.join(folder, name + ".onnx"), os.path.join(folder, name + "_newer.onnx"))
        if name in ("mobile", "attention", "folded"):
            export(net, x[:2], os.path.join(folder, name + "_two.onnx"), **common)


if __name__ == "__main__":
    main()
