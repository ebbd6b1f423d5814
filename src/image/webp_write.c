/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures to WebP. The lossless settings are Pillow's for save(lossless=True, quality=100), because the length of that
 * file is the measure of information in SIC and AIC. */
#include "base/file.h"
#include "base/memory.h"
#include "image/encode.h"
#include "internal/image.h"
#include <stdio.h>
#include <string.h>

#include <webp/encode.h>
#include <webp/mux.h>

/* Where the encoder's bytes go: kept when `data` is wanted, else only counted. */
typedef struct sink {
    uint8_t *data;
    size_t bytes, capacity;
    int keep;
    gig_status status;
} sink;

static int take_bytes(const uint8_t *from, size_t count, const WebPPicture *picture)
{
    sink *to = picture->custom_ptr;
    if (to->keep) {
        void *data = to->data;
        to->status = gig_grow(&data, &to->capacity, to->bytes + count, 1);
        to->data = data;
        if (to->status != GIG_OK) return 0;
        memcpy(to->data + to->bytes, from, count);
    }
    to->bytes += count;
    return 1;
}

static gig_status status_of(const WebPPicture *picture)
{
    if (picture->error_code == VP8_ENC_ERROR_OUT_OF_MEMORY ||
        picture->error_code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY)
        return gig_fail(GIG_ENOMEM, "WebP: out of memory");
    return gig_fail(GIG_EINTERNAL, "WebP: the encoder failed (%d)", (int)picture->error_code);
}

/* Copies the pixels into the encoder's own picture, grey as RGB. */
static gig_status import_pixels(WebPPicture *picture, const gig_image *image)
{
    if (!image->pixels || (image->channels != 1 && image->channels != 3 && image->channels != 4) ||
        image->width > WEBP_MAX_DIMENSION || image->height > WEBP_MAX_DIMENSION)
        return gig_fail(GIG_EARG, "a picture of %zu x %zu x %zu cannot be written as WebP", image->width, image->height,
                        image->channels);
    if (!WebPPictureInit(picture))
        return gig_fail(GIG_EINTERNAL, "WebP: the installed libwebp does not match the one gig was built with");
    picture->use_argb = 1;
    picture->width = (int)image->width;
    picture->height = (int)image->height;
    if (image->channels == 1) {
        if (!WebPPictureAlloc(picture)) return status_of(picture);
        for (size_t i = 0; i < image->width * image->height; i++)
            picture->argb[i / image->width * (size_t)picture->argb_stride + i % image->width] =
                0xff000000u | 0x010101u * image->pixels[i];
        return GIG_OK;
    }
    int stride = (int)(image->width * image->channels);
    int done = image->channels == 3 ? WebPPictureImportRGB(picture, image->pixels, stride)
                                    : WebPPictureImportRGBA(picture, image->pixels, stride);
    return done ? GIG_OK : status_of(picture);
}

static gig_status encode(sink *to, const gig_image *image)
{
    WebPConfig config;
    WebPPicture picture;
    if (!WebPConfigInit(&config))
        return gig_fail(GIG_EINTERNAL, "WebP: the installed libwebp does not match the one gig was built with");
    config.lossless = 1;
    config.quality = 100;
    config.method = 4;
    config.exact = 0;
    memset(&picture, 0, sizeof picture);
    gig_status status = import_pixels(&picture, image);
    picture.writer = take_bytes;
    picture.custom_ptr = to;
    if (status == GIG_OK && !WebPEncode(&config, &picture))
        status = to->status != GIG_OK ? to->status : status_of(&picture);
    WebPPictureFree(&picture);
    return status;
}

gig_status gig_webp_encode(uint8_t **data, size_t *bytes, const gig_image *image)
{
    sink to = {.keep = 1, .status = GIG_OK};
    gig_status status = encode(&to, image);
    if (status != GIG_OK) {
        gig_free(to.data);
        to = (sink){0};
    }
    *data = to.data;
    *bytes = to.bytes;
    return status;
}

gig_status gig_webp_size(size_t *bytes, const gig_image *image)
{
    sink to = {.keep = 0, .status = GIG_OK};
    gig_status status = encode(&to, image);
    *bytes = status == GIG_OK ? to.bytes : 0;
    return status;
}

const char *gig_webp_version(void)
{
    static _Thread_local char text[16];
    int version = WebPGetEncoderVersion(); /* 0xMMmmrr */
    snprintf(text, sizeof text, "%d.%d.%d", version >> 16 & 255, version >> 8 & 255, version & 255);
    return text;
}

gig_status gig_image_write_webp(const char *path, const gig_image *image, int force)
{
    uint8_t *data;
    size_t bytes;
    GIG_TRY(gig_webp_encode(&data, &bytes, image));
    gig_status status = gig_file_write(path, data, bytes, force);
    gig_free(data);
    return status;
}

/* ---- films ---- */

struct gig_film {
    WebPAnimEncoder *encoder;
    size_t width, height, frames;
    int now; /* milliseconds since the start */
};

enum { FILM_QUALITY = 85, MAX_FRAME_MILLISECONDS = 60000, MAX_FILM_MILLISECONDS = 1 << 30 };

void gig_film_free(gig_film *film)
{
    if (!film) return;
    WebPAnimEncoderDelete(film->encoder);
    gig_free(film);
}

gig_status gig_film_create(gig_film **out, size_t width, size_t height)
{
    GIG_NEED(out);
    *out = NULL;
    if (!width || !height || width > WEBP_MAX_DIMENSION || height > WEBP_MAX_DIMENSION)
        return gig_fail(GIG_EARG, "a film of %zu x %zu cannot be written as WebP", width, height);
    gig_film *film = gig_alloc_zero(1, sizeof *film);
    if (!film) return gig_alloc_status();
    WebPAnimEncoderOptions options;
    film->width = width;
    film->height = height;
    if (WebPAnimEncoderOptionsInit(&options)) film->encoder = WebPAnimEncoderNew((int)width, (int)height, &options);
    if (!film->encoder) {
        gig_film_free(film);
        return gig_fail(GIG_ENOMEM, "WebP: out of memory");
    }
    *out = film;
    return GIG_OK;
}

static gig_status film_failure(const gig_film *film)
{
    return gig_fail(GIG_EINTERNAL, "WebP: %s", WebPAnimEncoderGetError(film->encoder));
}

gig_status gig_film_add(gig_film *film, const gig_image *image, unsigned milliseconds)
{
    GIG_NEED(film);
    if (image->width != film->width || image->height != film->height)
        return gig_fail(GIG_EARG, "a frame of %zu x %zu in a film of %zu x %zu", image->width, image->height,
                        film->width, film->height);
    if (!milliseconds || milliseconds > MAX_FRAME_MILLISECONDS || film->now > MAX_FILM_MILLISECONDS)
        return gig_fail(GIG_EARG, "a frame of %u milliseconds", milliseconds);
    WebPConfig config;
    WebPPicture picture;
    if (!WebPConfigInit(&config))
        return gig_fail(GIG_EINTERNAL, "WebP: the installed libwebp does not match the one gig was built with");
    config.quality = FILM_QUALITY;
    memset(&picture, 0, sizeof picture);
    gig_status status = import_pixels(&picture, image);
    if (status == GIG_OK && !WebPAnimEncoderAdd(film->encoder, &picture, film->now, &config))
        status = film_failure(film);
    WebPPictureFree(&picture);
    if (status == GIG_OK) {
        film->now += (int)milliseconds;
        film->frames++;
    }
    return status;
}

gig_status gig_film_write(const char *path, gig_film *film, int force)
{
    GIG_NEED(film);
    WebPData whole;
    if (!film->frames) return gig_fail(GIG_EARG, "a film without a frame");
    WebPDataInit(&whole);
    if (!WebPAnimEncoderAdd(film->encoder, NULL, film->now, NULL) || !WebPAnimEncoderAssemble(film->encoder, &whole))
        return film_failure(film);
    gig_status status = gig_file_write(path, whole.bytes, whole.size, force);
    WebPDataClear(&whole);
    return status;
}
