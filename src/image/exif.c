/* SPDX-License-Identifier: Apache-2.0 */
/* EXIF orientation: found in the TIFF structure that cameras put into a picture, and applied. */
#include "image/decode.h"
#include <string.h>

enum { ORIENTATION_TAG = 0x0112, SHORT_TYPE = 3, LONG_TYPE = 4 };

typedef struct tiff {
    const uint8_t *bytes;
    size_t count;
    int big_endian;
} tiff;

/* `width` (2 or 4) bytes at `at` as a number; 0 beyond the end. */
static uint32_t number(const tiff *in, size_t at, size_t width)
{
    uint32_t value = 0;
    if (at > in->count || in->count - at < width) return 0;
    for (size_t i = 0; i < width; i++) value = value << 8 | in->bytes[in->big_endian ? at + i : at + width - 1 - i];
    return value;
}

int gig_exif_orientation(gig_reader exif)
{
    if (exif.left >= 6 && memcmp(exif.at, "Exif\0\0", 6) == 0) gig_reader_take(&exif, 6);
    tiff in = {exif.at, exif.left, 0};
    if (in.count < 8) return 1;
    in.big_endian = in.bytes[0] == 'M';
    if ((in.bytes[0] != 'M' && in.bytes[0] != 'I') || in.bytes[1] != in.bytes[0] || number(&in, 2, 2) != 42) return 1;
    size_t directory = number(&in, 4, 4), entries = number(&in, directory, 2);
    for (size_t i = 0; i < entries; i++) {
        size_t entry = directory + 2 + 12 * i;
        uint32_t type = number(&in, entry + 2, 2);
        if (number(&in, entry, 2) != ORIENTATION_TAG || (type != SHORT_TYPE && type != LONG_TYPE)) continue;
        uint32_t value = number(&in, entry + 8, type == SHORT_TYPE ? 2 : 4);
        return value >= 1 && value <= 8 ? (int)value : 1;
    }
    return 1;
}

/* How the upright picture is read from the stored one: swapped sides first, then mirrored coordinates of the stored. */
typedef struct turn {
    int swap, mirror_x, mirror_y;
} turn;

static const turn turns[9] = {
    {0, 0, 0}, {0, 0, 0}, {0, 1, 0}, {0, 1, 1}, {0, 0, 1}, {1, 0, 0}, {1, 0, 1}, {1, 1, 1}, {1, 1, 0},
};

gig_status gig_image_orient(gig_image *image, int orientation)
{
    if (orientation < 2 || orientation > 8) return GIG_OK;
    turn by = turns[orientation];
    gig_image upright;
    size_t width = by.swap ? image->height : image->width, height = by.swap ? image->width : image->height;
    GIG_TRY(gig_image_reserve(&upright, width, height, image->channels));
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            size_t from_x = by.swap ? y : x, from_y = by.swap ? x : y;
            if (by.mirror_x) from_x = image->width - 1 - from_x;
            if (by.mirror_y) from_y = image->height - 1 - from_y;
            const uint8_t *from = image->pixels + (from_y * image->width + from_x) * image->channels;
            uint8_t *to = upright.pixels + (y * width + x) * image->channels;
            for (size_t c = 0; c < image->channels; c++) to[c] = from[c];
        }
    gig_image_clear(image);
    *image = upright;
    return GIG_OK;
}
