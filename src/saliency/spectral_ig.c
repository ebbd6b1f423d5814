/* SPDX-License-Identifier: Apache-2.0 */
/* sig: Spectral Integrated Gradients (Kim and others, KDD 2026, arXiv 2605.19607; formulas read in leekwoon/sig, MIT
 * licence). The components of x - b are added one after the other, strong ones first, by singular vectors or by cosines
 * (path/spectral.c):
 *
 *     gamma(alpha) = b + sum_i clip((alpha - (1 - w)(1 - s_i / s_1)) / w, 0, 1) s_i u_i v_i^T.
 *
 * Differs from leekwoon/sig: rule left multiplies a gradient by the slope at its node over n, not by the difference of
 * two points, so that sig has the same rules as other curves. */
#include "internal/path.h"
#include "saliency/rows.h"

static const gig_method_option options[] = {
    {.name = "basis",
     .help = "Components: singular vectors (svd), or cosines from low frequencies to high (dct).",
     .kind = GIG_OPTION_CHOICE,
     .choices = "svd|dct",
     .usual = 0},
    {.name = "blend",
     .help = "Fraction of the path over which a component fades in; 1 is the straight line.",
     .kind = GIG_OPTION_NUMBER,
     .usual = 0.4,
     .least = 0,
     .above = 1,
     .most = 1},
};

static size_t state_size(const gig_method *method, size_t features)
{
    (void)method, (void)features;
    return sizeof(gig_spectral_path *);
}

static gig_status make_curve(gig_curve *out, void *state, const gig_method *method, const gig_curve_ends *ends)
{
    gig_spectral_path **path = state;
    const gig_spectral_options how = {.start = ends->start,
                                      .end = ends->end,
                                      .height = ends->shape.height,
                                      .width = ends->shape.width,
                                      .channels = ends->shape.channels,
                                      .planar = ends->shape.planar,
                                      .basis = gig_method_number(method, "basis") != 0 ? GIG_BASIS_DCT : GIG_BASIS_SVD,
                                      .overlap = gig_method_number(method, "blend")};
    gig_status status = gig_spectral_create(path, &how);
    if (status == GIG_OK) *out = gig_curve_spectral(*path);
    return status;
}

static void clear(void *state)
{
    gig_spectral_path **path = state;
    gig_spectral_free(*path);
}

const gig_method_row gig_row_spectral_ig = {
    .name = "sig",
    .help = "Spectral IG: the strong components of the picture are added first (SVD or DCT).",
    .aliases = "spectral-ig spectral_ig spectralig",
    .traits = GIG_METHOD_PATH | GIG_METHOD_BASELINE | GIG_METHOD_PICTURE,
    .rule = GIG_RULE_LEFT,
    .option_count = sizeof options / sizeof *options,
    .options = options,
    .state_size = state_size,
    .curve = make_curve,
    .clear = clear,
};
