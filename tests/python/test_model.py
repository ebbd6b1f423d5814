# SPDX-License-Identifier: Apache-2.0
"""gig.Model on the demo's model: the same as the program, from anything that is a picture."""

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import gig


@pytest.fixture(scope="module")
def model(demo):
    return gig.Model(demo / "model.onnx")


@pytest.fixture(scope="module")
def fish(demo):
    return str(demo / "pictures" / "fish-6.png")


@pytest.fixture(scope="module")
def pixels(model, fish):
    return model.point(fish)


def run(program, *words):
    return subprocess.run([str(program), *map(str, words)], capture_output=True, text=True)


# ---- the same as the program ----

@pytest.mark.parametrize("method, options", [
    ("gig:20", {}), ("ig", {"steps": 20}), ("gig:2", {"steps": 30, "fraction": 0.2, "max_dist": 0.1}),
    ("smooth+gradients", {"samples": 3, "seed": 7}), ("xrai+ig", {"steps": 5}), ("grad-cam", {}),
    ("blur-ig", {"steps": 5, "sigma": 10}), ("ig", {"steps": 6, "baseline": "black+white"}), ("guided-backprop", {}),
    ("gig:0", {"steps": 25, "tolerance": 0.02, "close": True}), ("occlusion", {"window": 24, "stride": 24}),
])
def test_the_programs_bits(model, program, demo, fish, tmp_path, method, options):
    flags = []
    for name, value in options.items():
        name = "--" + name.replace("_", "-")
        flags += [name] if value is True else [name, str(value)]
    if method == "occlusion":  # its options are no flags
        flags, method, options = [], "occlusion/window=24/stride=24", {}
    done = run(program, "explain", demo / "model.onnx", fish, "-m", method, "--npy", tmp_path / "map.npy", "--json", *flags)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)["results"][0]
    result = model.explain(fish, method, **options)
    assert np.array_equal(np.load(tmp_path / "map.npy")[0], result.attributions)
    assert told["method"] == result.method
    for name in ("sum", "delta", "value_input", "value_baseline", "evaluations"):
        wanted, found = told[name], getattr(result, name)
        assert (wanted is None and np.isnan(found)) or wanted == pytest.approx(found, rel=1e-12)


@pytest.mark.parametrize("words, call", [
    (["nonsense.onnx", "FISH"], lambda m, d, f: gig.Model("nonsense.onnx")),
    (["MODEL", "DESCRIPTION"], lambda m, d, f: m.explain(d / "model.json")),
    (["MODEL", "FISH", "-m", "nonsense"], lambda m, d, f: m.explain(f, "nonsense")),
    (["MODEL", "FISH", "--class", "nonsense"], lambda m, d, f: m.explain(f, target="nonsense")),
    (["MODEL", "FISH", "--class", "99"], lambda m, d, f: m.explain(f, target=99)),
    (["MODEL", "FISH", "--steps", "0"], lambda m, d, f: m.explain(f, steps=0)),
    (["DESCRIPTION", "FISH"], lambda m, d, f: gig.Model(d / "model.json")),
])
def test_the_programs_messages(model, program, demo, fish, tmp_path, words, call):
    names = {"MODEL": str(demo / "model.onnx"), "FISH": fish, "DESCRIPTION": str(demo / "model.json")}
    done = subprocess.run([str(program), "explain", *(names.get(word, word) for word in words)], capture_output=True,
                          text=True, cwd=tmp_path)
    assert done.returncode != 0
    with pytest.raises(gig.Error) as caught:
        call(model, demo, fish)
    assert str(caught.value) in done.stderr


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_bits_do_not_depend_on_threads(model, demo, fish, threads):
    other = gig.Model(demo / "model.onnx", threads=threads)
    assert np.array_equal(other.explain(fish, "gig:3", steps=20).attributions,
                          model.explain(fish, "gig:3", steps=20).attributions)


# ---- inputs ----

def test_a_file_bytes_pixels_and_pillow_are_the_same(model, demo, fish, pixels):
    image = pytest.importorskip("PIL.Image").open(fish)
    whole = model.explain(fish, "gradients").attributions
    assert np.array_equal(model.explain(image, "gradients").attributions, whole)
    assert np.array_equal(model.explain(np.asarray(image.convert("RGB")), "gradients").attributions, whole)
    assert np.array_equal(model.explain(pixels, "gradients").attributions, whole)
    assert np.array_equal(model.explain(demo / "pictures" / "fish-6.png", "gradients").attributions, whole)


def test_float64_and_non_contiguous_pixels(model, pixels):
    whole = model.gradient(pixels, 6)
    assert np.array_equal(model.gradient(pixels.astype(np.float64), 6), whole)
    assert np.array_equal(model.gradient(np.asfortranarray(pixels), 6), whole)
    assert np.array_equal(model.gradient(pixels[::-1][::-1], 6), whole)


def test_bytes_of_another_size_are_brought_to_the_models(model):
    assert model.explain(np.zeros((50, 70, 3), np.uint8), "gradients").attributions.shape == (96, 96, 3)
    assert model.explain(np.zeros((50, 70), np.uint8), "gradients").attributions.shape == (96, 96, 3)


def test_pillows_modes(model, tmp_path):
    Image = pytest.importorskip("PIL.Image")
    rng = np.random.default_rng(1)
    base = Image.fromarray(rng.integers(0, 255, (60, 80, 4), np.uint8), "RGBA")
    for mode in ("1", "L", "P", "RGB", "RGBA", "LA"):
        picture = base.convert(mode)
        path = tmp_path / f"{mode}.png"
        picture.save(path)
        assert np.abs(model.point(picture) - model.point(path)).max() <= 1.01 / 255, mode
    with pytest.raises(gig.ArgumentError, match="mode"):
        model.point(base.convert("F"))


def test_a_picture_is_turned_upright(model, tmp_path):
    Image = pytest.importorskip("PIL.Image")
    picture = Image.fromarray(np.random.default_rng(2).integers(0, 255, (60, 80, 3), np.uint8))
    exif = Image.Exif()
    exif[0x0112] = 6
    picture.save(tmp_path / "turned.png", exif=exif)
    opened = Image.open(tmp_path / "turned.png")
    assert np.array_equal(model.point(opened), model.point(tmp_path / "turned.png"))


@pytest.mark.parametrize("wrong, error, message", [
    (np.zeros((96, 96, 3), np.int32), gig.ArgumentError, "int32"),
    (np.zeros((3, 96, 96), np.float32), gig.ArgumentError, "transpose"),
    (np.zeros((96, 96), np.float32), gig.ArgumentError, "height, width, 3"),
    (np.zeros((50, 50, 3), np.float32), gig.ArgumentError, "27648"),
    (np.zeros((96, 96, 4), np.uint8), gig.ArgumentError, "height, width, 3"),
    (np.zeros((96, 96, 3), np.complex64), TypeError, "real numbers"),
    (np.full((96, 96, 3), 200.0), gig.ArgumentError, "255"),
    (np.full((96, 96, 3), np.nan), gig.NumericError, "NaN"),
    (None, TypeError, "real numbers"),
    (object(), TypeError, "real numbers"),
    ("", gig.FileError, ""),
])
def test_wrong_inputs_are_refused(model, wrong, error, message):
    with pytest.raises(error, match=message):
        model.explain(wrong)


def test_a_list_gives_a_list(model, fish, pixels):
    results = model.explain([fish, pixels], "gradients")
    assert [type(one) for one in results] == [gig.Result] * 2
    assert np.array_equal(results[0].attributions, results[1].attributions)
    assert model.explain([], "gradients") == []
    stack = model.explain(np.stack([pixels, 1 - pixels]), "gradients")
    assert np.array_equal(stack[0].attributions, results[0].attributions)


def test_the_broken_one_of_a_list_is_named(model, fish, tmp_path):
    broken = tmp_path / "broken.png"
    broken.write_bytes(b"\x89PNG\r\n\x1a\n nothing")
    with pytest.raises(gig.FormatError, match="broken.png"):
        model.explain([fish, broken], "gradients")


def test_raw_tensors(demo, model, pixels):
    result = model.explain(pixels.transpose(2, 0, 1)[None], "ig", tensor=True, steps=5, target=6)
    assert result.attributions.shape[-3:] == (3, 96, 96)
    assert result.picture is None
    with pytest.raises(gig.Error):
        model.explain(np.zeros(7), "ig", tensor=True)
    with pytest.raises(gig.ArgumentError, match="array"):
        model.explain("fish.png", tensor=True)


# ---- classes, scalars, baselines ----

def test_the_best_class_is_explained(model, fish):
    result = model.explain(fish, "gradients")
    assert (result.target, result.class_name, result.of) == (6, "fish", "softmax")
    assert model.top(fish, 1) == [(6, "fish", result.value)]
    assert model.find_class("fish") == model.find_class(6) == 6
    assert model.class_name(6) == "fish" and model.class_name(99) is None
    assert model.classes == 12


@pytest.mark.parametrize("target", ["umbrella", 11, np.int64(11), "11"])
def test_another_class(model, fish, target):
    result = model.explain(fish, "gradients", target=target)
    assert result.target == 11 and result.class_name == "umbrella"
    assert result.value == model.value(fish, target)


@pytest.mark.parametrize("target", [1.5, True, object(), [1]])
def test_what_is_no_class_is_refused(model, fish, target):
    with pytest.raises(TypeError, match="target"):
        model.explain(fish, "gradients", target=target)


@pytest.mark.parametrize("of", ["softmax", "logit", "logprob", "sigmoid"])
def test_gradients_by_differences(model, pixels, of):
    gradient = model.gradient(pixels, 6, of=of)
    direction = gradient / np.linalg.norm(gradient)
    middle = 0.1 + 0.8 * pixels
    gradient = model.gradient(middle, 6, of=of)
    step = 1e-3 / np.abs(direction).max()
    slope = (model.value(middle + step * direction, 6, of=of) - model.value(middle - step * direction, 6, of=of)) / (2 * step)
    assert slope == pytest.approx(float((gradient * direction).sum()), rel=0.05, abs=1e-5)


def test_scalars_belong_together(model, fish):
    probability = model.value(fish, 6)
    assert model.value(fish, 6, of="logprob") == pytest.approx(np.log(probability), rel=1e-4)
    with pytest.raises(gig.ArgumentError, match="nonsense"):
        model.value(fish, 6, of="nonsense")


def test_the_twelve_probabilities_add_up(model, fish):
    every = model.top(fish, 12)
    assert sum(one.probability for one in every) == pytest.approx(1)
    assert len(model.top(fish, 99)) == 12
    with pytest.raises(gig.ArgumentError, match="k"):
        model.top(fish, 0)


def test_values_and_gradients_of_lists(model, fish, pixels):
    values = model.value([fish, pixels], 6)
    assert values.shape == (2,) and values[0] == values[1] == model.value(fish, 6)
    gradients = model.gradient([fish, pixels], 6)
    assert np.array_equal(gradients[0], gradients[1])
    assert np.array_equal(gradients[0], model.explain(fish, "gradients", target=6).attributions)


def test_baselines_of_files_and_arrays(model, demo, fish, pixels, tmp_path):
    other = demo / "pictures" / "key-7.png"
    by_file = model.explain(fish, "ig", baseline=other, steps=5)
    assert np.array_equal(by_file.attributions, model.explain(fish, "ig", baseline=model.point(other), steps=5).attributions)
    np.save(tmp_path / "other.npy", model.point(other))
    assert np.array_equal(by_file.attributions,
                          model.explain(fish, "ig", baseline=str(tmp_path / "other.npy"), steps=5).attributions)
    zeros = model.explain(fish, "ig", baseline=np.zeros(3), steps=5)
    assert np.array_equal(zeros.attributions, model.explain(fish, "ig", steps=5).attributions)
    with pytest.raises(gig.ArgumentError, match="shape"):
        model.explain(fish, "ig", baseline=np.zeros(5))


def test_segments_at_the_models_size(model, fish):
    labels = np.arange(96 * 96).reshape(96, 96) // (96 * 24)
    assert len(np.unique(model.explain(fish, "xrai+gradients", segments=labels, min_pixels=1).attributions)) <= 5
    with pytest.raises(gig.ArgumentError, match="segments"):
        model.explain(fish, "xrai+gradients", segments=np.zeros((5, 5), int))


# ---- comparing ----

def test_compare(model, fish, tmp_path):
    sheet = model.compare(fish, ["ig", "gig:2", "grad-cam"], steps=10)
    assert [one.method for one in sheet] == ["ig/steps=10", "gig:2/steps=10", "grad-cam"]
    assert np.array_equal(sheet[0].attributions, model.explain(fish, "ig", steps=10).attributions)
    sheet.save(tmp_path / "sheet.pdf")
    assert (tmp_path / "sheet.pdf").read_bytes().startswith(b"%PDF")
    shown = sheet._repr_png_()
    assert shown.startswith(b"\x89PNG")
    sheet.save(tmp_path / "sheet.png")
    width, narrow = (int.from_bytes(data[16:20], "big") for data in ((tmp_path / "sheet.png").read_bytes(), shown))
    assert narrow < width  # four panels stand in rows of three, to be read in a notebook
    assert len(sheet[:2]) == 2 and "gig:2" in repr(sheet)
    assert len(model.compare(fish, "ig, gradients", steps=3)) == 2


def test_compare_refuses_what_concerns_nobody(model, fish):
    with pytest.raises(gig.ArgumentError, match="steps"):
        model.compare(fish, ["gradients"], steps=10)
    with pytest.raises(gig.ArgumentError, match="nonsense"):
        model.compare(fish, ["ig"], nonsense=1)
    with pytest.raises(gig.ArgumentError, match="at least one"):
        model.compare(fish, [])


# ---- opening ----

def test_presets_and_options(demo, fish):
    plain, other = gig.Model(demo / "model.onnx"), gig.Model(demo / "model.onnx", preset="minus-one", threads=1)
    assert other.value(fish, 6) != plain.value(fish, 6)
    with pytest.raises(gig.ArgumentError, match="preset"):
        gig.Model(demo / "model.onnx", preset="nonsense")


@pytest.mark.parametrize("options, message", [({"nonsense": 1}, "nonsense"), ({"threads": "x"}, "threads"),
                                              ({"precision": "f64"}, "precision"), ({"output": "nonsense"}, "nonsense")])
def test_wrong_options_are_refused(demo, options, message):
    with pytest.raises(gig.ArgumentError, match=message):
        gig.Model(demo / "model.onnx", **options)


@pytest.mark.parametrize("content", [b"", b"nonsense", bytes(1000), b"\x08\x07" * 500])
def test_broken_models_are_refused(tmp_path, content):
    path = tmp_path / "broken.onnx"
    path.write_bytes(content)
    with pytest.raises(gig.Error, match="broken.onnx"):
        gig.Model(path)


def test_what_is_no_path_is_refused():
    with pytest.raises(TypeError):
        gig.Model(3)
    with pytest.raises(TypeError):
        gig.Model(b"model.onnx")


def test_remarks_say_what_was_assumed(demo, tmp_path):
    shutil.copy(demo / "model.onnx", tmp_path / "bare.onnx")
    assert any("description" in remark or "bare.json" in remark or "assum" in remark
               for remark in gig.Model(tmp_path / "bare.onnx").remarks)


# ---- processes and threads ----

def test_pickling_is_refused_with_a_line(model, fish):
    with pytest.raises(TypeError, match="cannot be pickled: open it again"):
        pickle.dumps(model)
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(model.explain(fish, "gradients"))


def test_after_a_fork_the_model_says_so(model, fish):
    def child():
        try:
            model.explain(fish, "gradients")
        except gig.ArgumentError as error:
            return b"fork" in str(error).encode()
        return False

    pid = os.fork()
    if pid == 0:
        os._exit(0 if child() else 1)
    assert os.waitpid(pid, 0)[1] == 0


def test_a_model_opened_after_a_fork_works(model, demo, fish):
    wanted = model.value(fish, 6)
    pid = os.fork()
    if pid == 0:
        os._exit(0 if gig.Model(demo / "model.onnx").value(fish, 6) == wanted else 1)
    assert os.waitpid(pid, 0)[1] == 0


def test_threads_take_turns(model, fish):
    wanted = model.explain(fish, "ig", steps=10).attributions
    found = []
    threads = [threading.Thread(target=lambda: found.append(model.explain(fish, "ig", steps=10).attributions))
               for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all(np.array_equal(one, wanted) for one in found)


def test_a_model_inside_its_own_callbacks_is_refused(model, fish):
    with pytest.raises(gig.ArgumentError, match="callback"):
        model.explain(fish, "ig", steps=5, observe=lambda view: model.value(fish))


def test_ctrl_c_stops_within_a_step(model, fish):
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        model.explain(fish, "ig", steps=1_000_000)
    assert model.value(fish, 6) > 0.9  # and it still works


def test_ctrl_c_in_a_program_of_its_own(demo, fish):
    code = ("import gig, sys\nmodel = gig.Model(sys.argv[1])\nprint('ready', flush=True)\n"
            "model.explain(sys.argv[2], 'ig', steps=1000000)\n")
    child = subprocess.Popen([sys.executable, "-c", code, str(demo / "model.onnx"), fish], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in child.communicate(timeout=60)[1]


def test_progress_and_observers(model, fish):
    told, seen = [], []
    model.explain(fish, "gig:1", steps=60, progress=lambda done, expected: told.append((done, expected)),
                  observe=seen.append)
    assert told[-1][0] == told[-1][1]
    assert seen[0].point.shape == (96, 96, 3)
    assert len(seen) == 62


def test_nothing_leaks_over_a_thousand_calls(model, pixels):
    from test_callbacks import CALLS, SMALLEST_BLOCK, in_use, repeat

    repeat(lambda: model.explain(pixels, "gradients", target=6), 20)
    before = in_use()
    repeat(lambda: model.explain(pixels, "gradients", target=6), CALLS)
    assert in_use() - before < CALLS * SMALLEST_BLOCK


def test_the_programs_hash(model, program, demo, fish):
    import hashlib

    done = run(program, "explain", demo / "model.onnx", fish, "-m", "ig", "--steps", 5, "--json")
    wanted = json.loads(done.stdout)["results"][0]["map_sha256"]
    assert hashlib.sha256(model.explain(fish, "ig", steps=5).attributions).hexdigest() == wanted
