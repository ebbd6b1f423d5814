# SPDX-License-Identifier: Apache-2.0
"""Calls of every kind, to be repeated a thousand times: test_callbacks.py watches the memory that is in use, long_valgrind.sh
has Valgrind look for blocks that nothing refers to. As a program: leaking.py CALLS MODEL PICTURE."""

import ctypes
import gc
import sys

import numpy as np

import gig


class Broken(Exception):
    pass


def raising(points):
    raise Broken("my own words")


def flat(points):
    return points.sum(1), np.ones_like(points)


@gig.path
def to_the_end(at, value, gradient, start, end, step, steps):
    """All at once."""
    return end


def kinds(x):
    """Calls on functions of one's own: those that work, and each way to fail."""
    return {
        "explain": lambda: gig.explain(flat, x, method="gig:0", steps=2),
        "threads": lambda: gig.explain([flat, flat], x, method="gig:1", steps=4),
        "observe": lambda: gig.explain(flat, x, method="gig:0", steps=2, observe=lambda view: view.point),
        "progress": lambda: gig.explain(flat, x, method="gig:0", steps=2, progress=lambda done, expected: None),
        "baselines": lambda: gig.explain(flat, x, method="ig", steps=2, baseline=np.zeros((2, *x.shape))),
        "path": lambda: gig.explain(flat, x, method=to_the_end, steps=3),
        "several": lambda: gig.explain(flat, [x, x], method="gig:0", steps=2),
        "error": lambda: gig.explain(lambda points: (1.0, points[:, :3]), x, method="gig:0", steps=2),
        "exception": lambda: gig.explain(raising, x, method="gig:0", steps=2),
        "options": lambda: gig.explain(flat, x, method="gig:0", nonsense=3),
        "score": lambda: gig.score.gini(np.ones((4, 5))),
    }


def repeat(call, times):
    for _ in range(times):
        try:
            call()
        except (gig.Error, Broken):
            pass
    gc.collect()


class Mallinfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks "
                                                    "keepcost".split()]


def allocated():
    """Bytes that malloc has given out, NumPy's, the library's and the module's; None where the C library does not count."""
    mallinfo = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if mallinfo is None:
        return None
    mallinfo.restype = Mallinfo
    found = mallinfo()
    return found.uordblks + found.hblkhd


if __name__ == "__main__":
    for call in kinds(np.ones(20, np.float32)).values():
        repeat(call, int(sys.argv[1]))
    model = gig.Model(sys.argv[2], threads=1)
    pixels = model.point(sys.argv[3])
    for call in (lambda: model.explain(pixels, "gradients"), lambda: model.top(pixels, 3), lambda: model.gradient(pixels, 6),
                 lambda: model.explain(pixels, "ig", steps=2)._repr_png_(), lambda: model.explain(pixels, index=99),
                 lambda: model.explain(pixels, "gradients").heatmap()):
        repeat(call, 2)
    # Blocks of no bytes that a living model holds look lost: the library's pointers to them are past their headers.
    del model, call
    gc.collect()
