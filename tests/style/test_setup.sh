#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/setup on machines that have all, some and none of the packages; dpkg-query and apt-get are stand-ins.
. "$(dirname "$0")/../cli/tap.sh"
setup=$source_root/tools/setup
mkdir "$work/bin"
cat >"$work/bin/dpkg-query" <<'STAND_IN'
#!/bin/bash
# Knows the packages in $KNOWN; like the real one, fails when asked for another.
code=0
for name in "${@:4}"; do
    for known in "$name" "$name:amd64" "$name:arm64" "$name:all"; do
        if [[ $KNOWN == all || " $KNOWN " == *" $known "* ]]; then echo "installed=$known" && continue 2; fi
    done
    code=1
done
exit $code
STAND_IN
printf '#!/bin/bash\necho "$*" >>"%s/asked"\n' "$work" >"$work/bin/apt-get"
printf '#!/bin/bash\n[ "$1" != --print-architecture ] || { echo amd64 && exit; }\necho "dpkg $*" >>"%s/asked"\n' "$work" >"$work/bin/dpkg"
printf '#!/bin/bash\necho "${USER_NUMBER-0}"\n' >"$work/bin/id"
cat >"$work/bin/apt-cache" <<STAND_IN
#!/bin/bash
if [ \$# -eq 1 ]; then echo " 500 file:/packages main amd64 \${LISTS-Packages}"; exit; fi
if [ -z "\${LISTS-Packages}" ] && ! grep -q update "$work/asked"; then exit; fi
if [ "\$LC_ALL" = C ]; then echo "  Candidate: \${CANDIDATE-1.0}"; else echo "  Installationskandidat: 1.0"; fi
STAND_IN
chmod +x "$work/bin/"*

with() { # KNOWN [OPTION]: runs the setup on such a machine; what it asks apt-get for is in $work/asked
    : >"$work/asked"
    KNOWN=$1 PATH=$work/bin:$PATH bash "$setup" "${@:2}"
}
asks_for() { grep -q "install.* $1\( \|\$\)" "$work/asked"; }

nothing_missing() { with all && [ ! -s "$work/asked" ]; }
check "asks for nothing where all is there" nothing_missing

all_missing() { with none && asks_for gcc && asks_for libdnnl-dev && asks_for scdoc; }
check "installs on a fresh machine" all_missing

some_missing() { with "gcc make" && ! asks_for gcc && ! asks_for make && asks_for meson; }
check "installs only what is missing" some_missing

oracles_too() { with none --oracles && asks_for python3-torch && asks_for gcc; }
check "installs the oracles on demand" oracles_too

fresh_lists() { LISTS='' with none --oracles && asks_for python3-torch; }
check "installs them where no list of packages was read yet" fresh_lists

all_but_lists() { LISTS='' with all --oracles && [ ! -s "$work/asked" ]; }
check "reads no list where all is there" all_but_lists

no_root() { # nor sudo: says what to run
    mkdir "$work/alone" && ln -s "$(command -v bash)" "$(command -v sed)" "$(command -v tr)" "$(command -v grep)" "$work/alone" &&
        cp "$work/bin/"* "$work/alone" && : >"$work/asked"
    ! USER_NUMBER=1000 LISTS='' KNOWN=none PATH=$work/alone bash "$setup" --oracles && [ ! -s "$work/asked" ] &&
        grep -q 'as root, run: apt-get update; apt-get install gcc' "$work/stderr"
}
check "says what to run where it cannot" no_root

what_is_there() { CANDIDATE="(none)" with none --oracles && ! asks_for python3-torch && asks_for python3-onnx; }
check "leaves out oracles that the system does not have" what_is_there

python_too() { with none --python && asks_for python3-dev && ! asks_for python3-torch && with none && ! asks_for python3-dev; }
check "installs what the Python package needs on demand" python_too

arm64_too() {
    with "make:amd64 perl:all libdnnl-dev:arm64 libpng-dev:amd64" --arm64 &&
        grep -q 'dpkg --add-architecture arm64' "$work/asked" && ! asks_for make && ! asks_for perl &&
        asks_for libpng-dev:arm64 && ! asks_for libdnnl-dev && ! asks_for libdnnl-dev:arm64 &&
        with "make:amd64 libdnnl-dev:arm64 libpng-dev:amd64" && asks_for libdnnl-dev && ! asks_for libpng-dev &&
        with none --oracles --arm64 && ! asks_for python3-torch
}
check "tells a library for arm64 from one of this machine" arm64_too

elsewhere() { # no dpkg-query: the list, and what to do with it
    mkdir "$work/other" && ln -s "$(command -v bash)" "$(command -v cat)" "$work/other"
    ! PATH=$work/other bash "$setup" && grep -q 'not Debian or Ubuntu' "$work/stderr" && grep -q '^  libdnnl-dev$' "$work/stderr"
}
check "says what to install on other systems" elsewhere

refuses() { ! with all --nonsense && grep -q usage "$work/stderr"; }
check "refuses what it does not know" refuses
finish
