#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Finding names in a model: its tensors, a description to complete, suggestions for misspelt names.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/gig.sh"
networks=$source_root/tests/golden/networks
text=$networks/text.onnx
demo=$source_root/demo/model.onnx
bird=$source_root/demo/pictures/bird-1.png
for name in ids g_softmax; do "$look" take "$networks/text.npz" $name $name.npy; done

says() { # PATTERN COMMAND...: standard output has a line that matches
    "${@:2}" >found.txt && grep -qE -- "$1" found.txt
}
tensors() {
    says '^at   cam  float32 \[1,128,12,12\] +Relu +relu5$' "$gig" model "$demo" --tensors &&
        says '^at   -    float32 \[1,3,96,96\] +\(input\)' "$gig" model "$demo" --tensors &&
        says '^at   -    float32 \[1,12\] +Gemm +logits$' "$gig" model "$demo" --tensors
}
tensors_json() {
    "$gig" model "$demo" --tensors --json >t.json && is t.json tensors.0.name input && is t.json tensors.1.cam 1
}
text_tensors() { says '^at   -    float32 \[1,5,6\] +\(input\) +/embed/Gather_output_0$' "$gig" model "$text" --tensors; }
described() { # what --describe writes is a description of that model
    cp "$demo" net.onnx && "$gig" model net.onnx --describe >net.json && is net.json input.width 96 &&
        is net.json cam relu5 && "$gig" explain net.onnx "$bird" -m gradients --npy a.npy -f >one.txt 2>err.txt &&
        ! grep -q assumed one.txt err.txt
}
whole_numbers() { # the only input needs no name, whatever its type
    "$gig" gradient "$text" --tensor ids.npy --at /embed/Gather_output_0 --class 1 -o g.npy -f &&
        "$gig" gradient "$text" --tensor ids=ids.npy --at /embed/Gather_output_0 --class 1 -o h.npy -f && cmp g.npy h.npy
}

check "--tensors lists shapes, types and what --at and grad-cam take" tensors
check "--tensors --json" tensors_json
check "--tensors of a model with whole numbers begins at its embedding" text_tensors
check "--describe writes a description that leaves nothing to assume" described
check "whole numbers without a name go to the only input" whole_numbers
check "a model with integer inputs is told of --at" refuses 1 'use --at /embed/Gather_output_0 to explain its embedding' \
    explain "$text" --tensor "$work/ids.npy" --npy e.npy
check "the nearest tensors are suggested" refuses 1 'similar names: "relu5"' explain "$demo" "$bird" -m grad-cam --at relu_5
check "a part of a class's name is enough" says 'class 11 \(umbrella\)' "$gig" explain "$demo" "$bird" --class brella \
    -m gradients --npy b.npy -f
check "several classes with that part are listed" refuses 1 '1 bird, 2 boat, 3 butterfly, 11 umbrella' \
    explain "$demo" "$bird" --class b --npy c.npy
lacking=/usr/share/libonnx-testdata/data/node/test_nonmaxsuppression_limit_output_size/model.onnx
if [ -r $lacking ]; then
    check "an operator that is missing is an error with --tensors too" refuses 4 NonMaxSuppression model $lacking --tensors
else
    skip "an operator that is missing is an error with --tensors too" "libonnx-testdata is not installed"
fi
finish
