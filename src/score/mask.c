/* SPDX-License-Identifier: Apache-2.0 */
/* The ground truth that maps are compared with: boxes and mask files. */
#include "base/memory.h"
#include "base/size.h"
#include "base/status.h"
#include "image/decode.h"
#include "internal/score.h"
#include <stdlib.h>
#include <string.h>

enum { UNSURE = 64, OBJECT = 192 }; /* smallest values with this meaning */

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

gig_status gig_mask_from_boxes(uint8_t *mask, size_t height, size_t width, const gig_box *boxes, size_t count)
{
    if (height > GIG_MAX_ELEMENTS || width > GIG_MAX_ELEMENTS)
        return gig_fail(GIG_ELIMIT, "a mask of %zu x %zu exceeds the limit", width, height);
    memset(mask, GIG_MASK_OUT, height * width);
    for (size_t i = 0; i < count; i++) {
        const gig_box *box = &boxes[i];
        if (box->xmin > box->xmax || box->ymin > box->ymax)
            return gig_fail(GIG_EARG, "box %zu (%lld %lld %lld %lld) is empty", i + 1, (long long)box->xmin,
                            (long long)box->ymin, (long long)box->xmax, (long long)box->ymax);
        int64_t left = clamp(box->xmin, 0, (int64_t)width), right = clamp(box->xmax, -1, (int64_t)width - 1);
        int64_t top = clamp(box->ymin, 0, (int64_t)height), bottom = clamp(box->ymax, -1, (int64_t)height - 1);
        if (left > right) continue;
        for (int64_t y = top; y <= bottom; y++)
            memset(mask + (size_t)y * width + (size_t)left, GIG_MASK_IN, (size_t)(right - left + 1));
    }
    return GIG_OK;
}

static uint8_t largest_of(const uint8_t *values, size_t count)
{
    uint8_t largest = 0;
    for (size_t i = 0; i < count; i++)
        if (values[i] > largest) largest = values[i];
    return largest;
}

void gig_mask_from_grey(uint8_t *mask, const uint8_t *grey, size_t pixels)
{
    uint8_t largest = largest_of(grey, pixels);
    for (size_t i = 0; i < pixels; i++) {
        int object = largest <= 1 ? grey[i] == 1 : grey[i] >= OBJECT;
        mask[i] = object ? GIG_MASK_IN : largest > 1 && grey[i] >= UNSURE ? GIG_MASK_UNSURE : GIG_MASK_OUT;
    }
}

/* More than a JPEG's colours are off by? */
static int has_colours(const gig_image *image)
{
    const int most = 32;
    for (size_t i = 0; i < image->width * image->height; i++) {
        const uint8_t *p = image->pixels + 3 * i;
        if (abs(p[0] - p[1]) > most || abs(p[1] - p[2]) > most || abs(p[2] - p[0]) > most) return 1;
    }
    return 0;
}

/* Bits per value in the PNG header; 8 for all other files, and for palettes. */
static int depth_of(const uint8_t *file, size_t bytes)
{
    static const uint8_t signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    enum { DEPTH = 24, COLOUR = 25, PALETTE = 3 };
    if (bytes <= COLOUR || memcmp(file, signature, sizeof signature) || file[COLOUR] == PALETTE) return 8;
    return file[DEPTH];
}

/* Colours and small numbers are class labels in many data sets; which of them is the object is not known. */
static gig_status decode_mask(gig_image *out, const uint8_t *file, size_t bytes, gig_image_options wanted)
{
    wanted.channels = 3;
    GIG_TRY(gig_image_decode(out, file, bytes, &wanted));
    int coloured = has_colours(out), depth = depth_of(file, bytes);
    gig_image_clear(out);
    if (coloured) return gig_fail(GIG_EFORMAT, "expected a grey mask with 255 for the object, found colours");
    wanted.channels = 1;
    GIG_TRY(gig_image_decode(out, file, bytes, &wanted));
    size_t pixels = out->width * out->height;
    uint8_t largest = largest_of(out->pixels, pixels);
    if (largest > 1 && largest < UNSURE)
        return gig_fail(GIG_EFORMAT,
                        "expected a mask with 255 for the object, or with values 0 and 1; its largest value is %d",
                        largest);
    /* In other bit depths 0 and 1 cannot be told from other numbers after conversion. */
    if ((depth == 16 && largest < UNSURE) || (depth > 1 && depth < 8 && largest > 0 && largest < UINT8_MAX))
        return gig_fail(GIG_EFORMAT, "a mask of %d bits needs its largest value for the object; save it with 8 bits",
                        depth);
    gig_mask_from_grey(out->pixels, out->pixels, pixels);
    return GIG_OK;
}

/* The file's bytes are read once: it may be a pipe. */
gig_status gig_mask_read(gig_image *out, const char *path, const gig_image_options *options)
{
    gig_image_options wanted;
    uint8_t *file;
    size_t bytes;
    *out = (gig_image){0};
    GIG_TRY(gig_image_complete_options(&wanted, options));
    GIG_TRY(gig_file_read(&file, &bytes, path, wanted.max_bytes));
    gig_status status = decode_mask(out, file, bytes, wanted);
    gig_free(file);
    if (status == GIG_OK) return GIG_OK;
    gig_image_clear(out);
    return gig_fail_in(status, "%s", path);
}

int gig_mask_fits(size_t width, size_t height, size_t picture_width, size_t picture_height)
{
    size_t a = width * picture_height, b = height * picture_width;
    size_t side = width > height ? width : height,
           other = picture_width > picture_height ? picture_width : picture_height;
    return (a > b ? a - b : b - a) <= (side > other ? side : other);
}
