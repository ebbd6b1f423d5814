# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/score_draws.h: how maps and means of maps agree, and how far their ROC areas spread, by SciPy and NumPy.

Run from the source root with an interpreter that has numpy and scipy.
"""
import itertools

import arrays
import numpy as np
import scipy
from scipy.stats import mannwhitneyu, spearmanr

HEIGHT, WIDTH, DRAWS = 8, 7, 6


def means(maps, each):
    """Of neighbours; what is left over is left out."""
    kept = maps[:len(maps) // each * each].astype(np.float64)
    return kept.reshape(-1, each, *maps.shape[1:]).mean(axis=1)


def over_pairs(maps, correlate):
    return np.mean([correlate(a.ravel(), b.ravel()) for a, b in itertools.combinations(maps, 2)])


def area(found, mask):
    return mannwhitneyu(found[mask == 1], found[mask == 0]).statistic / ((mask == 1).sum() * (mask == 0).sum())


def main():
    generator = np.random.Generator(np.random.PCG64(11))
    mask = np.zeros((HEIGHT, WIDTH), np.uint8)
    mask[2:6, 1:5] = 1
    signal = generator.normal(size=(HEIGHT, WIDTH, 3)) + mask[..., None]
    maps = (signal + generator.normal(size=(DRAWS, HEIGHT, WIDTH, 3))).astype(np.float32)
    rows = []
    for each in (1, 2, 3):
        of = means(maps, each)
        for kind, change, correlate in (("signed", lambda v: v, lambda a, b: np.corrcoef(a, b)[0, 1]),
                                        ("magnitude", np.abs, lambda a, b: np.corrcoef(a, b)[0, 1]),
                                        ("rank", lambda v: v, lambda a, b: spearmanr(a, b).statistic)):
            rows.append((f"agreement/draws={DRAWS}/mean={each}/of={kind}", over_pairs(change(of), correlate)))
        for kind, reduce in (("abs-sum", lambda m: np.abs(m.sum(axis=-1))), ("max", lambda m: m.max(axis=-1))):
            areas = [area(reduce(m), mask) for m in of]
            rows.append((f"spread/draws={DRAWS}/mean={each}/reduction={kind}", np.std(areas, ddof=1)))
    rows.append(("agreement/draws=5/mean=2", over_pairs(means(maps[:5], 2), lambda a, b: np.corrcoef(a, b)[0, 1])))
    text = "/* SPDX-License-Identifier: Apache-2.0 */\n"
    text += f"/* By tools/golden/score_draws.py: numpy {np.__version__}, scipy {scipy.__version__}. */\n"
    text += arrays.define("float", "draw_maps", maps.ravel(), lambda v: f"{v:.9g}f")
    text += arrays.define("uint8_t", "draw_mask", mask.ravel(), str)
    text += "static const struct {\n    const char *name;\n    double value;\n} draw_scores[] = {\n"
    text += "".join(f'    {{"{name}", {value:.15g}}},\n' for name, value in rows) + "};\n"
    with open("tests/golden/score_draws.h", "w") as file:
        file.write(text)


if __name__ == "__main__":
    main()
