#include "network/winograd.h"
#include "network/avx2.h"
#include <string.h>

enum {
    POINTS = 16, /* of a tile, transformed */
    LANES = 8,   /* channels of a block of data */
    PANEL = 16,  /* output channels of a block of products */
    ROWS = 6,    /* tiles of a block of products */
    SKEW = 16    /* floats between planes, so that they do not meet in one set of the cache */
};

/* ---- sizes ---- */

static size_t divide_up(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

/* Tiles whose planes stay in the nearer caches. Where the weights do not, more of them, so that weights are read less
 * often. */
static size_t tiles_at_once(const gig_winograd *w)
{
    enum { NEAR = 384 << 10, FAR = 2 << 20, WEIGHTS_NEAR = 320 << 10 };
    size_t all = w->batch * w->tiles[0] * w->tiles[1];
    size_t weights = POINTS * w->in_channels * w->out_channels * sizeof(float);
    size_t per_tile = POINTS * (w->in_channels + w->out_channels) * sizeof(float);
    size_t most = (weights <= WEIGHTS_NEAR ? NEAR : FAR) / per_tile / ROWS * ROWS;
    if (most < ROWS) most = ROWS;
    size_t parts = divide_up(all, most);
    return divide_up(all, parts);
}

int gig_winograd_fits(gig_winograd *out, const gig_geometry *g, int backward)
{
    /* Beyond so many bytes, reading the larger transformed weights takes as long as the products that are saved. */
    enum { FEWEST_CHANNELS = 16, SMALLEST_SIDE = 6, MOST_WEIGHTS = 12 << 20 };
    const dnnl_dim_t *from = backward ? g->dst : g->src, *to = backward ? g->src : g->dst;
    if (g->rank != 4 || g->weights_rank != 4 || !gig_cpu_is_avx2()) return 0;
    *out = (gig_winograd){.g = g,
                          .backward = backward,
                          .batch = (size_t)g->src[0],
                          .in_channels = (size_t)from[1],
                          .out_channels = (size_t)to[1]};
    for (int i = 0; i < 2; i++) {
        if (g->weights[2 + i] != 3 || g->strides[i] != 1 || g->dilates[i] != 0) return 0;
        if (g->pad_begin[i] < 0 || g->pad_begin[i] > 2 || to[2 + i] < SMALLEST_SIDE) return 0;
        out->in[i] = from[2 + i];
        out->out[i] = to[2 + i];
        out->pad[i] = backward ? 2 - g->pad_begin[i] : g->pad_begin[i];
        out->tiles[i] = divide_up((size_t)to[2 + i], 2);
    }
    if (out->in_channels < FEWEST_CHANNELS || out->in_channels % LANES || out->out_channels < FEWEST_CHANNELS ||
        out->out_channels % PANEL || gig_winograd_weights_count(out) > MOST_WEIGHTS / sizeof(float))
        return 0;
    out->at_once = tiles_at_once(out);
    return 1;
}

size_t gig_winograd_weights_count(const gig_winograd *w)
{
    return POINTS * w->in_channels * w->out_channels;
}

static size_t data_plane(const gig_winograd *w)
{
    return w->at_once * w->in_channels + SKEW;
}

static size_t result_plane(const gig_winograd *w)
{
    return w->at_once * w->out_channels + SKEW;
}

size_t gig_winograd_scratch_bytes(const gig_winograd *w)
{
    return POINTS * (data_plane(w) + result_plane(w)) * sizeof(float);
}

/* ---- weights ---- */

/* G g G' with G = [1 0 0; 1/2 1/2 1/2; 1/2 -1/2 1/2; 0 0 1]. */
static void transform_window(double out[16], const double g[9])
{
    double rows[4][3];
    for (int x = 0; x < 3; x++) {
        double a = g[x], b = g[3 + x], c = g[6 + x];
        rows[0][x] = a;
        rows[1][x] = (a + b + c) / 2;
        rows[2][x] = (a - b + c) / 2;
        rows[3][x] = c;
    }
    for (int y = 0; y < 4; y++) {
        double a = rows[y][0], b = rows[y][1], c = rows[y][2];
        out[4 * y] = a;
        out[4 * y + 1] = (a + b + c) / 2;
        out[4 * y + 2] = (a - b + c) / 2;
        out[4 * y + 3] = c;
    }
}

void gig_winograd_transform(float *out, const gig_winograd *w, const float *weights)
{
    size_t ic = w->in_channels, oc = w->out_channels;
    for (size_t o = 0; o < oc; o++)
        for (size_t i = 0; i < ic; i++) {
            /* The gradient is a convolution with the window turned round and the channels exchanged. */
            const float *from = weights + 9 * (w->backward ? i * oc + o : o * ic + i);
            double window[9], points[POINTS];
            for (int k = 0; k < 9; k++) window[k] = (double)from[w->backward ? 8 - k : k];
            transform_window(points, window);
            for (size_t p = 0; p < POINTS; p++)
                out[((p * (oc / PANEL) + o / PANEL) * ic + i) * PANEL + o % PANEL] = (float)points[p];
        }
}

#if defined(__x86_64__)

/* ---- data ---- */

/* Column j of a tile, four values down, those outside the picture 0. */
GIG_AVX2_INLINE void load_column(__m256 d[4], const float *plane, const gig_winograd *w, int64_t y, int64_t x)
{
    for (int i = 0; i < 4; i++) {
        int inside = y + i >= 0 && y + i < w->in[0] && x >= 0 && x < w->in[1];
        d[i] = inside ? _mm256_loadu_ps(plane + ((y + i) * w->in[1] + x) * LANES) : _mm256_setzero_ps();
    }
}

/* B' d: (d0 - d2, d1 + d2, d2 - d1, d1 - d3). */
GIG_AVX2_INLINE void combine(__m256 t[4], const __m256 d[4])
{
    t[0] = _mm256_sub_ps(d[0], d[2]);
    t[1] = _mm256_add_ps(d[1], d[2]);
    t[2] = _mm256_sub_ps(d[2], d[1]);
    t[3] = _mm256_sub_ps(d[1], d[3]);
}

/* Tile (n, ty, tx) of every channel into its row of the 16 planes. */
GIG_AVX2 static void transform_tile(float *row, const gig_winograd *w, const float *src, size_t n, size_t ty, size_t tx)
{
    size_t blocks = w->in_channels / LANES, plane = data_plane(w);
    int64_t y = 2 * (int64_t)ty - w->pad[0], x = 2 * (int64_t)tx - w->pad[1];
    int inside = y >= 0 && x >= 0 && y + 4 <= w->in[0] && x + 4 <= w->in[1];
    for (size_t c = 0; c < blocks; c++) {
        const float *from = src + (n * blocks + c) * (size_t)(w->in[0] * w->in[1]) * LANES;
        __m256 columns[4][4];
        for (int j = 0; j < 4; j++) {
            __m256 d[4];
            if (inside)
                for (int i = 0; i < 4; i++) d[i] = _mm256_loadu_ps(from + ((y + i) * w->in[1] + x + j) * LANES);
            else
                load_column(d, from, w, y, x + j);
            combine(columns[j], d);
        }
        for (int i = 0; i < 4; i++) {
            __m256 across[4], t[4];
            for (int j = 0; j < 4; j++) across[j] = columns[j][i];
            combine(t, across);
            for (int j = 0; j < 4; j++) _mm256_storeu_ps(row + (size_t)(4 * i + j) * plane + c * LANES, t[j]);
        }
    }
}

/* ---- products ---- */

/* c[r, 0..16) = sum over k of a[r, k] b[k, 0..16), r < rows. */
GIG_AVX2_INLINE void multiply(int rows, size_t depth, const float *a, size_t a_stride, const float *b, float *c,
                              size_t c_stride)
{
    __m256 sum[ROWS][2];
    for (int r = 0; r < rows; r++) sum[r][0] = sum[r][1] = _mm256_setzero_ps();
    for (size_t k = 0; k < depth; k++) {
        __m256 low = _mm256_loadu_ps(b + k * PANEL), high = _mm256_loadu_ps(b + k * PANEL + LANES);
        for (int r = 0; r < rows; r++) {
            __m256 value = _mm256_broadcast_ss(a + (size_t)r * a_stride + k);
            sum[r][0] = _mm256_fmadd_ps(value, low, sum[r][0]);
            sum[r][1] = _mm256_fmadd_ps(value, high, sum[r][1]);
        }
    }
    for (int r = 0; r < rows; r++) {
        _mm256_storeu_ps(c + (size_t)r * c_stride, sum[r][0]);
        _mm256_storeu_ps(c + (size_t)r * c_stride + LANES, sum[r][1]);
    }
}

/* All tiles of one plane times its weights. */
GIG_AVX2 static void multiply_plane(float *to, const float *from, const float *weights, const gig_winograd *w,
                                    size_t tiles)
{
    size_t ic = w->in_channels, oc = w->out_channels;
    for (size_t o = 0; o < oc; o += PANEL) {
        const float *b = weights + o * ic;
        size_t t = 0;
        for (; t + ROWS <= tiles; t += ROWS) multiply(ROWS, ic, from + t * ic, ic, b, to + t * oc + o, oc);
        const float *a = from + t * ic;
        float *c = to + t * oc + o;
        switch (tiles - t) {
        case 1: multiply(1, ic, a, ic, b, c, oc); break;
        case 2: multiply(2, ic, a, ic, b, c, oc); break;
        case 3: multiply(3, ic, a, ic, b, c, oc); break;
        case 4: multiply(4, ic, a, ic, b, c, oc); break;
        case 5: multiply(5, ic, a, ic, b, c, oc); break;
        default: break;
        }
    }
}

/* ---- results ---- */

/* A' m: (m0 + m1 + m2, m1 - m2 - m3). */
GIG_AVX2_INLINE void gather(__m256 s[2], __m256 m0, __m256 m1, __m256 m2, __m256 m3)
{
    s[0] = _mm256_add_ps(_mm256_add_ps(m0, m1), m2);
    s[1] = _mm256_sub_ps(_mm256_sub_ps(m1, m2), m3);
}

GIG_AVX2 static void finish_tile(float *dst, const gig_winograd *w, const float *row, size_t n, size_t ty, size_t tx)
{
    size_t blocks = w->out_channels / LANES, plane = result_plane(w);
    int64_t y = 2 * (int64_t)ty, x = 2 * (int64_t)tx;
    int high = y + 2 <= w->out[0] ? 2 : 1, wide = x + 2 <= w->out[1] ? 2 : 1;
    for (size_t c = 0; c < blocks; c++) {
        float *to = dst + ((n * blocks + c) * (size_t)(w->out[0] * w->out[1]) + (size_t)(y * w->out[1] + x)) * LANES;
        __m256 columns[4][2], bias = w->bias ? _mm256_loadu_ps(w->bias + c * LANES) : _mm256_setzero_ps();
        for (size_t j = 0; j < 4; j++) {
            const float *m = row + j * plane + c * LANES;
            gather(columns[j], _mm256_loadu_ps(m), _mm256_loadu_ps(m + 4 * plane), _mm256_loadu_ps(m + 8 * plane),
                   _mm256_loadu_ps(m + 12 * plane));
        }
        for (int i = 0; i < high; i++) {
            __m256 s[2];
            gather(s, columns[0][i], columns[1][i], columns[2][i], columns[3][i]);
            for (int j = 0; j < wide; j++) {
                float *place = to + (i * w->out[1] + j) * LANES;
                __m256 value = _mm256_add_ps(s[j], bias);
                if (w->add) value = _mm256_add_ps(value, _mm256_loadu_ps(place));
                if (w->relu) value = _mm256_max_ps(value, _mm256_setzero_ps());
                _mm256_storeu_ps(place, value);
            }
        }
    }
}

static void convolve(float *dst, const gig_winograd *w, const float *src, float *scratch)
{
    size_t across = w->tiles[1], picture = w->tiles[0] * across, all = w->batch * picture;
    size_t weights = w->in_channels * w->out_channels, from = data_plane(w), to = result_plane(w);
    float *data = scratch, *results = scratch + POINTS * from;
    for (size_t first = 0; first < all; first += w->at_once) {
        size_t count = all - first < w->at_once ? all - first : w->at_once;
        for (size_t t = 0; t < count; t++) {
            size_t at = first + t, in = at % picture;
            transform_tile(data + t * w->in_channels, w, src, at / picture, in / across, in % across);
        }
        for (size_t p = 0; p < POINTS; p++)
            multiply_plane(results + p * to, data + p * from, w->weights + p * weights, w, count);
        for (size_t t = 0; t < count; t++) {
            size_t at = first + t, in = at % picture;
            finish_tile(dst, w, results + t * w->out_channels, at / picture, in / across, in % across);
        }
    }
}

gig_status gig_call_winograd(const gig_action *action, void *const *pointers)
{
    convolve(pointers[1], action->self, pointers[0], pointers[2]);
    return GIG_OK;
}

#else

gig_status gig_call_winograd(const gig_action *action, void *const *pointers)
{
    (void)action, (void)pointers;
    return gig_fail(GIG_EINTERNAL, "no such convolution on this CPU");
}

#endif
