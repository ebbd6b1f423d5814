/* SPDX-License-Identifier: Apache-2.0 */
/* Each triangle is filled once, row by row. A pixel q inside triangle a, b, c has the integer weights
 * cross(q,b,c), cross(a,q,c), cross(a,b,q), which sum to cross(a,b,c). They are below 2^29, so products with float
 * values are exact, so a corner keeps its value and byte values are the same from both triangles of a shared edge. */
#include "score/fill_pixels.h"
#include "base/memory.h"
#include "score/delaunay.h"
#include <math.h>
#include <string.h>

typedef struct canvas {
    const float *image; /* [height, width, channels] */
    float *out;
    size_t width, channels;
} canvas;

static int64_t floor_divide(int64_t a, int64_t b)
{
    int64_t quotient = a / b;
    return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

/* Narrows low..high to the columns of `row` on the inner side of the edge from p to q. */
static void cut_columns(int64_t *low, int64_t *high, gig_pixel p, gig_pixel q, int64_t row)
{
    int64_t rows = q.row - p.row, shift = (int64_t)(q.column - p.column) * (row - p.row);
    if (rows > 0) {
        int64_t column = p.column - floor_divide(-shift, rows);
        if (column > *low) *low = column;
    } else if (rows < 0) {
        int64_t column = p.column + floor_divide(shift, rows);
        if (column < *high) *high = column;
    }
}

static void fill_row(const canvas *to, const gig_pixel corner[3], int64_t row, int64_t low, int64_t high)
{
    const float *values[3];
    for (int i = 0; i < 3; i++)
        values[i] = to->image + ((size_t)corner[i].row * to->width + (size_t)corner[i].column) * to->channels;
    double area = (double)gig_pixel_cross(corner[0], corner[1], corner[2]);
    for (int64_t column = low; column <= high; column++) {
        gig_pixel q = {(int32_t)row, (int32_t)column};
        double a = (double)gig_pixel_cross(q, corner[1], corner[2]);
        double b = (double)gig_pixel_cross(corner[0], q, corner[2]);
        double c = area - a - b;
        float *out = to->out + ((size_t)row * to->width + (size_t)column) * to->channels;
        for (size_t k = 0; k < to->channels; k++)
            out[k] = (float)((a * (double)values[0][k] + b * (double)values[1][k] + c * (double)values[2][k]) / area);
    }
}

static void fill_triangle(const canvas *to, const gig_pixel corner[3])
{
    /* Half a square is the smallest triangle: it contains no pixel except its corners (Pick). */
    if (gig_pixel_cross(corner[0], corner[1], corner[2]) == 1) return;
    int64_t top = corner[0].row, bottom = top;
    for (int i = 1; i < 3; i++) {
        if (corner[i].row < top) top = corner[i].row;
        if (corner[i].row > bottom) bottom = corner[i].row;
    }
    for (int64_t row = top; row <= bottom; row++) {
        int64_t low = 0, high = (int64_t)to->width - 1;
        int level[3] = {corner[0].row == row, corner[1].row == row, corner[2].row == row};
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3;
            if (level[i] && level[j]) { /* an edge along the row */
                low = corner[i].column < corner[j].column ? corner[i].column : corner[j].column;
                high = corner[i].column < corner[j].column ? corner[j].column : corner[i].column;
                break;
            }
            cut_columns(&low, &high, corner[i], corner[j], row);
        }
        fill_row(to, corner, row, low, high);
    }
}

/* The known pixels and the corners in raster order. */
static size_t list_known(gig_pixel *pixels, const uint8_t *known, size_t height, size_t width)
{
    size_t count = 0;
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            int corner = (y == 0 || y == height - 1) && (x == 0 || x == width - 1);
            if (corner || known[y * width + x]) pixels[count++] = (gig_pixel){(int32_t)y, (int32_t)x};
        }
    return count;
}

gig_status gig_fill(float *out, const float *image, const uint8_t *known, size_t height, size_t width, size_t channels)
{
    if (height < 2 || width < 2 || !channels)
        return gig_fail(GIG_EARG, "a picture of %zu x %zu x %zu cannot be filled", width, height, channels);
    if (height > GIG_DELAUNAY_SIDE || width > GIG_DELAUNAY_SIDE)
        return gig_fail(GIG_ELIMIT, "a picture of %zu x %zu pixels: expected at most %d per side", width, height,
                        GIG_DELAUNAY_SIDE);
    gig_pixel *pixels = gig_alloc(height * width, sizeof *pixels);
    if (!pixels) return gig_alloc_status();
    gig_triangles triangles;
    gig_status status = gig_delaunay(&triangles, pixels, list_known(pixels, known, height, width));
    if (out != image) memcpy(out, image, height * width * channels * sizeof *out);
    const canvas to = {image, out, width, channels};
    for (size_t i = 0; i < triangles.count; i++) {
        const uint32_t *at = triangles.corners[i];
        fill_triangle(&to, (gig_pixel[3]){pixels[at[0]], pixels[at[1]], pixels[at[2]]});
    }
    gig_triangles_clear(&triangles);
    gig_free(pixels);
    return status;
}

gig_status gig_fill_bytes(uint8_t *out, const uint8_t *image, const uint8_t *known, size_t height, size_t width,
                          size_t channels)
{
    size_t count = height * width * channels;
    float *values = gig_alloc(count, sizeof *values);
    if (!values) return gig_alloc_status();
    for (size_t i = 0; i < count; i++) values[i] = image[i];
    gig_status status = gig_fill(values, values, known, height, width, channels);
    if (status == GIG_OK)
        for (size_t i = 0; i < count; i++) out[i] = (uint8_t)lrintf(values[i]);
    gig_free(values);
    return status;
}
