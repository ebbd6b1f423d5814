/* SPDX-License-Identifier: Apache-2.0 */
/* Sampling, aggregating and measuring curves over [0,1]. */
#include "score/curve.h"
#include "base/memory.h"
#include "internal/score.h"
#include <stdlib.h>

double gig_curve_area(const double *y, size_t intervals)
{
    if (!intervals) return 0;
    double sum = (y[0] + y[intervals]) / 2;
    for (size_t j = 1; j < intervals; j++) sum += y[j];
    return sum / (double)intervals;
}

gig_status gig_points_sample(double *out, size_t intervals, const gig_points *points)
{
    size_t count = points->count;
    if (!intervals || count < 2 || points->x[0] != 0 || points->x[count - 1] != 1)
        return gig_fail(GIG_EARG, "a curve must run from 0 to 1");
    size_t k = 0; /* x[k] <= at < x[k + 1], the last such k */
    for (size_t j = 0; j < intervals; j++) {
        double at = (double)j / (double)intervals;
        while (k + 2 < count && points->x[k + 1] <= at) k++;
        double run = points->x[k + 1] - points->x[k], rise = points->y[k + 1] - points->y[k];
        out[j] = points->y[k] + (run > 0 ? rise / run * (at - points->x[k]) : 0);
    }
    out[intervals] = points->y[count - 1];
    return GIG_OK;
}

/* Sorts by x, equal ones in the order they came: there are a dozen. */
static void sort_points(gig_points *points)
{
    for (size_t i = 1; i < points->count; i++) {
        double x = points->x[i], y = points->y[i];
        size_t k = i;
        for (; k > 0 && points->x[k - 1] > x; k--) {
            points->x[k] = points->x[k - 1];
            points->y[k] = points->y[k - 1];
        }
        points->x[k] = x;
        points->y[k] = y;
    }
}

void gig_points_clear(gig_points *points)
{
    if (!points) return;
    gig_free(points->x);
    gig_free(points->y);
    *points = (gig_points){0};
}

gig_status gig_points_create(gig_points *out, size_t count)
{
    *out = (gig_points){count, gig_alloc(count, sizeof(double)), gig_alloc(count, sizeof(double))};
    if (out->x && out->y) return GIG_OK;
    gig_points_clear(out);
    return gig_alloc_status();
}

gig_status gig_information_points(gig_points *out, const double *x, const double *y, size_t count, int monotone)
{
    GIG_TRY(gig_points_create(out, count + 2));
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        if (y[i] > largest) largest = y[i];
        out->x[i] = x[i];
        out->y[i] = monotone ? largest : y[i];
    }
    out->x[count] = out->y[count] = 0;
    out->x[count + 1] = out->y[count + 1] = 1;
    sort_points(out);
    return GIG_OK;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double aggregate_of(double *values, size_t count, gig_aggregate aggregate)
{
    if (aggregate == GIG_AGGREGATE_MEAN) {
        double sum = 0;
        for (size_t i = 0; i < count; i++) sum += values[i];
        return sum / (double)count;
    }
    qsort(values, count, sizeof *values, by_value);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

gig_status gig_curves_aggregate(double *out, const double *const *curves, size_t count, size_t intervals,
                                gig_aggregate aggregate)
{
    if (!count) return gig_fail(GIG_EARG, "no curves to aggregate");
    double *column = gig_alloc(count, sizeof *column);
    if (!column) return gig_alloc_status();
    for (size_t j = 0; j <= intervals; j++) {
        for (size_t i = 0; i < count; i++) column[i] = curves[i][j];
        out[j] = aggregate_of(column, count, aggregate);
    }
    gig_free(column);
    return GIG_OK;
}
