#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Compiles for arm64 with Debian's cross compiler, and runs the test programs of some folders under qemu-user.
# `tools/setup --arm64` installs what it needs.
. "$(dirname "$0")/../cli/tap.sh"
folders="base path saliency score"
libraries=/usr/lib/aarch64-linux-gnu

missing() { # why it cannot be run, if so
    local tool
    for tool in aarch64-linux-gnu-gcc qemu-aarch64 meson ninja; do
        command -v "$tool" >/dev/null || { echo "$tool is not installed (tools/setup --arm64)" && return; }
    done
    [ -e "$libraries/libdnnl.so" ] || echo "the libraries are not installed for arm64 (tools/setup --arm64)"
}
why=$(missing)
if [ -n "$why" ]; then
    skip "arm64" "$why"
    finish
    exit
fi

build=$work/build
cat >"$work/arm64.txt" <<FILE
[binaries]
c = [$(command -v ccache >/dev/null && echo "'ccache', ")'aarch64-linux-gnu-gcc']
ar = 'aarch64-linux-gnu-ar'
strip = 'aarch64-linux-gnu-strip'
pkg-config = 'pkg-config'
exe_wrapper = 'qemu-aarch64'
[properties]
pkg_config_libdir = ['$libraries/pkgconfig', '/usr/share/pkgconfig']
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
FILE

configures() {
    cd "$source_root" && meson setup "$build" --cross-file "$work/arm64.txt" -Dwerror=true -Dmpi=disabled -Dpython=disabled
}
check "Meson finds everything for arm64" configures
programs=()
for folder in $folders; do
    mapfile -t -O ${#programs[@]} programs < <(ninja -C "$build" -t targets all |
        sed -n "s|^\(tests/$folder/test_[^/:]*\): c_LINKER.*|\1|p")
done
check "there are tests to run" [ ${#programs[@]} -gt 20 ]
check "program and tests compile without a warning" ninja -C "$build" gig "${programs[@]}"
if [ "$failures" -gt 0 ]; then
    finish
    exit
fi
runs() { CMOCKA_MESSAGE_OUTPUT=TAP OMP_NUM_THREADS=1 GIG_SOURCE=$source_root qemu-aarch64 "$1"; }
for program in "${programs[@]}"; do
    check "$program passes on arm64" runs "$build/$program"
done
# An explanation end to end: oneDNN's arm64 code, or its portable one, under our own.
explains() {
    qemu-aarch64 "$build/gig" explain "$source_root/demo/model.onnx" "$source_root/demo/pictures/fish-6.png" \
        --method ig --steps 20 --npy "$work/fish.npy"
}
check "the program explains a picture" explains
finish
