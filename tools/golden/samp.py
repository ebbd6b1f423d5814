# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/samp.h: maps by SAMP of a small picture, in float64, by NumPy and SciPy.

The function that is explained is F(x) = sum sin(3 x_i) x_(i+1), indices modulo the number of values. Written from the paper's
text (Li and others, ICLR 2024), with a given number of steps. Run from the source root with an interpreter that has numpy and scipy.
"""
import arrays
import numpy as np
import scipy
from scipy.ndimage import gaussian_filter

SHAPE, SIGMA = (6, 5, 3), 1.5
MOVES = (1, 4, 30)


def gradient(x):
    flat = x.ravel()
    return (3 * np.cos(3 * flat) * np.roll(flat, -1) + np.sin(3 * np.roll(flat, 1))).reshape(x.shape)


def walk(start, end, steps, sign):
    """sign 1: pixels that raise F most first; -1: that lower it most."""
    at, total = start.copy(), np.zeros(start.shape[:2])
    done = np.all(start == end, axis=2)
    for step in range(steps):
        g = gradient(at)
        gain = sign * np.sum(g * (end - at), axis=2)
        open_pixels = [p for p in np.argsort(-gain, axis=None, kind="stable") if not done.flat[p]]
        count = len(open_pixels) if step + 1 == steps else -(-len(open_pixels) // (steps - step))
        moved = np.zeros(done.shape, bool)
        moved.flat[open_pixels[:count]] = True
        after = np.where(moved[:, :, None], end, at)
        total += np.sum(g * (after - at), axis=2)
        at, done = after, done | moved
    return total


def main():
    x = np.random.Generator(np.random.PCG64(23)).random(SHAPE).astype(np.float32)
    blurred = np.stack([gaussian_filter(x[:, :, c].astype(np.float64), SIGMA, mode="constant") for c in range(3)], axis=2)
    blurred = blurred.astype(np.float32).astype(np.float64)
    picture = x.astype(np.float64)
    text = "/* SPDX-License-Identifier: Apache-2.0 */\n"
    text += f"/* By tools/golden/samp.py: numpy {np.__version__}, scipy {scipy.__version__}. */\n"
    text += arrays.define("float", "samp_picture", x.reshape(-1), lambda v: f"{v:.9g}f")
    for moves in MOVES:
        found = walk(blurred, picture, moves, 1) - walk(picture, 0 * picture, moves, -1)
        text += arrays.define("double", f"samp_map_{moves}", found.reshape(-1), lambda v: f"{v:.15g}")
    with open("tests/golden/samp.h", "w") as file:
        file.write(text)


if __name__ == "__main__":
    main()
