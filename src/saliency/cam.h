/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by Grad-CAM and similar methods: a layer of a network as channels over positions, and how it becomes a map.
 *
 * Each method is one function that weights the layer; the rest is here. */
#ifndef GIG_SALIENCY_CAM_H
#define GIG_SALIENCY_CAM_H

#include "saliency/method_run.h"

/* Value A and gradient G = dF/dA of a layer. Position p of channel c is element c * channel_step + p * place_step of
 * both, so that one loop reads [1, channels, rows, columns]; [1, rows, columns, channels], if its rows and columns are
 * nearer to the picture's proportions; and [1, tokens, channels], a square number of tokens, with or without a class
 * token before them. */
typedef struct gig_cam_layer {
    size_t rows, columns, channels;
    size_t channel_step, place_step;
    const float *value, *gradient;
} gig_cam_layer;

/* Adds the weighted layer to sum [rows, columns], which is zero. */
typedef void (*gig_cam_weigh)(double *sum, const gig_cam_layer *layer);

/* Grad-CAM's weights: each channel by its mean gradient. */
void gig_grad_cam_weigh(double *sum, const gig_cam_layer *layer);

/* map [height, width]: the weighted layer, its positive part (or all of it), upsampled bilinearly. */
gig_status gig_cam_draw(float *map, size_t height, size_t width, const gig_tensor *value, const gig_tensor *gradient,
                        gig_cam_weigh weigh, int signed_map);

/* A map row's `make` for a method with such a function. */
gig_status gig_cam_map(double *map, gig_explanation *cost, const gig_map_request *request, gig_cam_weigh weigh);

#endif
