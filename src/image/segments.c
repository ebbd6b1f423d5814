/* SPDX-License-Identifier: Apache-2.0 */
/* Pixels are nodes; edges join neighbours (8 each), with their distance in colour as weight. Edges are taken from the
 * lightest on; one joins two segments A, B if its weight w < min(Int(A) + k / |A|, Int(B) + k / |B|), where Int
 * is the weight that last joined the segment and k = scale / 255. Edges are made and sorted once for all scales. */
#include "image/segments.h"
#include "base/memory.h"
#include "base/size.h"
#include "image/blur.h"
#include <math.h>
#include <string.h>

typedef struct edge {
    double weight;
    uint32_t a, b; /* pixels */
} edge;

typedef struct forest {
    uint32_t *parent; /* a root is its own; roots are the smallest pixel of their segment */
    uint32_t *size;   /* of roots */
    double *inner;    /* Int, of roots */
} forest;

static double colour_distance(const double *picture, size_t channels, size_t a, size_t b)
{
    double sum = 0;
    for (size_t c = 0; c < channels; c++) {
        double difference = picture[a * channels + c] - picture[b * channels + c];
        sum += difference * difference;
    }
    return sqrt(sum);
}

/* Appends the edges from every pixel that has such a neighbour, in raster order. Returns the end of the list. */
static edge *add_edges(edge *to, const double *picture, size_t height, size_t width, size_t channels, int dy, int dx)
{
    for (size_t y = dy < 0 ? 1 : 0; y + (dy > 0) < height; y++)
        for (size_t x = 0; x + (size_t)dx < width; x++) {
            size_t a = y * width + x, b = (size_t)((ptrdiff_t)a + dy * (ptrdiff_t)width + dx);
            *to++ = (edge){colour_distance(picture, channels, a, b), (uint32_t)a, (uint32_t)b};
        }
    return to;
}

/* Right, down, down-right, up-right: the order that decides between equal weights. */
static size_t list_edges(edge *edges, const double *picture, size_t height, size_t width, size_t channels)
{
    edge *end = add_edges(edges, picture, height, width, channels, 0, 1);
    end = add_edges(end, picture, height, width, channels, 1, 0);
    end = add_edges(end, picture, height, width, channels, 1, 1);
    end = add_edges(end, picture, height, width, channels, -1, 1);
    return (size_t)(end - edges);
}

enum { DIGIT_BITS = 11, DIGITS = 6, BUCKETS = 1 << DIGIT_BITS };

static size_t digit(const edge *one, int place)
{
    uint64_t bits; /* of a double that is not negative: they sort as it does */
    memcpy(&bits, &one->weight, sizeof bits);
    return (size_t)(bits >> (place * DIGIT_BITS)) & (BUCKETS - 1);
}

/* Radix sort by weight, stable. The sorted edges end in `edges`; `other` is as long. */
static void sort_edges(edge *edges, edge *other, size_t count)
{
    edge *from = edges, *to = other;
    for (int place = 0; place < DIGITS; place++) {
        size_t starts[BUCKETS + 1] = {0};
        for (size_t i = 0; i < count; i++) starts[digit(&from[i], place) + 1]++;
        for (size_t i = 0; i < BUCKETS; i++) starts[i + 1] += starts[i];
        for (size_t i = 0; i < count; i++) to[starts[digit(&from[i], place)]++] = from[i];
        edge *swapped = from;
        from = to;
        to = swapped;
    }
    _Static_assert(DIGITS % 2 == 0, "an even number of passes ends where it began");
}

static uint32_t find_root(uint32_t *parent, uint32_t pixel)
{
    uint32_t root = pixel;
    while (parent[root] != root) root = parent[root];
    while (parent[pixel] != root) {
        uint32_t next = parent[pixel];
        parent[pixel] = root;
        pixel = next;
    }
    return root;
}

/* Returns the root of the joined segment. */
static uint32_t join(forest *in, uint32_t a, uint32_t b)
{
    uint32_t root = a < b ? a : b, below = a < b ? b : a;
    in->parent[below] = root;
    in->size[root] += in->size[below];
    return root;
}

/* scikit-image holds the bounds, not the weight, in single precision. */
static float bound(const forest *in, uint32_t root, double k)
{
    return (float)(in->inner[root] + k / (double)in->size[root]);
}

static void grow(forest *in, const edge *edges, size_t count, double k)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t a = find_root(in->parent, edges[i].a), b = find_root(in->parent, edges[i].b);
        if (a == b) continue;
        float bound_a = bound(in, a, k), bound_b = bound(in, b, k);
        if (edges[i].weight < (double)(bound_a < bound_b ? bound_a : bound_b))
            in->inner[join(in, a, b)] = edges[i].weight;
    }
}

static void absorb_small(forest *in, const edge *edges, size_t count, size_t min_size)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t a = find_root(in->parent, edges[i].a), b = find_root(in->parent, edges[i].b);
        if (a != b && (in->size[a] < min_size || in->size[b] < min_size)) join(in, a, b);
    }
}

/* A root is met before all other pixels of its segment, so numbers follow the raster order of roots. */
static size_t number_segments(int32_t *labels, forest *in, size_t pixels)
{
    int32_t next = 0;
    for (size_t i = 0; i < pixels; i++) {
        uint32_t root = find_root(in->parent, (uint32_t)i);
        labels[i] = root == i ? next++ : labels[root];
    }
    return (size_t)next;
}

static size_t segment(int32_t *labels, forest *in, size_t pixels, const edge *edges, size_t count, double scale,
                      size_t min_size)
{
    for (size_t i = 0; i < pixels; i++) {
        in->parent[i] = (uint32_t)i;
        in->size[i] = 1;
        in->inner[i] = 0;
    }
    grow(in, edges, count, scale / 255);
    absorb_small(in, edges, count, min_size);
    return number_segments(labels, in, pixels);
}

static gig_status check_picture(const double *picture, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(picture[i])) return gig_fail(GIG_ENUMERIC, "segments: value %zu is not finite", i);
    return GIG_OK;
}

gig_status gig_segments_find(int32_t *labels, size_t *segments, const double *picture, size_t height, size_t width,
                             size_t channels, const gig_segments_options *options)
{
    size_t pixels, values;
    if (!gig_size_multiply(&pixels, height, width) || !gig_size_multiply(&values, pixels, channels) ||
        values > GIG_MAX_ELEMENTS || pixels > GIG_MAX_ELEMENTS / 4)
        return gig_fail(GIG_ELIMIT, "segments: a picture of %zu x %zu pixels is too large", width, height);
    GIG_TRY(check_picture(picture, values));
    edge *edges = gig_alloc(4 * pixels, sizeof *edges), *other = gig_alloc(4 * pixels, sizeof *other);
    double *smooth = gig_alloc(values, sizeof *smooth);
    forest in = {gig_alloc(pixels, sizeof *in.parent), gig_alloc(pixels, sizeof *in.size),
                 gig_alloc(pixels, sizeof *in.inner)};
    gig_status status;
    if (!edges || !other || !smooth || !in.parent || !in.size || !in.inner) GIG_TRY_DONE(gig_alloc_status());
    memcpy(smooth, picture, values * sizeof *smooth);
    GIG_TRY_DONE(gig_blur_exact(smooth, (gig_map_size){height, width, channels}, options->sigma, options->sigma,
                                GIG_BORDER_MIRROR));
    size_t count = list_edges(edges, smooth, height, width, channels);
    sort_edges(edges, other, count);
    for (size_t s = 0; s < options->count; s++)
        segments[s] = segment(labels + s * pixels, &in, pixels, edges, count, options->scales[s], options->min_size);
done:
    gig_free(in.inner);
    gig_free(in.size);
    gig_free(in.parent);
    gig_free(smooth);
    gig_free(other);
    gig_free(edges);
    return status;
}
