#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Time per gradient: PyTorch and gig alternate in one run, same weights, one thread each, CPU time, best of several.

Eighteen classifiers at batch 1: four of ../shared/data (or GIG_DATA), where it is, and fourteen of torchvision with
random weights, exported here and now. Ends with the geometric mean and which targets are met. Needs PyTorch,
torchvision and onnx. ONEDNN_MAX_CPU_ISA=AVX2 ATEN_CPU_CAPABILITY=avx2 limits both programs to AVX2.
"""
import argparse
import json
import math
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
FILES = [("MobileNetV2", "mobilenet_v2_224", 224), ("ResNet-50", "resnet50_keras_224", 224),
         ("Inception-v3", "inception_v3_299", 299), ("SqueezeNet", "squeezenet_v1.0_227", 227)]
CLASSIFIERS = ["mobilenet_v2", "maxvit_t", "convnext_tiny", "efficientnet_b0", "efficientnet_v2_s", "mobilenet_v3_large",
               "densenet121", "resnext50_32x4d", "vgg16", "googlenet", "swin_t", "vit_b_16", "regnet_y_400mf",
               "shufflenet_v2_x1_0"]
WITHOUT_AUXILIARY = {"aux_logits": False, "init_weights": False}
BARS = {"MobileNetV2": 1.8, "mobilenet_v2": 2.0, "ResNet-50": 1.5, "Inception-v3": 1.5, "SqueezeNet": 1.9}
OTHER_BAR, MEAN_BAR = 1.1, 1.7
TRIES = 5  # gradients of PyTorch in each of two memory layouts; twice as many of gig


def torch_seconds(module, x):
    """Fastest gradient of log-probability per picture."""
    best = float("inf")
    for _ in range(TRIES):
        point = x.clone(memory_format=torch.preserve_format).requires_grad_(True)
        start = time.process_time()
        torch.log_softmax(module(point), 1)[:, 5].sum().backward()
        best = min(best, time.process_time() - start)
    return best / x.shape[0]


def gig_bench(program, path, *flags):
    """What `gig bench` says, or None where this CPU has no such precision."""
    done = subprocess.run([program, "bench", path, "--json", *flags], capture_output=True, text=True)
    if done.returncode == 4:
        return None
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
    return json.loads(done.stdout)


def measure(program, module, path, side, batch, rounds, precisions):
    """Seconds per picture: PyTorch's in its faster layout, and gig's by precision (None: not on this CPU)."""
    x = torch.rand(batch, 3, side, side, generator=torch.Generator().manual_seed(0))
    peer, own = float("inf"), dict.fromkeys(precisions, float("inf"))
    for _ in range(rounds):
        for layout in (torch.contiguous_format, torch.channels_last):
            module = module.to(memory_format=layout)
            peer = min(peer, torch_seconds(module, x.to(memory_format=layout)))
        for precision in (name for name in precisions if own[name] is not None):
            found = gig_bench(program, path, "--batch", str(batch), "--precision", precision, "--runs", str(2 * TRIES))
            own[precision] = found and min(own[precision], 1e-3 * found["milliseconds"])
    return peer, own


def models(wanted, folder):
    """Title, module, file and side of each network whose title contains one of `wanted`."""
    chosen = lambda title: not wanted or any(part in title for part in wanted)
    for title, name, side in FILES if os.path.isdir(DATA) else []:
        if chosen(title):
            path = os.path.join(DATA, "models", name + ".onnx")
            yield title, OnnxModule(path).eval(), path, side
    for name in filter(chosen, CLASSIFIERS):
        torch.manual_seed(0)
        options = WITHOUT_AUXILIARY if name == "googlenet" else {}
        module = getattr(torchvision.models, name)(weights=None, **options).eval()
        path = os.path.join(folder, name + ".onnx")
        torch.onnx.export(module, torch.zeros(1, 3, 224, 224), path, opset_version=13)
        yield name, module.requires_grad_(False), path, 224
        os.remove(path)


def describe(program, folder):
    """The CPU, the instruction set that oneDNN may use, and the load of the machine."""
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "CPU")
    path = os.path.join(folder, "tiny.onnx")
    torch.onnx.export(torch.nn.Conv2d(3, 16, 3), torch.zeros(1, 3, 16, 16), path, opset_version=13)
    engine = (gig_bench(program, path, "--blockings", "--runs", "1") or {}).get("engine")
    print(f"# {cpu}; gig: {engine}; PyTorch {torch.__version__}; one thread each, CPU time per picture; "
          f"load {os.getloadavg()[0]:.1f}", flush=True)


def conclude(ratios):
    """The bars of batch 1 in f32."""
    if not ratios:
        return
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    missed = [f"{title} {ratio:.2f} < {BARS.get(title, OTHER_BAR)}" for title, ratio in ratios.items()
              if ratio < BARS.get(title, OTHER_BAR)]
    print(f"bench: geometric mean of {len(ratios)} networks: {mean:.2f}x PyTorch "
          f"(bar {MEAN_BAR}: {'met' if mean >= MEAN_BAR else 'missed'})")
    print(f"bench: bars of single networks: {len(ratios) - len(missed)} met, {len(missed)} missed"
          + (": " + "; ".join(missed) if missed else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", nargs="?", default=os.path.join(ROOT, "build"))
    parser.add_argument("rounds", nargs="?", type=int, default=3)
    parser.add_argument("titles", nargs="*", help="only networks whose title contains one of these")
    parser.add_argument("--precisions", default="f32", help="such as f32,mixed,bf16")
    parser.add_argument("--batches", default="1", help="such as 1,8")
    given = parser.parse_args()
    program, precisions = os.path.join(given.build, "gig"), given.precisions.split(",")
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    ratios = {}
    if not os.path.isdir(DATA):
        print("bench: skipped the models of the data folder (set GIG_DATA)")
    with tempfile.TemporaryDirectory() as folder:
        describe(program, folder)
        for title, module, path, side in models(given.titles, folder):
            for batch in map(int, given.batches.split(",")):
                peer, own = measure(program, module, path, side, batch, given.rounds, precisions)
                for precision, took in own.items():
                    text = f"bench: {title} {precision} batch {batch}: "
                    if took is None:
                        print(text + "not on this CPU", flush=True)
                        continue
                    print(text + f"{peer / took:.2f}x PyTorch ({1e3 * took:.2f} ms, PyTorch {1e3 * peer:.2f} ms)", flush=True)
                    if batch == 1 and precision == "f32":
                        ratios[title] = peer / took
    conclude(ratios)


if __name__ == "__main__":
    main()
