/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors made from attributes, dims or other types: Constant, ConstantOfShape, Range, Shape, Size, Cast, CastLike. */
#include "network/operators/integers.h"
#include <math.h>
#include <string.h>

/* ---- Constant: one of several attributes holds the value ---- */

/* The value, borrowed from the node; *onnx its ONNX type. */
static gig_status constant_value(gig_tensor *value, int *onnx, const gig_node *node)
{
    memset(value, 0, sizeof *value);
    for (size_t a = 0; a < node->attribute_count; a++) {
        gig_attribute *attribute = &node->attributes[a];
        gig_attribute_kind kind = attribute->kind;
        if (strncmp(attribute->name, "value", 5)) continue;
        if (kind == GIG_ATTRIBUTE_TENSOR) {
            *value = attribute->t;
            *onnx = attribute->onnx_type;
            return GIG_OK;
        }
        int real = kind == GIG_ATTRIBUTE_REAL || kind == GIG_ATTRIBUTE_REALS;
        int list = kind == GIG_ATTRIBUTE_REALS || kind == GIG_ATTRIBUTE_INTS;
        if (!real && kind != GIG_ATTRIBUTE_INT && kind != GIG_ATTRIBUTE_INTS) continue;
        *onnx = real ? GIG_ONNX_FLOAT : GIG_ONNX_INT64;
        value->type = real ? GIG_FLOAT32 : GIG_INT64;
        value->rank = list;
        value->dims[0] = (int64_t)attribute->count;
        if (real)
            value->real = list ? attribute->reals : &attribute->f;
        else
            value->whole = list ? attribute->ints : &attribute->i;
        return GIG_OK;
    }
    return gig_fail(GIG_EUNSUPPORTED, "Constant: unsupported kind of value");
}

static gig_status constant_infer(gig_op *op)
{
    gig_tensor value;
    int onnx;
    GIG_TRY(gig_op_expect_inputs(op, 0, 0));
    GIG_TRY(constant_value(&value, &onnx, op->node));
    if (op->out_count) op->out_onnx[0] = onnx;
    return gig_op_set_output(op, 0, value.type, value.rank, value.dims);
}

static gig_status constant_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    gig_tensor value;
    int onnx;
    (void)in;
    GIG_TRY(constant_value(&value, &onnx, op->node));
    if (gig_tensor_count(&value)) memcpy(out[0]->data, value.data, gig_tensor_bytes(&value));
    return GIG_OK;
}

/* ---- ConstantOfShape: one value everywhere ---- */

static gig_status constant_of_shape_infer(gig_op *op)
{
    const int64_t *dims;
    size_t rank;
    GIG_TRY(gig_op_expect_inputs(op, 1, 1));
    GIG_TRY(gig_op_wholes(op, 0, NULL, &dims, &rank));
    if (rank > GIG_MAX_RANK) return gig_fail(GIG_ELIMIT, "ConstantOfShape: rank %zu is above %d", rank, GIG_MAX_RANK);
    for (size_t i = 0; i < rank; i++)
        if (dims[i] < 0) return gig_fail(GIG_EFORMAT, "ConstantOfShape: dimension %zu is negative", i);
    const gig_attribute *value = gig_node_attribute(op->node, "value");
    if (value && (value->kind != GIG_ATTRIBUTE_TENSOR || gig_tensor_count(&value->t) != 1))
        return gig_fail(GIG_EFORMAT, "ConstantOfShape: value is not a tensor with one element");
    if (op->out_count) op->out_onnx[0] = value ? value->onnx_type : GIG_ONNX_FLOAT;
    return gig_op_set_output(op, 0, value ? value->t.type : GIG_FLOAT32, (int)rank, dims);
}

static gig_status constant_of_shape_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const gig_attribute *value = gig_node_attribute(op->node, "value");
    size_t count = gig_tensor_count(out[0]);
    (void)in;
    if (out[0]->type == GIG_FLOAT32)
        for (size_t k = 0; k < count; k++) out[0]->real[k] = value ? value->t.real[0] : 0;
    else
        for (size_t k = 0; k < count; k++) out[0]->whole[k] = value->t.whole[0];
    return GIG_OK;
}

/* ---- Range(start, limit, delta): start + k delta, up to the limit, limit excluded ---- */

static int64_t whole_range_count(int64_t start, int64_t limit, int64_t delta)
{
    if (delta > 0 ? limit <= start : limit >= start) return 0;
    uint64_t reach = delta > 0 ? (uint64_t)limit - (uint64_t)start : (uint64_t)start - (uint64_t)limit;
    uint64_t step = delta > 0 ? (uint64_t)delta : 0 - (uint64_t)delta;
    uint64_t count = reach / step + (reach % step != 0);
    return count > INT64_MAX ? INT64_MAX : (int64_t)count;
}

static gig_status range_infer(gig_op *op)
{
    int64_t count;
    GIG_TRY(gig_op_expect_inputs(op, 3, 3));
    for (size_t i = 0; i < 3; i++) {
        GIG_TRY(gig_op_expect_type(op, i, op->in[0]->type));
        if (!op->in[i]->data) return gig_fail(GIG_EUNSUPPORTED, "Range: input %zu is not constant", i);
        if (gig_tensor_count(op->in[i]) != 1)
            return gig_fail(GIG_EFORMAT, "Range: input %zu is not a single number", i);
    }
    if (op->in[0]->type == GIG_FLOAT32) {
        double start = op->in[0]->real[0], limit = op->in[1]->real[0], delta = op->in[2]->real[0];
        if (!(delta != 0)) return gig_fail(GIG_EFORMAT, "Range: delta is 0");
        count = gig_whole_from_real(fmax(ceil((limit - start) / delta), 0));
    } else {
        if (op->in[2]->whole[0] == 0) return gig_fail(GIG_EFORMAT, "Range: delta is 0");
        count = whole_range_count(op->in[0]->whole[0], op->in[1]->whole[0], op->in[2]->whole[0]);
    }
    return gig_op_set_output(op, 0, op->in[0]->type, 1, &count);
}

static gig_status range_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    size_t count = gig_tensor_count(out[0]);
    (void)op;
    if (out[0]->type == GIG_FLOAT32)
        for (size_t k = 0; k < count; k++)
            out[0]->real[k] = (float)((double)in[0]->real[0] + (double)k * in[2]->real[0]);
    else
        for (size_t k = 0; k < count; k++)
            out[0]->whole[k] = (int64_t)((uint64_t)in[0]->whole[0] + (uint64_t)k * (uint64_t)in[2]->whole[0]);
    return GIG_OK;
}

/* ---- Shape (of dims start to end, since opset 15) and Size ---- */

/* An end of the slice of dims: negative counts from the back, beyond the rank is cut. */
static int dims_end(int64_t at, int rank)
{
    if (at < 0) at = at < -rank ? 0 : at + rank;
    return (int)(at > rank ? rank : at);
}

static void shape_range(int *start, int *end, const gig_op *op)
{
    int rank = op->in[0]->rank, sliced = op->node->opset >= 15;
    *start = sliced ? dims_end(gig_node_int(op->node, "start", 0), rank) : 0;
    *end = sliced ? dims_end(gig_node_int(op->node, "end", rank), rank) : rank;
    if (*end < *start) *end = *start;
}

static gig_status shape_infer(gig_op *op)
{
    int start, end;
    GIG_TRY(gig_op_expect_inputs(op, 1, 1));
    shape_range(&start, &end, op);
    int64_t count = end - start;
    if (op->out_count) op->out_onnx[0] = GIG_ONNX_INT64;
    return gig_op_set_output(op, 0, GIG_INT64, 1, &count);
}

static gig_status shape_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    int start, end;
    (void)in;
    shape_range(&start, &end, op);
    for (int d = start; d < end; d++) out[0]->whole[d - start] = op->in[0]->dims[d];
    return GIG_OK;
}

static gig_status size_infer(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 1, 1));
    if (op->out_count) op->out_onnx[0] = GIG_ONNX_INT64;
    return gig_op_set_output(op, 0, GIG_INT64, 0, NULL);
}

static gig_status size_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    (void)in;
    out[0]->whole[0] = (int64_t)gig_tensor_count(op->in[0]);
    return GIG_OK;
}

/* ---- Cast, CastLike ----
 * Real to real changes nothing: every floating type is computed as float. Real to whole cuts the fraction, then wraps
 * (ONNX leaves what does not fit undefined); to boolean asks whether it is 0. */

static int onnx_type_of_name(const char *name)
{
    static const struct {
        const char *name;
        int type;
    } types[] = {{"FLOAT", GIG_ONNX_FLOAT},   {"UINT8", GIG_ONNX_UINT8},   {"INT8", GIG_ONNX_INT8},
                 {"UINT16", GIG_ONNX_UINT16}, {"INT16", GIG_ONNX_INT16},   {"INT32", GIG_ONNX_INT32},
                 {"INT64", GIG_ONNX_INT64},   {"BOOL", GIG_ONNX_BOOL},     {"FLOAT16", GIG_ONNX_FLOAT16},
                 {"DOUBLE", GIG_ONNX_DOUBLE}, {"UINT32", GIG_ONNX_UINT32}, {"UINT64", GIG_ONNX_UINT64}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, name)) return types[i].type;
    return GIG_ONNX_UNKNOWN;
}

static gig_status infer_cast_to(gig_op *op, int onnx)
{
    if (!gig_onnx_is_float(onnx) && !gig_onnx_is_whole(onnx))
        return gig_fail(GIG_EUNSUPPORTED, "%s to ONNX type %d is not supported", op->row->name, onnx);
    if (op->out_count) op->out_onnx[0] = onnx;
    return gig_op_set_output(op, 0, gig_onnx_is_float(onnx) ? GIG_FLOAT32 : GIG_INT64, op->in[0]->rank,
                             op->in[0]->dims);
}

static gig_status cast_infer(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 1, 1));
    int named = op->node->opset < 6;
    int64_t to = named ? onnx_type_of_name(gig_node_string(op->node, "to", "")) : gig_node_int(op->node, "to", 0);
    return infer_cast_to(op, to < 0 || to > INT16_MAX ? GIG_ONNX_UNKNOWN : (int)to);
}

static gig_status cast_like_infer(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 2, 2));
    return infer_cast_to(op, op->in_onnx[1]);
}

static gig_status cast_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    size_t count = gig_tensor_count(in[0]);
    int from_real = in[0]->type == GIG_FLOAT32, to_real = out[0]->type == GIG_FLOAT32;
    if (from_real == to_real)
        memcpy(out[0]->data, in[0]->data, gig_tensor_bytes(in[0]));
    else if (to_real)
        for (size_t k = 0; k < count; k++) out[0]->real[k] = (float)in[0]->whole[k];
    else if (op->out_onnx[0] == GIG_ONNX_BOOL)
        for (size_t k = 0; k < count; k++) out[0]->whole[k] = in[0]->real[k] != 0;
    else
        for (size_t k = 0; k < count; k++) out[0]->whole[k] = gig_whole_from_real(in[0]->real[k]);
    if (!to_real) gig_wholes_wrap(out[0]->whole, count, op->out_onnx[0]);
    return GIG_OK;
}

static gig_status cast_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)op, (void)in, (void)out;
    if (d_in[0]) memcpy(d_in[0]->data, d_out[0]->data, gig_tensor_bytes(d_in[0]));
    if (op->in_count > 1 && d_in[1]) memset(d_in[1]->data, 0, gig_tensor_bytes(d_in[1]));
    return GIG_OK;
}

#define FLAT(name, since, flags, function)                                                                             \
    {                                                                                                                  \
        name, since, 0, GIG_OP_NO_GRADIENT | (flags), GIG_NEEDS_NOTHING, function##_infer, function##_forward, NULL    \
    }

const gig_operator gig_operators_constant[] = {{"Constant", 1, 0, GIG_OP_NO_GRADIENT, GIG_NEEDS_NOTHING, constant_infer,
                                                constant_forward, NULL, .kind = GIG_KIND_CONSTANT},
                                               FLAT("ConstantOfShape", 9, 0, constant_of_shape),
                                               FLAT("Range", 11, 0, range),
                                               FLAT("Shape", 1, GIG_OP_SHAPE_ONLY, shape),
                                               FLAT("Size", 1, GIG_OP_SHAPE_ONLY, size),
                                               {"Cast", 1, 0, GIG_OP_ELEMENTWISE | GIG_OP_KEEPS_WHOLE | GIG_OP_MOVES,
                                                GIG_NEEDS_NOTHING, cast_infer, cast_forward, cast_backward,
                                                .kind = GIG_KIND_CAST},
                                               {"CastLike", 15, 0, GIG_OP_KEEPS_WHOLE | GIG_OP_MOVES, GIG_NEEDS_NOTHING,
                                                cast_like_infer, cast_forward, cast_backward},
                                               {0}};
