/* SPDX-License-Identifier: Apache-2.0 */
/* Resizing of 8-bit pictures with the bytes of Pillow 9.4: each axis is a convolution with a filter that widens as the
 * picture shrinks, in 22-bit fixed point, horizontally first, rounded to 8 bits in between. */
#include "image/resize.h"
#include "base/memory.h"
#include "gig/image.h"
#include <math.h>
#include <string.h>

enum { FRACTION_BITS = 22 };

/* One axis: output i of the window is the sum over k < taps[i] of weights[i * most + k] * input[first[i] + k]. */
typedef struct axis {
    size_t count; /* outputs */
    size_t most;  /* taps that any output may have */
    size_t *first, *taps;
    int32_t *weights;
} axis;

static double triangle(double x)
{
    x = fabs(x);
    return x < 1 ? 1 - x : 0;
}

/* Keys' cubic with a = -1/2. */
static double cubic(double x)
{
    const double a = -0.5;
    x = fabs(x);
    if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
    return 0;
}

static void axis_clear(axis *by)
{
    gig_free(by->first);
    gig_free(by->taps);
    gig_free(by->weights);
}

/* Weights of the output whose centre lies there, in double into `exact`, normalised, and then in fixed point. */
static void fill_output(axis *by, size_t i, double centre, size_t in, double widened, gig_filter filter, double *exact)
{
    double support = (filter == GIG_BICUBIC ? 2.0 : 1.0) * widened, total = 0;
    double low = centre - support + 0.5, high = centre + support + 0.5;
    size_t first = low > 0 ? (size_t)low : 0, end = (size_t)high < in ? (size_t)high : in;
    by->first[i] = first;
    by->taps[i] = end - first;
    for (size_t k = 0; k < end - first; k++) {
        double x = ((double)(k + first) - centre + 0.5) * (1.0 / widened);
        exact[k] = filter == GIG_BICUBIC ? cubic(x) : triangle(x);
        total += exact[k];
    }
    int32_t *weights = by->weights + i * by->most;
    for (size_t k = 0; k < end - first; k++) {
        double fixed = (total != 0 ? exact[k] / total : exact[k]) * (1 << FRACTION_BITS);
        weights[k] = (int32_t)(fixed < 0 ? fixed - 0.5 : fixed + 0.5);
    }
}

/* Outputs start .. start + count - 1 of the `out` that `in` is resized to. */
static gig_status axis_create(axis *by, size_t in, size_t out, size_t start, size_t count, gig_filter filter)
{
    double scale = (double)in / (double)out, widened = scale > 1 ? scale : 1;
    by->count = count;
    by->most = (size_t)ceil((filter == GIG_BICUBIC ? 2.0 : 1.0) * widened) * 2 + 1;
    by->first = gig_alloc(count, sizeof *by->first);
    by->taps = gig_alloc(count, sizeof *by->taps);
    by->weights = gig_alloc_zero(count * by->most, sizeof *by->weights);
    double *exact = gig_alloc(by->most, sizeof *exact);
    gig_status status = by->first && by->taps && by->weights && exact ? GIG_OK : gig_alloc_status();
    for (size_t i = 0; status == GIG_OK && i < count; i++)
        fill_output(by, i, ((double)(start + i) + 0.5) * scale, in, widened, filter, exact);
    gig_free(exact);
    return status;
}

static uint8_t to_byte(int32_t sum)
{
    sum >>= FRACTION_BITS;
    return (uint8_t)(sum < 0 ? 0 : sum > 255 ? 255 : sum);
}

static void resize_row(uint8_t *out, const uint8_t *in, size_t channels, const axis *by)
{
    for (size_t i = 0; i < by->count; i++) {
        const uint8_t *from = in + by->first[i] * channels;
        const int32_t *weights = by->weights + i * by->most;
        int32_t sums[4] = {1 << (FRACTION_BITS - 1), 1 << (FRACTION_BITS - 1), 1 << (FRACTION_BITS - 1),
                           1 << (FRACTION_BITS - 1)};
        for (size_t k = 0; k < by->taps[i]; k++)
            for (size_t c = 0; c < channels; c++) sums[c] += from[k * channels + c] * weights[k];
        for (size_t c = 0; c < channels; c++) out[i * channels + c] = to_byte(sums[c]);
    }
}

/* Output row i from the rows of `in`, `length` values each; `sums` is scratch for one row. */
static void resize_column(uint8_t *out, const uint8_t *in, size_t length, size_t i, const axis *by, int32_t *sums)
{
    for (size_t x = 0; x < length; x++) sums[x] = 1 << (FRACTION_BITS - 1);
    for (size_t k = 0; k < by->taps[i]; k++) {
        const uint8_t *from = in + (by->first[i] + k) * length;
        int32_t weight = by->weights[i * by->most + k];
        for (size_t x = 0; x < length; x++) sums[x] += from[x] * weight;
    }
    for (size_t x = 0; x < length; x++) out[x] = to_byte(sums[x]);
}

static gig_status resize_width(gig_image *out, const gig_image *image, const axis *by)
{
    GIG_TRY(gig_image_create(out, by->count, image->height, image->channels));
    for (size_t y = 0; y < image->height; y++)
        resize_row(out->pixels + y * by->count * image->channels, image->pixels + y * image->width * image->channels,
                   image->channels, by);
    return GIG_OK;
}

static gig_status resize_height(gig_image *out, const gig_image *image, const axis *by)
{
    size_t length = image->width * image->channels;
    int32_t *sums = gig_alloc(length, sizeof *sums);
    gig_status status = sums ? gig_image_create(out, image->width, by->count, image->channels) : gig_alloc_status();
    for (size_t y = 0; status == GIG_OK && y < by->count; y++)
        resize_column(out->pixels + y * length, image->pixels, length, y, by, sums);
    gig_free(sums);
    return status;
}

size_t gig_nearest(size_t i, size_t in, size_t out)
{
    double at = floor(((double)i + 0.5) * ((double)in / (double)out) - 0.5 + 0.5);
    return at < (double)in ? (size_t)at : in - 1;
}

static gig_status resize_nearest(gig_image *out, const gig_image *image, size_t scaled_width, size_t scaled_height,
                                 gig_pixel_window window)
{
    GIG_TRY(gig_image_create(out, window.width, window.height, image->channels));
    size_t channels = image->channels;
    for (size_t y = 0; y < window.height; y++) {
        size_t from_row = gig_nearest(window.top + y, image->height, scaled_height);
        const uint8_t *row = image->pixels + from_row * image->width * channels;
        uint8_t *to = out->pixels + y * window.width * channels;
        for (size_t x = 0; x < window.width; x++)
            memcpy(to + x * channels, row + gig_nearest(window.left + x, image->width, scaled_width) * channels,
                   channels);
    }
    return GIG_OK;
}

gig_status gig_resize_window(gig_image *out, const gig_image *image, size_t scaled_width, size_t scaled_height,
                             gig_pixel_window window, gig_filter filter)
{
    if (filter == GIG_NEAREST) return resize_nearest(out, image, scaled_width, scaled_height, window);
    if (filter != GIG_BILINEAR && filter != GIG_BICUBIC) return gig_fail(GIG_EARG, "unknown filter %d", (int)filter);
    axis across = {0}, down = {0};
    gig_image narrow = {0};
    gig_status status;
    GIG_TRY_DONE(axis_create(&across, image->width, scaled_width, window.left, window.width, filter));
    GIG_TRY_DONE(axis_create(&down, image->height, scaled_height, window.top, window.height, filter));
    GIG_TRY_DONE(resize_width(&narrow, image, &across));
    GIG_TRY_DONE(resize_height(out, &narrow, &down));
done:
    gig_image_clear(&narrow);
    axis_clear(&down);
    axis_clear(&across);
    return status;
}

gig_status gig_image_resize(gig_image *out, const gig_image *image, size_t width, size_t height, gig_filter filter)
{
    *out = (gig_image){0};
    if (!image->pixels || !width || !height || image->channels > 4)
        return gig_fail(GIG_EARG, "cannot resize a picture of %zu x %zu x %zu to %zu x %zu", image->width,
                        image->height, image->channels, width, height);
    return gig_resize_window(out, image, width, height, (gig_pixel_window){0, 0, width, height}, filter);
}
