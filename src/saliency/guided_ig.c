/* SPDX-License-Identifier: Apache-2.0 */
/* gig and gig:K: a guided walk, or K+1 of them between anchors on the straight line. */
#include "saliency/explain.h"

gig_status gig_guided_ig_chain(gig_tour *tour, const gig_task *task, const gig_guide *guide, gig_chain *out,
                               float *start, float *end)
{
    out->guide = guide;
    out->segments = gig_method_segments(&task->method);
    return gig_ig_chain(tour, task, start, end);
}
