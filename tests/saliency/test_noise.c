/* SPDX-License-Identifier: Apache-2.0 */
/* SmoothGrad's noise has the spread that is stated; attributions that a float cannot hold are an error. */
#include "base/memory.h"
#include "closed_form.h"
#include "internal/saliency.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static gig_status ask(gig_explanation *result, const char *name, closed_form form, size_t features, const float *input)
{
    closed model = {.form = form, .features = features};
    gig_function function = closed_function(&model, 1);
    gig_method method;
    size_t target = 0;
    assert_int_equal(gig_method_parse(&method, name, NULL), GIG_OK);
    return gig_method_run(result, 1, &input, &target, (gig_functions){1, &function}, &method, NULL);
}

/* The same of a picture of 2 x 2 pixels. */
static gig_status ask_picture(gig_explanation *result, const char *name, closed_form form, const float *input)
{
    closed model = {.form = form, .features = 12};
    gig_function function = closed_function(&model, 1);
    gig_method method;
    size_t target = 0;
    const gig_run_options options = {.shape = {.height = 2, .width = 2, .channels = 3}};
    assert_int_equal(gig_method_parse(&method, name, NULL), GIG_OK);
    return gig_method_run(result, 1, &input, &target, (gig_functions){1, &function}, &method, &options);
}

/* Its gradient is 2 x, which shows the noise itself. */
static double sum_of_squares(const float *x, size_t n, size_t target, float *g)
{
    (void)target;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)x[i] * (double)x[i];
        if (g) g[i] = 2 * x[i];
    }
    return sum;
}

static void noise_has_the_stated_spread(void **state)
{
    (void)state;
    enum { many = 20000 };
    float *input = gig_alloc_zero(many, sizeof *input);
    input[0] = -1;
    input[1] = 3; /* range 4: spread 0.15 x 4 = 0.6 */
    gig_explanation result;
    assert_int_equal(ask(&result, "smooth+gradients/samples=1", sum_of_squares, many, input), GIG_OK);
    double sum = 0, squares = 0;
    for (size_t i = 2; i < many; i++) {
        double noise = (double)result.attributions[i] / 2;
        sum += noise;
        squares += noise * noise;
    }
    assert_true(fabs(sum / many) < 0.02);
    assert_true(fabs(sqrt(squares / many) - 0.6) < 0.01);
    gig_explanation_clear(&result);
    gig_free(input);
}

/* 3e38 x: at 100 a double holds what is attributed, a float does not. */
static double steep(const float *x, size_t n, size_t target, float *g)
{
    (void)n, (void)target;
    if (g) g[0] = 3e38f;
    return 3e38 * (double)x[0];
}

static void says_when_an_attribution_is_beyond_float(void **state)
{
    (void)state;
    const float input = 100;
    gig_explanation result;
    assert_int_equal(ask(&result, "ig", steep, 1, &input), GIG_ENUMERIC);
    assert_non_null(strstr(gig_message(), "the attribution of feature 0 is out of range for float32"));
    assert_null(result.attributions);
    float picture[4 * 3];
    for (int i = 0; i < 12; i++) picture[i] = 100;
    assert_int_equal(ask_picture(&result, "smooth+occlusion/smooth=squares/window=1/stride=1", steep, picture),
                     GIG_ENUMERIC);
    assert_non_null(strstr(gig_message(), "is out of range for float32"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_has_the_stated_spread),
        cmocka_unit_test(says_when_an_attribution_is_beyond_float),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
