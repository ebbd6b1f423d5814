#!/usr/bin/python3
"""Value and gradient of torchvision's classifiers: gig against PyTorch, from files PyTorch exports here and now.

Each classifier has seeded random weights, opset 13, logits, and is tried twice: `smooth`, with every kinked activation
replaced by Softplus and every max pooling by average pooling, where only rounding separates the two programs; and
`plain`, as it is, where a unit that falls the other way in the last digit moves the gradient by 1e-4 to 5e-3. Each is
exported with a batch fixed at 1 and with a free one, and run at batch 1 (logit) and 3 (log-probability); the free one
also at batch 8 and with 2 and 3 threads. Everything is a relative L2 distance, the worst of five seeded inputs.

Usage: tools/golden/torchvision_classifiers.py [--build FOLDER] [--list MAIN|OTHERS] [NAME...]
A finished case is one JSON line in FOLDER/torchvision.jsonl and is not run again until gig or this script changes.
The name is not torchvision.py because Python would then import this file where torchvision is meant.
"""
import argparse
import contextlib
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torchvision import models

warnings.filterwarnings("ignore")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TARGET, INPUTS = 7, 5

# Sides are those of the smallest picture that still leaves each stage something to do; AlexNet and VGG export only
# where the last map is a multiple of their 6 x 6 and 7 x 7 poolings, MaxViT where 7 divides every stage.
MAIN = {"alexnet": 224, "vgg11_bn": 224, "resnet18": 96, "resnext50_32x4d": 128, "squeezenet1_1": 96, "densenet121": 64,
        "googlenet": 96, "inception_v3": 155, "shufflenet_v2_x1_0": 96, "mobilenet_v2": 96, "mobilenet_v3_small": 96,
        "mnasnet1_0": 96, "efficientnet_b0": 96, "vit_b_16": 64}
# One or more of every family; the largest members of each (the same operators, wider or more often) are left out.
OTHERS = {"vgg11": 224, "vgg13": 224, "vgg13_bn": 224, "vgg16": 224, "resnet34": 64, "resnet50": 64, "resnet101": 64,
          "resnet152": 64, "wide_resnet50_2": 64, "squeezenet1_0": 64, "densenet161": 64, "densenet169": 64,
          "densenet201": 64, "shufflenet_v2_x0_5": 64, "shufflenet_v2_x1_5": 64, "shufflenet_v2_x2_0": 64,
          "mobilenet_v3_large": 64, "mnasnet0_5": 64, "mnasnet0_75": 64, "mnasnet1_3": 64, "efficientnet_b1": 64,
          "efficientnet_b2": 64, "efficientnet_b3": 64, "efficientnet_b4": 64, "efficientnet_v2_s": 64,
          "convnext_tiny": 64, "regnet_x_400mf": 64, "regnet_x_800mf": 64, "regnet_x_1_6gf": 64, "regnet_x_3_2gf": 64,
          "regnet_y_400mf": 64, "regnet_y_800mf": 64, "regnet_y_1_6gf": 64, "regnet_y_3_2gf": 64, "swin_t": 64,
          "swin_v2_t": 64, "vit_b_32": 64, "maxvit_t": 224}
# variant -> most of (gradient, value, gradient at batch 8 against batch 1)
LIMITS = {"smooth": (1e-4, 1e-4, 1e-5), "plain": (2e-2, 2e-2, 2e-2)}


@contextlib.contextmanager
def without_kinks(wanted):
    """Modules call these functions too, so that both ways of writing a layer are caught."""
    def softplus(x, *_, **__):
        return F.softplus(x)

    def average(x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        return F.avg_pool2d(x, kernel_size, stride, padding, ceil_mode)

    changed = {"relu": softplus, "relu6": softplus, "hardtanh": softplus, "hardswish": softplus, "hardsigmoid": softplus,
               "max_pool2d": average} if wanted else {}
    kept = {name: getattr(F, name) for name in changed}
    try:
        for name, function in changed.items():
            setattr(F, name, function)
        yield
    finally:
        for name, function in kept.items():
            setattr(F, name, function)


def build(name, side):
    options = {"vit": {"image_size": side}, "goo": {"aux_logits": False, "init_weights": False},
               "inc": {"aux_logits": False, "init_weights": False}}.get(name[:3], {})
    return models.get_model(name, weights=None, **options).eval()


def randomise(net, pictures, seed, centred):
    """He's initial weights, each layer then scaled so that the mean square of what it gives on `pictures` is 1, and
    statistics and factors of normalisations drawn around what fits: values and gradients of deep networks neither die
    nor explode. `centred` statistics take the mean away too: smooth networks keep a gradient by that; those with kinks
    would become chaotic, each unit that rounding flips flipping others, so they get none, and more units that are on."""
    generator = torch.Generator().manual_seed(seed)

    def around(shape, centre, spread):
        return centre + spread * (2 * torch.rand(shape, generator=generator) - 1)

    def settle_statistics(norm, arguments):
        variance, mean = torch.var_mean(arguments[0], (0, 2, 3), unbiased=False)
        if not centred:
            variance, mean = variance + mean ** 2, 0 * mean
        norm.running_var.copy_(variance * around(variance.shape, 1, 0.3) + 1e-3)
        norm.running_mean.copy_(mean + variance.sqrt() * around(mean.shape, 0, 0.3))

    def settle_scale(layer, _, output):
        scale = float(output.square().mean().rsqrt())
        layer.weight.mul_(scale)
        if layer.bias is None:
            return output * scale
        layer.bias.copy_(around(layer.bias.shape, 0, 0.3))
        return output * scale + (layer.bias.view(-1, 1, 1) if isinstance(layer, nn.Conv2d) else layer.bias)

    hooks = []
    for key, parameter in net.named_parameters():
        if key.endswith(("layer_scale", "class_token")):
            parameter.data = around(parameter.shape, 0.5, 0.5)
    for module in net.modules():
        if isinstance(module, (nn.Conv2d, nn.Linear)):
            fan = module.weight[0].numel()
            module.weight.data = torch.randn(module.weight.shape, generator=generator) * (2 / fan) ** 0.5
            if module.bias is not None:
                module.bias.data.zero_()
            hooks.append(module.register_forward_hook(settle_scale))
        if isinstance(module, (nn.BatchNorm2d, nn.LayerNorm)):
            module.weight.data = around(module.weight.shape, 1, 0.3)
            module.bias.data = around(module.bias.shape, 0 if centred else 0.5, 0.3)
        if isinstance(module, nn.BatchNorm2d):
            hooks.append(module.register_forward_pre_hook(settle_statistics))
    with torch.no_grad():
        net(pictures)
    for hook in hooks:
        hook.remove()


def torch_answers(net, x):
    """{scalar: (values [n], gradients [n,...])} in the precision of net."""
    x = x.clone().requires_grad_(True)
    logits = net(x)
    scalars = {"logit": logits[:, TARGET], "logprob": torch.log_softmax(logits, 1)[:, TARGET]}
    return {of: (value.detach().double().numpy(),
                 torch.autograd.grad(value.sum(), x, retain_graph=True)[0].double().numpy())
            for of, value in scalars.items()}


def gig_answer(program, path, points, of, batch, threads=1):
    out = os.path.join(os.path.dirname(path), "g.npy")
    done = subprocess.run([program, "gradient", path, "--tensor", points, "--class", str(TARGET), "--of", of, "--batch",
                           str(batch), "--threads", str(threads), "-o", out, "--force", "--json"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return np.array(json.loads(done.stdout)["values"]), np.load(out).astype(np.float64)


def distance(a, b):
    """Relative L2 distance of the worst row; for plain numbers that of all of them together."""
    rows = [(a, b)] if a.ndim == 1 else zip(a, b)
    return max(float(np.linalg.norm(p - q) / max(np.linalg.norm(q), 1e-300)) for p, q in rows)


def export(net, x, path, free):
    """A free batch keeps BatchNormalization as it is, a fixed one folds it: a model file may come either way."""
    training = torch.onnx.TrainingMode.PRESERVE if free else torch.onnx.TrainingMode.EVAL
    axes = {"input": {0: "n"}, "logits": {0: "n"}} if free else None
    torch.onnx.export(net, x[:3] if free else x[:1], path, opset_version=13, training=training, dynamic_axes=axes,
                      input_names=["input"], output_names=["logits"])


def compare(record, program, folder, net, x, free):
    """Fills record with distances of one exported file."""
    path, points = os.path.join(folder, "model.onnx"), os.path.join(folder, "x.npy")
    export(net, x, path, free)
    np.save(points, x.numpy())
    with torch.no_grad():
        double = net.double()
    exact = torch_answers(double, x.double())
    answers = torch_answers(double.float(), x)
    for batch, of in ((1, "logit"), (3, "logprob")):
        values, gradients = gig_answer(program, path, points, of, batch)
        record[f"batch {batch}"] = {
            "of": of, "gradient": distance(gradients, answers[of][1]), "value": distance(values, answers[of][0]),
            "gig to float64": distance(gradients, exact[of][1]),
            "PyTorch to float64": distance(answers[of][1], exact[of][1]),
            "norm": float(np.linalg.norm(exact[of][1]) / INPUTS ** 0.5)}
        if batch == 1:
            alone = gradients
    if free:
        record["batch 8 to 1"] = distance(gig_answer(program, path, points, "logit", 8)[1], alone)
        record["same bits"] = all(np.array_equal(gig_answer(program, path, points, "logit", 1, threads)[1], alone)
                                  for threads in (2, 3))
    os.remove(path)


def judge(record, variant):
    gradient, value, batches = LIMITS[variant]
    rows = [record[key] for key in record if key in ("batch 1", "batch 3")]
    return (all(row["gradient"] <= gradient and row["value"] <= value for row in rows)
            and record.get("batch 8 to 1", 0) <= batches and record.get("same bits", True))


def run_case(program, name, side, variant, free):
    record = {"model": name, "side": side, "variant": variant, "export": "free" if free else "one"}
    seed = sum(map(ord, name))
    x = torch.rand(INPUTS, 3, side, side, generator=torch.Generator().manual_seed(seed))
    with without_kinks(variant == "smooth"), tempfile.TemporaryDirectory() as folder:
        torch.manual_seed(seed)
        net = build(name, side)
        randomise(net, torch.rand(8, 3, side, side, generator=torch.Generator().manual_seed(seed + 1)), seed,
                  variant == "smooth")
        try:
            compare(record, program, folder, net, x, free)
            record["passed"] = judge(record, variant)
        except RuntimeError as problem:
            record.update(passed=False, problem=str(problem).splitlines()[0])
    return record


def fingerprint(folder):
    """Of the program, its library and this script: an old answer about them is no answer."""
    digest = hashlib.sha256()
    for path in (os.path.join(folder, "gig"), os.path.join(folder, "libgig.so"), os.path.abspath(__file__)):
        if os.path.exists(path):
            with open(path, "rb") as file:
                digest.update(file.read())
    return digest.hexdigest()[:16]


def finished(path, mark):
    known = {}
    if os.path.exists(path):
        with open(path) as file:
            for line in file:
                record = json.loads(line)
                if record["mark"] == mark:
                    known[record["model"], record["variant"], record["export"]] = record
    return known


def show(record):
    print("ok  " if record["passed"] else "MISS", f"{record['model']:19}{record['side']:4} {record['variant']:7}"
          f"{record['export']:5}", record.get("problem", ""), end="")
    for key in ("batch 1", "batch 3"):
        if key in record:
            row = record[key]
            print(f" {key}: value {row['value']:.0e} gradient {row['gradient']:.1e} (to float64: gig "
                  f"{row['gig to float64']:.1e}, PyTorch {row['PyTorch to float64']:.1e}; norm {row['norm']:.1e})", end="")
    if "same bits" in record:
        print(f" batch 8 to 1: {record['batch 8 to 1']:.1e}", "" if record["same bits"] else "BITS DIFFER", end="")
    print(flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--list", choices=("MAIN", "OTHERS"), default="MAIN")
    parser.add_argument("--names", action="store_true", help="print the names of the list and stop")
    parser.add_argument("models", nargs="*")
    given = parser.parse_args()
    sides = MAIN if given.list == "MAIN" else OTHERS
    if given.names:
        print(*sides)
        return 0
    torch.set_num_threads(1)
    mark, path = fingerprint(given.build), os.path.join(given.build, "torchvision.jsonl")
    known, passed = finished(path, mark), True
    cases = [("smooth", False), ("smooth", True), ("plain", False), ("plain", True)] if sides is MAIN else [("plain", True)]
    for name in given.models or sides:
        for variant, free in cases:
            record = known.get((name, variant, "free" if free else "one"))
            if record is None:
                record = run_case(os.path.join(given.build, "gig"), name, {**MAIN, **OTHERS}[name], variant, free)
                with open(path, "a") as file:
                    file.write(json.dumps({**record, "mark": mark}) + "\n")
            show(record)
            passed = passed and record["passed"]
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
