#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The frame of the program: help, errors of one line, exit codes, man page, completion.
. "$(dirname "$0")/tap.sh"

# Passes when gig ends with CODE, prints nothing on stdout and one line "gig: ..." that contains TEXT on stderr.
refuses() { # CODE TEXT ARGUMENTS...
    local code=$1 text=$2
    shift 2
    "$gig" "$@"
    local got=$?
    [ $got -eq "$code" ] || { echo "exit code $got" >&2 && return 1; }
    [ ! -s "$work/stdout" ] && [ "$(wc -l <"$work/stderr")" -eq 1 ] && grep -q '^gig: ' "$work/stderr" &&
        grep -qF -- "$text" "$work/stderr"
}
says() { # TEXT ARGUMENTS...
    local text=$1
    shift
    "$gig" "$@" && grep -qF -- "$text" "$work/stdout" && [ ! -s "$work/stderr" ]
}
every_command_has_help() {
    local commands
    commands=$("$gig" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
    [ -n "$commands" ] || return 1
    for command in $commands; do
        "$gig" "$command" --help >"$work/help" || return 1
        for part in "usage: gig $command" "Examples:" "  gig $command" "Exit codes:" "--help"; do
            grep -qF -- "$part" "$work/help" || { echo "$command: $part" && return 1; }
        done
        if grep -nE '^.{89,}$' "$work/help" | grep -v '  gig '; then return 1; fi
    done
}
says_its_own() {
    "$gig" path --help | grep -A 4 -- '--method' | grep -q 'Default: gig\.' && "$gig" explain --help | grep -A 12 -- '--method' | grep -q 'Default: auto' &&
        "$gig" gradient --help | grep -A 1 -- '--out FILE.npy' | grep -q 'gradients' && ! "$gig" compare --help | grep -qiE 'study|gradient:' &&
        [ "$("$gig" compare --help | grep -c -- '--out ')" -eq 1 ]
}
every_option_of_a_method_has_help() { # as a flag, or as a part of the method's name
    local names name
    names=$(sed -n 's/^ *{{"\([a-z-]*\)",.*/\1/p; s/^ *{\.name = "\([a-z-]*\)",.*/\1/p' "$source_root"/src/saliency/*.c)
    [ -n "$names" ] && "$gig" explain --help >"$work/help" || return 1
    for name in $names; do grep -qE -- "(--|/)$name\b" "$work/help" || { echo "$name" >&2 && return 1; }; done
}
every_row_has_help() { # methods and metrics, by the names in their rows
    local names name
    names=$(grep -hA1 -E '^const gig_(method|metric)_row gig_.* = \{' "$source_root"/src/saliency/*.c "$source_root"/src/score/*.c |
        sed -nE 's/.*\.name = "([a-z-]+)".*/\1/p')
    [ "$(wc -w <<<"$names")" -gt 20 ] || return 1
    { "$gig" explain --help && "$gig" score --help; } >"$work/help" || return 1
    for name in $names; do grep -qE "[ (]$name(,|\.|$)" "$work/help" || { echo "$name" >&2 && return 1; }; done
}
completes() { # WORDS...: what bash offers for the last word
    bash -c '. <("$1" --print-completion bash); shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gig; echo "${COMPREPLY[*]}"' \
        - "$gig" "$@"
}
offers() { # TEXT WORDS...
    local text=$1
    shift
    completes "$@" | grep -qF -- "$text"
}
man_page() {
    "$gig" --print-man | scdoc >"$work/gig.1" && grep -q 'precision' "$work/gig.1"
}
full_disk() {
    "$gig" --help >/dev/full
    [ $? -eq 5 ] && grep -q 'gig: cannot write standard output' "$work/stderr"
}

check "--version" says "gig " --version
check "--help lists the commands" says "gradient" --help
check "every command teaches itself" every_command_has_help
check "an option is explained as its command means it" says_its_own
check "every option of a method has help" every_option_of_a_method_has_help
check "help COMMAND is COMMAND --help" says "usage: gig model FILE" help model
check "a command is missing" refuses 1 "a command is missing"
check "an unknown command" refuses 1 'unknown command "explode"' explode
check "an unknown option" refuses 1 "unknown option --colour" model --colour x
check "a command with a letter wrong" refuses 1 "did you mean compare?" comapre x
check "an option with a letter wrong" refuses 1 "did you mean --precision?" model --precisoin f32 x
check "an option that is near another command's only" refuses 1 "see gig model --help" model --fractoin 1 x
check "an unknown letter" refuses 1 "unknown option -Z" model -Z x
check "an option of another command" refuses 1 "--class is not an option of this command" model --class 1 x
check "an option whose plural is meant" refuses 1 "did you mean --methods?" compare -m ig x y
check "an operand is missing" refuses 1 "FILE is missing" model
check "operators that run are listed" says "Softmax                    since opset 1" model --operators
check "and as JSON" says '"until": 9,' model --operators --json
check "and take no file" refuses 1 "--operators cannot be combined with FILE" model a --operators
check "an operand too many" refuses 1 '"b" is one too many; it takes FILE' model a b
check "a value is missing" refuses 1 "--batch needs a value" model a --batch
check "a value where none belongs" refuses 1 "--json does not take a value" model a --json=1
check "an empty value" refuses 1 "--output needs a value" model a --output=
check "a value that is not a number" refuses 1 '--batch: expected an integer, found "1.5"' model a --batch 1.5
check "a number out of range" refuses 1 'expected an integer from 1 to' model a -b0
check "an invalid size" refuses 1 'expected a size such as 500M, found "2X"' model a --memory 2X
check "an invalid choice" refuses 1 'expected f32|mixed|split|bf16, found "f16"' model a --precision f16
check "an option given twice" refuses 1 "--batch is given twice" model a -b 1 --batch=2
check "a file that is not there" refuses 5 "no/such.onnx: cannot open" model no/such.onnx
check "a file that is not a model" refuses 2 "$source_root/README.md" model "$source_root/README.md"
check "-- ends the options" refuses 5 "--json: cannot open" model -- --json
check "a line break in an argument stays on one line" refuses 1 'unknown command "a?b"' $'a\nb'
check "an output that cannot be written" full_disk
check "completes commands" offers model gig mo
check "completes options" offers --precision gig model --pre
check "completes choices" offers split gig model --precision sp
check "completes methods" offers smooth+gig:20 gig explain -m smooth+
check "completes methods by their rows" offers layer-cam gig explain -m layer
check "completes metrics by their rows" offers emprt gig score --metrics em
check "help names every method and metric" every_row_has_help
if command -v scdoc >/dev/null; then check "prints its man page" man_page; else skip "prints its man page" "no scdoc"; fi
check "completion for zsh" says "#compdef gig" --print-completion zsh
finish
