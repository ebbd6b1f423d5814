#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# gig path on a picture of the demo: the numbers of its CSV obey what they should, and its page and film are whole.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/gig.sh"

path() { "$gig" path "$model" "$@"; }
# Runs perl over the rows of FILE for one method: $r{score} etc., rows kept in @rows; the code says whether it holds.
rows() { # FILE METHOD PERL
    perl -we '
        my ($file, $method, $code) = @ARGV;
        open my $in, "<", $file or die $!;
        chomp(my $head = <$in>);
        my @names = split /,/, $head;
        our @rows;
        while (<$in>) { chomp; my %r; @r{@names} = split /,/, $_, -1; push @rows, \%r if $r{method} =~ m{^\Q$method\E(/|$)} }
        exit !(@rows && eval $code || do { warn $@ if $@; 0 })' "$@"
}

path "$fish" --steps 40 -m gig:1 -o page.png --csv path.csv --film path.webp >said || cat said
path "$fish" --steps 40 -o free.svg --csv free.csv >/dev/null
"$gig" explain "$model" "$fish" -m gig:1/steps=40 --json >gig.json
"$gig" explain "$model" "$fish" -m ig/steps=40/rule=left --json >ig.json

a_row_for_each_step() {
    [ "$(wc -l <path.csv)" -eq 83 ] && head -n 1 path.csv | grep -qx 'method,step,alpha,score,gradient_norm,directional_derivative,cosine_to_direction,distance_to_line,similarity_0.1,similarity_0.5,similarity_0.9' &&
        rows path.csv ig 'for my $k (0 .. 40) { return 0 if $rows[$k]{step} != $k || abs($rows[$k]{alpha} - $k / 40) > 1e-6 } 1' &&
        rows path.csv gig:1 '@rows == 41 && $rows[0]{alpha} == 0 && $rows[40]{step} == 40 && $rows[40]{alpha} == 1'
}
the_derivative_adds_up_to_the_map() { # its area, by the left rule, is the sum of the attributions
    local sum
    for method in ig gig:1; do
        sum=$(at ${method%:1}.json results.0.sum)
        rows path.csv $method 'my $area = 0;
            for my $k (0 .. $#rows - 1) { $area += $rows[$k]{directional_derivative} * ($rows[$k + 1]{alpha} - $rows[$k]{alpha}) }
            abs($area - '"$sum"') < 1e-4' || return 1
    done
}
ends_are_the_models_values() {
    rows path.csv ig 'abs($rows[0]{score} - '"$(at ig.json results.0.value_baseline)"') < 1e-7' &&
        rows path.csv gig:1 '$rows[0]{score} == '"$(perl -F, -ane 'print $F[3] and exit if $. == 2' path.csv)" &&
        for method in ig gig:1; do rows path.csv $method 'abs($rows[-1]{score} - '"$(at gig.json results.0.value_input)"') < 1e-7 && $rows[-1]{distance_to_line} == 0' || return 1; done
}
the_end_has_a_gradient_and_no_step() { # the same picture, so the same gradient, on both paths
    local norm
    norm=$(perl -F, -ane 'print $F[4] and exit if $. == 42' path.csv)
    for method in ig gig:1; do
        rows path.csv $method 'my $end = $rows[-1]; $end->{gradient_norm} == '"$norm"' && $end->{gradient_norm} > 0 && $end->{directional_derivative} eq "" &&
            $end->{cosine_to_direction} eq "" && $end->{"similarity_0.9"} ne "" && !grep { $_->{alpha} < 1 && $_->{directional_derivative} eq "" } @rows' || return 1
    done
}
one_step_has_two_points() {
    path "$fish" --steps 1 -o one.svg --csv one.csv >/dev/null && rows one.csv ig '@rows == 2 && $rows[1]{alpha} == 1 && $rows[1]{"similarity_0.9"} == 1'
}
the_line_is_straight_and_the_guided_path_is_not() {
    rows path.csv ig '!grep { abs($_->{distance_to_line}) > 1e-4 } @rows' &&
        rows free.csv gig '$rows[0]{distance_to_line} < 1e-4 && $rows[20]{distance_to_line} > 1' &&
        rows path.csv gig:1 '$rows[10]{distance_to_line} > 1 && $rows[20]{distance_to_line} < 1e-3' # the anchor is on the line
}
cosines_are_cosines() {
    for method in ig gig:1; do
        rows path.csv $method 'my @own = sort { abs($a->{alpha} - 0.5) <=> abs($b->{alpha} - 0.5) } @rows;
            abs($own[0]{"similarity_0.5"} - 1) < 1e-6 && !grep { abs($_->{"similarity_0.1"}) > 1 + 1e-6 || abs($_->{cosine_to_direction} || 0) > 1 + 1e-6 } @rows' || return 1
    done
}
neighbours_are_lower_and_higher() {
    awk 'NR > 2 && NF == 6 { rows++; if (!($3 <= $2 && $2 <= $5 && $4 > 0 && $6 > 0 && $4 < 2 / 255 * sqrt(3 * 96 * 96) + 0.01)) exit 1 }
        END { exit rows != 5 }' said && tail -n 1 said | grep -qx page.png
}
says_what_it_assumed() { # as explain does; the demo's own description leaves nothing out
    cp "$model" bare.onnx && "$gig" explain bare.onnx "$fish" -m gradients -o bare-map.png | grep '^#' >wanted && grep -q 'mean' wanted &&
        "$gig" path bare.onnx "$fish" --steps 2 -o bare.png | grep '^#' >remarks && cmp remarks wanted && ! grep '^#' said
}
page_and_film() {
    local size
    size=$("$look" png page.png) && true_that '$v[0] > 2000 && $v[1] > 1500' $size && starts_with free.svg 3c3f786d6c && grep -q '</svg>' free.svg &&
        [ "$(head -c 12 path.webp | tail -c 4)" = WEBP ] && [ "$(grep -ao ANMF path.webp | wc -l)" -eq 41 ]
}
same_for_any_threads() {
    for threads in 1 3; do path "$fish" --steps 20 -m gig:3 -j $threads -o j$threads.png --csv j$threads.csv >/dev/null || return 1; done
    cmp j1.csv j3.csv && cmp j1.png j3.png
}
does_not_overwrite_its_default() {
    mkdir -p here && echo mine >here/path.png && (cd here && ! "$gig" path no-model.onnx "$fish" 2>../error) &&
        grep -qx 'gig: path.png: exists already; --force overwrites it' error && [ "$(cat here/path.png)" = mine ]
}

check "CSV has a row for each step of both paths, and for the end" a_row_for_each_step
check "the derivative along the path adds up to the map" the_derivative_adds_up_to_the_map
check "paths start at the baseline's score and end at the picture's" ends_are_the_models_values
check "the end has a gradient, and no step starts there" the_end_has_a_gradient_and_no_step
check "one step has two points" one_step_has_two_points
check "the line is straight, the guided path leaves it and returns at the anchor" the_line_is_straight_and_the_guided_path_is_not
check "cosines lie in [-1,1], and are 1 with themselves" cosines_are_cosines
check "nearby scores are lower and higher" neighbours_are_lower_and_higher
check "says what it assumed" says_what_it_assumed
check "the page and the film are whole" page_and_film
check "the same bytes for any threads" same_for_any_threads
check "does not overwrite path.png, and computes nothing" does_not_overwrite_its_default
check "a film of another kind" refuses 1 "expected a film name that ends in .webp" path "$model" "$fish" --film film.gif
check "a page of another kind" refuses 1 "page.gif" path "$model" "$fish" -o page.gif
check "a table in no folder" refuses 5 "none: no such folder" path "$model" "$fish" --csv none/a.csv
check "two pictures" refuses 1 "one too many" path "$model" "$fish" "$bird"
check "a folder of pictures" refuses 1 "expected one picture or tensor" path "$model" "$demo/pictures"
check "no picture" refuses 1 "give pictures" path "$model"
check "another method" refuses 1 "gig or gig:K" path "$model" "$fish" -m ig
check "draws" refuses 1 "the name may only set" path "$model" "$fish" -m gig/repeat=2
check "a limit of gradients" refuses 1 "the name may only set" path "$model" "$fish" -m gig/max-evaluations=50
check "another rule" refuses 1 "left rule" path "$model" "$fish" -m gig/rule=trapezoid
any_baseline() { # the first row is the baseline's score, as explain gives it
    local baseline
    for baseline in blur:3 mean random:1 "$bird"; do
        "$gig" path "$model" "$fish" --steps 4 --baseline "$baseline" --csv any.csv -o any.png --force >/dev/null &&
            "$gig" explain "$model" "$fish" -m ig --steps 4 --baseline "$baseline" --json -o any-map.png --force >any.json &&
            rows any.csv ig 'abs($rows[0]{score} - '"$(at any.json results.0.value_baseline)"') < 1e-6' || return 1
    done
}
check "any baseline that is one point" any_baseline
check "two baselines" refuses 1 "expected one point, found several" path "$model" "$fish" --baseline black+white
# What explain gives for the three sides, each with its own input and baseline, is what the closed path adds up.
write_npy() { # FILE SHAPE PERL: the values
    perl -e 'my ($file, $shape, $values) = @ARGV; open my $o, ">:raw", $file or die;
        my $h = sprintf "{%sdescr%s: %s<f4%s, %sfortran_order%s: False, %sshape%s: ($shape), }", ("\x27") x 8; $h .= " " x (117 - length $h) . "\n";
        print $o "\x93NUMPY\x01\x00", pack("v", length $h), $h, pack("f<*", eval $values)' "$@"
}
side() { # FILE METHOD ARGUMENTS...
    local file=$1 method=$2
    shift 2
    "$gig" explain "$model" "$@" -c 3 --steps 10 -m "$method" --npy "$file" -o side.png --force >/dev/null
}
closed_is_three_explanations() { # METHOD EXPLAINED
    path "$fish" -c 3 --steps 10 -m gig:1 --closed --baseline black+white --csv closed.csv -o closed.png --force >closed &&
        side 1.npy "$2" --pixels black.npy --baseline "$fish" && side 2.npy "$2" --pixels white.npy --baseline black &&
        side 3.npy "$2" "$fish" --baseline white || return 1
    perl -we 'my ($method, @sum) = @ARGV;
        for my $side (1 .. 3) { local $/; open my $in, "<:raw", "$side.npy" or die; my $all = <$in>;
            my @map = unpack "f<*", substr $all, 10 + unpack("v", substr $all, 8, 2); $sum[$_] += $map[$_] for 0 .. $#map }
        my $mean = 0; $mean += $_ * $_ / @sum for @sum;
        open my $said, "<", "closed"; my ($printed) = map { m{^\Q$method\E\S* +mean square.*: (\S+)$} ? $1 : () } <$said>;
        exit !(@sum == 96 * 96 * 3 && $mean > 0 && abs($printed / $mean - 1) < 1e-3)' "$1"
}
closed_paths_end_where_they_began() { # and a side begins where the one before it ended
    awk -F, 'NR > 1 { if (!($1 in first)) first[$1] = $5; else if ($3 == 0 && $5 != last[$1]) exit 1; last[$1] = $5; rows++ }
        END { for (m in first) if (first[m] != last[m]) exit 1; exit rows != 2 * 3 * 11 }' closed.csv && "$look" png closed.png >/dev/null
}
a_tensor() {
    path --tensor t.npy -c 3 --steps 4 --csv tensor.csv -o tensor.svg >said && tail -n 1 said | grep -qx tensor.svg &&
        "$gig" explain "$model" --tensor t.npy -c 3 -m ig/rule=left --steps 4 --json >tensor.json &&
        rows tensor.csv ig '@rows == 5 && abs($rows[4]{score} - '"$(at tensor.json results.0.value_input)"') < 1e-6 && abs($rows[0]{score} - '"$(at tensor.json results.0.value_baseline)"') < 1e-6'
}
write_npy black.npy "1, 96, 96, 3" '(0) x (96 * 96 * 3)'
write_npy white.npy "1, 96, 96, 3" '(1) x (96 * 96 * 3)'
write_npy t.npy "1, 3, 96, 96" 'map { sin($_ * 0.37) } 1 .. 3 * 96 * 96'
write_npy two.npy "2, 3, 96, 96" 'map { sin($_ * 0.37) } 1 .. 6 * 96 * 96'
check "a closed path adds up what ig attributes on its sides" closed_is_three_explanations ig ig/rule=left
check "and what gig:1 does" closed_is_three_explanations gig:1 gig:1
check "a closed path ends where it began" closed_paths_end_where_they_began
check "the path of a tensor, as curves" a_tensor
check "two tensors" refuses 1 "expected one picture or tensor" path "$model" --tensor "$work/two.npy"
check "a closed path over one point" refuses 1 "expected two points" path "$model" "$fish" --closed --baseline black
check "a film of a closed path" refuses 1 "not a closed path" path "$model" "$fish" --closed --film film.webp
check "a film of a tensor" refuses 1 "not a tensor" path "$model" --tensor "$work/t.npy" --film film.webp
check "steps that do not fit into memory" refuses 3 "fewer --steps" path "$model" "$fish" --memory 20M
finish
