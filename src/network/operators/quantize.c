/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizeLinear, DequantizeLinear (one scale, or one per index of an axis) and DynamicQuantizeLinear.
 * Whole numbers have no gradient; DequantizeLinear has that of its scales. */
#include "network/operators/elementwise.h"
#include "network/operators/groups.h"
#include "network/operators/whole.h"

/* x is outer x length x inner; element (o, i, n) uses scale i, or scale 0 where there is one. */
static gig_status infer_scales(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 2, 3));
    GIG_TRY(gig_op_expect_type(op, 1, GIG_REAL));
    const gig_tensor *x = op->in[0], *scale = op->in[1];
    int zeros = op->in_count > 2 && op->in[2];
    if (zeros) GIG_TRY(gig_op_expect_type(op, 2, GIG_WHOLE));
    if (zeros && gig_tensor_count(op->in[2]) != gig_tensor_count(scale))
        return gig_fail(GIG_EFORMAT, "%s: scale and zero point differ in size", op->row->name);
    gig_groups *g = gig_alloc(1, sizeof *g);
    if (!g) return gig_alloc_status();
    op->params = g;
    *g = (gig_groups){1, 1, gig_tensor_count(x)};
    if (gig_tensor_count(scale) == 1) return GIG_OK;
    int axis;
    if (op->node->opset < 13) return gig_fail(GIG_EFORMAT, "%s: one scale only before opset 13", op->row->name);
    GIG_TRY(gig_op_axis(&axis, gig_node_int(op->node, "axis", 1), x->rank));
    *g = gig_groups_along(x, axis, axis);
    if (scale->rank != 1 || gig_tensor_count(scale) != g->length)
        return gig_fail(GIG_EFORMAT, "%s: the scales do not fit the axis", op->row->name);
    return GIG_OK;
}

static int64_t zero_point(const gig_op *op, const gig_tensor *const *in, size_t i)
{
    return op->in_count > 2 && op->in[2] ? in[2]->whole[i] : 0;
}

static int64_t saturate(double x, int onnx_type)
{
    double low = onnx_type == GIG_ONNX_INT8 ? INT8_MIN : 0, high = onnx_type == GIG_ONNX_INT8 ? INT8_MAX : UINT8_MAX;
    return gig_whole_from_real(fmin(fmax(x, low), high));
}

/* ---- QuantizeLinear: saturate(round(x / scale) + zero point), halves to even ---- */

static gig_status quantize_infer(gig_op *op)
{
    GIG_TRY(infer_scales(op));
    int said = (int)gig_node_int(op->node, "output_dtype", 0), given = op->in_count > 2 && op->in[2];
    int onnx = given ? op->in_onnx[2] : said ? said : GIG_ONNX_UINT8;
    if (said && said != onnx)
        return gig_fail(GIG_EFORMAT, "QuantizeLinear: output_dtype %d, and a zero point of type %d", said, onnx);
    if (onnx != GIG_ONNX_UINT8 && onnx != GIG_ONNX_INT8)
        return gig_fail(GIG_EUNSUPPORTED, "QuantizeLinear to ONNX type %d is not supported", onnx);
    if (op->out_count) op->out_onnx[0] = onnx;
    return gig_op_set_output(op, 0, GIG_WHOLE, op->in[0]->rank, op->in[0]->dims);
}

static gig_status quantize_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const gig_groups *g = op->params;
    const gig_tensor *x = in[0];
    for (size_t o = 0, at = 0; o < g->outer; o++)
        for (size_t i = 0; i < g->length; i++) {
            const float scale = in[1]->real[i];
            const double zero = (double)zero_point(op, in, i);
            for (size_t n = 0; n < g->inner; n++, at++) {
                const float value = x->type == GIG_REAL ? x->real[at] : (float)x->whole[at];
                out[0]->whole[at] = saturate(gig_round_half_even(value / scale) + zero, op->out_onnx[0]);
            }
        }
    return GIG_OK;
}

/* ---- DequantizeLinear: (x - zero point) scale ---- */

static gig_status dequantize_infer(gig_op *op)
{
    GIG_TRY(infer_scales(op));
    GIG_TRY(gig_op_expect_type(op, 0, GIG_WHOLE));
    if (op->out_count) op->out_onnx[0] = op->in_onnx[1];
    return gig_op_set_output(op, 0, GIG_REAL, op->in[0]->rank, op->in[0]->dims);
}

static gig_status dequantize_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const gig_groups *g = op->params;
    for (size_t o = 0, at = 0; o < g->outer; o++)
        for (size_t i = 0; i < g->length; i++) {
            const double zero = (double)zero_point(op, in, i);
            for (size_t n = 0; n < g->inner; n++, at++)
                out[0]->real[at] = (float)((double)in[0]->whole[at] - zero) * in[1]->real[i];
        }
    return GIG_OK;
}

static gig_status dequantize_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                      const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    const gig_groups *g = op->params;
    (void)out;
    for (size_t i = 0; d_in[1] && i < g->length; i++) {
        const double zero = (double)zero_point(op, in, i);
        double sum = 0;
        for (size_t o = 0; o < g->outer; o++)
            for (size_t n = 0; n < g->inner; n++) {
                size_t at = (o * g->length + i) * g->inner + n;
                sum += ((double)in[0]->whole[at] - zero) * d_out[0]->real[at];
            }
        d_in[1]->real[i] = (float)sum;
    }
    return GIG_OK;
}

/* ---- DynamicQuantizeLinear: uint8 with the scale that spans the data and 0; outputs y, scale, zero point ---- */

static gig_status dynamic_infer(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 1, 1));
    GIG_TRY(gig_op_expect_type(op, 0, GIG_REAL));
    for (size_t j = 0; j < op->out_count && j < 3; j++) op->out_onnx[j] = j == 1 ? GIG_ONNX_FLOAT : GIG_ONNX_UINT8;
    GIG_TRY(gig_op_set_output(op, 1, GIG_REAL, 0, NULL));
    GIG_TRY(gig_op_set_output(op, 2, GIG_WHOLE, 0, NULL));
    return gig_op_set_output(op, 0, GIG_WHOLE, op->in[0]->rank, op->in[0]->dims);
}

static gig_status dynamic_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    float least = 0, most = 0;
    size_t count = gig_tensor_count(in[0]);
    for (size_t k = 0; k < count; k++) {
        least = fminf(least, in[0]->real[k]);
        most = fmaxf(most, in[0]->real[k]);
    }
    const float scale = (most - least) / 255;
    const int64_t zero = scale > 0 ? saturate(gig_round_half_even(-least / scale), GIG_ONNX_UINT8) : 0;
    for (size_t k = 0; op->out[0] && k < count; k++) {
        const float value = scale > 0 ? gig_round_half_even(in[0]->real[k] / scale) : 0;
        out[0]->whole[k] = saturate(value + (double)zero, GIG_ONNX_UINT8);
    }
    if (op->out_count > 1 && op->out[1]) out[1]->real[0] = scale;
    if (op->out_count > 2 && op->out[2]) out[2]->whole[0] = zero;
    return GIG_OK;
}

const gig_operator gig_operators_quantize[] = {
    {"QuantizeLinear", 10, 0, GIG_OP_NO_GRADIENT, GIG_NEEDS_NOTHING, quantize_infer, quantize_forward, NULL},
    {"DequantizeLinear", 10, 0, 0, GIG_NEEDS_INPUTS, dequantize_infer, dequantize_forward, dequantize_backward},
    {"DynamicQuantizeLinear", 11, 0, GIG_OP_NO_GRADIENT, GIG_NEEDS_NOTHING, dynamic_infer, dynamic_forward, NULL},
    {0}};
