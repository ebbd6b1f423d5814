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
    lesson 01_gradient no/such.onnx
    [ $? -eq 1 ] && grep -q '^GIG_EIO: no/such.onnx: cannot open' "$work/stderr"
}
public_headers_only() {
    ! grep -nE '#include "' examples/*.c examples/*.h | grep -v '"lesson.h"'
}

check "1 classifies and differentiates" says '^class 2 \(boat\) with probability 0\.9' 01_gradient
check "1 takes another picture" says '^class 6 \(fish\)' 01_gradient demo/model.onnx demo/pictures/fish-6.png
check "1 says what is wrong" refuses
check "2 closes what is missing" says '^ig/close=yes/steps=10 +([0-9.]+) +\1 ' 02_ig
check "3 adds up under a tolerance" says '^gig:4/steps=50/tolerance=0.01 .* -?[01]\.[0-9]% ' 03_guided_ig
check "3 draws a sheet" draws
check "4 gives one map both ways" says 'the same map: yes' 04_xrai
check "5 scores above guessing" says '^xrai\+ig/steps=50 +0\.[789]' 05_score
check "6 walks a path of its own" says '^largest first +noise .* L1 9\.200 ' 06_own_path
check "all use nothing but public headers" public_headers_only
finish
