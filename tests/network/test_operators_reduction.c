/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions over every set of axes of a rank-3 tensor, Softmax and similar ones. */
#include "operator_harness.h"

enum { A = 2, B = 3, C = 70, COUNT = A * B * C }; /* C is wider than one block of the reducer */

typedef struct reduction {
    const char *name;
    double low, high;
} reduction;

static const reduction reductions[] = {
    {"ReduceSum", -1, 1},    {"ReduceMean", -1, 1},      {"ReduceMax", -1, 1}, {"ReduceMin", -1, 1},
    {"ReduceProd", 0.95, 1}, {"ReduceL1", 0.1, 1},       {"ReduceL2", -1, 1},  {"ReduceSumSquare", -1, 1},
    {"ReduceLogSum", 1, 2},  {"ReduceLogSumExp", -1, 1},
};
enum { REDUCTIONS = sizeof reductions / sizeof *reductions };

static double start_of(const char *name)
{
    return !strcmp(name, "ReduceMax") ? -INFINITY : !strcmp(name, "ReduceMin") ? INFINITY : !strcmp(name, "ReduceProd");
}

static double update(const char *name, double acc, double x)
{
    if (!strcmp(name, "ReduceMax")) return fmax(acc, x);
    if (!strcmp(name, "ReduceMin")) return fmin(acc, x);
    if (!strcmp(name, "ReduceProd")) return acc * x;
    if (!strcmp(name, "ReduceL1")) return acc + fabs(x);
    if (!strcmp(name, "ReduceL2") || !strcmp(name, "ReduceSumSquare")) return acc + x * x;
    if (!strcmp(name, "ReduceLogSumExp")) return acc + exp(x);
    return acc + x;
}

static double finish(const char *name, double acc, double count)
{
    if (!strcmp(name, "ReduceMean")) return acc / count;
    if (!strcmp(name, "ReduceL2")) return sqrt(acc);
    if (!strncmp(name, "ReduceLogSum", 12)) return log(acc);
    return acc;
}

/* axes: bit d set where dim d is reduced. */
static void expected(float *out, const char *name, const float *x, unsigned axes)
{
    static const int64_t dims[3] = {A, B, C};
    int64_t kept[3];
    double count = 1, accs[COUNT];
    for (int d = 0; d < 3; d++) kept[d] = axes >> d & 1 ? 1 : dims[d];
    for (int d = 0; d < 3; d++) count *= (double)(dims[d] / kept[d]);
    int64_t total = kept[0] * kept[1] * kept[2];
    for (int64_t k = 0; k < total; k++) accs[k] = start_of(name);
    for (int64_t i = 0; i < COUNT; i++) {
        int64_t a = i / (B * C) % kept[0], b = i / C % B % kept[1], c = i % C % kept[2];
        int64_t at = (a * kept[1] + b) * kept[2] + c;
        accs[at] = update(name, accs[at], x[i]);
    }
    for (int64_t k = 0; k < total; k++) out[k] = (float)finish(name, accs[k], count);
}

static void begin_reduction(harness *h, const reduction *r, unsigned axes, int keep)
{
    int64_t list[3];
    size_t count = 0;
    for (int d = 0; d < 3; d++)
        if (axes >> d & 1) list[count++] = d % 2 ? d - 3 : d; /* some counted from the end */
    harness_begin(h, r->name, 11);
    harness_int(h, "keepdims", keep);
    harness_ints(h, "axes", count, list);
    gig_tensor *x = harness_real_input(h, 3, DIMS(A, B, C), NULL);
    for (int k = 0; k < COUNT; k++) x->real[k] = (float)(r->low + (r->high - r->low) * harness_uniform(h));
}

static void reductions_follow_their_definitions(void **state)
{
    harness h;
    float wanted[COUNT];
    (void)state;
    for (size_t i = 0; i < REDUCTIONS; i++)
        for (unsigned axes = 1; axes < 8; axes++)
            for (int keep = 0; keep < 2; keep++) {
                int64_t dims[3], rank = 0;
                static const int64_t full[3] = {A, B, C};
                for (int d = 0; d < 3; d++)
                    if (!(axes >> d & 1) || keep) dims[rank++] = axes >> d & 1 ? 1 : full[d];
                begin_reduction(&h, &reductions[i], axes, keep);
                expected(wanted, reductions[i].name, h.in[0].real, axes);
                harness_run(&h, 1);
                harness_expect_real(&h, 0, (int)rank, dims, wanted, 1e-6);
                harness_end(&h);
            }
}

static void gradients_of_reductions_follow_differences(void **state)
{
    harness h;
    (void)state;
    for (size_t i = 0; i < REDUCTIONS; i++)
        for (unsigned axes = 1; axes < 8; axes += 3) { /* the first, the last, all */
            begin_reduction(&h, &reductions[i], axes, 0);
            h.step = strstr(reductions[i].name, "M") ? 1e-4 : 1e-2; /* Max and Min: no element overtakes another */
            harness_run(&h, 1);
            harness_expect_gradient(&h);
            harness_end(&h);
        }
}

/* Every second of five dims: walks over dims that cannot be merged. */
static void axes_may_alternate(void **state)
{
    static const int64_t dims[5] = {2, 3, 2, 3, 2}, stride[5] = {36, 12, 6, 2, 1};
    (void)state;
    for (int first = 0; first < 2; first++) {
        harness h;
        float wanted[12] = {0};
        int64_t axes[3] = {first, first + 2, first + 4}, kept[5], rank = 0;
        harness_begin(&h, "ReduceSum", 11);
        harness_int(&h, "keepdims", 0);
        harness_ints(&h, "axes", first ? 2 : 3, axes);
        harness_real_input(&h, 5, dims, NULL);
        for (int64_t k = 0; k < 72; k++) {
            int64_t at = 0;
            for (int d = !first; d < 5; d += 2) at = at * dims[d] + k / stride[d] % dims[d];
            wanted[at] += h.in[0].real[k];
        }
        for (int d = !first; d < 5; d += 2) kept[rank++] = dims[d];
        harness_run(&h, 1);
        harness_expect_real(&h, 0, (int)rank, kept, wanted, 1e-6);
        harness_expect_gradient(&h);
        harness_end(&h);
    }
}

static void no_axes_reduce_everything(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "ReduceSum", 11);
    harness_real_input(&h, 2, DIMS(2, 2), VALUES(1, 2, 3, 4));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 2, DIMS(1, 1), VALUES(10), 0);
    harness_end(&h);
}

static void reduce_sum_takes_axes_as_input_since_13(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "ReduceSum", 13);
    harness_int(&h, "keepdims", 0);
    harness_real_input(&h, 2, DIMS(2, 2), VALUES(1, 2, 3, 4));
    harness_whole_input(&h, 1, DIMS(1), WHOLES(-1));
    assert_int_equal(harness_infer(&h, 1), GIG_EUNSUPPORTED); /* axes known only at run time */
    harness_constant(&h);
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 1, DIMS(2), VALUES(3, 7), 0);
    harness_end(&h);
}

static void no_axes_may_mean_no_reduction(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "ReduceSum", 13);
    harness_int(&h, "noop_with_empty_axes", 1);
    harness_real_input(&h, 2, DIMS(2, 2), VALUES(1, 2, 3, 4));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 2, DIMS(2, 2), VALUES(1, 2, 3, 4), 0);
    harness_end(&h);
}

static void an_axis_outside_is_refused(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "ReduceMax", 11);
    harness_ints(&h, "axes", 1, WHOLES(2));
    harness_real_input(&h, 2, DIMS(2, 2), NULL);
    assert_int_equal(harness_infer(&h, 1), GIG_EFORMAT);
    harness_end(&h);
}

static void whole_numbers_are_reduced_too(void **state)
{
    static const struct {
        const char *name;
        int64_t wanted[2];
    } cases[] = {{"ReduceSum", {-5, 9}},       {"ReduceMax", {2, 5}},   {"ReduceMin", {-7, 4}},
                 {"ReduceProd", {-14, 20}},    {"ReduceMean", {-2, 4}}, {"ReduceL1", {9, 9}},
                 {"ReduceSumSquare", {53, 41}}};
    harness h;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        harness_begin(&h, cases[i].name, 12);
        harness_ints(&h, "axes", 1, WHOLES(1));
        harness_int(&h, "keepdims", 0);
        harness_whole_input(&h, 2, DIMS(2, 2), WHOLES(2, -7, 4, 5));
        harness_run(&h, 1);
        harness_expect_whole(&h, 0, 1, DIMS(2), cases[i].wanted);
        harness_end(&h);
    }
}

static void gradient_of(harness *h, float *d_x)
{
    gig_tensor d_in[HARNESS_PORTS], d_out = {.type = GIG_FLOAT32, .rank = 1, .dims = {1}};
    float one = 1;
    harness_run(h, 1);
    d_out.real = &one;
    harness_backward(h, &d_out, d_in);
    memcpy(d_x, d_in[0].data, gig_tensor_bytes(&d_in[0]));
    gig_tensor_clear(&d_in[0]);
    harness_end(h);
}

static void zeros_in_a_product_leave_the_right_slopes(void **state)
{
    harness h;
    float d_x[3];
    (void)state;
    harness_begin(&h, "ReduceProd", 11);
    harness_real_input(&h, 1, DIMS(3), VALUES(2, 0, 5));
    gradient_of(&h, d_x);
    assert_true(d_x[0] == 0 && d_x[1] == 10 && d_x[2] == 0);
    harness_begin(&h, "ReduceProd", 11);
    harness_real_input(&h, 1, DIMS(3), VALUES(0, 0, 5));
    gradient_of(&h, d_x);
    assert_true(d_x[0] == 0 && d_x[1] == 0 && d_x[2] == 0);
}

static void ties_share_the_slope_of_a_maximum(void **state)
{
    harness h;
    float d_x[3];
    (void)state;
    harness_begin(&h, "ReduceMax", 11);
    harness_real_input(&h, 1, DIMS(3), VALUES(5, 0, 5));
    gradient_of(&h, d_x);
    assert_true(d_x[0] == 0.5f && d_x[1] == 0 && d_x[2] == 0.5f);
}

static void log_sum_exp_does_not_overflow(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "ReduceLogSumExp", 11);
    harness_ints(&h, "axes", 1, WHOLES(1));
    harness_int(&h, "keepdims", 0);
    harness_real_input(&h, 2, DIMS(3, 2), VALUES(1000, 1000, -INFINITY, -INFINITY, 1, INFINITY));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 1, DIMS(3), VALUES(1000.693147f, -INFINITY, INFINITY), 1e-7);
    harness_end(&h);
}

static void an_empty_group_has_the_neutral_value(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "ReduceSum", 11);
    harness_ints(&h, "axes", 1, WHOLES(1));
    harness_int(&h, "keepdims", 0);
    harness_real_input(&h, 2, DIMS(2, 0), NULL);
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 1, DIMS(2), VALUES(0, 0), 0);
    harness_end(&h);
}

/* ---- Softmax ---- */

static void softmax_expected(float *out, const float *x, int outer, int length, int inner, int logarithm)
{
    for (int o = 0; o < outer; o++)
        for (int i = 0; i < inner; i++) {
            double sum = 0;
            for (int k = 0; k < length; k++) sum += exp(x[(o * length + k) * inner + i]);
            for (int k = 0; k < length; k++) {
                int at = (o * length + k) * inner + i;
                out[at] = (float)(logarithm ? x[at] - log(sum) : exp(x[at]) / sum);
            }
        }
}

static void softmax_runs_along_its_axis_or_flattens(void **state)
{
    static const struct {
        int opset, axis, outer, length, inner;
    } cases[] = {{13, 1, 2, 3, 4}, {13, -1, 6, 4, 1}, {13, 0, 1, 2, 12}, {12, 1, 2, 12, 1}, {6, 2, 6, 4, 1}};
    harness h;
    float wanted[24];
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        size_t c = i / 2;
        harness_begin(&h, i % 2 ? "LogSoftmax" : "Softmax", cases[c].opset);
        harness_int(&h, "axis", cases[c].axis);
        harness_real_input(&h, 3, DIMS(2, 3, 4), NULL);
        harness_run(&h, 1);
        softmax_expected(wanted, h.in[0].real, cases[c].outer, cases[c].length, cases[c].inner, i % 2);
        harness_expect_real(&h, 0, 3, DIMS(2, 3, 4), wanted, 1e-6);
        harness_expect_gradient(&h);
        harness_end(&h);
    }
}

static void softmax_of_large_numbers_is_finite(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "Softmax", 13);
    harness_real_input(&h, 2, DIMS(1, 2), VALUES(10000, 10000));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 2, DIMS(1, 2), VALUES(0.5f, 0.5f), 0);
    harness_end(&h);
}

static void hardmax_marks_the_first_greatest(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "Hardmax", 13);
    harness_real_input(&h, 2, DIMS(2, 3), VALUES(1, 3, 3, 2, 0, 1));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 2, DIMS(2, 3), VALUES(0, 1, 0, 1, 0, 0), 0);
    harness_end(&h);
}

static void softmax_of_minus_infinities_is_nan(void **state)
{
    (void)state;
    for (int axis = 0; axis < 2; axis++) { /* numbers that lie apart, and in a row */
        harness h;
        harness_begin(&h, "Softmax", 13);
        harness_int(&h, "axis", axis);
        harness_real_input(&h, 2, DIMS(2, 2), VALUES(-INFINITY, -INFINITY, -INFINITY, -INFINITY));
        harness_run(&h, 1);
        for (int i = 0; i < 4; i++) assert_true(isnan(h.out[0].real[i]));
        harness_end(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reductions_follow_their_definitions),
        cmocka_unit_test(gradients_of_reductions_follow_differences),
        cmocka_unit_test(axes_may_alternate),
        cmocka_unit_test(no_axes_reduce_everything),
        cmocka_unit_test(reduce_sum_takes_axes_as_input_since_13),
        cmocka_unit_test(no_axes_may_mean_no_reduction),
        cmocka_unit_test(an_axis_outside_is_refused),
        cmocka_unit_test(whole_numbers_are_reduced_too),
        cmocka_unit_test(zeros_in_a_product_leave_the_right_slopes),
        cmocka_unit_test(ties_share_the_slope_of_a_maximum),
        cmocka_unit_test(log_sum_exp_does_not_overflow),
        cmocka_unit_test(an_empty_group_has_the_neutral_value),
        cmocka_unit_test(softmax_runs_along_its_axis_or_flattens),
        cmocka_unit_test(softmax_of_large_numbers_is_finite),
        cmocka_unit_test(hardmax_marks_the_first_greatest),
        cmocka_unit_test(softmax_of_minus_infinities_is_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
