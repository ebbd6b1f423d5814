# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/score_mufidelity.h: mu-fidelity of a toy map, by NumPy and SciPy.

The toy model is a logistic function of a weighted sum of sines. Run from the source root with an interpreter that has
numpy and scipy.
"""
import arrays
import numpy as np
import philox
import scipy
from scipy.stats import spearmanr

HEIGHT, WIDTH, CHANNELS = 20, 13, 3
SHAPE = (HEIGHT, WIDTH, CHANNELS)
GRID, FIFTH = 9, 16
SEED, NUMBER = 2**40 + 5, 9
STREAM = 0xA7 << 56 ^ NUMBER


def model(x, weights):
    return 1 / (1 + np.exp(-(np.sin(2 * x) * weights).sum()))


def cells():
    """[HEIGHT, WIDTH]: the cell of each pixel. Cell j of an axis begins at the first pixel not below j / 9 of it."""
    rows = np.searchsorted(np.arange(1, GRID) * HEIGHT / GRID, np.arange(HEIGHT), side="right")
    columns = np.searchsorted(np.arange(1, GRID) * WIDTH / GRID, np.arange(WIDTH), side="right")
    return rows[:, None] * GRID + columns


def subset(k, seed):
    """A shuffle from the front, ended after 16 cells."""
    deck = list(range(GRID * GRID))
    for i in range(FIFTH):
        j = i + int(philox.uniform(seed, STREAM, FIFTH * k + i) * (len(deck) - i))
        deck[i], deck[j] = deck[j], deck[i]
    return deck[:FIFTH]


def fidelity(picture, baseline, attribution, weights, subsets, seed=SEED):
    where, sums, drops = cells(), [], []
    for k in range(subsets):
        removed = np.isin(where, subset(k, seed))
        sums.append(attribution.astype(float)[removed].sum())
        point = np.where(removed[:, :, None], baseline, picture).astype(float)
        drops.append(model(picture.astype(float), weights) - model(point, weights))
    return spearmanr(sums, drops).correlation


def main():
    generator = np.random.Generator(np.random.PCG64(31))
    picture, baseline = (generator.random(SHAPE).astype(np.float32) for _ in range(2))
    weights = (0.3 * generator.normal(size=SHAPE)).astype(np.float32)
    attribution = (weights * picture + 0.1 * generator.normal(size=SHAPE)).astype(np.float32)
    pixels = attribution.astype(float).sum(axis=2).astype(np.float32)
    black = np.zeros_like(picture)
    numbers = {
        "from_black": fidelity(picture, black, attribution, weights, 200),
        "from_point": fidelity(picture, baseline, attribution, weights, 200),
        "of_pixels": fidelity(picture, black, pixels, weights, 50),
        "other_seed": fidelity(picture, black, attribution, weights, 200, SEED + 1),
    }
    f32 = lambda v: f"{v:.9g}f" if "." in f"{v:.9g}" or "e" in f"{v:.9g}" else f"{v:.9g}.0f"
    text = "/* SPDX-License-Identifier: Apache-2.0 */\n"
    text += f"/* By tools/golden/score_mufidelity.py: numpy {np.__version__}, scipy {scipy.__version__}. */\n"
    text += f"enum {{ GOLDEN_HEIGHT = {HEIGHT}, GOLDEN_WIDTH = {WIDTH}, GOLDEN_NUMBER = {NUMBER} }};\n"
    text += f"#define GOLDEN_SEED {SEED}u\n"
    for name, values in (("picture", picture), ("baseline", baseline), ("weights", weights),
                         ("attribution", attribution), ("pixels", pixels)):
        text += arrays.define("float", f"golden_{name}", values.reshape(-1), f32)
    for name, value in numbers.items():
        text += f"static const double golden_{name} = {value:.15g};\n"
    with open("tests/golden/score_mufidelity.h", "w") as file:
        file.write(text)


if __name__ == "__main__":
    main()
