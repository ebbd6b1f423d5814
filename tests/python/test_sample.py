# SPDX-License-Identifier: Apache-2.0
"""The first lines that a user writes, one after the other, on an ONNX file and on a PyTorch module."""

import json
import shutil

import numpy as np
import pytest

import gig

W = np.arange(12.0)


def linear(points):
    return points @ W, np.broadcast_to(W, points.shape)


@pytest.fixture
def here(tmp_path, monkeypatch, demo):
    """A folder with net.onnx, its description, cat.jpg and a study."""
    Image = pytest.importorskip("PIL.Image")
    monkeypatch.chdir(tmp_path)
    for name, copy in (("model.onnx", "net.onnx"), ("model.json", "net.json"), ("labels.txt", "labels.txt")):
        shutil.copy(demo / name, copy)
    Image.open(demo / "pictures" / "fish-6.png").convert("RGB").save("cat.jpg", quality=95)
    (tmp_path / "study.json").write_text(json.dumps({
        "models": {"net": "net.onnx"}, "pictures": {"scenes": str(demo / "pictures.csv")}, "methods": ["gradients", "ig/steps=5"],
        "runs": [{"metrics": ["auc"], "limit": 2}]}))
    return tmp_path


def test_a_model(here, demo):
    from PIL import Image

    model = gig.Model("net.onnx")
    result = model.explain("cat.jpg")
    assert result._repr_png_().startswith(b"\x89PNG")
    assert result.attributions.shape == (96, 96, 3) and result.class_name == "fish"
    assert result.delta == pytest.approx(result.sum - (result.value - result.value_baseline))
    assert np.isnan(result.stability) and 0 <= model.explain("cat.jpg", repeat=2).stability <= 1
    assert result.options["steps"] == "84"
    result.save("cat.png")
    assert result.heatmap().shape == (96, 96, 3)
    assert result.top(0.05).sum() == pytest.approx(0.05 * 96 * 96, abs=1)
    model.compare("cat.jpg", ["ig", "gig:20", "xrai+gig:20"]).save("sheet.pdf")
    assert (here / "sheet.pdf").read_bytes().startswith(b"%PDF") and (here / "cat.png").stat().st_size > 10000
    x = model.point("cat.jpg")
    assert model.gradient(x, target=3).shape == x.shape and 0 < model.value(x) <= 1
    assert [one.target for one in model.top("cat.jpg", 5)][0] == 6
    several = model.explain(["cat.jpg", Image.open("cat.jpg"), np.asarray(Image.open("cat.jpg")), x], "gradients")
    assert [one.target for one in several] == [6] * 4
    assert 0.5 < gig.score.auc(result, demo / "masks" / "fish-6.png") <= 1
    assert 0 < gig.score.sic(result, model, "cat.jpg") <= 1
    with pytest.raises(gig.FileError, match="exists already; force=True overwrites it"):
        result.save("cat.png")
    result.save("cat.png", force=True)
    result.save("cat.html")
    assert b"<html" in (here / "cat.html").read_bytes()[:200].lower()


def test_a_study(here):
    study = gig.study("study.json")
    with pytest.raises(gig.FileError, match="not been run yet: call run"):
        study.table(like="paper2")
    study.run(workers=1)
    assert "ig" in gig.study("study.json").table(like="paper2")


def test_a_function(capfd):
    result = gig.explain(linear, np.ones(12), method="gig:20")
    assert result.attributions == pytest.approx(W)
    assert capfd.readouterr() == ("", "")


def test_a_path_that_returns_nothing_is_told():
    @gig.path
    def mine(at, value, gradient, start, end, step, steps): ...

    with pytest.raises(gig.ArgumentError, match="returned None: expected the next point, 12 values"):
        gig.explain(linear, np.ones(12), method="mine")


def test_a_torch_module():
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.Tanh(), torch.nn.AdaptiveAvgPool2d(2), torch.nn.Flatten(),
                              torch.nn.Linear(16, 300)).eval()
    x = torch.rand(1, 3, 20, 20)
    f = gig.torch_function(net, target=281)
    result = gig.explain(f, x, baseline=0, method="gig:20", tolerance=0.01, progress=True)
    assert result.attributions.shape == (1, 3, 20, 20)
    without = gig.explain(gig.torch_function(net, target=281), x[0], baseline=0, method="gig:20", tolerance=0.01)
    assert np.array_equal(result.attributions[0], without.attributions)
    assert abs(without.delta) <= 0.01 * abs(without.value - without.value_baseline)


def test_a_batch_axis_of_ones_own_is_found_where_the_module_would_take_both():
    """A linear layer takes [n, 1, 8] too, and gives [n, 1, 5], which is not one number a point."""
    torch = pytest.importorskip("torch")
    net = torch.nn.Linear(8, 5).eval()
    x = torch.rand(1, 8)
    found = gig.explain(gig.torch_function(net, target=2, of="logit"), x, method="gradients").attributions
    assert np.allclose(found, net.weight[2].detach().numpy())


def test_what_a_module_refuses_in_both_shapes_comes_out_as_it_is():
    torch = pytest.importorskip("torch")
    with pytest.raises(RuntimeError, match="1x9 and 8x5"):
        gig.explain(gig.torch_function(torch.nn.Linear(8, 5).eval(), target=2), torch.rand(1, 9))


# ---- baselines ----

def test_several_baselines_are_averaged(demo):
    model = gig.Model(demo / "model.onnx")
    fish, others = demo / "pictures" / "fish-6.png", [demo / "pictures" / "key-7.png", str(demo / "pictures" / "mug-8.png")]
    both = model.explain(fish, "ig", steps=4, baseline=others)
    single = [model.explain(fish, "ig", steps=4, baseline=one).attributions for one in others]
    assert both.chains == 2 and both.options["baseline"] == "given:2"
    assert both.attributions == pytest.approx(np.mean(single, axis=0), abs=1e-6)
    stacked = model.explain(fish, "ig", steps=4, baseline=np.stack([model.point(one) for one in others]))
    assert np.array_equal(stacked.attributions, both.attributions)
    found = gig.explain(lambda points: ((points**2).sum(1), 2 * points), np.ones(3), method="ig", baseline=[[0] * 3, [0.5] * 3])
    assert found.attributions == pytest.approx([(1 + 0.75) / 2] * 3, rel=1e-5)
    with pytest.raises(gig.ArgumentError, match="shape"):
        model.explain(fish, "ig", baseline=np.zeros((2, 5, 5, 3)))
    with pytest.raises(gig.ArgumentError, match="does not apply to gradients"):
        model.explain(fish, "gradients", baseline=np.zeros((96, 96, 3)))


def test_segments_of_a_file(demo, tmp_path):
    model = gig.Model(demo / "model.onnx")
    labels = np.arange(96 * 96).reshape(96, 96) // (96 * 24)
    np.save(tmp_path / "labels.npy", labels)
    fish = demo / "pictures" / "fish-6.png"
    assert np.array_equal(model.explain(fish, "xrai+gradients", segments=tmp_path / "labels.npy", min_pixels=1).attributions,
                          model.explain(fish, "xrai+gradients", segments=labels, min_pixels=1).attributions)


# ---- masks ----

def test_a_mask_of_another_size(demo, tmp_path):
    Image = pytest.importorskip("PIL.Image")
    model = gig.Model(demo / "model.onnx")
    result = model.explain(demo / "pictures" / "fish-6.png", "gradients")
    Image.open(demo / "masks" / "fish-6.png").resize((200, 150), Image.NEAREST).save(tmp_path / "mask.png")
    assert gig.score.auc(result, tmp_path / "mask.png", model) > 0.5
    with pytest.raises(gig.ArgumentError, match="200 x 150 pixels, the map 96 x 96: give the model"):
        gig.score.auc(result, tmp_path / "mask.png")


def test_a_mask_that_is_turned_is_refused():
    with pytest.raises(gig.ArgumentError, match=r"mask: expected the map's size, \[4, 5"):
        gig.score.auc(np.ones((4, 5)), np.zeros((5, 4), int))
