/* SPDX-License-Identifier: Apache-2.0 */
/* Float maps and labels at another size. */
#include "base/memory.h"
#include "image/resize.h"
#include <math.h>

enum { TAPS = 4 };

/* One output of one axis: up to four inputs and their weights. */
typedef struct sample {
    size_t from[TAPS];
    float weight[TAPS];
} sample;

/* Keys' cubic at distance x with a = -3/4, the value torch and OpenCV take. */
static double keys(double x)
{
    const double a = -0.75;
    x = fabs(x);
    if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
    return 0;
}

static size_t clamp(ptrdiff_t i, size_t n)
{
    return i < 0 ? 0 : (size_t)i < n ? (size_t)i : n - 1;
}

static sample find_sample(size_t i, size_t in, size_t out, gig_filter filter)
{
    sample found = {{0}, {0}};
    if (filter == GIG_NEAREST) {
        found.from[0] = gig_nearest(i, in, out);
        found.weight[0] = 1;
        return found;
    }
    double at = ((double)i + 0.5) * ((double)in / (double)out) - 0.5;
    ptrdiff_t low = (ptrdiff_t)floor(at);
    for (int k = 0; k < TAPS; k++) {
        double distance = at - (double)(low - 1 + k);
        double linear = fabs(distance) < 1 ? 1 - fabs(distance) : 0;
        found.from[k] = clamp(low - 1 + k, in);
        found.weight[k] = (float)(filter == GIG_BICUBIC ? keys(distance) : linear);
    }
    return found;
}

static float blend(const sample *column, const float *row, size_t channels, size_t c)
{
    float sum = 0;
    for (int k = 0; k < TAPS; k++) sum += column->weight[k] * row[column->from[k] * channels + c];
    return sum;
}

gig_status gig_resize_map(float *out, size_t out_height, size_t out_width, const float *in, gig_map_size size,
                          gig_filter filter)
{
    const size_t width = size.width, channels = size.channels;
    if (!size.height || !width || !channels) return gig_fail(GIG_EARG, "cannot resize an empty map");
    sample *columns = gig_alloc(out_width, sizeof *columns);
    if (!columns) return gig_alloc_status();
    for (size_t x = 0; x < out_width; x++) columns[x] = find_sample(x, width, out_width, filter);
    for (size_t y = 0; y < out_height; y++) {
        sample row = find_sample(y, size.height, out_height, filter);
        for (size_t x = 0; x < out_width; x++)
            for (size_t c = 0; c < channels; c++) {
                float sum = 0;
                for (int k = 0; k < TAPS; k++)
                    if (row.weight[k] != 0)
                        sum += row.weight[k] * blend(&columns[x], in + row.from[k] * width * channels, channels, c);
                out[(y * out_width + x) * channels + c] = sum;
            }
    }
    gig_free(columns);
    return GIG_OK;
}

void gig_resize_labels(int32_t *out, size_t out_height, size_t out_width, const int32_t *in, size_t height,
                       size_t width)
{
    for (size_t y = 0; y < out_height; y++) {
        const int32_t *row = in + gig_nearest(y, height, out_height) * width;
        for (size_t x = 0; x < out_width; x++) out[y * out_width + x] = row[gig_nearest(x, width, out_width)];
    }
}
