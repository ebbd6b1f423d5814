/* SPDX-License-Identifier: Apache-2.0 */
/* diffid: the difference between insertion and deletion (Yang et al., "Local Path Integration", AAAI 2023; used by
 * MA-GIG and SIG; definition read in leekwoon/sig, MIT licence, none of whose code is used). Values (pixel x channel)
 * are ordered by |a|. For r = 0.1, 0.2, ..., 0.9 the fraction r of smallest magnitude is replaced, and separately the
 * fraction r of largest magnitude, by the mean of the values that are kept.
 *
 *     DiffID = mean over r of F(least replaced) - F(most replaced)
 *
 * Differs from theirs: F is the probability, not whether the class is the best one. */
#include "base/memory.h"
#include "internal/score.h"
#include "score/measure.h"
#include "score/order.h"
#include "score/picture_values.h"
#include <math.h>

enum { RATIOS = GIG_DIFFID_RATIOS };

typedef struct diffid_scene {
    const gig_removal *of;
    const uint32_t *order; /* of the values, ascending by |a| */
    size_t values, target;
} diffid_scene;

/* Point i replaces the least for i < RATIOS, then the most. */
static gig_status make_point(void *payload, size_t index, float *point, size_t *target)
{
    const diffid_scene *s = payload;
    size_t n = s->values, ratio = index % RATIOS + 1, replaced = (n * ratio + 5) / 10;
    size_t first = index < RATIOS ? 0 : n - replaced;
    double kept = 0;
    for (size_t i = 0; i < n; i++) point[i] = s->of->picture[i];
    for (size_t r = 0; r < n; r++)
        if (r < first || r >= first + replaced) kept += (double)point[s->order[r]];
    float mean = n > replaced ? (float)(kept / (double)(n - replaced)) : 0.0f;
    for (size_t r = first; r < first + replaced; r++) point[s->order[r]] = mean;
    *target = s->target;
    return GIG_OK;
}

static void list_magnitudes(float *out, const gig_removal *of)
{
    size_t pixels = of->height * of->width;
    for (size_t p = 0; p < pixels; p++)
        for (size_t c = 0; c < of->channels; c++)
            out[p * of->channels + c] =
                fabsf(of->attribution[p * of->attribution_channels + (of->attribution_channels > 1 ? c : 0)]);
}

gig_status gig_diffid(double *out, double *values, gig_functions functions, size_t target, const gig_removal *removal)
{
    GIG_TRY(gig_removal_check(removal));
    size_t n = removal->height * removal->width * removal->channels;
    double found[2 * RATIOS];
    float *magnitudes = gig_alloc(n, sizeof *magnitudes);
    uint32_t *order = magnitudes ? gig_alloc(n, sizeof *order) : NULL;
    gig_status status = order ? GIG_OK : gig_alloc_status();
    if (status == GIG_OK) list_magnitudes(magnitudes, removal);
    if (status == GIG_OK) status = gig_order_ascending(order, magnitudes, n);
    diffid_scene scene = {removal, order, n, target};
    if (status == GIG_OK) status = gig_values(found, functions, n, 2 * RATIOS, make_point, &scene);
    gig_free(order);
    gig_free(magnitudes);
    if (status != GIG_OK) return status;
    *out = 0;
    for (size_t i = 0; i < RATIOS; i++) *out += (found[i] - found[RATIOS + i]) / RATIOS;
    for (size_t i = 0; values && i < 2 * RATIOS; i++) values[i] = found[i];
    return GIG_OK;
}

/* ---- the row ---- */

static gig_status measure_diffid(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    (void)metric;
    const gig_scored *scored = with->scored;
    const gig_removal removal = gig_measuring_removal(with, 0);
    return gig_diffid(&out->value, NULL, gig_measuring_probabilities(with), scored->target, &removal);
}

static gig_metric_cost cost(const gig_metric *metric, const gig_metric_cost *map, const gig_metric_cost *chain)
{
    (void)metric, (void)map, (void)chain;
    return (gig_metric_cost){0, 2 * GIG_DIFFID_RATIOS};
}

const gig_metric_row gig_metric_row_diffid = {
    .name = "diffid",
    .help = "Score with the least important values replaced, minus that with the most important ones replaced.",
    .needs = GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_FUNCTION,
    .measure = measure_diffid,
    .cost = cost};
