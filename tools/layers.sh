#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The order of the folders is the order of dependence: prints each include that points up or sideways; none is right.
#   src/X may include "X/..." and folders that sort before X, and "gig/...".
#   cli and examples may include "gig/..." and files of their own folder.
#   Only src/network knows oneDNN, only src/model the ONNX schema.
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
    [ "$target" = gig ] && continue
    if [[ $target > $folder ]]; then report "$file includes \"$include\": $folder comes before $target"; fi
done < <(grep -rHno '#include "[a-z_]*/[^"]*"' --include='*.[ch]' src | sed 's/#include "//; s/"$//')

while IFS=: read -r file _ include; do
    if [[ $include == */* && $include != gig/* ]]; then report "$file includes \"$include\": public headers only"; fi
done < <(grep -rHno '#include "[^"]*"' --include='*.[ch]' cli examples | sed 's/#include "//; s/"$//')

while IFS= read -r line; do
    report "$line: only src/network uses oneDNN"
done < <(grep -rn '#include.*dnnl' --include='*.[ch]' src include cli | grep -v '^src/network/' || true)
while IFS= read -r line; do
    report "$line: only src/model uses the ONNX schema"
done < <(grep -rn '#include.*onnx\.pb-c' --include='*.[ch]' src include cli | grep -v '^src/model/' || true)
exit $found
