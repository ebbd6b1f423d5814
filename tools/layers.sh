#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The order of the folders is the order of dependence: prints each include that breaks it.
#   src/X may include "X/..." and folders that sort before X, and "gig/..." and "internal/..." (the headers in include/).
#   cli, web, bench, bindings and examples may include "gig/..." and files of their own folder; cli/frame no other file of cli.
#   Headers of include/internal are not installed: `internal` below says who may include each besides src, tests and fuzz.
#   Folders of src/network follow the same rule; each may include the headers at its root.
#   Folders of src/work come in the order of work_rooms below; each may include the headers at its root.
#   Only src/network/dnnl uses oneDNN (its names, not just its header), only src/model the ONNX schema; only tables of
#   rows compare names of operators.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C

report() {
    echo "$1"
    found=1
}
found=0
while IFS=: read -r file _ include; do
    folder=${file#src/}
    folder=${folder%%/*}
    target=${include%%/*}
    case $target in gig | internal) continue ;; esac
    if [[ $target > $folder ]]; then report "$file includes \"$include\": $folder comes before $target"; fi
done < <(grep -rHno '#include "[a-z_]*/[^"]*"' --include='*.[ch]' src | sed 's/#include "//; s/"$//')

work_rooms=(manifest pool store schedule worker report)
rank() { # ROOM: its place, from 1; nothing for what is no room
    for i in "${!work_rooms[@]}"; do
        if [ "${work_rooms[$i]}" = "$1" ]; then echo $((i + 1)); fi
    done
}
while IFS=: read -r file _ include; do
    room=$(cut -d/ -f3 <<<"$file")
    target=$(cut -d/ -f2 <<<"$include")
    from=$(rank "$room")
    to=$(rank "$target")
    if [ "${to:-0}" -gt "${from:-0}" ]; then report "$file includes \"$include\": $room comes before $target"; fi
done < <(grep -rHno '#include "work/[^"]*"' --include='*.[ch]' src/work/*/ | sed 's/#include "//; s/"$//')

declare -A internal=(
    [confine]="web" [description]="cli bindings" [draw]="cli" [explainer]="cli bindings" [file]="cli web" [guess]="cli" [image]="cli bindings" [metric]="cli" [model]="cli"
    [network]="cli" [number]="cli web bindings bench" [path]="" [profile]="cli" [saliency]="cli web bindings bench"
    [score]="cli bench" [summary]="cli" [target]="" [tensor]="cli" [view]="cli web" [work]="cli bindings" [workers]="cli"
)
for header in include/internal/*.h; do
    name=$(basename "$header" .h)
    if [ -z "${internal[$name]+named}" ]; then report "$header: tools/layers.sh does not say who may include it"; fi
    if grep -n GIG_API "$header"; then report "$header: GIG_API is for installed headers"; fi
done
while IFS=: read -r file _ include; do
    name=${include#internal/}
    if [[ $file == cli/frame/* && $include != gig/* && $include != internal/* && $include != frame/* ]]; then
        report "$file includes \"$include\": the frame knows no command"
    elif [[ $file == cli/cmd_serve.c && $include == ../web/serve.h ]]; then
        continue
    elif [[ $include == internal/* && " ${internal[${name%.h}]} " != *" ${file%%/*} "* ]]; then
        report "$file includes \"$include\": not for ${file%%/*} (tools/layers.sh has the list)"
    elif [[ $include == */* && $include != gig/* && $include != internal/* && ! ( $file == cli/* && $include == frame/* ) ]]; then
        report "$file includes \"$include\": public headers only"
    fi
done < <(grep -rHno '#include "[^"]*"' --include='*.[ch]' cli examples web bench bindings | sed 's/#include "//; s/"$//')
while IFS= read -r line; do
    report "$line: installed headers include installed ones only"
done < <(grep -rnE '#include "(internal|base|image|model|network|path|saliency|score|view|work)/' include/gig || true)

while IFS=: read -r file _ include; do
    room=${file#src/network/}
    target=${include#network/}
    [[ $room == */* && $target == */* ]] || continue
    room=${room%%/*}
    target=${target%%/*}
    if [[ $target > $room ]]; then report "$file includes \"$include\": $room comes before $target"; fi
done < <(grep -rHno '#include "network/[^"]*"' --include='*.[ch]' src/network | sed 's/#include "//; s/"$//')

while IFS= read -r file; do
    report "$file: only src/network/dnnl uses oneDNN"
done < <(grep -rlE '\bdnnl_|\bDNNL_|oneapi/' --include='*.[ch]' src include cli | grep -v '^src/network/dnnl/' || true)
# Tables of rows look their names up; whoever else wants to know which operator it is asks its row for traits or kind.
rows='^src/network/(operators/table|plan/expand_flow|plan/expand_quantized)\.c:'
while IFS= read -r line; do
    report "$line: names of operators are compared in rows alone"
done < <(grep -rnP '\bstr(n?(case)?cmp|str|chr)\([^;]*(->|\.)op\b' --include='*.[ch]' src cli web | grep -vE "$rows"
    grep -rnP '\bstr(n?(case)?cmp|str)\([^;]*"[A-Z][a-z]' --include='*.[ch]' src/model src/network || true)
while IFS= read -r line; do
    report "$line: only src/model uses the ONNX schema"
done < <(grep -rn '#include.*onnx\.pb-c' --include='*.[ch]' src include cli | grep -v '^src/model/' || true)
exit $found
