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
    if [[ $KNOWN == all || " $KNOWN " == *" $name "* ]]; then echo "installed=$name"; else code=1; fi
done
exit $code
STAND_IN
printf '#!/bin/bash\necho "$*" >>"%s/asked"\n' "$work" >"$work/bin/apt-get"
printf '#!/bin/bash\necho 0\n' >"$work/bin/id"
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

python_too() { with none --python && asks_for python3-dev && ! asks_for python3-torch && with none && ! asks_for python3-dev; }
check "installs what the Python package needs on demand" python_too

refuses() { ! with all --nonsense && grep -q usage "$work/stderr"; }
check "refuses what it does not know" refuses
finish
