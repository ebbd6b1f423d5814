#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Jobs of gig serve: how soon they end when cancelled, counted in steps.
. "$(dirname "$0")/../cli/tap.sh"
export GIG_SOURCE=$source_root GIG_BUILD_DIR=$build_root
if ! "$gig" help serve >/dev/null 2>&1; then
    skip "jobs of the page" "gig was built without libmicrohttpd"
    finish
    exit
fi
/usr/bin/python3 "$source_root/tests/web/jobs.py" "$work"
