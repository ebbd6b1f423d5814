/* SPDX-License-Identifier: Apache-2.0 */
/* The list of methods, and checks of rows added by a program. */
#include "saliency/rows.h"
#include "base/status.h"
#include "internal/saliency.h"
#include "saliency/method.h"
#include <string.h>

#define LIST_ROW(name) &gig_row_##name,
static const gig_method_row *const rows[] = {GIG_METHOD_ROWS(LIST_ROW)};
enum { ROWS = sizeof rows / sizeof *rows };

const gig_method_row *gig_method_row_at(size_t i)
{
    return i < ROWS ? rows[i] : NULL;
}

const gig_method_row *gig_method_row_find(const char *name)
{
    for (size_t i = 0; i < ROWS; i++)
        if (!strcmp(rows[i]->name, name)) return rows[i];
    return NULL;
}

static int is_name(const char *name)
{
    size_t length = name ? strlen(name) : 0;
    return length > 0 && length < 64 && *name >= 'a' && *name <= 'z' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

static gig_status check_options(const gig_method_row *row)
{
    gig_any_option shared;
    if (row->option_count > GIG_OWN_OPTIONS)
        return gig_fail(GIG_EARG, "%zu options: expected at most %d", row->option_count, GIG_OWN_OPTIONS);
    for (size_t i = 0; i < row->option_count; i++) {
        const gig_method_option *option = &row->options[i];
        if (!is_name(option->name)) return gig_fail(GIG_EARG, "option %zu has no valid name", i);
        if (gig_option_find(&shared, NULL, option->name) && shared.shared)
            return gig_fail(GIG_EARG, "option %s already exists in the library", option->name);
        if (option->kind == GIG_OPTION_CHOICE && !option->choices)
            return gig_fail(GIG_EARG, "option %s has no choices", option->name);
        if (option->kind > GIG_OPTION_SIZE) return gig_fail(GIG_EARG, "option %s: unknown kind", option->name);
    }
    return GIG_OK;
}

static gig_status check_shape(const gig_method_row *row)
{
    const unsigned inside = GIG_METHOD_NO_MODEL | GIG_METHOD_LAYER | GIG_METHOD_GUIDED_RELU | GIG_METHOD_PER_PIXEL;
    if (row->map || row->traits & inside || row->traits >= GIG_METHOD_SMOOTH)
        return gig_fail(GIG_EARG, "maps without walks cannot be added, only guides, curves and lines");
    if (row->guide && row->curve) return gig_fail(GIG_EARG, "expected a guide or a curve, found both");
    int open = row->rule == GIG_RULE_GRADIENT;
    if (open ? row->traits & GIG_METHOD_PATH || row->guide || row->curve : !(row->traits & GIG_METHOD_PATH))
        return gig_fail(GIG_EARG, "expected GIG_METHOD_PATH, or rule gradient without guide and curve");
    if (row->traits & GIG_METHOD_ANCHORS && !row->guide) return gig_fail(GIG_EARG, "anchors need a guide");
    if (!open && !row->curve && !(row->traits & GIG_METHOD_BASELINE))
        return gig_fail(GIG_EARG, "expected GIG_METHOD_BASELINE: the path needs a start");
    return GIG_OK;
}

gig_status gig_method_row_check(const gig_method_row *row, const gig_added_rows *added)
{
    if (!is_name(row->name))
        return gig_fail(GIG_EARG,
                        "invalid method name: expected lower case letters, digits and '-', starting with a letter");
    int known = gig_method_row_find(row->name) != NULL;
    for (size_t i = 0; i < added->count; i++) known = known || !strcmp(added->rows[i]->name, row->name);
    if (known) return gig_fail(GIG_EARG, "a method \"%s\" already exists", row->name);
    gig_status status = check_shape(row);
    if (status == GIG_OK) status = check_options(row);
    return status == GIG_OK ? GIG_OK : gig_fail_in(status, "method \"%s\"", row->name);
}
