/* SPDX-License-Identifier: Apache-2.0 */
/* Which numbers of the output are the classes: one row of them, one vector inside a larger output, or a vector for each
 * pixel of a region. Whether an output holds logits or probabilities, by what computes them. */
#include "network/plan.h"
#include <math.h>
#include <string.h>

/* ---- the classes of an output ---- */

/* Dims of one row of the output, without the batch. Returns the rank. */
static int row_dims(int64_t dims[GIG_MAX_RANK], const gig_plan *plan)
{
    const gig_tensor *output = &plan->cells[plan->output].tensor;
    int skip = output->rank > 0 && output->dims[0] == plan->batch, rank = 0;
    for (int i = skip; i < output->rank; i++) dims[rank++] = output->dims[i];
    return rank;
}

static const char *output_text(char *text, size_t bytes, const gig_plan *plan)
{
    const gig_tensor *output = &plan->cells[plan->output].tensor;
    return gig_dims_text(text, bytes, output->rank, output->dims);
}

static size_t product(const int64_t *dims, int first, int end)
{
    size_t count = 1;
    for (int i = first; i < end; i++) count *= (size_t)dims[i];
    return count;
}

static gig_status classes_of_index(gig_classes *out, const gig_plan *plan, const gig_target *target)
{
    char text[100];
    int64_t dims[GIG_MAX_RANK];
    int rank = row_dims(dims, plan), axis = -1;
    if (target->rank != rank)
        return gig_fail(GIG_EARG, "the index has %d number%s, output \"%.80s\" %s expects %d (without the batch axis)",
                        target->rank, target->rank == 1 ? "" : "s", plan->cells[plan->output].name,
                        output_text(text, sizeof text, plan), rank);
    *out = (gig_classes){.count = 1, .stride = 1, .axis = -1};
    for (int i = 0; i < rank; i++) {
        if (target->index[i] == GIG_TARGET_ALL) {
            if (axis >= 0) return gig_fail(GIG_EARG, "an index has one axis of classes (:) at most");
            axis = i;
            continue;
        }
        if (target->index[i] < 0 || target->index[i] >= dims[i])
            return gig_fail(GIG_EARG, "index %lld of axis %d is outside output \"%.80s\" %s",
                            (long long)target->index[i], i, plan->cells[plan->output].name,
                            output_text(text, sizeof text, plan));
        out->first += (size_t)target->index[i] * product(dims, i + 1, rank);
    }
    if (axis < 0) return GIG_OK;
    out->count = (size_t)dims[axis];
    out->stride = product(dims, axis + 1, rank);
    out->axis = axis;
    return GIG_OK;
}

static gig_status classes_of_region(gig_classes *out, const gig_plan *plan)
{
    char text[100];
    int64_t dims[GIG_MAX_RANK];
    int rank = row_dims(dims, plan), last = plan->options->pixels.nhwc;
    if (rank != 3)
        return gig_fail(GIG_EARG, "a region needs an output [n, classes, height, width]; \"%.80s\" is %s",
                        plan->cells[plan->output].name, output_text(text, sizeof text, plan));
    *out = (gig_classes){.axis = last ? 2 : 0, .count = (size_t)dims[last ? 2 : 0]};
    out->height = (size_t)dims[last ? 0 : 1];
    out->width = (size_t)dims[last ? 1 : 2];
    out->stride = last ? 1 : out->height * out->width;
    out->pixel = last ? out->count : 1;
    return GIG_OK;
}

static gig_status check_weights(const gig_plan *plan, const gig_tensor *weights, size_t numbers)
{
    char text[100], given[100];
    if (!weights || !weights->data) return gig_fail(GIG_EARG, "the target has no weights");
    if (weights->type != GIG_FLOAT32 || gig_tensor_count(weights) != numbers)
        return gig_fail(
            GIG_EARG,
            "weights %s do not fit output \"%.80s\" %s: expected one float per value (without the batch axis)",
            gig_dims_text(given, sizeof given, weights->rank, weights->dims), plan->cells[plan->output].name,
            output_text(text, sizeof text, plan));
    for (size_t i = 0; i < numbers; i++)
        if (!isfinite(weights->real[i]))
            return gig_fail(GIG_ENUMERIC, "weight %zu of the target is %g: expected finite weights", i,
                            (double)weights->real[i]);
    return GIG_OK;
}

gig_status gig_plan_find_classes(gig_plan *plan)
{
    const gig_target *target = &plan->options->target;
    const gig_tensor *output = &plan->cells[plan->output].tensor;
    gig_classes *out = &plan->classes;
    int64_t dims[GIG_MAX_RANK];
    int rank = row_dims(dims, plan), wide = 0;
    plan->numbers = gig_tensor_count(output) / (size_t)plan->batch;
    *out = (gig_classes){.count = plan->numbers, .stride = 1, .axis = -1};
    switch (target->kind) {
    case GIG_TARGET_CLASS:
        for (int i = 0; i < rank; i++) wide += dims[i] != 1;
        out->several = wide > 1;
        return GIG_OK;
    case GIG_TARGET_INDEX: return classes_of_index(out, plan, target);
    case GIG_TARGET_REGION: return classes_of_region(out, plan);
    case GIG_TARGET_WEIGHTS: out->count = 1; return check_weights(plan, target->weights, plan->numbers);
    }
    return gig_fail(GIG_EARG, "unknown kind of target %d", (int)target->kind);
}

gig_status gig_plan_expect_target(const gig_plan *plan)
{
    char text[100];
    int64_t dims[GIG_MAX_RANK];
    if (!plan->classes.several) return GIG_OK;
    int rank = row_dims(dims, plan);
    return gig_fail(GIG_EARG,
                    "output \"%.80s\" %s has more than one value per class; choose a target: %s--index "
                    "(one number, or :%s for a vector of classes) or --weights",
                    plan->cells[plan->output].name, output_text(text, sizeof text, plan),
                    rank == 3 ? "--region (the mean over pixels), " : "", rank == 3 ? ",row,column" : " on one axis");
}

/* ---- what values are ---- */

/* Whether a node only moves, selects or averages numbers: probabilities stay such. */
static int moves_numbers(const gig_op *op)
{
    return (op->row->flags & (GIG_OP_VIEW | GIG_OP_MOVES)) != 0;
}

/* x / sum of x, x = exp of something: a softmax written out. */
static int is_softmax_written_out(const gig_plan *plan, const gig_op *op)
{
    if (op->row->kind != GIG_KIND_DIV || op->in_count != 2) return 0;
    const gig_cell *x = &plan->cells[op->node->inputs[0]], *sum = &plan->cells[op->node->inputs[1]];
    if (x->producer < 0 || sum->producer < 0) return 0;
    const gig_op *exp = &plan->ops[x->producer], *adds = &plan->ops[sum->producer];
    return exp->row && adds->row && exp->row->kind == GIG_KIND_EXP && adds->row->kind == GIG_KIND_REDUCE_SUM &&
           adds->node->inputs[0] == op->node->inputs[0];
}

/* The kind that all inputs which depend on the point share; LOGITS where they differ. */
static gig_output_kind common_kind(const gig_plan *plan, const gig_op *op, const unsigned char *kinds)
{
    int common = GIG_OUTPUT_AUTO;
    for (size_t i = 0; i < op->in_count; i++) {
        int cell = op->node->inputs[i];
        if (cell < 0 || !plan->cells[cell].depends || plan->cells[cell].tensor.type != GIG_FLOAT32) continue;
        if (common == GIG_OUTPUT_AUTO) common = kinds[cell];
        if (common != kinds[cell]) return GIG_OUTPUT_LOGITS;
    }
    return common == GIG_OUTPUT_AUTO ? GIG_OUTPUT_LOGITS : (gig_output_kind)common;
}

static int is_probability(unsigned char kind)
{
    return kind == GIG_OUTPUT_PROBABILITIES || kind == GIG_OUTPUT_SIGMOID;
}

static gig_output_kind kind_of(const gig_plan *plan, const gig_op *op, const unsigned char *kinds)
{
    if (op->row->makes) return op->row->makes;
    if (is_softmax_written_out(plan, op)) return GIG_OUTPUT_PROBABILITIES;
    if (moves_numbers(op)) return common_kind(plan, op, kinds);
    if (op->row->kind == GIG_KIND_MUL && op->in_count == 2 && is_probability(kinds[op->node->inputs[0]]) &&
        is_probability(kinds[op->node->inputs[1]]))
        return GIG_OUTPUT_SIGMOID; /* an object's score times its class's */
    return GIG_OUTPUT_LOGITS;
}

/* In the order of the nodes, so each is looked at once. */
gig_status gig_plan_kind_of_output(gig_output_kind *out, const gig_plan *plan)
{
    unsigned char *kinds = gig_alloc(plan->model->value_count + 1, 1);
    if (!kinds) return gig_alloc_status();
    memset(kinds, GIG_OUTPUT_LOGITS, plan->model->value_count + 1);
    for (size_t n = 0; n < plan->model->node_count; n++) {
        const gig_op *op = &plan->ops[n];
        if (!op->row) continue;
        gig_output_kind kind = kind_of(plan, op, kinds);
        for (size_t i = 0; i < op->out_count; i++)
            if (op->out[i] && op->out[i]->type == GIG_FLOAT32) kinds[op->node->outputs[i]] = (unsigned char)kind;
    }
    *out = (gig_output_kind)kinds[plan->output];
    gig_free(kinds);
    return GIG_OK;
}
