# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/path_nodes.h: attributions by placed, cut and drawn nodes on the straight line, by NumPy.

The function is that of tests/closed_form.h with six features. Run from the source root with an interpreter that has numpy.
"""
import arrays
import numpy as np
import philox

START = np.float32([0.1, 0.2, -0.3, 0, 0.5, 0.4]).astype(float)
END = np.float32([1.2, -0.7, 0.9, 2, -1.5, 0.4]).astype(float)
OTHER_START = np.float32([-0.5, 0.9, 0.25, 1, 0.125, -2]).astype(float)
FIRST_STREAM = 2**34  # of the first baseline; the next one has the next stream


def value(x):
    return np.sin(x[0]) + x[1] ** 2 + x[0] * x[2] + np.exp(0.3 * x[3]) * x[4] - 0.5 * x[5]


def gradient(x):
    e = np.exp(0.3 * x[3])
    return np.array([np.cos(x[0]) + x[2], 2 * x[1], x[0], 0.3 * e * x[4], e, -0.5])


def at(alpha):
    return START + alpha * (END - START)


def cells(n, power):
    pieces = (n + 7) // 8
    values = np.array([value(at(a)) for a in np.linspace(0, 1, pieces + 1)])
    change = np.abs(np.diff(values)) ** power
    density = 0.9 * change / change.sum() + 0.1 / pieces
    return np.interp(np.linspace(0, 1, n + 1), np.concatenate([[0], np.cumsum(density)]), np.linspace(0, 1, pieces + 1))


def adaptive(n):
    ends = cells(n, 0.5)
    middles = (ends[1:] + ends[:-1]) / 2
    return (END - START) * sum(w * gradient(at(a)) for a, w in zip(middles, np.diff(ends)))


def idg(n):
    ends = cells(n, 1)
    values = [value(at(a)) for a in ends]
    return (END - START) * sum(gradient(at(ends[k])) * (values[k] - values[k - 1]) for k in range(1, n + 1))


def until(n, share, upwards):
    """upwards: of -F, which rises on this line."""
    sign = -1 if upwards else 1
    alphas = (np.arange(n) + 0.5) / n
    values = [sign * value(at(a)) for a in alphas]
    largest = max(values + [sign * value(at(1))])
    kept = next((k for k in range(n) if values[k] > share * largest), n)
    return (END - START) * sum(sign * gradient(at(alphas[k])) / n for k in range(max(kept, 1))), max(kept, 1)


def drawn(start, n, seed, stream):
    """The gradient at n uniformly drawn points between start and END: their mean, times END - start."""
    alphas = [philox.uniform(seed, stream, k) for k in range(n)]
    return (END - start) * np.mean([gradient(start + a * (END - start)) for a in alphas], axis=0)


def expected_gradients(n, seed):
    return np.mean([drawn(start, n, seed, FIRST_STREAM + i) for i, start in enumerate((START, OTHER_START))], axis=0)


def main():
    text = "/* SPDX-License-Identifier: Apache-2.0 */\n"
    text += f"/* By tools/golden/path_nodes.py: numpy {np.__version__}. */\n"
    form = lambda v: f"{v:.12g}"
    for n in (20, 64):
        text += arrays.define("double", f"golden_adaptive_{n}", adaptive(n), form)
        text += arrays.define("double", f"golden_idg_{n}", idg(n), form)
    for share in (50, 90):
        sums, kept = until(40, share / 100, True)
        text += arrays.define("double", f"golden_until_{share}", sums, form)
        text += f"enum {{ GOLDEN_KEPT_{share} = {kept} }};\n"
    text += arrays.define("float", "golden_other_start", OTHER_START, lambda v: f"{v!r}f")
    text += arrays.define("double", "golden_drawn", drawn(START, 30, 3, 8), form)
    text += arrays.define("double", "golden_expected_gradients", expected_gradients(25, 2**33 + 6), form)
    with open("tests/golden/path_nodes.h", "w") as file:
        file.write(text)


if __name__ == "__main__":
    main()
