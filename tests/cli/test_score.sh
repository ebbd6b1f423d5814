#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# gig score: numbers known by hand, masks and boxes, many maps at once, and scores that need the model.
. "$(dirname "$0")/tap.sh"
look=$source_root/tests/cli/inspect
demo=$source_root/demo
cd "$work" || exit 1

score() { "$gig" score "$@" --json >"$work/score.json"; }
at() { "$look" json "$work/score.json" "$1"; }
is() { # PATH VALUE
    [ "$(at "$1")" = "$2" ] || { echo "$1 is $(at "$1"), not $2" >&2 && return 1; }
}
near() { # PATH VALUE WITHIN
    perl -e 'exit !(abs($ARGV[0] - $ARGV[1]) <= $ARGV[2])' "$(at "$1")" "$2" "$3" || { at "$1" >&2 && return 1; }
}
refuses() { # CODE TEXT ARGUMENTS...
    local code=$1 text=$2
    shift 2
    "$gig" score "$@" >"$work/said" 2>"$work/error"
    [ $? -eq "$code" ] && [ ! -s "$work/said" ] && [ "$(wc -l <"$work/error")" -eq 1 ] && grep -qF -- "$text" "$work/error" ||
        { cat "$work/error" >&2 && return 1; }
}

# 0..15 in a square of four; the box holds 10, 11, 14, 15, of which 10 and 11 lie below 12 and 13:
# 44 of the 48 pairs are in order.
"$look" make ramp.npy 4,4 $(seq 0 15)
by_hand() {
    score --map ramp.npy --boxes "2 2 3 3" && near results.0.scores.auc 0.916666666667 1e-12 && is results.0.scores.pointing 1 &&
        is results.0.sum 120 && near results.0.scores.gini 0.354166666667 1e-12
}
ties_count_half() {
    "$look" make flat.npy 4,4 1
    score --map flat.npy --boxes "0 0 1 1" && is results.0.scores.auc 0.5 && is results.0.scores.pointing null
}
two_boxes_are_one_object() {
    score --map ramp.npy --boxes "2 3 3 3; 2 2 3 2" && near results.0.scores.auc 0.916666666667 1e-12
}
misses() {
    score --map ramp.npy --boxes "0 0 1 1" && is results.0.scores.pointing 0 && near results.0.scores.auc 0.0833333333333 1e-12
}
# One pixel (1, -2, 3), the rest (0, 0, 0).
reductions() {
    "$look" make colour.npy 1,2,2,3 1 -2 3 0 0 0 0 0 0 2 2 -1
    score --map colour.npy --boxes "0 0 0 0" --metrics auc,auc/reduction=sum-abs && near results.0.scores.auc 0.666666666667 1e-9 &&
        is 'results.0.scores.auc/reduction=sum-abs' 1 && is reduction null || return 1
    score --map colour.npy --boxes "0 0 0 0" --metrics auc/reduction=max,gini/reduction=max && is reduction max || return 1
    "$gig" score --map colour.npy --boxes "0 0 0 0" --metrics auc/reduction=max | grep -qx '# channels to one value per pixel: max' || return 1
    score --map colour.npy --boxes "0 0 0 0" --metrics auc --reduce max && is 'results.0.scores.auc/reduction=max' 1 && is reduction max
}
maps_without_names_have_places() {
    "$look" make two.npy 2,4,4,1 $(seq 0 15)
    score --map two.npy --metrics "gini , gini/reduction=max" && is results.1.input "two.npy[1]" && near results.0.scores.gini 0.354166666667 1e-12
}
undefined_is_null() {
    score --map ramp.npy --boxes "0 0 3 3" --metrics auc && is results.0.scores.auc null && is results.0.notes.auc "the ground truth covers all pixels"
}
many() {
    "$gig" explain "$demo/model.onnx" "$demo/pictures" -m gradients --npy g.npy -q &&
        score --map g.npy --mask "$demo/masks" && is results.# 12 && is results.6.input "$demo/masks/fish-6.png" || return 1
    local mean
    mean=$(for i in $(seq 0 11); do at results.$i.scores.auc; done | awk '{ s += $1 } END { printf "%.9f", s / NR }')
    near mean.auc "$mean" 1e-8
}
as_others_compute_it() {
    score --map g.npy --mask "$demo/masks" --metrics auc && /usr/bin/python3 - "$work" "$demo" <<'PY'
import glob, json, sys
import numpy as np
from PIL import Image
from sklearn.metrics import roc_auc_score
work, demo = sys.argv[1:]
maps = np.abs(np.load(work + "/g.npy").sum(axis=-1))
found = [row["scores"]["auc"] for row in json.load(open(work + "/score.json"))["results"]]
for map, path, auc in zip(maps, sorted(glob.glob(demo + "/masks/*.png")), found):
    mask = np.asarray(Image.open(path).convert("L")) == 255
    assert abs(roc_auc_score(mask.ravel(), map.ravel()) - auc) < 1e-6, path
PY
}
against_the_model() {
    "$gig" explain "$demo/model.onnx" "$demo/pictures/fish-6.png" -m ig --steps 20 --npy fish.npy -q &&
        score --map fish.npy --mask "$demo/masks/fish-6.png" --model "$demo/model.onnx" --picture "$demo/pictures/fish-6.png" &&
        is results.0.scores.# 7 || return 1
    for name in insertion deletion sic aic; do
        at results.0.scores.$name | awk '!($1 >= 0 && $1 <= 1) { exit 1 }' || return 1
    done
    cp score.json all.json
    score --map fish.npy --mask "$demo/masks/fish-6.png" --model "$demo/model.onnx" --picture "$demo/pictures/fish-6.png" --threads 3 && cmp score.json all.json
}
the_order_of_pixels_matters() { # the same map with its pixels in the opposite order is worse
    perl -0777 -ne '
        my $head = 10 + unpack("v", substr($_, 8, 2));
        my @v = unpack("f<*", substr($_, $head));
        for (my $i = 0; $i < @v; $i += 3) { @v[$i .. $i + 2] = (1 / (abs($v[$i] + $v[$i + 1] + $v[$i + 2]) + 1e-6)) x 3 }
        print substr($_, 0, $head), pack("f<*", @v)' fish.npy >turned.npy &&
        score --map turned.npy --model "$demo/model.onnx" --picture "$demo/pictures/fish-6.png" --metrics insertion,deletion || return 1
    perl -e 'exit !($ARGV[0] + 0.1 < $ARGV[1] && $ARGV[2] > $ARGV[3])' "$(at results.0.scores.insertion)" \
        "$("$look" json all.json results.0.scores.insertion)" "$(at results.0.scores.deletion)" "$("$look" json all.json results.0.scores.deletion)"
}
adds_up_as_explain_says() {
    "$gig" explain "$demo/model.onnx" "$demo/pictures/fish-6.png" -m ig --steps 20 --npy ig.npy --json >explained.json &&
        score --map ig.npy --model "$demo/model.onnx" --picture "$demo/pictures/fish-6.png" --metrics completeness || return 1
    near results.0.scores.completeness "$(perl -e 'print abs($ARGV[0] / ($ARGV[1] - $ARGV[2]))' \
        "$("$look" json explained.json results.0.delta)" "$("$look" json explained.json results.0.value_input)" \
        "$("$look" json explained.json results.0.value_baseline)")" 1e-5
}
adds_up_in_its_own_scalar() { # and says in which, and of which class; curves stay those of the probability
    "$gig" explain "$demo/model.onnx" "$demo/pictures/fish-6.png" -m ig --steps 20 --of logit --npy logit.npy --json >explained.json &&
        score --map logit.npy --model "$demo/model.onnx" --picture "$demo/pictures/fish-6.png" --of logit --metrics completeness,deletion || return 1
    near results.0.scores.completeness "$(perl -e 'print abs($ARGV[0] / ($ARGV[1] - $ARGV[2]))' \
        "$("$look" json explained.json results.0.delta)" "$("$look" json explained.json results.0.value_input)" \
        "$("$look" json explained.json results.0.value_baseline)")" 1e-5 && is of logit && is results.0.class 6 && is results.0.label fish || return 1
    local deletion
    deletion=$(at results.0.scores.deletion)
    score --map logit.npy --model "$demo/model.onnx" --picture "$demo/pictures/fish-6.png" --metrics deletion && is results.0.scores.deletion "$deletion" &&
        is of softmax || return 1
    "$gig" score --map logit.npy --model "$demo/model.onnx" --picture "$demo/pictures/fish-6.png" --of logit --metrics completeness >said &&
        grep -q ', class 6 (fish)$' said && grep -qx '# scalar of the class: logit' said
}
the_same_picture_twice() { # random pixels are the picture's, wherever it stands
    mkdir -p twice && cp "$demo/pictures/fish-6.png" twice/a.png && cp "$demo/pictures/fish-6.png" twice/b.png &&
        "$gig" explain "$demo/model.onnx" twice -m gradients --npy twice.npy -q &&
        score --map twice.npy --model "$demo/model.onnx" --picture twice --metrics sic && is results.1.scores.sic "$(at results.0.scores.sic)"
}
the_spread_over_draws() { # beside the score, and as a number
    score --map fish.npy --model "$demo/model.onnx" --picture "$demo/pictures/fish-6.png" --metrics sic/draws=3,sic &&
        is results.0.spreads.# 1 && [ "$(at results.0.notes.sic/draws=3)" = "$(printf 'spread %.4g over 3 draws' "$(at results.0.spreads.sic/draws=3)")" ] || return 1
    "$gig" score --map fish.npy --model "$demo/model.onnx" --picture "$demo/pictures/fish-6.png" --metrics sic/draws=3,sic >said &&
        grep -q " ($(at results.0.notes.sic/draws=3)), sic 0\.[0-9]*, sum " said
}
boxes_in_the_pictures_pixels() {
    score --map fish.npy --boxes "10 10 60 60" && cp score.json plain.json &&
        score --map fish.npy --boxes "10 10 60 60" --model "$demo/model.onnx" --picture "$demo/pictures/fish-6.png" --metrics auc || return 1
    [ "$(at results.0.scores.auc)" = "$("$look" json plain.json results.0.scores.auc)" ]
}
warns_of() { # TEXT ARGUMENTS...: a score all the same, and one line on standard error
    local text=$1
    shift
    score "$@" 2>error && [ "$(wc -l <error)" -eq 1 ] && grep -qF -- "$text" error || { cat error >&2 && return 1; }
}
a_box_partly_outside() { # the part inside is that of by_hand
    warns_of "warning: box 1 (2 2 9 3) reaches outside the map of 4 x 4" --map ramp.npy --boxes "2 2 9 3" &&
        near results.0.scores.auc 0.916666666667 1e-12 &&
        warns_of "warning: box 2 (2 3 3 4) reaches" --map ramp.npy --boxes "2 2 3 3;2 3 3 4" && near results.0.scores.auc 0.916666666667 1e-12 &&
        warns_of "warning: box 1 (-1 0 3 3) reaches" --map ramp.npy --boxes "-1 0 3 3" && is results.0.scores.auc null
}
a_box_partly_outside_the_picture() {
    warns_of "box 1 (10 10 60 999) reaches outside the picture of 96 x 96" --map fish.npy --boxes "10 10 60 999" \
        --model "$demo/model.onnx" --picture "$demo/pictures/fish-6.png" --metrics auc && cp score.json cut.json &&
        score --map fish.npy --boxes "10 10 60 95" --metrics auc 2>error && [ ! -s error ] &&
        [ "$(at results.0.scores.auc)" = "$("$look" json cut.json results.0.scores.auc)" ]
}
# A mask of 192 x 96, whose left quarter is white: the model crops the middle, which is all black; squashed, the left
# quarter of the map is white.
png() { # WIDTH HEIGHT KIND ROWS: as perl makes the rows, each after a zero; kind 0 is grey, 2 red green blue
    perl -MCompress::Zlib -e '
        my ($width, $height, $kind, $rows) = @ARGV;
        print "\x89PNG\r\n\x1a\n", map { pack("N", length($_) - 4) . $_ . pack "N", crc32($_) }
            "IHDR" . pack("NNC5", $width, $height, 8, $kind, 0, 0, 0), "IDAT" . compress(eval $rows), "IEND"' "$@"
}
a_mask_goes_the_models_way() {
    mkdir -p own && cp "$demo/model.onnx" own/net.onnx && sed s/squash/crop/ "$demo/model.json" >own/net.json &&
        cp "$demo/labels.txt" own/ && png 192 96 0 '("\0" . "\xff" x 48 . "\0" x 144) x 96' >wide.png || return 1
    "$look" make wide.npy 96,96 $(seq 0 95) && score --map wide.npy --mask wide.png --model own/net.onnx --metrics auc 2>error &&
        [ ! -s error ] && is results.0.scores.auc null && is results.0.notes.auc "the ground truth covers no pixel" &&
        warns_of "wide.png: 192 x 96 are squashed to the map's 96 x 96" --map wide.npy --mask wide.png --metrics auc && is results.0.scores.auc 0
}
what_is_cut_away_still_says_what_masks_mean() { # 255 is the object, out of the crop as well; a stray 1 is none
    png 192 96 0 'my $r = ("\0" . "\xff" x 48 . "\0" x 144) x 96; substr($r, 193 * 48 + 1 + 96, 1) = "\1"; $r' >stray.png &&
        score --map wide.npy --mask stray.png --model own/net.onnx --metrics auc && is results.0.scores.auc null
}
in_words() {
    "$gig" score --map ramp.npy --boxes "2 2 3 3" >said && grep -q '^ramp.npy: auc 0.9167, pointing 1.0000, gini 0.3542, sum 120.0000$' said &&
        grep -q 'abs-sum' said
}
large_sums_in_words() { # 40 digits and 4 decimals were cut where the room ended
    "$look" make large.npy 2,2 3e38 && "$gig" score --map large.npy >said && grep -q ', sum 1.2e+39$' said
}

check "maps without names have places" maps_without_names_have_places
check "a ramp and a box, by hand" by_hand
check "equal values count one half" ties_count_half
check "two boxes are one object" two_boxes_are_one_object
check "a map that points elsewhere" misses
check "channels are reduced as asked" reductions
check "what is not defined is null, and says why" undefined_is_null
check "a folder of masks for an array of maps" many
if /usr/bin/python3 -c 'import numpy, PIL, sklearn' 2>/dev/null; then
    check "the same areas as scikit-learn's" as_others_compute_it
else
    skip "the same areas as scikit-learn's" "no numpy, Pillow and scikit-learn under /usr/bin/python3"
fi
check "insertion, deletion, sic and aic of one map, the same for any threads" against_the_model
check "the spread of sic over draws" the_spread_over_draws
check "deletion is small and insertion large for a good map" the_order_of_pixels_matters
check "what a map misses, as explain says" adds_up_as_explain_says
check "what a map misses of a logit, and of which class" adds_up_in_its_own_scalar
check "a picture has the same random pixels wherever it stands" the_same_picture_twice
check "boxes are in the picture's pixels" boxes_in_the_pictures_pixels
check "a box partly outside the map is cut off, with a warning" a_box_partly_outside
check "a box partly outside the picture too" a_box_partly_outside_the_picture
check "a mask goes the way of the model's pictures; without one it is squashed, with a warning" a_mask_goes_the_models_way
check "a mask's values mean the same in and out of the crop" what_is_cut_away_still_says_what_masks_mean
check "says it in words" in_words
check "says a sum that is too long for decimals" large_sums_in_words
check "a map is missing" refuses 1 "--map is missing" --boxes "0 0 1 1"
check "a map that is not there" refuses 5 "none.npy" --map none.npy
check "a mask that is not a picture" refuses 2 "ramp.npy: not a JPEG" --map ramp.npy --mask ramp.npy
png 4 4 2 '("\0" . "\x80\0\0" x 4) x 4' >red.png
png 4 4 0 '("\0" . "\0\2\0\2") x 4' >labels.png
check "a mask of colours" refuses 2 "red.png: expected a grey mask" --map ramp.npy --mask red.png
check "a mask of class numbers" refuses 2 "labels.png: expected a mask with 255 for the object, or with values 0 and 1; its largest value is 2" --map ramp.npy \
    --mask labels.png
perl -MCompress::Zlib -e '
    my $rows = ("\0" . "\0\0\0\1\0\0\0\1") x 4;
    print "\x89PNG\r\n\x1a\n", map { pack("N", length($_) - 4) . $_ . pack "N", crc32($_) }
        "IHDR" . pack("NNC5", 4, 4, 16, 0, 0, 0, 0), "IDAT" . compress($rows), "IEND"' >deep.png
check "a mask of 16 bits whose numbers would be lost" refuses 2 "deep.png: a mask of 16 bits needs its largest value for the object" \
    --map ramp.npy --mask deep.png
perl -MCompress::Zlib -e '
    my $rows = ("\0" . "\0\0\0\0\0\0\0\1\0\1\0\1" x 2) x 4;
    print "\x89PNG\r\n\x1a\n", map { pack("N", length($_) - 4) . $_ . pack "N", crc32($_) }
        "IHDR" . pack("NNC5", 4, 4, 16, 2, 0, 0, 0), "IDAT" . compress($rows), "IEND"' >deep-rgb.png
check "such a mask of three channels" refuses 2 "deep-rgb.png: a mask of 16 bits needs its largest value" --map ramp.npy --mask deep-rgb.png
a_mask_from_a_pipe() {
    "$gig" score --map fish.npy --mask <(cat "$demo/masks/fish-6.png") --metrics auc >said && "$gig" score --map fish.npy \
        --mask "$demo/masks/fish-6.png" --metrics auc >other && [ "$(grep -o 'auc [0-9.]*' said)" = "$(grep -o 'auc [0-9.]*' other)" ]
}
check "a mask from a pipe" a_mask_from_a_pipe
check "a mask of other proportions than its picture" refuses 2 "wide.png: the mask is 192 x 96, its picture 96 x 96" --map fish.npy \
    --mask wide.png --model "$demo/model.onnx" --picture "$demo/pictures/fish-6.png"
check "less memory than the map takes" refuses 3 "memory budget" --map fish.npy --memory 1K
check "auc without ground truth" refuses 1 "needs --mask or --boxes" --map ramp.npy --metrics auc
check "insertion without a model" refuses 1 "needs --model and --picture" --map ramp.npy --metrics insertion
check "completeness without a model" refuses 1 "needs --model and --picture" --map ramp.npy --metrics completeness
check "a picture without a model" refuses 1 "--model needs --picture" --map ramp.npy --picture "$demo/pictures/fish-6.png"
check "a model without a picture, and no mask" refuses 1 "--model needs --picture" --map ramp.npy --model "$demo/model.onnx"
check "a map of another size than the masks' model" refuses 2 "the map has 4 x 4 pixels, but the model takes 96 x 96" --map ramp.npy \
    --mask "$demo/masks/fish-6.png" --model "$demo/model.onnx"
check "a metric about methods" refuses 1 "scores a method, not a map" --map ramp.npy --metrics closed
check "an unknown metric" refuses 1 "beauty" --map ramp.npy --metrics beauty
check "an unknown reduction" refuses 1 "cube" --map ramp.npy --reduce cube
check "boxes that are none" refuses 1 "--boxes" --map ramp.npy --boxes "1 2 3"
check "a box beyond all numbers" refuses 1 "--boxes" --map ramp.npy --boxes "0 0 99999999999999999999 3"
check "a metric without a name" refuses 1 "a name that is empty" --map ramp.npy --metrics gini,,gini
check "an option twice" refuses 1 "is given twice" --map ramp.npy --metrics gini/reduction=max/reduction=sum
check "no box at all" refuses 1 "--boxes" --map ramp.npy --boxes ""
check "an empty box" refuses 1 "box 2 (3 3 1 3) is empty" --map ramp.npy --boxes "0 0 1 1;3 3 1 3"
check "a box right of the map" refuses 1 "box 1 (4 0 5 3) lies outside the map of 4 x 4" --map ramp.npy --boxes "4 0 5 3"
check "a box above the map" refuses 1 "box 2 (0 -3 3 -1) lies outside" --map ramp.npy --boxes "0 0 9 9;0 -3 3 -1"
check "a box below the picture" refuses 1 "box 1 (0 96 9 99) lies outside the picture of 96 x 96" --map fish.npy --boxes "0 96 9 99" \
    --model "$demo/model.onnx" --picture "$demo/pictures/fish-6.png"
check "more masks than maps" refuses 1 "expected one file per map, 1; found 12" --map ramp.npy --mask "$demo/masks"
check "a map of another size than the model" refuses 2 "the map has 4 x 4 pixels, but the model takes 96 x 96" --map ramp.npy \
    --model "$demo/model.onnx" --picture "$demo/pictures/fish-6.png"
"$look" make nan.npy 2,2 1 nan 2 3
check "a NaN in the map" refuses 2 "nan.npy: map 1 of 1 has a value that is not finite, or beyond float32, at row 0, column 1" --map nan.npy \
    --boxes "0 0 0 0"
"$look" make five.npy 2,2,5 1
check "an array that is not a map" refuses 2 "expected a map" --map five.npy
finish
