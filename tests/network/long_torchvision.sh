#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# torchvision's classifiers against PyTorch: fourteen in every way, then every other one. Takes some two hours.
. "$(dirname "$0")/torchvision.sh"
if torchvision_is_here; then
    for list in MAIN OTHERS; do
        agree $list $(/usr/bin/python3 "$classifiers" --list $list --names)
    done
else
    skip "torchvision's classifiers" "needs PyTorch, torchvision and onnx (tools/setup --oracles)"
fi
finish
