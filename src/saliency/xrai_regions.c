/* SPDX-License-Identifier: Apache-2.0 */
#include "saliency/xrai_regions.h"
#include "base/memory.h"
#include "base/size.h"
#include "image/resize.h"
#include "image/segments.h"
#include <string.h>

/* One pixel of one region. */
typedef struct member {
    uint32_t region, pixel;
} member;

typedef struct members {
    member *list;
    size_t count, capacity;
} members;

void gig_regions_clear(gig_regions *regions)
{
    gig_free(regions->pixel_starts);
    gig_free(regions->pixel_list);
    gig_free(regions->region_starts);
    gig_free(regions->region_list);
    *regions = (gig_regions){0};
}

static void find_starts(size_t *starts, size_t count)
{
    size_t before = 0;
    for (size_t i = 0; i <= count; i++) {
        size_t here = starts[i];
        starts[i] = before;
        before += here;
    }
}

/* After a counting sort, starts[i] is where i + 1 begins: shifts them back. */
static void restore_starts(size_t *starts, size_t count)
{
    memmove(starts + 1, starts, count * sizeof *starts);
    starts[0] = 0;
}

/* Sorts the members by region and by pixel. */
static gig_status index_members(gig_regions *out, const members *from, size_t regions, size_t pixels)
{
    out->count = regions;
    out->pixels = pixels;
    out->pixel_starts = gig_alloc_zero(regions + 1, sizeof *out->pixel_starts);
    out->region_starts = gig_alloc_zero(pixels + 1, sizeof *out->region_starts);
    out->pixel_list = gig_alloc(from->count, sizeof *out->pixel_list);
    out->region_list = gig_alloc(from->count, sizeof *out->region_list);
    if (!out->pixel_starts || !out->region_starts || !out->pixel_list || !out->region_list) return gig_alloc_status();
    for (size_t i = 0; i < from->count; i++) {
        out->pixel_starts[from->list[i].region]++;
        out->region_starts[from->list[i].pixel]++;
    }
    find_starts(out->pixel_starts, regions);
    find_starts(out->region_starts, pixels);
    for (size_t i = 0; i < from->count; i++) {
        member one = from->list[i];
        out->pixel_list[out->pixel_starts[one.region]++] = one.pixel;
        out->region_list[out->region_starts[one.pixel]++] = one.region;
    }
    restore_starts(out->pixel_starts, regions);
    restore_starts(out->region_starts, pixels);
    return GIG_OK;
}

static gig_status reserve(members *to, size_t more)
{
    void *list = to->list;
    gig_status status = gig_grow(&list, &to->capacity, to->count + more, sizeof *to->list);
    to->list = list;
    return status;
}

enum { RADIUS = 5 };
/* Half the disk's width at each distance from its middle row: x^2 + y^2 <= 25. */
static const size_t half_width[RADIUS + 1] = {5, 4, 4, 4, 3, 0};

/* Adds row y of the dilated segments, given a row of the labels. seen [segments, width] holds the last row in
 * which a pixel was added to a segment. */
static gig_status add_row(members *to, const int32_t *row, size_t width, size_t y, size_t half, uint32_t first,
                          uint32_t *seen)
{
    for (size_t x = 0, end; x < width; x = end) {
        int32_t label = row[x];
        for (end = x + 1; end < width && row[end] == label;) end++;
        size_t from = x > half ? x - half : 0, until = end + half < width ? end + half : width;
        uint32_t *stamps = seen + (size_t)label * width;
        GIG_TRY(reserve(to, until - from));
        for (size_t k = from; k < until; k++) {
            if (stamps[k] == y) continue;
            stamps[k] = (uint32_t)y;
            to->list[to->count++] = (member){first + (uint32_t)label, (uint32_t)(y * width + k)};
        }
    }
    return GIG_OK;
}

/* Every segment of one label map becomes a region, from number `first` on, dilated by the disk. */
static gig_status add_widened(members *to, const int32_t *labels, size_t height, size_t width, size_t segments,
                              uint32_t first)
{
    uint32_t *seen = gig_alloc(segments * width, sizeof *seen);
    if (!seen) return gig_alloc_status();
    memset(seen, 0xff, segments * width * sizeof *seen);
    gig_status status = GIG_OK;
    for (size_t y = 0; y < height && status == GIG_OK; y++)
        for (size_t from = y > RADIUS ? y - RADIUS : 0; from <= y + RADIUS && from < height; from++) {
            size_t distance = from > y ? from - y : y - from;
            GIG_TRY_DONE(add_row(to, labels + from * width, width, y, half_width[distance], first, seen));
        }
done:
    gig_free(seen);
    return status;
}

enum { SIDE = 224, SCALES = 6 };
static const double scales[SCALES] = {50, 100, 150, 250, 500, 1200};

static gig_status add_scales(members *to, size_t *regions, const int32_t *labels, const size_t *segments, size_t height,
                             size_t width)
{
    int32_t *resized = gig_alloc(height * width, sizeof *resized);
    if (!resized) return gig_alloc_status();
    gig_status status = GIG_OK;
    *regions = 0;
    for (size_t s = 0; s < SCALES && status == GIG_OK; s++) {
        gig_resize_labels(resized, height, width, labels + s * SIDE * SIDE, SIDE, SIDE);
        status = add_widened(to, resized, height, width, segments[s], (uint32_t)*regions);
        *regions += segments[s];
    }
    gig_free(resized);
    return status;
}

static gig_status check_pixels(size_t height, size_t width)
{
    size_t pixels;
    if (!gig_size_multiply(&pixels, height, width) || pixels > GIG_MAX_ELEMENTS)
        return gig_fail(GIG_ELIMIT, "xrai: a picture of %zu x %zu pixels is too large", width, height);
    return GIG_OK;
}

gig_status gig_regions_of_picture(gig_regions *out, const double *picture, size_t height, size_t width, size_t channels)
{
    *out = (gig_regions){0};
    GIG_TRY(check_pixels(height, width));
    members found = {0};
    size_t segments[SCALES], regions = 0;
    double *small = gig_alloc(SIDE * SIDE * channels, sizeof *small);
    int32_t *labels = gig_alloc(SCALES * SIDE * SIDE, sizeof *labels);
    gig_status status;
    if (!small || !labels) GIG_TRY_DONE(gig_alloc_status());
    GIG_TRY_DONE(gig_resize_spline(small, SIDE, SIDE, picture, (gig_map_size){height, width, channels}));
    const gig_segments_options options = {.sigma = 0.8, .min_size = 150, .count = SCALES, .scales = scales};
    GIG_TRY_DONE(gig_segments_find(labels, segments, small, SIDE, SIDE, channels, &options));
    GIG_TRY_DONE(add_scales(&found, &regions, labels, segments, height, width));
    GIG_TRY_DONE(index_members(out, &found, regions, height * width));
done:
    gig_free(found.list);
    gig_free(labels);
    gig_free(small);
    if (status != GIG_OK) gig_regions_clear(out);
    return status;
}

gig_status gig_regions_of_masks(gig_regions *out, size_t count, const uint8_t *const *masks, size_t height,
                                size_t width)
{
    *out = (gig_regions){0};
    GIG_TRY(check_pixels(height, width));
    if (count > UINT32_MAX) return gig_fail(GIG_ELIMIT, "xrai: %zu masks are too many", count);
    members found = {0};
    gig_status status = GIG_OK;
    for (size_t r = 0; r < count; r++) {
        GIG_TRY_DONE(reserve(&found, height * width));
        for (size_t p = 0; p < height * width; p++)
            if (masks[r][p]) found.list[found.count++] = (member){(uint32_t)r, (uint32_t)p};
    }
    GIG_TRY_DONE(index_members(out, &found, count, height * width));
done:
    gig_free(found.list);
    if (status != GIG_OK) gig_regions_clear(out);
    return status;
}
