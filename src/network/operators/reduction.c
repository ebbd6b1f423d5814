/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions over axes: ReduceSum, Mean, Max, Min, Prod, L1, L2, LogSum, LogSumExp, SumSquare.
 * Real sums run in double. The gradient of Max and Min is shared evenly among ties, as PyTorch's amax does. */
#include "network/locate/broadcast.h"
#include "network/operators/integers.h"
#include <math.h>
#include <string.h>

/* op->params: the output's dims as if keepdims were 1. */

static gig_status infer(gig_op *op)
{
    const int64_t *axes;
    size_t count;
    int reduced[GIG_MAX_RANK] = {0}, axis;
    int axes_are_input = op->node->opset >= op->row->moved->since;
    GIG_TRY(gig_op_expect_inputs(op, 1, axes_are_input ? 2 : 1));
    GIG_TRY(gig_op_wholes(op, axes_are_input ? 1 : SIZE_MAX, axes_are_input ? NULL : "axes", &axes, &count));
    const gig_tensor *x = op->in[0];
    for (size_t a = 0; a < count; a++) {
        GIG_TRY(gig_op_axis(&axis, axes[a], x->rank));
        reduced[axis] = 1;
    }
    int all = count == 0 && !(axes_are_input && gig_node_int(op->node, "noop_with_empty_axes", 0));
    int keep = gig_node_int(op->node, "keepdims", 1) != 0, rank = 0;
    int64_t dims[GIG_MAX_RANK];
    gig_tensor *kept = gig_alloc(1, sizeof *kept);
    if (!kept) return gig_alloc_status();
    *kept = *x;
    kept->data = NULL;
    op->params = kept;
    for (int d = 0; d < x->rank; d++) {
        int gone = all || reduced[d];
        if (gone) kept->dims[d] = 1;
        if (!gone || keep) dims[rank++] = kept->dims[d];
    }
    return gig_op_set_output(op, 0, x->type, rank, dims);
}

static gig_status infer_real(gig_op *op)
{
    GIG_TRY(infer(op));
    if (op->in[0]->type == GIG_FLOAT32) return GIG_OK;
    return gig_fail(GIG_EUNSUPPORTED, "%s of integers is not supported", op->row->name);
}

/* A kernel: acc starts at `start`, takes each x by `update`, ends as `finish`. */
#define KERNEL(name, type, acc_type, start, update, finish)                                                            \
    static void name(void *out, const void *from, int64_t width, int64_t run, gig_broadcast_walk walk)                 \
    {                                                                                                                  \
        acc_type accs[GIG_REDUCE_BLOCK];                                                                               \
        for (int64_t t = 0; t < width; t++) accs[t] = (start);                                                         \
        do {                                                                                                           \
            const type *at = (const type *)from + walk.offset;                                                         \
            for (int64_t r = 0; r < run; r++)                                                                          \
                for (int64_t t = 0; t < width; t++) {                                                                  \
                    const acc_type x = (acc_type)at[r + t], acc = accs[t];                                             \
                    accs[t] = (update);                                                                                \
                }                                                                                                      \
        } while (gig_broadcast_walk_next(&walk));                                                                      \
        for (int64_t t = 0; t < width; t++) {                                                                          \
            const acc_type acc = accs[t];                                                                              \
            ((type *)out)[t] = (type)(finish);                                                                         \
        }                                                                                                              \
    }

KERNEL(max_real, float, float, -INFINITY, x > acc || isnan(x) ? x : acc, acc)
KERNEL(min_real, float, float, INFINITY, x < acc || isnan(x) ? x : acc, acc)
KERNEL(prod_real, float, double, 1, (acc) * (x), acc)
KERNEL(l1_real, float, double, 0, acc + fabs(x), acc)
KERNEL(l2_real, float, double, 0, acc + x * x, sqrt(acc))
KERNEL(square_real, float, double, 0, acc + x * x, acc)
KERNEL(log_sum_real, float, double, 0, acc + x, log(acc))

/* Whole sums and products run modulo 2^64. */
KERNEL(sum_whole, int64_t, uint64_t, 0, acc + x, acc)
KERNEL(max_whole, int64_t, int64_t, INT64_MIN, x > acc ? x : acc, acc)
KERNEL(min_whole, int64_t, int64_t, INT64_MAX, x < acc ? x : acc, acc)
KERNEL(prod_whole, int64_t, uint64_t, 1, (acc) * (x), acc)
KERNEL(l1_whole, int64_t, uint64_t, 0, acc + (x >> 63 ? 0 - x : x), acc)
KERNEL(square_whole, int64_t, uint64_t, 0, acc + x * x, acc)

/* log of the sum of exp, the greatest taken out first. */
static void log_sum_exp_real(void *out, const void *from, int64_t width, int64_t run, gig_broadcast_walk walk)
{
    float most[GIG_REDUCE_BLOCK];
    double sums[GIG_REDUCE_BLOCK] = {0};
    max_real(most, from, width, run, walk);
    do {
        const float *at = (const float *)from + walk.offset;
        for (int64_t r = 0; r < run; r++)
            for (int64_t t = 0; t < width; t++) sums[t] += isinf(most[t]) ? 0 : expf(at[r + t] - most[t]);
    } while (gig_broadcast_walk_next(&walk));
    for (int64_t t = 0; t < width; t++) ((float *)out)[t] = isinf(most[t]) ? most[t] : (float)(most[t] + log(sums[t]));
}

static gig_status reduce_groups(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out,
                                gig_reduce_kernel *real, gig_reduce_kernel *whole)
{
    const gig_tensor *x = in[0];
    gig_reduce(out[0]->data, op->params, x->data, x->rank, x->dims, gig_type_size(x->type),
               x->type == GIG_FLOAT32 ? real : whole);
    if (x->type == GIG_INT64) gig_wholes_wrap(out[0]->whole, gig_tensor_count(out[0]), op->out_onnx[0]);
    return GIG_OK;
}

#define FORWARD(name, real, whole)                                                                                     \
    static gig_status name##_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)            \
    {                                                                                                                  \
        return reduce_groups(op, in, out, real, whole);                                                                \
    }
FORWARD(sum, gig_reduce_sum, sum_whole)
FORWARD(max, max_real, max_whole)
FORWARD(min, min_real, min_whole)
FORWARD(prod, prod_real, prod_whole)
FORWARD(l1, l1_real, l1_whole)
FORWARD(l2, l2_real, NULL)
FORWARD(square, square_real, square_whole)
FORWARD(log_sum, log_sum_real, NULL)
FORWARD(log_sum_exp, log_sum_exp_real, NULL)

/* How many inputs go into one output. */
static size_t group_size(const gig_op *op)
{
    size_t groups = gig_tensor_count(op->params);
    return groups ? gig_tensor_count(op->in[0]) / groups : 0;
}

static gig_status mean_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    GIG_TRY(sum_forward(op, in, out));
    size_t size = group_size(op);
    for (size_t k = 0, count = gig_tensor_count(out[0]); k < count; k++) {
        if (out[0]->type == GIG_FLOAT32)
            out[0]->real[k] /= (float)size;
        else if (size)
            out[0]->whole[k] /= (int64_t)size;
    }
    return GIG_OK;
}

/* Begins a walk over the input with one operand, the kept dims. */
static void input_rows(gig_rows *rows, const gig_op *op)
{
    gig_strides strides;
    gig_broadcast_strides(&strides, op->params, op->in[0]->rank, op->in[0]->dims);
    gig_rows_begin(rows, op->in[0]->rank, op->in[0]->dims, 1, &strides);
}

/* d_x = d_y * slope; in the expression x is the input (0 if `needs` has it not), y the output, size the number of
 * inputs of one output. */
#define BACKWARD(name, slope)                                                                                          \
    static gig_status name##_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,     \
                                      const gig_tensor *const *d_out, gig_tensor *const *d_in)                         \
    {                                                                                                                  \
        gig_rows rows;                                                                                                 \
        const float size = (float)group_size(op);                                                                      \
        const float *from = in[0] ? in[0]->real : NULL, *to = out[0] ? out[0]->real : NULL;                            \
        (void)size;                                                                                                    \
        for (input_rows(&rows, op); !rows.done; gig_rows_next(&rows))                                                  \
            for (int64_t k = 0; k < rows.length; k++) {                                                                \
                int64_t group = rows.offset[0] + k * rows.step[0];                                                     \
                const float x = from ? from[rows.at + k] : 0, y = to ? to[group] : 0;                                  \
                (void)x, (void)y;                                                                                      \
                d_in[0]->real[rows.at + k] = d_out[0]->real[group] * (slope);                                          \
            }                                                                                                          \
        return GIG_OK;                                                                                                 \
    }
BACKWARD(sum, 1)
BACKWARD(mean, 1 / size)
BACKWARD(l1, x > 0 ? 1 : x < 0 ? -1 : 0)
BACKWARD(l2, y > 0 ? x / y : 0)
BACKWARD(square, 2 * x)
BACKWARD(log_sum, expf(-y))
BACKWARD(log_sum_exp, expf(x - y))

static gig_status extremum_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                    const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    gig_rows rows;
    const float *x = in[0]->real, *y = out[0]->real;
    float *ties = gig_alloc_zero(gig_tensor_count(out[0]), sizeof *ties);
    if (!ties) return gig_alloc_status();
    for (input_rows(&rows, op); !rows.done; gig_rows_next(&rows))
        for (int64_t k = 0; k < rows.length; k++) {
            int64_t group = rows.offset[0] + k * rows.step[0];
            ties[group] += x[rows.at + k] == y[group];
        }
    for (input_rows(&rows, op); !rows.done; gig_rows_next(&rows))
        for (int64_t k = 0; k < rows.length; k++) {
            int64_t group = rows.offset[0] + k * rows.step[0];
            d_in[0]->real[rows.at + k] = x[rows.at + k] == y[group] ? d_out[0]->real[group] / ties[group] : 0;
        }
    gig_free(ties);
    return GIG_OK;
}

/* The product of the others: with one 0 in a group only that input has a slope, with two none has. */
static gig_status prod_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    typedef struct product {
        double others; /* product of what is not 0 */
        size_t zeros;
    } product;
    gig_rows rows;
    size_t groups = gig_tensor_count(d_out[0]);
    product *products = gig_alloc(groups, sizeof *products);
    if (!products) return gig_alloc_status();
    (void)out;
    for (size_t g = 0; g < groups; g++) products[g] = (product){1, 0};
    for (input_rows(&rows, op); !rows.done; gig_rows_next(&rows))
        for (int64_t k = 0; k < rows.length; k++) {
            product *p = &products[rows.offset[0] + k * rows.step[0]];
            float x = in[0]->real[rows.at + k];
            if (x == 0)
                p->zeros++;
            else
                p->others *= x;
        }
    for (input_rows(&rows, op); !rows.done; gig_rows_next(&rows))
        for (int64_t k = 0; k < rows.length; k++) {
            int64_t group = rows.offset[0] + k * rows.step[0];
            const product *p = &products[group];
            float x = in[0]->real[rows.at + k];
            double slope = x == 0 ? (p->zeros == 1 ? p->others : 0) : p->zeros ? 0 : p->others / x;
            d_in[0]->real[rows.at + k] = (float)(d_out[0]->real[group] * slope);
        }
    gig_free(products);
    return GIG_OK;
}

enum { BOTH = GIG_NEEDS_INPUT_0 | GIG_NEEDS_OUTPUT };

static const gig_moved_attribute later_axes_moved[] = {{"axes", 18}, {0}};

static const gig_moved_attribute axes_moved[] = {{"axes", 13}, {0}};

const gig_operator gig_operators_reduction[] = {
    {"ReduceSum", 1, 0, 0, GIG_NEEDS_NOTHING, infer, sum_forward, sum_backward, .kind = GIG_KIND_REDUCE_SUM,
     .moved = axes_moved},
    {"ReduceMean", 1, 0, GIG_OP_MOVES, GIG_NEEDS_NOTHING, infer, mean_forward, mean_backward,
     .kind = GIG_KIND_REDUCE_MEAN, .moved = later_axes_moved},
    {"ReduceMax", 1, 0, GIG_OP_KEEPS_WHOLE | GIG_OP_MOVES, BOTH, infer, max_forward, extremum_backward,
     .moved = later_axes_moved},
    {"ReduceMin", 1, 0, GIG_OP_KEEPS_WHOLE | GIG_OP_MOVES, BOTH, infer, min_forward, extremum_backward,
     .moved = later_axes_moved},
    {"ReduceProd", 1, 0, 0, GIG_NEEDS_INPUT_0, infer, prod_forward, prod_backward, .moved = later_axes_moved},
    {"ReduceL1", 1, 0, 0, GIG_NEEDS_INPUT_0, infer, l1_forward, l1_backward, .moved = later_axes_moved},
    {"ReduceL2", 1, 0, 0, BOTH, infer_real, l2_forward, l2_backward, .moved = later_axes_moved},
    {"ReduceSumSquare", 1, 0, 0, GIG_NEEDS_INPUT_0, infer, square_forward, square_backward, .moved = later_axes_moved},
    {"ReduceLogSum", 1, 0, 0, GIG_NEEDS_OUTPUT, infer_real, log_sum_forward, log_sum_backward,
     .moved = later_axes_moved},
    {"ReduceLogSumExp", 1, 0, 0, BOTH, infer_real, log_sum_exp_forward, log_sum_exp_backward,
     .moved = later_axes_moved},
    {0}};
