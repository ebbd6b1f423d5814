/* SPDX-License-Identifier: Apache-2.0 */
/* Cubic B-spline resize: the picture is zero outside, c are the coefficients whose spline passes through its values,
 * output o = sum over k of c[k] B(at(o) - k). Axis by axis, in double. */
#include "base/memory.h"
#include "image/blur.h"
#include "image/resize.h"
#include <math.h>
#include <string.h>

#define POLE (-0.26794919243112270647) /* sqrt(3) - 2, of the inverse of (1 4 1) / 6 */

enum { TAPS = 4 };

/* n values `stride` apart become spline coefficients: 6 / (z + 4 + 1/z) as a causal and an anticausal first-order
 * filter. With zeros outside, the causal one starts from 0 and the other from the sum of its geometric tail. */
static void find_coefficients(double *line, size_t n, size_t stride)
{
    for (size_t i = 1; i < n; i++) line[i * stride] += POLE * line[(i - 1) * stride];
    double next = line[(n - 1) * stride] * POLE / (POLE * POLE - 1);
    line[(n - 1) * stride] = 6 * next;
    for (size_t i = n - 1; i-- > 0;) {
        next = POLE * (next - line[i * stride]);
        line[i * stride] = 6 * next;
    }
}

/* What one output takes from the line's coefficients 0 .. n-1: those outside are powers of the pole times the nearest,
 * and are folded into it. */
typedef struct sample {
    size_t from[TAPS];
    double weight[TAPS];
} sample;

static double b_spline(double x)
{
    x = fabs(x);
    if (x < 1) return (4 + x * x * (3 * x - 6)) / 6;
    if (x < 2) return (2 - x) * (2 - x) * (2 - x) / 6;
    return 0;
}

static sample find_sample(size_t i, size_t in, size_t out)
{
    sample found;
    double at = ((double)i + 0.5) * ((double)in / (double)out) - 0.5;
    ptrdiff_t low = (ptrdiff_t)floor(at), last = (ptrdiff_t)in - 1;
    for (int k = 0; k < TAPS; k++) {
        ptrdiff_t from = low - 1 + k;
        double weight = b_spline(at - (double)from);
        for (; from < 0; from++) weight *= POLE;
        for (; from > last; from--) weight *= POLE;
        found.from[k] = (size_t)from;
        found.weight[k] = weight;
    }
    return found;
}

/* `out` rows of `length` values from `in` rows: the coefficients are found in place, column by column. */
static void resize_rows(double *to, size_t out, double *from, size_t in, size_t length)
{
    for (size_t x = 0; x < length; x++) find_coefficients(from + x, in, length);
    for (size_t i = 0; i < out; i++) {
        sample by = find_sample(i, in, out);
        const double *a = from + by.from[0] * length, *b = from + by.from[1] * length, *c = from + by.from[2] * length,
                     *d = from + by.from[3] * length;
        for (size_t x = 0; x < length; x++)
            to[i * length + x] = by.weight[0] * a[x] + by.weight[1] * b[x] + by.weight[2] * c[x] + by.weight[3] * d[x];
    }
}

static void resize_columns(double *to, size_t out, double *from, size_t in, size_t rows, size_t channels)
{
    for (size_t y = 0; y < rows; y++)
        for (size_t c = 0; c < channels; c++) find_coefficients(from + y * in * channels + c, in, channels);
    for (size_t i = 0; i < out; i++) {
        sample by = find_sample(i, in, out);
        for (size_t y = 0; y < rows; y++)
            for (size_t c = 0; c < channels; c++) {
                const double *row = from + y * in * channels + c;
                double sum = 0;
                for (int k = 0; k < TAPS; k++) sum += by.weight[k] * row[by.from[k] * channels];
                to[(y * out + i) * channels + c] = sum;
            }
    }
}

static void clip(double *out, size_t out_count, const double *in, size_t count)
{
    double low = in[0], high = in[0];
    for (size_t i = 1; i < count; i++) {
        low = in[i] < low ? in[i] : low;
        high = in[i] > high ? in[i] : high;
    }
    for (size_t i = 0; i < out_count; i++) out[i] = out[i] < low ? low : out[i] > high ? high : out[i];
}

gig_status gig_resize_spline(double *out, size_t out_height, size_t out_width, const double *in, gig_map_size size)
{
    const size_t height = size.height, width = size.width, channels = size.channels;
    if (!height || !width || !channels || !out_height || !out_width)
        return gig_fail(GIG_EARG, "cannot resize an empty picture");
    size_t count = height * width * channels;
    if (out_height == height && out_width == width) { /* the spline passes through every value */
        memcpy(out, in, count * sizeof *out);
        return GIG_OK;
    }
    double down = (double)height / (double)out_height, across = (double)width / (double)out_width;
    double *smooth = gig_alloc(count, sizeof *smooth), *rows = gig_alloc(out_height * width * channels, sizeof *rows);
    gig_status status;
    if (!smooth || !rows) GIG_TRY_DONE(gig_alloc_status());
    memcpy(smooth, in, count * sizeof *smooth);
    GIG_TRY_DONE(gig_blur_exact(smooth, size, down > 1 ? (down - 1) / 2 : 0, across > 1 ? (across - 1) / 2 : 0,
                                GIG_BORDER_ZERO));
    resize_rows(rows, out_height, smooth, height, width * channels);
    resize_columns(out, out_width, rows, width, out_height, channels);
    clip(out, out_height * out_width * channels, in, count);
done:
    gig_free(rows);
    gig_free(smooth);
    return status;
}
