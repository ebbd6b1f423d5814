/* SPDX-License-Identifier: Apache-2.0 */
/* Paths that add up: refinement under a tolerance, closing, IDGI, and the numbers a result carries. */
#include "base/memory.h"
#include "closed_form.h"
#include "gig/path.h"
#include "random_network.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { N = NETWORK_INPUTS };

typedef struct setting {
    size_t seed, steps, segments;
    int guided;
    gig_rule rule;
    gig_drive_options drive;
} setting;

static gig_chain_result walk(double *attributions, const setting *s)
{
    float start[N], end[N];
    for (size_t i = 0; i < N; i++) {
        start[i] = 0;
        end[i] = (float)(3 * gig_rng_normal((gig_rng){4, s->seed}, i));
    }
    closed model = {.form = random_network, .features = N};
    gig_function function = closed_function(&model, 1);
    gig_guide guide = gig_guide_guided(NULL);
    gig_chain chain = {.guide = s->guided ? &guide : NULL,
                       .steps = s->steps,
                       .segments = s->segments,
                       .target = s->seed,
                       .rule = s->rule};
    gig_chain_result result;
    assert_int_equal(gig_chain_run(&result, attributions, (gig_functions){1, &function}, &chain, start, end, &s->drive),
                     GIG_OK);
    assert_int_equal(result.evaluations, atomic_load(&model.gradients));
    assert_int_equal(result.values, atomic_load(&model.values));
    return result;
}

static double sum_of(const double *a)
{
    double sum = 0;
    for (size_t i = 0; i < N; i++) sum += a[i];
    return sum;
}

static const gig_rule guided_rules[] = {GIG_RULE_LEFT, GIG_RULE_RIGHT, GIG_RULE_TRAPEZOID, GIG_RULE_MIDPOINT};

static void refines_until_it_adds_up(void **state)
{
    (void)state;
    size_t refined = 0;
    for (size_t seed = 0; seed < 6; seed++)
        for (size_t segments = 1; segments <= 7; segments += 3)
            for (size_t r = 0; r < 4; r++)
                for (double tolerance = 1e-2; tolerance > 5e-5; tolerance /= 10) {
                    double a[N];
                    setting s = {.seed = seed,
                                 .steps = 20,
                                 .segments = segments,
                                 .guided = 1,
                                 .rule = guided_rules[r],
                                 .drive = {.tolerance = tolerance}};
                    s.drive.max_evaluations = 5000;
                    gig_chain_result result = walk(a, &s);
                    double change = result.value_end - result.value_start;
                    assert_int_equal(result.stopped, 0);
                    assert_true(fabs(result.delta) <= tolerance * fabs(change) +
                                                          1e-6 * (fabs(result.value_start) + fabs(result.value_end)) +
                                                          1e-9);
                    assert_true(fabs(sum_of(a) - result.sum) < 1e-9);
                    refined += result.rounds > 0;
                }
    assert_true(refined > 20);
}

/* Many rounds converge to the integral along the same path, which many midpoints of its steps give too. */
static void refined_attributions_are_those_of_the_path(void **state)
{
    (void)state;
    double a[N], exact[N];
    setting s = {.seed = 2,
                 .steps = 10,
                 .segments = 1,
                 .guided = 1,
                 .rule = GIG_RULE_LEFT,
                 .drive = {.tolerance = 1e-12, .max_evaluations = 3000}};
    gig_chain_result result = walk(a, &s);
    setting other = {.seed = 2,
                     .steps = 10,
                     .segments = 1,
                     .guided = 1,
                     .rule = GIG_RULE_MIDPOINT,
                     .drive = {.tolerance = 1e-12, .max_evaluations = 3000}};
    walk(exact, &other);
    assert_true(result.rounds > 10);
    for (size_t i = 0; i < N; i++) assert_true(fabs(a[i] - exact[i]) < 1e-4);
    assert_true(result.step_error < 1e-3);
}

/* A tolerance that the path meets as it is changes nothing, by any rule: neither the step errors nor what closing adds.
 */
static void an_idle_tolerance_changes_nothing(void **state)
{
    (void)state;
    for (size_t r = 0; r < 4; r++)
        for (int close = 0; close < 2; close++) {
            double a[N], b[N];
            setting s = {.seed = 3, .steps = 12, .segments = 2, .guided = 1, .rule = guided_rules[r]};
            s.drive.close = close;
            gig_chain_result plain = walk(a, &s);
            s.drive.tolerance = 100;
            gig_chain_result idle = walk(b, &s);
            assert_true(idle.rounds == 0 && plain.step_error > 0);
            assert_true(fabs(idle.step_error - plain.step_error) < 1e-9 * plain.step_error);
            assert_true(!close || fabs(idle.closed - plain.closed) <= 1e-6 * plain.closed);
            for (size_t i = 0; i < N; i++) assert_true(fabs(a[i] - b[i]) < 1e-6);
        }
}

/* Its gradient says nothing of how it changes, anywhere: every piece misses something. */
static double mute(const float *x, size_t n, size_t target, float *g)
{
    (void)target;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)x[i];
        if (g) g[i] = 0;
    }
    return sum;
}

/* The same, and all change is in one place: never adds up. */
static double stairs(const float *x, size_t n, size_t target, float *g)
{
    return mute(x, n, target, g) >= 1.5;
}

static void stops_at_the_maximum_of_evaluations(void **state)
{
    (void)state;
    const float start[3] = {0, 0, 0}, end[3] = {2, 1, 0};
    for (int guided = 0; guided < 2; guided++)
        for (size_t most = 0; most < 400; most += most == 0 ? 5 : 33) {
            closed model = {.form = stairs, .features = 3};
            gig_function function = closed_function(&model, 1);
            gig_guide guide = gig_guide_guided(NULL);
            gig_chain chain = {.guide = guided ? &guide : NULL, .steps = 20};
            gig_drive_options drive = {.tolerance = 0.01, .max_evaluations = most};
            gig_chain_result result;
            assert_int_equal(gig_chain_run(&result, NULL, (gig_functions){1, &function}, &chain, start, end, &drive),
                             GIG_OK);
            assert_int_equal(result.stopped, 1);
            assert_int_equal(result.evaluations, atomic_load(&model.gradients));
            size_t walked = guided ? 21 : 20; /* which the walk itself takes */
            if (most && most < walked)
                assert_int_equal(result.evaluations, walked);
            else
                assert_true(result.evaluations <= (most ? most : 200));
            assert_true(result.delta == -1);
        }
}

static void may_cost_ten_times_its_steps_by_default(void **state)
{
    (void)state;
    const float start[3] = {0, 0, 0}, end[3] = {2, 1, 0};
    closed model = {.form = mute, .features = 3};
    gig_function function = closed_function(&model, 1);
    gig_guide guide = gig_guide_guided(NULL);
    gig_chain chain = {.guide = &guide, .steps = 20};
    gig_drive_options drive = {.tolerance = 0.01};
    gig_chain_result result;
    assert_int_equal(gig_chain_run(&result, NULL, (gig_functions){1, &function}, &chain, start, end, &drive), GIG_OK);
    assert_int_equal(result.evaluations, 200);
    assert_int_equal(result.stopped, 1);
}

/* 1000 + c x^2 from -1 to 1: F is the same at both ends, and left misses 0.2 c in 20 steps, trapezoid nothing. */
static double curvature;
static double high_bowl(const float *x, size_t n, size_t target, float *g)
{
    (void)n, (void)target;
    if (g) g[0] = (float)(2 * curvature * (double)x[0]);
    return 1000 + curvature * (double)x[0] * (double)x[0];
}

/* Where F does not change, a fraction of its size counts: 1e-6 (1000 + 1000) = 0.002. */
static void a_tolerance_allows_for_the_size_of_the_values(void **state)
{
    (void)state;
    const float start[1] = {-1}, end[1] = {1};
    static const double curvatures[2] = {0.005, 0.05}, left[2] = {-0.001, 0};
    for (size_t i = 0; i < 2; i++) {
        closed model = {.form = high_bowl, .features = 1};
        gig_function function = closed_function(&model, 1);
        gig_guide guide = gig_guide_guided(NULL);
        gig_chain chain = {.guide = &guide, .steps = 20};
        gig_drive_options drive = {.tolerance = 0.01};
        gig_chain_result result;
        curvature = curvatures[i];
        assert_int_equal(gig_chain_run(&result, NULL, (gig_functions){1, &function}, &chain, start, end, &drive),
                         GIG_OK);
        assert_int_equal(result.stopped, 0);
        assert_true(fabs(result.delta - left[i]) < 1e-5);
    }
}

static void refinement_lowers_the_step_errors(void **state)
{
    (void)state;
    for (size_t seed = 0; seed < 6; seed++) {
        setting plain = {.seed = seed, .steps = 20, .segments = 1, .guided = 1, .rule = GIG_RULE_LEFT};
        setting refined = {.seed = seed,
                           .steps = 20,
                           .segments = 1,
                           .guided = 1,
                           .rule = GIG_RULE_LEFT,
                           .drive = {.tolerance = 1e-12, .max_evaluations = 100}};
        double before = walk(NULL, &plain).step_error, after = walk(NULL, &refined).step_error;
        assert_true(after < before / 3);
    }
}

static void refines_curves_by_doubling(void **state)
{
    (void)state;
    static const gig_rule rules[] = {GIG_RULE_LEFT,          GIG_RULE_RIGHT, GIG_RULE_TRAPEZOID,
                                     GIG_RULE_MIDPOINT,      GIG_RULE_PAIR,  GIG_RULE_CAPTUM_TRAPEZOID,
                                     GIG_RULE_GAUSS_LEGENDRE};
    for (size_t r = 0; r < 7; r++) {
        double a[N], exact[N];
        setting fine = {.seed = 3, .steps = 400, .segments = 1, .guided = 0, .rule = GIG_RULE_GAUSS_LEGENDRE};
        walk(exact, &fine);
        setting s = {.seed = 3,
                     .steps = 6,
                     .segments = 1,
                     .guided = 0,
                     .rule = rules[r],
                     .drive = {.tolerance = 1e-5, .max_evaluations = 3000}};
        gig_chain_result result = walk(a, &s);
        assert_int_equal(result.stopped, 0);
        assert_true(fabs(result.delta) <= 1e-5 * fabs(result.value_end - result.value_start) +
                                              1e-6 * (fabs(result.value_end) + fabs(result.value_start)));
        if (r != 6) assert_true(result.rounds > 0);
        for (size_t i = 0; i < N; i++) assert_true(fabs(a[i] - exact[i]) < 1e-3);
    }
}

static void closing_completes_to_rounding(void **state)
{
    (void)state;
    static const gig_rule rules[] = {GIG_RULE_LEFT,     GIG_RULE_RIGHT, GIG_RULE_TRAPEZOID,
                                     GIG_RULE_MIDPOINT, GIG_RULE_PAIR,  GIG_RULE_CAPTUM_TRAPEZOID};
    for (int guided = 0; guided < 2; guided++)
        for (size_t r = 0; r < (guided ? 4 : 6); r++)
            for (int tolerance = 0; tolerance < 2; tolerance++) {
                double a[N], open[N];
                setting s = {.seed = r,
                             .steps = 12,
                             .segments = guided ? 3 : 1,
                             .guided = guided,
                             .rule = rules[r],
                             .drive = {.tolerance = tolerance ? 1e-3 : 0}};
                gig_chain_result before = walk(open, &s);
                s.drive.close = 1;
                gig_chain_result after = walk(a, &s);
                assert_true(fabs(after.delta) < 1e-9);
                assert_true(isnan(before.closed) && after.closed > 0);
                assert_true(after.closed >= fabs(before.delta) - 1e-9);
                assert_int_equal(before.evaluations, after.evaluations);
                double moved = 0;
                for (size_t i = 0; i < N; i++) moved += fabs(a[i] - open[i]);
                assert_true(moved <= after.closed + 1e-9);
                if (guided || (r < 3 && !tolerance)) {
                    assert_true(before.step_error == after.step_error);
                    assert_true(fabs(after.closed - after.step_error) < 1e-9);
                }
            }
}

/* (2 x0 + x1)^3 */
static double cubic(const float *x, size_t n, size_t target, float *g)
{
    (void)n, (void)target;
    double s = 2 * (double)x[0] + (double)x[1];
    if (g) g[0] = (float)(6 * s * s), g[1] = (float)(3 * s * s);
    return s * s * s;
}

/* From (1,1) to (2,3) in one step: d = (1,2) and g is along (2,1), so d g is the same for both features, and so is what
 * closing gives them, by any rule: half of 343 - 27 each. By |d| it would be twice as much for the second. */
static void closing_goes_by_what_was_attributed(void **state)
{
    (void)state;
    static const gig_rule rules[] = {GIG_RULE_LEFT,     GIG_RULE_RIGHT, GIG_RULE_TRAPEZOID,
                                     GIG_RULE_MIDPOINT, GIG_RULE_PAIR,  GIG_RULE_GAUSS_LEGENDRE};
    const float start[2] = {1, 1}, end[2] = {2, 3};
    for (int guided = 0; guided < 2; guided++)
        for (size_t r = 0; r < (guided ? 4 : 6); r++)
            for (int tolerance = 0; tolerance < 2; tolerance++) {
                closed model = {.form = cubic, .features = 2};
                gig_function function = closed_function(&model, 1);
                gig_guide guide = gig_guide_guided(NULL);
                gig_chain chain = {.guide = guided ? &guide : NULL, .steps = 1, .rule = rules[r]};
                gig_drive_options drive = {.close = 1, .tolerance = tolerance ? 1e-9 : 0, .max_evaluations = 3};
                gig_chain_result result;
                double a[2];
                assert_int_equal(gig_chain_run(&result, a, (gig_functions){1, &function}, &chain, start, end, &drive),
                                 GIG_OK);
                assert_true(result.closed > 1);
                assert_true(fabs(a[0] - 158) < 1e-3 && fabs(a[1] - 158) < 1e-3);
            }
}

/* Where no gradient says whose the change is, closing gives it to nobody. */
static void closing_without_gradients_gives_nothing(void **state)
{
    (void)state;
    const float start[3] = {0, 0, 0}, end[3] = {2, 1, 0};
    static const gig_rule rules[] = {GIG_RULE_LEFT, GIG_RULE_TRAPEZOID, GIG_RULE_MIDPOINT, GIG_RULE_IDGI};
    for (int guided = 0; guided < 2; guided++)
        for (size_t r = 0; r < 4; r++)
            for (int tolerance = 0; tolerance < 2; tolerance++) {
                closed model = {.form = stairs, .features = 3};
                gig_function function = closed_function(&model, 1);
                gig_guide guide = gig_guide_guided(NULL);
                gig_chain chain = {.guide = guided ? &guide : NULL, .steps = 5, .rule = rules[r]};
                gig_drive_options drive = {.close = 1, .tolerance = tolerance ? 0.01 : 0, .max_evaluations = 40};
                gig_chain_result result;
                double a[3];
                assert_int_equal(gig_chain_run(&result, a, (gig_functions){1, &function}, &chain, start, end, &drive),
                                 GIG_OK);
                assert_true(a[0] == 0 && a[1] == 0 && a[2] == 0);
                assert_true(result.closed == 0 && fabs(result.unassigned - 1) < 1e-6);
                assert_int_equal(result.stopped, tolerance); /* closing is no way to reach a tolerance */
            }
}

static void idgi_is_complete_and_guards_zero_gradients(void **state)
{
    (void)state;
    for (int guided = 0; guided < 2; guided++) {
        double a[N];
        setting s = {.seed = 4,
                     .steps = 9,
                     .segments = guided ? 3 : 1,
                     .guided = guided,
                     .rule = GIG_RULE_IDGI,
                     .drive = {.tolerance = 0.5}};
        gig_chain_result result = walk(a, &s);
        assert_true(fabs(result.delta) < 1e-9 && result.step_error < 1e-9);
        assert_int_equal(result.evaluations, 9);
        assert_int_equal(result.values, 1);
        closed model = {.form = stairs, .features = 3};
        gig_function function = closed_function(&model, 1);
        gig_guide guide = gig_guide_guided(NULL);
        gig_chain chain = {.guide = guided ? &guide : NULL, .steps = 5, .rule = GIG_RULE_IDGI};
        const float start[3] = {0, 0, 0}, end[3] = {2, 1, 0};
        double zero[3];
        assert_int_equal(gig_chain_run(&result, zero, (gig_functions){1, &function}, &chain, start, end, NULL), GIG_OK);
        assert_true(zero[0] == 0 && zero[1] == 0 && zero[2] == 0);
        assert_true(result.delta == -1 && result.step_error == 1);
    }
}

/* IDGI on two features by hand: one step, g = (4 s, 2 s) at (1, 1): shares 16 : 4 of F's change. */
static void idgi_gives_the_numbers_of_its_formula(void **state)
{
    (void)state;
    const float start[2] = {1, 1}, end[2] = {2, 3};
    for (int guided = 0; guided < 2; guided++) {
        closed model = {.form = dependent_quadratic, .features = 2};
        gig_function function = closed_function(&model, 1);
        gig_guide guide = gig_guide_guided(NULL);
        gig_chain chain = {.guide = guided ? &guide : NULL, .steps = 1, .rule = GIG_RULE_IDGI};
        gig_chain_result result;
        double a[2];
        assert_int_equal(gig_chain_run(&result, a, (gig_functions){1, &function}, &chain, start, end, NULL), GIG_OK);
        assert_true(fabs(a[0] - (49 - 9) * .8) < 1e-9 && fabs(a[1] - (49 - 9) * .2) < 1e-9);
    }
}

/* Counts of guided rules: left T, right and trapezoid T + 1 for any number of anchors, midpoint 2 T. */
static void counts_what_guided_rules_cost(void **state)
{
    (void)state;
    static const size_t gradients[] = {40, 41, 41, 80}, values[] = {1, 0, 0, 1};
    for (size_t segments = 1; segments <= 40; segments += 13)
        for (size_t r = 0; r < 4; r++) {
            setting s = {.seed = 1, .steps = 40, .segments = segments, .guided = 1, .rule = guided_rules[r]};
            gig_chain_result result = walk(NULL, &s);
            assert_int_equal(result.evaluations, gradients[r]);
            assert_int_equal(result.values, values[r]);
        }
}

/* Objectives by hand: F = (2 x0 + x1)^2 from 0 to (3,3) in two steps; at 0 all gradients tie. */
static void carries_the_two_objectives_and_the_lengths(void **state)
{
    (void)state;
    const float start[2] = {0, 0}, end[2] = {3, 3};
    closed model = {.form = dependent_quadratic, .features = 2};
    gig_function function = closed_function(&model, 1);
    gig_guide guide = gig_guide_guided(NULL);
    gig_chain chain = {.guide = &guide, .steps = 4};
    gig_chain_result result;
    double a[2];
    assert_int_equal(gig_chain_run(&result, a, (gig_functions){1, &function}, &chain, start, end, NULL), GIG_OK);
    /* points (0,0) (.75,.75) (.75,2.25) (1.5,3) (3,3): from (.75,2.25), x1 ends first, then x0 moves .75 */
    assert_true(fabs(result.l1 - 6) < 1e-9);
    assert_true(fabs(result.l2 - (sqrt(1.125) + 1.5 + sqrt(1.125) + 1.5)) < 1e-6);
    double noise = 0 + 1.5 * 2 * 2.25 + .75 * (4 * 3.75) + .75 * (2 * 3.75) + 1.5 * 4 * 6;
    assert_true(fabs(result.noise - noise) < 1e-5);
    /* L2 distance to the line at the same alpha: 0, 0, |(.75,2.25) - (1.5,1.5)|, |(1.5,3) - (2.25,2.25)| */
    assert_true(fabs(result.distance - (sqrt(1.125) + sqrt(1.125)) / 4) < 1e-6);
    assert_true(fabs(result.sum - (a[0] + a[1])) < 1e-12);
    assert_true(fabs(result.delta - (result.sum - 81)) < 1e-9);
}

/* A guide with steps of unequal length: (0,0), (0,1), (3,3). */
static gig_status in_two_steps(void *state, size_t step, double value, const float *gradient, const float *at,
                               float *next)
{
    (void)state, (void)value, (void)gradient, (void)at;
    next[0] = step ? 3 : 0;
    next[1] = step ? 3 : 1;
    return GIG_OK;
}

static void weighs_the_distance_by_the_way_of_each_step(void **state)
{
    (void)state;
    const float start[2] = {0, 0}, end[2] = {3, 3};
    closed model = {.form = dependent_quadratic, .features = 2};
    gig_function function = closed_function(&model, 1);
    gig_guide guide = {.advance = in_two_steps};
    gig_chain chain = {.guide = &guide, .steps = 2};
    gig_chain_result result;
    assert_int_equal(gig_chain_run(&result, NULL, (gig_functions){1, &function}, &chain, start, end, NULL), GIG_OK);
    /* the second step starts sqrt(0.5) off the line and covers 5/6 of the way */
    assert_true(fabs(result.distance - sqrt(.5) * 5 / 6) < 1e-9);
    assert_true(fabs(result.l2 - (1 + sqrt(13))) < 1e-9);
}

static void a_tolerance_beyond_the_memory_is_refused(void **state)
{
    (void)state;
    float start[N] = {0}, end[N];
    for (size_t i = 0; i < N; i++) end[i] = (float)i + 1;
    closed model = {.form = random_network, .features = N};
    gig_function function = closed_function(&model, 1);
    gig_guide guide = gig_guide_guided(NULL);
    gig_chain chain = {.guide = &guide, .steps = 2000};
    gig_drive_options drive = {.tolerance = 1e-9, .max_memory = 200000};
    gig_chain_result result;
    assert_int_equal(gig_chain_run(&result, NULL, (gig_functions){1, &function}, &chain, start, end, &drive),
                     GIG_ELIMIT);
    assert_non_null(strstr(gig_message(), "tolerance"));
    drive.tolerance = 0;
    assert_int_equal(gig_chain_run(&result, NULL, (gig_functions){1, &function}, &chain, start, end, &drive), GIG_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refines_until_it_adds_up),
        cmocka_unit_test(refined_attributions_are_those_of_the_path),
        cmocka_unit_test(an_idle_tolerance_changes_nothing),
        cmocka_unit_test(stops_at_the_maximum_of_evaluations),
        cmocka_unit_test(may_cost_ten_times_its_steps_by_default),
        cmocka_unit_test(a_tolerance_allows_for_the_size_of_the_values),
        cmocka_unit_test(refinement_lowers_the_step_errors),
        cmocka_unit_test(refines_curves_by_doubling),
        cmocka_unit_test(closing_completes_to_rounding),
        cmocka_unit_test(closing_goes_by_what_was_attributed),
        cmocka_unit_test(closing_without_gradients_gives_nothing),
        cmocka_unit_test(idgi_is_complete_and_guards_zero_gradients),
        cmocka_unit_test(idgi_gives_the_numbers_of_its_formula),
        cmocka_unit_test(counts_what_guided_rules_cost),
        cmocka_unit_test(carries_the_two_objectives_and_the_lengths),
        cmocka_unit_test(weighs_the_distance_by_the_way_of_each_step),
        cmocka_unit_test(a_tolerance_beyond_the_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
