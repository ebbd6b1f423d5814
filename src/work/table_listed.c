/* The list of methods a table is asked for, "a,b,...", each written in any way. */
#include "gig/saliency.h"
#include "work/table.h"
#include <stdio.h>
#include <string.h>

/* Reads the next name, as its canonical one, and moves on; *more is 0 where the list has ended. */
static gig_status next_listed(char canonical[GIG_METHOD_NAME_BYTES], int *more, const char **list)
{
    char text[GIG_METHOD_NAME_BYTES];
    gig_method method;
    size_t length = strcspn(*list, ",");
    *more = **list != 0;
    if (!*more) return GIG_OK;
    snprintf(text, sizeof text, "%.*s", (int)length, *list);
    *list += length + ((*list)[length] == ',');
    GIG_TRY(gig_method_parse(&method, text, NULL));
    gig_method_name(canonical, GIG_METHOD_NAME_BYTES, &method);
    return GIG_OK;
}

gig_status gig_listed_check(const char *list)
{
    char canonical[GIG_METHOD_NAME_BYTES];
    int more = 1;
    while (more) GIG_TRY(next_listed(canonical, &more, &list));
    return GIG_OK;
}

size_t gig_listed_place(const char *list, const char *method)
{
    char canonical[GIG_METHOD_NAME_BYTES];
    int more = 1;
    for (size_t at = 1; next_listed(canonical, &more, &list) == GIG_OK && more; at++)
        if (!strcmp(canonical, method)) return at;
    return 0;
}

void gig_listed_add_missing(gig_text *out, const gig_table *table)
{
    char canonical[GIG_METHOD_NAME_BYTES];
    const char *list = table->options.methods;
    int more = list != NULL, found = 0;
    while (more && next_listed(canonical, &more, &list) == GIG_OK && more) {
        size_t row = 0;
        while (row < table->row_count && strcmp(table->rows[row].method, canonical)) row++;
        if (row == table->row_count)
            gig_text_add(out, "%s %s", found++ ? "," : " Asked for, but not scored:", canonical);
    }
    if (found) gig_text_add(out, ".");
}
