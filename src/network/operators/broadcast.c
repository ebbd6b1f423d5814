/* NumPy broadcasting: strides, a walk over rows, and the sum that is its gradient. */
#include "network/operators/broadcast.h"
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

/* A walk over some of the dims of a dense tensor, innermost first. */
typedef struct odometer {
    int rank;
    int64_t dims[GIG_MAX_RANK], stride[GIG_MAX_RANK], index[GIG_MAX_RANK], offset;
} odometer;

static int odometer_next(odometer *walk)
{
    for (int m = 0; m < walk->rank; m++) {
        walk->offset += walk->stride[m];
        if (++walk->index[m] < walk->dims[m]) return 1;
        walk->offset -= walk->stride[m] * walk->dims[m];
        walk->index[m] = 0;
    }
    return 0;
}

enum { REDUCE_BLOCK = 64 }; /* neighbouring sums taken at once */

/* out[t] = sum over `run` consecutive elements and the walk of full[t], t < width; in double. */
static void sum_block(float *out, const float *full, int64_t width, int64_t run, odometer walk)
{
    double sums[REDUCE_BLOCK] = {0};
    do {
        const float *from = full + walk.offset;
        for (int64_t r = 0; r < run; r++)
            for (int64_t t = 0; t < width; t++) sums[t] += from[r + t];
    } while (odometer_next(&walk));
    for (int64_t t = 0; t < width; t++) out[t] = (float)sums[t];
}

void gig_broadcast_reduce(gig_tensor *part, const float *full, int rank, const int64_t *dims)
{
    gig_strides strides;
    gig_rows rows;
    gig_tensor whole = {.type = GIG_REAL, .rank = rank};
    memcpy(whole.dims, dims, (size_t)rank * sizeof *dims);
    if (gig_tensor_count(&whole) == gig_tensor_count(part)) {
        memcpy(part->data, full, gig_tensor_bytes(part));
        return;
    }
    odometer kept = {0}, reduced = {0};
    gig_broadcast_strides(&strides, part, rank, dims);
    gig_rows_begin(&rows, rank, dims, 1, &strides);
    if (rows.done) {
        memset(part->data, 0, gig_tensor_bytes(part));
        return;
    }
    int64_t stride = rows.length;
    for (int m = 1; m < rows.rank; m++) { /* the innermost merged dim is walked by sum_block */
        odometer *walk = rows.stride[0][m] ? &kept : &reduced;
        walk->dims[walk->rank] = rows.dims[m];
        walk->stride[walk->rank++] = stride;
        stride *= rows.dims[m];
    }
    float *out = part->real;
    do {
        const float *from = full + kept.offset;
        if (rows.step[0] == 0) {
            sum_block(out++, from, 1, rows.length, reduced);
            continue;
        }
        for (int64_t t = 0; t < rows.length; t += REDUCE_BLOCK) {
            int64_t width = rows.length - t < REDUCE_BLOCK ? rows.length - t : REDUCE_BLOCK;
            sum_block(out + t, from + t, width, 1, reduced);
        }
        out += rows.length;
    } while (odometer_next(&kept));
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

static gig_status infer_binary_before_7(gig_op *op)
{
    int axis, given;
    GIG_TRY(legacy_axis(&axis, &given, op));
    gig_tensor right = gig_op_operand(op, 1);
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

gig_tensor gig_op_operand(const gig_op *op, size_t i)
{
    gig_tensor operand = *op->in[i];
    int axis, given;
    operand.data = NULL;
    if (i != 1 || op->node->opset >= 7) return operand;
    if (legacy_axis(&axis, &given, op) != GIG_OK || !given) return operand;
    while (operand.rank < op->in[0]->rank - axis) operand.dims[operand.rank++] = 1;
    return operand;
}

void gig_op_rows(gig_rows *rows, const gig_op *op, size_t first, int operands)
{
    gig_strides strides[GIG_MAX_OPERANDS];
    for (int i = 0; i < operands; i++) {
        gig_tensor operand = gig_op_operand(op, first + (size_t)i);
        gig_broadcast_strides(&strides[i], &operand, op->out[0]->rank, op->out[0]->dims);
    }
    gig_rows_begin(rows, op->out[0]->rank, op->out[0]->dims, operands, strides);
}

void gig_op_reduce_to(const gig_op *op, gig_tensor *d_in, const float *full, size_t i)
{
    gig_tensor part = gig_op_operand(op, i);
    part.data = d_in->data;
    gig_broadcast_reduce(&part, full, op->out[0]->rank, op->out[0]->dims);
}
