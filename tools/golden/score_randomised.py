# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/score_randomised.h: rank correlations and entropies of maps, by SciPy and NumPy.

Run from the source root with an interpreter that has numpy and scipy.
"""
import arrays
import numpy as np
import scipy
from scipy.stats import entropy, spearmanr

PIXELS, CUTS = 12 * 10, 6


def histogram_entropy(values):
    return entropy(np.histogram(values, bins=100)[0] / len(values))


def main():
    generator = np.random.Generator(np.random.PCG64(5))
    own = np.abs(generator.normal(size=PIXELS)).astype(np.float32)
    others = [np.abs(own * (1 - k / CUTS) + generator.normal(size=PIXELS)).astype(np.float32) for k in range(1, CUTS + 1)]
    found = [spearmanr(own, other).correlation for other in others]
    rise = (histogram_entropy(others[0]) - histogram_entropy(own)) / histogram_entropy(own)
    text = "/* SPDX-License-Identifier: Apache-2.0 */\n"
    text += f"/* By tools/golden/score_randomised.py: numpy {np.__version__}, scipy {scipy.__version__}. */\n"
    text += arrays.define("float", "own_map", own, lambda v: f"{v:.9g}f")
    text += arrays.define("float", "other_maps", np.concatenate(others), lambda v: f"{v:.9g}f")
    text += f"static const double mean_of_six = {np.mean(found):.15g}, mean_of_two = {np.mean(found[:2]):.15g}, rise = {rise:.15g};\n"
    with open("tests/golden/score_randomised.h", "w") as file:
        file.write(text)


if __name__ == "__main__":
    main()
