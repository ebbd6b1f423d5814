# SPDX-License-Identifier: Apache-2.0
"""Adaptive paths that are Python functions."""

import numpy as np
import pytest

import gig
from conftest import WEIGHTS


@gig.path
def straight_on(at, value, gradient, start, end, step, steps):
    """The straight line, by hand."""
    return start + (end - start) * ((step + 1) / steps)


@gig.path(name="large-first", rule="trapezoid")
def big_first(at, value, gradient, start, end, step, steps):
    """Features of large gradient move first."""
    moved = at.copy()
    order = np.argsort(-np.abs(gradient.ravel()), kind="stable")[: max(1, gradient.size * (step + 1) // steps)]
    moved.ravel()[order] = end.ravel()[order]
    return moved


@pytest.fixture(scope="module")
def model(demo):
    return gig.Model(demo / "model.onnx")


def test_a_straight_path_is_ig(function, x):
    own = gig.explain(function, x, method=straight_on, steps=50)
    line = gig.explain(function, x, method="ig", rule="left", steps=50)
    assert own.attributions == pytest.approx(line.attributions, rel=1e-5)
    assert own.method == "straight-on/steps=50"


def test_it_is_known_by_name_with_anchors_rules_and_prefixes(function, x):
    for name in ("large-first", "large-first:3", "smooth+large-first/noise=0", "large-first/rule=midpoint", "large-first/baseline=white"):
        result = gig.explain(function, x, method=name, steps=400)
        start = 1.0 if "white" in name else 0.0
        assert result.sum == pytest.approx(float(((x * x - start) * WEIGHTS).sum()), rel=0.05), name
    assert gig.explain(function, x, method="large-first", tolerance=0.001, steps=20).stopped == 0


def test_what_it_gets(x):
    seen = []

    @gig.path
    def curious(at, value, gradient, start, end, step, steps):
        seen.append((at.shape, value, gradient.copy(), start.copy(), end.copy(), step, steps))
        return at + (end - at) / (steps - step)

    square = x.reshape(2, 5)
    gig.explain(lambda points: ((points**2).sum((1, 2)), 2 * points), square, method=curious, steps=6)
    assert [one[5] for one in seen] == [0, 1, 2, 3, 4] and {one[6] for one in seen} == {6}
    assert {one[0] for one in seen} == {(2, 5)}
    assert np.array_equal(seen[0][3], np.zeros((2, 5))) and np.array_equal(seen[0][4], square)
    assert seen[0][1] == 0 and not seen[0][2].any()


def test_pictures_of_a_model(model, demo):
    fish = demo / "pictures" / "fish-6.png"
    own = model.explain(fish, "straight-on", steps=8)
    line = model.explain(fish, "ig", rule="left", steps=8)
    assert own.attributions == pytest.approx(line.attributions, abs=1e-4 * np.abs(line.attributions).max())
    regions = model.explain(fish, "xrai+straight-on", steps=4)
    assert regions.attributions.shape == (96, 96, 1)
    assert len(model.compare(fish, [straight_on, "ig"], steps=4)) == 2
    assert np.array_equal(own.attributions, gig.Model(demo / "model.onnx", threads=1).explain(fish, straight_on, steps=8).attributions)


def test_a_later_function_of_that_name_takes_its_place(function, x):
    def changing(at, value, gradient, start, end, step, steps):
        return start + (end - start) * ((step + 1) / steps)

    gig.path(changing)
    model = [gig.explain(function, x, method="changing", steps=10).attributions]
    gig.path(big_first.function, name="changing")
    model.append(gig.explain(function, x, method="changing", steps=10).attributions)
    assert not np.array_equal(*model)


def test_mistakes_come_out(function, x):
    @gig.path
    def broken(at, value, gradient, start, end, step, steps):
        raise KeyError("mine")

    @gig.path
    def short(at, value, gradient, start, end, step, steps):
        return at[:3]

    @gig.path
    def lost(at, value, gradient, start, end, step, steps):
        return at * np.nan

    for functions in (function, [function, function]):
        with pytest.raises(KeyError, match="mine"):
            gig.explain(functions, x, method=broken)
        with pytest.raises(gig.ArgumentError, match="returned 3 values: expected the next point, 10 values"):
            gig.explain(functions, x, method=short)
        with pytest.raises(gig.NumericError):
            gig.explain(functions, x, method=lost)


@pytest.mark.parametrize("name", ["ig", "gig", "Mine", "9lives", "", "my path"])
def test_names_that_cannot_be_are_refused(name):
    with pytest.raises(gig.ArgumentError, match="name"):
        gig.path(lambda *arguments: arguments[0], name=name)


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError):
        gig.path(3)
    with pytest.raises(gig.ArgumentError, match="name"):
        gig.path(lambda *arguments: None)


def test_methods_are_listed():
    listed = gig.methods()
    assert {"ig", "gig", "grad-cam"} <= set(listed)
    assert listed["large-first"] == "Features of large gradient move first."


def test_options_are_all_there(function, x):
    options = gig.explain(function, x, method="gig:2", steps=30).options
    assert options["steps"] == "30" and options["fraction"] == "0.1" and options["baseline"] == "black"
    assert "sigma" not in options
