/* SPDX-License-Identifier: Apache-2.0 */
/* The options of methods: one table says how each is read, printed, and whom it concerns. */
#include "base/status.h"
#include "gig/number.h"
#include "path/rules.h"
#include "saliency/method.h"
#include <stdio.h>
#include <string.h>

enum { VALUE_BYTES = GIG_OPTION_BYTES };

/* ---- kinds of values ---- */

static gig_status read_count(size_t *out, const char *text, size_t least, size_t most)
{
    int64_t value;
    GIG_TRY(gig_parse_int(&value, text, (int64_t)least, (int64_t)most));
    *out = (size_t)value;
    return GIG_OK;
}

static gig_status read_range(double *out, const char *text, double least, int open, double most)
{
    double value;
    GIG_TRY(gig_parse_double(&value, text));
    if (!(open ? value > least : value >= least) || value > most)
        return gig_fail(GIG_EARG, "\"%s\" is not %s %g and at most %g", text, open ? "more than" : "at least", least,
                        most);
    *out = value + 0.0; /* -0 prints as 0 */
    return GIG_OK;
}

/* "15" or "2x3": rows, columns. */
static gig_status read_extent(size_t out[2], const char *text)
{
    char rows[VALUE_BYTES];
    size_t span = strcspn(text, "x"), both[2];
    if (span >= sizeof rows) return gig_fail(GIG_EARG, "\"%s\" is not a size such as 15 or 2x3", text);
    memcpy(rows, text, span);
    rows[span] = 0;
    GIG_TRY(read_count(&both[0], rows, 1, GIG_MOST_COPIES));
    both[1] = both[0];
    if (text[span]) GIG_TRY(read_count(&both[1], text + span + 1, 1, GIG_MOST_COPIES));
    out[0] = both[0];
    out[1] = both[1];
    return GIG_OK;
}

static void print_text(char *text, const char *value)
{
    snprintf(text, VALUE_BYTES, "%s", value);
}

static void print_count(char *text, size_t value)
{
    snprintf(text, VALUE_BYTES, "%zu", value);
}

static void print_extent(char *text, const size_t extent[2])
{
    if (extent[0] == extent[1])
        print_count(text, extent[0]);
    else
        snprintf(text, VALUE_BYTES, "%zux%zu", extent[0], extent[1]);
}

/* ---- options ---- */

#define COUNT_OPTION(field, least, most)                                                                               \
    static gig_status read_##field(gig_method *method, const char *text)                                               \
    {                                                                                                                  \
        return read_count(&method->field, text, least, most);                                                          \
    }                                                                                                                  \
    static void print_##field(char text[VALUE_BYTES], const gig_method *method)                                        \
    {                                                                                                                  \
        print_count(text, method->field);                                                                              \
    }
#define NUMBER_OPTION(field, least, open, most)                                                                        \
    static gig_status read_##field(gig_method *method, const char *text)                                               \
    {                                                                                                                  \
        return read_range(&method->field, text, least, open, most);                                                    \
    }                                                                                                                  \
    static void print_##field(char text[VALUE_BYTES], const gig_method *method)                                        \
    {                                                                                                                  \
        gig_format_shortest(text, VALUE_BYTES, method->field);                                                         \
    }
#define SWITCH_OPTION(field, off, on)                                                                                  \
    static gig_status read_##field(gig_method *method, const char *text)                                               \
    {                                                                                                                  \
        return gig_parse_choice(&method->field, text, off "|" on);                                                     \
    }                                                                                                                  \
    static void print_##field(char text[VALUE_BYTES], const gig_method *method)                                        \
    {                                                                                                                  \
        print_text(text, method->field ? on : off);                                                                    \
    }
#define EXTENT_OPTION(field)                                                                                           \
    static gig_status read_##field(gig_method *method, const char *text)                                               \
    {                                                                                                                  \
        return read_extent(method->field, text);                                                                       \
    }                                                                                                                  \
    static void print_##field(char text[VALUE_BYTES], const gig_method *method)                                        \
    {                                                                                                                  \
        print_extent(text, method->field);                                                                             \
    }

COUNT_OPTION(steps, 1, GIG_MOST_STEPS)
COUNT_OPTION(steps_per_segment, 1, GIG_MOST_STEPS)
COUNT_OPTION(samples, 1, GIG_MOST_COPIES)
COUNT_OPTION(repeat, 1, GIG_MOST_COPIES)
COUNT_OPTION(max_evaluations, 1, SIZE_MAX / 4)
COUNT_OPTION(min_pixels, 1, GIG_MOST_COPIES)
NUMBER_OPTION(noise, 0, 0, 1e6)
NUMBER_OPTION(fraction, 0, 1, 1)
NUMBER_OPTION(tolerance, 0, 0, 1e6)
NUMBER_OPTION(sigma, 0, 1, 1e5)
NUMBER_OPTION(value, -1e30, 0, 1e30)
SWITCH_OPTION(xrai_fast, "full", "fast")
SWITCH_OPTION(of_remaining, "all", "remaining")
SWITCH_OPTION(close, "no", "yes")
SWITCH_OPTION(overlap_sum, "average", "sum")
EXTENT_OPTION(window)
EXTENT_OPTION(stride)

static const char *const smooth_kinds[] = {"mean", "squares", "variance"};

static gig_status read_smooth(gig_method *method, const char *text)
{
    int kind;
    GIG_TRY(gig_parse_choice(&kind, text, "mean|squares|variance"));
    method->smooth_kind = (gig_smooth)kind;
    return GIG_OK;
}

static void print_smooth(char text[VALUE_BYTES], const gig_method *method)
{
    size_t kind = (size_t)method->smooth_kind;
    print_text(text, kind <= GIG_SMOOTH_VARIANCE ? smooth_kinds[kind] : "?");
}

static gig_status read_max_dist(gig_method *method, const char *text)
{
    GIG_TRY(read_range(&method->max_dist, text, 0, 0, 1));
    method->bounded = 1;
    return GIG_OK;
}

static void print_max_dist(char text[VALUE_BYTES], const gig_method *method)
{
    if (method->bounded)
        gig_format_shortest(text, VALUE_BYTES, method->max_dist);
    else
        print_text(text, "");
}

static gig_status read_rule(gig_method *method, const char *text)
{
    gig_rule rule;
    GIG_TRY(gig_rule_find(&rule, text));
    if (rule == GIG_RULE_GRADIENT) return gig_fail(GIG_EARG, "\"%s\" is the base \"gradients\", not a rule", text);
    method->rule = rule;
    return GIG_OK;
}

static void print_rule(char text[VALUE_BYTES], const gig_method *method)
{
    print_text(text, gig_rule_name(gig_method_rule(method)));
}

static const char *const baseline_kinds[] = {"black", "white", "black+white", "random:", "blur:", "mean", "given"};

static gig_status read_baseline(gig_method *method, const char *text)
{
    for (int kind = 0; kind <= GIG_BASELINE_GIVEN; kind++) {
        int takes_number = kind == GIG_BASELINE_RANDOM || kind == GIG_BASELINE_BLUR;
        size_t length = strlen(baseline_kinds[kind]);
        if (takes_number ? strncmp(text, baseline_kinds[kind], length) != 0 : strcmp(text, baseline_kinds[kind]) != 0)
            continue;
        if (kind == GIG_BASELINE_RANDOM)
            GIG_TRY(read_count(&method->baseline_count, text + length, 1, GIG_MOST_COPIES));
        if (kind == GIG_BASELINE_BLUR) GIG_TRY(read_range(&method->baseline_sigma, text + length, 0, 1, 1e5));
        method->baseline = (gig_baseline_kind)kind;
        return GIG_OK;
    }
    return gig_fail(GIG_EARG, "\"%s\" is none of black|white|black+white|random:N|blur:SIGMA|mean", text);
}

static void print_baseline(char text[VALUE_BYTES], const gig_method *method)
{
    size_t kind = (size_t)method->baseline;
    print_text(text, kind <= GIG_BASELINE_GIVEN ? baseline_kinds[kind] : "?");
    size_t length = strlen(text);
    if (method->baseline == GIG_BASELINE_RANDOM)
        snprintf(text + length, VALUE_BYTES - length, "%zu", method->baseline_count);
    if (method->baseline == GIG_BASELINE_BLUR) {
        char number[VALUE_BYTES];
        gig_format_shortest(number, VALUE_BYTES, method->baseline_sigma);
        snprintf(text + length, VALUE_BYTES - length, "%s", number);
    }
}

/* In the order of the alphabet: the order in which names are printed. */
const gig_method_option gig_method_options[GIG_METHOD_OPTIONS] = {
    {"baseline", GIG_CONCERN_BASELINE, read_baseline, print_baseline},
    {"close", GIG_CONCERN_PATH, read_close, print_close},
    {"fraction", GIG_CONCERN_GUIDED, read_fraction, print_fraction},
    {"fraction-of", GIG_CONCERN_GUIDED, read_of_remaining, print_of_remaining},
    {"max-dist", GIG_CONCERN_GUIDED, read_max_dist, print_max_dist},
    {"max-evaluations", GIG_CONCERN_PATH, read_max_evaluations, print_max_evaluations},
    {"min-pixels", GIG_CONCERN_XRAI, read_min_pixels, print_min_pixels},
    {"noise", GIG_CONCERN_SMOOTH, read_noise, print_noise},
    {"overlap", GIG_CONCERN_OCCLUSION, read_overlap_sum, print_overlap_sum},
    {"repeat", GIG_CONCERN_PATH, read_repeat, print_repeat},
    {"rule", GIG_CONCERN_PATH, read_rule, print_rule},
    {"samples", GIG_CONCERN_SMOOTH, read_samples, print_samples},
    {"sigma", GIG_CONCERN_BLUR, read_sigma, print_sigma},
    {"smooth", GIG_CONCERN_SMOOTH, read_smooth, print_smooth},
    {"steps", GIG_CONCERN_PATH, read_steps, print_steps},
    {"steps-per-segment", GIG_CONCERN_GUIDED, read_steps_per_segment, print_steps_per_segment},
    {"stride", GIG_CONCERN_OCCLUSION, read_stride, print_stride},
    {"tolerance", GIG_CONCERN_PATH, read_tolerance, print_tolerance},
    {"value", GIG_CONCERN_OCCLUSION, read_value, print_value},
    {"window", GIG_CONCERN_OCCLUSION, read_window, print_window},
    {"xrai", GIG_CONCERN_XRAI, read_xrai_fast, print_xrai_fast},
};
