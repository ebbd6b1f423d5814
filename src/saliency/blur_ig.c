/* SPDX-License-Identifier: Apache-2.0 */
/* blur-ig: the picture sharpens from sigma to 0; it needs no other baseline. */
#include "saliency/explain.h"

gig_status gig_blur_ig_chain(gig_tour *tour, const gig_task *task, gig_chain *out)
{
    const gig_picture_shape *shape = &task->options.shape;
    const float *picture = task->inputs[tour->input];
    if (task->samples > 1) {
        tour->picture = gig_alloc(task->features, sizeof *tour->picture);
        if (!tour->picture) return gig_alloc_status();
        gig_sample(tour->picture, task, tour->input, tour->sample);
        picture = tour->picture;
    }
    tour->blur = (gig_blur_path){.picture = picture,
                                 .height = shape->height,
                                 .width = shape->width,
                                 .channels = shape->channels,
                                 .planar = shape->planar,
                                 .sigma = task->method.sigma};
    tour->curve = gig_curve_blur(&tour->blur);
    out->curve = &tour->curve;
    return GIG_OK;
}
