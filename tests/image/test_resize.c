/* SPDX-License-Identifier: Apache-2.0 */
/* Resizing against Pillow, scikit-image and PyTorch, and the geometry of placements. */
#include "base/status.h"
#include "golden.h"
#include "image/resize.h"
#include "internal/image.h"

#define RESIZED "image_resize.npz"
#define MAPS    "image_maps.npz"

static const char *const inputs[] = {"in0", "in1"};
static const size_t sizes[][2] = {{1, 1}, {5, 3}, {16, 16}, {29, 37}, {37, 29}, {37, 20}, {64, 7}, {7, 50}, {2, 60}};

static void resize_like(const char *kind, gig_filter filter)
{
    for (size_t i = 0; i < 2; i++) {
        gig_image in = golden_image(RESIZED, inputs[i]);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            char name[64];
            snprintf(name, sizeof name, "%s_%s_%zux%zu", kind, inputs[i], sizes[s][0], sizes[s][1]);
            gig_image wanted = golden_image(RESIZED, name), out;
            assert_int_equal(gig_image_resize(&out, &in, sizes[s][0], sizes[s][1], filter), GIG_OK);
            assert_same_image(&out, &wanted, name);
            gig_image_clear(&out);
            gig_image_clear(&wanted);
        }
        gig_image_clear(&in);
    }
}

static void bilinear_gives_the_bytes_of_pillow(void **state)
{
    (void)state;
    resize_like("resize_bilinear", GIG_BILINEAR);
}

static void bicubic_gives_the_bytes_of_pillow(void **state)
{
    (void)state;
    resize_like("resize_bicubic", GIG_BICUBIC);
}

static void crop_gives_the_bytes_of_torchvision(void **state)
{
    (void)state;
    const size_t crops[][3] = {{16, 12, 12}, {20, 16, 18}, {29, 29, 29}, {10, 24, 16},
                               {33, 20, 20}, {17, 17, 12}, {17, 18, 12}};
    for (size_t i = 0; i < 2; i++) {
        gig_image in = golden_image(RESIZED, inputs[i]);
        for (size_t c = 0; c < sizeof crops / sizeof *crops; c++) {
            char name[64];
            snprintf(name, sizeof name, "crop_%s_%zu_%zux%zu", inputs[i], crops[c][0], crops[c][1], crops[c][2]);
            gig_image wanted = golden_image(RESIZED, name), out;
            gig_placement at;
            assert_int_equal(
                gig_placement_find(&at, in.width, in.height, crops[c][1], crops[c][2], GIG_CROP, crops[c][0]), GIG_OK);
            assert_int_equal(gig_image_place(&out, &in, &at, GIG_BILINEAR), GIG_OK);
            assert_same_image(&out, &wanted, name);
            gig_image_clear(&out);
            gig_image_clear(&wanted);
        }
        gig_image_clear(&in);
    }
}

static void letterbox_keeps_proportions_and_blackens_the_rest(void **state)
{
    (void)state;
    gig_image in, out;
    gig_placement at;
    assert_int_equal(gig_image_create(&in, 40, 20, 3), GIG_OK);
    memset(in.pixels, 200, 40 * 20 * 3);
    assert_int_equal(gig_placement_find(&at, 40, 20, 16, 16, GIG_LETTERBOX, 0), GIG_OK);
    assert_int_equal(at.scaled_width, 16);
    assert_int_equal(at.scaled_height, 8);
    assert_int_equal(at.left, 0);
    assert_int_equal(at.top, 4);
    assert_int_equal(gig_image_place(&out, &in, &at, GIG_BICUBIC), GIG_OK);
    for (size_t y = 0; y < 16; y++)
        for (size_t k = 0; k < 48; k++) assert_int_equal(out.pixels[y * 48 + k], y >= 4 && y < 12 ? 200 : 0);
    gig_image_clear(&out);
    gig_image_clear(&in);
}

static void crops_a_long_strip_without_making_all_of_it(void **state)
{
    (void)state;
    gig_image in, out;
    gig_placement at;
    assert_int_equal(gig_image_create(&in, 60000, 2, 3), GIG_OK);
    assert_int_equal(gig_placement_find(&at, 60000, 2, 224, 224, GIG_CROP, 256), GIG_OK);
    assert_int_equal(at.scaled_width, 7680000);
    gig_memory_reset_peak();
    size_t before = gig_memory_used();
    assert_int_equal(gig_image_place(&out, &in, &at, GIG_BILINEAR), GIG_OK);
    assert_true(gig_memory_peak() - before < 2000000);
    gig_image_clear(&out);
    gig_image_clear(&in);
}

static void what_lies_outside_leaves_black(void **state)
{
    (void)state;
    gig_image in, out;
    gig_placement at;
    assert_int_equal(gig_image_create(&in, 4, 4, 3), GIG_OK);
    memset(in.pixels, 255, 48);
    assert_int_equal(gig_placement_find(&at, 4, 4, 2, 2, GIG_SQUASH, 0), GIG_OK);
    at.left = 2;
    assert_int_equal(gig_image_place(&out, &in, &at, GIG_BILINEAR), GIG_OK);
    for (int i = 0; i < 12; i++) assert_int_equal(out.pixels[i], 0);
    gig_image_clear(&out);
    at.left = PTRDIFF_MIN;
    assert_int_equal(gig_image_place(&out, &in, &at, GIG_BILINEAR), GIG_ELIMIT);
    gig_image_clear(&in);
}

static void boxes_follow_the_picture(void **state)
{
    (void)state;
    gig_placement at;
    gig_box box;
    /* 500 x 400 squashed to 100 x 200: the edges 100 and 300 go to 20 and 60, 50 and 250 to 25 and 125. */
    assert_int_equal(gig_placement_find(&at, 500, 400, 100, 200, GIG_SQUASH, 0), GIG_OK);
    assert_int_equal(gig_box_place(&box, &(gig_box){100, 50, 299, 249}, &at), 1);
    assert_memory_equal(&box, (&(gig_box){20, 25, 59, 124}), sizeof box);
    /* The whole picture stays the whole picture; a box that reaches outside is cut. */
    assert_int_equal(gig_box_place(&box, &(gig_box){-5, 0, 600, 399}, &at), 1);
    assert_memory_equal(&box, (&(gig_box){0, 0, 99, 199}), sizeof box);
    /* One source pixel, a fifth of ours, keeps one. */
    assert_int_equal(gig_box_place(&box, &(gig_box){7, 7, 7, 7}, &at), 1);
    assert_memory_equal(&box, (&(gig_box){1, 4, 1, 3}), sizeof box.xmin);
    assert_int_equal(box.xmax, 1);
    assert_int_equal(gig_box_place(&box, &(gig_box){600, 0, 700, 10}, &at), 0);
    /* 400 x 200 to shorter side 100, centre 100 x 100: 50 columns are cut on either side. */
    assert_int_equal(gig_placement_find(&at, 400, 200, 100, 100, GIG_CROP, 100), GIG_OK);
    assert_int_equal(at.left, -50);
    assert_int_equal(gig_box_place(&box, &(gig_box){90, 20, 119, 39}, &at), 1);
    assert_memory_equal(&box, (&(gig_box){0, 10, 9, 19}), sizeof box);
    assert_int_equal(gig_box_place(&box, &(gig_box){0, 0, 99, 199}, &at), 0);
    /* Letterboxed to 100 x 100: half size, 25 rows down. */
    assert_int_equal(gig_placement_find(&at, 200, 100, 100, 100, GIG_LETTERBOX, 0), GIG_OK);
    assert_int_equal(gig_box_place(&box, &(gig_box){0, 0, 199, 99}, &at), 1);
    assert_memory_equal(&box, (&(gig_box){0, 25, 99, 74}), sizeof box);
}

static void a_box_covers_what_its_mask_covers(void **state)
{
    (void)state;
    const gig_fit fits[] = {GIG_SQUASH, GIG_CROP, GIG_LETTERBOX};
    for (size_t f = 0; f < 3; f++) {
        gig_image mask, out;
        gig_placement at;
        gig_box box = {20, 10, 59, 69}, placed;
        assert_int_equal(gig_image_create(&mask, 120, 90, 1), GIG_OK);
        for (size_t y = 10; y < 70; y++) memset(mask.pixels + y * 120 + 20, 255, 40);
        assert_int_equal(gig_placement_find(&at, 120, 90, 48, 48, fits[f], 60), GIG_OK);
        assert_int_equal(gig_image_place(&out, &mask, &at, GIG_NEAREST), GIG_OK);
        assert_int_equal(gig_box_place(&placed, &box, &at), 1);
        for (int64_t y = 0; y < 48; y++)
            for (int64_t x = 0; x < 48; x++) {
                int inside = x >= placed.xmin && x <= placed.xmax && y >= placed.ymin && y <= placed.ymax;
                assert_int_equal(out.pixels[y * 48 + x], inside ? 255 : 0);
            }
        gig_image_clear(&out);
        gig_image_clear(&mask);
    }
}

static const size_t map_sizes[][2] = {{8, 8}, {15, 30}, {31, 9}, {4, 22}, {20, 25}};

static void maps_are_resized_as_by_torch(void **state)
{
    (void)state;
    const struct {
        const char *word;
        gig_filter filter;
    } kinds[] = {{"bilinear", GIG_BILINEAR}, {"bicubic", GIG_BICUBIC}};
    gig_tensor in = golden(MAPS, "in");
    for (size_t k = 0; k < 2; k++)
        for (size_t s = 0; s < sizeof map_sizes / sizeof *map_sizes; s++) {
            char name[64];
            snprintf(name, sizeof name, "%s_%zux%zu", kinds[k].word, map_sizes[s][0], map_sizes[s][1]);
            gig_tensor wanted = golden(MAPS, name), out;
            assert_int_equal(gig_tensor_create(&out, GIG_FLOAT32, 3, wanted.dims), GIG_OK);
            assert_int_equal(gig_resize_map(out.real, map_sizes[s][0], map_sizes[s][1], in.real,
                                            (gig_map_size){15, 22, 3}, kinds[k].filter),
                             GIG_OK);
            assert_near(out.real, &wanted, 1e-6, name);
            gig_tensor_clear(&out);
            gig_tensor_clear(&wanted);
        }
    gig_tensor_clear(&in);
}

static void a_row_of_two_is_clamped_at_its_border(void **state)
{
    (void)state;
    const float in[2] = {0, 1};
    float out[4];
    assert_int_equal(gig_resize_map(out, 1, 4, in, (gig_map_size){1, 2, 1}, GIG_BILINEAR), GIG_OK);
    assert_true(out[0] == 0 && out[1] == 0.25f && out[2] == 0.75f && out[3] == 1);
}

static void splines_are_those_of_scikit_image(void **state)
{
    (void)state;
    gig_tensor in = golden(MAPS, "in");
    size_t count = gig_tensor_count(&in);
    double *wide = gig_alloc(count, sizeof *wide), *out = gig_alloc(31 * 30 * 3, sizeof *out);
    for (size_t i = 0; i < count; i++) wide[i] = in.real[i];
    for (size_t s = 0; s < sizeof map_sizes / sizeof *map_sizes; s++) {
        char name[64];
        snprintf(name, sizeof name, "spline_%zux%zu", map_sizes[s][0], map_sizes[s][1]);
        gig_tensor wanted = golden(MAPS, name);
        assert_int_equal(gig_resize_spline(out, map_sizes[s][0], map_sizes[s][1], wide, (gig_map_size){15, 22, 3}),
                         GIG_OK);
        for (size_t i = 0; i < gig_tensor_count(&wanted); i++) {
            float seen = (float)out[i];
            if (fabsf(seen - wanted.real[i]) > 1e-6f)
                fail_msg("%s: value %zu is %.9g, not %.9g", name, i, (double)seen, (double)wanted.real[i]);
        }
        gig_tensor_clear(&wanted);
    }
    gig_free(out);
    gig_free(wide);
    gig_tensor_clear(&in);
}

static void labels_and_masks_are_resized_as_by_scikit_image(void **state)
{
    (void)state;
    gig_tensor in = golden(MAPS, "labels");
    int32_t labels[15 * 22], out[31 * 30];
    uint8_t bytes[15 * 22];
    for (size_t i = 0; i < 15 * 22; i++) bytes[i] = (uint8_t)(labels[i] = (int32_t)in.whole[i]);
    gig_image mask = {22, 15, 1, bytes}, resized;
    for (size_t s = 0; s < sizeof map_sizes / sizeof *map_sizes; s++) {
        char name[64];
        snprintf(name, sizeof name, "labels_%zux%zu", map_sizes[s][0], map_sizes[s][1]);
        gig_tensor wanted = golden(MAPS, name);
        gig_resize_labels(out, map_sizes[s][0], map_sizes[s][1], labels, 15, 22);
        assert_int_equal(gig_image_resize(&resized, &mask, map_sizes[s][1], map_sizes[s][0], GIG_NEAREST), GIG_OK);
        for (size_t i = 0; i < gig_tensor_count(&wanted); i++) {
            assert_int_equal(out[i], wanted.whole[i]);
            assert_int_equal(resized.pixels[i], wanted.whole[i]);
        }
        gig_image_clear(&resized);
        gig_tensor_clear(&wanted);
    }
    gig_tensor_clear(&in);
}

static void pixels_go_to_floats_and_back(void **state)
{
    (void)state;
    gig_image image, back;
    float pixels[16 * 16];
    assert_int_equal(gig_image_create(&image, 16, 16, 1), GIG_OK);
    for (int i = 0; i < 256; i++) image.pixels[i] = (uint8_t)i;
    gig_image_to_pixels(pixels, &image);
    assert_true(pixels[0] == 0 && pixels[255] == 1 && pixels[51] == 0.2f);
    assert_int_equal(gig_image_from_pixels(&back, pixels, 16, 16, 1), GIG_OK);
    assert_same_image(&back, &image, "back");
    gig_image_clear(&back);
    gig_image_clear(&image);
    const float odd[4] = {-3, 7, NAN, 0.5f};
    assert_int_equal(gig_image_from_pixels(&back, odd, 2, 2, 1), GIG_OK);
    assert_memory_equal(back.pixels, ((const uint8_t[]){0, 255, 0, 128}), 4);
    gig_image_clear(&back);
}

static void rejects_invalid_sizes(void **state)
{
    (void)state;
    gig_image image = {0}, out;
    gig_placement at;
    assert_int_equal(gig_image_create(&out, 0, 5, 3), GIG_EARG);
    assert_int_equal(gig_image_create(&out, 5, 5, 2), GIG_EARG);
    assert_int_equal(gig_image_create(&out, 65500, 65500, 3), GIG_ELIMIT);
    assert_int_equal(gig_image_create(&out, SIZE_MAX, SIZE_MAX, 3), GIG_ELIMIT);
    assert_int_equal(gig_image_resize(&out, &image, 5, 5, GIG_BILINEAR), GIG_EARG);
    for (int i = 0; i < 4; i++) { /* a side that is none, and one that is too long */
        size_t sides[2][4] = {{5, 5, 5, 5}, {5, 5, 5, 5}};
        sides[0][i] = 0;
        sides[1][i] = ((size_t)1 << 30) + 1;
        for (int k = 0; k < 2; k++)
            assert_int_equal(gig_placement_find(&at, sides[k][0], sides[k][1], sides[k][2], sides[k][3], GIG_SQUASH, 0),
                             GIG_EARG);
    }
    assert_int_equal(gig_placement_find(&at, 5, 5, 5, 5, GIG_CROP, ((size_t)1 << 30) + 1), GIG_EARG);
    assert_int_equal(gig_placement_find(&at, 5, 5, 5, 5, (gig_fit)9, 0), GIG_EARG);
    gig_image_clear(NULL);
    uint8_t pixels[6] = {0};
    assert_int_equal(gig_placement_find(&at, 2, 1, 5, 5, GIG_SQUASH, 0), GIG_OK);
    const gig_image others[] = {{1, 2, 3, pixels}, {2, 1, 3, NULL}, {1, 1, 3, pixels}};
    for (size_t i = 0; i < 3; i++) assert_int_equal(gig_image_place(&out, &others[i], &at, GIG_BILINEAR), GIG_EARG);
}

static void a_strip_in_a_letterbox_is_a_pixel_thick_at_least(void **state)
{
    (void)state;
    gig_placement at;
    assert_int_equal(gig_placement_find(&at, 1000, 1, 10, 10, GIG_LETTERBOX, 0), GIG_OK);
    assert_int_equal(at.scaled_width, 10);
    assert_int_equal(at.scaled_height, 1);
    assert_int_equal(at.top, 4);
    assert_int_equal(gig_placement_find(&at, 1, 1000, 10, 10, GIG_LETTERBOX, 0), GIG_OK);
    assert_int_equal(at.scaled_width, 1);
    assert_int_equal(at.left, 4);
}

static gig_status place_a_picture(void)
{
    uint8_t pixels[20 * 10] = {0};
    gig_image image = {20, 10, 1, pixels}, out;
    gig_placement at;
    GIG_TRY(gig_placement_find(&at, 20, 10, 8, 8, GIG_CROP, 0));
    gig_status status = gig_image_place(&out, &image, &at, GIG_BICUBIC);
    gig_image_clear(&out);
    return status;
}

static gig_status resize_a_map(void)
{
    const float in[4] = {0, 1, 2, 3};
    float out[9];
    return gig_resize_map(out, 3, 3, in, (gig_map_size){2, 2, 1}, GIG_BILINEAR);
}

static gig_status resize_by_spline(void)
{
    const double in[36] = {0};
    double out[4];
    return gig_resize_spline(out, 2, 2, in, (gig_map_size){6, 6, 1});
}

static void gives_back_memory_when_it_runs_out(void **state)
{
    (void)state;
    gig_status (*const bodies[])(void) = {place_a_picture, resize_a_map, resize_by_spline};
    for (size_t b = 0; b < 3; b++) {
        size_t before = gig_memory_used(), at = 0;
        for (gig_status status = GIG_ENOMEM; status != GIG_OK; at++) {
            gig_memory_fail_at(at, 0);
            status = bodies[b]();
            if (status != GIG_OK) assert_int_equal(status, GIG_ENOMEM);
            assert_int_equal(gig_memory_used(), before);
        }
        gig_memory_fail_at(SIZE_MAX, 0);
        assert_true(at > 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bilinear_gives_the_bytes_of_pillow),
        cmocka_unit_test(bicubic_gives_the_bytes_of_pillow),
        cmocka_unit_test(crop_gives_the_bytes_of_torchvision),
        cmocka_unit_test(letterbox_keeps_proportions_and_blackens_the_rest),
        cmocka_unit_test(crops_a_long_strip_without_making_all_of_it),
        cmocka_unit_test(what_lies_outside_leaves_black),
        cmocka_unit_test(boxes_follow_the_picture),
        cmocka_unit_test(a_box_covers_what_its_mask_covers),
        cmocka_unit_test(maps_are_resized_as_by_torch),
        cmocka_unit_test(a_row_of_two_is_clamped_at_its_border),
        cmocka_unit_test(splines_are_those_of_scikit_image),
        cmocka_unit_test(labels_and_masks_are_resized_as_by_scikit_image),
        cmocka_unit_test(pixels_go_to_floats_and_back),
        cmocka_unit_test(rejects_invalid_sizes),
        cmocka_unit_test(a_strip_in_a_letterbox_is_a_pixel_thick_at_least),
        cmocka_unit_test(gives_back_memory_when_it_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
