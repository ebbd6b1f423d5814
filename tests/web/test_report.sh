#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# -o report.html in a real browser.
. "$(dirname "$0")/../cli/tap.sh"
export GIG_SOURCE=$source_root GIG_BUILD_DIR=$build_root
why=$(cd "$source_root/tests/web" && /usr/bin/python3 -c 'import browser; print(browser.missing() or "")')
if [ -n "$why" ]; then
    skip "reports in a browser" "$why"
    finish
    exit
fi
/usr/bin/python3 "$source_root/tests/web/report.py" "$work"
