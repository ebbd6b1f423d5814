/* SPDX-License-Identifier: Apache-2.0 */
/* Names of metrics: base[/option=value...], read and printed by the rows. */
#include "internal/metric.h"
#include "internal/guess.h"
#include "saliency/method.h"
#include "score/measure.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LIST_METRIC(name) &gig_metric_row_##name,
static const gig_metric_row *const rows[] = {GIG_METRIC_ROWS(LIST_METRIC)};
enum { ROWS = sizeof rows / sizeof *rows };

const gig_metric_row *gig_metric_row_at(size_t i)
{
    return i < ROWS ? rows[i] : NULL;
}

static size_t find_option(const gig_metric_row *row, const char *name)
{
    size_t i = 0;
    while (row && i < row->option_count && strcmp(row->options[i].name, name)) i++;
    return i;
}

double gig_metric_number(const gig_metric *metric, const char *name)
{
    size_t i = find_option(metric->row, name);
    return metric->row && i < metric->row->option_count ? metric->values[i] : (double)NAN;
}

gig_status gig_metric_set(gig_metric *metric, const char *name, const char *text)
{
    size_t i = find_option(metric->row, name);
    double value[2];
    if (i == metric->row->option_count) return gig_fail(GIG_EARG, "%s has no option \"%s\"", metric->row->name, name);
    gig_status status = gig_kind_read(value, &metric->row->options[i], text);
    if (status != GIG_OK) return gig_fail_in(status, "option \"%s\"", name);
    metric->values[i] = value[0];
    return GIG_OK;
}

gig_status gig_metric_check(const gig_metric *metric)
{
    const gig_metric_row *row = metric->row;
    if (!row || row->option_count > GIG_METRIC_OPTIONS) return gig_fail(GIG_EARG, "the metric has no row");
    for (size_t i = 0; i < row->option_count; i++) {
        const gig_method_option *option = &row->options[i];
        double value = metric->values[i], most = option->most;
        if (option->kind == GIG_OPTION_CHOICE) {
            most = 0;
            for (const char *at = option->choices; *at; at++) most += *at == '|';
        }
        if (!((option->above ? value > option->least : value >= option->least) && value <= most))
            return gig_fail(GIG_EARG, "%s: %s is %g: expected a number %s %g %s %g", row->name, option->name, value,
                            option->above ? "above" : "from", option->least, option->above ? "and at most" : "to",
                            most);
    }
    return GIG_OK;
}

/* "name=value" in `text`, which is changed. */
static gig_status read_option(gig_metric *out, char *text, unsigned *seen)
{
    char *equals = strchr(text, '=');
    if (!equals) return gig_fail(GIG_EARG, "option \"%s\" has no value", text);
    *equals = '\0';
    size_t i = find_option(out->row, text);
    if (i < out->row->option_count && *seen >> i & 1) return gig_fail(GIG_EARG, "option \"%s\" is given twice", text);
    if (i < out->row->option_count) *seen |= 1u << i;
    return gig_metric_set(out, text, equals + 1);
}

static gig_status find_row(const gig_metric_row **out, const char *name)
{
    char list[500] = "", hint[GIG_HINT_BYTES];
    size_t used = 0;
    gig_guess like = gig_guess_begin(name, strlen(name));
    for (size_t i = 0; i < ROWS; i++) {
        *out = rows[i];
        if (!strcmp(rows[i]->name, name)) return GIG_OK;
    }
    for (size_t i = 0; i < ROWS; i++) {
        gig_guess_try(&like, rows[i]->name);
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", rows[i]->name);
    }
    if (like.name) return gig_fail(GIG_EARG, "unknown metric \"%.80s\"%s", name, gig_guess_hint(hint, &like));
    return gig_fail(GIG_EARG, "unknown metric \"%s\"; metrics: %s", name, list);
}

gig_status gig_metric_parse(gig_metric *out, const char *text)
{
    char copy[GIG_METRIC_NAME_BYTES];
    unsigned seen = 0;
    *out = (gig_metric){0};
    if (strlen(text) >= sizeof copy) return gig_fail(GIG_EARG, "metric name too long: %zu bytes", strlen(text));
    memcpy(copy, text, strlen(text) + 1);
    char *rest = copy, *part = strsep(&rest, "/");
    GIG_TRY(find_row(&out->row, part));
    for (size_t i = 0; i < out->row->option_count; i++) out->values[i] = out->row->options[i].usual;
    while ((part = strsep(&rest, "/"))) {
        gig_status status = read_option(out, part, &seen);
        if (status != GIG_OK) return gig_fail_in(status, "metric \"%s\"", text);
    }
    return GIG_OK;
}

const char *gig_metric_name(char *text, size_t bytes, const gig_metric *metric)
{
    const gig_metric_row *row = metric->row;
    int used = snprintf(text, bytes, "%s", row ? row->name : "unknown");
    for (size_t i = 0; row && i < row->option_count && used >= 0 && (size_t)used < bytes; i++) {
        char value[GIG_OPTION_BYTES];
        const gig_method_option *option = &row->options[i];
        if (metric->values[i] == option->usual) continue;
        gig_kind_print(value, option, (const double[]){metric->values[i], metric->values[i]});
        used += snprintf(text + used, bytes - (size_t)used, "/%s=%s", option->name, value);
    }
    return text;
}

const char *gig_metric_reduction(const gig_metric *metric)
{
    double reduction = gig_metric_number(metric, "reduction");
    return isnan(reduction) ? "" : gig_reduction_name((gig_reduction)reduction);
}

unsigned gig_metric_needs(const gig_metric *metric)
{
    return metric->row ? metric->row->needs : 0;
}
