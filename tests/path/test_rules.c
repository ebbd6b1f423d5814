/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes and weights of the rules on curves, and curves walked with them. */
#include "closed_form.h"
#include "internal/path.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void expect_nodes(gig_rule rule, size_t steps, size_t count, const double *alphas, const double *weights)
{
    double a[8], w[8];
    assert_int_equal(gig_rule_node_count(rule, steps), count);
    assert_int_equal(gig_rule_nodes(a, w, rule, steps), GIG_OK);
    for (size_t k = 0; k < count; k++) {
        assert_true(fabs(a[k] - alphas[k]) < 1e-15);
        assert_true(fabs(w[k] - weights[k]) < 1e-15);
    }
}

#define NODES(...)                                                                                                     \
    (const double[])                                                                                                   \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define WEIGHTS(...)                                                                                                   \
    (const double[])                                                                                                   \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
static void has_captums_nodes(void **state)
{
    (void)state;
    expect_nodes(GIG_RULE_LEFT, 2, 2, NODES(0, .5), WEIGHTS(.5, .5));
    expect_nodes(GIG_RULE_LEFT, 4, 4, NODES(0, .25, .5, .75), WEIGHTS(.25, .25, .25, .25));
    expect_nodes(GIG_RULE_RIGHT, 4, 4, NODES(.25, .5, .75, 1), WEIGHTS(.25, .25, .25, .25));
    expect_nodes(GIG_RULE_MIDPOINT, 4, 4, NODES(.125, .375, .625, .875), WEIGHTS(.25, .25, .25, .25));
    expect_nodes(GIG_RULE_CAPTUM_TRAPEZOID, 2, 2, NODES(0, 1), WEIGHTS(.25, .25));
    expect_nodes(GIG_RULE_CAPTUM_TRAPEZOID, 3, 3, NODES(0, .5, 1), WEIGHTS(1. / 6, 1. / 3, 1. / 6));
    expect_nodes(GIG_RULE_CAPTUM_TRAPEZOID, 4, 4, NODES(0, 1. / 3, 2. / 3, 1), WEIGHTS(.125, .25, .25, .125));
    expect_nodes(GIG_RULE_TRAPEZOID, 4, 5, NODES(0, .25, .5, .75, 1), WEIGHTS(.125, .25, .25, .25, .125));
    expect_nodes(GIG_RULE_PAIR, 3, 3, NODES(0, .5, 1), WEIGHTS(1. / 3, 1. / 3, 1. / 3));
    expect_nodes(GIG_RULE_PAIR, 1, 1, NODES(0), WEIGHTS(1));
}

static void has_gauss_legendre_nodes(void **state)
{
    (void)state;
    expect_nodes(GIG_RULE_GAUSS_LEGENDRE, 1, 1, NODES(.5), WEIGHTS(1));
    expect_nodes(GIG_RULE_GAUSS_LEGENDRE, 2, 2, NODES(0.21132486540518713, 0.7886751345948129), WEIGHTS(.5, .5));
    expect_nodes(GIG_RULE_GAUSS_LEGENDRE, 3, 3, NODES(0.1127016653792583, .5, 0.8872983346207417),
                 WEIGHTS(5. / 18, 8. / 18, 5. / 18));
    double a[50], w[50], sum = 0;
    assert_int_equal(gig_rule_nodes(a, w, GIG_RULE_GAUSS_LEGENDRE, 50), GIG_OK);
    assert_true(fabs(a[0] - 0.0005667977899644905) < 1e-16);
    assert_true(fabs(w[0] - 0.0014543112765773515) < 1e-15);
    for (size_t k = 0; k < 50; k++) {
        sum += w[k];
        assert_true(fabs(a[k] + a[49 - k] - 1) < 1e-15);
        if (k) assert_true(a[k] > a[k - 1]);
    }
    assert_true(fabs(sum - 1) < 1e-14);
}

/* n nodes integrate polynomials up to degree 2n - 1. */
static void gauss_legendre_is_exact_for_polynomials(void **state)
{
    (void)state;
    double a[64], w[64];
    for (size_t n = 1; n <= 64; n++) {
        assert_int_equal(gig_rule_nodes(a, w, GIG_RULE_GAUSS_LEGENDRE, n), GIG_OK);
        for (size_t degree = 0; degree < 2 * n; degree++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++) sum += w[k] * pow(a[k], (double)degree);
            assert_true(fabs(sum - 1 / ((double)degree + 1)) < 1e-13);
        }
    }
}

static void refuses_gauss_legendre_with_nodes_beyond_reason(void **state)
{
    (void)state;
    closed model = {.form = six, .features = 6};
    gig_function function = closed_function(&model, 1);
    gig_chain chain = {.steps = 100000000, .rule = GIG_RULE_GAUSS_LEGENDRE};
    gig_chain_result result;
    gig_status status =
        gig_chain_run(&result, NULL, (gig_functions){1, &function}, &chain, six_baseline, six_input, NULL);
    assert_int_equal(status, GIG_ELIMIT);
    double one;
    assert_int_equal(gig_rule_nodes(&one, &one, GIG_RULE_GAUSS_LEGENDRE, 20001), GIG_ELIMIT);
    assert_int_equal(gig_rule_nodes(&one, &one, GIG_RULE_GRADIENT, 1), GIG_EARG);
}

static void finds_rules_by_name(void **state)
{
    (void)state;
    for (int i = GIG_RULE_DEFAULT; i <= GIG_RULE_CAPTUM_TRAPEZOID; i++) {
        gig_rule found = GIG_RULE_DEFAULT;
        assert_int_equal(gig_rule_find(&found, gig_rule_name((gig_rule)i)), GIG_OK);
        assert_int_equal(found, i);
    }
    gig_rule found;
    assert_int_equal(gig_rule_find(&found, "simpson"), GIG_EARG);
    assert_non_null(strstr(gig_message(), "simpson"));
}

/* The straight line between two points of a closed form. */
typedef struct straight {
    closed_form form;
    size_t features;
    const float *start, *end;
} straight;

static void line(double *attributions, gig_chain_result *result, straight along, gig_rule rule, size_t steps)
{
    closed model = {.form = along.form, .features = along.features};
    gig_function function = closed_function(&model, 1);
    gig_chain chain = {.steps = steps, .rule = rule};
    assert_int_equal(
        gig_chain_run(result, attributions, (gig_functions){1, &function}, &chain, along.start, along.end, NULL),
        GIG_OK);
    assert_int_equal(result->evaluations, atomic_load(&model.gradients));
    assert_int_equal(result->values, atomic_load(&model.values));
}

static void expect_six(gig_rule rule, size_t steps, const double expected[6])
{
    double a[6];
    gig_chain_result result;
    line(a, &result, (straight){six, 6, six_baseline, six_input}, rule, steps);
    for (size_t i = 0; i < 6; i++) assert_true(fabs(a[i] - expected[i]) < 1e-6);
    assert_int_equal(result.evaluations, steps);
    assert_true(fabs(result.value_end - result.value_start + 0.840972531265365) < 1e-6);
    assert_true(isnan(result.step_error));
}

static void gives_the_six_feature_numbers_of_ig(void **state)
{
    (void)state;
    expect_six(GIG_RULE_PAIR, 25, NODES(1.158639543099, 0.45, 0.78, -0.500167722464, -2.743801931638, 0));
    expect_six(GIG_RULE_PAIR, 200, NODES(1.161775277858, 0.45, 0.78, -0.493672558281, -2.740806680922, 0));
    expect_six(GIG_RULE_GAUSS_LEGENDRE, 50, NODES(1.162205669320, 0.45, 0.78, -0.492782199284, -2.740396001302, 0));
}

static void passes_the_ig_tests_of_pair_saliency(void **state)
{
    (void)state;
    const float start[3] = {.5f, 1, 1}, end[3] = {1, 2, 3}, zeros[2] = {0, 0}, threes[2] = {3, 3};
    double a[3];
    gig_chain_result result;
    line(a, &result, (straight){pair_three, 3, start, end}, GIG_RULE_PAIR, 1000);
    assert_true(fabs(a[0] - 2.5) < 1e-6 && fabs(a[1] - 3) < 1e-6 && fabs(a[2] + 0.7001000823) < 1e-6);
    line(a, &result, (straight){pair_three, 3, start, end}, GIG_RULE_PAIR, 25);
    assert_true(fabs(a[2] + 0.6899354164) < 1e-6);
    for (size_t n = 2; n < 12; n++) {
        line(a, &result, (straight){dependent_quadratic, 2, zeros, threes}, GIG_RULE_PAIR, n);
        assert_true(fabs(a[0] - 54) < 1e-5 && fabs(a[1] - 27) < 1e-5);
    }
}

static void counts_gradients_and_values_of_each_rule(void **state)
{
    (void)state;
    static const struct {
        gig_rule rule;
        size_t gradients, values;
    } expected[] = {{GIG_RULE_LEFT, 20, 1},      {GIG_RULE_RIGHT, 20, 1},
                    {GIG_RULE_TRAPEZOID, 21, 0}, {GIG_RULE_MIDPOINT, 20, 2},
                    {GIG_RULE_IDGI, 20, 1},      {GIG_RULE_GAUSS_LEGENDRE, 20, 2},
                    {GIG_RULE_PAIR, 20, 0},      {GIG_RULE_CAPTUM_TRAPEZOID, 20, 0}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        gig_chain_result result;
        line(NULL, &result, (straight){six, 6, six_baseline, six_input}, expected[i].rule, 20);
        assert_int_equal(result.evaluations, expected[i].gradients);
        assert_int_equal(result.values, expected[i].values);
    }
}

/* Left, right and trapezoid over the same nodes: T = (L + R) / 2, and each agrees with its table of nodes. */
static void agrees_with_the_table_of_nodes(void **state)
{
    (void)state;
    static const gig_rule rules[] = {GIG_RULE_LEFT, GIG_RULE_RIGHT, GIG_RULE_TRAPEZOID};
    double alphas[101], weights[101], a[6];
    for (size_t r = 0; r < 3; r++) {
        gig_chain_result result;
        line(a, &result, (straight){six, 6, six_baseline, six_input}, rules[r], 100);
        size_t count = gig_rule_node_count(rules[r], 100);
        assert_int_equal(gig_rule_nodes(alphas, weights, rules[r], 100), GIG_OK);
        double expected[6] = {0};
        for (size_t k = 0; k < count; k++) {
            float x[6], g[6];
            for (size_t i = 0; i < 6; i++)
                x[i] = (float)((double)six_baseline[i] + alphas[k] * ((double)six_input[i] - (double)six_baseline[i]));
            six(x, 6, 0, g);
            for (size_t i = 0; i < 6; i++)
                expected[i] += weights[k] * (double)g[i] * ((double)six_input[i] - (double)six_baseline[i]);
        }
        for (size_t i = 0; i < 6; i++) assert_true(fabs(a[i] - expected[i]) < 1e-6);
        assert_true(result.step_error > fabs(result.delta) * (1 - 1e-6));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_captums_nodes),
        cmocka_unit_test(has_gauss_legendre_nodes),
        cmocka_unit_test(gauss_legendre_is_exact_for_polynomials),
        cmocka_unit_test(refuses_gauss_legendre_with_nodes_beyond_reason),
        cmocka_unit_test(finds_rules_by_name),
        cmocka_unit_test(gives_the_six_feature_numbers_of_ig),
        cmocka_unit_test(passes_the_ig_tests_of_pair_saliency),
        cmocka_unit_test(counts_gradients_and_values_of_each_rule),
        cmocka_unit_test(agrees_with_the_table_of_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
