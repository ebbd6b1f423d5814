/* SPDX-License-Identifier: Apache-2.0 */
/* samp: maps against tools/golden/samp.py, and what a linear function gives whatever the order of pixels. */
#include "golden/samp.h"
#include "run_method.h"

enum { HEIGHT = 6, WIDTH = 5, VALUES = HEIGHT * WIDTH * 3 };
static const gig_run_options coloured = {.shape = {HEIGHT, WIDTH, 3, 0}};

/* sum sin(3 x_i) x_(i+1) */
static double waves(const float *x, size_t n, size_t target, float *gradient)
{
    double sum = 0;
    (void)target;
    for (size_t i = 0; i < n; i++) {
        double at = (double)x[i], after = (double)x[(i + 1) % n], before = (double)x[(i + n - 1) % n];
        sum += sin(3 * at) * after;
        if (gradient) gradient[i] = (float)(3 * cos(3 * at) * after + sin(3 * before));
    }
    return sum;
}

static double weighted(const float *x, size_t n, size_t target, float *gradient)
{
    double sum = 0;
    (void)target;
    for (size_t i = 0; i < n; i++) {
        sum += (double)x[i] * sin((double)i);
        if (gradient) gradient[i] = (float)sin((double)i);
    }
    return sum;
}

/* sum sin(5 x_i) + (sum x)^2 / 40: the same for any order of the values. */
static double waves_of_sums(const float *x, size_t n, size_t target, float *gradient)
{
    double sum = 0, waves_sum = 0;
    (void)target;
    for (size_t i = 0; i < n; i++) {
        sum += (double)x[i];
        waves_sum += sin(5 * (double)x[i]);
    }
    for (size_t i = 0; gradient && i < n; i++) gradient[i] = (float)(5 * cos(5 * (double)x[i]) + sum / 20);
    return waves_sum + sum * sum / 40;
}

static void agrees_with_an_independent_program(void **state)
{
    (void)state;
    expect_explanation("samp/moves=1/sigma=1.5", waves, VALUES, samp_picture, &coloured,
                       (expected_map){VALUES / 3, samp_map_1, 1e-5});
    expect_explanation("samp/moves=4/sigma=1.5", waves, VALUES, samp_picture, &coloured,
                       (expected_map){VALUES / 3, samp_map_4, 1e-5});
    expect_explanation("samp/moves=30/sigma=1.5", waves, VALUES, samp_picture, &coloured,
                       (expected_map){VALUES / 3, samp_map_30, 1e-5});
}

/* Both ways, a pixel gets its own share: sum over channels of w (x - blurred) + w x. */
static void a_linear_function_does_not_depend_on_the_order(void **state)
{
    (void)state;
    gig_explanation few, many;
    assert_ok(try_explaining(&few, "samp/moves=1", weighted, VALUES, samp_picture, &coloured));
    assert_ok(try_explaining(&many, "samp/moves=17", weighted, VALUES, samp_picture, &coloured));
    assert_int_equal(few.evaluations, 2);
    assert_int_equal(many.evaluations, 34);
    for (size_t i = 0; i < few.count; i++)
        assert_true(fabs((double)few.attributions[i] - (double)many.attributions[i]) < 1e-5);
    gig_explanation_clear(&few);
    gig_explanation_clear(&many);
}

/* A planar picture gives the same map as the same picture with its channels together. */
static void the_order_of_channels_in_memory_does_not_matter(void **state)
{
    (void)state;
    float planar[VALUES];
    const gig_run_options planes = {.shape = {HEIGHT, WIDTH, 3, 1}};
    gig_explanation a, b;
    for (size_t p = 0; p < VALUES / 3; p++)
        for (size_t c = 0; c < 3; c++) planar[c * VALUES / 3 + p] = samp_picture[3 * p + c];
    assert_ok(try_explaining(&a, "samp/moves=6", waves_of_sums, VALUES, samp_picture, &coloured));
    assert_ok(try_explaining(&b, "samp/moves=6", waves_of_sums, VALUES, planar, &planes));
    for (size_t i = 0; i < a.count; i++)
        assert_true(fabs((double)a.attributions[i] - (double)b.attributions[i]) < 1e-5);
    gig_explanation_clear(&a);
    gig_explanation_clear(&b);
}

static void needs_a_picture(void **state)
{
    (void)state;
    gig_explanation got;
    assert_status(try_explaining(&got, "samp", weighted, VALUES, samp_picture, NULL), GIG_EARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_an_independent_program),
        cmocka_unit_test(a_linear_function_does_not_depend_on_the_order),
        cmocka_unit_test(the_order_of_channels_in_memory_does_not_matter),
        cmocka_unit_test(needs_a_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
