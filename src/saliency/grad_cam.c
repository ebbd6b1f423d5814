/* SPDX-License-Identifier: Apache-2.0 */
/* Grad-CAM (Selvaraju et al. 2017, equations 1 and 2): a layer's channels, each weighted by its mean gradient; positive
 * parts only; at picture size.
 *
 *   w_c = mean over positions of G_c        map = max(0, sum over c of w_c A_c)
 *
 * Differs from PAIR saliency: not divided by its maximum, and the border is clamped when it is resized, as OpenCV and
 * PyTorch do. */
#include "saliency/cam.h"
#include "saliency/rows.h"

void gig_grad_cam_weigh(double *sum, const gig_cam_layer *layer)
{
    size_t area = layer->rows * layer->columns;
    for (size_t c = 0; c < layer->channels; c++) {
        const float *slope = layer->gradient + c * layer->channel_step, *here = layer->value + c * layer->channel_step;
        double weight = 0;
        for (size_t p = 0; p < area; p++) weight += (double)slope[p * layer->place_step];
        weight /= (double)area;
        for (size_t p = 0; p < area; p++) sum[p] += weight * (double)here[p * layer->place_step];
    }
}

gig_status gig_grad_cam(float *map, size_t height, size_t width, const gig_tensor *value, const gig_tensor *gradient,
                        int signed_map)
{
    return gig_cam_draw(map, height, width, value, gradient, gig_grad_cam_weigh, signed_map);
}

static gig_status make_map(double *map, gig_explanation *cost, const gig_map_request *request)
{
    return gig_cam_map(map, cost, request, gig_grad_cam_weigh);
}

static const struct gig_map_row map_row = {.make = make_map};

const gig_method_row gig_row_grad_cam = {
    .name = "grad-cam",
    .help = "Grad-CAM: a layer's channels, weighted by their mean gradient, at the picture's size.",
    .aliases = "gradcam grad_cam",
    .traits = GIG_METHOD_PICTURE | GIG_METHOD_PER_PIXEL | GIG_METHOD_AREAS | GIG_METHOD_LAYER,
    .map = &map_row,
};
