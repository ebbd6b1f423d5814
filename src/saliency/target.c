/* SPDX-License-Identifier: Apache-2.0 */
/* Targets as users write them, and the region of one input. */
#include "internal/target.h"
#include "base/memory.h"
#include "base/npy.h"
#include "base/status.h"
#include "base/tensor.h"
#include "internal/image.h"
#include "internal/network.h"
#include "saliency/target.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Reads integers separated by commas, with ":" if `all` is allowed; returns how many, or 0 if it is not such a list. */
static int read_list(int64_t *out, int most, const char *text, int all)
{
    int count = 0;
    for (const char *at = text; count < most;) {
        char *end = NULL;
        errno = 0;
        if (all && *at == ':') {
            out[count] = GIG_TARGET_ALL;
            end = (char *)(uintptr_t)(at + 1);
        } else {
            if (*at < '0' || *at > '9') return 0;
            out[count] = strtoll(at, &end, 10);
            if (errno) return 0;
        }
        count++;
        if (!*end) return count;
        if (*end != ',') return 0;
        at = end + 1;
    }
    return 0;
}

static gig_status read_index(gig_target_choice *out, const char *text)
{
    out->target.kind = GIG_TARGET_INDEX;
    out->target.rank = read_list(out->target.index, GIG_MAX_RANK, text, 1);
    if (out->target.rank) return GIG_OK;
    return gig_fail(GIG_EARG, "index \"%.60s\": expected integers separated by commas; one of them may be :", text);
}

static gig_status read_region(gig_target_choice *out, const char *text)
{
    out->target.kind = GIG_TARGET_REGION;
    if (strcmp(text, "predicted") == 0) {
        out->region = GIG_REGION_PREDICTED;
        return GIG_OK;
    }
    if (read_list(out->box, 4, text, 0) == 4) {
        out->region = GIG_REGION_BOX;
        if (out->box[0] <= out->box[2] && out->box[1] <= out->box[3]) return GIG_OK;
        return gig_fail(GIG_EARG, "region \"%.60s\" is empty: expected x0,y0,x1,y1 with x0 <= x1 and y0 <= y1", text);
    }
    if (!gig_image_has_ending(text))
        return gig_fail(GIG_EARG, "region \"%.60s\": expected predicted, x0,y0,x1,y1 or a picture file", text);
    out->region = GIG_REGION_MASK;
    return gig_image_read(&out->mask, text, NULL);
}

static gig_status read_weights(gig_target_choice *out, const char *path)
{
    out->target.kind = GIG_TARGET_WEIGHTS;
    out->target.weights = &out->weights;
    GIG_TRY(gig_npy_read(&out->weights, path));
    if (out->weights.type == GIG_FLOAT32) return GIG_OK;
    return gig_fail(GIG_EARG, "%.200s: expected float weights, found integers", path);
}

gig_status gig_target_read(gig_target_choice *out, const char *region, const char *index, const char *weights)
{
    *out = (gig_target_choice){0};
    if ((region != NULL) + (index != NULL) + (weights != NULL) > 1)
        return gig_fail(GIG_EARG, "several targets given: expected only one of region, index and weights");
    if (region) return read_region(out, region);
    if (index) return read_index(out, index);
    return weights ? read_weights(out, weights) : GIG_OK;
}

void gig_target_clear(gig_target_choice *choice)
{
    gig_tensor_clear(&choice->weights);
    gig_image_clear(&choice->mask);
    *choice = (gig_target_choice){0};
}

/* ---- regions ---- */

/* Pixels of the output whose centre lies in the box. */
static void draw_box(unsigned char *mask, size_t height, size_t width, const int64_t box[4],
                     const gig_picture_shape *picture)
{
    for (size_t r = 0; r < height; r++)
        for (size_t c = 0; c < width; c++) {
            double y = ((double)r + 0.5) * (double)picture->height / (double)height;
            double x = ((double)c + 0.5) * (double)picture->width / (double)width;
            mask[r * width + c] =
                x >= (double)box[0] && x < (double)box[2] + 1 && y >= (double)box[1] && y < (double)box[3] + 1;
        }
}

static void draw_mask(unsigned char *mask, size_t height, size_t width, const gig_image *from)
{
    for (size_t r = 0; r < height; r++)
        for (size_t c = 0; c < width; c++) {
            size_t y = (2 * r + 1) * from->height / (2 * height), x = (2 * c + 1) * from->width / (2 * width);
            const uint8_t *pixel = from->pixels + (y * from->width + x) * from->channels;
            unsigned char any = 0;
            for (size_t k = 0; k < from->channels && k < 3; k++) any |= pixel[k] != 0;
            mask[r * width + c] = any;
        }
}

gig_status gig_target_check(const gig_target_choice *choice)
{
    const gig_image *mask = &choice->mask;
    const int64_t *box = choice->box;
    const gig_target *target = &choice->target;
    if (target->kind == GIG_TARGET_WEIGHTS && (choice->weights.type != GIG_FLOAT32 || !choice->weights.data))
        return gig_fail(GIG_EARG, "the target's weights are missing, or not floating-point numbers");
    if (target->kind == GIG_TARGET_INDEX && (target->rank < 1 || target->rank > GIG_MAX_RANK))
        return gig_fail(GIG_EARG, "the target's index has %d numbers: expected 1 to %d", target->rank, GIG_MAX_RANK);
    if (target->kind != GIG_TARGET_REGION) return GIG_OK;
    if (choice->region == GIG_REGION_NONE) return gig_fail(GIG_EARG, "the target is a region, but none is given");
    if (choice->region == GIG_REGION_MASK && (!mask->pixels || !mask->height || !mask->width || !mask->channels))
        return gig_fail(GIG_EARG, "the region's mask is empty");
    if (choice->region == GIG_REGION_BOX && (box[0] < 0 || box[1] < 0 || box[0] > box[2] || box[1] > box[3]))
        return gig_fail(GIG_EARG, "the region %lld,%lld,%lld,%lld is empty: expected x0 <= x1 and y0 <= y1",
                        (long long)box[0], (long long)box[1], (long long)box[2], (long long)box[3]);
    return GIG_OK;
}

gig_status gig_target_draw(unsigned char *mask, const gig_target_choice *choice, gig_session *session,
                           const float *point, size_t class_index, const gig_picture_shape *picture)
{
    size_t height, width, count = 0;
    gig_network_region_size(gig_session_network(session), &height, &width);
    if (choice->region == GIG_REGION_BOX && !picture->height)
        return gig_fail(GIG_EARG, "a box needs an input that is a picture; give a mask instead");
    if (choice->region == GIG_REGION_PREDICTED)
        GIG_TRY(gig_session_predict_region(mask, &count, session, point, class_index));
    else if (choice->region == GIG_REGION_BOX)
        draw_box(mask, height, width, choice->box, picture);
    else
        draw_mask(mask, height, width, &choice->mask);
    for (size_t p = count = 0; p < height * width; p++) count += mask[p];
    if (count) return GIG_OK;
    if (choice->region == GIG_REGION_PREDICTED)
        return gig_fail(GIG_EARG, "no pixel is predicted as class %zu; choose another class or region", class_index);
    return gig_fail(GIG_EARG, "the region contains no pixel of the output (%zu x %zu)", width, height);
}

gig_status gig_target_place(size_t *covered, const gig_target_choice *choice, gig_session *session, const float *point,
                            size_t class_index, const size_t picture[2])
{
    GIG_NEED(session);
    size_t height, width, count = 0;
    const gig_picture_shape shape = {.height = picture[0], .width = picture[1]};
    if (choice->target.kind != GIG_TARGET_REGION) return GIG_OK;
    gig_network_region_size(gig_session_network(session), &height, &width);
    unsigned char *mask = gig_alloc_zero(height * width, 1);
    if (!mask) return gig_alloc_status();
    gig_status status = gig_target_draw(mask, choice, session, point, class_index, &shape);
    for (size_t p = 0; p < height * width; p++) count += mask[p];
    if (status == GIG_OK) status = gig_session_set_region(session, mask);
    if (covered) *covered = count;
    gig_free(mask);
    return status;
}
