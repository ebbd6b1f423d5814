/* SPDX-License-Identifier: Apache-2.0 */
/* Segments against scikit-image: golden scenes, its own small cases, and real pictures where they are at hand. */
#include "golden.h"
#include "image/segments.h"

#define SEGMENTS "image_segments.npz"

static const double scales[6] = {50, 100, 150, 250, 500, 1200};

static double *widen(const gig_tensor *tensor)
{
    double *wide = gig_alloc(gig_tensor_count(tensor), sizeof *wide);
    for (size_t i = 0; i < gig_tensor_count(tensor); i++) wide[i] = tensor->real[i];
    return wide;
}

static void compare_labels(const int32_t *seen, const gig_tensor *wanted, const char *name)
{
    for (size_t i = 0; i < gig_tensor_count(wanted); i++)
        if (seen[i] != wanted->whole[i])
            fail_msg("%s: pixel %zu is %d, not %d", name, i, seen[i], (int)wanted->whole[i]);
}

static void equals_scikit_image_at_all_six_scales(void **state)
{
    (void)state;
    enum { H = 56, W = 64 };
    gig_tensor in = golden(SEGMENTS, "in");
    double *picture = widen(&in);
    int32_t *labels = gig_alloc(6 * H * W, sizeof *labels);
    size_t segments[6];
    const gig_segments_options options = {.sigma = 0.8, .min_size = 20, .count = 6, .scales = scales};
    assert_int_equal(gig_segments_find(labels, segments, picture, H, W, 3, &options), GIG_OK);
    for (size_t s = 0; s < 6; s++) {
        char name[64];
        snprintf(name, sizeof name, "labels_%g", scales[s]);
        gig_tensor wanted = golden(SEGMENTS, name);
        compare_labels(labels + s * H * W, &wanted, name);
        gig_tensor_clear(&wanted);
    }
    gig_free(labels);
    gig_free(picture);
    gig_tensor_clear(&in);
}

static void equals_scikit_image_on_grey(void **state)
{
    (void)state;
    gig_tensor in = golden(SEGMENTS, "grey"), wanted = golden(SEGMENTS, "grey_labels");
    double *picture = widen(&in);
    int32_t labels[900];
    size_t segments;
    const gig_segments_options options = {.sigma = 0.5, .min_size = 5, .count = 1, .scales = &scales[1]};
    assert_int_equal(gig_segments_find(labels, &segments, picture, 30, 30, 1, &options), GIG_OK);
    compare_labels(labels, &wanted, "grey");
    gig_free(picture);
    gig_tensor_clear(&wanted);
    gig_tensor_clear(&in);
}

/* scikit-image's own cases: quadrants of a 20 x 21 picture. */
static void finds_quadrants_in_raster_order(void **state)
{
    (void)state;
    enum { H = 20, W = 21 };
    double colour[H * W * 3] = {0}, grey[H * W];
    for (size_t y = 0; y < H; y++)
        for (size_t x = 0; x < W; x++) {
            size_t corner = (y >= 10) * 2 + (x >= 10);
            const int channel[4] = {0, -1, 1, 2}; /* red, black, green, blue */
            if (channel[corner] >= 0) colour[(y * W + x) * 3 + (size_t)channel[corner]] = 1;
            grey[y * W + x] = 0.2 * (double)corner;
        }
    int32_t labels[H * W];
    size_t segments;
    const double one = 1;
    const gig_segments_options options = {.sigma = 0, .min_size = 20, .count = 1, .scales = &one};
    const double *pictures[2] = {colour, grey};
    for (size_t p = 0; p < 2; p++) {
        assert_int_equal(gig_segments_find(labels, &segments, pictures[p], H, W, p == 0 ? 3 : 1, &options), GIG_OK);
        assert_int_equal(segments, 4);
        for (size_t y = 0; y < H; y++)
            for (size_t x = 0; x < W; x++) assert_int_equal(labels[y * W + x], (y >= 10) * 2 + (x >= 10));
    }
}

static void joins_what_is_smaller_than_the_least(void **state)
{
    (void)state;
    const double picture[4] = {0, 0.3, 0.7, 1}, none = 0;
    int32_t labels[4];
    size_t segments;
    const gig_segments_options options = {.sigma = 0, .min_size = 2, .count = 1, .scales = &none};
    assert_int_equal(gig_segments_find(labels, &segments, picture, 2, 2, 1, &options), GIG_OK);
    assert_memory_equal(labels, ((const int32_t[]){0, 0, 1, 1}), sizeof labels);
}

/* A flat picture: every weight is 0, one segment. A single row and a single pixel have no diagonal edges. */
static void survives_flat_and_thin_pictures(void **state)
{
    (void)state;
    double flat[30] = {0};
    int32_t labels[30];
    size_t segments;
    const gig_segments_options options = {.sigma = 0.8, .min_size = 4, .count = 1, .scales = scales};
    const size_t shapes[][2] = {{5, 6}, {1, 30}, {30, 1}, {1, 1}};
    for (size_t s = 0; s < 4; s++) {
        assert_int_equal(gig_segments_find(labels, &segments, flat, shapes[s][0], shapes[s][1], 1, &options), GIG_OK);
        assert_int_equal(segments, 1);
    }
}

static void refuses_what_is_not_finite_and_what_is_too_large(void **state)
{
    (void)state;
    const double bad[2] = {0, NAN};
    int32_t labels[2];
    size_t segments;
    const gig_segments_options options = {.sigma = 0.8, .min_size = 4, .count = 1, .scales = scales};
    assert_int_equal(gig_segments_find(labels, &segments, bad, 1, 2, 1, &options), GIG_ENUMERIC);
    assert_int_equal(gig_segments_find(labels, &segments, bad, SIZE_MAX / 2, 3, 1, &options), GIG_ELIMIT);
}

static void gives_back_memory_when_it_runs_out(void **state)
{
    (void)state;
    const double picture[12] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    int32_t labels[12];
    size_t segments, before = gig_memory_used(), failures = 0;
    const gig_segments_options options = {.sigma = 0.8, .min_size = 4, .count = 1, .scales = scales};
    gig_status status = GIG_ENOMEM;
    for (size_t at = 0; status != GIG_OK; at++) {
        gig_memory_fail_at(at, 0);
        status = gig_segments_find(labels, &segments, picture, 3, 4, 1, &options);
        failures += status == GIG_ENOMEM;
        assert_int_equal(gig_memory_used(), before);
    }
    gig_memory_fail_at(SIZE_MAX, 0);
    assert_true(failures >= 6);
}

/* Mean over our segments, weighted by area, of the best intersection over union with one of theirs. */
static double agreement(const int32_t *ours, size_t count, const int64_t *theirs, size_t pixels)
{
    size_t others = 0;
    for (size_t i = 0; i < pixels; i++) others = (size_t)theirs[i] >= others ? (size_t)theirs[i] + 1 : others;
    double *shared = gig_alloc_zero(count * others, sizeof *shared), *area = gig_alloc_zero(count, sizeof *area);
    double *other_area = gig_alloc_zero(others, sizeof *other_area), total = 0;
    for (size_t i = 0; i < pixels; i++) {
        shared[(size_t)ours[i] * others + (size_t)theirs[i]]++;
        area[ours[i]]++;
        other_area[theirs[i]]++;
    }
    for (size_t a = 0; a < count; a++) {
        double best = 0;
        for (size_t b = 0; b < others; b++) {
            double both = shared[a * others + b];
            best = fmax(best, both / (area[a] + other_area[b] - both));
        }
        total += best * area[a];
    }
    gig_free(other_area);
    gig_free(area);
    gig_free(shared);
    return total / (double)pixels;
}

/* Runs scikit-image on these pictures; what it makes of them is in the file `out`. */
static void run_scikit_image(const char *out, size_t count, const char *const *pictures)
{
    char command[8192];
    int length = snprintf(command, sizeof command, "/usr/bin/python3 '%s' '%s'",
                          source_path("tools/golden/skimage_segments.py"), out);
    for (size_t i = 0; i < count; i++)
        length += snprintf(command + length, sizeof command - (size_t)length, " '%s'", pictures[i]);
    assert_int_equal(system(command), 0);
}

static gig_tensor numbered(const char *path, const char *kind, size_t i)
{
    char name[32];
    gig_tensor out;
    snprintf(name, sizeof name, "%s_%zu", kind, i);
    assert_int_equal(gig_npz_read(&out, path, name), GIG_OK);
    return out;
}

static void agrees_with_scikit_image_on_real_pictures(void **state)
{
    (void)state;
    enum { SIDE = 224, PICTURES = 2 };
    const char *pictures[PICTURES], *out = temporary_path("segments.npz");
    need_data(pictures[0], "ilsvrc/ILSVRC2012_val_00000001.jpg");
    need_data(pictures[1], "pets/Persian_2.jpg");
    if (system("/usr/bin/python3 -c 'import skimage' 2>/dev/null") != 0) skip_because("needs scikit-image");
    run_scikit_image(out, PICTURES, pictures);
    int32_t *labels = gig_alloc(6 * SIDE * SIDE, sizeof *labels);
    for (size_t i = 0; i < PICTURES; i++) {
        gig_tensor in = numbered(out, "picture", i), wanted = numbered(out, "labels", i);
        double *picture = widen(&in);
        size_t segments[6];
        const gig_segments_options options = {.sigma = 0.8, .min_size = 150, .count = 6, .scales = scales};
        assert_int_equal(gig_segments_find(labels, segments, picture, SIDE, SIDE, 3, &options), GIG_OK);
        for (size_t s = 0; s < 6; s++) {
            double iou = agreement(labels + s * SIDE * SIDE, segments[s], wanted.whole + s * SIDE * SIDE, SIDE * SIDE);
            if (iou < 0.99) fail_msg("picture %zu, scale %g: %g", i, scales[s], iou);
        }
        gig_free(picture);
        gig_tensor_clear(&wanted);
        gig_tensor_clear(&in);
    }
    gig_free(labels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_scikit_image_at_all_six_scales),
        cmocka_unit_test(equals_scikit_image_on_grey),
        cmocka_unit_test(finds_quadrants_in_raster_order),
        cmocka_unit_test(joins_what_is_smaller_than_the_least),
        cmocka_unit_test(survives_flat_and_thin_pictures),
        cmocka_unit_test(refuses_what_is_not_finite_and_what_is_too_large),
        cmocka_unit_test(gives_back_memory_when_it_runs_out),
        cmocka_unit_test(agrees_with_scikit_image_on_real_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
