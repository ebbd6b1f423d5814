/* SPDX-License-Identifier: Apache-2.0 */
/* The list of supported operators for `gig model --operators`: the rows of the table, joined by name. */
#include "base/memory.h"
#include "internal/summary.h"
#include "network/plan/expand.h"
#include <stdlib.h>
#include <string.h>

typedef struct list {
    gig_known_operator *rows; /* NULL while they are only counted */
    size_t count;
} list;

static void add(void *payload, const gig_operator *row)
{
    list *known = payload;
    if (known->rows)
        known->rows[known->count] =
            (gig_known_operator){row->name, row->since, row->until, !(row->flags & GIG_OP_NO_GRADIENT)};
    known->count++;
}

static int compare(const void *left, const void *right)
{
    const gig_known_operator *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    return order ? order : a->since - b->since;
}

/* Rows of one name follow each other in opsets without a gap. */
gig_status gig_known_operators(gig_known_operator **out, size_t *count)
{
    list known = {0};
    *out = NULL;
    *count = 0;
    gig_operator_each(add, &known);
    gig_written_out_each(add, &known);
    known.rows = gig_alloc_zero(known.count, sizeof *known.rows);
    if (!known.rows) return gig_alloc_status();
    known.count = 0;
    gig_operator_each(add, &known);
    gig_written_out_each(add, &known);
    qsort(known.rows, known.count, sizeof *known.rows, compare);
    for (size_t i = 0; i < known.count; i++) {
        gig_known_operator *row = &known.rows[i], *last = *count ? &known.rows[*count - 1] : NULL;
        if (last && strcmp(last->name, row->name) == 0)
            last->until = row->until;
        else
            known.rows[(*count)++] = *row;
    }
    *out = known.rows;
    return GIG_OK;
}

void gig_known_operators_free(gig_known_operator *operators)
{
    gig_free(operators);
}
