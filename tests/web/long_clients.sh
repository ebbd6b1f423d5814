#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# 200 clients for a minute: none may bring the server down, and its memory stays bounded.
. "$(dirname "$0")/../cli/tap.sh"
export GIG_SOURCE=$source_root GIG_BUILD_DIR=$build_root
if ! "$gig" help serve >/dev/null 2>&1; then
    skip "200 clients" "gig was built without libmicrohttpd"
    finish
    exit
fi
check "200 clients for ${GIG_CLIENT_SECONDS:-60} s" /usr/bin/python3 "$source_root/tests/web/clients.py" "${GIG_CLIENT_SECONDS:-60}"
finish
