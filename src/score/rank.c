/* SPDX-License-Identifier: Apache-2.0 */
/* rank: the fraction of the n largest pixels of a map that lie inside the object, n being the object's area (relevance
 * rank accuracy: Arras, Osman, Samek 2022; written after the description in Quantus, LGPL-3, none of whose code is
 * used). Equal values at the last places count proportionally. */
#include "base/memory.h"
#include "gig/score.h"
#include "score/measure.h"
#include "score/order.h"
#include <math.h>

/* The pixels that count, their values negated: ascending order is then largest first. */
static size_t list_pixels(float *values, uint8_t *inside, size_t *object, const float *map, const uint8_t *mask,
                          size_t pixels)
{
    size_t count = 0;
    *object = 0;
    for (size_t i = 0; i < pixels; i++) {
        if (mask[i] == GIG_MASK_UNSURE) continue;
        inside[count] = mask[i] == GIG_MASK_IN;
        *object += inside[count];
        values[count++] = -map[i];
    }
    return count;
}

static double share_of(const float *values, const uint8_t *inside, const uint32_t *order, size_t count, size_t places)
{
    double hits = 0;
    size_t end = 0;
    for (size_t first = 0; first < places; first = end) { /* a run of equal values */
        size_t here = 0;
        for (end = first; end < count && values[order[end]] == values[order[first]]; end++) here += inside[order[end]];
        size_t taken = (end < places ? end : places) - first;
        hits += (double)here * (double)taken / (double)(end - first);
    }
    return hits / (double)places;
}

gig_status gig_rank_inside(double *out, const float *map, const uint8_t *mask, size_t pixels)
{
    *out = NAN;
    GIG_TRY(gig_map_check(map, pixels));
    float *values = gig_alloc(pixels, sizeof *values);
    uint8_t *inside = values ? gig_alloc(pixels, 1) : NULL;
    uint32_t *order = inside ? gig_alloc(pixels, sizeof *order) : NULL;
    gig_status status = order ? GIG_OK : gig_alloc_status();
    if (status == GIG_OK) {
        size_t object, count = list_pixels(values, inside, &object, map, mask, pixels);
        status = gig_order_ascending(order, values, count);
        if (status == GIG_OK && object) *out = share_of(values, inside, order, count, object);
    }
    gig_free(order);
    gig_free(inside);
    gig_free(values);
    return status;
}

/* ---- the row ---- */

static gig_status measure(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    (void)metric;
    GIG_TRY(gig_rank_inside(&out->value, with->reduced, with->scored->mask, with->pixels));
    if (isnan(out->value)) gig_metric_note(out, "the ground truth covers no pixel, or the map is zero everywhere");
    return GIG_OK;
}

static const gig_method_option options[] = {GIG_OPTION_REDUCTION};

const gig_metric_row gig_metric_row_rank = {.name = "rank",
                                            .help = "Fraction of the largest pixels that lie inside the ground truth.",
                                            .needs = GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_TRUTH,
                                            GIG_OPTIONS(options),
                                            .measure = measure};
