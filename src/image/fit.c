/* SPDX-License-Identifier: Apache-2.0 */
/* Squash, crop, letterbox: one placement, applied alike to pictures, masks and boxes. */
#include "base/size.h"
#include "base/status.h"
#include "image/resize.h"
#include "internal/image.h"
#include <math.h>
#include <string.h>

/* shorter * longer side / shorter side, cut to an integer as torchvision does. */
static size_t scaled_side(size_t shorter, size_t longer_side, size_t shorter_side)
{
    return (size_t)((double)shorter * (double)longer_side / (double)shorter_side);
}

/* Where a row of `scaled` pixels starts so that its centre fills `wanted`: when cut, half the excess rounded to the
 * nearest even; when short, the lesser half of the gap goes first. Both as torchvision's CenterCrop. */
static ptrdiff_t centre(size_t scaled, size_t wanted)
{
    if (scaled < wanted) return (ptrdiff_t)((wanted - scaled) / 2);
    return -(ptrdiff_t)nearbyint((double)(scaled - wanted) / 2);
}

static void crop(gig_placement *out, size_t shorter)
{
    if (!shorter) shorter = out->width > out->height ? out->width : out->height;
    if (out->from_width <= out->from_height) {
        out->scaled_width = shorter;
        out->scaled_height = scaled_side(shorter, out->from_height, out->from_width);
    } else {
        out->scaled_height = shorter;
        out->scaled_width = scaled_side(shorter, out->from_width, out->from_height);
    }
    out->left = centre(out->scaled_width, out->width);
    out->top = centre(out->scaled_height, out->height);
}

static size_t rounded_side(size_t from, double scale, size_t most)
{
    double side = floor((double)from * scale + 0.5);
    return side < 1 ? 1 : side < (double)most ? (size_t)side : most;
}

static void letterbox(gig_placement *out)
{
    double across = (double)out->width / (double)out->from_width, down = (double)out->height / (double)out->from_height;
    double scale = across < down ? across : down;
    out->scaled_width = rounded_side(out->from_width, scale, out->width);
    out->scaled_height = rounded_side(out->from_height, scale, out->height);
    out->left = (ptrdiff_t)((out->width - out->scaled_width) / 2);
    out->top = (ptrdiff_t)((out->height - out->scaled_height) / 2);
}

gig_status gig_placement_find(gig_placement *out, size_t from_width, size_t from_height, size_t width, size_t height,
                              gig_fit fit, size_t shorter)
{
    *out = (gig_placement){from_width, from_height, width, height, 0, 0, width, height};
    const size_t most = (size_t)1 << 30;
    if (!from_width || !from_height || !width || !height || from_width > most || from_height > most || width > most ||
        height > most || shorter > most)
        return gig_fail(GIG_EARG, "cannot place a picture of %zu x %zu on %zu x %zu", from_width, from_height, width,
                        height);
    if (fit == GIG_CROP)
        crop(out, shorter);
    else if (fit == GIG_LETTERBOX)
        letterbox(out);
    else if (fit != GIG_SQUASH)
        return gig_fail(GIG_EARG, "unknown fit %d", (int)fit);
    return GIG_OK;
}

/* Where a scaled side of `scaled` pixels at `offset` meets 0 .. size-1: from its own pixel *start, *count of them. */
static void overlap(size_t *start, size_t *count, ptrdiff_t offset, size_t scaled, size_t size)
{
    ptrdiff_t first = offset < 0 ? -offset : 0, end = (ptrdiff_t)size - offset;
    if (end > (ptrdiff_t)scaled) end = (ptrdiff_t)scaled;
    *start = (size_t)first;
    *count = end > first ? (size_t)(end - first) : 0;
}

static void paste(gig_image *out, const gig_image *part, size_t left, size_t top)
{
    size_t length = part->width * out->channels;
    for (size_t y = 0; y < part->height; y++)
        memcpy(out->pixels + ((y + top) * out->width + left) * out->channels, part->pixels + y * length, length);
}

gig_status gig_image_place(gig_image *out, const gig_image *image, const gig_placement *placement, gig_filter filter)
{
    *out = (gig_image){0};
    if (!image->pixels || image->width != placement->from_width || image->height != placement->from_height)
        return gig_fail(GIG_EARG, "a picture of %zu x %zu, but a placement of %zu x %zu", image->width, image->height,
                        placement->from_width, placement->from_height);
    const ptrdiff_t most = GIG_MAX_ELEMENTS;
    if (placement->left < -most || placement->left > most || placement->top < -most || placement->top > most ||
        placement->width > GIG_MAX_ELEMENTS || placement->height > GIG_MAX_ELEMENTS)
        return gig_fail(GIG_ELIMIT, "a placement at %td, %td is beyond the limit", placement->left, placement->top);
    gig_pixel_window seen;
    overlap(&seen.left, &seen.width, placement->left, placement->scaled_width, placement->width);
    overlap(&seen.top, &seen.height, placement->top, placement->scaled_height, placement->height);
    if (!seen.width || !seen.height) return gig_image_create(out, placement->width, placement->height, image->channels);
    gig_image part = {0};
    GIG_TRY(gig_resize_window(&part, image, placement->scaled_width, placement->scaled_height, seen, filter));
    gig_status status = gig_image_create(out, placement->width, placement->height, image->channels);
    if (status == GIG_OK)
        paste(out, &part, placement->left > 0 ? (size_t)placement->left : 0,
              placement->top > 0 ? (size_t)placement->top : 0);
    gig_image_clear(&part);
    return status;
}

/* One axis of a box: pixels low .. high of `from`, scaled to `scaled`, moved by `offset`, cut to 0 .. size-1. */
static int place_span(int64_t *low, int64_t *high, size_t from, size_t scaled, ptrdiff_t offset, size_t size)
{
    double scale = (double)scaled / (double)from;
    int64_t first = *low < 0 ? 0 : *low, end = *high < (int64_t)from - 1 ? *high + 1 : (int64_t)from;
    if (first >= end) return 0;
    int64_t start = (int64_t)floor((double)first * scale + 0.5), stop = (int64_t)floor((double)end * scale + 0.5);
    if (start >= stop) { /* thinner than a pixel: the one that holds its middle */
        start = (int64_t)floor((double)(first + end) / 2 * scale);
        stop = start + 1;
    }
    start += offset;
    stop += offset;
    *low = start < 0 ? 0 : start;
    *high = (stop < (int64_t)size ? stop : (int64_t)size) - 1;
    return *low <= *high;
}

int gig_box_place(gig_box *out, const gig_box *box, const gig_placement *placement)
{
    *out = *box;
    return place_span(&out->xmin, &out->xmax, placement->from_width, placement->scaled_width, placement->left,
                      placement->width) &
           place_span(&out->ymin, &out->ymax, placement->from_height, placement->scaled_height, placement->top,
                      placement->height);
}
