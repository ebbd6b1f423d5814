# SPDX-License-Identifier: Apache-2.0
"""Adaptive paths written in Python, used by name like the library's."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, Optional

from . import _core
from ._core import ArgumentError

_known: Dict[str, "Path"] = {}


class Path:
    """An adaptive path written in Python, as made by gig.path. Its name is the name of a method, like "gig"."""

    def __init__(self, function: Callable[..., Any], name: str, rule: str) -> None:
        self.function = function
        self.name = name
        self.rule = rule
        self.__doc__ = function.__doc__

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self.function(*arguments, **keywords)

    def __repr__(self) -> str:
        return f"<gig.Path {self.name}>"


def path(function: Optional[Callable[..., Any]] = None, *, name: Optional[str] = None, rule: str = "left") -> Any:
    """Makes a function an adaptive path method: @gig.path, or @gig.path(name="mine", rule="trapezoid").

    The function gets (at, value, gradient, start, end, step, steps): the point, F and its gradient there, the ends of the
    way, which step this is (from 0) of how many; it returns the next point. The last step goes to `end` without asking.
    By its name (the function's, with - for _) it is a method for gig.explain and for models: "mine", "mine:5" with
    anchors, "smooth+mine/steps=50", "xrai+mine"; options and baselines are those of all paths. A later path of the same name replaces it.
    """
    if function is None:
        return lambda given: path(given, name=name, rule=rule)
    if not callable(function):
        raise TypeError(f"expected a function, found {type(function).__name__}")
    called = name if name is not None else getattr(function, "__name__", "").replace("_", "-")
    if not re.fullmatch(r"[a-z][a-z0-9-]*", called):
        raise ArgumentError(f'the name "{called}" must be of lower case letters, digits and -, a letter first')
    if called in _core.methods():
        raise ArgumentError(f'the name "{called}" is taken: the library has a method of that name')
    _known[called] = Path(function, called, rule)
    return _known[called]


def introduce(method: str, core: _core.Explainer) -> None:
    """Adds the path that a method's name refers to, if it is one of these, to the explainer."""
    found = re.match(r"(?:xrai\+)?(?:smooth\+)?([a-z][a-z0-9-]*)", method)
    own = _known.get(found.group(1)) if found else None
    if own is not None:
        core.add_path(own.name, (own.__doc__ or "A path of one's own.").strip().splitlines()[0], own.rule, own.function)


def methods() -> Dict[str, str]:
    """All methods and what each does, including your own paths."""
    own = {known.name: (known.__doc__ or "A path of one's own.").strip().splitlines()[0] for known in _known.values()}
    return {**_core.methods(), **own}
