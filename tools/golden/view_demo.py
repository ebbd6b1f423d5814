#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/view_demo_logits.npy: the demo classifier's logits of its pictures (in the order of their names),
by PyTorch from the weights in demo/model.onnx, decoded by Pillow.

Run from the source's root."""
import glob

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from PIL import Image

torch.set_num_threads(1)
model = onnx.load("demo/model.onnx")
weights = {w.name: torch.from_numpy(numpy_helper.to_array(w).astype(np.float64)) for w in model.graph.initializer}
rows = []
for path in sorted(glob.glob("demo/pictures/*.png")):
    pixels = torch.from_numpy(np.asarray(Image.open(path).convert("RGB"), np.float64)) / 255
    x = ((pixels - 0.45) / 0.25).permute(2, 0, 1)[None]
    for node in model.graph.node:
        if node.op_type == "Conv":
            attributes = {a.name: list(a.ints) for a in node.attribute}
            x = torch.nn.functional.conv2d(x, weights[node.input[1]], weights[node.input[2]], attributes["strides"],
                                           attributes["pads"][:2])
        elif node.op_type == "Relu":
            x = torch.relu(x)
        elif node.op_type == "GlobalAveragePool":
            x = x.mean((2, 3))
        elif node.op_type == "Gemm":
            x = x @ weights[node.input[1]].T + weights[node.input[2]]
    rows.append(x[0].numpy())
np.save("tests/golden/view_demo_logits.npy", np.array(rows, np.float32))
