# SPDX-License-Identifier: Apache-2.0
"""Python compared with the program: the bits of every method, every flag, the same messages for the same errors."""

import inspect
import re
import shutil
import subprocess

import numpy as np
import pytest

import gig
from gig import _core


@pytest.fixture(scope="module")
def model(demo):
    return gig.Model(demo / "model.onnx")


@pytest.fixture(scope="module")
def fish(demo):
    return str(demo / "pictures" / "fish-6.png")


def run(program, *words, **options):
    return subprocess.run([str(program), *map(str, words)], capture_output=True, text=True, **options)


# ---- bits ----

# What makes a method quick where its defaults take long; an option is used where the method has it.
QUICK = {"steps": 6, "samples": 2, "window": 32, "stride": 32, "moves": 4, "sigma": 8}
METHODS = list(_core.methods()) + ["auto", "gig:2", "smooth+gradients", "smooth+gig:1", "xrai+ig", "xrai+smooth+gradients"]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_the_programs_bits(model, program, demo, fish, tmp_path, method):
    if method == "auto":  # the default of both
        asked, given = [], {"steps": 42}
        flags = ["--steps", 42]
    else:
        given = {name: value for name, value in QUICK.items() if model._core.method_takes(method, name)}
        asked, flags = [method], ["-m", method + "".join(f"/{name}={value}" for name, value in given.items())]
    done = run(program, "explain", demo / "model.onnx", fish, "--npy", tmp_path / "map.npy", *flags)
    assert done.returncode == 0, done.stderr
    found = model.explain(fish, *asked, **given).attributions
    assert found.tobytes() == np.load(tmp_path / "map.npy")[0].tobytes()


def test_drawings_have_the_programs_pixels(model, program, demo, fish, tmp_path):
    """--bare is the map alone; sheets differ in their captions."""
    for look in ("overlay", "heat", "mask", "alpha"):
        for display in ("auto", "signed"):
            name = f"{look}-{display}.png"
            done = run(program, "explain", demo / "model.onnx", fish, "-m", "ig/steps=5", "--bare", "--look", look, "--display",
                       display, "-o", tmp_path / name)
            assert done.returncode == 0, done.stderr
            model.explain(fish, "ig", steps=5).save(tmp_path / f"own-{name}", look=look, display=display, bare=True)
            assert (tmp_path / name).read_bytes() == (tmp_path / f"own-{name}").read_bytes(), name


def test_the_default_methods_to_compare(model, program, fish):
    told = run(program, "compare", "--help").stdout
    wanted = re.sub(r"\s+", " ", re.search(r"--methods.*?Default: (.*?)\.\n", told, re.S).group(1))
    assert wanted == _core.methods_to_compare
    assert inspect.signature(model.compare).parameters["methods"].default == wanted


# ---- flags ----

# Flags that Python has by another name, or that only make sense on a command line.
ELSEWHERE = {
    "class": "target=", "tensor": "tensor=True, and inputs= of gig.Model", "pixels": "an array of floats", "shape": "shapes= of gig.Model",
    "out": "Result.save", "npy": "Result.save", "npz": "numpy.savez", "json": "Result.numbers()", "quiet": "progress=", "help": "help()",
    "tokens": "labels= of Result.save", "columns": "labels= of Result.save", "dry-run": "the command line alone",
}


def flags_of(program, command):
    return sorted(set(re.findall(r"^ +(?:-\w, |    )--([a-z-]+)", run(program, command, "--help").stdout, re.M)))


@pytest.mark.parametrize("command", ["explain", "compare"])
def test_every_flag_has_an_equivalent(model, program, demo, command):
    """An option added in C is found here without a line of Python; a flag that is not makes this fail."""
    methods = [name for name in METHODS if name != "auto"]
    said = set(inspect.signature(getattr(model, command)).parameters) | set(inspect.signature(gig.Result.save).parameters)
    flags = flags_of(program, command)
    assert len(flags) > 30
    missing = []
    for flag in flags:
        name = flag.replace("-", "_")
        if flag in ELSEWHERE or name in said or flag in _core.explain_options():
            continue
        if any(model._core.method_takes(method, flag) for method in methods):
            continue
        try:
            gig.Model(demo / "model.onnx", lazy=True, **{name: "yes"})
        except gig.ArgumentError as error:
            if "has no option" in str(error):
                missing.append(flag)
        except gig.Error:
            pass
    assert missing == []


# ---- the same words ----

MISTAKES = [
    ("nothing.onnx FISH", gig.FileError, lambda m, f: gig.Model("nothing.onnx")),
    ("empty.onnx FISH", gig.FormatError, lambda m, f: gig.Model("empty.onnx")),
    ("broken.onnx FISH", gig.FormatError, lambda m, f: gig.Model("broken.onnx")),
    ("bad.onnx FISH", gig.FormatError, lambda m, f: gig.Model("bad.onnx")),
    ("MODEL broken.png", gig.FormatError, lambda m, f: m.explain("broken.png")),
    ("MODEL FISH -m nonsense", gig.ArgumentError, lambda m, f: m.explain(f, "nonsense")),
    ("MODEL FISH -m gig:20/nonsense=3", gig.ArgumentError, lambda m, f: m.explain(f, "gig:20/nonsense=3")),
    ("MODEL FISH -m ig/steps=x", gig.ArgumentError, lambda m, f: m.explain(f, "ig/steps=x")),
    ("MODEL FISH -m gig:20 --steps 5", gig.ArgumentError, lambda m, f: m.explain(f, "gig:20", steps=5)),
    ("MODEL FISH --steps 0", gig.ArgumentError, lambda m, f: m.explain(f, steps=0)),
    ("MODEL FISH --steps many", gig.ArgumentError, lambda m, f: m.explain(f, steps="many")),
    ("MODEL FISH --fraction 2", gig.ArgumentError, lambda m, f: m.explain(f, fraction=2)),
    ("MODEL FISH --rule wrong", gig.ArgumentError, lambda m, f: m.explain(f, rule="wrong")),
    ("MODEL FISH --tolerance x", gig.ArgumentError, lambda m, f: m.explain(f, tolerance="x")),
    ("MODEL FISH --baseline grey", gig.ArgumentError, lambda m, f: m.explain(f, baseline="grey")),
    ("MODEL FISH --baseline nothing.npy", gig.FileError, lambda m, f: m.explain(f, baseline="nothing.npy")),
    ("MODEL FISH --baseline nothing.png", gig.FileError, lambda m, f: m.explain(f, baseline="nothing.png")),
    ("MODEL FISH --preset nonsense", gig.ArgumentError, lambda m, f: gig.Model(m.path, preset="nonsense")),
    ("MODEL FISH --output nonsense", gig.ArgumentError, lambda m, f: gig.Model(m.path, output="nonsense")),
    ("MODEL FISH -m grad-cam --at nonsense", gig.ArgumentError, lambda m, f: gig.Model(m.path, cam="nonsense").explain(f, "grad-cam")),
    ("MODEL FISH --region 1,2", gig.ArgumentError, lambda m, f: m.explain(f, region="1,2")),
    ("MODEL FISH --index 99", gig.ArgumentError, lambda m, f: m.explain(f, index=99)),
    ("MODEL FISH --weights nothing.npy", gig.FileError, lambda m, f: m.explain(f, weights="nothing.npy")),
    ("MODEL FISH -o map.xyz", gig.ArgumentError, lambda m, f: m.explain(f, "gradients").save("map.xyz")),
    # the program names the picture, of which it may have many
    ("MODEL FISH --class nonsense", gig.ArgumentError, lambda m, f: m.explain(f, target="nonsense")),
    ("MODEL FISH --class 99", gig.ArgumentError, lambda m, f: m.explain(f, target=99)),
]


@pytest.mark.parametrize("words, kind, call", MISTAKES, ids=[row[0] for row in MISTAKES])
def test_the_programs_words(model, program, demo, fish, tmp_path, monkeypatch, words, kind, call):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.onnx").write_bytes(b"")
    (tmp_path / "broken.onnx").write_bytes(b"nonsense")
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n nothing")
    shutil.copy(demo / "model.onnx", tmp_path / "bad.onnx")
    (tmp_path / "bad.json").write_text('{"input": 3}')
    names = {"MODEL": model.path, "FISH": fish}
    done = run(program, "explain", *(names.get(word, word) for word in words.split()))
    with pytest.raises(kind) as caught:
        call(model, fish)
    named = f"{fish}: " if "--class" in words else ""
    assert done.stderr == f"gig: {named}{caught.value}\n"
    assert done.returncode == {gig.ArgumentError: 1, gig.FormatError: 2, gig.FileError: 5}[kind]


def test_what_is_unsupported_is_said_in_the_programs_words(program, fish, tmp_path):
    helper, onnx = pytest.importorskip("onnx.helper"), pytest.importorskip("onnx")
    value = helper.make_tensor_value_info
    nodes = [helper.make_node("Det", ["x"], ["y"]), helper.make_node("Flatten", ["y"], ["out"])]
    graph = helper.make_graph(nodes, "g", [value("x", 1, [1, 3, 8, 8])], [value("out", 1, [1, 3])])
    path = str(tmp_path / "det.onnx")
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), path)
    done = run(program, "explain", path, fish)
    with pytest.raises(gig.UnsupportedError) as caught:
        gig.Model(path).explain(fish)
    assert "Det" in str(caught.value)
    assert str(caught.value) in done.stderr and done.returncode == 4
