# SPDX-License-Identifier: Apache-2.0
# For shell tests of commands that explain: the demo, its pictures, and what their outputs hold. Source tap.sh first.
look=$source_root/tests/cli/inspect
demo=$source_root/demo
model=$demo/model.onnx
fish=$demo/pictures/fish-6.png
bird=$demo/pictures/bird-1.png
key=$demo/pictures/key-7.png
cd "$work" || exit 1

at() { "$look" json "$1" "$2"; } # FILE PATH
is() { # FILE PATH VALUE
    [ "$(at "$1" "$2")" = "$3" ] || { echo "$2 is $(at "$1" "$2"), not $3" >&2 && return 1; }
}
true_that() { # EXPRESSION OF PERL, VALUES AS $v[0] ...
    local test=$1
    shift
    perl -e 'my ($test, @v) = @ARGV; exit !eval $test' "$test" "$@" || { echo "not so: $test with $*" >&2 && return 1; }
}
shape() { # FILE SHAPE
    [ "$("$look" shape "$1")" = "<f4 $2" ] || { "$look" shape "$1" >&2 && return 1; }
}
starts_with() { # FILE HEX
    [ "$(head -c $((${#2} / 2)) "$1" | od -An -tx1 | tr -d ' \n')" = "$2" ]
}
nothing_in() { # FOLDER
    [ -z "$(find "$1" -mindepth 1 2>/dev/null)" ] || { ls -R "$1" >&2 && return 1; }
}
# Passes when gig ends with CODE and says one line "gig: ..." that contains TEXT, in a folder where it leaves nothing.
refuses() { # CODE TEXT ARGUMENTS...
    local code=$1 text=$2
    shift 2
    rm -rf "$work/empty" && mkdir "$work/empty"
    (cd "$work/empty" && exec "$gig" "$@") >"$work/said" 2>"$work/error"
    local got=$?
    if [ $got -ne "$code" ] || [ "$(wc -l <"$work/error")" -ne 1 ] || ! grep -q '^gig: ' "$work/error" ||
        ! grep -qF -- "$text" "$work/error"; then
        echo "exit code $got" >&2
        cat "$work/error" >&2
        return 1
    fi
    nothing_in "$work/empty"
}
