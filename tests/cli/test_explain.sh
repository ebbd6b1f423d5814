#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# gig explain on the pictures of the demo: what its files hold, not that they are there.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/gig.sh"

explain() { "$gig" explain "$model" "$@"; }

# ---- what is printed ----

json_fields() {
    explain "$fish" -m gig:2 --steps 12 --json >a.json && is a.json results.# 1 || return 1
    for field in input method class label of value value_input value_baseline sum delta step_error evaluations values seconds noise distance \
        l1 l2 closed unassigned stability stability_of_mean options versions; do
        at a.json results.0.$field >/dev/null || return 1
    done
    is a.json results.0.input "$fish" && is a.json results.0.class 6 && is a.json results.0.label fish &&
        is a.json results.0.of softmax && is a.json results.0.method gig:2/steps=12 && is a.json results.0.evaluations 12 &&
        is a.json results.0.closed null && is a.json results.0.stability null && is a.json results.0.options.rule left && is a.json results.0.options.steps 12 &&
        is a.json results.0.options.baseline black && is a.json results.0.options.seed 0 &&
        at a.json results.0.versions.engine | grep -q '^oneDNN [0-9.]* ([a-z0-9-]*)$' && is a.json complete 1 && is a.json sha256 "$(sha256sum "$model" | cut -d ' ' -f 1)"
}
repeats_and_says_how_stable_the_map_is() { # a mean of 3 draws: 3 times the cost, a correlation, and that of the mean
    explain "$fish" -m gig:2 --steps 12 --repeat 3 --json >r.json && is r.json results.0.method gig:2/repeat=3/steps=12 &&
        is r.json results.0.evaluations 36 && is r.json results.0.options.repeat 3 || return 1
    awk -v r="$(at r.json results.0.stability)" -v m="$(at r.json results.0.stability_of_mean)" \
        'BEGIN { d = m - 3 * r / (1 + 2 * r); exit !(r > -1 && r <= 1 && d < 1e-6 && d > -1e-6) }' || return 1
    explain "$fish" -m gig:2 --steps 12 --repeat 3 -o r.png >said && grep -q ', stability [0-9.e-]*, of the mean ' said || return 1
    ! explain "$fish" -m smooth+gig --repeat 3 -o no.png 2>said && grep -q 'smooth+ already takes the mean' said && [ ! -e no.png ]
}
draws_baselines_from_a_folder() { # 3 pictures, 4 random nodes each; the same seed gives the same map
    explain "$fish" -m ig --rule random --steps 4 --baseline "pictures:$demo/pictures:3" --json >e.json && is e.json results.0.evaluations 12 &&
        is e.json results.0.method ig/baseline=given:3/rule=random/steps=4 && is e.json results.0.options.baseline "pictures:$demo/pictures:3" || return 1
    explain "$fish" -m ig --steps 2 --baseline "pictures:$demo/pictures:3" --npy e1.npy && explain "$fish" -m ig --steps 2 --baseline "pictures:$demo/pictures:3" --npy e2.npy &&
        explain "$fish" -m ig --steps 2 --baseline "pictures:$demo/pictures:3" --seed 1 --npy e3.npy && cmp e1.npy e2.npy && ! cmp -s e1.npy e3.npy || return 1
    refuses 1 "expected pictures:DIR:N" explain "$model" "$fish" -m ig --baseline "pictures:$demo/pictures" &&
        refuses 2 "9999 pictures are asked for, the folder has" explain "$model" "$fish" -m ig --baseline "pictures:$demo/pictures:9999"
}
walks_other_paths() {
    explain "$fish" -m sig --steps 10 --json >s.json && is s.json results.0.method sig/steps=10 && is s.json results.0.options.basis svd || return 1
    explain "$fish" -m ig --nodes adaptive --steps 16 --json >s.json && is s.json results.0.evaluations 16 && is s.json results.0.values 5 || return 1
    explain "$fish" -m ig --until 0.5 --steps 16 --json >s.json && is s.json results.0.sum null && is s.json results.0.method ig/steps=16/until=0.5 || return 1
    explain "$fish" -m paper --steps 10 --repeat 2 --baseline white --json >s.json && is s.json results.0.method gig:20/baseline=white &&
        is s.json results.0.evaluations 200 && is s.json remarks.0 '--steps is not used: --method paper has its own value' &&
        is s.json remarks.1 '--repeat is not used: --method paper has its own value' && ! at s.json remarks.2 >/dev/null 2>&1
}
options_say_what_the_name_leaves_out() {
    is a.json results.0.options.fraction 0.1 && is a.json results.0.options.fraction-of all && is a.json results.0.options.anchors 2 &&
        is a.json results.0.options.max-dist null && explain "$fish" -m xrai+smooth+blur-ig/steps=3/samples=2 --json >b.json || return 1
    local pair
    for pair in sigma=35 samples=2 noise=0.15 smooth=mean xrai=full min-pixels=50 rule=right steps=3; do
        is b.json "results.0.options.${pair%=*}" "${pair#*=}" || return 1
    done
    explain "$fish" -m grad-cam --json >c.json && is c.json results.0.options.layer relu5 && ! at c.json results.0.options.steps >/dev/null 2>&1
}
adds_up_to_what_it_says() {
    explain "$fish" -m ig --steps 20 --json --npy sum.npy >sum.json || return 1
    true_that 'abs($v[0] - $v[1]) < 1e-5 && abs($v[1] - ($v[2] - $v[3]) - $v[4]) < 1e-12 && $v[2] > 0.9' \
        "$("$look" sum sum.npy)" "$(at sum.json results.0.sum)" "$(at sum.json results.0.value_input)" \
        "$(at sum.json results.0.value_baseline)" "$(at sum.json results.0.delta)"
}
without_a_path() {
    explain "$fish" -m edge -o edge.png >said && ! grep -qi nan said && explain "$fish" -m grad-cam --json >cam.json && is cam.json results.0.delta null && is cam.json results.0.l2 null
}
in_words() {
    explain "$fish" -m gig:0 --steps 5 -o words.png >said && grep -qE "fish-6.png: class 6 \(fish\), softmax 0\.9[0-9]{3}, gig/steps=5, sum -?[0-9.]+ \(should be 0\.[0-9]{4}\), step errors [0-9.]+, 5 gradients" said &&
        grep -q ' -> words.png$' said && explain "$fish" -m gig:0/close=yes --steps 5 -o closed.png >said && grep -qE ", [0-9.]+ moved by closing, 5 gradients" said
}
a_picture_is_a_baseline() {
    explain "$fish" -m ig --steps 5 --baseline "$bird" --json >from.json && explain "$bird" -m gradients --class fish --json >bird.json &&
        is from.json results.0.value_baseline "$(at bird.json results.0.value)" && is from.json results.0.options.baseline "$bird" || return 1
    cp "$bird" here.png && explain "$fish" -m ig --steps 5 --baseline ./here.png --json >here.json &&
        is here.json results.0.value_baseline "$(at bird.json results.0.value)" && is here.json results.0.options.baseline ./here.png
}
a_flag_without_use_is_named() {
    explain "$fish" -m gradients --tolerance 0.1 --seed 3 -o unused.png >said && grep -qx '# --tolerance does not apply to gradients' said &&
        [ "$(grep -c "not apply" said)" = 1 ] && explain "$fish" --max-dist 0.1 --steps 3 -o unused.png --force >said &&
        grep -qx '# --max-dist does not apply to ig, the default method; choose another with -m' said && explain "$fish" -m ig --steps 5 --tolerance 0.9 --baseline white -o used.png >said && ! grep -q "not apply" said &&
        explain "$fish" -m edge --steps 5 --json >edge.json && at edge.json remarks.0 | grep -q -- --steps || return 1
    "$look" whole regions.npy 96,96 0 1 && explain "$fish" -m ig --steps 3 --segments regions.npy -o regions.png >said &&
        grep -qx '# --segments does not apply to ig' said && explain "$fish" -m xrai+ig --steps 3 --segments regions.npy --npy regions-map.npy >said &&
        ! grep -q "not apply" said
}
noise_leaves_the_pictures_own_score() {
    explain "$fish" -m smooth+gradients/samples=3 -o smooth.png >said && grep -q "softmax 0.9846" said &&
        explain "$fish" -m smooth+gradients/samples=3 --json >smooth.json &&
        true_that 'abs($v[0] - 0.9846) < 1e-4 && $v[1] < 0.9' "$(at smooth.json results.0.value)" "$(at smooth.json results.0.value_input)"
}
names_the_rule_that_summed() {
    explain "$fish" -m gig:2 --steps 12 --tolerance 1e-6 --json >refined.json && is refined.json results.0.options.rule trapezoid &&
        explain "$fish" -m ig --steps 50 --tolerance 0.2 --json >met.json && is met.json results.0.options.rule midpoint
}
each_rule_its_colours() { # of the same map, so two that are equal went through the same code
    local rule
    for rule in magnitude signed positive negative mass range pair; do
        explain "$fish" -m ig --steps 5 --bare --look heat --display $rule -o $rule.png >said || return 1
    done
    [ "$(sha256sum magnitude.png signed.png positive.png negative.png mass.png range.png pair.png | cut -d ' ' -f 1 | sort -u | wc -l)" = 7 ]
}
the_map_alone() {
    explain "$fish" -m ig --steps 5 --bare -o bare.png >said && [ "$("$look" png bare.png)" = "96 96" ] &&
        explain "$fish" -m grad-cam --bare -o cam-bare.png >said && [ "$("$look" png cam-bare.png)" = "96 96" ] &&
        refuses 1 "--bare draws a .png" explain "$model" "$fish" --bare -o bare.svg
}
several_scalars() {
    explain "$fish" -m gradients --of logit --json >logit.json && explain "$fish" -m gradients --of logprob --json >log.json &&
        is logit.json results.0.of logit && is log.json results.0.of logprob || return 1
    true_that '$v[0] > 3 && abs(exp($v[1]) - $v[2]) < 1e-6' "$(at logit.json results.0.value_input)" \
        "$(at log.json results.0.value_input)" "$(at sum.json results.0.value_input)"
}

the_scalar_that_the_model_ends_in() { # the same for explain and gradient
    mkdir -p sig && cp "$model" sig/net.onnx && cp "$demo/labels.txt" sig && sed 's/"output": "logits"/"output": "sigmoid"/' "$demo/model.json" >sig/net.json &&
        "$look" make point.npy 1,3,96,96 0.5 0.5 0.5 && "$gig" gradient sig/net.onnx --tensor point.npy --class 6 --json >g.json && is g.json of sigmoid &&
        "$gig" explain sig/net.onnx --tensor point.npy -m gradients --class 6 --json >e.json && is e.json results.0.of sigmoid || return 1
    true_that 'abs($v[0] - $v[1]) <= 1e-6 * abs($v[1])' "$(at g.json values.0)" "$(at e.json results.0.value)" &&
        refuses 1 "ends in Sigmoid" gradient "$work/sig/net.onnx" --tensor "$work/point.npy" --class 6 --of softmax &&
        refuses 2 "described as probabilities, but class 7 has 2.68" gradient "$work/sig/net.onnx" --tensor "$work/point.npy" --class 7
}

# ---- arrays ----

arrays_have_the_methods_shape() {
    explain "$fish" -m ig --steps 3 --npy ig.npy && shape ig.npy 1,96,96,3 &&
        explain "$fish" -m grad-cam --npy cam.npy && shape cam.npy 1,96,96,1 &&
        explain "$fish" -m edge --npy edge.npy && shape edge.npy 1,96,96,1 &&
        explain "$fish" -m xrai+ig --steps 3 --npy xrai.npy && shape xrai.npy 1,96,96,1 &&
        explain "$fish" "$bird" -m occlusion/window=48/stride=48 --npy occ.npy && shape occ.npy 2,96,96,1 &&
        explain "$fish" "$bird" "$key" -m gradients --npy three.npy && shape three.npy 3,96,96,3
}
small_regions_count_when_asked_to() {
    explain "$fish" -m xrai+ig/min-pixels=1 --steps 3 --npy small.npy && explain "$fish" -m xrai+ig/min-pixels=50 --steps 3 --npy usual.npy &&
        cmp usual.npy xrai.npy && ! cmp -s small.npy xrai.npy || return 1
    true_that 'abs($v[0] - $v[1]) < 1e-4' "$("$look" sum small.npy)" "$("$look" sum xrai.npy)" # regions keep the sum
}
archive_holds_the_same_array() {
    explain "$fish" -m ig --steps 3 --npz ig.npz --npy again.npy && starts_with ig.npz 504b0304 && cmp again.npy ig.npy &&
        grep -qa 'attributions.npy' ig.npz && "$look" row ig.npy 0 >ig.row && perl -e '
            local $/; open my $a, "<:raw", "ig.npz"; open my $b, "<:raw", "ig.row"; exit(index(<$a>, <$b>) < 0)'
}
pixels_are_pictures() {
    /usr/bin/python3 -c 'import numpy, sys; from PIL import Image
numpy.save("pixels.npy", (numpy.asarray(Image.open(sys.argv[1]).convert("RGB"), dtype="float32") / numpy.float32(255))[None])' "$fish" &&
        explain --pixels pixels.npy -m ig --steps 3 --npy pixels-ig.npy && cmp pixels-ig.npy ig.npy
}
tensors_keep_their_shape() {
    "$look" make x.npy 2,3,96,96 0.1 -0.3 0.5 && explain --tensor x.npy -m ig --steps 4 --class 3 --npy t.npy --json >t.json &&
        shape t.npy 2,3,96,96 && is t.json results.# 2 && is t.json results.1.input 'tensor[1]' || return 1
    "$look" row t.npy 0 >t0 && "$look" row t.npy 1 >t1 && cmp t0 t1
}

# ---- the same bits ----

same_for_any_threads() {
    for method in gig:2/steps=12 ig/steps=9 smooth+gig:1/samples=3/steps=6 blur-ig/steps=6; do
        for threads in 1 2 3; do
            explain "$fish" "$bird" -m $method -j $threads --npy j$threads.npy --force || return 1
        done
        cmp j1.npy j2.npy && cmp j1.npy j3.npy || return 1
    done
}
same_alone_and_among_others() {
    explain "$key" "$fish" "$bird" -m smooth+gig:1/samples=2/steps=8 --npy among.npy &&
        explain "$fish" -m smooth+gig:1/samples=2/steps=8 --npy alone.npy || return 1
    "$look" row among.npy 1 >a && "$look" row alone.npy 0 >b && cmp a b
}
idle_workers_cost_nothing() {
    explain "$fish" -m gradients -j 1024 --memory 20M --npy idle.npy && explain "$fish" -m gradients -j 1 --npy busy.npy && cmp idle.npy busy.npy
}
seeds() {
    for seed in 1 1 2; do
        explain "$fish" -m ig/baseline=random:2/steps=4 --seed $seed --npy seed.npy --force && cp seed.npy seed$seed.$((i++)).npy || return 1
    done
    cmp seed1.0.npy seed1.1.npy && ! cmp -s seed1.0.npy seed2.2.npy
}

# ---- classes ----

class_by_any_name() {
    for class in 3 butterfly BUTTERFLY; do
        explain "$fish" -m gradients --class $class --json --npy c.npy --force >c.json && is c.json results.0.class 3 && cp c.npy c-$class.npy || return 1
    done
    cmp c-3.npy c-butterfly.npy && cmp c-3.npy c-BUTTERFLY.npy
}
mkdir own && cp "$model" own/net.onnx
own_labels() { # LABELS
    sed "s|\"labels\": \"labels.txt\"|\"labels\": $1|" "$demo/model.json" >own/net.json
}
one_of_a_lines_names() {
    own_labels '["apple", "crane, bird", "boat", "d", "e", "f", "g", "h", "crane, machine", "j", "k", "l"]' &&
        "$gig" explain own/net.onnx "$fish" -m gradients --class Machine --json >own.json && is own.json results.0.class 8 &&
        is own.json results.0.label "crane, machine"
}
ambiguous() { refuses 1 "crane" explain "$work/own/net.onnx" "$fish" -m gradients --class crane -o x.png && grep -q '1.*8' error; }
wrong_number_of_labels() {
    own_labels '["a", "b", "c"]' && "$gig" explain own/net.onnx "$fish" -m gradients --json >own.json && is own.json results.0.class 6 &&
        is own.json results.0.label null && at own.json remarks.0 | grep -q '3 labels'
}

# ---- files ----

keeps_the_path_below_the_common_folder() {
    mkdir -p in/a in/b/c && cp "$fish" in/a/x.png && cp "$bird" in/a/y.PNG && cp "$key" in/b/c/x.png && echo text >in/a/notes.txt &&
        explain in/a in/b/c -m gradients -o maps/ && [ "$(cd maps && find . -type f | sort | tr '\n' ' ')" = \
        "./a/x.gig.png ./a/y.gig.png ./b/c/x.gig.png " ] || { find maps >&2 && return 1; }
    for file in maps/a/x maps/a/y maps/b/c/x; do "$look" png $file.gig.png || return 1; done
    ! cmp -s maps/a/x.gig.png maps/b/c/x.gig.png
}
stays_in_the_folder() { # whatever lies between the inputs and their common folder
    mkdir -p deep/sub deep/other && cp "$fish" deep/sub/a.png && cp "$bird" deep/other/b.png && (cd deep/sub &&
        explain a.png ../other/./b.png -m gradients -o maps/ -q >/dev/null && [ "$(find maps -type f | sort | tr '\n' ' ')" = \
        "maps/a.gig.png maps/other/b.gig.png " ] && [ "$(ls ../other)" = b.png ]) || { find deep >&2 && return 1; }
    refuses 1 "maps/sub/a.gig.png: two pictures" explain no-model.onnx "$work/deep/sub/a.png" "$work/deep/./sub/a.png" -o maps/
}
folders_in_order() {
    explain "$demo/pictures" -m gradients --json >all.json && is all.json results.# 12 && is all.json results.0.label apple &&
        is all.json results.1.label bird && is all.json results.2.input "$demo/pictures/boat-2.png"
}
drawn_in_three_formats() {
    for ending in png svg pdf; do explain "$fish" -m gig:0 --steps 5 -o drawn.$ending || return 1; done
    local size
    size=$("$look" png drawn.png) && true_that '$v[0] > 600 && $v[1] > 300 && $v[0] < 4000' $size && starts_with drawn.svg 3c3f786d6c &&
        grep -q '</svg>' drawn.svg && starts_with drawn.pdf 255044462d && tail -c 7 drawn.pdf | grep -q '%%EOF'
}
same_picture_twice() {
    explain "$fish" -m gig:0 --steps 5 -o twice.png && cmp twice.png drawn.png
}
refuses_to_overwrite_and_computes_nothing() { # the model, which is not there, is not even looked for
    for flag in -o --npy --npz; do
        local file=kept.png
        [ $flag = -o ] || file=kept.${flag#--}
        echo mine >$file
        "$gig" explain no-model.onnx "$fish" $flag $file 2>error
        [ $? -eq 5 ] && grep -qx "gig: $file: exists already; --force overwrites it" error && [ "$(cat $file)" = mine ] || return 1
    done
    explain "$fish" -m gradients --npy kept.npy --force && shape kept.npy 1,96,96,3
}
refuses_to_overwrite_in_folders() {
    mkdir -p full/ && echo mine >full/bird-1.gig.png && ! explain "$demo/pictures" -m gradients -o full/ 2>error &&
        grep -q 'full/bird-1.gig.png: exists already' error && [ "$(ls full)" = bird-1.gig.png ]
}

refuses_what_cannot_be_written() { # before the model, which is not there, is looked for
    local words
    for words in "-o none/a.png" "--npy none/a.npy" "--npz none/a.npz"; do
        refuses 5 "none: no such folder" explain no-model.onnx "$fish" $words || return 1
    done
    refuses 5 "/dev/none: no such folder" explain no-model.onnx "$fish" --npy /dev/none/a.npy || return 1
    mkdir -p taken && refuses 5 "$work/taken: is a folder" explain no-model.onnx "$fish" --npy "$work/taken" --force
}
array_on_standard_output() { # as a file and through a pipe; what is said goes to standard error
    explain "$fish" -m gradients --npy beside.npy >beside && explain "$fish" -m gradients --npy /dev/stdout >out.npy 2>error &&
        cmp out.npy beside.npy && sed 's/gradient.*//' error >a && sed 's/gradient.*//' beside >b && cmp a b &&
        explain "$fish" -m gradients --npy /dev/fd/1 2>error | cmp - beside.npy && grep -q 'class 6 (fish)' error || return 1
    "$look" make x.npy 1,3,96,96 0.1 && "$gig" gradient "$model" --tensor x.npy --class 3 -o g.npy >values &&
        "$gig" gradient "$model" --tensor x.npy --class 3 -o /dev/stdout 2>error | cmp - g.npy && cmp error values || return 1
    "$gig" path "$model" "$fish" --steps 2 -o p.png --csv p.csv >/dev/null && "$gig" path "$model" "$fish" --steps 2 -o q.png --csv /dev/stdout 2>error |
        cmp - p.csv && grep -qx q.png error
}
into_a_pipe() {
    mkfifo pipe && explain "$fish" -m gradients --npy plain.npy || return 1
    timeout 60 cat pipe >piped.npy &
    explain "$fish" -m gradients --npy pipe && wait $! && cmp piped.npy plain.npy
}
refuses_two_of_one_name() {
    mkdir -p one two && cp "$fish" one/x.png && cp "$bird" two/x.png && cp "$key" two/x.jpg &&
        refuses 1 "x.gig.png: two pictures" explain no-model.onnx "$work/one/x.png" "$work/two/x.png" &&
        refuses 1 "maps/x.gig.png: two pictures" explain no-model.onnx "$work/two" -o maps/
}
reads_all_before_it_computes() { # six pictures, more than are explained together; the last one is broken
    mkdir -p many && for i in 1 2 3 4 5; do cp "$fish" many/$i.png; done && head -c 2000 "$fish" >many/6.png &&
        refuses 2 "6.png" explain "$model" "$work/many" -j 1 -m ig/steps=100000 -o out/ --npy out.npy
}
# A disk that is full for the second drawing: the first one is kept, and said; the array, which would be short, is not.
keeps_what_is_whole() { # FLAGS...
    rm -rf kept && mkdir kept && ln -s /dev/full kept/b.gig.png && (cd kept && cp "$fish" a.png && cp "$bird" b.png &&
        "$gig" explain "$model" a.png b.png -m gradients -o . --force --npy all.npy "$@") >said 2>error
    [ $? -eq 5 ] && [ "$(wc -l <error)" -eq 1 ] && grep -q '^gig: .*b.gig.png' error && "$look" png kept/a.gig.png && [ ! -e kept/all.npy ]
}
failing_half_way() {
    keeps_what_is_whole && grep -q '^a.png: class 6 ' said && grep -qx '# no array is written: 1 of 2 inputs were explained' said &&
        keeps_what_is_whole --json && is said complete 0 && is said results.# 1 && is said results.0.input a.png
}

# ---- numbers that should obey ----

tolerance_and_close() {
    explain "$bird" -m ig --steps 3 --json >coarse.json && explain "$bird" -m ig --steps 3 --tolerance 0.02 --max-evaluations 400 --json >fine.json &&
        explain "$bird" -m ig --steps 3 --close --json >closed.json || return 1
    true_that 'abs($v[0]) > 0.02 && abs($v[1]) <= 0.02 && $v[2] > 3 && abs($v[3]) < 1e-5 && $v[4] > 0' "$(at coarse.json results.0.delta)" \
        "$(at fine.json results.0.delta)" "$(at fine.json results.0.evaluations)" "$(at closed.json results.0.delta)" \
        "$(at closed.json results.0.closed)" && is fine.json results.0.stopped 0 && is fine.json results.0.options.max-evaluations 400 || return 1
    explain "$bird" -m gig:2/steps-per-segment=4 --tolerance 0.5 --json >fine.json && is fine.json results.0.options.max-evaluations 120
}
# The left and the right half of the picture: a map of two values.
segments_of_ones_own() {
    "$look" whole halves.npy 96,96 $(yes 0 | head -48) $(yes 1 | head -48)
    explain "$fish" -m xrai+ig/steps=4 --segments halves.npy --npy halves-map.npy --json >halves.json && shape halves-map.npy 1,96,96,1 &&
        is halves.json results.0.options.segments halves.npy || return 1
    perl -e 'local $/; my %seen; $seen{$_}++ for unpack "f<*", substr <>, -96 * 96 * 4; exit !(keys %seen == 2 && (values %seen)[0] == 96 * 48)' halves-map.npy
}
labels_with_gaps() { # numbers are names: only those that occur take memory
    "$look" whole gaps.npy 1,96,96 $(yes 7 | head -48) $(yes 4000000000 | head -48) &&
        explain "$fish" -m xrai+ig/steps=4 --segments gaps.npy --npy gaps-map.npy -q && cmp gaps-map.npy halves-map.npy
}
tolerance_out_of_reach_is_said() {
    explain "$bird" -m gig:2 --steps 12 --tolerance 1e-9 --max-evaluations 20 -o reach.png >said && grep -q 'tolerance not reached' said
}
black_and_white_is_the_mean() {
    for baseline in black white black+white; do
        explain "$fish" -m ig --steps 6 --baseline $baseline --npy $baseline.npy --json >$baseline.json || return 1
    done
    true_that '$v[0] < 1e-7 && $v[1] == $v[2] + $v[3]' "$("$look" far black+white.npy black.npy white.npy)" \
        "$(at black+white.json results.0.evaluations)" "$(at black.json results.0.evaluations)" "$(at white.json results.0.evaluations)" &&
        ! cmp -s black.npy white.npy
}
a_baseline_from_a_file() {
    "$look" make white-given.npy 96,96,3 1 && explain "$fish" -m ig --steps 6 --baseline white-given.npy --npy given.npy && cmp given.npy white.npy
}
flags_and_names_are_one() {
    explain "$fish" -m ig --steps 6 --rule right --npy flags.npy && explain "$fish" -m ig/steps=6/rule=right --steps 99 --npy names.npy &&
        cmp flags.npy names.npy
}

# ---- being stopped ----

interrupted() { # SIGNAL CODE
    mkdir -p "stop-$1" && cd "stop-$1" || return 1
    "$gig" explain "$model" "$fish" -m gig:0 --steps 1000000 -o a.png --npy a.npy --npz a.npz >said 2>error &
    local pid=$!
    sleep 1.5
    kill "-$1" $pid
    wait $pid
    local got=$? files
    files=$(ls | tr '\n' ' ')
    cd ..
    [ $got -eq "$2" ] && [ "$files" = "error said " ] && [ "$(cat "stop-$1/error")" = "gig: interrupted" ] ||
        { echo "exit code $got, files $files" >&2 && cat "stop-$1/error" >&2 && return 1; }
}

# What a person sees on a terminal: bars are wiped before a line is printed, and nothing of them is left.
on_a_terminal() { # ARGUMENTS...
    /usr/bin/python3 - "$gig" "$@" <<'PY'
import os, pty, re, sys
pid, end = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
seen = b""
try:
    while True:
        more = os.read(end, 65536)
        if not more:
            break
        seen += more
except OSError:
    pass
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
lines = re.sub(r"[^\n]*\r\x1b\[K", "", seen.decode().replace("\r\n", "\n"))  # as the terminal shows them at the end
print(code, "bar" if "gradients  " in seen.decode() else "no bar")
print(lines)
PY
}
bar_on_a_terminal() {
    on_a_terminal explain "$model" "$fish" "$bird" -m ig/steps=400 -j 1 -o shown/ >seen && head -n 1 seen | grep -qx '0 bar' &&
        [ "$(grep -c '^[^[]*-6.png: class 6 \|^[^[]*-1.png: class 1 ' seen)" -eq 2 ] && ! grep -q '\[#' seen &&
        on_a_terminal explain "$model" "$fish" -m ig/steps=10 -q -o quiet.png >seen && head -n 1 seen | grep -qx '0 no bar'
}

i=0
check "JSON has every key, and the right class" json_fields
check "JSON's options say what the name leaves out" options_say_what_the_name_leaves_out
check "draws baselines from a folder of pictures" draws_baselines_from_a_folder
check "walks spectral paths, and by placed and cut nodes" walks_other_paths
check "repeats walks, and says how stable the map is" repeats_and_says_how_stable_the_map_is
check "the map adds up to the sum that is printed" adds_up_to_what_it_says
check "what has no path has no delta" without_a_path
check "says it in words" in_words
check "a picture as the baseline" a_picture_is_a_baseline
check "a flag without use" a_flag_without_use_is_named
check "a score that noise leaves alone" noise_leaves_the_pictures_own_score
check "the rule that summed" names_the_rule_that_summed
check "each rule has its colours" each_rule_its_colours
check "the map alone" the_map_alone
check "logit and log-probability" several_scalars
check "the scalar that the model ends in" the_scalar_that_the_model_ends_in
check "arrays have the shape of the method" arrays_have_the_methods_shape
check "xrai+ takes smaller regions when asked to" small_regions_count_when_asked_to
check "an archive holds the same array" archive_holds_the_same_array
if /usr/bin/python3 -c 'import numpy, PIL' 2>/dev/null; then
    check "--pixels gives the bits of the picture" pixels_are_pictures
else
    skip "--pixels gives the bits of the picture" "no numpy and Pillow under /usr/bin/python3"
fi
check "--tensor keeps its shape, equal rows give equal bits" tensors_keep_their_shape
check "the same bits for 1, 2 and 3 threads" same_for_any_threads
check "the same bits alone and among others" same_alone_and_among_others
check "workers that would be idle are not made" idle_workers_cost_nothing
check "the same seed gives the same bits, another does not" seeds
check "a class by number and by name, case ignored" class_by_any_name
check "a class by any name of its line" one_of_a_lines_names
own_labels '["apple", "crane, bird", "boat", "d", "e", "f", "g", "h", "crane, machine", "j", "k", "l"]'
check "a name of several classes lists their numbers" ambiguous
check "an unknown name suggests the nearest" refuses 1 'butterfly' explain "$model" "$fish" --class buterfly -o x.png
check "a class that is too large" refuses 1 "12" explain "$model" "$fish" --class 12 -o x.png
check "labels that are too few are a remark" wrong_number_of_labels
check "-o FOLDER keeps the path below the common folder" keeps_the_path_below_the_common_folder
check "-o FOLDER is never left" stays_in_the_folder
check "a folder means its pictures, sorted" folders_in_order
check "PNG, SVG and PDF" drawn_in_three_formats
check "the same command draws the same bytes" same_picture_twice
check "does not overwrite, and computes nothing" refuses_to_overwrite_and_computes_nothing
check "does not overwrite in folders" refuses_to_overwrite_in_folders
check "refuses at once what cannot be written" refuses_what_cannot_be_written
check "writes into a pipe" into_a_pipe
check "an array on standard output is whole" array_on_standard_output
check "refuses two drawings of one name" refuses_two_of_one_name
check "reads every picture before it computes" reads_all_before_it_computes
check "half way through, what is whole is kept, and said" failing_half_way
check "one file for two pictures" refuses 1 "-o is one file for 2 pictures" explain "$model" "$fish" "$bird" -o x.png
check "--tolerance and --close bring delta down" tolerance_and_close
check "a tolerance out of reach is said" tolerance_out_of_reach_is_said
check "segments of one's own" segments_of_ones_own
check "segments with gaps between their numbers" labels_with_gaps
check "black+white is the mean of black and white" black_and_white_is_the_mean
check "a baseline from a file" a_baseline_from_a_file
check "options in the name override flags" flags_and_names_are_one
if /usr/bin/python3 -c 'import pty; pty.openpty()' 2>/dev/null; then
    check "a bar on a terminal, wiped before every line" bar_on_a_terminal
else
    skip "a bar on a terminal, wiped before every line" "no terminal by /usr/bin/python3"
fi
check "SIGINT ends with 130 and leaves nothing" interrupted INT 130
check "SIGTERM ends with 143 and leaves nothing" interrupted TERM 143
finish
