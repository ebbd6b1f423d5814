/* SPDX-License-Identifier: Apache-2.0 */
/* The options of an explainer and of a call by name, with values as people write them: one row each. */
#include "base/status.h"
#include "internal/explainer.h"
#include "internal/number.h"
#include <stddef.h>
#include <string.h>

typedef enum kind { TEXT, SIZE, NUMBER, COUNT, SEED, CHOICE } kind;

typedef struct option_row {
    const char *name;
    kind kind;
    size_t offset;
    const char *choices; /* CHOICE: an int or an enum, numbered in this order */
} option_row;

enum { MOST_THREADS = 1024 };

#define OPENING(name, kind, field, choices)                                                                            \
    {                                                                                                                  \
        name, kind, offsetof(gig_explainer_options, field), choices                                                    \
    }
static const option_row opening[] = {
    OPENING("description", TEXT, description, NULL),
    OPENING("preset", TEXT, preset, NULL),
    OPENING("labels", TEXT, labels, NULL),
    OPENING("input", TEXT, input, NULL),
    OPENING("output", TEXT, output, NULL),
    OPENING("at", TEXT, at, NULL),
    OPENING("explain-inputs", TEXT, explain_inputs, NULL),
    OPENING("cam", TEXT, cam, NULL),
    OPENING("region", TEXT, region, NULL),
    OPENING("index", TEXT, index, NULL),
    OPENING("weights", TEXT, weights, NULL),
    OPENING("precision", CHOICE, precision, "f32|mixed|split|bf16"),
    OPENING("blocking", CHOICE, blocking, "auto|8|16|any"),
    OPENING("portable", CHOICE, portable, "no|yes"),
    OPENING("threads", NUMBER, threads, NULL),
    OPENING("batch", NUMBER, batch, NULL),
    OPENING("operator-threads", COUNT, operator_threads, NULL),
    OPENING("memory", SIZE, max_memory, NULL),
    OPENING("no-orient", CHOICE, no_orient, "no|yes"),
    OPENING("keep-cam", CHOICE, keep_cam, "no|yes"),
    OPENING("lazy", CHOICE, lazy, "no|yes"),
    {NULL, TEXT, 0, NULL},
};

#define ASKING(name, kind, field)                                                                                      \
    {                                                                                                                  \
        name, kind, offsetof(gig_explain_options, field), NULL                                                         \
    }
static const option_row asking[] = {
    ASKING("class", TEXT, class_name),
    ASKING("of", TEXT, of),
    ASKING("seed", SEED, seed),
    ASKING("region", TEXT, region),
    ASKING("index", TEXT, index),
    ASKING("weights", TEXT, weights),
    {NULL, TEXT, 0, NULL},
};

static const option_row *find(const option_row *rows, const char *name)
{
    while (rows->name && strcmp(rows->name, name) != 0) rows++;
    return rows->name ? rows : NULL;
}

static gig_status set(void *options, const option_row *row, const char *value)
{
    void *place = (char *)options + row->offset;
    int64_t number;
    switch (row->kind) {
    case TEXT: *(const char **)place = value; return GIG_OK;
    case SIZE: return gig_parse_size(place, value);
    case NUMBER:
        GIG_TRY(gig_parse_int(&number, value, 0, INT32_MAX));
        *(size_t *)place = (size_t)number;
        return GIG_OK;
    case COUNT:
        GIG_TRY(gig_parse_int(&number, value, 1, MOST_THREADS));
        *(int *)place = (int)number;
        return GIG_OK;
    case SEED:
        GIG_TRY(gig_parse_int(&number, value, 0, INT64_MAX));
        *(uint64_t *)place = (uint64_t)number;
        return GIG_OK;
    case CHOICE: return gig_parse_choice(place, value, row->choices);
    }
    return GIG_OK;
}

static gig_status set_named(void *options, const option_row *rows, const char *name, const char *value,
                            const char *unknown)
{
    const option_row *row = find(rows, name);
    if (!row) return gig_fail(GIG_EARG, "%s \"%.80s\"", unknown, name);
    gig_status status = set(options, row, value);
    return status == GIG_OK ? GIG_OK : gig_fail_in(status, "%s", name);
}

gig_status gig_explainer_options_set(gig_explainer_options *options, const char *name, const char *value)
{
    return set_named(options, opening, name, value, "a model has no option");
}

gig_status gig_explain_options_set(gig_explain_options *options, const char *name, const char *value)
{
    return set_named(options, asking, name, value, "there is no option");
}

const char *gig_explainer_option(size_t i)
{
    return i < sizeof opening / sizeof *opening ? opening[i].name : NULL;
}

const char *gig_explain_option(size_t i)
{
    return i < sizeof asking / sizeof *asking ? asking[i].name : NULL;
}
