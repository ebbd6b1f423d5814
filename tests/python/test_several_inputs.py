# SPDX-License-Identifier: Apache-2.0
"""explain_inputs=: a map for each of several inputs, against PyTorch's gradients (tools/golden/scalars.py)."""

import json
import subprocess

import numpy as np
import pytest

import gig
from conftest import SOURCE

MODEL = SOURCE / "tests" / "golden" / "scalars" / "two_inputs.onnx"
GOLDEN = np.load(SOURCE / "tests" / "golden" / "scalars" / "two_inputs.npz")


def near(found, wanted):
    return np.linalg.norm(found.ravel() - wanted.ravel()) <= 2e-5 * np.linalg.norm(wanted)


@pytest.mark.parametrize("named", ["x,b", ["x", "b"], ("b", "x")])
def test_pytorchs_gradient_of_each_input(named):
    model = gig.Model(MODEL, explain_inputs=named, threads=1)
    found = model.explain({"x": GOLDEN["x"], "b": GOLDEN["b"]}, "gradients", target=1, tensor=True)
    assert found.value == pytest.approx(float(GOLDEN["value"]), rel=2e-5)
    assert set(found.maps) == {"x", "b"}
    assert found.maps["x"].shape == (2, 6, 6) and near(found.maps["x"], GOLDEN["gradient"])
    assert found.maps["b"].shape == (5,) and near(found.maps["b"], GOLDEN["gradient_b"])
    assert np.shares_memory(found.maps["b"], found.attributions)
    assert "x 2x6x6" in repr(found) and "b 5" in repr(found)


def test_values_of_every_call_and_maps_that_add_up():
    model = gig.Model(MODEL, explain_inputs="x,b", inputs={"b": GOLDEN["b"]}, threads=1)
    found = model.explain(GOLDEN["x"], "ig", tensor=True, steps=100)
    assert found.maps["x"].sum() + found.maps["b"].sum() == pytest.approx(found.value - found.value_baseline, abs=1e-5)
    alone = gig.Model(MODEL, inputs={"b": GOLDEN["b"]}, threads=1).explain(GOLDEN["x"], "ig", tensor=True)
    assert alone.maps == {}


def test_a_list_of_dicts():
    model = gig.Model(MODEL, explain_inputs="x,b", threads=1)
    both = [{"x": GOLDEN["x"], "b": GOLDEN["b"] * factor} for factor in (1, 2)]
    found = model.explain(both, "ig", tensor=True, steps=8, target=1)
    for one, given in zip(found, both):
        alone = model.explain(given, "ig", tensor=True, steps=8, target=1)
        assert np.allclose(one.attributions, alone.attributions, atol=1e-7)
    assert not np.allclose(found[0].maps["x"], found[1].maps["x"])


def test_a_baseline_for_each():
    model = gig.Model(MODEL, explain_inputs="x,b", threads=1)
    x = {"x": GOLDEN["x"], "b": GOLDEN["b"]}
    found = model.explain(x, "ig", tensor=True, steps=50, baseline={"b": GOLDEN["b"], "x": 0 * GOLDEN["x"]})
    assert not found.maps["b"].any()  # it does not move
    assert found.maps["x"].sum() == pytest.approx(found.value - found.value_baseline, abs=1e-5)


def test_the_programs_maps(program, tmp_path):
    np.save(tmp_path / "x.npy", GOLDEN["x"])
    np.save(tmp_path / "b.npy", GOLDEN["b"])
    command = [program, "explain", MODEL, "--tensor", "x=x.npy", "--tensor", "b=b.npy", "--explain-inputs", "x,b", "-m", "gig:4",
               "--npz", "maps.npz", "--json", "-j", "1"]
    told = json.loads(subprocess.run(command, cwd=tmp_path, check=True, capture_output=True).stdout)["results"][0]
    found = gig.Model(MODEL, explain_inputs="x,b", threads=1).explain({"x": GOLDEN["x"], "b": GOLDEN["b"]}, "gig:4", tensor=True)
    program_maps = np.load(tmp_path / "maps.npz")
    for part in told["inputs"]:
        assert np.array_equal(program_maps[part["name"]][0], found.maps[part["name"]])
        assert part["sum"] == pytest.approx(float(found.maps[part["name"]].sum()), abs=1e-6)
    found.save(tmp_path / "own.npz")
    assert np.array_equal(np.load(tmp_path / "own.npz")["b"], found.maps["b"])
    found.save(tmp_path / "own.png")
    assert (tmp_path / "own.png").stat().st_size > 1000


@pytest.mark.parametrize("options, message", [
    ({"explain_inputs": "x,c"}, 'no input "c"'), ({"explain_inputs": ["x", "x"]}, "twice"),
    ({"explain_inputs": "x,b", "at": "conv"}, "give one of them"), ({"explain_inputs": ["x", ""]}, "separated by commas")])
def test_wrong_names(options, message):
    with pytest.raises(gig.ArgumentError, match=message):
        gig.Model(MODEL, **options)


def test_wrong_uses(tmp_path):
    model = gig.Model(MODEL, explain_inputs="x,b", threads=1)
    both = {"x": GOLDEN["x"], "b": GOLDEN["b"]}
    with pytest.raises(gig.ArgumentError, match='input "b" has no value'):
        model.explain({"x": GOLDEN["x"]}, "ig", tensor=True)
    with pytest.raises(gig.ArgumentError, match="expected a value for the input"):
        gig.Model(MODEL, input="x").explain({"b": GOLDEN["b"]}, "ig", tensor=True)
    with pytest.raises(gig.ArgumentError, match="xrai explains one picture"):
        model.explain(both, "xrai+ig", tensor=True)
    with pytest.raises(gig.ArgumentError, match=".npz"):
        model.explain(both, "gradients", tensor=True).save(tmp_path / "both.npy")
