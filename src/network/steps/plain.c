/* SPDX-License-Identifier: Apache-2.0 */
/* Runs any operator by its plain C functions (or faster ones with the same meaning) on row-major memory; elementwise
 * operators on any layout. Views: the same bytes under other dims. */
#include "network/plan.h"
#include <string.h>

static const gig_layout *layout_of(const gig_plan *plan, int cell)
{
    return plan->cells[cell].layout;
}

/* Elementwise on equal dims and equal layouts (constants: single numbers): order of elements does not matter. */
static int layout_is_free(const gig_plan *plan, const gig_op *op)
{
    if (!(op->row->flags & GIG_OP_ELEMENTWISE) || op->out_count != 1) return 0;
    if (op->out[0]->type != GIG_FLOAT32 || plan->cells[op->node->outputs[0]].kept) return 0;
    int first = -1;
    for (size_t i = 0; i < op->in_count; i++) {
        if (!op->in[i]) continue;
        if (op->in[i]->data) {
            if (gig_tensor_count(op->in[i]) != 1) return 0;
            continue;
        }
        int cell = op->node->inputs[i];
        if (op->in[i]->type != GIG_FLOAT32 || !gig_same_dims(op->in[i], op->out[0])) return 0;
        if (first < 0) first = cell;
        if (layout_of(plan, cell)->padded || !gig_layout_same(layout_of(plan, first), layout_of(plan, cell))) return 0;
    }
    return first >= 0 && !layout_of(plan, first)->plain;
}

static int needs_input(const gig_operator *row, size_t i)
{
    return (row->needs & GIG_NEEDS_INPUTS) == GIG_NEEDS_INPUTS || (i < 7 && row->needs >> i & 1);
}

typedef struct plain_state {
    int any_layout;
    const gig_layout *layout; /* any_layout: of everything */
} plain_state;

static gig_status input_place(gig_place *out, gig_plan *plan, const gig_op *op, size_t i, int any_layout)
{
    *out = GIG_NO_PLACE;
    if (!op->in[i]) return GIG_OK;
    int cell = op->node->inputs[i];
    if (any_layout && !op->in[i]->data) {
        *out = plan->cells[cell].data;
        return GIG_OK;
    }
    return gig_plan_data_plain(out, plan, cell);
}

static gig_status place_outputs(gig_plan *plan, const gig_op *op, const plain_state *state)
{
    for (size_t i = 0; i < op->out_count; i++) {
        if (!op->out[i]) continue;
        int cell = op->node->outputs[i];
        if (op->row->needs & GIG_NEEDS_OUTPUT) plan->cells[cell].needed_again = 1;
        if (op->out[i]->type != GIG_FLOAT32) {
            plan->cells[cell].placed = 1;
            GIG_TRY(gig_plan_buffer(&plan->cells[cell].data, plan, gig_tensor_bytes(op->out[i])));
            continue;
        }
        const gig_layout *layout = state->layout;
        if (!state->any_layout) GIG_TRY(gig_layout_plain(&layout, plan->engine, op->out[i]));
        GIG_TRY(gig_plan_place(plan, cell, layout));
    }
    return GIG_OK;
}

static gig_status plain_forward(gig_plan *plan, size_t s, int *taken)
{
    gig_step *step = &plan->steps[s];
    const gig_op *op = &plan->ops[step->op];
    plain_state *state = gig_plan_alloc(plan, 1, sizeof *state);
    gig_place *in = gig_plan_alloc(plan, op->in_count + 1, sizeof *in);
    if (!state || !in) return gig_alloc_status();
    step->state = state;
    *taken = 1;
    state->any_layout = layout_is_free(plan, op);
    for (size_t i = 0; i < op->in_count; i++) {
        GIG_TRY(input_place(&in[i], plan, op, i, state->any_layout));
        if (!op->in[i] || op->in[i]->data) continue;
        int cell = op->node->inputs[i];
        if (state->any_layout) state->layout = layout_of(plan, cell);
        if (needs_input(op->row, i)) plan->cells[cell].needed_again = 1;
    }
    GIG_TRY(place_outputs(plan, op, state));
    gig_action *action;
    GIG_TRY(gig_plan_action(&action, plan, op->row->name, op->in_count + op->out_count));
    const gig_fast *fast = plan->plain ? NULL : gig_fast_of(op);
    action->op = op;
    action->flops = op->row->products ? 2.0 * op->row->products(op) : 0.0;
    action->op_forward = fast ? fast->forward : op->row->forward;
    for (size_t i = 0; i < op->in_count; i++) gig_action_place(action, in[i]);
    for (size_t i = 0; i < op->out_count; i++)
        gig_action_place(action, op->out[i] ? plan->cells[op->node->outputs[i]].data : GIG_NO_PLACE);
    return GIG_OK;
}

static gig_status gradient_place(gig_place *out, gig_plan *plan, const gig_op *op, size_t i, const plain_state *state)
{
    *out = GIG_NO_PLACE;
    if (!op->out[i] || !plan->cells[op->node->outputs[i]].diff_started) return GIG_OK;
    if (!state->any_layout) return gig_plan_diff_plain(out, plan, op->node->outputs[i]);
    *out = plan->cells[op->node->outputs[i]].diff;
    return GIG_OK;
}

static int wants_gradient(const gig_plan *plan, const gig_op *op, size_t i)
{
    return op->in[i] && !op->in[i]->data && op->in[i]->type == GIG_FLOAT32 && plan->cells[op->node->inputs[i]].depends;
}

static double gradient_flops(const gig_plan *plan, const gig_op *op)
{
    double times = op->row->gradient_products;
    if (!op->row->products) return 0.0;
    for (size_t i = 0; i < op->in_count && op->row->gradient_products == 0.0; i++) times += wants_gradient(plan, op, i);
    return 2.0 * times * op->row->products(op);
}

/* The layout in which this op's gradient for input i comes out. */
static gig_status input_layout(const gig_layout **out, gig_plan *plan, const gig_op *op, size_t i,
                               const plain_state *state)
{
    *out = state->layout;
    return state->any_layout ? GIG_OK : gig_layout_plain(out, plan->engine, op->in[i]);
}

static gig_status plain_backward(gig_plan *plan, size_t s)
{
    const gig_step *step = &plan->steps[s];
    const gig_op *op = &plan->ops[step->op];
    const plain_state *state = step->state;
    if (!op->row->backward) return gig_fail(GIG_EUNSUPPORTED, "operator %s has no gradient", op->row->name);
    size_t ports = op->in_count + op->out_count;
    gig_place *places = gig_plan_alloc(plan, 2 * ports + 1, sizeof *places);
    if (!places) return gig_alloc_status();
    gig_place *in = places, *out = in + op->in_count, *d_out = out + op->out_count, *d_in = d_out + op->out_count;
    for (size_t i = 0; i < 2 * ports; i++) places[i] = GIG_NO_PLACE;
    const gig_layout *layout;
    for (size_t i = 0; i < op->in_count; i++) {
        if (op->in[i] && (op->in[i]->data || needs_input(op->row, i)))
            GIG_TRY(input_place(&in[i], plan, op, i, state->any_layout));
        if (!wants_gradient(plan, op, i)) continue;
        GIG_TRY(input_layout(&layout, plan, op, i, state));
        GIG_TRY(gig_plan_buffer(&d_in[i], plan, layout->bytes));
    }
    for (size_t i = 0; i < op->out_count; i++) {
        if (op->out[i] && op->row->needs & GIG_NEEDS_OUTPUT) out[i] = plan->cells[op->node->outputs[i]].data;
        GIG_TRY(gradient_place(&d_out[i], plan, op, i, state));
    }
    gig_action *action;
    GIG_TRY(gig_plan_action(&action, plan, op->row->name, 2 * ports));
    const gig_fast *fast = plan->plain ? NULL : gig_fast_of(op);
    action->op = op;
    action->op_backward = fast ? fast->backward : op->row->backward;
    action->flops = gradient_flops(plan, op);
    for (size_t i = 0; i < 2 * ports; i++) gig_action_place(action, places[i]);
    for (size_t i = 0; i < op->in_count; i++) {
        if (!wants_gradient(plan, op, i)) continue;
        GIG_TRY(input_layout(&layout, plan, op, i, state));
        GIG_TRY(gig_plan_diff_end(plan, op->node->inputs[i], layout, d_in[i]));
    }
    return GIG_OK;
}

const gig_step_class gig_step_plain = {plain_forward, plain_backward};

/* ---- views ---- */

static gig_status view_forward(gig_plan *plan, size_t s, int *taken)
{
    const gig_op *op = &plan->ops[plan->steps[s].op];
    int from = op->node->inputs[0], to = op->node->outputs[0];
    *taken = op->out_count == 1 && to >= 0;
    if (!*taken) return GIG_OK; /* Dropout with its mask wanted */
    gig_cell *out = &plan->cells[to];
    GIG_TRY(gig_plan_data_plain(&out->data, plan, from));
    out->placed = out->shared = plan->cells[from].shared = 1;
    out->home = -1;
    return out->tensor.type == GIG_FLOAT32 ? gig_layout_plain(&out->layout, plan->engine, &out->tensor) : GIG_OK;
}

static gig_status view_backward(gig_plan *plan, size_t s)
{
    const gig_op *op = &plan->ops[plan->steps[s].op];
    int from = op->node->inputs[0], to = op->node->outputs[0];
    if (!plan->cells[from].depends) return GIG_OK;
    const gig_layout *plain;
    GIG_TRY(gig_layout_plain(&plain, plan->engine, &plan->cells[from].tensor));
    return gig_plan_diff_take(plan, from, plain, plan->cells[to].diff);
}

const gig_step_class gig_step_view = {view_forward, view_backward};
