#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# gig compare on the pictures of the demo: the sheet and the numbers beside it.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/gig.sh"

compare() { "$gig" compare "$model" "$@"; }

the_usual_methods() {
    compare "$fish" --steps 21 -o usual.png --json >usual.json && is usual.json results.# 9 || return 1
    local i=0
    for name in ig/rule=idgi/steps=21 gradients ig/steps=21 blur-ig/steps=21 gig/steps=21 gig:20/steps=21 smooth+gig:20/samples=5/steps=21 \
        xrai+gig:20/steps=21 grad-cam; do
        is usual.json results.$i.method $name && is usual.json results.$i.class 6 && is usual.json results.$i.label fish || return 1
        i=$((i + 1))
    done
    is usual.json results.5.evaluations 21 && is usual.json results.6.evaluations 105 && is usual.json results.2.options.rule midpoint &&
        is usual.json results.4.options.rule left
}
xrai_takes_the_map_that_is_there() {
    is usual.json results.7.evaluations 0 && is usual.json results.7.sum "$(at usual.json results.5.sum)"
}
xrai_alone_computes_its_own() {
    compare "$fish" --methods xrai+ig/steps=4 -o own.png --json >own.json && is own.json results.0.evaluations 4
}
counts_values_too() { # windows of 48 at every 6th pixel of 96: 9 x 9, and the picture itself
    compare "$fish" --methods gradients,occlusion/window=48/stride=6 -o windows.png >said && head -n 1 said | grep -q '^# 1 gradients at .* ms, 82 values at .* ms on'
}
xrai_of_one_value_per_pixel() { # ranked over its own run, which spreads the values over the channels
    compare "$fish" --methods grad-cam,xrai+grad-cam -o cam.png --json >cam.json && is cam.json results.1.method xrai+grad-cam &&
        is cam.json results.1.evaluations 1
}
as_explain() {
    compare "$fish" --methods gig:2/steps=12,ig/steps=5 -o as.png --json >as.json &&
        "$gig" explain "$model" "$fish" -m gig:2/steps=12 --json >gig.json && "$gig" explain "$model" "$fish" -m ig/steps=5 --json >ig.json || return 1
    for field in value_input value_baseline sum delta step_error evaluations noise distance l1 l2 stability stability_of_mean; do
        is as.json results.0.$field "$(at gig.json results.0.$field)" && is as.json results.1.$field "$(at ig.json results.0.$field)" || return 1
    done
}
same_for_any_threads() {
    for threads in 1 3; do
        compare "$fish" --methods gig:2/steps=12,smooth+ig/samples=2/steps=3 -j $threads -o j$threads.png --json |
            grep -v '"seconds"' >j$threads.json || return 1
    done
    cmp j1.json j3.json
}
time_comes_first() {
    compare "$fish" --methods ig/steps=5,gradients -o first.png >said && head -n 1 said | grep -qE '^# 6 gradients at [0-9.]+ ms on [0-9]+ workers: about [0-9]+ s, [0-9.]+ [KMG]B of memory$' &&
        grep -qx first.png said
}
three_formats() {
    for ending in png svg pdf; do compare "$fish" --methods ig/steps=3,gig:0/steps=3 -o sheet.$ending >said || return 1; done
    local two nine
    two=$("$look" png sheet.png) && nine=$("$look" png usual.png) && true_that '$v[2] * $v[3] > 1.5 * $v[0] * $v[1]' $two $nine &&
        starts_with sheet.pdf 255044462d && tail -c 7 sheet.pdf | grep -q '%%EOF' && starts_with sheet.svg 3c3f786d6c && grep -q '</svg>' sheet.svg
}
a_sheet_for_each_picture() {
    compare "$fish" "$bird" --methods gradients -o sheets/ --json >two.json && is two.json results.# 2 && is two.json results.1.label bird &&
        "$look" png sheets/fish-6.compare.png && "$look" png sheets/bird-1.compare.png && ! cmp -s sheets/fish-6.compare.png sheets/bird-1.compare.png
}
another_class() {
    compare "$fish" --methods gradients,ig/steps=3 --class snail -o snail.png --json >snail.json && is snail.json results.0.class 10 &&
        true_that '$v[0] < 0.01' "$(at snail.json results.1.value_input)"
}
computes_nothing() {
    echo mine >kept.png && "$gig" compare no-model.onnx "$fish" -o kept.png 2>error
    [ $? -eq 5 ] && grep -q 'kept.png: exists already' error && [ "$(cat kept.png)" = mine ] &&
        compare "$fish" --methods gradients -o kept.png --force && "$look" png kept.png
}
interrupted() {
    mkdir stop && cd stop || return 1
    "$gig" compare "$model" "$fish" --methods gradients,ig/steps=1000000 -o a.png >said 2>error &
    local pid=$!
    sleep 1.5
    kill -INT $pid
    wait $pid
    local got=$? files
    files=$(ls | tr '\n' ' ')
    cd ..
    [ $got -eq 130 ] && [ "$files" = "error said " ] && [ "$(cat stop/error)" = "gig: interrupted" ]
}

check "values are counted too" counts_values_too
check "the usual methods, by their names" the_usual_methods
check "xrai takes the map that is there" xrai_takes_the_map_that_is_there
check "xrai alone computes its own map" xrai_alone_computes_its_own
check "xrai of one value per pixel" xrai_of_one_value_per_pixel
check "the same numbers as explain's" as_explain
check "the same numbers for any threads" same_for_any_threads
check "says first how long it will take" time_comes_first
check "PNG, SVG and PDF; more methods, a larger sheet" three_formats
check "a sheet for each picture" a_sheet_for_each_picture
check "another class" another_class
check "does not overwrite, and computes nothing" computes_nothing
check "an unknown method" refuses 1 "gog" compare "$model" "$fish" --methods ig,gog -o x.png
check "an empty name" refuses 1 "--methods" compare "$model" "$fish" --methods ig,,gig -o x.png
check "an option that is not the method's" refuses 1 "fraction" compare "$model" "$fish" --methods ig/fraction=0.2 -o x.png
check "one file for two sheets" refuses 1 "-o is one file" compare "$model" "$fish" "$bird" -o x.png
check "no picture" refuses 1 "give pictures" compare "$model" -o x.png
check "SIGINT ends with 130 and leaves nothing" interrupted
finish
