#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Two small torchvision classifiers against PyTorch; long_torchvision.sh tries all.
. "$(dirname "$0")/torchvision.sh"
if torchvision_is_here; then
    agree MAIN squeezenet1_1 mobilenet_v3_small
else
    skip "torchvision's classifiers" "needs PyTorch, torchvision and onnx (tools/setup --oracles)"
fi
finish
