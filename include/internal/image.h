/* SPDX-License-Identifier: Apache-2.0 */
/* internal/image.h -- how a picture is placed in a model's input; animations; sizes of WebP files. */
#ifndef GIG_INTERNAL_IMAGE_H
#define GIG_INTERNAL_IMAGE_H

#include "gig/image.h"

/* ---- files in ---- */

/* Whether a file's name ends in .jpg, .jpeg, .png or .webp (case ignored) and does not begin with a dot. For searching
 * folders; the format of a file is detected from its bytes. */
int gig_image_has_ending(const char *name);

/* ---- files out: written completely or not at all, and overwritten only with `force` ---- */

/* Bytes of that file: the estimate of information that SIC and AIC use. */
gig_status gig_webp_size(size_t *bytes, const gig_image *image);

/* Version of the libwebp in use, "1.2.4": such sizes compare only under one version. */
const char *gig_webp_version(void);

/* An animated WebP, lossy at quality 85, looping forever. All frames have one size. */
typedef struct gig_film gig_film;
gig_status gig_film_create(gig_film **out, size_t width, size_t height);
/* Shown for `milliseconds` (1 to 60,000). The picture is copied. */
gig_status gig_film_add(gig_film *film, const gig_image *image, unsigned milliseconds);
/* At least one frame must have been added; none can be added afterwards. */
gig_status gig_film_write(const char *path, gig_film *film, int force);
void gig_film_free(gig_film *film); /* NULL is allowed */

/* ---- sizes ---- */

/* How a picture of any size is brought to a model's width and height. */
typedef enum gig_fit {
    GIG_SQUASH = 0,   /* the whole picture, ignoring its aspect ratio */
    GIG_CROP = 1,     /* the shorter side to `shorter`, then the centre, rounded as torchvision does */
    GIG_LETTERBOX = 2 /* the whole picture, aspect ratio kept, padded with black */
} gig_fit;

/* The placement: scaled to (scaled_width, scaled_height), with its corner at (left, top) of the result. What falls
 * outside is cropped, the rest is black. */
typedef struct gig_placement {
    size_t from_width, from_height;
    size_t scaled_width, scaled_height;
    ptrdiff_t left, top; /* negative when cropped */
    size_t width, height;
} gig_placement;

/* `shorter` is for GIG_CROP only; 0: the larger of width and height, so that the crop is full. */
gig_status gig_placement_find(gig_placement *out, size_t from_width, size_t from_height, size_t width, size_t height,
                              gig_fit fit, size_t shorter);

/* The picture (or, with GIG_NEAREST, the mask) as placed. Its size must be the placement's from_width x from_height. */
gig_status gig_image_place(gig_image *out, const gig_image *image, const gig_placement *placement, gig_filter filter);

/* The box as placed: the edges xmin and xmax + 1 are scaled, rounded half up, moved and cut at the border (likewise y);
 * a box that rounds to nothing inside the picture keeps one pixel. Returns 0 if nothing of it is left, else 1. */
int gig_box_place(gig_box *out, const gig_box *box, const gig_placement *placement);

#endif
