/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizeLinear, DequantizeLinear (one scale, or one per index of an axis) and DynamicQuantizeLinear.
 *
 * Quantised numbers are integers stored as floats (gig_op_holds_whole), so that a gradient can pass. It passes straight
 * through: rounding has slope 1 inside the range and 0 where it clips, as in PyTorch's fake_quantize; a value is inside
 * if round(x / scale) + zero point is. */
#include "network/operators/quantize.h"
#include "network/locate/axis_groups.h"
#include "network/operators/elementwise.h"
#include "network/operators/integers.h"

gig_status gig_quantized_range(float *low, float *high, int onnx_type)
{
    switch (onnx_type) {
    case GIG_ONNX_UINT8: *low = 0, *high = UINT8_MAX; return GIG_OK;
    case GIG_ONNX_INT8: *low = INT8_MIN, *high = INT8_MAX; return GIG_OK;
    case GIG_ONNX_UINT16: *low = 0, *high = UINT16_MAX; return GIG_OK;
    case GIG_ONNX_INT16: *low = INT16_MIN, *high = INT16_MAX; return GIG_OK;
    default: return gig_fail(GIG_EUNSUPPORTED, "quantising to ONNX type %d is not supported", onnx_type);
    }
}

/* x is outer x length x inner; element (o, i, n) uses scale i, or scale 0 if there is one. */
typedef struct quantization {
    gig_groups groups;
    float low, high; /* of the integers */
} quantization;

static gig_status infer_scales(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 2, 3));
    GIG_TRY(gig_op_expect_type(op, 1, GIG_FLOAT32));
    const gig_tensor *x = op->in[0], *scale = op->in[1];
    int zeros = op->in_count > 2 && op->in[2];
    if (zeros && gig_tensor_count(op->in[2]) != gig_tensor_count(scale))
        return gig_fail(GIG_EFORMAT, "%s: scale and zero point differ in size", op->row->name);
    if (gig_node_int(op->node, "block_size", 0))
        return gig_fail(GIG_EUNSUPPORTED, "%s: scales of blocks are not supported", op->row->name);
    quantization *q = gig_alloc_zero(1, sizeof *q);
    if (!q) return gig_alloc_status();
    op->params = q;
    q->groups = (gig_groups){1, 1, gig_tensor_count(x)};
    if (gig_tensor_count(scale) == 1) return GIG_OK;
    int axis;
    if (op->node->opset < 13) return gig_fail(GIG_EFORMAT, "%s: one scale only before opset 13", op->row->name);
    GIG_TRY(gig_op_axis(&axis, gig_node_int(op->node, "axis", 1), x->rank));
    q->groups = gig_groups_along(x, axis, axis);
    if (scale->rank != 1 || gig_tensor_count(scale) != q->groups.length)
        return gig_fail(GIG_EFORMAT, "%s: the scales do not fit the axis", op->row->name);
    return GIG_OK;
}

static float number(const gig_tensor *x, size_t i)
{
    return x->type == GIG_FLOAT32 ? x->real[i] : (float)x->whole[i];
}

static float zero_point(const gig_op *op, const gig_tensor *const *in, size_t i)
{
    return op->in_count > 2 && op->in[2] ? number(in[2], i) : 0;
}

/* Half to even, without branches and whatever the rounding mode; x is no larger than a quantised number can be. */
static inline float rounded(float x)
{
    const float below = floorf(x), rest = x - below, half = 0.5f * below;
    const float up = rest > 0.5f ? 1.0f : 0.0f, odd = half != floorf(half) ? 1.0f : 0.0f;
    return below + (rest == 0.5f ? odd : up);
}

/* The numbers that quantised data can take: low .. high, which stand for (number - zero) scale. */
typedef struct grid {
    float scale, zero, low, high;
} grid;

GIG_CLONES static void quantize_run(float *restrict y, const float *restrict x, size_t count, grid to)
{
    for (size_t k = 0; k < count; k++) {
        const float scaled = fminf(fmaxf(x[k] / to.scale, -0x1p20f), 0x1p20f);
        y[k] = fminf(fmaxf(rounded(scaled) + to.zero, to.low), to.high);
    }
}

GIG_CLONES static void quantize_slopes(float *restrict d_x, const float *restrict d_y, const float *restrict x,
                                       size_t count, grid to)
{
    for (size_t k = 0; k < count; k++) {
        const float scaled = fminf(fmaxf(x[k] / to.scale, -0x1p20f), 0x1p20f), y = rounded(scaled) + to.zero;
        d_x[k] = y >= to.low && y <= to.high ? d_y[k] / to.scale : 0.0f;
    }
}

static grid grid_of(const gig_op *op, const gig_tensor *const *in, size_t i)
{
    const quantization *q = op->params;
    return (grid){in[1]->real[i], zero_point(op, in, i), q->low, q->high};
}

/* Those of the scales are added to group by group; zero points have none. */
static void clear_scale_slopes(const gig_op *op, gig_tensor *const *d_in, size_t count)
{
    for (size_t i = 0; d_in[1] && i < count; i++) d_in[1]->real[i] = 0;
    for (size_t i = 0; op->in_count > 2 && d_in[2] && i < count; i++) d_in[2]->real[i] = 0;
}

/* ---- QuantizeLinear: saturate(round(x / scale) + zero point), halves to even ---- */

static gig_status quantize_infer(gig_op *op)
{
    GIG_TRY(infer_scales(op));
    int said = (int)gig_node_int(op->node, "output_dtype", 0), given = op->in_count > 2 && op->in[2];
    int onnx = given ? op->in_onnx[2] : said ? said : GIG_ONNX_UINT8;
    if (said && said != onnx)
        return gig_fail(GIG_EFORMAT, "QuantizeLinear: output_dtype %d, and a zero point of type %d", said, onnx);
    quantization *q = op->params;
    GIG_TRY(gig_quantized_range(&q->low, &q->high, onnx));
    if (op->out_count) op->out_onnx[0] = onnx;
    return gig_op_set_output(op, 0, GIG_FLOAT32, op->in[0]->rank, op->in[0]->dims);
}

static gig_status quantize_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const quantization *q = op->params;
    const gig_groups *g = &q->groups;
    for (size_t o = 0, at = 0; o < g->outer; o++)
        for (size_t i = 0; i < g->length; i++, at += g->inner) {
            const grid to = grid_of(op, in, i);
            if (in[0]->type == GIG_FLOAT32) {
                quantize_run(out[0]->real + at, in[0]->real + at, g->inner, to);
                continue;
            }
            for (size_t n = 0; n < g->inner; n++) {
                const float x = (float)in[0]->whole[at + n];
                quantize_run(&out[0]->real[at + n], &x, 1, to);
            }
        }
    return GIG_OK;
}

/* With respect to a scale: -x / scale^2 inside the range, which is what the rounded quotient loses straight through. */
static float slope_of_scale(const float *d_y, const float *x, size_t count, grid to)
{
    double sum = 0;
    for (size_t n = 0; n < count; n++) {
        float d;
        quantize_slopes(&d, &d_y[n], &x[n], 1, to);
        sum -= (double)d * x[n] / to.scale;
    }
    return (float)sum;
}

static gig_status quantize_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                    const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    const quantization *q = op->params;
    const gig_groups *g = &q->groups;
    (void)out;
    clear_scale_slopes(op, d_in, g->length);
    for (size_t o = 0, at = 0; o < g->outer; o++)
        for (size_t i = 0; i < g->length; i++, at += g->inner) {
            const grid to = grid_of(op, in, i);
            const float *d_y = d_out[0]->real + at, *x = in[0]->real + at;
            if (d_in[0]) quantize_slopes(d_in[0]->real + at, d_y, x, g->inner, to);
            if (d_in[1]) d_in[1]->real[i] += slope_of_scale(d_y, x, g->inner, to);
        }
    return GIG_OK;
}

/* ---- DequantizeLinear: (x - zero point) scale ---- */

static gig_status dequantize_infer(gig_op *op)
{
    GIG_TRY(infer_scales(op));
    if (op->in[0]->type == GIG_FLOAT32 && !gig_op_holds_whole(op, 0))
        return gig_fail(GIG_EFORMAT, "DequantizeLinear: input 0 must hold integers");
    if (op->out_count) op->out_onnx[0] = op->in_onnx[1];
    return gig_op_set_output(op, 0, GIG_FLOAT32, op->in[0]->rank, op->in[0]->dims);
}

GIG_CLONES static void dequantize_run(float *restrict y, const float *restrict x, size_t count, float scale, float zero)
{
    for (size_t k = 0; k < count; k++) y[k] = (x[k] - zero) * scale;
}

static gig_status dequantize_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const quantization *q = op->params;
    const gig_groups *g = &q->groups;
    for (size_t o = 0, at = 0; o < g->outer; o++)
        for (size_t i = 0; i < g->length; i++, at += g->inner) {
            const float scale = in[1]->real[i], zero = zero_point(op, in, i);
            if (in[0]->type == GIG_FLOAT32) {
                dequantize_run(out[0]->real + at, in[0]->real + at, g->inner, scale, zero);
                continue;
            }
            for (size_t n = 0; n < g->inner; n++)
                out[0]->real[at + n] = (float)((double)in[0]->whole[at + n] - zero) * scale;
        }
    return GIG_OK;
}

static gig_status dequantize_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                      const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    const quantization *q = op->params;
    const gig_groups *g = &q->groups;
    (void)out;
    clear_scale_slopes(op, d_in, g->length);
    for (size_t o = 0, at = 0; o < g->outer; o++)
        for (size_t i = 0; i < g->length; i++, at += g->inner) {
            const float scale = in[1]->real[i], zero = zero_point(op, in, i);
            const float *d_y = d_out[0]->real + at;
            double sum = 0;
            for (size_t n = 0; d_in[0] && n < g->inner; n++) d_in[0]->real[at + n] = d_y[n] * scale;
            for (size_t n = 0; d_in[1] && n < g->inner; n++) sum += ((double)number(in[0], at + n) - zero) * d_y[n];
            if (d_in[1]) d_in[1]->real[i] += (float)sum;
        }
    return GIG_OK;
}

/* ---- DynamicQuantizeLinear: uint8 with the scale that spans the data and 0; outputs y, scale, zero point ---- */

static gig_status dynamic_infer(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 1, 1));
    GIG_TRY(gig_op_expect_type(op, 0, GIG_FLOAT32));
    for (size_t j = 0; j < op->out_count && j < 3; j++) op->out_onnx[j] = j == 1 ? GIG_ONNX_FLOAT : GIG_ONNX_UINT8;
    GIG_TRY(gig_op_set_output(op, 1, GIG_FLOAT32, 0, NULL));
    GIG_TRY(gig_op_set_output(op, 2, GIG_FLOAT32, 0, NULL));
    return gig_op_set_output(op, 0, GIG_FLOAT32, op->in[0]->rank, op->in[0]->dims);
}

/* Scale and zero point that span the data and 0. A scale of 0 (all data 0) counts as 1. */
static float dynamic_scale(float *zero, const gig_tensor *x)
{
    float least = 0, most = 0;
    size_t count = gig_tensor_count(x);
    for (size_t k = 0; k < count; k++) {
        least = fminf(least, x->real[k]);
        most = fmaxf(most, x->real[k]);
    }
    const float scale = (most - least) / 255;
    *zero = scale > 0 ? fminf(fmaxf(gig_round_half_even(-least / scale), 0), UINT8_MAX) : 0;
    return scale;
}

static gig_status dynamic_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    float zero, scale = dynamic_scale(&zero, in[0]);
    if (op->out[0])
        quantize_run(out[0]->real, in[0]->real, gig_tensor_count(in[0]),
                     (grid){scale > 0 ? scale : 1, zero, 0, UINT8_MAX});
    if (op->out_count > 1 && op->out[1]) out[1]->real[0] = scale;
    if (op->out_count > 2 && op->out[2]) out[2]->real[0] = zero;
    return GIG_OK;
}

/* Scale and zero point follow the data too, but what they add to y they take away where y is scaled back: they count as
 * constants. */
static gig_status dynamic_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                   const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    float zero, scale = dynamic_scale(&zero, in[0]);
    (void)op, (void)out;
    for (size_t k = 0; k < gig_tensor_count(in[0]); k++)
        d_in[0]->real[k] = d_out[0] ? d_out[0]->real[k] / (scale > 0 ? scale : 1) : 0;
    return GIG_OK;
}

const gig_operator gig_operators_quantize[] = {
    {"QuantizeLinear", 10, 0, GIG_OP_ELEMENTWISE | GIG_OP_KEEPS_WHOLE | GIG_OP_MOVES, GIG_NEEDS_INPUTS, quantize_infer,
     quantize_forward, quantize_backward},
    {"DequantizeLinear", 10, 0, GIG_OP_ELEMENTWISE | GIG_OP_KEEPS_WHOLE | GIG_OP_MOVES, GIG_NEEDS_INPUTS,
     dequantize_infer, dequantize_forward, dequantize_backward},
    {"DynamicQuantizeLinear", 11, 0, 0, GIG_NEEDS_INPUT_0, dynamic_infer, dynamic_forward, dynamic_backward},
    {0}};
