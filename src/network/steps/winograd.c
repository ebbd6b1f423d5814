/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions by winograd.c as actions of a plan. */
#include "network/kernels/winograd.h"
#include <string.h>

/* Is an operator with a kink at 0 next, fused or as a reader? */
static int meets_a_kink(const gig_plan *plan, const gig_step *step)
{
    int reader = plan->cells[step->out].reader;
    const gig_operator *row = reader < 0 ? NULL : plan->ops[reader].row;
    if (row && row->flags & GIG_OP_HAS_KINK) return 1;
    return step->relu;
}

/* [o, i, window]: is channel o anything but 0? */
static int has_weights(const gig_tensor *weights, size_t o)
{
    size_t count = gig_tensor_count(weights) / (size_t)weights->dims[0];
    for (size_t i = 0; i < count; i++)
        if (weights->real[o * count + i] != 0.0f) return 1;
    return 0;
}

int gig_winograd_blurs_zeros(const gig_plan *plan, const gig_step *step)
{
    if (!meets_a_kink(plan, step)) return 0;
    for (size_t o = 0; o < (size_t)step->weights.dims[0]; o++)
        if ((!step->bias.data || step->bias.real[o] == 0.0f) && has_weights(&step->weights, o)) return 1;
    return 0;
}

int gig_winograd_takes(gig_winograd *out, const gig_plan *plan, const gig_geometry *g, const gig_layout *src,
                       const gig_layout *dst, int backward)
{
    return plan->options->operator_threads <= 1 && src->type == GIG_NUMBER_F32 && src->channel_block == 8 &&
           dst->channel_block == 8 && gig_winograd_fits(out, g, backward);
}

static gig_status transform(gig_winograd *self, gig_plan *plan, const gig_step *step)
{
    float *weights = gig_plan_alloc(plan, gig_winograd_weights_count(self), sizeof *weights);
    if (!weights) return gig_alloc_status();
    gig_winograd_transform(weights, self, step->weights.real);
    self->weights = weights;
    return GIG_OK;
}

gig_status gig_winograd_emit(const gig_winograd **made, gig_plan *plan, const gig_winograd *how,
                             const gig_winograd *forward, const gig_step *step, gig_place from, gig_place to)
{
    gig_winograd *self = gig_plan_alloc(plan, 1, sizeof *self);
    gig_place scratch;
    gig_action *action;
    if (!self) return gig_alloc_status();
    *self = *how;
    *made = self;
    if (!forward || !gig_winograd_share(self, forward)) GIG_TRY(transform(self, plan, step));
    GIG_TRY(gig_plan_buffer(&scratch, plan, gig_winograd_scratch_bytes(how)));
    GIG_TRY(gig_plan_call(&action, plan, "Conv", gig_call_winograd, gig_winograd_results(how)));
    action->self = self;
    action->flops = how->g->flops;
    gig_action_place(action, to);
    gig_action_place(action, from);
    gig_action_place(action, scratch);
    return GIG_OK;
}
