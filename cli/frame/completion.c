/* SPDX-License-Identifier: Apache-2.0 */
/* Completion for bash and zsh, from the tables of options and commands. */
#include "frame/command.h"
#include "frame/row_names.h"
#include <stdio.h>
#include <string.h>

static int is_file(const option_row *row)
{
    return row->kind == KIND_FILE || row->kind == KIND_FILES;
}

static void print_words(const option_row *row, const char *before_colon)
{
    char text[ROW_NAMES_BYTES];
    for (const char *c = with_row_names(text, sizeof text, row->choices, " "); *c; c++) {
        if (*c == ':') fputs(before_colon, stdout);
        putchar(*c == '|' ? ' ' : *c);
    }
}

/* Options that mean different things to different commands have several rows; their values are of one kind. */
static int stands_before(const option_row *row)
{
    for (const option_row *other = option_table; other != row; other++)
        if (strcmp(other->name, row->name) == 0) return 1;
    return 0;
}

/* The value of the option before the cursor, where the table knows more than "anything". */
static void print_bash_values(void)
{
    puts("    case $previous in");
    for (const option_row *row = option_table; row->name; row++) {
        if ((!row->choices && !is_file(row)) || stands_before(row)) continue;
        printf("    --%s", row->name);
        if (row->letter) printf(" | -%c", row->letter);
        fputs(") ", stdout);
        if (row->choices) {
            fputs("COMPREPLY=($(compgen -W '", stdout);
            print_words(row, "");
            puts("' -- \"$word\")); return ;;");
        } else {
            puts("COMPREPLY=($(compgen -f -- \"${word#*=}\")); return ;;");
        }
    }
    puts("    esac");
}

static void print_bash(void)
{
    puts("# bash completion for gig\n_gig() {\n    local word=${COMP_WORDS[COMP_CWORD]} "
         "previous=${COMP_WORDS[COMP_CWORD - 1]} "
         "command=${COMP_WORDS[1]}\n    COMPREPLY=()");
    fputs("    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W '", stdout);
    for (const command *row = command_table; row->name; row++) printf("%s ", row->name);
    puts("help --help --version' -- \"$word\"))\n        return\n    fi");
    print_bash_values();
    puts("    if [[ $word != -* ]]; then\n        COMPREPLY=($(compgen -f -- \"$word\"))\n        return\n    fi\n"
         "    case $command in");
    for (const command *about = command_table; about->name; about++) {
        printf("    %s) COMPREPLY=($(compgen -W '", about->name);
        for (const option_row *row = option_table; row->name; row++)
            if (row->commands & about->bit) printf("--%s ", row->name);
        puts("' -- \"$word\")) ;;");
    }
    puts("    esac\n}\ncomplete -o filenames -F _gig gig");
}

/* Text inside '...[...]' of _arguments: quotes and brackets would end it. */
static void print_zsh_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '[' || *text == ']' || *text == ':') putchar('\\');
        if (*text == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*text);
    }
}

static void print_zsh_option(const option_row *row)
{
    int repeats = row->kind == KIND_LIST || row->kind == KIND_FILES;
    printf("            '%s--%s%s[", repeats ? "*" : "", row->name, row->argument ? "=" : "");
    char help[ROW_NAMES_BYTES];
    print_zsh_text(with_row_names(help, sizeof help, row->help, ", "));
    putchar(']');
    if (row->argument) {
        putchar(':');
        print_zsh_text(row->argument);
        putchar(':');
        if (is_file(row)) fputs("_files", stdout);
        if (row->choices) {
            putchar('(');
            print_words(row, "\\");
            putchar(')');
        }
    }
    puts("' \\");
}

static void print_zsh(void)
{
    puts("#compdef gig\n_gig() {\n    local -a commands=(");
    for (const command *row = command_table; row->name; row++) {
        printf("        '%s:", row->name);
        print_zsh_text(row->summary);
        puts("'");
    }
    puts("    )\n    if ((CURRENT == 2)); then\n        _describe command commands\n        return\n    fi\n"
         "    local command=$words[2]\n    shift words\n    ((CURRENT--))\n    case $command in");
    for (const command *about = command_table; about->name; about++) {
        printf("    %s)\n        _arguments \\\n", about->name);
        for (const option_row *row = option_table; row->name; row++)
            if (row->commands & about->bit) print_zsh_option(row);
        puts("            '*:file:_files'\n        ;;");
    }
    puts("    esac\n}\n_gig \"$@\"");
}

int print_completion(const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        print_bash();
    else if (strcmp(shell, "zsh") == 0)
        print_zsh();
    else
        return 0;
    return 1;
}
