/* SPDX-License-Identifier: Apache-2.0 */
/* mufidelity: against NumPy and SciPy (tools/golden/score_mufidelity.py), and linear models, on which it is 1 or -1. */
#include "closed_form.h"
#include "golden/score_mufidelity.h"
#include "internal/score.h"
#include "support.h"

enum { PIXELS = GOLDEN_HEIGHT * GOLDEN_WIDTH, VALUES = 3 * PIXELS };

static double logistic(const float *x, size_t n, size_t target, float *g)
{
    (void)target, (void)g;
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += sin(2 * (double)x[i]) * (double)golden_weights[i];
    return 1 / (1 + exp(-sum));
}

static double weighted(const float *x, size_t n, size_t target, float *g)
{
    (void)target, (void)g;
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)x[i] * (double)golden_weights[i];
    return sum;
}

static gig_removal removal(const float *attribution, size_t channels)
{
    return (gig_removal){.height = GOLDEN_HEIGHT,
                         .width = GOLDEN_WIDTH,
                         .channels = 3,
                         .picture = golden_picture,
                         .attribution = attribution,
                         .attribution_channels = channels,
                         .seed = GOLDEN_SEED,
                         .number = GOLDEN_NUMBER};
}

static gig_status score(double *out, closed_form form, const gig_removal *of, size_t subsets)
{
    closed model = {.form = form, .features = VALUES};
    gig_function function = closed_function(&model, 3);
    gig_status status = gig_mufidelity(out, subsets, (gig_functions){1, &function}, 0, of);
    if (status == GIG_OK) assert_int_equal(model.values, subsets + 1);
    return status;
}

static void is_that_of_scipy(void **state)
{
    (void)state;
    double found;
    gig_removal of = removal(golden_attribution, 3);
    assert_ok(score(&found, logistic, &of, 200));
    assert_float_equal(found, golden_from_black, 1e-9);
    of.baseline = golden_baseline;
    assert_ok(score(&found, logistic, &of, 200));
    assert_float_equal(found, golden_from_point, 1e-9);
    of = removal(golden_pixels, 1);
    assert_ok(score(&found, logistic, &of, 50));
    assert_float_equal(found, golden_of_pixels, 1e-9);
}

/* Seeds next to each other share no subsets. */
static void another_seed_draws_other_subsets(void **state)
{
    (void)state;
    double found;
    gig_removal of = removal(golden_attribution, 3);
    of.seed++;
    assert_ok(score(&found, logistic, &of, 200));
    assert_float_equal(found, golden_other_seed, 1e-9);
}

static void is_one_for_a_linear_model(void **state)
{
    (void)state;
    float exact[VALUES], negated[VALUES], pixels[PIXELS];
    for (size_t i = 0; i < VALUES; i++) {
        exact[i] = golden_weights[i] * golden_picture[i];
        negated[i] = -exact[i];
    }
    for (size_t p = 0; p < PIXELS; p++) pixels[p] = exact[3 * p] + exact[3 * p + 1] + exact[3 * p + 2];
    double found;
    gig_removal of = removal(exact, 3);
    assert_ok(score(&found, weighted, &of, 200));
    assert_true(found > 0.9999);
    of.attribution = negated;
    assert_ok(score(&found, weighted, &of, 200));
    assert_true(found < -0.9999);
    of = removal(pixels, 1);
    assert_ok(score(&found, weighted, &of, 50));
    assert_true(found > 0.999);
}

static void is_undefined_where_nothing_varies(void **state)
{
    (void)state;
    const float zero[VALUES] = {0};
    double found;
    gig_removal of = removal(golden_attribution, 3);
    of.baseline = golden_picture; /* nothing changes */
    assert_ok(score(&found, logistic, &of, 50));
    assert_true(isnan(found));
    of = removal(zero, 3);
    assert_ok(score(&found, logistic, &of, 50));
    assert_true(isnan(found));
}

static void rejects_a_single_subset(void **state)
{
    (void)state;
    double found;
    gig_removal of = removal(golden_attribution, 3);
    assert_status(score(&found, logistic, &of, 1), GIG_EARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_that_of_scipy),          cmocka_unit_test(another_seed_draws_other_subsets),
        cmocka_unit_test(is_one_for_a_linear_model), cmocka_unit_test(is_undefined_where_nothing_varies),
        cmocka_unit_test(rejects_a_single_subset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
