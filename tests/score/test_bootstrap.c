/* SPDX-License-Identifier: Apache-2.0 */
/* Bootstrap intervals of means, differences and curves. */
#include "support.h"

#include "base/memory.h"
#include "base/rng.h"
#include "internal/score.h"
#include "score/random_streams.h"

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void approaches_the_normal_interval(void **state)
{
    (void)state;
    enum { N = 400 };
    double values[N], mean = 0, variance = 0;
    for (uint64_t i = 0; i < N; i++) mean += values[i] = 3 + gig_rng_normal((gig_rng){1, 1}, i);
    mean /= N;
    for (size_t i = 0; i < N; i++) variance += (values[i] - mean) * (values[i] - mean);
    double half = 1.959964 * sqrt(variance / N / N);
    gig_interval found;
    assert_ok(gig_bootstrap_mean(&found, values, N, NULL));
    assert_true(found.n == N);
    assert_float_equal(found.mean, mean, 1e-12);
    assert_float_equal(found.low, mean - half, 0.1 * half);
    assert_float_equal(found.high, mean + half, 0.1 * half);
    gig_interval wide;
    assert_ok(gig_bootstrap_mean(&wide, values, N, &(gig_bootstrap_options){.level = 0.99}));
    assert_float_equal(wide.high, mean + half * 2.575829 / 1.959964, 0.1 * half);
}

static void leaves_undefined_values_out(void **state)
{
    (void)state;
    const double values[] = {NAN, 2, NAN, 4}, none[] = {NAN}, one[] = {5};
    gig_interval found;
    assert_ok(gig_bootstrap_mean(&found, values, 4, NULL));
    assert_true(found.n == 2 && found.mean == 3 && found.low == 2 && found.high == 4);
    assert_ok(gig_bootstrap_mean(&found, none, 1, NULL));
    assert_true(found.n == 0 && isnan(found.mean) && isnan(found.low) && isnan(found.high));
    assert_ok(gig_bootstrap_mean(&found, one, 1, NULL));
    assert_true(found.n == 1 && found.mean == 5 && found.low == 5 && found.high == 5);
}

static void pairs_differences(void **state)
{
    (void)state;
    const double a[] = {0.9, 0.5, NAN, 0.25, 0.7}, b[] = {0.65, 0.25, 0.1, 0, NAN};
    gig_interval found;
    assert_ok(gig_bootstrap_difference(&found, a, b, 5, NULL));
    assert_true(found.n == 3);
    assert_float_equal(found.low, 0.25, 1e-12);
    assert_float_equal(found.high, 0.25, 1e-12);
}

static void depends_on_the_seed_alone(void **state)
{
    (void)state;
    const double values[] = {1, 5, 2, 8, 3, 1, 9};
    gig_interval a, b, c;
    assert_ok(gig_bootstrap_mean(&a, values, 7, &(gig_bootstrap_options){.seed = 4}));
    assert_ok(gig_bootstrap_mean(&b, values, 7, &(gig_bootstrap_options){.seed = 4}));
    assert_ok(gig_bootstrap_mean(&c, values, 7, &(gig_bootstrap_options){.seed = 5}));
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(a.low != c.low || a.high != c.high);
}

/* The same resamples drawn here, their curves aggregated one by one. */
static void resamples_curves_as_aggregation_does(void **state)
{
    (void)state;
    enum { N = 9, INTERVALS = 6, TIMES = 41 };
    double data[N][INTERVALS + 1], areas[TIMES], out[INTERVALS + 1];
    const double *curves[N], *drawn[N];
    for (size_t i = 0; i < N; i++) {
        curves[i] = data[i];
        for (size_t j = 0; j <= INTERVALS; j++) data[i][j] = gig_rng_uniform((gig_rng){2, i}, j);
    }
    for (size_t count = N - 1; count <= N; count++)
        for (int kind = 0; kind < 2; kind++) {
            for (uint64_t r = 0; r < TIMES; r++) {
                gig_rng rng = {7, gig_score_stream(GIG_DRAW_BOOTSTRAP, r)};
                for (size_t i = 0; i < count; i++) drawn[i] = curves[(size_t)(gig_rng_uniform(rng, i) * (double)count)];
                assert_ok(gig_curves_aggregate(out, drawn, count, INTERVALS, (gig_aggregate)kind));
                areas[r] = gig_curve_area(out, INTERVALS);
            }
            qsort(areas, TIMES, sizeof *areas, by_value);
            gig_interval found;
            assert_ok(gig_bootstrap_curves(&found, curves, count, INTERVALS, (gig_aggregate)kind,
                                           &(gig_bootstrap_options){.seed = 7, .resamples = TIMES}));
            assert_float_equal(found.low, areas[1], 1e-12); /* rank 0.025 * 40 = 1 */
            assert_float_equal(found.high, areas[39], 1e-12);
            assert_ok(gig_curves_aggregate(out, curves, count, INTERVALS, (gig_aggregate)kind));
            assert_float_equal(found.mean, gig_curve_area(out, INTERVALS), 1e-12);
        }
}

static void has_no_area_without_curves(void **state)
{
    (void)state;
    gig_interval found;
    assert_ok(gig_bootstrap_curves(&found, NULL, 0, 10, GIG_AGGREGATE_MEDIAN, NULL));
    assert_true(found.n == 0 && isnan(found.mean));
    const double flat[] = {0, 1};
    const double *const curves[] = {flat};
    assert_status(gig_bootstrap_curves(&found, curves, 1, SIZE_MAX, GIG_AGGREGATE_MEDIAN, NULL), GIG_ELIMIT);
}

static void refuses_levels_outside_of_0_to_1(void **state)
{
    (void)state;
    const double values[] = {1, 2};
    gig_interval found;
    assert_status(gig_bootstrap_mean(&found, values, 2, &(gig_bootstrap_options){.level = 1}), GIG_EARG);
    assert_status(gig_bootstrap_mean(&found, values, 2, &(gig_bootstrap_options){.level = NAN}), GIG_EARG);
}

static void gives_back_memory_when_it_runs_out(void **state)
{
    (void)state;
    const double values[] = {1, 2}, *const curves[] = {values, values};
    size_t before = gig_memory_used();
    for (size_t at = 0; at < 4; at++) {
        gig_interval found;
        gig_memory_fail_at(at, 0);
        if (at < 3) assert_status(gig_bootstrap_mean(&found, values, 2, NULL), GIG_ENOMEM);
        gig_memory_fail_at(at, 0);
        assert_status(gig_bootstrap_curves(&found, curves, 2, 1, GIG_AGGREGATE_MEAN, NULL), GIG_ENOMEM);
        assert_true(gig_memory_used() == before);
    }
    gig_memory_fail_at(SIZE_MAX, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(approaches_the_normal_interval),
        cmocka_unit_test(leaves_undefined_values_out),
        cmocka_unit_test(pairs_differences),
        cmocka_unit_test(depends_on_the_seed_alone),
        cmocka_unit_test(resamples_curves_as_aggregation_does),
        cmocka_unit_test(has_no_area_without_curves),
        cmocka_unit_test(refuses_levels_outside_of_0_to_1),
        cmocka_unit_test(gives_back_memory_when_it_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
