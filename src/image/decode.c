/* SPDX-License-Identifier: Apache-2.0 */
/* Picture files to pixels: detects the format by its first bytes, checks limits, converts channels. */
#include "image/decode.h"
#include "base/memory.h"
#include "base/size.h"
#include <string.h>

static size_t given(size_t value, size_t otherwise)
{
    return value ? value : otherwise;
}

gig_status gig_image_complete_options(gig_image_options *out, const gig_image_options *options)
{
    *out = options ? *options : (gig_image_options)GIG_IMAGE_OPTIONS_INIT;
    out->channels = given(out->channels, 3);
    out->max_pixels = given(out->max_pixels, 89478485);
    out->max_side = given(out->max_side, 65500);
    out->max_scans = given(out->max_scans, 100);
    out->max_chunk = given(out->max_chunk, 8000000);
    out->max_bytes = given(out->max_bytes, (size_t)1 << 28);
    if (out->channels != 1 && out->channels != 3)
        return gig_fail(GIG_EARG, "channels %zu: pictures can be decoded to 1 or 3 channels", out->channels);
    return GIG_OK;
}

gig_status gig_image_check_size(const char *kind, size_t width, size_t height, const gig_image_options *options)
{
    size_t pixels;
    if (!width || !height) return gig_fail(GIG_EFORMAT, "%s of %zu x %zu pixels", kind, width, height);
    if (width > options->max_side || height > options->max_side)
        return gig_fail(GIG_ELIMIT, "%s of %zu x %zu pixels: expected at most %zu per side", kind, width, height,
                        options->max_side);
    if (!gig_size_multiply(&pixels, width, height) || pixels > options->max_pixels)
        return gig_fail(GIG_ELIMIT, "%s of %zu x %zu pixels: expected at most %zu pixels in total", kind, width, height,
                        options->max_pixels);
    return GIG_OK;
}

gig_status gig_image_reserve(gig_image *out, size_t width, size_t height, size_t channels)
{
    size_t count;
    *out = (gig_image){0};
    if (!gig_size_multiply(&count, width, height) || !gig_size_multiply(&count, count, channels) ||
        count > GIG_MAX_ELEMENTS)
        return gig_fail(GIG_ELIMIT, "a picture of %zu x %zu x %zu exceeds %zu values", width, height, channels,
                        GIG_MAX_ELEMENTS);
    uint8_t *pixels = gig_alloc(count, 1);
    if (!pixels) return gig_alloc_status();
    *out = (gig_image){width, height, channels, pixels};
    return GIG_OK;
}

/* A value with this opacity over a background, rounded to the nearest. */
static uint8_t over(unsigned ground, unsigned value, unsigned alpha)
{
    return (uint8_t)((value * alpha + ground * (255 - alpha) + 127) / 255);
}

/* Pillow's luma. */
static uint8_t luma(const uint8_t *rgb)
{
    return (uint8_t)((19595u * rgb[0] + 38470u * rgb[1] + 7471u * rgb[2] + 32768u) >> 16);
}

/* One pixel of 1 to 4 channels to 1 or 3. Pictures are composed over white. One channel is a mask, where white is the
 * object: transparent pixels do not belong to it, so masks are composed over black. */
static void convert_pixel(uint8_t *to, size_t wanted, const uint8_t *from, size_t channels)
{
    uint8_t rgb[3], ground = wanted == 3 ? 255 : 0;
    size_t colours = channels >= 3 ? 3 : 1;
    for (size_t c = 0; c < 3; c++) {
        uint8_t value = from[colours == 3 ? c : 0];
        rgb[c] = colours == channels ? value : over(ground, value, from[colours]);
    }
    if (wanted == 3)
        memcpy(to, rgb, 3);
    else
        to[0] = colours == 3 ? luma(rgb) : rgb[0];
}

static gig_status convert(gig_image *image, size_t wanted)
{
    if (image->channels == wanted) return GIG_OK;
    gig_image out;
    GIG_TRY(gig_image_reserve(&out, image->width, image->height, wanted));
    for (size_t i = 0; i < image->width * image->height; i++)
        convert_pixel(out.pixels + i * wanted, wanted, image->pixels + i * image->channels, image->channels);
    gig_image_clear(image);
    *image = out;
    return GIG_OK;
}

static int starts_with(gig_reader bytes, size_t at, const char *with, size_t count)
{
    return bytes.left >= at + count && memcmp(bytes.at + at, with, count) == 0;
}

/* Valid formats that are not supported, by their first bytes. */
static const char *foreign_format(gig_reader bytes)
{
    if (starts_with(bytes, 0, "GIF8", 4)) return "GIF";
    if (starts_with(bytes, 0, "BM", 2)) return "BMP";
    if (starts_with(bytes, 0, "II*\0", 4) || starts_with(bytes, 0, "MM\0*", 4)) return "TIFF";
    if (starts_with(bytes, 4, "ftypavif", 8)) return "AVIF";
    if (starts_with(bytes, 4, "ftyphei", 7) || starts_with(bytes, 4, "ftypmif1", 8)) return "HEIC";
    if (starts_with(bytes, 0, "\xff\x0a", 2) || starts_with(bytes, 4, "JXL ", 4)) return "JPEG XL";
    if (starts_with(bytes, 4, "jP  ", 4)) return "JPEG 2000";
    return NULL;
}

static gig_status decode_stored(gig_stored *out, gig_reader bytes, const gig_image_options *options)
{
    if (starts_with(bytes, 0, "\xff\xd8\xff", 3)) return gig_jpeg_decode(out, bytes, options);
    if (starts_with(bytes, 0, "\x89PNG\r\n\x1a\n", 8)) return gig_png_decode(out, bytes, options);
    if (starts_with(bytes, 0, "RIFF", 4) && starts_with(bytes, 8, "WEBP", 4))
        return gig_webp_decode(out, bytes, options);
    if (!bytes.left) return gig_fail(GIG_EFORMAT, "the file is empty");
    const char *foreign = foreign_format(bytes);
    if (foreign) return gig_fail(GIG_EUNSUPPORTED, "%s is not supported; expected JPEG, PNG or WebP", foreign);
    return gig_fail(GIG_EFORMAT, "not a JPEG, PNG or WebP file");
}

gig_status gig_image_decode(gig_image *out, const void *data, size_t bytes, const gig_image_options *options)
{
    *out = (gig_image){0};
    gig_image_options limits;
    GIG_TRY(gig_image_complete_options(&limits, options));
    if (bytes > limits.max_bytes)
        return gig_fail(GIG_ELIMIT, "the picture file has %zu bytes, expected at most %zu", bytes, limits.max_bytes);
    gig_stored stored = {.orientation = 1};
    GIG_TRY(decode_stored(&stored, (gig_reader){data, bytes}, &limits));
    gig_status status = convert(&stored.image, limits.channels);
    if (status == GIG_OK && !limits.no_orient) status = gig_image_orient(&stored.image, stored.orientation);
    if (status == GIG_OK)
        *out = stored.image;
    else
        gig_image_clear(&stored.image);
    return status;
}

gig_status gig_image_read(gig_image *out, const char *path, const gig_image_options *options)
{
    *out = (gig_image){0};
    gig_image_options limits;
    uint8_t *data = NULL;
    size_t bytes = 0;
    GIG_TRY(gig_image_complete_options(&limits, options));
    GIG_TRY(gig_file_read(&data, &bytes, path, limits.max_bytes));
    gig_status status = gig_image_decode(out, data, bytes, options);
    gig_free(data);
    return status == GIG_OK ? GIG_OK : gig_fail_in(status, "%s", path);
}
