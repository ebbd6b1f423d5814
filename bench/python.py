#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What Python costs on top of the library. Usage: bench/python.py [BUILD_FOLDER [MODEL.onnx [PICTURE]]]

Without a model, MobileNetV2 of ../shared/data (or GIG_DATA), where it is, else the demo's. Three numbers:
Python's part of model.explain beside the library's for the same map; a call of a function with 10 features, less what
the function takes; the import, beside NumPy's. CPU time, the best of several.
"""

import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / "build"
PACKAGE = str(BUILD / "bindings" / "python")
sys.path.insert(0, PACKAGE)

import numpy as np

import gig


def best(call, times):
    """The shortest time of a call, in seconds, and what that one gave."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        given = call()
        found.append((time.perf_counter() - began, given))
    return min(found, key=lambda one: one[0])


def explain_overhead(path, picture):
    model = gig.Model(path, threads=1)
    pixels = model.point(picture)
    target = model.top(pixels, 1)[0].target
    for method in ("gradients", "ig/steps=20"):
        def once():
            """CPU time of the library's threads, and of the calling one, which does nothing but Python's part."""
            whole, own = time.process_time(), time.thread_time()
            model.explain(pixels, method, target=target)
            own = time.thread_time() - own
            return time.process_time() - whole - own, own

        measured = [once() for _ in range(25)]
        library, own = min(one[0] for one in measured), min(one[1] for one in measured)
        print(f"{path.name}, {method}: {1e3 * library:.2f} ms of the library, {1e3 * own:.3f} ms of Python "
              f"({100 * own / library:.2f} %)")


def callback_overhead():
    calls = 20000
    x = np.ones(10, np.float32)
    value, gradient = 1.0, np.ones((1, 10), np.float32)

    def function(points):
        return value, gradient

    taken, _ = best(lambda: gig.explain(function, x, method="ig", steps=calls), 3)
    alone, _ = best(lambda: [function(x) for _ in range(calls)], 3)
    print(f"a function of 10 features: {1e6 * (taken - alone) / calls:.2f} microseconds a call beyond its own")


def import_time():
    def taken(code):
        code = f"import sys, time; sys.path.insert(0, {PACKAGE!r}); {code}; print(time.process_time() - began)"
        return 1e3 * min(float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(7))

    own = taken("began = time.process_time(); import numpy")
    more = taken("import numpy; began = time.process_time(); import gig")
    print(f"import gig: {more:.1f} ms of a core, beside NumPy's {own:.1f} ms")


def main():
    data = pathlib.Path(os.environ.get("GIG_DATA", ROOT.parent / "shared" / "data"))
    path = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else data / "models" / "mobilenet_v2_224.onnx"
    picture = sys.argv[3] if len(sys.argv) > 3 else str(ROOT / "demo" / "pictures" / "fish-6.png")
    explain_overhead(path if path.exists() else ROOT / "demo" / "model.onnx", picture)
    callback_overhead()
    import_time()


if __name__ == "__main__":
    main()
