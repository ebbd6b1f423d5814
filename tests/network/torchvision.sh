# SPDX-License-Identifier: Apache-2.0
# Sourced by the torchvision tests: one check per classifier, or one skip where PyTorch is missing.
. "$(dirname "${BASH_SOURCE[0]}")/../cli/tap.sh"
classifiers=$source_root/tools/golden/torchvision_classifiers.py

agree() { # LIST NAME...
    local list=$1 name
    shift
    for name; do
        check "$name: value and gradient are PyTorch's" \
            /usr/bin/python3 "$classifiers" --build "$build_root" --list "$list" "$name"
    done
}

torchvision_is_here() {
    /usr/bin/python3 -c 'import onnx, torch, torchvision' 2>/dev/null
}
