/* SPDX-License-Identifier: Apache-2.0 */
/* complexity: closed forms of the entropy, and the value that scipy.stats.entropy(abs(a) / sum(abs(a))) gives. */
#include "gig/metric.h"
#include "support.h"
#include <math.h>

enum { HEIGHT = 2, WIDTH = 4, PIXELS = HEIGHT * WIDTH };

static gig_status score(gig_metric_result *out, const char *name, const float *map, size_t channels)
{
    gig_metric metric;
    const gig_scored scored = {.height = HEIGHT, .width = WIDTH, .attribution = map, .channels = channels};
    assert_ok(gig_metric_parse(&metric, name));
    return gig_metrics_score(out, &metric, 1, &scored);
}

static void assert_complexity(double expected, const float *map)
{
    gig_metric_result result;
    assert_ok(score(&result, "complexity", map, 1));
    assert_true(fabs(result.value - expected) <= 1e-14);
    assert_string_equal(result.note, "");
    gig_metric_result_clear(&result);
}

static void is_the_logarithm_of_how_many_equal_pixels_there_are(void **state)
{
    (void)state;
    const float alone[PIXELS] = {[5] = -3}, even[PIXELS] = {2, -2, 2, 2, -2, 2, 2, -2},
                half[PIXELS] = {1, 0, 1, 0, 1, 0, 1};
    assert_complexity(0, alone);
    assert_complexity(log(8), even);
    assert_complexity(log(4), half);
}

static void agrees_with_scipy(void **state)
{
    (void)state;
    const float map[PIXELS] = {0.5F, -1.25F, 0, 3, 0.125F, -0.75F, 2, 0.25F};
    assert_complexity(1.5821412178979544, map);
}

static void does_not_depend_on_the_scale_of_the_map(void **state)
{
    (void)state;
    const float map[PIXELS] = {1e30F, -2e30F, 0, 4e30F}, small[PIXELS] = {1e-30F, 2e-30F, 0, 4e-30F};
    double shares[] = {1.0 / 7, 2.0 / 7, 4.0 / 7}, entropy = 0;
    for (int i = 0; i < 3; i++) entropy -= shares[i] * log(shares[i]);
    gig_metric_result large, tiny;
    assert_ok(score(&large, "complexity", map, 1));
    assert_ok(score(&tiny, "complexity", small, 1));
    assert_true(fabs(large.value - entropy) <= 1e-7); /* the maps are rounded to float */
    assert_true(fabs(tiny.value - entropy) <= 1e-7);
}

static void channels_are_reduced_first(void **state)
{
    (void)state;
    float map[PIXELS * 2] = {0};
    map[0] = 1, map[1] = -1, map[2] = 1, map[3] = 1; /* the first pixel cancels */
    gig_metric_result result;
    assert_ok(score(&result, "complexity", map, 2));
    assert_true(fabs(result.value - 0) <= 1e-14);
    assert_ok(score(&result, "complexity/reduction=sum-abs", map, 2));
    assert_true(fabs(result.value - log(2)) <= 1e-14);
}

static void a_map_of_zeros_has_none(void **state)
{
    (void)state;
    const float zeros[PIXELS] = {0}, broken[PIXELS] = {1, NAN};
    gig_metric_result result;
    assert_ok(score(&result, "complexity", zeros, 1));
    assert_true(isnan(result.value));
    assert_string_equal(result.note, "the map is zero everywhere");
    assert_int_equal(score(&result, "complexity", broken, 1), GIG_ENUMERIC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_logarithm_of_how_many_equal_pixels_there_are),
        cmocka_unit_test(agrees_with_scipy),
        cmocka_unit_test(does_not_depend_on_the_scale_of_the_map),
        cmocka_unit_test(channels_are_reduced_first),
        cmocka_unit_test(a_map_of_zeros_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
