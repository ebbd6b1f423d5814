#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --portable: the demo's guided maps have the bits that are written down here, on every CPU with AVX2, and --json says
# all that a published map is checked by. Each line is one pair of oneDNN and C library: its maps of gig:0 and gig:20 as
# SHA-256 of the .npy file.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/gig.sh"

hashes() {
    cat <<-END
	2.6.3 glibc_2.36 b507c8efe1e279da210c425d22efacdd2b5c894f19995734d8e0c2148e64ddbf 2f50419507f8eeaaff89b797819475c981d2136ada5701663b5583068cc4e69b
	3.7.2 glibc_2.41 b507c8efe1e279da210c425d22efacdd2b5c894f19995734d8e0c2148e64ddbf 2f50419507f8eeaaff89b797819475c981d2136ada5701663b5583068cc4e69b
	END
}

"$gig" explain "$model" "$fish" -m gradients --npy one.npy --json >plain.json
onednn=$(at plain.json results.0.versions.onednn)
library=$(at plain.json results.0.versions.c_library)
read -r _ _ first second <<<"$(hashes | grep "^$onednn ${library/ /_} ")" || true

says_what_computed() {
    [[ $(at plain.json results.0.versions.engine) == "oneDNN $onednn ("*")" ]] &&
        [ "$library" = "glibc $(getconf GNU_LIBC_VERSION | sed 's/.* //')" ] &&
        [ -n "$(at plain.json results.0.versions.cpu)" ] && is plain.json results.0.options.portable 0 &&
        [[ $(at plain.json results.0.options.blocking) =~ ^(8|16|any)$ ]]
}
says_which_map() {
    is plain.json results.0.map_sha256 "$(tail -c +129 one.npy | sha256sum | cut -d ' ' -f 1)"
}
compared() { # regions have a map of their own
    "$gig" compare "$model" "$fish" --methods ig,xrai+ig --steps 5 --json -o both.png >both.json &&
        "$gig" explain "$model" "$fish" -m xrai+ig --steps 5 --npy regions.npy --quiet >/dev/null &&
        is both.json results.1.map_sha256 "$(tail -c +129 regions.npy | sha256sum | cut -d ' ' -f 1)" &&
        [ "$(at both.json results.0.map_sha256)" != "$(at both.json results.1.map_sha256)" ]
}
check "--json names engine, C library, CPU and blocking" says_what_computed
check "--json has the SHA-256 of the map's values" says_which_map
check "compare has one for each map, regions too" compared

held_to_avx2() {
    "$gig" explain "$model" "$fish" -m gradients --portable --json >portable.json &&
        is portable.json results.0.versions.engine "oneDNN $onednn (avx2)" &&
        is portable.json results.0.options.portable 1 && is portable.json results.0.options.blocking 8
}
same_map() { # METHOD HASH
    "$gig" explain "$model" "$demo/pictures" -m "$1" --portable --npy map.npy --force --quiet >/dev/null &&
        found=$(sha256sum <map.npy | cut -d ' ' -f 1) && echo "$found" && [ "$found" = "$2" ]
}
same_in_narrow_vectors() {
    "$gig" explain "$model" "$fish" -m gig:20 --portable --npy wide.npy --quiet >/dev/null &&
        ONEDNN_MAX_CPU_ISA=AVX2 "$gig" explain "$model" "$fish" -m gig:20 --portable --npy narrow.npy --quiet >/dev/null &&
        cmp wide.npy narrow.npy
}
if ! grep -qw avx2 /proc/cpuinfo; then
    skip "guided maps have the bits written down" "the CPU has no AVX2"
    finish
    exit
fi
check "--portable holds oneDNN to AVX2, and says so" held_to_avx2
check "a CPU with AVX2 alone gives the bits of this one" same_in_narrow_vectors
if [ -z "$first" ]; then
    skip "guided maps have the bits written down" "none are for oneDNN ${onednn:-?} with ${library:-an unknown C library}"
else
    check "gig:0 has the bits written down" same_map gig:0 "$first"
    check "gig:20 has the bits written down" same_map gig:20 "$second"
fi
finish
