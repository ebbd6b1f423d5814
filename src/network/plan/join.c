/* SPDX-License-Identifier: Apache-2.0 */
#include "network/plan/join.h"
#include <math.h>
#include <string.h>

enum { NEWEST_OPSET = 26 };

int gig_op_is(const gig_op *op, gig_kind kind)
{
    return op->row && op->row->kind == kind && op->out_count && op->out[0] && op->node->outputs[0] >= 0;
}

int gig_is_number(const gig_tensor *t, double wanted)
{
    return t && t->data && t->type == GIG_FLOAT32 && gig_tensor_count(t) == 1 &&
           fabs((double)t->real[0] - wanted) <= 1e-6;
}

/* A node of the plan's own. */
static gig_node *node_of(gig_plan *plan, const gig_join *join, const gig_node *last)
{
    gig_node *node = gig_plan_alloc(plan, 1, sizeof *node);
    int *inputs = gig_plan_alloc(plan, join->input_count, sizeof *inputs);
    size_t name_bytes = strlen(join->name) + 1;
    char *name = gig_plan_alloc(plan, name_bytes, 1);
    gig_attribute *attributes = gig_plan_alloc(plan, join->attribute_count + 1, sizeof *attributes);
    if (!node || !inputs || !name || !attributes) return NULL;
    memcpy(inputs, join->inputs, join->input_count * sizeof *inputs);
    memcpy(attributes, join->attributes, join->attribute_count * sizeof *attributes);
    memcpy(name, join->name, name_bytes);
    *node = (gig_node){.name = last->name,
                       .op = name,
                       .domain = last->domain,
                       .opset = NEWEST_OPSET,
                       .function = last->function,
                       .position = last->position,
                       .input_count = join->input_count,
                       .output_count = 1,
                       .attribute_count = join->attribute_count,
                       .inputs = inputs,
                       .outputs = last->outputs,
                       .attributes = attributes};
    return node;
}

gig_status gig_plan_join(gig_plan *plan, const gig_join *join)
{
    size_t last = join->ops[join->count - 1];
    gig_op *op = &plan->ops[last];
    gig_node *node = node_of(plan, join, op->node);
    const gig_tensor **in = gig_plan_alloc(plan, join->input_count, sizeof *in);
    int *types = gig_plan_alloc(plan, join->input_count, sizeof *types);
    if (!node || !in || !types) return gig_alloc_status();
    for (size_t i = 0; i < join->input_count; i++) {
        in[i] = &plan->cells[join->inputs[i]].tensor;
        types[i] = plan->cells[join->inputs[i]].onnx_type;
    }
    for (size_t i = 0; i + 1 < join->count; i++) plan->ops[join->ops[i]].row = NULL;
    gig_free(op->params);
    op->params = NULL;
    op->node = node;
    op->row = gig_operator_find(node);
    op->in = in;
    op->in_onnx = types;
    op->in_count = join->input_count;
    op->out_count = 1;
    gig_cell *from = &plan->cells[join->inputs[0]];
    from->uses -= join->reads - 1;
    from->reader = from->reader > (int)last ? from->reader : (int)last;
    return op->row->infer(op);
}

gig_status gig_plan_join_all(gig_plan *plan)
{
    GIG_TRY(gig_plan_join_gates(plan));
    return gig_plan_join_norms(plan);
}
