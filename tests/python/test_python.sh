#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The Python package's own tests, by pytest, case by case.
. "$(dirname "$0")/../cli/tap.sh"
python=${GIG_PYTHON:-/usr/bin/python3}
package=$build_root/bindings/python

# ASan and UBSan have to be loaded before Python, which was built without them. Python keeps blocks until its end, so leaks
# are left to long_valgrind.sh. Only gcc has them as libraries.
runtime=$(ldd "$package/gig/_core.abi3.so" 2>/dev/null | sed -nE 's/^\s*lib(asan|ubsan)\.so.* => (\S+) .*/\2/p' | tr '\n' ' ')
if [ -n "$runtime" ]; then export ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0; fi

missing() { # why they cannot be run, if so
    [ -f "$package/gig/_core.abi3.so" ] || { echo "the package was not built (tools/setup --python)" && return; }
    [ -z "$(sanitizers)" ] || [ -n "$runtime" ] || { echo "Python cannot load what this sanitizer has built" && return; }
    "$python" -c 'import numpy' 2>/dev/null || { echo "NumPy is not installed" && return; }
    "$python" -c 'import pytest' 2>/dev/null || { echo "pytest is not installed" && return; }
}
why=$(missing)
if [ -n "$why" ]; then
    skip "the Python package" "$why"
    finish
    exit
fi
export PYTHONPATH=$package PYTHONDONTWRITEBYTECODE=1 GIG_SOURCE=$source_root GIG_BUILD_DIR=$build_root
export GIG_TAP=$work/tap
# Blocks that a thread keeps for itself count as given out: without them the tests of leaks see what leaks alone.
export GLIBC_TUNABLES=glibc.malloc.tcache_count=0
(cd "$source_root/tests/python" && LD_PRELOAD=$runtime "$python" -m pytest -q --maxfail=20 -p no:cacheprovider --basetemp="$work/pytest" .) \
    >"$work/pytest.log" 2>&1
code=$?
cat "$GIG_TAP" 2>/dev/null || echo "1..0"
[ $code -eq 0 ] || sed 's/^/# /' "$work/pytest.log" >&2
exit $code
