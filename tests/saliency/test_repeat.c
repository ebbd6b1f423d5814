/* SPDX-License-Identifier: Apache-2.0 */
/* repeat=M: the mean of M draws at rounding level, and how well they agree. */
#include "base/rng.h"
#include "run_method.h"

/* Changes wholly between inputs that differ by 1e-6: sum of cos(3e6 x). */
static double wild(const float *x, size_t n, size_t target, float *g)
{
    (void)target;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += cos(3e6 * (double)x[i]);
        if (g) g[i] = (float)(-3 * sin(3e6 * (double)x[i]));
    }
    return sum;
}

/* Features count differently, so that maps of equal features are not flat. */
static double uneven(const float *x, size_t n, size_t target, float *g)
{
    (void)target;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double v = (double)x[i], weight = (double)(i + 1);
        sum += weight * sin(weight * v);
        if (g) g[i] = (float)(weight * weight * cos(weight * v));
    }
    return sum;
}

static double flat(const float *x, size_t n, size_t target, float *g)
{
    (void)x, (void)target;
    for (size_t i = 0; g && i < n; i++) g[i] = 0;
    return 1;
}

enum { FEATURES = 7, DRAWS = 4 };
static const float input[FEATURES] = {0.1f, 0.9f, 0.35f, 0.6f, 0.2f, 0.75f, 0.5f};
static const gig_run_options seeded = {.seed = 12};

/* What ig/rule=right/steps=1 attributes at draw d: x g(x), from black. */
static void attribute_draw(double out[FEATURES], size_t d)
{
    float x[FEATURES], g[FEATURES];
    for (size_t i = 0; i < FEATURES; i++) {
        double u = (double)(float)gig_rng_uniform((gig_rng){12, ((uint64_t)1 << 33) + d}, i);
        double reach = 1e-6 * ((double)0.9f - (double)0.1f);
        x[i] = d ? (float)((double)input[i] + reach * (2 * u - 1)) : input[i];
    }
    wild(x, FEATURES, 0, g);
    for (size_t i = 0; i < FEATURES; i++) out[i] = (double)x[i] * (double)g[i];
}

static double pearson(const double *a, const double *b)
{
    double ma = 0, mb = 0, ab = 0, aa = 0, bb = 0;
    for (size_t i = 0; i < FEATURES; i++) ma += a[i] / FEATURES, mb += b[i] / FEATURES;
    for (size_t i = 0; i < FEATURES; i++) {
        ab += (a[i] - ma) * (b[i] - mb);
        aa += (a[i] - ma) * (a[i] - ma);
        bb += (b[i] - mb) * (b[i] - mb);
    }
    return ab / sqrt(aa * bb);
}

static void gives_the_mean_of_its_draws_and_their_correlation(void **state)
{
    (void)state;
    double maps[DRAWS][FEATURES], r = 0;
    gig_explanation got;
    for (size_t d = 0; d < DRAWS; d++) attribute_draw(maps[d], d);
    for (size_t d = 0; d < DRAWS; d++)
        for (size_t e = 0; e < d; e++) r += pearson(maps[d], maps[e]) / (DRAWS * (DRAWS - 1) / 2);
    assert_ok(try_explaining(&got, "ig/repeat=4/rule=right/steps=1", wild, FEATURES, input, &seeded));
    assert_string_equal(got.method, "ig/repeat=4/rule=right/steps=1");
    assert_int_equal(got.evaluations, DRAWS);
    assert_int_equal(got.chains, DRAWS);
    for (size_t i = 0; i < FEATURES; i++) {
        double mean = 0;
        for (size_t d = 0; d < DRAWS; d++) mean += maps[d][i] / DRAWS;
        assert_true(fabs((double)got.attributions[i] - mean) < 1e-5);
    }
    assert_true(r < 0.9); /* the draws differ */
    assert_true(fabs(got.stability - r) < 1e-6);
    assert_true(fabs(got.stability_of_mean - 4 * r / (1 + 3 * r)) < 1e-5);
    gig_explanation_clear(&got);
}

static void one_draw_is_the_input_itself_and_says_nothing_of_stability(void **state)
{
    (void)state;
    gig_explanation plain, once;
    assert_ok(try_explaining(&plain, "ig/rule=right/steps=1", wild, FEATURES, input, &seeded));
    assert_ok(try_explaining(&once, "ig/repeat=1/rule=right/steps=1", wild, FEATURES, input, &seeded));
    assert_string_equal(once.method, plain.method);
    assert_memory_equal(once.attributions, plain.attributions, FEATURES * sizeof *plain.attributions);
    assert_true(isnan(once.stability) && isnan(once.stability_of_mean));
    gig_explanation_clear(&plain);
    gig_explanation_clear(&once);
}

static void what_does_not_move_is_stable_and_flat_maps_are_not_defined(void **state)
{
    (void)state;
    gig_explanation got;
    assert_ok(try_explaining(&got, "gig/repeat=5/steps=3", sum_of_sines, FEATURES, input, NULL));
    assert_true(got.stability > 1 - 1e-9 && got.stability <= 1 && got.stability_of_mean <= 1);
    gig_explanation_clear(&got);
    assert_ok(try_explaining(&got, "gig/repeat=5/steps=3", flat, FEATURES, input, NULL));
    assert_true(isnan(got.stability) && isnan(got.stability_of_mean));
    gig_explanation_clear(&got);
}

/* Draws are moved by a part of the range: of an input without range nothing moves, so nothing is known of stability. */
static void an_input_that_cannot_be_moved_says_nothing_of_stability(void **state)
{
    (void)state;
    static const float ones[FEATURES] = {1, 1, 1, 1, 1, 1, 1};
    static const float nearly[FEATURES] = {1, 1, 1, 1, 1, 1, 0.9999f}; /* 1e-10 is less than a float's last digit */
    static const char *const names[] = {"ig/repeat=3/steps=5", "gig/repeat=3/steps=3", "blur-ig/repeat=3/steps=5"};
    gig_run_options options = seeded;
    options.shape = (gig_picture_shape){.height = 1, .width = FEATURES, .channels = 1};
    gig_explanation got;
    for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
        assert_ok(try_explaining(&got, names[i / 2], uneven, FEATURES, i % 2 ? nearly : ones, &options));
        assert_true(isnan(got.stability) && isnan(got.stability_of_mean));
        gig_explanation_clear(&got);
    }
    assert_ok(try_explaining(&got, "ig/repeat=3/rule=random/steps=2", uneven, FEATURES, ones, &seeded));
    assert_true(got.stability < 0.99); /* its nodes are drawn, whatever the input */
    gig_explanation_clear(&got);
}

/* Draws of each baseline: black's and white's stability, their mean. */
static void draws_once_per_baseline(void **state)
{
    (void)state;
    const char *const names[3] = {"ig/baseline=black/repeat=3/rule=right/steps=1",
                                  "ig/baseline=white/repeat=3/rule=right/steps=1",
                                  "ig/baseline=black+white/repeat=3/rule=right/steps=1"};
    gig_explanation got[3];
    for (int k = 0; k < 3; k++) assert_ok(try_explaining(&got[k], names[k], wild, FEATURES, input, &seeded));
    assert_int_equal(got[2].evaluations, 6);
    assert_true(fabs(got[2].stability - (got[0].stability + got[1].stability) / 2) < 1e-12);
    for (size_t i = 0; i < FEATURES; i++)
        assert_true(fabs((double)got[2].attributions[i] -
                         ((double)got[0].attributions[i] + (double)got[1].attributions[i]) / 2) < 1e-6);
    for (int k = 0; k < 3; k++) gig_explanation_clear(&got[k]);
}

/* The curve's own picture is drawn again too. */
static void repeats_curves_of_pictures(void **state)
{
    (void)state;
    gig_explanation got[INPUTS], alone;
    for (size_t workers = 1; workers <= WORKERS; workers++) {
        assert_ok(explain(got, 0, INPUTS, "blur-ig/repeat=3/steps=4", workers, 2, NULL));
        assert_ok(explain(&alone, 1, 1, "blur-ig/repeat=3/steps=4", 1, 1, NULL));
        assert_int_equal(alone.evaluations, 12);
        assert_memory_equal(got[1].attributions, alone.attributions, N * sizeof *alone.attributions);
        assert_true(got[1].stability == alone.stability && alone.stability < 1 && alone.stability > 0.999);
        gig_explanation_clear(&alone);
        for (size_t i = 0; i < INPUTS; i++) gig_explanation_clear(&got[i]);
    }
}

static void is_refused_with_noisy_samples_and_where_nothing_is_walked(void **state)
{
    (void)state;
    gig_method method;
    assert_int_equal(gig_method_parse(&method, "smooth+gig/repeat=2", NULL), GIG_EARG);
    assert_non_null(strstr(gig_message(), "smooth+"));
    assert_int_equal(gig_method_parse(&method, "gradients/repeat=2", NULL), GIG_EARG);
    assert_int_equal(gig_method_parse(&method, "gig/repeat=0", NULL), GIG_EARG);
    assert_ok(gig_method_parse(&method, "xrai+gig:20/repeat=2", NULL));
    assert_int_equal(gig_method_evaluations(&method), 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_mean_of_its_draws_and_their_correlation),
        cmocka_unit_test(one_draw_is_the_input_itself_and_says_nothing_of_stability),
        cmocka_unit_test(what_does_not_move_is_stable_and_flat_maps_are_not_defined),
        cmocka_unit_test(an_input_that_cannot_be_moved_says_nothing_of_stability),
        cmocka_unit_test(draws_once_per_baseline),
        cmocka_unit_test(repeats_curves_of_pictures),
        cmocka_unit_test(is_refused_with_noisy_samples_and_where_nothing_is_walked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
