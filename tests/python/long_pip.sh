#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# pip install --no-build-isolation . in a virtual environment with the system's packages, without a network: it builds the
# same package, with the library inside, and that gives the same bits.
. "$(dirname "$0")/../cli/tap.sh"
python=${GIG_PYTHON:-/usr/bin/python3}
missing() { # why it cannot be tried, if so
    [ -e "$source_root/.git" ] || { echo "the sources are not a git repository, which pip's build needs" && return; }
    "$python" -c 'import ensurepip, venv' 2>/dev/null || { echo "python3-venv is not installed" && return; }
    "$python" -c 'import mesonpy' 2>/dev/null || { echo "python3-mesonpy is not installed" && return; }
    "$python" -c 'import numpy' 2>/dev/null || { echo "NumPy is not installed" && return; }
}
why=$(missing)
if [ -n "$why" ]; then
    skip "pip installs the package" "$why (tools/setup --python)"
    finish
    exit
fi
copies() { # what is committed, or (the sources of a release) everything but build folders
    git clone -q "$source_root" "$work/copy" 2>/dev/null ||
        { mkdir "$work/copy" && tar -C "$source_root" --exclude='./build*' -cf - . | tar -C "$work/copy" -xf -; }
}
installs() { # a copy, so that nothing is left in the sources; the network is where nothing answers
    "$python" -m venv --system-site-packages "$work/venv" && copies && cd "$work/copy" &&
        https_proxy=http://127.0.0.1:9 http_proxy=http://127.0.0.1:9 PIP_CONFIG_FILE=/dev/null \
            "$work/venv/bin/pip" install --no-index --no-build-isolation .
}
cat >"$work/hash.py" <<'PYTHON'
import hashlib
import sys

import gig

model = gig.Model(sys.argv[1])
print(gig.__file__)
print(gig.__version__, *(hashlib.sha256(model.explain(sys.argv[2], method).attributions).hexdigest()
                         for method in ("gradients", "ig/steps=9", "gig:2/steps=12", "xrai+gradients", "grad-cam")))
PYTHON
explain() { "$@" "$work/hash.py" "$source_root/demo/model.onnx" "$source_root/demo/pictures/fish-6.png"; }
same() {
    cd "$work" && explain "$work/venv/bin/python" >own && PYTHONPATH=$build_root/bindings/python explain "$python" >built &&
        grep -q "^$work/venv/" own && ! grep -q "$work/venv" built && [ "$(tail -1 own)" = "$(tail -1 built)" ]
}
alone() { # the library is inside: the module needs no libgig of the system
    ! ldd "$work"/venv/lib/python3*/site-packages/gig/_core.abi3.so | grep libgig
}
check "pip installs the package without a network" installs
check "it gives the same bits" same
check "it needs no library of gig's elsewhere" alone
finish
