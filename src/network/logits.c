/* SPDX-License-Identifier: Apache-2.0 */
/* Finds where a model's logits are: the output itself, or what its last Softmax or Sigmoid was computed from. */
#include "network/network.h"

/* Whether a Softmax's groups are the rows of all classes: as many before the axis as there are points, one behind it
 * (in opsets before 13 the axis and all behind it are one). Judged once shapes are known. */
static int over_classes(const gig_plan *plan, const gig_node *node)
{
    const gig_tensor *in = &plan->cells[node->inputs[0]].tensor;
    int64_t axis = gig_node_int(node, "axis", node->opset >= 13 ? -1 : 1), before = 1, behind = 1;
    if (axis < 0) axis += in->rank;
    for (int i = 0; i < in->rank; i++) {
        if (i < axis) before *= in->dims[i];
        if (i > axis && node->opset >= 13) behind *= in->dims[i];
    }
    return before == plan->batch && behind == 1;
}

/* Whether an elementwise or grouped operator may be undone: its numbers stand where the output's do, and a Softmax runs
 * along the axis of the classes. */
static int runs_along_classes(const gig_plan *plan, const gig_node *node, int grouped)
{
    const gig_tensor *in = &plan->cells[node->inputs[0]].tensor, *output = &plan->cells[plan->output].tensor;
    const gig_classes *classes = &plan->classes;
    if (plan->options->target.kind == GIG_TARGET_WEIGHTS || classes->several) return 0;
    if (plan->options->target.kind == GIG_TARGET_CLASS) return !grouped || over_classes(plan, node);
    if (!grouped) return 1;
    if (!gig_same_dims(in, output) || classes->axis < 0 || node->opset < 13) return 0;
    int64_t axis = gig_node_int(node, "axis", -1);
    if (axis < 0) axis += in->rank;
    return axis == classes->axis + (output->dims[0] == plan->batch);
}

static int changes_no_value(const gig_op *op)
{
    if (op->row->flags & GIG_OP_VIEW) return 1;
    return op->row->kind == GIG_KIND_CAST && op->in[0]->type == GIG_FLOAT32 && op->out[0]->type == GIG_FLOAT32;
}

/* Looks through views for the operator that turned logits into probabilities. If its groups are not the classes of a
 * point, it is not undone: the output holds probabilities. */
static void find_logits(gig_plan *plan)
{
    int cell = plan->output;
    plan->logits = plan->output;
    plan->ends_in = plan->logits_hold = GIG_OUTPUT_LOGITS;
    for (;;) {
        const gig_cell *value = &plan->cells[cell];
        if (value->producer < 0 || cell == plan->input || value->tensor.data) return;
        const gig_op *op = &plan->ops[value->producer];
        if (!op->row) return;
        int from = op->node->inputs[0];
        if (changes_no_value(op)) {
            cell = from;
            continue;
        }
        gig_output_kind kind = op->row->makes;
        if (!kind || op->row->kind == GIG_KIND_HARD_SIGMOID || !plan->cells[from].depends) return;
        if (!runs_along_classes(plan, op->node, kind != GIG_OUTPUT_SIGMOID)) {
            plan->logits_hold = kind;
            return;
        }
        plan->logits = from;
        plan->ends_in = kind;
        return;
    }
}

gig_status gig_network_settle_logits(gig_network *network)
{
    gig_plan *plan = &network->plan;
    gig_output_kind said = network->options.output_kind;
    GIG_TRY(gig_plan_find_classes(plan));
    find_logits(plan);
    if (plan->ends_in == GIG_OUTPUT_LOGITS && plan->logits_hold == GIG_OUTPUT_LOGITS && said == GIG_OUTPUT_AUTO)
        GIG_TRY(gig_plan_kind_of_output(&plan->logits_hold, plan));
    if (said == GIG_OUTPUT_LOGITS && plan->ends_in != GIG_OUTPUT_LOGITS && network->options.output) {
        plan->logits = plan->output; /* an inner tensor asked for as it is */
        plan->ends_in = GIG_OUTPUT_LOGITS;
    }
    if (plan->ends_in == GIG_OUTPUT_LOGITS && said != GIG_OUTPUT_AUTO) plan->logits_hold = said;
    plan->cells[plan->logits].kept |= GIG_KEPT_AS_OUTPUT;
    plan->cells[plan->logits].uses++;
    return GIG_OK;
}
