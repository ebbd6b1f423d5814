# SPDX-License-Identifier: Apache-2.0
"""gig.explain on functions with known integrals."""

import numpy as np
import pytest

import gig
from conftest import WEIGHTS, square


@pytest.mark.parametrize("method", ["ig", "gig:0/rule=trapezoid", "gig:3/rule=midpoint", "gig:2/fraction=0.5",
                                    "gig/max-dist=0.1", "ig/rule=trapezoid", "ig/rule=gauss-legendre/steps=5",
                                    "smooth+ig/noise=0/samples=2"])
def test_path_methods_add_up_on_a_square(function, x, method):
    result = gig.explain(function, x, method=method if "=5" in method else method + "/steps=400")
    assert result.value_baseline == 0
    assert result.sum == pytest.approx(float((x * x) @ WEIGHTS), rel=0.01)
    assert result.attributions == pytest.approx(WEIGHTS * x * x, rel=0.02)


def test_ig_of_a_square_is_exact_by_its_midpoints(function, x):
    result = gig.explain(function, x, method="ig", steps=7)
    assert result.attributions == pytest.approx(WEIGHTS * x * x, rel=1e-6)
    assert abs(result.delta) < 1e-5
    assert result.evaluations == 7


def test_gradients_are_the_functions_own(function, x):
    assert np.array_equal(gig.explain(function, x, method="gradients").attributions, 2 * x * WEIGHTS)


def test_gradients_x_input(function, x):
    assert gig.explain(function, x, method="gradients-x-input").attributions == pytest.approx(2 * x * x * WEIGHTS)


@pytest.mark.parametrize("baseline, start", [(0, 0.0), (1, 1.0), (0.25, 0.25), ("black", 0.0), ("white", 1.0),
                                             (np.full(10, 0.25), 0.25), ([0.5] * 10, 0.5), (np.float32(0.75), 0.75)])
def test_baselines(function, x, baseline, start):
    result = gig.explain(function, x, method="ig", baseline=baseline)
    assert result.attributions == pytest.approx(WEIGHTS * (x * x - start * start), rel=1e-4, abs=1e-5)


def test_black_and_white_is_the_mean_of_both(function, x):
    both = gig.explain(function, x, method="ig", baseline="black+white")
    assert both.attributions == pytest.approx(WEIGHTS * (x * x - 0.5), rel=1e-4)
    assert both.chains == 2


def test_random_baselines_come_from_the_seed(function, x):
    def explained(seed):
        return gig.explain(function, x, method="ig", baseline="random:3", seed=seed).attributions

    assert np.array_equal(explained(1), explained(1))
    assert not np.array_equal(explained(1), explained(2))


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.int32, np.int64, np.uint8, np.bool_])
def test_any_real_type_is_taken(function, kind):
    values = np.ones(10, kind)
    assert gig.explain(function, values, method="ig").attributions == pytest.approx(WEIGHTS, rel=1e-5)


@pytest.mark.parametrize("wrong", [np.ones(10, np.complex64), np.array(["a"] * 10), np.array([object()] * 10, object),
                                   np.array(["2020-01-01"] * 10, "datetime64[D]"), None])
def test_other_types_are_refused(function, wrong):
    with pytest.raises(TypeError, match="expected an array of real numbers"):
        gig.explain(function, wrong)


def test_ragged_lists_are_refused(function):
    with pytest.raises((gig.ArgumentError, TypeError)):
        gig.explain(function, [[1, 2], [3]])


def test_an_empty_array_is_refused(function):
    with pytest.raises(gig.ArgumentError, match="empty"):
        gig.explain(function, np.zeros((0, 3)))


def test_non_contiguous_arrays_are_read_right(function, x):
    wide = np.zeros((10, 3), np.float32)
    wide[:, 1] = x
    whole = gig.explain(function, x, method="ig").attributions
    assert np.array_equal(gig.explain(function, wide[:, 1], method="ig").attributions, whole)
    assert np.array_equal(gig.explain(function, x[::-1][::-1], method="ig").attributions, whole)


def test_fortran_order_is_read_right():
    grid = np.arange(12, dtype=np.float32).reshape(3, 4)
    weight = np.arange(12, dtype=np.float32).reshape(3, 4) + 1

    def linear(points):
        return (points * weight).sum((1, 2)), np.broadcast_to(weight, points.shape)

    result = gig.explain(linear, np.asfortranarray(grid), method="ig")
    assert result.attributions == pytest.approx(grid * weight, rel=1e-5)


def test_read_only_arrays_are_taken_and_left_alone(function, x):
    x.setflags(write=False)
    before = x.copy()
    gig.explain(function, x, method="gig:2", steps=30)
    assert np.array_equal(x, before)


def test_big_endian_arrays_are_converted(function, x):
    swapped = x.astype(">f4")
    assert np.array_equal(gig.explain(function, swapped, method="ig").attributions,
                          gig.explain(function, x, method="ig").attributions)


def test_anything_with_a_buffer_is_taken(function):
    import array

    assert gig.explain(function, array.array("f", [1] * 10), method="ig").attributions == pytest.approx(WEIGHTS, rel=1e-5)
    assert gig.explain(function, memoryview(np.ones(10, np.float32)), method="ig").sum == pytest.approx(55, rel=1e-5)
    assert gig.explain(function, [1.0] * 10, method="ig").sum == pytest.approx(55, rel=1e-5)


def test_points_have_the_inputs_shape():
    shapes = set()

    def seen(points):
        shapes.add(points.shape)
        return points.reshape(len(points), -1).sum(1), np.ones_like(points)

    result = gig.explain(seen, np.ones((2, 3, 4)), method="ig", steps=4, batch=1)
    assert shapes == {(1, 2, 3, 4)}
    assert result.attributions.shape == (2, 3, 4)


def test_a_scalar_input_is_a_point():
    result = gig.explain(lambda points: (points ** 2, 2 * points), 3.0, method="ig")
    assert result.attributions.shape == ()
    assert float(result.attributions) == pytest.approx(9, rel=1e-5)


def test_up_to_batch_points_come_at_once(function, x):
    sizes = []

    def counted(points):
        sizes.append(len(points))
        return square(points)

    result = gig.explain(counted, x, method="gig:9", steps=100, batch=4)
    assert max(sizes) == 4
    assert np.array_equal(result.attributions, gig.explain(function, x, method="gig:9", steps=100).attributions)


def test_values_alone_are_asked_of_value(x):
    calls = {"both": 0, "value": 0}

    class Function:
        def __call__(self, points):
            calls["both"] += 1
            return square(points)

        def value(self, points):
            calls["value"] += 1
            return square(points)[0]

    result = gig.explain(Function(), x, method="ig", steps=10)
    assert calls == {"both": 10, "value": result.values}


def test_a_list_gives_a_list(function, x):
    results = gig.explain(function, [x, 2 * x], method="ig")
    assert isinstance(results, list) and len(results) == 2
    assert np.array_equal(results[0].attributions, gig.explain(function, x, method="ig").attributions)
    assert results[1].attributions == pytest.approx(4 * results[0].attributions, rel=1e-4)


def test_inputs_of_different_shapes_are_refused(function, x):
    with pytest.raises(gig.ArgumentError, match="different shapes"):
        gig.explain(function, [x, x[:5]])


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_bits_do_not_depend_on_threads(function, x, threads):
    one = gig.explain(function, x, method="gig:6", steps=70)
    several = gig.explain([function] * threads, x, method="gig:6", steps=70)
    assert np.array_equal(one.attributions, several.attributions)
    assert one.sum == several.sum


@pytest.mark.parametrize("options, message", [
    (dict(method="nonsense"), "nonsense"),
    (dict(nonsense=3), "nonsense"),
    (dict(method="gradients", steps=4), "does not apply"),
    (dict(method="paper", repeat=2), "does not apply to paper"),
    (dict(steps=0), "steps"),
    (dict(steps="many"), "steps"),
    (dict(fraction=2.0), "fraction"),
    (dict(rule="wrong"), "rule"),
    (dict(baseline=np.zeros(3)), "shape"),
    (dict(baseline="grey"), "baseline"),
    (dict(method="gig:20", steps=5), "20|21|steps"),
    (dict(method="edge"), "picture"),
    (dict(method="grad-cam"), "model"),
    (dict(layout="xyz"), "layout"),
    (dict(layout="hwc"), "not an image"),
    (dict(seed=-1), "seed"),
    (dict(seed=1.5), "seed"),
    (dict(batch=0), "batch"),
    (dict(batch=2.5), "batch"),
])
def test_what_is_wrong_is_said(function, x, options, message):
    with pytest.raises(gig.ArgumentError, match=message):
        gig.explain(function, x, **options)


@pytest.mark.parametrize("options", [dict(steps=[3]), dict(method=3), dict(progress=3), dict(observe=3),
                                     dict(rule=object())])
def test_wrong_types_of_arguments_are_refused(function, x, options):
    with pytest.raises(TypeError):
        gig.explain(function, x, **options)


@pytest.mark.parametrize("wrong", [3, None, [3], "text"])
def test_what_is_no_function_is_refused(x, wrong):
    with pytest.raises(TypeError, match="function"):
        gig.explain(wrong, x)


def test_options_have_the_command_lines_names(function, x):
    result = gig.explain(function, x, method="gig:20", steps=44, max_dist=0.25, fraction_of="remaining", close=True)
    assert result.method == "gig:20/close=yes/fraction-of=remaining/max-dist=0.25/steps=44"
    assert {"close": "yes", "fraction-of": "remaining", "max-dist": "0.25", "steps": "44"}.items() <= result.options.items()


def test_an_option_of_none_is_not_given(function, x):
    assert gig.explain(function, x, method="gig:20", steps=None, tolerance=None).method == "gig:20"


def test_a_tolerance_is_met(function, x):
    coarse = gig.explain(function, x, method="gig:0", steps=20)
    fine = gig.explain(function, x, method="gig:0", steps=20, tolerance=0.001)
    assert abs(fine.delta) < 0.001 * fine.value < abs(coarse.delta)
    assert fine.stopped == 0 and fine.evaluations > coarse.evaluations


def test_pictures_by_layout():
    rng = np.random.default_rng(0)
    hwc = rng.random((8, 9, 3), np.float32)
    edge = gig.explain(lambda points: (0.0, points), hwc, method="edge", layout="hwc")
    assert edge.attributions.shape == (8, 9, 1)
    planar = gig.explain(lambda points: (0.0, points), hwc.transpose(2, 0, 1), method="edge", layout="chw")
    assert np.array_equal(edge.attributions, planar.attributions)
    grey = gig.explain(lambda points: (0.0, points), hwc[:, :, 0], method="edge", layout="hw")
    assert grey.attributions.shape == (8, 9)


def test_segments_of_ones_own():
    labels = np.repeat([[0, 1, 2, 3]], 8, axis=0).repeat(2, axis=1)
    picture = np.full((8, 8, 3), 0.5, np.float32)
    weight = np.zeros((8, 8, 3), np.float32)
    weight[:, 4:6] = 1

    def linear(points):
        return (points * weight).sum((1, 2, 3)), np.broadcast_to(weight, points.shape)

    result = gig.explain(linear, picture, method="xrai+ig", layout="hwc", segments=labels, min_pixels=1, steps=4)
    best = result.reduced("sum") == result.attributions.max()
    assert np.array_equal(best, labels == 2)
    masks = np.stack([labels == label for label in range(4)])
    again = gig.explain(linear, picture, method="xrai+ig", layout="hwc", segments=masks, min_pixels=1, steps=4)
    assert np.array_equal(result.attributions, again.attributions)


@pytest.mark.parametrize("segments, error", [(np.zeros((3, 3), int), gig.ArgumentError), (np.zeros(4, int), gig.ArgumentError),
                                             (np.zeros((8, 8)), TypeError)])
def test_wrong_segments_are_refused(segments, error):
    with pytest.raises(error, match="segments"):
        gig.explain(lambda points: (0.0, points), np.zeros((8, 8, 3)), method="xrai+ig", layout="hwc", segments=segments)
