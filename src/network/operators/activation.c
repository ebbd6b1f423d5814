/* SPDX-License-Identifier: Apache-2.0 */
/* Activations: functions of one number with a parameter or two.
 * Gradients at kinks: Relu, LeakyRelu, Elu and their kin take the slope of the left side, at 0 for Relu. */
#include "network/kernels/smooth_functions.h"
#include "network/locate/broadcast.h"
#include "network/operators/elementwise.h"
#include <float.h>

gig_status gig_op_infer_unary(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 1, 1));
    return gig_op_same_output(op, 0, 0);
}

gig_status gig_op_infer_real_unary(gig_op *op)
{
    GIG_TRY(gig_op_infer_unary(op));
    return gig_op_expect_type(op, 0, GIG_FLOAT32);
}

/* Attributes first (default a) and second (default b), either NULL. */
static gig_status infer_scalars(gig_op *op, const char *first, float a, const char *second, float b)
{
    GIG_TRY(gig_op_infer_real_unary(op));
    return gig_op_keep_scalars(op, gig_node_real(op->node, first, a), second ? gig_node_real(op->node, second, b) : b);
}

/* ---- Relu: max(x, 0), also of integers ---- */

GIG_WIDE_MAP(relu_real, x < 0 ? 0 : x)
GIG_WIDE_SLOPE_OF_OUTPUT(relu, gig_choose(y > 0, 1, 0))

static gig_status relu_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    if (in[0]->type == GIG_FLOAT32) return relu_real_forward(op, in, out);
    for (size_t k = 0, count = gig_tensor_count(in[0]); k < count; k++)
        out[0]->whole[k] = in[0]->whole[k] < 0 ? 0 : in[0]->whole[k];
    return GIG_OK;
}

/* ---- one or two attributes ---- */

static gig_status leaky_relu_infer(gig_op *op)
{
    return infer_scalars(op, "alpha", 0.01f, NULL, 0);
}
GIG_WIDE_MAP(leaky_relu, gig_choose(x < 0, a *x, x))
GIG_WIDE_SLOPE_OF_INPUT(leaky_relu, gig_choose(x > 0, 1, a))

static gig_status elu_infer(gig_op *op)
{
    return infer_scalars(op, "alpha", 1, NULL, 0);
}
/* exp(x) - 1 and exp(x) of what is below 0 of x: the other side need not be a number there. */
static inline float bend(float x)
{
    return gig_exp_less_1(gig_choose(x > 0, 0, x));
}
static inline float bend_slope(float x)
{
    return gig_exp_down(gig_choose(x > 0, 0, x));
}
GIG_WIDE_MAP(elu, gig_choose(x > 0, x, a *bend(x)))
GIG_WIDE_SLOPE_OF_INPUT(elu, gig_choose(x > 0, 1, a *bend_slope(x)))

static gig_status celu_infer(gig_op *op)
{
    GIG_TRY(infer_scalars(op, "alpha", 1, NULL, 0));
    if (gig_op_scalars(op).a == 0) return gig_fail(GIG_EFORMAT, "Celu: alpha is 0");
    return GIG_OK;
}
GIG_MAP(celu, x != x ? x : fmaxf(x, 0) + fminf(a * expm1f(x / a), 0))
GIG_SLOPE_OF_INPUT(celu, x > 0 ? 1 : expf(x / a))

static gig_status selu_infer(gig_op *op)
{
    return infer_scalars(op, "alpha", 1.67326319217681884765625f, "gamma", 1.05070102214813232421875f);
}
static gig_status selu_1_infer(gig_op *op)
{
    return infer_scalars(op, "alpha", 1.6732f, "gamma", 1.0507f);
}
GIG_WIDE_MAP(selu, gig_choose(x > 0, x, a *bend(x)) * b)
GIG_WIDE_SLOPE_OF_INPUT(selu, gig_choose(x > 0, 1, a *bend_slope(x)) * b)

static gig_status hard_sigmoid_infer(gig_op *op)
{
    return infer_scalars(op, "alpha", 0.2f, "beta", 0.5f);
}
static inline float within_0_and_1(float x)
{
    return gig_choose(x > 1, 1, gig_choose(x < 0, 0, x));
}
GIG_WIDE_MAP(hard_sigmoid, within_0_and_1(b + a * x))
GIG_WIDE_SLOPE_OF_INPUT(hard_sigmoid, b + a * x > 0 && b + a * x < 1 ? a : 0)

static gig_status thresholded_relu_infer(gig_op *op)
{
    return infer_scalars(op, "alpha", 1, NULL, 0);
}
GIG_WIDE_MAP(thresholded_relu, gig_choose(x > a, x, 0))
GIG_WIDE_SLOPE_OF_INPUT(thresholded_relu, gig_choose(x > a, 1, 0))

/* ---- no attribute ---- */

GIG_WIDE_MAP(sigmoid, gig_sigmoid(x))
GIG_WIDE_SLOPE_OF_OUTPUT(sigmoid, (1 - y) * y)

GIG_WIDE_MAP(tanh, gig_tanh(x))
GIG_WIDE_SLOPE_OF_OUTPUT(tanh, 1 - y * y)

GIG_WIDE_MAP(softplus, gig_softplus(x))
GIG_WIDE_SLOPE_OF_INPUT(softplus, gig_sigmoid(x))

GIG_WIDE_MAP(softsign, x / (1 + fabsf(x)))
GIG_WIDE_SLOPE_OF_INPUT(softsign, 1 / ((1 + fabsf(x)) * (1 + fabsf(x))))

GIG_WIDE_MAP(hard_swish, within_0_and_1(x / 6 + 0.5f) * x)
/* At its kinks as x HardSigmoid(x), which it may stand for. */
GIG_WIDE_SLOPE_OF_INPUT(hard_swish, gig_choose(x <= -3, 0, gig_choose(x >= 3, 1, x / 3 + 0.5f)))

/* x + bias below -lambd, x - bias above lambd, 0 between. */
static gig_status shrink_infer(gig_op *op)
{
    return infer_scalars(op, "lambd", 0.5f, "bias", 0);
}
GIG_MAP(shrink, x<-a ? x + b : x> a ? x - b : 0)
GIG_SLOPE_OF_INPUT(shrink, x<-a || x> a ? 1 : 0)

/* ---- PRelu: x where x > 0, else slope * x; slope is broadcast to x ---- */

/* The slope as broadcasting takes it. Before opset 7 a list of slopes belongs to the channels, dim 1. */
static gig_tensor slope_view(const gig_op *op)
{
    gig_tensor slope = *op->in[1];
    if (op->node->opset >= 7 || slope.rank != 1 || op->in[0]->rank < 2) return slope;
    slope.rank = op->in[0]->rank - 1;
    for (int d = 1; d < slope.rank; d++) slope.dims[d] = 1;
    return slope;
}

static gig_status prelu_infer(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 2, 2));
    GIG_TRY(gig_op_expect_type(op, 0, GIG_FLOAT32));
    GIG_TRY(gig_op_expect_type(op, 1, GIG_FLOAT32));
    const gig_tensor *x = op->in[0];
    gig_tensor slope = slope_view(op);
    int shift = x->rank - slope.rank;
    int fits = shift >= 0;
    for (int d = 0; fits && d < slope.rank; d++) fits = slope.dims[d] == 1 || slope.dims[d] == x->dims[shift + d];
    if (!fits) return gig_fail(GIG_EFORMAT, "PRelu: the slope's dims do not fit the input");
    return gig_op_same_output(op, 0, 0);
}

static gig_status prelu_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    gig_strides strides;
    gig_rows rows;
    gig_tensor slope = slope_view(op);
    gig_broadcast_strides(&strides, &slope, in[0]->rank, in[0]->dims);
    for (gig_rows_begin(&rows, in[0]->rank, in[0]->dims, 1, &strides); !rows.done; gig_rows_next(&rows)) {
        const float *x = in[0]->real + rows.at, *s = in[1]->real + rows.offset[0];
        float *y = out[0]->real + rows.at;
        for (int64_t k = 0; k < rows.length; k++) y[k] = x[k] > 0 ? x[k] : s[k * rows.step[0]] * x[k];
    }
    return GIG_OK;
}

static gig_status prelu_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                 const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    gig_strides strides;
    gig_rows rows;
    const gig_tensor *x = in[0];
    gig_tensor slope = slope_view(op);
    float *d_slope = NULL; /* before it is summed */
    (void)out;
    if (d_in[1] && !(d_slope = gig_alloc(gig_tensor_count(x), sizeof *d_slope))) return gig_alloc_status();
    gig_broadcast_strides(&strides, &slope, x->rank, x->dims);
    for (gig_rows_begin(&rows, x->rank, x->dims, 1, &strides); !rows.done; gig_rows_next(&rows)) {
        const float *from = x->real + rows.at, *s = in[1]->real + rows.offset[0], *d_to = d_out[0]->real + rows.at;
        for (int64_t k = 0; d_in[0] && k < rows.length; k++)
            d_in[0]->real[rows.at + k] = from[k] > 0 ? d_to[k] : d_to[k] * s[k * rows.step[0]];
        for (int64_t k = 0; d_slope && k < rows.length; k++) d_slope[rows.at + k] = from[k] > 0 ? 0 : d_to[k] * from[k];
    }
    if (d_slope) {
        slope.data = d_in[1]->data;
        gig_broadcast_reduce(&slope, d_slope, x->rank, x->dims);
    }
    gig_free(d_slope);
    return GIG_OK;
}

/* ---- Clip: to attributes before opset 11, to inputs since; the upper bound wins where they cross ---- */

static gig_status clip_6_infer(gig_op *op)
{
    return infer_scalars(op, "min", -FLT_MAX, "max", FLT_MAX);
}
GIG_MAP(clip_6, (x < a ? a : x) > b ? b : x < a ? a : x) /* a NaN stays one */
GIG_SLOPE_OF_INPUT(clip_6, x >= a && x <= b ? 1 : 0)

static gig_status clip_infer(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 1, 3));
    for (size_t i = 1; i < op->in_count; i++) {
        if (!op->in[i]) continue;
        GIG_TRY(gig_op_expect_type(op, i, op->in[0]->type));
        if (gig_tensor_count(op->in[i]) != 1) return gig_fail(GIG_EFORMAT, "Clip: a bound is not a single number");
    }
    return gig_op_same_output(op, 0, 0);
}

static const gig_tensor *bound(const gig_op *op, const gig_tensor *const *in, size_t i)
{
    return i < op->in_count && op->in[i] ? in[i] : NULL;
}

static gig_status clip_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const gig_tensor *least = bound(op, in, 1), *most = bound(op, in, 2);
    size_t count = gig_tensor_count(in[0]);
    if (in[0]->type == GIG_FLOAT32) {
        const float low = least ? least->real[0] : -INFINITY, high = most ? most->real[0] : INFINITY;
        for (size_t k = 0; k < count; k++) {
            float x = in[0]->real[k] < low ? low : in[0]->real[k];
            out[0]->real[k] = x > high ? high : x;
        }
    } else {
        const int64_t low = least ? least->whole[0] : INT64_MIN, high = most ? most->whole[0] : INT64_MAX;
        for (size_t k = 0; k < count; k++) {
            int64_t x = in[0]->whole[k] < low ? low : in[0]->whole[k];
            out[0]->whole[k] = x > high ? high : x;
        }
    }
    return GIG_OK;
}

/* The slope is 1 within the bounds, bounds included; a bound gets the gradient of what it cut off. */
static gig_status clip_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    const gig_tensor *least = bound(op, in, 1), *most = bound(op, in, 2);
    const float low = least ? least->real[0] : -INFINITY, high = most ? most->real[0] : INFINITY;
    const float *x = in[0]->real, *d_to = d_out[0]->real;
    size_t count = gig_tensor_count(in[0]);
    double d_low = 0, d_high = 0;
    (void)out;
    for (size_t k = 0; d_in[0] && k < count; k++) d_in[0]->real[k] = x[k] >= low && x[k] <= high ? d_to[k] : 0;
    for (size_t k = 0; k < count; k++) {
        d_high += x[k] > high || low > high ? d_to[k] : 0;
        d_low += x[k] < low && low <= high ? d_to[k] : 0;
    }
    if (least && d_in[1]) d_in[1]->real[0] = (float)d_low;
    if (most && d_in[2]) d_in[2]->real[0] = (float)d_high;
    return GIG_OK;
}

#define BY_INPUT(name, since, until, function)                                                                         \
    {                                                                                                                  \
        name, since, until, GIG_OP_ELEMENTWISE, GIG_NEEDS_INPUT_0, function##_infer, function##_forward,               \
            function##_backward                                                                                        \
    }

static const gig_moved_attribute bounds_moved[] = {{"min", 11}, {"max", 11}, {0}};

const gig_operator gig_operators_activation[] = {
    {"Relu", 1, 0, GIG_OP_ELEMENTWISE | GIG_OP_KEEPS_WHOLE | GIG_OP_HAS_KINK, GIG_NEEDS_OUTPUT, gig_op_infer_unary,
     relu_forward, relu_backward, .fast = &gig_fast_relu, .kind = GIG_KIND_RELU},
    {"LeakyRelu", 1, 0, GIG_OP_ELEMENTWISE | GIG_OP_HAS_KINK, GIG_NEEDS_INPUT_0, leaky_relu_infer, leaky_relu_forward,
     leaky_relu_backward},
    BY_INPUT("Elu", 1, 0, elu),
    BY_INPUT("Celu", 12, 0, celu),
    {"Selu", 1, 5, GIG_OP_ELEMENTWISE, GIG_NEEDS_INPUT_0, selu_1_infer, selu_forward, selu_backward},
    BY_INPUT("Selu", 6, 0, selu),
    {"HardSigmoid", 1, 0, GIG_OP_ELEMENTWISE, GIG_NEEDS_INPUT_0, hard_sigmoid_infer, hard_sigmoid_forward,
     hard_sigmoid_backward, .kind = GIG_KIND_HARD_SIGMOID, .makes = GIG_OUTPUT_SIGMOID},
    BY_INPUT("ThresholdedRelu", 10, 0, thresholded_relu),
    BY_INPUT("Shrink", 9, 0, shrink),
    {"Sigmoid", 1, 0, GIG_OP_ELEMENTWISE, GIG_NEEDS_OUTPUT, gig_op_infer_real_unary, sigmoid_forward, sigmoid_backward,
     .kind = GIG_KIND_SIGMOID, .makes = GIG_OUTPUT_SIGMOID},
    {"Tanh", 1, 0, GIG_OP_ELEMENTWISE, GIG_NEEDS_OUTPUT, gig_op_infer_real_unary, tanh_forward, tanh_backward,
     .kind = GIG_KIND_TANH},
    {"Softplus", 1, 0, GIG_OP_ELEMENTWISE, GIG_NEEDS_INPUT_0, gig_op_infer_real_unary, softplus_forward,
     softplus_backward, .kind = GIG_KIND_SOFTPLUS},
    {"Softsign", 1, 0, GIG_OP_ELEMENTWISE, GIG_NEEDS_INPUT_0, gig_op_infer_real_unary, softsign_forward,
     softsign_backward},
    {"HardSwish", 14, 0, GIG_OP_ELEMENTWISE, GIG_NEEDS_INPUT_0, gig_op_infer_real_unary, hard_swish_forward,
     hard_swish_backward},
    {"PRelu", 1, 0, GIG_OP_ELEMENTWISE | GIG_OP_HAS_KINK, GIG_NEEDS_INPUTS, prelu_infer, prelu_forward, prelu_backward},
    {"Clip", 1, 10, GIG_OP_ELEMENTWISE | GIG_OP_MOVES | GIG_OP_HAS_KINK, GIG_NEEDS_INPUT_0, clip_6_infer,
     clip_6_forward, clip_6_backward, .fast = &gig_fast_clip, .moved = bounds_moved},
    {"Clip", 11, 0, GIG_OP_ELEMENTWISE | GIG_OP_KEEPS_WHOLE | GIG_OP_MOVES | GIG_OP_HAS_KINK, GIG_NEEDS_INPUTS,
     clip_infer, clip_forward, clip_backward, .fast = &gig_fast_clip, .moved = bounds_moved},
    {0}};
