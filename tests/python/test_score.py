# SPDX-License-Identifier: Apache-2.0
"""Numbers about maps, beside the program's."""

import json
import subprocess

import numpy as np
import pytest

import gig


@pytest.fixture(scope="module")
def model(demo):
    return gig.Model(demo / "model.onnx")


@pytest.fixture(scope="module")
def fish(demo):
    return demo / "pictures" / "fish-6.png"


@pytest.fixture(scope="module")
def result(model, fish):
    return model.explain(fish, "ig", steps=10)


def test_area_of_a_perfect_and_of_a_flat_map():
    mask = np.zeros((4, 5), bool)
    mask[1:3, 2:4] = True
    assert gig.score.auc(mask.astype(float), mask) == 1
    assert gig.score.auc(1 - mask.astype(float), mask) == 0
    assert gig.score.auc(np.ones((4, 5)), mask) == 0.5
    assert gig.score.pointing(mask.astype(float), mask) == 1
    assert gig.score.pointing(1 - mask.astype(float), mask) == 0


def test_area_by_scikit_learn(result):
    metrics = pytest.importorskip("sklearn.metrics")
    mask = np.zeros((96, 96), int)
    mask[20:70, 30:80] = 1
    wanted = metrics.roc_auc_score(mask.ravel(), result.reduced().ravel())
    assert gig.score.auc(result, mask) == pytest.approx(wanted, abs=1e-9)


def test_unsure_pixels_do_not_count(result):
    mask = np.zeros((96, 96), np.uint8)
    mask[20:70, 30:80] = 1
    unsure = mask.copy()
    unsure[:10] = 2
    cropped = gig.score.auc(result.reduced()[10:], mask[10:])
    assert gig.score.auc(result, unsure) == pytest.approx(cropped, abs=1e-12)


def test_gini():
    one = np.zeros((4, 5))
    one[2, 3] = 7
    assert gig.score.gini(one) == pytest.approx(19 / 20)
    assert gig.score.gini(np.ones((4, 5))) == pytest.approx(0)
    assert np.isnan(gig.score.gini(np.zeros((4, 5))))


def test_curves(result):
    mask = np.zeros((96, 96), int)
    mask[20:70, 30:80] = 1
    x, y = gig.score.auc(result, mask).curve
    assert (x[0], y[0], x[-1], y[-1]) == (0, 0, 1, 1)
    assert np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2) == pytest.approx(float(gig.score.auc(result, mask)), abs=1e-3)  # of 201 points
    assert gig.score.gini(result).curve is None


@pytest.mark.parametrize("name", ["gini", "insertion", "deletion", "sic", "aic"])
def test_the_programs_scores(model, program, demo, fish, result, tmp_path, name):
    result.save(tmp_path / "map.npy")
    done = subprocess.run([str(program), "score", "--map", str(tmp_path / "map.npy"), "--model", str(demo / "model.onnx"),
                           "--picture", str(fish), "--metrics", name, "--class", "6", "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told = json.dumps(json.loads(done.stdout))
    found = float(gig.score.metric(name, result, model, fish))
    numbers = [float(text) for text in __import__("re").findall(r"-?\d+\.\d+(?:e-?\d+)?", told)]
    assert any(number == pytest.approx(found, rel=1e-9) for number in numbers), (found, told)


def test_a_mask_from_a_file(model, demo, fish, result):
    score = gig.score.auc(result, demo / "masks" / "fish-6.png", model)
    assert 0.5 < score < 1


def test_completeness(result):
    wanted = abs(result.delta) / abs(result.value_input - result.value_baseline)
    assert gig.score.completeness(result) == pytest.approx(wanted)


@pytest.mark.parametrize("name", ["infidelity", "sensitivity"])
def test_scores_that_leave_the_picture(model, fish, name):
    gradients = model.explain(fish, "gradients")
    assert gig.score.metric(name, gradients, model, fish, samples=3) > 0


def test_options_by_name_and_by_keyword(result):
    mask = np.zeros((96, 96), int)
    mask[20:70, 30:80] = 1
    assert gig.score.auc(result, mask, reduction="sum") == gig.score.metric("auc/reduction=sum", result, mask=mask)
    assert gig.score.auc(result, mask, reduction="sum") != gig.score.auc(result, mask)


def test_what_is_missing_is_said(model, result):
    with pytest.raises(gig.ArgumentError):
        gig.score.sic(result)
    score = gig.score.metric("auc", result)
    assert np.isnan(score) and score.note
    with pytest.raises(gig.ArgumentError, match="model"):
        gig.score.metric("sic", result, picture="cat.jpg")


@pytest.mark.parametrize("name, error", [("nonsense", gig.ArgumentError), ("auc/nonsense=3", gig.ArgumentError), (3, TypeError)])
def test_unknown_metrics_are_refused(result, name, error):
    with pytest.raises(error):
        gig.score.metric(name, result, mask=np.zeros((96, 96), int))


@pytest.mark.parametrize("mask", [np.zeros((3, 3), int), np.full((96, 96), 7), np.zeros((96, 96))])
def test_wrong_masks_are_refused(result, mask):
    with pytest.raises(gig.ArgumentError, match="mask"):
        gig.score.auc(result, mask)


@pytest.mark.parametrize("values", [np.zeros(5), np.zeros((2, 2, 2, 2))])
def test_wrong_maps_are_refused(values):
    with pytest.raises(gig.ArgumentError, match="map"):
        gig.score.gini(values)


def test_there_is_a_function_for_each_metric():
    assert {"auc", "sic", "gini"} <= set(gig.score.names()) <= set(dir(gig.score))
    for name in gig.score.names():
        assert callable(getattr(gig.score, name))
    with pytest.raises(AttributeError, match="nonsense"):
        gig.score.nonsense
