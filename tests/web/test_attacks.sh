#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Requests that nobody should send to gig serve: each gets its status code, and the server lives on.
. "$(dirname "$0")/../cli/tap.sh"
export GIG_SOURCE=$source_root GIG_BUILD_DIR=$build_root
if ! "$gig" help serve >/dev/null 2>&1; then
    skip "attacks on the page" "gig was built without libmicrohttpd"
    finish
    exit
fi
/usr/bin/python3 "$source_root/tests/web/attacks.py" "$work"
