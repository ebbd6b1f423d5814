/* SPDX-License-Identifier: Apache-2.0 */
/* Picture files of every kind against what Pillow, or our stated rules, say they hold. */
#include "golden.h"
#include "internal/image.h"

#include <stdio.h>

#include <jpeglib.h>

#define FILES "image_files.npz"

static const char *const names[] = {
    "rgb444.jpg",
    "rgb422.jpg",
    "rgb420.jpg",
    "rgb420_tiny.jpg",
    "optimised.jpg",
    "progressive.jpg",
    "grey.jpg",
    "grey_progressive.jpg",
    "cmyk.jpg",
    "trailing_bytes.jpg",
    "without_end_marker.jpg",
    "orientation1.jpg",
    "orientation2.jpg",
    "orientation3.jpg",
    "orientation4.jpg",
    "orientation5.jpg",
    "orientation6.jpg",
    "orientation7.jpg",
    "orientation8.jpg",
    "rgb.png",
    "grey.png",
    "rgba.png",
    "grey_alpha.png",
    "palette.png",
    "palette4.png",
    "palette1.png",
    "palette_alpha.png",
    "grey1.png",
    "grey2.png",
    "grey4.png",
    "rgb16.png",
    "grey16.png",
    "rgba16.png",
    "interlaced.png",
    "interlaced_grey.png",
    "interlaced16.png",
    "one_pixel_interlaced.png",
    "colour_key.png",
    "orientation6.png",
    "with_text.png",
    "animated.png",
    "lossy.webp",
    "lossless.webp",
    "lossy_alpha.webp",
    "lossless_alpha.webp",
    "orientation8.webp",
    "animated.webp",
};
enum { NAMES = sizeof names / sizeof *names };

static void holds_what_it_should_for_every_kind(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) {
        gig_image seen, wanted = golden_image(FILES, names[i]);
        if (gig_image_read(&seen, fixture_path(names[i]), NULL) != GIG_OK) fail_msg("%s", gig_message());
        assert_same_image(&seen, &wanted, names[i]);
        gig_image_clear(&wanted);
        gig_image_clear(&seen);
    }
}

static void leaves_a_picture_as_stored_when_asked(void **state)
{
    (void)state;
    const gig_image_options stored = {.no_orient = 1};
    gig_image seen, wanted = golden_image(FILES, "orientation1.jpg");
    for (int orientation = 2; orientation <= 8; orientation++) {
        char name[32];
        snprintf(name, sizeof name, "orientation%d.jpg", orientation);
        assert_int_equal(gig_image_read(&seen, fixture_path(name), &stored), GIG_OK);
        assert_same_image(&seen, &wanted, name);
        gig_image_clear(&seen);
    }
    gig_image_clear(&wanted);
}

static void a_mask_is_read_as_one_channel(void **state)
{
    (void)state;
    const gig_image_options grey = {.channels = 1};
    gig_image seen, wanted = golden_image(FILES, "grey.png");
    assert_int_equal(gig_image_read(&seen, fixture_path("grey.png"), &grey), GIG_OK);
    assert_int_equal(seen.channels, 1);
    for (size_t i = 0; i < seen.width * seen.height; i++) assert_int_equal(seen.pixels[i], wanted.pixels[3 * i]);
    gig_image_clear(&seen);
    gig_image_clear(&wanted);
    assert_int_equal(gig_image_read(&seen, fixture_path("grey.png"), &(gig_image_options){.channels = 2}), GIG_EARG);
}

/* Pillow's convert("L"), through a colour file of our own. */
static void colour_becomes_luma_as_in_pillow(void **state)
{
    (void)state;
    gig_image rgb = golden_image(FILES, "encode_rgb"), luma = golden_image(FILES, "luma"), seen;
    const char *path = temporary_path("luma.png");
    assert_int_equal(gig_image_write_png(path, &rgb, 1), GIG_OK);
    assert_int_equal(gig_image_read(&seen, path, &(gig_image_options){.channels = 1}), GIG_OK);
    assert_same_image(&seen, &luma, "luma");
    gig_image_clear(&seen);
    gig_image_clear(&luma);
    gig_image_clear(&rgb);
}

/* White, transparent to opaque: in a picture all of it is white, in a mask the object is where it is opaque. */
static void what_is_transparent_in_a_mask_is_black(void **state)
{
    (void)state;
    gig_image rgba, seen;
    const char *path = temporary_path("transparent.png");
    assert_int_equal(gig_image_create(&rgba, 3, 1, 4), GIG_OK);
    memcpy(rgba.pixels, (const uint8_t[]){255, 255, 255, 0, 255, 255, 255, 100, 255, 255, 255, 255}, 12);
    assert_int_equal(gig_image_write_png(path, &rgba, 1), GIG_OK);
    assert_int_equal(gig_image_read(&seen, path, &(gig_image_options){.channels = 1}), GIG_OK);
    assert_memory_equal(seen.pixels, ((const uint8_t[]){0, 100, 255}), 3);
    gig_image_clear(&seen);
    assert_int_equal(gig_image_read(&seen, path, NULL), GIG_OK);
    for (int i = 0; i < 9; i++) assert_int_equal(seen.pixels[i], 255);
    gig_image_clear(&seen);
    gig_image_clear(&rgba);
}

/* How many bytes at the end a file does not need: a JPEG's end marker, a PNG's closing chunk, what follows either. */
static size_t needless_bytes(const char *name)
{
    if (strcmp(name, "trailing_bytes.jpg") == 0) return 58;
    if (strcmp(name, "animated.png") == 0) return 1120;
    if (strcmp(name, "without_end_marker.jpg") == 0) return 0;
    if (strcmp(name, "progressive.jpg") == 0 || strcmp(name, "grey_progressive.jpg") == 0) return 0;
    return strstr(name, ".png") ? 12 : strstr(name, ".jpg") ? 2 : 0;
}

/* Every prefix is refused: no crash, one line, nothing kept. Each prefix is a block of its own, so that a sanitizer
 * sees a read beyond it. */
static void refuses_every_prefix(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) {
        size_t bytes, before;
        uint8_t *data = fixture(&bytes, names[i]);
        before = gig_memory_used();
        for (size_t length = 0; length < bytes; length++) {
            uint8_t *prefix = malloc(length ? length : 1);
            memcpy(prefix, data, length);
            gig_image seen;
            gig_status status = gig_image_decode(&seen, prefix, length, NULL);
            int whole = bytes - length <= needless_bytes(names[i]);
            if (whole != (status == GIG_OK)) fail_msg("%s cut at %zu: status %d", names[i], length, (int)status);
            if (status != GIG_OK) {
                assert_int_equal(status, GIG_EFORMAT);
                assert_null(seen.pixels);
                assert_null(strchr(gig_message(), '\n'));
            }
            gig_image_clear(&seen);
            assert_int_equal(gig_memory_used(), before);
            free(prefix);
        }
        gig_free(data);
    }
}

/* A picture of arithmetic codes, whose decoder continues with zeros where the data end. */
static void refuses_arithmetic_codes_that_end_early(void **state)
{
    (void)state;
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    unsigned char *data = NULL;
    unsigned long bytes = 0;
    info.err = jpeg_std_error(&errors);
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &data, &bytes);
    info.image_width = info.image_height = 40;
    info.input_components = 1;
    info.in_color_space = JCS_GRAYSCALE;
    jpeg_set_defaults(&info);
    info.arith_code = TRUE;
    jpeg_start_compress(&info, TRUE);
    for (unsigned y = 0; y < 40; y++) {
        JSAMPLE row[40];
        for (unsigned x = 0; x < 40; x++) row[x] = (JSAMPLE)(x * y * 7 + 13 * x);
        jpeg_write_scanlines(&info, &(JSAMPROW){row}, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    gig_image seen;
    assert_ok(gig_image_decode(&seen, data, bytes, NULL));
    gig_image_clear(&seen);
    for (size_t length = 0; length + 2 < bytes; length++)
        assert_status(gig_image_decode(&seen, data, length, NULL), GIG_EFORMAT);
    free(data);
}

/* One byte changed at every place: any status will do, but nothing else may happen. */
static void survives_every_changed_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) {
        size_t bytes;
        uint8_t *data = fixture(&bytes, names[i]);
        size_t before = gig_memory_used();
        for (size_t at = 0; at < bytes; at++) {
            uint8_t kept = data[at];
            gig_image seen;
            data[at] = (uint8_t)(kept ^ (1u << at % 8));
            gig_status status = gig_image_decode(&seen, data, bytes, &(gig_image_options){.max_pixels = 1000000});
            if (status != GIG_OK && status != GIG_EFORMAT && status != GIG_ELIMIT && status != GIG_EUNSUPPORTED)
                fail_msg("%s, byte %zu: %s (%s)", names[i], at, gig_status_name(status), gig_message());
            gig_image_clear(&seen);
            data[at] = kept;
        }
        assert_int_equal(gig_memory_used(), before);
        gig_free(data);
    }
}

static void gives_back_memory_when_it_runs_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) {
        size_t bytes;
        uint8_t *data = fixture(&bytes, names[i]);
        size_t before = gig_memory_used(), at = 0;
        gig_status status = GIG_ENOMEM;
        for (; status != GIG_OK; at++) {
            gig_image seen;
            gig_memory_fail_at(at, 0);
            status = gig_image_decode(&seen, data, bytes, NULL);
            if (status != GIG_OK) assert_int_equal(status, GIG_ENOMEM);
            gig_image_clear(&seen);
            assert_int_equal(gig_memory_used(), before);
        }
        gig_memory_fail_at(SIZE_MAX, 0);
        assert_true(at > 1);
        gig_free(data);
    }
}

/* A JPEG's frame header holds its kind and the bits of a sample. */
static void says_which_jpegs_it_cannot_read(void **state)
{
    (void)state;
    const struct {
        size_t at;
        uint8_t value;
        const char *what;
    } changes[] = {{1, 0xc3, "lossless"}, {4, 12, "12 bits"}};
    for (size_t i = 0; i < 2; i++) {
        size_t bytes, at = 2;
        uint8_t *data = fixture(&bytes, "rgb444.jpg");
        gig_image seen;
        while (data[at + 1] != 0xc0) at += 2 + ((size_t)data[at + 2] << 8 | data[at + 3]);
        data[at + changes[i].at] = changes[i].value;
        gig_status status = gig_image_decode(&seen, data, bytes, NULL);
        if (status != GIG_EUNSUPPORTED) fail_msg("%s: %s", changes[i].what, gig_message());
        gig_free(data);
    }
}

static void names_the_file_and_what_is_wrong_with_it(void **state)
{
    (void)state;
    gig_image seen;
    assert_int_equal(gig_image_read(&seen, "/nowhere/to/be/found.jpg", NULL), GIG_EIO);
    assert_non_null(strstr(gig_message(), "/nowhere/to/be/found.jpg"));
    assert_int_equal(gig_image_read(&seen, fixture_path("../image_files.npz"), NULL), GIG_EFORMAT);
    assert_non_null(strstr(gig_message(), "not a JPEG, PNG or WebP file"));
    assert_int_equal(gig_image_decode(&seen, "", 0, NULL), GIG_EFORMAT);
    assert_int_equal(gig_image_decode(&seen, "GIF89a", 6, NULL), GIG_EUNSUPPORTED);
    assert_non_null(strstr(gig_message(), "GIF"));
    assert_int_equal(gig_image_decode(&seen, "this is a text", 14, NULL), GIG_EFORMAT);
    assert_int_equal(gig_image_decode(&seen, "\xff\xd8\xff text as a JPEG", 19, NULL), GIG_EFORMAT);
}

static void knows_pictures_by_their_endings(void **state)
{
    (void)state;
    const char *yes[] = {"a.jpg", "A.JPEG", "x.y.png", "b.WebP"},
               *no[] = {"", "a", "jpg", ".jpg", ".hidden.png", "a.jpg~", "a.gif"};
    for (size_t i = 0; i < 4; i++) assert_true(gig_image_has_ending(yes[i]));
    for (size_t i = 0; i < 7; i++) assert_false(gig_image_has_ending(no[i]));
}

static void names_the_formats_that_it_does_not_read(void **state)
{
    (void)state;
    const struct {
        const char *name, *start;
    } formats[] = {{"BMP", "BM234567"},
                   {"TIFF", "II*\0"},
                   {"TIFF", "MM\0*"},
                   {"AVIF", "\0\0\0\x20"
                            "ftypavif"},
                   {"HEIC", "\0\0\0\x20"
                            "ftypheic"},
                   {"HEIC", "\0\0\0\x20"
                            "ftypmif1"},
                   {"JPEG XL", "\xff\x0a\x00\x00"},
                   {"JPEG XL", "\0\0\0\x0c"
                               "JXL "},
                   {"JPEG 2000", "\0\0\0\x0c"
                                 "jP  "}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        uint8_t file[16] = {0};
        gig_image seen;
        memcpy(file, formats[i].start, 4);
        if (!formats[i].start[0]) memcpy(file + 4, formats[i].start + 4, strlen(formats[i].start + 4));
        assert_int_equal(gig_image_decode(&seen, file, sizeof file, NULL), GIG_EUNSUPPORTED);
        assert_non_null(strstr(gig_message(), formats[i].name));
    }
}

/* An animation whose first frame lies elsewhere than its canvas has room for. */
static void refuses_a_frame_outside_its_canvas(void **state)
{
    (void)state;
    for (size_t field = 0; field < 2; field++) { /* x and y, halved: three bytes each */
        size_t bytes, at = 12;
        uint8_t *data = fixture(&bytes, "animated.webp");
        gig_image seen;
        while (at + 8 < bytes && memcmp(data + at, "ANMF", 4) != 0) at += 8 + ((size_t)data[at + 4] + 1) / 2 * 2;
        assert_true(at + 24 < bytes);
        data[at + 8 + 3 * field] = (uint8_t)(data[at + 8 + 3 * field] + 1);
        assert_int_equal(gig_image_decode(&seen, data, bytes, NULL), GIG_EFORMAT);
        assert_null(seen.pixels);
        gig_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_what_it_should_for_every_kind),
        cmocka_unit_test(leaves_a_picture_as_stored_when_asked),
        cmocka_unit_test(a_mask_is_read_as_one_channel),
        cmocka_unit_test(colour_becomes_luma_as_in_pillow),
        cmocka_unit_test(what_is_transparent_in_a_mask_is_black),
        cmocka_unit_test(refuses_every_prefix),
        cmocka_unit_test(refuses_arithmetic_codes_that_end_early),
        cmocka_unit_test(survives_every_changed_byte),
        cmocka_unit_test(gives_back_memory_when_it_runs_out),
        cmocka_unit_test(says_which_jpegs_it_cannot_read),
        cmocka_unit_test(names_the_file_and_what_is_wrong_with_it),
        cmocka_unit_test(knows_pictures_by_their_endings),
        cmocka_unit_test(names_the_formats_that_it_does_not_read),
        cmocka_unit_test(refuses_a_frame_outside_its_canvas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
