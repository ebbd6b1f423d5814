/* SPDX-License-Identifier: Apache-2.0 */
/* ig: Integrated Gradients (Sundararajan et al. 2017), equation 1 of the Guided IG paper with the straight line
 *
 *     gamma(alpha) = x' + alpha (x - x'),   a_i = (x_i - x'_i) integral of dF/dx_i along gamma,
 *
 * the path of every row without guide and curve. */
#include "saliency/rows.h"

const gig_method_row gig_row_ig = {
    .name = "ig",
    .help = "Integrated Gradients: the gradients along the straight line from a baseline, summed as the rule says.",
    .aliases = "integrated-gradients integrated_gradients integratedgradients",
    .traits = GIG_METHOD_PATH | GIG_METHOD_BASELINE,
    .rule = GIG_RULE_MIDPOINT,
};
