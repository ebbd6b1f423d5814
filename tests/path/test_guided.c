/* SPDX-License-Identifier: Apache-2.0 */
/* Guided IG against golden numbers of an independent implementation in double, through the driver. */
#include "closed_form.h"
#include "gig/path.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct guided_case {
    closed_form form;
    size_t features;
    const float *start, *end;
    size_t steps, segments;
    double fraction, max_dist; /* max_dist 1: unbounded, which is the same */
    double expected[6];
} guided_case;

static void walk(double *attributions, const guided_case *c)
{
    closed model = {.form = c->form, .features = c->features};
    gig_function function = closed_function(&model, 1);
    gig_guided_options options = {
        .fraction = c->fraction, .bounded = c->max_dist < 1, .max_dist = c->max_dist < 1 ? c->max_dist : 0};
    gig_guide guide = gig_guide_guided(&options);
    gig_chain chain = {.guide = &guide, .steps = c->steps, .segments = c->segments};
    gig_chain_result result;
    assert_int_equal(
        gig_chain_run(&result, attributions, (gig_functions){1, &function}, &chain, c->start, c->end, NULL), GIG_OK);
    assert_int_equal(result.evaluations, c->steps);
    assert_int_equal(result.values, 1);
}

static void expect(const guided_case *c, double tolerance)
{
    double attributions[6];
    walk(attributions, c);
    for (size_t i = 0; i < c->features; i++) {
        if (!(fabs(attributions[i] - c->expected[i]) <= tolerance * fmax(1, fabs(c->expected[i]))))
            print_message("steps %zu segments %zu p %g m %g feature %zu: %.12f for %.12f\n", c->steps, c->segments,
                          c->fraction, c->max_dist, i, attributions[i], c->expected[i]);
        assert_true(fabs(attributions[i] - c->expected[i]) <= tolerance * fmax(1, fabs(c->expected[i])));
    }
}

#define SIX six, 6, six_baseline, six_input
static void gives_the_six_feature_table(void **state)
{
    (void)state;
    static const guided_case cases[] = {
        {SIX, 1, 0, .25, 1, {0.764504581806, -0.36, 0.12, 0.3, -2.0, 0}},
        {SIX, 4, 0, .25, 1, {1.928728084274, 0.131269204152, 0.12, 0.352688948601, -3.644237600781, 0}},
        {SIX, 10, 0, .1, 1, {2.006737927207, 0.04, 0.12, 0.375564375436, -3.644237600781, 0}},
        {SIX, 10, 0, .5, 1, {1.886487644659, 0.313056513980, 0.12, 0.390787821873, -3.625989690961, 0}},
        {SIX, 10, 0, 1, 1, {1.130161911922, 0.369, 0.714, -0.397578719375, -2.659006190740, 0}},
        {SIX, 50, 0, .25, .02, {1.175918138268, 0.43164864, 0.748288402527, -0.409630469763, -2.789239369595, 0}},
        {SIX, 50, 0, .5, .1, {1.371963319320, 0.431704504462, 0.557712, -0.208059676457, -2.995505013589, 0}},
        {SIX, 200, 0, .1, 1, {1.833487344651, 0.417856, 0.12, 0.408855363635, -3.644237600781, 0}},
        {SIX, 200, 0, .25, .02, {1.181583299416, 0.445029596346, 0.756220142551, -0.423545281234, -2.801035383842, 0}},
        {SIX, 200, 0, .25, 0, {1.160643349097, 0.44595, 0.7767, -0.487936912163, -2.736287462596, 0}},
        {SIX, 200, 11, .1, 1, {1.231808581187, 0.420754561480, 0.72, -0.415064489565, -2.815813477401, 0}},
        {SIX, 200, 21, .1, 1, {1.199892599971, 0.425987097968, 0.748571428571, -0.451114907482, -2.779730934566, 0}},
        {SIX, 200, 41, .1, 1, {1.178965159332, 0.431222367638, 0.763902439024, -0.470335494482, -2.760496585717, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) expect(&cases[i], 1e-6);
}

static const float zeros[2] = {0, 0}, threes[2] = {3, 3}, ten_five[2] = {10, 5}, below[2] = {-1, -3};
#define QUADRATIC dependent_quadratic, 2, zeros, threes
static void gives_the_two_feature_numbers(void **state)
{
    (void)state;
    static const guided_case cases[] = {
        {QUADRATIC, 1000, 0, .1, 0, {53.946, 26.973}},
        {QUADRATIC, 1000, 0, .1, 1, {71.892036, 9.017982}},
        {independent_quadratic, 2, zeros, threes, 1000, 0, .1, .4, {17.964036, 8.982018}},
        {independent_quadratic, 2, threes, zeros, 1000, 0, .1, .4, {-18.0324, -9.0162}},
        {QUADRATIC, 2, 0, .1, 1, {27, 13.5}},
        {QUADRATIC, 4, 0, .1, 1, {47.25, 12.375}},
        {QUADRATIC, 5, 0, .1, 1, {51.84, 11.52}},
        {QUADRATIC, 10, 0, .1, 1, {61.56, 10.62}},
        {QUADRATIC, 100, 0, .1, 1, {70.9236, 9.1782}},
        {QUADRATIC, 200, 0, .1, 1, {71.4609, 9.08955}},
        {QUADRATIC, 10, 0, .25, .02, {49.7376, 23.1552}},
        {QUADRATIC, 200, 0, .25, .02, {55.1304, 25.4628}},
        {QUADRATIC, 200, 2, .1, 1, {62.5509, 17.99955}},
        {QUADRATIC, 200, 10, .1, 1, {55.4229, 25.12755}},
        {QUADRATIC, 200, 20, .1, 1, {54.5319, 26.01855}},
        {QUADRATIC, 200, 40, .1, 1, {54.0864, 26.4726}},
        {QUADRATIC, 400, 2, .1, 1, {62.775225, 17.9998875}},
        {QUADRATIC, 2000, 10, .1, 1, {55.762209, 25.1927955}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) expect(&cases[i], 1e-6);
    guided_case window = {QUADRATIC, 1000, 0, .1, .2, {65.4444, 15.4710}};
    expect(&window, 1e-5); /* the golden numbers have four decimals */
}

/* PAIR saliency's own guided_ig_test. */
static void passes_the_tests_of_pair_saliency(void **state)
{
    (void)state;
    static const guided_case exact[] = {{linear_two, 2, below, ten_five, 10, 0, .1, .5, {22, 8}},
                                        {linear_two, 2, zeros, ten_five, 10, 0, .1, .5, {20, 5}}};
    static const guided_case near[] = {{independent_quadratic, 2, zeros, threes, 1000, 0, .1, .4, {18, 9}},
                                       {independent_quadratic, 2, threes, zeros, 1000, 0, .1, .4, {-18, -9}},
                                       {QUADRATIC, 1000, 0, .1, 0, {54, 27}},
                                       {QUADRATIC, 1000, 0, 1, .5, {54, 27}},
                                       {QUADRATIC, 1000, 0, .1, 1, {72, 9}}};
    for (size_t i = 0; i < 2; i++) expect(&exact[i], 1e-7);
    for (size_t i = 0; i < 5; i++) expect(&near[i], 1e-2);
    guided_case window = {QUADRATIC, 1000, 0, .1, .2, {0}};
    double a[6];
    walk(a, &window);
    assert_true(fabs(a[0] + a[1] - 81) < 0.1);
    assert_true(a[0] > 55 && a[0] < 71 && a[1] > 10 && a[1] < 26);
}

typedef struct trace {
    size_t seen;
    float points[8][6];
} trace;

static gig_status keep(void *payload, const gig_view *view)
{
    trace *self = payload;
    assert_in_range(view->step, 0, 7);
    memcpy(self->points[view->step], view->point, sizeof *self->points);
    self->seen++;
    return GIG_OK;
}

static void expect_trace(double max_dist, const double expected[5][6])
{
    closed model = {.form = six, .features = 6};
    gig_function function = closed_function(&model, 1);
    gig_guided_options options = {.fraction = .25, .bounded = max_dist < 1, .max_dist = max_dist};
    gig_guide guide = gig_guide_guided(&options);
    gig_chain chain = {.guide = &guide, .steps = 4};
    trace seen = {0};
    gig_drive_options drive = {.observe = keep, .observe_payload = &seen};
    gig_chain_result result;
    assert_int_equal(
        gig_chain_run(&result, NULL, (gig_functions){1, &function}, &chain, six_baseline, six_input, &drive), GIG_OK);
    assert_int_equal(seen.seen, 5);
    for (size_t t = 0; t < 5; t++)
        for (size_t i = 0; i < 6; i++) assert_true(fabs((double)seen.points[t][i] - expected[t][i]) < 1e-6);
}

static void walks_the_golden_traces(void **state)
{
    (void)state;
    static const double unbounded[5][6] = {{.1, .2, -.3, 0, .5, .4},
                                           {0.1, 0.2, 0.375, 1.125, 0.5, .4},
                                           {0.32, 0.02, 0.9, 2, 0.5, .4},
                                           {0.32, -0.456470588235, 0.9, 2, -0.823529411765, .4},
                                           {1.2, -.7, .9, 2, -1.5, .4}};
    static const double bounded[5][6] = {{.1, .2, -.3, 0, .5, .4},
                                         {0.309, 0.029, 0.12, 0.7, 0.2, .4},
                                         {0.606956521739, -0.34, 0.253043478261, 1.2, -0.3, .4},
                                         {0.859, -0.421, 0.72, 1.7, -0.8, .4},
                                         {1.2, -.7, .9, 2, -1.5, .4}};
    expect_trace(1, unbounded);
    expect_trace(.1, bounded);
}

/* ---- steps against a plain restatement: pass after pass over all features, thresholds by sorting ---- */

enum { MANY = 300, FEW_STEPS = 3 };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void plain_step(double *x, const float *gradient, const float *end, double target, double fraction,
                       int remaining)
{
    double y[MANY], sorted[MANY];
    for (size_t i = 0; i < MANY; i++) y[i] = x[i] == (double)end[i] ? INFINITY : fabs((double)gradient[i]);
    for (;;) {
        double left = 0, distance = 0;
        size_t among = 0;
        for (size_t i = 0; i < MANY; i++) {
            left += fabs((double)end[i] - x[i]);
            among += !remaining || isfinite(y[i]);
            sorted[i] = y[i];
        }
        if (left - target < 1e-6) return;
        qsort(sorted, MANY, sizeof *sorted, ascending);
        double threshold = sorted[(size_t)(fraction * (double)(among - 1))];
        for (size_t i = 0; i < MANY; i++)
            if (y[i] <= threshold && isfinite(y[i])) distance += fabs((double)end[i] - x[i]);
        double share = fmin((left - target) / distance, 1);
        for (size_t i = 0; i < MANY; i++) {
            if (!(y[i] <= threshold && isfinite(y[i]))) continue;
            x[i] = share < 1 ? x[i] + share * ((double)end[i] - x[i]) : (double)end[i];
            if (share >= 1) y[i] = INFINITY;
        }
        if (share < 1) return;
    }
}

/* F = sum of s_i x_i^2 / 2 - x_i: gradients change on the way, each by itself. */
static double bowls(const float *x, size_t n, size_t target, float *g)
{
    (void)target;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double s = 0.1 + (double)((i * 7919) % n) / (double)n;
        sum += s * (double)x[i] * (double)x[i] / 2 - (double)x[i];
        if (g) g[i] = (float)(s * (double)x[i] - 1);
    }
    return sum;
}

typedef struct comparison {
    double x[MANY];
    const float *end;
    double fraction, whole;
    int remaining;
} comparison;

static gig_status compare_step(void *payload, const gig_view *view)
{
    comparison *self = payload;
    for (size_t i = 0; i < MANY; i++) assert_true(fabs(self->x[i] - (double)view->point[i]) < 1e-4);
    for (size_t i = 0; i < MANY; i++) self->x[i] = (double)view->point[i];
    double target = self->whole * (1 - (double)(view->step + 1) / FEW_STEPS);
    if (view->gradient) plain_step(self->x, view->gradient, self->end, target, self->fraction, self->remaining);
    return GIG_OK;
}

/* With few features a pass, a step has many of them: those are walked in order of their gradients instead. */
static void moves_as_a_plain_restatement_does(void **state)
{
    (void)state;
    static const double fractions[] = {.005, .02, .1, .3, 1};
    float start[MANY], end[MANY];
    for (size_t i = 0; i < MANY; i++) {
        start[i] = (float)((i * 13) % 29) / 7;
        end[i] = start[i] + (float)((i * 31) % 97) / 50 - 1;
    }
    for (size_t f = 0; f < 5; f++)
        for (int remaining = 0; remaining < 2; remaining++) {
            comparison self = {.end = end, .fraction = fractions[f], .remaining = remaining};
            for (size_t i = 0; i < MANY; i++) {
                self.x[i] = (double)start[i];
                self.whole += fabs((double)end[i] - (double)start[i]);
            }
            closed model = {.form = bowls, .features = MANY};
            gig_function function = closed_function(&model, 1);
            gig_guided_options options = {.fraction = fractions[f], .of_remaining = remaining};
            gig_guide guide = gig_guide_guided(&options);
            gig_chain chain = {.guide = &guide, .steps = FEW_STEPS};
            gig_drive_options drive = {.observe = compare_step, .observe_payload = &self};
            gig_chain_result result;
            assert_int_equal(gig_chain_run(&result, NULL, (gig_functions){1, &function}, &chain, start, end, &drive),
                             GIG_OK);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_six_feature_table),       cmocka_unit_test(gives_the_two_feature_numbers),
        cmocka_unit_test(passes_the_tests_of_pair_saliency), cmocka_unit_test(walks_the_golden_traces),
        cmocka_unit_test(moves_as_a_plain_restatement_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
