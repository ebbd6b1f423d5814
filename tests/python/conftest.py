# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests; writes the TAP lines that prove reads (GIG_TAP names the file)."""

import os
import pathlib

import numpy as np
import pytest

SOURCE = pathlib.Path(os.environ.get("GIG_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("GIG_BUILD_DIR", SOURCE / "build"))
_cases = []


def pytest_runtest_logreport(report):
    if report.when == "call" or (report.when == "setup" and report.outcome != "passed"):
        _cases.append((report.outcome, report.nodeid, report.longrepr))
    elif report.failed:
        _cases.append((report.outcome, report.nodeid + " (teardown)", report.longrepr))


def pytest_sessionfinish(session):
    if "GIG_TAP" not in os.environ:
        return
    with open(os.environ["GIG_TAP"], "w", encoding="utf-8") as out:
        for number, (outcome, name, why) in enumerate(_cases, 1):
            name = name.replace("#", "_").replace("\n", " ")
            skipped = f" # SKIP {why[2]}" if outcome == "skipped" and isinstance(why, tuple) else ""
            out.write(f"{'not ok' if outcome == 'failed' else 'ok'} {number} - {name}{skipped}\n")
        out.write(f"1..{len(_cases)}\n")


WEIGHTS = np.arange(1, 11, dtype=np.float32)


def square(points):
    """F(x) = sum of w x^2: IG from 0 gives w x^2 itself, on any path w (end^2 - start^2)."""
    return (points * points) @ WEIGHTS, 2 * points * WEIGHTS


@pytest.fixture
def function():
    return square


@pytest.fixture
def x():
    return np.linspace(0.5, 1.5, 10, dtype=np.float32)


@pytest.fixture(scope="session")
def demo():
    return SOURCE / "demo"


@pytest.fixture(scope="session")
def program():
    return BUILD / "gig"
