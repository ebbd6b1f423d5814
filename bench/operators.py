#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Time of value and gradient of one operator: PyTorch and gig alternate in one run, one thread each, CPU time, best of
several.

Each operator stands in a small network of its own, exported here and now: the point is 64 x 56 x 56 where nothing else
is said, the operator is applied four times where it keeps the shape (else once), the mean over all but the channels
makes 64 numbers, and the gradient is that of the log-probability of one of them.
Needs PyTorch and onnx. Usage: bench/operators.py [BUILD_FOLDER] [ROUNDS] [TITLE...]   titles that contain one of these
"""
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import torch
from torch import nn
from torch.nn import functional as F

warnings.filterwarnings("ignore")
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PICTURE, LIST, TOKENS = (1, 64, 56, 56), (1, 64, 3136), (1, 784, 256)
LEAST = 0.8
TRIES = 8
TIMES = 4


def weights(*dims):
    return torch.randn(dims, generator=torch.Generator().manual_seed(1)) / dims[-1] ** 0.5


class Network(nn.Module):
    """The operator `times` times, then numbers of classes. Numbers of both signs reach it."""

    def __init__(self, operator, times, channel):
        super().__init__()
        self.operator, self.times, self.channel = operator, times, channel
        if isinstance(operator, nn.Module):
            self.add_module("parts", operator)

    def forward(self, x):
        x = x - 0.5  # gig's point lies between 0 and 1
        for _ in range(self.times):
            x = self.operator(x)
        return x.mean([axis for axis in range(1, x.dim()) if axis != self.channel])


class Product(nn.Module):
    """A constant matrix on one side of x."""

    def __init__(self, left, *dims):
        super().__init__()
        self.left = left
        self.matrix = nn.Parameter(weights(*dims))

    def forward(self, x):
        return self.matrix @ x if self.left else x @ self.matrix


def top(x):
    return torch.topk(x, 16, dim=1)[0]


def attention(x):
    heads = x.reshape(1, 784, 8, 32)
    return torch.einsum("bihd,bjhd->bhij", heads, heads)


def turn(x):
    """Moved for real, and with something between, or the exporter makes one transposition of several."""
    return x.transpose(1, 3).contiguous() * 1.01


# title, operator, dims of the point, times, axis that the 64 (or more) numbers stand for
OPERATORS = [
    ("Abs", torch.abs, PICTURE, TIMES, 1),
    ("BatchNormalization", nn.BatchNorm2d(64), PICTURE, TIMES, 1),
    ("Clip", lambda x: torch.clamp(x, -0.9, 0.7), PICTURE, TIMES, 1),
    ("Conv1d", nn.Conv1d(64, 64, 3, padding=1), LIST, TIMES, 1),
    ("ConvTranspose", nn.ConvTranspose2d(64, 64, 2, 2), PICTURE, 1, 1),
    ("ConvTranspose 3x3", nn.ConvTranspose2d(64, 64, 3, 2, 1, 1), PICTURE, 1, 1),
    ("Einsum", attention, TOKENS, 1, 2),
    ("Elu", F.elu, PICTURE, TIMES, 1),
    ("Exp", lambda x: torch.exp(-x), PICTURE, TIMES, 1),
    ("Gelu", F.gelu, PICTURE, TIMES, 1),
    ("GroupNorm", nn.GroupNorm(8, 64), PICTURE, TIMES, 1),
    ("InstanceNorm", nn.InstanceNorm2d(64, affine=True), PICTURE, TIMES, 1),
    ("LayerNorm", nn.LayerNorm(256), TOKENS, TIMES, 2),
    ("Log", lambda x: torch.log(x + 3), PICTURE, TIMES, 1),
    ("LogSoftmax", lambda x: F.log_softmax(x, 1), PICTURE, TIMES, 1),
    ("MatMul", Product(False, 256, 256), TOKENS, TIMES, 2),
    ("MatMul, broadcast", Product(False, 64, 56, 56), PICTURE, TIMES, 1),
    ("MatMul, constant left", Product(True, 56, 56), PICTURE, TIMES, 1),
    ("Mish", F.mish, PICTURE, TIMES, 1),
    ("PixelShuffle", nn.PixelShuffle(2), (1, 256, 28, 28), 1, 1),
    ("Pow 1.7", lambda x: torch.pow(x.abs() + 0.1, 1.7), PICTURE, TIMES, 1),
    ("Pow 2", lambda x: torch.pow(x + 0.5, 2), PICTURE, TIMES, 1),
    ("Pow 3", lambda x: torch.pow(x + 0.5, 3), PICTURE, TIMES, 1),
    ("Resize, bilinear", lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), (1, 64, 28, 28), 1, 1),
    ("Resize, nearest", lambda x: F.interpolate(x, scale_factor=2), (1, 64, 28, 28), 1, 1),
    ("Softmax, channels", lambda x: F.softmax(x, 1), PICTURE, TIMES, 1),
    ("Softmax, last axis", lambda x: F.softmax(x, 3), PICTURE, TIMES, 1),
    ("Softplus", F.softplus, PICTURE, TIMES, 1),
    ("Swish", F.silu, PICTURE, TIMES, 1),
    ("TopK", top, PICTURE, 1, 1),
    ("Transpose", turn, (1, 56, 56, 56), TIMES, 1),
]


def torch_seconds(module, x):
    best = float("inf")
    for _ in range(TRIES):
        point = x.clone().requires_grad_(True)
        start = time.process_time()
        torch.log_softmax(module(point), 1)[:, 5].sum().backward()
        best = min(best, time.process_time() - start)
    return best


def gig_report(program, path):
    done = subprocess.run([program, "bench", path, "--runs", str(2 * TRIES), "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
    return json.loads(done.stdout)


def measure(program, path, module, dims, rounds):
    """Seconds of gig and of PyTorch, each the best of `rounds` rounds in turn."""
    x = torch.rand(dims, generator=torch.Generator().manual_seed(0))
    own, peer = float("inf"), float("inf")
    for _ in range(rounds):
        peer = min(peer, torch_seconds(module, x))
        own = min(own, gig_report(program, path)["milliseconds"] * 1e-3)
    return own, peer


def processor():
    with open("/proc/cpuinfo") as file:
        return next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "unknown")


def main():
    program = os.path.join(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build"), "gig")
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    chosen = [row for row in OPERATORS if len(sys.argv) < 4 or any(part in row[0] for part in sys.argv[3:])]
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    slow = []
    print("# one thread each, CPU time of value and gradient, best of", rounds, "alternating rounds")
    with tempfile.TemporaryDirectory() as folder:
        for number, (title, operator, dims, times, channel) in enumerate(chosen):
            torch.manual_seed(0)
            module = Network(operator, times, channel).eval().requires_grad_(False)
            path = os.path.join(folder, "operator.onnx")
            torch.onnx.export(module, torch.zeros(dims), path, opset_version=16)
            if number == 0:
                print(f"# {processor()}; {gig_report(program, path)['engine']}; PyTorch {torch.__version__}")
            own, peer = measure(program, path, module, dims, rounds)
            slow += [f"{title} {peer / own:.2f}x"] if peer / own < LEAST else []
            print(f"bench: {title}: {peer / own:.2f}x PyTorch ({1e3 * own:.3f} ms, PyTorch {1e3 * peer:.3f} ms)", flush=True)
    print(f"bench: below {LEAST}x:", ", ".join(slow) or "none")


if __name__ == "__main__":
    main()
