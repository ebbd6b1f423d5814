/* SPDX-License-Identifier: Apache-2.0 */
/* Help and the man page, from the tables of options and commands. */
#include "frame/command.h"
#include "frame/row_names.h"
#include <stdio.h>
#include <string.h>

static const char *const group_titles[GROUP_COUNT] = {"What", "How", "Running", "Output"};
static const char *const exit_codes[] = {"0  done",
                                         "1  the command line is wrong",
                                         "2  an input file is broken, or a NaN or an infinity was found",
                                         "3  a limit would be exceeded",
                                         "4  the model needs something that is not supported",
                                         "5  a file cannot be read or written",
                                         "6  an internal error",
                                         "130, 143  interrupted (SIGINT, SIGTERM)",
                                         NULL};
enum { WIDTH = 88, OPTION_INDENT = 27 };

/* Words of `text` filled into lines of WIDTH, each begun by `indent` blanks; `column` is where the first one starts. An
 * empty line in the text separates paragraphs. */
static void fill(const char *text, int indent, int column)
{
    for (const char *word = text; *word;) {
        if (*word == '\n') {
            printf("\n%s", word[1] == '\n' ? "\n" : "");
            word += word[1] == '\n' ? 2 : 1;
            column = 0;
            continue;
        }
        int bytes = (int)strcspn(word, " \n");
        if (column > indent && column + 1 + bytes > WIDTH) {
            putchar('\n');
            column = 0;
        }
        if (column < indent) {
            printf("%*s", indent - column, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", bytes, word);
        column += bytes;
        word += bytes;
        while (*word == ' ') word++;
    }
    putchar('\n');
}

/* "-j, --threads J" */
static int option_head(char *text, size_t bytes, const option_row *row)
{
    char letter[8] = "    ";
    if (row->letter) snprintf(letter, sizeof letter, "-%c, ", row->letter);
    return snprintf(text, bytes, "  %s--%s%s%s", letter, row->name, row->argument ? " " : "",
                    row->argument ? row->argument : "");
}

static void option_text(char *text, size_t bytes, const option_row *row)
{
    int used = (int)strlen(with_row_names(text, bytes, row->help, ", "));
    if (row->kind == KIND_CHOICE) used += snprintf(text + used, bytes - (size_t)used, " One of %s.", row->choices);
    if (!row->standard) return;
    char standard[ROW_NAMES_BYTES];
    snprintf(text + used, bytes - (size_t)used, " Default: %s.",
             with_row_names(standard, sizeof standard, row->standard, ", "));
}

static void print_option(const option_row *row)
{
    char head[64], text[ROW_NAMES_BYTES];
    int column = option_head(head, sizeof head, row);
    option_text(text, sizeof text, row);
    fputs(head, stdout);
    if (column + 1 > OPTION_INDENT) {
        putchar('\n');
        column = 0;
    }
    fill(text, OPTION_INDENT, column);
}

/* How many options of the command are in the group; prints them if `print` is not NULL. */
static int each_option(const command *about, option_group group, void (*print)(const option_row *))
{
    int count = 0;
    for (const option_row *row = option_table; row->name; row++) {
        if (row->group != group || !(row->commands & about->bit)) continue;
        if (print) print(row);
        count++;
    }
    return count;
}

void print_help(const command *about)
{
    printf("%s.\n\nusage: gig %s %s [options]\n\n", about->summary, about->name, about->operands);
    fill(about->text, 0, 0);
    for (int group = 0; group < GROUP_COUNT; group++) {
        if (!each_option(about, (option_group)group, NULL)) continue;
        printf("\n%s:\n", group_titles[group]);
        each_option(about, (option_group)group, print_option);
    }
    puts("\nExamples:");
    for (int i = 0; i < 3 && about->examples[i]; i++) printf("  %s\n", about->examples[i]);
    puts("\nExit codes:");
    for (int i = 0; exit_codes[i]; i++) printf("  %s\n", exit_codes[i]);
}

void print_overview(void)
{
    puts("gig explains what a model looks at: it attributes the prediction of an ONNX model to the\n"
         "pixels or features of its input, by Guided Integrated Gradients and related methods.\n\n"
         "usage: gig COMMAND [operands and options]\n\nCommands:");
    for (const command *row = command_table; row->name; row++) printf("  %-10s %s\n", row->name, row->summary);
    puts("\nOptions:\n  --help     Show this help; gig COMMAND --help explains one command\n"
         "  --version  Show the version");
    puts("\nExit codes:");
    for (int i = 0; exit_codes[i]; i++) printf("  %s\n", exit_codes[i]);
}

/* scdoc gives these characters a meaning, some only at the start of a line. */
static void print_escaped(const char *text)
{
    for (; *text; text++) {
        if (strchr("_*\\<#~[]|.'", *text)) putchar('\\');
        putchar(*text);
    }
}

static void print_man_option(const option_row *row)
{
    char text[ROW_NAMES_BYTES];
    option_text(text, sizeof text, row);
    if (row->letter) printf("*-%c*, ", row->letter);
    printf("*--%s*", row->name);
    if (row->argument) {
        fputs(" ", stdout);
        print_escaped(row->argument);
    }
    fputs("\n\t", stdout);
    print_escaped(text);
    fputs("\n\n", stdout);
}

void print_man(void)
{
    puts("gig(1)\n\n# NAME\n\ngig - explain the predictions of ONNX models\n\n# SYNOPSIS\n");
    for (const command *row = command_table; row->name; row++)
        printf("*gig %s* %s [options]%s\n", row->name, row->operands, row[1].name ? "++" : "");
    puts("\n# DESCRIPTION\n\ngig explains what a model looks at: it attributes the prediction of an ONNX model to the "
         "pixels or "
         "features of its input, by Guided Integrated Gradients and related methods.\n");
    for (const command *row = command_table; row->name; row++) {
        printf("# gig %s\n\n%s.\n\n", row->name, row->summary);
        print_escaped(row->text);
        fputs("\n\n", stdout);
        for (int group = 0; group < GROUP_COUNT; group++) {
            if (!each_option(row, (option_group)group, NULL)) continue;
            printf("## %s\n\n", group_titles[group]);
            each_option(row, (option_group)group, print_man_option);
        }
        puts("## Examples\n");
        for (int i = 0; i < 3 && row->examples[i]; i++) printf("```\n%s\n```\n\n", row->examples[i]);
    }
    puts("# EXIT STATUS\n");
    for (int i = 0; exit_codes[i]; i++) printf("%s%s\n", exit_codes[i], exit_codes[i + 1] ? "++" : "");
}
