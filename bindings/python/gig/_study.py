# SPDX-License-Identifier: Apache-2.0
"""Studies: methods x models x pictures x metrics, kept in a store that survives crashes."""

from __future__ import annotations

import os
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Union

from . import _core
from ._core import FileError
from ._progress import Follow, Progress


class Counts(NamedTuple):
    """Maps of a study: done, failed, and still planned."""

    done: int
    failed: int
    planned: int


class Table(str):
    """A table as text; a notebook shows it as one."""

    def _repr_markdown_(self) -> str:
        return str(self)


class Study:
    """A manifest (JSON, docs/studies.md) and its store."""

    def __init__(self, manifest: Union[str, "os.PathLike[str]"], store: Union[None, str, "os.PathLike[str]"] = None) -> None:
        self.manifest = os.fspath(manifest)
        self.store = _core.study_store(self.manifest, None if store is None else os.fspath(store))

    def run(self, workers: int = 0, progress: Progress = None) -> Counts:
        """Computes what is missing, in worker processes; 0: one for each core."""
        worker = (sys.executable, "-c", "import gig._core; gig._core.study_serve()")
        package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        before = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = package + (os.pathsep + before if before else "")
        try:
            with Follow(progress) as follow:
                return Counts(*_core.study_run(self.manifest, self.store, worker, int(workers), follow))
        finally:
            if before is None:
                del os.environ["PYTHONPATH"]
            else:
                os.environ["PYTHONPATH"] = before

    def _ran(self) -> str:
        """The store, which is there once the study has run."""
        if not os.path.exists(self.store):
            raise FileError(f"{self.store}: the study has not been run yet: call run() first")
        return self.store

    def status(self) -> Counts:
        """How many maps are done, failed and planned."""
        return Counts(*_core.study_status(self._ran()))

    def table(self, like: str = "plain", *, format: str = "md", metric: Optional[str] = None,
              baseline: Optional[str] = None, mean: bool = False, against: Optional[str] = None,
              methods: Union[None, str, Sequence[str]] = None, seed: int = 0,
              plot: Union[None, str, "os.PathLike[str]"] = None, force: bool = False) -> Table:
        """like: "plain", "paper1" to "paper4". format: "md", "csv", "latex", "json". plot: a file for its curves."""
        chosen = methods if methods is None or isinstance(methods, str) else ",".join(methods)
        return Table(_core.study_table(self._ran(), like, format, metric, baseline, mean, against, chosen, seed,
                                       None if plot is None else os.fspath(plot), force))

    def scores(self) -> List[Dict[str, Any]]:
        """Every score, with the numbers of its map."""
        import json

        out: List[Dict[str, Any]] = json.loads(_core.study_text(self._ran(), "json"))
        return out

    def failures(self) -> List[str]:
        """One line for each map that failed."""
        return _core.study_text(self._ran(), "failures").splitlines()

    def remarks(self) -> List[str]:
        """Remarks, one per line: sets of which no picture is used, metrics that are never defined."""
        return _core.study_text(self._ran(), "remarks").splitlines()

    def __repr__(self) -> str:
        return f"<gig.Study {self.manifest} in {self.store}>"


def study(manifest: Union[str, "os.PathLike[str]"], store: Union[None, str, "os.PathLike[str]"] = None) -> Study:
    """Opens a study: gig.study("study.json").table(like="paper2")."""
    return Study(manifest, store)
