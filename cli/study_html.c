/* SPDX-License-Identifier: Apache-2.0 */
#include "study_html.h"
#include "frame/errors.h"
#include "internal/view.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int study_page_is_meant(const char *path)
{
    const char *dot = path ? strrchr(path, '.') : NULL;
    return dot && strcasecmp(dot, ".html") == 0;
}

/* Entries are columns of a table: those that none of them fills are left out. */
static size_t list_columns(const char **names, size_t most, const json_t *entries)
{
    size_t count = 0;
    const char *key;
    json_t *value;
    json_t *first = json_array_get(entries, 0);
    json_object_foreach(first, key, value)
    {
        int filled = 0;
        for (size_t i = 0; i < json_array_size(entries) && !filled; i++) {
            const json_t *own = json_object_get(json_array_get(entries, i), key);
            filled = json_is_number(own) || (json_string_length(own) > 0);
        }
        if (filled && count < most) names[count++] = key;
    }
    return count;
}

static gig_status add_table(gig_sheet *sheet, const json_t *root)
{
    enum { MOST = 32 };
    const json_t *entries = json_object_get(root, "entries");
    const char *names[MOST];
    size_t rows = json_array_size(entries), columns = list_columns(names, MOST, entries);
    const char **cells = calloc(rows * columns + 1, sizeof *cells);
    double *numbers = calloc(rows * columns + 1, sizeof *numbers);
    gig_status status = cells && numbers ? GIG_OK : GIG_ENOMEM;
    for (size_t i = 0; i < rows * columns && status == GIG_OK; i++) {
        const json_t *value = json_object_get(json_array_get(entries, i / columns), names[i % columns]);
        cells[i] = json_string_value(value);
        numbers[i] = json_is_number(value) ? json_number_value(value) : (double)NAN;
    }
    gig_caption caption = {.title = "Scores", .note = json_string_value(json_object_get(root, "meaning"))};
    if (status == GIG_OK && columns)
        status = gig_sheet_add_table(sheet, &caption, rows, columns, names, cells, numbers);
    free(cells);
    free(numbers);
    return status;
}

int study_page_write(const char *path, const char *json, const char *title, int force)
{
    json_t *root = json_loads(json, 0, NULL);
    gig_sheet *sheet = NULL;
    gig_status status = gig_sheet_create(&sheet, &(gig_sheet_options){.title = title});
    if (!root) status = GIG_ENOMEM;
    if (status == GIG_OK) status = add_table(sheet, root);
    if (status == GIG_OK) status = gig_sheet_write(sheet, path, force);
    gig_sheet_free(sheet);
    json_decref(root);
    return report(status);
}
