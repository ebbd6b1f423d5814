/* SPDX-License-Identifier: Apache-2.0 */
/* No endless loop and no silent nonsense: each odd input ends in a defined result or in one clear error. */
#include "base/memory.h"
#include "closed_form.h"
#include "gig/path.h"
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct setting {
    closed_form form;
    size_t features, target, steps, segments;
    double fraction, max_dist; /* max_dist 1: unbounded */
    int of_remaining, line;
    gig_rule rule;
    gig_drive_options drive;
} setting;

static gig_status walk(gig_chain_result *result, double *a, const setting *s, const float *start, const float *end)
{
    closed model = {.form = s->form, .features = s->features};
    gig_function function = closed_function(&model, 1);
    gig_guided_options options = {
        .fraction = s->fraction, .bounded = s->max_dist < 1, .max_dist = s->max_dist, .of_remaining = s->of_remaining};
    gig_guide guide = gig_guide_guided(&options);
    gig_chain chain = {.guide = s->line ? NULL : &guide,
                       .steps = s->steps,
                       .segments = s->segments,
                       .target = s->target,
                       .rule = s->rule};
    return gig_chain_run(result, a, (gig_functions){1, &function}, &chain, start, end, &s->drive);
}

/* Sum of x, but the gradient (target < 100) or the value (100) is NaN or infinite at the fourth call on. */
static _Thread_local size_t calls;
static double sick(const float *x, size_t n, size_t target, float *g)
{
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)x[i];
        if (g) g[i] = 1;
    }
    if (calls++ < 3) return sum;
    if (g && target < 3) g[2] = bad[target];
    return target < 3 ? sum : (double)bad[target - 100];
}

/* Nothing for the first tenth of the way, then steep; no number at the 22nd gradient, the first of refinement. */
static double late(const float *x, size_t n, size_t target, float *g)
{
    (void)target;
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)x[i];
    double above = sum > 5 ? sum - 5 : 0;
    for (size_t i = 0; g && i < n; i++) g[i] = (float)(3 * above * above);
    if (g && calls++ >= 21) g[2] = NAN;
    return above * above * above;
}

static void a_nan_names_step_and_feature(void **state)
{
    (void)state;
    const float start[4] = {0, 0, 0, 0}, end[4] = {1, 2, 3, 4};
    for (int line = 0; line < 2; line++)
        for (size_t kind = 0; kind < 3; kind++) {
            gig_chain_result result;
            setting s = {.form = sick,
                         .features = 4,
                         .target = kind,
                         .steps = 9,
                         .max_dist = 1,
                         .line = line,
                         .rule = GIG_RULE_LEFT};
            calls = 0;
            assert_int_equal(walk(&result, NULL, &s, start, end), GIG_ENUMERIC);
            assert_non_null(strstr(gig_message(), "step 3: the gradient of feature 2 is "));
            s.target = 100 + kind;
            calls = 0;
            assert_int_equal(walk(&result, NULL, &s, start, end), GIG_ENUMERIC);
            assert_non_null(strstr(gig_message(), "step 3: the value is "));
        }
}

/* Also where a step is looked at again, more closely. */
static void refinement_names_the_step_too(void **state)
{
    (void)state;
    const float start[4] = {0, 0, 0, 0}, end[4] = {1, 2, 3, 4};
    closed model = {.form = late, .features = 4};
    gig_function function = closed_function(&model, 1);
    gig_guide guide = gig_guide_guided(NULL);
    gig_chain chain = {.guide = &guide, .steps = 20};
    gig_drive_options drive = {.tolerance = 1e-9};
    gig_chain_result result;
    calls = 0;
    assert_int_equal(gig_chain_run(&result, NULL, (gig_functions){1, &function}, &chain, start, end, &drive),
                     GIG_ENUMERIC);
    assert_non_null(strstr(gig_message(), "the gradient of feature 2 is nan"));
    assert_null(strstr(gig_message(), "step 0:")); /* nothing happens there */
}

static void ends_that_are_not_numbers_are_rejected(void **state)
{
    (void)state;
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t kind = 0; kind < 3; kind++)
        for (int line = 0; line < 2; line++) {
            float start[2] = {0, 0}, end[2] = {1, bad[kind]};
            gig_chain_result result;
            setting s = {.form = linear_two, .features = 2, .steps = 5, .max_dist = 1, .line = line};
            assert_int_equal(walk(&result, NULL, &s, start, end), GIG_ENUMERIC);
            assert_non_null(strstr(gig_message(), "feature 1 of the end"));
            assert_int_equal(walk(&result, NULL, &s, end, start), GIG_ENUMERIC);
            assert_non_null(strstr(gig_message(), "feature 1 of the start"));
        }
}

static void no_distance_attributes_nothing(void **state)
{
    (void)state;
    static const gig_rule rules[] = {GIG_RULE_LEFT, GIG_RULE_RIGHT, GIG_RULE_TRAPEZOID, GIG_RULE_MIDPOINT,
                                     GIG_RULE_IDGI};
    for (int line = 0; line < 2; line++)
        for (size_t r = 0; r < 5; r++)
            for (int extra = 0; extra < 2; extra++) {
                double a[6] = {1, 1, 1, 1, 1, 1};
                gig_chain_result result;
                setting s = {.form = six, .features = 6, .steps = 7, .max_dist = 1, .line = line, .rule = rules[r]};
                if (extra) s.drive = (gig_drive_options){.tolerance = 0.01, .close = 1};
                if (!line) s.segments = 3;
                assert_int_equal(walk(&result, a, &s, six_input, six_input), GIG_OK);
                for (size_t i = 0; i < 6; i++) assert_true(a[i] == 0);
                assert_true(result.sum == 0 && result.delta == 0 && result.l1 == 0 && result.distance == 0);
            }
}

/* F = sum of scale_i x_i: exact attributions scale_i (end_i - start_i). */
static const float *scales;
static double scaled_sum(const float *x, size_t n, size_t target, float *g)
{
    (void)target;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)scales[i] * (double)x[i];
        if (g) g[i] = scales[i];
    }
    return sum;
}

static void any_magnitude_is_walked_to_its_end(void **state)
{
    (void)state;
    static const float magnitudes[] = {1e-45f, 1e-40f, 1e-38f, 1e-30f, 1e-9f, 1, 1e8f, 1e30f, 3e38f};
    static const float slopes[5] = {1, -2, 0.5f, 1e-3f, 4};
    static const double windows[] = {1, .3, .02, 0};
    scales = slopes;
    for (size_t k = 0; k < sizeof magnitudes / sizeof *magnitudes; k++)
        for (size_t w = 0; w < 4; w++)
            for (int remaining = 0; remaining < 2; remaining++)
                for (size_t segments = 1; segments < 6; segments += 4) {
                    float start[5] = {0, .5f * magnitudes[k], -magnitudes[k], 0, magnitudes[k]};
                    float end[5] = {magnitudes[k], -magnitudes[k], 0, .25f * magnitudes[k], .75f * magnitudes[k]};
                    double a[5];
                    gig_chain_result result;
                    setting s = {.form = scaled_sum,
                                 .features = 5,
                                 .steps = 20,
                                 .segments = segments,
                                 .fraction = .3,
                                 .max_dist = windows[w],
                                 .of_remaining = remaining};
                    assert_int_equal(walk(&result, a, &s, start, end), GIG_OK);
                    for (size_t i = 0; i < 5; i++) {
                        double expected = (double)slopes[i] * ((double)end[i] - (double)start[i]);
                        assert_true(fabs(a[i] - expected) <= 1e-6 * fabs(expected));
                    }
                }
}

static void magnitudes_may_differ_between_features(void **state)
{
    (void)state;
    static const float slopes[6] = {1e30f, 1e-30f, 1, 1e-45f, -1e20f, 0};
    const float start[6] = {0, 0, 1e8f, 0, 1e-20f, 5}, end[6] = {1e-30f, 1e30f, 1e8f + 16, 1e-44f, 2e-20f, 7};
    scales = slopes;
    static const double windows[] = {1, .3, .02, 0};
    for (size_t w = 0; w < 4; w++) {
        double a[6];
        gig_chain_result result;
        setting s = {.form = scaled_sum, .features = 6, .steps = 30, .max_dist = windows[w]};
        assert_int_equal(walk(&result, a, &s, start, end), GIG_OK);
        for (size_t i = 0; i < 6; i++) {
            double expected = (double)slopes[i] * ((double)end[i] - (double)start[i]);
            assert_true(fabs(a[i] - expected) <= 1e-6 * fabs(expected));
        }
    }
}

/* Both factors are finite floats, their product is beyond a float but not beyond a double. */
static void large_products_stay_finite(void **state)
{
    (void)state;
    static const float slopes[2] = {3e38f, 1};
    const float start[2] = {-3e38f, 0}, end[2] = {3e38f, 1};
    scales = slopes;
    double a[2];
    gig_chain_result result;
    setting s = {.form = scaled_sum, .features = 2, .steps = 10, .max_dist = 1};
    assert_int_equal(walk(&result, a, &s, start, end), GIG_OK);
    assert_true(fabs(a[0] / 1.8e77 - 1) < 1e-6);
}

static void one_feature_goes_straight(void **state)
{
    (void)state;
    static const float slope = 3;
    const float start = -1, end = 4;
    scales = &slope;
    for (size_t steps = 1; steps < 50; steps += 7)
        for (int bounded = 0; bounded < 2; bounded++) {
            double a;
            gig_chain_result result;
            setting s = {.form = scaled_sum, .features = 1, .steps = steps, .max_dist = bounded ? .1 : 1};
            assert_int_equal(walk(&result, &a, &s, &start, &end), GIG_OK);
            assert_true(fabs(a - 15) < 1e-5 && fabs(result.l1 - 5) < 1e-6);
        }
}

/* Tiny fractions take one feature at a time: as many groups as features, in one step. */
static void tiny_fractions_end_too(void **state)
{
    (void)state;
    enum { n = 20000 };
    float *slopes = gig_alloc(n, sizeof *slopes), *start = gig_alloc_zero(n, sizeof *start);
    float *end = gig_alloc(n, sizeof *end);
    double *a = gig_alloc(n, sizeof *a);
    for (size_t i = 0; i < n; i++) {
        slopes[i] = (float)((i * 7919) % n) + 1;
        end[i] = i % 2 ? 1 : -1;
    }
    scales = slopes;
    for (int remaining = 0; remaining < 2; remaining++) {
        gig_chain_result result;
        setting s = {
            .form = scaled_sum, .features = n, .steps = 4, .fraction = 1e-9, .max_dist = 1, .of_remaining = remaining};
        assert_int_equal(walk(&result, a, &s, start, end), GIG_OK);
        for (size_t i = 0; i < n; i++) assert_true(a[i] == (double)slopes[i] * (double)end[i]);
    }
    gig_free(a);
    gig_free(end);
    gig_free(start);
    gig_free(slopes);
}

static double flat(const float *x, size_t n, size_t target, float *g)
{
    (void)x, (void)target;
    for (size_t i = 0; g && i < n; i++) g[i] = 0.5f;
    return 1;
}

static void ten_million_features_with_equal_gradients(void **state)
{
    (void)state;
    enum { n = 10000000 };
    float *start = gig_alloc_zero(n, sizeof *start), *end = gig_alloc(n, sizeof *end);
    for (size_t i = 0; i < n; i++) end[i] = (float)(i % 251);
    gig_chain_result result;
    setting s = {.form = flat, .features = n, .steps = 3, .max_dist = 1};
    assert_int_equal(walk(&result, NULL, &s, start, end), GIG_OK);
    assert_true(fabs(result.sum / (0.5 * result.l1) - 1) < 1e-6);
    s.max_dist = .02;
    assert_int_equal(walk(&result, NULL, &s, start, end), GIG_OK);
    gig_free(end);
    gig_free(start);
}

static void fewer_steps_than_segments_is_an_error(void **state)
{
    (void)state;
    gig_chain_result result;
    setting s = {.form = six, .features = 6, .steps = 20, .segments = 21, .max_dist = 1};
    assert_int_equal(walk(&result, NULL, &s, six_baseline, six_input), GIG_EARG);
    assert_non_null(strstr(gig_message(), "20 steps are too few for 21 segments"));
    s.steps = 21;
    assert_int_equal(walk(&result, NULL, &s, six_baseline, six_input), GIG_OK);
}

static void options_out_of_range_are_refused(void **state)
{
    (void)state;
    static const double fractions[] = {-.1, 1.1, 2, NAN}, windows[] = {-.1, -INFINITY};
    gig_chain_result result;
    for (size_t i = 0; i < 4; i++) {
        setting s = {.form = six, .features = 6, .steps = 20, .fraction = fractions[i], .max_dist = 1};
        assert_int_equal(walk(&result, NULL, &s, six_baseline, six_input), GIG_EARG);
        assert_non_null(strstr(gig_message(), "fraction"));
    }
    for (size_t i = 0; i < 2; i++) {
        setting s = {.form = six, .features = 6, .steps = 20, .max_dist = windows[i]};
        assert_int_equal(walk(&result, NULL, &s, six_baseline, six_input), GIG_EARG);
        assert_non_null(strstr(gig_message(), "max-dist"));
    }
}

/* A guide of the caller's own: what is asked of it is checked. */
typedef enum mischief { GOOD, STOPS_SHORT, GOES_TO_NAN, FAILS } mischief;
static gig_status own_advance(void *state, size_t step, double value, const float *gradient, const float *at,
                              float *next)
{
    (void)value, (void)gradient;
    const mischief *kind = *(const mischief *const *)state;
    next[0] = at[0] + 1;
    next[1] = at[1] + 1;
    if (*kind == STOPS_SHORT && step == 3) next[1] = at[1];
    if (*kind == GOES_TO_NAN && step == 2) next[1] = NAN;
    if (*kind == FAILS && step == 1) return GIG_EUNSUPPORTED;
    return GIG_OK;
}

static size_t own_size(const void *options, size_t features)
{
    (void)options, (void)features;
    return sizeof(const mischief *);
}

static gig_status own_begin(void *state, const void *options, const float *start, const float *end, size_t features,
                            size_t steps)
{
    (void)start, (void)end, (void)features, (void)steps;
    *(const mischief **)state = options;
    return GIG_OK;
}

static void reports_a_guide_that_misbehaves(void **state)
{
    (void)state;
    static const struct {
        mischief kind;
        gig_status status;
        const char *says;
    } cases[] = {{GOOD, GIG_OK, ""},
                 {STOPS_SHORT, GIG_EARG, "the guide's last step left feature 1 at 3, short of its end 4"},
                 {GOES_TO_NAN, GIG_ENUMERIC, "step 2: the guide's next point of feature 1 is nan"},
                 {FAILS, GIG_EUNSUPPORTED, ""}};
    for (size_t i = 0; i < 4; i++) {
        gig_guide guide = {
            .state_size = own_size, .begin = own_begin, .advance = own_advance, .options = &cases[i].kind};
        closed model = {.form = linear_two, .features = 2};
        gig_function function = closed_function(&model, 1);
        gig_chain chain = {.guide = &guide, .steps = 4};
        const float start[2] = {0, 0}, end[2] = {4, 4};
        gig_chain_result result;
        assert_int_equal(gig_chain_run(&result, NULL, (gig_functions){1, &function}, &chain, start, end, NULL),
                         cases[i].status);
        if (cases[i].says[0]) assert_non_null(strstr(gig_message(), cases[i].says));
    }
}

/* Without an end the guide goes where it likes, and there is no delta. */
static void an_open_chain_stops_after_its_steps(void **state)
{
    (void)state;
    mischief kind = GOOD;
    gig_guide guide = {.state_size = own_size, .begin = own_begin, .advance = own_advance, .options = &kind};
    closed model = {.form = linear_two, .features = 2};
    gig_function function = closed_function(&model, 1);
    gig_chain chain = {.guide = &guide, .steps = 7, .open = 1};
    const float start[2] = {1, 2};
    gig_chain_result result;
    double a[2];
    assert_int_equal(gig_chain_run(&result, a, (gig_functions){1, &function}, &chain, start, NULL, NULL), GIG_OK);
    assert_true(isnan(result.delta) && isnan(result.distance));
    assert_true(result.value_start == 4 && result.value_end == 25);
    assert_true(a[0] == 14 && a[1] == 7 && result.l1 == 14);
    assert_int_equal(gig_chain_run(&result, a, (gig_functions){1, &function}, &chain, start, start, NULL), GIG_EARG);
}

static void rule_gradient_returns_the_gradient(void **state)
{
    (void)state;
    closed model = {.form = pair_three, .features = 3};
    gig_function function = closed_function(&model, 1);
    gig_chain chain = {.steps = 1, .open = 1, .rule = GIG_RULE_GRADIENT};
    const float at[3] = {3, 2, 1};
    gig_chain_result result;
    double a[3];
    assert_int_equal(gig_chain_run(&result, a, (gig_functions){1, &function}, &chain, at, NULL, NULL), GIG_OK);
    assert_true(a[0] == 5 && a[1] == 4 && fabs(a[2] - cos(1)) < 1e-7);
    assert_int_equal(result.evaluations, 1);
    assert_int_equal(result.values, 0);
    assert_true(isnan(result.delta) && isnan(result.noise) && isnan(result.value_end));
    assert_true(fabs(result.value_start - (15 + 4 + sin(1))) < 1e-7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_nan_names_step_and_feature),
        cmocka_unit_test(refinement_names_the_step_too),
        cmocka_unit_test(ends_that_are_not_numbers_are_rejected),
        cmocka_unit_test(no_distance_attributes_nothing),
        cmocka_unit_test(any_magnitude_is_walked_to_its_end),
        cmocka_unit_test(magnitudes_may_differ_between_features),
        cmocka_unit_test(large_products_stay_finite),
        cmocka_unit_test(one_feature_goes_straight),
        cmocka_unit_test(tiny_fractions_end_too),
        cmocka_unit_test(ten_million_features_with_equal_gradients),
        cmocka_unit_test(fewer_steps_than_segments_is_an_error),
        cmocka_unit_test(options_out_of_range_are_refused),
        cmocka_unit_test(reports_a_guide_that_misbehaves),
        cmocka_unit_test(an_open_chain_stops_after_its_steps),
        cmocka_unit_test(rule_gradient_returns_the_gradient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
