/* SPDX-License-Identifier: Apache-2.0 */
/* ReLU, addition and concatenation in whatever layout their inputs have. */
#include "network/plan.h"

static const gig_op *op_of(const gig_plan *plan, size_t s)
{
    return &plan->ops[plan->steps[s].op];
}

/* ---- ReLU: the sign of the output is kept as bits, the output itself is not needed again ---- */

static gig_status relu_forward(gig_plan *plan, size_t s, int *taken)
{
    const gig_op *op = op_of(plan, s);
    gig_cell *in = &plan->cells[op->node->inputs[0]], *out = &plan->cells[op->node->outputs[0]];
    if (in->tensor.type != GIG_FLOAT32) return GIG_OK;
    *taken = 1;
    size_t count = in->layout->bytes / sizeof(float);
    gig_place *mask = gig_plan_alloc(plan, 1, sizeof *mask);
    if (!mask) return gig_alloc_status();
    plan->steps[s].state = mask;
    GIG_TRY(gig_plan_place_over(plan, s, op->node->inputs[0], op->node->outputs[0]));
    GIG_TRY(gig_plan_buffer(mask, plan, (count + 31) / 32 * sizeof(uint32_t)));
    gig_action *action;
    GIG_TRY(gig_plan_call(&action, plan, "Relu", gig_call_relu, count));
    gig_action_place(action, out->data);
    gig_action_place(action, in->data);
    gig_action_place(action, *mask);
    return GIG_OK;
}

static gig_status relu_backward(gig_plan *plan, size_t s)
{
    const gig_op *op = op_of(plan, s);
    gig_cell *out = &plan->cells[op->node->outputs[0]];
    gig_action *action;
    gig_call call = plan->guided ? gig_call_unmask_guided : gig_call_unmask;
    GIG_TRY(gig_plan_call(&action, plan, "Relu", call, out->layout->bytes / sizeof(float)));
    gig_action_place(action, out->diff);
    gig_action_place(action, *(gig_place *)plan->steps[s].state);
    return gig_plan_diff_take(plan, op->node->inputs[0], out->layout, out->diff);
}

static const gig_step_class relu_class = {relu_forward, relu_backward};
const gig_fast gig_fast_relu = {.step = &relu_class};

/* ---- addition of two values of one shape ---- */

static gig_status add_forward(gig_plan *plan, size_t s, int *taken)
{
    const gig_op *op = op_of(plan, s);
    if (op->in_count != 2 || op->in[0]->data || op->in[1]->data || op->in[0]->type != GIG_FLOAT32 ||
        !gig_same_dims(op->in[0], op->in[1]))
        return GIG_OK;
    *taken = 1;
    int a = op->node->inputs[0], b = op->node->inputs[1], sum = op->node->outputs[0];
    gig_cell *first = &plan->cells[a], *out = &plan->cells[sum];
    gig_place second;
    GIG_TRY(gig_plan_data_as(&second, plan, b, first->layout));
    GIG_TRY(gig_plan_place_over(plan, s, a, sum));
    gig_action *action;
    GIG_TRY(gig_plan_call(&action, plan, "Add", gig_call_add_to, first->layout->bytes / sizeof(float)));
    gig_action_place(action, out->data);
    gig_action_place(action, first->data);
    gig_action_place(action, second);
    return GIG_OK;
}

static gig_status add_backward(gig_plan *plan, size_t s)
{
    const gig_op *op = op_of(plan, s);
    const gig_cell *out = &plan->cells[op->node->outputs[0]];
    int a = op->node->inputs[0], b = op->node->inputs[1];
    if (plan->cells[b].depends) GIG_TRY(gig_plan_diff_copy(plan, b, out->layout, out->diff));
    return plan->cells[a].depends ? gig_plan_diff_take(plan, a, out->layout, out->diff) : GIG_OK;
}

static const gig_step_class add_class = {add_forward, add_backward};
const gig_fast gig_fast_add = {.step = &add_class};

/* ---- concatenation of channels in channel blocks ---- */

static gig_status part_layout(const gig_layout **out, const gig_plan *plan, const gig_op *op, size_t i, size_t offset)
{
    const gig_cell *whole = &plan->cells[op->node->outputs[0]];
    return gig_layout_part(out, plan->engine, whole->layout, (int64_t)offset, op->in[i]->dims[1]);
}

/* Block size when some part comes in channel blocks and all parts' channels are multiples of it, else 0. */
static int common_block(const gig_plan *plan, const gig_op *op)
{
    int block = 0;
    for (size_t i = 0; i < op->in_count; i++) {
        if (!op->in[i] || op->in[i]->data || op->in[i]->rank < 3) return 0;
        int own = plan->cells[op->node->inputs[i]].layout->channel_block;
        if (own && block && own != block) return 0;
        if (own) block = own;
    }
    for (size_t i = 0; block && i < op->in_count; i++)
        if (op->in[i]->dims[1] % block) return 0;
    return block;
}

static gig_status concat_forward(gig_plan *plan, size_t s, int *taken)
{
    const gig_op *op = op_of(plan, s);
    gig_cell *out = &plan->cells[op->node->outputs[0]];
    int64_t axis = gig_node_int(op->node, "axis", 1);
    int rank = out->tensor.rank;
    if ((axis != 1 && axis != 1 - rank) || out->tensor.type != GIG_FLOAT32 || rank < 3 || rank > 5) return GIG_OK;
    int homes = out->placed; /* some part already lies in the joint buffer */
    int block = homes ? out->joint_block : common_block(plan, op);
    if (block != 8 && block != 16) return GIG_OK;
    *taken = 1;
    const gig_layout *joint;
    GIG_TRY(gig_layout_blocked(&joint, plan->engine, rank, out->tensor.dims, block));
    if (homes)
        out->layout = joint;
    else
        GIG_TRY(gig_plan_place(plan, op->node->outputs[0], joint));
    size_t offset = 0;
    for (size_t i = 0; i < op->in_count; i++) {
        const gig_cell *part = &plan->cells[op->node->inputs[i]];
        if (part->home != op->node->outputs[0]) {
            const gig_layout *layout;
            GIG_TRY(part_layout(&layout, plan, op, i, offset));
            GIG_TRY(gig_plan_reorder(plan, "Concat", part->layout, part->data, layout, out->data));
        }
        offset += (size_t)op->in[i]->dims[1];
    }
    return GIG_OK;
}

static gig_status concat_backward(gig_plan *plan, size_t s)
{
    const gig_op *op = op_of(plan, s);
    const gig_cell *out = &plan->cells[op->node->outputs[0]];
    size_t offset = 0;
    for (size_t i = 0; i < op->in_count; i++) {
        int cell = op->node->inputs[i];
        const gig_cell *part = &plan->cells[cell];
        if (part->home == op->node->outputs[0]) {
            gig_place place = out->diff;
            place.offset += part->home_offset * sizeof(float);
            GIG_TRY(gig_plan_diff_take(plan, cell, part->layout, place));
        } else if (part->depends) {
            const gig_layout *layout;
            gig_place place;
            GIG_TRY(part_layout(&layout, plan, op, i, offset));
            GIG_TRY(gig_plan_diff_begin(&place, plan, cell, part->layout));
            GIG_TRY(gig_plan_reorder(plan, "Concat", layout, out->diff, part->layout, place));
            GIG_TRY(gig_plan_diff_end(plan, cell, part->layout, place));
        }
        offset += (size_t)op->in[i]->dims[1];
    }
    return GIG_OK;
}

static const gig_step_class concat_class = {concat_forward, concat_backward};
const gig_fast gig_fast_concat = {.step = &concat_class};
