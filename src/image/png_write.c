/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures to PNG, by libpng at its own settings. See jpeg.c for the rule about longjmp. */
#include "base/file.h"
#include "base/memory.h"
#include "image/encode.h"
#include <setjmp.h>
#include <string.h>

#include <png.h>

typedef struct session {
    png_structp png;
    png_infop info;
    const gig_image *image;
    int fast;
    uint8_t *data;
    size_t bytes, capacity;
    gig_status status;
} session;

static void fail_in_libpng(png_structp png, png_const_charp text)
{
    session *out = png_get_error_ptr(png);
    if (out->status == GIG_OK) out->status = gig_fail(GIG_EINTERNAL, "PNG: %s", text);
    png_longjmp(png, 1);
}

static void stay_silent(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void take_bytes(png_structp png, png_bytep from, size_t count)
{
    session *out = png_get_io_ptr(png);
    void *data = out->data;
    out->status = gig_grow(&data, &out->capacity, out->bytes + count, 1);
    out->data = data;
    if (out->status != GIG_OK) png_error(png, "out of memory");
    memcpy(out->data + out->bytes, from, count);
    out->bytes += count;
}

static void flush(png_structp png)
{
    (void)png;
}

static png_voidp give_memory(png_structp png, png_alloc_size_t count)
{
    session *out = png_get_mem_ptr(png);
    void *memory = gig_alloc(count, 1);
    if (!memory) out->status = gig_alloc_status();
    return memory;
}

static void take_memory(png_structp png, png_voidp memory)
{
    (void)png;
    gig_free(memory);
}

static gig_status write_rows(session *out)
{
    if (setjmp(png_jmpbuf(out->png))) return out->status;
    out->info = png_create_info_struct(out->png);
    if (!out->info) return out->status != GIG_OK ? out->status : gig_fail(GIG_ENOMEM, "PNG: out of memory");
    const gig_image *image = out->image;
    int colour = image->channels == 1   ? PNG_COLOR_TYPE_GRAY
                 : image->channels == 3 ? PNG_COLOR_TYPE_RGB
                                        : PNG_COLOR_TYPE_RGB_ALPHA;
    png_set_write_fn(out->png, out, take_bytes, flush);
    png_set_IHDR(out->png, out->info, (png_uint_32)image->width, (png_uint_32)image->height, 8, colour,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (out->fast) {
        png_set_filter(out->png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP);
        png_set_compression_level(out->png, 2);
    }
    png_write_info(out->png, out->info);
    for (size_t y = 0; y < image->height; y++)
        png_write_row(out->png, image->pixels + y * image->width * image->channels);
    png_write_end(out->png, NULL);
    return GIG_OK;
}

static gig_status encode(uint8_t **data, size_t *bytes, const gig_image *image, int fast)
{
    *data = NULL;
    *bytes = 0;
    if (!image->pixels || (image->channels != 1 && image->channels != 3 && image->channels != 4) ||
        image->width > 1000000 || image->height > 1000000)
        return gig_fail(GIG_EARG, "a picture of %zu x %zu x %zu cannot be written as PNG", image->width, image->height,
                        image->channels);
    session out = {.image = image, .fast = fast, .status = GIG_OK};
    out.png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &out, fail_in_libpng, stay_silent, &out, give_memory,
                                        take_memory);
    if (!out.png) return out.status != GIG_OK ? out.status : gig_fail(GIG_ENOMEM, "PNG: out of memory");
    gig_status status = write_rows(&out);
    png_destroy_write_struct(&out.png, &out.info);
    if (status == GIG_OK) {
        *data = out.data;
        *bytes = out.bytes;
    } else {
        gig_free(out.data);
    }
    return status;
}

gig_status gig_png_encode(uint8_t **data, size_t *bytes, const gig_image *image)
{
    return encode(data, bytes, image, 0);
}

gig_status gig_png_encode_fast(uint8_t **data, size_t *bytes, const gig_image *image)
{
    return encode(data, bytes, image, 1);
}

gig_status gig_image_write_png(const char *path, const gig_image *image, int force)
{
    uint8_t *data;
    size_t bytes;
    GIG_TRY(gig_png_encode(&data, &bytes, image));
    gig_status status = gig_file_write(path, data, bytes, force);
    gig_free(data);
    return status;
}
