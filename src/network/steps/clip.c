/* SPDX-License-Identifier: Apache-2.0 */
/* Clip between constant bounds, in whatever layout its input has. Where the value was between them is kept as bits, as
 * the sign of a ReLU is; neither the value nor its input is needed again. */
#include "network/plan.h"
#include <float.h>
#include <math.h>

typedef struct clip_state {
    float bounds[2];
    gig_place mask;
} clip_state;

/* Whether both are known now: attributes before opset 11, constant inputs since, or none. */
static int find_bounds(float bounds[2], const gig_op *op)
{
    bounds[0] = gig_node_real(op->node, "min", op->node->opset < 11 ? -FLT_MAX : -INFINITY);
    bounds[1] = gig_node_real(op->node, "max", op->node->opset < 11 ? FLT_MAX : INFINITY);
    for (size_t i = 1; i < op->in_count && i < 3; i++) {
        if (!op->in[i]) continue;
        if (!op->in[i]->data) return 0;
        bounds[i - 1] = op->in[i]->real[0];
    }
    return bounds[0] <= bounds[1];
}

static gig_status clip_forward(gig_plan *plan, size_t s, int *taken)
{
    const gig_op *op = &plan->ops[plan->steps[s].op];
    gig_cell *in = &plan->cells[op->node->inputs[0]], *out = &plan->cells[op->node->outputs[0]];
    clip_state found;
    if (in->tensor.type != GIG_FLOAT32 || in->tensor.data || !find_bounds(found.bounds, op)) return GIG_OK;
    if (in->layout->padded && !(found.bounds[0] <= 0.0f && found.bounds[1] >= 0.0f)) return GIG_OK; /* padding is 0 */
    clip_state *state = gig_plan_alloc(plan, 1, sizeof *state);
    if (!state) return gig_alloc_status();
    *taken = 1;
    *state = found;
    plan->steps[s].state = state;
    size_t count = in->layout->bytes / sizeof(float);
    GIG_TRY(gig_plan_place_over(plan, s, op->node->inputs[0], op->node->outputs[0]));
    GIG_TRY(gig_plan_buffer(&state->mask, plan, (count + 31) / 32 * sizeof(uint32_t)));
    gig_action *action;
    GIG_TRY(gig_plan_call(&action, plan, "Clip", gig_call_clip, count));
    action->self = state->bounds;
    gig_action_place(action, out->data);
    gig_action_place(action, in->data);
    gig_action_place(action, state->mask);
    return GIG_OK;
}

static gig_status clip_backward(gig_plan *plan, size_t s)
{
    const gig_op *op = &plan->ops[plan->steps[s].op];
    const clip_state *state = plan->steps[s].state;
    const gig_cell *out = &plan->cells[op->node->outputs[0]];
    gig_action *action;
    GIG_TRY(gig_plan_call(&action, plan, "Clip", gig_call_unmask, out->layout->bytes / sizeof(float)));
    gig_action_place(action, out->diff);
    gig_action_place(action, state->mask);
    return gig_plan_diff_take(plan, op->node->inputs[0], out->layout, out->diff);
}

static const gig_step_class clip_class = {clip_forward, clip_backward};
const gig_fast gig_fast_clip = {.step = &clip_class};
