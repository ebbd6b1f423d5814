#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""XRAI's segments and ranking (full) of a 224 x 224 picture: gig beside scikit-image and NumPy, alternating in one run.

One thread each, CPU time, best of ROUNDS. Usage: bench/xrai.py [BUILD_FOLDER] [ROUNDS] [PICTURES]
"""
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers"))
from common import ROOT, arguments, cpu_seconds, pixels
import numpy as np
sys.path.insert(0, os.path.join(ROOT, "tools", "golden"))
from skimage_xrai import full, masks_of


def peer_seconds(picture, attributions):
    start = time.process_time()
    masks = masks_of(picture)
    full(attributions.max(axis=2), masks)
    return time.process_time() - start, len(masks)


def main():
    build, rounds = arguments(1)
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 2
    print(f"# one thread each, CPU time of a picture, best of {rounds} alternating rounds")
    with tempfile.TemporaryDirectory() as folder:
        for number in range(1, count + 1):
            picture, path = pixels(224, number), os.path.join(folder, "picture.npy")
            np.save(path, picture)
            attributions = (np.random.default_rng(number).random(picture.shape) - 0.5) ** 3
            own = peer = float("inf")
            for _ in range(rounds):
                took, masks = peer_seconds(picture, attributions)
                peer = min(peer, took)
                _, answer = cpu_seconds([os.path.join(build, "bench", "bench_method_overhead"), path, "xrai+gradients"])
                own = min(own, 1e-3 * answer["milliseconds"])
            print(f"bench: xrai full 224x224: {peer / own:.1f}x scikit-image+NumPy ({1e3 * own:.0f} ms, peer "
                  f"{1e3 * peer:.0f} ms; picture {number}, {masks} regions)", flush=True)


if __name__ == "__main__":
    main()
