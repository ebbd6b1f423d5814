# SPDX-License-Identifier: Apache-2.0
"""Runs an ONNX classifier made of common operators in PyTorch, eager: the peer of benchmarks and tests."""
import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper


def _pads(attributes, rank=2):
    return attributes.get("pads", [0] * (2 * rank))


def _conv(attributes, x, w, b=None):
    p = _pads(attributes)
    if p[0] != p[2] or p[1] != p[3]:
        x, p = F.pad(x, (p[1], p[3], p[0], p[2])), [0] * 4
    return F.conv2d(x, w, b, attributes.get("strides", 1), (p[0], p[1]), attributes.get("dilations", 1),
                    attributes.get("group", 1))


def _max_pool(attributes, x):
    p, k = _pads(attributes), attributes["kernel_shape"]
    if p[0] != p[2] or p[1] != p[3]:
        x, p = F.pad(x, (p[1], p[3], p[0], p[2]), value=float("-inf")), [0] * 4
    return F.max_pool2d(x, k, attributes["strides"], (p[0], p[1]), ceil_mode=bool(attributes.get("ceil_mode", 0)))


def _average_pool(attributes, x):
    p = _pads(attributes)
    return F.avg_pool2d(x, attributes["kernel_shape"], attributes["strides"], (p[0], p[1]),
                        count_include_pad=bool(attributes.get("count_include_pad", 0)))


def _gemm(attributes, a, b, c):
    return F.linear(a, b if attributes.get("transB", 0) else b.t(), c)


OPERATORS = {
    "Conv": _conv, "MaxPool": _max_pool, "AveragePool": _average_pool, "Gemm": _gemm,
    "Relu": lambda a, x: F.relu(x), "Add": lambda a, x, y: x + y,
    "Concat": lambda a, *x: torch.cat(x, a["axis"]),
    "GlobalAveragePool": lambda a, x: F.adaptive_avg_pool2d(x, 1),
    "Flatten": lambda a, x: torch.flatten(x, 1),
}


class OnnxModule(torch.nn.Module):
    def __init__(self, path):
        super().__init__()
        graph = onnx.load(path).graph
        self.names = {}
        for i, weight in enumerate(graph.initializer):
            self.names[weight.name] = f"w{i}"
            array = torch.from_numpy(np.array(numpy_helper.to_array(weight)))
            self.register_parameter(f"w{i}", torch.nn.Parameter(array, requires_grad=False))
        self.input, self.result = graph.input[0].name, graph.output[0].name
        self.nodes = [(OPERATORS[n.op_type], {a.name: onnx.helper.get_attribute_value(a) for a in n.attribute},
                       list(n.input), n.output[0]) for n in graph.node]

    def forward(self, x):
        values = {self.input: x}
        for operator, attributes, inputs, output in self.nodes:
            arguments = [values[i] if i in values else getattr(self, self.names[i]) for i in inputs]
            values[output] = operator(attributes, *arguments)
        return values[self.result]
