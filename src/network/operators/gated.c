/* Activations that weigh x by a smooth gate of x itself: Gelu, Mish, Swish. */
#include "network/operators/elementwise.h"
#include <string.h>

#define GIG_SQRT_HALF  0.70710678118654752440f /* sqrt(1/2) */
#define GIG_DENSITY_0  0.39894228040143267794f /* 1 / sqrt(2 pi), the normal density at 0 */
#define GIG_GELU_SLOPE 0.79788456080286535588f /* sqrt(2 / pi) */
#define GIG_GELU_CUBE  0.044715f

static inline float sigmoid(float x)
{
    return 1 / (1 + expf(-x));
}

/* ---- Gelu: x P(x), P the normal distribution function, exact or by a tangent hyperbolic ---- */

/* The share of a normal distribution below x; erfc keeps the digits of the far left. */
static inline float normal_below(float x)
{
    return 0.5f * erfcf(-x * GIG_SQRT_HALF);
}

static inline float gelu_slope(float x)
{
    return normal_below(x) + x * GIG_DENSITY_0 * expf(-0.5f * x * x);
}

static inline float tanh_gate(float x)
{
    return tanhf(GIG_GELU_SLOPE * (x + GIG_GELU_CUBE * x * x * x));
}

static inline float tanh_gelu_slope(float x)
{
    float t = tanh_gate(x), inner = GIG_GELU_SLOPE * (1 + 3 * GIG_GELU_CUBE * x * x);
    return 0.5f * (1 + t) + 0.5f * x * (1 - t * t) * inner;
}

/* a: 1 where the approximation is asked for. */
static gig_status gelu_infer(gig_op *op)
{
    const char *how = gig_node_string(op->node, "approximate", "none");
    int approximate = !strcmp(how, "tanh");
    if (!approximate && strcmp(how, "none")) return gig_fail(GIG_EFORMAT, "approximate is \"%.40s\"", how);
    GIG_TRY(gig_op_infer_real_unary(op));
    return gig_op_keep_scalars(op, (float)approximate, 0);
}
GIG_MAP(gelu, a != 0 ? 0.5f * x * (1 + tanh_gate(x)) : x * normal_below(x))
GIG_SLOPE_OF_INPUT(gelu, a != 0 ? tanh_gelu_slope(x) : gelu_slope(x))

/* ---- Mish: x tanh(log(1 + e^x)) ---- */

static inline float mish_gate(float x)
{
    return tanhf(fmaxf(x, 0) + log1pf(expf(-fabsf(x))));
}

static inline float mish_slope(float x)
{
    float gate = mish_gate(x);
    return gate + x * (1 - gate * gate) * sigmoid(x);
}
GIG_MAP(mish, x *mish_gate(x))
GIG_SLOPE_OF_INPUT(mish, mish_slope(x))

/* ---- Swish: x sigmoid(alpha x) ---- */

static gig_status swish_infer(gig_op *op)
{
    GIG_TRY(gig_op_infer_real_unary(op));
    return gig_op_keep_scalars(op, gig_node_real(op->node, "alpha", 1), 0);
}

static inline float swish_slope(float x, float alpha)
{
    float gate = sigmoid(alpha * x);
    return gate + alpha * x * gate * (1 - gate);
}
GIG_MAP(swish, x *sigmoid(a *x))
GIG_SLOPE_OF_INPUT(swish, swish_slope(x, a))

const gig_operator gig_operators_gated[] = {
    {"Gelu", 20, 0, GIG_OP_ELEMENTWISE, GIG_NEEDS_INPUT_0, gelu_infer, gelu_forward, gelu_backward},
    {"Mish", 18, 0, GIG_OP_ELEMENTWISE, GIG_NEEDS_INPUT_0, gig_op_infer_real_unary, mish_forward, mish_backward},
    {"Swish", 24, 0, GIG_OP_ELEMENTWISE, GIG_NEEDS_INPUT_0, swish_infer, swish_forward, swish_backward},
    {0}};
