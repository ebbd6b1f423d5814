#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The lessons of examples/ run on the demo and say what they teach.
. "$(dirname "$0")/tap.sh"
cd "$source_root" || exit 1
lesson() { # NAME ARGUMENTS...
    local name=$1
    shift
    "$build_root/examples/$name" "$@"
}
says() { # PATTERN NAME ARGUMENTS...
    local pattern=$1
    shift
    lesson "$@" && grep -qE -- "$pattern" "$work/stdout" && [ ! -s "$work/stderr" ]
}
draws() {
    lesson 03_guided_ig demo/model.onnx demo/pictures/fish-6.png "$work/sheet.png" &&
        [ "$(head -c 4 "$work/sheet.png" | tail -c 3)" = PNG ]
}
refuses() {
    lesson 07_gradient no/such.onnx
    [ $? -eq 1 ] && grep -q '^GIG_EIO: no/such.onnx: cannot open' "$work/stderr"
}
explains() {
    lesson 01_explain demo/model.onnx demo/pictures/boat-2.png "$work/map.png" &&
        [ "$(head -c 4 "$work/map.png" | tail -c 3)" = PNG ]
}
explains_nothing() {
    ! lesson 01_explain demo/model.onnx no/such.png "$work/none.png" && grep -q '^no/such.png: ' "$work/stderr" &&
        [ ! -e "$work/none.png" ]
}
is_short() { # the whole program, comments left out
    [ "$(grep -vcE '^$|^/\*' examples/01_explain.c)" -le 15 ]
}
in_readme() { # README and the head of gig.h show it, line by line
    sed -n '/^#include/,$p' examples/01_explain.c >"$work/program"
    sed 's/^    //' README.md | tr '\n' '\f' | grep -qF "$(tr '\n' '\f' <"$work/program")" || { echo "not in README.md" && return 1; }
    sed 's/^ \*     //; s/^ \*$//' include/gig/gig.h | tr '\n' '\f' | grep -qF "$(tr '\n' '\f' <"$work/program")"
}
installed() { # compiled as a user does, against what `make install` gives
    DESTDIR=$work/root meson install -C "$build_root" --no-rebuild --quiet || return 1
    local prefix
    prefix=$(find "$work/root" -name gig.pc -exec dirname {} \;)
    export PKG_CONFIG_PATH=$prefix PKG_CONFIG_SYSROOT_DIR=$work/root
    # shellcheck disable=SC2046
    cc -Wall -Wextra -Werror $(sanitizers) examples/01_explain.c -o "$work/program" $(pkg-config --cflags --libs gig) &&
        LD_LIBRARY_PATH=$(dirname "$prefix") "$work/program" demo/model.onnx demo/pictures/key-7.png "$work/key.svg" &&
        grep -q '<svg' "$work/key.svg"
}
public_headers_only() {
    ! grep -nE '#include "' examples/*.c examples/*.h | grep -v '"check.h"'
}

check "1 draws what the model looks at" explains
check "1 says what is wrong, and draws nothing" explains_nothing
check "1 has at most 15 lines" is_short
check "1 is in README and in gig.h" in_readme
check "1 compiles against an installed prefix" installed
check "2 closes what is missing" says '^ig/close=yes/steps=10 +([0-9.]+) +\1 ' 02_ig
check "3 adds up under a tolerance" says '^gig:4/steps=50/tolerance=0.01 .* -?[01]\.[0-9]% ' 03_guided_ig
check "3 draws a sheet" draws
check "4 gives one map both ways" says 'the same map: yes' 04_xrai
check "5 scores above guessing" says '^xrai\+ig/steps=50 +0\.[789]' 05_score
check "6 walks a path of its own" says '^largest-first/steps=100: noise .* L1 9\.200 ' 06_own_path
check "6 smooths a path of its own" says '^smooth\+largest-first/samples=5/steps=100: noise' 06_own_path
check "7 classifies and differentiates" says '^class 2 \(boat\) with probability 0\.9' 07_gradient
check "7 takes another picture" says '^class 6 \(fish\)' 07_gradient demo/model.onnx demo/pictures/fish-6.png
check "7 says what is wrong" refuses
check "all use nothing but public headers" public_headers_only
finish
