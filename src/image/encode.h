/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures to files in memory; free the bytes with gig_free. */
#ifndef GIG_IMAGE_ENCODE_H
#define GIG_IMAGE_ENCODE_H

#include "base/status.h"
#include "gig/image.h"

gig_status gig_png_encode(uint8_t **data, size_t *bytes, const gig_image *image);
/* Four times as fast for a file about a fifth larger (one filter, zlib level 2): sheets. */
gig_status gig_png_encode_fast(uint8_t **data, size_t *bytes, const gig_image *image);

/* Lossless, quality 100, method 4. Transparent pixels lose their colour (exact 0). */
gig_status gig_webp_encode(uint8_t **data, size_t *bytes, const gig_image *image);

#endif
