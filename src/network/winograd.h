/* Convolutions of 3 x 3 at stride 1 by Winograd's F(2x2, 3x3): every 2 x 2 results come from one 4 x 4 tile of the data
 * with 16 products a channel pair instead of 36 (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks").
 *
 *   Y = A' [ (G g G') . (B' d B) ] A,   summed over input channels between the brackets
 *
 * The transforms only add and halve, so rounding errors stay those of a plain sum. Data in blocks of 8 channels
 * (nChw8c), as oneDNN's own AVX2 convolutions have them. */
#ifndef GIG_NETWORK_WINOGRAD_H
#define GIG_NETWORK_WINOGRAD_H

#include "network/convolution.h"

typedef struct gig_winograd {
    size_t batch, in_channels, out_channels;
    int64_t in[2], out[2], pad[2]; /* height, width; zeros before the first row and column */
    size_t tiles[2], at_once;      /* down, across; tiles transformed before they are multiplied */
    const gig_geometry *g;         /* of the convolution itself */
    int backward;                  /* this is the gradient with respect to its data */
    const float *weights;          /* [16, out_channels / 16, in_channels, 16] */
    const float *bias;             /* [out_channels]; NULL: none */
    int add, relu;                 /* results are added to what is there; then negative ones become 0 */
} gig_winograd;

/* Whether this CPU runs it and it is worth while for these sizes: the convolution itself, or (backward) the gradient
 * with respect to its data. `out` then has everything but weights, bias, add and relu; it borrows g. */
int gig_winograd_fits(gig_winograd *out, const gig_geometry *g, int backward);

/* Floats of transformed weights, and the transform: from [o, i, 3, 3] of the convolution. */
size_t gig_winograd_weights_count(const gig_winograd *w);
void gig_winograd_transform(float *out, const gig_winograd *w, const float *weights);

size_t gig_winograd_scratch_bytes(const gig_winograd *w);

/* p[0] data, p[1] results, p[2] scratch; action->self is a gig_winograd. */
gig_status gig_call_winograd(const gig_action *action, void *const *pointers);

/* ---- step_winograd.c: as actions of a plan ---- */

/* Whether it computes this convolution (or gradient) between the layouts that oneDNN chose for it. */
int gig_winograd_takes(gig_winograd *out, const gig_plan *plan, const gig_geometry *g, const dnnl_memory_desc_t *src,
                       const dnnl_memory_desc_t *dst, int backward);
gig_status gig_winograd_emit(gig_plan *plan, const gig_winograd *how, const gig_step *step, gig_place from,
                             gig_place to);

#endif
