# SPDX-License-Identifier: Apache-2.0
"""What help() says."""

import inspect

import pytest

import gig


@pytest.mark.parametrize("name", gig.__all__)
def test_everything_public_says_what_it_is(name):
    thing = getattr(gig, name)
    assert name.startswith("__") or inspect.getdoc(thing)


def test_every_public_method_says_what_it_does():
    for owner in (gig.Model, gig.Result, gig.Comparison, gig.Study):
        for name, member in vars(owner).items():
            if not name.startswith("_") and callable(member) and name not in ("status", "remarks"):
                assert inspect.getdoc(member), f"{owner.__name__}.{name}"
