/* SPDX-License-Identifier: Apache-2.0 */
#include "image/blur.h"
#include "base/clones.h"
#include "base/memory.h"
#include <math.h>
#include <string.h>

/* Blurring n rows is a product with the banded n x n matrix T[i][j] = w[i - j]. It is computed in tiles of 4 rows x 24
 * values that stay in registers while j runs over the band, and each tile is stored transposed: row i, pixel p goes to
 * row p, pixel i. So the same pass, run twice, blurs axis 0, then axis 1, and gives the first layout back. Every value
 * is summed in the order of j whatever the vector width: same bits on every machine without a fused multiply-add. */
enum { TILE_ROWS = 4, LANES = 8, TILE_VECTORS = 3, TILE_COLUMNS = LANES * TILE_VECTORS };
#define MAX_SIGMA (1e5 + 1) /* tangents go slightly beyond 1e5, the limit of methods */

typedef float vector __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float)), may_alias));

/* A picture in one of its two layouts: `rows` rows of `pixels` pixels. */
typedef struct shape {
    size_t rows, pixels, channels;
} shape;

static shape upright(gig_map_size size)
{
    return (shape){size.height, size.width, size.channels};
}

static shape turned(gig_map_size size)
{
    return (shape){size.width, size.height, size.channels};
}

/* What is multiplied: rows, and a table whose entry d = -(n-1) .. n-1 is what row i gives to the four rows from i - d
 * on: w[d], w[d-1], w[d-2], w[d-3], 0 beyond `radius`. `weights` points to entry 0. */
typedef struct product {
    const float *weights;
    const float *rows;
    size_t radius;
} product;

static size_t aligned_floats(size_t count)
{
    return (count + 15) / 16 * 16;
}

static size_t longer(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t table_length(gig_map_size size)
{
    return aligned_floats(2 * longer(size.height, size.width) * TILE_ROWS);
}

static size_t values_of(gig_map_size size)
{
    return size.height * size.width * size.channels;
}

size_t gig_blur_scratch_size(gig_map_size size)
{
    return sizeof(float) * (2 * aligned_floats(values_of(size)) + 3 * table_length(size));
}

static size_t kernel_radius(double sigma)
{
    return (size_t)(4.0 * sigma + 0.5);
}

static double gauss(double sigma, size_t distance)
{
    double x = (double)distance;
    return sigma > 0 ? exp(-0.5 / (sigma * sigma) * (x * x)) : distance == 0;
}

/* What the weights exp(-x^2 / (2 sigma^2)), x = -radius .. radius, sum to. */
static double gauss_total(double sigma)
{
    double total = 0;
    for (size_t x = kernel_radius(sigma); x > 0; x--) total += gauss(sigma, x);
    return 1 + 2 * total;
}

static double weight(double sigma, double total, size_t distance)
{
    return distance > kernel_radius(sigma) ? 0 : gauss(sigma, distance) / total;
}

static gig_status check_sigma(double sigma)
{
    if (!(sigma >= 0 && sigma <= MAX_SIGMA)) return gig_fail(GIG_EARG, "blur: sigma %g: expected 0 to 1e5", sigma);
    return GIG_OK;
}

/* sums[t][...] += sum over j of w[j - row - t] * rows[j][column ...]. */
__attribute__((always_inline)) static inline void add_tile(vector sums[TILE_ROWS][TILE_VECTORS], product by, shape in,
                                                           size_t row, size_t column)
{
    size_t length = in.pixels * in.channels;
    size_t first = row > by.radius ? row - by.radius : 0;
    size_t end = row + TILE_ROWS + by.radius < in.rows ? row + TILE_ROWS + by.radius : in.rows;
    for (size_t j = first; j < end; j++) {
        const vector *values = (const vector *)(by.rows + j * length + column);
        const float *weights = by.weights + ((ptrdiff_t)j - (ptrdiff_t)row) * TILE_ROWS;
        for (int t = 0; t < TILE_ROWS; t++)
            for (int v = 0; v < TILE_VECTORS; v++) sums[t][v] += weights[t] * values[v];
    }
}

/* Writes a tile transposed: value (row + t, column + k) goes to pixel `row + t` of row (column + k) / channels. */
static inline void store_tile(float *out, const float *tile, shape in, size_t row, size_t column)
{
    size_t pixel = column / in.channels, channel = column % in.channels, stride = in.rows * in.channels;
    float *to = out + pixel * stride + row * in.channels + channel;
    for (int k = 0; k < TILE_COLUMNS; k++) {
        for (int t = 0; t < TILE_ROWS; t++) to[(size_t)t * in.channels] = tile[t * TILE_COLUMNS + k];
        to++;
        if (++channel == in.channels) {
            channel = 0;
            to += stride - in.channels;
        }
    }
}

/* Pictures smaller than a tile, one value at a time in the same order. */
static void blur_small(float *out, size_t count, const product *by, shape in)
{
    size_t length = in.pixels * in.channels;
    for (size_t i = 0; i < in.rows; i++)
        for (size_t k = 0; k < length; k++) {
            float sum = 0;
            for (size_t p = 0; p < count; p++)
                for (size_t j = 0; j < in.rows; j++)
                    sum += by[p].weights[((ptrdiff_t)j - (ptrdiff_t)i) * TILE_ROWS] * by[p].rows[j * length + k];
            out[(k / in.channels * in.rows + i) * in.channels + k % in.channels] = sum;
        }
}

/* out [pixels, rows, channels] = sum of `count` products, transposed. The last tiles overlap those before them. */
GIG_CLONES static void blur_tiles(float *out, size_t count, const product *by, shape in)
{
    size_t length = in.pixels * in.channels;
    for (size_t k = 0; k < length; k += TILE_COLUMNS) {
        size_t column = k + TILE_COLUMNS <= length ? k : length - TILE_COLUMNS;
        for (size_t i = 0; i < in.rows; i += TILE_ROWS) {
            size_t row = i + TILE_ROWS <= in.rows ? i : in.rows - TILE_ROWS;
            vector sums[TILE_ROWS][TILE_VECTORS] = {{{0}}};
            for (size_t p = 0; p < count; p++) add_tile(sums, by[p], in, row, column);
            store_tile(out, (const float *)sums, in, row, column);
        }
    }
}

static void blur_rows(float *out, size_t count, const product *by, shape in)
{
    if (in.rows < TILE_ROWS || in.pixels * in.channels < TILE_COLUMNS)
        blur_small(out, count, by, in);
    else
        blur_tiles(out, count, by, in);
}

/* Where things lie in the caller's scratch. */
typedef struct tables {
    float *plane[2];   /* blurred along axis 0, transposed */
    float *weights[3]; /* entry 0 of the tables of sigma, of sigma + step, of their difference quotient */
    ptrdiff_t reach;   /* each table goes from -reach to reach */
} tables;

static tables lay_out(void *scratch, gig_map_size size)
{
    size_t plane = aligned_floats(values_of(size)), table = table_length(size);
    size_t reach = longer(size.height, size.width) - 1;
    float *start = scratch;
    tables out = {.plane = {start, start + plane}, .reach = (ptrdiff_t)reach};
    for (size_t i = 0; i < 3; i++) out.weights[i] = start + 2 * plane + i * table + reach * TILE_ROWS;
    return out;
}

/* Writes the weight of one distance to all its places in the table. */
static void set_weight(float *weights, ptrdiff_t reach, ptrdiff_t distance, double value)
{
    for (int t = 0; t < TILE_ROWS; t++) {
        if (distance + t <= reach) weights[(distance + t) * TILE_ROWS + t] = (float)value;
        if (t - distance >= -reach && t - distance <= reach) weights[(t - distance) * TILE_ROWS + t] = (float)value;
    }
}

static void fill_weights(const tables *to, double sigma)
{
    double total = gauss_total(sigma);
    for (ptrdiff_t d = 0; d < to->reach + TILE_ROWS; d++)
        set_weight(to->weights[0], to->reach, d, weight(sigma, total, (size_t)d));
}

static void fill_step_weights(const tables *to, double sigma, double step)
{
    double total = gauss_total(sigma), next_total = gauss_total(sigma + step);
    for (ptrdiff_t d = 0; d < to->reach + TILE_ROWS; d++) {
        double now = weight(sigma, total, (size_t)d), next = weight(sigma + step, next_total, (size_t)d);
        set_weight(to->weights[1], to->reach, d, next);
        set_weight(to->weights[2], to->reach, d, (next - now) / step);
    }
}

gig_status gig_blur(float *out, const float *in, gig_map_size size, double sigma, void *scratch)
{
    GIG_TRY(check_sigma(sigma));
    if (!values_of(size)) return GIG_OK;
    size_t radius = kernel_radius(sigma);
    if (radius == 0) {
        if (out != in) memcpy(out, in, values_of(size) * sizeof *out);
        return GIG_OK;
    }
    tables at = lay_out(scratch, size);
    fill_weights(&at, sigma);
    blur_rows(at.plane[0], 1, &(product){at.weights[0], in, radius}, upright(size));
    blur_rows(out, 1, &(product){at.weights[0], at.plane[0], radius}, turned(size));
    return GIG_OK;
}

/* With R, C the blurs along axis 0 and 1 and ' for sigma + step:
 * (C'R' - CR) / step = C' [(R' - R) / step] + [(C' - C) / step] R. */
gig_status gig_blur_tangent(float *point, float *tangent, const float *in, gig_map_size size, double sigma, double step,
                            void *scratch)
{
    GIG_TRY(check_sigma(sigma + step));
    if (!(step > 0)) return gig_fail(GIG_EARG, "blur: step %g: expected a number above 0", step);
    GIG_TRY(gig_blur(point, in, size, sigma, scratch));
    if (!values_of(size)) return GIG_OK;
    size_t radius = kernel_radius(sigma), next_radius = kernel_radius(sigma + step);
    if (next_radius == 0) {
        memset(tangent, 0, values_of(size) * sizeof *tangent);
        return GIG_OK;
    }
    tables at = lay_out(scratch, size);
    fill_step_weights(&at, sigma, step);
    if (radius == 0) { /* gig_blur did not need them */
        fill_weights(&at, sigma);
        blur_rows(at.plane[0], 1, &(product){at.weights[0], in, 0}, upright(size));
    }
    blur_rows(at.plane[1], 1, &(product){at.weights[2], in, next_radius}, upright(size));
    product both[2] = {{at.weights[1], at.plane[1], next_radius}, {at.weights[2], at.plane[0], next_radius}};
    blur_rows(tangent, 2, both, turned(size));
    return GIG_OK;
}

/* Maps an index outside 0 .. n-1 to the one inside that it repeats; n means "zero". */
static size_t reflect(ptrdiff_t i, size_t n, gig_border border)
{
    if (i >= 0 && (size_t)i < n) return (size_t)i;
    if (border == GIG_BORDER_ZERO) return n;
    ptrdiff_t period = 2 * (ptrdiff_t)n;
    i = ((i % period) + period) % period;
    return (size_t)(i < (ptrdiff_t)n ? i : period - 1 - i);
}

/* One line of n values `stride` apart, in place. `padded` holds n + 2 radius values, `weights` radius + 1. The order of
 * the sum (the middle, then pairs from the farthest inward) is SciPy's for symmetric kernels. */
static void blur_line(double *line, size_t n, size_t stride, size_t radius, const double *weights, double *padded,
                      gig_border border)
{
    for (size_t i = 0; i < n + 2 * radius; i++) {
        size_t from = reflect((ptrdiff_t)i - (ptrdiff_t)radius, n, border);
        padded[i] = from < n ? line[from * stride] : 0;
    }
    for (size_t i = 0; i < n; i++) {
        const double *middle = padded + i + radius;
        double sum = middle[0] * weights[0];
        for (size_t d = radius; d > 0; d--) sum += (middle[-(ptrdiff_t)d] + middle[d]) * weights[d];
        line[i * stride] = sum;
    }
}

/* The lines of one axis: n values each, `stride` apart; that of group g and offset o starts at g * jump + o. */
typedef struct lines {
    size_t n, stride, groups, jump, offsets;
} lines;

static gig_status blur_axis(double *picture, lines along, double sigma, gig_border border)
{
    size_t radius = kernel_radius(sigma), n = along.n;
    if (radius == 0 || n == 0) return GIG_OK;
    double *padded = gig_alloc(n + 3 * radius + 1, sizeof *padded);
    if (!padded) return gig_alloc_status();
    double *weights = padded + n + 2 * radius, total = gauss_total(sigma);
    for (size_t d = 0; d <= radius; d++) weights[d] = weight(sigma, total, d);
    for (size_t g = 0; g < along.groups; g++)
        for (size_t o = 0; o < along.offsets; o++)
            blur_line(picture + g * along.jump + o, n, along.stride, radius, weights, padded, border);
    gig_free(padded);
    return GIG_OK;
}

gig_status gig_blur_exact(double *picture, gig_map_size size, double sigma_rows, double sigma_columns,
                          gig_border border)
{
    GIG_TRY(check_sigma(sigma_rows));
    GIG_TRY(check_sigma(sigma_columns));
    size_t row = size.width * size.channels;
    lines down = {.n = size.height, .stride = row, .groups = 1, .offsets = row};
    lines across = {
        .n = size.width, .stride = size.channels, .groups = size.height, .jump = row, .offsets = size.channels};
    GIG_TRY(blur_axis(picture, down, sigma_rows, border));
    return blur_axis(picture, across, sigma_columns, border);
}
