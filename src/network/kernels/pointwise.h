/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions with a window of 1 x 1, forward and backward to the data, between blocks of 8 channels (nChw8c): each
 * place's channels times one matrix. oneDNN's AVX2 kernel does the same; this one also knows vectors of 16, and every
 * result is the same sum in the same order, so it has the same bits in both and on every CPU.
 *
 *   result[c, place] = start[c] + sum over k of data[k, place] weights[k, c]
 *
 * in pieces of the depth k, each summed for itself (the first from the bias) and then added to what is there. */
#ifndef GIG_NETWORK_KERNELS_POINTWISE_H
#define GIG_NETWORK_KERNELS_POINTWISE_H

#include "network/dnnl/convolution.h"
#include "network/plan.h"

typedef struct gig_pointwise {
    size_t batch, depth, columns;       /* channels of the data, and of the results */
    size_t near[2], far[2], strides[2]; /* rows and columns of the convolution's results, and of its data */
    size_t places;                      /* near */
    size_t piece;                       /* of the depth, summed at once */
    const gig_geometry *g;              /* of the convolution itself */
    int backward;                       /* this is the gradient with respect to its data */
    const float *weights;               /* packed: panels of 16 columns, a rest of 8: [panel, depth, its columns] */
    const float *bias;                  /* [columns]; NULL: none */
    int add, relu;                      /* results are added to what is there; then negative ones become 0 */
    int narrow;                         /* never in vectors of 16 */
} gig_pointwise;

/* Whether it computes this convolution, or (backward) the gradient with respect to its data. `out` then has everything
 * but weights, bias, add and relu; it borrows g. */
int gig_pointwise_fits(gig_pointwise *out, const gig_geometry *g, int backward);
/* Packs weights [o, i] of the convolution: depth * columns floats. */
void gig_pointwise_pack(float *out, const gig_pointwise *p, const float *weights);

/* Floats that the places of a convolution with strides are gathered in, or dealt out from. */
size_t gig_pointwise_scratch(const gig_pointwise *p);

/* p[0] results, p[1] data, p[2] scratch (not read if there is none); action->self is a gig_pointwise. */
gig_status gig_call_pointwise(const gig_action *action, void *const *pointers);

/* ---- what pointwise.c and pointwise_wide.c share ---- */

/* A piece of the depth, for some places and columns. */
typedef struct gig_pointwise_part {
    const float *data;       /* of the first place, from the first channel of the piece, a multiple of 8 */
    const float *weights[2]; /* of each panel, from that channel */
    const float *bias;       /* of the first column; NULL: sums begin with 0 */
    float *results;          /* of the first place and column */
    size_t places, depth;
    size_t plane; /* floats of a block of 8 channels, in data and in results */
    int add, relu;
} gig_pointwise_part;

/* 32 columns (two panels), or 16; on CPUs with gig_cpu_has_wide_vectors. */
void gig_pointwise_wide(const gig_pointwise_part *part, int panels);

/* ---- steps/pointwise.c: as an action of a plan ---- */

/* Whether it computes this convolution (or gradient) between the layouts that oneDNN chose for it. */
int gig_pointwise_takes(gig_pointwise *out, const gig_plan *plan, const gig_geometry *g, const gig_layout *src,
                        const gig_layout *dst, int backward);
gig_status gig_pointwise_emit(gig_plan *plan, const gig_pointwise *how, const gig_step *step, gig_place from,
                              gig_place to);

#endif
