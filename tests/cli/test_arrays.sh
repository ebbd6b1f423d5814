#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Inputs that are not pictures: what -o draws of them, and what is said of it.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/gig.sh"
nets=$source_root/tests/golden/scalars
"$look" make series.npy 1,2,10 0.5 -0.3 0.8 && "$look" make row.npy 1,6 0.4 -1 2 0.1 && "$look" make volume.npy 1,1,6,8,8 0.3 -0.9 &&
    "$look" make tokens.npy 1,6,8 0.2 -0.4 0.7 && "$look" whole mask.npy 1,6 1 && "$look" make rows.npy 3,6 0.4 -1 2 || exit 1
printf '%s\n' '[CLS]' the film was great '[SEP]' >words.txt
printf '%s\n' age income debt rent loans savings >columns.txt
series=("$nets/series.onnx" --tensor "$work/series.npy" --index :,4)
row=("$nets/regression.onnx" --tensor "$work/row.npy" --of value)
rows=("$nets/regression.onnx" --tensor "$work/rows.npy" --of value)
volume=("$nets/volume.onnx" --tensor "$work/volume.npy")
words=("$nets/encoder.onnx" --tensor "x=$work/tokens.npy" --tensor "mask=$work/mask.npy")

# Draws in all formats; standard output ends in a line that says as what.
drawn() { # WORDS ARGUMENTS...
    local text=$1 kind
    shift
    for kind in png svg pdf html; do
        "$gig" explain "$@" -m ig --steps 5 -q -f -o out.$kind >said || return 1
        grep -qF -- "# $text" said || { cat said >&2 && return 1; }
    done
    starts_with out.png 89504e47 && starts_with out.pdf 25504446 && grep -q '<svg' out.svg && grep -q '"kind":"array"' out.html
}
names_on_the_sheet() { # the files' names, not their paths
    mkdir -p below && cp row.npy below/some.npy && "$gig" explain "$nets/regression.onnx" --of value --tensor below/some.npy -m ig --steps 5 -q -f -o names.html >said &&
        grep -q '"title":"some.npy"' names.html && grep -q '"title":"regression.onnx"' names.html && ! grep -q 'below/' names.html &&
        "$gig" explain "$model" "$fish" -m gradients -q -f -o fish.html >said && grep -q '"title":"fish-6.png"' fish.html && ! grep -q pictures/fish fish.html &&
        "$gig" compare "$model" "$fish" --methods gradients -q -f -o both.html >said && grep -q '"title":"fish-6.png, model.onnx"' both.html
}
a_title_of_ones_own() {
    "$gig" explain "${row[@]}" -m ig --steps 5 -q -f --title 'Who gets <credit>?' -o title.html >said && grep -q '"title":"Who gets ' title.html &&
        ! grep -q '"title":"regression.onnx"' title.html && "$gig" explain "${row[@]}" -m ig --steps 5 -q -f -o own.svg --title A >said &&
        "$gig" explain "${row[@]}" -m ig --steps 5 -q -f -o usual.svg >said && ! cmp -s own.svg usual.svg &&
        "$gig" compare "$model" "$fish" --methods gradients -q -f --title 'Our fish' -o both.html >said && grep -q '"title":"Our fish"' both.html
}
only_what_it_takes() {
    mkdir -p dry && (cd dry && "$gig" explain "$model" "$fish" "$bird" -m ig --steps 50 -q --dry-run) >said && nothing_in dry &&
        grep -Eq '^100 gradients at [0-9.]+ ms on [0-9]+ workers: about [0-9]+ s, .*B of memory$' said && [ "$(wc -l <said)" = 1 ] &&
        (cd dry && "$gig" compare "$model" "$fish" --methods ig,gradients --steps 50 -q --dry-run --json) >dry.json && nothing_in dry &&
        is dry.json gradients 51 && is dry.json values 0 && true_that '$v[0] > 1e5 && $v[1] > 0' "$(at dry.json memory)" "$(at dry.json seconds)" &&
        "$gig" explain "${row[@]}" -m ig --steps 30 --dry-run >said && grep -q '^30 gradients' said
}
zeros_not_black() {
    "$gig" explain "${row[@]}" -m ig --steps 5 -q -f -o zeros.html --json >zeros.json && grep -q '"note":"[^"]*from zeros' zeros.html &&
        is zeros.json results.0.options.baseline zeros
}
a_file_for_each_row() {
    "$gig" explain "${rows[@]}" -m ig --steps 5 -q -o sheets/ >said && [ "$(ls sheets | wc -l)" = 3 ] &&
        "$gig" explain "${rows[@]}" -m ig --steps 5 -q -o rows.html >said && [ "$(grep -o '"kind":"array"' rows.html | wc -l)" = 3 ] &&
        ! "$gig" explain "${rows[@]}" -m ig --steps 5 -q -o sheets/ 2>error && grep -q 'exists' error
}
maps_of_one_value_per_pixel() {
    "$look" make tiny.npy 1,3,96,96 0.2 0.5 && "$gig" explain "$model" --tensor tiny.npy -m grad-cam -q -f -o cam.png >said && starts_with cam.png 89504e47
}

check "a signal" drawn "[2,10] is drawn as signal: 2 channels of 10 positions (--draw-as changes that)" "${series[@]}"
check "a table" drawn "[6] is drawn as table: 6 columns (--draw-as changes that)" "${row[@]}"
check "a table with names" drawn "[6] is drawn as table: 6 columns" "${row[@]}" --columns columns.txt
check "a volume" drawn "[1,6,8,8] is drawn as slices: 6 of 8 x 8 (height x width), 1 channel" "${volume[@]}"
check "words" drawn "[6,8] is drawn as tokens: 6 positions of 8 values" "${words[@]}" --tokens words.txt
check "words without texts" drawn "[6,8] is drawn as tokens" "${words[@]}" --draw-as tokens
check "as another kind" drawn "[1,6,8,8] is drawn as signal: 48 channels of 8 positions" "${volume[@]}" --draw-as signal
check "columns' names are on the sheet" grep -q savings <(cd "$work" && "$gig" explain "${row[@]}" --columns columns.txt -m ig --steps 5 -q -o named.html && cat named.html)
check "sheets say names, not paths" names_on_the_sheet
check "--dry-run says what it takes, and does nothing" only_what_it_takes
check "--title" a_title_of_ones_own
check "the baseline of an array is zeros, not black" zeros_not_black
check "rows are drawn apart, and nothing is overwritten" a_file_for_each_row
check "a method with one value per pixel" maps_of_one_value_per_pixel
head -2 words.txt >two.txt
check "too few words" refuses 2 "two.txt: 2 texts for 6 positions" explain "${words[@]}" --tokens "$work/two.txt" -o x.png
check "names for another table" refuses 2 "two.txt: 2 texts for 6 columns" explain "${row[@]}" --columns "$work/two.txt" -o x.png
check "one file for three rows" refuses 1 "-o is one file for 3 rows" explain "${rows[@]}" -o x.png
check "words and columns" refuses 1 "give one of them" explain "${row[@]}" --tokens "$work/words.txt" --columns "$work/columns.txt" -o x.png
check "words without a drawing" refuses 1 "--tokens goes with --tensor and -o" explain "${row[@]}" --tokens "$work/words.txt" --npy x.npy
check "columns of a picture" refuses 1 "--columns goes with --tensor and -o" explain "$model" "$fish" --columns "$work/columns.txt" -o x.png
check "a picture drawn as a signal" refuses 1 "--draw-as goes with --tensor and -o" explain "$model" "$fish" --draw-as signal -o x.png
check "the map alone" refuses 1 "--bare draws pictures" explain "${row[@]}" --bare -o x.png
check "words from no file" refuses 5 "gig: none.txt: cannot open" explain "${words[@]}" --tokens none.txt -o x.png
printf 'a\377\376b\n' >bytes.txt
check "words that are no text" refuses 2 "bytes.txt: label 0 is not UTF-8" explain "${words[@]}" --tokens "$work/bytes.txt" -o x.png
check "words from a folder" refuses 5 "gig: /tmp: expected a file" explain "${words[@]}" --tokens /tmp -o x.png
check "names of columns from no file" refuses 5 "gig: none.txt: cannot open" explain "${row[@]}" --columns none.txt -o x.png
check "a title without a drawing" refuses 1 "--title stands above a drawing" explain "${row[@]}" --title x
check "a title of an array in a file" refuses 1 "--title stands above a drawing" explain "$model" "$fish" --title x --npy x.npy
check "a kind that is not one" refuses 1 "--draw-as" explain "${row[@]}" --draw-as song -o x.png
finish
