/* SPDX-License-Identifier: Apache-2.0 */
/* BatchNormalization at inference: y = (x - mean) / sqrt(var + epsilon) * scale + bias, per channel (dim 1), or per
 * element of a sample where opsets below 9 say spatial = 0. Training mode is refused. */
#include "network/operator.h"
#include <math.h>
#include <string.h>

enum { X, SCALE, BIAS, MEAN, VARIANCE };

/* x is samples x channels x inner; statistics have `channels` elements. */
typedef struct layout {
    size_t samples, channels, inner;
    double epsilon;
} layout;

/* Opset 14 says it by attribute; before, outputs besides the first belong to training (and opset 6 has is_test). */
static int is_training(const gig_op *op)
{
    const gig_node *node = op->node;
    for (size_t j = 1; j < op->out_count; j++)
        if (op->out[j]) return 1;
    if (node->opset >= 14) return gig_node_int(node, "training_mode", 0) != 0;
    if (node->opset < 7 && gig_node_int(node, "is_test", 0)) return 0;
    for (size_t j = 1; j < node->output_count; j++)
        if (!node->outputs || node->outputs[j] >= 0) return 1;
    return 0;
}

static gig_status infer(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 5, 5));
    for (size_t i = 0; i < 5; i++) GIG_TRY(gig_op_expect_type(op, i, GIG_FLOAT32));
    if (is_training(op)) return gig_fail(GIG_EUNSUPPORTED, "BatchNormalization in training mode is not supported");
    const gig_tensor *x = op->in[X];
    if (x->rank < 1) return gig_fail(GIG_EFORMAT, "BatchNormalization: the input is a single number");
    int spatial = op->node->opset >= 9 || gig_node_int(op->node, "spatial", 1);
    layout l = {(size_t)x->dims[0], 1, 1, gig_node_real(op->node, "epsilon", 1e-5f)};
    for (int d = 1; d < x->rank; d++) *(d == 1 || !spatial ? &l.channels : &l.inner) *= (size_t)x->dims[d];
    for (size_t i = SCALE; i <= VARIANCE; i++)
        if (gig_tensor_count(op->in[i]) != l.channels)
            return gig_fail(GIG_EFORMAT, "BatchNormalization: input %zu does not fit %zu channels", i, l.channels);
    layout *kept = gig_alloc(1, sizeof *kept);
    if (!kept) return gig_alloc_status();
    *kept = l;
    op->params = kept;
    return gig_op_same_output(op, 0, 0);
}

static double inverse_deviation(const layout *l, const gig_tensor *const *in, size_t c)
{
    return 1 / sqrt(in[VARIANCE]->real[c] + l->epsilon);
}

static gig_status forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const layout *l = op->params;
    for (size_t r = 0; r < l->samples * l->channels; r++) {
        size_t c = r % l->channels;
        const float *x = in[X]->real + r * l->inner;
        float *y = out[0]->real + r * l->inner;
        const float by = (float)(in[SCALE]->real[c] * inverse_deviation(l, in, c));
        const float mean = in[MEAN]->real[c], bias = in[BIAS]->real[c];
        for (size_t k = 0; k < l->inner; k++) y[k] = (x[k] - mean) * by + bias;
    }
    return GIG_OK;
}

/* Gradients of scale, bias, mean and variance, where they are wanted. */
static void differentiate_statistics(const gig_op *op, const gig_tensor *const *in, const float *d_out,
                                     gig_tensor *const *d_in)
{
    const layout *l = op->params;
    for (size_t c = 0; c < l->channels; c++) {
        double sum = 0, moment = 0, inverse = inverse_deviation(l, in, c); /* of d, of d (x - mean) */
        for (size_t n = 0; n < l->samples; n++) {
            size_t at = (n * l->channels + c) * l->inner;
            for (size_t k = 0; k < l->inner; k++) {
                sum += d_out[at + k];
                moment += d_out[at + k] * ((double)in[X]->real[at + k] - in[MEAN]->real[c]);
            }
        }
        double scale = in[SCALE]->real[c];
        if (d_in[SCALE]) d_in[SCALE]->real[c] = (float)(moment * inverse);
        if (d_in[BIAS]) d_in[BIAS]->real[c] = (float)sum;
        if (d_in[MEAN]) d_in[MEAN]->real[c] = (float)(-sum * scale * inverse);
        if (d_in[VARIANCE]) d_in[VARIANCE]->real[c] = (float)(-0.5 * moment * scale * inverse * inverse * inverse);
    }
}

static gig_status backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                           const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    const layout *l = op->params;
    (void)out;
    for (size_t r = 0; d_in[X] && r < l->samples * l->channels; r++) {
        size_t c = r % l->channels;
        const float by = (float)(in[SCALE]->real[c] * inverse_deviation(l, in, c));
        const float *d_y = d_out[0]->real + r * l->inner;
        float *d_x = d_in[X]->real + r * l->inner;
        for (size_t k = 0; k < l->inner; k++) d_x[k] = d_y[k] * by;
    }
    if (d_in[SCALE] || d_in[BIAS] || d_in[MEAN] || d_in[VARIANCE])
        differentiate_statistics(op, in, d_out[0]->real, d_in);
    return GIG_OK;
}

const gig_operator gig_operators_normalization[] = {{"BatchNormalization", 1, 0, GIG_OP_HAS_SCALE, GIG_NEEDS_INPUTS,
                                                     infer, forward, backward, .kind = GIG_KIND_BATCH_NORM},
                                                    {0}};
