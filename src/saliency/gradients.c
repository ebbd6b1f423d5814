/* SPDX-License-Identifier: Apache-2.0 */
/* gradients, gradients-x-input and guided-backprop: one open step that looks at the gradient where it stands. Whether
 * ReLUs let negative gradients through is the network's affair (guided_relu). */
#include "saliency/explain.h"

gig_status gig_gradients_chain(gig_tour *tour, const gig_task *task, gig_chain *out, float *start)
{
    out->steps = 1;
    out->open = 1;
    gig_sample(start, task, tour->input, tour->sample);
    return GIG_OK;
}
