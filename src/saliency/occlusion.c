/* SPDX-License-Identifier: Apache-2.0 */
/* Occlusion: how much the value drops when a window of the picture is painted over. Windows at the far ends are cut off
 * if the stride does not fit, as in Captum; with stride 1 there are none, as in PAIR saliency. */
#include "base/size.h"
#include "saliency/method_run.h"
#include "saliency/rows.h"
#include <string.h>

typedef struct occluder {
    const gig_task *task;
    const float *point;
    size_t target;
    size_t window[2], stride[2];
    double value;   /* painted */
    size_t columns; /* windows in a row */
} occluder;

/* Number of windows along one axis: the last one reaches the end, cut off or not. */
static size_t places(size_t extent, size_t window, size_t stride)
{
    return (extent - window + stride - 1) / stride + 1;
}

/* Window `index`: rows and columns from first to before last. */
static void window_at(size_t first[2], size_t last[2], const occluder *in, size_t index)
{
    const size_t extent[2] = {in->task->options.shape.height, in->task->options.shape.width};
    const size_t place[2] = {index / in->columns, index % in->columns};
    for (int i = 0; i < 2; i++) {
        first[i] = place[i] * in->stride[i];
        last[i] = first[i] + in->window[i];
        if (last[i] > extent[i]) last[i] = extent[i];
    }
}

/* Point 0 is the picture itself, point i + 1 the one with window i painted over. */
static gig_status make_point(void *payload, size_t index, float *point, size_t *target)
{
    const occluder *in = payload;
    const gig_picture_shape *shape = &in->task->options.shape;
    memcpy(point, in->point, in->task->features * sizeof *point);
    *target = in->target;
    if (index == 0) return GIG_OK;
    size_t first[2], last[2], pixels = shape->height * shape->width;
    size_t step = shape->planar ? 1 : shape->channels, channel_step = shape->planar ? pixels : 1;
    window_at(first, last, in, index - 1);
    for (size_t y = first[0]; y < last[0]; y++)
        for (size_t x = first[1]; x < last[1]; x++)
            for (size_t c = 0; c < shape->channels; c++)
                point[(y * shape->width + x) * step + c * channel_step] = (float)in->value;
    return GIG_OK;
}

/* Each pixel gets the sum, or the mean, of the drops of its windows. */
static void spread_losses(double *map, double *covers, const occluder *in, const double *values, size_t windows)
{
    const gig_picture_shape *shape = &in->task->options.shape;
    size_t pixels = shape->height * shape->width;
    for (size_t p = 0; p < pixels; p++) map[p] = covers[p] = 0;
    for (size_t i = 0; i < windows; i++) {
        size_t first[2], last[2];
        window_at(first, last, in, i);
        for (size_t y = first[0]; y < last[0]; y++)
            for (size_t x = first[1]; x < last[1]; x++) {
                map[y * shape->width + x] += values[0] - values[i + 1];
                covers[y * shape->width + x] += 1;
            }
    }
    if (gig_method_number(&in->task->method, "overlap") != 0) return; /* the sum */
    for (size_t p = 0; p < pixels; p++) map[p] /= covers[p];
}

/* ---- the row ---- */

static const gig_method_option options[] = {
    {.name = "overlap",
     .help = "How the windows over a pixel are combined; sum is PAIR saliency's.",
     .kind = GIG_OPTION_CHOICE,
     .choices = "average|sum"},
    {.name = "stride",
     .help = "Distance between windows, rows x columns.",
     .kind = GIG_OPTION_SIZE,
     .usual = 1,
     .least = 1,
     .most = GIG_MOST_COPIES},
    {.name = "value",
     .help = "The value that covers a window.",
     .kind = GIG_OPTION_NUMBER,
     .usual = 0,
     .least = -1e30,
     .most = 1e30},
    {.name = "window",
     .help = "Size of a window, rows x columns.",
     .kind = GIG_OPTION_SIZE,
     .usual = 15,
     .least = 1,
     .most = GIG_MOST_COPIES},
};

static gig_status check(const gig_method *method, const gig_picture_shape *shape)
{
    size_t window[2], stride[2];
    gig_method_size(window, method, "window");
    gig_method_size(stride, method, "stride");
    for (int i = 0; i < 2; i++)
        if (stride[i] > window[i])
            return gig_fail(GIG_EARG, "occlusion: stride %zu is larger than the window (%zu): pixels would be left out",
                            stride[i], window[i]);
    if (!shape || (window[0] <= shape->height && window[1] <= shape->width)) return GIG_OK;
    return gig_fail(GIG_EARG, "occlusion: the window of %zux%zu is larger than the picture of %zux%zu", window[0],
                    window[1], shape->height, shape->width);
}

static size_t count_values(const gig_method *method, const gig_picture_shape *shape)
{
    size_t window[2], stride[2], windows;
    gig_method_size(window, method, "window");
    gig_method_size(stride, method, "stride");
    if (window[0] > shape->height || window[1] > shape->width) return 0;
    if (!window[0] || !window[1] || !stride[0] || !stride[1]) return 0;
    if (!gig_size_multiply(&windows, places(shape->height, window[0], stride[0]),
                           places(shape->width, window[1], stride[1])) ||
        windows == SIZE_MAX)
        return SIZE_MAX;
    return windows + 1; /* and the picture itself */
}

static gig_status make_map(double *map, gig_explanation *cost, const gig_map_request *request)
{
    const gig_task *task = request->task;
    const gig_method *method = &task->method;
    size_t points = count_values(method, &task->options.shape);
    size_t pixels = task->options.shape.height * task->options.shape.width;
    occluder in = {
        .task = task, .point = request->point, .target = request->target, .value = gig_method_number(method, "value")};
    gig_method_size(in.window, method, "window");
    gig_method_size(in.stride, method, "stride");
    in.columns = places(task->options.shape.width, in.window[1], in.stride[1]);
    double *values = gig_alloc(points, sizeof *values), *covers = gig_alloc(pixels, sizeof *covers);
    gig_status status = values && covers ? GIG_OK : gig_alloc_status();
    if (status == GIG_OK) status = gig_drive_values(values, task->functions, points, make_point, &in, request->drive);
    if (status == GIG_OK) {
        spread_losses(map, covers, &in, values, points - 1);
        cost->value_input = values[0];
        cost->values += points;
    }
    gig_free(covers);
    gig_free(values);
    return status;
}

static const struct gig_map_row map_row = {.values = count_values, .make = make_map};

const gig_method_row gig_row_occlusion = {
    .name = "occlusion",
    .help = "How much the score drops when a window of the picture is painted over.",
    .traits = GIG_METHOD_PICTURE | GIG_METHOD_PER_PIXEL,
    .option_count = sizeof options / sizeof *options,
    .options = options,
    .check = check,
    .map = &map_row,
};
