# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/path_spectral.h: points, singular values and attributions of spectral paths, by NumPy and SciPy.

The function that is integrated is F(x) = sum sin(3 x_i) x_(i+1), indices modulo the number of values. Run from the source
root with an interpreter that has numpy and scipy.
"""
import arrays
import numpy as np
import scipy
from scipy.fft import dctn, idctn

OVERLAP = 0.4
ALPHAS = [0.13, 0.37, 0.6, 0.81]
STEPS = 40
SHAPES = {"tall": (9, 6, 3), "wide": (5, 8, 2)}


def picture(shape, seed):
    generator = np.random.Generator(np.random.PCG64(seed))
    return generator.random(shape).astype(np.float32)


def phi(alpha, strength):
    return np.clip((alpha - (1 - OVERLAP) * (1 - strength)) / OVERLAP, 0, 1)


def slope(alpha, strength):
    t = (alpha - (1 - OVERLAP) * (1 - strength)) / OVERLAP
    return np.where((t >= 0) & (t < 1), 1 / OVERLAP, 0)


def by_singular_vectors(d, weight):
    out = np.empty_like(d)
    for c in range(d.shape[2]):
        u, s, vt = np.linalg.svd(d[:, :, c], full_matrices=False)
        out[:, :, c] = (u * (s * weight(s / s[0]))) @ vt
    return out


def by_cosines(d, weight):
    h, w, channels = d.shape
    k, l = np.mgrid[0:h, 0:w]
    r = np.sqrt((k / (h - 1)) ** 2 + (l / (w - 1)) ** 2)
    strength = 1 - r / r.max()
    out = np.empty_like(d)
    for c in range(channels):
        out[:, :, c] = idctn(dctn(d[:, :, c], norm="ortho") * weight(strength), norm="ortho")
    return out


def gradient(x):
    flat = x.reshape(-1)
    after, before = np.roll(flat, -1), np.roll(flat, 1)
    return (3 * np.cos(3 * flat) * after + np.sin(3 * before)).reshape(x.shape)


def main():
    text = "/* SPDX-License-Identifier: Apache-2.0 */\n"
    text += f"/* By tools/golden/path_spectral.py: numpy {np.__version__}, scipy {scipy.__version__}. */\n"
    number = lambda v: f"{v:.9g}"
    for name, shape in SHAPES.items():
        start, end = (picture(shape, seed).astype(float) for seed in (1, 2))
        start, end = start.astype(np.float32), end.astype(np.float32)
        d = end.astype(float) - start
        text += arrays.define("float", f"{name}_start", start.reshape(-1), lambda v: f"{v:.9g}f" if "." in f"{v:.9g}" else f"{v:.9g}.0f")
        text += arrays.define("float", f"{name}_end", end.reshape(-1), lambda v: f"{v:.9g}f" if "." in f"{v:.9g}" else f"{v:.9g}.0f")
        values = np.concatenate([np.linalg.svd(d[:, :, c], compute_uv=False) for c in range(shape[2])])
        text += arrays.define("double", f"{name}_values", values, lambda v: f"{v:.15g}")
        for basis, make in (("svd", by_singular_vectors), ("dct", by_cosines)):
            points = np.concatenate([(start + make(d, lambda s: phi(a, s))).reshape(-1) for a in ALPHAS])
            tangents = np.concatenate([make(d, lambda s: slope(a, s)).reshape(-1) for a in ALPHAS])
            total = np.zeros(shape)
            for k in range(STEPS):
                a = (k + 0.5) / STEPS
                total += make(d, lambda s: slope(a, s)) * gradient(start + make(d, lambda s: phi(a, s))) / STEPS
            text += arrays.define("double", f"{name}_{basis}_points", points, number)
            text += arrays.define("double", f"{name}_{basis}_tangents", tangents, number)
            text += arrays.define("double", f"{name}_{basis}_sums", total.reshape(-1), number)
    with open("tests/golden/path_spectral.h", "w") as file:
        file.write(text)


if __name__ == "__main__":
    main()
