/* SPDX-License-Identifier: Apache-2.0 */
/* Sparsity of a map: the Gini index of its absolute values, G = sum (2 r - n - 1) |a|_r / (n sum |a|), r = 1..n by
 * rising value. */
#include "base/memory.h"
#include "gig/score.h"
#include "score/measure.h"
#include "score/order.h"
#include <math.h>

static gig_status gini_of(double *out, float *values, uint32_t *order, const float *map, size_t pixels)
{
    for (size_t i = 0; i < pixels; i++) values[i] = fabsf(map[i]);
    GIG_TRY(gig_order_ascending(order, values, pixels));
    double sum = 0, weighted = 0, n = (double)pixels;
    for (size_t i = 0; i < pixels; i++) {
        double value = values[order[i]];
        sum += value;
        weighted += (2.0 * (double)(i + 1) - n - 1) * value;
    }
    if (sum > 0) *out = weighted / (n * sum);
    return GIG_OK;
}

gig_status gig_gini(double *out, const float *map, size_t pixels)
{
    *out = NAN;
    GIG_TRY(gig_map_check(map, pixels));
    float *values = gig_alloc(pixels, sizeof *values);
    uint32_t *order = gig_alloc(pixels, sizeof *order);
    gig_status status = values && order ? gini_of(out, values, order, map, pixels) : gig_alloc_status();
    gig_free(order);
    gig_free(values);
    return status;
}

/* ---- the row ---- */

static gig_status measure_gini(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    (void)metric;
    GIG_TRY(gig_gini(&out->value, with->reduced, with->pixels));
    if (isnan(out->value)) gig_metric_note(out, "the map is zero everywhere");
    return GIG_OK;
}

static const gig_method_option options[] = {GIG_OPTION_REDUCTION};

const gig_metric_row gig_metric_row_gini = {.name = "gini",
                                            .help = "Sparsity of the map: 0 even, near 1 all in one pixel.",
                                            .needs = GIG_METRIC_NEEDS_MAP,
                                            GIG_OPTIONS(options),
                                            .measure = measure_gini};
