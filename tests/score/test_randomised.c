/* SPDX-License-Identifier: Apache-2.0 */
/* randomised, emprt: maps of randomised models are given; correlations and entropies against
 * tools/golden/score_randomised.py. */
#include "gig/metric.h"
#include "golden/score_randomised.h"
#include "support.h"
#include <math.h>

enum { HEIGHT = 12, WIDTH = 10, PIXELS = HEIGHT * WIDTH };

/* The map of cut k, whatever the number of cuts. */
static gig_status explain_randomised(void *payload, float *attribution, size_t cut, size_t cuts)
{
    size_t *calls = payload;
    assert_true(cut >= 1 && cut <= cuts);
    ++*calls;
    memcpy(attribution, other_maps + (cut - 1) * PIXELS, PIXELS * sizeof *attribution);
    return GIG_OK;
}

static gig_status explain_same(void *payload, float *attribution, size_t cut, size_t cuts)
{
    (void)payload, (void)cut, (void)cuts;
    memcpy(attribution, own_map, PIXELS * sizeof *attribution);
    return GIG_OK;
}

static gig_status explain_again(void *payload, float *attribution, const float *input)
{
    (void)payload, (void)attribution, (void)input;
    return GIG_OK;
}

static const uint8_t pixels[PIXELS * 3];

static gig_status score_map(gig_metric_result *out, const char *name, const float *map,
                            gig_status (*explain)(void *, float *, size_t, size_t), size_t *calls)
{
    gig_metric metric;
    const gig_scored scored = {.height = HEIGHT,
                               .width = WIDTH,
                               .attribution = map,
                               .channels = 1,
                               .pixels = pixels,
                               .explain = explain_again,
                               .explain_randomised = explain,
                               .explain_payload = calls};
    assert_ok(gig_metric_parse(&metric, name));
    return gig_metrics_score(out, &metric, 1, &scored);
}

static gig_status score(gig_metric_result *out, const char *name,
                        gig_status (*explain)(void *, float *, size_t, size_t), size_t *calls)
{
    return score_map(out, name, own_map, explain, calls);
}

static void agrees_with_scipy(void **state)
{
    (void)state;
    const struct {
        const char *name;
        double value;
        size_t calls;
    } cases[] = {{"randomised", mean_of_six, 6}, {"randomised/cuts=2", mean_of_two, 2}, {"emprt", rise, 1}};
    for (size_t i = 0; i < 3; i++) {
        gig_metric_result result;
        size_t calls = 0;
        assert_ok(score(&result, cases[i].name, explain_randomised, &calls));
        assert_float_equal(result.value, cases[i].value, 1e-9);
        assert_int_equal(calls, cases[i].calls);
        gig_metric_result_clear(&result);
    }
}

static void a_map_that_stays_correlates_fully_and_does_not_rise(void **state)
{
    (void)state;
    gig_metric_result result;
    assert_ok(score(&result, "randomised", explain_same, NULL));
    assert_float_equal(result.value, 1, 1e-12);
    gig_metric_result_clear(&result);
    assert_ok(score(&result, "emprt", explain_same, NULL));
    assert_float_equal(result.value, 0, 1e-12);
    gig_metric_result_clear(&result);
}

static void notes_that_a_map_is_the_same_everywhere(void **state)
{
    (void)state;
    static const char *const names[] = {"randomised", "emprt"};
    const float flat[PIXELS] = {0};
    for (size_t i = 0; i < 2; i++) {
        gig_metric_result result;
        size_t calls = 0;
        assert_ok(score_map(&result, names[i], flat, explain_randomised, &calls));
        assert_true(isnan(result.value));
        assert_string_equal(result.note, "a map is the same everywhere");
        gig_metric_result_clear(&result);
    }
}

static void says_that_it_needs_the_file(void **state)
{
    (void)state;
    gig_metric_result result;
    assert_status(score(&result, "randomised", NULL, NULL), GIG_EARG);
    assert_non_null(strstr(gig_message(), "the model's file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_scipy),
        cmocka_unit_test(a_map_that_stays_correlates_fully_and_does_not_rise),
        cmocka_unit_test(notes_that_a_map_is_the_same_everywhere),
        cmocka_unit_test(says_that_it_needs_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
