# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/score_roc.h: ROC areas and curves from scikit-learn, Gini indices from their definition.

Run from the source root with an interpreter that has numpy and scikit-learn.
"""
import arrays
import numpy as np
import sklearn
from sklearn.metrics import roc_auc_score, roc_curve

PIXELS = 120


def gini(values):
    """Mean absolute difference over twice the mean: the definition, not the rank formula."""
    values = np.abs(values.astype(np.float64))
    return np.abs(values[:, None] - values[None, :]).mean() / (2 * values.mean())


def main():
    rng = np.random.default_rng(20210611)
    maps = [
        rng.normal(size=PIXELS),
        rng.integers(0, 5, PIXELS) - 2.0,
        np.where(rng.random(PIXELS) < 0.6, 0.0, rng.random(PIXELS)),
        np.repeat(rng.normal(size=PIXELS // 10), 10),
        np.full(PIXELS, 0.25),
        rng.random(PIXELS) * 1e-30,
    ]
    maps = [m.astype(np.float32) for m in maps]
    masks, areas, ginis, curves, ends = [], [], [], [], [0]
    for index, values in enumerate(maps):
        mask = (rng.random(PIXELS) < 0.3).astype(np.uint8)
        if index % 2:
            mask[rng.random(PIXELS) < 0.2] = 2
        sure = mask < 2
        masks.append(mask)
        areas.append(roc_auc_score(mask[sure], values[sure]))
        ginis.append(gini(values))
        x, y, _ = roc_curve(mask[sure], values[sure], drop_intermediate=False)
        curves.append(np.stack([x, y], 1))
        ends.append(ends[-1] + len(x))
    points = np.concatenate(curves)
    real = lambda v: float(v).hex()
    single = lambda v: f"{v:.8e}f" if v else "0"
    with open("tests/golden/score_roc.h", "w", encoding="ascii") as out:
        out.write(f"/* SPDX-License-Identifier: Apache-2.0 */\n/* Made by tools/golden/score_roc.py: numpy {np.__version__}, scikit-learn {sklearn.__version__}. */\n")
        out.write(f"enum {{ ROC_CASES = {len(maps)}, ROC_PIXELS = {PIXELS} }};\n")
        out.write(arrays.define("float", "roc_maps", np.concatenate(maps), single))
        out.write(arrays.define("uint8_t", "roc_masks", np.concatenate(masks), str))
        out.write(arrays.define("double", "roc_areas", areas, real))
        out.write(arrays.define("double", "roc_ginis", ginis, real))
        out.write("/* Every point of every curve: case i has points roc_ends[i] to roc_ends[i + 1] - 1. */\n")
        out.write(arrays.define("size_t", "roc_ends", ends, str))
        out.write(arrays.define("double", "roc_x", points[:, 0], real))
        out.write(arrays.define("double", "roc_y", points[:, 1], real))


main()
