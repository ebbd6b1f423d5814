/* SPDX-License-Identifier: Apache-2.0 */
/* PNG by libpng. What is not needed for pixels (text, profiles, times) is skipped unread; transparency stays as alpha
 * for the caller; 16 bits become their high byte. libpng reports errors by longjmp: see jpeg.c for the rule. */
#include "base/memory.h"
#include "image/decode.h"
#include <setjmp.h>
#include <string.h>

#include <png.h>

typedef struct session {
    png_structp png;
    png_infop info;
    gig_reader bytes;
    const gig_image_options *options;
    gig_image *image;
    gig_status status;
    int passes;
} session;

enum { SIGNATURE_BYTES = 8, CHUNK_FRAME_BYTES = 12, HEADER_BYTES = 13 };

static size_t big_endian_32(const uint8_t *at)
{
    return (size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | at[3];
}

/* Largest number of bytes that one byte of a deflate stream can expand to. */
enum { DEFLATE_RATIO = 1032 };

/* Size from the header chunk; checks that the file can contain that many pixels. */
static gig_status check_header(const uint8_t *header, size_t file_bytes, const gig_image_options *options)
{
    static const uint8_t channels[7] = {1, 1, 3, 1, 2, 1, 4}; /* by colour type; types 1 and 5 do not exist */
    size_t width = big_endian_32(header), height = big_endian_32(header + 4);
    GIG_TRY(gig_image_check_size("PNG", width, height, options));
    size_t depth = header[8] <= 16 ? header[8] : 1, bits = depth * (header[9] < 7 ? channels[header[9]] : 1);
    if ((width * bits + 7) / 8 * height / DEFLATE_RATIO > file_bytes)
        return gig_fail(GIG_EFORMAT, "PNG of %zu x %zu: the file ends early", width, height);
    return GIG_OK;
}

/* Walks over the chunks before libpng does: header, limits, orientation. Damage is reported by libpng. */
static gig_status survey_chunks(int *orientation, gig_reader in, const gig_image_options *options)
{
    size_t file_bytes = in.left;
    gig_reader_take(&in, SIGNATURE_BYTES);
    while (in.left >= CHUNK_FRAME_BYTES) {
        size_t length = big_endian_32(in.at);
        const uint8_t *type = in.at + 4;
        int is_data = memcmp(type, "IDAT", 4) == 0;
        if (length > options->max_chunk && !is_data)
            return gig_fail(GIG_ELIMIT, "PNG: a chunk of %zu bytes, expected at most %zu", length, options->max_chunk);
        if (memcmp(type, "IEND", 4) == 0 || length > in.left - CHUNK_FRAME_BYTES) break;
        if (memcmp(type, "IHDR", 4) == 0 && length == HEADER_BYTES)
            GIG_TRY(check_header(in.at + 8, file_bytes, options));
        if (memcmp(type, "eXIf", 4) == 0) *orientation = gig_exif_orientation((gig_reader){in.at + 8, length});
        gig_reader_take(&in, length + CHUNK_FRAME_BYTES);
    }
    return GIG_OK;
}

/* ---- what libpng calls ---- */

static void fail_in_libpng(png_structp png, png_const_charp text)
{
    session *in = png_get_error_ptr(png);
    if (in->status == GIG_OK) in->status = gig_fail(GIG_EFORMAT, "PNG: %s", text);
    png_longjmp(png, 1);
}

static void stay_silent(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void give_bytes(png_structp png, png_bytep to, size_t count)
{
    session *in = png_get_io_ptr(png);
    const void *from = gig_reader_take(&in->bytes, count);
    if (!from) png_error(png, "the file ends early");
    memcpy(to, from, count);
}

static png_voidp give_memory(png_structp png, png_alloc_size_t count)
{
    session *in = png_get_mem_ptr(png);
    void *memory = gig_alloc(count, 1);
    if (!memory) in->status = gig_alloc_status();
    return memory;
}

static void take_memory(png_structp png, png_voidp memory)
{
    (void)png;
    gig_free(memory);
}

/* ---- decoding ---- */

static void ignore_what_is_no_pixel(png_structp png)
{
    static const png_byte names[] =
        "bKGD\0cHRM\0eXIf\0gAMA\0hIST\0iCCP\0iTXt\0oFFs\0pCAL\0pHYs\0sBIT\0sCAL\0sPLT\0sRGB\0"
        "sTER\0tEXt\0tIME\0zTXt";
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, 0);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, names, (int)(sizeof names / 5));
}

/* Everything to 8 bits per channel: grey, grey and alpha, RGB, or RGBA. */
static void choose_transformations(session *in)
{
    int colour = png_get_color_type(in->png, in->info);
    if (png_get_bit_depth(in->png, in->info) == 16) png_set_strip_16(in->png);
    if (colour == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(in->png);
    if (colour == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(in->png);
    if (png_get_valid(in->png, in->info, PNG_INFO_tRNS)) png_set_tRNS_to_alpha(in->png);
    in->passes = png_set_interlace_handling(in->png);
    png_read_update_info(in->png, in->info);
}

static gig_status read_rows(session *in)
{
    if (setjmp(png_jmpbuf(in->png))) return in->status;
    in->info = png_create_info_struct(in->png);
    if (!in->info) return in->status != GIG_OK ? in->status : gig_fail(GIG_ENOMEM, "PNG: out of memory");
    png_set_read_fn(in->png, in, give_bytes);
    png_set_user_limits(in->png, (png_uint_32)in->options->max_side, (png_uint_32)in->options->max_side);
    png_set_chunk_malloc_max(in->png, in->options->max_chunk);
    ignore_what_is_no_pixel(in->png);
    png_read_info(in->png, in->info);
    choose_transformations(in);
    size_t width = png_get_image_width(in->png, in->info), height = png_get_image_height(in->png, in->info);
    size_t channels = png_get_channels(in->png, in->info), length = png_get_rowbytes(in->png, in->info);
    if (channels < 1 || channels > 4 || length != width * channels)
        return gig_fail(GIG_EUNSUPPORTED, "PNG of %zu channels", channels);
    GIG_TRY(gig_image_reserve(in->image, width, height, channels));
    if (in->passes > 1) memset(in->image->pixels, 0, height * length);
    for (int pass = 0; pass < in->passes; pass++)
        for (size_t y = 0; y < height; y++) png_read_row(in->png, in->image->pixels + y * length, NULL);
    return GIG_OK;
}

gig_status gig_png_decode(gig_stored *out, gig_reader bytes, const gig_image_options *options)
{
    GIG_TRY(survey_chunks(&out->orientation, bytes, options));
    session in = {.bytes = bytes, .options = options, .image = &out->image, .status = GIG_OK};
    in.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &in, fail_in_libpng, stay_silent, &in, give_memory,
                                      take_memory);
    if (!in.png) return in.status != GIG_OK ? in.status : gig_fail(GIG_ENOMEM, "PNG: out of memory");
    gig_status status = read_rows(&in);
    png_destroy_read_struct(&in.png, &in.info, NULL);
    if (status != GIG_OK) gig_image_clear(&out->image);
    return status;
}
