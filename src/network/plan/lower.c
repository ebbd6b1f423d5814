/* SPDX-License-Identifier: Apache-2.0 */
/* Model -> ops with fixed shapes for one batch: only what the output needs, every constant folded. */
#include "base/interrupt.h"
#include "network/plan/expand.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

static gig_status name_node(gig_status status, const gig_node *node)
{
    char text[160];
    return gig_fail_in(status, "%s", gig_node_text(text, sizeof text, node));
}

/* ---- which nodes are needed ---- */

/* Marks in `needed` the nodes that the outputs and kept tensors follow from; the point is not looked behind. */
static void mark_needed(gig_plan *plan, unsigned char *needed)
{
    const gig_model *model = plan->model;
    gig_cell *cells = plan->cells;
    for (size_t i = 0; i < model->value_count; i++) cells[i].wanted = cells[i].kept != 0;
    for (size_t n = model->node_count; n-- > 0;) {
        const gig_node *node = &model->nodes[n];
        for (size_t i = 0; i < node->output_count; i++)
            if (node->outputs[i] >= 0 && cells[node->outputs[i]].wanted && node->outputs[i] != plan->input)
                needed[n] = 1;
        for (size_t i = 0; needed[n] && i < node->input_count; i++)
            if (node->inputs[i] >= 0) cells[node->inputs[i]].wanted = 1;
    }
}

/* Reports unknown operators by name before any work is done. */
static gig_status find_operators(gig_plan *plan, const unsigned char *needed)
{
    for (size_t n = 0; n < plan->model->node_count; n++) {
        const gig_node *node = &plan->model->nodes[n];
        if (!needed[n]) continue;
        plan->ops[n].row = gig_operator_find(node);
        if (plan->ops[n].row) continue;
        gig_status status = GIG_EUNSUPPORTED;
        if (node->domain[0])
            status = gig_fail(status, "operator %.60s.%.60s is not supported", node->domain, node->op);
        else if (node->opset < 6)
            status = gig_fail(status, "operator %.60s is not supported in opset %d", node->op, node->opset);
        else
            status = gig_fail(status, "operator %.60s is not supported", node->op);
        return name_node(status, node);
    }
    return GIG_OK;
}

/* ---- shapes ---- */

static int is_declared(const gig_value *value)
{
    for (int i = 0; i < value->rank; i++)
        if (value->dims[i] < 0) return 0;
    return value->rank >= 0;
}

static gig_status prepare_op(gig_plan *plan, size_t n)
{
    const gig_node *node = &plan->model->nodes[n];
    gig_op *op = &plan->ops[n];
    if (node->input_count > GIG_MAX_PORTS || node->output_count > GIG_MAX_PORTS)
        return gig_fail(GIG_ELIMIT, "more than %d inputs or outputs", GIG_MAX_PORTS);
    op->node = node;
    op->in_count = node->input_count;
    op->out_count = node->output_count;
    op->batch = plan->batch;
    op->file_batch = plan->file_batch;
    op->room = &plan->budget.bytes;
    size_t ports = op->in_count + op->out_count;
    void **tensors = gig_plan_alloc(plan, ports + 1, sizeof *tensors);
    int *types = gig_plan_alloc(plan, ports + 1, sizeof *types);
    if (!tensors || !types) return gig_alloc_status();
    op->in = (void *)tensors;
    op->out = (gig_tensor **)(tensors + op->in_count);
    op->in_onnx = types;
    op->out_onnx = types + op->in_count;
    for (size_t i = 0; i < op->in_count; i++) {
        int value = node->inputs[i];
        if (value < 0) continue;
        gig_cell *cell = &plan->cells[value];
        if (!cell->known && plan->options->at)
            return gig_fail(GIG_EARG, "the output does not depend on \"%.80s\" alone: \"%.80s\" needs a value too",
                            plan->options->at, cell->name);
        if (!cell->known && is_declared(&plan->model->values[value]))
            return gig_fail(
                GIG_EARG,
                "input \"%.80s\" needs a value: give one with --tensor %.80s=FILE.npy, or bind one to its name",
                cell->name, cell->name);
        if (!cell->known)
            return gig_fail(GIG_EARG, "input \"%.80s\" has no known shape; give one with --shape", cell->name);
        op->in[i] = &cell->tensor;
        types[i] = cell->onnx_type;
    }
    for (size_t i = 0; i < op->out_count; i++) {
        op->out_onnx[i] = op->in_count ? types[0] : GIG_ONNX_UNKNOWN;
        if (node->outputs[i] < 0) continue;
        if ((i || op->row->flags & GIG_OP_ANY_OUTPUT) && op->row->flags & GIG_OP_SPARE_OUTPUTS &&
            !plan->cells[node->outputs[i]].wanted)
            continue;
        op->out[i] = &plan->cells[node->outputs[i]].tensor;
        op->out[i]->rank = -1; /* until infer sets it */
    }
    int any = 0;
    for (size_t i = 0; i < op->out_count; i++) any |= op->out[i] != NULL;
    if (!op->out_count || (!op->out[0] && !(any && op->row->flags & GIG_OP_ANY_OUTPUT)))
        return gig_fail(GIG_EFORMAT, "%s: its first output is left out", op->row->name);
    return GIG_OK;
}

static int all_constant(const gig_op *op)
{
    if (op->row->flags & GIG_OP_SHAPE_ONLY) return 1;
    for (size_t i = 0; i < op->in_count; i++)
        if (op->in[i] && !op->in[i]->data) return 0;
    return 1;
}

/* Multiply-adds, roughly: what their row says, of windows their size for each result; else what is read and
 * written. A result that is computed and not moved may be an exponential, which takes as long as several. */
static double work_of(const gig_op *op)
{
    const double function = 8;
    const unsigned moves = GIG_OP_SHAPE_ONLY | GIG_OP_VIEW | GIG_OP_KEEPS_WHOLE;
    double in = 0, out = 0;
    if (op->row->products) return op->row->products(op);
    if (op->row->work) return op->row->work(op);
    for (size_t i = 0; i < op->in_count; i++) in += op->in[i] ? (double)gig_tensor_count(op->in[i]) : 0;
    for (size_t i = 0; i < op->out_count; i++)
        if (op->out[i]) out += (double)gig_tensor_count(op->out[i]);
    size_t sides;
    const int64_t *window = gig_node_ints(op->node, "kernel_shape", &sides);
    double each = (double)gig_node_int(op->node, "size", 1); /* LRN's */
    for (size_t i = 0; i < sides; i++) each *= fabs((double)window[i]);
    return in + out * fmax(each, op->row->flags & moves ? 1 : function);
}

/* A small file must not be able to cause hours of work: one or two seconds, plus an amount for its weights. */
double gig_plan_most_folded(const gig_model *model)
{
    double weights = 0;
    for (size_t i = 0; i < model->value_count; i++)
        if (model->values[i].constant) weights += (double)gig_tensor_count(model->values[i].constant);
    return 0x1p30 + 32 * weights;
}

size_t gig_plan_memory(const gig_plan *plan)
{
    return plan->options->max_memory ? plan->options->max_memory : (size_t)4 << 30;
}

/* Runs the op now: its outputs become constants. */
static gig_status fold(gig_plan *plan, size_t n)
{
    gig_op *op = &plan->ops[n];
    plan->budget.work -= work_of(op);
    if (plan->budget.work < 0)
        return gig_fail(GIG_ELIMIT, "constants computed from the file take over %.0f operations",
                        gig_plan_most_folded(plan->model));
    GIG_TRY(gig_interrupt_check());
    for (size_t i = 0; i < op->out_count; i++) {
        if (!op->out[i]) continue;
        gig_cell *cell = &plan->cells[op->node->outputs[i]];
        size_t bytes = gig_tensor_bytes(&cell->tensor);
        if (bytes > plan->budget.bytes)
            return gig_fail(GIG_ELIMIT, "constants computed from the file exceed the memory limit of %zu bytes",
                            gig_plan_memory(plan));
        plan->budget.bytes -= bytes;
        gig_tensor made;
        GIG_TRY(gig_tensor_create(&made, cell->tensor.type, cell->tensor.rank, cell->tensor.dims));
        cell->tensor = made;
        cell->owned = 1;
    }
    GIG_TRY(op->row->forward(op, op->in, op->out));
    op->row = NULL; /* nothing left to do at run time */
    return GIG_OK;
}

static gig_status check_attributes(const gig_op *op)
{
    for (const gig_moved_attribute *moved = op->row->moved; moved && moved->name; moved++)
        if (op->node->opset >= moved->since && gig_node_attribute(op->node, moved->name))
            return gig_fail(GIG_EFORMAT, "%s has no attribute \"%s\" in opset %d: it is an input", op->node->op,
                            moved->name, op->node->opset);
    return GIG_OK;
}

/* Quantised numbers are held as floating-point ones; an operator that computes otherwise with integers would be wrong.
 */
static gig_status check_held(const gig_op *op)
{
    if (op->row->flags & (GIG_OP_KEEPS_WHOLE | GIG_OP_VIEW | GIG_OP_SHAPE_ONLY | GIG_OP_NO_GRADIENT)) return GIG_OK;
    for (size_t i = 0; i < op->in_count; i++)
        if (gig_op_holds_whole(op, i))
            return gig_fail(GIG_EUNSUPPORTED, "%s of quantised numbers is not supported (its input %zu is one)",
                            op->row->name, i);
    return GIG_OK;
}

/* Infer sets every output that the operator has; a file may name more. */
static gig_status infer(gig_op *op)
{
    GIG_TRY(check_held(op));
    GIG_TRY(check_attributes(op));
    GIG_TRY(op->row->infer(op));
    for (size_t i = 0; i < op->out_count; i++)
        if (op->out[i] && op->out[i]->rank < 0) return gig_fail(GIG_EFORMAT, "%s has no output %zu", op->row->name, i);
    return GIG_OK;
}

static gig_status lower_op(gig_plan *plan, size_t n)
{
    gig_op *op = &plan->ops[n];
    gig_status status = prepare_op(plan, n);
    if (status == GIG_OK) status = infer(op);
    if (status != GIG_OK) return name_node(status, &plan->model->nodes[n]);
    int depends = 0;
    for (size_t i = 0; i < op->in_count; i++)
        if (op->in[i] && plan->cells[op->node->inputs[i]].depends) depends = 1;
    for (size_t i = 0; i < op->out_count; i++) {
        if (!op->out[i]) continue;
        gig_cell *cell = &plan->cells[op->node->outputs[i]];
        size_t count;
        status = gig_size_of_dims(&count, cell->tensor.rank, cell->tensor.dims);
        if (status != GIG_OK) return name_node(status, op->node);
        cell->known = 1;
        cell->producer = (int)n;
        cell->onnx_type = op->out_onnx[i];
        cell->depends = depends;
        if (op->node->outputs[i] == plan->input) /* --at names one of several outputs of a node that must run */
            return name_node(
                gig_fail(GIG_EUNSUPPORTED, "tensor \"%.80s\" is one of several outputs of its node", cell->name),
                op->node);
    }
    const double most_work = 0x1p40; /* hours in a plain loop, seconds in a fast one: far above any real layer */
    if (work_of(op) > most_work)
        return name_node(gig_fail(GIG_ELIMIT, "%s takes over %.0f multiply-adds", op->row->name, most_work), op->node);
    if (all_constant(op)) {
        status = fold(plan, n);
        if (status != GIG_OK) return name_node(status, op->node);
        for (size_t i = 0; i < op->out_count; i++)
            if (op->node->outputs[i] >= 0) plan->cells[op->node->outputs[i]].depends = 0;
    }
    return GIG_OK;
}

/* How often each value is read by what remains. */
static void count_uses(gig_plan *plan)
{
    for (size_t i = 0; i < plan->model->value_count; i++) {
        plan->cells[i].uses = plan->cells[i].kept != 0;
        plan->cells[i].reader = -1;
    }
    for (size_t n = 0; n < plan->model->node_count; n++)
        for (size_t i = 0; plan->ops[n].row && i < plan->ops[n].in_count; i++) {
            if (!plan->ops[n].in[i]) continue;
            gig_cell *cell = &plan->cells[plan->ops[n].node->inputs[i]];
            cell->uses++;
            cell->reader = (int)n;
        }
}

static int all_known(const gig_plan *plan, const gig_node *node)
{
    for (size_t i = 0; i < node->input_count; i++)
        if (node->inputs[i] >= 0 && !plan->cells[node->inputs[i]].known) return 0;
    return 1;
}

gig_status gig_plan_lower_known(gig_plan *plan)
{
    unsigned char *needed = gig_alloc_zero(plan->model->node_count, 1);
    if (!needed) return gig_alloc_status();
    plan->budget.bytes = gig_plan_memory(plan);
    mark_needed(plan, needed);
    gig_status status = GIG_OK;
    for (size_t n = 0; status == GIG_OK && n < plan->model->node_count; n++) {
        const gig_node *node = &plan->model->nodes[n];
        if (!needed[n] || gig_is_control_flow(node) || !all_known(plan, node)) continue;
        plan->ops[n].row = gig_operator_find(node);
        if (plan->ops[n].row) status = lower_op(plan, n);
    }
    gig_free(needed);
    return status;
}

gig_status gig_plan_lower(gig_plan *plan)
{
    unsigned char *needed = gig_alloc_zero(plan->model->node_count, 1);
    if (!needed) return gig_alloc_status();
    plan->budget.bytes = gig_plan_memory(plan);
    mark_needed(plan, needed);
    gig_status status = find_operators(plan, needed);
    for (size_t n = 0; status == GIG_OK && n < plan->model->node_count; n++) {
        if (needed[n]) status = lower_op(plan, n);
        if (status == GIG_OK) status = gig_interrupt_check();
    }
    gig_free(needed);
    GIG_TRY(status);
    count_uses(plan);
    return GIG_OK;
}
