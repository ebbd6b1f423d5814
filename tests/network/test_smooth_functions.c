/* SPDX-License-Identifier: Apache-2.0 */
/* Smooth functions of one float against libm's in double. */
#include "support.h"

#include "network/kernels/smooth_functions.h"

typedef struct function {
    const char *name;
    float (*ours)(float);
    double (*theirs)(double);
    float from, to;
    double most, most_by_square; /* relative error in units of 2^-24, and what x^2 adds to it */
} function;

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double normal_below(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

static double softplus(double x)
{
    return fmax(x, 0) + log1p(exp(-fabs(x)));
}

static const function functions[] = {{"exp", gig_exp_down, exp, -87, 0, 2, 0},
                                     {"exp of both signs", gig_exp, exp, -87, 88.7f, 2, 0},
                                     {"exp - 1", gig_exp_less_1, expm1, -100, 0, 4, 0},
                                     {"log", gig_log, log, 1e-3f, 100, 3, 0},
                                     {"log of 1 + x", gig_log_1_plus, log1p, 0, 1, 4, 0},
                                     {"softplus", gig_softplus, softplus, -80, 80, 6, 0},
                                     {"sigmoid", gig_sigmoid, sigmoid, -80, 80, 4, 0},
                                     {"tanh", gig_tanh, tanh, -12, 12, 3, 0},
                                     {"erf", gig_erf, erf, -6, 6, 4, 0},
                                     {"erfc", gig_erfc_up, erfc, 0, 9, 7, 2},
                                     {"normal distribution", gig_normal_below, normal_below, -12, 12, 8, 2}};

static void check_at(const function *f, float x)
{
    double wanted = f->theirs((double)x), got = (double)f->ours(x), unit = fabs(wanted) / (1 << 24);
    double most = f->most + f->most_by_square * (double)x * (double)x;
    if (!(fabs(got - wanted) <= most * unit))
        fail_msg("%s(%.9g) is %.9g, not %.9g: %.1f units off", f->name, (double)x, got, wanted,
                 fabs(got - wanted) / unit);
}

static void are_libms_to_a_few_units(void **state)
{
    (void)state;
    enum { PLACES = 200001 };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const function *f = &functions[i];
        for (int k = 0; k < PLACES; k++) check_at(f, f->from + (f->to - f->from) * (float)k / (PLACES - 1));
        for (float x = 1; x > 1e-30f; x /= 3) {
            if (f->to > 0) check_at(f, x);
            if (f->from < 0) check_at(f, -x);
        }
    }
}

/* Every power of 2 and its neighbourhood, numbers below 2^-126 too. */
static void knows_logarithms_of_any_size(void **state)
{
    (void)state;
    const function log_of = {"log", gig_log, log, 0, 0, 3, 0};
    for (int e = -148; e < 128; e++)
        for (float m = 1; m < 2; m += 0.01f) check_at(&log_of, ldexpf(m, e));
    for (int k = -2000; k < 2000; k++) check_at(&log_of, 1 + (float)k * 0x1p-23f);
}

static void end_where_they_should(void **state)
{
    (void)state;
    assert_true(gig_exp(-INFINITY) == 0 && gig_exp(0) == 1 && gig_exp(88.8f) == INFINITY &&
                gig_exp(INFINITY) == INFINITY);
    assert_true(gig_exp_less_1(-INFINITY) == -1 && gig_exp_less_1(0) == 0);
    assert_true(gig_log(0) == -INFINITY && gig_log(-0.0f) == -INFINITY && gig_log(1) == 0);
    assert_true(gig_log(INFINITY) == INFINITY && isnan(gig_log(-1)) && isnan(gig_log(-INFINITY)));
    assert_true(gig_softplus(INFINITY) == INFINITY && gig_softplus(-INFINITY) == 0);
    assert_true(gig_exp_down(-INFINITY) == 0 && gig_exp_down(-1e30f) == 0 && gig_exp_down(0) == 1);
    assert_true(gig_sigmoid(INFINITY) == 1 && gig_sigmoid(-INFINITY) == 0 && gig_sigmoid(0) == 0.5f);
    assert_true(gig_tanh(INFINITY) == 1 && gig_tanh(-INFINITY) == -1 && gig_tanh(0) == 0);
    assert_true(gig_erf(INFINITY) == 1 && gig_erf(-INFINITY) == -1 && gig_erf(0) == 0);
    assert_true(gig_normal_below(INFINITY) == 1 && gig_normal_below(-INFINITY) == 0);
}

static void keep_a_nan(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        assert_true(isnan(functions[i].ours(NAN)));
        assert_true(isnan(functions[i].ours(-NAN)));
    }
}

static void choose_by_bits(void **state)
{
    (void)state;
    assert_true(gig_choose(1, 2, INFINITY) == 2 && gig_choose(0, NAN, 3) == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_libms_to_a_few_units), cmocka_unit_test(knows_logarithms_of_any_size),
        cmocka_unit_test(end_where_they_should),    cmocka_unit_test(keep_a_nan),
        cmocka_unit_test(choose_by_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
