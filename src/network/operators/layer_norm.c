/* SPDX-License-Identifier: Apache-2.0 */
/* Moments of runs of numbers, and the normalisations of everything from an axis on: LayerNormalization,
 * RMSNormalization. */
#include "network/kernels/moments.h"
#include "network/locate/broadcast.h"
#include "network/operators/moments.h"
#include <math.h>
#include <string.h>

gig_moments gig_moments_of(const float *x, const gig_runs *l)
{
    double sum = 0, squares = 0, n = (double)l->length;
    for (size_t k = 0; !l->about_zero && k < l->length; k++) sum += x[k];
    double mean = l->about_zero ? 0 : sum / n;
    for (size_t k = 0; k < l->length; k++) squares += (x[k] - mean) * (x[k] - mean);
    return (gig_moments){mean, 1 / sqrt(squares / n + l->epsilon)};
}

gig_status gig_runs_keep(gig_op *op, gig_runs l)
{
    gig_runs *kept = gig_alloc(1, sizeof *kept);
    if (!kept) return gig_alloc_status();
    *kept = l;
    op->params = kept;
    return GIG_OK;
}

/* d_x = inverse * (g - mean(g) - x_hat mean(g x_hat)), x_hat = (x - mean) * inverse; without mean(g) about 0. */
void gig_moments_backward(float *d_x, const float *x, const float *g, const gig_runs *l, gig_moments m)
{
    double sum = 0, moment = 0, n = (double)l->length;
    for (size_t k = 0; k < l->length; k++) {
        sum += g[k];
        moment += g[k] * (x[k] - m.mean) * m.inverse;
    }
    if (l->about_zero) sum = 0;
    for (size_t k = 0; k < l->length; k++) {
        double x_hat = (x[k] - m.mean) * m.inverse;
        d_x[k] = (float)(m.inverse * (g[k] - sum / n - x_hat * moment / n));
    }
}

/* ---- LayerNormalization, RMSNormalization: a group is everything from `axis` on ---- */

/* The dims from `axis` on, to which scale and bias are broadcast. */
static gig_tensor normalized_dims(const gig_op *op)
{
    gig_tensor dims = {.type = GIG_FLOAT32};
    int axis = 0;
    (void)gig_op_axis(&axis, gig_node_int(op->node, "axis", -1), op->in[0]->rank); /* infer has checked it */
    for (int d = axis; d < op->in[0]->rank; d++) dims.dims[dims.rank++] = op->in[0]->dims[d];
    return dims;
}

/* Input i without leading dims of 1 that exceed the normalised rank. */
static gig_tensor trimmed(const gig_tensor *tensor, int rank)
{
    gig_tensor t = *tensor;
    while (t.rank > rank && t.dims[0] == 1) memmove(t.dims, t.dims + 1, (size_t)--t.rank * sizeof *t.dims);
    return t;
}

static gig_status infer_from_axis(int *out_axis, gig_op *op, int about_zero)
{
    int axis;
    const gig_tensor *x = op->in[0];
    GIG_TRY(gig_op_axis(&axis, gig_node_int(op->node, "axis", -1), x->rank));
    *out_axis = axis;
    gig_tensor group = normalized_dims(op);
    gig_runs l = {.groups = 1,
                  .length = gig_tensor_count(&group),
                  .epsilon = gig_node_real(op->node, "epsilon", 1e-5f),
                  .about_zero = about_zero};
    for (int d = 0; d < axis; d++) l.groups *= (size_t)x->dims[d];
    for (size_t i = 0; i < op->in_count; i++) {
        if (!op->in[i]) continue;
        GIG_TRY(gig_op_expect_type(op, i, GIG_FLOAT32));
        if (i == 0) continue;
        gig_tensor t = trimmed(op->in[i], group.rank);
        int shift = group.rank - t.rank, fits = shift >= 0;
        for (int d = 0; fits && d < t.rank; d++) fits = t.dims[d] == 1 || t.dims[d] == group.dims[shift + d];
        if (!fits) return gig_fail(GIG_EFORMAT, "%s: input %zu does not fit the normalised dims", op->row->name, i);
    }
    GIG_TRY(gig_runs_keep(op, l));
    return gig_op_same_output(op, 0, 0);
}

/* Outputs y, and where wanted mean and 1 / deviation. */
static gig_status layer_infer(gig_op *op)
{
    int axis;
    GIG_TRY(gig_op_expect_inputs(op, 2, 3));
    GIG_TRY(infer_from_axis(&axis, op, 0));
    const gig_tensor *x = op->in[0];
    gig_tensor statistics = *x;
    for (int d = axis; d < x->rank; d++) statistics.dims[d] = 1;
    for (size_t j = 1; j < 3 && j < op->out_count; j++) op->out_onnx[j] = GIG_ONNX_FLOAT;
    GIG_TRY(gig_op_set_output(op, 1, GIG_FLOAT32, x->rank, statistics.dims));
    return gig_op_set_output(op, 2, GIG_FLOAT32, x->rank, statistics.dims);
}

static gig_status rms_infer(gig_op *op)
{
    int axis;
    GIG_TRY(gig_op_expect_inputs(op, 2, 2));
    return infer_from_axis(&axis, op, 1);
}

/* to[0..length) = input i broadcast to the group, or `otherwise` where it is left out. */
static void expand_to_group(float *to, const gig_op *op, const gig_tensor *const *in, size_t i, float otherwise)
{
    const gig_runs *l = op->params;
    if (i >= op->in_count || !op->in[i]) {
        for (size_t k = 0; k < l->length; k++) to[k] = otherwise;
        return;
    }
    gig_tensor group = normalized_dims(op), t = trimmed(op->in[i], group.rank);
    gig_strides strides;
    gig_rows rows;
    gig_broadcast_strides(&strides, &t, group.rank, group.dims);
    for (gig_rows_begin(&rows, group.rank, group.dims, 1, &strides); !rows.done; gig_rows_next(&rows))
        for (int64_t k = 0; k < rows.length; k++) to[rows.at + k] = in[i]->real[rows.offset[0] + k * rows.step[0]];
}

static gig_status layer_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const gig_runs *l = op->params;
    float *scale = gig_alloc(l->length, 2 * sizeof *scale);
    if (!scale) return gig_alloc_status();
    float *bias = scale + l->length;
    expand_to_group(scale, op, in, 1, 1);
    expand_to_group(bias, op, in, 2, 0);
    for (size_t g = 0; g < l->groups; g++) {
        const float *x = in[0]->real + g * l->length;
        const gig_moments m = gig_moments_of(x, l);
        for (size_t k = 0; op->out[0] && k < l->length; k++)
            out[0]->real[g * l->length + k] = (float)((x[k] - m.mean) * m.inverse * scale[k] + bias[k]);
        if (op->out_count > 1 && op->out[1]) out[1]->real[g] = (float)m.mean;
        if (op->out_count > 2 && op->out[2]) out[2]->real[g] = (float)m.inverse;
    }
    gig_free(scale);
    return GIG_OK;
}

/* What the outputs mean and 1 / deviation add to d_x of group g. */
static void add_statistics(float *d_x, const gig_op *op, const float *x, gig_moments m, size_t g,
                           const gig_tensor *const *d_out)
{
    const gig_runs *l = op->params;
    const double n = (double)l->length;
    const double d_mean = op->out_count > 1 && d_out[1] ? d_out[1]->real[g] : 0;
    const double d_inverse = op->out_count > 2 && d_out[2] ? d_out[2]->real[g] : 0;
    for (size_t k = 0; k < l->length; k++)
        d_x[k] += (float)(d_mean / n - d_inverse * m.inverse * m.inverse * m.inverse * (x[k] - m.mean) / n);
}

/* Sums over groups of d_y x_hat and of d_y, brought to the dims of scale and bias. */
static void layer_parameters(const gig_op *op, const gig_tensor *const *in, const float *d_y, double *sums,
                             gig_tensor *const *d_in, size_t i)
{
    const gig_runs *l = op->params;
    float *full = (float *)(sums + l->length);
    memset(sums, 0, l->length * sizeof *sums);
    for (size_t g = 0; d_y && g < l->groups; g++) {
        const float *x = in[0]->real + g * l->length, *d = d_y + g * l->length;
        const gig_moments m = gig_moments_of(x, l);
        for (size_t k = 0; k < l->length; k++) sums[k] += i == 1 ? d[k] * (x[k] - m.mean) * m.inverse : d[k];
    }
    for (size_t k = 0; k < l->length; k++) full[k] = (float)sums[k];
    gig_tensor group = normalized_dims(op), part = trimmed(op->in[i], group.rank);
    part.data = d_in[i]->data;
    gig_broadcast_reduce(&part, full, group.rank, group.dims);
}

static gig_status layer_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                 const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    const gig_runs *l = op->params;
    const float *d_y = d_out[0] ? d_out[0]->real : NULL;
    double *work = gig_alloc(l->length, sizeof(double) + sizeof(float)); /* sums and their float copy */
    float *scale = gig_alloc(l->length, 2 * sizeof *scale), *scaled;
    gig_status status = work && scale ? GIG_OK : gig_alloc_status();
    (void)out;
    if (status != GIG_OK) goto done;
    scaled = scale + l->length;
    expand_to_group(scale, op, in, 1, 1);
    for (size_t g = 0; d_in[0] && g < l->groups; g++) {
        const float *x = in[0]->real + g * l->length;
        float *d_x = d_in[0]->real + g * l->length;
        const gig_moments m = gig_moments_of(x, l);
        for (size_t k = 0; k < l->length; k++) scaled[k] = d_y ? d_y[g * l->length + k] * scale[k] : 0;
        gig_moments_backward(d_x, x, scaled, l, m);
        add_statistics(d_x, op, x, m, g, d_out);
    }
    for (size_t i = 1; i < op->in_count; i++)
        if (d_in[i]) layer_parameters(op, in, d_y, work, d_in, i);
done:
    gig_free(work);
    gig_free(scale);
    return status;
}

/* ---- fast versions: scale and bias are constants, one number for each of a group ---- */

static int is_constant_of(const gig_op *op, size_t i, size_t count)
{
    return op->in[i]->data && gig_tensor_count(op->in[i]) == count;
}

static int layer_takes(const gig_op *op)
{
    const gig_runs *l = op->params;
    for (size_t j = 1; j < op->out_count; j++)
        if (op->out[j]) return 0;
    if (!op->out[0] || !l->length || !is_constant_of(op, 1, l->length)) return 0;
    return op->in_count < 3 || !op->in[2] || is_constant_of(op, 2, l->length);
}

gig_normalization gig_runs_normalization(const gig_runs *l)
{
    return (gig_normalization){l->groups, l->length, l->epsilon, l->about_zero};
}

static gig_status layer_fast_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const gig_normalization n = gig_runs_normalization(op->params);
    const float *bias = op->in_count > 2 && op->in[2] ? in[2]->real : NULL;
    gig_normalize(out[0]->real, in[0]->real, &n, in[1]->real, bias);
    return GIG_OK;
}

static gig_status layer_fast_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                      const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    const gig_normalization n = gig_runs_normalization(op->params);
    (void)out;
    if (d_in[0]) gig_normalize_backward(d_in[0]->real, d_out[0]->real, in[0]->real, &n, in[1]->real);
    return GIG_OK;
}

static const gig_fast layer_fast = {
    .takes = layer_takes, .forward = layer_fast_forward, .backward = layer_fast_backward};

const gig_operator gig_operators_moments[] = {{"LayerNormalization", 17, 0, GIG_OP_HAS_SCALE, GIG_NEEDS_INPUTS,
                                               layer_infer, layer_forward, layer_backward, .fast = &layer_fast},
                                              {"RMSNormalization", 23, 0, GIG_OP_HAS_SCALE, GIG_NEEDS_INPUTS, rms_infer,
                                               layer_forward, layer_backward, .fast = &layer_fast},
                                              {0}};
