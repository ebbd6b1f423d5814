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
    """A draw in which nothing lies near a half: rounding must not hang on the last digit of a sum."""
    for seed in range(2000):
        torch.manual_seed(seed)
        model, x = Quantized(), torch.rand(1, 3, 5, 5) * 3 - 0.5
        model(x)
        if model.margin > 5e-4:
            break
    print("seed", seed, "margin", model.margin)
    assert model.margin > 5e-4
    save(folder, "quantized", model, (x,), lambda y: y.softmax(1)[0, 2])


def main(folder):
    os.makedirs(folder, exist_ok=True)
    chosen = sys.argv[2:]
    for make in (quantized,):
        if not chosen or make.__name__ in chosen:
            torch.manual_seed(20)
            make(folder)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "tests/golden/scalars")
