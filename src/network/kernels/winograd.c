/* SPDX-License-Identifier: Apache-2.0 */
#include "network/kernels/winograd.h"
#include "base/size.h"
#include "network/kernels/avx2.h"
#include "network/kernels/products.h"
#include <string.h>

enum {
    LANES = 8,         /* channels of a block of data */
    PANEL = GIG_PANEL, /* output channels of a block of products */
    ROWS = GIG_PRODUCT_ROWS,
    SKEW = 16 /* floats between planes, so that they do not map to the same cache set */
};

/* ---- sizes ---- */

static size_t tiles_of(const gig_winograd *w)
{
    return w->batch * w->tiles[0] * w->tiles[1];
}

/* Number of tiles whose planes stay in the inner caches. If the weights do not fit, more tiles, so that weights are
 * read less often. */
static size_t tiles_at_once(const gig_winograd *w)
{
    enum { NEAR = 384 << 10, FAR = 2 << 20, WEIGHTS_NEAR = 320 << 10 };
    size_t weights = gig_winograd_weights_count(w) * sizeof(float);
    size_t per_tile = w->points * (w->in_channels + w->out_channels) * sizeof(float);
    size_t most = (weights <= WEIGHTS_NEAR ? NEAR : FAR) / per_tile / ROWS * ROWS;
    if (most < ROWS) most = ROWS;
    size_t parts = gig_size_divide_up(tiles_of(w), most);
    return gig_size_divide_up(tiles_of(w), parts);
}

/* Products for one picture, plus the cost of transforms and of reading weights from memory, in products. Not for the
 * whole batch, so that a picture's bits do not depend on the rest of the batch. */
static double effort(const gig_winograd *w)
{
    const double per_value = 10, per_weight = 6;
    double in = (double)w->in_channels, out = (double)w->out_channels, tiles = (double)(w->tiles[0] * w->tiles[1]);
    return (double)w->points * (tiles * (in * out + per_value * (in + out)) + per_weight * in * out);
}

int gig_winograd_set(gig_winograd *out, const gig_geometry *g, int backward, const gig_winograd_tile *tile)
{
    enum { FEWEST_CHANNELS = 16 };
    const int64_t *from = backward ? g->dst : g->src, *to = backward ? g->src : g->dst;
    if (g->rank != 4 || g->weights_rank != 4) return 0;
    *out = (gig_winograd){.g = g,
                          .backward = backward,
                          .tile = tile,
                          .points = (size_t)(tile->points[0] * tile->points[1]),
                          .batch = (size_t)g->src[0],
                          .in_channels = (size_t)from[1],
                          .out_channels = (size_t)to[1]};
    for (int i = 0; i < 2; i++) {
        int64_t last = tile->window[i] - 1;
        if (g->weights[2 + i] != tile->window[i] || g->strides[i] != 1 || g->dilates[i] != 0) return 0;
        if (g->pad_begin[i] < 0 || g->pad_begin[i] > last) return 0;
        out->in[i] = from[2 + i];
        out->out[i] = to[2 + i];
        out->pad[i] = backward ? last - g->pad_begin[i] : g->pad_begin[i];
        out->tiles[i] = gig_size_divide_up((size_t)to[2 + i], (size_t)tile->results[i]);
    }
    if (out->in_channels < FEWEST_CHANNELS || out->in_channels % LANES || out->out_channels < FEWEST_CHANNELS ||
        out->out_channels % PANEL || !tiles_of(out))
        return 0;
    out->at_once = tiles_at_once(out);
    return 1;
}

int gig_winograd_fits(gig_winograd *out, const gig_geometry *g, int backward)
{
    /* Beyond this many bytes, reading the larger transformed weights takes as long as the products that are saved. */
    enum { MOST_WEIGHTS = 12 << 20 };
    const double worth_its_memory = 0.85;
    double least = g->flops / 2 / (double)g->src[0];
    size_t count;
    const gig_winograd_tile *tiles = gig_winograd_tiles(&count);
    int found = 0;
    for (size_t i = 0; i < count; i++) {
        gig_winograd w;
        if (!gig_winograd_set(&w, g, backward, &tiles[i]) || effort(&w) > worth_its_memory * least ||
            gig_winograd_weights_count(&w) > MOST_WEIGHTS / sizeof(float))
            continue;
        least = effort(&w);
        *out = w;
        found = 1;
    }
    return found;
}

size_t gig_winograd_weights_count(const gig_winograd *w)
{
    return w->points * w->in_channels * w->out_channels;
}

static size_t data_plane(const gig_winograd *w)
{
    return w->at_once * w->in_channels + SKEW;
}

static size_t result_plane(const gig_winograd *w)
{
    return w->at_once * w->out_channels + SKEW;
}

size_t gig_winograd_results(const gig_winograd *w)
{
    return w->batch * w->out_channels * (size_t)(w->out[0] * w->out[1]);
}

size_t gig_winograd_scratch_bytes(const gig_winograd *w)
{
    return w->points * (data_plane(w) + result_plane(w)) * sizeof(float);
}

/* ---- weights ---- */

enum { MOST_POINTS = 8, LARGEST_WINDOW = 7 };

/* G of one axis: (1, p, p^2, ...) times a factor for each place p; the last row takes the last value of the window. The
 * factors make up for those that winograd_tile.c leaves out of B'. */
static void fill_factors(double rows[MOST_POINTS][LARGEST_WINDOW], int points, int window)
{
    static const double place[] = {0, 1, -1, 2, -2, 0.5, -0.5},
                        factor[][7] = {{1, 1.0 / 2, 1.0 / 2},
                                       {1.0 / 4, -1.0 / 6, -1.0 / 6, 1.0 / 24, 1.0 / 24},
                                       {1, -2.0 / 9, -2.0 / 9, 1.0 / 90, 1.0 / 90, 32.0 / 45, 32.0 / 45}};
    for (int i = 0; i < points - 1; i++) {
        rows[i][0] = factor[points / 2 - 2][i];
        for (int k = 1; k < window; k++) rows[i][k] = rows[i][k - 1] * place[i];
    }
    for (int k = 0; k < window; k++) rows[points - 1][k] = k == window - 1;
}

typedef struct factors {
    double down[MOST_POINTS][LARGEST_WINDOW], across[MOST_POINTS][LARGEST_WINDOW];
} factors;

typedef double lanes[PANEL];

/* out += a b, a panel of output channels at once */
GIG_AVX2_INLINE void accumulate(double *out, double a, const double *b)
{
    for (int lane = 0; lane < PANEL; lane++) out[lane] += a * b[lane];
}

/* G g G' of one window for each output channel of a panel. */
GIG_AVX2_INLINE void transform_windows(lanes *out, const factors *f, const gig_winograd_tile *tile, lanes *g)
{
    int high = tile->window[0], wide = tile->window[1];
    for (int i = 0; i < tile->points[0]; i++) {
        lanes row[LARGEST_WINDOW] = {{0}};
        for (int y = 0; y < high; y++)
            for (int x = 0; x < wide; x++) accumulate(row[x], f->down[i][y], g[y * wide + x]);
        for (int j = 0; j < tile->points[1]; j++, out++) {
            memset(*out, 0, sizeof *out);
            for (int x = 0; x < wide; x++) accumulate(*out, f->across[j][x], row[x]);
        }
    }
}

/* Windows of input channel i, output channels from o. The gradient is a convolution with the window turned round and
 * the channels exchanged. */
GIG_AVX2_INLINE void gather_windows(lanes *g, const gig_winograd *w, const float *weights, size_t i, size_t o)
{
    size_t area = (size_t)w->tile->window[0] * (size_t)w->tile->window[1];
    for (size_t lane = 0; lane < PANEL; lane++) {
        size_t pair = w->backward ? i * w->out_channels + o + lane : (o + lane) * w->in_channels + i;
        const float *window = weights + pair * area;
        for (size_t k = 0; k < area; k++) g[k][lane] = (double)window[w->backward ? area - 1 - k : k];
    }
}

GIG_AVX2 void gig_winograd_transform(float *out, const gig_winograd *w, const float *weights)
{
    const gig_winograd_tile *tile = w->tile;
    size_t plane = w->in_channels * w->out_channels;
    lanes windows[LARGEST_WINDOW * LARGEST_WINDOW] = {{0}}, points[MOST_POINTS * MOST_POINTS] = {{0}};
    factors f;
    fill_factors(f.down, tile->points[0], tile->window[0]);
    fill_factors(f.across, tile->points[1], tile->window[1]);
    for (size_t o = 0; o < w->out_channels; o += PANEL)
        for (size_t i = 0; i < w->in_channels; i++, out += PANEL) {
            gather_windows(windows, w, weights, i, o);
            transform_windows(points, &f, tile, windows);
            for (size_t p = 0; p < w->points; p++)
                for (size_t lane = 0; lane < PANEL; lane++) out[p * plane + lane] = (float)points[p][lane];
        }
}

/* ---- weights of both directions ---- */

/* The inverse of place i of so many (fill_factors has their order); -1: not among them. */
static int inverse(int points, int i)
{
    static const int of_4[] = {3, 1, 2, 0}, of_8[] = {7, 1, 2, 5, 6, 3, 4, 0};
    return points == 1 ? 0 : points == 4 ? of_4[i] : points == 8 ? of_8[i] : -1;
}

int gig_winograd_share(gig_winograd *out, const gig_winograd *forward)
{
    const int *points = out->tile->points;
    if (!out->backward || forward->backward || forward->tile != out->tile) return 0;
    if (inverse(points[0], 0) < 0 || inverse(points[1], 0) < 0) return 0;
    if (!gig_products_can_turn(out->in_channels, out->out_channels)) return 0;
    out->weights = forward->weights;
    out->shared = 1;
    return 1;
}

/* Where the weights of point p are. */
static size_t plane_of(const gig_winograd *w, size_t p)
{
    int down = w->tile->points[0], across = w->tile->points[1], i = (int)p / across, j = (int)p % across;
    if (w->shared) p = (size_t)inverse(down, i) * (size_t)across + (size_t)inverse(across, j);
    return p * w->in_channels * w->out_channels;
}

/* ---- tile by tile ---- */

/* Tile number t as picture, down, across. */
static void place_of(size_t at[3], const gig_winograd *w, size_t t)
{
    at[0] = t / (w->tiles[0] * w->tiles[1]);
    at[1] = t / w->tiles[1] % w->tiles[0];
    at[2] = t % w->tiles[1];
}

static gig_status convolve(float *dst, const gig_winograd *w, const float *src, float *scratch)
{
    size_t all = tiles_of(w), from = data_plane(w), to = result_plane(w);
    float *data = scratch, *results = scratch + w->points * from;
    for (size_t first = 0; first < all; first += w->at_once) {
        size_t count = all - first < w->at_once ? all - first : w->at_once, at[3];
        for (size_t t = 0; t < count; t++) {
            place_of(at, w, first + t);
            w->tile->take(data + t * w->in_channels, from, w, src, at);
        }
        for (size_t p = 0; p < w->points; p++) {
            const gig_products plane = {count, w->in_channels, w->out_channels, w->weights + plane_of(w, p), w->shared};
            GIG_TRY(gig_products_run(results + p * to, &plane, data + p * from));
        }
        for (size_t t = 0; t < count; t++) {
            place_of(at, w, first + t);
            w->tile->give(dst, w, results + t * w->out_channels, to, at);
        }
    }
    return GIG_OK;
}

gig_status gig_call_winograd(const gig_action *action, void *const *pointers)
{
    return convolve(pointers[0], action->self, pointers[1], pointers[2]);
}
