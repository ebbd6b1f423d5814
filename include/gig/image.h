/* gig/image.h -- pictures: from files to pixels at a model's size, and back to files.
 *
 * Flow:      .jpg .png .webp bytes -> [gig_image] -> placed at the model's size -> float pixels in [0,1]
 * Ownership: a gig_image made here owns its pixels: free with gig_image_clear. One filled in by hand may borrow.
 * Threads:   no hidden state; an image may be read by several threads.
 * Errors:    GIG_EFORMAT broken bytes; GIG_EUNSUPPORTED a kind we do not read; GIG_ELIMIT sizes, before any pixel is
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

/* pixels[i] = value / 255: float [height, width, channels] in [0,1]. */
GIG_API void gig_image_to_pixels(float *pixels, const gig_image *image);

/* The nearest of 0 .. 255 for each value of [height, width, channels] in [0,1]; values outside are clamped, NaN is 0.
 */
GIG_API gig_status gig_image_from_pixels(gig_image *out, const float *pixels, size_t width, size_t height,
                                         size_t channels);

typedef enum gig_filter {
    GIG_BILINEAR = 0, /* Pillow's, bit for bit: a triangle, widened when the picture shrinks */
    GIG_BICUBIC = 1,  /* Pillow's, bit for bit: Keys' cubic with a = -1/2 */
    GIG_NEAREST = 2   /* the pixel that holds the sample's centre: masks and labels */
} gig_filter;

/* A picture of the given size. */
GIG_API gig_status gig_image_resize(gig_image *out, const gig_image *image, size_t width, size_t height,
                                    gig_filter filter);

/* How a picture of any shape comes to a model's width and height. */
typedef enum gig_fit {
    GIG_SQUASH = 0,   /* the whole picture, its proportions lost */
    GIG_CROP = 1,     /* the shorter side to `shorter`, then the centre, rounded as torchvision does */
    GIG_LETTERBOX = 2 /* the whole picture, proportions kept, black beside it */
} gig_fit;

/* Where the picture lands: scaled to (scaled_width, scaled_height), its corner at (left, top) of the result. What falls
 * outside is cut off, what stays empty is black. */
typedef struct gig_placement {
    size_t from_width, from_height;
    size_t scaled_width, scaled_height;
    ptrdiff_t left, top; /* negative when cropped */
    size_t width, height;
} gig_placement;

/* `shorter` is for GIG_CROP only; 0: the larger of width and height, so that the crop is full. */
GIG_API gig_status gig_placement_find(gig_placement *out, size_t from_width, size_t from_height, size_t width,
                                      size_t height, gig_fit fit, size_t shorter);

/* The picture (or, with GIG_NEAREST, the mask) as placed. Its size must be the placement's from_width x from_height. */
GIG_API gig_status gig_image_place(gig_image *out, const gig_image *image, const gig_placement *placement,
                                   gig_filter filter);

/* A rectangle of pixels; xmax and ymax belong to it. */
typedef struct gig_box {
    int64_t xmin, ymin, xmax, ymax;
} gig_box;

/* The box as placed: the edges xmin and xmax + 1 are scaled, rounded half up, moved and cut at the border (likewise y);
 * a box that rounds to nothing inside the picture keeps one pixel. Returns 0 when nothing of it is left, else 1. */
GIG_API int gig_box_place(gig_box *out, const gig_box *box, const gig_placement *placement);

#ifdef __cplusplus
}
#endif
#endif
