/* SPDX-License-Identifier: Apache-2.0 */
/* Where a gradient ends: a map of zeros is returned only if the scalar really does not depend on the point. */
#include "network/plan.h"
#include <string.h>

/* Marks what follows from `cell`; 1 if the logits do. */
static gig_status follows(int *out, const gig_plan *plan, int cell)
{
    unsigned char *marked = gig_alloc_zero(plan->model->value_count + 1, 1);
    if (!marked) return gig_alloc_status();
    marked[cell] = 1;
    for (size_t n = 0; n < plan->model->node_count; n++) {
        const gig_node *node = &plan->model->nodes[n];
        int any = 0;
        for (size_t i = 0; i < node->input_count; i++)
            any |= node->inputs[i] >= 0 && marked[node->inputs[i]] && !plan->cells[node->inputs[i]].tensor.data;
        for (size_t i = 0; any && i < node->output_count; i++)
            if (node->outputs[i] >= 0 && plan->cells[node->outputs[i]].depends) marked[node->outputs[i]] = 1;
    }
    *out = marked[plan->logits];
    gig_free(marked);
    return GIG_OK;
}

/* From a node that takes integers, back to the one that made them of floating-point ones. */
static const gig_node *maker_of_wholes(const gig_plan *plan, const gig_node *node)
{
    for (;;) {
        const gig_node *maker = NULL;
        for (size_t i = 0; i < node->input_count; i++) {
            const gig_cell *cell = node->inputs[i] < 0 ? NULL : &plan->cells[node->inputs[i]];
            if (!cell || !cell->depends) continue;
            if (cell->tensor.type == GIG_FLOAT32) return node;
            if (cell->producer >= 0) maker = plan->ops[cell->producer].node;
        }
        if (!maker) return node;
        node = maker;
    }
}

/* The node nearest to the output that receives a gradient and passes none on. */
static const gig_node *last_reached(const gig_plan *plan)
{
    for (size_t s = plan->step_count; s-- > 0;) {
        const gig_step *step = &plan->steps[s];
        const gig_op *op = &plan->ops[step->op];
        if (!op->row || !plan->cells[step->out].diff_started) continue;
        int passes = step->other >= 0 && plan->cells[step->other].diff_started;
        for (size_t i = 0; i < op->in_count; i++) passes |= op->in[i] && plan->cells[op->node->inputs[i]].diff_started;
        if (!passes) return maker_of_wholes(plan, op->node);
    }
    return NULL;
}

gig_status gig_plan_explain_zero(const gig_plan *plan, int cell)
{
    int depends = 0;
    char text[160];
    GIG_TRY(follows(&depends, plan, cell));
    if (!depends) return GIG_OK;
    const gig_node *node = last_reached(plan);
    if (!node) return gig_fail(GIG_EUNSUPPORTED, "no gradient reaches \"%.80s\"", plan->cells[cell].name);
    gig_node_text(text, sizeof text, node);
    return gig_fail(GIG_EUNSUPPORTED,
                    "no gradient reaches \"%.80s\": %s (%.40s) has no gradient and lies on every path from the input",
                    plan->cells[cell].name, text, node->op);
}
