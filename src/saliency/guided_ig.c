/* SPDX-License-Identifier: Apache-2.0 */
/* gig, gig:K: Guided Integrated Gradients (Kapishnikov et al., CVPR 2021, section 4).
 *
 * The path c starts at the baseline x^B and ends at the input x^I. At every step only the features with the smallest
 * partial derivatives move on (equations 4 to 6):
 *
 *     d gamma_i / d alpha = x^I_i - x^B_i  for i in S,  0 otherwise,
 *     S = the fraction of features with the least y_i,
 *     y_i = |dF(x) / dx_i|  where x_i has not reached x^I_i,  infinity where it has,
 *
 * and attributions are the path integral of the gradient (equation 2). With K anchors the straight line is cut into K+1
 * segments, each is walked in this way, and the attributions are added up: GIG(K). max-dist is the bounded form of PAIR
 * saliency: no feature is further from the straight line than this fraction of its way. The steps themselves are in
 * path/guided.c. */
#include "saliency/method.h"
#include "saliency/rows.h"
#include <math.h>

static const gig_method_option options[] = {
    {.name = "fraction",
     .help = "Fraction of the features that a step may move: those with the smallest gradients.",
     .kind = GIG_OPTION_NUMBER,
     .usual = 0.1,
     .least = 0,
     .above = 1,
     .most = 1},
    {.name = "fraction-of",
     .help = "Fraction of all features (the paper's pseudocode) or of the remaining ones (its text).",
     .kind = GIG_OPTION_CHOICE,
     .choices = "all|remaining",
     .usual = 0},
    {.name = "max-dist",
     .help = "Bounded: no feature is more than this fraction of its way ahead of or behind the straight line.",
     .kind = GIG_OPTION_NUMBER,
     .usual = (double)NAN,
     .least = 0,
     .most = 1},
};

static size_t state_size(const gig_method *method, size_t features)
{
    (void)method, (void)features;
    return sizeof(gig_guided_options);
}

static gig_status make_guide(gig_guide *out, void *state, const gig_method *method)
{
    double window = gig_method_number(method, "max-dist");
    gig_guided_options *how = state;
    how->fraction = gig_method_number(method, "fraction");
    how->of_remaining = gig_method_number(method, "fraction-of") != 0;
    how->bounded = !isnan(window);
    how->max_dist = how->bounded ? window : 0;
    *out = gig_guide_guided(how);
    return GIG_OK;
}

const gig_method_row gig_row_guided_ig = {
    .name = "gig",
    .help =
        "Guided IG: IG along a path where features with small gradients move first; gig:K has K anchors on the line.",
    .aliases = "guided-ig guided_ig guidedig",
    .traits = GIG_METHOD_PATH | GIG_METHOD_BASELINE | GIG_METHOD_ANCHORS,
    .rule = GIG_RULE_LEFT,
    .option_count = sizeof options / sizeof *options,
    .options = options,
    .state_size = state_size,
    .guide = make_guide,
};
