/* SPDX-License-Identifier: Apache-2.0 */
/* blur-ig: Blur Integrated Gradients (Xu, Venugopalan, Sundararajan, CVPR 2020). The path goes from the picture blurred
 * with sigma to the sharp one, so it needs no other baseline:
 *
 *     gamma(alpha) = x blurred with (1 - alpha) sigma.
 *
 * Differs from PAIR saliency: alpha runs from blurred to sharp, so its rule, left from the sharp end, is `right`. */
#include "saliency/rows.h"

static const gig_method_option options[] = {
    {.name = "sigma",
     .help = "Largest blur, in pixels.",
     .kind = GIG_OPTION_NUMBER,
     .usual = 35,
     .least = 0,
     .above = 1,
     .most = 1e5},
};

static size_t state_size(const gig_method *method, size_t features)
{
    (void)method, (void)features;
    return sizeof(gig_blur_path);
}

static gig_status make_curve(gig_curve *out, void *state, const gig_method *method, const gig_curve_ends *ends)
{
    gig_blur_path *blur = state;
    *blur = (gig_blur_path){.picture = ends->end,
                            .height = ends->shape.height,
                            .width = ends->shape.width,
                            .channels = ends->shape.channels,
                            .planar = ends->shape.planar,
                            .sigma = gig_method_number(method, "sigma")};
    *out = gig_curve_blur(blur);
    return GIG_OK;
}

const gig_method_row gig_row_blur_ig = {
    .name = "blur-ig",
    .help = "Integrated Gradients along a path from a blurred to the sharp picture.",
    .aliases = "blurig blur_ig",
    .traits = GIG_METHOD_PATH | GIG_METHOD_PICTURE,
    .rule = GIG_RULE_RIGHT,
    .option_count = sizeof options / sizeof *options,
    .options = options,
    .state_size = state_size,
    .curve = make_curve,
};
