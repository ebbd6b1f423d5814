# SPDX-License-Identifier: Apache-2.0
"""docs/python.md runs as it is written, and so do README's lines; PAIR's numbers by way of Python."""

import importlib.util
import re

import numpy as np
import pytest

import gig
from conftest import SOURCE


def test_the_page_runs(tmp_path, monkeypatch):
    (tmp_path / "demo").symlink_to(SOURCE / "demo")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (SOURCE / "docs" / "python.md").read_text(), re.S)
    assert len(blocks) >= 6
    names = {}
    for block in blocks:
        if "import torch\n" in block and not importlib.util.find_spec("torch"):
            continue  # nothing after it uses its names
        exec(compile(block, "docs/python.md", "exec"), names)
    assert (tmp_path / "sheet.pdf").read_bytes().startswith(b"%PDF")


def quadratic(points):
    a, b = points.astype(np.float64).T
    return (2 * a + b) ** 2, np.stack([8 * a + 4 * b, 4 * a + 2 * b], 1)


@pytest.mark.parametrize("options, wanted", [
    (dict(method="gig", max_dist=0, steps=1000), (53.946, 26.973)),
    (dict(method="gig", max_dist=1, steps=1000), (71.892036, 9.017982)),
    (dict(method="gig", fraction=0.25, max_dist=0.02, steps=10), (49.7376, 23.1552)),
    (dict(method="gig", fraction=0.25, max_dist=0.02, steps=200), (55.1304, 25.4628)),
    (dict(method="gig:19"), (54.5319, 26.01855)),
    (dict(method="ig", rule="pair", steps=25), (54, 27)),
])
def test_pairs_numbers_by_options(options, wanted):
    found = gig.explain(quadratic, [3.0, 3.0], **options).attributions
    assert found == pytest.approx(np.array(wanted), rel=1e-6)


def test_pairs_occlusion():
    picture = np.zeros((5, 5, 1), np.float32)
    picture[1, 1] = picture[3, 3] = 1
    found = gig.explain(lambda points: (3 * points.sum((1, 2, 3)), np.full_like(points, 3)), picture, method="occlusion",
                        window=3, overlap="sum", layout="hwc").attributions
    assert found[:, :, 0].tolist() == [[3, 6, 6, 3, 0], [6, 15, 18, 12, 3], [6, 18, 24, 18, 6], [3, 12, 18, 15, 6], [0, 3, 6, 6, 3]]


def test_captums_gauss_legendre():
    alphas, weights = np.polynomial.legendre.leggauss(50)
    points = 3.0 * (alphas[:, None] + 1) / 2 * np.ones(2)
    wanted = (quadratic(points)[1] * weights[:, None] / 2).sum(0) * 3
    found = gig.explain(quadratic, [3.0, 3.0], method="ig", rule="gauss-legendre", steps=50).attributions
    assert found == pytest.approx(wanted, rel=1e-6)


# ---- the table of other packages' calls ----

ROWS = re.findall(r"^\| (=?) *\| (.*?) \| (.*) \|$", (SOURCE / "docs" / "python.md").read_text(), re.M)
POINT, START = np.array([3.0, -2.0]), np.array([0.5, 1.0])


def by_peer_gradient():
    return gig.explain(quadratic, POINT, method="gradients").attributions, quadratic(POINT[None])[1][0]


def by_peer_saliency():
    return np.abs(gig.explain(quadratic, POINT, method="gradients").attributions), np.abs(quadratic(POINT[None])[1][0])


def by_peer_product():
    return gig.explain(quadratic, POINT, method="gradients-x-input").attributions, POINT * quadratic(POINT[None])[1][0]


def by_pairs_ig():
    alphas = np.linspace(0, 1, 25)[:, None]
    wanted = quadratic(START + alphas * (POINT - START))[1].mean(0) * (POINT - START)
    return gig.explain(quadratic, POINT, method="ig", rule="pair", steps=25, baseline=START).attributions, wanted


def by_captums_ig():
    alphas, weights = np.polynomial.legendre.leggauss(50)
    points = START + (alphas[:, None] + 1) / 2 * (POINT - START)
    wanted = (quadratic(points)[1] * weights[:, None] / 2).sum(0) * (POINT - START)
    return gig.explain(quadratic, POINT, method="ig", rule="gauss-legendre", steps=50, baseline=START).attributions, wanted


def by_captums_delta():
    """The sum of the attributions less F(x) - F(baseline)."""
    found = gig.explain(quadratic, POINT, method="ig", rule="left", steps=7, baseline=START)
    ends = quadratic(np.stack([POINT, START]))[0]
    return np.array([found.delta]), np.array([found.attributions.sum(dtype=np.float64) - (ends[0] - ends[1])])


PROVED = {"GradientSaliency": by_peer_gradient, "IntegratedGradients().GetMask": by_pairs_ig, "GuidedIG": None, "Occlusion()": None,
          "Saliency(net)": by_peer_saliency, "InputXGradient": by_peer_product, "IntegratedGradients(net)": by_captums_ig,
          "return_convergence_delta": by_captums_delta}  # None: a test above


def test_every_row_that_promises_the_same_numbers_is_proved():
    promised = [there for mark, there, _ in ROWS if mark == "="]
    assert len(ROWS) >= 18 and len(promised) == len(PROVED)
    for name in PROVED:
        assert sum(name in there for there in promised) == 1, name


@pytest.mark.parametrize("name", [name for name, proof in PROVED.items() if proof])
def test_a_row_of_the_table(name):
    found, wanted = PROVED[name]()
    assert found == pytest.approx(wanted, rel=1e-5, abs=1e-5)


def test_what_the_table_calls_exists():
    """Methods, options, scores and functions in its right column."""
    for _, _, here in ROWS:
        for method in re.findall(r'(?:method=|m\.explain\(x, |`)"([a-z+-]+)"', here):
            assert method.split("+")[-1] in gig.methods(), method
        for score in re.findall(r"gig\.score\.(\w+)", here):
            assert score in gig.score.names(), score
        for name in re.findall(r"gig\.(\w+)\(", here):
            assert hasattr(gig, name), name
