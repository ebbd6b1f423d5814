/* SPDX-License-Identifier: Apache-2.0 */
/* Steps -> actions: forward in order, then backward in reverse. Each step goes to the first class that takes it. */
#include "network/plan.h"
#include <string.h>

static gig_status name_step(gig_status status, const gig_plan *plan, const gig_step *step)
{
    char text[160];
    return gig_fail_in(status, "%s", gig_node_text(text, sizeof text, plan->ops[step->op].node));
}

/* ---- what reads what ---- */

static void note_reads(gig_plan *plan)
{
    for (size_t i = 0; i < plan->model->value_count; i++) plan->cells[i].last_step = -1;
    for (size_t s = 0; s < plan->step_count; s++) {
        const gig_step *step = &plan->steps[s];
        const gig_op *op = &plan->ops[step->op];
        for (size_t i = 0; i < op->in_count; i++)
            if (op->in[i]) plan->cells[op->node->inputs[i]].last_step = (int)s;
        if (step->other >= 0) plan->cells[step->other].last_step = (int)s;
    }
}

int gig_plan_last_use(const gig_plan *plan, int cell, size_t step)
{
    const gig_cell *value = &plan->cells[cell];
    return !value->kept && !value->shared && !value->needed_again && value->last_step <= (int)step;
}

/* ---- parts of a Concat are written where they belong ---- */

/* Concatenated channels of one picture are consecutive in memory, also in blocks: a part needs no copy. */
static void find_homes(gig_plan *plan, const gig_step *step)
{
    const gig_op *op = &plan->ops[step->op];
    if (op->row->kind != GIG_KIND_CONCAT || op->out[0]->type != GIG_FLOAT32) return;
    int rank = op->out[0]->rank;
    int64_t axis = gig_node_int(op->node, "axis", 1);
    if (axis < 0) axis += rank;
    if (axis != 1 || rank < 3 || op->out[0]->dims[0] != 1) return;
    for (size_t i = 0; i < op->in_count; i++)
        if (op->in[i]->data || op->in[i]->dims[1] % 16) return; /* any block size that oneDNN may choose divides them */
    size_t offset = 0;
    for (size_t i = 0; i < op->in_count; i++) {
        gig_cell *part = &plan->cells[op->node->inputs[i]];
        if (!part->tensor.data && part->producer >= 0 && part->home < 0 && part->uses == 1 && !part->kept) {
            part->home = step->out;
            part->home_offset = offset;
        }
        offset += gig_tensor_count(&part->tensor);
    }
}

/* ---- classes ---- */

const gig_fast *gig_fast_of(const gig_op *op)
{
    const gig_fast *fast = op->row->fast;
    return fast && fast->forward && (!fast->takes || fast->takes(op)) ? fast : NULL;
}

static const gig_step_class *class_of(const gig_plan *plan, const gig_op *op)
{
    if (op->row->flags & GIG_OP_VIEW) return &gig_step_view;
    return op->row->fast && !plan->plain ? op->row->fast->step : NULL;
}

static gig_status emit_forward(gig_plan *plan, size_t s)
{
    gig_step *step = &plan->steps[s];
    int taken = 0;
    plan->emitting.node = plan->ops[step->op].node;
    step->class = class_of(plan, &plan->ops[step->op]);
    if (step->class) GIG_TRY(step->class->forward(plan, s, &taken));
    if (taken) return GIG_OK;
    step->class = &gig_step_plain;
    return gig_step_plain.forward(plan, s, &taken);
}

static int differentiable(const gig_plan *plan, const gig_step *step)
{
    const gig_op *op = &plan->ops[step->op];
    if (op->row->flags & GIG_OP_NO_GRADIENT) return 0;
    if (step->class == &gig_step_plain) {
        for (size_t i = 0; i < op->out_count; i++)
            if (op->out[i] && plan->cells[op->node->outputs[i]].diff_started) return 1;
        return 0;
    }
    return plan->cells[step->out].diff_started;
}

/* ---- the point, the output, what is kept ---- */

static gig_status start(gig_plan *plan)
{
    for (size_t p = 0; p < plan->part_count; p++) {
        gig_cell *point = &plan->cells[plan->parts[p].cell];
        GIG_TRY(gig_layout_plain(&point->layout, plan->engine, &point->tensor));
        GIG_TRY(gig_plan_buffer(&point->data, plan, gig_tensor_bytes(&point->tensor)));
        point->placed = point->shared = 1;
        plan->buffers[point->data.buffer].pinned = 1;
    }
    return GIG_OK;
}

/* Copies a kept value to row-major memory that stays until the end of the run. */
static gig_status hold(gig_plan *plan, int cell)
{
    gig_cell *value = &plan->cells[cell];
    if (value->tensor.data) return GIG_OK;
    gig_place plain;
    GIG_TRY(gig_plan_data_plain(&plain, plan, cell));
    if (plain.buffer < 0) return gig_fail(GIG_EARG, "nothing computes \"%.80s\"", value->name);
    plan->buffers[plain.buffer].pinned = 1;
    if (value->tensor.type == GIG_FLOAT32 && !value->layout->plain)
        value->held = plain;
    else
        value->held = value->data;
    return GIG_OK;
}

static gig_status hold_kept(gig_plan *plan)
{
    for (size_t i = 0; i < plan->model->value_count; i++)
        if (plan->cells[i].kept) GIG_TRY(hold(plan, (int)i));
    return GIG_OK;
}

/* The gradient of a kept value, once it is complete, copied to where it survives. */
static gig_status hold_gradient(gig_plan *plan, int cell)
{
    gig_cell *value = &plan->cells[cell];
    if (!(value->kept & GIG_KEPT_BY_NAME) || !value->diff_started || value->held_diff.buffer >= 0) return GIG_OK;
    const gig_layout *plain;
    GIG_TRY(gig_layout_plain(&plain, plan->engine, &value->tensor));
    GIG_TRY(gig_plan_buffer(&value->held_diff, plan, plain->bytes));
    plan->buffers[value->held_diff.buffer].pinned = 1;
    return gig_plan_reorder(plan, "Keep", value->layout, value->diff, plain, value->held_diff);
}

static gig_status emit_backward(gig_plan *plan)
{
    gig_cell *logits = &plan->cells[plan->logits];
    plan->emitting.backward = 1;
    if (logits->tensor.data || logits->tensor.type != GIG_FLOAT32 || !logits->depends) return GIG_OK;
    const gig_layout *plain;
    GIG_TRY(gig_layout_plain(&plain, plan->engine, &logits->tensor));
    GIG_TRY(gig_plan_buffer(&plan->seed, plan, plain->bytes));
    plan->buffers[plan->seed.buffer].pinned = 1; /* written by the head, before the first backward action */
    GIG_TRY(gig_plan_diff_take(plan, plan->logits, plain, plan->seed));
    for (size_t s = plan->step_count; s-- > 0;) {
        const gig_step *step = &plan->steps[s];
        const gig_op *op = &plan->ops[step->op];
        plan->emitting.node = op->node;
        GIG_TRY(hold_gradient(plan, step->out));
        for (size_t i = 0; i < op->out_count; i++)
            if (op->out[i]) GIG_TRY(hold_gradient(plan, op->node->outputs[i]));
        if (!differentiable(plan, step)) continue;
        gig_status status = step->class->backward(plan, s);
        if (status != GIG_OK) return name_step(status, plan, step);
    }
    return GIG_OK;
}

/* The point's gradient ends in plain memory, whatever wrote it. */
static void finish(gig_plan *plan)
{
    for (size_t p = 0; p < plan->part_count; p++) {
        const gig_cell *point = &plan->cells[plan->parts[p].cell];
        if (!point->diff_started) continue; /* the output does not depend on it: zero */
        plan->parts[p].gradient = point->diff;
        plan->buffers[point->diff.buffer].pinned = 1;
    }
}

gig_status gig_plan_emit(gig_plan *plan)
{
    note_reads(plan);
    GIG_TRY(start(plan));
    for (size_t s = 0; s < plan->step_count && !plan->plain; s++) find_homes(plan, &plan->steps[s]);
    for (size_t s = 0; s < plan->step_count; s++) {
        gig_status status = emit_forward(plan, s);
        if (status != GIG_OK) return name_step(status, plan, &plan->steps[s]);
    }
    GIG_TRY(hold_kept(plan));
    GIG_TRY(emit_backward(plan));
    finish(plan);
    return GIG_OK;
}
