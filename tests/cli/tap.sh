# SPDX-License-Identifier: Apache-2.0
# For shell tests: source this, then `check NAME COMMAND...`, `skip NAME WHY`, and `finish` last.
# A check's output is kept in $out and $err; it passes when the command gives 0.
set -u
source_root=${GIG_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
build_root=${GIG_BUILD_DIR:-$source_root/build}
gig=$build_root/gig
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cases=0
failures=0

report() { # STATUS NAME
    cases=$((cases + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $cases - $2"
    else
        failures=$((failures + 1))
        echo "not ok $cases - $2"
        { echo "# failed: $2" && sed "s/^/#   /" "$work/stdout" "$work/stderr" 2>/dev/null | head -40; } >&2
    fi
}

check() { # NAME COMMAND...: passes when the command gives 0
    local name=$1
    shift
    : >"$work/stdout"
    : >"$work/stderr"
    "$@" >"$work/stdout" 2>"$work/stderr"
    report $? "$name"
}

skip() { # NAME WHY
    cases=$((cases + 1))
    echo "ok $cases - $1 # SKIP $2"
    echo "# skipped $1: $2" >&2
}

sanitizers() { # the flag the build was compiled with; empty: without sanitizers
    grep -om 1 -e '-fsanitize=[a-z,]*' "$build_root/build.ninja" | head -n 1
}

finish() {
    echo "1..$cases"
    [ "$failures" -eq 0 ]
}
