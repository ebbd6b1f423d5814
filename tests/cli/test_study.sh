#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# gig study: run, resume, status, table, export, show, and what is refused.
. "$(dirname "$0")/tap.sh"
. "$source_root/tests/cli/gig.sh"

cat >small.json <<JSON
{"models": {"demo": "$model"}, "pictures": {"scenes": "$demo/pictures.csv"}, "limit": 4, "keep": "maps",
 "methods": ["gradients", "ig", "gig:0", "xrai+ig"], "metrics": ["auc", "sic"], "options": {"steps": 10}}
JSON
study() { "$gig" study "$@"; }
says() { # FILE TEXT
    grep -qF -- "$2" "$1" || { cat "$1" >&2 && return 1; }
}

plans() {
    study run small.json --dry-run --json >plan.json && is plan.json maps 12 && is plan.json scores 32 && is plan.json evaluations 84 && is plan.json values 240 &&
        [ ! -e small.db ]
}
runs() { study run small.json -j 2 >said && says said "16 cells done, 0 failed, 0 planned" && [ -e small.db ]; }
does_nothing_twice() {
    study export small.db >before.csv && study run small.json >said && study export small.db >after.csv && cmp before.csv after.csv
}
counts() { study status small.db --json >status.json && is status.json done 16 && is status.json failures.# 0; }
says_why_cells_failed() {
    { cat "$demo/pictures.csv" && echo "pictures/none.png,1,"; } | sed "s#pictures/#$demo/pictures/#; s#masks/#$demo/masks/#" >list.csv
    sed "s#$demo/pictures.csv#list.csv#; s/\"limit\": 4, //; s/\"gig:0\", \"xrai+ig\"/\"edge\"/; s/, \"sic\"//" small.json >missing.json
    study run missing.json >said && says said "36 cells done, 3 failed, 0 planned" && [ "$(grep -c '^failed: ' said)" -eq 1 ] &&
        says said "failed: demo, $demo/pictures/none.png, gradients: " && says said "2 more failed: see gig study status missing.db" &&
        study status missing.db >said && ! grep -q 'more failed' said && says said "none.png, edge: " && says said "none.png, ig/steps=10 from black: " && study status missing.db --json >status.json &&
        is status.json failures.# 3 && is status.json failures.0.model demo
}
says_when_no_picture_passes() {
    sed 's#"methods"#"filter": {"confidence": 1}, "methods"#; s/, "keep": "maps"//' small.json >strict.json
    study run strict.json >said && says said "0 cells done, 0 failed, 0 planned" &&
        says said 'note: none of the 12 pictures of set "scenes" passes the filter for model "demo"' && study status strict.db >again && cmp said again &&
        study run small.json --json >said && is said remarks.# 0 && sed 's/1}/0.001}/' strict.json >mild.json && study run mild.json --store strict.db >said &&
        ! grep -q note said
}
says_why_scores_have_no_value() { # a folder has neither masks nor boxes
    sed "s#$demo/pictures.csv#$demo/pictures#; s/\"limit\": 4/\"limit\": 2/; s/, \"sic\"/, \"gini\"/; s/, \"keep\": \"maps\"//" small.json >bare.json
    study run bare.json >said && says said "8 cells done, 0 failed, 0 planned" && [ "$(grep -c note: said)" -eq 1 ] &&
        says said 'note: auc is defined on none of 2 pictures of set "scenes" for model "demo": there is no ground truth' &&
        study status bare.db --json >status.json && is status.json remarks.# 1 &&
        refuses 1 'none of 8 scores "auc" with baseline black has a value: there is no ground truth' study table "$work/bare.db" &&
        study table bare.db --metric gini >said && says said "| ig/steps=10 |"
}
tables() {
    study table small.db >plain.md && says plain.md "| gig/steps=10 |" && study table small.db --like paper4 --baseline black --mean >four.md &&
        study table small.db --like paper2 --format json -o two.json --plot roc.svg && says roc.svg "<svg" && says two.json '"xrai+ig/steps=10"' &&
        study export small.db --json >all.json && says all.json '"auc"'
}
takes_an_export_that_another_program_wrote() { # with a byte-order mark and quotes; what nothing needs is not planned
    cat >means.json <<END
{"models": {"demo": "$model"}, "pictures": {"scenes": "$demo/pictures.csv"}, "limit": 1, "metrics": ["gini"],
 "methods": ["ig/steps=4"], "baselines": ["black+white", "random:2"]}
END
    study run means.json -q >said && says said "6 cells done" && study export means.db -o means.csv &&
        { printf '\357\273\277' && sed '1s/[a-z_]*/"&"/' means.csv; } >marked.csv &&
        study run means.json --store again.db --take marked.csv >said && says said "2 cells done, 0 failed, 0 planned"
}
refuses_curves_that_an_export_lacks() { # a study of areas goes on with it
    sed 's/, "keep": "maps"//' small.json >taken.json && study run taken.json --take before.csv >said && says said "16 cells done, 0 failed" &&
        study table taken.db >said && says said "| ig/steps=10 |" && says plain.md "$(grep -m1 '^| ig/steps=10 |' said)" &&
        refuses 1 'none of 16 scores "sic" with baseline black has a curve: they were taken from an export in CSV' study table "$work/taken.db" --like paper4 --baseline black
}
methods_by_short_names() {
    study table small.db --methods xrai+ig,gig:0,ig --against gig:0 --format csv >short.csv &&
        [ "$(cut -d, -f1 short.csv | tr '\r\n' '  ' | tr -s ' ')" = "method gig/steps=10 ig/steps=10 xrai+ig/steps=10 " ]
}
table_is_the_mean_of_the_export() {
    study table small.db --format csv >table.csv && awk -F, '
        FNR == 1 { for (i = 1; i <= NF; i++) at[FILENAME, $i] = i; next }
        FILENAME == "before.csv" && $at[FILENAME, "metric"] == "auc" { s[$at[FILENAME, "method"]] += $at[FILENAME, "value"]; n[$at[FILENAME, "method"]]++ }
        FILENAME == "table.csv" { m = $at[FILENAME, "method"]; d = s[m] / n[m] - $at[FILENAME, "value"]; if (n[m] != 4 || d > 1e-6 || d < -1e-6) { print m, s[m] / n[m]; bad = 1 } seen++ }
        END { exit bad || seen != 4 }' before.csv table.csv
}
exports_what_making_a_map_gave() {
    awk -F, 'FNR == 1 { for (i = 1; i <= NF; i++) { sub("\r", "", $i); at[$i] = i } next }
        { gsub(/"[^"]*"/, "quoted") } # versions holds commas
        $at["method"] ~ /^(ig|gig)/ { d = $at["sum"] - ($at["value_input"] - $at["value_baseline"]) - $at["delta"]
            if (d > 1e-6 || d < -1e-6 || $at["evaluations"] != 10 || $at["step_error"] + 1e-6 < $at["delta"]) { print; bad = 1 } seen++ }
        END { exit bad || seen != 16 }' before.csv
}
shows() {
    study show small.db --better ig --than gradients -n 2 -o better.png && starts_with better.png 89504e470d0a1a0a
}
shows_from_another_folder() {
    mkdir -p away && ln -sfn "$demo" here && sed "s#$demo/#here/#g; s/, \"sic\"//; s/, \"keep\": \"maps\"//" small.json >near.json &&
        says near.json '"here/model.onnx"' && study run near.json >said &&
        (cd away && study show ../near.db --better ig --than gradients -n 1 -o better.png && starts_with better.png 89504e470d0a1a0a)
}
says_which_files_it_wrote() {
    study export small.db -o scores.csv >said && [ "$(cat said)" = scores.csv ] && cmp scores.csv <(study export small.db) &&
        study show small.db --better ig --than gradients -n 1 -o sheet.png >said && [ "$(cat said)" = sheet.png ] &&
        study table small.db -o table.md --plot table.svg >said && [ "$(tr '\n' ' ' <said)" = "table.md table.svg " ] &&
        study table small.db --plot again.svg >said && cmp said table.md
}
nothing_is_overwritten() {
    ! study export small.db -o two.json 2>error && [ "$(wc -l <error)" -eq 1 ] && study export small.db -o two.json -f
}
stops_and_goes_on() {
    rm -f small.db small.db-*; rm -rf small.maps
    "$gig" study run small.json -j 1 >said 2>error &
    local running=$!
    sleep 0.4
    kill -TERM $running
    wait $running
    [ $? -eq 143 ] && study run small.json >said && says said "16 cells done" && study export small.db >again.csv &&
        cmp <(cut -d, -f1-9 before.csv | sort) <(cut -d, -f1-9 again.csv | sort)
}
shows_a_run_under_way() {
    sed 's/"steps": 10/"steps": 2000/; s/, "keep": "maps"//' small.json >slow.json
    "$gig" study run slow.json -j 1 >/dev/null 2>&1 &
    local running=$! tries=0
    until study status slow.db >said 2>/dev/null && grep -q '^running: making maps, [0-9]* of 16' said || [ $((tries += 1)) -gt 200 ]; do sleep 0.05; done
    study status slow.db --json >status.json
    kill -TERM $running
    wait $running
    says said "running: making maps, " && is status.json run.cells 16 && study status slow.db >said && ! grep -q running said
}

a_broken_description_ends_it_once() { # before any cell is made, whatever is wrong with it
    local about
    cp "$demo/model.onnx" net.onnx && sed "s#$demo/model.onnx#net.onnx#" small.json >broken.json || return 1
    for about in '{"input": 3}' '{"labels": "nowhere.txt"}' '{' '{"labels": [1, 2]}'; do
        printf '%s' "$about" >net.json
        rm -f broken.db
        study run broken.json --store broken.db -q >said 2>error
        [ $? -eq 2 ] && [ "$(grep -c '^gig: ' error)" -eq 1 ] && [ "$(wc -l <error)" -eq 1 ] && [ ! -s said ] || return 1
        ! study status broken.db --json 2>/dev/null | grep -q '"failed": [1-9]' || return 1
    done
    rm -f net.json net.onnx
}
check plans_without_a_store plans
check runs_what_the_manifest_asks_for runs
check does_nothing_twice does_nothing_twice
check counts_cells counts
check says_why_cells_failed says_why_cells_failed
check says_when_no_picture_passes_the_filter says_when_no_picture_passes
check says_why_scores_have_no_value says_why_scores_have_no_value
check prints_tables tables
check takes_an_export_that_another_program_wrote takes_an_export_that_another_program_wrote
check "a table that is there" refuses 5 "before.csv: exists already; --force overwrites it" study table "$work/small.db" -o "$work/before.csv"
check "an export that is there" refuses 5 "before.csv: exists already; --force" study export "$work/small.db" -o "$work/before.csv"
check "a sheet that is there" refuses 5 "before.csv: exists already" study show "$work/small.db" --better ig --than gradients -o "$work/before.csv"
check refuses_curves_that_an_export_lacks refuses_curves_that_an_export_lacks
check a_table_takes_short_names methods_by_short_names
check a_table_says_which_methods_there_are refuses 1 'only of gradients, ig/steps=10, gig/steps=10, xrai+ig/steps=10' study table "$work/small.db" --methods gig:20,edge
check a_table_holds_the_means_of_what_is_exported table_is_the_mean_of_the_export
check exports_what_making_a_map_gave exports_what_making_a_map_gave
check shows_pictures_where_a_method_is_better shows
check shows_pictures_from_another_folder shows_from_another_folder
check says_which_files_it_wrote says_which_files_it_wrote
check overwrites_only_with_force nothing_is_overwritten
check goes_on_after_a_signal stops_and_goes_on
check shows_a_run_under_way shows_a_run_under_way
check refuses_an_unknown_verb refuses 1 'run, status, table, export or show' study walk x
check refuses_a_verb_without_file refuses 1 'the manifest is missing' study run
check refuses_an_option_of_another_verb refuses 1 'study status: --plot is not an option' study status x --plot y.svg
check refuses_a_missing_manifest refuses 5 'none.json' study run none.json
check refuses_a_missing_store refuses 5 'none.db' study status none.db
check refuses_a_file_that_is_no_store refuses 2 'labels.txt' study table "$demo/labels.txt"
check refuses_an_unknown_method_of_a_table refuses 1 'gog' study table "$work/small.db" --methods ig,gog
check refuses_show_without_methods refuses 1 '--better' study show "$work/small.db" -o x.png
check "a broken description or label file ends it once, with exit 2" a_broken_description_ends_it_once
finish
