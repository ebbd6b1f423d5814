# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/score_fill.npz: pictures whose unknown pixels SciPy filled.

Arrays: picture [64,80,3] and, for each mask i, mask_i [64,80] and filled_i [64,80,3], all bytes. The picture is
made here: a lit sphere before a horizon with stripes and grain, so that it has flat parts, edges and texture.
Run from the source root with an interpreter that has numpy and scipy.
"""
import numpy as np
from scipy.interpolate import griddata

HEIGHT, WIDTH = 64, 80


def picture(rng):
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(float)
    sky = np.stack([90 + 60 * y / HEIGHT, 130 + 50 * y / HEIGHT, 200 - 20 * y / HEIGHT], 2)
    ground = np.stack([110 + 40 * np.sin(x / 5), 90 + 30 * np.sin(x / 5 + y / 9), 60 + 0 * x], 2)
    out = np.where((y > 40 + 4 * np.sin(x / 17))[..., None], ground, sky)
    u, v = (x - 45) / 20, (y - 30) / 20
    inside = u * u + v * v < 1
    light = np.clip(0.3 + 0.7 * (np.sqrt(np.clip(1 - u * u - v * v, 0, 1)) - 0.4 * u - 0.4 * v), 0, 1)
    ball = light[..., None] * np.array([230.0, 70.0, 50.0])
    out = np.where(inside[..., None], ball, out)
    return np.clip(np.rint(out + rng.normal(0, 4, out.shape)), 0, 255).astype(np.uint8)


def fill(image, mask):
    mask = mask.copy()
    mask[[0, 0, -1, -1], [0, -1, 0, -1]] = True
    known, unknown = np.argwhere(mask), np.argwhere(~mask)
    out = image.copy()
    for channel in range(image.shape[2]):
        values = griddata(known, image[mask][:, channel].astype(float), unknown, method="linear")
        out[~mask, channel] = np.rint(values).astype(np.uint8)
    return out


def main():
    rng = np.random.default_rng(5)
    image = picture(rng)
    arrays = {"picture": image}
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    noise = rng.random((HEIGHT, WIDTH))
    masks = [noise < 0.01, noise < 0.05, noise < 0.2, noise < 0.5,
             (noise < 0.01) | ((x - 70) ** 2 + (y - 45) ** 2 < 600), np.zeros((HEIGHT, WIDTH), bool)]
    for index, mask in enumerate(masks):
        arrays[f"mask_{index}"] = mask.astype(np.uint8)
        arrays[f"filled_{index}"] = fill(image, mask)
    np.savez_compressed("tests/golden/score_fill.npz", **arrays)


main()
