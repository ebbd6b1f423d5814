/* SPDX-License-Identifier: Apache-2.0 */
/* How similar two maps are: correlations, and structural similarity. */
#include "score/correlation.h"
#include "base/memory.h"
#include "gig/score.h"
#include "score/order.h"
#include <math.h>
#include <stdlib.h>

double gig_pearson(const double *a, const double *b, size_t count)
{
    double n = (double)count, mean_a = 0, mean_b = 0, ab = 0, aa = 0, bb = 0;
    for (size_t i = 0; i < count; i++) { /* counted from the first, so that equal values differ by 0 exactly */
        mean_a += (a[i] - a[0]) / n;
        mean_b += (b[i] - b[0]) / n;
    }
    for (size_t i = 0; i < count; i++) {
        double x = a[i] - a[0] - mean_a, y = b[i] - b[0] - mean_b;
        ab += x * y;
        aa += x * x;
        bb += y * y;
    }
    return aa > 0 && bb > 0 ? fmin(fmax(ab / sqrt(aa * bb), -1), 1) : NAN;
}

typedef struct ranked {
    double value;
    size_t index;
} ranked;

static int by_value(const void *a, const void *b)
{
    const ranked *p = a, *q = b;
    if (p->value != q->value) return p->value < q->value ? -1 : 1;
    return p->index < q->index ? -1 : p->index > q->index;
}

gig_status gig_mean_ranks(double *ranks, const double *values, size_t count)
{
    ranked *all = gig_alloc(count, sizeof *all);
    if (!all) return gig_alloc_status();
    for (size_t i = 0; i < count; i++) all[i] = (ranked){values[i], i};
    qsort(all, count, sizeof *all, by_value);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && all[end].value == all[first].value; end++) continue;
        for (size_t i = first; i < end; i++) ranks[all[i].index] = ((double)first + (double)end - 1) / 2;
    }
    gig_free(all);
    return GIG_OK;
}

gig_status gig_spearman(double *out, const double *a, const double *b, size_t count)
{
    double *ranks = gig_alloc(count, 2 * sizeof *ranks);
    *out = NAN;
    if (!ranks) return gig_alloc_status();
    gig_status status = gig_mean_ranks(ranks, a, count);
    if (status == GIG_OK) status = gig_mean_ranks(ranks + count, b, count);
    if (status == GIG_OK) *out = gig_pearson(ranks, ranks + count, count);
    gig_free(ranks);
    return status;
}

gig_status gig_map_correlation(double *out, const float *a, const float *b, size_t count, gig_correlation kind)
{
    *out = NAN;
    GIG_TRY(gig_map_check(a, count));
    GIG_TRY(gig_map_check(b, count));
    double *values = gig_alloc(count, 2 * sizeof *values);
    if (!values) return gig_alloc_status();
    for (size_t i = 0; i < count; i++) {
        values[i] = kind == GIG_CORRELATION_MAGNITUDE ? fabs((double)a[i]) : (double)a[i];
        values[count + i] = kind == GIG_CORRELATION_MAGNITUDE ? fabs((double)b[i]) : (double)b[i];
    }
    gig_status status = GIG_OK;
    if (kind == GIG_CORRELATION_RANK)
        status = gig_spearman(out, values, values + count, count);
    else
        *out = gig_pearson(values, values + count, count);
    gig_free(values);
    return status;
}

/* ---- structural similarity ---- */

/* Scaled to 0 .. 1; all 0 if the map is constant. */
static void scale(double *out, const float *map, size_t count)
{
    double low = (double)map[0], high = low;
    for (size_t i = 1; i < count; i++) {
        low = fmin(low, (double)map[i]);
        high = fmax(high, (double)map[i]);
    }
    for (size_t i = 0; i < count; i++) out[i] = high > low ? ((double)map[i] - low) / (high - low) : 0;
}

/* Of one window, by the formula of Wang et al. 2004 for values in 0 .. 1. */
static double similarity_at(const double *a, const double *b, size_t width)
{
    enum { SIDE = GIG_SIMILARITY_WINDOW };
    const double c1 = 0.01 * 0.01, c2 = 0.03 * 0.03, n = SIDE * SIDE;
    double sa = 0, sb = 0, aa = 0, bb = 0, ab = 0;
    for (size_t y = 0; y < SIDE; y++)
        for (size_t x = 0; x < SIDE; x++) {
            double p = a[y * width + x], q = b[y * width + x];
            sa += p;
            sb += q;
            aa += p * p;
            bb += q * q;
            ab += p * q;
        }
    double ma = sa / n, mb = sb / n;
    double va = (aa - n * ma * ma) / (n - 1), vb = (bb - n * mb * mb) / (n - 1), cov = (ab - n * ma * mb) / (n - 1);
    return (2 * ma * mb + c1) * (2 * cov + c2) / ((ma * ma + mb * mb + c1) * (va + vb + c2));
}

gig_status gig_map_similarity(double *out, const float *a, const float *b, size_t height, size_t width)
{
    enum { SIDE = GIG_SIMILARITY_WINDOW };
    size_t count = height * width;
    *out = NAN;
    if (height < SIDE || width < SIDE)
        return gig_fail(GIG_EARG, "maps of %zu x %zu: expected at least %d pixels per side", width, height, SIDE);
    GIG_TRY(gig_map_check(a, count));
    GIG_TRY(gig_map_check(b, count));
    double *values = gig_alloc(count, 2 * sizeof *values), sum = 0;
    if (!values) return gig_alloc_status();
    scale(values, a, count);
    scale(values + count, b, count);
    for (size_t y = 0; y + SIDE <= height; y++)
        for (size_t x = 0; x + SIDE <= width; x++)
            sum += similarity_at(values + y * width + x, values + count + y * width + x, width);
    *out = sum / (double)((height - SIDE + 1) * (width - SIDE + 1));
    gig_free(values);
    return GIG_OK;
}
