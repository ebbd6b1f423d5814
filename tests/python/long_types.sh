#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The package's type hints by mypy, which takes minutes to read NumPy's.
. "$(dirname "$0")/../cli/tap.sh"
if ! command -v mypy >/dev/null; then
    skip "the package is typed" "mypy is not installed (tools/setup --python)"
    finish
    exit
fi
typed() { mypy --strict --cache-dir="$work/cache" "$source_root/bindings/python/gig"; }
uses() { # what a user's program is told
    printf '%s\n' 'import gig' 'result = gig.explain(lambda points: (points.sum(1), points), [1.0])' 'reveal_type(result.sum)' \
        'result.nonsense' >"$work/use.py"
    MYPYPATH=$source_root/bindings/python mypy --cache-dir="$work/cache" "$work/use.py" >"$work/said"
    grep -q 'Revealed type is "builtins.float"' "$work/said" && grep -q '"Result" has no attribute "nonsense"' "$work/said"
}
page() { # the examples of the page, one after the other, as strict as mypy is by itself with a user's program
    sed -n '/^```python$/,/^```$/p' "$source_root/docs/python.md" | grep -v '^```' >"$work/page.py" && grep -q 'gig.torch_function' "$work/page.py" &&
        MYPYPATH=$source_root/bindings/python mypy --config-file= --check-untyped-defs --ignore-missing-imports --cache-dir="$work/cache" "$work/page.py"
}
check "the package is typed" typed
check "a program that uses it is checked" uses
check "the examples of docs/python.md are typed" page
finish
