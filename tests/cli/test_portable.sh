#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --portable: the demo's guided maps have the bits that are written down here, on every CPU with AVX2. Each line is one
# pair of oneDNN and C library: its maps of gig:0 and gig:20 as SHA-256 of the .npy file.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/gig.sh"

hashes() {
    cat <<-END
	2.6.3 2.36 e68102589c5180698594b67e28ecd30bf1df2708f059b20a66255eb7887b56bc fea37138ded6ba07f75ef3df49094d39cb03bf5cb4a27f3e2885ed4dcc4de8a7
	END
}

onednn=$("$gig" explain "$demo/model.onnx" "$demo/pictures/fish-6.png" -m gradients --portable --json -o "$work/a.png" 2>/dev/null |
    sed -n 's/.*oneDNN \([0-9.]*\) .*/\1/p' | head -n 1)
library=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed 's/.* //')
read -r _ _ first second <<<"$(hashes | grep "^$onednn $library ")" || true

same_map() { # METHOD HASH
    "$gig" explain "$demo/model.onnx" "$demo/pictures" -m "$1" --portable --npy "$work/map.npy" --force --quiet >/dev/null &&
        [ "$(sha256sum <"$work/map.npy" | cut -d ' ' -f 1)" = "$2" ]
}
if ! grep -qw avx2 /proc/cpuinfo; then
    skip "guided maps have the bits written down" "the CPU has no AVX2"
elif [ -z "$first" ]; then
    skip "guided maps have the bits written down" "none are for oneDNN ${onednn:-?} with C library ${library:-?}"
else
    check "gig:0 has the bits written down" same_map gig:0 "$first"
    check "gig:20 has the bits written down" same_map gig:20 "$second"
fi
finish
