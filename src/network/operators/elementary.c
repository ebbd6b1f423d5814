/* SPDX-License-Identifier: Apache-2.0 */
/* Elementary functions of one number: powers, exponentials, circles and hyperbolas, rounding, tests for NaN. */
#include "network/kernels/smooth_functions.h"
#include "network/operators/elementwise.h"
#include "network/operators/integers.h"

/* ---- smooth functions ---- */

GIG_WIDE_MAP(erf, gig_erf(x))
GIG_WIDE_SLOPE_OF_INPUT(erf, 1.12837916709551257390f * gig_exp_down(-x * x)) /* 2 / sqrt(pi) */

GIG_WIDE_MAP(exp, gig_exp(x))
GIG_WIDE_SLOPE_OF_OUTPUT(exp, y)

GIG_WIDE_MAP(log, gig_log(x))
GIG_WIDE_SLOPE_OF_INPUT(log, 1 / x)

GIG_MAP(sqrt, sqrtf(x))
GIG_WIDE_SLOPE_OF_OUTPUT(sqrt, 0.5f / y)

GIG_WIDE_MAP(reciprocal, 1 / x)
GIG_WIDE_SLOPE_OF_OUTPUT(reciprocal, -(y *y))

GIG_MAP(sin, sinf(x))
GIG_SLOPE_OF_INPUT(sin, cosf(x))

GIG_MAP(cos, cosf(x))
GIG_SLOPE_OF_INPUT(cos, -sinf(x))

GIG_MAP(tan, tanf(x))
GIG_SLOPE_OF_OUTPUT(tan, 1 + y * y)

GIG_MAP(asin, asinf(x))
GIG_SLOPE_OF_INPUT(asin, 1 / sqrtf(1 - x * x))

GIG_MAP(acos, acosf(x))
GIG_SLOPE_OF_INPUT(acos, -1 / sqrtf(1 - x * x))

GIG_MAP(atan, atanf(x))
GIG_SLOPE_OF_INPUT(atan, 1 / (1 + x * x))

GIG_MAP(sinh, sinhf(x))
GIG_SLOPE_OF_INPUT(sinh, coshf(x))

GIG_MAP(cosh, coshf(x))
GIG_SLOPE_OF_INPUT(cosh, sinhf(x))

GIG_MAP(asinh, asinhf(x))
GIG_SLOPE_OF_INPUT(asinh, 1 / sqrtf(1 + x * x))

GIG_MAP(acosh, acoshf(x))
GIG_SLOPE_OF_INPUT(acosh, 1 / sqrtf(x * x - 1))

GIG_MAP(atanh, atanhf(x))
GIG_SLOPE_OF_INPUT(atanh, 1 / (1 - x * x))

/* ---- floats or integers; integers wrap as their ONNX type does ---- */

GIG_WIDE_MAP(abs_real, fabsf(x))
GIG_WIDE_SLOPE_OF_INPUT(abs, gig_choose(x > 0, 1, gig_choose(x < 0, -1, 0)))

static gig_status abs_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    if (in[0]->type == GIG_FLOAT32) return abs_real_forward(op, in, out);
    size_t count = gig_tensor_count(in[0]);
    for (size_t k = 0; k < count; k++) {
        uint64_t x = (uint64_t)in[0]->whole[k];
        out[0]->whole[k] = (int64_t)(in[0]->whole[k] < 0 ? 0 - x : x);
    }
    gig_wholes_wrap(out[0]->whole, count, op->in_onnx[0]);
    return GIG_OK;
}

GIG_WIDE_MAP(neg_real, -x)

static gig_status neg_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    if (in[0]->type == GIG_FLOAT32) return neg_real_forward(op, in, out);
    size_t count = gig_tensor_count(in[0]);
    for (size_t k = 0; k < count; k++) out[0]->whole[k] = (int64_t)(0 - (uint64_t)in[0]->whole[k]);
    gig_wholes_wrap(out[0]->whole, count, op->in_onnx[0]);
    return GIG_OK;
}

static gig_status neg_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                               const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)op, (void)in, (void)out;
    for (size_t k = 0, count = gig_tensor_count(d_in[0]); k < count; k++) d_in[0]->real[k] = -d_out[0]->real[k];
    return GIG_OK;
}

/* ---- steps: no gradient ---- */

GIG_MAP(sign_real, x > 0 ? 1 : x < 0 ? -1 : x)

static gig_status sign_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    if (in[0]->type == GIG_FLOAT32) return sign_real_forward(op, in, out);
    for (size_t k = 0, count = gig_tensor_count(in[0]); k < count; k++)
        out[0]->whole[k] = (in[0]->whole[k] > 0) - (in[0]->whole[k] < 0);
    return GIG_OK;
}

GIG_MAP(floor, floorf(x))
GIG_MAP(ceil, ceilf(x))

GIG_MAP(round, gig_round_half_even(x))

/* ---- tests: boolean output, no gradient ---- */

static gig_status test_infer(gig_op *op)
{
    GIG_TRY(gig_op_infer_real_unary(op));
    if (op->out_count) op->out_onnx[0] = GIG_ONNX_BOOL;
    return gig_op_set_output(op, 0, GIG_INT64, op->in[0]->rank, op->in[0]->dims);
}

static gig_status is_nan_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    (void)op;
    for (size_t k = 0, count = gig_tensor_count(in[0]); k < count; k++) out[0]->whole[k] = isnan(in[0]->real[k]) != 0;
    return GIG_OK;
}

static gig_status is_inf_infer(gig_op *op)
{
    GIG_TRY(test_infer(op));
    return gig_op_keep_scalars(op, gig_node_int(op->node, "detect_positive", 1) != 0,
                               gig_node_int(op->node, "detect_negative", 1) != 0);
}

static gig_status is_inf_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const gig_scalars detect = gig_op_scalars(op);
    for (size_t k = 0, count = gig_tensor_count(in[0]); k < count; k++) {
        float x = in[0]->real[k];
        out[0]->whole[k] = isinf(x) && (x > 0 ? detect.a : detect.b) != 0;
    }
    return GIG_OK;
}

#define SMOOTH(name, since, needs, function)                                                                           \
    {                                                                                                                  \
        name, since, 0, GIG_OP_ELEMENTWISE, needs, gig_op_infer_real_unary, function##_forward, function##_backward    \
    }
#define STEP(name, since, infer, function)                                                                             \
    {                                                                                                                  \
        name, since, 0, GIG_OP_ELEMENTWISE | GIG_OP_NO_GRADIENT, GIG_NEEDS_NOTHING, infer, function##_forward, NULL    \
    }

const gig_operator gig_operators_elementary[] = {
    {"Erf", 9, 0, GIG_OP_ELEMENTWISE, GIG_NEEDS_INPUT_0, gig_op_infer_real_unary, erf_forward, erf_backward,
     .kind = GIG_KIND_ERF},
    {"Exp", 1, 0, GIG_OP_ELEMENTWISE, GIG_NEEDS_OUTPUT, gig_op_infer_real_unary, exp_forward, exp_backward,
     .kind = GIG_KIND_EXP},
    SMOOTH("Log", 1, GIG_NEEDS_INPUT_0, log),
    {"Sqrt", 1, 0, GIG_OP_ELEMENTWISE, GIG_NEEDS_OUTPUT, gig_op_infer_real_unary, sqrt_forward, sqrt_backward,
     .kind = GIG_KIND_SQRT},
    SMOOTH("Reciprocal", 1, GIG_NEEDS_OUTPUT, reciprocal),
    SMOOTH("Sin", 7, GIG_NEEDS_INPUT_0, sin),
    SMOOTH("Cos", 7, GIG_NEEDS_INPUT_0, cos),
    SMOOTH("Tan", 7, GIG_NEEDS_OUTPUT, tan),
    SMOOTH("Asin", 7, GIG_NEEDS_INPUT_0, asin),
    SMOOTH("Acos", 7, GIG_NEEDS_INPUT_0, acos),
    SMOOTH("Atan", 7, GIG_NEEDS_INPUT_0, atan),
    SMOOTH("Sinh", 9, GIG_NEEDS_INPUT_0, sinh),
    SMOOTH("Cosh", 9, GIG_NEEDS_INPUT_0, cosh),
    SMOOTH("Asinh", 9, GIG_NEEDS_INPUT_0, asinh),
    SMOOTH("Acosh", 9, GIG_NEEDS_INPUT_0, acosh),
    SMOOTH("Atanh", 9, GIG_NEEDS_INPUT_0, atanh),
    {"Abs", 1, 0, GIG_OP_ELEMENTWISE, GIG_NEEDS_INPUT_0, gig_op_infer_unary, abs_forward, abs_backward},
    {"Neg", 1, 0, GIG_OP_ELEMENTWISE, GIG_NEEDS_NOTHING, gig_op_infer_unary, neg_forward, neg_backward},
    STEP("Sign", 9, gig_op_infer_unary, sign),
    STEP("Floor", 1, gig_op_infer_real_unary, floor),
    STEP("Ceil", 1, gig_op_infer_real_unary, ceil),
    STEP("Round", 11, gig_op_infer_real_unary, round),
    STEP("IsNaN", 9, test_infer, is_nan),
    STEP("IsInf", 10, is_inf_infer, is_inf),
    {0}};
