#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Time per gradient: PyTorch and gig alternate in one run, same weights, one thread each, CPU time, best of several.

First the models of ../shared/data (or GIG_DATA), where it is, at batch 1 and 8; then classifiers of torchvision with
random weights, exported here and now, at batch 1. Needs PyTorch, torchvision and onnx.
Usage: bench/gradient.py [BUILD_FOLDER] [ROUNDS] [TITLE...]     only those whose title contains one of these
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
import torchvision

warnings.filterwarnings("ignore")
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tools"))
from onnx_torch import OnnxModule

DATA = os.environ.get("GIG_DATA", os.path.join(ROOT, "..", "shared", "data"))
MODELS = [("MobileNetV2", "mobilenet_v2_224", 224), ("ResNet-50", "resnet50_keras_224", 224),
          ("Inception-v3", "inception_v3_299", 299), ("SqueezeNet", "squeezenet_v1.0_227", 227)]
CLASSIFIERS = ["mobilenet_v3_large", "efficientnet_b0", "regnet_y_400mf", "densenet121", "convnext_tiny", "swin_t", "vit_b_16"]
TRIES = 5


def torch_seconds(module, x):
    """Fastest gradient of log-probability per picture."""
    best = float("inf")
    for _ in range(TRIES):
        point = x.clone(memory_format=torch.preserve_format).requires_grad_(True)
        start = time.process_time()
        torch.log_softmax(module(point), 1)[:, 5].sum().backward()
        best = min(best, time.process_time() - start)
    return best / x.shape[0]


def gig_seconds(program, path, batch, precision):
    command = [program, "bench", path, "--batch", str(batch), "--precision", precision, "--runs", str(2 * TRIES), "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 4:
        return None
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
    return json.loads(done.stdout)["milliseconds"] * 1e-3


def measure(title, program, module, path, side, batch, rounds):
    x = torch.rand(batch, 3, side, side, generator=torch.Generator().manual_seed(0))
    peer, own = float("inf"), {}
    for _ in range(rounds):
        for layout in (torch.contiguous_format, torch.channels_last):
            module = module.to(memory_format=layout)
            peer = min(peer, torch_seconds(module, x.to(memory_format=layout)))
        for precision in ("f32", "mixed", "split", "bf16"):
            if own.get(precision, 0) is not None:
                took = gig_seconds(program, path, batch, precision)
                own[precision] = took if took is None else min(own.get(precision, float("inf")), took)
    for precision, took in own.items():
        if took is not None:
            print(f"bench: {title} {precision} batch {batch}: {peer / took:.2f}x PyTorch "
                  f"({1e3 * took:.2f} ms, PyTorch {1e3 * peer:.2f} ms)", flush=True)
    missing = [precision for precision, took in own.items() if took is None]
    if missing:
        print(f"bench: {title} batch {batch}: not on this CPU (needs AMX): {', '.join(missing)}", flush=True)


def main():
    program = os.path.join(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build"), "gig")
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    wanted = lambda title: len(sys.argv) < 4 or any(part in title for part in sys.argv[3:])
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    print("# one thread each, CPU time per picture, best of", rounds, "alternating rounds")
    if not os.path.isdir(DATA):
        print("bench: skipped the models of the data folder (set GIG_DATA)")
    for title, name, side in MODELS if os.path.isdir(DATA) else []:
        path = os.path.join(DATA, "models", name + ".onnx")
        for batch in (1, 8) if wanted(title) else ():
            measure(title, program, OnnxModule(path).eval(), path, side, batch, rounds)
    with tempfile.TemporaryDirectory() as folder:
        for name in filter(wanted, CLASSIFIERS):
            torch.manual_seed(0)
            module = getattr(torchvision.models, name)(weights=None).eval()
            path = os.path.join(folder, name + ".onnx")
            torch.onnx.export(module, torch.zeros(1, 3, 224, 224), path, opset_version=13)
            measure(name, program, module.requires_grad_(False), path, 224, 1, rounds)
            os.remove(path)


if __name__ == "__main__":
    main()
