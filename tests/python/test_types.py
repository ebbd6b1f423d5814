# SPDX-License-Identifier: Apache-2.0
"""The package's own type hints, and what users see of them."""

import inspect
import os
import shutil
import subprocess

import pytest

import gig
from conftest import SOURCE

mypy = shutil.which("mypy") if os.environ.get("GIG_LONG") else None
without = pytest.mark.skipif(mypy is None, reason="takes minutes (GIG_LONG=1), and needs mypy")


@without
def test_the_package_is_typed():
    done = subprocess.run([mypy, "--strict", "--cache-dir=/dev/null", str(SOURCE / "bindings" / "python" / "gig")],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@without
def test_a_program_that_uses_it_is_checked(tmp_path):
    program = tmp_path / "use.py"
    program.write_text("import gig\nresult = gig.explain(lambda points: (points.sum(1), points), [1.0])\n"
                       "reveal_type(result.sum)\nresult.nonsense\n")
    done = subprocess.run([mypy, "--cache-dir=/dev/null", str(program)], capture_output=True, text=True,
                          env={"MYPYPATH": str(SOURCE / "bindings" / "python"), "PATH": "/usr/bin:/bin"})
    assert 'Revealed type is "builtins.float"' in done.stdout and "nonsense" in done.stdout


@pytest.mark.parametrize("name", gig.__all__)
def test_everything_public_says_what_it_is(name):
    thing = getattr(gig, name)
    assert name.startswith("__") or inspect.getdoc(thing)


def test_every_public_method_says_what_it_does():
    for owner in (gig.Model, gig.Result, gig.Comparison, gig.Study):
        for name, member in vars(owner).items():
            if not name.startswith("_") and callable(member) and name not in ("status", "remarks"):
                assert inspect.getdoc(member), f"{owner.__name__}.{name}"
