# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/networks/fused*: a classifier of the operators that newer exporters keep whole (opset 24:
GroupNormalization, RMSNormalization, RotaryEmbedding, Attention), and PyTorch's values and gradients of the same sums.

Run from the source root with an interpreter that has torch and onnx.
"""
import os
import sys

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import TensorProto, helper, numpy_helper

from networks import SCALARS, gradient
from operators_attention import attend, heads, rotate

TOKENS, WIDTH = 16, 8


def weights():
    draw = np.random.default_rng(24)

    def normal(*dims, by=1.0):
        return (by * draw.standard_normal(dims)).astype(np.float32)

    angles = np.arange(TOKENS)[:, None] * np.array([1.0, 0.1])
    return {
        "conv": normal(WIDTH, 3, 2, 2, by=0.5), "group_scale": 1 + normal(WIDTH, by=0.2), "group_bias": normal(WIDTH),
        "rms": 1 + normal(WIDTH, by=0.2), "q": normal(WIDTH, WIDTH), "k": normal(WIDTH, 4), "v": normal(WIDTH, 4),
        "mask": normal(TOKENS, TOKENS), "end": normal(WIDTH, 4), "cos": np.cos(angles).astype(np.float32),
        "sin": np.sin(angles).astype(np.float32),
    }


def network(w):
    w = {name: torch.tensor(value).double() for name, value in w.items()}

    def turn(x, count):
        """Pairs are neighbours."""
        n = len(x)
        return rotate(heads(x, count), w["cos"].expand(n, -1, -1), w["sin"].expand(n, -1, -1))

    def run(x):
        x = F.group_norm(F.conv2d(x, w["conv"], None, 2), 2, w["group_scale"], w["group_bias"])
        x = x.flatten(2).transpose(1, 2)
        n = x / torch.sqrt((x * x).mean(2, keepdim=True) + 1e-5) * w["rms"]
        y = attend(turn(n @ w["q"], 2), turn(n @ w["k"], 1), heads(n @ w["v"], 1), w["mask"], cap=2.0)
        return (x + y.transpose(1, 2).flatten(2)).mean(1) @ w["end"]

    return run


def save(path, w, batch):
    """batch: a number, or a name where it is free."""
    constants = dict(w, tokens=np.array([0, WIDTH, TOKENS]), positions=np.arange(TOKENS)[None], one=np.array([1]),
                     row=np.array([TOKENS]))
    node = helper.make_node
    nodes = [
        node("Conv", ["input", "conv"], ["c"], strides=[2, 2]),
        node("GroupNormalization", ["c", "group_scale", "group_bias"], ["g"], num_groups=2),
        node("Reshape", ["g", "tokens"], ["t"]),
        node("Transpose", ["t"], ["x"], perm=[0, 2, 1]),
        node("RMSNormalization", ["x", "rms"], ["n"]),
        node("Shape", ["x"], ["samples"], start=0, end=1),
        node("Concat", ["samples", "row"], ["places"], axis=0),
        node("Expand", ["positions", "places"], ["ids"]),
        node("MatMul", ["n", "q"], ["nq"]),
        node("MatMul", ["n", "k"], ["nk"]),
        node("MatMul", ["n", "v"], ["nv"]),
        node("RotaryEmbedding", ["nq", "cos", "sin", "ids"], ["rq"], num_heads=2, interleaved=1),
        node("RotaryEmbedding", ["nk", "cos", "sin", "ids"], ["rk"], num_heads=1, interleaved=1),
        # exporters name the outputs that nobody reads, too
        node("Attention", ["rq", "rk", "nv", "mask"], ["y", "key", "value", "scores"], q_num_heads=2, kv_num_heads=1,
             softcap=2.0),
        node("Add", ["x", "y"], ["sum"]),
        node("ReduceMean", ["sum", "one"], ["mean"], keepdims=0),
        node("MatMul", ["mean", "end"], ["logits"]),
    ]
    graph = helper.make_graph(
        nodes, "fused", [helper.make_tensor_value_info("input", TensorProto.FLOAT, [batch, 3, 8, 8])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [batch, 4])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 24)])
    model.ir_version = 10
    onnx.save(model, path)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "tests/golden/networks"
    w = weights()
    run = network(w)
    x = torch.rand(3, 3, 8, 8, generator=torch.Generator().manual_seed(24))
    arrays = {"x": x, "logits": run(x.double())}
    for key, scalar in SCALARS.items():
        arrays[key] = gradient(run, x.double(), scalar)
    np.savez(os.path.join(folder, "fused.npz"), **{key: np.asarray(a, np.float32) for key, a in arrays.items()})
    save(os.path.join(folder, "fused.onnx"), w, "n")
    save(os.path.join(folder, "fused_one.onnx"), w, 1)


if __name__ == "__main__":
    main()
