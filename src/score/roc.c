/* SPDX-License-Identifier: Apache-2.0 */
/* ROC against a mask: the map is the score of a classifier of each pixel as object or background. The area is the
 * Mann-Whitney statistic, counted in integers: over groups of equal values from the lowest up,
 * 2 U = sum of positives * (2 * negatives below + negatives beside), AUC = 2 U / (2 P N). */
#include "base/memory.h"
#include "internal/score.h"
#include "score/curve.h"
#include "score/measure.h"
#include "score/order.h"
#include <math.h>

static void count_sides(gig_roc *out, const uint8_t *mask, size_t pixels)
{
    out->positives = out->negatives = 0;
    for (size_t i = 0; i < pixels; i++) {
        out->positives += mask[i] == GIG_MASK_IN;
        out->negatives += mask[i] == GIG_MASK_OUT;
    }
}

static gig_status check_mask(const uint8_t *mask, size_t pixels)
{
    for (size_t i = 0; i < pixels; i++)
        if (mask[i] > GIG_MASK_UNSURE) return gig_fail(GIG_EARG, "mask value %zu is %d", i, mask[i]);
    return GIG_OK;
}

/* A new order of the map, ascending; *order is NULL if the score is undefined. */
static gig_status rank(uint32_t **order, gig_roc *sides, const float *map, const uint8_t *mask, size_t pixels)
{
    *order = NULL;
    sides->auc = NAN;
    GIG_TRY(gig_map_check(map, pixels));
    GIG_TRY(check_mask(mask, pixels));
    count_sides(sides, mask, pixels);
    if (!sides->positives || !sides->negatives) return GIG_OK;
    *order = gig_alloc(pixels, sizeof **order);
    if (!*order) return gig_alloc_status();
    gig_status status = gig_order_ascending(*order, map, pixels);
    if (status != GIG_OK) {
        gig_free(*order);
        *order = NULL;
    }
    return status;
}

gig_status gig_roc_auc(gig_roc *out, const float *map, const uint8_t *mask, size_t pixels)
{
    uint32_t *order;
    GIG_TRY(rank(&order, out, map, mask, pixels));
    if (!order) return GIG_OK;
    uint64_t twice = 0, below = 0;
    for (size_t i = 0; i < pixels;) {
        uint64_t positives = 0, negatives = 0;
        float value = map[order[i]];
        for (; i < pixels && map[order[i]] == value; i++) {
            positives += mask[order[i]] == GIG_MASK_IN;
            negatives += mask[order[i]] == GIG_MASK_OUT;
        }
        twice += positives * (2 * below + negatives);
        below += negatives;
    }
    out->auc = (double)twice / (2.0 * (double)out->positives * (double)out->negatives);
    gig_free(order);
    return GIG_OK;
}

/* Appends (negatives, positives) so far, dropping the previous point if it lies on the straight line between its
 * neighbours. Counts are integers of at most 2^30. */
static size_t append_corner(gig_points *points, size_t count, double x, double y)
{
    double *px = points->x, *py = points->y;
    if (count >= 2) {
        int64_t dx = (int64_t)(px[count - 1] - px[count - 2]), dy = (int64_t)(py[count - 1] - py[count - 2]);
        if (dx * (int64_t)(y - py[count - 1]) == dy * (int64_t)(x - px[count - 1])) count--;
    }
    px[count] = x;
    py[count] = y;
    return count + 1;
}

gig_status gig_roc_curve(gig_points *out, const float *map, const uint8_t *mask, size_t pixels)
{
    gig_roc sides;
    uint32_t *order;
    *out = (gig_points){0};
    GIG_TRY(rank(&order, &sides, map, mask, pixels));
    if (!order) return GIG_OK;
    gig_status status = gig_points_create(out, pixels + 1);
    if (status != GIG_OK) {
        gig_free(order);
        return status;
    }
    double x = 0, y = 0;
    size_t count = append_corner(out, 0, 0, 0);
    for (size_t i = pixels; i > 0;) {
        float value = map[order[i - 1]];
        for (; i > 0 && map[order[i - 1]] == value; i--) {
            y += mask[order[i - 1]] == GIG_MASK_IN;
            x += mask[order[i - 1]] == GIG_MASK_OUT;
        }
        count = append_corner(out, count, x, y);
    }
    for (size_t i = 0; i < count; i++) {
        out->x[i] /= (double)sides.negatives;
        out->y[i] /= (double)sides.positives;
    }
    out->count = count;
    gig_free(order);
    return GIG_OK;
}

gig_status gig_pointing_hit(double *hit, const float *map, const uint8_t *mask, size_t pixels)
{
    gig_roc sides;
    *hit = NAN;
    GIG_TRY(gig_map_check(map, pixels));
    GIG_TRY(check_mask(mask, pixels));
    count_sides(&sides, mask, pixels);
    if (!sides.positives) return GIG_OK;
    float inside = -INFINITY, outside = -INFINITY, least = INFINITY;
    for (size_t i = 0; i < pixels; i++) {
        if (mask[i] == GIG_MASK_IN) inside = fmaxf(inside, map[i]);
        if (mask[i] == GIG_MASK_OUT) outside = fmaxf(outside, map[i]);
        if (mask[i] != GIG_MASK_UNSURE) least = fminf(least, map[i]);
    }
    if (least < inside || least < outside) *hit = inside >= outside;
    return GIG_OK;
}

/* ---- the rows ---- */

enum { ROC_INTERVALS = 200 };

static gig_status measure_auc(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    gig_roc roc;
    gig_points curve;
    (void)metric;
    GIG_TRY(gig_roc_auc(&roc, with->reduced, with->scored->mask, with->pixels));
    out->value = roc.auc;
    if (isnan(roc.auc)) {
        gig_metric_note(out, roc.positives ? "the ground truth covers all pixels" : "the ground truth covers no pixel");
        return GIG_OK;
    }
    GIG_TRY(gig_roc_curve(&curve, with->reduced, with->scored->mask, with->pixels));
    gig_status status = gig_points_create(&out->curve, ROC_INTERVALS + 1);
    if (status == GIG_OK) status = gig_points_sample(out->curve.y, ROC_INTERVALS, &curve);
    for (size_t j = 0; status == GIG_OK && j <= ROC_INTERVALS; j++) out->curve.x[j] = (double)j / ROC_INTERVALS;
    gig_points_clear(&curve);
    return status;
}

static gig_status measure_pointing(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    (void)metric;
    GIG_TRY(gig_pointing_hit(&out->value, with->reduced, with->scored->mask, with->pixels));
    if (isnan(out->value)) gig_metric_note(out, "the ground truth covers no pixel, or the map is constant");
    return GIG_OK;
}

static const gig_method_option options[] = {GIG_OPTION_REDUCTION};

const gig_metric_row gig_metric_row_auc = {.name = "auc",
                                           .help = "Area under the ROC curve against the ground truth.",
                                           .needs = GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_TRUTH,
                                           GIG_OPTIONS(options),
                                           .x_label = "false positive rate",
                                           .y_label = "true positive rate",
                                           .diagonal = 1,
                                           .measure = measure_auc};

const gig_metric_row gig_metric_row_pointing = {.name = "pointing",
                                                .help = "1 if a largest pixel lies in the ground truth.",
                                                .needs = GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_TRUTH,
                                                GIG_OPTIONS(options),
                                                .measure = measure_pointing};
