/* SPDX-License-Identifier: Apache-2.0 */
/* ConvTranspose with constant weights by oneDNN. It is the convolution from its results to its data, walked backwards:
 * the forward pass is that convolution's gradient, the gradient is that convolution. */
#include "network/dnnl/convolution.h"
#include "network/plan.h"

typedef struct channels {
    size_t outer, count, inner; /* pictures times blocks of channels, channels, cells of a plane */
    int block;                  /* 1: row-major */
    const float *bias;          /* [count] */
} channels;

typedef struct deconv_state {
    gig_geometry g; /* of the convolution */
    channels bias;
} deconv_state;

/* The same weights [in, out / group, kernel] are those of the convolution: its results are our data. */
static void geometry_of(gig_geometry *out, const gig_window *w)
{
    gig_window back = *w;
    back.in_channels = w->out_channels;
    back.out_channels = w->in_channels;
    for (int i = 0; i < w->spatial; i++) {
        back.in[i] = w->out[i];
        back.out[i] = w->in[i];
    }
    gig_geometry_of(out, &back);
}

/* p[0] += the bias of each channel; action->self is a channels. */
static gig_status call_bias(const gig_action *action, void *const *pointers)
{
    const channels *c = action->self;
    float *at = pointers[0];
    size_t block = (size_t)c->block;
    for (size_t o = 0; o < c->outer; o++)
        for (size_t k = 0; k < c->count / block; k++)
            for (size_t i = 0; i < c->inner; i++, at += block)
                for (size_t b = 0; b < block; b++) at[b] += c->bias[k * block + b];
    return GIG_OK;
}

static gig_status emit_bias(gig_plan *plan, const gig_step *step, deconv_state *state, const gig_tensor *bias)
{
    const gig_cell *out = &plan->cells[step->out];
    const gig_layout *layout = out->layout;
    gig_action *action;
    state->bias = (channels){(size_t)layout->dims[0], (size_t)layout->dims[1], 1, 1, bias->real};
    for (int i = 2; i < layout->rank; i++) state->bias.inner *= (size_t)layout->dims[i];
    if (layout->channel_block) state->bias.block = layout->channel_block;
    GIG_TRY(gig_plan_call(&action, plan, "ConvTranspose", call_bias, layout->bytes / sizeof(float)));
    action->self = &state->bias;
    gig_action_place(action, out->data);
    return GIG_OK;
}

static gig_status pack(void **out, gig_plan *plan, const gig_geometry *g, const gig_tensor *weights,
                       const gig_layout *layout)
{
    const gig_layout *dense;
    GIG_TRY(gig_layout_dense(&dense, plan->engine, g->weights_rank, g->weights));
    return gig_plan_pack(out, plan, dense, weights->data, layout);
}

static int takes(const gig_op *op)
{
    if (op->in[0]->data || !op->in[1]->data || !gig_tensor_count(op->in[0]) || !gig_tensor_count(op->out[0])) return 0;
    return op->in_count < 3 || !op->in[2] || op->in[2]->data;
}

/* Plain, or whole blocks of channels: what call_bias and the rest of a plan can read. */
static int is_simple(const gig_layout *layout)
{
    return layout->plain || layout->channel_block;
}

static gig_status deconv_forward(gig_plan *plan, size_t s, int *taken)
{
    gig_step *step = &plan->steps[s];
    const gig_op *op = &plan->ops[step->op];
    if (!takes(op)) return GIG_OK;
    deconv_state *state = gig_plan_alloc(plan, 1, sizeof *state);
    gig_convolution_gradient choice;
    if (!state) return gig_alloc_status();
    geometry_of(&state->g, op->params);
    GIG_TRY(gig_convolution_backward(&choice, plan->engine, &state->g, op->in[1], GIG_NUMBER_F32,
                                     plan->cells[op->node->inputs[0]].layout));
    gig_tensor_clear(&choice.wide);
    const gig_layout *const *wants = choice.primitive->layouts;
    if (choice.g.src[1] != state->g.src[1] || !is_simple(wants[GIG_ARG_DIFF_SRC])) return GIG_OK;
    *taken = 1;
    step->state = state;
    gig_place data;
    void *packed;
    gig_action *action;
    GIG_TRY(gig_plan_data_as(&data, plan, op->node->inputs[0], wants[GIG_ARG_DIFF_DST]));
    GIG_TRY(pack(&packed, plan, &state->g, op->in[1], wants[GIG_ARG_WEIGHTS]));
    GIG_TRY(gig_plan_place(plan, step->out, wants[GIG_ARG_DIFF_SRC]));
    GIG_TRY(gig_plan_primitive(&action, plan, "ConvTranspose", choice.primitive));
    action->flops = state->g.flops;
    gig_action_argument(action, GIG_ARG_DIFF_DST, data);
    gig_action_argument(action, GIG_ARG_WEIGHTS, (gig_place){-1, 0, packed});
    gig_action_argument(action, GIG_ARG_DIFF_SRC, plan->cells[step->out].data);
    return op->in_count > 2 && op->in[2] ? emit_bias(plan, step, state, op->in[2]) : GIG_OK;
}

static gig_status deconv_backward(gig_plan *plan, size_t s)
{
    const gig_step *step = &plan->steps[s];
    const gig_op *op = &plan->ops[step->op];
    const deconv_state *state = step->state;
    const gig_cell *out = &plan->cells[step->out];
    int from = op->node->inputs[0];
    gig_primitive *primitive;
    GIG_TRY(gig_convolution_forward(&primitive, plan->engine, &state->g, GIG_NUMBER_F32, 0, out->layout, NULL));
    if (!primitive) return gig_fail(GIG_EUNSUPPORTED, "oneDNN has no gradient for this transposed convolution");
    const gig_layout *const *wants = primitive->layouts;
    gig_place incoming = out->diff, diff;
    void *packed;
    gig_action *action;
    if (!gig_layout_same(out->layout, wants[GIG_ARG_SRC])) {
        GIG_TRY(gig_plan_buffer(&incoming, plan, wants[GIG_ARG_SRC]->bytes));
        GIG_TRY(gig_plan_reorder(plan, "Reorder", out->layout, out->diff, wants[GIG_ARG_SRC], incoming));
    }
    GIG_TRY(pack(&packed, plan, &state->g, op->in[1], wants[GIG_ARG_WEIGHTS]));
    GIG_TRY(gig_plan_diff_begin(&diff, plan, from, wants[GIG_ARG_DST]));
    GIG_TRY(gig_plan_primitive(&action, plan, "ConvTranspose", primitive));
    action->flops = state->g.flops;
    gig_action_argument(action, GIG_ARG_SRC, incoming);
    gig_action_argument(action, GIG_ARG_WEIGHTS, (gig_place){-1, 0, packed});
    gig_action_argument(action, GIG_ARG_DST, diff);
    return gig_plan_diff_end(plan, from, wants[GIG_ARG_DST], diff);
}

static const gig_step_class deconvolution_class = {deconv_forward, deconv_backward};
const gig_fast gig_fast_deconvolution = {.step = &deconvolution_class};
