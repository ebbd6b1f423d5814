#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/networks/captum_toy.onnx: the convolution toy of Captum's tests as a network.

4x4 -> two 3x3 filters of ones, biases -50 and -75 (conv1) -> ReLU (relu1) -> four equal rows of weights +1 (5 times),
-1 (3 times) -> ReLU. The values that Captum's tests expect are in tests/saliency.
Usage: tools/golden/captum_toy.py   (needs Debian's python3-onnx)
"""
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

weights = np.tile(np.array([1, 1, 1, 1, 1, -1, -1, -1], np.float32), (4, 1))
graph = helper.make_graph(
    [helper.make_node("Conv", ["x", "filters", "biases"], ["conv1"]),
     helper.make_node("Relu", ["conv1"], ["relu1"]),
     helper.make_node("Flatten", ["relu1"], ["flat"]),
     helper.make_node("Gemm", ["flat", "weights"], ["sums"], transB=1),
     helper.make_node("Relu", ["sums"], ["out"])],
    "captum_toy",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 4, 4])],
    [helper.make_tensor_value_info("out", TensorProto.FLOAT, [1, 4])],
    [numpy_helper.from_array(np.ones((2, 1, 3, 3), np.float32), "filters"),
     numpy_helper.from_array(np.array([-50, -75], np.float32), "biases"),
     numpy_helper.from_array(weights, "weights")])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], producer_name="captum_toy.py")
model.ir_version = 7
onnx.checker.check_model(model)
root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
onnx.save(model, os.path.join(root, "tests", "golden", "networks", "captum_toy.onnx"))
