# SPDX-License-Identifier: Apache-2.0
"""Converts what users pass (lists, arrays of any type and layout, tensors, options) to the few types that gig._core
takes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Tuple, Union

import numpy as np

from ._core import ArgumentError, FileError, FormatError

if TYPE_CHECKING:  # it takes long to import
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]
Layout = Optional[str]
Shape = Tuple[int, int, int, bool]


def array(x: Any, what: str = "x") -> npt.NDArray[Any]:
    """An array from an array, a tensor on any device, or nested lists of numbers."""
    if hasattr(x, "detach"):  # a tensor of PyTorch: NumPy refuses those with a gradient, and those on other devices
        x = x.detach().cpu().numpy()
    try:
        out = np.asarray(x)
    except ValueError as error:  # ragged lists, since NumPy 1.24
        raise ArgumentError(f"{what}: expected an array of numbers: {error}") from None
    if out.dtype.kind not in "fiub":
        raise TypeError(f"{what}: expected an array of real numbers, found the type {out.dtype} ({type(x).__name__})")
    return out


def load(name: str) -> npt.NDArray[Any]:
    """The array of an .npy file."""
    try:
        out: npt.NDArray[Any] = np.load(name, allow_pickle=False)
    except OSError as error:
        raise FileError(f"{name}: cannot open: {error.strerror or error}") from None
    except ValueError as error:
        raise FormatError(f"{name}: {error}") from None
    return out


def floats(x: Any, what: str = "x") -> Floats:
    """The same as C-contiguous float32; copied only if it is not already."""
    out = array(x, what)
    if out.size == 0:
        raise ArgumentError(f"{what}: the array of shape {out.shape} is empty")
    with np.errstate(over="ignore"):
        return np.require(out, np.float32, "C")


def option_text(name: str, value: Any) -> str:
    """A value as the command line would have it."""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, tuple) and all(isinstance(part, (int, np.integer)) for part in value):
        return "x".join(str(int(part)) for part in value)
    raise TypeError(f"{name}: expected a number, a text, True or False, found {type(value).__name__}")


def _numbers(name: str, value: Any, colon: bool) -> Optional[str]:
    """A tuple of integers, or a single one, as "1,2,3"; with colon, slice(None) and ":" as ":". None: it is not one."""
    parts = value if isinstance(value, (tuple, list)) else (value,)
    said = []
    for part in parts:
        if colon and (part == ":" or (isinstance(part, slice) and part == slice(None))):
            said.append(":")
        elif isinstance(part, (int, np.integer)) and not isinstance(part, bool):
            said.append(str(int(part)))
        else:
            return None
    return ",".join(said)


def target_of(options: Mapping[str, Any]) -> Tuple[Dict[str, Any], Optional[Tuple[str, Any]]]:
    """region=, index= and weights= as Python has them (a tuple, a mask, an array), else as the command line would."""
    out = dict(options)
    found: Optional[Tuple[str, Any]] = None
    for name, colon in (("region", False), ("index", True)):
        value = out.get(name)
        text = None if value is None or isinstance(value, (str, os.PathLike)) else _numbers(name, value, colon)
        if text is not None:
            out[name] = text
    if isinstance(out.get("index"), slice):
        out["index"] = ":"
    for name in ("region", "weights"):
        value = out.get(name)
        if value is None or isinstance(value, (str, os.PathLike)):
            continue
        if found is not None:
            raise ArgumentError("region and weights: at most one of them can be given")
        if name == "region":
            mask = array(value, "region")
            if mask.ndim != 2:
                raise ArgumentError(f"region: expected (x0, y0, x1, y1) or a mask [height, width], found {mask.shape}")
            found = (name, np.ascontiguousarray(mask != 0).view(np.uint8))
        else:
            found = (name, floats(value, "weights"))
        del out[name]
    return out, found


def option_pairs(options: Mapping[str, Any]) -> Tuple[Tuple[str, str], ...]:
    """max_dist=0.02 -> ("max-dist", "0.02"). The library checks whether the option exists. None: not given."""
    return tuple((name.replace("_", "-"), option_text(name, value)) for name, value in options.items()
                 if value is not None)


def baseline_of(baseline: Any, shape: Tuple[int, ...]) -> Tuple[Optional[str], Optional[Floats]]:
    """A name for the library, and the points it refers to. 0 and 1 are black and white; other numbers fill a point."""
    if baseline is None or isinstance(baseline, str):
        return baseline, None
    values = floats(baseline, "baseline")
    if values.ndim == 0 and float(values) in (0.0, 1.0):
        return ("white" if float(values) else "black"), None
    several = values.ndim == len(shape) + 1
    try:
        wide = np.broadcast_to(values, values.shape[:1] + shape if several else shape)
    except ValueError:
        raise ArgumentError(f"the baseline has the shape {values.shape}, the input {shape}") from None
    return (f"given:{len(values)}" if several else "given"), np.ascontiguousarray(wide)


def picture_shape(shape: Tuple[int, ...], layout: Layout) -> Shape:
    """How an array of this shape is an image: (height, width, channels, planar); zeros if it is not one."""
    if layout is None:
        return (0, 0, 0, False)
    if layout not in ("hwc", "chw", "hw"):
        raise ArgumentError(f'unknown layout "{layout}": expected "hwc", "chw" or "hw"')
    core = shape[1:] if len(shape) == len(layout) + 1 and shape[0] == 1 else shape
    if len(core) != len(layout):
        raise ArgumentError(f'an array of shape {shape} is not an image of layout "{layout}"')
    at = dict(zip(layout, core))
    return (at["h"], at["w"], at.get("c", 1), layout == "chw")


def segment_masks(segments: Any) -> Optional[npt.NDArray[np.uint8]]:
    """An integer per pixel, [H, W], or masks, [n, H, W], or an .npy file of one of them -> masks."""
    if segments is None:
        return None
    if isinstance(segments, (str, os.PathLike)):
        segments = load(os.fspath(segments))
    out = array(segments, "segments")
    if out.dtype.kind == "f":
        raise TypeError(f"segments: expected integers or booleans, found {out.dtype}")
    if out.ndim == 2:
        out = np.stack([out == label for label in np.unique(out)])
    if out.ndim != 3:
        raise ArgumentError(f"segments: expected the shape [height, width] or [n, height, width], found {out.shape}")
    return np.ascontiguousarray(out != 0).view(np.uint8)


def new_file(name: Union[str, "os.PathLike[str]"], force: bool) -> str:
    """The name of a file that may be written."""
    out = os.fspath(name)
    if not force and os.path.exists(out):
        raise FileError(f"{out}: exists already; force=True overwrites it")
    return out
