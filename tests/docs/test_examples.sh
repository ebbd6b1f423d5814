#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every example in README.md and docs/ runs as it is typed: lines of code blocks that begin with "gig ", in a folder that
# holds the demo and, where PyTorch is there, the models of docs/targets.md, untrained. What an example writes with -o must be a picture of the kind its name says.
. "$(dirname "$0")/../cli/tap.sh"
cd "$source_root" || exit 1
mkdir "$work/run" && ln -s "$source_root/demo" "$work/run/demo"
export PATH=$build_root:$PATH
have_arrays=
if /usr/bin/python3 -c 'import torch' 2>/dev/null; then
    have_arrays=yes
    check "the models of docs/targets.md are made" /usr/bin/python3 docs/pictures/arrays.py --untrained "$work/run"
fi

# Indented code; a line that ends in \ goes on in the next.
examples() { # FILE
    sed -e ':a;/\\$/{N;s/\\\n *//;ba' -e '}' "$1" | sed -nE 's/^ {4}(gig [a-z]+ .*)$/\1/p'
}
is_what_its_name_says() { # FILE
    local start
    start=$(head -c 5 "$1" | tr -d '\0')
    case $1 in
    *.png) [[ $start == *PNG* ]] ;;
    *.svg) [[ $start == "<?xml" ]] ;;
    *.pdf) [[ $start == "%PDF-" ]] ;;
    *.json) python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$1" 2>/dev/null || [[ $start == "{"* ]] ;;
    *) [ -e "$1" ] ;;
    esac
}
runs() { # COMMAND
    (cd "$work/run" && bash -c "$1") || return 1
    local written
    written=$(sed -nE 's/.* -o ([^ ]+).*/\1/p' <<<"$1")
    [ -z "$written" ] || is_what_its_name_says "$work/run/$written"
}

while read -r file; do
    while read -r example; do
        if [[ -z $have_arrays && $example =~ \ (ecg|review|credit|scan|both)\.onnx ]]; then
            skip "$file: $example" "no PyTorch to make the model"
        else
            check "$file: $example" runs "$example"
        fi
    done < <(examples "$file")
done < <(ls README.md docs/*.md docs/methods/*.md 2>/dev/null)

shows_the_demo_study() {
    diff <(sed -n '/^    {"title"/,/^$/s/^    //p' docs/studies.md) demo/study.json
}
check "docs/studies.md shows demo/study.json as it is" shows_the_demo_study
has_every_metric() { # the help of --metrics lists them
    local metric
    for metric in $(gig score --help | tr -d '\n' | sed -E 's/.*Some of ([a-z ,-]*), each with.*/\1/; s/,/ /g'); do
        grep -qF "\`$metric\`" docs/metrics.md || { echo "docs/metrics.md has no $metric" && return 1; }
    done
}
has_every_method() {
    local method
    for method in $(gig explain --help | tr -d '\n' | sed -E 's/.*BASE is one of ([a-z ,-]*)\. auto.*/\1/; s/,/ /g'); do
        [ -f "docs/methods/$method.md" ] && grep -qF "($method.md)" docs/methods/README.md ||
            { echo "docs/methods has no page of $method" && return 1; }
    done
}
check "docs/metrics.md has every metric" has_every_metric
check "docs/methods has a page of every method" has_every_method
finish
