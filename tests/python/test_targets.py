# SPDX-License-Identifier: Apache-2.0
"""region=, index=, weights= and of="value": against PyTorch's numbers (tools/golden/scalars.py), and as the program."""

import subprocess

import numpy as np
import pytest

import gig
from conftest import SOURCE

GOLDEN = SOURCE / "tests" / "golden" / "scalars"
CASES = [("segmentation", {"target": 1, "region": "predicted"}), ("deeplab", {"target": 2, "index": (":", 3, 7)}),
         ("deeplab", {"target": 2, "index": (slice(None), 3, 7)}), ("detector", {"index": (13, 2)}),
         ("detector", {"index": "13,2"}), ("detector", {"target": 2, "index": (13, ":"), "of": "softmax"}),
         ("faces", {"weights": "weights"}), ("regression", {"of": "value"}), ("series", {"target": 2, "index": (":", 4)})]


def near(found, wanted):
    return np.linalg.norm(found.ravel() - wanted.ravel()) <= 2e-5 * np.linalg.norm(wanted)


@pytest.mark.parametrize("name, options", CASES)
def test_pytorchs_value_and_gradient(name, options):
    golden = np.load(GOLDEN / f"{name}.npz")
    if "weights" in options:
        options = {"weights": golden["weights"]}
    model = gig.Model(GOLDEN / f"{name}.onnx", threads=1)
    x = golden["x"]
    wanted = float(golden["value"].ravel()[0])
    assert model.value(x, tensor=True, **options) == pytest.approx(wanted, rel=2e-5, abs=2e-5)
    assert near(model.gradient(x, tensor=True, **options), golden["gradient"])
    assert near(model.explain(x, "gradients", tensor=True, **options).attributions, golden["gradient"])


def test_a_target_of_every_call():
    golden = np.load(GOLDEN / "detector.npz")
    model = gig.Model(GOLDEN / "detector.onnx", index="13,2", threads=1)
    assert model.value(golden["x"], tensor=True) == gig.Model(GOLDEN / "detector.onnx", threads=1).value(
        golden["x"], tensor=True, index=(13, 2))


def test_a_mask_and_its_box_are_one_region():
    golden = np.load(GOLDEN / "segmentation.npz")
    x = golden["x"]
    height, width = x.shape[-2:]
    model = gig.Model(GOLDEN / "segmentation.onnx", threads=1)
    mask = np.zeros((height, width), bool)
    mask[height // 4:3 * height // 4, width // 4:3 * width // 4] = True
    box = (width // 4, height // 4, 3 * width // 4 - 1, 3 * height // 4 - 1)
    by_box = model.explain(x, "ig", target=1, steps=4, tensor=True, region=box)
    by_mask = model.explain(x, "ig", target=1, steps=4, tensor=True, region=mask)
    assert np.array_equal(by_box.attributions, by_mask.attributions)
    assert model.top(x, 1, tensor=True, region=box) == model.top(x, 1, tensor=True, region=mask)
    assert model.value(x, 1, tensor=True, region=~mask) != by_box.value


def test_the_programs_bits(program, tmp_path):
    x = np.load(GOLDEN / "detector.npz")["x"]
    np.save(tmp_path / "x.npy", x)
    subprocess.run([str(program), "explain", GOLDEN / "detector.onnx", "--tensor", tmp_path / "x.npy", "--index", "13,2", "-m",
                    "ig", "--steps", "7", "--npy", tmp_path / "map.npy", "--quiet"], check=True, capture_output=True)
    found = gig.Model(GOLDEN / "detector.onnx").explain(x, "ig", steps=7, tensor=True, index=(13, 2))
    assert np.array_equal(found.attributions.ravel(), np.load(tmp_path / "map.npy").ravel())


def test_methods_are_compared_on_one_target():
    x = np.load(GOLDEN / "segmentation.npz")["x"]
    sheet = gig.Model(GOLDEN / "segmentation.onnx", threads=1).compare(x, ["gradients", "ig"], tensor=True, steps=3,
                                                                       region="predicted")
    assert sheet[0].target == sheet[1].target
    assert sheet[0].value == pytest.approx(sheet[1].value)


@pytest.mark.parametrize("options, message", [
    ({"index": (99, 0)}, "outside"), ({"index": "a"}, "index"), ({"weights": [1.0, 2.0]}, "weights"),
    ({"region": np.ones(3)}, "mask"), ({"region": "predicted"}, "region"), ({"index": 1, "weights": [1.0]}, "several targets"),
    ({"region": np.ones((2, 2)), "weights": [1.0]}, "at most one"), ({"weights": "none.npy"}, "none.npy"),
])
def test_what_is_no_target_is_refused(options, message):
    x = np.load(GOLDEN / "detector.npz")["x"]
    model = gig.Model(GOLDEN / "detector.onnx", threads=1)
    for call in (model.value, model.gradient, model.explain):
        with pytest.raises(gig.Error, match=message):
            call(x, tensor=True, **options)


def test_unknown_options_of_a_model_are_refused(demo):
    with pytest.raises(gig.ArgumentError, match='no option "nonsense"'):
        gig.Model(demo / "model.onnx", nonsense=1)
    with pytest.raises(gig.ArgumentError, match="blocking"):
        gig.Model(demo / "model.onnx", blocking="nonsense")
    with pytest.raises(gig.ArgumentError, match="threads"):
        gig.Model(demo / "model.onnx", threads="many")


def test_the_branch_that_each_input_takes():
    model = gig.Model(GOLDEN / "chosen_branch.onnx", threads=1)
    taken = [one.branches for one in (model.explain(np.full(4, sign, np.float32), "ig", tensor=True) for sign in (1, -1))]
    assert taken == [['node 4 "/If" takes then_branch'], ['node 4 "/If" takes else_branch']]
    plain = gig.Model(GOLDEN / "regression.onnx", threads=1)
    assert plain.explain(np.load(GOLDEN / "regression.npz")["x"], "gradients", tensor=True, of="value").branches == []
