#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# gig serve in a real browser.
. "$(dirname "$0")/../cli/tap.sh"
export GIG_SOURCE=$source_root GIG_BUILD_DIR=$build_root
why=$(cd "$source_root/tests/web" && /usr/bin/python3 -c 'import browser; print(browser.missing() or "")')
"$gig" help serve >/dev/null 2>&1 || why="gig was built without libmicrohttpd"
if [ -n "$why" ]; then
    skip "the page in a browser" "$why"
    finish
    exit
fi
/usr/bin/python3 "$source_root/tests/web/serve.py" "$work"
