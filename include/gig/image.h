/* SPDX-License-Identifier: Apache-2.0 */
/* gig/image.h -- pictures: from files to pixels at a model's size, and back to files.
 *
 * Flow:      .jpg .png .webp bytes -> [gig_image] -> placed at the model's size -> float pixels in [0,1]
 * Ownership: a gig_image made here owns its pixels: free with gig_image_clear. One filled in by hand may borrow.
 * Threads:   no hidden state; an image may be read by several threads.
 * Errors:    GIG_EFORMAT broken bytes; GIG_EUNSUPPORTED an unsupported format; GIG_ELIMIT sizes, before any pixel is
 *            allocated; GIG_EARG, GIG_EIO, GIG_ENOMEM.
 */
#ifndef GIG_IMAGE_H
#define GIG_IMAGE_H

#include "gig/status.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gig_image {
    size_t width, height;
    size_t channels; /* 1 grey, 3 red green blue, 4 with alpha */
    uint8_t *pixels; /* [height, width, channels], no padding between rows */
} gig_image;

/* A black picture. GIG_EARG for other channel counts, GIG_ELIMIT beyond 2^30 values. */
GIG_API gig_status gig_image_create(gig_image *out, size_t width, size_t height, size_t channels);

/* Frees the pixels and zeroes the struct. A zeroed struct and NULL are allowed. */
GIG_API void gig_image_clear(gig_image *image);

/* ---- files in ---- */

/* Zero means the default in brackets. A size above a limit is GIG_ELIMIT, found before any pixel is allocated. */
typedef struct gig_image_options {
    size_t channels;   /* 3: red green blue, over white; 1: a mask's grey, (19595 R + 38470 G + 7471 B + 32768) / 65536,
                          over black [3] */
    int no_orient;     /* ignore the EXIF orientation [apply it] */
    size_t max_pixels; /* [89,478,485] */
    size_t max_side;   /* pixels [65,500] */
    size_t max_scans;  /* of a progressive JPEG [100] */
    size_t max_chunk;  /* bytes of one PNG chunk other than the pixels' [8,000,000] */
    size_t max_bytes;  /* of a file [268,435,456] */
    unsigned reserved[8];
} gig_image_options;
#define GIG_IMAGE_OPTIONS_INIT GIG_INIT

/* JPEG, PNG or WebP, detected by their first bytes; see docs/formats.md for alpha, palettes, 16 bits, CMYK and
 * animations. options may be NULL. */
GIG_API gig_status gig_image_decode(gig_image *out, const void *data, size_t bytes, const gig_image_options *options);

/* The same from a file; messages name it. */
GIG_API gig_status gig_image_read(gig_image *out, const char *path, const gig_image_options *options);

/* ---- files out: written completely or not at all; existing files are overwritten only with `force` ---- */

/* 8 bits, grey, RGB or RGBA as the picture's channels. */
GIG_API gig_status gig_image_write_png(const char *path, const gig_image *image, int force);

/* Lossless, quality 100, method 4: the bytes of Pillow's save(lossless=True, quality=100) with the same libwebp. */
GIG_API gig_status gig_image_write_webp(const char *path, const gig_image *image, int force);

/* ---- pixels ---- */

/* pixels[i] = value / 255: float [height, width, channels] in [0,1]. */
GIG_API void gig_image_to_pixels(float *pixels, const gig_image *image);

/* The nearest of 0 .. 255 for each value of [height, width, channels] in [0,1]; values outside are clamped, NaN is 0.
 */
GIG_API gig_status gig_image_from_pixels(gig_image *out, const float *pixels, size_t width, size_t height,
                                         size_t channels);

/* ---- sizes ---- */

typedef enum gig_filter {
    GIG_BILINEAR = 0, /* Pillow's, bit for bit: a triangle, widened when the picture shrinks */
    GIG_BICUBIC = 1,  /* Pillow's, bit for bit: Keys' cubic with a = -1/2 */
    GIG_NEAREST = 2   /* the pixel that contains the sample's centre: for masks and labels */
} gig_filter;

/* A picture of the given size. */
GIG_API gig_status gig_image_resize(gig_image *out, const gig_image *image, size_t width, size_t height,
                                    gig_filter filter);

/* A rectangle of pixels, including xmax and ymax. */
typedef struct gig_box {
    int64_t xmin, ymin, xmax, ymax;
} gig_box;

#ifdef __cplusplus
}
#endif
#endif
