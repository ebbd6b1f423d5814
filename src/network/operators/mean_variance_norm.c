/* SPDX-License-Identifier: Apache-2.0 */
/* MeanVarianceNormalization: (x - mean) / (deviation + 1e-9) over `axes` ([0, 2, 3]), sums in double. */
#include "network/locate/broadcast.h"
#include <math.h>

static const double epsilon = 1e-9;

/* op->params: x's dims with the axes set to 1. */
static gig_status infer(gig_op *op)
{
    static const int64_t otherwise[] = {0, 2, 3};
    const int64_t *axes;
    size_t count;
    int axis;
    GIG_TRY(gig_op_expect_inputs(op, 1, 1));
    GIG_TRY(gig_op_expect_type(op, 0, GIG_FLOAT32));
    GIG_TRY(gig_op_wholes(op, SIZE_MAX, "axes", &axes, &count));
    if (!axes) axes = otherwise, count = 3;
    gig_tensor *part = gig_alloc(1, sizeof *part);
    if (!part) return gig_alloc_status();
    op->params = part;
    *part = *op->in[0];
    for (size_t a = 0; a < count; a++) {
        GIG_TRY(gig_op_axis(&axis, axes[a], op->in[0]->rank));
        part->dims[axis] = 1;
    }
    return gig_op_same_output(op, 0, 0);
}

/* Sums of one group. */
typedef struct sums {
    double x, deviation, d, d_centred; /* mean of x; its deviation; mean of d; mean of d (x - mean) */
} sums;

static void begin_rows(gig_rows *rows, const gig_op *op)
{
    gig_strides strides;
    gig_broadcast_strides(&strides, op->params, op->in[0]->rank, op->in[0]->dims);
    gig_rows_begin(rows, op->in[0]->rank, op->in[0]->dims, 1, &strides);
}

/* The sums of every group; d may be NULL. */
static gig_status sums_of_groups(sums **out, const gig_op *op, const float *x, const float *d)
{
    gig_rows rows;
    size_t groups = gig_tensor_count(op->params), total = gig_tensor_count(op->in[0]);
    const double n = groups ? (double)total / (double)groups : 1;
    sums *all = gig_alloc_zero(groups, sizeof *all);
    if (!all) return gig_alloc_status();
    for (begin_rows(&rows, op); !rows.done; gig_rows_next(&rows))
        for (int64_t k = 0; k < rows.length; k++) all[rows.offset[0] + k * rows.step[0]].x += x[rows.at + k] / n;
    for (begin_rows(&rows, op); !rows.done; gig_rows_next(&rows))
        for (int64_t k = 0; k < rows.length; k++) {
            sums *s = &all[rows.offset[0] + k * rows.step[0]];
            const double centred = x[rows.at + k] - s->x, gradient = d ? d[rows.at + k] : 0;
            s->deviation += centred * centred / n;
            s->d += gradient / n;
            s->d_centred += gradient * centred / n;
        }
    for (size_t g = 0; g < groups; g++) all[g].deviation = sqrt(all[g].deviation);
    *out = all;
    return GIG_OK;
}

static gig_status forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    gig_rows rows;
    sums *all = NULL;
    GIG_TRY(sums_of_groups(&all, op, in[0]->real, NULL));
    for (begin_rows(&rows, op); !rows.done; gig_rows_next(&rows))
        for (int64_t k = 0; k < rows.length; k++) {
            const sums *s = &all[rows.offset[0] + k * rows.step[0]];
            out[0]->real[rows.at + k] = (float)((in[0]->real[rows.at + k] - s->x) / (s->deviation + epsilon));
        }
    gig_free(all);
    return GIG_OK;
}

/* With i = 1 / (deviation + epsilon): d_x = i (d - mean(d)) - i^2 (x - mean) mean(d (x - mean)) / deviation. */
static gig_status backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                           const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    gig_rows rows;
    sums *all = NULL;
    (void)out;
    GIG_TRY(sums_of_groups(&all, op, in[0]->real, d_out[0]->real));
    for (begin_rows(&rows, op); !rows.done; gig_rows_next(&rows))
        for (int64_t k = 0; k < rows.length; k++) {
            const sums *s = &all[rows.offset[0] + k * rows.step[0]];
            const double i = 1 / (s->deviation + epsilon), centred = in[0]->real[rows.at + k] - s->x;
            const double bend = s->deviation > 0 ? i * i * centred * s->d_centred / s->deviation : 0;
            d_in[0]->real[rows.at + k] = (float)(i * (d_out[0]->real[rows.at + k] - s->d) - bend);
        }
    gig_free(all);
    return GIG_OK;
}

const gig_operator gig_operators_mean_variance[] = {
    {"MeanVarianceNormalization", 9, 0, 0, GIG_NEEDS_INPUT_0, infer, forward, backward}, {0}};
