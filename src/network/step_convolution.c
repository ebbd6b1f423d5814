/* Convolution by oneDNN in its own blocked layouts, with addition and ReLU inside where it can; backward to the data
 * only. */
#include "network/operators/window.h"
#include "network/plan.h"
#include <string.h>

/* Sizes as oneDNN wants them: [n, c, spatial...], weights [g,] [o, i, spatial...]. */
typedef struct geometry {
    int rank, weights_rank;
    dnnl_dims_t src, weights, dst, bias, strides, dilates, pad_begin, pad_end;
    double flops;
} geometry;

typedef struct conv_state {
    geometry g;
    dnnl_memory_desc_t plain_weights;
    gig_place mask; /* bits of the ReLU */
} conv_state;

static void geometry_of(geometry *g, const gig_window *w)
{
    *g = (geometry){.rank = w->spatial + 2, .weights_rank = w->spatial + 2 + (w->group > 1)};
    int k = 0;
    if (w->group > 1) g->weights[k++] = w->group;
    g->weights[k++] = w->out_channels / w->group;
    g->weights[k++] = w->in_channels / w->group;
    g->src[0] = g->dst[0] = w->batch;
    g->src[1] = w->in_channels;
    g->dst[1] = g->bias[0] = w->out_channels;
    g->flops = 2.0 * (double)w->batch * (double)w->out_channels * (double)(w->in_channels / w->group);
    for (int i = 0; i < w->spatial; i++) {
        g->src[2 + i] = w->in[i];
        g->dst[2 + i] = w->out[i];
        g->weights[k + i] = w->kernel[i];
        g->strides[i] = w->stride[i];
        g->dilates[i] = w->dilation[i] - 1;
        g->pad_begin[i] = w->pad_begin[i];
        /* what makes oneDNN's output size come out right when the stride does not divide */
        g->pad_end[i] =
            (w->out[i] - 1) * w->stride[i] + (w->kernel[i] - 1) * w->dilation[i] + 1 - w->in[i] - w->pad_begin[i];
        g->flops *= (double)(w->out[i] * w->kernel[i]);
    }
}

static dnnl_memory_desc_t any_md(int rank, const dnnl_dim_t *dims)
{
    dnnl_memory_desc_t md;
    dnnl_memory_desc_init_by_tag(&md, rank, dims, dnnl_f32, dnnl_format_tag_any);
    return md;
}

static dnnl_memory_desc_t dense_md(int rank, const dnnl_dim_t *dims)
{
    static const dnnl_format_tag_t tags[] = {0, dnnl_a, dnnl_ab, dnnl_abc, dnnl_abcd, dnnl_abcde, dnnl_abcdef};
    dnnl_memory_desc_t md;
    dnnl_memory_desc_init_by_tag(&md, rank, dims, dnnl_f32, tags[rank]);
    return md;
}

/* NULL when there is none, or only a slow reference and `slow` is not allowed. */
static dnnl_primitive_desc_t forward_descriptor(const gig_plan *plan, const geometry *g, const dnnl_memory_desc_t *src,
                                                const dnnl_memory_desc_t *dst, dnnl_primitive_attr_t attr, int slow)
{
    dnnl_memory_desc_t weights = any_md(g->weights_rank, g->weights), bias = dense_md(1, g->bias);
    dnnl_convolution_desc_t desc;
    dnnl_primitive_desc_t pd = NULL;
    if (dnnl_dilated_convolution_forward_desc_init(&desc, dnnl_forward_inference, dnnl_convolution_direct, src,
                                                   &weights, &bias, dst, g->strides, g->dilates, g->pad_begin,
                                                   g->pad_end))
        return NULL;
    if (dnnl_primitive_desc_create(&pd, &desc, attr, plan->engine, NULL)) return NULL;
    if (!slow && gig_pd_is_slow(pd)) {
        dnnl_primitive_desc_destroy(pd);
        return NULL;
    }
    return pd;
}

/* The layouts worth trying, best first: the picture as it is (few channels), oneDNN's choice, row-major (its
 * matrix-product implementation). */
static dnnl_primitive_desc_t choose_forward(const gig_plan *plan, const geometry *g, const dnnl_memory_desc_t *present,
                                            dnnl_primitive_attr_t attr)
{
    dnnl_memory_desc_t src = any_md(g->rank, g->src), dst = any_md(g->rank, g->dst);
    dnnl_primitive_desc_t pd = NULL;
    if (g->src[1] < 8) pd = forward_descriptor(plan, g, present, &dst, attr, 0);
    if (!pd) pd = forward_descriptor(plan, g, &src, &dst, attr, 0);
    if (pd) return pd;
    src = dense_md(g->rank, g->src);
    dst = dense_md(g->rank, g->dst);
    pd = forward_descriptor(plan, g, &src, &dst, attr, 0);
    return pd ? pd : forward_descriptor(plan, g, &src, &dst, attr, 1);
}

static gig_status fused_attr(dnnl_primitive_attr_t *out, const gig_step *step, int fused)
{
    GIG_TRY(gig_attr_create(out));
    if (!fused) return GIG_OK;
    dnnl_post_ops_t ops = NULL;
    dnnl_status_t status = dnnl_post_ops_create(&ops);
    if (!status && step->other >= 0) status = dnnl_post_ops_append_sum(ops, 1.0f);
    if (!status && step->relu) status = dnnl_post_ops_append_eltwise(ops, 1.0f, dnnl_eltwise_relu, 0.0f, 0.0f);
    if (!status) status = dnnl_primitive_attr_set_post_ops(*out, ops);
    if (ops) dnnl_post_ops_destroy(ops);
    if (status) dnnl_primitive_attr_destroy(*out);
    return gig_dnnl_check(status, "post-ops");
}

/* The convolution's descriptor; *fused says whether addition and ReLU are inside. */
static gig_status describe_forward(dnnl_primitive_desc_t *out, int *fused, const gig_plan *plan, const gig_step *step,
                                   const geometry *g)
{
    const dnnl_memory_desc_t *present = &plan->cells[plan->ops[step->op].node->inputs[0]].md;
    *out = NULL;
    for (*fused = step->other >= 0 || step->relu;; *fused = 0) {
        dnnl_primitive_attr_t attr;
        GIG_TRY(fused_attr(&attr, step, *fused));
        *out = choose_forward(plan, g, present, attr);
        dnnl_primitive_attr_destroy(attr);
        if (*out || !*fused) return GIG_OK;
    }
}

/* Where the result goes. With a fused addition the other operand must lie there beforehand: in place if nobody reads it
 * again. */
static gig_status place_result(gig_plan *plan, size_t s, const dnnl_memory_desc_t *md, int fused)
{
    gig_step *step = &plan->steps[s];
    gig_cell *out = &plan->cells[step->out];
    if (!fused || step->other < 0) return gig_plan_place(plan, step->out, md);
    const gig_cell *other = &plan->cells[step->other];
    if (gig_plan_last_use(plan, step->other, s) && gig_md_same(&other->md, md) && out->home < 0) {
        out->md = *md;
        out->data = other->data;
        out->placed = 1;
        return GIG_OK;
    }
    GIG_TRY(gig_plan_place(plan, step->out, md));
    return gig_plan_reorder(plan, "Copy", &other->md, other->data, md, out->data);
}

static gig_status unfused_tail(gig_plan *plan, const gig_step *step, size_t count)
{
    gig_cell *out = &plan->cells[step->out];
    gig_action *action;
    if (step->other < 0) return GIG_OK;
    gig_place other;
    GIG_TRY(gig_plan_data_as(&other, plan, step->other, &out->md));
    GIG_TRY(gig_plan_call(&action, plan, "Add", gig_call_add, count));
    gig_action_place(action, out->data);
    gig_action_place(action, other);
    return GIG_OK;
}

static gig_status emit_relu(gig_plan *plan, const gig_step *step, conv_state *state, int fused, size_t count)
{
    gig_cell *out = &plan->cells[step->out];
    gig_action *action;
    GIG_TRY(gig_plan_buffer(&state->mask, plan, (count + 31) / 32 * sizeof(uint32_t)));
    GIG_TRY(gig_plan_call(&action, plan, "Relu", fused ? gig_call_mask : gig_call_relu, count));
    gig_action_place(action, out->data);
    if (!fused) gig_action_place(action, out->data);
    gig_action_place(action, state->mask);
    return GIG_OK;
}

static gig_status pack_bias(gig_place *out, gig_plan *plan, const gig_step *step, const geometry *g)
{
    float *bias = gig_plan_alloc(plan, (size_t)g->bias[0], sizeof *bias);
    if (!bias) return gig_alloc_status();
    if (step->bias.data) memcpy(bias, step->bias.real, (size_t)g->bias[0] * sizeof *bias);
    *out = (gig_place){-1, 0, bias};
    return GIG_OK;
}

static gig_status conv_forward(gig_plan *plan, size_t s, int *taken)
{
    gig_step *step = &plan->steps[s];
    const gig_op *op = &plan->ops[step->op];
    if (!step->weights.data) return GIG_OK; /* weights computed at run time */
    conv_state *state = gig_plan_alloc(plan, 1, sizeof *state);
    if (!state) return gig_alloc_status();
    step->state = state;
    geometry_of(&state->g, op->params);
    const geometry *g = &state->g;
    state->plain_weights = dense_md(g->weights_rank, g->weights);
    dnnl_primitive_desc_t pd;
    int fused;
    GIG_TRY(describe_forward(&pd, &fused, plan, step, g));
    if (!pd)
        return step->out == op->node->outputs[0] ? GIG_OK : gig_fail(GIG_EINTERNAL, "no convolution for a fused step");
    *taken = 1;
    dnnl_memory_desc_t src = *dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 0),
                       dst = *dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0),
                       weights = *dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, 0),
                       bias = dense_md(1, g->bias);
    gig_place from, packed = GIG_NO_PLACE, packed_bias;
    gig_status status = gig_plan_data_as(&from, plan, op->node->inputs[0], &src);
    if (status == GIG_OK) status = place_result(plan, s, &dst, fused);
    if (status == GIG_OK) {
        void *block;
        status = gig_plan_pack(&block, plan, &state->plain_weights, step->weights.data, &weights);
        packed.constant = block;
    }
    if (status == GIG_OK) status = pack_bias(&packed_bias, plan, step, g);
    if (status != GIG_OK) {
        dnnl_primitive_desc_destroy(pd);
        return status;
    }
    gig_action *action;
    GIG_TRY(gig_plan_primitive(&action, plan, "Conv", pd));
    action->flops = g->flops;
    gig_action_argument(action, DNNL_ARG_SRC, &src, from);
    gig_action_argument(action, DNNL_ARG_WEIGHTS, &weights, packed);
    gig_action_argument(action, DNNL_ARG_BIAS, &bias, packed_bias);
    gig_action_argument(action, DNNL_ARG_DST, &dst, plan->cells[step->out].data);
    size_t count = gig_md_bytes(&dst) / sizeof(float);
    if (!fused) GIG_TRY(unfused_tail(plan, step, count));
    return step->relu ? emit_relu(plan, step, state, fused, count) : GIG_OK;
}

/* ---- backward ---- */

static dnnl_primitive_desc_t backward_descriptor(const gig_plan *plan, const geometry *g, const dnnl_memory_desc_t *src,
                                                 const dnnl_memory_desc_t *dst, int slow)
{
    dnnl_memory_desc_t any_src = any_md(g->rank, g->src), weights = any_md(g->weights_rank, g->weights);
    dnnl_primitive_desc_t hint = forward_descriptor(plan, g, &any_src, dst, NULL, 1), pd = NULL;
    if (!hint) return NULL;
    dnnl_convolution_desc_t desc;
    dnnl_primitive_attr_t attr = NULL;
    if (gig_attr_create(&attr) == GIG_OK &&
        !dnnl_dilated_convolution_backward_data_desc_init(&desc, dnnl_convolution_direct, src, &weights, dst,
                                                          g->strides, g->dilates, g->pad_begin, g->pad_end) &&
        dnnl_primitive_desc_create(&pd, &desc, attr, plan->engine, hint))
        pd = NULL;
    if (attr) dnnl_primitive_attr_destroy(attr);
    dnnl_primitive_desc_destroy(hint);
    if (pd && !slow && gig_pd_is_slow(pd)) {
        dnnl_primitive_desc_destroy(pd);
        return NULL;
    }
    return pd;
}

/* Few input channels have no fast kernel for large windows: widen them to one block of zeros. The memory of [n,3,h,w]
 * in blocks of 8 is that of [n,8,h,w], so only the weights change. */
static gig_status widen(geometry *g, gig_tensor *weights, const gig_step *step, int64_t channels)
{
    int64_t dims[GIG_MAX_RANK], narrow = g->src[1];
    memcpy(dims, step->weights.dims, sizeof dims);
    dims[1] = channels;
    GIG_TRY(gig_tensor_create(weights, GIG_REAL, step->weights.rank, dims));
    size_t window = gig_tensor_count(weights) / (size_t)(dims[0] * channels);
    for (int64_t o = 0; o < dims[0]; o++)
        memcpy(weights->real + (size_t)(o * channels) * window, step->weights.real + (size_t)(o * narrow) * window,
               (size_t)narrow * window * sizeof(float));
    g->src[1] = g->weights[1] = channels;
    return GIG_OK;
}

typedef struct backward_choice {
    dnnl_primitive_desc_t pd;
    geometry g;
    gig_tensor wide; /* widened weights, owned; data NULL: the step's own */
    int plain_dst;
} backward_choice;

static gig_status choose_backward(backward_choice *out, const gig_plan *plan, const gig_step *step,
                                  const conv_state *state, const dnnl_memory_desc_t *dst)
{
    *out = (backward_choice){.g = state->g};
    dnnl_memory_desc_t src = any_md(state->g.rank, state->g.src);
    out->pd = backward_descriptor(plan, &out->g, &src, dst, 0);
    int block = gig_md_channel_block(dst);
    if (!out->pd && out->g.weights_rank == out->g.rank && block > out->g.src[1]) {
        GIG_TRY(widen(&out->g, &out->wide, step, block));
        src = any_md(out->g.rank, out->g.src);
        out->pd = backward_descriptor(plan, &out->g, &src, dst, 0);
        if (out->pd && gig_md_channel_block(dnnl_primitive_desc_query_md(out->pd, dnnl_query_diff_src_md, 0)) == block)
            return GIG_OK;
        if (out->pd) dnnl_primitive_desc_destroy(out->pd);
        gig_tensor_clear(&out->wide);
        out->g = state->g;
        out->pd = NULL;
    }
    if (out->pd) return GIG_OK;
    out->plain_dst = 1;
    src = dense_md(out->g.rank, out->g.src);
    dnnl_memory_desc_t plain = dense_md(out->g.rank, out->g.dst);
    out->pd = backward_descriptor(plan, &out->g, &src, &plain, 0);
    if (!out->pd) out->pd = backward_descriptor(plan, &out->g, &src, &plain, 1);
    return out->pd ? GIG_OK : gig_fail(GIG_EUNSUPPORTED, "oneDNN has no gradient for this convolution");
}

/* The layout in which the narrow value sees the widened memory. */
static gig_status narrow_md(dnnl_memory_desc_t *md, const conv_state *state)
{
    static const dnnl_format_tag_t tags[2][3] = {{dnnl_nCw8c, dnnl_nChw8c, dnnl_nCdhw8c},
                                                 {dnnl_nCw16c, dnnl_nChw16c, dnnl_nCdhw16c}};
    dnnl_format_tag_t tag = tags[gig_md_channel_block(md) == 16][state->g.rank - 3];
    GIG_DNNL(dnnl_memory_desc_init_by_tag(md, state->g.rank, state->g.src, dnnl_f32, tag));
    return GIG_OK;
}

static gig_status emit_data_gradient(gig_plan *plan, const gig_step *step, const conv_state *state)
{
    const gig_op *op = &plan->ops[step->op];
    gig_cell *out = &plan->cells[step->out];
    backward_choice choice;
    gig_status status = choose_backward(&choice, plan, step, state, &out->md);
    if (status != GIG_OK) {
        gig_tensor_clear(&choice.wide);
        return status;
    }
    dnnl_memory_desc_t src = *dnnl_primitive_desc_query_md(choice.pd, dnnl_query_diff_src_md, 0), seen = src,
                       dst = *dnnl_primitive_desc_query_md(choice.pd, dnnl_query_diff_dst_md, 0),
                       weights = *dnnl_primitive_desc_query_md(choice.pd, dnnl_query_weights_md, 0),
                       plain_weights = dense_md(choice.g.weights_rank, choice.g.weights);
    void *packed = NULL;
    status = gig_plan_pack(&packed, plan, &plain_weights, choice.wide.data ? choice.wide.data : step->weights.data,
                           &weights);
    if (status == GIG_OK && choice.wide.data) status = narrow_md(&seen, state);
    gig_tensor_clear(&choice.wide);
    gig_place diff_dst = out->diff, diff_src;
    if (status == GIG_OK && choice.plain_dst) status = gig_plan_diff_plain(&diff_dst, plan, step->out);
    if (status == GIG_OK) status = gig_plan_diff_begin(&diff_src, plan, op->node->inputs[0], &seen);
    if (status != GIG_OK) {
        dnnl_primitive_desc_destroy(choice.pd);
        return status;
    }
    gig_action *action;
    GIG_TRY(gig_plan_primitive(&action, plan, "Conv", choice.pd));
    action->flops = state->g.flops;
    gig_action_argument(action, DNNL_ARG_DIFF_DST, &dst, diff_dst);
    gig_action_argument(action, DNNL_ARG_WEIGHTS, &weights, (gig_place){-1, 0, packed});
    gig_action_argument(action, DNNL_ARG_DIFF_SRC, &src, diff_src);
    return gig_plan_diff_end(plan, op->node->inputs[0], &seen, diff_src);
}

static gig_status conv_backward(gig_plan *plan, size_t s)
{
    const gig_step *step = &plan->steps[s];
    const conv_state *state = step->state;
    gig_cell *out = &plan->cells[step->out];
    if (step->relu) {
        gig_action *action;
        gig_call call = plan->guided ? gig_call_unmask_guided : gig_call_unmask;
        GIG_TRY(gig_plan_call(&action, plan, "Relu", call, gig_md_bytes(&out->md) / sizeof(float)));
        gig_action_place(action, out->diff);
        gig_action_place(action, state->mask);
    }
    if (plan->cells[plan->ops[step->op].node->inputs[0]].depends) GIG_TRY(emit_data_gradient(plan, step, state));
    if (step->other < 0 || !plan->cells[step->other].depends) return GIG_OK;
    return gig_plan_diff_take(plan, step->other, &out->md, out->diff);
}

const gig_step_class gig_step_convolution = {conv_forward, conv_backward};
