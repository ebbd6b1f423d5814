/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy broadcasting: strides, a walk over rows, and the sum that is its gradient. */
#include "network/locate/broadcast.h"
#include "base/clones.h"
#include <string.h>

void gig_broadcast_strides(gig_strides *out, const gig_tensor *operand, int rank, const int64_t *dims)
{
    int64_t stride = 1;
    int shift = rank - operand->rank;
    (void)dims;
    memset(out, 0, sizeof *out);
    for (int d = operand->rank - 1; d >= 0; d--) {
        out->stride[shift + d] = operand->dims[d] == 1 ? 0 : stride;
        stride *= operand->dims[d];
    }
}

/* Whether every operand steps through output dim d and the merged dim m inside it as through one dim. */
static int joins(const gig_rows *rows, int m, const gig_strides *strides, int d)
{
    for (int i = 0; i < rows->operands; i++)
        if (strides[i].stride[d] != rows->stride[i][m] * rows->dims[m]) return 0;
    return 1;
}

void gig_rows_begin(gig_rows *rows, int rank, const int64_t *dims, int operands, const gig_strides *strides)
{
    memset(rows, 0, sizeof *rows);
    rows->operands = operands;
    for (int d = rank - 1; d >= 0; d--) {
        if (dims[d] == 0) rows->done = 1;
        if (dims[d] == 1) continue;
        if (rows->rank && joins(rows, rows->rank - 1, strides, d)) {
            rows->dims[rows->rank - 1] *= dims[d];
            continue;
        }
        for (int i = 0; i < operands; i++) rows->stride[i][rows->rank] = strides[i].stride[d];
        rows->dims[rows->rank++] = dims[d];
    }
    rows->length = rows->rank ? rows->dims[0] : 1;
    for (int i = 0; i < operands; i++) rows->step[i] = rows->stride[i][0];
}

void gig_rows_next(gig_rows *rows)
{
    rows->at += rows->length;
    for (int m = 1; m < rows->rank; m++) {
        for (int i = 0; i < rows->operands; i++) rows->offset[i] += rows->stride[i][m];
        if (++rows->index[m] < rows->dims[m]) return;
        for (int i = 0; i < rows->operands; i++) rows->offset[i] -= rows->stride[i][m] * rows->dims[m];
        rows->index[m] = 0;
    }
    rows->done = 1;
}

int gig_broadcast_walk_next(gig_broadcast_walk *walk)
{
    for (int m = 0; m < walk->rank; m++) {
        walk->offset += walk->stride[m];
        if (++walk->index[m] < walk->dims[m]) return 1;
        walk->offset -= walk->stride[m] * walk->dims[m];
        walk->index[m] = 0;
    }
    return 0;
}

void gig_reduce(void *part_data, const gig_tensor *part, const void *full, int rank, const int64_t *dims, size_t size,
                gig_reduce_kernel *kernel)
{
    gig_strides strides;
    gig_rows rows;
    gig_broadcast_walk kept = {0}, reduced = {0};
    char *out = part_data;
    gig_broadcast_strides(&strides, part, rank, dims);
    gig_rows_begin(&rows, rank, dims, 1, &strides);
    if (rows.done) {
        for (size_t k = 0, count = gig_tensor_count(part); k < count; k++) kernel(out + k * size, full, 1, 0, reduced);
        return;
    }
    int64_t stride = rows.length;
    for (int m = 1; m < rows.rank; m++) { /* the innermost merged dim is the kernel's width or run */
        gig_broadcast_walk *walk = rows.stride[0][m] ? &kept : &reduced;
        walk->dims[walk->rank] = rows.dims[m];
        walk->stride[walk->rank++] = stride;
        stride *= rows.dims[m];
    }
    do {
        const char *from = (const char *)full + (size_t)kept.offset * size;
        if (rows.step[0] == 0) {
            kernel(out, from, 1, rows.length, reduced);
            out += size;
            continue;
        }
        for (int64_t t = 0; t < rows.length; t += GIG_REDUCE_BLOCK) {
            int64_t width = rows.length - t < GIG_REDUCE_BLOCK ? rows.length - t : GIG_REDUCE_BLOCK;
            kernel(out + (size_t)t * size, from + (size_t)t * size, width, 1, reduced);
        }
        out += (size_t)rows.length * size;
    } while (gig_broadcast_walk_next(&kept));
}

GIG_CLONES double gig_sum(const float *values, int64_t count)
{
    enum { LANES = 8 };
    double lanes[LANES] = {0}, sum = 0;
    int64_t k = 0;
    for (; k + LANES <= count; k += LANES)
        for (int l = 0; l < LANES; l++) lanes[l] += values[k + l];
    for (; k < count; k++) sum += values[k];
    for (int l = 0; l < LANES; l++) sum += lanes[l];
    return sum;
}

void gig_reduce_sum(void *out, const void *from, int64_t width, int64_t run, gig_broadcast_walk walk)
{
    double sums[GIG_REDUCE_BLOCK] = {0};
    do {
        const float *at = (const float *)from + walk.offset;
        if (width == 1)
            sums[0] += gig_sum(at, run);
        else
            for (int64_t t = 0; t < width; t++) sums[t] += at[t];
    } while (gig_broadcast_walk_next(&walk));
    for (int64_t t = 0; t < width; t++) ((float *)out)[t] = (float)sums[t];
}

void gig_broadcast_reduce(gig_tensor *part, const float *full, int rank, const int64_t *dims)
{
    gig_tensor whole = {.type = GIG_FLOAT32, .rank = rank};
    memcpy(whole.dims, dims, (size_t)rank * sizeof *dims);
    if (gig_tensor_count(&whole) == gig_tensor_count(part))
        memcpy(part->data, full, gig_tensor_bytes(part));
    else
        gig_reduce(part->data, part, full, rank, dims, sizeof *full, gig_reduce_sum);
}

/* The axis where the second operand of opsets 1 to 6 starts; *given 0: it ends with the last. */
static gig_status legacy_axis(int *axis, int *given, const gig_op *op)
{
    const gig_attribute *attribute = gig_node_attribute(op->node, "axis");
    *given = attribute && attribute->kind == GIG_ATTRIBUTE_INT && gig_node_int(op->node, "broadcast", 0);
    if (!*given) return GIG_OK;
    GIG_TRY(gig_op_axis(axis, attribute->i, op->in[0]->rank));
    if (op->in[0]->rank - *axis >= op->in[1]->rank) return GIG_OK;
    return gig_fail(GIG_EFORMAT, "%s: the second operand reaches beyond the first", op->row->name);
}

/* Input i with the dims that broadcasting sees; no data. */
static gig_tensor operand_of(const gig_op *op, size_t i)
{
    gig_tensor operand = *op->in[i];
    int axis, given;
    operand.data = NULL;
    if (i != 1 || op->node->opset >= 7) return operand;
    if (legacy_axis(&axis, &given, op) != GIG_OK || !given) return operand;
    while (operand.rank < op->in[0]->rank - axis) operand.dims[operand.rank++] = 1;
    return operand;
}

static gig_status infer_binary_before_7(gig_op *op)
{
    int axis, given;
    GIG_TRY(legacy_axis(&axis, &given, op));
    gig_tensor right = operand_of(op, 1);
    const gig_tensor *left = op->in[0];
    int shift = left->rank - right.rank;
    int fits = shift >= 0;
    for (int d = 0; fits && d < right.rank; d++) fits = right.dims[d] == 1 || right.dims[d] == left->dims[shift + d];
    if (!gig_node_int(op->node, "broadcast", 0)) fits = gig_same_dims(left, op->in[1]);
    if (!fits) return gig_fail(GIG_EFORMAT, "%s: the operands' dims do not fit", op->row->name);
    return gig_op_same_output(op, 0, 0);
}

gig_status gig_op_infer_binary_dims(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 2, 2));
    return op->node->opset < 7 ? infer_binary_before_7(op) : gig_op_broadcast_output(op, 0);
}

gig_status gig_op_infer_binary(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 2, 2));
    GIG_TRY(gig_op_expect_type(op, 1, op->in[0]->type));
    return gig_op_infer_binary_dims(op);
}

void gig_op_rows(gig_rows *rows, const gig_op *op, size_t first, int operands)
{
    gig_strides strides[GIG_MAX_OPERANDS];
    for (int i = 0; i < operands; i++) {
        gig_tensor operand = operand_of(op, first + (size_t)i);
        gig_broadcast_strides(&strides[i], &operand, op->out[0]->rank, op->out[0]->dims);
    }
    gig_rows_begin(rows, op->out[0]->rank, op->out[0]->dims, operands, strides);
}

void gig_op_reduce_to(const gig_op *op, gig_tensor *d_in, const float *full, size_t i)
{
    gig_tensor part = operand_of(op, i);
    part.data = d_in->data;
    gig_broadcast_reduce(&part, full, op->out[0]->rank, op->out[0]->dims);
}
