/* SPDX-License-Identifier: Apache-2.0 */
/* XRAI: the picture's regions in the order of their attribution per pixel, each pixel counted once. Sums and counts
 * of the pixels that a region would still add are kept up to date as pixels are covered, so every (pixel, region) pair
 * is visited once, not once for every region taken. */
#include "base/memory.h"
#include "base/size.h"
#include "gig/saliency.h"
#include "saliency/xrai_regions.h"
#include <math.h>
#include <stdlib.h>

enum { MIN_PIXELS = 50 };

typedef struct ranking {
    const gig_regions *regions;
    const double *values; /* per pixel */
    size_t min_pixels;
    double *sums;   /* per region, over its pixels that are not covered */
    size_t *counts; /* of those */
    int32_t *taken; /* per pixel: which of the taken regions covered it; -1 none */
    size_t covered;
    double *gains; /* per taken region: the mean over what it added */
    size_t taken_count;
} ranking;

static size_t place(const gig_picture_shape *shape, size_t pixel, size_t channel)
{
    return shape->planar ? channel * shape->height * shape->width + pixel : pixel * shape->channels + channel;
}

/* Signed maximum over the channels. */
static gig_status reduce_channels(double *values, const float *attributions, const gig_picture_shape *shape)
{
    for (size_t p = 0; p < shape->height * shape->width; p++) {
        double most = -INFINITY;
        for (size_t c = 0; c < shape->channels; c++) {
            double value = attributions[place(shape, p, c)];
            if (!isfinite(value)) return gig_fail(GIG_ENUMERIC, "xrai: the attribution of pixel %zu is not finite", p);
            most = value > most ? value : most;
        }
        values[p] = most;
    }
    return GIG_OK;
}

/* To [-1,1], interleaved. Differs from PAIR saliency: a flat picture becomes zeros, not NaN. */
static gig_status normalise(double *out, const float *picture, const gig_picture_shape *shape)
{
    size_t count = shape->height * shape->width * shape->channels;
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        double value = picture[i];
        if (!isfinite(value)) return gig_fail(GIG_ENUMERIC, "xrai: value %zu of the picture is not finite", i);
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    for (size_t p = 0; p < shape->height * shape->width; p++)
        for (size_t c = 0; c < shape->channels; c++) {
            double value = picture[place(shape, p, c)];
            out[p * shape->channels + c] = high > low ? (value - low) / (high - low) * 2 - 1 : 0;
        }
    return GIG_OK;
}

/* Covers the region's remaining pixels and removes them from every region that contains them. */
static void take(ranking *in, size_t region)
{
    const gig_regions *all = in->regions;
    double sum = 0;
    size_t before = in->covered;
    for (size_t i = all->pixel_starts[region]; i < all->pixel_starts[region + 1]; i++) {
        size_t pixel = all->pixel_list[i];
        if (in->taken[pixel] >= 0) continue;
        in->taken[pixel] = (int32_t)in->taken_count;
        in->covered++;
        sum += in->values[pixel];
        for (size_t k = all->region_starts[pixel]; k < all->region_starts[pixel + 1]; k++) {
            in->sums[all->region_list[k]] -= in->values[pixel];
            in->counts[all->region_list[k]]--;
        }
    }
    in->gains[in->taken_count++] = sum / (double)(in->covered - before);
}

/* The region with the largest mean over the pixels it would add, the first of equals; all->count if none adds enough. A
 * region that adds too few pixels is dropped: its count can only fall. */
static size_t best_region(const ranking *in)
{
    size_t best = in->regions->count;
    double most = 0;
    for (size_t r = 0; r < in->regions->count; r++) {
        if (in->counts[r] < in->min_pixels) continue;
        double gain = in->sums[r] / (double)in->counts[r];
        if (best < in->regions->count && gain <= most) continue;
        best = r;
        most = gain;
    }
    return best;
}

static void rank_fully(ranking *in, double area_threshold)
{
    while ((double)in->covered / (double)in->regions->pixels <= area_threshold) {
        size_t best = best_region(in);
        if (best == in->regions->count) return;
        take(in, best);
    }
}

typedef struct scored {
    double score;
    size_t index;
} scored;

/* Descending, the earlier of equals first. */
static int compare_scores(const void *a, const void *b)
{
    const scored *left = a, *right = b;
    if (left->score != right->score) return left->score > right->score ? -1 : 1;
    return left->index < right->index ? -1 : left->index > right->index;
}

/* Regions in the order of their mean over all their pixels. */
static gig_status rank_fast(ranking *in)
{
    scored *order = gig_alloc(in->regions->count, sizeof *order);
    if (!order) return gig_alloc_status();
    for (size_t r = 0; r < in->regions->count; r++)
        order[r] = (scored){in->counts[r] ? in->sums[r] / (double)in->counts[r] : -INFINITY, r};
    qsort(order, in->regions->count, sizeof *order, compare_scores);
    for (size_t i = 0; i < in->regions->count; i++)
        if (in->counts[order[i].index] >= in->min_pixels) take(in, order[i].index);
    gig_free(order);
    return GIG_OK;
}

/* Pixels that no region covered form a last one, with their own mean. */
static void fill_rest(ranking *in)
{
    double sum = 0;
    size_t rest = in->regions->pixels - in->covered;
    if (!rest) return;
    for (size_t p = 0; p < in->regions->pixels; p++)
        if (in->taken[p] < 0) {
            sum += in->values[p];
            in->taken[p] = (int32_t)in->taken_count;
        }
    in->gains[in->taken_count++] = sum / (double)rest;
}

/* rank_of[i], from 1: the place of taken region i by gain; the rest, when there is one, comes last whatever its gain.
 */
static gig_status find_ranks(int32_t *rank_of, const ranking *in, int has_rest)
{
    size_t sorted = in->taken_count - (has_rest ? 1 : 0);
    scored *order = gig_alloc(in->taken_count, sizeof *order);
    if (!order) return gig_alloc_status();
    for (size_t i = 0; i < in->taken_count; i++) order[i] = (scored){in->gains[i], i};
    qsort(order, sorted, sizeof *order, compare_scores);
    for (size_t i = 0; i < in->taken_count; i++) rank_of[order[i].index] = (int32_t)i + 1;
    gig_free(order);
    return GIG_OK;
}

static void start_ranking(ranking *in)
{
    const gig_regions *all = in->regions;
    for (size_t r = 0; r < all->count; r++) {
        in->sums[r] = 0;
        in->counts[r] = all->pixel_starts[r + 1] - all->pixel_starts[r];
        for (size_t i = all->pixel_starts[r]; i < all->pixel_starts[r + 1]; i++)
            in->sums[r] += in->values[all->pixel_list[i]];
    }
    for (size_t p = 0; p < all->pixels; p++) in->taken[p] = -1;
}

static gig_status rank_regions(float *map, int32_t *ranks, const double *values, const gig_regions *regions,
                               const gig_xrai_options *options)
{
    size_t most = regions->count + 1;
    ranking in = {
        .regions = regions, .values = values, .min_pixels = options->min_pixels ? options->min_pixels : MIN_PIXELS};
    in.sums = gig_alloc(most, sizeof *in.sums);
    in.counts = gig_alloc(most, sizeof *in.counts);
    in.taken = gig_alloc(regions->pixels, sizeof *in.taken);
    in.gains = gig_alloc(most, sizeof *in.gains);
    int32_t *rank_of = gig_alloc(most, sizeof *rank_of);
    gig_status status;
    if (!in.sums || !in.counts || !in.taken || !in.gains || !rank_of) GIG_TRY_DONE(gig_alloc_status());
    start_ranking(&in);
    if (options->fast)
        GIG_TRY_DONE(rank_fast(&in));
    else
        rank_fully(&in, options->area_threshold > 0 ? options->area_threshold : 1);
    int has_rest = in.covered < regions->pixels;
    fill_rest(&in);
    GIG_TRY_DONE(find_ranks(rank_of, &in, has_rest));
    for (size_t p = 0; p < regions->pixels; p++) {
        map[p] = (float)in.gains[in.taken[p]];
        if (ranks) ranks[p] = rank_of[in.taken[p]];
    }
done:
    gig_free(rank_of);
    gig_free(in.gains);
    gig_free(in.taken);
    gig_free(in.counts);
    gig_free(in.sums);
    return status;
}

static gig_status find_regions(gig_regions *out, const float *picture, const gig_picture_shape *shape,
                               const gig_xrai_options *options)
{
    if (options->mask_count)
        return gig_regions_of_masks(out, options->mask_count, options->masks, shape->height, shape->width);
    double *normal = gig_alloc(shape->height * shape->width * shape->channels, sizeof *normal);
    if (!normal) return gig_alloc_status();
    gig_status status = normalise(normal, picture, shape);
    if (status == GIG_OK) status = gig_regions_of_picture(out, normal, shape->height, shape->width, shape->channels);
    gig_free(normal);
    return status;
}

gig_status gig_xrai(float *map, int32_t *ranks, const float *attributions, const float *picture,
                    const gig_picture_shape *shape, const gig_xrai_options *options)
{
    const gig_xrai_options defaults = GIG_XRAI_OPTIONS_INIT;
    if (!options) options = &defaults;
    size_t count;
    const int64_t dims[3] = {(int64_t)shape->height, (int64_t)shape->width, (int64_t)shape->channels};
    GIG_TRY(gig_size_of_dims(&count, 3, dims));
    if (!count) return gig_fail(GIG_EARG, "xrai: the picture is empty");
    if (!(options->area_threshold >= 0 && options->area_threshold <= 1))
        return gig_fail(GIG_EARG, "xrai: area threshold %g: expected 0 to 1", options->area_threshold);
    for (size_t i = 0; i < options->mask_count; i++)
        if (!options->masks || !options->masks[i])
            return gig_fail(GIG_EARG, "xrai: mask %zu of %zu is missing", i, options->mask_count);
    gig_regions regions = {0};
    double *values = gig_alloc(shape->height * shape->width, sizeof *values);
    gig_status status;
    if (!values) GIG_TRY_DONE(gig_alloc_status());
    GIG_TRY_DONE(reduce_channels(values, attributions, shape));
    GIG_TRY_DONE(find_regions(&regions, picture, shape, options));
    GIG_TRY_DONE(rank_regions(map, ranks, values, &regions, options));
done:
    gig_regions_clear(&regions);
    gig_free(values);
    return status;
}
