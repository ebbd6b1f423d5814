#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the demo's classifier on generated scenes and writes it as ONNX.

    demo-generate train 1 0 21600 build/scenes/train.bin    (or several files train.0.bin, train.1.bin, ...)
    demo-generate train 2 0 2400 build/scenes/test.bin
    python3 demo/train.py build/scenes build/demo/demo-generate

Run once, with Debian's PyTorch 1.13 and one thread; demo/model.onnx, model.json, labels.txt and train.log are what it
left. It may be stopped at any moment: the state after each epoch is kept in build/scenes/state.pt and taken up again.
"""
import glob
import json
import os
import subprocess
import sys
import time

import numpy
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

SIDE, CLASSES, EPOCHS, BATCH, SEED = 96, 12, 12, 64, 1
MEAN, STD = 0.45, 0.25
HERE = os.path.dirname(os.path.abspath(__file__))
# Channels in, channels out, kernel, stride. Kernels are multiples of their stride: every pixel is then read equally
# often, and gradients have no checkerboard pattern that the network itself causes.
LAYERS = [(3, 16, 4, 2), (16, 40, 4, 2), (40, 64, 4, 2), (64, 96, 3, 1), (96, 128, 1, 1)]


def read(paths):
    """Records of one byte class and SIDE*SIDE*3 bytes RGB."""
    raw = numpy.concatenate([numpy.fromfile(p, numpy.uint8).reshape(-1, 1 + SIDE * SIDE * 3) for p in paths])
    pixels = torch.from_numpy(raw[:, 1:].reshape(-1, SIDE, SIDE, 3)).permute(0, 3, 1, 2)
    return pixels, torch.from_numpy(raw[:, 0].astype(numpy.int64))


def make_network():
    parts = []
    for fan_in, fan_out, kernel, stride in LAYERS:
        parts += [nn.Conv2d(fan_in, fan_out, kernel, stride, (kernel - 1) // 2, bias=False), nn.BatchNorm2d(fan_out),
                  nn.ReLU()]
    return nn.Sequential(*parts, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(LAYERS[-1][1], CLASSES))


def prepare(pixels):
    return (pixels.float() / 255 - MEAN) / STD


def augment(x, generator):
    """Shifts by up to 6 pixels (the border repeats), flips, and changes of brightness and contrast."""
    dx, dy = (torch.randint(-6, 7, (2,), generator=generator)).tolist()
    x = nn.functional.pad(x, (6, 6, 6, 6), mode="replicate")[:, :, 6 + dy:6 + dy + SIDE, 6 + dx:6 + dx + SIDE]
    if torch.rand(1, generator=generator) < 0.5:
        x = x.flip(3)
    gain = 1 + 0.3 * (torch.rand(len(x), 1, 1, 1, generator=generator) - 0.5)
    shift = 0.6 * (torch.rand(len(x), 1, 1, 1, generator=generator) - 0.5)
    return x * gain + shift


def accuracy(network, pixels, classes):
    network.eval()
    with torch.no_grad():
        right = sum((network(prepare(pixels[i:i + 200])).argmax(1) == classes[i:i + 200]).sum().item()
                    for i in range(0, len(pixels), 200))
    return right / len(pixels)


def train(folder, log):
    torch.manual_seed(SEED)
    pixels, classes = read(sorted(glob.glob(folder + "/train*.bin")))
    test = read([folder + "/test.bin"])
    network = make_network()
    optimiser = torch.optim.AdamW(network.parameters(), lr=2e-3, weight_decay=1e-2)
    steps = len(pixels) // BATCH
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 4e-3, total_steps=EPOCHS * steps)
    state, first = folder + "/state.pt", 0
    if os.path.exists(state):
        kept = torch.load(state)
        network.load_state_dict(kept["network"]), optimiser.load_state_dict(kept["optimiser"])
        schedule.load_state_dict(kept["schedule"])
        first = kept["epoch"]
    else:
        log(f"PyTorch {torch.__version__}, seed {SEED}, {len(pixels)} scenes to train on, {len(test[0])} to test on, "
            f"{sum(p.numel() for p in network.parameters())} parameters, batch {BATCH}, {EPOCHS} epochs")
    for epoch in range(first, EPOCHS):
        generator = torch.Generator().manual_seed(1000 + epoch)
        order, total, start = torch.randperm(len(pixels), generator=generator), 0.0, time.process_time()
        network.train()
        for i in range(steps):
            pick = order[i * BATCH:(i + 1) * BATCH]
            loss = nn.functional.cross_entropy(network(augment(prepare(pixels[pick]), generator)), classes[pick],
                                               label_smoothing=0.02)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += loss.item()
        log(f"epoch {epoch + 1:2d}: loss {total / steps:.4f}, test accuracy {accuracy(network, *test):.4f}, "
            f"{time.process_time() - start:.0f} s of CPU")
        torch.save({"network": network.state_dict(), "optimiser": optimiser.state_dict(),
                    "schedule": schedule.state_dict(), "epoch": epoch + 1}, state)
    return network, test


def folded(conv, norm):
    """Weights and bias of the convolution with the normalisation after it folded in."""
    scale = (norm.weight / torch.sqrt(norm.running_var + norm.eps)).detach()
    weight, bias = conv.weight.detach() * scale[:, None, None, None], norm.bias - norm.running_mean * scale
    return weight.numpy(), bias.detach().numpy()


def export(network, path):
    nodes, weights, at = [], [], "input"

    def constant(name, array):
        weights.append(numpy_helper.from_array(numpy.ascontiguousarray(array, numpy.float32), name))
        return name

    for i, (_, _, kernel, stride) in enumerate(LAYERS):
        weight, bias = folded(network[3 * i], network[3 * i + 1])
        name = f"conv{i + 1}"
        nodes.append(helper.make_node("Conv", [at, constant(name + ".weight", weight), constant(name + ".bias", bias)],
                                      [name], name=name, kernel_shape=[kernel] * 2, strides=[stride] * 2,
                                      pads=[(kernel - 1) // 2] * 4))
        at = f"relu{i + 1}"
        nodes.append(helper.make_node("Relu", [name], [at], name=at))
    linear = network[-1]
    nodes += [helper.make_node("GlobalAveragePool", [at], ["pooled"], name="pool"),
              helper.make_node("Flatten", ["pooled"], ["features"], name="flatten"),
              helper.make_node("Gemm", ["features", constant("fc.weight", linear.weight.detach().numpy()),
                                        constant("fc.bias", linear.bias.detach().numpy())], ["logits"], name="fc",
                               transB=1)]
    source = helper.make_tensor_value_info("input", TensorProto.FLOAT, ["n", 3, SIDE, SIDE])
    result = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", CLASSES])
    graph = helper.make_graph(nodes, "demo", [source], [result], weights)
    model = helper.make_model(graph, producer_name="gig demo", opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 7
    onnx.checker.check_model(model)
    onnx.save(model, path)


def run_folded(path, x):
    """The exported file, run with PyTorch's own functions: what was written is what is tested."""
    model = onnx.load(path)
    weights = {w.name: torch.from_numpy(numpy_helper.to_array(w).copy()) for w in model.graph.initializer}
    for i, (_, _, kernel, stride) in enumerate(LAYERS):
        x = torch.relu(nn.functional.conv2d(x, weights[f"conv{i + 1}.weight"], weights[f"conv{i + 1}.bias"], stride,
                                            (kernel - 1) // 2))
    return nn.functional.linear(x.mean((2, 3)), weights["fc.weight"], weights["fc.bias"])


def report(log, path, network, test, names):
    network.eval()
    with torch.no_grad():
        out = torch.cat([run_folded(path, prepare(test[0][i:i + 200])) for i in range(0, len(test[0]), 200)])
        whole = torch.cat([network(prepare(test[0][i:i + 200])) for i in range(0, len(test[0]), 200)])
    right = out.argmax(1) == test[1]
    log(f"model.onnx: {os.path.getsize(path)} bytes, largest difference from the trained network "
        f"{(out - whole).abs().max():.2e}, test accuracy {right.float().mean():.4f}")
    for k, name in enumerate(names):
        log(f"  {name:10s} {right[test[1] == k].float().mean():.4f}")


def main():
    torch.set_num_threads(1)
    folder = sys.argv[1]
    logged = open(folder + "/train.log", "a", encoding="ascii")

    def log(line):
        print(line, flush=True)
        print(line, file=logged, flush=True)

    network, test = train(folder, log)
    names = subprocess.run([sys.argv[2], "labels"], capture_output=True, text=True, check=True).stdout.split()
    path = HERE + "/model.onnx"
    export(network, path)
    report(log, path, network, test, names)
    with open(HERE + "/labels.txt", "w", encoding="ascii") as file:
        file.write("\n".join(names) + "\n")
    description = {"input": {"name": "input", "width": SIDE, "height": SIDE, "resize": "squash", "filter": "bilinear",
                             "scale": 1, "mean": [MEAN] * 3, "std": [STD] * 3, "channels": "rgb", "layout": "nchw"},
                   "output": "logits", "output_name": "logits", "labels": "labels.txt", "cam": f"relu{len(LAYERS)}"}
    with open(HERE + "/model.json", "w", encoding="ascii") as file:
        json.dump(description, file, indent=2)
        file.write("\n")
    logged.close()
    with open(folder + "/train.log", encoding="ascii") as done:
        text = done.read()
    with open(HERE + "/train.log", "w", encoding="ascii") as kept:
        kept.write(text)


main()
