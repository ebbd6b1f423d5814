/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons and logic (boolean results, no gradient), and Where, which chooses. */
#include "network/locate/row_loops.h"

typedef void compare_row(int64_t *restrict to, const float *left, int64_t left_step, const float *right,
                         int64_t right_step, int64_t n);

static gig_status infer_compare(gig_op *op)
{
    GIG_TRY(gig_op_infer_binary(op));
    if (!op->out_count || !op->out[0]) return GIG_OK;
    op->out_onnx[0] = GIG_ONNX_BOOL;
    op->out[0]->type = GIG_INT64;
    return GIG_OK;
}

static gig_status infer_logic(gig_op *op)
{
    GIG_TRY(infer_compare(op));
    return gig_op_expect_type(op, 0, GIG_INT64);
}

static gig_status compare_rows(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out, compare_row *real,
                               gig_whole_row *whole)
{
    gig_rows rows;
    for (gig_op_rows(&rows, op, 0, 2); !rows.done; gig_rows_next(&rows)) {
        const int64_t *at = rows.offset, *step = rows.step;
        int64_t *to = out[0]->whole + rows.at;
        if (in[0]->type == GIG_FLOAT32 && real) /* none where infer refuses floats */
            real(to, in[0]->real + at[0], step[0], in[1]->real + at[1], step[1], rows.length);
        else
            whole(to, in[0]->whole + at[0], step[0], in[1]->whole + at[1], step[1], rows.length);
    }
    return GIG_OK;
}

#define COMPARE(name, expression)                                                                                      \
    GIG_ROW(name##_real, float, int64_t, expression)                                                                   \
    GIG_ROW(name##_whole, int64_t, int64_t, expression)                                                                \
    static gig_status name##_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)            \
    {                                                                                                                  \
        return compare_rows(op, in, out, name##_real, name##_whole);                                                   \
    }

#define LOGIC(name, expression)                                                                                        \
    GIG_ROW(name##_whole, int64_t, int64_t, expression)                                                                \
    static gig_status name##_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)            \
    {                                                                                                                  \
        return compare_rows(op, in, out, NULL, name##_whole);                                                          \
    }

COMPARE(equal, x == y)
COMPARE(less, x < y)
COMPARE(greater, x > y)
COMPARE(less_or_equal, x <= y)
COMPARE(greater_or_equal, x >= y)
LOGIC(and, (x != 0) & (y != 0))
LOGIC(or, (x != 0) | (y != 0))
LOGIC(xor, (x != 0) ^ (y != 0))

static gig_status not_infer(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 1, 1));
    GIG_TRY(gig_op_expect_type(op, 0, GIG_INT64));
    return gig_op_same_output(op, 0, 0);
}

static gig_status not_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    (void)op;
    for (size_t k = 0, count = gig_tensor_count(in[0]); k < count; k++) out[0]->whole[k] = in[0]->whole[k] == 0;
    return GIG_OK;
}

/* ---- Where(condition, x, y) ---- */

static gig_status where_infer(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 3, 3));
    GIG_TRY(gig_op_expect_type(op, 0, GIG_INT64));
    GIG_TRY(gig_op_expect_type(op, 2, op->in[1]->type));
    return gig_op_broadcast_output(op, 1);
}

static gig_status where_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    gig_rows rows;
    for (gig_op_rows(&rows, op, 0, 3); !rows.done; gig_rows_next(&rows)) {
        const int64_t *step = rows.step, *condition = in[0]->whole + rows.offset[0];
        for (int64_t k = 0; k < rows.length; k++) {
            size_t chosen = condition[k * step[0]] ? 1 : 2;
            int64_t from = rows.offset[chosen] + k * step[chosen];
            if (out[0]->type == GIG_FLOAT32)
                out[0]->real[rows.at + k] = in[chosen]->real[from];
            else
                out[0]->whole[rows.at + k] = in[chosen]->whole[from];
        }
    }
    return GIG_OK;
}

static gig_status where_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                 const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    gig_rows rows;
    float *full = gig_alloc(gig_tensor_count(d_out[0]), sizeof *full);
    if (!full) return gig_alloc_status();
    (void)out;
    for (size_t i = 1; i < 3; i++) {
        if (!d_in[i]) continue;
        for (gig_op_rows(&rows, op, 0, 1); !rows.done; gig_rows_next(&rows))
            for (int64_t k = 0; k < rows.length; k++) {
                size_t chosen = in[0]->whole[rows.offset[0] + k * rows.step[0]] ? 1 : 2;
                full[rows.at + k] = chosen == i ? d_out[0]->real[rows.at + k] : 0;
            }
        gig_op_reduce_to(op, d_in[i], full, i);
    }
    gig_free(full);
    return GIG_OK;
}

#define FLAT(name, since, infer, function)                                                                             \
    {                                                                                                                  \
        name, since, 0, GIG_OP_ELEMENTWISE | GIG_OP_NO_GRADIENT, GIG_NEEDS_NOTHING, infer, function##_forward, NULL    \
    }

const gig_operator gig_operators_compare[] = {
    FLAT("Equal", 1, infer_compare, equal),
    FLAT("Less", 1, infer_compare, less),
    FLAT("Greater", 1, infer_compare, greater),
    FLAT("LessOrEqual", 12, infer_compare, less_or_equal),
    FLAT("GreaterOrEqual", 12, infer_compare, greater_or_equal),
    FLAT("And", 1, infer_logic, and),
    FLAT("Or", 1, infer_logic, or),
    FLAT("Xor", 1, infer_logic, xor),
    {"Not", 1, 0, GIG_OP_ELEMENTWISE | GIG_OP_NO_GRADIENT, GIG_NEEDS_NOTHING, not_infer, not_forward, NULL},
    {"Where", 9, 0, GIG_OP_ELEMENTWISE | GIG_OP_KEEPS_WHOLE | GIG_OP_MOVES, GIG_NEEDS_INPUT_0, where_infer,
     where_forward, where_backward},
    {0}};
