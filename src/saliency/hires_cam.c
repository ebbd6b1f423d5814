/* SPDX-License-Identifier: Apache-2.0 */
/* HiResCAM (Draelos and Carin 2020): each position of a layer is weighted by its own gradient, not its channel's mean.
 *
 *   map = max(0, sum over c of G_c A_c)
 *
 * If the classes are linear in the layer, the signed map adds up to the logit minus its bias. */
#include "saliency/cam.h"
#include "saliency/rows.h"

static void weigh(double *sum, const gig_cam_layer *layer)
{
    size_t area = layer->rows * layer->columns;
    for (size_t c = 0; c < layer->channels; c++)
        for (size_t p = 0; p < area; p++) {
            size_t i = c * layer->channel_step + p * layer->place_step;
            sum[p] += (double)layer->gradient[i] * (double)layer->value[i];
        }
}

static gig_status make_map(double *map, gig_explanation *cost, const gig_map_request *request)
{
    return gig_cam_map(map, cost, request, weigh);
}

static const struct gig_map_row map_row = {.make = make_map};

const gig_method_row gig_row_hires_cam = {
    .name = "hires-cam",
    .help = "HiResCAM: a layer's channels times their gradient, position by position, at the picture's size.",
    .aliases = "hirescam hires_cam",
    .traits = GIG_METHOD_PICTURE | GIG_METHOD_PER_PIXEL | GIG_METHOD_AREAS | GIG_METHOD_LAYER,
    .map = &map_row,
};
