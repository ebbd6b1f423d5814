/* SPDX-License-Identifier: Apache-2.0 */
/* JPEG by libjpeg-turbo, with Pillow's settings: the slow integer DCT and fancy upsampling, libjpeg's defaults.
 *
 * libjpeg reports errors by longjmp: everything that must survive the jump is in a struct of the caller's caller, and
 * the function that calls setjmp changes no variable of its own. */
#include "base/memory.h"
#include "image/decode.h"
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>
/* after jpeglib.h: the numbers of errors depend on JPEG_LIB_VERSION, which that sets (80 on Ubuntu) */
#include <jerror.h>

enum { MARKER_SOI = 0xd8, MARKER_EOI = 0xd9, MARKER_SOS = 0xda, MARKER_EXIF = 0xe1, MARKER_TEM = 0x01 };

typedef struct session {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    jmp_buf jump;
    gig_status status;
    int ended; /* libjpeg tried to read beyond the end */
    const gig_image_options *options;
    gig_reader bytes;
    gig_image *image;
} session;

/* ---- a look at the markers before libjpeg sees them ---- */

typedef struct survey {
    size_t scans;
    int orientation;
} survey;

/* Skips compressed data: to the next 0xff that begins a marker. */
static void skip_entropy(gig_reader *in)
{
    while (in->left) {
        const uint8_t *found = memchr(in->at, 0xff, in->left);
        gig_reader_take(in, found ? (size_t)(found - in->at) : in->left);
        if (in->left < 2) return;
        uint8_t next = in->at[1];
        if (next != 0 && next != 0xff && !(next >= 0xd0 && next <= 0xd7)) return;
        gig_reader_take(in, next == 0xff ? 1 : 2);
    }
}

/* The segment after a marker, without its length; empty if it does not fit. */
static gig_reader take_segment(gig_reader *in)
{
    gig_reader none = {in->at, 0};
    if (in->left < 2) return none;
    size_t length = (size_t)in->at[0] << 8 | in->at[1];
    if (length < 2 || length > in->left) {
        gig_reader_take(in, in->left);
        return none;
    }
    gig_reader_take(in, 2);
    return (gig_reader){gig_reader_take(in, length - 2), length - 2};
}

/* Counts scans up to one more than `most`, and finds the orientation. */
static survey survey_markers(gig_reader in, size_t most)
{
    survey found = {0, 1};
    int oriented = 0;
    while (in.left >= 2 && found.scans <= most) {
        uint8_t marker = in.at[1];
        if (in.at[0] != 0xff || marker == 0xff || marker == 0) {
            gig_reader_take(&in, 1);
            continue;
        }
        gig_reader_take(&in, 2);
        if (marker == MARKER_EOI) break;
        if (marker == MARKER_SOI || marker == MARKER_TEM || (marker >= 0xd0 && marker <= 0xd7)) continue;
        gig_reader segment = take_segment(&in);
        if (marker == MARKER_EXIF && !oriented && segment.left > 6 && memcmp(segment.at, "Exif\0\0", 6) == 0) {
            found.orientation = gig_exif_orientation(segment);
            oriented = 1;
        }
        if (marker == MARKER_SOS) {
            found.scans++;
            skip_entropy(&in);
        }
    }
    return found;
}

/* ---- what libjpeg calls ---- */

static gig_status status_of(int code)
{
    switch (code) {
    case JERR_OUT_OF_MEMORY: return GIG_ENOMEM;
    case JERR_BAD_PRECISION:
    case JERR_SOF_UNSUPPORTED:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_CCIR601_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_NOTIMPL:
    case JERR_NOT_COMPILED: return GIG_EUNSUPPORTED;
    default: return GIG_EFORMAT;
    }
}

static void leave(session *in, gig_status status)
{
    in->status = status;
    longjmp(in->jump, 1);
}

static void fail_in_libjpeg(j_common_ptr info)
{
    session *in = info->client_data;
    char text[JMSG_LENGTH_MAX];
    info->err->format_message(info, text);
    leave(in, gig_fail(status_of(info->err->msg_code), "JPEG: %s", text));
}

/* Warnings are ignored, as in Pillow (stray bytes, a damaged block), except for data that ends early. */
static void hear_message(j_common_ptr info, int level)
{
    session *in = info->client_data;
    if (level < 0 && in->ended) leave(in, gig_fail(GIG_EFORMAT, "JPEG: the file ends early"));
}

static void stay_silent(j_common_ptr info)
{
    (void)info;
}

static void do_nothing(j_decompress_ptr info)
{
    (void)info;
}

/* No bytes are left: supplies an end-of-image marker once, for files that lack only that. */
static boolean refill(j_decompress_ptr info)
{
    static const JOCTET end[2] = {0xff, MARKER_EOI};
    session *in = info->client_data;
    if (in->ended) leave(in, gig_fail(GIG_EFORMAT, "JPEG: the file ends early"));
    in->ended = 1;
    info->src->next_input_byte = end;
    info->src->bytes_in_buffer = sizeof end;
    return TRUE;
}

static void skip_input(j_decompress_ptr info, long count)
{
    if (count <= 0) return;
    struct jpeg_source_mgr *source = info->src;
    if ((size_t)count > source->bytes_in_buffer)
        leave(info->client_data, gig_fail(GIG_EFORMAT, "JPEG: the file ends early"));
    source->next_input_byte += count;
    source->bytes_in_buffer -= (size_t)count;
}

static gig_status too_many_scans(const gig_image_options *options)
{
    return gig_fail(GIG_ELIMIT, "JPEG: more than %zu scans", options->max_scans);
}

static void watch_scans(j_common_ptr info)
{
    session *in = info->client_data;
    if (in->info.input_scan_number > 0 && (size_t)in->info.input_scan_number > in->options->max_scans)
        leave(in, too_many_scans(in->options));
}

/* ---- decoding ---- */

static void connect(session *in)
{
    in->info.err = jpeg_std_error(&in->errors);
    in->errors.error_exit = fail_in_libjpeg;
    in->errors.emit_message = hear_message;
    in->errors.output_message = stay_silent;
    in->info.client_data = in;
}

static void attach_source(session *in)
{
    in->source = (struct jpeg_source_mgr){.next_input_byte = in->bytes.at,
                                          .bytes_in_buffer = in->bytes.left,
                                          .init_source = do_nothing,
                                          .fill_input_buffer = refill,
                                          .skip_input_data = skip_input,
                                          .resync_to_restart = jpeg_resync_to_restart,
                                          .term_source = do_nothing};
    in->info.src = &in->source;
    in->progress.progress_monitor = watch_scans;
    in->info.progress = &in->progress;
}

/* Size and colours, and whether there can be as many pixels as the header says: Huffman codes spend at least one bit on
 * every 8 x 8 block. */
static gig_status check_header(const session *in)
{
    const struct jpeg_decompress_struct *info = &in->info;
    GIG_TRY(gig_image_check_size("JPEG", info->image_width, info->image_height, in->options));
    if (info->num_components != 1 && info->num_components != 3 && info->num_components != 4)
        return gig_fail(GIG_EUNSUPPORTED, "JPEG of %d components", info->num_components);
    size_t blocks = ((size_t)info->image_width + 7) / 8 * (((size_t)info->image_height + 7) / 8);
    if (in->bytes.left < blocks / (info->arith_code ? 64 : 8))
        return gig_fail(GIG_EFORMAT, "JPEG of %u x %u: the file ends early", info->image_width, info->image_height);
    return GIG_OK;
}

static void choose_colours(struct jpeg_decompress_struct *info)
{
    info->out_color_space = info->num_components == 1 ? JCS_GRAYSCALE : info->num_components == 3 ? JCS_RGB : JCS_CMYK;
}

static gig_status decompress(session *in)
{
    if (setjmp(in->jump)) return in->status;
    jpeg_create_decompress(&in->info);
    attach_source(in);
    jpeg_read_header(&in->info, TRUE);
    GIG_TRY(check_header(in));
    choose_colours(&in->info);
    GIG_TRY(gig_image_reserve(in->image, in->info.image_width, in->info.image_height, (size_t)in->info.num_components));
    jpeg_start_decompress(&in->info);
    while (in->info.output_scanline < in->info.output_height) {
        JSAMPROW row = in->image->pixels + (size_t)in->info.output_scanline * in->image->width * in->image->channels;
        jpeg_read_scanlines(&in->info, &row, 1);
    }
    if (in->ended && jpeg_has_multiple_scans(&in->info))
        return gig_fail(GIG_EFORMAT, "JPEG: the file ends early, scans are missing");
    if (in->ended && in->info.arith_code) /* its decoder continues with zeros without an error */
        return gig_fail(GIG_EFORMAT, "JPEG: the file ends early");
    return GIG_OK;
}

/* Adobe's CMYK, stored inverted, to RGB as Pillow does: 255 - k, minus the share of the ink. In place, 4 bytes to 3. */
static void cmyk_to_rgb(gig_image *image)
{
    for (size_t i = 0; i < image->width * image->height; i++) {
        const uint8_t *from = image->pixels + 4 * i;
        unsigned light = from[3], rgb[3];
        for (size_t c = 0; c < 3; c++) {
            unsigned product = (255u - from[c]) * light + 128;
            unsigned share = (product + (product >> 8)) >> 8;
            rgb[c] = light > share ? light - share : 0;
        }
        for (size_t c = 0; c < 3; c++) image->pixels[3 * i + c] = (uint8_t)rgb[c];
    }
    image->channels = 3;
}

gig_status gig_jpeg_decode(gig_stored *out, gig_reader bytes, const gig_image_options *options)
{
    survey seen = survey_markers(bytes, options->max_scans);
    if (seen.scans > options->max_scans) return too_many_scans(options);
    out->orientation = seen.orientation;
    session *in = gig_alloc_zero(1, sizeof *in);
    if (!in) return gig_alloc_status();
    in->bytes = bytes;
    in->options = options;
    in->image = &out->image;
    connect(in);
    gig_status status = decompress(in);
    jpeg_destroy_decompress(&in->info);
    gig_free(in);
    if (status != GIG_OK)
        gig_image_clear(&out->image);
    else if (out->image.channels == 4)
        cmyk_to_rgb(&out->image);
    return status;
}
