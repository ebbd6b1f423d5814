#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The share of Blur IG's time that is blurring: the same walk without a network beside the whole, alternating.

One thread, CPU time, best of ROUNDS. Usage: bench/blur.py [BUILD_FOLDER] [ROUNDS] [STEPS]
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers"))
from common import arguments, cpu_seconds, model_path, pixels
import numpy as np


def main():
    build, rounds = arguments(3)
    steps = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    method = f"blur-ig/steps={steps}"
    print(f"# {steps} steps, one thread, CPU time, best of {rounds} alternating rounds")
    with tempfile.TemporaryDirectory() as folder:
        picture, batch = os.path.join(folder, "picture.npy"), os.path.join(folder, "pixels.npy")
        np.save(picture, pixels(224))
        np.save(batch, pixels(224)[None])
        for title in ("MobileNetV2", "ResNet-50"):
            blurs = total = float("inf")
            common = [os.path.join(build, "gig"), "explain", model_path(title), "--pixels", batch, "--class", "65",
                      "--threads", "1", "--json", "--quiet"]
            for _ in range(rounds):
                _, alone = cpu_seconds([os.path.join(build, "bench", "bench_method_overhead"), picture, method])
                blurs = min(blurs, 1e-3 * alone["milliseconds"])
                short, _ = cpu_seconds(common + ["--method", "gradients"])
                total = min(total, cpu_seconds(common + ["--method", method])[0] - short)
            print(f"bench: {title} blur-ig f32: {100 * blurs / total:.1f} % of the time outside the network "
                  f"({1e3 * blurs / steps:.2f} of {1e3 * total / steps:.2f} ms a step)", flush=True)


if __name__ == "__main__":
    main()
