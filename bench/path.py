#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Guided IG of one picture: gig beside the published algorithm in NumPy with PyTorch's gradient, alternating in one run.

One thread each, CPU time per step, best of ROUNDS. gig walks all STEPS steps in a process of its own, whose
start-up (that of one gradient) is taken off. The peer walks all of them too, but calls PyTorch only at every tenth
step and otherwise uses the last gradient again; the time of these calls counts ten times. `outside` is the cost of
a step without the network: both then get the same kind of random gradients at no cost.
Usage: bench/path.py [BUILD_FOLDER] [ROUNDS] [STEPS]
"""
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers"))
from common import TorchGradient, arguments, cpu_seconds, model_input, model_path, pixels
from guided_ig import anchored
import numpy as np

CASES = [("MobileNetV2", 0), ("MobileNetV2", 20), ("ResNet-50", 20)]
PRECISIONS = ("f32", "split")
SAMPLE = 10  # of the peer's gradients one in so many is computed


def peer_seconds(gradient, x, steps, anchors):
    """CPU seconds of a step."""
    asked, last = 0, None

    def sampled(point):
        nonlocal asked, last
        if asked % SAMPLE == 0:
            last = gradient(point)
        asked += 1
        return last

    gradient.seconds = 0.0
    start = time.process_time()
    anchored(sampled, np.zeros(x.shape), x.astype(np.float64), steps, anchors)
    outside = time.process_time() - start - gradient.seconds
    return outside / steps + gradient.seconds / -(-steps // SAMPLE)


def gig_seconds(program, model, points, target, method, steps, precision):
    """CPU seconds of a step; None where the CPU lacks the precision."""
    common = [program, "explain", model, "--tensor", points, "--class", str(target), "--of", "softmax", "--threads", "1",
              "--precision", precision, "--json", "--quiet"]
    short, _ = cpu_seconds(common + ["--method", "gradients"])
    if short is None:
        return None
    long, answer = cpu_seconds(common + ["--method", method, "--steps", str(steps)])
    return (long - short) / (answer["results"][0]["evaluations"] - 1)


def drawn_gradient(shape):
    """Signed, of very different magnitudes, one of a few each time; costs nothing."""
    few = [(np.random.default_rng(i).random(shape, np.float32) - 0.5) ** 3 for i in range(8)]
    asked = [0]

    def gradient(_):
        asked[0] += 1
        return few[asked[0] % len(few)]
    return gradient


def outside_seconds(build, folder, steps, anchors):
    """CPU seconds of a step without a network: gig's, NumPy's."""
    picture = pixels(224)
    path = os.path.join(folder, "picture.npy")
    np.save(path, picture)
    _, own = cpu_seconds([os.path.join(build, "bench", "bench_method_overhead"), path, f"gig:{anchors}/steps={steps}"])
    point, gradient = picture.astype(np.float64), drawn_gradient(picture.shape)
    start = time.process_time()
    anchored(gradient, np.zeros(point.shape), point, steps, anchors)
    return 1e-3 * own["milliseconds"] / own["evaluations"], (time.process_time() - start) / steps


def whole(build, folder, title, anchors, rounds, steps):
    """Prints the lines of one model and method; gives gig's seconds a step in f32."""
    x = model_input(title, pixels(224))
    points = os.path.join(folder, "x.npy")
    np.save(points, x)
    gradient = TorchGradient(title, x)
    method = f"gig:{anchors}" if anchors else "gig"
    peer, own = float("inf"), dict.fromkeys(PRECISIONS, float("inf"))
    for _ in range(rounds):
        peer = min(peer, peer_seconds(gradient, x, steps, anchors))
        for precision in own:
            if own[precision] is not None:
                took = gig_seconds(os.path.join(build, "gig"), model_path(title), points, gradient.target, method, steps,
                                   precision)
                own[precision] = took if took is None else min(own[precision], took)
    for precision, took in own.items():
        if took is None:
            print(f"bench: {title} {method} {precision}: not on this CPU (needs AMX)")
        else:
            print(f"bench: {title} {method} {precision}: {peer / took:.2f}x NumPy+PyTorch "
                  f"({1e3 * took:.2f} ms a step, peer {1e3 * peer:.2f} ms)", flush=True)
    return own["f32"]


def main():
    build, rounds = arguments(3)
    steps = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    print(f"# {steps} steps, one thread each, CPU time of a step, best of {rounds} alternating rounds; the peer computes "
          f"one gradient in {SAMPLE}")
    with tempfile.TemporaryDirectory() as folder:
        a_step = {(title, anchors): whole(build, folder, title, anchors, rounds, steps) for title, anchors in CASES}
        for anchors in (0, 20):
            both = [outside_seconds(build, folder, steps, anchors) for _ in range(rounds)]
            own, peer = min(b[0] for b in both), min(b[1] for b in both)
            print(f"bench: gig:{anchors} outside the network: {peer / own:.1f}x NumPy ({1e3 * own:.2f} ms a step, NumPy "
                  f"{1e3 * peer:.2f} ms), {100 * own / a_step['MobileNetV2', anchors]:.1f} % of a MobileNetV2 step",
                  flush=True)


if __name__ == "__main__":
    main()
