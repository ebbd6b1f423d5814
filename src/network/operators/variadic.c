/* SPDX-License-Identifier: Apache-2.0 */
/* Max, Min, Sum and Mean of any number of operands with broadcasting.
 * The gradient of Max and Min is shared evenly among the operands that tie, as PyTorch's maximum does. */
#include "network/locate/broadcast.h"
#include <math.h>
#include <string.h>

/* One operand at a time: to[k] = to[k] combined with x[k * step]. */
typedef void real_fold(float *to, const float *x, int64_t step, int64_t n);
typedef void whole_fold(int64_t *to, const int64_t *x, int64_t step, int64_t n);

#define FOLD(name, type, expression)                                                                                   \
    static void name(type *to, const type *from, int64_t step, int64_t n)                                              \
    {                                                                                                                  \
        for (int64_t k = 0; k < n; k++) {                                                                              \
            const type x = from[k * step], y = to[k];                                                                  \
            to[k] = (expression);                                                                                      \
        }                                                                                                              \
    }

FOLD(copy_real, float, ((void)y, x))
FOLD(copy_whole, int64_t, ((void)y, x))
FOLD(max_real, float, x > y || isnan(x) ? x : y)
FOLD(max_whole, int64_t, x > y ? x : y)
FOLD(min_real, float, x < y || isnan(x) ? x : y)
FOLD(min_whole, int64_t, x < y ? x : y)
FOLD(sum_real, float, x + y)

static gig_status infer(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 1, GIG_MAX_PORTS));
    for (size_t i = 1; i < op->in_count; i++) GIG_TRY(gig_op_expect_type(op, i, op->in[0]->type));
    return gig_op_broadcast_output(op, 0);
}

static gig_status infer_real(gig_op *op)
{
    GIG_TRY(infer(op));
    return gig_op_expect_type(op, 0, GIG_FLOAT32);
}

static void fold(const gig_op *op, const gig_tensor *const *in, gig_tensor *out, size_t i, real_fold *real,
                 whole_fold *whole)
{
    gig_rows rows;
    for (gig_op_rows(&rows, op, i, 1); !rows.done; gig_rows_next(&rows)) {
        if (out->type == GIG_FLOAT32)
            real(out->real + rows.at, in[i]->real + rows.offset[0], rows.step[0], rows.length);
        else if (whole) /* none where infer refuses integers */
            whole(out->whole + rows.at, in[i]->whole + rows.offset[0], rows.step[0], rows.length);
    }
}

static gig_status fold_inputs(const gig_op *op, const gig_tensor *const *in, gig_tensor *out, real_fold *real,
                              whole_fold *whole)
{
    fold(op, in, out, 0, copy_real, copy_whole);
    for (size_t i = 1; i < op->in_count; i++) fold(op, in, out, i, real, whole);
    return GIG_OK;
}

static gig_status max_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    return fold_inputs(op, in, out[0], max_real, max_whole);
}

static gig_status min_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    return fold_inputs(op, in, out[0], min_real, min_whole);
}

/* share[k] = d_out[k] / (number of operands equal to out[k]), `count` of them. */
static void share_among_ties(float *share, const gig_op *op, const gig_tensor *const *in, const gig_tensor *out,
                             const gig_tensor *d_out)
{
    gig_rows rows;
    size_t count = gig_tensor_count(out);
    memset(share, 0, count * sizeof *share);
    for (size_t i = 0; i < op->in_count; i++)
        for (gig_op_rows(&rows, op, i, 1); !rows.done; gig_rows_next(&rows))
            for (int64_t k = 0; k < rows.length; k++)
                share[rows.at + k] += in[i]->real[rows.offset[0] + k * rows.step[0]] == out->real[rows.at + k];
    for (size_t k = 0; k < count; k++) share[k] = share[k] > 0 ? d_out->real[k] / share[k] : 0;
}

static gig_status extremum_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                    const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    gig_rows rows;
    size_t count = gig_tensor_count(out[0]);
    float *share = gig_alloc(count, 2 * sizeof *share);
    if (!share) return gig_alloc_status();
    float *full = share + count;
    share_among_ties(share, op, in, out[0], d_out[0]);
    for (size_t i = 0; i < op->in_count; i++) {
        if (!d_in[i]) continue;
        for (gig_op_rows(&rows, op, i, 1); !rows.done; gig_rows_next(&rows))
            for (int64_t k = 0; k < rows.length; k++) {
                float x = in[i]->real[rows.offset[0] + k * rows.step[0]];
                full[rows.at + k] = x == out[0]->real[rows.at + k] ? share[rows.at + k] : 0;
            }
        gig_op_reduce_to(op, d_in[i], full, i);
    }
    gig_free(share);
    return GIG_OK;
}

static gig_status sum_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    return fold_inputs(op, in, out[0], sum_real, NULL);
}

static gig_status sum_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                               const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)in, (void)out;
    for (size_t i = 0; i < op->in_count; i++)
        if (d_in[i]) gig_op_reduce_to(op, d_in[i], d_out[0]->real, i);
    return GIG_OK;
}

static void scale(gig_tensor *tensor, float by)
{
    for (size_t k = 0, count = gig_tensor_count(tensor); k < count; k++) tensor->real[k] *= by;
}

static gig_status mean_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    GIG_TRY(sum_forward(op, in, out));
    scale(out[0], 1 / (float)op->in_count);
    return GIG_OK;
}

static gig_status mean_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    GIG_TRY(sum_backward(op, in, out, d_out, d_in));
    for (size_t i = 0; i < op->in_count; i++)
        if (d_in[i]) scale(d_in[i], 1 / (float)op->in_count);
    return GIG_OK;
}

const gig_operator gig_operators_variadic[] = {
    {"Max", 1, 0, GIG_OP_ELEMENTWISE | GIG_OP_KEEPS_WHOLE | GIG_OP_MOVES, GIG_NEEDS_INPUTS | GIG_NEEDS_OUTPUT, infer,
     max_forward, extremum_backward},
    {"Min", 1, 0, GIG_OP_ELEMENTWISE | GIG_OP_KEEPS_WHOLE | GIG_OP_MOVES, GIG_NEEDS_INPUTS | GIG_NEEDS_OUTPUT, infer,
     min_forward, extremum_backward},
    {"Sum", 1, 0, GIG_OP_ELEMENTWISE, GIG_NEEDS_NOTHING, infer_real, sum_forward, sum_backward},
    {"Mean", 1, 0, GIG_OP_ELEMENTWISE | GIG_OP_MOVES, GIG_NEEDS_NOTHING, infer_real, mean_forward, mean_backward},
    {0}};
