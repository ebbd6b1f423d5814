# SPDX-License-Identifier: Apache-2.0
"""explain: any method on any function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union, overload

import numpy as np

from . import _convert, _core
from ._core import ArgumentError
from ._path import Path, introduce
from ._progress import Follow, Progress
from ._result import Result

if TYPE_CHECKING:
    import numpy.typing as npt

    Points = npt.NDArray[np.float32]
    Function = Callable[[Points], Tuple[Any, Any]]


class View(NamedTuple):
    """One point of a path, as an observer sees it. Points of one walk come in order; walks interleave.

    step == steps: the walk's end. total: at a walk's end, the attributions of the whole path up to there. gradient is
    None where the rule needs none.
    """

    chain: int
    walk: int
    walks: int
    step: int
    steps: int
    alpha: float
    value: float
    last: bool
    point: npt.NDArray[np.float32]
    gradient: Optional[npt.NDArray[np.float32]]
    attributions: Optional[npt.NDArray[np.float64]]
    total: Optional[npt.NDArray[np.float64]]


Observer = Callable[[View], Any]


def observer(observe: Optional[Observer], shape: Optional[Tuple[int, ...]] = None) -> Optional[Callable[[Dict[str, Any]], Any]]:
    """For gig._core, which passes a dict of arrays."""
    if observe is None:
        return None
    if not callable(observe):
        raise TypeError(f"observe: expected a function, found {type(observe).__name__}")
    call = observe

    def told(seen: Dict[str, Any]) -> None:
        if shape is not None:
            seen = {name: value.reshape(shape) if isinstance(value, np.ndarray) else value for name, value in seen.items()}
        call(View(**seen))

    return told


def _functions(function: Union[Function, Sequence[Function]]) -> Tuple[Tuple[Function, Any], ...]:
    try:
        every: Tuple[Function, ...] = (function,) if callable(function) else tuple(function)
    except TypeError:
        raise TypeError(f"expected a function of points, found {type(function).__name__}") from None
    if not every:
        raise ArgumentError("expected a function, or a sequence with one for each thread; found an empty sequence")
    for one in every:
        if not callable(one):
            raise TypeError(f"expected a function of points, found {type(one).__name__}")
    return tuple((one, getattr(one, "value", None)) for one in every)


def seed_of(seed: Any) -> int:
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**63:
        raise ArgumentError(f"seed: expected an integer from 0 on, found {seed!r}")
    return int(seed)


def method_of(method: Any, core: _core.Explainer) -> str:
    """The method's name; a path of the user's own is added to the explainer."""
    if isinstance(method, Path):
        method = method.name
    if not isinstance(method, str):
        raise TypeError(f'method: expected a name such as "gig:20", found {type(method).__name__}')
    introduce(method, core)
    return method


@overload
def explain(function: Union[Function, Sequence[Function]], x: List[npt.NDArray[Any]],  # type: ignore[misc]
            **options: Any) -> List[Result]: ...
@overload
def explain(function: Union[Function, Sequence[Function]], x: npt.ArrayLike, **options: Any) -> Result: ...


def explain(function: Union[Function, Sequence[Function]], x: Any, *, method: Union[str, Path] = "auto", baseline: Any = None,
            layout: Optional[str] = None, segments: Any = None, seed: int = 0, batch: int = 1,
            progress: Progress = None, observe: Optional[Observer] = None, **options: Any) -> Any:
    """Explains function at x: how much each value of x contributes to F(x) - F(baseline).

    function: points -> (values, gradients). points is a float32 array of up to `batch` points, [n, *x.shape]; values
        are n numbers, gradients an array of the points' shape. Where it has a .value(points) -> values, that is asked
        where no gradient is needed. A sequence of functions: one for each thread; a single one is called in the calling
        thread.
    x: an array of any shape, or a list of such arrays, which gives a list of results.
    method: as on the command line, "ig", "gig:20", "smooth+ig/steps=50"; or a gig.path of your own. "auto" is the
        library's choice.
    baseline: "black" (zeros), "white", "black+white", "random:N", "blur:SIGMA", "mean", a number or an array; an array
        [n, *x.shape] is n baselines, and the result is the mean over them.
    layout: how x is a picture, "hwc", "chw" or "hw", for methods that need to know (blur-ig, xrai+, occlusion, edge).
    segments: regions for xrai+, an integer label per pixel [height, width], masks [n, height, width], or an .npy file.
    progress: True for a bar, or a function of (done, expected).
    observe: called with a gig.View for every point of the path.
    options: the method's options by their names, with _ for -: steps=50, max_dist=0.02, tolerance=0.01.
    """
    several = isinstance(x, list) and len(x) > 0 and all(getattr(one, "shape", ()) for one in x)
    inputs = tuple(_convert.floats(one) for one in (x if several else [x]))
    shape = inputs[0].shape
    if any(one.shape != shape for one in inputs):
        raise ArgumentError(f"inputs have different shapes: {', '.join(str(one.shape) for one in inputs)}")
    if isinstance(batch, bool) or not isinstance(batch, (int, np.integer)) or batch < 1:
        raise ArgumentError(f"batch: expected an integer of at least 1, found {batch!r}")
    name, start = _convert.baseline_of(baseline, shape)
    pairs = _convert.option_pairs({**options, "baseline": name})
    core = _core.open_functions(_functions(function), shape, int(batch), _convert.picture_shape(shape, layout))
    with Follow(progress) as follow:
        found = core.explain(tuple(("values", one) for one in inputs), method_of(method, core), pairs, None, None, None,
                             seed_of(seed), start, _convert.segment_masks(segments), follow, observer(observe, shape))
    results = [Result(one, shape) for one in found]
    return results if several else results[0]
