/* SPDX-License-Identifier: Apache-2.0 */
/* ig: the straight line from baseline to input, which is what a chain without guide or curve walks. */
#include "saliency/explain.h"

gig_status gig_ig_chain(gig_tour *tour, const gig_task *task, float *start, float *end)
{
    gig_sample(end, task, tour->input, tour->sample);
    return gig_baseline_write(start, task, tour->input, tour->baseline);
}
