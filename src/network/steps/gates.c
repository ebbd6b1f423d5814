/* SPDX-License-Identifier: Apache-2.0 */
/* Gelu, Mish and Swish in whatever layout their input has. Value and slope share an exponential, so the forward pass
 * computes both; the slopes replace the input, and the gradient is one product. */
#include "network/steps/gates.h"
#include <string.h>

enum { NEAR = 4096 }; /* numbers that stay in the nearest cache while they are copied and mapped */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

gig_status gig_call_gate(const gig_action *action, void *const *pointers)
{
    const gig_op *op = action->self;
    float *values = pointers[0], *through = pointers[1];
    const float *x = action->count > 2 ? pointers[2] : NULL;
    for (size_t first = 0; first < action->elements; first += NEAR) {
        size_t count = least(NEAR, action->elements - first);
        if (x) memcpy(through + first, x + first, count * sizeof *x);
        op->row->gate(op, values + first, through + first, count);
    }
    return GIG_OK;
}

gig_status gig_gate_backward(gig_plan *plan, const gig_op *op, const gig_cell *out, gig_place slopes)
{
    gig_action *action;
    GIG_TRY(gig_plan_call(&action, plan, op->row->name, gig_call_multiply, out->layout->bytes / sizeof(float)));
    gig_action_place(action, out->diff);
    gig_action_place(action, slopes);
    return GIG_OK;
}

static gig_status gate_forward(gig_plan *plan, size_t s, int *taken)
{
    const gig_op *op = &plan->ops[plan->steps[s].op];
    int from = op->node->inputs[0], to = op->node->outputs[0];
    const gig_cell *in = &plan->cells[from];
    gig_place *slopes = gig_plan_alloc(plan, 1, sizeof *slopes);
    if (!slopes) return gig_alloc_status();
    *taken = !in->tensor.data;
    if (!*taken) return GIG_OK;
    int in_place = gig_plan_last_use(plan, from, s);
    *slopes = in->data;
    if (!in_place) GIG_TRY(gig_plan_buffer(slopes, plan, in->layout->bytes));
    GIG_TRY(gig_plan_place(plan, to, in->layout));
    plan->steps[s].state = slopes;
    gig_action *action;
    GIG_TRY(gig_plan_call(&action, plan, op->row->name, gig_call_gate, in->layout->bytes / sizeof(float)));
    action->self = op;
    gig_action_place(action, plan->cells[to].data);
    gig_action_place(action, *slopes);
    if (!in_place) gig_action_place(action, in->data);
    return GIG_OK;
}

static gig_status gate_backward(gig_plan *plan, size_t s)
{
    const gig_op *op = &plan->ops[plan->steps[s].op];
    const gig_cell *out = &plan->cells[op->node->outputs[0]];
    GIG_TRY(gig_gate_backward(plan, op, out, *(const gig_place *)plan->steps[s].state));
    return gig_plan_diff_take(plan, op->node->inputs[0], out->layout, out->diff);
}

static const gig_step_class gate_class = {gate_forward, gate_backward};
const gig_fast gig_fast_gate = {.step = &gate_class};
