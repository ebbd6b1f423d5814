/* SPDX-License-Identifier: Apache-2.0 */
/* Ops -> steps: a convolution is fused with a BatchNormalization, an addition and a ReLU that follow it; a matrix
 * product with a bias row and an activation. */
#include "network/plan.h"
#include "network/window.h"
#include <math.h>
#include <string.h>

int gig_plan_only_reader(const gig_plan *plan, int cell)
{
    const gig_cell *value = &plan->cells[cell];
    if (value->kept || value->uses != 1 || value->reader < 0) return -1;
    return plan->ops[value->reader].row ? value->reader : -1;
}

static int is(const gig_op *op, gig_kind kind)
{
    return op->row && op->row->kind == kind;
}

static int is_real_constant(const gig_tensor *tensor)
{
    return tensor && tensor->data && tensor->type == GIG_FLOAT32;
}

static int can_start(const gig_plan *plan, const gig_op *op)
{
    return is(op, GIG_KIND_CONV) && gig_window_is_ordinary(op->params) && !op->in[0]->data &&
           is_real_constant(op->in[1]) && (op->in_count < 3 || !op->in[2] || is_real_constant(op->in[2])) &&
           plan->cells[op->node->inputs[0]].tensor.type == GIG_FLOAT32;
}

/* W'[o] = W[o] s[o], b'[o] = (b[o] - mean[o]) s[o] + shift[o], s = scale / sqrt(variance + epsilon). */
static gig_status fold_normalization(gig_step *step, const gig_op *norm)
{
    float epsilon = gig_node_real(norm->node, "epsilon", 1e-5f);
    gig_tensor weights, bias;
    int64_t channels = step->weights.dims[0];
    GIG_TRY(gig_tensor_copy(&weights, &step->weights));
    gig_status status = gig_tensor_create(&bias, GIG_FLOAT32, 1, &channels);
    if (status != GIG_OK) {
        gig_tensor_clear(&weights);
        return status;
    }
    size_t per = gig_tensor_count(&weights) / (size_t)channels;
    const float *scale = norm->in[1]->real, *shift = norm->in[2]->real, *mean = norm->in[3]->real,
                *variance = norm->in[4]->real;
    for (int64_t o = 0; o < channels; o++) {
        double s = scale[o] / sqrt((double)variance[o] + (double)epsilon);
        double b = step->bias.data ? step->bias.real[o] : 0.0;
        for (size_t i = 0; i < per; i++)
            weights.real[(size_t)o * per + i] = (float)(weights.real[(size_t)o * per + i] * s);
        bias.real[o] = (float)((b - mean[o]) * s + shift[o]);
    }
    if (step->folded) {
        gig_tensor_clear(&step->weights);
        gig_tensor_clear(&step->bias);
    }
    step->weights = weights;
    step->bias = bias;
    step->folded = 1;
    return GIG_OK;
}

static int foldable_normalization(const gig_op *op, int64_t channels)
{
    if (!is(op, GIG_KIND_BATCH_NORM) || op->in_count < 5) return 0;
    for (size_t i = 1; i < 5; i++)
        if (!is_real_constant(op->in[i]) || gig_tensor_count(op->in[i]) != (size_t)channels) return 0;
    for (size_t i = 1; i < op->out_count; i++)
        if (op->out[i]) return 0;
    return 1;
}

/* Addition of two values of one shape that both depend on run-time data; *other is the second one. */
static int addition_with(const gig_plan *plan, const gig_op *op, int cell, int *other)
{
    if (!is(op, GIG_KIND_ADD) || op->in_count != 2 || op->in[0]->data || op->in[1]->data) return 0;
    if (!gig_same_dims(op->in[0], op->in[1]) || op->in[0]->type != GIG_FLOAT32) return 0;
    *other = op->node->inputs[0] == cell ? op->node->inputs[1] : op->node->inputs[0];
    return *other != cell && plan->cells[*other].tensor.type == GIG_FLOAT32;
}

static void absorb(gig_plan *plan, gig_step *step, size_t n, size_t *position)
{
    step->out = plan->ops[n].node->outputs[0];
    plan->ops[n].row = NULL;
    *position = n;
}

/* Follows the chain behind the convolution; *position is the node in whose place the step runs. */
static gig_status extend(gig_plan *plan, gig_step *step, size_t *position)
{
    for (;;) {
        int reader = gig_plan_only_reader(plan, step->out);
        if (reader < 0) return GIG_OK;
        const gig_op *next = &plan->ops[reader];
        int other;
        if (!step->relu && step->other < 0 && foldable_normalization(next, step->weights.dims[0])) {
            GIG_TRY(fold_normalization(step, next));
            absorb(plan, step, (size_t)reader, position);
        } else if (!step->relu && step->other < 0 && addition_with(plan, next, step->out, &other)) {
            step->other = other;
            absorb(plan, step, (size_t)reader, position);
        } else if (!step->relu && is(next, GIG_KIND_RELU)) {
            step->relu = 1;
            absorb(plan, step, (size_t)reader, position);
        } else {
            return GIG_OK;
        }
    }
}

static gig_status convolution_step(gig_plan *plan, size_t n, gig_step *step, size_t *position)
{
    const gig_op *op = &plan->ops[n];
    step->weights = *op->in[1];
    if (op->in_count > 2 && op->in[2]) step->bias = *op->in[2];
    return plan->plain ? GIG_OK : extend(plan, step, position);
}

/* ---- products with constant weights ---- */

/* The op adds a constant row to the value, whose last dim it has. */
static int adds_row(gig_tensor *row, const gig_op *op, int cell)
{
    if (!is(op, GIG_KIND_ADD) || op->in_count != 2) return 0;
    int side = op->node->inputs[0] != cell;
    const gig_tensor *value = op->in[side], *other = op->in[!side];
    int64_t columns = value->dims[value->rank - 1];
    if (!is_real_constant(other) || !gig_same_dims(value, op->out[0]) || !other->rank) return 0;
    if (other->dims[other->rank - 1] != columns || gig_tensor_count(other) != (size_t)columns) return 0;
    *row = *other;
    return 1;
}

/* A row that is added, and an activation that keeps its slopes. Gemm has a row of its own. */
static void product_step(gig_plan *plan, const gig_op *op, gig_step *step, size_t *position)
{
    int reader = gig_plan_only_reader(plan, step->out);
    if (reader >= 0 && !is(op, GIG_KIND_GEMM) && adds_row(&step->bias, &plan->ops[reader], step->out)) {
        absorb(plan, step, (size_t)reader, position);
        reader = gig_plan_only_reader(plan, step->out);
    }
    gig_op *next = reader < 0 ? NULL : &plan->ops[reader];
    if (!next || !next->row->gate) return;
    gig_op *gate = gig_plan_alloc(plan, 1, sizeof *gate);
    if (!gate) return; /* it stays a step of its own */
    *gate = *next;
    step->gate = gate;
    absorb(plan, step, (size_t)reader, position);
}

gig_status gig_plan_fuse(gig_plan *plan)
{
    size_t nodes = plan->model->node_count;
    plan->steps = gig_plan_alloc(plan, nodes + 1, sizeof *plan->steps);
    int *at = gig_plan_alloc(plan, nodes + 1, sizeof *at); /* step (plus 1) that runs in a node's place */
    gig_step *made = gig_plan_alloc(plan, nodes + 1, sizeof *made);
    if (!plan->steps || !at || !made) return gig_alloc_status();
    gig_status status = GIG_OK;
    size_t count = 0;
    for (size_t n = 0; n < nodes && status == GIG_OK; n++) {
        gig_op *op = &plan->ops[n];
        if (!op->row) continue;
        gig_step *step = &made[count];
        size_t first = 0;
        while (!op->out[first]) first++; /* one is wanted: lower.c has ensured it */
        *step = (gig_step){.op = (int)n, .out = op->node->outputs[first], .other = -1};
        size_t position = n;
        if (can_start(plan, op)) status = convolution_step(plan, n, step, &position);
        if (!plan->plain && gig_is_product(op)) product_step(plan, op, step, &position);
        at[position] = (int)++count;
    }
    /* Even after a failure, so that folded weights are found and freed. */
    for (size_t n = 0; n < nodes; n++)
        if (at[n]) plan->steps[plan->step_count++] = made[at[n] - 1];
    return status;
}
