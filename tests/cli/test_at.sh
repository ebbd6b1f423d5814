#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --at: tensors inside the network, of a text model that takes whole numbers and of a picture model.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/gig.sh"
networks=$source_root/tests/golden/networks
text=$networks/text.onnx
words=/embed/Gather_output_0
residual=$networks/residual.onnx
for name in ids point g_softmax; do "$look" take "$networks/text.npz" $name $name.npy; done
"$look" take "$networks/residual.npz" x x.npy

near() { true_that 'abs($v[0] - $v[1]) <= $v[2]' "$@"; }
none_far() { true_that '$v[0] <= $v[1]' "$("$look" far "$1" "$2")" "$3"; }
on_text() { "$gig" "$1" "$text" --tensor ids=ids.npy --at $words "${@:2}"; }
on_residual() { "$gig" explain "$residual" --tensor x.npy --at "$@"; }
complete() { # FILE.json FILE.npy ROWS: each row's sum is F at its point less F at the baseline, the array's sum is theirs
    is "$1" results.# "$3" || return 1
    local sums=()
    for ((i = 0; i < $3; i++)); do
        near "$(at "$1" results.$i.delta)" 0 1e-5 || return 1
        sums+=("$(at "$1" results.$i.sum)")
    done
    true_that 'my $all = shift @v; $all -= $_ for @v; abs($all) < 1e-6' "$("$look" sum "$2")" "${sums[@]}"
}

gradient_of_words() {
    on_text gradient --class 1 -o g.npy && shape g.npy 3,5,6 && none_far g.npy g_softmax.npy 1e-7
}
same_bits() {
    for threads in 1 2 3; do
        on_text gradient --class 1 -j $threads -o bits$threads.npy >bits$threads && cmp bits$threads.npy bits1.npy && cmp bits$threads bits1 || return 1
        on_text explain -m gig:2 --steps 9 -j $threads --npy gig$threads.npy && cmp gig$threads.npy gig1.npy || return 1
    done
}
gradient_in_json() {
    on_text gradient --class 1 --json >g.json && is g.json values.# 3 && is g.json at $words && is g.json batch 1 &&
        on_text explain --class 1 -m gradients --json >e.json || return 1
    for i in 0 1 2; do near "$(at g.json values.$i)" "$(at e.json results.$i.value_input)" 1e-7 || return 1; done
}
explains_words() {
    on_text explain --class 1 -m gradients --npy e.npy && shape e.npy 3,5,6 && none_far e.npy g_softmax.npy 1e-7 &&
        on_text explain --class 1 -m ig --steps 2000 --json --npy ig.npy >ig.json && shape ig.npy 3,5,6 && complete ig.json ig.npy 3
}
each_row_as_if_alone() {
    for i in 0 1 2; do
        "$look" cut ids.npy $i one.npy &&
            "$gig" explain "$text" --tensor ids=one.npy --at $words --class 1 -m ig --steps 2000 --npy one-ig.npy -f && shape one-ig.npy 1,5,6 || return 1
        "$look" row ig.npy $i >a && "$look" row one-ig.npy 0 >b && cmp a b || return 1
    done
}
# The same point for every row, so the same value.
baseline_lies_in_that_space() {
    "$look" make ones.npy 5,6 1 && on_text explain --class 1 -m ig --steps 2000 --baseline ones.npy --json --npy ones-ig.npy >ones.json &&
        complete ones.json ones-ig.npy 3 && ! cmp -s ones-ig.npy ig.npy && ! near "$(at ones.json results.0.value_baseline)" "$(at ig.json results.0.value_baseline)" 1e-4 &&
        near "$(at ones.json results.0.value_baseline)" "$(at ones.json results.2.value_baseline)" 0
}
# The sum at /Relu_2 is all that the class depends on; /Relu_1 leaves the branch around it at its value.
explains_layers() {
    on_residual /Relu_2_output_0 --class 1 -m ig --steps 2000 --json --npy layer.npy >layer.json && shape layer.npy 3,16,8,8 && complete layer.json layer.npy 3 &&
        on_residual /Relu_1_output_0 --class 1 -m ig --steps 2000 --json --npy branch.npy >branch.json && shape branch.npy 3,16,8,8 && complete branch.json branch.npy 3 || return 1
    "$gig" explain "$residual" --tensor x.npy --class 1 -m gradients --json >input.json || return 1
    for i in 0 1 2; do
        for file in layer branch; do near "$(at $file.json results.$i.value_input)" "$(at input.json results.$i.value_input)" 1e-6 || return 1; done
    done
    near "$(at layer.json results.0.value_baseline)" "$(at layer.json results.1.value_baseline)" 1e-9 &&
        ! near "$(at branch.json results.0.value_baseline)" "$(at branch.json results.1.value_baseline)" 1e-6
}
as_gradient_finds_it() {
    "$gig" gradient "$residual" --tensor x.npy --at /Relu_1_output_0 --class 1 -o inner.npy &&
        on_residual /Relu_1_output_0 --class 1 -m gradients --npy same.npy && none_far same.npy inner.npy 1e-8
}
layer_of_grad_cam() {
    on_residual /Relu_1_output_0 --class 1 -m grad-cam --npy cam.npy && shape cam.npy 3,32,32,1
}

check "gradients of an embedding are PyTorch's" gradient_of_words
check "the same bits for 1, 2 and 3 threads" same_bits
check "gradient --json" gradient_in_json
check "an embedding is explained completely" explains_words
check "each row is explained as if it were alone" each_row_as_if_alone
check "a baseline has the tensor's shape" baseline_lies_in_that_space
check "layers of a picture model are explained completely" explains_layers
check "gradients are those of gig gradient" as_gradient_finds_it
check "--at is the layer of grad-cam" layer_of_grad_cam
check "whole numbers without --at" refuses 1 "use --at with a float tensor" gradient "$text" --tensor "ids=$work/ids.npy" --class 1
check "an input is not inside" refuses 1 "is an input" explain "$residual" --tensor "$work/x.npy" --at input --npy e.npy
check "ids are not inside" refuses 1 "is an input" gradient "$text" --tensor "ids=$work/ids.npy" --at ids --class 1 -o e.npy
check "no such tensor" refuses 1 'no tensor "nowhere"' explain "$text" --tensor "ids=$work/ids.npy" --at nowhere --npy e.npy
check "pictures have no inside" refuses 1 "it needs --tensor" explain "$model" "$fish" -m ig --at x --npy e.npy
check "a baseline of another shape" refuses 2 "[3,5,6]; a baseline is one point, [5,6]" explain "$text" --tensor "ids=$work/ids.npy" --at $words -m ig --baseline "$work/point.npy" --npy e.npy
finish
