/* SPDX-License-Identifier: Apache-2.0 */
/* Conv and ConvTranspose: one bilinear map (correlate.h), walked in either direction. */
#include "network/operators/correlate.h"
#include <string.h>

/* Keeps `window` as op->params and sets the output's dims. */
static gig_status keep_window(gig_op *op, const gig_window *window)
{
    int64_t dims[2 + GIG_WINDOW_AXES] = {window->batch, window->out_channels};
    memcpy(dims + 2, window->out, sizeof window->out);
    gig_window *kept = op->params = gig_alloc(1, sizeof *kept);
    if (!kept) return gig_alloc_status();
    *kept = *window;
    return gig_op_set_output(op, 0, GIG_FLOAT32, 2 + window->spatial, dims);
}

static const float *bias_of(const gig_op *op, const gig_tensor *const *in)
{
    return op->in_count > 2 && in[2] ? in[2]->real : NULL;
}

static int64_t cells_of(const gig_window *w)
{
    return w->out[0] * w->out[1] * w->out[2];
}

/* ---- Conv ---- */

static gig_status infer_convolution(gig_op *op)
{
    gig_window window;
    GIG_TRY(gig_window_of_convolution(&window, op));
    return keep_window(op, &window);
}

static gig_status convolution_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    gig_window how = gig_correlation_of_convolution(op->params);
    return gig_correlate_to_coarse(out[0]->real, &how, in[0]->real, in[1]->real, bias_of(op, in));
}

static gig_status convolution_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                       const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)out;
    const gig_window *w = op->params;
    gig_window how = gig_correlation_of_convolution(w);
    const float *d = d_out[0]->real;
    if (d_in[0]) GIG_TRY(gig_correlate_to_fine(d_in[0]->real, &how, d, in[1]->real, NULL));
    if (d_in[1]) gig_correlate_to_weights(d_in[1]->real, &how, in[0]->real, d);
    if (op->in_count > 2 && d_in[2]) gig_correlate_to_bias(d_in[2]->real, d, w->batch, w->out_channels, cells_of(w));
    return GIG_OK;
}

/* ---- ConvTranspose ---- */

static gig_status infer_deconvolution(gig_op *op)
{
    gig_window window;
    GIG_TRY(gig_window_of_deconvolution(&window, op));
    return keep_window(op, &window);
}

static gig_status deconvolution_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    gig_window how = gig_correlation_of_deconvolution(op->params);
    return gig_correlate_to_fine(out[0]->real, &how, in[0]->real, in[1]->real, bias_of(op, in));
}

static gig_status deconvolution_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                         const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)out;
    const gig_window *w = op->params;
    gig_window how = gig_correlation_of_deconvolution(w);
    const float *d = d_out[0]->real;
    if (d_in[0]) GIG_TRY(gig_correlate_to_coarse(d_in[0]->real, &how, d, in[1]->real, NULL));
    if (d_in[1]) gig_correlate_to_weights(d_in[1]->real, &how, d, in[0]->real);
    if (op->in_count > 2 && d_in[2]) gig_correlate_to_bias(d_in[2]->real, d, w->batch, w->out_channels, cells_of(w));
    return GIG_OK;
}

/* Each element of the coarse side meets the weights of its channel. */
static double convolution_products(const gig_op *op)
{
    const gig_tensor *w = op->in[1];
    return w->dims[0] ? (double)gig_tensor_count(op->out[0]) * (double)gig_tensor_count(w) / (double)w->dims[0] : 0.0;
}

static double deconvolution_products(const gig_op *op)
{
    const gig_tensor *w = op->in[1];
    return w->dims[0] ? (double)gig_tensor_count(op->in[0]) * (double)gig_tensor_count(w) / (double)w->dims[0] : 0.0;
}

/* The data input is needed for the weights' gradient alone. */
const gig_operator gig_operators_convolution[] = {
    {"Conv", 1, 0, GIG_OP_HAS_BIAS, GIG_NEEDS_INPUT_0 | GIG_NEEDS_INPUT_1, infer_convolution, convolution_forward,
     convolution_backward, .products = convolution_products, .fast = &gig_fast_convolution, .kind = GIG_KIND_CONV},
    {"ConvTranspose", 1, 0, GIG_OP_HAS_BIAS, GIG_NEEDS_INPUT_0 | GIG_NEEDS_INPUT_1, infer_deconvolution,
     deconvolution_forward, deconvolution_backward, .products = deconvolution_products,
     .fast = &gig_fast_deconvolution},
    {0},
};
