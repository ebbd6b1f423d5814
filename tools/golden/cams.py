#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/golden/cams: a convolutional network, a transformer with a class token and one without, exported by
PyTorch, with the maps of Grad-CAM and related methods, computed by PyTorch. NAME.onnx, and NAME.npz with x (the point),
layer (the value of the layer, [tokens or places, channels]) and one map per method, of the logit of class 1.
Seeded; PyTorch 1.13 from Debian.  Usage: tools/golden/cams.py [OUTPUT_FOLDER]
"""
import os
import sys
import warnings

import numpy as np
import torch
from torch import nn
import torch.nn.functional as F

warnings.filterwarnings("ignore")
CLASS = 1


class GuidedRelu(torch.autograd.Function):
    """ReLU whose gradient passes where both the value and the gradient are positive (Springenberg and others 2015)."""

    @staticmethod
    def forward(context, x):
        context.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(context, gradient):
        (x,) = context.saved_tensors
        return gradient.clamp(min=0) * (x > 0)


class Convolutional(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.end = nn.Conv2d(3, 6, 3, 2, 1), nn.Conv2d(6, 8, 3, 1, 1), nn.Linear(8 * 7 * 9, 4)
        self.relu = F.relu

    def forward(self, x):
        self.layer = self.relu(self.b(self.relu(self.a(x))))
        return self.end(self.layer.flatten(1))


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.all, self.end = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        n, tokens, width = x.shape
        q, k, v = self.all(x).reshape(n, tokens, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        weights = ((q / (width // self.heads) ** 0.5) @ k.transpose(-1, -2)).softmax(-1)
        return self.end((weights @ v).transpose(1, 2).reshape(n, tokens, width))


class Transformer(nn.Module):
    """Patches, two blocks; classes read the class token, or the mean of all tokens."""

    def __init__(self, class_token):
        super().__init__()
        width = 12
        self.patches = nn.Conv2d(3, width, 4, 4)
        self.token = nn.Parameter(torch.randn(1, 1, width)) if class_token else None
        self.place = nn.Parameter(torch.randn(1, 16 + class_token, width) * 0.5)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(5))
        self.attention = nn.ModuleList(Attention(width, 3) for _ in range(2))
        self.inner = nn.ModuleList(nn.Sequential(nn.Linear(width, 20), nn.GELU(), nn.Linear(20, width)) for _ in range(2))
        self.end = nn.Linear(width, 4)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        if self.token is not None:
            x = torch.cat([self.token, x], 1)
        x = x + self.place
        for block in range(2):
            self.layer = self.norms[2 * block](x)  # of the last block in the end
            x = x + self.attention[block](self.layer)
            x = x + self.inner[block](self.norms[2 * block + 1](x))
        x = self.norms[4](x)
        return self.end(x[:, 0] if self.token is not None else x.mean(1))


def as_channels(tensor):
    """[channels, rows, columns] of a layer, a class token left out."""
    if tensor.dim() == 4:
        return tensor[0]
    tokens = tensor[0]
    side = int(len(tokens) ** 0.5)
    tokens = tokens[len(tokens) - side * side:]
    return tokens.T.reshape(-1, side, side)


def enlarge(small, size):
    return F.interpolate(small[None, None], size=size, mode="bilinear", align_corners=False)[0, 0]


def maps_of(model, x):
    y = model(x)
    (gradient,) = torch.autograd.grad(y[0, CLASS], model.layer)
    a, g = as_channels(model.layer.detach()), as_channels(gradient)
    total = a.sum((1, 2), keepdim=True)
    below = 2 * g**2 + total * g**3
    alpha = torch.where(g != 0, g**2 / torch.where(below != 0, below, torch.ones_like(below)), torch.zeros_like(g))
    weights = (alpha * g.clamp(min=0)).sum((1, 2), keepdim=True)
    small = {
        "grad-cam": (g.mean((1, 2), keepdim=True) * a).sum(0),
        "hires-cam": (g * a).sum(0),
        "grad-cam-pp": (weights * a).sum(0),
        "layer-cam": (g.clamp(min=0) * a).sum(0),
    }
    return {name: enlarge(value.clamp(min=0), x.shape[2:]) for name, value in small.items()}


def guided_gradient(model, x):
    model.relu = GuidedRelu.apply
    x = x.clone().requires_grad_(True)
    (gradient,) = torch.autograd.grad(model(x)[0, CLASS], x)
    model.relu = F.relu
    return gradient[0]


def save(folder, name, model, seed, sides):
    torch.manual_seed(seed)
    model.eval()
    x = torch.rand(1, 3, *sides)
    maps = maps_of(model, x)
    if name == "convolutional":
        maps["guided-grad-cam"] = guided_gradient(model, x) * maps["grad-cam"]
    layer = as_channels(model.layer.detach()).flatten(1).T
    torch.onnx.export(model, x, os.path.join(folder, name + ".onnx"), opset_version=13, input_names=["x"],
                      output_names=["y"])
    np.savez(os.path.join(folder, name + ".npz"), x=x.numpy(), layer=layer.numpy(),
             **{key: value.numpy() for key, value in maps.items()})
    print(name, {key: float(value.max()) for key, value in maps.items()})


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "..", "..", "tests", "golden", "cams")
    os.makedirs(folder, exist_ok=True)
    torch.manual_seed(3)
    save(folder, "convolutional", Convolutional(), 5, (14, 18))
    save(folder, "class_token", Transformer(1), 6, (16, 16))
    save(folder, "mean_of_tokens", Transformer(0), 7, (16, 16))


main()
