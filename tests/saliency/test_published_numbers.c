/* SPDX-License-Identifier: Apache-2.0 */
/* The published numbers (PAIR saliency's and Captum's own tests, and an independent restatement in double), through
 * gig_method_run on closed forms. */
#include "run_method.h"

static const float zeros[6], threes[2] = {3, 3}, ten_five[2] = {10, 5}, below[2] = {-1, -3};

/* One line of a table: the method, and what it gives. */
typedef struct line {
    const char *method;
    double expected[6];
} line;

static void expect_lines(const line *lines, size_t count, closed_form form, size_t features, const float *input,
                         const float *baseline, double bound)
{
    const gig_run_options options = {.baseline = baseline};
    for (size_t i = 0; i < count; i++)
        expect_explanation(lines[i].method, form, features, input, &options,
                           (expected_map){features, lines[i].expected, bound});
}
#define EXPECT(lines, ...) expect_lines(lines, sizeof lines / sizeof *lines, __VA_ARGS__)

static void gives_the_six_feature_table(void **state)
{
    (void)state;
    static const line lines[] = {
        {"gig/baseline=given/fraction=.25/steps=1", {0.764504581806, -0.36, 0.12, 0.3, -2.0}},
        {"gig/baseline=given/fraction=.25/steps=4",
         {1.928728084274, 0.131269204152, 0.12, 0.352688948601, -3.644237600781}},
        {"gig/baseline=given/steps=10", {2.006737927207, 0.04, 0.12, 0.375564375436, -3.644237600781}},
        {"gig/baseline=given/fraction=.5/steps=10",
         {1.886487644659, 0.313056513980, 0.12, 0.390787821873, -3.625989690961}},
        {"gig/baseline=given/fraction=1/steps=10", {1.130161911922, 0.369, 0.714, -0.397578719375, -2.659006190740}},
        {"gig/baseline=given/fraction=.25/max-dist=.02/steps=50",
         {1.175918138268, 0.43164864, 0.748288402527, -0.409630469763, -2.789239369595}},
        {"gig/baseline=given/fraction=.5/max-dist=.1/steps=50",
         {1.371963319320, 0.431704504462, 0.557712, -0.208059676457, -2.995505013589}},
        {"gig/baseline=given", {1.833487344651, 0.417856, 0.12, 0.408855363635, -3.644237600781}},
        {"gig/baseline=given/fraction=.25/max-dist=.02",
         {1.181583299416, 0.445029596346, 0.756220142551, -0.423545281234, -2.801035383842}},
        {"gig/baseline=given/fraction=.25/max-dist=0",
         {1.160643349097, 0.44595, 0.7767, -0.487936912163, -2.736287462596}},
        {"gig:10/baseline=given", {1.231808581187, 0.420754561480, 0.72, -0.415064489565, -2.815813477401}},
        {"gig:20/baseline=given", {1.199892599971, 0.425987097968, 0.748571428571, -0.451114907482, -2.779730934566}},
        {"gig:40/baseline=given", {1.178965159332, 0.431222367638, 0.763902439024, -0.470335494482, -2.760496585717}},
        {"ig/baseline=given/rule=pair/steps=25", {1.158639543099, 0.45, 0.78, -0.500167722464, -2.743801931638}},
        {"ig/baseline=given/rule=pair", {1.161775277858, 0.45, 0.78, -0.493672558281, -2.740806680922}},
        {"ig/baseline=given/rule=gauss-legendre/steps=50",
         {1.162205669320, 0.45, 0.78, -0.492782199284, -2.740396001302}},
    };
    EXPECT(lines, six, 6, six_input, six_baseline, 1e-6);
}

static void gives_the_two_feature_numbers(void **state)
{
    (void)state;
    static const line lines[] = {
        {"gig/max-dist=0/steps=1000", {53.946, 26.973}},
        {"gig/steps=1000", {71.892036, 9.017982}},
        {"gig/max-dist=1/steps=1000", {71.892036, 9.017982}},
        {"gig/steps=2", {27, 13.5}},
        {"gig/steps=4", {47.25, 12.375}},
        {"gig/steps=5", {51.84, 11.52}},
        {"gig/steps=10", {61.56, 10.62}},
        {"gig/steps=100", {70.9236, 9.1782}},
        {"gig", {71.4609, 9.08955}},
        {"gig/fraction=.25/max-dist=.02/steps=10", {49.7376, 23.1552}},
        {"gig/fraction=.25/max-dist=.02", {55.1304, 25.4628}},
        {"gig:1", {62.5509, 17.99955}},
        {"gig:9", {55.4229, 25.12755}},
        {"gig:19", {54.5319, 26.01855}},
        {"gig:39", {54.0864, 26.4726}},
        {"gig:1/steps-per-segment=200", {62.775225, 17.9998875}},
        {"gig:9/steps-per-segment=200", {55.762209, 25.1927955}},
        {"ig/rule=pair/steps=2", {54, 27}},
        {"ig/rule=pair/steps=25", {54, 27}},
    };
    static const line window[] = {{"gig/max-dist=.2/steps=1000", {65.4444, 15.4710}}}; /* given with four decimals */
    EXPECT(lines, dependent_quadratic, 2, threes, NULL, 1e-6);
    EXPECT(window, dependent_quadratic, 2, threes, NULL, 1e-5);
}

static void passes_pairs_tests_of_guided_ig(void **state)
{
    (void)state;
    static const line with_baseline[] = {{"gig/baseline=given/max-dist=.5/steps=10", {22, 8}}};
    static const line without[] = {{"gig/max-dist=.5/steps=10", {20, 5}}};
    static const line up[] = {{"gig/max-dist=.4/steps=1000", {18, 9}}};
    static const line down[] = {{"gig/baseline=given/max-dist=.4/steps=1000", {-18, -9}}};
    static const line dependent[] = {{"gig/max-dist=0/steps=1000", {54, 27}},
                                     {"gig/fraction=1/max-dist=.5/steps=1000", {54, 27}},
                                     {"gig/max-dist=1/steps=1000", {72, 9}}};
    EXPECT(with_baseline, linear_two, 2, ten_five, below, 1e-7);
    EXPECT(without, linear_two, 2, ten_five, NULL, 1e-7);
    EXPECT(up, independent_quadratic, 2, threes, NULL, 1e-2);
    EXPECT(down, independent_quadratic, 2, zeros, threes, 1e-2);
    EXPECT(dependent, dependent_quadratic, 2, threes, NULL, 1e-2);
}

static void passes_pairs_tests_of_gradients_and_ig(void **state)
{
    (void)state;
    const float at[3] = {3, 2, 1}, input[3] = {1, 2, 3}, baseline[3] = {.5f, 1, 1};
    const line gradients[] = {
        {"gradients", {5, 4, cos(1)}}, {"guided-backprop", {5, 4, cos(1)}}, {"gradients-x-input", {15, 8, cos(1)}}};
    static const line ig[] = {{"ig/baseline=given/rule=pair/steps=25", {2.5, 3, -0.6899354164}},
                              {"ig/baseline=given/rule=pair/steps=1000", {2.5, 3, -0.7001000823}}};
    static const line limit[] = {{"ig/baseline=given/steps=1000", {2.5, 3, -0.7003509767}},
                                 {"ig/baseline=given/rule=gauss-legendre/steps=50", {2.5, 3, -0.7003509767}}};
    EXPECT(gradients, pair_three, 3, at, NULL, 1e-6);
    EXPECT(ig, pair_three, 3, input, baseline, 1e-6);
    EXPECT(limit, pair_three, 3, input, baseline, 1e-6);
}

/* 5x5, 0.7 at (1,1) and 1 at (2,2). */
static void gives_the_numbers_of_blur_ig(void **state)
{
    (void)state;
    const float picture[25] = {[6] = .7f, [12] = 1};
    const gig_run_options options = {.shape = {5, 5, 1, 0}};
    static const struct {
        const char *method;
        double first, second, sum;
    } golden[] = {{"blur-ig/sigma=10/steps=100", 0.640301016, 0.835210070, 1.412793094},
                  {"blur-ig/sigma=10/steps=499", 0.640310491, 0.835178403, 1.414521459},
                  {"blur-ig/sigma=10/steps=2001", 0.640316369, 0.835183538, 1.414683454}};
    for (size_t i = 0; i < 3; i++) {
        gig_explanation got;
        assert_ok(try_explaining(&got, golden[i].method, sum_of_sines, 25, picture, &options));
        assert_true(fabs((double)got.attributions[6] - golden[i].first) < 1e-6);
        assert_true(fabs((double)got.attributions[12] - golden[i].second) < 1e-6);
        assert_true(fabs(got.sum - golden[i].sum) < 2e-6);
        for (size_t k = 0; k < 25; k++) assert_true(got.attributions[k] != 0);
        gig_explanation_clear(&got);
    }
}

/* ---- Captum ---- */

static double positive(double x)
{
    return x > 0 ? x : 0;
}

/* relu(relu(x0) - 1 - relu(x1)) */
static double captum_two(const float *x, size_t n, size_t target, float *g)
{
    (void)n, (void)target;
    double inner = positive((double)x[0]) - 1 - positive((double)x[1]);
    if (g) g[0] = inner > 0 && x[0] > 0, g[1] = inner > 0 && x[1] > 0 ? -1 : 0;
    return positive(inner);
}

/* relu(relu(x0 - 1) - relu(x1)) */
static double captum_three(const float *x, size_t n, size_t target, float *g)
{
    (void)n, (void)target;
    double inner = positive((double)x[0] - 1) - positive((double)x[1]);
    if (g) g[0] = inner > 0 && x[0] > 1, g[1] = inner > 0 && x[1] > 0 ? -1 : 0;
    return positive(inner);
}

/* With s = sum of three: relu(s - 10) + 3 relu(s + 1) - 1. */
static double captum_layers(const float *x, size_t n, size_t target, float *g)
{
    (void)target;
    double sum = (double)x[0] + (double)x[1] + (double)x[2];
    for (size_t i = 0; g && i < n; i++) g[i] = (sum > 10) + 3 * (sum > -1);
    return positive(sum - 10) + 3 * positive(sum + 1) - 1;
}

/* 1 - relu(1 - x), summed. */
static double captum_one(const float *x, size_t n, size_t target, float *g)
{
    (void)target;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += 1 - positive(1 - (double)x[i]);
        if (g) g[i] = x[i] < 1;
    }
    return sum;
}

static void passes_captums_tests_of_ig(void **state)
{
    (void)state;
    const float input[2] = {3, 1}, small[3] = {1.5f, 2, 1.3f};
    static const line two[] = {{"ig/rule=right/steps=500", {1.5, -.5}}};
    static const line layers[] = {{"ig/rule=gauss-legendre/steps=100", {4.5, 6, 3.9}}, {"gradients", {3, 3, 3}}};
    EXPECT(two, captum_two, 2, input, NULL, .05);
    EXPECT(two, captum_three, 2, input, NULL, .05);
    EXPECT(layers, captum_layers, 3, small, NULL, 1e-6);
}

static void is_complete_by_all_of_captums_rules(void **state)
{
    (void)state;
    static const char *const rules[] = {"left", "right", "midpoint", "captum-trapezoid", "gauss-legendre"};
    const float one[6] = {1, 2, 3, 0, -1, 7}, two[2] = {3, 1}, three[3] = {1.5f, 2, 1.3f};
    const struct {
        closed_form form;
        size_t features;
        const float *input;
    } models[] = {{captum_one, 6, one}, {captum_two, 2, two}, {captum_three, 2, two}, {captum_layers, 3, three}};
    for (size_t m = 0; m < 4; m++)
        for (size_t r = 0; r < 5; r++) {
            char name[64];
            gig_explanation got;
            snprintf(name, sizeof name, "ig/rule=%s/steps=500", rules[r]);
            assert_ok(try_explaining(&got, name, models[m].form, models[m].features, models[m].input, NULL));
            assert_true(fabs(got.delta) <= .07);
            gig_explanation_clear(&got);
        }
}

/* Captum's infidelity test, first row: the sum of three plus a second input of 6, output scaled by 8. */
static double captum_added(const float *x, size_t n, size_t target, float *g)
{
    (void)target;
    double sum = 6 + (double)x[0] + (double)x[1] + (double)x[2];
    for (size_t i = 0; g && i < n; i++) g[i] = 8 * ((sum > 10) + 3 * (sum > -1));
    return 8 * (positive(sum - 10) + 3 * positive(sum + 1) + 1);
}

/* The kink lies at alpha = 1/3, where the 50 nodes weigh 0.6530458066 of 2/3: infidelity 0.10686 = delta^2. */
static void misses_what_captum_misses_with_gauss_legendre(void **state)
{
    (void)state;
    const float input[3] = {1, 2, 3}, ones[3] = {1, 1, 1};
    gig_explanation got;
    assert_ok(try_explaining(&got, "ig/baseline=given/rule=gauss-legendre/steps=50", captum_added, 3, input,
                             &(gig_run_options){.baseline = ones}));
    assert_true(fabs(got.delta + 0.3269006415) < 1e-8);
    gig_explanation_clear(&got);
}

static void paints_over_windows_as_captum_does(void **state)
{
    (void)state;
    const float input[3] = {20, 50, 30};
    const gig_run_options options = {.shape = {1, 3, 1, 0}};
    static const line lines[] = {{"occlusion/window=1", {80, 200, 120}},
                                 {"occlusion/value=10/window=1x2", {200, 220, 240}},
                                 {"occlusion/stride=1x2/window=1x2", {280, 280, 120}}};
    for (size_t i = 0; i < 3; i++)
        expect_explanation(lines[i].method, captum_layers, 3, input, &options,
                           (expected_map){3, lines[i].expected, 1e-6});
}

static double three_sums(const float *x, size_t n, size_t target, float *g)
{
    (void)target;
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)x[i];
    for (size_t i = 0; g && i < n; i++) g[i] = 3;
    return 3 * sum;
}

static void adds_up_windows_as_pair_does(void **state)
{
    (void)state;
    const float picture[25] = {[6] = 1, [18] = 1};
    const gig_run_options options = {.shape = {5, 5, 1, 0}};
    static const double expected[25] = {3,  6, 6, 3,  0,  6,  15, 18, 12, 3, 6, 18, 24,
                                        18, 6, 3, 12, 18, 15, 6,  0,  3,  6, 6, 3};
    gig_explanation got;
    assert_ok(try_explaining(&got, "occlusion/overlap=sum/window=3", three_sums, 25, picture, &options));
    assert_int_equal(got.values, 10);
    gig_explanation_clear(&got);
    expect_explanation("occlusion/overlap=sum/window=3", three_sums, 25, picture, &options,
                       (expected_map){25, expected, 0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_six_feature_table),
        cmocka_unit_test(gives_the_two_feature_numbers),
        cmocka_unit_test(passes_pairs_tests_of_guided_ig),
        cmocka_unit_test(passes_pairs_tests_of_gradients_and_ig),
        cmocka_unit_test(gives_the_numbers_of_blur_ig),
        cmocka_unit_test(passes_captums_tests_of_ig),
        cmocka_unit_test(is_complete_by_all_of_captums_rules),
        cmocka_unit_test(misses_what_captum_misses_with_gauss_legendre),
        cmocka_unit_test(paints_over_windows_as_captum_does),
        cmocka_unit_test(adds_up_windows_as_pair_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
