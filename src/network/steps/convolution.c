/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution by oneDNN in its own blocked layouts, with addition and ReLU inside where it can; backward to the data
 * only.
 *
 * A forward convolution is one product in f32 (`f32`, `mixed`), one of bf16 numbers (`bf16`), or the sum of three
 * (`split`): high * high + high * low + low * high, all into one f32 result. The backward pass is one product, bf16
 * unless `f32`. Where oneDNN has no fast bf16 kernel for a shape, that convolution stays f32. Where data lie in blocks
 * of 8 channels, f32 windows of 3 x 3, 5 x 5, 7 x 1 and such at stride 1 are computed by winograd.c, the picture's own
 * gradient by few_channels.c, and, where that is faster or must be portable, windows of 1 x 1 by pointwise.c. */
#include "network/dnnl/convolution.h"
#include "network/kernels/bf16_halves.h"
#include "network/kernels/few_channels.h"
#include "network/kernels/pointwise.h"
#include "network/kernels/winograd.h"
#include <math.h>
#include <string.h>

typedef struct conv_state {
    gig_geometry g;
    gig_place mask;               /* bits of the ReLU */
    const gig_winograd *winograd; /* of the forward pass; NULL: not by tiles */
} conv_state;

/* ---- which primitives ---- */

/* Product number `at` adds to what is there when it is not the first, or when another value is added; ReLU comes last.
 */
static unsigned product_with(const gig_step *step, int fused, size_t at, size_t count)
{
    unsigned with = at == 0 ? GIG_WITH_BIAS : 0;
    if (at > 0 || (fused && step->other >= 0)) with |= GIG_WITH_ADD;
    if (fused && step->relu && at + 1 == count) with |= GIG_WITH_RELU;
    return with;
}

/* All products, or all NULL if one has no primitive. The later ones write the layout that the first chose. */
static gig_status choose_products(gig_primitive *products[3], const gig_plan *plan, const gig_step *step,
                                  const gig_geometry *g, const gig_numbers *how, int fused)
{
    const gig_layout *present = plan->cells[plan->ops[step->op].node->inputs[0]].layout;
    memset(products, 0, 3 * sizeof *products);
    for (size_t i = 0; i < how->count; i++) {
        const gig_layout *dst = i ? products[0]->layouts[GIG_ARG_DST] : NULL;
        GIG_TRY(gig_convolution_forward(&products[i], plan->engine, g, how->type,
                                        product_with(step, fused, i, how->count), present, dst));
        if (products[i]) continue;
        memset(products, 0, 3 * sizeof *products);
        return GIG_OK;
    }
    return GIG_OK;
}

/* With addition and ReLU inside if possible (*fused), in the wanted numbers if possible (*how). */
static gig_status choose_forward(gig_primitive *products[3], int *fused, gig_numbers *how, const gig_plan *plan,
                                 const gig_step *step, const gig_geometry *g)
{
    for (int attempt = 0; attempt < 2; attempt++) {
        for (*fused = step->other >= 0 || step->relu;; *fused = 0) {
            GIG_TRY(choose_products(products, plan, step, g, how, *fused));
            if (products[0] || !*fused) break;
        }
        if (products[0] || !how->halves) return GIG_OK;
        *how = gig_numbers_whole();
    }
    return GIG_OK;
}

/* ---- forward ---- */

/* Where the result goes. With a fused addition the other operand must be there in advance: in place if it is not read
 * again. In x + conv(x) the convolution itself reads it, after its first results are written. */
static gig_status place_result(gig_plan *plan, size_t s, const gig_layout *layout, int fused)
{
    gig_step *step = &plan->steps[s];
    gig_cell *out = &plan->cells[step->out];
    if (!fused || step->other < 0) return gig_plan_place(plan, step->out, layout);
    const gig_cell *other = &plan->cells[step->other];
    int own_data = plan->ops[step->op].node->inputs[0] == step->other;
    if (!own_data && gig_plan_last_use(plan, step->other, s) && gig_layout_same(other->layout, layout) &&
        out->home < 0) {
        out->layout = layout;
        out->data = other->data;
        out->placed = 1;
        return GIG_OK;
    }
    GIG_TRY(gig_plan_place(plan, step->out, layout));
    return gig_plan_reorder(plan, "Copy", other->layout, other->data, layout, out->data);
}

static gig_status pack_bias(gig_place *out, gig_plan *plan, const gig_step *step, const gig_geometry *g)
{
    float *bias = gig_plan_alloc(plan, (size_t)g->bias[0], sizeof *bias);
    if (!bias) return gig_alloc_status();
    if (step->bias.data) memcpy(bias, step->bias.real, (size_t)g->bias[0] * sizeof *bias);
    *out = (gig_place){-1, 0, bias};
    return GIG_OK;
}

/* What our own kernels do after their sums. */
static gig_status set_tail(const float **bias, int *add, int *relu, gig_plan *plan, const gig_step *step, int fused)
{
    gig_place packed = GIG_NO_PLACE;
    const conv_state *state = step->state;
    GIG_TRY(pack_bias(&packed, plan, step, &state->g));
    *bias = packed.constant;
    *add = fused && step->other >= 0;
    *relu = fused && step->relu;
    return GIG_OK;
}

static gig_status emit_winograd_forward(gig_plan *plan, const gig_step *step, gig_winograd *how, int fused,
                                        gig_place from)
{
    conv_state *state = step->state;
    GIG_TRY(set_tail(&how->bias, &how->add, &how->relu, plan, step, fused));
    return gig_winograd_emit(&state->winograd, plan, how, NULL, step, from, plan->cells[step->out].data);
}

static gig_status emit_pointwise_forward(gig_plan *plan, const gig_step *step, gig_pointwise *how, int fused,
                                         gig_place from)
{
    GIG_TRY(set_tail(&how->bias, &how->add, &how->relu, plan, step, fused));
    return gig_pointwise_emit(plan, how, step, from, plan->cells[step->out].data);
}

static gig_status emit_product(gig_plan *plan, const gig_step *step, const gig_geometry *g, const gig_numbers *how,
                               size_t at, gig_primitive *product, const gig_place halves[2])
{
    void *packed = NULL;
    gig_place bias = GIG_NO_PLACE;
    const gig_layout *dense;
    GIG_TRY(gig_layout_dense(&dense, plan->engine, g->weights_rank, g->weights));
    GIG_TRY(gig_plan_pack_half(&packed, plan, dense, &step->weights, product->layouts[GIG_ARG_WEIGHTS], how->halves,
                               how->products[at].low_weights));
    if (at == 0) GIG_TRY(pack_bias(&bias, plan, step, g));
    gig_action *action;
    GIG_TRY(gig_plan_primitive(&action, plan, "Conv", product));
    action->flops = at == 0 ? g->flops : 0.0;
    gig_action_argument(action, GIG_ARG_SRC, halves[how->products[at].low_data]);
    gig_action_argument(action, GIG_ARG_WEIGHTS, (gig_place){-1, 0, packed});
    if (at == 0) gig_action_argument(action, GIG_ARG_BIAS, bias);
    gig_action_argument(action, GIG_ARG_DST, plan->cells[step->out].data);
    return GIG_OK;
}

/* Addition and ReLU where the primitive does not do them; the ReLU's mask in any case. */
static gig_status emit_tail(gig_plan *plan, const gig_step *step, conv_state *state, int fused)
{
    gig_cell *out = &plan->cells[step->out];
    size_t count = out->layout->bytes / sizeof(float);
    gig_action *action;
    if (!fused && step->other >= 0) {
        gig_place other;
        GIG_TRY(gig_plan_data_as(&other, plan, step->other, out->layout));
        GIG_TRY(gig_plan_call(&action, plan, "Add", gig_call_add, count));
        gig_action_place(action, out->data);
        gig_action_place(action, other);
    }
    if (!step->relu) return GIG_OK;
    GIG_TRY(gig_plan_buffer(&state->mask, plan, (count + 31) / 32 * sizeof(uint32_t)));
    GIG_TRY(gig_plan_call(&action, plan, "Relu", fused ? gig_call_mask : gig_call_relu, count));
    gig_action_place(action, out->data);
    if (!fused) gig_action_place(action, out->data);
    gig_action_place(action, state->mask);
    return GIG_OK;
}

static gig_status emit_forward(gig_plan *plan, size_t s, gig_primitive *const products[3], int fused,
                               const gig_numbers *how)
{
    gig_step *step = &plan->steps[s];
    conv_state *state = step->state;
    const gig_layout *src = products[0]->layouts[GIG_ARG_SRC], *dst = products[0]->layouts[GIG_ARG_DST], *floats;
    GIG_TRY(gig_layout_with_type(&floats, plan->engine, src, GIG_NUMBER_F32));
    gig_place data[2] = {GIG_NO_PLACE, GIG_NO_PLACE};
    GIG_TRY(gig_plan_data_as(&data[0], plan, plan->ops[step->op].node->inputs[0], floats));
    if (how->halves) {
        gig_place whole = data[0];
        GIG_TRY(gig_plan_split(data, plan, whole, src, how->count > 1));
    }
    GIG_TRY(place_result(plan, s, dst, fused));
    gig_winograd winograd;
    int by_tiles = !how->halves && gig_winograd_takes(&winograd, plan, &state->g, src, dst, 0) &&
                   !gig_winograd_blurs_zeros(plan, step);
    gig_pointwise pointwise;
    int by_places = !how->halves && gig_pointwise_takes(&pointwise, plan, &state->g, src, dst, 0);
    if (by_tiles) GIG_TRY(emit_winograd_forward(plan, step, &winograd, fused, data[0]));
    if (by_places) GIG_TRY(emit_pointwise_forward(plan, step, &pointwise, fused, data[0]));
    for (size_t i = 0; i < how->count && !by_tiles && !by_places; i++)
        GIG_TRY(emit_product(plan, step, &state->g, how, i, products[i], data));
    return emit_tail(plan, step, state, fused);
}

/* A ReLU turns NaN into 0: a value that is not finite here would not show in the result. */
static gig_status check_finite(const gig_tensor *tensor, const char *what)
{
    size_t count = tensor->data ? gig_tensor_count(tensor) : 0;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(tensor->real[i]))
            return gig_fail(GIG_ENUMERIC, "Conv: %s %zu is %f", what, i, (double)tensor->real[i]);
    return GIG_OK;
}

static gig_status conv_forward(gig_plan *plan, size_t s, int *taken)
{
    gig_step *step = &plan->steps[s];
    const gig_op *op = &plan->ops[step->op];
    if (!step->weights.data) return GIG_OK; /* weights computed at run time */
    GIG_TRY(check_finite(&step->weights, "weight"));
    GIG_TRY(check_finite(&step->bias, "bias"));
    conv_state *state = gig_plan_alloc(plan, 1, sizeof *state);
    if (!state) return gig_alloc_status();
    step->state = state;
    gig_geometry_of(&state->g, op->params);
    gig_primitive *products[3];
    int fused;
    gig_numbers how = gig_numbers_forward(plan);
    GIG_TRY(choose_forward(products, &fused, &how, plan, step, &state->g));
    if (!products[0])
        return step->out == op->node->outputs[0] ? GIG_OK : gig_fail(GIG_EINTERNAL, "no convolution for a fused step");
    *taken = 1;
    return emit_forward(plan, s, products, fused, &how);
}

/* ---- backward ---- */

static gig_status choose_gradient(gig_convolution_gradient *out, gig_numbers *how, const gig_plan *plan,
                                  const gig_step *step, const conv_state *state)
{
    const gig_cell *cell = &plan->cells[step->out];
    *how = gig_numbers_backward(plan);
    GIG_TRY(gig_convolution_backward(out, plan->engine, &state->g, &step->weights, how->type, cell->layout));
    if (out->primitive) return GIG_OK;
    *how = gig_numbers_whole();
    return gig_convolution_backward(out, plan->engine, &state->g, &step->weights, how->type, cell->layout);
}

/* The gradient that comes in, in the layout and numbers that the primitive wants. */
static gig_status incoming(gig_place *out, gig_plan *plan, const gig_step *step, const gig_convolution_gradient *choice,
                           const gig_numbers *how, const gig_layout *dst)
{
    *out = plan->cells[step->out].diff;
    if (choice->plain_dst) GIG_TRY(gig_plan_diff_plain(out, plan, step->out));
    if (!how->halves) return GIG_OK;
    gig_place halves[2], whole = *out;
    GIG_TRY(gig_plan_split(halves, plan, whole, dst, 0));
    *out = halves[0];
    return GIG_OK;
}

static gig_status emit_gradient(gig_plan *plan, const gig_step *step, const conv_state *state,
                                gig_convolution_gradient *choice, const gig_numbers *how)
{
    int from = plan->ops[step->op].node->inputs[0];
    const gig_layout *const *wants = choice->primitive->layouts;
    const gig_layout *src = wants[GIG_ARG_DIFF_SRC], *dst = wants[GIG_ARG_DIFF_DST], *seen = src, *dense;
    void *packed = NULL;
    gig_place diff_dst, diff_src;
    gig_winograd winograd;
    if (!how->halves && !choice->wide.data && gig_winograd_takes(&winograd, plan, &state->g, dst, src, 1)) {
        GIG_TRY(gig_plan_diff_begin(&diff_src, plan, from, src));
        const gig_winograd *made;
        GIG_TRY(
            gig_winograd_emit(&made, plan, &winograd, state->winograd, step, plan->cells[step->out].diff, diff_src));
        return gig_plan_diff_end(plan, from, src, diff_src);
    }
    gig_pointwise pointwise;
    if (!how->halves && !choice->wide.data && gig_pointwise_takes(&pointwise, plan, &state->g, dst, src, 1)) {
        GIG_TRY(gig_plan_diff_begin(&diff_src, plan, from, src));
        GIG_TRY(gig_pointwise_emit(plan, &pointwise, step, plan->cells[step->out].diff, diff_src));
        return gig_plan_diff_end(plan, from, src, diff_src);
    }
    GIG_TRY(gig_layout_dense(&dense, plan->engine, choice->g.weights_rank, choice->g.weights));
    GIG_TRY(gig_plan_pack_half(&packed, plan, dense, choice->wide.data ? &choice->wide : &step->weights,
                               wants[GIG_ARG_WEIGHTS], how->halves, 0));
    if (choice->wide.data) /* few channels in memory that was widened to one block */
        GIG_TRY(gig_layout_blocked(&seen, plan->engine, state->g.rank, state->g.src, src->channel_block));
    GIG_TRY(incoming(&diff_dst, plan, step, choice, how, dst));
    GIG_TRY(gig_plan_diff_begin(&diff_src, plan, from, seen));
    gig_action *action;
    GIG_TRY(gig_plan_primitive(&action, plan, "Conv", choice->primitive));
    action->flops = state->g.flops;
    gig_action_argument(action, GIG_ARG_DIFF_DST, diff_dst);
    gig_action_argument(action, GIG_ARG_WEIGHTS, (gig_place){-1, 0, packed});
    gig_action_argument(action, GIG_ARG_DIFF_SRC, diff_src);
    return gig_plan_diff_end(plan, from, seen, diff_src);
}

static gig_status data_gradient(gig_plan *plan, gig_step *step, const conv_state *state)
{
    gig_convolution_gradient choice;
    gig_numbers how;
    if (!gig_numbers_backward(plan).halves && gig_narrow_takes(plan, &state->g, plan->cells[step->out].layout))
        return gig_narrow_emit(plan, step, &state->g);
    gig_status status = choose_gradient(&choice, &how, plan, step, state);
    if (status == GIG_OK) status = emit_gradient(plan, step, state, &choice, &how);
    gig_tensor_clear(&choice.wide);
    gig_plan_spend_weights(plan, step);
    return status;
}

static gig_status conv_backward(gig_plan *plan, size_t s)
{
    gig_step *step = &plan->steps[s];
    const conv_state *state = step->state;
    gig_cell *out = &plan->cells[step->out];
    if (step->relu) {
        gig_action *action;
        gig_call call = plan->guided ? gig_call_unmask_guided : gig_call_unmask;
        GIG_TRY(gig_plan_call(&action, plan, "Relu", call, out->layout->bytes / sizeof(float)));
        gig_action_place(action, out->diff);
        gig_action_place(action, state->mask);
    }
    if (plan->cells[plan->ops[step->op].node->inputs[0]].depends) GIG_TRY(data_gradient(plan, step, state));
    if (step->other < 0 || !plan->cells[step->other].depends) return GIG_OK;
    return gig_plan_diff_take(plan, step->other, out->layout, out->diff);
}

static const gig_step_class convolution_class = {conv_forward, conv_backward};
const gig_fast gig_fast_convolution = {.step = &convolution_class};
