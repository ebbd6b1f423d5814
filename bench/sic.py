#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""SIC of one map at 224 x 224 with 13 thresholds, without forward passes: gig beside SciPy and Pillow, in one run.

    bench/sic.py BUILD [PICTURES] [ROUNDS]

Pictures are taken from GIG_DATA (default ../shared/data); where it is absent, one is made. Each is scored with a map
of noise under a smooth hill, as attributions are. The peer does what PAIR's pic.py does: griddata once per channel and
threshold, WebP by Pillow, and the blurred and the whole picture anew for each map; gig makes those once per picture
("once"), and so they are not among the cost of a map. Times are CPU seconds on one thread, and elapsed seconds with as
many threads as cores, the best of ROUNDS in turns. Nearly all of gig's time is libwebp's, which both share.
"""
import io
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
from PIL import Image
from scipy.interpolate import griddata
from scipy.ndimage import gaussian_filter

SIDE = 224
CORES = len(os.sched_getaffinity(0))
THRESHOLDS = [0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.07, 0.10, 0.13, 0.21, 0.34, 0.5, 0.75]


def pictures(count):
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    folder = os.path.join(os.environ.get("GIG_DATA") or os.path.join(root, "..", "shared", "data"), "ilsvrc")
    if os.path.isdir(folder):
        for name in sorted(n for n in os.listdir(folder) if n.endswith(".jpg"))[:count]:
            with Image.open(os.path.join(folder, name)) as image:
                yield name, np.array(image.convert("RGB").resize((SIDE, SIDE), Image.BILINEAR))
    else:
        rng = np.random.default_rng(0)
        made = gaussian_filter(rng.random((SIDE, SIDE, 3)), (3, 3, 0)) * 8 - 3.5 + rng.normal(0, 0.02, (SIDE, SIDE, 3))
        yield "made", (np.clip(made, 0, 1) * 255).astype(np.uint8)


def fill(image, mask):
    mask = mask.copy()
    mask[[0, 0, -1, -1], [0, -1, 0, -1]] = True
    out = image.astype(np.float32)
    for channel in range(3):
        known, unknown = np.argwhere(mask), np.argwhere(~mask)
        out[~mask, channel] = griddata(known, image[mask][:, channel], unknown, method="linear")
    return np.round(out).astype(np.uint8)


def information(image):
    data = io.BytesIO()
    Image.fromarray(image).save(data, "webp", lossless=True, quality=100)
    return len(data.getvalue())


def peer(image, saliency, random):
    start, cpu = time.monotonic(), time.process_time()
    information(image)
    information(fill(image, random))
    sizes = []
    for threshold in THRESHOLDS:
        sizes.append(information(fill(image, (saliency >= np.quantile(saliency, 1 - threshold)) | random)))
    return time.process_time() - cpu, time.monotonic() - start, sizes


def ours(build, folder, image, saliency, threads):
    Image.fromarray(image).save(os.path.join(folder, "picture.png"))
    np.save(os.path.join(folder, "map.npy"), saliency)
    command = [os.path.join(build, "bench", "bench_sic"), "picture.png", "map.npy", str(threads)]
    words = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.split()
    return [float(w) for w in words[:4]], [int(w) for w in words[4:]]


def measure(build, image, saliency, random, rounds):
    """One row of the table, and how far the bytes of both are apart on average."""
    rows = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            single, sizes = ours(build, folder, image, saliency, 1)
            several, again = ours(build, folder, image, saliency, CORES)
        assert sizes == again
        peer_cpu, peer_elapsed, peer_sizes = peer(image, saliency, random)
        rows.append([single[0], single[2], several[3], peer_cpu, peer_elapsed, 1])
    return np.min(rows, axis=0), np.mean(np.abs(np.array(sizes) / np.array(peer_sizes) - 1))


def main():
    build = os.path.abspath(sys.argv[1])
    rng = np.random.default_rng(1)
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    sums = np.zeros(6)
    print(f"{'picture':28} {'once':>6} {'a map: cpu':>10} {'elapsed':>8} {'peer: cpu':>10} {'elapsed':>8} {'cpu x':>6} "
          f"{'elapsed x':>9}  bytes")
    for name, image in pictures(int(sys.argv[2]) if len(sys.argv) > 2 else 3):
        saliency = np.abs(rng.normal(size=(SIDE, SIDE))) * gaussian_filter(rng.random((SIDE, SIDE)), 10)
        saliency = saliency.astype(np.float32)
        random = np.zeros(SIDE * SIDE, bool)
        random[rng.choice(SIDE * SIDE, SIDE * SIDE // 100, replace=False)] = True
        row, gap = measure(build, image, saliency, random.reshape(SIDE, SIDE), rounds)
        show(name, row, f"within {100 * gap:.1f} %")
        sums += row
    show("mean", sums / sums[-1], f"on {CORES} cores, best of {rounds} rounds")


def show(name, row, remark):
    print(f"{name:28} {row[0]:6.2f} {row[1]:10.2f} {row[2]:8.2f} {row[3]:10.2f} {row[4]:8.2f} {row[3] / row[1]:6.1f} "
          f"{row[4] / row[2]:9.1f}  {remark}")


main()
