# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/score_pic.h: information curves of toy pictures, computed with NumPy and SciPy.

The toy model's prediction is a logistic function of the brightness of a disc, its toy information the sum of absolute
differences of neighbours in a row. The random mask is empty (its fraction rounds to no pixel), so that nothing depends
on a generator. Run from the source root with an interpreter that has numpy and scipy.
"""
import arrays
import numpy as np
import scipy
from scipy.interpolate import griddata

SIDE = 24
THRESHOLDS = [0.02, 0.05, 0.1, 0.2, 0.4, 0.7]
INTERVALS = 200


def fill(image, mask):
    mask = mask.copy()
    mask[[0, 0, -1, -1], [0, -1, 0, -1]] = True
    if mask.all():
        return image
    out = image.copy()
    for channel in range(3):
        values = griddata(np.argwhere(mask), image[mask][:, channel].astype(float), np.argwhere(~mask), method="linear")
        out[~mask, channel] = np.rint(values).astype(np.uint8)
    return out


def information(image):
    return int(np.abs(np.diff(image.astype(int), axis=1)).sum())


def prediction(image):
    y, x = np.mgrid[0:SIDE, 0:SIDE]
    disc = (x - 12) ** 2 + (y - 12) ** 2 < 40
    return 1 / (1 + np.exp(-12 * (image[disc].mean() / 255 - 0.55)))


def score(image, saliency, monotone):
    e1, p1 = information(image), prediction(image)
    blurred = fill(image, np.zeros((SIDE, SIDE), bool))
    e0, p0 = information(blurred), prediction(blurred)
    xs, ys, raw = [], [], []
    for threshold in THRESHOLDS:
        revealed = fill(image, saliency >= np.quantile(saliency, 1 - threshold))
        raw.append((information(revealed), prediction(revealed)))
        xs.append(np.clip((raw[-1][0] - e0) / (e1 - e0), 0, 1))
        ys.append(np.clip((raw[-1][1] - p0) / (p1 - p0), 0, 1))
        if monotone:
            ys[-1] = max(ys)
    xs, ys = np.array(xs + [0.0, 1.0]), np.array(ys + [0.0, 1.0])
    order = np.argsort(xs, kind="stable")
    grid = np.arange(INTERVALS) / INTERVALS
    curve = np.append(np.interp(grid, xs[order], ys[order]), 1.0)
    return raw, np.trapz(curve, np.append(grid, 1.0)), (e0, e1, p0, p1)


def main():
    rng = np.random.default_rng(11)
    y, x = np.mgrid[0:SIDE, 0:SIDE]
    lit = np.exp(-((x - 12) ** 2 + (y - 12) ** 2) / 100)[..., None]
    grain = rng.integers(-8, 9, (SIDE, SIDE, 3))
    image = ((np.array([60, 70, 30]) + lit * np.array([180, 140, 190])).astype(int) + grain).astype(np.uint8)
    near = np.exp(-((x - 12) ** 2 + (y - 12) ** 2) / 60)
    maps = [near + 0.1 * rng.random((SIDE, SIDE)), rng.random((SIDE, SIDE)), np.floor(near * 5)]
    maps = [m.astype(np.float32) for m in maps]
    raws, areas, plain = [], [], []
    for saliency in maps:
        raw, area, ends = score(image, saliency.astype(np.float64), True)
        raws += [value for pair in raw for value in pair]
        areas.append(area)
        plain.append(score(image, saliency.astype(np.float64), False)[1])
    real = lambda v: float(v).hex()
    single = lambda v: f"{v:.8e}f" if v else "0"
    with open("tests/golden/score_pic.h", "w", encoding="ascii") as out:
        out.write(f"/* SPDX-License-Identifier: Apache-2.0 */\n/* Made by tools/golden/score_pic.py: numpy {np.__version__}, scipy {scipy.__version__}. */\n")
        out.write(f"enum {{ PIC_SIDE = {SIDE}, PIC_MAPS = {len(maps)}, PIC_THRESHOLDS = {len(THRESHOLDS)}, "
                  f"PIC_INTERVALS = {INTERVALS} }};\n")
        out.write(arrays.define("double", "pic_thresholds", THRESHOLDS, repr))
        out.write(arrays.define("uint8_t", "pic_image", image.ravel(), str))
        out.write(arrays.define("float", "pic_maps", np.concatenate([m.ravel() for m in maps]), single))
        out.write("/* Information and prediction: of the blurred picture, of the whole. */\n")
        out.write(arrays.define("double", "pic_ends", [ends[0], ends[2], ends[1], ends[3]], real))
        out.write("/* [maps, thresholds, 2]: information, prediction */\n")
        out.write(arrays.define("double", "pic_raw", raws, real))
        out.write(arrays.define("double", "pic_areas", areas, real))
        out.write(arrays.define("double", "pic_areas_as_measured", plain, real))


main()
