# SPDX-License-Identifier: Apache-2.0
"""An ONNX model, ready to explain."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _convert, _core
from ._core import ArgumentError
from ._explain import Observer, method_of, observer, seed_of
from ._path import Path
from ._progress import Follow, Progress
from ._result import Comparison, Result

if TYPE_CHECKING:
    import numpy.typing as npt

Input = Tuple[Any, ...]
Class = Union[None, int, str]


class Ranked(NamedTuple):
    """One of the best classes."""

    target: int
    name: Optional[str]
    probability: float


def _pil_bytes(picture: Any, upright: bool) -> npt.NDArray[np.uint8]:
    """A Pillow image as its file would be read: turned upright, transparent parts over white."""
    from PIL import Image, ImageOps  # type: ignore[import]

    if upright:
        picture = ImageOps.exif_transpose(picture)
    clear = picture.mode == "P" and picture.palette is not None and picture.palette.mode == "RGBA"
    if clear or picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
        whole = picture.convert("RGBA")
        picture = Image.alpha_composite(Image.new("RGBA", whole.size, (255, 255, 255, 255)), whole)
    elif picture.mode not in ("1", "L", "P", "RGB", "CMYK", "YCbCr"):
        raise ArgumentError(f'a picture of Pillow\'s mode "{picture.mode}": convert it to "RGB" first')
    return np.ascontiguousarray(picture.convert("RGB"), dtype=np.uint8)


def _array_input(values: npt.NDArray[Any], tensor: bool) -> Input:
    if tensor:
        kind = np.int64 if values.dtype.kind in "iub" else np.float32
        return ("tensor", np.require(values, kind, "C"))
    if values.dtype == np.uint8:
        if values.ndim == 2 or (values.ndim == 3 and values.shape[2] == 1):
            values = np.repeat(values.reshape(values.shape[0], values.shape[1], 1), 3, axis=2)
        if values.ndim != 3 or values.shape[2] != 3:
            raise ArgumentError(f"a picture of bytes must be [height, width, 3] or [height, width], found {values.shape}")
        return ("image", np.ascontiguousarray(values))
    if values.dtype.kind != "f":
        raise ArgumentError(f"an array of {values.dtype}: expected bytes (uint8, a picture of any size) or floats (pixels "
                            f"in [0,1] at the model's size, or any with tensor=True)")
    if values.ndim != 3 or values.shape[2] != 3:
        hint = ": transpose it" if values.ndim == 3 and values.shape[0] == 3 else ""
        raise ArgumentError(f"pixels must be [height, width, 3], found {values.shape}{hint}; raw model input is given "
                            f"with tensor=True")
    return ("values", _convert.floats(values))


class Model:
    """A model in an ONNX file, compiled once.

    path: the .onnx file; net.json beside net.onnx describes how pictures become its input (docs/formats.md).
    preset: "imagenet", "caffe", "minus-one", "zero-one" or "raw", instead of what the description says.
    inputs: values of the model's other inputs, by name. explain_inputs: names of inputs that are explained together, a
        list; a result then has a map for each. shapes: dims that the model leaves open, by the input's name.
    Other options, those of gig/explainer.h by their names: description, labels, input, output, at, cam (names and
    files); region, index, weights (the target of every call that says none, as texts); precision ("f32", "mixed",
    "split", "bf16"), blocking, portable, threads, batch, operator_threads, memory, no_orient, lazy.

    A model is used by one thread at a time: others wait. It cannot be pickled, and not be used after a fork.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"], *, preset: Optional[str] = None,
                 inputs: Optional[Mapping[str, npt.ArrayLike]] = None,
                 shapes: Optional[Mapping[str, Sequence[int]]] = None, **options: Any) -> None:
        self.path = os.fspath(path)
        if not isinstance(self.path, str):
            raise TypeError(f"path: expected a text, found {type(path).__name__}")
        self._upright = not options.get("no_orient")
        options["preset"] = preset
        named = options.get("explain_inputs")
        if named is not None and not isinstance(named, str):
            options["explain_inputs"] = ",".join(str(name) for name in named)
        self._named = (options.get("explain_inputs") or "").split(",")
        self._main = options.get("input")
        pairs = _convert.option_pairs(_convert.target_of(options)[0])
        bound = tuple((name, _array_input(_convert.array(value, name), True)[1]) for name, value in (inputs or {}).items())
        dims = tuple((name, tuple(int(side) for side in sides)) for name, sides in (shapes or {}).items())
        self._core = _core.open_model(self.path, pairs, bound, dims)

    # ---- inputs ----

    def _several(self, x: Mapping[str, Any], tensor: bool) -> Input:
        """Values by the names of the model's inputs."""
        pictures = [name for name, value in x.items() if isinstance(value, (str, os.PathLike)) or hasattr(value, "getexif")]
        main = self._main or (pictures + [name for name in self._named if name in x] + list(x) + [""])[0]
        if main not in x:
            raise ArgumentError(f"x: expected a value for the input {main!r}, found {', '.join(map(repr, x)) or 'none'}")
        others = tuple((name, _array_input(_convert.array(value, name), True)[1]) for name, value in x.items() if name != main)
        return (*self._input(x[main], tensor), others)

    def _input(self, x: Any, tensor: bool) -> Input:
        if isinstance(x, Mapping):
            return self._several(x, tensor)
        if x is None and tensor:
            return ("nothing", None)
        if isinstance(x, (str, os.PathLike)):
            if tensor:
                raise ArgumentError("tensor=True needs an array, not a file")
            return ("file", os.fspath(x))
        if hasattr(x, "getexif") and hasattr(x, "convert"):
            return ("image", _pil_bytes(x, self._upright))
        return _array_input(_convert.array(x), tensor)

    def _inputs(self, x: Any, tensor: bool) -> Tuple[bool, Tuple[Input, ...]]:
        """Whether there are several inputs, and a list of them."""
        if isinstance(x, list) and not (tensor and x and not hasattr(x[0], "shape") and not isinstance(x[0], Mapping)):
            return True, tuple(self._input(one, tensor) for one in x)
        if not tensor and getattr(x, "ndim", 0) == 4 and not isinstance(x, (str, os.PathLike)):
            return True, tuple(self._input(one, tensor) for one in _convert.array(x))
        return False, (self._input(x, tensor),)

    def _baseline_file(self, baseline: Any) -> Any:
        """The array or picture in a file; anything else stays as it is."""
        if not isinstance(baseline, os.PathLike) and not (isinstance(baseline, str) and baseline.lower().endswith(
                (".npy", ".png", ".jpg", ".jpeg", ".webp"))):
            return baseline
        name = os.fspath(baseline)
        return _convert.load(name) if name.endswith(".npy") else self._core.point((("file", name),))

    def _baseline(self, baseline: Any, inputs: Tuple[Input, ...]) -> Tuple[Optional[str], Any]:
        if isinstance(baseline, Mapping):
            name = self._main or self._named[0]
            order = sorted(baseline, key=lambda one: (one != name, self._named.index(one) if one in self._named else 0))
            baseline = np.concatenate([_convert.floats(baseline[one], one).ravel() for one in order])
        if isinstance(baseline, list) and any(isinstance(one, (str, os.PathLike)) for one in baseline):
            baseline = np.stack([self._baseline_file(one) for one in baseline])
        baseline = self._baseline_file(baseline)
        if baseline is None or isinstance(baseline, str):
            return baseline, None
        shape = self._core.point(inputs[:1]).shape
        return _convert.baseline_of(baseline, shape)

    # ---- explaining ----

    def explain(self, x: Any, method: Union[str, Path] = "auto", *, target: Class = None, of: Optional[str] = None,
                baseline: Any = None, segments: Any = None, seed: int = 0, tensor: bool = False,
                progress: Progress = None, observe: Optional[Observer] = None, **options: Any) -> Any:
        """Explains what the model sees in x; a list of inputs (or an array [n, height, width, 3]) gives a list.

        x: a path, a picture of Pillow's, bytes [height, width, 3] of any size (uint8), or pixels in [0,1] at the model's
            size (floats). With tensor=True the model's raw input. A dict has the values of several inputs by their names.
        method: as on the command line, "ig", "gig:20", "xrai+gig:20", "smooth+ig/steps=50"; or a gig.path of your own.
            "auto" is the library's choice.
        target: the class, a number or a name; the best one by default. of: "softmax", "logit", "logprob", "sigmoid",
            "value".
        region, index, weights: which number, where the output is not one vector of classes: region="predicted",
            (x0, y0, x1, y1), a mask [height, width] or its file; index=(13, 2), or (3, ":") with one axis of classes;
            weights: an array like the output, or its file.
        baseline: "black", "white", "black+white", "random:N", "blur:SIGMA", "mean", a file, a number or an array; a
            list of files or an array [n, height, width, 3] is n baselines, and the result is the mean over them. Of
            inputs explained together a dict of arrays by their names.
        segments: regions for xrai+, an integer label per pixel [height, width], masks [n, height, width], or an .npy file.
        progress: True for a bar, or a function of (done, expected). observe: called with a gig.View for every point.
        options: the method's options by their names, with _ for -: steps=50, max_dist=0.02, tolerance=0.01.
        """
        several, inputs = self._inputs(x, tensor)
        if several and not inputs:
            return []
        found = self._explain(inputs, method, target, of, baseline, segments, seed, progress, observe, options)
        return found if several else found[0]

    def _explain(self, inputs: Tuple[Input, ...], method: Union[str, Path], target: Class, of: Optional[str], baseline: Any,
                 segments: Any, seed: int, progress: Progress, observe: Optional[Observer],
                 options: Mapping[str, Any]) -> List[Result]:
        name, start = self._baseline(baseline, inputs)
        options, chosen = _convert.target_of(options)
        pairs = _convert.option_pairs({**options, "baseline": name})
        with Follow(progress) as follow:
            found = self._core.explain(inputs, method_of(method, self._core), pairs, chosen, _class_text(target), of,
                                       seed_of(seed), start, _convert.segment_masks(segments), follow, observer(observe))
        return [Result(one) for one in found]

    def compare(self, x: Any, methods: Union[str, Sequence[Union[str, Path]]] = _core.methods_to_compare, *,
                target: Class = None, of: Optional[str] = None, baseline: Any = None, segments: Any = None, seed: int = 0,
                tensor: bool = False, progress: Progress = None, **options: Any) -> Comparison:
        """The maps of several methods for one input and one class. An option is used by the methods that have it."""
        if isinstance(methods, str):
            methods = [one.strip() for one in methods.split(",")]
        inputs = (self._input(x, tensor),)
        if not methods:
            raise ArgumentError("methods: expected at least one")
        asked = {key: options.pop(key) for key in _core.explain_options() if key in options}
        if target is None:
            target = self._top(inputs, 1, asked)[0][0]
        results = []
        used = set()
        for method in methods:
            method = method_of(method, self._core)
            concerns = {key: value for key, value in options.items()
                        if self._core.method_takes(method, key.replace("_", "-"))}
            used |= set(concerns)
            first = baseline if self._core.method_takes(method, "baseline") else None
            regions = segments if method.startswith("xrai+") else None
            results += self._explain(inputs, method, target, of, first, regions, seed, progress, None,
                                     {**concerns, **asked})
        for key in options:
            if key not in used:
                raise ArgumentError(f'the option "{key}" concerns none of the methods')
        return Comparison(results)

    # ---- asking ----

    def value(self, x: Any, target: Class = None, *, of: Optional[str] = None, tensor: bool = False,
              **options: Any) -> Any:
        """The number that is explained, F(x): the class's probability, or what `of`, region=, index=, weights= say."""
        several, inputs = self._inputs(x, tensor)
        values, _ = self._evaluate(inputs, target, of, options, False)
        return values if several else float(values[0])

    def gradient(self, x: Any, target: Class = None, *, of: Optional[str] = None, tensor: bool = False,
                 **options: Any) -> Any:
        """dF/dx, of the input's shape at the model's size; F as for value()."""
        several, inputs = self._inputs(x, tensor)
        _, gradients = self._evaluate(inputs, target, of, options, True)
        return gradients if several else gradients[0]

    def _evaluate(self, inputs: Tuple[Input, ...], target: Class, of: Optional[str], options: Mapping[str, Any],
                  gradients: bool) -> Tuple[npt.NDArray[np.float64], List[npt.NDArray[np.float32]]]:
        options, chosen = _convert.target_of(options)
        pairs = _convert.option_pairs({**options, "class": _class_text(target), "of": of})
        return self._core.evaluate(inputs, pairs, chosen, gradients)

    def _top(self, inputs: Tuple[Input, ...], k: int, options: Mapping[str, Any]) -> List[Tuple[int, float]]:
        options, chosen = _convert.target_of(options)
        return self._core.top(inputs, k, _convert.option_pairs(options), chosen)

    def top(self, x: Any, k: int = 5, *, tensor: bool = False, **options: Any) -> List[Ranked]:
        """The k best classes, best first; with region= or index= those there."""
        inputs = (self._input(x, tensor),)
        if not options:
            k = min(int(k), self._core.classes(inputs)) if k > 0 else int(k)
        return [Ranked(index, self._core.class_name(index), probability)
                for index, probability in self._top(inputs, int(k), options)]

    def point(self, x: Any, *, tensor: bool = False) -> npt.NDArray[np.float32]:
        """The model's input for x: a picture [height, width, 3] in [0,1] at the model's size."""
        return self._core.point((self._input(x, tensor),))

    def class_name(self, index: int) -> Optional[str]:
        """The label of a class, None if there is none."""
        return self._core.class_name(int(index))

    def find_class(self, name: Union[int, str]) -> int:
        """The class with this number or name."""
        return self._core.find_class(str(name), ())

    @property
    def classes(self) -> int:
        """The number of classes."""
        return self._core.classes(())

    @property
    def remarks(self) -> List[str]:
        """Assumptions about the model and warnings."""
        return self._core.remarks()

    def __repr__(self) -> str:
        return f"<gig.Model {self.path}>"

    def __reduce__(self) -> Any:
        raise TypeError("a gig.Model cannot be pickled: open it again from its path in the other process")


def _class_text(target: Class) -> Optional[str]:
    if target is None or isinstance(target, str):
        return target
    if isinstance(target, bool) or not isinstance(target, (int, np.integer)):
        raise TypeError(f"target: expected the number or the name of a class, found {type(target).__name__}")
    return str(int(target))
