/* SPDX-License-Identifier: Apache-2.0 */
/* A picture as a person sees it (H x W x 3, RGB in [0,1]) and the model's input: x = (scale * pixel - mean) / std. */
#include "network/network.h"

/* Luma weights of ITU-R BT.601, as picture libraries use for "grey". */
static const float luma[3] = {0.299f, 0.587f, 0.114f};

/* Position of channel c (in the model's order) of pixel i in one row of the input. */
static size_t input_index(const gig_pixels *pixels, size_t i, size_t c, size_t channels)
{
    return pixels->nhwc ? i * channels + c : c * (size_t)pixels->width * (size_t)pixels->height + i;
}

void gig_pixels_to_input(float *input, const gig_pixels *pixels, const float *point)
{
    size_t count = (size_t)pixels->width * (size_t)pixels->height, channels = pixels->grey ? 1 : 3;
    for (size_t c = 0; c < channels; c++) {
        size_t colour = pixels->bgr ? 2 - c : c;
        for (size_t i = 0; i < count; i++) {
            const float *rgb = point + 3 * i;
            float value = pixels->grey ? luma[0] * rgb[0] + luma[1] * rgb[1] + luma[2] * rgb[2] : rgb[colour];
            input[input_index(pixels, i, c, channels)] = (pixels->scale * value - pixels->mean[c]) / pixels->std[c];
        }
    }
}

void gig_pixels_gradient(float *point_gradient, const gig_pixels *pixels, const float *input_gradient)
{
    size_t count = (size_t)pixels->width * (size_t)pixels->height, channels = pixels->grey ? 1 : 3;
    for (size_t colour = 0; colour < 3; colour++) {
        size_t c = pixels->grey ? 0 : pixels->bgr ? 2 - colour : colour;
        float factor = pixels->scale / pixels->std[c] * (pixels->grey ? luma[colour] : 1.0f);
        for (size_t i = 0; i < count; i++)
            point_gradient[3 * i + colour] = factor * input_gradient[input_index(pixels, i, c, channels)];
    }
}
