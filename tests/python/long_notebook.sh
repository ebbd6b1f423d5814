#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# examples/notebook.ipynb runs as it is, and shows its sheets.
. "$(dirname "$0")/../cli/tap.sh"
package=$build_root/bindings/python
python=/usr/bin/python3
if [ ! -f "$package/gig/_core.abi3.so" ] || ! "$python" -c 'import nbconvert, ipykernel, PIL' 2>/dev/null; then
    skip "the notebook" "the package was not built, or nbconvert, ipykernel or Pillow is missing (tools/setup --python)"
    finish
    exit
fi
export PYTHONPATH=$package HOME=$work JUPYTER_PLATFORM_DIRS=1
mkdir "$work/examples" && cp "$source_root/examples/notebook.ipynb" "$work/examples" && ln -s "$source_root/demo" "$work/demo"

runs() {
    cd "$work/examples" && "$python" -m nbconvert --to notebook --execute --output done.ipynb notebook.ipynb \
        --ExecutePreprocessor.timeout=600 --ExecutePreprocessor.kernel_name=python3
}
shows() { # FILE: every sheet and drawing is there, and no cell failed
    "$python" - "$1" <<'PYTHON'
import json, sys
cells = json.load(open(sys.argv[1]))["cells"]
outputs = [output for cell in cells for output in cell.get("outputs", [])]
drawn = [output for output in outputs if "image/png" in output.get("data", {})]
wrong = [output for output in outputs if output["output_type"] == "error"]
print(len(drawn), "drawings;", wrong)
sys.exit(len(drawn) < 5 or bool(wrong))
PYTHON
}
check "the notebook runs" runs
check "it shows its drawings" shows "$work/examples/done.ipynb"
check "readers on the web see them (tools/notebook)" shows "$source_root/examples/notebook.ipynb"
[ -z "${GIG_KEEP-}" ] || cp "$work/examples/done.ipynb" "$GIG_KEEP"
finish
