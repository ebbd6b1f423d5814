#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Targets other than a class: --region, --index, --weights and --of value, in every command that explains; and sixty
# ways to use targets and inputs wrongly, each of which ends in one clear line.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/gig.sh"
nets=$source_root/tests/golden/scalars
seg=$nets/segmentation.onnx
box=$nets/detector.onnx
picture=$source_root/tests/golden/pictures/animated.png

explains() { # OUT.json ARGUMENTS...
    local to=$1
    shift
    "$gig" explain "$@" --json --force -o map.png >"$to"
}
adds_up() { # FILE
    true_that 'abs($v[0]) < 0.02 * (1 + abs($v[1]))' "$(at "$1" results.0.delta)" "$(at "$1" results.0.sum)"
}

# ---- what works ----

region_is_explained() {
    explains a.json "$seg" "$picture" -m ig --steps 50 --region predicted && is a.json results.0.of softmax && adds_up a.json
}
methods_take_regions() {
    for method in grad-cam xrai+ig guided-backprop occlusion blur-ig smooth+gradients; do
        explains a.json "$seg" "$picture" -m $method --steps 10 --region 2,2,9,12 || return 1
    done
}
index_is_one_number() {
    explains a.json "$box" "$picture" -m ig --steps 50 --index 13,2 && is a.json results.0.of value &&
        is a.json results.0.class null && adds_up a.json
}
no_class_is_named_elsewhere() {
    "$gig" explain "$model" "$fish" -m gradients --index 6 --npy six.npy --force >said && grep -q ': index 6, value ' said && ! grep -q 'class [0-9]' said &&
        "$gig" score --map six.npy --model "$model" --picture "$fish" --index 6 --metrics gini >said && ! grep -q 'class [0-9]' said &&
        "$gig" score --map six.npy --model "$model" --picture "$fish" --index 6 --metrics gini --json >six.json && is six.json results.0.class null &&
        "$gig" path "$model" "$fish" --steps 5 --index 6 -o six.html --force && grep -q 'value of index 6, ' six.html
}
index_with_an_axis_has_classes() {
    explains a.json "$box" "$picture" -m ig --steps 50 --index 13,: --class 2 && is a.json results.0.of softmax || return 1
    explains b.json "$box" "$picture" -m ig --steps 50 --index 13,2 || return 1
    true_that 'abs($v[0] - $v[1]) < 1e-6' "$(at a.json results.0.value_input)" "$(at b.json results.0.value_input)"
}
commands_take_targets() {
    "$gig" compare "$seg" "$picture" --methods ig,gig,grad-cam --steps 10 --region predicted -o sheet.png --force &&
        "$gig" path "$seg" "$picture" --steps 10 --index :,3,4 -o path.png --force
}
says_the_target() {
    explains a.json "$seg" "$picture" -m ig --steps 5 --region predicted &&
        grep -q 'the target is --region predicted' a.json
}
grad_cam_looks_behind_the_classes() {
    "$gig" explain "$seg" "$picture" -m grad-cam --region predicted -o cam.png --force >said.txt 2>&1 &&
        grep -q 'grad-cam uses the layer' said.txt && ! grep -q 'grad-cam uses the layer "y"' said.txt
}
branches_are_said() { # by node and name, for each input its own
    "$look" make two.npy 2,4 1 1 1 1 -1 -1 -1 -1 &&
        "$gig" explain "$nets/chosen_branch.onnx" --tensor two.npy -m ig --json --npy map.npy -f >a.json &&
        is a.json results.0.branches.0 'node 4 "/If" takes then_branch' &&
        is a.json results.1.branches.0 'node 4 "/If" takes else_branch' &&
        "$gig" explain "$nets/chosen_branch.onnx" --tensor two.npy -m ig --npy map.npy -f >said.txt &&
        grep -q '"/If" takes then_branch,' said.txt && grep -q '"/If" takes else_branch,' said.txt
}
check "the branch that an input takes is said" branches_are_said
check "the mean of a region is explained, and adds up" region_is_explained
check "every kind of method takes a region" methods_take_regions
check "an index is one number as it is" index_is_one_number
check "a number has no class in scores and on pages either" no_class_is_named_elsewhere
check "an index with : is a vector of classes" index_with_an_axis_has_classes
check "compare and path take targets" commands_take_targets
check "the target is said" says_the_target
check "grad-cam looks behind the classes" grad_cam_looks_behind_the_classes

# ---- scores and studies ----

scores_take_regions() {
    "$gig" explain "$seg" "$picture" -m ig --steps 200 --region predicted --npy map.npy --json --force >a.json || return 1
    "$gig" score --map map.npy --model "$seg" --picture "$picture" --metrics completeness,insertion,deletion --region predicted --json >s.json || return 1
    is s.json results.0.class "$(at a.json results.0.class)" &&
        true_that 'abs($v[0]) < 0.02' "$(at s.json results.0.scores.completeness)" &&
        true_that '$v[0] > $v[1]' "$(at s.json results.0.scores.insertion)" "$(at s.json results.0.scores.deletion)"
}
printf 'file,label\n%s,1\n' "$picture" >one.csv
cat >study.json <<JSON
{"models": {"seg": "$seg"}, "pictures": {"one": "one.csv"}, "metrics": ["completeness", "insertion"],
 "methods": ["ig", "gig:0", "grad-cam", "guided-backprop"], "options": {"steps": 40},
 "runs": [{"region": "predicted"}, {"region": "2,2,9,12", "of": "logit"}, {"index": ":,3,4"},
          {"index": "1,3,4", "methods": ["ig"], "metrics": ["completeness"]}]}
JSON
studies_take_targets() {
    "$gig" study run study.json -j 1 >said && grep -q '13 cells done, 0 failed' said || { cat said >&2 && return 1; }
    "$gig" study export study.db >all.csv && for what in 'softmax of region predicted' 'logit of region 2,2,9,12' 'softmax of index :,3,4' 'value of index 1,3,4'; do
        grep -qF "$what" all.csv || { cat all.csv >&2 && return 1; }
    done
}
studies_score_as_score_does() {
    local row
    row=$(grep -F 'softmax of region predicted' all.csv | grep -F 'insertion' | grep -F 'ig/steps=40' | grep -vF gig/ | head -n 1)
    "$gig" explain "$seg" "$picture" -m ig --steps 40 --region predicted --class 1 --npy map.npy --json --force >a.json &&
        "$gig" score --map map.npy --model "$seg" --picture "$picture" --metrics insertion --region predicted --class 1 --json >s.json || return 1
    echo "$row" | tr ',"' '\n\n' | awk -v wanted="$(at s.json results.0.scores.insertion)" '$1 + 0 == $1 && ($1 - wanted) ^ 2 < 1e-10 { found = 1 } END { exit !found }' ||
        { echo "$row" && cat s.json; } >&2
}
study_refuses() { # TEXT KEYS
    printf '{"models": {"seg": "%s"}, "pictures": {"one": "%s"}, "metrics": ["gini"], "methods": ["ig"], %s}' "$seg" "$work/one.csv" "$2" >bad.json
    refuses 2 "$1" study run "$work/bad.json" --store "$work/bad.db"
}
check "score takes a region" scores_take_regions
check "a study takes regions and indices" studies_take_targets
check "a study's scores of a region are those of score" studies_score_as_score_does
check "a study refuses two targets" study_refuses 'several targets given' '"region": "predicted", "index": "1,2,3"'
check "a study refuses a mask file" study_refuses 'mask files are not supported in studies' '"region": "mask.png"'
check "a study refuses a broken index" study_refuses 'integers separated by commas' '"index": "a"'
check "a study refuses a filter beside a target" study_refuses 'filter:' '"region": "predicted", "filter": {"top": 1}'
printf 'file\n%s\n' "$picture" >one.csv
check "a study asks for the label of a region" study_refuses 'expected a label' '"region": "predicted"'

# ---- a picture and other inputs ----

two_inputs() { # logits: the picture's mean of red and green, each plus one number of the other input
    /usr/bin/python3 - <<'END'
import numpy, onnx
from onnx import helper, numpy_helper, TensorProto
picks = numpy_helper.from_array(numpy.array([[4, 0], [0, 4], [0, 0]], dtype="f"), "picks")
nodes = [helper.make_node("GlobalAveragePool", ["input"], ["pooled"]), helper.make_node("Flatten", ["pooled"], ["flat"]),
         helper.make_node("MatMul", ["flat", "picks"], ["seen"]), helper.make_node("Add", ["seen", "extra"], ["logits"])]
value = helper.make_tensor_value_info
graph = helper.make_graph(nodes, "two", [value("input", TensorProto.FLOAT, [1, 3, 8, 8]), value("extra", TensorProto.FLOAT, [1, 2])],
                          [value("logits", TensorProto.FLOAT, [1, 2])], [picks])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), "two.onnx")
numpy.save("low.npy", numpy.array([[0, 0]], dtype="f"))
numpy.save("high.npy", numpy.array([[3, 0]], dtype="f"))
END
}
takes_a_picture_and_a_tensor() {
    "$gig" explain two.onnx "$picture" --tensor extra=low.npy --class 0 --of logit -m ig --steps 10 --npy low_map.npy --json --force >low.json 2>warned &&
        "$gig" explain two.onnx "$picture" --tensor extra=high.npy --class 0 --of logit -m ig --steps 10 --npy high_map.npy --json --force >high.json 2>warned &&
        true_that 'abs($v[1] - $v[0] - 3) < 1e-5' "$(at low.json results.0.value)" "$(at high.json results.0.value)" &&
        adds_up high.json && shape high_map.npy 1,8,8,3
}
if two_inputs 2>/dev/null; then
    check "a picture and a tensor for another input" takes_a_picture_and_a_tensor
    check "beside pictures a tensor has its input's name" refuses 1 "name the input of every --tensor" explain "$work/two.onnx" "$picture" --tensor "$work/low.npy" -m ig
    check "the other input is asked for" refuses 1 extra explain "$work/two.onnx" "$picture" -m ig
else
    skip "a picture and a tensor for another input" "Python's onnx is not installed"
fi

# ---- a model without a description ----

cp "$model" bare.onnx
warns_once() {
    mkdir -p maps && "$gig" explain bare.onnx "$fish" "$bird" -m gradients -o maps/ --force 2>warning && [ "$(grep -c '^gig: warning' warning)" = 1 ] &&
        grep -q -- '--preset imagenet' warning
}
# Whatever the model makes of the picture: the assumption and what the others give are said.
warns_always() {
    local picture given
    for picture in "$demo"/pictures/*.png; do
        explains seen.json bare.onnx "$picture" -m gradients 2>warning && [ "$(wc -l <warning)" = 1 ] || return 1
        given=$(at seen.json results.0.class)
        grep -q "zero-one is assumed, which gives class $given (.*other presets give imagenet .*minus-one .*caffe .*raw " warning || return 1
        explains own.json "$model" "$picture" -m gradients && grep -q "imagenet $(at own.json results.0.class) (" warning || return 1
    done
    explains seen.json bare.onnx "$fish" -m gradients --preset zero-one 2>warning && [ ! -s warning ]
}
preset_gives_the_class() {
    explains a.json bare.onnx "$fish" -m gradients --preset imagenet 2>warning && [ ! -s warning ] &&
        explains b.json "$model" "$fish" -m gradients || return 1
    is a.json results.0.class "$(at b.json results.0.class)"
}
check "without a description a preset is suggested, once" warns_once
check "no class passes without a warning, but by a preset" warns_always
check "a preset gives the described model's class, and no warning" preset_gives_the_class

# ---- what does not ----

touch empty.png
cp "$seg" seg.onnx
explains_not() { # CODE TEXT ARGUMENTS...
    local code=$1 text=$2
    shift 2
    refuses "$code" "$text" explain "$@" -o out.png
}
count=0
while IFS='|' read -r code text arguments; do
    [ -n "$code" ] || continue
    count=$((count + 1))
    eval "set -- $arguments"
    check "wrong use $count: $arguments" explains_not "$code" "$text" "$@"
done <<'END'
1|has more than one value per class|"$seg" "$picture" -m ig
1|choose a target: --region|"$seg" "$picture" -m gig:2
1|--index|"$box" "$picture" -m ig
1|choose a target|"$seg" "$picture" -m ig --class 1
1|choose a target|"$seg" "$picture" -m grad-cam
1|choose a target|"$seg" "$picture" -m occlusion --of logit
1|predicted, x0,y0,x1,y1 or a picture file|"$seg" "$picture" --region all
1|predicted, x0,y0,x1,y1 or a picture file|"$seg" "$picture" --region 1,2,3
1|predicted, x0,y0,x1,y1 or a picture file|"$seg" "$picture" --region 1,2,3,4,5
1|predicted, x0,y0,x1,y1 or a picture file|"$seg" "$picture" --region=-1,0,3,3
1|predicted, x0,y0,x1,y1 or a picture file|"$seg" "$picture" --region 1.5,0,3,3
1|predicted, x0,y0,x1,y1 or a picture file|"$seg" "$picture" --region Predicted
1|is empty: expected x0,y0,x1,y1|"$seg" "$picture" --region 9,2,3,4
1|is empty: expected x0,y0,x1,y1|"$seg" "$picture" --region 2,9,3,4
1|contains no pixel of the output|"$seg" "$picture" --region 16,0,20,9
1|contains no pixel of the output|"$seg" "$picture" --region 400,400,500,500
5|none.png|"$seg" "$picture" --region none.png
2|empty.png|"$seg" "$picture" --region "$work/empty.png"
1|a region needs an output [n, classes, height, width]|"$box" "$picture" --region predicted
1|a region needs an output|"$model" "$fish" --region predicted
1|a region needs an output|"$model" "$fish" --region 0,0,5,5
1|the model has classes 0 to 3|"$seg" "$picture" --region predicted --class 4
1|the model has classes 0 to 3|"$seg" "$picture" --region predicted --class 99
1|dog|"$seg" "$picture" --region predicted --class dog
1|several targets given|"$seg" "$picture" --region predicted --index 1,2,3
1|several targets given|"$seg" "$picture" --index 1,2,3 --weights w.npy
1|several targets given|"$seg" "$picture" --region predicted --weights w.npy
1|integers separated by commas|"$seg" "$picture" --index a
1|integers separated by commas|"$seg" "$picture" --index 1,
1|integers separated by commas|"$seg" "$picture" --index ,1
1|integers separated by commas|"$seg" "$picture" --index "1;2"
1|integers separated by commas|"$seg" "$picture" --index "1 2"
1|integers separated by commas|"$seg" "$picture" --index=-1,0,0
1|integers separated by commas|"$seg" "$picture" --index 1.0,0,0
1|integers separated by commas|"$seg" "$picture" --index 99999999999999999999,0,0
1|integers separated by commas|"$seg" "$picture" --index 1,1,1,1,1,1,1,1,1
1|the index has 1 number|"$seg" "$picture" --index 1
1|the index has 2 numbers|"$seg" "$picture" --index 1,2
1|the index has 4 numbers|"$seg" "$picture" --index 0,1,2,3
1|expects 2 (without the batch axis)|"$box" "$picture" --index 0,13,2
1|index 4 of axis 0 is outside|"$seg" "$picture" --index 4,0,0
1|index 16 of axis 2 is outside|"$seg" "$picture" --index 0,0,16
1|index 500 of axis 0 is outside|"$box" "$picture" --index 500,0
1|one axis of classes|"$seg" "$picture" --index :,:,1
1|the model has classes 0 to 0|"$seg" "$picture" --index 1,2,3 --class 1
1|softmax over a single output|"$seg" "$picture" --index 1,2,3 --of softmax
1|softmax over a single output|"$seg" "$picture" --index 1,2,3 --of logprob
1|the model's output are probabilities of classes|"$box" "$picture" --index 13,2 --of sigmoid
4|no tensor of the graph holds its logits|"$box" "$picture" --index 13,2 --of logit
5|none.npy|"$seg" "$picture" --weights none.npy
2|seg.onnx|"$seg" "$picture" --weights "$work/seg.onnx"
1|--of|"$seg" "$picture" --region predicted --of probability
1|--index|"$seg" "$picture" --index 1,2,3 --index 1,2,4
1|--region|"$seg" "$picture" --region predicted --region predicted
1|has rank 2: it does not take images|"$nets/regression.onnx" "$picture"
1|has rank 3: it does not take images|"$nets/lstm.onnx" "$picture"
1|it does not take images|"$nets/encoder.onnx" "$picture"
1|it does not take images|"$nets/gcn.onnx" "$picture" --index 2,:
1|no tensor "nowhere"|"$seg" "$picture" --region predicted --output nowhere
1|unknown preset "keras"|"$model" "$fish" --preset keras
1|no tensor "nowhere"|"$seg" "$picture" --region predicted -m grad-cam --at nowhere
1|--title needs a value|"$model" "$fish" --title=
1|--title is given twice|"$model" "$fish" --title a --title b
1|--dry-run does not take a value|"$model" "$fish" --dry-run=yes
5|none.png|"$model" none.png --dry-run
1|unknown method|"$model" "$fish" --dry-run -m nothing
1|choose a target|"$seg" "$picture" --dry-run -m ig
1|no input "c"; its inputs are "x"|"$seg" "$picture" --region predicted --explain-inputs c
1|names "x" twice|"$seg" "$picture" --region predicted --explain-inputs x,x
1|expected names separated by commas|"$seg" "$picture" --region predicted --explain-inputs ,x
1|--explain-inputs needs a value|"$seg" "$picture" --region predicted --explain-inputs=
END
check "at least sixty wrong uses" test $count -ge 60
finish
