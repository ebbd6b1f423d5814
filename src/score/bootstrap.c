/* SPDX-License-Identifier: Apache-2.0 */
/* Means over pictures and their confidence intervals: percentile bootstrap. Resample r draws its pictures from stream
 * r, so that every number of a table is the same in whatever order it is computed. */
#include "base/memory.h"
#include "base/rng.h"
#include "base/size.h"
#include "base/status.h"
#include "internal/score.h"
#include "score/curve.h"
#include "score/random_streams.h"
#include <math.h>
#include <stdlib.h>

static gig_status set_options(gig_bootstrap_options *out, const gig_bootstrap_options *given)
{
    *out = given ? *given : (gig_bootstrap_options)GIG_BOOTSTRAP_OPTIONS_INIT;
    if (!out->resamples) out->resamples = 2000;
    if (out->level == 0) out->level = 0.95;
    if (!(out->level > 0 && out->level < 1))
        return gig_fail(GIG_EARG, "confidence level %g: expected a number between 0 and 1", out->level);
    if (out->resamples > 10000000) return gig_fail(GIG_ELIMIT, "%zu resamples exceed 10000000", out->resamples);
    return GIG_OK;
}

/* How often each of `count` pictures is drawn in resample r; the sum is count. */
static void draw_counts(uint32_t *times, size_t count, uint64_t seed, size_t r)
{
    gig_rng rng = {seed, gig_score_stream(GIG_DRAW_BOOTSTRAP, r)};
    for (size_t i = 0; i < count; i++) times[i] = 0;
    for (size_t i = 0; i < count; i++) times[(size_t)(gig_rng_uniform(rng, i) * (double)count)]++;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Linear between ranks. */
static double quantile(const double *sorted, size_t count, double level)
{
    double at = level * (double)(count - 1);
    size_t rank = (size_t)at;
    if (rank + 1 >= count) return sorted[count - 1];
    return sorted[rank] + (sorted[rank + 1] - sorted[rank]) * (at - (double)rank);
}

/* A statistic of a weighted set of pictures: picture i counts times[i] times, `count` in total. */
typedef double (*statistic)(const void *set, const uint32_t *times, size_t count);

static gig_status bootstrap(gig_interval *out, statistic measure, const void *set, size_t count,
                            const gig_bootstrap_options *options)
{
    out->n = count;
    if (!count) {
        out->mean = out->low = out->high = NAN;
        return GIG_OK;
    }
    uint32_t *times = gig_alloc(count, sizeof *times);
    double *found = gig_alloc(options->resamples, sizeof *found);
    gig_status status = times && found ? GIG_OK : gig_alloc_status();
    if (status == GIG_OK) {
        for (size_t i = 0; i < count; i++) times[i] = 1;
        out->mean = measure(set, times, count);
        for (size_t r = 0; r < options->resamples; r++) {
            draw_counts(times, count, options->seed, r);
            found[r] = measure(set, times, count);
        }
        qsort(found, options->resamples, sizeof *found, by_value);
        out->low = quantile(found, options->resamples, (1 - options->level) / 2);
        out->high = quantile(found, options->resamples, (1 + options->level) / 2);
    }
    gig_free(found);
    gig_free(times);
    return status;
}

static double mean_of(const void *set, const uint32_t *times, size_t count)
{
    const double *values = set;
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += times[i] * values[i];
    return sum / (double)count;
}

gig_status gig_bootstrap_difference(gig_interval *out, const double *a, const double *b, size_t count,
                                    const gig_bootstrap_options *options)
{
    gig_bootstrap_options full;
    *out = (gig_interval){0, NAN, NAN, NAN};
    GIG_TRY(set_options(&full, options));
    if (count > GIG_MAX_ELEMENTS) return gig_fail(GIG_ELIMIT, "%zu values exceed the limit", count);
    double *defined = gig_alloc(count, sizeof *defined);
    if (!defined) return gig_alloc_status();
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        double value = b ? a[i] - b[i] : a[i];
        if (!isnan(value)) defined[kept++] = value;
    }
    gig_status status = bootstrap(out, mean_of, defined, kept, &full);
    gig_free(defined);
    return status;
}

gig_status gig_bootstrap_mean(gig_interval *out, const double *values, size_t count,
                              const gig_bootstrap_options *options)
{
    return gig_bootstrap_difference(out, values, NULL, count, options);
}

/* Curves with, for each x, the pictures in ascending order of y: a weighted median is then one pass. */
typedef struct curve_set {
    const double *const *curves;
    uint32_t *order; /* [intervals + 1, count] */
    double *scratch; /* [intervals + 1] */
    size_t intervals;
    gig_aggregate aggregate;
} curve_set;

/* Mean of the elements of rank (count - 1) / 2 and count / 2. */
static double weighted_median(const curve_set *set, size_t column, const uint32_t *times, size_t count)
{
    const uint32_t *order = set->order + column * count;
    size_t seen = 0, i = 0;
    while (seen + times[order[i]] <= (count - 1) / 2) seen += times[order[i++]];
    double low = set->curves[order[i]][column];
    while (seen + times[order[i]] <= count / 2) seen += times[order[i++]];
    return (low + set->curves[order[i]][column]) / 2;
}

static double area_of(const void *payload, const uint32_t *times, size_t count)
{
    const curve_set *set = payload;
    for (size_t j = 0; j <= set->intervals; j++) {
        if (set->aggregate == GIG_AGGREGATE_MEDIAN) {
            set->scratch[j] = weighted_median(set, j, times, count);
            continue;
        }
        double sum = 0;
        for (size_t i = 0; i < count; i++) sum += times[i] * set->curves[i][j];
        set->scratch[j] = sum / (double)count;
    }
    return gig_curve_area(set->scratch, set->intervals);
}

/* Curves change little from column to column: in the order of the previous column (NULL: none) they are nearly sorted.
 */
static void sort_column(uint32_t *order, const uint32_t *before, const double *const *curves, size_t count,
                        size_t column)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t curve = before ? before[i] : (uint32_t)i;
        size_t k = i;
        for (; k > 0 && curves[order[k - 1]][column] > curves[curve][column]; k--) order[k] = order[k - 1];
        order[k] = curve;
    }
}

gig_status gig_bootstrap_curves(gig_interval *out, const double *const *curves, size_t count, size_t intervals,
                                gig_aggregate aggregate, const gig_bootstrap_options *options)
{
    gig_bootstrap_options full;
    *out = (gig_interval){0, NAN, NAN, NAN};
    GIG_TRY(set_options(&full, options));
    size_t cells;
    if (intervals > GIG_MOST_INTERVALS)
        return gig_fail(GIG_ELIMIT, "%zu intervals of a curve: expected at most %d", intervals, GIG_MOST_INTERVALS);
    if (count > UINT32_MAX || !gig_size_multiply(&cells, intervals + 1, count))
        return gig_fail(GIG_ELIMIT, "%zu curves exceed the limit", count);
    curve_set set = {curves, gig_alloc(cells, sizeof(uint32_t)), gig_alloc(intervals + 1, sizeof(double)), intervals,
                     aggregate};
    gig_status status = set.order && set.scratch ? GIG_OK : gig_alloc_status();
    if (status == GIG_OK) {
        for (size_t j = 0; j <= intervals; j++) {
            uint32_t *order = set.order + j * count;
            sort_column(order, j ? order - count : NULL, curves, count, j);
        }
        status = bootstrap(out, area_of, &set, count, &full);
    }
    gig_free(set.scratch);
    gig_free(set.order);
    return status;
}
