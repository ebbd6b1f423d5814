/* SPDX-License-Identifier: Apache-2.0 */
/* Names of metrics: one table of bases, one of options. */
#include "gig/metric.h"
#include "base/status.h"
#include "gig/number.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct base {
    const char *name;
    unsigned needs;
    const char *options; /* names, each followed by a blank */
} base;

/* In the order of gig_metric_kind. */
static const base bases[GIG_METRIC_KINDS] = {
    {"auc", GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_TRUTH, "reduction "},
    {"pointing", GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_TRUTH, "reduction "},
    {"gini", GIG_METRIC_NEEDS_MAP, "reduction "},
    {"sic", GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_FUNCTION,
     "draws fraction least reduction "},
    {"aic", GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_ARGMAX,
     "draws fraction least reduction "},
    {"insertion", GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_FUNCTION,
     "reduction sigma steps "},
    {"deletion", GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_FUNCTION, "reduction steps "},
    {"infidelity", GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_FUNCTION, "noise samples "},
    {"sensitivity", GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_EXPLAINER, "radius samples "},
    {"completeness", 0, ""},
    {"closed", GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_FUNCTION | GIG_METRIC_NEEDS_PATH, "corners paths "},
    {"mass", GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_TRUTH, "reduction "},
    {"rank", GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_TRUTH, "reduction "},
    {"diffid", GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_FUNCTION, ""},
    {"road", GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_FUNCTION, "reduction "},
    {"mufidelity", GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_FUNCTION, "subsets "},
    {"stability", GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_EXPLAINER, "draws of "},
    {"other-class", GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_EXPLAINER, "by reduction "},
};

typedef enum value_kind { REAL, COUNT, REDUCTION, CORNERS, CORRELATION, SIMILARITY } value_kind;

typedef struct option {
    const char *name;
    value_kind kind;
    size_t offset;      /* in gig_metric */
    double usual, most; /* default; largest value (numbers must be above 0) */
} option;

/* By name: the order in which they are printed. */
static const option options[] = {
    {"by", SIMILARITY, offsetof(gig_metric, by_rank), 0, 1},
    {"corners", CORNERS, offsetof(gig_metric, pictures), 0, 1},
    {"draws", COUNT, offsetof(gig_metric, draws), 1, 10000},
    {"fraction", REAL, offsetof(gig_metric, fraction), 0.01, 0.999},
    {"least", REAL, offsetof(gig_metric, least), 0.8, 1},
    {"noise", REAL, offsetof(gig_metric, noise), 0.003, 1000},
    {"of", CORRELATION, offsetof(gig_metric, of), 0, 2},
    {"paths", COUNT, offsetof(gig_metric, paths), 10, 1000000},
    {"radius", REAL, offsetof(gig_metric, radius), 0.02, 1000},
    {"reduction", REDUCTION, offsetof(gig_metric, reduction), 0, 3},
    {"samples", COUNT, offsetof(gig_metric, samples), 10, 1000000},
    {"sigma", REAL, offsetof(gig_metric, sigma), 10, 10000},
    {"steps", COUNT, offsetof(gig_metric, steps), 100, 100000},
    {"subsets", COUNT, offsetof(gig_metric, subsets), 200, 1000000},
};
enum { OPTIONS = sizeof options / sizeof *options };

static const char *const words[] = {
    [CORNERS] = "random|pictures", [CORRELATION] = "signed|magnitude|rank", [SIMILARITY] = "ssim|rank"};

static int concerns(const base *metric, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = metric->options; *at; at = strchr(at, ' ') + 1)
        if (!strncmp(at, name, length) && at[length] == ' ') return 1;
    return 0;
}

static double get(const gig_metric *metric, const option *which)
{
    const char *at = (const char *)metric + which->offset;
    switch (which->kind) {
    case REAL: return *(const double *)(const void *)at;
    case COUNT: return (double)*(const size_t *)(const void *)at;
    case REDUCTION: return (double)*(const gig_reduction *)(const void *)at;
    case CORRELATION: return (double)*(const gig_correlation *)(const void *)at;
    case SIMILARITY:
    case CORNERS: return (double)*(const int *)(const void *)at;
    }
    return 0;
}

static void put(gig_metric *metric, const option *which, double value)
{
    char *at = (char *)metric + which->offset;
    switch (which->kind) {
    case REAL: *(double *)(void *)at = value; break;
    case COUNT: *(size_t *)(void *)at = (size_t)value; break;
    case REDUCTION: *(gig_reduction *)(void *)at = (gig_reduction)value; break;
    case CORRELATION: *(gig_correlation *)(void *)at = (gig_correlation)value; break;
    case SIMILARITY:
    case CORNERS: *(int *)(void *)at = (int)value; break;
    }
}

gig_status gig_metric_check(const gig_metric *metric)
{
    if ((unsigned)metric->kind >= GIG_METRIC_KINDS) return gig_fail(GIG_EARG, "unknown metric %d", (int)metric->kind);
    const base *of = &bases[metric->kind];
    for (size_t i = 0; i < OPTIONS; i++) {
        double value = get(metric, &options[i]);
        int named = options[i].kind >= REDUCTION; /* 0 is one of the names */
        if (concerns(of, options[i].name) && !((named ? value >= 0 : value > 0) && value <= options[i].most))
            return gig_fail(GIG_EARG, "%s: %s is %g, not %s and at most %g", of->name, options[i].name, value,
                            named ? "0 or more" : "above 0", options[i].most);
    }
    return GIG_OK;
}

static gig_status read_value(double *out, const option *which, const char *text)
{
    int64_t whole;
    int choice;
    gig_reduction reduction;
    switch (which->kind) {
    case REAL:
        GIG_TRY(gig_parse_double(out, text));
        if (!(*out > 0 && *out <= which->most))
            return gig_fail(GIG_EARG, "%s must be above 0 and at most %g", text, which->most);
        return GIG_OK;
    case COUNT:
        GIG_TRY(gig_parse_int(&whole, text, 1, (int64_t)which->most));
        *out = (double)whole;
        return GIG_OK;
    case REDUCTION:
        GIG_TRY(gig_reduction_parse(&reduction, text));
        *out = (double)reduction;
        return GIG_OK;
    case CORNERS:
    case CORRELATION:
    case SIMILARITY:
        GIG_TRY(gig_parse_choice(&choice, text, words[which->kind]));
        *out = (double)choice;
        return GIG_OK;
    }
    return GIG_OK;
}

/* "name=value" in `text`, which is changed. */
static gig_status read_option(gig_metric *out, char *text, unsigned *seen)
{
    const base *metric = &bases[out->kind];
    char *equals = strchr(text, '=');
    if (!equals) return gig_fail(GIG_EARG, "option \"%s\" has no value", text);
    *equals = '\0';
    for (size_t i = 0; i < OPTIONS; i++)
        if (!strcmp(options[i].name, text)) {
            double value;
            if (!concerns(metric, text)) break;
            if (*seen >> i & 1) return gig_fail(GIG_EARG, "option \"%s\" is given twice", text);
            *seen |= 1u << i;
            gig_status status = read_value(&value, &options[i], equals + 1);
            if (status != GIG_OK) return gig_fail_in(status, "option \"%s\"", text);
            put(out, &options[i], value);
            return GIG_OK;
        }
    return gig_fail(GIG_EARG, "%s has no option \"%s\"", metric->name, text);
}

static gig_status find_base(gig_metric_kind *out, const char *name)
{
    for (int i = 0; i < GIG_METRIC_KINDS; i++)
        if (!strcmp(bases[i].name, name)) {
            *out = (gig_metric_kind)i;
            return GIG_OK;
        }
    return gig_fail(GIG_EARG,
                    "unknown metric \"%s\" (auc, pointing, gini, sic, aic, insertion, deletion, infidelity, "
                    "sensitivity, completeness, closed, mass, rank, diffid, road, mufidelity, stability, other-class)",
                    name);
}

gig_status gig_metric_parse(gig_metric *out, const char *text)
{
    char copy[GIG_METRIC_NAME_BYTES];
    unsigned seen = 0;
    *out = (gig_metric){0};
    for (size_t i = 0; i < OPTIONS; i++) put(out, &options[i], options[i].usual);
    if (strlen(text) >= sizeof copy) return gig_fail(GIG_EARG, "a metric's name of %zu bytes", strlen(text));
    memcpy(copy, text, strlen(text) + 1);
    char *rest = copy, *part = strsep(&rest, "/");
    GIG_TRY(find_base(&out->kind, part));
    while ((part = strsep(&rest, "/"))) {
        gig_status status = read_option(out, part, &seen);
        if (status != GIG_OK) return gig_fail_in(status, "metric \"%s\"", text);
    }
    return GIG_OK;
}

static void write_value(char *text, size_t bytes, const option *which, double value)
{
    switch (which->kind) {
    case REAL:
    case COUNT: gig_format_shortest(text, bytes, value); break;
    case REDUCTION: snprintf(text, bytes, "%s", gig_reduction_name((gig_reduction)value)); break;
    case CORNERS:
    case CORRELATION:
    case SIMILARITY: {
        const char *at = words[which->kind];
        for (int skipped = 0; skipped < (int)value && strchr(at, '|'); skipped++) at = strchr(at, '|') + 1;
        snprintf(text, bytes, "%.*s", (int)strcspn(at, "|"), at);
        break;
    }
    }
}

const char *gig_metric_name(char *text, size_t bytes, const gig_metric *metric)
{
    int known = (unsigned)metric->kind < GIG_METRIC_KINDS;
    int used = snprintf(text, bytes, "%s", known ? bases[metric->kind].name : "unknown");
    for (size_t i = 0; i < OPTIONS && known && used >= 0 && (size_t)used < bytes; i++) {
        char value[64];
        if (!concerns(&bases[metric->kind], options[i].name) || get(metric, &options[i]) == options[i].usual) continue;
        write_value(value, sizeof value, &options[i], get(metric, &options[i]));
        used += snprintf(text + used, bytes - (size_t)used, "/%s=%s", options[i].name, value);
    }
    return text;
}

const char *gig_metric_reduction(const gig_metric *metric)
{
    int known = (unsigned)metric->kind < GIG_METRIC_KINDS;
    return known && concerns(&bases[metric->kind], "reduction") ? gig_reduction_name(metric->reduction) : "";
}

unsigned gig_metric_needs(const gig_metric *metric)
{
    return (unsigned)metric->kind < GIG_METRIC_KINDS ? bases[metric->kind].needs : 0;
}
