/* SPDX-License-Identifier: Apache-2.0 */
/* Max and average pooling: in channel blocks by our own kernels, in other layouts by oneDNN. */
#include "network/dnnl/pooling.h"
#include "network/kernels/pool_blocks.h"
#include "network/plan.h"
#include "network/window.h"
#include <string.h>

typedef struct pool_state {
    gig_pool_blocks blocks; /* planes 0: oneDNN does it */
    gig_pooling p;
    gig_place workspace; /* which element won: max only */
} pool_state;

static void windows_of(gig_pooling *p, const gig_op *op)
{
    const gig_window *w = op->params;
    p->is_max = op->row->kind == GIG_KIND_MAX_POOL;
    p->include_pad = w->count_include_pad;
    for (int i = 0; i < w->spatial; i++) {
        p->kernel[i] = w->kernel[i];
        p->strides[i] = w->stride[i];
        p->dilates[i] = w->dilation[i] - 1;
        p->pad_begin[i] = w->pad_begin[i];
        p->pad_end[i] =
            (w->out[i] - 1) * w->stride[i] + (w->kernel[i] - 1) * w->dilation[i] + 1 - w->in[i] - w->pad_begin[i];
    }
}

static void whole_picture(gig_pooling *p, const gig_op *op)
{
    p->include_pad = 1;
    for (int i = 0; i < op->in[0]->rank - 2; i++) {
        p->kernel[i] = op->in[0]->dims[2 + i];
        p->strides[i] = 1;
    }
}

static void sizes_of(gig_pooling *p, const gig_op *op)
{
    p->rank = op->in[0]->rank;
    for (int i = 0; i < p->rank; i++) {
        p->src[i] = op->in[0]->dims[i];
        p->dst[i] = op->out[0]->dims[i];
    }
    if (op->row->kind == GIG_KIND_GLOBAL_AVERAGE)
        whole_picture(p, op);
    else
        windows_of(p, op);
}

/* Padding that hangs over the end (ceil_mode) is counted by oneDNN's include_padding but not by ONNX. */
static int same_meaning(const gig_op *op, const gig_pooling *p)
{
    if (op->row->kind == GIG_KIND_GLOBAL_AVERAGE) return 1;
    const gig_window *w = op->params;
    if (!gig_window_is_ordinary(w)) return 0;
    for (int i = 0; i < w->spatial; i++) {
        if (p->pad_begin[i] >= w->kernel[i] || p->pad_end[i] >= w->kernel[i]) return 0;
        if (!p->is_max && (w->dilation[i] != 1 || (w->count_include_pad && p->pad_end[i] > w->pad_end[i]))) return 0;
    }
    return 1;
}

static gig_status blocks_forward(gig_plan *plan, size_t s, const gig_cell *in)
{
    gig_step *step = &plan->steps[s];
    pool_state *state = step->state;
    const gig_layout *dst;
    GIG_TRY(gig_layout_blocked(&dst, plan->engine, 4, state->p.dst, state->blocks.block));
    GIG_TRY(gig_plan_place(plan, step->out, dst));
    size_t count = dst->bytes / sizeof(float);
    if (state->p.is_max) GIG_TRY(gig_plan_buffer(&state->workspace, plan, count));
    gig_action *action;
    GIG_TRY(gig_plan_call(&action, plan, plan->ops[step->op].row->name, gig_call_pool, count));
    action->self = &state->blocks;
    gig_action_place(action, plan->cells[step->out].data);
    gig_action_place(action, in->data);
    if (state->p.is_max) gig_action_place(action, state->workspace);
    return GIG_OK;
}

static gig_status blocks_backward(gig_plan *plan, size_t s)
{
    const gig_step *step = &plan->steps[s];
    const pool_state *state = step->state;
    int from = plan->ops[step->op].node->inputs[0];
    const gig_cell *in = &plan->cells[from], *out = &plan->cells[step->out];
    gig_place diff;
    GIG_TRY(gig_plan_diff_begin(&diff, plan, from, in->layout));
    gig_action *action;
    GIG_TRY(gig_plan_call(&action, plan, plan->ops[step->op].row->name, gig_call_unpool,
                          in->layout->bytes / sizeof(float)));
    action->self = &state->blocks;
    gig_action_place(action, diff);
    gig_action_place(action, out->diff);
    if (state->p.is_max) gig_action_place(action, state->workspace);
    return gig_plan_diff_end(plan, from, in->layout, diff);
}

static gig_status pool_forward(gig_plan *plan, size_t s, int *taken)
{
    gig_step *step = &plan->steps[s];
    const gig_op *op = &plan->ops[step->op];
    const gig_cell *in = &plan->cells[op->node->inputs[0]];
    if (op->in[0]->type != GIG_FLOAT32 || op->in[0]->rank < 3 || op->in[0]->rank > 5 || !gig_tensor_count(op->in[0]))
        return GIG_OK;
    if (op->out_count > 1 && op->out[1]) return GIG_OK; /* indices wanted */
    pool_state *state = gig_plan_alloc(plan, 1, sizeof *state);
    if (!state) return gig_alloc_status();
    step->state = state;
    sizes_of(&state->p, op);
    if (!same_meaning(op, &state->p)) return GIG_OK;
    if (op->params && gig_pool_blocks_fit(&state->blocks, op->params, state->p.is_max, in->layout->channel_block)) {
        *taken = 1;
        return blocks_forward(plan, s, in);
    }
    gig_primitive *primitive;
    GIG_TRY(gig_pooling_forward(&primitive, plan->engine, &state->p, in->layout));
    if (!primitive) return GIG_OK;
    *taken = 1;
    GIG_TRY(gig_plan_place(plan, step->out, primitive->layouts[GIG_ARG_DST]));
    if (state->p.is_max)
        GIG_TRY(gig_plan_buffer(&state->workspace, plan, primitive->layouts[GIG_ARG_WORKSPACE]->bytes));
    gig_action *action;
    GIG_TRY(gig_plan_primitive(&action, plan, op->row->name, primitive));
    gig_action_argument(action, GIG_ARG_SRC, in->data);
    gig_action_argument(action, GIG_ARG_DST, plan->cells[step->out].data);
    if (state->p.is_max) gig_action_argument(action, GIG_ARG_WORKSPACE, state->workspace);
    return GIG_OK;
}

static gig_status pool_backward(gig_plan *plan, size_t s)
{
    const gig_step *step = &plan->steps[s];
    const pool_state *state = step->state;
    if (state->blocks.planes) return blocks_backward(plan, s);
    const gig_op *op = &plan->ops[step->op];
    int from = op->node->inputs[0];
    const gig_cell *in = &plan->cells[from], *out = &plan->cells[step->out];
    gig_primitive *primitive;
    gig_place diff;
    GIG_TRY(gig_pooling_backward(&primitive, plan->engine, &state->p, in->layout, out->layout));
    GIG_TRY(gig_plan_diff_begin(&diff, plan, from, in->layout));
    gig_action *action;
    GIG_TRY(gig_plan_primitive(&action, plan, op->row->name, primitive));
    gig_action_argument(action, GIG_ARG_DIFF_DST, out->diff);
    if (state->p.is_max) gig_action_argument(action, GIG_ARG_WORKSPACE, state->workspace);
    gig_action_argument(action, GIG_ARG_DIFF_SRC, diff);
    return gig_plan_diff_end(plan, from, in->layout, diff);
}

static const gig_step_class pooling_class = {pool_forward, pool_backward};
const gig_fast gig_fast_pooling = {.step = &pooling_class};
