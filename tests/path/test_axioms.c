/* SPDX-License-Identifier: Apache-2.0 */
/* What the paper proves of Guided IG, and what any path method must keep: on closed forms exactly, on random smooth
 * networks within 1e-4. */
#include "closed_form.h"
#include "gig/path.h"
#include "random_network.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { N = NETWORK_INPUTS, SEEDS = 8 };

typedef struct setting {
    closed_form form;
    size_t features, target, steps, segments;
    int guided; /* 0: straight line, 1: guided */
    gig_guided_options options;
    gig_rule rule;
    gig_drive_options drive;
} setting;

static gig_chain_result walk(double *attributions, const setting *s, const float *start, const float *end)
{
    closed model = {.form = s->form, .features = s->features};
    gig_function function = closed_function(&model, 1);
    gig_guide guide = gig_guide_guided(&s->options);
    gig_chain chain = {.guide = s->guided ? &guide : NULL,
                       .steps = s->steps,
                       .segments = s->segments,
                       .target = s->target,
                       .rule = s->rule};
    gig_chain_result result;
    gig_status status =
        gig_chain_run(&result, attributions, (gig_functions){1, &function}, &chain, start, end, &s->drive);
    if (status != GIG_OK) print_message("%s\n", gig_message());
    assert_int_equal(status, GIG_OK);
    return result;
}

static void random_ends(float *start, float *end, size_t seed)
{
    for (size_t i = 0; i < N; i++) {
        start[i] = (float)(0.3 * gig_rng_normal((gig_rng){3, seed}, i));
        end[i] = (float)(2 * gig_rng_normal((gig_rng){4, seed}, i));
    }
}

/* Of log |delta| against log T, between T = 50 and 800, over several networks. */
static double slope(int guided, gig_rule rule, double max_dist)
{
    double errors[2] = {0};
    for (size_t seed = 0; seed < SEEDS; seed++)
        for (int k = 0; k < 2; k++) {
            float start[N], end[N];
            random_ends(start, end, seed);
            setting s = {.form = random_network,
                         .features = N,
                         .target = seed,
                         .steps = k ? 800 : 50,
                         .segments = 1,
                         .guided = guided,
                         .options = {.fraction = .1},
                         .rule = rule};
            s.options.bounded = max_dist < 1;
            s.options.max_dist = max_dist;
            errors[k] += fabs(walk(NULL, &s, start, end).delta);
        }
    return log(errors[1] / errors[0]) / log(16);
}

static void completeness_error_falls_as_the_rule_promises(void **state)
{
    (void)state;
    for (int guided = 0; guided < 2; guided++) {
        assert_true(slope(guided, GIG_RULE_LEFT, 1) < -0.8);
        assert_true(slope(guided, GIG_RULE_RIGHT, 1) < -0.8);
        assert_true(slope(guided, GIG_RULE_TRAPEZOID, 1) < -1.7);
        assert_true(slope(guided, GIG_RULE_MIDPOINT, 1) < -1.7);
    }
    assert_true(slope(1, GIG_RULE_LEFT, .05) < -0.8);
    assert_true(slope(1, GIG_RULE_TRAPEZOID, .05) < -1.7);
    assert_true(slope(0, GIG_RULE_PAIR, 1) < -0.8);
}

static void adds_up_on_random_networks(void **state)
{
    (void)state;
    for (size_t seed = 0; seed < SEEDS; seed++) {
        float start[N], end[N];
        random_ends(start, end, seed);
        setting line = {.form = random_network,
                        .features = N,
                        .target = seed,
                        .steps = 200,
                        .segments = 1,
                        .guided = 0,
                        .rule = GIG_RULE_GAUSS_LEGENDRE};
        assert_true(fabs(walk(NULL, &line, start, end).delta) < 1e-4);
        setting guided = {.form = random_network,
                          .features = N,
                          .target = seed,
                          .steps = 800,
                          .segments = 1,
                          .guided = 1,
                          .rule = GIG_RULE_TRAPEZOID};
        assert_true(fabs(walk(NULL, &guided, start, end).delta) < 1e-4);
        guided.segments = 21;
        assert_true(fabs(walk(NULL, &guided, start, end).delta) < 1e-4);
        setting idgi = {.form = random_network,
                        .features = N,
                        .target = seed,
                        .steps = 50,
                        .segments = 1,
                        .guided = 1,
                        .rule = GIG_RULE_IDGI};
        assert_true(fabs(walk(NULL, &idgi, start, end).delta) < 1e-9);
    }
}

/* F = x0^2 + x1 (feature 2 is a dummy). */
static double with_dummy(const float *x, size_t n, size_t target, float *g)
{
    (void)n, (void)target;
    if (g) g[0] = 2 * x[0], g[1] = 1, g[2] = 0;
    return (double)x[0] * (double)x[0] + (double)x[1];
}

static void a_dummy_gets_nothing_and_what_matters_gets_something(void **state)
{
    (void)state;
    const float start[3] = {0, 0, 0}, end[3] = {1, 0, 5}; /* input and baseline differ in one feature that matters */
    static const gig_rule rules[] = {GIG_RULE_LEFT, GIG_RULE_RIGHT, GIG_RULE_TRAPEZOID, GIG_RULE_MIDPOINT};
    for (int guided = 0; guided < 2; guided++)
        for (size_t r = 0; r < 4; r++) {
            double a[3];
            setting s = {.form = with_dummy,
                         .features = 3,
                         .target = 0,
                         .steps = 40,
                         .segments = 1,
                         .guided = guided,
                         .rule = rules[r]};
            walk(a, &s, start, end);
            assert_true(a[0] > 0.5);             /* sensitivity (a) */
            assert_true(a[1] == 0 && a[2] == 0); /* stayed; sensitivity (b): does not matter */
        }
}

/* Neither when what a step misses is given out: at the start no feature has a gradient, and the first step's change of
 * F is left to nobody. */
static void closing_gives_a_dummy_nothing_and_says_what_is_left(void **state)
{
    (void)state;
    const float start[3] = {0, 0, 0}, end[3] = {1, 0, 5};
    for (int guided = 0; guided < 2; guided++)
        for (int rule = GIG_RULE_LEFT; rule <= GIG_RULE_IDGI; rule++)
            for (int refined = 0; refined < 2; refined++) {
                double a[3];
                setting s = {.form = with_dummy,
                             .features = 3,
                             .steps = 40,
                             .segments = 1,
                             .guided = guided,
                             .options = {.fraction = .5},
                             .rule = (gig_rule)rule,
                             .drive = {.close = 1, .tolerance = refined ? 1e-3 : 0}};
                if (rule == GIG_RULE_IDGI) s.drive.tolerance = 0;
                gig_chain_result result = walk(a, &s, start, end);
                assert_true(a[0] > (rule == GIG_RULE_IDGI ? 0.1 : 0.9) && a[2] == 0);
                assert_true(a[1] == 0 || rule == GIG_RULE_IDGI); /* IDGI goes by gradients alone */
                assert_true(fabs(result.delta) <= result.unassigned + 1e-9);
                if (rule == GIG_RULE_LEFT && !refined) assert_true(result.unassigned > 1e-6);
                if (rule == GIG_RULE_TRAPEZOID) assert_true(result.unassigned == 0);
            }
}

/* Two forms of the same function of x0, x1 >= 0: relu(relu(x0) - 1 - relu(x1)), and as another network would have it,
 * with other intermediate values and so other roundings: relu(3 relu(x0 / 3 - 1 / 3) - 7 (relu(x1) / 7)). */
static double relu(double v)
{
    return v > 0 ? v : 0;
}

static double captum_two(const float *x, size_t n, size_t target, float *g)
{
    (void)n, (void)target;
    double out = relu(relu((double)x[0]) - 1 - relu((double)x[1]));
    if (g) g[0] = out > 0 && x[0] > 0, g[1] = out > 0 && x[1] > 0 ? -1 : 0;
    return out;
}

static double captum_three(const float *x, size_t n, size_t target, float *g)
{
    (void)n, (void)target;
    double out = relu(3 * relu((double)x[0] / 3 - 1.0 / 3) - 7 * (relu((double)x[1]) / 7));
    if (g) g[0] = out > 0 && x[0] > 1, g[1] = out > 0 && x[1] > 0 ? -1 : 0;
    return out;
}

static void equal_functions_get_equal_attributions(void **state)
{
    (void)state;
    const float start[2] = {0, 0}, end[2] = {3, 1};
    for (int guided = 0; guided < 2; guided++) {
        double a[2], b[2];
        setting s = {.form = captum_two,
                     .features = 2,
                     .target = 0,
                     .steps = 500,
                     .segments = 1,
                     .guided = guided,
                     .rule = GIG_RULE_RIGHT};
        walk(a, &s, start, end);
        s.form = captum_three;
        walk(b, &s, start, end);
        for (int i = 0; i < 2; i++) assert_true(fabs(a[i] - b[i]) < 0.02);
        if (!guided) assert_true(fabs(a[0] - 1.5) < 0.05 && fabs(a[1] + 0.5) < 0.05); /* Captum's expectation */
        if (guided) assert_true(fabs(a[0] + a[1] - 1) < 0.05);                        /* F at the end */
    }
}

/* Symmetric in features 0 and 1, and in 2 and 3. */
static double symmetric(const float *x, size_t n, size_t target, float *g)
{
    (void)n, (void)target;
    double a = (double)x[0], b = (double)x[1], c = (double)x[2], d = (double)x[3], e = (double)x[4];
    double p = a * b, q = c + d;
    if (g) {
        g[0] = (float)(b * cos(p) + e);
        g[1] = (float)(a * cos(p) + e);
        g[2] = g[3] = (float)(2 * q * e);
        g[4] = (float)(a + b + q * q);
    }
    return sin(p) + e * (a + b) + q * q * e;
}

static gig_status see_symmetry(void *payload, const gig_view *view)
{
    size_t *views = payload;
    (*views)++;
    assert_true(view->point[0] == view->point[1] && view->point[2] == view->point[3]);
    assert_true(view->attributions[0] == view->attributions[1] && view->attributions[2] == view->attributions[3]);
    return GIG_OK;
}

static void equal_features_stay_equal_all_the_way(void **state)
{
    (void)state;
    const float start[5] = {.1f, .1f, -.4f, -.4f, .3f}, end[5] = {1.3f, 1.3f, .7f, .7f, -2};
    for (size_t segments = 1; segments < 8; segments += 3)
        for (int remaining = 0; remaining < 2; remaining++)
            for (size_t m = 0; m < 3; m++) {
                static const double windows[] = {1, .3, .02};
                double a[5];
                size_t views = 0;
                setting s = {.form = symmetric,
                             .features = 5,
                             .target = 0,
                             .steps = 60,
                             .segments = segments,
                             .guided = 1,
                             .rule = GIG_RULE_TRAPEZOID};
                s.options = (gig_guided_options){
                    .fraction = .3, .of_remaining = remaining, .bounded = m > 0, .max_dist = windows[m]};
                s.drive.observe = see_symmetry;
                s.drive.observe_payload = &views;
                walk(a, &s, start, end);
                assert_int_equal(views, 60 + segments);
                assert_true(a[0] == a[1] && a[2] == a[3]);
            }
}

/* The six-feature function with its features in another order. */
static const size_t shuffled[6] = {3, 5, 0, 4, 1, 2};
static double six_shuffled(const float *x, size_t n, size_t target, float *g)
{
    float y[6], h[6];
    for (size_t i = 0; i < 6; i++) y[i] = x[shuffled[i]];
    double value = six(y, n, target, g ? h : NULL);
    for (size_t i = 0; g && i < 6; i++) g[shuffled[i]] = h[i];
    return value;
}

static void the_order_of_features_does_not_matter(void **state)
{
    (void)state;
    float start[6], end[6];
    for (size_t i = 0; i < 6; i++) start[shuffled[i]] = six_baseline[i], end[shuffled[i]] = six_input[i];
    for (int guided = 0; guided < 2; guided++) {
        double a[6], b[6];
        setting s = {.form = six,
                     .features = 6,
                     .target = 0,
                     .steps = 100,
                     .segments = 1,
                     .guided = guided,
                     .options = {.fraction = .25},
                     .rule = GIG_RULE_LEFT};
        walk(a, &s, six_baseline, six_input);
        s.form = six_shuffled;
        walk(b, &s, start, end);
        for (size_t i = 0; i < 6; i++) assert_true(fabs(a[i] - b[shuffled[i]]) < 1e-6);
    }
}

typedef struct tracker {
    const float *start, *end;
    float last[N];
    size_t walk, count;
} tracker;

/* Never back, never beyond the end. */
static gig_status see_monotone(void *payload, const gig_view *view)
{
    tracker *self = payload;
    for (size_t i = 0; i < view->features; i++) {
        float before = self->count ? self->last[i] : self->start[i], now = view->point[i];
        if (self->end[i] >= self->start[i])
            assert_true(now >= before && now <= self->end[i]);
        else
            assert_true(now <= before && now >= self->end[i]);
        self->last[i] = now;
    }
    self->count++;
    return GIG_OK;
}

static void paths_are_monotone_and_as_long_as_they_should_be(void **state)
{
    (void)state;
    for (size_t seed = 0; seed < SEEDS; seed++)
        for (size_t m = 0; m < 3; m++)
            for (size_t segments = 1; segments < 12; segments += 5) {
                static const double windows[] = {1, .2, .02};
                float start[N], end[N];
                random_ends(start, end, seed);
                double l1 = 0, square = 0;
                for (size_t i = 0; i < N; i++) {
                    double d = (double)end[i] - (double)start[i];
                    l1 += fabs(d);
                    square += d * d;
                }
                tracker track = {.start = start, .end = end};
                setting s = {.form = random_network,
                             .features = N,
                             .target = seed,
                             .steps = 60,
                             .segments = segments,
                             .guided = 1,
                             .rule = GIG_RULE_LEFT};
                s.options = (gig_guided_options){.bounded = m > 0, .max_dist = windows[m]};
                s.drive.observe = see_monotone;
                s.drive.observe_payload = &track;
                gig_chain_result result = walk(NULL, &s, start, end);
                assert_true(fabs(result.l1 - l1) < 1e-5 * l1);
                assert_true(result.l2 >= sqrt(square) * (1 - 1e-6) && result.l2 <= sqrt((double)N * square));
                setting line = {.form = random_network,
                                .features = N,
                                .target = seed,
                                .steps = 60,
                                .segments = 1,
                                .guided = 0,
                                .rule = GIG_RULE_LEFT};
                gig_chain_result straight = walk(NULL, &line, start, end);
                assert_true(fabs(straight.l1 - l1) < 1e-9 * l1 && fabs(straight.l2 - sqrt(square)) < 1e-9 * l1);
                assert_true(straight.distance == 0 && result.distance > 0);
            }
}

static void every_rule_measures_the_same_line(void **state)
{
    (void)state;
    float start[N], end[N];
    random_ends(start, end, 1);
    double l1 = 0, square = 0;
    for (size_t i = 0; i < N; i++) {
        double d = (double)end[i] - (double)start[i];
        l1 += fabs(d);
        square += d * d;
    }
    for (int rule = GIG_RULE_LEFT; rule <= GIG_RULE_CAPTUM_TRAPEZOID; rule++) {
        if (rule == GIG_RULE_GRADIENT) continue;
        setting s = {.form = random_network, .features = N, .target = 1, .steps = 21, .rule = (gig_rule)rule};
        gig_chain_result result = walk(NULL, &s, start, end);
        assert_true(fabs(result.l1 - l1) < 1e-9 * l1 && fabs(result.l2 - sqrt(square)) < 1e-9 * l1);
        assert_true(result.noise > 0 && result.distance == 0);
    }
}

/* On a linear function |g d| is the same everywhere: 2 * 3 + 1 * 3, times what the rule's weights add up to. */
static void every_rule_measures_the_same_noise(void **state)
{
    (void)state;
    const float start[2] = {0, 0}, end[2] = {3, -3};
    for (int guided = 0; guided < 2; guided++)
        for (int rule = GIG_RULE_LEFT; rule <= (guided ? GIG_RULE_IDGI : GIG_RULE_CAPTUM_TRAPEZOID); rule++) {
            if (rule == GIG_RULE_GRADIENT) continue;
            setting s = {.form = linear_two, .features = 2, .steps = 10, .guided = guided, .rule = (gig_rule)rule};
            double expected = rule == GIG_RULE_CAPTUM_TRAPEZOID ? 9 * .9 : 9;
            assert_true(fabs(walk(NULL, &s, start, end).noise - expected) < 1e-5);
        }
}

static void expect_near(const double *a, const double *b, size_t n, double tolerance)
{
    for (size_t i = 0; i < n; i++) assert_true(fabs(a[i] - b[i]) <= tolerance);
}

static void tends_to_the_straight_line(void **state)
{
    (void)state;
    for (size_t seed = 0; seed < SEEDS; seed++) {
        float start[N], end[N];
        random_ends(start, end, seed);
        double ig[N], a[N];
        setting s = {.form = random_network,
                     .features = N,
                     .target = seed,
                     .steps = 200,
                     .segments = 1,
                     .guided = 0,
                     .rule = GIG_RULE_LEFT};
        walk(ig, &s, start, end);
        s.guided = 1;
        s.options = (gig_guided_options){.bounded = 1, .max_dist = 0};
        walk(a, &s, start, end);
        expect_near(a, ig, N, 1e-5);
        s.options = (gig_guided_options){.fraction = 1};
        walk(a, &s, start, end);
        expect_near(a, ig, N, 1e-5);
        s.options = (gig_guided_options){0};
        s.segments = 200;
        walk(a, &s, start, end);
        expect_near(a, ig, N, 1e-5);
        double last = INFINITY;
        for (size_t segments = 1; segments <= 100; segments *= 10) {
            s.segments = segments;
            gig_chain_result result = walk(a, &s, start, end);
            assert_true(result.distance < last);
            last = result.distance;
        }
    }
}

static void there_and_back_cancels_on_the_line(void **state)
{
    (void)state;
    static const gig_rule rules[] = {GIG_RULE_TRAPEZOID, GIG_RULE_MIDPOINT, GIG_RULE_PAIR, GIG_RULE_GAUSS_LEGENDRE};
    for (size_t r = 0; r < 4; r++) {
        float start[N], end[N];
        random_ends(start, end, r);
        double there[N], back[N];
        setting s = {.form = random_network,
                     .features = N,
                     .target = 5,
                     .steps = 30,
                     .segments = 1,
                     .guided = 0,
                     .rule = rules[r]};
        walk(there, &s, start, end);
        walk(back, &s, end, start);
        for (size_t i = 0; i < N; i++) assert_true(fabs(there[i] + back[i]) < 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(completeness_error_falls_as_the_rule_promises),
        cmocka_unit_test(adds_up_on_random_networks),
        cmocka_unit_test(a_dummy_gets_nothing_and_what_matters_gets_something),
        cmocka_unit_test(closing_gives_a_dummy_nothing_and_says_what_is_left),
        cmocka_unit_test(equal_functions_get_equal_attributions),
        cmocka_unit_test(equal_features_stay_equal_all_the_way),
        cmocka_unit_test(the_order_of_features_does_not_matter),
        cmocka_unit_test(paths_are_monotone_and_as_long_as_they_should_be),
        cmocka_unit_test(every_rule_measures_the_same_line),
        cmocka_unit_test(every_rule_measures_the_same_noise),
        cmocka_unit_test(tends_to_the_straight_line),
        cmocka_unit_test(there_and_back_cancels_on_the_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
