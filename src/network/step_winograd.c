/* Convolutions by winograd.c as actions of a plan. */
#include "network/winograd.h"

int gig_winograd_takes(gig_winograd *out, const gig_plan *plan, const gig_geometry *g, const dnnl_memory_desc_t *src,
                       const dnnl_memory_desc_t *dst, int backward)
{
    return plan->options->operator_threads <= 1 && src->data_type == dnnl_f32 && gig_md_channel_block(src) == 8 &&
           gig_md_channel_block(dst) == 8 && gig_winograd_fits(out, g, backward);
}

gig_status gig_winograd_emit(gig_plan *plan, const gig_winograd *how, const gig_step *step, gig_place from,
                             gig_place to)
{
    gig_winograd *self = gig_plan_alloc(plan, 1, sizeof *self);
    float *weights = gig_plan_alloc(plan, gig_winograd_weights_count(how), sizeof *weights);
    gig_place scratch;
    gig_action *action;
    if (!self || !weights) return gig_alloc_status();
    *self = *how;
    self->weights = weights;
    gig_winograd_transform(weights, how, step->weights.real);
    GIG_TRY(gig_plan_buffer(&scratch, plan, gig_winograd_scratch_bytes(how)));
    GIG_TRY(gig_plan_call(&action, plan, "Conv", gig_call_winograd, 0));
    action->self = self;
    action->flops = how->g->flops;
    gig_action_place(action, from);
    gig_action_place(action, to);
    gig_action_place(action, scratch);
    return GIG_OK;
}
