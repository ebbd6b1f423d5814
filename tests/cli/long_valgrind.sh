#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The demo under Valgrind's memcheck: nothing is read before it is written, and nothing is lost. Valgrind knows AVX2 at
# most, so oneDNN is limited to it; what other libraries keep until the end is in tools/valgrind.supp.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/gig.sh"

clean() { # ARGUMENTS...
    ONEDNN_MAX_CPU_ISA=AVX2 OMP_NUM_THREADS=1 valgrind --quiet --error-exitcode=99 --leak-check=full \
        --errors-for-leak-kinds=definite --suppressions="$source_root/tools/valgrind.supp" "$gig" "$@"
}
if ! command -v valgrind >/dev/null; then
    skip "the demo under Valgrind" "valgrind is not installed"
elif [ -n "$(sanitizers)" ]; then
    skip "the demo under Valgrind" "the build has sanitizers"
else
    check "IG to a drawing" clean explain "$model" "$fish" -m ig --steps 2 -o map.png
    check "Guided IG to arrays" clean explain "$model" "$fish" -m gig:1 --steps 3 --npy map.npy --npz map.npz
    check "what a model is" clean model "$model"
fi
finish
