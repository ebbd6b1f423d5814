# SPDX-License-Identifier: Apache-2.0
"""What functions, observers and progress callbacks may do, and how their errors are reported."""

import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc

import numpy as np
import pytest

import gig
from conftest import WEIGHTS, square
from leaking import Broken, allocated, kinds, raising, repeat


@pytest.mark.parametrize("functions", [raising, [raising, raising]])
def test_an_exception_comes_out_as_it_is(x, functions):
    with pytest.raises(Broken, match="my own words") as caught:
        gig.explain(functions, x)
    assert any(entry.name == "raising" for entry in caught.traceback)


def test_a_function_is_not_called_again_after_an_exception(x):
    calls = []

    def once(points):
        calls.append(len(points))
        raise Broken

    with pytest.raises(Broken):
        gig.explain(once, x, method="gig:9", batch=8)
    assert len(calls) == 1


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, MemoryError, StopIteration])
def test_any_exception_comes_out(x, error):
    def bad(points):
        raise error

    with pytest.raises(error):
        gig.explain(bad, x)


@pytest.mark.parametrize("given, message", [
    (lambda points: 1.0, "tuple"),
    (lambda points: (1.0,), "tuple"),
    (lambda points: [1.0, points], "tuple"),
    (lambda points: (1.0, points[:, :5]), "gradients of shape"),
    (lambda points: (1.0, points[0, 0]), "gradients of shape"),
    (lambda points: (1.0, np.stack([points, points])), "gradients of shape"),
    (lambda points: (np.ones(3), points), "3 values for 1 points"),
    (lambda points: (np.ones(0), points), "0 values"),
])
def test_wrong_returns_are_said(x, given, message):
    with pytest.raises(gig.ArgumentError, match=message):
        gig.explain(given, x)


def test_returns_that_are_no_numbers_are_refused(x):
    with pytest.raises((TypeError, ValueError)):
        gig.explain(lambda points: ("a", points), x)
    with pytest.raises((TypeError, ValueError)):
        gig.explain(lambda points: (1.0, "a"), x)


@pytest.mark.parametrize("kind", [np.float16, np.float64, np.int64])
def test_gradients_of_other_types_are_converted(x, kind):
    result = gig.explain(lambda points: (points.sum(1).astype(kind), np.ones(points.shape, kind)), x, method="ig")
    assert result.attributions == pytest.approx(x, rel=1e-5)


def test_gradients_of_a_single_point_need_no_batch(x):
    result = gig.explain(lambda points: (float(points.sum()), np.ones(10)), x, method="ig")
    assert result.attributions == pytest.approx(x, rel=1e-5)


def test_gradients_may_be_non_contiguous(x):
    wide = np.ones((1, 20), np.float32)
    assert gig.explain(lambda points: (points.sum(1), wide[:, ::2]), x, method="ig").sum == pytest.approx(float(x.sum()), rel=1e-5)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_found(x, bad):
    with pytest.raises(gig.NumericError, match="step 0"):
        gig.explain(lambda points: (bad, points), x)

    def gradient(points):
        out = np.ones_like(points)
        out[0, 3] = bad
        return 1.0, out

    with pytest.raises(gig.NumericError, match="feature 3|gradient"):
        gig.explain(gradient, x)


def test_inputs_that_are_not_finite_are_found(function, x):
    x[4] = np.nan
    with pytest.raises(gig.NumericError):
        gig.explain(function, x)


def test_points_may_be_kept(x):
    kept = []

    def keeping(points):
        kept.append(points)
        return square(points)

    gig.explain(keeping, x, method="ig", steps=5)
    assert len({one.ctypes.data for one in kept}) == len(kept)
    assert kept[0].flags.owndata and kept[0].flags.writeable


def test_a_function_is_called_in_the_calling_thread(x):
    seen = set()

    def where(points):
        seen.add(threading.get_ident())
        return square(points)

    gig.explain(where, x, method="gig:5", steps=30)
    assert seen == {threading.get_ident()}
    seen.clear()
    gig.explain([where, where], x, method="gig:5", steps=30)
    assert threading.get_ident() not in seen


def test_explaining_inside_a_function(x):
    def nested(points):
        inner = gig.explain(square, points[0], method="ig", steps=3)
        return inner.value, 2 * points * WEIGHTS

    assert gig.explain(nested, x, method="ig", steps=4).sum == pytest.approx(float((x * x) @ WEIGHTS), rel=1e-4)


# ---- progress ----

def test_progress_counts_as_a_callback(demo):
    """Inside, the model is busy; afterwards it is as before, also when another thread uses it."""
    model = gig.Model(demo / "model.onnx", threads=1)
    x = model.point(demo / "pictures" / "fish-6.png")
    said = []

    def ask(done, expected):
        try:
            model.value(x)
        except gig.ArgumentError as error:
            said.append(str(error))

    model.explain(x, "ig", steps=100, progress=ask)
    assert said and all("inside its own callbacks" in one for one in said)
    held = threading.Thread(target=lambda: model.explain(x, "ig", steps=60))
    held.start()
    while held.is_alive():
        model.value(x)  # waits
    held.join()


def test_progress_is_told_and_ends_at_the_end(function, x):
    told = []

    def slow(points):
        time.sleep(0.002)
        return function(points)

    gig.explain(slow, x, method="ig", steps=100, progress=lambda done, expected: told.append((done, expected)))
    assert len(told) > 1
    assert told == sorted(told)
    assert told[-1][0] == told[-1][1]


def test_an_exception_in_progress_stops(function, x):
    def stop(done, expected):
        raise Broken

    for functions in (function, [function, function]):
        with pytest.raises(Broken):
            gig.explain(functions, x, method="ig", steps=200000, progress=stop)


def test_nothing_is_printed(function, x, capfd):
    gig.explain(function, x)
    gig.explain(function, x, progress=False)
    gig.explain(function, x, progress=None)
    assert capfd.readouterr() == ("", "")


def test_a_bar_is_shown_on_demand_alone(function, x, capfd):
    gig.explain(function, x, progress=True)
    assert capfd.readouterr().out == ""


def test_a_bar_without_tqdm(function, x, monkeypatch, capsys):
    from gig._progress import Bar

    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    bar = Bar()
    bar._line = True
    bar(5, 10)
    bar.close()
    assert "5/10 gradients" in capsys.readouterr().err


# ---- observers ----

def test_an_observer_sees_the_path(function, x):
    seen = []
    result = gig.explain(function, x, method="gig:0", steps=12, observe=seen.append)
    assert [view.step for view in seen] == list(range(13))
    assert np.array_equal(seen[0].point, np.zeros(10))
    assert np.array_equal(seen[-1].point, x)
    assert seen[-1].last and not seen[0].last
    assert seen[-1].total == pytest.approx(result.attributions, rel=1e-5)
    assert seen[3].value == pytest.approx(function(seen[3].point[None])[0][0], rel=1e-5)
    assert seen[3].gradient == pytest.approx(2 * seen[3].point * WEIGHTS, rel=1e-5)


def test_an_observers_arrays_have_the_inputs_shape():
    seen = []
    gig.explain(lambda points: (points.sum((1, 2)), np.ones_like(points)), np.ones((2, 5)), method="gig:0", steps=3,
                observe=seen.append)
    assert {view.point.shape for view in seen} == {(2, 5)}


def test_an_exception_in_an_observer_comes_out(function, x):
    def bad(view):
        raise Broken

    for functions in (function, [function, function]):
        with pytest.raises(Broken):
            gig.explain(functions, x, observe=bad)


# ---- interrupts ----

@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_stops_within_a_step(function, x, threads):
    functions = function if threads == 1 else [function] * threads
    began = time.monotonic()
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        gig.explain(functions, x, method="ig", steps=10_000_000)
    assert time.monotonic() - began < 60


def test_a_handler_of_ones_own_runs_meanwhile(function, x):
    seen = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: seen.append(number))
    try:
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        gig.explain([function, function], x, method="ig", steps=30000)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert seen == [signal.SIGUSR1]


def test_other_threads_run_meanwhile(demo):
    """Python would switch threads after 1,000 s: another one runs only where the GIL is given away."""
    model = gig.Model(demo / "model.onnx", threads=1)
    pixels = model.point(demo / "pictures" / "fish-6.png")
    counted = [0]
    stop = threading.Event()

    def count():
        while not stop.wait(0.0001):
            counted[0] += 1

    other = threading.Thread(target=count)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        other.start()
        at_first = counted[0]
        model.explain(pixels, "ig", steps=50, target=6)
        meanwhile = counted[0] - at_first
    finally:
        stop.set()
        sys.setswitchinterval(before)
        other.join()
    assert meanwhile > 0


def test_several_threads_explain_at_once(function, x):
    wanted = gig.explain(function, x, method="gig:4", steps=50).attributions
    found = [None] * 4

    def work(i):
        found[i] = gig.explain(function, x, method="gig:4", steps=50).attributions

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(one, wanted) for one in found)


# ---- memory ----

WIDE = np.ones(5000, np.float32)
LEAKS = kinds(WIDE)
CALLS = 1000
SMALLEST_OBJECT = sys.getsizeof(object())  # 16 bytes, as tracemalloc counts
SMALLEST_BLOCK = 32  # of malloc on 64 bits, its header included, as mallinfo counts


def in_use():
    found = allocated()
    return found if found is not None else pytest.skip("the C library has no mallinfo2")


@pytest.mark.parametrize("what", LEAKS)
def test_nothing_leaks_over_a_thousand_calls(what):
    """Whatever leaks at every call takes at least its smallest block each time; what grows by less is not a leak of calls.

    Single blocks that are lost are long_valgrind.sh's to find.
    """
    repeat(LEAKS[what], CALLS // 10)
    tracemalloc.start()
    try:
        repeat(LEAKS[what], 1)
        python, library = tracemalloc.get_traced_memory()[0], in_use()
        repeat(LEAKS[what], CALLS)
        assert tracemalloc.get_traced_memory()[0] - python < CALLS * SMALLEST_OBJECT
        assert in_use() - library < CALLS * SMALLEST_BLOCK
    finally:
        tracemalloc.stop()


def test_a_model_leaks_nothing(demo):
    x = gig.Model(demo / "model.onnx", threads=1).point(demo / "pictures" / "fish-6.png")

    def once():
        model = gig.Model(demo / "model.onnx", threads=1)
        assert model.explain(x, "gradients", target=6).value > 0.9
        with pytest.raises(gig.Error):
            model.explain(x, "gradients", index=99)

    repeat(once, 5)
    before = in_use()
    repeat(once, 20)
    assert in_use() - before < 20 * 1024  # the model's weights alone are half a megabyte each time


def test_functions_and_arrays_are_let_go(x):
    class Function:
        def __call__(self, points):
            return square(points)

    import weakref

    function = Function()
    gone = weakref.ref(function)
    before = sys.getrefcount(x)
    result = gig.explain(function, x, observe=lambda view: None)
    del function
    assert gone() is None
    assert sys.getrefcount(x) == before
    array = result.attributions
    del result
    assert np.isfinite(array).all()  # it keeps its memory


def test_import_needs_neither_torch_nor_pillow():
    code = "import gig, sys; print('torch' in sys.modules, 'PIL' in sys.modules, 'tqdm' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).split() == ["False"] * 3
