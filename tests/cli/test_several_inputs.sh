#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --explain-inputs: a map for each of several inputs in one run, which add up together; arrays whose rows go together; a
# picture beside arrays; and wrong uses, each of which ends in one clear line.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/gig.sh"
both=$source_root/tests/golden/scalars/two_inputs.onnx # x [n,2,6,6], b [n,5]

if ! /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    skip "several inputs" "NumPy is not installed"
    finish
    exit
fi
numpy() { /usr/bin/python3 -c "import numpy as np; $1"; } # PYTHON
numpy "
golden = np.load('${both%.onnx}.npz')
np.save('x.npy', golden['x']), np.save('b.npy', golden['b']), np.save('g.npy', golden['gradient']), np.save('gb.npy', golden['gradient_b'])
rng = np.random.default_rng(0)
np.save('xs.npy', rng.standard_normal((3, 2, 6, 6)).astype('f')), np.save('bs.npy', rng.standard_normal((3, 5)).astype('f'))
np.save('two.npy', np.ones((2, 5), 'f')), np.save('whole.npy', np.ones((1, 5), 'i8')), np.save('wide.npy', np.ones((1, 6), 'f'))
np.savez('base.npz', x=np.zeros((2, 6, 6), 'f'), b=golden['b'][0]), np.savez('short.npz', x=np.zeros((2, 6, 6), 'f'))
np.savez('wide.npz', x=np.zeros((2, 6, 6), 'f'), b=np.ones(6, 'f'))
" || exit 1
explains() { # OUT.json ARGUMENTS...
    local to=$1
    shift
    "$gig" explain "$both" "$@" --json --force >"$to"
}

# ---- arrays ----

gives_pytorchs_gradients() {
    explains a.json --tensor x=x.npy --tensor b=b.npy --explain-inputs x,b --class 1 -m gradients --npz a.npz &&
        is a.json results.0.inputs.0.name x && is a.json results.0.inputs.1.name b && is a.json results.0.inputs.1.shape.0 5 &&
        numpy "
maps, close = np.load('a.npz'), lambda a, b: np.linalg.norm(a - b) <= 2e-5 * np.linalg.norm(b)
assert maps['x'].shape == (1, 2, 6, 6) and maps['b'].shape == (1, 5), maps
assert close(maps['x'], np.load('g.npy')) and close(maps['b'], np.load('gb.npy'))"
}
maps_add_up_together() {
    explains a.json --tensor x=x.npy --tensor b=b.npy --explain-inputs b,x -m gig:4/rule=idgi &&
        is a.json results.0.inputs.0.name b || return 1
    true_that 'abs($v[0] + $v[1] - $v[2]) < 1e-6 && abs($v[3]) < 1e-4' "$(at a.json results.0.inputs.0.sum)" \
        "$(at a.json results.0.inputs.1.sum)" "$(at a.json results.0.sum)" "$(at a.json results.0.delta)"
}
text_says_each_sum() {
    "$gig" explain "$both" --tensor x=x.npy --tensor b=b.npy --explain-inputs x,b -m ig >said &&
        grep -Eq 'sum [-0-9.e]+ \(should be [-0-9.e]+\): x [-0-9.e]+, b [-0-9.e]+, ' said
}
rows_go_together() {
    explains all.json --tensor x=xs.npy --tensor b=bs.npy --explain-inputs x,b -m ig --steps 8 --class 1 --npz all.npz &&
        explains bound.json --tensor x=xs.npy --tensor b=bs.npy -m ig --steps 8 --class 1 --npy bound.npy || return 1
    for row in 0 1 2; do
        numpy "np.save('x1.npy', np.load('xs.npy')[$row:$row + 1]), np.save('b1.npy', np.load('bs.npy')[$row:$row + 1])"
        explains one.json --tensor x=x1.npy --tensor b=b1.npy --explain-inputs x,b -m ig --steps 8 --class 1 --npz one.npz &&
            explains one.json --tensor x=x1.npy --tensor b=b1.npy -m ig --steps 8 --class 1 --npy one.npy &&
            numpy "
all, one = np.load('all.npz'), np.load('one.npz')
assert np.allclose(all['x'][$row], one['x'][0], atol=1e-7) and np.allclose(all['b'][$row], one['b'][0], atol=1e-7)
assert np.allclose(np.load('bound.npy')[$row], np.load('one.npy')[0], atol=1e-7)" || return 1
    done
}
baselines_come_from_an_archive() {
    explains a.json --tensor x=x.npy --tensor b=b.npy --explain-inputs x,b -m ig --baseline base.npz --npz a.npz &&
        is a.json results.0.options.baseline base.npz && numpy "assert not np.load('a.npz')['b'].any()" # it does not move
}
integers_are_numbers_here() {
    explains a.json --tensor x=x.npy --tensor b=whole.npy --explain-inputs x,b -m ig
}
draws_each_input() {
    "$gig" explain "$both" --tensor x=x.npy --tensor b=b.npy --explain-inputs x,b -m ig -o both.png --force >said &&
        starts_with both.png 89504e47 && grep -q 'drawn as slices.*drawn as table' said &&
        "$gig" explain "$both" --tensor x=xs.npy --tensor b=bs.npy --explain-inputs x,b -m ig -o both.html --force >said &&
        grep -q '"title":"x.*, x"' both.html && grep -q '"title":"x.*, b"' both.html
}
check "each input gets PyTorch's gradient" gives_pytorchs_gradients
check "the maps add up together" maps_add_up_together
check "the text says the sum of each" text_says_each_sum
check "rows of several arrays go together, explained or not" rows_go_together
check "baselines come from an archive, an array for each input" baselines_come_from_an_archive
check "integers in a file are values of a floating-point input" integers_are_numbers_here
check "each input is drawn" draws_each_input

# ---- a picture and an array ----

picture_and_numbers() { # logits: numbers times the picture's means of red and green
    /usr/bin/python3 - <<'END'
import numpy, onnx
from onnx import helper, numpy_helper, TensorProto
picks = numpy_helper.from_array(numpy.array([[4, 0], [0, 4], [0, 0]], dtype="f"), "picks")
nodes = [helper.make_node("GlobalAveragePool", ["image"], ["pooled"]), helper.make_node("Flatten", ["pooled"], ["flat"]),
         helper.make_node("MatMul", ["flat", "picks"], ["seen"]), helper.make_node("Mul", ["seen", "numbers"], ["logits"]),
         helper.make_node("Cast", ["ids"], ["reals"], to=1), helper.make_node("Add", ["logits", "reals"], ["y"])]
value = helper.make_tensor_value_info
graph = helper.make_graph(nodes, "two", [value("image", TensorProto.FLOAT, ["n", 3, 8, 8]), value("numbers", TensorProto.FLOAT, ["n", 2]),
                                         value("ids", TensorProto.INT64, [1, 1])],
                          [value("y", TensorProto.FLOAT, ["n", 2])], [picks])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), "net.onnx")
numpy.save("numbers.npy", numpy.array([[1, 2]], dtype="f"))
numpy.save("rows.npy", numpy.array([[1, 2], [3, 4]], dtype="f"))
numpy.save("ids.npy", numpy.zeros((1, 1), dtype="i8"))
END
}
# F is a product, so half of F belongs to each input, whatever the steps.
each_gets_half() {
    "$gig" explain net.onnx "$fish" --tensor numbers=numbers.npy --tensor ids=ids.npy --explain-inputs image,numbers --class 0 --of logit \
        -m ig --preset zero-one --json --npz maps.npz --force >a.json || return 1
    is a.json results.0.inputs.0.name image && is a.json results.0.inputs.0.shape.2 3 &&
        true_that 'abs($v[0] - $v[2] / 2) < 1e-5 && abs($v[1] - $v[2] / 2) < 1e-5 && $v[2] > 0.1' "$(at a.json results.0.inputs.0.sum)" \
            "$(at a.json results.0.inputs.1.sum)" "$(at a.json results.0.value)"
}
# One input's range must not move the other: numbers up to a million, pixels up to 1.
each_moves_by_its_own_range() {
    numpy "np.save('large.npy', np.array([[1e6, 2]], dtype='f'))"
    for method in ig/repeat=3 smooth+ig/noise=1e-6/samples=3; do
        "$gig" explain net.onnx "$fish" --tensor numbers=large.npy --tensor ids=ids.npy --explain-inputs image,numbers --class 0 \
            --of logit -m $method/steps=10 --preset zero-one --json --npz moved.npz --force >a.json &&
            "$gig" explain net.onnx "$fish" --tensor numbers=large.npy --tensor ids=ids.npy --explain-inputs image,numbers --class 0 \
                --of logit -m ig/steps=10 --preset zero-one --json --npz still.npz --force >b.json || return 1
        numpy "a, b = (np.load(name)['image'] for name in ('moved.npz', 'still.npz')); assert np.abs(a - b).max() < 1e-4 * np.abs(b).max(), np.abs(a - b).max() / np.abs(b).max()" &&
            is a.json results.0.value "$(at b.json results.0.value)" || return 1
    done
}
rows_go_with_pictures() {
    "$gig" explain net.onnx "$fish" "$bird" --tensor numbers=rows.npy --tensor ids=ids.npy --explain-inputs numbers,image --class 1 \
        --of logit -m ig --preset zero-one --json -o two.html --force >a.json &&
        "$gig" explain net.onnx "$fish" "$bird" --tensor numbers=rows.npy --tensor ids=ids.npy --class 1 --of logit -m ig \
            --preset zero-one --json --force >b.json || return 1
    numpy "np.save('second.npy', np.load('rows.npy')[1:])"
    "$gig" explain net.onnx "$bird" --tensor numbers=second.npy --tensor ids=ids.npy --class 1 --of logit -m ig --preset zero-one --json >c.json || return 1
    is b.json results.1.value "$(at c.json results.0.value)" && is a.json results.1.value "$(at c.json results.0.value)"
}
draws_a_picture_and_a_table() {
    printf 'age\nweight\n' >columns.txt
    "$gig" explain net.onnx "$fish" --tensor numbers=numbers.npy --tensor ids=ids.npy --explain-inputs image,numbers -m ig \
        --preset zero-one --columns columns.txt -o sheet.html --force >said && grep -q 'weight' sheet.html && grep -q '"title":"fish-6.png, image"' sheet.html
}
# Presets are tried on the picture alone; here the point holds numbers too.
tries_no_presets() {
    "$gig" explain net.onnx "$fish" --tensor numbers=numbers.npy --tensor ids=ids.npy --explain-inputs image,numbers -m ig >said 2>&1 &&
        ! grep -q 'other presets give' said
}
if picture_and_numbers 2>/dev/null; then
    have_picture=yes
    check "a picture and numbers get a map each" each_gets_half
    check "draws and noise have the range of each input" each_moves_by_its_own_range
    check "rows of an array go with the pictures" rows_go_with_pictures
    check "a picture is drawn beside a table" draws_a_picture_and_a_table
    check "other presets are not tried where numbers belong to the point" tries_no_presets
else
    have_picture=
    skip "a picture and numbers get a map each" "Python's onnx is not installed"
fi

# ---- what does not work ----

xb=(--tensor "x=$work/x.npy" --tensor "b=$work/b.npy")
while IFS='|' read -r code text arguments; do
    [ -n "$code" ] || continue
    [[ -n $have_picture || ! $arguments =~ net.onnx ]] || continue
    eval "set -- $arguments"
    check "wrong use: $arguments" refuses "$code" "$text" explain "$@"
done <<'END'
1|no input "c"; its inputs are "x", "b"|"$both" "${xb[@]}" --explain-inputs x,c -m ig
1|names "x" twice|"$both" "${xb[@]}" --explain-inputs x,b,x -m ig
1|expected names separated by commas|"$both" "${xb[@]}" --explain-inputs x, -m ig
1|--tensor x=X.npy is missing|"$both" --tensor "b=$work/b.npy" --explain-inputs x,b -m ig
1|input "b" has no value|"$both" --tensor "x=$work/x.npy" --explain-inputs x,b -m ig
1|name the input of every --tensor|"$both" --tensor "$work/x.npy" --tensor "b=$work/b.npy" --explain-inputs x,b -m ig
1|has 2 rows, where there are 3 points|"$both" --tensor "x=$work/xs.npy" --tensor "b=$work/two.npy" --explain-inputs x,b -m ig
1|dimension 1 is 5 in the model, 6 given|"$both" --tensor "x=$work/x.npy" --tensor "b=$work/wide.npy" --explain-inputs x,b -m ig
1|xrai explains one picture, not several|"$both" "${xb[@]}" --explain-inputs x,b -m xrai+ig
1|grad-cam explains one picture, not several|"$both" "${xb[@]}" --explain-inputs x,b -m grad-cam
1|occlusion explains one picture|"$both" "${xb[@]}" --explain-inputs x,b -m occlusion
1|baseline mean is for one picture|"$both" "${xb[@]}" --explain-inputs x,b -m ig --baseline mean
1|--npy is for one map|"$both" "${xb[@]}" --explain-inputs x,b -m ig --npy m.npy
1|--bare is for one map|"$both" "${xb[@]}" --explain-inputs x,b -m ig --bare -o m.png
1|--columns needs one input that is not a picture|"$both" "${xb[@]}" --explain-inputs x,b -m ig --columns "$work/said" -o m.png
1|--draw-as needs one input that is not a picture|"$both" "${xb[@]}" --explain-inputs x,b -m ig --draw-as table -o m.png
1|need an .npz archive|"$both" "${xb[@]}" --explain-inputs x,b -m ig --baseline "$work/b.npy"
1|no array "b"|"$both" "${xb[@]}" --explain-inputs x,b -m ig --baseline "$work/short.npz"
2|its input takes [5]|"$both" "${xb[@]}" --explain-inputs x,b -m ig --baseline "$work/wide.npz"
1|give one of them|"$both" "${xb[@]}" --explain-inputs x,b -m ig --at conv
1|--explain-inputs|"$both" "${xb[@]}" --explain-inputs x --explain-inputs b -m ig
1|does not name "image"|"$work/net.onnx" "$fish" --tensor "numbers=$work/numbers.npy" --tensor "ids=$work/ids.npy" --explain-inputs numbers -m ig
1|input "ids" holds integers|"$work/net.onnx" "$fish" --tensor "numbers=$work/numbers.npy" --tensor "ids=$work/ids.npy" --explain-inputs image,ids -m ig
1|need an .npz archive|"$work/net.onnx" "$fish" --tensor "numbers=$work/numbers.npy" --tensor "ids=$work/ids.npy" --explain-inputs image,numbers -m ig --baseline "$bird"
END
finish
