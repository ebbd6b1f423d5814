/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions at stride 1 by tiles (Winograd's way, after Lavin and Gray, "Fast Algorithms for Convolutional Neural
 * Networks"): m results in a row of a window of r come from m + r - 1 values with as many products a channel pair,
 * instead of m r.
 *
 *   Y = A' [ (G g G') . (B' d B) ] A,   summed over input channels between the brackets
 *
 *   window          results of a tile   products   of a plain sum
 *   3 x 3           2 x 2               16         36
 *   3 x 3           4 x 4               36         144
 *   5 x 5           2 x 2               36         100
 *   1 x 3, 3 x 1    4                   6          12
 *   1 x 7, 7 x 1    2                   8          14
 *
 * Rounding errors grow with the tile; those of the table stay near 1e-6 of the results' size (test_winograd), where
 * that is the size of the largest of a tile: one value much larger than its neighbours blurs them. Data in blocks of 8
 * channels (nChw8c), as oneDNN's own AVX2 convolutions have them. */
#ifndef GIG_NETWORK_KERNELS_WINOGRAD_H
#define GIG_NETWORK_KERNELS_WINOGRAD_H

#include "network/dnnl/convolution.h"
#include "network/plan.h"

typedef struct gig_winograd gig_winograd;

/* A kind of tile; pairs are down, across. Along an axis points = results + window - 1, all 1 if it stays as it is.
 * take: tile `at` (picture, down, across), every channel, B' d B into `row` of each of the planes, which lie `plane`
 * floats apart. give: the way back, A' m A into the results, with bias, addition and ReLU. */
typedef struct gig_winograd_tile {
    int window[2], results[2], points[2];
    void (*take)(float *row, size_t plane, const gig_winograd *w, const float *src, const size_t at[3]);
    void (*give)(float *dst, const gig_winograd *w, const float *row, size_t plane, const size_t at[3]);
} gig_winograd_tile;

/* ---- winograd_tile.c ---- */

/* All kinds that this CPU runs. */
const gig_winograd_tile *gig_winograd_tiles(size_t *count);

/* ---- winograd.c ---- */

struct gig_winograd {
    size_t batch, in_channels, out_channels;
    int64_t in[2], out[2], pad[2]; /* height, width; zeros before the first row and column */
    const gig_winograd_tile *tile;
    size_t points;            /* of a tile */
    size_t tiles[2], at_once; /* down, across; tiles transformed before they are multiplied */
    const gig_geometry *g;    /* of the convolution itself */
    int backward;             /* this is the gradient with respect to its data */
    const float *weights;     /* [points, out_channels / 16, in_channels, 16] */
    int shared;               /* weights are those of the forward direction */
    const float *bias;        /* [out_channels]; NULL: none */
    int add, relu;            /* results are added to what is there; then negative ones become 0 */
};

/* Whether a kind of tile can compute this convolution, or (backward) the gradient with respect to its data. `out` then
 * has everything but weights, bias, add and relu; it borrows g. */
int gig_winograd_set(gig_winograd *out, const gig_geometry *g, int backward, const gig_winograd_tile *tile);
/* Whether one is worth while; `out` is then set to the fastest, or to a smaller one that is nearly as fast. */
int gig_winograd_fits(gig_winograd *out, const gig_geometry *g, int backward);

/* Floats of transformed weights, and the transform: from [o, i, window] of the convolution. */
size_t gig_winograd_weights_count(const gig_winograd *w);
void gig_winograd_transform(float *out, const gig_winograd *w, const float *weights);

/* The gradient's window is the forward one turned round: its polynomial at a place is the forward one's at the inverse.
 * So where a tile's places are inverses of each other (0 and infinity, 1, -1, 2 and 1/2 ...), both directions have the
 * same weights in another order. Whether `out`, a gradient, takes over those of `forward`. */
int gig_winograd_share(gig_winograd *out, const gig_winograd *forward);

size_t gig_winograd_scratch_bytes(const gig_winograd *w);
size_t gig_winograd_results(const gig_winograd *w); /* floats */

/* p[0] results, p[1] data, p[2] scratch; action->self is a gig_winograd. */
gig_status gig_call_winograd(const gig_action *action, void *const *pointers);

/* ---- steps/winograd.c: as actions of a plan ---- */

/* A window of zeros next to other values gives rounding errors by tiles, not 0, and without a bias ReLU makes a
 * gradient of their signs: such convolutions are summed plainly. */
int gig_winograd_blurs_zeros(const gig_plan *plan, const gig_step *step);
/* Whether it computes this convolution (or gradient) between the layouts that oneDNN chose for it. */
int gig_winograd_takes(gig_winograd *out, const gig_plan *plan, const gig_geometry *g, const gig_layout *src,
                       const gig_layout *dst, int backward);
/* forward: what the forward pass has (NULL: no tiles), whose weights a gradient may share. *made is the plan's. */
gig_status gig_winograd_emit(const gig_winograd **made, gig_plan *plan, const gig_winograd *how,
                             const gig_winograd *forward, const gig_step *step, gig_place from, gig_place to);

#endif
