/* SPDX-License-Identifier: Apache-2.0 */
/* An edge detector. It does not use the model, so a method that scores no better has not explained the model. */
#include "base/size.h"
#include "base/status.h"
#include "saliency/method_run.h"
#include "saliency/rows.h"
#include <math.h>

/* Mean over the neighbours inside the picture, and over channels, of |I(p) - I(q)|. */
static double mean_difference(const float *picture, const gig_picture_shape *shape, size_t y, size_t x)
{
    size_t plane = shape->height * shape->width, neighbours = 0;
    size_t pixel_stride = shape->planar ? 1 : shape->channels, channel_stride = shape->planar ? plane : 1;
    double sum = 0;
    for (size_t ny = y ? y - 1 : 0; ny <= y + 1 && ny < shape->height; ny++)
        for (size_t nx = x ? x - 1 : 0; nx <= x + 1 && nx < shape->width; nx++) {
            if (ny == y && nx == x) continue;
            const float *here = picture + (y * shape->width + x) * pixel_stride;
            const float *there = picture + (ny * shape->width + nx) * pixel_stride;
            for (size_t c = 0; c < shape->channels; c++)
                sum += fabs((double)here[c * channel_stride] - (double)there[c * channel_stride]);
            neighbours++;
        }
    return neighbours ? sum / (double)(neighbours * shape->channels) : 0;
}

gig_status gig_edge(float *map, const float *picture, const gig_picture_shape *shape)
{
    size_t count;
    const int64_t dims[3] = {(int64_t)shape->height, (int64_t)shape->width, (int64_t)shape->channels};
    GIG_TRY(gig_size_of_dims(&count, 3, dims));
    if (!count) return gig_fail(GIG_EARG, "edge: the picture is empty");
    for (size_t y = 0; y < shape->height; y++)
        for (size_t x = 0; x < shape->width; x++)
            map[y * shape->width + x] = (float)mean_difference(picture, shape, y, x);
    return GIG_OK;
}

static gig_status make_map(double *map, gig_explanation *cost, const gig_map_request *request)
{
    const gig_picture_shape *shape = &request->task->options.shape;
    size_t pixels = shape->height * shape->width;
    float *rough = gig_alloc(pixels, sizeof *rough);
    if (!rough) return gig_alloc_status();
    gig_status status = gig_edge(rough, request->point, shape);
    for (size_t p = 0; status == GIG_OK && p < pixels; p++) map[p] = (double)rough[p];
    cost->value_input = (double)NAN;
    gig_free(rough);
    return status;
}

static const struct gig_map_row map_row = {.make = make_map};

const gig_method_row gig_row_edge = {
    .name = "edge",
    .help = "An edge detector that does not use the model: a method should do better than this.",
    .traits = GIG_METHOD_PICTURE | GIG_METHOD_PER_PIXEL | GIG_METHOD_NO_MODEL,
    .map = &map_row,
};
