#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Value and gradient of torchvision's classifiers: gig against PyTorch, from files PyTorch exports here and now.

Each classifier has seeded random weights (seeded_classifiers.py), opset 13, logits, and is tried twice: `smooth`, with
every kinked activation replaced by Softplus and every max pooling by average pooling, where the two programs
differ by rounding only; and `plain`, unchanged, where a ReLU whose sign depends on the last digit changes the gradient
by 1e-4 to 5e-3. Fourteen (list MAIN) are exported with a batch fixed at 1 and with a free one, and run on five pictures at
batch 1 (logit) and 3 (log-probability); the free one also at batch 8 and with 2 and 3 threads. All others (list OTHERS)
are exported with a free batch and run on two pictures at batch 1 (log-probability); no seed was chosen for them, so
`plain` gradients only have to agree within 1e-1, which a wrong gradient exceeds; models that PyTorch cannot export are
reported and pass. All numbers are relative L2 distances, the worst of exports, batches and pictures, printed beside
PyTorch's own: float32 to float64, and its two memory layouts.

Usage: tools/golden/torchvision_classifiers.py [--build FOLDER] [--list MAIN|OTHERS] [NAME...]
       tools/golden/torchvision_classifiers.py --conditioning SEEDS NAME...     PyTorch alone, seeds 0 to SEEDS-1
The name is not torchvision.py because Python would then import this file where torchvision is meant.
"""
import argparse
import copy
import itertools
import json
import os
import subprocess
import sys
import tempfile
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np
import onnx
import torch

import seeded_classifiers as seeded

warnings.filterwarnings("ignore")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LISTS = {"MAIN": seeded.MAIN, "OTHERS": seeded.OTHERS}
# most of (gradient, value, gradient at batch 8 against batch 1); where no seed was chosen a few flips must not matter
LIMITS = {"smooth": (1e-4, 1e-4, 1e-5), "plain": (2e-2, 1e-4, 2e-2), "unchosen": (1e-1, 1e-4, 0)}
BATCHES = {True: ((1, "logit"), (3, "logprob")), False: ((1, "logprob"),)}  # of MAIN, of OTHERS
KINKED = {"Relu", "Clip", "LeakyRelu", "HardSwish", "HardSigmoid", "MaxPool"}


class NotExported(Exception):
    """PyTorch cannot export it to ONNX."""


def distance(a, b):
    """Relative L2 distance of the worst row; for plain numbers that of all of them together."""
    rows = [(a, b)] if a.ndim == 1 else zip(a, b)
    return max(float(np.linalg.norm(p - q) / max(np.linalg.norm(q), 1e-300)) for p, q in rows)


def apart(a, b):
    """Of two answers: the larger distance of both scalars' (values, gradients)."""
    return tuple(max(distance(a[of][i], b[of][i]) for of in a) for i in (0, 1))


def gig_answer(program, path, points, of, batch, threads=1):
    out = os.path.join(os.path.dirname(path), "g.npy")
    done = subprocess.run([program, "gradient", path, "--tensor", points, "--class", str(seeded.TARGET), "--of", of,
                           "--batch", str(batch), "--threads", str(threads), "-o", out, "--force", "--json"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError("gig: " + done.stderr.strip())
    return np.array(json.loads(done.stdout)["values"]), np.load(out).astype(np.float64)


def export(net, x, path, free):
    """A free batch keeps BatchNormalization as it is, a fixed one folds it: a model file may come either way. If weights
    need no gradient, PyTorch fuses attention into one operator that it cannot export."""
    training = torch.onnx.TrainingMode.PRESERVE if free else torch.onnx.TrainingMode.EVAL
    axes = {"input": {0: "n"}, "logits": {0: "n"}} if free else None
    net.requires_grad_(True)
    try:
        torch.onnx.export(net, x[:2] if free else x[:1], path, opset_version=13, training=training, dynamic_axes=axes,
                          input_names=["input"], output_names=["logits"])
    except torch.onnx.errors.UnsupportedOperatorError as problem:
        raise NotExported(str(problem).split(".")[0]) from None
    net.requires_grad_(False)


def compare(record, program, path, points, torch_answers, batches):
    """Adds one exported file's distances to record."""
    for batch, of in batches:
        values, gradients = gig_answer(program, path, points, of, batch)
        record["value"] = max(record["value"], distance(values, torch_answers[of][0]))
        record["gradient"] = max(record["gradient"], distance(gradients, torch_answers[of][1]))


def compare_batches_and_threads(record, program, path, points):
    alone = gig_answer(program, path, points, "logit", 1)[1]
    record["batch 8 to 1"] = distance(gig_answer(program, path, points, "logit", 8)[1], alone)
    record["same bits"] = all(np.array_equal(gig_answer(program, path, points, "logit", 1, threads)[1], alone)
                              for threads in (2, 3))


def ask_torch(record, net, x, scalars):
    """PyTorch's answers in float32, and in record what they are apart from others of its own."""
    answers = seeded.answers(net, x, scalars)
    if len(scalars) > 1:
        record["layouts"] = apart(seeded.in_channels_last(net, x), answers)[1]
    record["own"] = apart(answers, seeded.answers(net.double(), x.double(), scalars))
    net.float()
    return answers


def run_case(record, program, name, variant, main):
    side, seed = seeded.CHOICES[name]
    x = seeded.pictures(5 if main else 2, side, seed)
    with seeded.without_kinks(variant == "smooth"), tempfile.TemporaryDirectory() as folder:
        path, points = os.path.join(folder, "model.onnx"), os.path.join(folder, "x.npy")
        np.save(points, x.numpy())
        net = seeded.build(name, side, seed)
        answers = ask_torch(record, net, x, [of for _, of in BATCHES[main]])
        record["gradient"] = record["value"] = 0
        for free in (False, True) if main else (True,):
            export(net, x, path, free)
            record["kinks"] = KINKED & {node.op_type for node in onnx.load(path, load_external_data=False).graph.node}
            if variant == "smooth" and record["kinks"]:
                raise RuntimeError(f"not smooth: {record['kinks']}")
            compare(record, program, path, points, answers, BATCHES[main])
            if main and free:
                compare_batches_and_threads(record, program, path, points)
            for file in os.listdir(folder):
                if file != "x.npy":
                    os.remove(os.path.join(folder, file))


def judge(record, variant, main):
    limits = LIMITS["smooth" if not record["kinks"] else variant if main else "unchosen"]
    return (record["gradient"] <= limits[0] and record["value"] <= limits[1]
            and record.get("batch 8 to 1", 0) <= limits[2] and record.get("same bits", True))


def show(name, variant, record, passed):
    print("ok  " if passed else "MISS", f"{name:19}{seeded.CHOICES[name][0]:4} {variant:7}", end="")
    if "problem" in record:
        print(record["problem"], end="")
    else:
        print(f"value {record['value']:.0e} gradient {record['gradient']:.1e}; PyTorch to float64 value "
              f"{record['own'][0]:.0e} gradient {record['own'][1]:.1e}", end="")
    if "layouts" in record:
        print(f", its layouts {record['layouts']:.1e}", end="")
    if "same bits" in record:
        print(f"; batch 8 to 1 {record['batch 8 to 1']:.0e}", "" if record["same bits"] else "BITS DIFFER", end="")
    print(f"; {record['seconds']:.0f} s CPU", flush=True)


def cpu():
    return sum(os.times()[:4])


def run(program, name):
    """Both variants; one where they are the same."""
    main, all_passed = name in seeded.MAIN, True
    for variant in ("plain", "smooth"):
        record, start, passed = {}, cpu(), False
        try:
            run_case(record, program, name, variant, main)
            passed = judge(record, variant, main)
        except NotExported as problem:
            record["problem"], passed = f"not exported: {problem}", not main
        except RuntimeError as problem:
            record["problem"] = str(problem)[:300]
        record["seconds"] = cpu() - start
        show(name, variant, record, passed)
        all_passed = all_passed and passed
        if not main and not record.get("kinks", True):
            break
    return all_passed


def conditioning(name, seeds):
    """PyTorch's gradients to its own float64, per seed: two layouts, eight copies with weights moved by last digits.
    Goes on to the next seed at the first beyond half of what `plain` may be apart; a seed with ten is good."""
    side = seeded.CHOICES[name][0]
    for seed in range(seeds):
        net, x = seeded.build(name, side, seed), seeded.pictures(5, side, seed)
        exact = seeded.answers(copy.deepcopy(net).double(), x.double())
        runs = itertools.chain((seeded.answers(net, x), seeded.in_channels_last(net, x)),
                               (seeded.answers(seeded.moved(net, k), x) for k in range(8)))
        print(f"{name:19}{side:4} seed {seed}:", end="")
        for answers in runs:
            far = apart(answers, exact)[1]
            print(f" {far:.1e}", end="", flush=True)
            if far > LIMITS["plain"][0] / 2:
                break
        else:
            print(" good", flush=True)
            return
        print(flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--list", choices=LISTS, default="MAIN")
    parser.add_argument("--names", action="store_true", help="print the names of the list and stop")
    parser.add_argument("--conditioning", type=int, metavar="SEEDS")
    parser.add_argument("models", nargs="*")
    given = parser.parse_args()
    names = given.models or list(LISTS[given.list])
    if given.names:
        print(*names)
        return 0
    torch.set_num_threads(1)
    if given.conditioning:
        for name in names:
            conditioning(name, given.conditioning)
        return 0
    program = os.path.join(given.build, "gig")
    return 0 if all([run(program, name) for name in names]) else 1


if __name__ == "__main__":
    sys.exit(main())
