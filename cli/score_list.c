/* SPDX-License-Identifier: Apache-2.0 */
#include "score_list.h"
#include "frame/errors.h"
#include "internal/metric.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void count_value(score_list *self, size_t which, double value)
{
    if (!isfinite(value)) return;
    self->totals[which] += value;
    self->defined[which]++;
}

static void print_class(const score_list_row *row)
{
    char label[200];
    if (!row->has_class || row->one_number) return;
    printf(", class %zu", row->target);
    if (row->label) printf(" (%s)", output_name(label, sizeof label, row->label));
}

static json_t *row_json(const score_list_row *row, json_t *scores, json_t *notes, json_t *spreads)
{
    json_t *entry = json_pack("{s:o, s:o, s:o, s:o, s:o}", "input", json_name(row->input), "scores", scores, "notes",
                              notes, "spreads", spreads, "sum", json_number(row->sum));
    if (!row->has_class) return entry;
    json_object_set_new(entry, "class", row->one_number ? json_null() : json_integer((json_int_t)row->target));
    json_object_set_new(entry, "label", row->label ? json_name(row->label) : json_null());
    return entry;
}

void score_list_add(score_list *self, const score_list_row *row)
{
    char text[PATH_MAX + 32], number[32], name[GIG_METRIC_NAME_BYTES];
    const gig_metric_result *found = row->found;
    json_t *scores = json_object(), *notes = json_object(), *spreads = json_object();
    if (!self->json) printf("%s:", output_name(text, sizeof text, row->input));
    for (size_t m = 0; m < self->count; m++) {
        gig_metric_name(name, sizeof name, &self->metrics[m]);
        count_value(self, m, found[m].value);
        json_object_set_new(scores, name, json_number(found[m].value));
        if (found[m].note[0]) json_object_set_new(notes, name, json_name(found[m].note));
        if (isfinite(found[m].spread)) json_object_set_new(spreads, name, json_number(found[m].spread));
        if (self->json) continue;
        printf(" %s %s", name, isfinite(found[m].value) ? output_score(number, found[m].value) : "undefined");
        if (found[m].note[0]) printf(" (%s)", found[m].note);
        putchar(',');
    }
    count_value(self, self->count, row->sum);
    self->maps++;
    if (!self->json) {
        printf(" sum %s", output_score(number, row->sum));
        print_class(row);
        puts("");
    }
    if (!self->rows) self->rows = json_array();
    json_array_append_new(self->rows, row_json(row, scores, notes, spreads));
}

static json_t *print_means(const score_list *self)
{
    json_t *means = json_object();
    char number[32], name[GIG_METRIC_NAME_BYTES];
    int shown = !self->json && self->maps > 1;
    if (shown) printf("mean of %zu:", self->maps);
    for (size_t m = 0; m <= self->count; m++) {
        double mean = self->defined[m] ? self->totals[m] / (double)self->defined[m] : (double)NAN;
        if (m < self->count)
            gig_metric_name(name, sizeof name, &self->metrics[m]);
        else
            snprintf(name, sizeof name, "sum");
        json_object_set_new(means, name, json_number(mean));
        if (!shown) continue;
        printf(" %s ", name);
        if (self->defined[m])
            printf("%s", output_score(number, mean));
        else
            printf("undefined");
        if (self->defined[m] && self->defined[m] < self->maps) printf(" (over %zu)", self->defined[m]);
        putchar(m < self->count ? ',' : '\n');
    }
    return means;
}

/* How channels became one value: NULL if no metric asks for that, or where they differ (*differ). */
static const char *reduction_of(const score_list *self, int *differ)
{
    const char *first = NULL;
    *differ = 0;
    for (size_t m = 0; m < self->count; m++) {
        const char *name = gig_metric_reduction(&self->metrics[m]);
        if (!*name) continue;
        if (!first) first = name;
        *differ |= strcmp(name, first) != 0;
    }
    return *differ ? NULL : first;
}

int score_list_end(score_list *self, const options *given, const char *of)
{
    json_t *means = print_means(self), *rows = self->rows;
    int differ;
    const char *reduce = reduction_of(self, &differ);
    self->rows = NULL;
    if (self->json)
        return json_print(json_pack("{s:o, s:o, s:o, s:o, s:o}", "map", json_name(given->score.map), "of",
                                    of ? json_string(of) : json_null(), "reduction",
                                    reduce ? json_string(reduce) : json_null(), "results", rows, "mean", means));
    if (of) printf("# scalar of the class: %s\n", of);
    if (reduce) printf("# channels to one value per pixel: %s\n", reduce);
    if (differ) puts("# channels to one value per pixel: as each name says, else abs-sum");
    json_decref(means);
    json_decref(rows);
    return EXIT_OK;
}

void score_list_clear(score_list *self)
{
    json_decref(self->rows);
}
