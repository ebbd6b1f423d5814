/* SPDX-License-Identifier: Apache-2.0 */
/* Guided Grad-CAM (Selvaraju et al. 2017, section 3.2): guided backpropagation's gradient of each value, times Grad-CAM
 * at its pixel. Functions are those of a network with guided_relu, sessions those of one without: Grad-CAM's gradients
 * are the ordinary ones. */
#include "saliency/cam.h"
#include "saliency/rows.h"

static gig_status make_map(double *map, gig_explanation *cost, const gig_map_request *request)
{
    const gig_task *task = request->task;
    const gig_picture_shape *shape = &task->options.shape;
    size_t pixels = shape->height * shape->width;
    const gig_function *function = &task->functions.each[request->worker];
    double value, *cam = gig_alloc(pixels, sizeof *cam);
    float *gradient = cam ? gig_alloc(task->features, sizeof *gradient) : NULL;
    gig_status status;
    if (!gradient) GIG_TRY_DONE(gig_alloc_status());
    GIG_TRY_DONE(gig_cam_map(cam, cost, request, gig_grad_cam_weigh));
    GIG_TRY_DONE(function->evaluate(function->payload, 1, &request->point, &request->target, &value, &gradient));
    cost->evaluations++;
    for (size_t i = 0; i < task->features; i++)
        map[i] = cam[shape->planar ? i % pixels : i / shape->channels] * (double)gradient[i];
done:
    gig_free(cam);
    gig_free(gradient);
    return status;
}

static const struct gig_map_row map_row = {.make = make_map};

const gig_method_row gig_row_guided_grad_cam = {
    .name = "guided-grad-cam",
    .help = "Guided Grad-CAM: guided backpropagation times Grad-CAM.",
    .aliases = "guided-gradcam guided_grad_cam guidedgradcam",
    .traits = GIG_METHOD_PICTURE | GIG_METHOD_LAYER | GIG_METHOD_GUIDED_RELU,
    .map = &map_row,
};
