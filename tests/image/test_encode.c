/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures written and read back, and the bytes of lossless WebP against Pillow's. */
#include "golden.h"
#include "image/encode.h"
#include "internal/image.h"
#include <webp/demux.h>

#define FILES       "image_files.npz"
#define GOLDEN_WEBP "1.2.4" /* that Pillow wrote those bytes with */

/* Another version of libwebp may pack the same pixels into other bytes. */
static void webp_has_the_bytes_of_pillow(void **state)
{
    (void)state;
    int major, minor, revision;
    assert_int_equal(sscanf(gig_webp_version(), "%d.%d.%d", &major, &minor, &revision), 3);
    if (strcmp(gig_webp_version(), GOLDEN_WEBP) != 0) {
        print_message("the golden bytes are of libwebp " GOLDEN_WEBP ", this is %s\n", gig_webp_version());
        skip();
    }
    const char *const names[][2] = {{"encode_rgb", "encode_rgb_webp"}, {"encode_grey", "encode_grey_webp"}};
    for (size_t i = 0; i < 2; i++) {
        gig_image image = golden_image(FILES, names[i][0]);
        gig_tensor wanted = golden(FILES, names[i][1]);
        uint8_t *data;
        size_t bytes, size;
        assert_int_equal(gig_webp_encode(&data, &bytes, &image), GIG_OK);
        assert_int_equal(bytes, gig_tensor_count(&wanted));
        for (size_t k = 0; k < bytes; k++) assert_int_equal(data[k], wanted.whole[k]);
        assert_int_equal(gig_webp_size(&size, &image), GIG_OK);
        assert_int_equal(size, bytes);
        gig_free(data);
        gig_tensor_clear(&wanted);
        gig_image_clear(&image);
    }
}

static void comes_back_from_either_file(void **state)
{
    (void)state;
    const char *png = temporary_path("back.png"), *webp = temporary_path("back.webp");
    gig_image image = golden_image(FILES, "encode_rgb"), back;
    assert_int_equal(gig_image_write_png(png, &image, 1), GIG_OK);
    assert_int_equal(gig_image_write_webp(webp, &image, 1), GIG_OK);
    assert_int_equal(gig_image_read(&back, png, NULL), GIG_OK);
    assert_same_image(&back, &image, "png");
    gig_image_clear(&back);
    assert_int_equal(gig_image_read(&back, webp, NULL), GIG_OK);
    assert_same_image(&back, &image, "webp");
    gig_image_clear(&back);
    assert_int_equal(gig_image_write_png(png, &image, 0), GIG_EIO);
    assert_non_null(strstr(gig_message(), png));
    gig_image_clear(&image);
}

static void writes_grey_and_alpha_too(void **state)
{
    (void)state;
    const char *path = temporary_path("grey.png");
    gig_image grey = golden_image(FILES, "encode_grey"), back, clear;
    assert_int_equal(gig_image_write_png(path, &grey, 1), GIG_OK);
    assert_int_equal(gig_image_read(&back, path, &(gig_image_options){.channels = 1}), GIG_OK);
    assert_same_image(&back, &grey, "grey");
    gig_image_clear(&back);
    gig_image_clear(&grey);
    /* Half opaque black over white is grey; fully transparent is white. */
    assert_int_equal(gig_image_create(&clear, 2, 1, 4), GIG_OK);
    clear.pixels[3] = 128;
    assert_int_equal(gig_image_write_png(path, &clear, 1), GIG_OK);
    assert_int_equal(gig_image_read(&back, path, NULL), GIG_OK);
    assert_memory_equal(back.pixels, ((const uint8_t[]){127, 127, 127, 255, 255, 255}), 6);
    gig_image_clear(&back);
    gig_image_clear(&clear);
}

static void a_film_plays_its_frames(void **state)
{
    (void)state;
    const char *path = temporary_path("film.webp");
    gig_film *film;
    gig_image frame = golden_image(FILES, "encode_rgb"), first;
    assert_int_equal(gig_film_create(&film, frame.width, frame.height), GIG_OK);
    assert_int_equal(gig_film_write(path, film, 1), GIG_EARG);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(gig_film_add(film, &frame, 40 + 10 * (unsigned)i), GIG_OK);
        for (size_t k = 0; k < frame.width * frame.height * 3; k++) frame.pixels[k] = (uint8_t)(255 - frame.pixels[k]);
    }
    assert_int_equal(gig_film_add(film, &(gig_image){1, 1, 3, frame.pixels}, 40), GIG_EARG);
    assert_int_equal(gig_film_add(film, &(gig_image){frame.width, 1, 3, frame.pixels}, 40), GIG_EARG);
    assert_int_equal(gig_film_add(film, &(gig_image){frame.width, frame.height, 2, frame.pixels}, 40), GIG_EARG);
    assert_int_equal(gig_film_add(film, &frame, 0), GIG_EARG);
    assert_int_equal(gig_film_add(film, &frame, 60001), GIG_EARG);
    assert_int_equal(gig_film_write(path, film, 1), GIG_OK);
    gig_film_free(film);
    gig_memory_fail_at(0, 0);
    assert_int_equal(gig_film_create(&film, 5, 5), GIG_ENOMEM);
    gig_memory_fail_at(SIZE_MAX, 0);
    assert_null(film);
    uint8_t *data;
    size_t bytes;
    assert_int_equal(gig_file_read(&data, &bytes, path, 1 << 20), GIG_OK);
    WebPDemuxer *demuxer = WebPDemux(&(WebPData){data, bytes});
    assert_non_null(demuxer);
    assert_int_equal(WebPDemuxGetI(demuxer, WEBP_FF_FRAME_COUNT), 3);
    assert_int_equal(WebPDemuxGetI(demuxer, WEBP_FF_LOOP_COUNT), 0);
    WebPIterator second;
    assert_true(WebPDemuxGetFrame(demuxer, 2, &second));
    assert_int_equal(second.duration, 50);
    WebPDemuxReleaseIterator(&second);
    WebPDemuxDelete(demuxer);
    assert_int_equal(gig_image_decode(&first, data, bytes, NULL), GIG_OK);
    assert_int_equal(first.width, frame.width);
    gig_image_clear(&first);
    gig_free(data);
    gig_image_clear(&frame);
}

static void refuses_what_a_file_cannot_hold(void **state)
{
    (void)state;
    gig_film *film;
    size_t bytes;
    uint8_t pixel[4] = {0}, *data;
    assert_int_equal(gig_webp_size(&bytes, &(gig_image){20000, 1, 3, pixel}), GIG_EARG);
    assert_int_equal(gig_png_encode(&data, &bytes, &(gig_image){1, 1, 2, pixel}), GIG_EARG);
    assert_int_equal(gig_png_encode(&data, &bytes, &(gig_image){0}), GIG_EARG);
    assert_int_equal(gig_webp_size(&bytes, &(gig_image){1, 20000, 3, pixel}), GIG_EARG);
    assert_int_equal(gig_webp_size(&bytes, &(gig_image){1, 1, 2, pixel}), GIG_EARG);
    assert_int_equal(gig_webp_encode(&data, &bytes, &(gig_image){0}), GIG_EARG);
    assert_null(data);
    assert_int_equal(bytes, 0);
    const size_t wrong[][2] = {{0, 5}, {5, 0}, {20000, 5}, {5, 20000}};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(gig_film_create(&film, wrong[i][0], wrong[i][1]), GIG_EARG);
        assert_null(film);
    }
    gig_film_free(NULL);
    gig_image one = {1, 1, 3, pixel};
    assert_int_equal(gig_image_write_png("/nowhere/at/all.png", &one, 0), GIG_EIO);
    assert_int_equal(gig_image_write_webp("/nowhere/at/all.webp", &one, 0), GIG_EIO);
}

static void gives_back_memory_when_it_runs_out(void **state)
{
    (void)state;
    gig_image image = golden_image(FILES, "encode_rgb");
    gig_status (*const encoders[])(uint8_t **, size_t *, const gig_image *) = {gig_png_encode, gig_webp_encode};
    for (size_t e = 0; e < 2; e++) {
        size_t before = gig_memory_used(), at = 0;
        gig_status status = GIG_ENOMEM;
        for (; status != GIG_OK; at++) {
            uint8_t *data;
            size_t bytes;
            gig_memory_fail_at(at, 0);
            status = encoders[e](&data, &bytes, &image);
            if (status != GIG_OK) assert_int_equal(status, GIG_ENOMEM);
            gig_free(data);
            assert_int_equal(gig_memory_used(), before);
        }
        gig_memory_fail_at(SIZE_MAX, 0);
        assert_true(at > 2);
    }
    gig_image_clear(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(webp_has_the_bytes_of_pillow),    cmocka_unit_test(comes_back_from_either_file),
        cmocka_unit_test(writes_grey_and_alpha_too),       cmocka_unit_test(a_film_plays_its_frames),
        cmocka_unit_test(refuses_what_a_file_cannot_hold), cmocka_unit_test(gives_back_memory_when_it_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
