#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# torchvision's classifiers against PyTorch: fourteen in every way, then every other one. Takes some two hours.
. "$(dirname "$0")/torchvision.sh"

default_layer() { # NAME LAYER: of Grad-CAM, where nothing names one
    /usr/bin/python3 - "$1" "$work/$1.onnx" <<'P' && "$gig" model "$work/$1.onnx" --describe | grep -F "\"cam\": \"$2\""
import sys
import torch
import torchvision
net = getattr(torchvision.models, sys.argv[1])(weights=None).eval().requires_grad_(True)
torch.onnx.export(net, torch.rand(1, 3, 224, 224), sys.argv[2], opset_version=13)
P
}

if torchvision_is_here; then
    check "the layer of a ViT is the norm of its last block" \
        default_layer vit_b_32 /encoder/layers/encoder_layer_11/ln_1/Add_1_output_0
    check "the layer of a Swin is its last norm" default_layer swin_t /permute/Transpose_output_0 # of /norm
    for list in MAIN OTHERS; do
        agree $list $(/usr/bin/python3 "$classifiers" --list $list --names)
    done
else
    skip "torchvision's classifiers" "needs PyTorch, torchvision and onnx (tools/setup --oracles)"
fi
finish
