/* SPDX-License-Identifier: Apache-2.0 */
/* Display values: one number per pixel, mapped to [0,1] or [-1,1] by a stated rule. */
#include "view/display.h"
#include "base/memory.h"
#include "base/size.h"
#include "internal/number.h"
#include "internal/view.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* NumPy's linear percentile of sorted values. */
static double percentile_sorted(const double *sorted, size_t count, double percent)
{
    double at = percent / 100 * (double)(count - 1);
    size_t k = (size_t)at;
    if (k + 1 >= count) return sorted[count - 1];
    double part = at - (double)k, step = sorted[k + 1] - sorted[k];
    return part < 0.5 ? sorted[k] + part * step : sorted[k + 1] - (1 - part) * step;
}

/* values[i] = sum over channels of a, or of |a|. A NaN or an infinity is an error. */
static gig_status add_channels(double *values, const float *map, size_t pixels, size_t channels, int magnitude)
{
    for (size_t i = 0; i < pixels; i++) {
        double sum = 0;
        for (size_t c = 0; c < channels; c++) {
            double a = (double)map[i * channels + c];
            sum += magnitude ? fabs(a) : a;
        }
        if (!isfinite(sum)) return gig_fail(GIG_ENUMERIC, "the map is not finite at pixel %zu", i);
        values[i] = sum;
    }
    return GIG_OK;
}

/* s of every pixel, before any stretching. */
static gig_status reduce(double *values, const float *map, size_t pixels, size_t channels,
                         const gig_display_options *how)
{
    GIG_TRY(add_channels(values, map, pixels, channels, how->rule == GIG_DISPLAY_MAGNITUDE));
    if (how->rule != GIG_DISPLAY_MASS) return GIG_OK;
    for (size_t i = 0; i < pixels; i++) {
        double v = values[i];
        if (how->sign == GIG_SIGN_ABSOLUTE) values[i] = fabs(v);
        if (how->sign == GIG_SIGN_POSITIVE) values[i] = v > 0 ? v : 0;
        if (how->sign == GIG_SIGN_NEGATIVE) values[i] = v < 0 ? v : 0;
    }
    return GIG_OK;
}

/* The smallest sorted value at which the running sum has reached this fraction of the total. */
static double mass_threshold(const double *sorted, size_t count, double percent)
{
    double total = 0, sum = 0;
    for (size_t i = 0; i < count; i++) total += sorted[i];
    for (size_t i = 0; i < count; i++) {
        sum += sorted[i];
        if (sum >= total * 0.01 * percent) return sorted[i];
    }
    return sorted[count - 1];
}

/* What s is, in words. */
static const char *reduction_text(const gig_display_options *how, size_t channels)
{
    static const char *const one[] = {"|value|", "positive value", "negative value", "value"};
    static const char *const many[] = {"|sum of channels|", "positive sum of channels", "negative sum of channels",
                                       "sum of channels"};
    const char *const *words = channels == 1 ? one : many;
    if (how->rule == GIG_DISPLAY_MAGNITUDE) return channels == 1 ? one[0] : "sum of |channels|";
    return words[how->rule == GIG_DISPLAY_MASS ? how->sign : GIG_SIGN_ALL];
}

/* The rule in words; `fell_back`: the largest value was used instead of the percentile. */
static void describe(gig_display_scale *scale, const gig_display_options *how, size_t channels, int fell_back)
{
    char percent[32];
    const char *what = reduction_text(how, channels), *ends = "minimum to maximum";
    size_t room = sizeof scale->text;
    gig_format_double(percent, sizeof percent, 6,
                      how->rule == GIG_DISPLAY_MASS ? 100 - how->outliers : how->percentile);
    int written = snprintf(scale->text, room, "%s, ", what);
    char *rest = scale->text + written;
    room -= (size_t)written;
    if (how->rule == GIG_DISPLAY_MAGNITUDE)
        fell_back ? snprintf(rest, room, "%s (percentile %s is the minimum)", ends, percent)
                  : snprintf(rest, room, "minimum to percentile %s", percent);
    else if (how->rule == GIG_DISPLAY_MASS)
        snprintf(rest, room, "up to where %s %% of the total is reached", percent);
    else if (how->rule == GIG_DISPLAY_RANGE)
        snprintf(rest, room, "%s", ends);
    else if (fell_back)
        snprintf(rest, room, "+/- largest magnitude (percentile %s is 0)", percent);
    else
        snprintf(rest, room, "+/- percentile %s of %s", percent,
                 how->rule == GIG_DISPLAY_SIGNED ? "the magnitude" : "the signed values");
}

/* If the percentile gives an empty range although values differ, the largest value is used instead. */
static double or_largest(double span, double largest, int *fell_back)
{
    *fell_back = !(span > 0);
    return *fell_back ? largest : span;
}

static int shows_zero_in_the_middle(const gig_display_options *how)
{
    if (how->rule == GIG_DISPLAY_MASS) return how->sign == GIG_SIGN_ALL;
    return how->rule == GIG_DISPLAY_SIGNED || how->rule == GIG_DISPLAY_PAIR_DIVERGING;
}

/* Sets low, high, diverging from values (and `sorted`, scratch of the same length). Returns whether it fell back. */
static int find_scale(gig_display_scale *scale, double *sorted, const double *values, size_t pixels,
                      const gig_display_options *how)
{
    int fell_back = 0, absolute = how->rule == GIG_DISPLAY_SIGNED || how->rule == GIG_DISPLAY_MASS;
    double largest = 0, span;
    scale->diverging = shows_zero_in_the_middle(how);
    for (size_t i = 0; i < pixels; i++) {
        sorted[i] = absolute ? fabs(values[i]) : values[i];
        largest = fmax(largest, fabs(values[i]));
    }
    qsort(sorted, pixels, sizeof *sorted, ascending);
    switch (how->rule) {
    case GIG_DISPLAY_MAGNITUDE:
        span = percentile_sorted(sorted, pixels, how->percentile) - sorted[0];
        scale->low = sorted[0];
        scale->high = sorted[0] + or_largest(span, sorted[pixels - 1] - sorted[0], &fell_back);
        break;
    case GIG_DISPLAY_SIGNED:
    case GIG_DISPLAY_PAIR_DIVERGING:
        span = fabs(percentile_sorted(sorted, pixels, how->percentile));
        scale->high = or_largest(span, largest, &fell_back);
        scale->low = -scale->high;
        break;
    case GIG_DISPLAY_MASS:
        span = mass_threshold(sorted, pixels, 100 - how->outliers);
        scale->high = how->sign == GIG_SIGN_NEGATIVE ? -span : span;
        scale->low = scale->diverging ? -span : 0;
        break;
    case GIG_DISPLAY_RANGE:
        scale->low = sorted[0];
        scale->high = sorted[pixels - 1];
        break;
    }
    return fell_back;
}

static double clip(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

static float display_value(double s, const gig_display_scale *scale, gig_display_rule rule)
{
    switch (rule) {
    case GIG_DISPLAY_MAGNITUDE:
    case GIG_DISPLAY_RANGE: return (float)clip((s - scale->low) / (scale->high - scale->low), 0, 1);
    case GIG_DISPLAY_SIGNED:
    case GIG_DISPLAY_MASS: return (float)clip(s / scale->high, -1, 1);
    case GIG_DISPLAY_PAIR_DIVERGING: return (float)clip((s + scale->high) / (2 * scale->high), -1, 1);
    }
    return 0;
}

static int all_equal(const double *values, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (values[i] != values[0]) return 0;
    return 1;
}

static gig_status check_options(gig_display_options *how, const gig_display_options *given)
{
    *how = given ? *given : (gig_display_options)GIG_DISPLAY_OPTIONS_INIT;
    if (how->percentile == 0) how->percentile = 99;
    if (how->outliers == 0) how->outliers = 2;
    if ((int)how->rule < 0 || how->rule > GIG_DISPLAY_RANGE)
        return gig_fail(GIG_EARG, "unknown display rule %d", how->rule);
    if ((int)how->sign < 0 || how->sign > GIG_SIGN_ALL) return gig_fail(GIG_EARG, "unknown display sign %d", how->sign);
    if (!(how->percentile > 0 && how->percentile <= 100))
        return gig_fail(GIG_EARG, "display percentile: expected a number above 0, at most 100");
    if (!(how->outliers > 0 && how->outliers < 100))
        return gig_fail(GIG_EARG, "display outliers: expected a number above 0 and below 100 percent");
    return GIG_OK;
}

gig_status gig_display_map(float *out, gig_display_scale *scale, const float *map, size_t pixels, size_t channels,
                           const gig_display_options *options)
{
    gig_display_options how;
    gig_status status = GIG_OK;
    size_t count;
    gig_display_scale unused;
    if (!scale) scale = &unused;
    memset(scale, 0, sizeof *scale);
    GIG_TRY(check_options(&how, options));
    if (channels == 0) return gig_fail(GIG_EARG, "a map needs at least one channel");
    if (!gig_size_multiply(&count, pixels, channels) || count > GIG_MAX_ELEMENTS)
        return gig_fail(GIG_ELIMIT, "a map of %zu pixels is too large", pixels);
    scale->empty = pixels == 0;
    if (scale->empty) {
        snprintf(scale->text, sizeof scale->text, "empty map");
        return GIG_OK;
    }
    double *values = gig_alloc(2 * pixels, sizeof *values);
    if (!values) return gig_alloc_status();
    GIG_TRY_DONE(reduce(values, map, pixels, channels, &how));
    scale->constant = all_equal(values, pixels);
    if (scale->constant) {
        char number[32];
        scale->low = scale->high = values[0];
        scale->diverging = shows_zero_in_the_middle(&how);
        snprintf(scale->text, sizeof scale->text, "constant map: every pixel is %s",
                 gig_format_double(number, sizeof number, 6, values[0]));
        memset(out, 0, pixels * sizeof *out);
    } else {
        int fell_back = find_scale(scale, values + pixels, values, pixels, &how);
        describe(scale, &how, channels, fell_back);
        for (size_t i = 0; i < pixels; i++) out[i] = display_value(values[i], scale, how.rule);
    }
done:
    gig_free(values);
    return status;
}

double gig_display_place(double value, gig_display_rule rule, const gig_display_scale *scale)
{
    if (scale->constant || scale->empty) return scale->diverging ? 0.5 : 0;
    if (scale->diverging && rule != GIG_DISPLAY_PAIR_DIVERGING) return 0.5 + 0.5 * value;
    return clip(value, 0, 1);
}

double gig_display_strength(double value, gig_display_rule rule, const gig_display_scale *scale)
{
    if (scale->constant || scale->empty) return 0;
    if (!scale->diverging) return clip(value, 0, 1);
    return clip(rule == GIG_DISPLAY_PAIR_DIVERGING ? fabs(2 * value - 1) : fabs(value), 0, 1);
}

static gig_status top_of(uint8_t *mask, double *values, size_t pixels, double percent)
{
    double *sorted = gig_alloc(pixels, sizeof *sorted);
    if (!sorted) return gig_alloc_status();
    memcpy(sorted, values, pixels * sizeof *sorted);
    qsort(sorted, pixels, sizeof *sorted, ascending);
    double least = percentile_sorted(sorted, pixels, 100 - percent);
    /* If so many are equal that the threshold is the smallest value, only values above it are selected. */
    int low = percent < 100 && least <= sorted[0];
    for (size_t i = 0; i < pixels; i++) mask[i] = low ? values[i] > least : values[i] >= least;
    gig_free(sorted);
    return GIG_OK;
}

gig_status gig_display_top(uint8_t *mask, gig_display_scale *scale, const float *map, size_t pixels, size_t channels,
                           const gig_display_options *options, double percent)
{
    gig_display_options how;
    size_t count, kept = 0;
    char share[32], given[32];
    GIG_TRY(check_options(&how, options));
    if (!(percent > 0 && percent <= 100)) return gig_fail(GIG_EARG, "the top percent must be above 0 and at most 100");
    if (!gig_size_multiply(&count, pixels, channels) || count > GIG_MAX_ELEMENTS)
        return gig_fail(GIG_ELIMIT, "a map of %zu pixels is too large", pixels);
    if (pixels == 0) return GIG_OK;
    double *values = gig_alloc(pixels, sizeof *values);
    if (!values) return gig_alloc_status();
    gig_status status = GIG_OK;
    GIG_TRY_DONE(reduce(values, map, pixels, channels, &how));
    if (how.rule == GIG_DISPLAY_MASS && how.sign == GIG_SIGN_NEGATIVE)
        for (size_t i = 0; i < pixels; i++) values[i] = -values[i];
    GIG_TRY_DONE(top_of(mask, values, pixels, percent));
    for (size_t i = 0; i < pixels; i++) kept += mask[i];
    if (scale && !scale->constant)
        snprintf(scale->text, sizeof scale->text, "top %s %% by %s (%s %% of the pixels)",
                 gig_format_double(given, sizeof given, 4, percent), reduction_text(&how, channels),
                 gig_format_double(share, sizeof share, 4, 100.0 * (double)kept / (double)pixels));
done:
    gig_free(values);
    return status;
}

gig_status gig_top_mask(uint8_t *mask, const float *map, size_t pixels, double percent)
{
    static const gig_display_options plain = {.rule = GIG_DISPLAY_RANGE};
    return gig_display_top(mask, NULL, map, pixels, 1, &plain, percent);
}
