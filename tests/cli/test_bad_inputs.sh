#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Bad inputs: each ends in one line that begins with "gig: ", in the exit code of docs/limits.md, and leaves no file.
# What is refused runs in an empty folder and asks for output of every kind.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/gig.sh"

explains_not() { # CODE TEXT ARGUMENTS...
    local code=$1 text=$2
    shift 2
    refuses "$code" "$text" explain "$@" -m gig:0 --steps 5 -o out.png --npy out.npy --npz out.npz
}
cut_at() { # FILE TENTHS OUT
    head -c $(($(stat -c %s "$1") * $2 / 10)) "$1" >"$3"
}

# ---- pictures ----

: >empty.png
mkdir hollow
check "a missing picture" explains_not 5 "none.png" "$model" none.png
check "an empty picture" explains_not 2 "empty.png" "$model" "$work/empty.png"
check "a folder without pictures" explains_not 2 "hollow" "$model" "$work/hollow"
for kind in png jpg webp; do
    whole=$fish
    [ $kind = png ] || whole=$source_root/tests/golden/pictures/rgb444.jpg
    [ $kind = webp ] && whole=$source_root/tests/golden/pictures/lossless.webp
    for tenths in 1 2 3 4 5 6 7 8 9; do
        cut_at "$whole" $tenths cut-$tenths.$kind
        check "$tenths tenths of a $kind" explains_not 2 "cut-$tenths.$kind" "$model" "$work/cut-$tenths.$kind"
    done
done
echo "this is a letter, not a picture" >letter.jpg
printf '\xff\xd8\xff\xe0 and then words, words, words' >words.jpg
printf 'GIF89a\x01\x00\x01\x00\x00\x00\x00;' >one.gif
head -c 3000 /dev/zero >zeros.png
cp "$model" model.png
check "text named .jpg" explains_not 2 "letter.jpg" "$model" "$work/letter.jpg"
check "a JPEG's first bytes, then words" explains_not 2 "words.jpg" "$model" "$work/words.jpg"
check "a GIF" explains_not 4 "one.gif" "$model" "$work/one.gif"
check "zeros" explains_not 2 "zeros.png" "$model" "$work/zeros.png"
check "a model as picture" explains_not 2 "model.png" "$model" "$work/model.png"
perl -MCompress::Zlib -e '
    my $head = "IHDR" . pack "NNC5", 60000, 60000, 8, 2, 0, 0, 0;
    my $data = "IDAT" . compress("\0" x 1000);
    print "\x89PNG\r\n\x1a\n", map { pack("N", length($_) - 4) . $_ . pack "N", crc32($_) } $head, $data, "IEND"' >bomb.png
perl -0777 -pe 's/(\xff\xc0..\x08)..../$1 . pack "nn", 65000, 65000/se' "$source_root/tests/golden/pictures/rgb444.jpg" >bomb.jpg
check "a PNG of 3.6 gigapixels" explains_not 3 "bomb.png" "$model" "$work/bomb.png"
check "a JPEG of 4.2 gigapixels" explains_not 3 "bomb.jpg" "$model" "$work/bomb.jpg"
mixed() { # the good picture before the bad one gives no file either, since all are explained together
    refuses 2 "empty.png" explain "$model" "$fish" "$work/empty.png" -m gradients --npy out.npy
}
check "a good picture before a bad one" mixed
all_broken_ones_are_named() {
    mkdir -p several && cp "$fish" several/a.png && cp "$work/zeros.png" several/m.png && cp "$work/letter.jpg" several/n.jpg || return 1
    for threads in 1 2 4; do
        "$gig" explain "$model" several -m gradients --npy several.npy -j $threads -q >said 2>error
        [ $? -eq 2 ] && [ ! -s said ] && [ ! -e several.npy ] && [ "$(wc -l <error)" -eq 2 ] && grep -q 'm\.png' error &&
            grep -q 'n\.jpg' error || { cat error >&2 && return 1; }
    done
}
check "several broken pictures, for any threads" all_broken_ones_are_named
pictures_from_pipes() { # which can be read but once
    cat "$fish" | "$gig" explain "$model" "$fish" "$fish" "$fish" /dev/stdin -m gradients --npy piped.npy -j 1 -q >said &&
        [ "$(wc -l <said)" -ge 4 ] && rm piped.npy
}
check "a picture from a pipe among others" pictures_from_pipes

# y = log x of pictures of 4 x 4: not a number where one is black. With "d" for 4 their size is left open.
log_model() { # SIDE
    perl -e '
    sub number { my $n = shift; my $o = ""; while ($n > 127) { $o .= chr($n & 127 | 128); $n >>= 7 } $o . chr $n }
    sub text { my ($field, $bytes) = @_; number($field << 3 | 2) . number(length $bytes) . $bytes }
    sub whole { my ($field, $n) = @_; number($field << 3) . number($n) }
    sub value { my ($name, @dims) = @_;
        text(1, $name) . text(2, text(1, whole(1, 1) . text(2, join "", map { text(1, /\d/ ? whole(1, $_) : text(2, $_)) } @dims))) }
    sub node { my ($op, $in, $out) = @_; text(1, $in) . text(2, $out) . text(4, $op) }
    print whole(1, 8), text(8, whole(2, 13)), text(7, text(1, node("Log", "x", "l")) . text(1, node("Flatten", "l", "y")) .
        text(2, "g") . text(11, value("x", 1, 3, $ARGV[0], $ARGV[0])) . text(12, value("y", 1, $ARGV[0] eq "d" ? "n" : 48)))' "$1"
}
log_model 4 >log.onnx
log_model d >open.onnx
grey_png() { # VALUE: 4 x 4
    perl -MCompress::Zlib -e '
        my $rows = ("\0" . chr($ARGV[0]) x 4) x 4;
        print "\x89PNG\r\n\x1a\n", map { pack("N", length($_) - 4) . $_ . pack "N", crc32($_) }
            "IHDR" . pack("NNC5", 4, 4, 8, 0, 0, 0, 0), "IDAT" . compress($rows), "IEND"' "$1"
}
mkdir logs && for i in 1 2 3 5 6; do grey_png $((30 * i)) >logs/$i.png; done && grey_png 0 >logs/4.png
the_one_that_fails_is_named() { # and what came before it is kept, for any threads
    for threads in 1 2 3; do
        rm -rf drawn
        "$gig" explain log.onnx logs -m gradients --of logit --class 0 -o drawn/ -j $threads -q >said 2>error
        [ $? -eq 2 ] && grep -q '^gig: logs/4\.png: ' error && [ "$(grep -vc "^gig: warning: " error)" -eq 1 ] && [ "$(ls drawn | tr '\n' ' ')" = \
            "1.gig.png 2.gig.png 3.gig.png " ] || { ls drawn >&2 && cat error >&2 && return 1; }
    done
    "$gig" compare log.onnx logs --methods gradients --of logit --class 0 -o drawn/ -q >said 2>error
    [ $? -eq 2 ] && grep -q 'logs/4\.png: ' error || { cat error >&2 && return 1; }
}
check "the picture that a model fails on is named" the_one_that_fails_is_named
a_shape_for_pictures() {
    "$gig" explain open.onnx logs/1.png --shape x=1,3,4,4 -m gradients --of logit --class 0 --npy open.npy -q >said && shape open.npy 1,4,4,3 &&
        rm open.npy && "$gig" explain open.onnx logs/1.png -m gradients --of logit --class 0 --npy open.npy -q 2>error
    [ $? -eq 1 ] && grep -q 'input.width' error
}
check "--shape says what a model leaves open" a_shape_for_pictures

# ---- models and descriptions ----

cut_at "$model" 5 half.onnx
echo hello >words.onnx
mkdir own && cp "$model" own/net.onnx
describes_not() { # CODE TEXT JSON
    printf '%s' "$3" >own/net.json
    explains_not "$1" "$2" "$work/own/net.onnx" "$fish"
}
check "a missing model" explains_not 5 "none.onnx" none.onnx "$fish"
check "an empty model" explains_not 2 "empty.png" "$work/empty.png" "$fish"
check "half a model" explains_not 2 "half.onnx" "$work/half.onnx" "$fish"
check "words as model" explains_not 2 "words.onnx" "$work/words.onnx" "$fish"
check "a picture as model" explains_not 2 "fish-6.png: expected an ONNX file, found a PNG picture" "$fish" "$fish"
printf 'PK\x03\x04 and so on' >weights.pt
check "PyTorch's weights as model" explains_not 2 "export the model to ONNX" "$work/weights.pt" "$fish"
check "a folder as model" explains_not 5 "$demo" "$demo" "$fish"
names_every_file() {
    local file code
    for file in "$source_root"/tests/hostile/*.onnx; do
        "$gig" model "$file" >said 2>error
        code=$?
        [ $code -eq 0 ] || { [ "$(wc -l <error)" -eq 1 ] && grep -qF "gig: $file: " error && ! grep -qF "$file: $file" error; } ||
            { echo "$file" >&2 && cat error >&2 && return 1; }
    done
}
check "every hostile model is named, once" names_every_file
check "a model that takes no pictures" explains_not 1 "add_mismatch.onnx: the model's input" "$source_root/tests/hostile/add_mismatch.onnx" "$fish"
check "a description that is not JSON" describes_not 2 "net.json" '{"input": '
check "a description with an unknown key" describes_not 2 "colour" '{"colour": "red"}'
check "a description of the wrong size" describes_not 2 "net.json" '{"input": {"width": 97, "height": 97}}'
check "a description with std 0" describes_not 2 "std" '{"input": {"std": 0}}'
check "a missing label file" describes_not 5 "gone.txt" '{"labels": "gone.txt"}'

# ---- the command line ----

check "no picture" explains_not 1 "give pictures" "$model"
check "an unknown class" explains_not 1 "zebra" "$model" "$fish" --class zebra
check "a class below zero" explains_not 1 "class -1: the model has classes 0 to 11" "$model" "$fish" --class=-1
check "a class beyond the last" explains_not 1 "12" "$model" "$fish" --class 12
names_not() { # TEXT METHOD
    refuses 1 "$1" explain "$model" "$fish" -m "$2" -o out.png --npy out.npy
}
check "no steps" names_not "steps" gig/steps=0
check "steps below zero" names_not "steps" ig/steps=-3
check "steps that are not a number" names_not "steps" ig/steps=ten
check "fewer steps than segments" names_not "steps" gig:20/steps=5
check "a fraction of 2" names_not "fraction" gig/fraction=2
check "a fraction of 0" names_not "fraction" gig/fraction=0
check "a fraction that is not a number" names_not "fraction" gig/fraction=nan
check "a window below zero" names_not "max-dist" gig/max-dist=-1
check "an unknown rule" names_not "rule" gig/rule=simpson
check "a rule that guided walks lack" names_not "gauss-legendre" gig/rule=gauss-legendre
check "an unknown method" names_not "guide-ig" guide-ig
check "an empty method" names_not "--method needs a value" ""
check "anchors that are not a number" names_not "gig:x" gig:x
check "anchors of another method" names_not "ig:3" ig:3
check "an unknown option" names_not "speed" gig/speed=9
check "an option of another method" names_not "sigma" gig/sigma=3
check "an option twice" names_not "steps" gig/steps=5/steps=6
check "no samples" names_not "samples" smooth+ig/samples=0
check "noise below zero" names_not "noise" smooth+ig/noise=-1
check "an unknown baseline" names_not "grey" ig/baseline=grey
check "no random baselines" names_not "random" ig/baseline=random:0
check "a tolerance below zero" names_not "tolerance" gig/tolerance=-1
check "a flag with a bad value" refuses 1 "steps" explain "$model" "$fish" --steps 0 -o out.png
check "a seed below zero" refuses 1 "seed" explain "$model" "$fish" --seed -1 -o out.png
check "an unknown scalar" refuses 1 "probability" explain "$model" "$fish" --of probability -o out.png
check "an unknown tensor" refuses 1 "nowhere" explain "$model" "$fish" --at nowhere -m grad-cam -o out.png
check "an unknown output" explains_not 1 "nowhere" "$model" "$fish" --output nowhere
check "a memory that nothing fits in" explains_not 3 "memory" "$model" "$fish" --memory 10K
check "a method's option as a flag" refuses 1 "NAME/window=" explain "$model" "$fish" --window 5 -o out.png
check "a method in capitals" refuses 1 'did you mean "grad-cam"?' explain "$model" "$fish" -m Grad-CAM -o out.png
check "a class unlike any other" refuses 1 'unknown class "xylophone"' explain "$model" "$fish" --class xylophone -o out.png
check "a shape for no input" refuses 1 'no input "foo"' explain "$model" "$fish" --shape foo=1,3 -o out.png
check "an array named as an archive" refuses 1 "--npz" explain "$model" "$fish" --npy out.npz
check "an archive named as an array" refuses 1 "--npy" explain "$model" "$fish" --npz out.npy
check "an array and an archive of one name" refuses 1 "both" explain "$model" "$fish" --npy out --npz out
check "a drawing and an array of one name" refuses 1 "-o and --npy both name" explain no.onnx "$fish" -o out.png --npy "$work/empty/out.png" --force
check "a page and a table of one name" refuses 1 "-o and --csv both name" path no.onnx "$fish" -o ./p.png --csv p.png --force
check "a table and a film of one name" refuses 1 "--csv and --film both name" path no.onnx "$fish" --csv a.webp --film a.webp --force
check "a table and a plot of one name" refuses 1 "-o and --plot both name" study table no.db -o t.png --plot t.png --force
check "an array and JSON on standard output" refuses 1 "--json and --npy both name" explain no.onnx "$fish" --json --npy /dev/stdout
check "gradients and JSON on standard output" refuses 1 "--json and -o both name" gradient no.onnx --class 1 --json -o /dev/stdout
check "a model's output that is not there" refuses 1 "nowhere" model "$model" --output nowhere
check "a shape that does not fit the model" refuses 1 "97" model "$model" --shape input=1,3,97,97
check "a picture of an unknown kind" refuses 1 "out.gif" explain "$model" "$fish" -m gradients -o out.gif
check "an unknown kind of sheet" refuses 1 "out.bmp" compare "$model" "$fish" --methods gradients -o out.bmp

# ---- arrays ----

"$look" make small.npy 1,5,5,3 0.5
"$look" make fine.npy 1,96,96,3 0.5
"$look" make nan.npy 1,96,96,3 0.5 nan 0.25
"$look" make infinite.npy 1,96,96,3 0.5 inf
"$look" make tensor.npy 1,3,96,96 0.5 nan
"$look" make regions.npy 96,96 1
cut_at fine.npy 5 half.npy
echo "array" >words.npy
"$look" make bytes.npy 1,96,96,3 0 128 255
check "pixels from 0 to 255" explains_not 2 "bytes.npy: expected pixels in [0,1], found 128 at value 1: divide by 255" "$model" --pixels "$work/bytes.npy"
check "pixels of the wrong shape" explains_not 1 "has shape [1,5,5,3], the model takes [n,96,96,3]" "$model" --pixels "$work/small.npy"
check "a missing file of pixels" explains_not 5 "none.npy" "$model" --pixels none.npy
check "half an array" explains_not 2 "half.npy" "$model" --pixels "$work/half.npy"
check "words as array" explains_not 2 "words.npy" "$model" --pixels "$work/words.npy"
check "a NaN among the pixels" explains_not 2 "finite" "$model" --pixels "$work/nan.npy"
check "an infinity among the pixels" explains_not 2 "finite" "$model" --pixels "$work/infinite.npy"
check "a picture as a tensor's baseline" refuses 1 "cannot be the baseline of a tensor" explain "$model" --tensor "$work/tensor.npy" -m ig --baseline "$fish" --npy out.npy
check "a NaN in a tensor" refuses 2 "finite" explain "$model" --tensor "$work/tensor.npy" -m ig --steps 3 --npy out.npy
"$look" make late.npy 4,96,96,3 $(for i in $(seq 27648); do echo 0.5; done) $(for i in $(seq 5); do echo 0.5; done) nan \
    $(for i in $(seq 27642); do echo 0.5; done)
check "a NaN in a later row" refuses 2 "late.npy: row 1, value 5 is not finite" explain "$model" --pixels "$work/late.npy" -m ig --steps 3 -j 1 \
    --npy out.npy
"$look" whole whole.npy 1,3,96,96 1
check "whole numbers for points, two inputs" refuses 1 "name the one that the integers belong to" gradient "$source_root/tests/golden/scalars/gcn.onnx" \
    --tensor "$work/whole.npy" --class 1
"$look" make points.npy 1,3,96,96 0.5
check "gradients in a picture's name" refuses 1 "g.png: expected a file name that ends in .npy" gradient "$model" --tensor "$work/points.npy" --class 1 -o g.png
check "the gradient at the input by name" refuses 1 "is the input itself" gradient "$model" --tensor "$work/points.npy" --class 1 --at input -o g.npy
check "a baseline of the wrong shape" explains_not 2 "small.npy" "$model" "$fish" --baseline "$work/small.npy"
check "a name with more given baselines than there are" refuses 1 "the name says 2 given baselines" explain "$model" "$fish" \
    -m ig/baseline=given:2 --baseline "$bird"
check "a name with a given baseline that nothing gives" refuses 1 "no --baseline FILE" explain "$model" "$fish" -m ig/baseline=given
check "a baseline that is not there" explains_not 5 "none.npy" "$model" "$fish" --baseline none.npy
check "a NaN in the baseline" explains_not 2 "finite" "$model" "$fish" --baseline "$work/nan.npy"
"$look" make turned.npy 3,96,96 0.5
check "a baseline with its axes turned" explains_not 2 "turned.npy: has shape [3,96,96]; a baseline is one point, [96,96,3]" \
    "$model" "$fish" --baseline "$work/turned.npy"
check "a baseline from 0 to 255" explains_not 2 "bytes.npy: expected pixels in [0,1], found 128 at value 1" "$model" "$fish" --baseline "$work/bytes.npy"
divides_not() { # CODE TEXT FLAGS...
    local code=$1 text=$2
    shift 2
    refuses "$code" "$text" explain "$model" "$fish" -m xrai+ig/steps=3 -o out.png --segments "$@"
}
"$look" whole flat.npy 9216 1
"$look" whole below.npy 96,96 3 -1
"$look" whole each.npy 96,96 $(seq 9216)
check "segments in one row" divides_not 2 "has shape [9216]; expected one integer label per pixel, [96,96]" "$work/flat.npy"
check "a segment below zero" divides_not 2 "label -1; labels are 0 and above" "$work/below.npy"
check "more segments than memory" divides_not 3 "the masks of 9216 labels take 84.9 MB" "$work/each.npy" --memory 80M
check "segments that are not integers" refuses 2 "regions.npy" explain "$model" "$fish" -m xrai+ig/steps=3 --segments "$work/regions.npy" -o out.png
check "pictures and pixels at once" explains_not 1 "not several" "$model" "$fish" --pixels "$work/fine.npy"

# ---- where nothing can be written ----

echo "a file" >file
check "a picture below a file" refuses 5 "$work/file" explain "$model" "$fish" -m gradients -o "$work/file/map.png"
check "a folder below a file" refuses 5 "$work/file" explain "$model" "$fish" -m gradients -o "$work/file/maps/"
check "an array below a file" refuses 5 "$work/file" explain "$model" "$fish" -m gradients --npy "$work/file/a.npy"
check "an archive in no folder" refuses 5 "none/a.npz" explain "$model" "$fish" -m gradients --npz none/a.npz
check "a sheet below a file" refuses 5 "$work/file" compare "$model" "$fish" --methods gradients -o "$work/file/sheet.pdf"
full_disk() {
    for words in "explain $model $fish -m gradients --json" "explain $model $fish -m gradients" \
        "compare $model $fish --methods gradients --json" "score --map $work/small.npy"; do
        rm -f "$work/full.png"
        $gig $words $([[ $words == score* ]] || echo "-o $work/full.png") >/dev/full 2>"$work/error"
        [ $? -eq 5 ] && [ "$(wc -l <"$work/error")" -eq 1 ] && grep -q '^gig: ' "$work/error" ||
            { echo "$words" >&2 && cat "$work/error" >&2 && return 1; }
    done
}
check "a full disk" full_disk
# A model that averages each of three channels of pictures that are 16 wide and of any height.
perl -e '
    sub varint { my ($v, $out) = (shift, ""); while ($v > 127) { $out .= chr($v % 128 + 128); $v = int($v / 128) } $out . chr $v }
    sub field { my ($n, $bytes) = @_; varint($n * 8 + 2) . varint(length $bytes) . $bytes }
    sub number { my ($n, $v) = @_; varint($n * 8) . varint($v) }
    sub value { my $name = shift; field(1, $name) . field(2, field(1, number(1, 1) . field(2, join "", map { field(1, $_) } @_))) }
    sub node { my ($op, $in, $out) = @_; field(1, $in) . field(2, $out) . field(4, $op) }
    my ($one, $three, $free, $side) = (number(1, 1), number(1, 3), field(2, "H"), number(1, 16));
    print number(1, 7), field(7, field(1, node("GlobalAveragePool", "x", "m")) . field(1, node("Flatten", "m", "y")) . field(2, "g") .
        field(11, value("x", $one, $three, $free, $side)) . field(12, value("y", $one, $three))), field(8, number(2, 13))' >open.onnx
open_sizes() { # the description knows how high pictures are, the model how wide
    "$gig" model open.onnx >said && grep -q 'plan *none: .*is free' said || { cat said >&2 && return 1; }
    echo '{"input": {"height": 16}}' >open.json
    "$gig" model open.onnx >said && ! grep -q 'is free' said && "$gig" bench open.onnx >/dev/null || { cat said >&2 && return 1; }
}
check "sizes that the model and its description know together" open_sizes
nothing_read_is_overwritten() {
    mkdir -p held && cp "$fish" held/keep.png && cp "$model" keep.onnx && cp "$fish" keep.png && cp "$demo/model.json" keep.json && cp keep.onnx net.v1 && cp keep.json net.v1.json && cp "$demo/labels.txt" . || return 1
    for words in "explain keep.onnx keep.png -m gradients --npy keep.onnx" "explain keep.onnx keep.png -m gradients -o ./keep.png" \
        "explain keep.onnx --pixels fine.npy -m gradients --npy fine.npy" "gradient keep.onnx --tensor points.npy --class 1 -o points.npy" \
        "explain keep.onnx keep.png -m ig/steps=2 --baseline fine.npy --npz fine.npy" \
        "explain keep.onnx held -m gradients -o held/keep.png" "explain keep.onnx keep.png -m gradients --npy keep.json" \
        "explain net.v1 keep.png -m gradients --npy net.v1.json"; do
        $gig $words --force >said 2>error
        [ $? -eq 1 ] && grep -q 'which is read' error || { echo "$words" >&2 && cat error >&2 && return 1; }
    done
    cmp keep.onnx "$model" && cmp keep.png "$fish" || return 1
    mkdir -p white # a folder of the baseline's name is none of its pictures
    for i in 1 2; do
        $gig explain keep.onnx keep.png -m ig/steps=2 --baseline white -o white/a.png --force >said 2>error || { cat error >&2 && return 1; }
    done
}
check "an output that is an input, by force" nothing_read_is_overwritten
long_names() {
    local name
    name=$(printf 'n%.0s' $(seq 248)).npy
    "$gig" explain "$model" "$fish" -m gradients --npy "$name" -q >said && [ -s "$name" ] && rm "$name" &&
        refuses 5 "File name too long" explain "$model" "$fish" -m gradients --npy "n$name$name"
}
check "names as long as file systems take, and longer" long_names
says_what_is_wrong_with_a_long_path() {
    local folder
    folder=$(printf 'a%.0s' $(seq 200))
    refuses 5 "nope.onnx" model "$folder/$folder/$folder/nope.onnx" && grep -q 'No such file' "$work/error"
}
check "what is wrong with a long path" says_what_is_wrong_with_a_long_path
nobody_reads_on() { # files are whole all the same
    mkdir -p many && for i in $(seq 40); do cp "$fish" many/$i.png; done
    "$gig" explain "$model" many -m gradients --npy many.npy -q 2>error | true
    [ "${PIPESTATUS[0]}" -eq 141 ] && [ ! -s error ] && [ "$("$look" shape many.npy)" = "<f4 40,96,96,3" ] || return 1
    "$gig" score --map many.npy --json 2>error | true
    [ "${PIPESTATUS[0]}" -eq 141 ] && [ ! -s error ] || { cat error >&2 && return 1; }
}
check "a reader that goes away" nobody_reads_on
check "an array to a full disk" refuses 5 "/dev/full" explain "$model" "$fish" -m gradients --npy /dev/full
finish
