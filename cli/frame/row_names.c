/* SPDX-License-Identifier: Apache-2.0 */
#include "frame/row_names.h"
#include "gig/metric.h"
#include "internal/saliency.h"
#include <stdio.h>
#include <string.h>

static const char *method_name(size_t i)
{
    const gig_method_row *row = gig_method_row_at(i);
    return row ? row->name : NULL;
}

static const char *metric_name(size_t i)
{
    const gig_metric_row *row = gig_metric_row_at(i);
    return row ? row->name : NULL;
}

static const char *chosen_method(size_t i)
{
    return i ? NULL : gig_method_auto(1);
}

static const char *compared_methods(size_t i)
{
    return i ? NULL : gig_methods_to_compare();
}

static const struct {
    const char *mark;
    const char *(*name)(size_t i);
} lists[] = {{"{methods}", method_name},
             {"{metrics}", metric_name},
             {"{auto}", chosen_method},
             {"{compared}", compared_methods}};

static size_t append(char *text, size_t bytes, size_t used, const char *what, size_t count)
{
    for (size_t i = 0; i < count && used + 1 < bytes; i++) text[used++] = what[i];
    text[used] = 0;
    return used;
}

const char *with_row_names(char *text, size_t bytes, const char *from, const char *separator)
{
    size_t used = append(text, bytes, 0, "", 0);
    while (*from) {
        size_t found = 0, length = strcspn(from, "{");
        used = append(text, bytes, used, from, length);
        from += length;
        for (size_t l = 0; *from && !found && l < sizeof lists / sizeof *lists; l++) {
            if (strncmp(from, lists[l].mark, strlen(lists[l].mark)) != 0) continue;
            found = strlen(lists[l].mark);
            const char *name;
            for (size_t i = 0; (name = lists[l].name(i)); i++) {
                if (i) used = append(text, bytes, used, separator, strlen(separator));
                used = append(text, bytes, used, name, strlen(name));
            }
        }
        if (*from && !found) used = append(text, bytes, used, from, found = 1);
        from += found;
    }
    return text;
}
