# SPDX-License-Identifier: Apache-2.0
"""docs/python.md runs as it is written, and so do README's lines; PAIR's numbers by way of Python."""

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
