/* SPDX-License-Identifier: Apache-2.0 */
/* Grad-CAM++ (Chattopadhay et al. 2018, equations 5, 7 and 19): a channel's weight is the sum of its positive
 * gradients, each weighted by how much its position contributes to the class.
 *
 *   alpha_c = G_c^2 / (2 G_c^2 + sum over positions of A_c G_c^3)     w_c = sum over positions of alpha_c max(0, G_c)
 *   map = max(0, sum over c of w_c A_c)
 *
 * G is the gradient of the scalar that is explained; the paper's exp(logit) only scales the whole map and is left out,
 * as in the authors' program. A denominator of 0 counts as 1. */
#include "saliency/cam.h"
#include "saliency/rows.h"

static double weight_of(const float *value, const float *slope, size_t step, size_t area)
{
    double total = 0, weight = 0;
    for (size_t p = 0; p < area; p++) total += (double)value[p * step];
    for (size_t p = 0; p < area; p++) {
        double g = (double)slope[p * step];
        if (g <= 0) continue; /* max(0, G) */
        double below = 2 * g * g + total * g * g * g;
        weight += g * g / (below != 0 ? below : 1) * g;
    }
    return weight;
}

static void weigh(double *sum, const gig_cam_layer *layer)
{
    size_t area = layer->rows * layer->columns;
    for (size_t c = 0; c < layer->channels; c++) {
        const float *value = layer->value + c * layer->channel_step, *slope = layer->gradient + c * layer->channel_step;
        double weight = weight_of(value, slope, layer->place_step, area);
        for (size_t p = 0; p < area; p++) sum[p] += weight * (double)value[p * layer->place_step];
    }
}

static gig_status make_map(double *map, gig_explanation *cost, const gig_map_request *request)
{
    return gig_cam_map(map, cost, request, weigh);
}

static const struct gig_map_row map_row = {.make = make_map};

const gig_method_row gig_row_grad_cam_pp = {
    .name = "grad-cam-pp",
    .help = "Grad-CAM++: a layer's channels, weighted by their positive gradients, at the picture's size.",
    .aliases = "gradcam-pp gradcampp grad-cam-plus-plus",
    .traits = GIG_METHOD_PICTURE | GIG_METHOD_PER_PIXEL | GIG_METHOD_AREAS | GIG_METHOD_LAYER,
    .map = &map_row,
};
