/* SPDX-License-Identifier: Apache-2.0 */
/* internal/path.h -- guides, curves and nodes of rules that methods of our own use. */
#ifndef GIG_INTERNAL_PATH_H
#define GIG_INTERNAL_PATH_H

#include "gig/path.h"

/* ---- rules: what a step attributes ---- */

/* How many nodes `rule` has on a curve for `steps` steps; 0 if it is not a rule for curves. */
size_t gig_rule_node_count(gig_rule rule, size_t steps);
/* The nodes (ascending, in [0,1]) and weights; each array holds gig_rule_node_count of them. GIG_EARG for idg and
 * random, whose nodes are not known in advance. */
gig_status gig_rule_nodes(double *alphas, double *weights, gig_rule rule, size_t steps);

/* ---- guides ---- */

/* SAMP (ICLR 2024): at each step the pixels move to their end along which F changes most by the gradient, as many as
 * are due. */
typedef struct gig_samp_options {
    size_t channels; /* of a pixel, together or (planar) in planes [1] */
    int planar;
    int falling; /* those along which F falls most; else along which it rises most */
    unsigned reserved[8];
} gig_samp_options;
#define GIG_SAMP_OPTIONS_INIT GIG_INIT
gig_guide gig_guide_samp(const gig_samp_options *options); /* borrowed by the guide */

/* ---- curves ---- */

/* Spectral IG (KDD 2026): the difference d = end - start is split, channel by channel, into parts, and each comes in at
 * its time: c(alpha) = start + sum of phi_i d_i, phi_i = clip((alpha - (1 - w)(1 - strength_i)) / w, 0, 1). Strong
 * parts come first. Points may leave the box between start and end. */
typedef enum gig_basis {
    GIG_BASIS_SVD = 0, /* singular vectors of the height x width matrix; strength: s_i / s_1 */
    GIG_BASIS_DCT =
        1 /* cosines; strength: 1 - r / r_max, r the distance from frequency 0, both axes scaled to 0 .. 1 */
} gig_basis;

typedef struct gig_spectral_options {
    const float *start, *end; /* height x width x channels, or channels x height x width when planar; copied */
    size_t height, width, channels;
    int planar;
    gig_basis basis;
    double overlap; /* w in (0,1]: how long a part takes to come in [0.4] */
    unsigned reserved[8];
} gig_spectral_options;
#define GIG_SPECTRAL_OPTIONS_INIT GIG_INIT

/* The parts are found once (about n^3 operations per channel). Free with gig_spectral_free; NULL is allowed there. */
typedef struct gig_spectral_path gig_spectral_path;
gig_status gig_spectral_create(gig_spectral_path **out, const gig_spectral_options *options);
void gig_spectral_free(gig_spectral_path *path);
gig_curve gig_curve_spectral(const gig_spectral_path *path); /* borrowed */

#endif
