# SPDX-License-Identifier: Apache-2.0
"""Numbers about maps: gig.score.auc(result, mask), gig.score.sic(result, model, "cat.jpg"), gig.score.gini(result).

There is one function for each metric of the library, by its name; metric() takes names with options, as the command line
does: metric("auc/reduction=max", result, mask=mask).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, List, Optional, Tuple, Union

import numpy as np

from . import _convert, _core
from ._core import ArgumentError
from ._model import Model
from ._result import Result

if TYPE_CHECKING:
    import numpy.typing as npt

    Map = Union[Result, npt.ArrayLike]
    Curve = Tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]
_NAN = float("nan")


class Score(float):
    """A number; NaN if it is not defined, and note then says why. curve: (x, y) where the metric has one."""

    note: str
    curve: Optional[Curve]

    def __new__(cls, value: float, note: str = "", curve: Optional[Curve] = None) -> "Score":
        self = super().__new__(cls, value)
        self.note = note
        self.curve = curve
        return self


def names() -> List[str]:
    """All metrics."""
    return _core.metrics()


def _map(result: Map) -> npt.NDArray[np.float32]:
    values = result._channels_last() if isinstance(result, Result) else _convert.floats(result, "map")
    if values.ndim == 2:
        values = values[:, :, None]
    if values.ndim != 3:
        raise ArgumentError(f"a map must be [height, width] or [height, width, channels], found {values.shape}")
    return np.ascontiguousarray(values)


def _mask(mask: Any, model: Optional[Model], size: Tuple[int, ...]) -> Any:
    """0 outside, 1 inside, 2 unknown; a file is resized to the model's size."""
    if mask is None:
        return None
    if isinstance(mask, (str, os.PathLike)):
        read = _core.read_mask(os.fspath(mask), None if model is None else model._core)
        if read.shape != size and model is None:
            raise ArgumentError(f"{os.fspath(mask)}: the mask has {read.shape[1]} x {read.shape[0]} pixels, the map {size[1]} x "
                                f"{size[0]}: give the model too, which says how a picture is brought to its size")
        return read
    values = _convert.array(mask, "mask")
    if values.dtype.kind == "f" or values.size == 0 or values.min() < 0 or values.max() > 2:
        raise ArgumentError("mask: expected booleans, or 0 (outside), 1 (inside) and 2 (unsure)")
    return np.require(values, np.uint8, "C")


def metric(name: str, result: Map, model: Optional[Model] = None, picture: Any = None, *, mask: Any = None,
           target: Optional[int] = None, of: Optional[str] = None, baseline: Any = None, seed: int = 0,
           **options: Any) -> Score:
    """One score by its name.

    result: a gig.Result, or a map [height, width] or [height, width, channels]. mask: an array at the map's size, or a
    file. model and picture: for the metrics that need the model. target and of: those of the result by default.
    options: the metric's, by name.
    """
    if not isinstance(name, str):
        raise TypeError(f"metric: expected a name, found {type(name).__name__}")
    for key, value in options.items():
        name += f"/{key.replace('_', '-')}={_convert.option_text(key, value)}"
    if model is not None and not isinstance(model, Model):
        raise TypeError(f"model: expected a gig.Model, found {type(model).__name__}")
    core = result._core if isinstance(result, Result) else None
    pixels = None
    if picture is not None and model is None:
        raise ArgumentError("picture: a model is needed to bring it to its size")
    if picture is None and isinstance(result, Result):
        point = result.picture
    else:
        point = None if picture is None or model is None else model.point(picture)
    if point is not None:
        pixels = np.ascontiguousarray(np.rint(np.clip(point, 0, 1) * 255), dtype=np.uint8)
    values = _map(result)
    start = None
    if baseline is not None:
        named, start = _convert.baseline_of(baseline, values.shape[:2] + (3,))
        if named == "white":
            start = np.ones(values.shape[:2] + (3,), np.float32)
        elif named not in (None, "black"):
            raise ArgumentError('baseline: expected "black", "white", a number or an array')
    sums = (result.sum, result.value_input, result.value_baseline) if isinstance(result, Result) else (_NAN, _NAN, _NAN)
    method = result.method if isinstance(result, Result) else "gig:20"
    if target is None:
        target = result.target if isinstance(result, Result) else 0
        if core is None and model is not None and pixels is not None:
            target = model.top(pixels, 1)[0].target
    of = of or (core.of if core is not None else None) or None
    value, note, curve = _core.score(name, values, _mask(mask, model, values.shape[:2]), pixels, start,
                                     None if model is None else model._core, target, of, method, sums, seed,
                                     method.split("/")[0] in ("gradients", "guided-backprop"), 8)
    return Score(value, note, curve)


def auc(result: Map, mask: Any, model: Optional[Model] = None, **options: Any) -> Score:
    """ROC area of the map against a mask: P(inside > outside) + P(equal) / 2."""
    return metric("auc", result, model, mask=mask, **options)


def pointing(result: Map, mask: Any, model: Optional[Model] = None, **options: Any) -> Score:
    """1 if a pixel with the largest value lies in the mask, else 0."""
    return metric("pointing", result, model, mask=mask, **options)


def __getattr__(name: str) -> Callable[..., Score]:
    """One function for each metric: name(result, model=None, picture=None, **options)."""
    if name.startswith("_") or name not in names():
        raise AttributeError(f"module 'gig.score' has no attribute {name!r}; the metrics are {', '.join(names())}")

    def function(result: Map, model: Optional[Model] = None, picture: Any = None, **options: Any) -> Score:
        return metric(name, result, model, picture, **options)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The score {name!r}: see metric()."
    return function


def __dir__() -> List[str]:
    return sorted(set(globals()) | set(names()))
