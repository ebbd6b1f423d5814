/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisations written out in parts, as exporters for older opsets do:
 *
 *   c = x - mean(x), c / sqrt(mean(c^2) + epsilon) * scale + bias           LayerNormalization
 *   InstanceNormalization of x as [N, groups, rest], * scale + bias         GroupNormalization */
#include "network/plan/join.h"
#include <string.h>

/* The op that makes the value, where it is of this kind and `uses` inputs read the value, nothing else. */
static const gig_op *maker_of(const gig_plan *plan, int cell, gig_kind kind, int uses)
{
    const gig_cell *value = cell < 0 ? NULL : &plan->cells[cell];
    if (!value || value->producer < 0 || value->kept || value->uses != uses || value->tensor.data) return NULL;
    const gig_op *op = &plan->ops[value->producer];
    return gig_op_is(op, kind) && op->node->outputs[0] == cell ? op : NULL;
}

static void add_op(gig_join *join, const gig_plan *plan, const gig_op *op)
{
    join->ops[join->count++] = (size_t)(op - plan->ops);
}

/* ---- scale and bias behind the normalised value ---- */

/* The value's only reader multiplies it (or adds to it) a constant of `count` numbers; the constant's cell, or -1. */
static int then_constant(gig_join *join, const gig_plan *plan, int value, gig_kind kind, size_t count)
{
    int n = gig_plan_only_reader(plan, value);
    const gig_op *op = n < 0 ? NULL : &plan->ops[n];
    if (!op || !gig_op_is(op, kind) || op->in_count != 2) return -1;
    int side = op->node->inputs[0] != value;
    const gig_tensor *constant = op->in[!side];
    if (!constant->data || constant->type != GIG_FLOAT32 || gig_tensor_count(constant) != count) return -1;
    if (!gig_same_dims(op->in[side], op->out[0])) return -1;
    add_op(join, plan, op);
    return op->node->inputs[!side];
}

/* Whether the constant's dims, ones at the front aside, are those of x from `axis` to before `end`, and 1 behind. */
static int runs_along(const gig_tensor *constant, const gig_tensor *x, int axis, int end)
{
    int shift = x->rank - constant->rank;
    for (int d = 0; d < x->rank; d++) {
        int64_t have = d < shift ? 1 : constant->dims[d - shift], wanted = d >= axis && d < end ? x->dims[d] : 1;
        if (have != wanted) return 0;
    }
    return 1;
}

/* Appends Mul and, where there is one, Add; sets inputs 1 and 2. */
static int scaled_and_shifted(gig_join *join, const gig_plan *plan, const gig_tensor *x, int axis, int end)
{
    size_t count = 1;
    for (int d = axis; d < end; d++) count *= (size_t)x->dims[d];
    int value = plan->ops[join->ops[join->count - 1]].node->outputs[0];
    join->inputs[1] = then_constant(join, plan, value, GIG_KIND_MUL, count);
    if (join->inputs[1] < 0 || !runs_along(&plan->cells[join->inputs[1]].tensor, x, axis, end)) return 0;
    value = plan->ops[join->ops[join->count - 1]].node->outputs[0];
    join->inputs[2] = then_constant(join, plan, value, GIG_KIND_ADD, count);
    join->input_count = join->inputs[2] < 0 ? 2 : 3;
    return join->inputs[2] < 0 || runs_along(&plan->cells[join->inputs[2]].tensor, x, axis, end);
}

/* ---- LayerNormalization ---- */

/* The first of the axes over which x was averaged, where these are the last ones and the mean keeps them as 1; -1:
 * otherwise. */
static int mean_axis(const gig_op *mean)
{
    const gig_tensor *x = mean->in[0], *y = mean->out[0];
    if (x->rank != y->rank) return -1;
    int axis = 0;
    while (axis < x->rank && x->dims[axis] == y->dims[axis]) axis++;
    for (int d = axis; d < x->rank; d++)
        if (y->dims[d] != 1) return -1;
    return axis < x->rank ? axis : -1;
}

/* c^2, as a power or as a product with itself. */
static const gig_op *square_of(const gig_plan *plan, int cell, int *centred)
{
    const gig_op *op = maker_of(plan, cell, GIG_KIND_POW, 1);
    if (op && gig_is_number(op->in[1], 2)) *centred = op->node->inputs[0];
    if (op) return gig_is_number(op->in[1], 2) ? op : NULL;
    op = maker_of(plan, cell, GIG_KIND_MUL, 1);
    if (op) *centred = op->node->inputs[0];
    return op && op->node->inputs[0] == op->node->inputs[1] ? op : NULL;
}

/* From the division back to x. */
static int is_layer(gig_join *join, const gig_plan *plan, const gig_op *div)
{
    int c = div->node->inputs[0], squared = -1;
    const gig_op *root = maker_of(plan, div->node->inputs[1], GIG_KIND_SQRT, 1);
    const gig_op *sum = root ? maker_of(plan, root->node->inputs[0], GIG_KIND_ADD, 1) : NULL;
    if (!sum || sum->in_count != 2) return 0;
    int side = sum->in[0]->data != NULL; /* where the mean is; the other is epsilon */
    const gig_tensor *epsilon = sum->in[!side];
    const gig_op *variance = maker_of(plan, sum->node->inputs[side], GIG_KIND_REDUCE_MEAN, 1);
    const gig_op *square = variance ? square_of(plan, variance->node->inputs[0], &squared) : NULL;
    if (!square || squared != c || !epsilon->data || epsilon->type != GIG_FLOAT32 || gig_tensor_count(epsilon) != 1)
        return 0;
    const gig_op *sub = maker_of(plan, c, GIG_KIND_SUB, square->row->kind == GIG_KIND_POW ? 2 : 3);
    const gig_op *mean = sub ? maker_of(plan, sub->node->inputs[1], GIG_KIND_REDUCE_MEAN, 1) : NULL;
    if (!mean || sub->node->inputs[0] != mean->node->inputs[0] || sub->in[0]->type != GIG_FLOAT32) return 0;
    int axis = mean_axis(mean);
    if (axis < 0 || mean_axis(variance) != axis || !gig_same_dims(sub->in[0], div->out[0]) ||
        !gig_same_dims(root->out[0], mean->out[0]))
        return 0;
    const gig_op *const parts[] = {mean, sub, square, variance, sum, root, div};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) add_op(join, plan, parts[i]);
    join->name = "LayerNormalization";
    join->inputs[0] = sub->node->inputs[0];
    join->reads = 2;
    if (!scaled_and_shifted(join, plan, sub->in[0], axis, sub->in[0]->rank)) return 0;
    static char axis_name[] = "axis", epsilon_name[] = "epsilon";
    join->attributes[0] = (gig_attribute){.name = axis_name, .kind = GIG_ATTRIBUTE_INT, .i = axis};
    join->attributes[1] = (gig_attribute){.name = epsilon_name, .kind = GIG_ATTRIBUTE_REAL, .f = epsilon->real[0]};
    join->attribute_count = 2;
    return 1;
}

/* ---- GroupNormalization ---- */

static int holds_only(const gig_tensor *t, float wanted)
{
    for (size_t i = 0, count = t->data ? gig_tensor_count(t) : 0; i < count; i++)
        if (t->real[i] != wanted) return 0;
    return t->data != NULL;
}

static int is_group(gig_join *join, const gig_plan *plan, const gig_op *norm)
{
    const gig_op *flat = maker_of(plan, norm->node->inputs[0], GIG_KIND_RESHAPE, 1);
    int n = gig_plan_only_reader(plan, norm->node->outputs[0]);
    const gig_op *back = n < 0 ? NULL : &plan->ops[n];
    if (!flat || !back || !gig_op_is(back, GIG_KIND_RESHAPE) || !holds_only(norm->in[1], 1) ||
        !holds_only(norm->in[2], 0))
        return 0;
    const gig_tensor *x = flat->in[0];
    int64_t groups = norm->in[0]->dims[1];
    if (x->rank < 2 || !gig_same_dims(x, back->out[0]) || norm->in[0]->dims[0] != x->dims[0] || groups < 1 ||
        x->dims[1] % groups)
        return 0;
    add_op(join, plan, flat);
    add_op(join, plan, norm);
    add_op(join, plan, back);
    join->name = "GroupNormalization";
    join->inputs[0] = flat->node->inputs[0];
    join->reads = 1;
    if (!scaled_and_shifted(join, plan, x, 1, 2) || join->input_count != 3) return 0;
    static char groups_name[] = "num_groups", epsilon_name[] = "epsilon";
    join->attributes[0] = (gig_attribute){.name = groups_name, .kind = GIG_ATTRIBUTE_INT, .i = groups};
    join->attributes[1] = (gig_attribute){
        .name = epsilon_name, .kind = GIG_ATTRIBUTE_REAL, .f = gig_node_real(norm->node, "epsilon", 1e-5f)};
    join->attribute_count = 2;
    return 1;
}

gig_status gig_plan_join_norms(gig_plan *plan)
{
    for (size_t n = 0; n < plan->model->node_count; n++) {
        const gig_op *op = &plan->ops[n];
        gig_join join = {0};
        int found = 0;
        if (gig_op_is(op, GIG_KIND_DIV)) found = is_layer(&join, plan, op);
        if (gig_op_is(op, GIG_KIND_INSTANCE_NORM)) found = is_group(&join, plan, op);
        if (found) GIG_TRY(gig_plan_join(plan, &join));
    }
    return GIG_OK;
}
