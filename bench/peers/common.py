# SPDX-License-Identifier: Apache-2.0
"""Shared by the benchmarks: the models and a prepared picture for each, PyTorch's gradient, and the cost of a command."""
import json
import os
import subprocess
import sys
import time

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy as np
import torch
from PIL import Image

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = os.environ.get("GIG_DATA") or os.path.join(ROOT, "..", "shared", "data")
FILES = {"MobileNetV2": "mobilenet_v2_224", "ResNet-50": "resnet50_keras_224"}
sys.path.insert(0, os.path.join(ROOT, "tools"))
from onnx_torch import OnnxModule

torch.set_num_threads(1)


def arguments(rounds):
    """[BUILD] [ROUNDS] of the command line; leaves the program without models."""
    build = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build")
    if not os.path.isdir(DATA):
        print("bench: skipped, needs the models (set GIG_DATA)")
        sys.exit(0)
    return os.path.abspath(build), int(sys.argv[2]) if len(sys.argv) > 2 else rounds


def model_path(title):
    return os.path.join(DATA, "models", FILES[title] + ".onnx")


def pixels(side, number=1):
    """A picture of the data, [side,side,3] in [0,1]."""
    with Image.open(os.path.join(DATA, "ilsvrc", f"ILSVRC2012_val_{number:08d}.jpg")) as image:
        return np.array(image.convert("RGB").resize((side, side), Image.BILINEAR), np.float32) / 255


def model_input(title, picture):
    """[1,3,side,side] as the model takes it."""
    with open(model_path(title)[:-5] + ".json") as file:
        about = json.load(file)["input"]
    x = (about["scale"] * picture - np.array(about["mean"])) / np.array(about["std"])
    x = x[:, :, ::-1] if about["channels"] == "bgr" else x
    return np.ascontiguousarray(x.transpose(2, 0, 1)[None], np.float32)


class TorchGradient:
    """point [1,3,h,w] float64 -> gradient of the softmax probability, in the memory layout that is faster here."""

    def __init__(self, title, x):
        torch.set_flush_denormal(True)
        self.module, self.seconds = OnnxModule(model_path(title)).eval(), 0.0
        with torch.no_grad():
            self.target = int(self.module(torch.from_numpy(x)).argmax())
        cost = {}
        for self.layout in (torch.contiguous_format, torch.channels_last):
            self.module = self.module.to(memory_format=self.layout)
            self(x)
            cost[self.layout] = min(self.timed(x) for _ in range(3))
        self.layout = min(cost, key=cost.get)
        self.module = self.module.to(memory_format=self.layout)

    def timed(self, x):
        before = self.seconds
        self(x)
        return self.seconds - before

    def __call__(self, x):
        start = time.process_time()
        point = torch.from_numpy(x).float().contiguous(memory_format=self.layout).requires_grad_(True)
        torch.softmax(self.module(point), 1)[0, self.target].backward()
        gradient = point.grad.contiguous().numpy()
        self.seconds += time.process_time() - start
        return gradient


def cpu_seconds(command):
    """CPU seconds of a command and what it printed, as JSON; None where the CPU lacks what was asked for."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, err = child.stdout.read(), child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode == 4:
        return None, None
    if child.returncode != 0:
        sys.exit(err.strip())
    return usage.ru_utime + usage.ru_stime, json.loads(out)
