/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions by pointwise.c as actions of a plan. */
#include "network/kernels/pointwise.h"

/* In vectors of 8 oneDNN's kernel is a little faster; but portable results must have the bits of CPUs with wider ones,
 * whichever kernel oneDNN has. */
static int is_wanted(void)
{
    return gig_cpu_has_wide_vectors() || gig_cpu_is_portable();
}

int gig_pointwise_takes(gig_pointwise *out, const gig_plan *plan, const gig_geometry *g, const gig_layout *src,
                        const gig_layout *dst, int backward)
{
    return is_wanted() && plan->options->operator_threads <= 1 && src->type == GIG_NUMBER_F32 &&
           src->channel_block == 8 && dst->channel_block == 8 && gig_pointwise_fits(out, g, backward);
}

gig_status gig_pointwise_emit(gig_plan *plan, const gig_pointwise *how, const gig_step *step, gig_place from,
                              gig_place to)
{
    gig_pointwise *self = gig_plan_alloc(plan, 1, sizeof *self);
    float *weights = gig_plan_alloc(plan, how->depth * how->columns, sizeof *weights);
    if (!self || !weights) return gig_alloc_status();
    gig_pointwise_pack(weights, how, step->weights.real);
    *self = *how;
    self->weights = weights;
    gig_action *action;
    gig_place scratch = GIG_NO_PLACE;
    size_t floats = gig_pointwise_scratch(how),
           results = how->batch * how->columns * (how->backward ? how->far[0] * how->far[1] : how->places);
    if (floats) GIG_TRY(gig_plan_buffer(&scratch, plan, floats * sizeof(float)));
    GIG_TRY(gig_plan_call(&action, plan, "Conv", gig_call_pointwise, results));
    action->self = self;
    action->flops = how->g->flops;
    gig_action_place(action, to);
    gig_action_place(action, from);
    if (floats) gig_action_place(action, scratch);
    return GIG_OK;
}
