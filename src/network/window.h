/* SPDX-License-Identifier: Apache-2.0 */
/* How a kernel slides over the spatial axes of a convolution or a pooling: attributes parsed and checked once, for the
 * plain operators and for the fast ones alike. infer stores the window as op->params.
 *
 * Axis i of a window is axis 2 + i of the tensors ([N, C, spatial...]). Axes from `spatial` on are neutral: size,
 * kernel, stride and dilation 1, no padding.
 * In a convolution or pooling, output o and kernel position k meet at input o * stride + k * dilation - pad_begin.
 * In a transposed convolution, input i and kernel position k meet at output i * stride + k * dilation - pad_begin. */
#ifndef GIG_NETWORK_WINDOW_H
#define GIG_NETWORK_WINDOW_H

#include "network/operator.h"

enum { GIG_WINDOW_AXES = 3 };

typedef struct gig_window {
    int spatial; /* 1 to 3 */
    int64_t batch, in_channels, out_channels;
    int64_t group; /* divides both channel counts; pooling: 1 */
    int64_t in[GIG_WINDOW_AXES], kernel[GIG_WINDOW_AXES], stride[GIG_WINDOW_AXES];
    int64_t dilation[GIG_WINDOW_AXES]; /* 1: dense (oneDNN counts from 0) */
    int64_t pad_begin[GIG_WINDOW_AXES], pad_end[GIG_WINDOW_AXES];
    int64_t out[GIG_WINDOW_AXES];
    int ceil_mode;         /* pooling: the last window may reach beyond the end padding */
    int count_include_pad; /* average pooling: padding counts as zeros in the mean */
    int column_major;      /* max pooling: order of the indices it reports */
} gig_window;

/* Conv: in[0] data, in[1] weights [out_channels, in_channels / group, kernel...], in[2] bias [out_channels] or left
 * out. Checks types, ranks and all sizes. */
gig_status gig_window_of_convolution(gig_window *out, const gig_op *op);

/* ConvTranspose: weights [in_channels, out_channels / group, kernel...]. pad_end is what makes
 * out = stride * (in - 1) + dilation * (kernel - 1) + 1 - pad_begin - pad_end hold: output_padding and output_shape are
 * in it already, so it may be negative. */
gig_status gig_window_of_deconvolution(gig_window *out, const gig_op *op);

/* MaxPool, AveragePool, LpPool: in[0] data. */
gig_status gig_window_of_pooling(gig_window *out, const gig_op *op);

/* Whether a fast version may have it: kernels and pads no larger than the input, or small. Others take oneDNN seconds
 * and gigabytes, or overflow its 32-bit numbers; the plain loops visit only cells of the input. */
int gig_window_is_ordinary(const gig_window *window);

/* The same window with its axes moved to the end ([kernel] becomes [1, 1, kernel]): plain loops run over three axes
 * with the innermost last. */
gig_window gig_window_aligned(const gig_window *window);

/* The kernel positions [first, last) of `axis` that meet the input (not the padding) at output position o. */
void gig_window_reach(int64_t *first, int64_t *last, const gig_window *window, int axis, int64_t o);

/* The positions o in [first, last), within [0, bound), for which o * stride + k * dilation - pad_begin lies in [0,
 * size). Convolution: o counts outputs, size is in[axis]. Transposed convolution: o counts inputs, size is out[axis].
 */
void gig_window_span(int64_t *first, int64_t *last, const gig_window *window, int axis, int64_t k, int64_t bound,
                     int64_t size);

#endif
