/* SPDX-License-Identifier: Apache-2.0 */
#include "network/operators/correlate.h"

/* ---- geometry ---- */

/* Without padding, strides and extent a kernel sees one cell: the cells of all axes are one long row. */
static void join_axes(gig_window *w)
{
    for (int i = 0; i < GIG_WINDOW_AXES; i++)
        if (w->kernel[i] != 1 || w->stride[i] != 1 || w->pad_begin[i] || w->in[i] != w->out[i]) return;
    w->in[2] = w->out[2] = w->in[0] * w->in[1] * w->in[2];
    w->in[0] = w->in[1] = w->out[0] = w->out[1] = 1;
}

gig_window gig_correlation_of_convolution(const gig_window *window)
{
    gig_window w = gig_window_aligned(window);
    join_axes(&w);
    return w;
}

gig_window gig_correlation_of_deconvolution(const gig_window *window)
{
    gig_window w = gig_window_aligned(window);
    for (int i = 0; i < GIG_WINDOW_AXES; i++) {
        int64_t coarse = w.in[i];
        w.in[i] = w.out[i];
        w.out[i] = coarse;
    }
    w.in_channels = window->out_channels;
    w.out_channels = window->in_channels;
    join_axes(&w);
    return w;
}

static int64_t cells(const int64_t size[GIG_WINDOW_AXES])
{
    return size[0] * size[1] * size[2];
}

/* ---- one row ---- */

static void fill_row(double *row, int64_t count, double value)
{
    for (int64_t i = 0; i < count; i++) row[i] = value;
}

static void store_row(float *out, const double *row, int64_t count)
{
    for (int64_t i = 0; i < count; i++) out[i] = (float)row[i];
}

/* row[o] += weights[k] * fine[o * stride + k * dilation - pad_begin] along the innermost axis. */
static void gather_row(double *row, const gig_window *w, const float *fine, const float *weights)
{
    for (int64_t k = 0; k < w->kernel[2]; k++) {
        int64_t first, last, step = w->stride[2];
        gig_window_span(&first, &last, w, 2, k, w->out[2], w->in[2]);
        if (first == last) continue;
        const float *from = fine + first * step + k * w->dilation[2] - w->pad_begin[2];
        double weight = weights[k], *to = row + first;
        if (step == 1)
            for (int64_t i = 0; i < last - first; i++) to[i] += weight * from[i];
        else
            for (int64_t i = 0; i < last - first; i++) to[i] += weight * from[i * step];
    }
}

/* row[o * stride + k * dilation - pad_begin] += weights[k] * coarse[o]. */
static void spread_row(double *row, const gig_window *w, const float *coarse, const float *weights)
{
    for (int64_t k = 0; k < w->kernel[2]; k++) {
        int64_t first, last, step = w->stride[2];
        gig_window_span(&first, &last, w, 2, k, w->out[2], w->in[2]);
        if (first == last) continue;
        double weight = weights[k], *to = row + first * step + k * w->dilation[2] - w->pad_begin[2];
        const float *from = coarse + first;
        if (step == 1)
            for (int64_t i = 0; i < last - first; i++) to[i] += weight * from[i];
        else
            for (int64_t i = 0; i < last - first; i++) to[i * step] += weight * from[i];
    }
}

/* ---- fine to coarse ---- */

/* Adds what channel `fine` (one picture of the fine side) gives to coarse row (o0, o1). */
static void gather_channel(double *row, const gig_window *w, const float *fine, const float *weights, int64_t o0,
                           int64_t o1)
{
    int64_t a, a_end, b, b_end;
    gig_window_reach(&a, &a_end, w, 0, o0);
    for (; a < a_end; a++) {
        int64_t i0 = o0 * w->stride[0] + a * w->dilation[0] - w->pad_begin[0];
        gig_window_reach(&b, &b_end, w, 1, o1);
        for (; b < b_end; b++) {
            int64_t i1 = o1 * w->stride[1] + b * w->dilation[1] - w->pad_begin[1];
            gather_row(row, w, fine + (i0 * w->in[1] + i1) * w->in[2], weights + (a * w->kernel[1] + b) * w->kernel[2]);
        }
    }
}

gig_status gig_correlate_to_coarse(float *coarse, const gig_window *w, const float *fine, const float *weights,
                                   const float *bias)
{
    int64_t inner = w->in_channels / w->group, outer = w->out_channels / w->group;
    int64_t fine_cells = cells(w->in), kernel_cells = cells(w->kernel);
    double *row = gig_alloc((size_t)w->out[2], sizeof *row);
    if (!row) return gig_alloc_status();
    for (int64_t n = 0; n < w->batch; n++)
        for (int64_t m = 0; m < w->out_channels; m++) {
            const float *from = fine + (n * w->in_channels + m / outer * inner) * fine_cells;
            const float *kernels = weights + m * inner * kernel_cells;
            for (int64_t o = 0; o < w->out[0] * w->out[1]; o++, coarse += w->out[2]) {
                fill_row(row, w->out[2], bias ? bias[m] : 0);
                for (int64_t c = 0; c < inner; c++)
                    gather_channel(row, w, from + c * fine_cells, kernels + c * kernel_cells, o / w->out[1],
                                   o % w->out[1]);
                store_row(coarse, row, w->out[2]);
            }
        }
    gig_free(row);
    return GIG_OK;
}

/* ---- coarse to fine ---- */

/* The coarse position that kernel position k of `axis` joins to fine position i, -1: none. */
static int64_t coarse_of(const gig_window *w, int axis, int64_t i, int64_t k)
{
    int64_t at = i + w->pad_begin[axis] - k * w->dilation[axis];
    if (at < 0 || at % w->stride[axis] || at / w->stride[axis] >= w->out[axis]) return -1;
    return at / w->stride[axis];
}

/* Adds what channel `coarse` gives to fine row (i0, i1). */
static void spread_channel(double *row, const gig_window *w, const float *coarse, const float *weights, int64_t i0,
                           int64_t i1)
{
    for (int64_t a = 0; a < w->kernel[0]; a++) {
        int64_t o0 = coarse_of(w, 0, i0, a);
        if (o0 < 0) continue;
        for (int64_t b = 0; b < w->kernel[1]; b++) {
            int64_t o1 = coarse_of(w, 1, i1, b);
            if (o1 < 0) continue;
            spread_row(row, w, coarse + (o0 * w->out[1] + o1) * w->out[2],
                       weights + (a * w->kernel[1] + b) * w->kernel[2]);
        }
    }
}

gig_status gig_correlate_to_fine(float *fine, const gig_window *w, const float *coarse, const float *weights,
                                 const float *bias)
{
    int64_t inner = w->in_channels / w->group, outer = w->out_channels / w->group;
    int64_t coarse_cells = cells(w->out), kernel_cells = cells(w->kernel);
    double *row = gig_alloc((size_t)w->in[2], sizeof *row);
    if (!row) return gig_alloc_status();
    for (int64_t n = 0; n < w->batch; n++)
        for (int64_t c = 0; c < w->in_channels; c++) {
            int64_t first = c / inner * outer; /* coarse channel of this group */
            for (int64_t i = 0; i < w->in[0] * w->in[1]; i++, fine += w->in[2]) {
                fill_row(row, w->in[2], bias ? bias[c] : 0);
                for (int64_t m = first; m < first + outer; m++)
                    spread_channel(row, w, coarse + (n * w->out_channels + m) * coarse_cells,
                                   weights + (m * inner + c % inner) * kernel_cells, i / w->in[1], i % w->in[1]);
                store_row(fine, row, w->in[2]);
            }
        }
    gig_free(row);
    return GIG_OK;
}

/* ---- to weights and bias ---- */

/* Sum over o of fine[o * stride + k * dilation - pad_begin] * coarse[o], for one picture's channel pair. */
static double match(const gig_window *w, const float *fine, const float *coarse, const int64_t k[GIG_WINDOW_AXES])
{
    int64_t first[GIG_WINDOW_AXES], last[GIG_WINDOW_AXES], shift[GIG_WINDOW_AXES];
    for (int i = 0; i < GIG_WINDOW_AXES; i++) {
        gig_window_span(&first[i], &last[i], w, i, k[i], w->out[i], w->in[i]);
        shift[i] = k[i] * w->dilation[i] - w->pad_begin[i];
    }
    double sum = 0;
    for (int64_t a = first[0]; a < last[0]; a++)
        for (int64_t b = first[1]; b < last[1]; b++) {
            const float *to = coarse + (a * w->out[1] + b) * w->out[2];
            int64_t row = (a * w->stride[0] + shift[0]) * w->in[1] + b * w->stride[1] + shift[1];
            for (int64_t c = first[2]; c < last[2]; c++)
                sum += (double)fine[row * w->in[2] + c * w->stride[2] + shift[2]] * to[c];
        }
    return sum;
}

void gig_correlate_to_weights(float *d_weights, const gig_window *w, const float *fine, const float *d_coarse)
{
    int64_t inner = w->in_channels / w->group, outer = w->out_channels / w->group;
    int64_t fine_cells = cells(w->in), coarse_cells = cells(w->out);
    for (int64_t m = 0; m < w->out_channels; m++)
        for (int64_t c = 0; c < inner; c++)
            for (int64_t cell = 0; cell < cells(w->kernel); cell++) {
                int64_t k[GIG_WINDOW_AXES] = {cell / w->kernel[2] / w->kernel[1], cell / w->kernel[2] % w->kernel[1],
                                              cell % w->kernel[2]};
                double sum = 0;
                for (int64_t n = 0; n < w->batch; n++)
                    sum += match(w, fine + (n * w->in_channels + m / outer * inner + c) * fine_cells,
                                 d_coarse + (n * w->out_channels + m) * coarse_cells, k);
                *d_weights++ = (float)sum;
            }
}

void gig_correlate_to_bias(float *d_bias, const float *d, int64_t batch, int64_t channels, int64_t cells_each)
{
    for (int64_t c = 0; c < channels; c++) {
        double sum = 0;
        for (int64_t n = 0; n < batch; n++) {
            const float *from = d + (n * channels + c) * cells_each;
            for (int64_t i = 0; i < cells_each; i++) sum += from[i];
        }
        d_bias[c] = (float)sum;
    }
}
