/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that look at positions: EyeLike, OneHot, Trilu, CumSum. */
#include "network/locate/axis_groups.h"
#include "network/operators/integers.h"
#include <string.h>

/* The single integer of constant input i, or `otherwise` if there is none. */
static gig_status constant_number(const gig_op *op, size_t i, int64_t otherwise, int64_t *value)
{
    const int64_t *values;
    size_t count;
    GIG_TRY(gig_op_wholes(op, i, NULL, &values, &count));
    if (values && count != 1) return gig_fail(GIG_EFORMAT, "%s: input %zu is not a single number", op->row->name, i);
    *value = values ? values[0] : otherwise;
    return GIG_OK;
}

/* ---- EyeLike: 1 on diagonal k ---- */

static gig_status eye_like_infer(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 1, 1));
    if (op->in[0]->rank != 2) return gig_fail(GIG_EFORMAT, "EyeLike: the input is not a matrix");
    int64_t onnx = gig_node_int(op->node, "dtype", op->in_onnx[0]);
    int real = onnx > 0 && onnx < INT16_MAX && gig_onnx_is_float((int)onnx);
    if (!real && !(onnx > 0 && onnx < INT16_MAX && gig_onnx_is_whole((int)onnx)))
        return gig_fail(GIG_EUNSUPPORTED, "EyeLike: type %lld is not supported", (long long)onnx);
    if (op->out_count) op->out_onnx[0] = (int)onnx;
    return gig_op_set_output(op, 0, real ? GIG_FLOAT32 : GIG_INT64, 2, op->in[0]->dims);
}

static gig_status eye_like_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    int64_t k = gig_node_int(op->node, "k", 0), rows = out[0]->dims[0], columns = out[0]->dims[1];
    (void)in;
    memset(out[0]->data, 0, gig_tensor_bytes(out[0]));
    if (k >= columns || k <= -rows) return GIG_OK;
    for (int64_t r = k < 0 ? -k : 0; r < rows && r + k < columns; r++) {
        if (out[0]->type == GIG_FLOAT32)
            out[0]->real[r * columns + r + k] = 1;
        else
            out[0]->whole[r * columns + r + k] = 1;
    }
    return GIG_OK;
}

/* ---- OneHot(indices, depth, [off, on]): a new dim at `axis` ---- */

static int64_t number_at(const gig_tensor *x, size_t k)
{
    return x->type == GIG_FLOAT32 ? gig_whole_from_real(x->real[k]) : x->whole[k];
}

static gig_status one_hot_infer(gig_op *op)
{
    int axis;
    int64_t dims[GIG_MAX_RANK];
    GIG_TRY(gig_op_expect_inputs(op, 3, 3));
    const gig_tensor *indices = op->in[0], *depth = op->in[1], *values = op->in[2];
    if (!depth->data) return gig_fail(GIG_EUNSUPPORTED, "OneHot: depth is not constant");
    if (gig_tensor_count(depth) != 1) return gig_fail(GIG_EFORMAT, "OneHot: depth is not a single number");
    if (gig_tensor_count(values) != 2) return gig_fail(GIG_EFORMAT, "OneHot: values are not two numbers");
    if (indices->rank >= GIG_MAX_RANK) return gig_fail(GIG_ELIMIT, "OneHot: the rank would exceed %d", GIG_MAX_RANK);
    GIG_TRY(gig_op_axis(&axis, gig_node_int(op->node, "axis", -1), indices->rank + 1));
    for (int d = 0; d <= indices->rank; d++)
        dims[d] = d < axis ? indices->dims[d] : d > axis ? indices->dims[d - 1] : number_at(depth, 0);
    if (op->out_count) op->out_onnx[0] = op->in_onnx[2];
    return gig_op_set_output(op, 0, values->type, indices->rank + 1, dims);
}

/* Negative indices count from the end; what is out of range is nowhere hot. */
static int64_t hot_index(const gig_tensor *indices, size_t i, int64_t depth)
{
    int64_t hot = number_at(indices, i);
    return hot < 0 && hot >= -depth ? hot + depth : hot;
}

static gig_status one_hot_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    int axis;
    GIG_TRY(gig_op_axis(&axis, gig_node_int(op->node, "axis", -1), out[0]->rank));
    const gig_groups g = gig_groups_along(out[0], axis, axis);
    for (size_t i = 0, count = gig_group_count(&g); i < count; i++) {
        size_t at = gig_group_start(&g, i);
        int64_t depth = (int64_t)g.length, hot = hot_index(in[0], i, depth);
        for (int64_t k = 0; k < depth; k++) {
            size_t to = at + (size_t)k * g.inner;
            if (out[0]->type == GIG_FLOAT32)
                out[0]->real[to] = in[2]->real[k == hot];
            else
                out[0]->whole[to] = in[2]->whole[k == hot];
        }
    }
    return GIG_OK;
}

/* The numbers for off and on get what was sent to their places; real indices jump and get nothing. */
static gig_status one_hot_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                   const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    int axis;
    double sums[2] = {0};
    (void)out;
    GIG_TRY(gig_op_axis(&axis, gig_node_int(op->node, "axis", -1), op->out[0]->rank));
    const gig_groups g = gig_groups_along(op->out[0], axis, axis);
    for (size_t i = 0, count = gig_group_count(&g); i < count; i++) {
        int64_t hot = hot_index(in[0], i, (int64_t)g.length);
        for (int64_t k = 0; k < (int64_t)g.length; k++)
            sums[k == hot] += d_out[0]->real[gig_group_start(&g, i) + (size_t)k * g.inner];
    }
    for (size_t i = 0; i < 2; i++)
        if (d_in[i]) memset(d_in[i]->data, 0, gig_tensor_bytes(d_in[i]));
    for (size_t v = 0; d_in[2] && v < 2; v++) d_in[2]->real[v] = (float)sums[v];
    return GIG_OK;
}

/* ---- Trilu: keeps the triangle on one side of diagonal k ---- */

typedef struct triangle {
    int64_t k;
    int upper;
} triangle;

static gig_status trilu_infer(gig_op *op)
{
    int64_t k;
    GIG_TRY(gig_op_expect_inputs(op, 1, 2));
    GIG_TRY(constant_number(op, 1, 0, &k));
    if (op->in[0]->rank < 2) return gig_fail(GIG_EFORMAT, "Trilu: the input is not a matrix");
    triangle *kept = gig_alloc(1, sizeof *kept);
    if (!kept) return gig_alloc_status();
    int64_t limit = (int64_t)GIG_MAX_ELEMENTS; /* beyond any column */
    *kept = (triangle){k > limit ? limit : k < -limit ? -limit : k, gig_node_int(op->node, "upper", 1) != 0};
    op->params = kept;
    return gig_op_same_output(op, 0, 0);
}

/* Copies the triangle of `from`, of elements of `size` bytes; the rest is 0. */
static void copy_triangle(void *to, const void *from, const gig_op *op, size_t size)
{
    const triangle *kept = op->params;
    const gig_tensor *x = op->in[0];
    int64_t rows = x->dims[x->rank - 2], columns = x->dims[x->rank - 1];
    size_t lines = columns ? gig_tensor_count(x) / (size_t)columns : 0;
    memset(to, 0, gig_tensor_count(x) * size);
    for (size_t line = 0; line < lines; line++) {
        int64_t diagonal = (int64_t)(line % (size_t)rows) + kept->k;
        int64_t first = kept->upper ? diagonal : 0, end = kept->upper ? columns : diagonal + 1;
        if (first < 0) first = 0;
        if (end > columns) end = columns;
        if (first >= end) continue;
        size_t at = (line * (size_t)columns + (size_t)first) * size;
        memcpy((char *)to + at, (const char *)from + at, (size_t)(end - first) * size);
    }
}

static gig_status trilu_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    copy_triangle(out[0]->data, in[0]->data, op, gig_type_size(in[0]->type));
    return GIG_OK;
}

static gig_status trilu_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                 const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)in, (void)out;
    copy_triangle(d_in[0]->data, d_out[0]->data, op, sizeof(float));
    return GIG_OK;
}

/* ---- CumSum: running sums along an axis, in double ---- */

typedef struct running {
    gig_groups groups;
    int exclusive, reverse;
} running;

static gig_status cum_sum_infer(gig_op *op)
{
    int64_t given;
    int axis;
    GIG_TRY(gig_op_expect_inputs(op, 2, 2));
    GIG_TRY(constant_number(op, 1, 0, &given));
    GIG_TRY(gig_op_axis(&axis, given, op->in[0]->rank));
    running *r = gig_alloc(1, sizeof *r);
    if (!r) return gig_alloc_status();
    r->groups = gig_groups_along(op->in[0], axis, axis);
    r->exclusive = gig_node_int(op->node, "exclusive", 0) != 0;
    r->reverse = gig_node_int(op->node, "reverse", 0) != 0;
    op->params = r;
    return gig_op_same_output(op, 0, 0);
}

static void real_sums(float *to, const float *from, const running *r, int reverse)
{
    const gig_groups *g = &r->groups;
    for (size_t i = 0, count = gig_group_count(g); i < count; i++) {
        double sum = 0;
        for (size_t k = 0; k < g->length; k++) {
            size_t at = gig_group_start(g, i) + (reverse ? g->length - 1 - k : k) * g->inner;
            float x = from[at];
            to[at] = (float)(r->exclusive ? sum : sum + x);
            sum += x;
        }
    }
}

static void whole_sums(int64_t *to, const int64_t *from, const running *r)
{
    const gig_groups *g = &r->groups;
    for (size_t i = 0, count = gig_group_count(g); i < count; i++) {
        uint64_t sum = 0;
        for (size_t k = 0; k < g->length; k++) {
            size_t at = gig_group_start(g, i) + (r->reverse ? g->length - 1 - k : k) * g->inner;
            uint64_t x = (uint64_t)from[at];
            to[at] = (int64_t)(r->exclusive ? sum : sum + x);
            sum += x;
        }
    }
}

static gig_status cum_sum_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const running *r = op->params;
    if (in[0]->type == GIG_FLOAT32) {
        real_sums(out[0]->real, in[0]->real, r, r->reverse);
    } else {
        whole_sums(out[0]->whole, in[0]->whole, r);
        gig_wholes_wrap(out[0]->whole, gig_tensor_count(out[0]), op->out_onnx[0]);
    }
    return GIG_OK;
}

/* The running sum of the gradient, from the other end. */
static gig_status cum_sum_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                   const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    const running *r = op->params;
    (void)in, (void)out;
    real_sums(d_in[0]->real, d_out[0]->real, r, !r->reverse);
    return GIG_OK;
}

const gig_operator gig_operators_position[] = {
    {"EyeLike", 9, 0, GIG_OP_SHAPE_ONLY | GIG_OP_NO_GRADIENT, GIG_NEEDS_NOTHING, eye_like_infer, eye_like_forward,
     NULL},
    {"OneHot", 9, 0, 0, GIG_NEEDS_INPUT_0, one_hot_infer, one_hot_forward, one_hot_backward},
    {"Trilu", 14, 0, 0, GIG_NEEDS_NOTHING, trilu_infer, trilu_forward, trilu_backward},
    {"CumSum", 11, 0, 0, GIG_NEEDS_NOTHING, cum_sum_infer, cum_sum_forward, cum_sum_backward},
    {0}};
