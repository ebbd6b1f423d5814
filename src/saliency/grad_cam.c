/* SPDX-License-Identifier: Apache-2.0 */
/* Grad-CAM: a layer's channels, weighted by their mean gradient and summed; positive parts alone; at picture size.
 *
 * Differs from PAIR saliency: not divided by its maximum, and the border is clamped when it is resized, as OpenCV and
 * PyTorch do. */
#include "image/resize.h"
#include "saliency/explain.h"
#include "saliency/rows.h"
#include <math.h>

static gig_status check_layer(const gig_tensor *value, const gig_tensor *gradient)
{
    if (value->rank != 4 || value->type != GIG_REAL || value->dims[0] != 1)
        return gig_fail(GIG_EARG, "grad-cam: the layer is not [1, channels, rows, columns]");
    if (gradient->rank != 4 || gradient->type != GIG_REAL)
        return gig_fail(GIG_EARG, "grad-cam: the layer's gradient is not [1, channels, rows, columns]");
    for (int i = 0; i < 4; i++) {
        if (gradient->dims[i] != value->dims[i])
            return gig_fail(GIG_EARG, "grad-cam: the layer's value and its gradient differ in shape");
        if (value->dims[i] <= 0) return gig_fail(GIG_EARG, "grad-cam: the layer is empty");
    }
    return GIG_OK;
}

/* small [rows, columns] = sum over channels of (mean over the channel's gradient) value */
static gig_status weigh_channels(float *small, const gig_tensor *value, const gig_tensor *gradient, int signed_map)
{
    size_t channels = (size_t)value->dims[1], area = (size_t)(value->dims[2] * value->dims[3]);
    double *sum = gig_alloc_zero(area, sizeof *sum);
    if (!sum) return gig_alloc_status();
    for (size_t c = 0; c < channels; c++) {
        const float *slope = gradient->real + c * area, *here = value->real + c * area;
        double weight = 0;
        for (size_t p = 0; p < area; p++) weight += (double)slope[p];
        weight /= (double)area;
        for (size_t p = 0; p < area; p++) sum[p] += weight * (double)here[p];
    }
    for (size_t p = 0; p < area; p++) small[p] = signed_map || sum[p] > 0 ? (float)sum[p] : 0;
    gig_status status = GIG_OK;
    for (size_t p = 0; p < area && status == GIG_OK; p++)
        if (!isfinite((float)sum[p])) status = gig_fail(GIG_ENUMERIC, "grad-cam: the map's place %zu is %f", p, sum[p]);
    gig_free(sum);
    return status;
}

gig_status gig_grad_cam(float *map, size_t height, size_t width, const gig_tensor *value, const gig_tensor *gradient,
                        int signed_map)
{
    GIG_TRY(check_layer(value, gradient));
    size_t rows = (size_t)value->dims[2], columns = (size_t)value->dims[3];
    float *small = gig_alloc(rows * columns, sizeof *small);
    if (!small) return gig_alloc_status();
    gig_status status = weigh_channels(small, value, gradient, signed_map);
    if (status == GIG_OK) status = gig_resize_map(map, height, width, small, rows, columns, 1, GIG_BILINEAR);
    gig_free(small);
    return status;
}

static gig_status make_map(double *map, gig_explanation *cost, const gig_map_request *request)
{
    const gig_run_options *options = &request->task->options;
    size_t height = options->shape.height, width = options->shape.width;
    gig_tensor value = {0}, gradient = {0};
    float *cam = gig_alloc(height * width, sizeof *cam);
    gig_status status;
    if (!cam) GIG_TRY_DONE(gig_alloc_status());
    GIG_TRY_DONE(gig_session_tensor(&value, &gradient, &cost->value_input, options->sessions[request->worker],
                                    options->cam_index, request->point, options->scalar, request->target));
    if (!isfinite(cost->value_input))
        GIG_TRY_DONE(gig_fail(GIG_ENUMERIC, "grad-cam: the value is %f", cost->value_input));
    gig_tensor row = value, row_gradient = gradient; /* a larger batch is padded: the point is its first row */
    if (row.rank) row.dims[0] = row_gradient.dims[0] = 1;
    GIG_TRY_DONE(gig_grad_cam(cam, height, width, &row, &row_gradient, 0));
    for (size_t p = 0; p < height * width; p++) map[p] = (double)cam[p];
    cost->evaluations++;
done:
    gig_free(cam);
    gig_tensor_clear(&value);
    gig_tensor_clear(&gradient);
    return status;
}

static const struct gig_map_row map_row = {.make = make_map};

const gig_method_row gig_row_grad_cam = {
    .name = "grad-cam",
    .help = "Grad-CAM: a layer's channels, weighted by their mean gradient, at the picture's size.",
    .aliases = "gradcam grad_cam",
    .traits = GIG_METHOD_PICTURE | GIG_METHOD_PER_PIXEL | GIG_METHOD_AREAS | GIG_METHOD_LAYER,
    .map = &map_row,
};
