/* SPDX-License-Identifier: Apache-2.0 */
/* The methods requested for a table, in any spelling, also shorter than in the store. */
#include "base/status.h"
#include "gig/saliency.h"
#include "internal/number.h"
#include "work/report/table.h"
#include <stdio.h>
#include <string.h>

/* ---- one ---- */

/* A name that equals `method`, or starts with it and continues with options. */
static int is_short_for(const char *method, const char *name)
{
    size_t length = strlen(method);
    return !strncmp(name, method, length) && (!name[length] || name[length] == '/');
}

/* Among the rows first, ..., end - 1; `end` if there is none. */
static size_t find_among(const gig_table *table, const char *method, size_t first, size_t end)
{
    char canonical[GIG_METHOD_NAME_BYTES];
    gig_method parsed;
    size_t found = end;
    if (gig_method_parse(&parsed, method, NULL) == GIG_OK) {
        gig_method_name(canonical, sizeof canonical, &parsed);
        method = canonical;
    }
    for (size_t i = end; i-- > first;)
        if (is_short_for(method, table->rows[i].method)) found = i;
    for (size_t i = first; i < end; i++)
        if (!strcmp(table->rows[i].method, method)) found = i;
    return found;
}

size_t gig_table_find_row(const gig_table *table, const char *method)
{
    return find_among(table, method, 0, table->row_count);
}

gig_status gig_table_choose_reference(gig_table *table, const char *given)
{
    table->filled_count = table->row_count;
    table->against = gig_table_find_row(table, given ? given : "ig");
    if (!given || table->against < table->row_count) return GIG_OK;
    size_t row = find_among(table, given, table->row_count, table->known_count);
    if (row == table->known_count) return gig_table_fail_row(table, given);
    gig_table_row reference = table->rows[row], *to = &table->rows[table->row_count];
    memmove(to + 1, to, (row - table->row_count) * sizeof *to);
    *to = reference;
    table->filled_count++;
    return GIG_OK;
}

gig_status gig_table_fail_row(const gig_table *table, const char *method)
{
    char names[300] = "";
    size_t count = table->known_count, used = 0;
    for (size_t i = 0; i < count && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", table->rows[i].method);
    return gig_fail(GIG_EARG, "there is no %s of method \"%s\" with baseline %s, only of %s%s", table->metric, method,
                    table->by_baseline ? "any" : table->options.baseline, names, used < sizeof names ? "" : "...");
}

/* ---- a list ---- */

gig_status gig_table_check_methods(const char *list)
{
    char name[GIG_METHOD_NAME_BYTES];
    gig_method method;
    int more;
    while ((more = gig_next_name(name, sizeof name, &list)) > 0) GIG_TRY(gig_method_parse(&method, name, NULL));
    return more ? gig_fail(GIG_EARG, "methods are a list of names with commas between") : GIG_OK;
}

void gig_table_choose_methods(gig_table *table)
{
    char name[GIG_METHOD_NAME_BYTES];
    const char *list = table->options.methods;
    for (size_t at = 1; gig_next_name(name, sizeof name, &list) > 0; at++) {
        size_t row = gig_table_find_row(table, name);
        if (row < table->row_count && !table->rows[row].place) table->rows[row].place = at;
    }
    table->row_count = 0;
    for (size_t i = 0; i < table->known_count; i++) {
        gig_table_row row = table->rows[i];
        if (!row.place) continue;
        gig_table_row *to = &table->rows[table->row_count];
        memmove(to + 1, to, (i - table->row_count++) * sizeof *to);
        *to = row;
    }
}

void gig_table_add_missing_methods(gig_text *out, const gig_table *table)
{
    char name[GIG_METHOD_NAME_BYTES];
    const char *list = table->options.methods;
    size_t missing = 0;
    while (list && gig_next_name(name, sizeof name, &list) > 0)
        if (gig_table_find_row(table, name) == table->row_count)
            gig_text_add(out, "%s %s", missing++ ? "," : " Asked for, but not scored:", name);
    if (!missing) return;
    for (size_t i = table->row_count; i < table->known_count; i++)
        gig_text_add(out, "%s %s", i > table->row_count ? "," : ". Scored, but not asked for:", table->rows[i].method);
    gig_text_add(out, ".");
}
