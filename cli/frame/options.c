/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the command line by the table. */
#include "frame/options.h"
#include "frame/errors.h"
#include "internal/guess.h"
#include "internal/number.h"
#include "internal/saliency.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *options_split_name(const char *text, size_t *name_bytes)
{
    const char *sign = strchr(text, '=');
    *name_bytes = sign ? (size_t)(sign - text) : 0;
    return sign ? sign + 1 : text;
}

/* Where a value is kept. */
static void *field(options *out, const option_row *row)
{
    return (char *)out + row->offset;
}

static int has_name(const option_row *row, const char *name, size_t bytes)
{
    return strlen(row->name) == bytes && memcmp(row->name, name, bytes) == 0;
}

/* The command's own row of that name, else another command's, else NULL. */
static const option_row *find_row(const char *name, size_t bytes, unsigned command)
{
    const option_row *found = NULL;
    for (const option_row *row = option_table; row->name; row++)
        if (has_name(row, name, bytes) && (!found || row->commands & command)) found = row;
    return found;
}

static const option_row *find_letter(char letter, unsigned command)
{
    const option_row *found = NULL;
    for (const option_row *row = option_table; row->name; row++)
        if (row->letter && row->letter == letter && (!found || row->commands & command)) found = row;
    return found;
}

/* Suggests the command's option with the nearest name, else the help. */
static int refuse_unknown(const char *command, unsigned bit, const char *text, size_t bytes)
{
    gig_guess like = gig_guess_begin(text + 2, bytes);
    for (const option_row *row = option_table; text[1] == '-' && row->name; row++)
        if (row->commands & bit) gig_guess_try(&like, row->name);
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)bytes, text + 2);
    if (text[1] == '-' && gig_method_takes(NULL, name)) /* some options of methods have no flag */
        return complain("%s: unknown option %s; it is part of a method's name: NAME/%s=...", command, text, name);
    if (like.name) return complain("%s: unknown option %s; did you mean --%s?", command, text, like.name);
    return complain("%s: unknown option %s; see gig %s --help", command, text, command);
}

/* An option that other commands have: --method of explain may be --methods of compare. */
static int refuse_others(const char *command, unsigned bit, const char *name)
{
    char several[64];
    snprintf(several, sizeof several, "%ss", name);
    const option_row *like = find_row(several, strlen(several), bit);
    int there = like && like->commands & bit;
    return complain("%s: --%s is not an option of this command%s%s%s", command, name, there ? "; did you mean --" : "",
                    there ? several : "", there ? "?" : "");
}

static int takes_argument(const option_row *row)
{
    return row->kind != KIND_FLAG && row->kind != KIND_ALONE && row->kind != KIND_HELP;
}

/* A repeated option is an error and not a surprise. */
static int set_value(options *out, const option_row *row, const char *command, const char *value)
{
    unsigned char *seen = &out->seen[row - option_table];
    int repeats = row->kind == KIND_LIST || row->kind == KIND_FILES || !takes_argument(row);
    if (*seen && !repeats) return complain("%s: --%s is given twice", command, row->name);
    *seen = 1;
    void *place = field(out, row);
    switch (row->kind) {
    case KIND_ALONE: out->alone = row->name; /* fall through */
    case KIND_FLAG:
    case KIND_HELP: *(int *)place = 1; return 0;
    case KIND_TEXT:
    case KIND_FILE: *(const char **)place = value; break;
    case KIND_LIST:
    case KIND_FILES: ((texts *)place)->items[((texts *)place)->count++] = value; break;
    case KIND_COUNT:
        if (gig_parse_int(place, value, row->least, row->most) != GIG_OK)
            return complain("%s: --%s: %s", command, row->name, gig_message());
        break;
    case KIND_SIZE:
        if (gig_parse_size(place, value) != GIG_OK) return complain("%s: --%s: %s", command, row->name, gig_message());
        break;
    case KIND_CHOICE:
        if (gig_parse_choice(place, value, row->choices) != GIG_OK)
            return complain("%s: --%s: expected %s, found \"%s\"", command, row->name, row->choices, value);
        break;
    }
    return *value ? 0 : complain("%s: --%s needs a value", command, row->name);
}

/* One argument that begins with '-'; *next is the argument after it, moved on when it is the value. */
static int read_option(options *out, const char *command, char ***next, char **end)
{
    const char *text = *(*next)++;
    const option_row *row;
    const char *value = NULL;
    size_t bytes = strcspn(text + 2, "=");
    if (text[1] == '-') {
        row = find_row(text + 2, bytes, out->command);
        if (text[2 + bytes] == '=') value = text + 3 + bytes;
    } else {
        row = find_letter(text[1], out->command);
        if (text[2]) value = text + 2;
    }
    if (!row) return refuse_unknown(command, out->command, text, bytes);
    if (!(row->commands & out->command)) return refuse_others(command, out->command, row->name);
    if (!takes_argument(row) && value) return complain("%s: --%s does not take a value", command, row->name);
    if (takes_argument(row) && !value) {
        if (*next == end) return complain("%s: --%s needs a value", command, row->name);
        value = *(*next)++;
    }
    return set_value(out, row, command, value);
}

/* Each list can be as long as the command line. */
static int make_lists(options *out, size_t most)
{
    texts *lists[] = {&out->operands, &out->tensors, &out->shapes, &out->study.take};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        lists[i]->items = calloc(most + 1, sizeof *lists[i]->items);
        if (!lists[i]->items) return complain("out of memory");
    }
    return 0;
}

int options_parse(options *out, const char *command, unsigned bit, int count, char **arguments)
{
    *out = (options){.command = bit};
    if (make_lists(out, (size_t)count) != 0) return -1;
    char **next = arguments, **end = arguments + count;
    int options_end = 0;
    while (next != end) {
        if (!options_end && strcmp(*next, "--") == 0) {
            options_end = 1;
            next++;
        } else if (options_end || (*next)[0] != '-' || (*next)[1] == 0) {
            out->operands.items[out->operands.count++] = *next++;
        } else if (read_option(out, command, &next, end) != 0) {
            return -1;
        }
    }
    return 0;
}

int options_given(const options *given, const char *name)
{
    const option_row *row = find_row(name, strlen(name), given->command);
    return row && given->seen[row - option_table];
}

void options_clear(options *given)
{
    free(given->operands.items);
    free(given->tensors.items);
    free(given->shapes.items);
    free(given->study.take.items);
    *given = (options){0};
}
