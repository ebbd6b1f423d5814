#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each fuzz target for a while under ASan and UBSan (2 million models take some minutes on an idle core).
. "$(dirname "$0")/../cli/tap.sh"
for row in model:2000000 text:500000 external:500000 network:50000 image:300000 store:20000 http:50000; do
    target=${row%:*} runs=${row#*:}
    if ! command -v clang >/dev/null; then
        skip "$runs inputs to fuzz_$target" "clang is not installed"
    else
        check "$runs inputs to fuzz_$target" "$source_root/fuzz/run" "$target" "$runs"
    fi
done
finish
