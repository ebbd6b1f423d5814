/* SPDX-License-Identifier: Apache-2.0 */
#include "network/kernels/moments.h"
#include "base/clones.h"
#include "network/kernels/sums.h"
#include <math.h>

/* The mean is high + low. */
typedef struct moments {
    float high, low, inverse; /* inverse = 1 / sqrt(variance + epsilon) */
} moments;

/* The second pass also finds what is left of the mean, which the first one has rounded. */
static inline moments moments_of(const float *x, const gig_normalization *n)
{
    double sum = 0, more = 0, rest = 0, squares = 0, count = (double)n->length;
    const size_t half = n->length / 2;
    if (!n->about_zero) GIG_SUMS_OF(sum, more, half, GIG_AT(x), GIG_AT(x + half))
    if (!n->about_zero && n->length % 2) sum += (double)x[n->length - 1];
    const float high = (float)((sum + more) / count);
    GIG_SUMS_OF(rest, squares, n->length, GIG_AT(x) - high, (GIG_AT(x) - high) * (GIG_AT(x) - high))
    rest = n->about_zero ? 0 : rest / count;
    return (moments){high, (float)rest, (float)(1 / sqrt(fmax(squares / count - rest * rest, 0) + n->epsilon))};
}

GIG_CLONES void gig_normalize(float *y, const float *x, const gig_normalization *n, const float *scale,
                              const float *bias)
{
    for (size_t g = 0; g < n->groups; g++, x += n->length, y += n->length) {
        const moments m = moments_of(x, n);
        if (bias)
            for (size_t k = 0; k < n->length; k++) y[k] = ((x[k] - m.high) - m.low) * m.inverse * scale[k] + bias[k];
        else
            for (size_t k = 0; k < n->length; k++) y[k] = ((x[k] - m.high) - m.low) * m.inverse * scale[k];
    }
}

/* With g = d_y scale and x_hat = (x - mean) inverse: d_x = inverse (g - mean(g) - x_hat mean(g x_hat)). */
GIG_CLONES void gig_normalize_backward(float *d_x, const float *d, const float *x, const gig_normalization *n,
                                       const float *scale)
{
    const double count = (double)n->length;
    for (size_t g = 0; g < n->groups; g++, x += n->length, d += n->length, d_x += n->length) {
        const moments m = moments_of(x, n);
        double sum = 0, moment = 0;
        GIG_SUMS_OF(sum, moment, n->length, GIG_AT(d) * GIG_AT(scale),
                    GIG_AT(d) * GIG_AT(scale) * ((GIG_AT(x) - m.high) - m.low))
        const float mean = n->about_zero ? 0 : (float)(sum / count);
        const float by = (float)(moment / count * (double)m.inverse * (double)m.inverse);
        for (size_t k = 0; k < n->length; k++)
            d_x[k] = m.inverse * ((d[k] * scale[k] - mean) - ((x[k] - m.high) - m.low) * by);
    }
}

GIG_CLONES void gig_normalize_parts(float *y, const float *x, const gig_normalization *n, size_t parts, size_t channels,
                                    const float *scale, const float *bias)
{
    const size_t run = n->length / parts;
    for (size_t g = 0; g < n->groups; g++) {
        const moments m = moments_of(x, n);
        for (size_t p = 0; p < parts; p++, x += run, y += run) {
            const size_t c = (g * parts + p) % channels;
            const float by = m.inverse * scale[c], shift = bias[c];
            for (size_t k = 0; k < run; k++) y[k] = ((x[k] - m.high) - m.low) * by + shift;
        }
    }
}

GIG_CLONES void gig_normalize_parts_backward(float *d_x, const float *d, const float *x, const gig_normalization *n,
                                             size_t parts, size_t channels, const float *scale)
{
    const size_t run = n->length / parts;
    const double count = (double)n->length;
    for (size_t g = 0; g < n->groups; g++, x += n->length, d += n->length, d_x += n->length) {
        const moments m = moments_of(x, n);
        double sum = 0, moment = 0;
        for (size_t p = 0; p < parts; p++) {
            const float *x_p = x + p * run, *d_p = d + p * run;
            const float by = scale[(g * parts + p) % channels];
            double part_sum = 0, part_moment = 0;
            GIG_SUMS_OF(part_sum, part_moment, run, GIG_AT(d_p), GIG_AT(d_p) * ((GIG_AT(x_p) - m.high) - m.low))
            sum += part_sum * (double)by;
            moment += part_moment * (double)by;
        }
        const float mean = (float)(sum / count);
        const float back = (float)(moment / count * (double)m.inverse * (double)m.inverse);
        for (size_t p = 0; p < parts; p++) {
            const float *x_p = x + p * run, *d_p = d + p * run;
            const float by = scale[(g * parts + p) % channels];
            float *to = d_x + p * run;
            for (size_t k = 0; k < run; k++)
                to[k] = m.inverse * ((d_p[k] * by - mean) - ((x_p[k] - m.high) - m.low) * back);
        }
    }
}
