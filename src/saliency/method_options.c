/* SPDX-License-Identifier: Apache-2.0 */
/* The options of methods: those that come with a trait, each with a field, and those of a single row, by their kind. */
#include "base/status.h"
#include "internal/number.h"
#include "internal/saliency.h"
#include "path/rules.h"
#include "saliency/method.h"
#include <math.h>
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

static gig_status read_range(double *out, const char *text, double least, int above, double most)
{
    double value;
    GIG_TRY(gig_parse_double(&value, text));
    if (!(above ? value > least : value >= least) || value > most)
        return gig_fail(GIG_EARG, "found \"%s\", expected a number %s %g %s %g", text, above ? "above" : "from", least,
                        above ? "and at most" : "to", most);
    *out = value + 0.0; /* -0 prints as 0 */
    return GIG_OK;
}

/* "15" or "2x3": rows, columns. */
static gig_status read_size(double out[2], const char *text, size_t least, size_t most)
{
    char rows[VALUE_BYTES];
    size_t span = strcspn(text, "x"), both[2];
    if (span >= sizeof rows) return gig_fail(GIG_EARG, "found \"%s\", expected a size such as 15 or 2x3", text);
    memcpy(rows, text, span);
    rows[span] = 0;
    GIG_TRY(read_count(&both[0], rows, least, most));
    both[1] = both[0];
    if (text[span]) GIG_TRY(read_count(&both[1], text + span + 1, least, most));
    out[0] = (double)both[0];
    out[1] = (double)both[1];
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

/* ---- shared options ---- */

#define COUNT_OPTION(field, least, most)                                                                               \
    static gig_status read_##field(gig_method *method, const char *text)                                               \
    {                                                                                                                  \
        return read_count(&method->field, text, least, most);                                                          \
    }                                                                                                                  \
    static void print_##field(char text[VALUE_BYTES], const gig_method *method)                                        \
    {                                                                                                                  \
        print_count(text, method->field);                                                                              \
    }
#define NUMBER_OPTION(field, least, above, most)                                                                       \
    static gig_status read_##field(gig_method *method, const char *text)                                               \
    {                                                                                                                  \
        return read_range(&method->field, text, least, above, most);                                                   \
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

COUNT_OPTION(steps, 1, GIG_MOST_STEPS)
COUNT_OPTION(steps_per_segment, 1, GIG_MOST_STEPS)
COUNT_OPTION(samples, 1, GIG_MOST_COPIES)
COUNT_OPTION(repeat, 1, GIG_MOST_COPIES)
COUNT_OPTION(max_evaluations, 1, SIZE_MAX / 4)
COUNT_OPTION(min_pixels, 1, GIG_MOST_COPIES)
NUMBER_OPTION(noise, 0, 0, 1e6)
NUMBER_OPTION(tolerance, 0, 0, 1e6)
SWITCH_OPTION(xrai_fast, "full", "fast")
SWITCH_OPTION(close, "no", "yes")
SWITCH_OPTION(adaptive, "even", "adaptive")

static gig_status read_until(gig_method *method, const char *text)
{
    return read_range(&method->until, text, 0, 1, 1);
}

static void print_until(char text[VALUE_BYTES], const gig_method *method)
{
    if (method->until > 0)
        gig_format_shortest(text, VALUE_BYTES, method->until);
    else
        print_text(text, "");
}

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
        size_t length = strlen(baseline_kinds[kind]);
        int takes_number = kind == GIG_BASELINE_RANDOM || kind == GIG_BASELINE_BLUR;
        int several = kind == GIG_BASELINE_GIVEN && text[0] == 'g' && strchr(text, ':'); /* given:N */
        if (takes_number || several ? strncmp(text, baseline_kinds[kind], length) != 0
                                    : strcmp(text, baseline_kinds[kind]) != 0)
            continue;
        if (kind == GIG_BASELINE_GIVEN) method->baseline_count = 1;
        if (several) GIG_TRY(read_count(&method->baseline_count, text + length + 1, 1, GIG_MOST_COPIES));
        if (kind == GIG_BASELINE_RANDOM)
            GIG_TRY(read_count(&method->baseline_count, text + length, 1, GIG_MOST_COPIES));
        if (kind == GIG_BASELINE_BLUR) GIG_TRY(read_range(&method->baseline_sigma, text + length, 0, 1, 1e5));
        method->baseline = (gig_baseline_kind)kind;
        return GIG_OK;
    }
    const int names_files = !strncmp(text, "pictures:", 9) || strstr(text, ".np");
    return gig_fail(
        GIG_EARG, "unknown baseline \"%s\"; expected black|white|black+white|random:N|blur:SIGMA|mean%s", text,
        names_files ? "; files are given as the baseline itself (--baseline FILE, an array), not by an option's text"
                    : "; --baseline also takes a file or pictures:DIR:N");
}

static void print_baseline(char text[VALUE_BYTES], const gig_method *method)
{
    size_t kind = (size_t)method->baseline;
    print_text(text, kind <= GIG_BASELINE_GIVEN ? baseline_kinds[kind] : "?");
    size_t length = strlen(text);
    if (method->baseline == GIG_BASELINE_RANDOM)
        snprintf(text + length, VALUE_BYTES - length, "%zu", method->baseline_count);
    if (method->baseline == GIG_BASELINE_GIVEN && method->baseline_count > 1)
        snprintf(text + length, VALUE_BYTES - length, ":%zu", method->baseline_count);
    if (method->baseline == GIG_BASELINE_BLUR) {
        char number[VALUE_BYTES];
        gig_format_shortest(number, VALUE_BYTES, method->baseline_sigma);
        snprintf(text + length, VALUE_BYTES - length, "%s", number);
    }
}

#define COPIES 1, GIG_MOST_COPIES, 0
#define RULES  "left|right|trapezoid|midpoint|idgi|gauss-legendre|pair|captum-trapezoid|idg|random"

static const gig_shared_option shared[] = {
    {{"baseline", "Where paths start.", GIG_OPTION_TEXT, "black|white|black+white|random:N|blur:SIGMA|mean", 0, 0, 0,
      0},
     GIG_METHOD_BASELINE,
     read_baseline,
     print_baseline},
    {{"close", "Distribute the remaining error of each step over the features it moved, so that the map adds up.",
      GIG_OPTION_CHOICE, "no|yes", 0, 0, 0, 0},
     GIG_METHOD_PATH,
     read_close,
     print_close},
    {{"max-evaluations", "Limit of gradients per path under a tolerance.", GIG_OPTION_COUNT, NULL, (double)NAN, 1, 1e18,
      0},
     GIG_METHOD_PATH,
     read_max_evaluations,
     print_max_evaluations},
    {{"min-pixels", "Pixels that a region of xrai+ must add at least.", GIG_OPTION_COUNT, NULL, 50, COPIES},
     GIG_METHOD_XRAI,
     read_min_pixels,
     print_min_pixels},
    {{"nodes", "Even nodes, or adaptive: more where the score changes (rule midpoint).", GIG_OPTION_CHOICE,
      "even|adaptive", 0, 0, 0, 0},
     GIG_METHOD_CURVE,
     read_adaptive,
     print_adaptive},
    {{"noise", "Standard deviation of the noise of smooth+, as a fraction of the picture's range.", GIG_OPTION_NUMBER,
      NULL, 0.15, 0, 1e6, 0},
     GIG_METHOD_SMOOTH,
     read_noise,
     print_noise},
    {{"repeat", "Mean of this many maps of inputs that differ at rounding level, and how well they agree.",
      GIG_OPTION_COUNT, NULL, 1, COPIES},
     GIG_METHOD_PATH,
     read_repeat,
     print_repeat},
    {{"rule", "How gradients are summed along the path.", GIG_OPTION_CHOICE, RULES, (double)NAN, 0, 0, 0},
     GIG_METHOD_PATH,
     read_rule,
     print_rule},
    {{"samples", "Noisy samples of smooth+.", GIG_OPTION_COUNT, NULL, 10, COPIES},
     GIG_METHOD_SMOOTH,
     read_samples,
     print_samples},
    {{"smooth", "Statistic over the noisy samples.", GIG_OPTION_CHOICE, "mean|squares|variance", 0, 0, 0, 0},
     GIG_METHOD_SMOOTH,
     read_smooth,
     print_smooth},
    {{"steps", "Steps of the whole path.", GIG_OPTION_COUNT, NULL, 200, 1, GIG_MOST_STEPS, 0},
     GIG_METHOD_PATH,
     read_steps,
     print_steps},
    {{"steps-per-segment", "Steps of each of the K+1 segments, instead of steps.", GIG_OPTION_COUNT, NULL, (double)NAN,
      1, GIG_MOST_STEPS, 0},
     GIG_METHOD_ANCHORS,
     read_steps_per_segment,
     print_steps_per_segment},
    {{"tolerance", "Spend more gradients until the sum is within this fraction of what it should be.",
      GIG_OPTION_NUMBER, NULL, 0, 0, 1e6, 0},
     GIG_METHOD_PATH,
     read_tolerance,
     print_tolerance},
    {{"until", "Use only the nodes before the score exceeds this fraction of its maximum (Left-IG); does not add up.",
      GIG_OPTION_NUMBER, NULL, (double)NAN, 0, 1, 1},
     GIG_METHOD_CURVE,
     read_until,
     print_until},
    {{"xrai", "Algorithm of xrai+.", GIG_OPTION_CHOICE, "full|fast", 0, 0, 0, 0},
     GIG_METHOD_XRAI,
     read_xrai_fast,
     print_xrai_fast},
};
enum { SHARED = sizeof shared / sizeof *shared };

/* ---- options of a single row ---- */

gig_status gig_kind_read(double out[2], const gig_method_option *option, const char *text)
{
    size_t count;
    int choice;
    switch (option->kind) {
    case GIG_OPTION_COUNT:
        GIG_TRY(read_count(&count, text, (size_t)option->least, (size_t)option->most));
        out[0] = (double)count;
        return GIG_OK;
    case GIG_OPTION_NUMBER: return read_range(&out[0], text, option->least, option->above, option->most);
    case GIG_OPTION_CHOICE:
        GIG_TRY(gig_parse_choice(&choice, text, option->choices));
        out[0] = choice;
        return GIG_OK;
    case GIG_OPTION_SIZE: return read_size(out, text, (size_t)option->least, (size_t)option->most);
    case GIG_OPTION_TEXT: break;
    }
    return gig_fail(GIG_EINTERNAL, "option %s has an unknown kind", option->name);
}

/* The word of "a|b|c" with that index. */
static void print_choice(char text[VALUE_BYTES], const char *choices, double index)
{
    for (int left = (int)index; left > 0 && choices; left--) {
        choices = strchr(choices, '|');
        if (choices) choices++;
    }
    snprintf(text, VALUE_BYTES, "%.*s", choices ? (int)strcspn(choices, "|") : 0, choices ? choices : "");
}

void gig_kind_print(char text[VALUE_BYTES], const gig_method_option *option, const double value[2])
{
    if (isnan(value[0]))
        print_text(text, "");
    else if (option->kind == GIG_OPTION_CHOICE)
        print_choice(text, option->choices, value[0]);
    else if (option->kind == GIG_OPTION_SIZE && value[0] != value[1])
        snprintf(text, VALUE_BYTES, "%.0fx%.0f", value[0], value[1]);
    else if (option->kind == GIG_OPTION_NUMBER)
        gig_format_shortest(text, VALUE_BYTES, value[0]);
    else
        snprintf(text, VALUE_BYTES, "%.0f", value[0]);
}

/* Its value, else its default. */
static void get_own(double out[2], const gig_method *method, const gig_method_option *option)
{
    out[0] = out[1] = option->usual;
    for (size_t i = 0; i < GIG_SET_OPTIONS && method->own[i].option; i++)
        if (method->own[i].option == option) memcpy(out, method->own[i].value, sizeof method->own[i].value);
}

static gig_status put_own(gig_method *method, const gig_method_option *option, const double value[2])
{
    size_t i = 0;
    while (i < GIG_SET_OPTIONS && method->own[i].option && method->own[i].option != option) i++;
    if (i == GIG_SET_OPTIONS) return gig_fail(GIG_ELIMIT, "more than %d options are set", GIG_SET_OPTIONS);
    method->own[i] = (gig_option_value){option, {value[0], value[1]}};
    return GIG_OK;
}

static const gig_method_option *find_own(const gig_method_row *row, const char *name)
{
    for (size_t i = 0; row && i < row->option_count; i++)
        if (!strcmp(row->options[i].name, name)) return &row->options[i];
    return NULL;
}

double gig_method_number(const gig_method *method, const char *name)
{
    double value[2] = {(double)NAN, (double)NAN};
    const gig_method_option *option = find_own(method->row, name);
    if (option) get_own(value, method, option);
    return value[0];
}

void gig_method_size(size_t out[2], const gig_method *method, const char *name)
{
    double value[2] = {0, 0};
    const gig_method_option *option = find_own(method->row, name);
    if (option) get_own(value, method, option);
    out[0] = (size_t)value[0];
    out[1] = (size_t)value[1];
}

gig_status gig_check_number(const char *option, double value, double least, int above, double most)
{
    if (isfinite(value) && (above ? value > least : value >= least) && value <= most) return GIG_OK;
    return gig_fail(GIG_EARG, "%s=%g: expected a number %s %g %s %g", option, value, above ? "above" : "from", least,
                    above ? "and at most" : "to", most);
}

gig_status gig_own_options_check(const gig_method *method)
{
    for (size_t i = 0; i < method->row->option_count; i++) {
        const gig_method_option *option = &method->row->options[i];
        double value[2];
        get_own(value, method, option);
        if (isnan(value[0]) && isnan(option->usual)) continue;
        if (option->kind == GIG_OPTION_CHOICE) continue;
        for (int k = 0; k < (option->kind == GIG_OPTION_SIZE ? 2 : 1); k++)
            GIG_TRY(gig_check_number(option->name, value[k], option->least, option->above, option->most));
    }
    return GIG_OK;
}

/* ---- any option ---- */

/* Keeps the candidate if it sorts after `after` and before the best one so far. */
static void consider(gig_any_option *out, const gig_method_option *about, const gig_shared_option *of,
                     const char *after)
{
    if (strcmp(about->name, after) > 0 && (!out->about || strcmp(about->name, out->about->name) < 0))
        *out = (gig_any_option){about, of};
}

int gig_option_next(gig_any_option *out, const gig_method *method, const char *after)
{
    const gig_method_row *row;
    *out = (gig_any_option){0};
    for (size_t i = 0; i < SHARED; i++)
        if (!method || gig_method_traits(method) & shared[i].trait) consider(out, &shared[i].about, &shared[i], after);
    for (size_t r = 0; (row = method ? (r ? NULL : method->row) : gig_method_row_at(r)); r++)
        for (size_t i = 0; i < row->option_count; i++) consider(out, &row->options[i], NULL, after);
    return out->about != NULL;
}

int gig_option_find(gig_any_option *out, const gig_method *method, const char *name)
{
    for (const char *after = ""; gig_option_next(out, method, after); after = out->about->name)
        if (!strcmp(out->about->name, name)) return 1;
    return 0;
}

gig_status gig_option_read(gig_method *method, const gig_any_option *option, const char *text)
{
    double value[2] = {0, 0};
    gig_status status = option->shared ? option->shared->read(method, text) : gig_kind_read(value, option->about, text);
    if (status == GIG_OK && !option->shared) status = put_own(method, option->about, value);
    return status == GIG_OK ? GIG_OK : gig_fail_in(status, "%s", option->about->name);
}

void gig_option_print(char text[GIG_OPTION_BYTES], const gig_method *method, const gig_any_option *option)
{
    double value[2];
    if (option->shared) {
        option->shared->print(text, method);
        return;
    }
    get_own(value, method, option->about);
    gig_kind_print(text, option->about, value);
}

void gig_option_mark(gig_method *method, const gig_any_option *option)
{
    if (option->shared) method->given |= 1u << (option->shared - shared);
}

int gig_option_is_given(const gig_method *defaults, const gig_any_option *option)
{
    char value[VALUE_BYTES], usual[VALUE_BYTES];
    gig_method plain;
    if (!defaults) return 0;
    if (!option->shared) {
        for (size_t i = 0; i < GIG_SET_OPTIONS && defaults->own[i].option; i++)
            if (defaults->own[i].option == option->about) return 1;
        return 0;
    }
    if (option->shared->read == read_rule && defaults->rule != GIG_RULE_DEFAULT) return 1;
    gig_method_init(&plain);
    plain.row = defaults->row;
    gig_option_print(value, defaults, option);
    gig_option_print(usual, &plain, option);
    return (defaults->given & 1u << (option->shared - shared)) || strcmp(value, usual) != 0;
}

const gig_method_option *gig_method_option_at(const gig_method *method, size_t i)
{
    gig_any_option option = {0};
    const char *after = "";
    do {
        if (!gig_option_next(&option, method, after)) return NULL;
        after = option.about->name;
    } while (i--);
    return option.about;
}
