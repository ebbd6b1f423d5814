/* SPDX-License-Identifier: Apache-2.0 */
/* Files that promise far more than they hold: each is refused before pixels are allocated, at the cost of its header.
 */
#include "golden.h"

/* Decodes and frees `data`; expects this status, one line, and less than 10 MB on the way. */
static void expect(gig_status wanted, uint8_t *data, size_t bytes, const gig_image_options *options, const char *text)
{
    gig_image seen;
    size_t before = gig_memory_used();
    gig_memory_reset_peak();
    gig_status status = gig_image_decode(&seen, data, bytes, options);
    if (status != wanted) fail_msg("%s: %s (%s)", text, gig_status_name(status), gig_message());
    assert_non_null(strstr(gig_message(), text));
    assert_null(seen.pixels);
    assert_true(gig_memory_peak() - before < 10000000);
    gig_free(data);
}

static void put_big_endian(uint8_t *at, size_t value, int width)
{
    for (int i = width - 1; i >= 0; i--, value >>= 8) at[i] = (uint8_t)value;
}

static uint8_t *png_of(size_t *bytes, const char *name, size_t width, size_t height)
{
    uint8_t *data = fixture(bytes, name);
    put_big_endian(data + 16, width, 4);
    put_big_endian(data + 20, height, 4);
    return data;
}

static void a_huge_png_is_refused(void **state)
{
    (void)state;
    size_t bytes;
    uint8_t *data = png_of(&bytes, "rgb.png", 20000, 20000);
    expect(GIG_ELIMIT, data, bytes, NULL, "at most 89478485 pixels");
    data = png_of(&bytes, "interlaced16.png", 20000, 20000);
    expect(GIG_ELIMIT, data, bytes, NULL, "PNG of 20000 x 20000");
    data = png_of(&bytes, "rgb.png", 65501, 1);
    expect(GIG_ELIMIT, data, bytes, NULL, "at most 65500 per side");
    data = png_of(&bytes, "rgb.png", 0x7fffffff, 0x7fffffff);
    expect(GIG_ELIMIT, data, bytes, NULL, "PNG of");
    data = png_of(&bytes, "rgb.png", 0, 10);
    expect(GIG_EFORMAT, data, bytes, NULL, "PNG of 0 x 10");
}

/* Within the limits, but deflate cannot have packed as much into so few bytes. */
static void a_png_too_small_for_its_size_is_refused(void **state)
{
    (void)state;
    size_t bytes;
    uint8_t *data = png_of(&bytes, "grey.png", 9000, 9000);
    expect(GIG_EFORMAT, data, bytes, NULL, "ends early");
}

/* The fixture with a chunk of `length` zeros behind its header. */
static uint8_t *png_with_chunk(size_t *bytes, const char *type, size_t length)
{
    size_t small;
    uint8_t *data = fixture(&small, "rgb.png"), *large = gig_alloc_zero(small + length + 12, 1);
    memcpy(large, data, 33);
    put_big_endian(large + 33, length, 4);
    memcpy(large + 37, type, 4);
    memcpy(large + 33 + 12 + length, data + 33, small - 33);
    *bytes = small + length + 12;
    gig_free(data);
    return large;
}

static void a_large_png_chunk_is_refused(void **state)
{
    (void)state;
    size_t bytes;
    const char *const types[] = {"zTXt", "iCCP", "prVt", "tEXt"};
    for (size_t i = 0; i < 4; i++) {
        uint8_t *data = png_with_chunk(&bytes, types[i], 8000001);
        expect(GIG_ELIMIT, data, bytes, NULL, "a chunk of 8000001 bytes");
    }
    uint8_t *data = png_with_chunk(&bytes, "tEXt", 2000);
    expect(GIG_ELIMIT, data, bytes, &(gig_image_options){.max_chunk = 1000}, "expected at most 1000");
}

/* A text that would unfold to 100,000 bytes is never unfolded: the whole decoding stays below that. */
static void texts_are_not_unpacked(void **state)
{
    (void)state;
    size_t bytes, before;
    uint8_t *data = fixture(&bytes, "with_text.png");
    gig_image seen;
    before = gig_memory_used();
    gig_memory_reset_peak();
    assert_int_equal(gig_image_decode(&seen, data, bytes, NULL), GIG_OK);
    assert_true(gig_memory_peak() - before < 100000);
    gig_image_clear(&seen);
    gig_free(data);
}

/* The frame header (SOF) of a JPEG: height and width behind its length and precision. */
static uint8_t *frame_header(uint8_t *data, size_t bytes)
{
    for (size_t i = 2; i + 9 < bytes;) {
        if (data[i + 1] >= 0xc0 && data[i + 1] <= 0xc2) return data + i;
        i += 2 + ((size_t)data[i + 2] << 8 | data[i + 3]);
    }
    fail_msg("no frame header");
    return NULL;
}

static uint8_t *jpeg_of(size_t *bytes, const char *name, size_t width, size_t height)
{
    uint8_t *data = fixture(bytes, name), *header = frame_header(data, *bytes);
    put_big_endian(header + 5, height, 2);
    put_big_endian(header + 7, width, 2);
    return data;
}

static void a_huge_jpeg_is_refused(void **state)
{
    (void)state;
    size_t bytes;
    uint8_t *data = jpeg_of(&bytes, "rgb444.jpg", 65500, 65500);
    expect(GIG_ELIMIT, data, bytes, NULL, "at most 89478485 pixels");
    data = jpeg_of(&bytes, "progressive.jpg", 20000, 20000);
    expect(GIG_ELIMIT, data, bytes, NULL, "JPEG of 20000 x 20000");
    data = jpeg_of(&bytes, "grey.jpg", 100, 100);
    expect(GIG_ELIMIT, data, bytes, &(gig_image_options){.max_side = 99}, "expected at most 99 per side");
    data = jpeg_of(&bytes, "grey.jpg", 8000, 8000);
    expect(GIG_EFORMAT, data, bytes, NULL, "ends early");
    data = jpeg_of(&bytes, "progressive.jpg", 8000, 8000);
    expect(GIG_EFORMAT, data, bytes, NULL, "ends early");
}

/* 122 bytes that ask for 9000 x 9000 pixels: arithmetic codes take less than a bit for a block, but not nothing. */
static void an_arithmetic_jpeg_too_small_for_its_size_is_refused(void **state)
{
    (void)state;
    uint8_t *data;
    size_t bytes;
    assert_ok(gig_file_read(&data, &bytes, source_path("tests/hostile/files/picture_arithmetic.jpg"), 1 << 20));
    expect(GIG_EFORMAT, data, bytes, NULL, "JPEG of 9000 x 9000: the file ends early");
}

/* The progressive fixture with its last scan repeated. */
static void a_thousand_scans_are_refused(void **state)
{
    (void)state;
    size_t bytes, start;
    uint8_t *data = fixture(&bytes, "grey_progressive.jpg");
    for (start = bytes - 2; !(data[start] == 0xff && data[start + 1] == 0xda);) start--;
    size_t scan = bytes - 2 - start, total = bytes + 1000 * scan;
    uint8_t *many = gig_alloc(total, 1);
    memcpy(many, data, start);
    for (size_t i = 0; i <= 1000; i++) memcpy(many + start + i * scan, data + start, scan);
    memcpy(many + total - 2, data + bytes - 2, 2);
    gig_free(data);
    expect(GIG_ELIMIT, many, total, NULL, "more than 100 scans");
}

static void an_option_raises_or_lowers_the_scans(void **state)
{
    (void)state;
    size_t bytes;
    uint8_t *data = fixture(&bytes, "progressive.jpg");
    expect(GIG_ELIMIT, data, bytes, &(gig_image_options){.max_scans = 2}, "more than 2 scans");
}

/* A lossless WebP keeps width - 1 and height - 1 in 14 bits each, behind its signature byte. */
static void a_huge_webp_is_refused(void **state)
{
    (void)state;
    size_t bytes;
    uint8_t *data = fixture(&bytes, "lossless.webp");
    assert_int_equal(data[20], 0x2f);
    memset(data + 21, 0xff, 3);
    data[24] = (uint8_t)(data[24] | 0x0f);
    expect(GIG_ELIMIT, data, bytes, NULL, "WebP of 16384 x 16384");
}

static void a_file_above_the_limit_is_refused(void **state)
{
    (void)state;
    size_t bytes;
    uint8_t *data = fixture(&bytes, "rgb.png");
    expect(GIG_ELIMIT, data, bytes, &(gig_image_options){.max_bytes = 1000}, "expected at most 1000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_huge_png_is_refused),
        cmocka_unit_test(a_png_too_small_for_its_size_is_refused),
        cmocka_unit_test(a_large_png_chunk_is_refused),
        cmocka_unit_test(texts_are_not_unpacked),
        cmocka_unit_test(a_huge_jpeg_is_refused),
        cmocka_unit_test(an_arithmetic_jpeg_too_small_for_its_size_is_refused),
        cmocka_unit_test(a_thousand_scans_are_refused),
        cmocka_unit_test(an_option_raises_or_lowers_the_scans),
        cmocka_unit_test(a_huge_webp_is_refused),
        cmocka_unit_test(a_file_above_the_limit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
