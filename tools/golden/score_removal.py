# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/score_removal.h: diffid, ROAD's imputing, mass, rank, correlations and SSIM of toy maps.

By NumPy, SciPy (a sparse direct solver for the imputing) and scikit-image. The toy model is a logistic function of a
weighted sum of sines. Run from the source root with an interpreter that has numpy, scipy and skimage.
"""
import arrays
import numpy as np
import scipy
import skimage
from scipy.sparse import lil_matrix
from scipy.sparse.linalg import spsolve
from scipy.stats import spearmanr
from skimage.metrics import structural_similarity

HEIGHT, WIDTH, CHANNELS = 12, 10, 3
SHAPE = (HEIGHT, WIDTH, CHANNELS)


def model(x, weights):
    return 1 / (1 + np.exp(-(np.sin(2 * x) * weights).sum()))


def diffid(picture, attribution, weights):
    flat = picture.astype(np.float32).reshape(-1)
    n = flat.size
    order = np.argsort(np.abs(attribution).reshape(-1), kind="stable")
    total = 0
    for tenth in range(1, 10):
        replaced = int(np.floor(n * tenth / 10 + 0.5))
        values = []
        for chosen in (order[:replaced], order[n - replaced:]):
            kept = np.ones(n, bool)
            kept[chosen] = False
            point = flat.astype(float)
            point[~kept] = np.float32(point[kept].mean())
            values.append(model(point.reshape(SHAPE), weights))
        total += (values[0] - values[1]) / 9
    return total


def impute(picture, missing):
    numbers = -np.ones((HEIGHT, WIDTH), int)
    numbers[missing] = np.arange(missing.sum())
    out = picture.astype(float)
    matrix = lil_matrix((missing.sum(), missing.sum()))
    right = np.zeros((missing.sum(), CHANNELS))
    for y, x in np.argwhere(missing):
        i = numbers[y, x]
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                v, u = y + dy, x + dx
                if (dy, dx) == (0, 0) or not (0 <= v < HEIGHT and 0 <= u < WIDTH):
                    continue
                weight = 1 / 12 if dy and dx else 1 / 6
                matrix[i, i] += weight
                if numbers[v, u] >= 0:
                    matrix[i, numbers[v, u]] -= weight
                else:
                    right[i] += weight * out[v, u]
    solved = spsolve(matrix.tocsr(), right)
    out[missing] = solved
    return out


def main():
    generator = np.random.Generator(np.random.PCG64(23))
    picture = generator.random(SHAPE).astype(np.float32)
    weights = generator.normal(size=SHAPE).astype(np.float32)
    attribution = (weights * picture + 0.3 * generator.normal(size=SHAPE)).astype(np.float32)
    other = (attribution + 0.8 * generator.normal(size=SHAPE)).astype(np.float32)
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    mask = ((x - 5) ** 2 + (y - 6) ** 2 < 11).astype(int)
    mask[0, :3] = 2
    reduced = np.abs(attribution.astype(float).sum(axis=2)).astype(np.float32)
    second = np.abs(other.astype(float).sum(axis=2)).astype(np.float32)
    order = np.argsort(-reduced.reshape(-1), kind="stable")
    sure, inside = mask != 2, mask == 1
    largest = [p for p in order if sure.reshape(-1)[p]][: inside.sum()]
    f32 = lambda v: f"{v:.9g}f" if "." in f"{v:.9g}" or "e" in f"{v:.9g}" else f"{v:.9g}.0f"
    f64 = lambda v: f"{v:.15g}"
    text = "/* SPDX-License-Identifier: Apache-2.0 */\n"
    text += f"/* By tools/golden/score_removal.py: numpy {np.__version__}, scipy {scipy.__version__}, "
    text += f"scikit-image {skimage.__version__}. */\n"
    text += f"enum {{ GOLDEN_HEIGHT = {HEIGHT}, GOLDEN_WIDTH = {WIDTH}, GOLDEN_CHANNELS = {CHANNELS} }};\n"
    for name, values in (("picture", picture), ("weights", weights), ("attribution", attribution), ("other", other),
                         ("reduced", reduced), ("second", second)):
        text += arrays.define("float", f"golden_{name}", values.reshape(-1), f32)
    text += arrays.define("uint8_t", "golden_mask", mask.reshape(-1), str)
    for share, name in ((0.3, "some"), (0.95, "most")):
        count = int(share * HEIGHT * WIDTH + 0.5)
        missing = np.zeros(HEIGHT * WIDTH, bool)
        missing[order[:count]] = True
        text += arrays.define("uint32_t", f"golden_{name}_removed", order[:count], str)
        text += arrays.define("double", f"golden_{name}_imputed",
                              impute(picture, missing.reshape(HEIGHT, WIDTH)).reshape(-1), lambda v: f"{v:.9g}")
    a, b = attribution.astype(float).reshape(-1), other.astype(float).reshape(-1)
    scaled = [(m.astype(float) - m.min()) / (float(m.max()) - float(m.min())) for m in (reduced, second)]
    numbers = {
        "diffid": diffid(picture, attribution, weights),
        "diffid_reduced": diffid(picture, np.repeat(reduced[:, :, None], 3, axis=2), weights),
        "mass": reduced.astype(float)[inside].sum() / reduced.astype(float)[sure].sum(),
        "rank": inside.reshape(-1)[largest].mean(),
        "signed": np.corrcoef(a, b)[0, 1],
        "magnitude": np.corrcoef(np.abs(a), np.abs(b))[0, 1],
        "rho": spearmanr(a, b)[0],
        "ssim": structural_similarity(scaled[0], scaled[1], data_range=1.0, win_size=7),
    }
    for name, value in numbers.items():
        text += f"static const double golden_{name} = {f64(value)};\n"
    with open("tests/golden/score_removal.h", "w") as file:
        file.write(text)


if __name__ == "__main__":
    main()
