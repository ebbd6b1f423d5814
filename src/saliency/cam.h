/* SPDX-License-Identifier: Apache-2.0 */
/* What Grad-CAM and its kin share: a layer of a network, seen as channels over places, and its way to a map.
 *
 * Each of them is one function that weighs the layer; the rest is here. */
#ifndef GIG_SALIENCY_CAM_H
#define GIG_SALIENCY_CAM_H

#include "saliency/method_run.h"

/* Value A and gradient G = dF/dA of a layer. Place p of channel c is element c * channel_step + p * place_step of both,
 * so that one loop reads [1, channels, rows, columns]; [1, rows, columns, channels], where rows and columns are equal
 * and channels at least four times as many; and [1, tokens, channels], a square of tokens, perhaps with a class token
 * before them. */
typedef struct gig_cam_layer {
    size_t rows, columns, channels;
    size_t channel_step, place_step;
    const float *value, *gradient;
} gig_cam_layer;

/* GIG_EARG where the layer is no such thing. */
gig_status gig_cam_layer_of(gig_cam_layer *out, const gig_tensor *value, const gig_tensor *gradient);

/* Adds to sum [rows, columns], which is zero, what the layer says at each place. */
typedef void (*gig_cam_weigh)(double *sum, const gig_cam_layer *layer);

/* Grad-CAM's: channels by their mean gradient. */
void gig_grad_cam_weigh(double *sum, const gig_cam_layer *layer);

/* map [height, width]: the layer weighed, its positive part (or all of it), enlarged bilinearly. */
gig_status gig_cam_draw(float *map, size_t height, size_t width, const gig_tensor *value, const gig_tensor *gradient,
                        gig_cam_weigh weigh, int signed_map);

/* A map row's `make` for a method with such a function. */
gig_status gig_cam_map(double *map, gig_explanation *cost, const gig_map_request *request, gig_cam_weigh weigh);

#endif
