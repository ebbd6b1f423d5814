/* SPDX-License-Identifier: Apache-2.0 */
/* gradients: a_i = dF/dx_i, signed (Simonyan et al. 2014).
 * gradients-x-input: a_i = x_i dF/dx_i (Shrikumar et al. 2016).
 * guided-backprop: dF/dx_i where ReLUs let no negative gradient through (Springenberg et al. 2015); the network does
 * that (guided_relu). Each needs one gradient; with smooth+ one per noisy sample. */
#include "saliency/rows.h"

const gig_method_row gig_row_gradients = {
    .name = "gradients",
    .help = "The gradient of the score with respect to each value, signed.",
    .aliases = "gradient vanilla saliency",
    .rule = GIG_RULE_GRADIENT,
};

static void times_input(double *attributions, const float *point, size_t features)
{
    for (size_t i = 0; i < features; i++) attributions[i] *= (double)point[i];
}

const gig_method_row gig_row_gradients_x_input = {
    .name = "gradients-x-input",
    .help = "The gradient times the value itself.",
    .aliases = "gradient-x-input input-x-gradient inputxgradient",
    .rule = GIG_RULE_GRADIENT,
    .finish = times_input,
};

const gig_method_row gig_row_guided_backprop = {
    .name = "guided-backprop",
    .help = "The gradient, where every ReLU passes back positive gradients only.",
    .aliases = "guided-backpropagation guided_backprop guidedbackprop",
    .rule = GIG_RULE_GRADIENT,
    .traits = GIG_METHOD_GUIDED_RELU,
};
