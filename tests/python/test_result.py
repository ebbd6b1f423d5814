# SPDX-License-Identifier: Apache-2.0
"""Results as arrays, pictures and files."""

import numpy as np
import pytest

import gig


@pytest.fixture(scope="module")
def result(demo):
    return gig.Model(demo / "model.onnx").explain(demo / "pictures" / "fish-6.png", "ig", steps=10)


def test_numbers(result):
    assert result.numbers()["sum"] == result.sum
    assert result.delta == pytest.approx(result.sum - (result.value_input - result.value_baseline), abs=1e-12)
    assert result.value == result.value_input
    assert result.sum == pytest.approx(float(result.attributions.sum(dtype=np.float64)), rel=1e-5)
    assert result.evaluations == 10 and result.chains == 1
    assert np.isnan(result.closed)


def test_the_array(result):
    assert result.attributions.dtype == np.float32 and result.attributions.shape == (96, 96, 3)
    assert np.asarray(result) is result.attributions
    assert np.array(result, np.float64).dtype == np.float64


def test_its_repr_says_what_it_is(result):
    assert "ig/steps=10" in repr(result) and "fish" in repr(result) and "96x96x3" in repr(result)


@pytest.mark.parametrize("reduction, wanted", [("abs-sum", lambda a: np.abs(a.sum(2))), ("sum", lambda a: a.sum(2)),
                                               ("sum-abs", lambda a: np.abs(a).sum(2)), ("max", lambda a: a.max(2))])
def test_reductions(result, reduction, wanted):
    assert result.reduced(reduction) == pytest.approx(wanted(result.attributions.astype(np.float64)), rel=1e-4, abs=1e-9)


def test_an_unknown_reduction_is_refused(result):
    with pytest.raises(gig.ArgumentError, match="mean"):
        result.reduced("mean")


@pytest.mark.parametrize("share", [0.01, 0.05, 0.5, 1.0])
def test_the_top_share(result, share):
    mask = result.top(share)
    assert mask.shape == (96, 96) and mask.dtype == np.bool_
    assert mask.mean() == pytest.approx(share, abs=0.001)
    strength = result.reduced()
    assert share == 1 or strength[mask].min() >= strength[~mask].max()


@pytest.mark.parametrize("share", [0, -1, 1.5, float("nan")])
def test_a_share_out_of_range_is_refused(result, share):
    with pytest.raises(gig.ArgumentError):
        result.top(share)


@pytest.mark.parametrize("look", ["heat", "overlay", "mask", "alpha"])
@pytest.mark.parametrize("display", ["auto", "signed", "mass"])
def test_heat_maps(result, look, display):
    drawn = result.heatmap(look=look, display=display)
    assert drawn.shape == (96, 96, 3) and drawn.min() >= 0 and drawn.max() <= 1 and drawn.std() > 0


@pytest.mark.parametrize("options", [{"look": "x"}, {"colours": "x"}, {"display": "x"}])
def test_unknown_looks_are_refused(result, options):
    with pytest.raises(gig.ArgumentError, match=next(iter(options))):
        result.heatmap(**options)


@pytest.mark.parametrize("ending, start", [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF"), ("npy", b"\x93NUMPY")])
def test_files(result, tmp_path, ending, start):
    path = tmp_path / f"map.{ending}"
    result.save(path)
    assert path.read_bytes().startswith(start)
    with pytest.raises(gig.FileError, match="map."):
        result.save(path)
    result.save(path, force=True)
    if ending == "npy":
        assert np.array_equal(np.load(path).reshape(96, 96, 3), result.attributions)


def test_an_unknown_ending_is_refused(result, tmp_path):
    with pytest.raises(gig.ArgumentError, match="map.xyz"):
        result.save(tmp_path / "map.xyz")


def test_a_notebook_shows_the_sheet(result):
    assert result._repr_png_().startswith(b"\x89PNG")


def test_results_of_functions_have_no_picture():
    result = gig.explain(lambda points: (points.sum(1), np.ones_like(points)), np.arange(10.0), method="ig")
    assert result.picture is None and result.class_name is None and result._repr_png_().startswith(b"\x89PNG")
    with pytest.raises(gig.ArgumentError, match="layout"):
        result.heatmap()
    assert result.top(0.1).tolist() == [False] * 9 + [True]


def test_arrays_are_drawn_as_their_shape_or_the_caller_says(tmp_path):
    result = gig.explain(lambda points: (points.sum(1), np.ones_like(points)), np.arange(4.0), method="ig")
    names = ["age", "income", "debt", "\u00e9tage"]
    result.save(tmp_path / "bars.html", labels=names, draw_as="table")
    text = (tmp_path / "bars.html").read_text(encoding="utf-8")
    assert '"shown":"table"' in text and all(name in text for name in names)
    result.save(tmp_path / "line.html", draw_as="signal")
    assert '"shown":"signal"' in (tmp_path / "line.html").read_text(encoding="utf-8")
    for ending in ("png", "svg", "pdf"):
        result.save(tmp_path / f"bars.{ending}", labels=names, draw_as="tokens", title="words")
        assert (tmp_path / f"bars.{ending}").stat().st_size > 500
    with pytest.raises(gig.ArgumentError, match="3 texts for 4 columns"):
        result.save(tmp_path / "few.png", labels=names[:3], draw_as="table")
    with pytest.raises(gig.ArgumentError, match="draw_as"):
        result.save(tmp_path / "song.png", draw_as="song")


def test_results_of_functions_with_a_layout_are_drawn():
    x = np.random.default_rng(3).random((3, 8, 9), np.float32)
    result = gig.explain(lambda points: (points.sum((1, 2, 3)), np.ones_like(points)), x, method="ig", layout="chw")
    assert result.heatmap().shape == (8, 9, 3)
    assert result.reduced("sum") == pytest.approx(x.sum(0), rel=1e-4)


def test_errors_have_a_class_and_a_status_each():
    classes = {gig.ArgumentError: ValueError, gig.FormatError: ValueError, gig.LimitError: gig.Error,
               gig.UnsupportedError: gig.Error, gig.FileError: OSError, gig.OutOfMemoryError: MemoryError,
               gig.NumericError: ArithmeticError, gig.CancelledError: gig.Error, gig.InternalError: gig.Error}
    for error, also in classes.items():
        assert issubclass(error, gig.Error) and issubclass(error, also) and error.status.startswith("GIG_E")
    assert len({error.status for error in classes}) == len(classes)
