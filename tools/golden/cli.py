#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/cli: two tiny models, points, and PyTorch's values and gradients at them.

Run from the source's root. small.onnx: Conv 3x3, Relu, global mean, Conv 1x1 -> [n,5,1,1]. product.onnx: x * m."""
import os

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

folder = "tests/golden/cli"
os.makedirs(folder, exist_ok=True)
random = np.random.default_rng(7)


def real(*shape):
    return random.normal(size=shape).astype("f4")


def save(name, nodes, inputs, outputs, weights):
    graph = helper.make_graph(nodes, name, inputs, outputs, [numpy_helper.from_array(v, k) for k, v in weights.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], producer_name="tools/golden/cli.py")
    model.ir_version = 7
    onnx.checker.check_model(model)
    onnx.save(model, f"{folder}/{name}.onnx")


def value(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


weights = {"w1": real(4, 3, 3, 3), "b1": real(4), "w2": real(5, 4, 1, 1), "b2": real(5)}
save("small",
     [helper.make_node("Conv", ["x", "w1", "b1"], ["convolved"], pads=[1, 1, 1, 1]),
      helper.make_node("Relu", ["convolved"], ["hidden"]),
      helper.make_node("GlobalAveragePool", ["hidden"], ["mean"]),
      helper.make_node("Conv", ["mean", "w2", "b2"], ["logits"])],
     [value("x", "n", 3, 8, 8)], [value("logits", "n", 5, 1, 1)], weights)
save("product", [helper.make_node("Mul", ["x", "m"], ["logits"])],
     [value("x", "n", 3), value("m", 3)], [value("logits", "n", 3)], {})

points = real(5, 3, 8, 8)
np.save(f"{folder}/points.npy", points)
np.save(f"{folder}/product_x.npy", real(4, 3))
np.save(f"{folder}/product_m.npy", np.array([2, -3, 0.5], "f4"))

w = {k: torch.from_numpy(v) for k, v in weights.items()}
scalars = {"logit": lambda y: y, "softmax": lambda y: torch.softmax(y, 1), "sigmoid": torch.sigmoid,
           "logprob": lambda y: torch.log_softmax(y, 1)}
for name, scalar in scalars.items():
    x = torch.from_numpy(points).requires_grad_()
    hidden = torch.relu(torch.nn.functional.conv2d(x, w["w1"], w["b1"], padding=1))
    hidden.retain_grad()
    logits = torch.nn.functional.conv2d(hidden.mean((2, 3), keepdim=True), w["w2"], w["b2"])[:, :, 0, 0]
    chosen = scalar(logits)[:, 2]
    chosen.sum().backward()
    np.savez(f"{folder}/{name}.npz", values=chosen.detach().numpy(), gradient=x.grad.numpy(), hidden=hidden.grad.numpy())
