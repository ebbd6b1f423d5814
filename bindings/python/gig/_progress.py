# SPDX-License-Identifier: Apache-2.0
"""Progress of a computation: ignored, passed to a function, or shown as a bar."""

from __future__ import annotations

import sys
import time
import warnings
from typing import Any, Callable, Optional, Union

Progress = Union[None, bool, Callable[[int, int], Any]]


class Bar:
    """A bar on the terminal: tqdm's where it is installed (in notebooks too), else our own line; none in a pipe."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._line = sys.stderr.isatty()
        self._bar: Any = None
        try:
            with warnings.catch_warnings():  # a notebook without ipywidgets
                warnings.simplefilter("ignore")
                from tqdm.auto import tqdm  # type: ignore[import]
        except ImportError:
            return
        self._bar = tqdm(unit="gradient", leave=False)
        self._line = False

    def __call__(self, done: int, expected: int) -> None:
        if self._bar is not None:
            self._bar.total = expected
            self._bar.update(done - self._bar.n)
        elif self._line:
            rate = done / max(time.monotonic() - self._start, 1e-9)
            filled = 30 * done // max(expected, 1)
            left = (expected - done) / rate
            sys.stderr.write(f"\r[{'#' * filled:.<30}] {done}/{expected} gradients  {rate:.1f}/s  {left:.0f} s left\033[K")
            sys.stderr.flush()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._line:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


class Follow:
    """with Follow(progress) as follow: a function for gig._core, or None."""

    def __init__(self, progress: Progress) -> None:
        if not (progress is None or isinstance(progress, bool) or callable(progress)):
            raise TypeError(f"progress: expected True, False or a function, found {type(progress).__name__}")
        self._progress = progress
        self._bar: Optional[Bar] = None

    def __enter__(self) -> Optional[Callable[[int, int], Any]]:
        if self._progress is True:
            self._bar = Bar()
            return self._bar
        return self._progress or None

    def __exit__(self, *unused: object) -> None:
        if self._bar is not None:
            self._bar.close()
