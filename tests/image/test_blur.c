/* SPDX-License-Identifier: Apache-2.0 */
/* Blurs against SciPy's figures, a plain double convolution, and their own invariants. */
#include "golden.h"
#include "image/blur.h"

static float *random_picture(size_t count)
{
    float *picture = gig_alloc(count, sizeof *picture);
    assert_non_null(picture);
    uint32_t state = 1;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        picture[i] = (float)(state >> 8) / 16777216.0f;
    }
    return picture;
}

/* Blur by definition: every tap in double, black outside. */
static double plain_blur(const float *in, gig_map_size size, size_t y, size_t x, size_t k, double sigma)
{
    int radius = (int)(4 * sigma + 0.5);
    double total = 0, sum = 0;
    for (int d = -radius; d <= radius; d++) total += exp(-0.5 * d * d / (sigma * sigma));
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) {
            ptrdiff_t fy = (ptrdiff_t)y + dy, fx = (ptrdiff_t)x + dx;
            if (fy < 0 || fx < 0 || fy >= (ptrdiff_t)size.height || fx >= (ptrdiff_t)size.width) continue;
            size_t at = ((size_t)fy * size.width + (size_t)fx) * size.channels + k;
            sum += in[at] * exp(-0.5 * (dy * dy + dx * dx) / (sigma * sigma));
        }
    return sum / (total * total);
}

static void compare_with_plain(size_t h, size_t w, size_t c, double sigma)
{
    float *in = random_picture(h * w * c), *out = gig_alloc(h * w * c, sizeof *out);
    void *scratch = gig_alloc(gig_blur_scratch_size((gig_map_size){h, w, c}), 1);
    assert_int_equal(gig_blur(out, in, (gig_map_size){h, w, c}, sigma, scratch), GIG_OK);
    for (size_t i = 0; i < h * w * c; i++) {
        double wanted = plain_blur(in, (gig_map_size){h, w, c}, i / c / w, i / c % w, i % c, sigma);
        if (fabs(out[i] - wanted) > 1e-6)
            fail_msg("%zux%zux%zu, sigma %g, value %zu: %g, not %g", h, w, c, sigma, i, (double)out[i], wanted);
    }
    gig_free(scratch);
    gig_free(out);
    gig_free(in);
}

static void equals_the_plain_convolution_for_all_shapes(void **state)
{
    (void)state;
    const size_t shapes[][3] = {{1, 1, 1}, {1, 40, 3},  {40, 1, 1},  {3, 8, 3},  {4, 8, 3},
                                {5, 9, 3}, {17, 23, 1}, {26, 31, 2}, {33, 30, 3}};
    const double sigmas[] = {0.13, 0.5, 1, 2.7, 12};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t i = 0; i < sizeof sigmas / sizeof *sigmas; i++)
            compare_with_plain(shapes[s][0], shapes[s][1], shapes[s][2], sigmas[i]);
}

/* SciPy 1.10, gaussian_filter of the 5 x 5 picture of Blur IG's own test with sigma 10. */
static void matches_scipy_on_the_test_picture_of_blur_ig(void **state)
{
    (void)state;
    float picture[25] = {0};
    picture[1 * 5 + 1] = 0.7f;
    picture[2 * 5 + 2] = 1.0f;
    void *scratch = gig_alloc(gig_blur_scratch_size((gig_map_size){5, 5, 1}), 1);
    assert_int_equal(gig_blur(picture, picture, (gig_map_size){5, 5, 1}, 10, scratch), GIG_OK);
    assert_float_equal(picture[12], 0.00269482, 5e-9);
    assert_float_equal(picture[0], 0.00263241, 5e-9);
    assert_float_equal(picture[24], 0.00254760, 5e-9);
    gig_free(scratch);
}

static void equals_scipy_on_golden_pictures(void **state)
{
    (void)state;
    const char *const sigmas[] = {"0.1", "0.875", "3.3", "35"};
    gig_tensor in = golden("image_blur.npz", "in");
    float point[14 * 27 * 3], tangent[14 * 27 * 3];
    void *scratch = gig_alloc(gig_blur_scratch_size((gig_map_size){14, 27, 3}), 1);
    for (size_t s = 0; s < 4; s++) {
        char name[64];
        snprintf(name, sizeof name, "constant_%s", sigmas[s]);
        gig_tensor blurred = golden("image_blur.npz", name);
        snprintf(name, sizeof name, "tangent_%s", sigmas[s]);
        gig_tensor quotient = golden("image_blur.npz", name);
        assert_int_equal(
            gig_blur_tangent(point, tangent, in.real, (gig_map_size){14, 27, 3}, atof(sigmas[s]), 0.01, scratch),
            GIG_OK);
        assert_near(point, &blurred, 3e-7, sigmas[s]);
        assert_near(tangent, &quotient, 1e-6, sigmas[s]);
        gig_tensor_clear(&quotient);
        gig_tensor_clear(&blurred);
    }
    gig_free(scratch);
    gig_tensor_clear(&in);
}

static void mirrors_as_scipy_on_golden_pictures(void **state)
{
    (void)state;
    const double sigmas[][2] = {{0.8, 0.8}, {0, 2}, {9, 0.5}};
    gig_tensor in = golden("image_blur.npz", "in");
    for (size_t s = 0; s < 3; s++) {
        char name[64];
        double picture[14 * 27 * 3];
        float rounded[14 * 27 * 3];
        snprintf(name, sizeof name, "mirror_%g_%g", sigmas[s][0], sigmas[s][1]);
        gig_tensor wanted = golden("image_blur.npz", name);
        for (size_t i = 0; i < gig_tensor_count(&in); i++) picture[i] = in.real[i];
        assert_int_equal(
            gig_blur_exact(picture, (gig_map_size){14, 27, 3}, sigmas[s][0], sigmas[s][1], GIG_BORDER_MIRROR), GIG_OK);
        for (size_t i = 0; i < gig_tensor_count(&in); i++) rounded[i] = (float)picture[i];
        assert_near(rounded, &wanted, 6e-8, name);
        gig_tensor_clear(&wanted);
    }
    gig_tensor_clear(&in);
}

static void copies_when_the_radius_is_zero(void **state)
{
    (void)state;
    float *in = random_picture(300), out[300], tangent[300];
    void *scratch = gig_alloc(gig_blur_scratch_size((gig_map_size){10, 10, 3}), 1);
    assert_int_equal(gig_blur(out, in, (gig_map_size){10, 10, 3}, 0, scratch), GIG_OK);
    assert_memory_equal(out, in, sizeof out);
    assert_int_equal(gig_blur_tangent(out, tangent, in, (gig_map_size){10, 10, 3}, 0.1, 0.01, scratch), GIG_OK);
    assert_memory_equal(out, in, sizeof out);
    for (size_t i = 0; i < 300; i++) assert_true(tangent[i] == 0);
    gig_free(scratch);
    gig_free(in);
}

static void may_blur_in_place(void **state)
{
    (void)state;
    float *in = random_picture(20 * 30 * 3), *out = gig_alloc(20 * 30 * 3, sizeof *out);
    void *scratch = gig_alloc(gig_blur_scratch_size((gig_map_size){20, 30, 3}), 1);
    assert_int_equal(gig_blur(out, in, (gig_map_size){20, 30, 3}, 3, scratch), GIG_OK);
    assert_int_equal(gig_blur(in, in, (gig_map_size){20, 30, 3}, 3, scratch), GIG_OK);
    assert_memory_equal(out, in, 20 * 30 * 3 * sizeof *out);
    gig_free(scratch);
    gig_free(out);
    gig_free(in);
}

/* Steps across a change of radius (0.12 -> 0.13: 0 to 1; 0.87 -> 0.88: 3 to 4) and far from one. */
static void the_tangent_is_the_difference_quotient(void **state)
{
    (void)state;
    enum { H = 26, W = 19, C = 3, N = H * W * C };
    const double sigmas[] = {0.12, 0.3, 0.87, 5, 20};
    float *in = random_picture(N), *point = gig_alloc(N, 4), *tangent = gig_alloc(N, 4), *blurred = gig_alloc(N, 4);
    void *scratch = gig_alloc(gig_blur_scratch_size((gig_map_size){H, W, C}), 1);
    for (size_t s = 0; s < sizeof sigmas / sizeof *sigmas; s++) {
        assert_int_equal(gig_blur(blurred, in, (gig_map_size){H, W, C}, sigmas[s], scratch), GIG_OK);
        assert_int_equal(gig_blur_tangent(point, tangent, in, (gig_map_size){H, W, C}, sigmas[s], 0.01, scratch),
                         GIG_OK);
        assert_memory_equal(point, blurred, N * sizeof *point);
        for (size_t i = 0; i < N; i += 7) {
            size_t y = i / C / W, x = i / C % W, k = i % C;
            double here = sigmas[s] < 0.125 ? in[i] : plain_blur(in, (gig_map_size){H, W, C}, y, x, k, sigmas[s]);
            double wanted = (plain_blur(in, (gig_map_size){H, W, C}, y, x, k, sigmas[s] + 0.01) - here) / 0.01;
            assert_true(fabs(tangent[i] - wanted) < 1e-6);
        }
    }
    gig_free(scratch);
    gig_free(blurred);
    gig_free(tangent);
    gig_free(point);
    gig_free(in);
}

static void rejects_an_invalid_sigma(void **state)
{
    (void)state;
    float x = 1, t;
    float scratch[4096];
    assert_int_equal(gig_blur(&x, &x, (gig_map_size){1, 1, 1}, -1, scratch), GIG_EARG);
    assert_int_equal(gig_blur(&x, &x, (gig_map_size){1, 1, 1}, NAN, scratch), GIG_EARG);
    assert_int_equal(gig_blur(&x, &x, (gig_map_size){1, 1, 1}, INFINITY, scratch), GIG_EARG);
    assert_int_equal(gig_blur_tangent(&x, &t, &x, (gig_map_size){1, 1, 1}, 1, 0, scratch), GIG_EARG);
    assert_int_equal(gig_blur_tangent(&x, &t, &x, (gig_map_size){1, 1, 1}, NAN, 0.01, scratch), GIG_EARG);
    double exact = 1;
    assert_int_equal(gig_blur_exact(&exact, (gig_map_size){1, 1, 1}, -1, 1, GIG_BORDER_ZERO), GIG_EARG);
    assert_int_equal(gig_blur_exact(&exact, (gig_map_size){1, 1, 1}, 1, INFINITY, GIG_BORDER_ZERO), GIG_EARG);
    for (int i = 0; i < 3; i++) { /* nothing to blur */
        size_t h = i != 0, w = i != 1, c = i != 2;
        assert_int_equal(gig_blur(&x, &x, (gig_map_size){h, w, c}, 1, scratch), GIG_OK);
        assert_int_equal(gig_blur_tangent(&x, &t, &x, (gig_map_size){h, w, c}, 1, 0.01, scratch), GIG_OK);
    }
    assert_true(x == 1);
}

/* scipy.ndimage.gaussian_filter1d([1, 2, 3, 4, 5], sigma, mode="reflect"), from SciPy's documentation of 1 and 4. */
static void mirrors_at_the_border_as_scipy_does(void **state)
{
    (void)state;
    const double by_one[] = {1.42704095, 2.06782203, 3, 3.93217797, 4.57295905};
    const double by_four[] = {2.91948343, 2.95023502, 3, 3.04976498, 3.08051657};
    double row[] = {1, 2, 3, 4, 5}, column[] = {1, 2, 3, 4, 5};
    assert_int_equal(gig_blur_exact(row, (gig_map_size){1, 5, 1}, 0, 1, GIG_BORDER_MIRROR), GIG_OK);
    assert_int_equal(gig_blur_exact(column, (gig_map_size){5, 1, 1}, 4, 0, GIG_BORDER_MIRROR), GIG_OK);
    for (size_t i = 0; i < 5; i++) {
        assert_true(fabs(row[i] - by_one[i]) < 1e-8);
        assert_true(fabs(column[i] - by_four[i]) < 1e-8);
    }
}

static void the_exact_blur_with_black_outside_agrees_with_the_fast_one(void **state)
{
    (void)state;
    enum { H = 30, W = 21, C = 3, N = H * W * C };
    float *in = random_picture(N), *fast = gig_alloc(N, 4);
    double *exact = gig_alloc(N, sizeof *exact);
    void *scratch = gig_alloc(gig_blur_scratch_size((gig_map_size){H, W, C}), 1);
    for (size_t i = 0; i < N; i++) exact[i] = in[i];
    assert_int_equal(gig_blur(fast, in, (gig_map_size){H, W, C}, 2.5, scratch), GIG_OK);
    assert_int_equal(gig_blur_exact(exact, (gig_map_size){H, W, C}, 2.5, 2.5, GIG_BORDER_ZERO), GIG_OK);
    for (size_t i = 0; i < N; i++) assert_true(fabs(fast[i] - exact[i]) < 5e-7);
    gig_free(scratch);
    gig_free(exact);
    gig_free(fast);
    gig_free(in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_plain_convolution_for_all_shapes),
        cmocka_unit_test(matches_scipy_on_the_test_picture_of_blur_ig),
        cmocka_unit_test(equals_scipy_on_golden_pictures),
        cmocka_unit_test(mirrors_as_scipy_on_golden_pictures),
        cmocka_unit_test(copies_when_the_radius_is_zero),
        cmocka_unit_test(may_blur_in_place),
        cmocka_unit_test(the_tangent_is_the_difference_quotient),
        cmocka_unit_test(rejects_an_invalid_sigma),
        cmocka_unit_test(mirrors_at_the_border_as_scipy_does),
        cmocka_unit_test(the_exact_blur_with_black_outside_agrees_with_the_fast_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
