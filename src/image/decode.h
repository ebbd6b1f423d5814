/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the decoders, one per format: bytes in, pixels out in the file's own channels. */
#ifndef GIG_IMAGE_DECODE_H
#define GIG_IMAGE_DECODE_H

#include "base/file.h"
#include "base/status.h"
#include "gig/image.h"

/* A picture as stored: `image` has 1 (grey), 2 (grey, alpha), 3 or 4 channels; orientation is EXIF's, 1 to 8. */
typedef struct gig_stored {
    gig_image image;
    int orientation;
} gig_stored;

/* The options (NULL: none are given) with every default filled in. GIG_EARG for an unsupported number of channels. */
gig_status gig_image_complete_options(gig_image_options *out, const gig_image_options *options);

/* All limits of `options` are set. On failure *out holds nothing. */
gig_status gig_jpeg_decode(gig_stored *out, gig_reader bytes, const gig_image_options *options);
gig_status gig_png_decode(gig_stored *out, gig_reader bytes, const gig_image_options *options);
gig_status gig_webp_decode(gig_stored *out, gig_reader bytes, const gig_image_options *options);

/* GIG_ELIMIT, with a message, if a picture of this size is above the limits. */
gig_status gig_image_check_size(const char *kind, size_t width, size_t height, const gig_image_options *options);

/* Memory for a picture of a size that was checked, its pixels unset: pages that are never written cost nothing. */
gig_status gig_image_reserve(gig_image *out, size_t width, size_t height, size_t channels);

/* The orientation in an EXIF block (with or without "Exif\0\0" in front); 1 if there is no valid one. */
int gig_exif_orientation(gig_reader exif);

/* Turns a picture upright: `image` is replaced. */
gig_status gig_image_orient(gig_image *image, int orientation);

#endif
