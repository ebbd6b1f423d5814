#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A thousand calls of each kind under Valgrind: no block of the extension's or the library's is lost, none is used wrongly.
. "$(dirname "$0")/../cli/tap.sh"
python=${GIG_PYTHON:-/usr/bin/python3}
package=$build_root/bindings/python
if ! command -v valgrind >/dev/null || [ ! -f "$package/gig/_core.abi3.so" ] || ! "$python" -c 'import numpy' 2>/dev/null; then
    skip "nothing is lost" "Valgrind or NumPy is not installed, or the package was not built (tools/setup --python)"
    finish
    exit
fi
# Python's own allocator would hide its objects from Valgrind. Valgrind does not know AVX-512.
export PYTHONPATH=$package PYTHONDONTWRITEBYTECODE=1 PYTHONMALLOC=malloc ONEDNN_MAX_CPU_ISA=AVX2
watched() {
    valgrind --quiet --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite --num-callers=40 \
        --xml=yes --xml-file="$work/found.xml" "$python" "$source_root/tests/python/leaking.py" "${GIG_CALLS:-1000}" \
        "$source_root/demo/model.onnx" "$source_root/demo/pictures/fish-6.png"
}
ours() { # what the extension or the library allocated or did itself; other things are Python's, NumPy's, Fontconfig's
    "$python" - "$work/found.xml" <<'PYTHON'
import sys
import xml.etree.ElementTree as tree

found = tree.parse(sys.argv[1]).getroot().findall("error")

def is_ours(error):
    """Whether the extension or the library did it, by way of the C library and of Python's objects alone."""
    for frame in error.find("stack"):
        name = (frame.findtext("obj") or "").rpartition("/")[2]
        if name.startswith(("_core.abi3", "libgig")):
            return True
        if not name.startswith(("vgpreload", "libc.so", "ld-", "python3", "libpython")):
            return False
    return False


ours = [error for error in found if is_ours(error)]
for error in ours:
    print(error.findtext("kind"), error.findtext("xwhat/text") or error.findtext("what"))
    for frame in error.find("stack"):
        print("   ", frame.findtext("fn"), (frame.findtext("obj") or "").rpartition("/")[2])
print(f"{len(ours)} of {len(found)} errors are ours")
sys.exit(len(ours) > 0)
PYTHON
}
check "a thousand calls of each kind end" watched
check "nothing of ours is lost or used wrongly" ours
finish
