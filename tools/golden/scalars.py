#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/golden/scalars: small models of many kinds exported by PyTorch, with PyTorch's value and gradient of one
scalar each. NAME.onnx, and NAME.npz with x (the point), value, gradient, and other inputs under their own names.
Seeded; PyTorch 1.13 and torchvision from Debian.  Usage: tools/golden/scalars.py [OUTPUT_FOLDER]
"""
import os
import sys
import warnings

import numpy as np
import torch
from torch import nn
import torch.nn.functional as F

warnings.filterwarnings("ignore")


def save(folder, name, model, inputs, scalar, point=0, opset=13, names=None, free=None):
    """inputs: tuple of tensors; scalar(outputs) -> number; the gradient is with respect to inputs[point]."""
    model.eval()
    names = names or ["x"] + ["input%d" % i for i in range(1, len(inputs))]
    moved = [i.clone() for i in inputs]
    moved[point].requires_grad_(True)
    value = scalar(model(*moved))
    (gradient,) = torch.autograd.grad(value, moved[point])
    torch.onnx.export(model, tuple(inputs), os.path.join(folder, name + ".onnx"), opset_version=opset, input_names=names,
                      output_names=["y"], dynamic_axes=free, do_constant_folding=True)
    arrays = {n: i.numpy() for n, i in zip(names, inputs)}
    arrays["x"] = arrays.pop(names[point])
    arrays.update(value=np.float64(value.item()), gradient=gradient.numpy())
    np.savez(os.path.join(folder, name + ".npz"), **arrays)
    print(name, value.item(), float(gradient.abs().max()))


class Quantized(nn.Module):
    """Convolutions whose inputs and results are rounded to 8 bits, weights to one scale a channel; some clip."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.end = nn.Conv2d(3, 8, 3, 1, 1), nn.Conv2d(8, 8, 3, 2, 1), nn.Linear(8, 4)
        for conv in (self.a, self.b):
            scale = conv.weight.detach().abs().amax((1, 2, 3), keepdim=True) / 127
            conv.weight.data = (conv.weight.data / scale).round() * scale
        self.margin = 1.0

    def round(self, x, scale, zero, low, high):
        if not torch.jit.is_tracing():
            self.margin = min(self.margin, float(((x.detach() / scale) % 1.0 - 0.5).abs().min()))
        return torch.fake_quantize_per_tensor_affine(x, scale, zero, low, high)

    def forward(self, x):
        x = self.round(x, 0.0125, 30, 0, 255)
        x = self.round(F.relu(self.a(x)), 0.005, 0, 0, 255)
        x = self.round(F.relu(self.b(x)), 0.002, -128, -128, 127)
        return self.end(x.mean((2, 3)))


def quantized(folder):
    """Weights for which no value is close to a half: rounding must not depend on the last digit of a sum."""
    for seed in range(2000):
        torch.manual_seed(seed)
        model, x = Quantized(), torch.rand(1, 3, 5, 5) * 3 - 0.5
        model(x)
        if model.margin > 5e-4:
            break
    print("seed", seed, "margin", model.margin)
    assert model.margin > 5e-4
    save(folder, "quantized", model, (x,), lambda y: y.softmax(1)[0, 2])


class Text(nn.Module):
    """Embedded tokens, an LSTM in both directions, a classifier."""

    def __init__(self, cell):
        super().__init__()
        self.cell = cell
        self.end = nn.Linear(12, 3)

    def forward(self, x):
        y, _ = self.cell(x)
        return self.end(y.mean(1))


def lstm(folder):
    save(folder, "lstm", Text(nn.LSTM(5, 6, num_layers=2, bidirectional=True, batch_first=True)),
         (torch.randn(1, 7, 5),), lambda y: y.softmax(1)[0, 1])


def gru(folder):
    save(folder, "gru", Text(nn.GRU(5, 6, bidirectional=True, batch_first=True)), (torch.randn(1, 7, 5),),
         lambda y: y.softmax(1)[0, 1])


class Final(nn.Module):
    """The last state of a GRU alone: its first output is left out of the file."""

    def __init__(self):
        super().__init__()
        self.cell, self.end = nn.GRU(4, 6, batch_first=True), nn.Linear(6, 3)

    def forward(self, x):
        _, h = self.cell(x)
        return self.end(h[0])


def final_state(folder):
    save(folder, "final_state", Final(), (torch.randn(1, 5, 4),), lambda y: y.softmax(1)[0, 1])


def encoder(folder):
    """A BERT-like encoder from embeddings, with a mask of positions that do not count."""

    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.position = nn.Parameter(torch.randn(6, 8) * 0.1)
            self.q, self.k, self.v, self.o = (nn.Linear(8, 8) for _ in range(4))
            self.n1, self.n2, self.up, self.down = nn.LayerNorm(8), nn.LayerNorm(8), nn.Linear(8, 16), nn.Linear(16, 8)
            self.pool, self.end = nn.Linear(8, 8), nn.Linear(8, 3)

        def heads(self, x):
            return x.reshape(x.shape[0], x.shape[1], 2, 4).permute(0, 2, 1, 3)

        def forward(self, x, mask):
            x = self.n1(x + self.position)
            a = self.heads(self.q(x)) @ self.heads(self.k(x)).transpose(2, 3) / 2
            a = (a + (1 - mask.float())[:, None, None, :] * -1e4).softmax(3)
            x = self.n2(x + self.o((a @ self.heads(self.v(x))).permute(0, 2, 1, 3).reshape(x.shape)))
            x = x + self.down(F.gelu(self.up(x)))
            return self.end(torch.tanh(self.pool(x[:, 0])))

    save(folder, "encoder", Encoder(), (torch.randn(1, 6, 8), torch.tensor([[1, 1, 1, 1, 0, 0]])),
         lambda y: y.softmax(1)[0, 2], names=["x", "mask"])


def gcn(folder):
    """Two rounds of a graph convolution: the sum over edges by Scatter; one node's class is explained."""

    class Gcn(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(4, 6), nn.Linear(6, 3)

        def spread(self, x, edges):
            index = edges[1][:, None].expand(-1, x.shape[1])
            return torch.zeros_like(x).scatter_add(0, index, x[edges[0]])

        def forward(self, x, edges):
            x = F.relu(self.a(x + self.spread(x, edges)))
            return self.b(x + self.spread(x, edges))

    edges = torch.tensor([[0, 1, 2, 3, 4, 0, 2], [1, 2, 3, 4, 0, 2, 0]])
    save(folder, "gcn", Gcn(), (torch.randn(5, 4), edges), lambda y: y[2].softmax(0)[1], names=["x", "edges"], opset=16)


def segmentation(folder):
    """LRASPP's head on a small body; the mean probability of class 1 over the pixels predicted as it."""
    from torchvision.models.segmentation.lraspp import LRASPPHead

    class Segmenter(nn.Module):
        def __init__(self):
            super().__init__()
            self.low, self.high = nn.Conv2d(3, 6, 3, 2, 1), nn.Conv2d(6, 8, 3, 2, 1)
            self.head = LRASPPHead(6, 8, 4, 6)

        def forward(self, x):
            low = F.relu(self.low(x))
            high = F.relu(self.high(low))
            y = self.head({"low": low, "high": high})
            return F.interpolate(y, size=(16, 16), mode="bilinear", align_corners=False)

    def region(y):
        best = y.detach()[0].topk(2, 0).values
        return (y.argmax(1) == 1)[0], float((best[0] - best[1]).min())

    for seed in range(500):  # until class 1 covers some pixels, none of them by a last digit
        torch.manual_seed(seed)
        model, x = Segmenter().eval(), torch.rand(1, 3, 16, 16)
        with torch.no_grad():
            for layer in (model.low, model.high, model.head.low_classifier, model.head.high_classifier):
                layer.weight *= 5
            chosen, margin = region(model(x))
        if 30 < chosen.sum() < 226 and margin > 1e-3:
            break
    print("seed", seed, "pixels", int(chosen.sum()), "margin", margin)
    save(folder, "segmentation", model, (x,), lambda y: y.softmax(1)[0, 1][region(y)[0]].mean())


def deeplab(folder):
    """DeepLab's head, pooled branch and all; the class of one pixel."""
    from torchvision.models.segmentation.deeplabv3 import ASPP

    class Segmenter(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Conv2d(3, 6, 3, 2, 1)
            self.head = nn.Sequential(ASPP(6, [2, 3], 8), nn.Conv2d(8, 3, 1))

        def forward(self, x):
            return F.interpolate(self.head(F.relu(self.body(x))), size=(12, 12), mode="bilinear", align_corners=False)

    save(folder, "deeplab", Segmenter(), (torch.rand(1, 3, 12, 12),), lambda y: y.softmax(1)[0, 2, 3, 7])


def detector(folder):
    """SSDLite's head: scores of anchors, joined over scales; the probability of one box's class."""
    from torchvision.models.detection.ssdlite import SSDLiteClassificationHead

    class Detector(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Conv2d(3, 8, 3, 2, 1), nn.Conv2d(8, 8, 3, 2, 1)
            self.head = SSDLiteClassificationHead([8, 8], [2, 2], 3, nn.BatchNorm2d)

        def forward(self, x):
            a = F.relu6(self.a(x))
            return self.head([a, F.relu6(self.b(a))]).softmax(-1)

    save(folder, "detector", Detector(), (torch.rand(1, 3, 8, 8),), lambda y: y[0, 13, 2])


def retinanet(folder):
    """RetinaNet's two heads over a pyramid of two levels: scores and boxes of all anchors side by side, [1, anchors, classes + 4];
    the probability of one anchor's class."""
    from torchvision.models.detection.retinanet import RetinaNetHead

    class Detector(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Conv2d(3, 6, 3, 2, 1), nn.Conv2d(6, 6, 3, 2, 1)
            self.head = RetinaNetHead(6, 2, 3)
            for weight in self.head.parameters():  # the head's own are nearly zero
                nn.init.normal_(weight, std=0.2)

        def forward(self, x):
            a = F.relu(self.a(x))
            found = self.head([a, F.relu(self.b(a))])
            return torch.cat([found["cls_logits"], found["bbox_regression"]], 2)

    save(folder, "retinanet", Detector(), (torch.rand(1, 3, 8, 8),), lambda y: y[0, 13, 2].sigmoid())


def faces(folder):
    """RetinaFace's way: heads of two scales, permuted, joined, softmaxed; and a weighted sum of box coordinates."""

    class Heads(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Conv2d(3, 6, 3, 2, 1), nn.Conv2d(6, 6, 3, 2, 1)
            self.boxes = nn.ModuleList([nn.Conv2d(6, 8, 1), nn.Conv2d(6, 8, 1)])

        def forward(self, x):
            a = F.leaky_relu(self.a(x))
            b = F.leaky_relu(self.b(a))
            parts = [h(f).permute(0, 2, 3, 1).reshape(1, -1, 4) for h, f in zip(self.boxes, (a, b))]
            return torch.cat(parts, 1)

    torch.manual_seed(5)
    weights = torch.randn(40, 4)
    save(folder, "faces", Heads(), (torch.rand(1, 3, 8, 8),), lambda y: (y[0] * weights).sum())
    path = os.path.join(folder, "faces.npz")
    np.savez(path, weights=weights.numpy(), **dict(np.load(path)))


def regression(folder):
    model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1))
    save(folder, "regression", model, (torch.randn(1, 6),), lambda y: y[0, 0])


def series(folder):
    """A time series classifier with a class at each step: the class of step 4."""

    class Series(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Conv1d(2, 6, 3, padding=1), nn.Conv1d(6, 3, 3, padding=2, dilation=2)

        def forward(self, x):
            return self.b(F.relu(self.a(x)))

    save(folder, "series", Series(), (torch.randn(1, 2, 10),), lambda y: y[0, :, 4].softmax(0)[2])


def chosen_branch(folder):
    """A branch that the input decides, scripted so that it stays an If."""

    class Chosen(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(4, 3), nn.Linear(4, 3)

        def forward(self, x):
            if bool(x.sum() > 0):
                y = torch.tanh(self.a(x))
            else:
                y = self.b(x) * 2
            return y

    x = torch.tensor([[0.5, -1.0, 2.0, 0.25]])
    save(folder, "chosen_branch", torch.jit.script(Chosen()), (x,), lambda y: y.softmax(1)[0, 1])


def volume(folder):
    """A classifier of volumes: class 1."""
    net = nn.Sequential(nn.Conv3d(1, 4, 3, 1, 1), nn.ReLU(), nn.Conv3d(4, 4, 3, 2, 1), nn.ReLU(), nn.AdaptiveAvgPool3d(1),
                        nn.Flatten(), nn.Linear(4, 3))
    save(folder, "volume", net, (torch.randn(1, 1, 6, 8, 8),), lambda y: y[0].softmax(0)[1])


def two_inputs(folder):
    """A picture and numbers beside it, both floating-point: class 1. The gradient of the numbers is kept too."""

    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.numbers, self.end = nn.Conv2d(2, 4, 3, 1, 1), nn.Linear(5, 4), nn.Linear(4, 3)

        def forward(self, x, b):
            return self.end(torch.tanh(self.conv(x)).mean((2, 3)) * torch.sigmoid(self.numbers(b)))

    net, inputs = Both(), (torch.randn(1, 2, 6, 6), torch.randn(1, 5))
    save(folder, "two_inputs", net, inputs, lambda y: y[0].softmax(0)[1], names=["x", "b"], free={"x": {0: "n"}, "b": {0: "n"}})
    moved = inputs[1].clone().requires_grad_(True)
    (gradient,) = torch.autograd.grad(net(inputs[0], moved)[0].softmax(0)[1], moved)
    path = os.path.join(folder, "two_inputs.npz")
    arrays = dict(np.load(path))
    np.savez(path, gradient_b=gradient.numpy(), **arrays)


def main(folder):
    os.makedirs(folder, exist_ok=True)
    chosen = sys.argv[2:]
    makers = (quantized, lstm, gru, final_state, encoder, gcn, segmentation, deeplab, detector, retinanet, faces, regression, series,
              chosen_branch, volume, two_inputs)
    for make in makers:
        if not chosen or make.__name__ in chosen:
            torch.manual_seed(20)
            make(folder)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "tests/golden/scalars")
