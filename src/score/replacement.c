/* SPDX-License-Identifier: Apache-2.0 */
/* Insertion and deletion (Petsiuk et al. 2018): pixels of one picture are replaced by those of another in the order of
 * a map, and the model is asked after every step. */
#include "base/memory.h"
#include "base/status.h"
#include "gig/score.h"
#include "score/order.h"
#include "score/values.h"

enum { USUAL_STEPS = 100, MOST_STEPS = 1000000 };

typedef struct scene {
    const gig_replacement *job;
    const uint32_t *order; /* largest first */
    size_t steps, target;
} scene;

static gig_status make_point(void *payload, size_t step, float *point, size_t *target)
{
    const scene *s = payload;
    const gig_replacement *job = s->job;
    size_t channels = job->channels, replaced = step * job->pixels / s->steps;
    for (size_t i = 0; i < job->pixels * channels; i++) point[i] = job->from ? job->from[i] : 0.0f;
    for (size_t r = 0; r < replaced; r++) {
        size_t at = s->order[r] * channels;
        for (size_t c = 0; c < channels; c++) point[at + c] = job->to ? job->to[at + c] : 0.0f;
    }
    *target = s->target;
    return GIG_OK;
}

/* Descending, equal values by rising index: the ascending order of the negated map. */
static gig_status order_descending(uint32_t *order, const float *map, size_t pixels)
{
    float *negated = gig_alloc(pixels, sizeof *negated);
    if (!negated) return gig_alloc_status();
    for (size_t i = 0; i < pixels; i++) negated[i] = -map[i];
    gig_status status = gig_order_ascending(order, negated, pixels);
    gig_free(negated);
    return status;
}

gig_status gig_replacement_score(double *area, double *values, size_t workers, const gig_function *functions,
                                 size_t target, const gig_replacement *replacement)
{
    size_t steps = replacement->steps ? replacement->steps : USUAL_STEPS, pixels = replacement->pixels;
    if (steps > MOST_STEPS) return gig_fail(GIG_ELIMIT, "%zu steps exceed %d", steps, MOST_STEPS);
    if (!replacement->map || !pixels || !replacement->channels) return gig_fail(GIG_EARG, "no map, or no pixels");
    GIG_TRY(gig_map_check(replacement->map, pixels));
    double *found = values ? values : gig_alloc(steps + 1, sizeof *found);
    uint32_t *order = gig_alloc(pixels, sizeof *order);
    gig_status status = GIG_OK;
    if (!found || !order) {
        status = gig_alloc_status();
        goto done;
    }
    GIG_TRY_DONE(order_descending(order, replacement->map, pixels));
    scene s = {replacement, order, steps, target};
    GIG_TRY_DONE(gig_values(found, workers, functions, pixels * replacement->channels, steps + 1, make_point, &s));
    *area = gig_curve_area(found, steps);
done:
    gig_free(order);
    if (!values) gig_free(found);
    return status;
}
