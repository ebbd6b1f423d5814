#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Debian's ONNX operator tests: none fails, at least 640 pass.
. "$(dirname "$0")/tap.sh"

conforms() {
    "$source_root/tools/conformance" "$build_root" || return 1
    local line
    line=$(tail -n 1 "$work/stdout")
    [[ $line =~ ^conformance:\ ([0-9]+)\ passed,\ 0\ failed,\ ([0-9]+)\ unsupported$ ]] && [ "${BASH_REMATCH[1]}" -ge 865 ]
}
if [ -x "$build_root/tests/conformance/conformance" ]; then
    check "ONNX operator tests" conforms
else
    skip "ONNX operator tests" "tests/conformance is not built"
fi
finish
