#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The style rules that a script can check (CONTRIBUTING.md). Each case prints the lines that break its rule.
. "$(dirname "$0")/../cli/tap.sh"
cd "$source_root" || exit 1
export LC_ALL=C.UTF-8

files() { # the project's files with these endings, tracked or new, except inputs that are broken on purpose
    { git ls-files -co --exclude-standard 2>/dev/null || find . -type f -not -path './build*' -not -path './.git/*' |
        sed 's|^\./||'; } | grep -vE '^(tests/hostile/files|fuzz/corpus)/' | grep -E "$1" | while read -r file; do [ -f "$file" ] && echo "$file"; done
}
c='\.[ch]$'
text='\.([ch]|sh|py|md|build|txt|json|scd|yml|supp|js|css)$|^(Makefile|LICENSE|\.ci/run|tools/(setup|test|tap|conformance))$'
library='^(src|include)/.*\.[ch]$'

# Prints the matching lines of these files, except those in $3; passes if there are none.
absent() { # FILES PATTERN [EXCEPT]
    ! files "$1" | grep -vE "${3:-^$}" | tr '\n' '\0' | xargs -0 -r grep -nHP -- "$2"
}
uncommented() { "${CC:-gcc}" -fpreprocessed -dD -E -P -x c -; } # C without its comments
final_newline() {
    ! files "$text" | while read -r file; do
        [ -s "$file" ] && [ -n "$(tail -c 1 "$file")" ] && echo "$file"
    done | grep .
}
short_files() {
    ! files '^(src|include|cli|bindings|examples|tests)/.*\.[ch]$' | grep -v '^tests/golden/' | while read -r file; do
        lines=$(wc -l <"$file")
        [ "$lines" -gt 600 ] && echo "$file has $lines lines"
    done | grep .
}
prose_columns() { # prose of Markdown; not code, tables, pictures, nor what docs/results/fill.py writes between its marks
    ! files '\.md$' | tr '\n' '\0' | xargs -0 perl -CSD -ne '
        $fenced = !$fenced if /^```/;
        $filled = !/^<!-- end/ if /^<!-- /;
        print "$ARGV:$.: ", length($_) - 1, " columns\n" if length > 101 && !$fenced && !$filled && !/^(    |\||!\[)/;
        if (eof) { $fenced = $filled = 0; close ARGV }' | grep .
}
header_words() {
    ! for word in Flow: Ownership: Threads: Errors:; do
        grep -L "^ \* $word" include/gig/*.h | sed "s/\$/ lacks $word/"
    done | grep .
}
header_names() { # comments of installed headers mention only what these declare
    ! cat include/gig/*.h | uncommented | grep -oE '\b(gig|GIG)_\w+' | sort -u |
        grep -vxF -f - <(grep -ohE '\b(gig|GIG)_\w+' include/gig/*.h | sort -u) | sed 's/$/ is not declared in include\/gig/' | grep .
}
all_headers_in_one() {
    ! for header in include/gig/*.h; do
        [ "$header" = include/gig/gig.h ] || grep -qF "#include \"${header#include/}\"" include/gig/gig.h ||
            echo "gig/gig.h does not include ${header#include/}"
    done | grep .
}
headers_alone() { # COMPILER LANGUAGE STANDARD
    ! for header in include/gig/*.h; do
        echo "#include \"${header#include/}\"" |
            "$1" -x "$2" "-std=$3" -Wall -Wextra -pedantic -Werror -Iinclude -fsyntax-only - || echo "$header"
    done | grep . &&
        { # gig_chain chain_init = GIG_CHAIN_INIT; and so on
            echo '#include "gig/gig.h"'
            sed -nE 's/^#define (GIG_([A-Z_]+)_INIT) GIG_INIT$/\1 \L\2/p' include/gig/*.h |
                sed -E 's/(.*) (.*)/gig_\2 \2_init = \1;/'
        } | "$1" -x "$2" "-std=$3" -Wall -Wextra -Wno-missing-field-initializers -pedantic -Werror -Iinclude -fsyntax-only -
}
formatted() {
    files '^(src|include|cli|bindings|examples|tests|bench|fuzz)/.*\.[ch]$' | grep -v '^tests/golden/' | tr '\n' '\0' |
        xargs -0 clang-format-14 --dry-run -Werror
}
licensed() { # every source file names its licence within its first two lines
    ! files '\.([ch]|py|sh|map|js|css)$|(^|/)meson\.build$|^Makefile$|^\.ci/run$' | while read -r file; do
        head -n 2 "$file" | grep -qF 'SPDX-License-Identifier: Apache-2.0' || echo "$file has no SPDX line"
    done | grep .
}
one_meaning() { # the name of a type or of an enumerator is defined once in the whole library
    ! { # "} gig_x;" ends a typedef, "struct gig_x {" defines what a typedef elsewhere names, "(*gig_x)(" is a callback
        files "$library" | tr '\n' '\0' | xargs -0 grep -hoE '^\} gig_\w+;|^(struct|union|enum) gig_\w+ \{|^typedef [^;{]*\(\*gig_\w+\)\(' |
            grep -oE 'gig_\w+( \{|;|\)\()' | grep -oE 'gig_\w+'
        files "$library" | tr '\n' '\0' | xargs -0 cat | uncommented | tr '\n' ' ' | grep -oE 'enum( gig_\w+)? \{[^}]*\}' |
            grep -oE '[{,] *GIG_[A-Z0-9_]+' | grep -oE 'GIG_[A-Z0-9_]+'
    } | sort | uniq -d | sed 's/$/ is defined twice/' | grep .
}
few_parameters() { # of a function, a pointer to one or a typedef: seven at most; more of them are a noun without a name
    ! files '^(src|include|cli|bindings|examples|bench|demo)/.*\.[ch]$' | tr '\n' '\0' | xargs -0 cat | uncommented 2>/dev/null |
        sed -E -e ':join' -e '/\\$/{N;s/\\\n//;b join' -e '}' -e 's/^ *#define \w+(\([^)]*\))?//' -e '/^ *#/d' \
            -e 's/__attribute__\(\([^()]*(\([^()]*\))?\)\)//g' | tr '\n' ' ' | sed 's/[;{}]/&\n/g' | # a line a statement
        grep -oP '^ *+(?!(?:return|else)\b)\w[\w* ]*[ *](?:\w+|\(\*\w*\))\((?=((?:[^(),]|(\((?:[^()]|(?2))*\)))*,){7})' |
        sed 's/$/...) has more than seven parameters/' | grep .
}
version_has_news() { # the version of meson.build is the newest of NEWS.md and of debian/changelog
    version=$(sed -nE "s/^project\\(.*version: '([0-9.]+)',.*/\\1/p" meson.build)
    newest=$(grep -m 1 '^## ' NEWS.md | cut -d' ' -f2)
    [ "$version" = "$newest" ] || { echo "meson.build has $version, NEWS.md begins with $newest" && return 1; }
    packaged=$(sed -nE '1s/^gig \(([0-9.]+)\).*/\1/p' debian/changelog)
    [ "$version" = "$packaged" ] || { echo "meson.build has $version, debian/changelog $packaged" && return 1; }
    [ "$("$build_root/gig" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1)" = "$version" ]
}
exports() { # what the headers declare, and nothing else but symbols of sanitizers and of coverage; tests/style/exports.txt lists it, so that a change is seen
    declared=$(cat include/gig/*.h | tr '\n' ' ' | grep -oE 'GIG_API [^;]*;' | grep -oE 'gig_[a-z0-9_]+\(' | tr -d '(' | sort -u)
    exported=$(nm -D --defined-only "$build_root/libgig.so" | awk '{print $NF}' |
        grep -vE '^(__odr_asan|__asan|__gcov_|lprofDirMode|(reset|writeout)_fn_list|_init|_fini|__bss_start|_edata|_end)' | sort -u)
    ! printf '%s\n' "$declared" "$exported" | sort | uniq -u | grep . && diff tests/style/exports.txt <(echo "$exported")
}

check "no tab in C" absent "$c" '\t'
check "no blank at a line's end" absent "$text" '[ \t\r]+$'
check "every file ends with a newline" final_newline
check "no line over 120 columns" absent "$c" '^.{121,}$' '^tests/golden/'
check "no line of prose over 100 columns" prose_columns
check "no file over 600 lines" short_files
check "no unfinished work in the code" absent "$c" '\b(TODO|FIXME|XXX)\b'
check "no function is named only run" absent "^(src|cli|web)/.*\\.c$" "^static [a-z_ *]*\\brun\\("
check "models are opened by the explainer, and where CONTRIBUTING says" absent "^(src|cli|web|bindings)/.*\\.c$" "gig_model_load\\(" \
    "^(src/model/|src/saliency/explainer.c|src/work/store/cell.c|cli/(cmd_bench|cmd_model|input_flags).c)"
check "one allocator" absent '^src/.*\.[ch]$' \
    '(?<![\w.>"])(malloc|calloc|realloc|free|strdup|strndup|aligned_alloc|posix_memalign|v?asprintf)\(' \
    '^src/base/memory\.c$'
check "the library prints nothing" absent "$library" '^(?! \* ).*(?<!\w)(v?f?printf|puts|fputs|putchar|perror)\('
check "the library never ends the program" absent "$library" '(?<![\w.>])(_?exit|abort|assert|raise)\('
check "the library keeps the locale" absent "$library" '(?<!\w)(setlocale|strtod|strtof|atof|sscanf|fscanf)\('
check "public headers say Flow, Ownership, Threads, Errors" header_words
check "public headers mention only public names" header_names
check "gig/gig.h includes every public header" all_headers_in_one
check "each public header compiles alone in C" headers_alone "${CC:-gcc}" c c11
if command -v g++ >/dev/null; then
    check "each public header compiles alone in C++" headers_alone g++ c++ c++11
else
    skip "each public header compiles alone in C++" "g++ is not installed"
fi
if command -v clang-format-14 >/dev/null; then
    check "formatted by clang-format 14" formatted
else
    skip "formatted by clang-format 14" "clang-format-14 is not installed"
fi
check "every source file names its licence" licensed
check "the name of a type or enumerator means one thing" one_meaning
check "no function has more than seven parameters" few_parameters
check "the version has its news" version_has_news
check "folders include only what comes before them" tools/layers.sh
check "the library exports what the headers declare" exports
finish
