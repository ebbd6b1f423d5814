/* SPDX-License-Identifier: Apache-2.0 */
/* From a picture file, an image, pixels or a raw tensor to one point of a network. */
#include "base/tensor.h"
#include "saliency/explainer.h"
#include <string.h>

int gig_input_is_tensor(const gig_input *input)
{
    return !input->file && !input->image && !input->values;
}

const char *gig_input_name(const gig_input *input)
{
    return input->name ? input->name : input->file;
}

size_t gig_explainer_features(const gig_explainer *explainer, const gig_engine *engine)
{
    return explainer->functions ? explainer->functions[0].features : gig_network_features(engine->network);
}

int gig_explainer_point_dims(const gig_explainer *explainer, const gig_engine *engine, int64_t dims[GIG_MAX_RANK])
{
    const gig_picture_shape *own = &explainer->options.shape;
    if (explainer->functions && own->height) {
        int64_t planes = (int64_t)own->channels, rows = (int64_t)own->height, columns = (int64_t)own->width;
        memcpy(dims, own->planar ? (int64_t[]){planes, rows, columns} : (int64_t[]){rows, columns, planes},
               3 * sizeof *dims);
        return 3;
    }
    if (explainer->functions) {
        dims[0] = (int64_t)explainer->functions[0].features;
        return 1;
    }
    int rank = gig_network_point_dims(engine->network, dims);
    if (!explainer->options.at || rank == 0 || dims[0] != 1) return rank;
    memmove(dims, dims + 1, (size_t)(rank - 1) * sizeof *dims); /* a tensor inside the network has its batch */
    return rank - 1;
}

static gig_picture_shape shape_of(int rank, const int64_t *dims, int picture)
{
    if (picture && rank == 3) return (gig_picture_shape){(size_t)dims[0], (size_t)dims[1], (size_t)dims[2], 0};
    if (rank == 3) return (gig_picture_shape){(size_t)dims[1], (size_t)dims[2], (size_t)dims[0], 1};
    if (rank == 2) return (gig_picture_shape){(size_t)dims[0], (size_t)dims[1], 1, 0};
    return (gig_picture_shape){0};
}

gig_picture_shape gig_explainer_shape(const gig_explainer *explainer, const gig_input *input, const gig_engine *engine)
{
    int64_t dims[GIG_MAX_RANK];
    if (explainer->functions) return explainer->options.shape;
    if (gig_network_parts(engine->network) > 1) return (gig_picture_shape){0};
    int rank = gig_explainer_point_dims(explainer, engine, dims);
    return shape_of(rank, dims, !input || !gig_input_is_tensor(input));
}

gig_picture_shape gig_explainer_part_shape(const gig_input *input, const gig_engine *engine, size_t part)
{
    int64_t dims[GIG_MAX_RANK];
    int rank = gig_network_part_dims(engine->network, part, dims);
    return shape_of(rank, dims, part == 0 && (!input || !gig_input_is_tensor(input)));
}

/* ---- pictures ---- */

gig_status gig_explainer_placement(gig_placement *out, const gig_explainer *explainer, size_t width, size_t height)
{
    const gig_description *about = explainer->description;
    return gig_placement_find(out, width, height, (size_t)about->pixels.width, (size_t)about->pixels.height, about->fit,
                              about->shorter);
}

gig_status gig_explainer_place(gig_image *out, gig_placement *placement, const gig_explainer *explainer,
                               const gig_image *image)
{
    if (image->channels != 3)
        return gig_fail(GIG_EARG, "expected an image with 3 channels (RGB), found %zu", image->channels);
    GIG_TRY(gig_explainer_placement(placement, explainer, image->width, image->height));
    return gig_image_place(out, image, placement, explainer->description->filter);
}

static gig_status place_image(float *out, const gig_explainer *explainer, const gig_image *image)
{
    gig_placement placement;
    gig_image placed = {0};
    gig_status status = gig_explainer_place(&placed, &placement, explainer, image);
    if (status == GIG_OK) gig_image_to_pixels(out, &placed);
    gig_image_clear(&placed);
    return status;
}

static gig_status read_picture(float *out, const gig_explainer *explainer, const char *path)
{
    gig_image picture = {0};
    const gig_image_options options = {.no_orient = explainer->options.no_orient};
    gig_status status = gig_image_read(&picture, path, &options);
    if (status == GIG_OK) status = place_image(out, explainer, &picture);
    gig_image_clear(&picture);
    return status;
}

/* Pixels are in [0,1] up to rounding. A NaN is refused where points are evaluated, as in tensors. */
static gig_status check_pixels(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (values[i] < -1e-6f || values[i] > 1 + 1e-6f)
            return gig_fail(GIG_EARG, "value %zu is %g: expected pixels in [0,1]%s", i, (double)values[i],
                            values[i] > 2 && values[i] < 256 ? "; divide them by 255" : "");
    return GIG_OK;
}

/* Row `row` of [n, point...]; an array without the n is one row. */
static gig_status read_row(float *out, const gig_explainer *explainer, const gig_input *input, const gig_engine *engine)
{
    int64_t dims[GIG_MAX_RANK];
    char given[160], wanted[160];
    const gig_tensor *array = input->tensor;
    int rank = gig_network_part_dims(engine->network, 0, dims), more = array ? array->rank - rank : -1;
    if (explainer->options.at || !array) return gig_fail(GIG_EARG, "rows need a tensor that is the model's input");
    if (more < 0 || more > 1 || memcmp(array->dims + more, dims, (size_t)rank * sizeof *dims))
        return gig_fail(GIG_EARG, "expected rows of shape %s, found an array of %s",
                        gig_dims_text(wanted, sizeof wanted, rank, dims),
                        gig_dims_text(given, sizeof given, array->rank, array->dims));
    size_t rows = more ? (size_t)array->dims[0] : 1, features = gig_network_part_features(engine->network, 0);
    if (input->row >= rows) return gig_fail(GIG_EARG, "row %zu: the array has only %zu rows", input->row, rows);
    memcpy(out, array->real + input->row * features, features * sizeof *out);
    return GIG_OK;
}

/* Of several inputs the first. */
static gig_status write_first(float *out, const gig_explainer *explainer, const gig_input *input,
                              const gig_engine *engine)
{
    if (input->file) return read_picture(out, explainer, input->file);
    if (input->image) return place_image(out, explainer, input->image);
    if (!input->values && input->rows) return read_row(out, explainer, input, engine);
    const float *values = input->values;
    size_t features =
        explainer->functions ? explainer->functions[0].features : gig_network_part_features(engine->network, 0);
    if (!values)
        values = explainer->options.at ? gig_network_at_value(engine->network) : input->tensor->real;
    else if (!explainer->functions && !input->unbounded) /* points of the caller's own functions have any values */
        GIG_TRY(check_pixels(values, features));
    memcpy(out, values, features * sizeof *out);
    return GIG_OK;
}

gig_status gig_explainer_write_point(float *out, const gig_explainer *explainer, const gig_input *input,
                                     const gig_engine *engine)
{
    if (explainer->functions && !input->values)
        return gig_fail(GIG_EARG, "an explainer over your own functions takes gig_input.values only");
    GIG_TRY(write_first(out, explainer, input, engine));
    if (!explainer->named_count) return GIG_OK;
    return gig_explainer_write_also(out + gig_network_part_features(engine->network, 0), explainer, input,
                                    engine->network);
}
