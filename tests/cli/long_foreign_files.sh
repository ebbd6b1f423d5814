#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ONNX files that others made (foreign_files.json, docs/models.md): each is explained, with ONNX Runtime's value, or refused with
# its reason. Packages are downloaded from npm; GIG_FOREIGN names a folder that keeps them.
. "$(dirname "$0")/tap.sh"
if ! command -v npm >/dev/null || ! /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    skip "files that others made" "npm or NumPy is not installed"
    finish
    exit
fi
/usr/bin/python3 "$source_root/tools/foreign.py" "$gig" "${GIG_FOREIGN:-$work/packages}"
