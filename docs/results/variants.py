#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Two variants of a model that causes-model.json compares with the file itself: variants.py MODEL.onnx FOLDER

crop.onnx is the same network with a description that crops pictures instead of squashing them: the shorter side becomes 8/7 of
the model's size (256 for 224), and the centre is kept. relu6.onnx has Clip(0, 6) in place of every Relu, as the published
MobileNetV2. Needs Python's onnx (Debian's python3-onnx).
"""
import json
import os
import sys

import numpy
import onnx
from onnx import numpy_helper


def describe(path, description, resize):
    description = dict(description, input=dict(description["input"], **resize))
    with open(os.path.splitext(path)[0] + ".json", "w") as file:
        json.dump(description, file, indent=2)


def clip_at_six(model):
    zero, six = (numpy_helper.from_array(numpy.float32(value), name) for value, name in ((0, "clip_low"), (6, "clip_high")))
    model.graph.initializer.extend([zero, six])
    found = [node for node in model.graph.node if node.op_type == "Relu"]
    for node in found:
        node.op_type = "Clip"
        node.input.extend(["clip_low", "clip_high"])
    return len(found)


def main():
    source, folder = sys.argv[1:3]
    os.makedirs(folder, exist_ok=True)
    with open(os.path.splitext(source)[0] + ".json") as file:
        description = json.load(file)
    labels = os.path.join(os.path.dirname(source), description["labels"])
    description["labels"] = os.path.relpath(labels, folder)
    model = onnx.load(source)
    side = model.graph.input[0].type.tensor_type.shape.dim[2].dim_value
    model.doc_string = "pictures are cropped"  # another file, so that a store tells the two models apart
    onnx.save(model, os.path.join(folder, "crop.onnx"))
    describe(os.path.join(folder, "crop.onnx"), description, {"resize": "crop", "short": side * 8 // 7})
    model.doc_string = "Clip(0, 6) instead of Relu"
    print(clip_at_six(model), "Relu replaced")
    onnx.save(model, os.path.join(folder, "relu6.onnx"))
    describe(os.path.join(folder, "relu6.onnx"), description, {})


if __name__ == "__main__":
    main()
