/* SPDX-License-Identifier: Apache-2.0 */
/* Activations that weigh x by a smooth gate of x itself: Gelu, Mish, Swish. */
#include "network/kernels/smooth_functions.h"
#include "network/operators/elementwise.h"
#include <string.h>

#define GIG_DENSITY_0  0.39894228040143267794f /* 1 / sqrt(2 pi), the normal density at 0 */
#define GIG_GELU_SLOPE 0.79788456080286535588f /* sqrt(2 / pi) */
#define GIG_GELU_CUBE  0.044715f

/* ---- Gelu: x P(x), P the normal distribution function, exact or by a tangent hyperbolic ---- */

/* P(x) + x P'(x): both have the factor exp(-x^2 / 2). */
static inline float gelu_slope(float x)
{
    const float z = fabsf(x) * 0.70710678118654752440f, within = gig_choose(z > 9.5f, 9.5f, z);
    const float e = gig_exp_down(-within * within), half = 0.5f * gig_erfc_scaled(within) * e;
    return gig_choose(x < 0, half, 1 - half) + x * GIG_DENSITY_0 * e;
}

static inline float tanh_gate(float x)
{
    return gig_tanh(GIG_GELU_SLOPE * (x + GIG_GELU_CUBE * x * x * x));
}

static inline float tanh_gelu_slope(float x)
{
    float t = tanh_gate(x), inner = GIG_GELU_SLOPE * (1 + 3 * GIG_GELU_CUBE * x * x);
    return 0.5f * (1 + t) + 0.5f * x * (1 - t * t) * inner;
}

GIG_WIDE_MAP(exact_gelu, x *gig_normal_below(x))
GIG_WIDE_SLOPE_OF_INPUT(exact_gelu, gelu_slope(x))
GIG_WIDE_GATE(exact_gelu, x *gig_normal_below(x), gelu_slope(x))
GIG_WIDE_MAP(tanh_gelu, 0.5f * x * (1 + tanh_gate(x)))
GIG_WIDE_SLOPE_OF_INPUT(tanh_gelu, tanh_gelu_slope(x))
GIG_WIDE_GATE(tanh_gelu, 0.5f * x * (1 + tanh_gate(x)), tanh_gelu_slope(x))

/* a: 1 if the approximation is asked for. */
static gig_status gelu_infer(gig_op *op)
{
    const char *how = gig_node_string(op->node, "approximate", "none");
    int approximate = !strcmp(how, "tanh");
    if (!approximate && strcmp(how, "none")) return gig_fail(GIG_EFORMAT, "approximate is \"%.40s\"", how);
    GIG_TRY(gig_op_infer_real_unary(op));
    return gig_op_keep_scalars(op, (float)approximate, 0);
}

static gig_status gelu_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    return gig_op_scalars(op).a != 0 ? tanh_gelu_forward(op, in, out) : exact_gelu_forward(op, in, out);
}

static gig_status gelu_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    return gig_op_scalars(op).a != 0 ? tanh_gelu_backward(op, in, out, d_out, d_in)
                                     : exact_gelu_backward(op, in, out, d_out, d_in);
}

static void gelu_gate(const gig_op *op, float *values, float *x, size_t count)
{
    if (gig_op_scalars(op).a != 0)
        tanh_gelu_gate(op, values, x, count);
    else
        exact_gelu_gate(op, values, x, count);
}

/* ---- Mish: x tanh(log(1 + e^x)) ---- */

/* w / (w + 2) with w = e^x (e^x + 2), in the power of -|x| */
static inline float mish_weight(float x)
{
    const float e = gig_exp_down(-fabsf(x)), left = e * (e + 2), right = 1 + 2 * e;
    const float over = gig_choose(x < 0, left, right), rest = gig_choose(x < 0, 2, 2 * e * e);
    return over / (over + rest);
}

static inline float mish_slope(float x)
{
    float gate = mish_weight(x);
    return gate + x * (1 - gate * gate) * gig_sigmoid(x);
}
GIG_WIDE_MAP(mish, x *mish_weight(x))
GIG_WIDE_SLOPE_OF_INPUT(mish, mish_slope(x))
GIG_WIDE_GATE(mish, x *mish_weight(x), mish_slope(x))

/* ---- Swish: x sigmoid(alpha x) ---- */

static gig_status swish_infer(gig_op *op)
{
    GIG_TRY(gig_op_infer_real_unary(op));
    return gig_op_keep_scalars(op, gig_node_real(op->node, "alpha", 1), 0);
}

static inline float swish_slope(float x, float alpha)
{
    float gate = gig_sigmoid(alpha * x);
    return gate + alpha * x * gate * (1 - gate);
}
GIG_WIDE_MAP(swish, x *gig_sigmoid(a *x))
GIG_WIDE_SLOPE_OF_INPUT(swish, swish_slope(x, a))
GIG_WIDE_GATE(swish, x *gig_sigmoid(a *x), swish_slope(x, a))

const gig_operator gig_operators_gated[] = {{"Gelu", 20, 0, GIG_OP_ELEMENTWISE, GIG_NEEDS_INPUT_0, gelu_infer,
                                             gelu_forward, gelu_backward, .fast = &gig_fast_gate, .gate = gelu_gate},
                                            {"Mish", 18, 0, GIG_OP_ELEMENTWISE, GIG_NEEDS_INPUT_0,
                                             gig_op_infer_real_unary, mish_forward, mish_backward,
                                             .fast = &gig_fast_gate, .gate = mish_gate},
                                            {"Swish", 24, 0, GIG_OP_ELEMENTWISE, GIG_NEEDS_INPUT_0, swish_infer,
                                             swish_forward, swish_backward, .fast = &gig_fast_gate, .gate = swish_gate},
                                            {0}};
