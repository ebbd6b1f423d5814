# SPDX-License-Identifier: Apache-2.0
"""Maps with their numbers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union, overload

import numpy as np

from . import _core
from ._convert import new_file
from ._core import ArgumentError

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]
Look = Tuple[str, str, str, float, float]
_COLUMNS = 3  # in a notebook, where captions are to be read at the width of a cell
_TOP, _OPACITY = 30.0, 0.85  # percent of the pixels of "mask", strength of the map in "overlay"


def _draw(results: Sequence["Result"], path: Optional[str], look: str, display: str = "auto", title: Optional[str] = None,
          force: bool = False, draw_as: str = "auto", labels: Optional[Sequence[str]] = None,
          columns: int = 0) -> Any:
    """The sheet as a file, or as the bytes of a PNG. columns: panels in a row, 0 for the library's choice."""
    how: Look = (look, "auto", display, _TOP, _OPACITY)
    texts = None if labels is None else tuple(str(text) for text in labels)
    return _core.draw(tuple(one._core for one in results), title, how, path, force, "png", draw_as, texts, columns)


class Result:
    """A map and its numbers. A number that does not apply (the delta of a method without a path) is NaN.

    attributions: float32, where the library put it: [height, width, 3] or [height, width, 1] for pictures, else of the
        input's shape. Of several inputs (explain_inputs=) all values, one input after the other.
    maps: of several inputs the map of each, by the input's name; they share the memory of attributions.
    value: F at the input; value_baseline: F at the baseline (a mean over several); sum: of the attributions;
    delta: sum - (value_input - value_baseline), where value_input is the mean over samples or draws;
    evaluations: gradients that were computed.
    """

    method: str
    of: str
    class_name: Optional[str]
    target: int
    value: float
    value_input: float
    value_baseline: float
    sum: float
    delta: float
    step_error: float
    noise: float
    distance: float
    l1: float
    l2: float
    closed: float
    unassigned: float
    stability: float
    stability_of_mean: float
    evaluations: int
    values: int
    chains: int
    stopped: int
    refined: int
    seconds: float

    def __init__(self, core: _core.Explanation, shape: Optional[Tuple[int, ...]] = None) -> None:
        self._core = core
        values: Floats = np.asarray(core)
        if shape is not None and values.size == int(np.prod(shape)):
            values = values.reshape(shape)
        self.attributions = values
        self.maps: Dict[str, Floats] = {
            name: values[first:first + int(np.prod(sides))].reshape(sides) for name, first, sides in core.inputs}
        self.method = core.method
        self.of = core.of
        self.class_name = core.class_name
        self.__dict__.update(core.numbers())

    def numbers(self) -> Dict[str, Any]:
        """All numbers by name."""
        return self._core.numbers()

    @property
    def options(self) -> Dict[str, str]:
        """Every option of the method as text: the given values, and the defaults of the rest."""
        return self._core.options

    @property
    def branches(self) -> List[str]:
        """The branch that each If of the model takes at the input, where the input decides: 'node 4 "choose" takes then_branch'."""
        return self._core.branches

    @property
    def picture(self) -> Optional[Floats]:
        """The picture as the model saw it: [height, width, 3] in [0,1]. None if the input was not a picture."""
        return self._core.picture

    def reduced(self, reduction: str = "abs-sum") -> Floats:
        """One value per pixel, [height, width]: "abs-sum" (|sum over channels|), "sum-abs", "max" or "sum"."""
        flat = _core.reduce(self._channels_last(), reduction)
        return flat.reshape(self._channels_last().shape[:-1])

    def top(self, share: float) -> npt.NDArray[np.bool_]:
        """A boolean mask of the strongest `share` of the pixels (of the values, if the input is not an image)."""
        if not 0 < share <= 1:
            raise ArgumentError(f"top: expected a share above 0, at most 1, found {share}")
        values = self.reduced() if self._core.shape else np.ascontiguousarray(np.abs(self.attributions))
        return _core.top_mask(values, 100.0 * share).view(np.bool_).reshape(values.shape)

    def heatmap(self, look: str = "heat", colours: str = "auto", display: str = "auto", top: float = _TOP,
                opacity: float = _OPACITY) -> Floats:
        """The map as a picture, [height, width, 3] in [0,1].

        look: "heat", "overlay" (over the greyed picture), "mask" (the picture's strongest `top` percent) or "alpha".
        colours: "auto", "heat", "grey" or "diverging". display: how values become colours, as the command line's.
        """
        if display == "auto" and self._core.areas:
            display = "range"
        picture = None if look == "heat" else self.picture
        return _core.paint(self._channels_last(), picture, (look, colours, display, float(top), float(opacity)))

    def save(self, path: Union[str, "os.PathLike[str]"], *, title: Optional[str] = None, look: str = "auto",
             display: str = "auto", bare: bool = False, force: bool = False, draw_as: str = "auto",
             labels: Optional[Sequence[str]] = None) -> None:
        """Writes the sheet (.png, .svg, .pdf, .html) or the values (.npy; .npz, of several inputs an array for each).

        look and display: as for heatmap(); "auto" is "overlay", as in the program. bare: the map alone, as a .png at
        the model's size. An existing file is an error without force=True. draw_as: what an input that is not a picture is
        drawn as, "signal", "tokens", "table" or "slices"; "auto" is by its shape. labels: the words of tokens, or the
        names of a table's columns.
        """
        name = new_file(path, force)
        chosen = self._auto() if look == "auto" else look
        if name.lower().endswith((".npy", ".npz")):
            self._core.save(name, force)
        elif not bare:
            _draw([self], name, chosen, display, title, force, draw_as, labels)
        elif name.lower().endswith(".png"):
            _core.write_png(self.heatmap(chosen, display=display), name, force)
        else:
            raise ArgumentError(f"bare=True draws a .png, not {name}")

    def _auto(self) -> str:
        """The default look, as in the program: the map over the picture, if there is one."""
        return "heat" if self._core.picture is None else "overlay"

    def _repr_png_(self) -> Optional[bytes]:
        try:
            drawn: Optional[bytes] = _draw([self], None, self._auto())
        except ArgumentError:  # neither a picture nor an array
            return None
        return drawn

    def _channels_last(self) -> Floats:
        shape = self._core.shape
        if shape is None:
            raise ArgumentError("the input is not an image: say how it is one with layout=")
        height, width, channels, planar = shape
        if self.attributions.size == height * width:
            return self.attributions.reshape(height, width, 1)
        if planar:
            planes = self.attributions.reshape(channels, height, width)
            return np.ascontiguousarray(planes.transpose(1, 2, 0))
        return self.attributions.reshape(height, width, channels)

    def __array__(self, dtype: Any = None, copy: Any = None) -> npt.NDArray[Any]:
        return self.attributions if dtype is None else self.attributions.astype(dtype)

    def __repr__(self) -> str:
        shape = ", ".join(f"{name} {'x'.join(map(str, part.shape))}" for name, part in self.maps.items()) or "x".join(
            str(side) for side in self.attributions.shape)
        named = f" of {self.class_name or self.target}" if self.of else ""
        adds = "" if np.isnan(self.sum) or np.isnan(self.delta) else (
            f": sum {self.sum:.4g}, should be {self.sum - self.delta:.4g}")
        return f"<gig.Result {self.method}{named}, {shape}{adds}>"

    def __reduce__(self) -> Any:
        raise TypeError("a gig.Result cannot be pickled: pickle result.attributions and result.numbers()")


class Comparison(Sequence[Result]):
    """Several maps of one picture: a sequence of results that is drawn side by side."""

    def __init__(self, results: Sequence[Result]) -> None:
        self._results = list(results)

    @overload
    def __getitem__(self, index: int) -> Result: ...
    @overload
    def __getitem__(self, index: slice) -> List[Result]: ...

    def __getitem__(self, index: Any) -> Any:
        return self._results[index]

    def __len__(self) -> int:
        return len(self._results)

    def __iter__(self) -> Iterator[Result]:
        return iter(self._results)

    def save(self, path: Union[str, "os.PathLike[str]"], *, title: Optional[str] = None, look: str = "auto",
             display: str = "auto", force: bool = False) -> None:
        """Writes the sheet: .png, .svg, .pdf or .html. look and display as for Result.heatmap(); "auto" is "heat"."""
        _draw(self._results, new_file(path, force), "heat" if look == "auto" else look, display, title, force)

    def _repr_png_(self) -> bytes:
        drawn: bytes = _draw(self._results, None, "heat", columns=_COLUMNS)
        return drawn

    def __repr__(self) -> str:
        return f"<gig.Comparison of {', '.join(one.method for one in self._results)}>"
