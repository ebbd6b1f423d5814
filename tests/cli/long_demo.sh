#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make demo's own part: a row for every method, areas that are areas, and a sheet.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/gig.sh"

demo_runs() {
    "$demo/run" "$build_root" >said || return 1
    [ "$(grep -cE '^[a-z].* +0\.[0-9]{4} +[0-9]+/12 +(\|sum\||one value) +[0-9.]+$' said)" -eq 12 ] || { cat said >&2 && return 1; }
    awk '/\/12/ && !($2 > 0.5 && $2 < 1) { exit 1 }' said && grep -q '^took [0-9]* s$' said &&
        "$look" png "$build_root/demo-out/compare.png" && "$look" png "$build_root/demo-out/path.png" &&
        shape "$build_root/demo-out/maps/gig-20.npy" 12,96,96,3
}
check "the demo explains, scores and draws" demo_runs
finish
