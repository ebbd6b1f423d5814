/* SPDX-License-Identifier: Apache-2.0 */
/* Max and average pooling: in channel blocks by our own kernels, in other layouts by oneDNN. */
#include "network/kernels/pool_blocks.h"
#include "network/plan.h"
#include "network/window.h"
#include <string.h>

typedef struct pool_state {
    gig_pool_blocks blocks; /* planes 0: oneDNN does it */
    int rank, is_max;
    dnnl_alg_kind_t algorithm;
    dnnl_dims_t src, dst, kernel, strides, dilates, pad_begin, pad_end;
    gig_place workspace; /* which element won: max only */
    dnnl_memory_desc_t workspace_md;
} pool_state;

static void windows_of(pool_state *state, const gig_op *op)
{
    const gig_window *w = op->params;
    state->is_max = strcmp(op->row->name, "MaxPool") == 0;
    state->algorithm = state->is_max          ? dnnl_pooling_max
                       : w->count_include_pad ? dnnl_pooling_avg_include_padding
                                              : dnnl_pooling_avg_exclude_padding;
    for (int i = 0; i < w->spatial; i++) {
        state->kernel[i] = w->kernel[i];
        state->strides[i] = w->stride[i];
        state->dilates[i] = w->dilation[i] - 1;
        state->pad_begin[i] = w->pad_begin[i];
        state->pad_end[i] =
            (w->out[i] - 1) * w->stride[i] + (w->kernel[i] - 1) * w->dilation[i] + 1 - w->in[i] - w->pad_begin[i];
    }
}

static void whole_picture(pool_state *state, const gig_op *op)
{
    state->algorithm = dnnl_pooling_avg_include_padding;
    for (int i = 0; i < op->in[0]->rank - 2; i++) {
        state->kernel[i] = op->in[0]->dims[2 + i];
        state->strides[i] = 1;
    }
}

static void state_of(pool_state *state, const gig_op *op)
{
    state->rank = op->in[0]->rank;
    for (int i = 0; i < state->rank; i++) {
        state->src[i] = op->in[0]->dims[i];
        state->dst[i] = op->out[0]->dims[i];
    }
    if (strncmp(op->row->name, "Global", 6) == 0)
        whole_picture(state, op);
    else
        windows_of(state, op);
}

/* Padding that hangs over the end (ceil_mode) is counted by oneDNN's include_padding but not by ONNX. */
static int same_meaning(const gig_op *op, const pool_state *state)
{
    if (strncmp(op->row->name, "Global", 6) == 0) return 1;
    const gig_window *w = op->params;
    if (!gig_window_is_ordinary(w)) return 0;
    for (int i = 0; i < w->spatial; i++) {
        if (state->pad_begin[i] >= w->kernel[i] || state->pad_end[i] >= w->kernel[i]) return 0;
        if (!state->is_max && (w->dilation[i] != 1 || (w->count_include_pad && state->pad_end[i] > w->pad_end[i])))
            return 0;
    }
    return 1;
}

static dnnl_primitive_desc_t forward_descriptor(const gig_plan *plan, const pool_state *state,
                                                const dnnl_memory_desc_t *src)
{
    dnnl_memory_desc_t dst;
    dnnl_pooling_v2_desc_t desc;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_attr_t attr = NULL;
    dnnl_prop_kind_t kind = state->is_max ? dnnl_forward_training : dnnl_forward_inference;
    dnnl_memory_desc_init_by_tag(&dst, state->rank, state->dst, dnnl_f32, dnnl_format_tag_any);
    if (gig_attr_create(&attr) != GIG_OK) return NULL;
    if (!dnnl_pooling_v2_forward_desc_init(&desc, kind, state->algorithm, src, &dst, state->strides, state->kernel,
                                           state->dilates, state->pad_begin, state->pad_end) &&
        dnnl_primitive_desc_create(&pd, &desc, attr, plan->engine, NULL))
        pd = NULL;
    dnnl_primitive_attr_destroy(attr);
    return pd;
}

static gig_status blocks_forward(gig_plan *plan, size_t s, const gig_cell *in)
{
    gig_step *step = &plan->steps[s];
    pool_state *state = step->state;
    dnnl_dims_t dims;
    for (int i = 0; i < state->rank; i++) dims[i] = state->dst[i];
    dnnl_memory_desc_t dst;
    GIG_DNNL(
        dnnl_memory_desc_init_by_tag(&dst, 4, dims, dnnl_f32, state->blocks.block == 8 ? dnnl_nChw8c : dnnl_nChw16c));
    GIG_TRY(gig_plan_place(plan, step->out, &dst));
    size_t count = gig_md_bytes(&dst) / sizeof(float);
    if (state->is_max) GIG_TRY(gig_plan_buffer(&state->workspace, plan, count));
    gig_action *action;
    GIG_TRY(gig_plan_call(&action, plan, plan->ops[step->op].row->name, gig_call_pool, count));
    action->self = &state->blocks;
    gig_action_place(action, plan->cells[step->out].data);
    gig_action_place(action, in->data);
    if (state->is_max) gig_action_place(action, state->workspace);
    return GIG_OK;
}

static gig_status blocks_backward(gig_plan *plan, size_t s)
{
    const gig_step *step = &plan->steps[s];
    const pool_state *state = step->state;
    int from = plan->ops[step->op].node->inputs[0];
    const gig_cell *in = &plan->cells[from], *out = &plan->cells[step->out];
    gig_place diff;
    GIG_TRY(gig_plan_diff_begin(&diff, plan, from, &in->md));
    gig_action *action;
    GIG_TRY(gig_plan_call(&action, plan, plan->ops[step->op].row->name, gig_call_unpool,
                          gig_md_bytes(&in->md) / sizeof(float)));
    action->self = &state->blocks;
    gig_action_place(action, diff);
    gig_action_place(action, out->diff);
    if (state->is_max) gig_action_place(action, state->workspace);
    return gig_plan_diff_end(plan, from, &in->md, diff);
}

static gig_status pool_forward(gig_plan *plan, size_t s, int *taken)
{
    gig_step *step = &plan->steps[s];
    const gig_op *op = &plan->ops[step->op];
    const gig_cell *in = &plan->cells[op->node->inputs[0]];
    if (op->in[0]->type != GIG_REAL || op->in[0]->rank < 3 || op->in[0]->rank > 5 || !gig_tensor_count(op->in[0]))
        return GIG_OK;
    if (op->out_count > 1 && op->out[1]) return GIG_OK; /* indices wanted */
    pool_state *state = gig_plan_alloc(plan, 1, sizeof *state);
    if (!state) return gig_alloc_status();
    step->state = state;
    state_of(state, op);
    if (!same_meaning(op, state)) return GIG_OK;
    if (op->params && gig_pool_blocks_fit(&state->blocks, op->params, state->is_max, gig_md_channel_block(&in->md))) {
        *taken = 1;
        return blocks_forward(plan, s, in);
    }
    dnnl_primitive_desc_t pd = forward_descriptor(plan, state, &in->md);
    if (pd && gig_pd_is_slow(pd)) {
        dnnl_primitive_desc_destroy(pd);
        pd = NULL;
    }
    if (!pd) return GIG_OK;
    *taken = 1;
    dnnl_memory_desc_t dst = *dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0);
    if (state->is_max) state->workspace_md = *dnnl_primitive_desc_query_md(pd, dnnl_query_workspace_md, 0);
    gig_status status = gig_plan_place(plan, step->out, &dst);
    if (status == GIG_OK && state->is_max)
        status = gig_plan_buffer(&state->workspace, plan, gig_md_bytes(&state->workspace_md));
    if (status != GIG_OK) {
        dnnl_primitive_desc_destroy(pd);
        return status;
    }
    gig_action *action;
    GIG_TRY(gig_plan_primitive(&action, plan, op->row->name, pd));
    gig_action_argument(action, DNNL_ARG_SRC, &in->md, in->data);
    gig_action_argument(action, DNNL_ARG_DST, &dst, plan->cells[step->out].data);
    if (state->is_max) gig_action_argument(action, DNNL_ARG_WORKSPACE, &state->workspace_md, state->workspace);
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
    dnnl_primitive_desc_t hint = forward_descriptor(plan, state, &in->md), pd = NULL;
    if (!hint) return gig_fail(GIG_EINTERNAL, "pooling lost its forward descriptor");
    dnnl_pooling_v2_desc_t desc;
    dnnl_primitive_attr_t attr = NULL;
    gig_status status = gig_attr_create(&attr);
    if (status == GIG_OK)
        status = gig_dnnl_check(dnnl_pooling_v2_backward_desc_init(&desc, state->algorithm, &in->md, &out->md,
                                                                   state->strides, state->kernel, state->dilates,
                                                                   state->pad_begin, state->pad_end),
                                "pooling gradient");
    if (status == GIG_OK)
        status = gig_dnnl_check(dnnl_primitive_desc_create(&pd, &desc, attr, plan->engine, hint), "pooling gradient");
    if (attr) dnnl_primitive_attr_destroy(attr);
    dnnl_primitive_desc_destroy(hint);
    GIG_TRY(status);
    gig_place diff;
    status = gig_plan_diff_begin(&diff, plan, from, &in->md);
    if (status != GIG_OK) {
        dnnl_primitive_desc_destroy(pd);
        return status;
    }
    gig_action *action;
    GIG_TRY(gig_plan_primitive(&action, plan, op->row->name, pd));
    gig_action_argument(action, DNNL_ARG_DIFF_DST, &out->md, out->diff);
    if (state->is_max) gig_action_argument(action, DNNL_ARG_WORKSPACE, &state->workspace_md, state->workspace);
    gig_action_argument(action, DNNL_ARG_DIFF_SRC, &in->md, diff);
    return gig_plan_diff_end(plan, from, &in->md, diff);
}

const gig_step_class gig_step_pooling = {pool_forward, pool_backward};
