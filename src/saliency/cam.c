/* SPDX-License-Identifier: Apache-2.0 */
#include "saliency/cam.h"
#include "base/tensor.h"
#include "image/resize.h"
#include <math.h>

/* ---- layers ---- */

/* rows = columns with rows^2 = count; 0: count is not a square */
static size_t side_of(int64_t count)
{
    int64_t side = (int64_t)sqrt((double)count);
    while (side * side < count) side++;
    return side > 0 && side * side == count ? (size_t)side : 0;
}

/* How far rows : columns is from height : width. */
static double distortion(int64_t rows, int64_t columns, gig_map_size picture)
{
    return fabs(log((double)rows * (double)picture.width / ((double)columns * (double)picture.height)));
}

/* [1, channels, rows, columns], or [1, rows, columns, channels] if that is nearer to the picture's proportions. */
static void take_picture(gig_cam_layer *out, const int64_t *dims, gig_map_size picture)
{
    int last = distortion(dims[1], dims[2], picture) < distortion(dims[2], dims[3], picture);
    out->rows = (size_t)dims[last ? 1 : 2];
    out->columns = (size_t)dims[last ? 2 : 3];
    out->channels = (size_t)dims[last ? 3 : 1];
    out->channel_step = last ? 1 : out->rows * out->columns;
    out->place_step = last ? out->channels : 1;
}

/* [1, tokens, channels]; returns the index of the first position */
static size_t take_tokens(gig_cam_layer *out, const int64_t *dims)
{
    size_t side = side_of(dims[1]), before = side ? 0 : 1; /* a class token */
    if (before) side = side_of(dims[1] - 1);
    out->rows = out->columns = side;
    out->channels = out->place_step = (size_t)dims[2];
    out->channel_step = 1;
    return before * out->channels;
}

static gig_status read_layer(gig_cam_layer *out, const gig_tensor *value, const gig_tensor *gradient,
                             gig_map_size picture)
{
    const int64_t *dims = value->dims;
    char text[160];
    if (value->type != GIG_FLOAT32 || gradient->type != GIG_FLOAT32 || !gig_same_dims(value, gradient))
        return gig_fail(GIG_EARG, "the layer's value and its gradient differ in shape");
    for (int i = 0; i < value->rank; i++)
        if (dims[i] <= 0) return gig_fail(GIG_EARG, "the layer is empty");
    *out = (gig_cam_layer){0};
    size_t first = 0;
    if (value->rank == 4 && dims[0] == 1) take_picture(out, dims, picture);
    if (value->rank == 3 && dims[0] == 1) first = take_tokens(out, dims);
    if (!out->rows)
        return gig_fail(GIG_EARG,
                        "the layer has shape %s: expected [1, channels, rows, columns], or [1, tokens, channels] "
                        "with a square number of tokens, or one more",
                        gig_dims_text(text, sizeof text, value->rank, dims));
    out->value = value->real + first;
    out->gradient = gradient->real + first;
    return GIG_OK;
}

/* ---- maps ---- */

static gig_status weigh_layer(float *small, const gig_cam_layer *layer, gig_cam_weigh weigh, int signed_map)
{
    size_t area = layer->rows * layer->columns;
    double *sum = gig_alloc_zero(area, sizeof *sum);
    if (!sum) return gig_alloc_status();
    weigh(sum, layer);
    gig_status status = GIG_OK;
    for (size_t p = 0; p < area && status == GIG_OK; p++) {
        small[p] = signed_map || sum[p] > 0 ? (float)sum[p] : 0;
        if (!isfinite((float)sum[p])) status = gig_fail(GIG_ENUMERIC, "position %zu of the map is %f", p, sum[p]);
    }
    gig_free(sum);
    return status;
}

gig_status gig_cam_draw(float *map, size_t height, size_t width, const gig_tensor *value, const gig_tensor *gradient,
                        gig_cam_weigh weigh, int signed_map)
{
    gig_cam_layer layer;
    GIG_TRY(read_layer(&layer, value, gradient, (gig_map_size){height, width, 1}));
    float *small = gig_alloc(layer.rows * layer.columns, sizeof *small);
    if (!small) return gig_alloc_status();
    gig_status status = weigh_layer(small, &layer, weigh, signed_map);
    if (status == GIG_OK)
        status = gig_resize_map(map, height, width, small, (gig_map_size){layer.rows, layer.columns, 1}, GIG_BILINEAR);
    gig_free(small);
    return status;
}

static gig_status map_point(double *map, gig_explanation *cost, const gig_map_request *request, gig_cam_weigh weigh)
{
    const gig_run_options *options = &request->task->options;
    size_t height = options->shape.height, width = options->shape.width;
    gig_tensor value = {0}, gradient = {0};
    float *cam = gig_alloc(height * width, sizeof *cam);
    gig_status status;
    if (!cam) GIG_TRY_DONE(gig_alloc_status());
    GIG_TRY_DONE(
        gig_session_tensor(&value, &gradient, &cost->value_input, options->sessions[request->worker],
                           &(gig_kept_request){options->cam_index, request->point, options->scalar, request->target}));
    if (!isfinite(cost->value_input)) GIG_TRY_DONE(gig_fail(GIG_ENUMERIC, "the value is %f", cost->value_input));
    gig_tensor row = value, row_gradient = gradient; /* a larger batch is padded: the point is its first row */
    if (row.rank) row.dims[0] = row_gradient.dims[0] = 1;
    GIG_TRY_DONE(gig_cam_draw(cam, height, width, &row, &row_gradient, weigh, 0));
    for (size_t p = 0; p < height * width; p++) map[p] = (double)cam[p];
    cost->evaluations++;
done:
    gig_free(cam);
    gig_tensor_clear(&value);
    gig_tensor_clear(&gradient);
    return status;
}

gig_status gig_cam_map(double *map, gig_explanation *cost, const gig_map_request *request, gig_cam_weigh weigh)
{
    gig_status status = map_point(map, cost, request, weigh);
    return status == GIG_OK ? status : gig_fail_in(status, "%s", request->task->method.row->name);
}
