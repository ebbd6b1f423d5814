/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one number: closed forms in double, backward against central differences away from kinks. */
#include "operator_text.h"
#include <float.h>

static double relu(double x)
{
    return fmax(x, 0);
}
static double leaky(double x)
{
    return x < 0 ? 0.1 * x : x;
}
static double elu(double x)
{
    return x < 0 ? 2 * expm1(x) : x;
}
static double celu(double x)
{
    return x < 0 ? 2 * expm1(x / 2) : x;
}
static double selu(double x)
{
    return 1.05070102214813232421875 * (x < 0 ? 1.67326319217681884765625 * expm1(x) : x);
}
static double selu_1(double x)
{
    return 1.0507 * (x < 0 ? 1.6732 * expm1(x) : x);
}
static double hard_sigmoid(double x)
{
    return fmin(fmax(0.4 * x + 0.3, 0), 1);
}
static double hard_swish(double x)
{
    return x * fmin(fmax(x / 6 + 0.5, 0), 1);
}
static double thresholded(double x)
{
    return x > 0.7 ? x : 0;
}
static double shrink(double x)
{
    return x < -0.6 ? x + 0.25 : x > 0.6 ? x - 0.25 : 0;
}
static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}
static double softplus(double x)
{
    return log1p(exp(x));
}
static double gelu(double x)
{
    return x / 2 * erfc(-x / sqrt(2));
}
static double mish(double x)
{
    return x * tanh(log1p(exp(x)));
}
static double swish(double x)
{
    return x / (1 + exp(-1.7 * x));
}
static double softsign(double x)
{
    return x / (1 + fabs(x));
}
static double reciprocal(double x)
{
    return 1 / x;
}
static double negative(double x)
{
    return -x;
}
static double clip(double x)
{
    return fmin(fmax(x, -0.5), 0.75);
}

typedef struct function {
    const char *name;
    int opset;
    const char *attribute[2];
    float given[2];
    double (*value)(double);
    double low, high; /* inputs are spread over this range */
    double kinks[2];  /* no input is near one */
    int flat;         /* piecewise constant: has no gradient */
} function;

#define FAR 1e9
static const function functions[] = {
    {"Relu", 6, {0}, {0}, relu, -2, 2, {0, FAR}, 0},
    {"LeakyRelu", 6, {"alpha"}, {0.1f}, leaky, -2, 2, {0, FAR}, 0},
    {"Elu", 6, {"alpha"}, {2}, elu, -2, 2, {0, FAR}, 0},
    {"Celu", 12, {"alpha"}, {2}, celu, -2, 2, {0, FAR}, 0},
    {"Selu", 6, {0}, {0}, selu, -2, 2, {0, FAR}, 0},
    {"Selu", 1, {0}, {0}, selu_1, -2, 2, {0, FAR}, 0},
    {"HardSigmoid", 6, {"alpha", "beta"}, {0.4f, 0.3f}, hard_sigmoid, -3, 3, {-0.75, 1.75}, 0},
    {"HardSwish", 14, {0}, {0}, hard_swish, -5, 5, {-3, 3}, 0},
    {"ThresholdedRelu", 10, {"alpha"}, {0.7f}, thresholded, -2, 2, {0.7, FAR}, 0},
    {"Shrink", 9, {"lambd", "bias"}, {0.6f, 0.25f}, shrink, -2, 2, {-0.6, 0.6}, 0},
    {"Clip", 6, {"min", "max"}, {-0.5f, 0.75f}, clip, -2, 2, {-0.5, 0.75}, 0},
    {"Sigmoid", 6, {0}, {0}, sigmoid, -5, 5, {FAR, FAR}, 0},
    {"Tanh", 6, {0}, {0}, tanh, -3, 3, {FAR, FAR}, 0},
    {"Softplus", 1, {0}, {0}, softplus, -5, 5, {FAR, FAR}, 0},
    {"Gelu", 20, {0}, {0}, gelu, -6, 6, {FAR, FAR}, 0},
    {"Mish", 18, {0}, {0}, mish, -6, 6, {FAR, FAR}, 0},
    {"Swish", 24, {"alpha"}, {1.7f}, swish, -6, 6, {FAR, FAR}, 0},
    {"Softsign", 1, {0}, {0}, softsign, -5, 5, {FAR, FAR}, 0},
    {"Erf", 9, {0}, {0}, erf, -2, 2, {FAR, FAR}, 0},
    {"Exp", 6, {0}, {0}, exp, -2, 2, {FAR, FAR}, 0},
    {"Log", 6, {0}, {0}, log, 0.2, 4, {FAR, FAR}, 0},
    {"Sqrt", 6, {0}, {0}, sqrt, 0.2, 4, {FAR, FAR}, 0},
    {"Abs", 6, {0}, {0}, fabs, -2, 2, {0, FAR}, 0},
    {"Neg", 6, {0}, {0}, negative, -2, 2, {FAR, FAR}, 0},
    {"Reciprocal", 6, {0}, {0}, reciprocal, 0.4, 3, {FAR, FAR}, 0},
    {"Sin", 7, {0}, {0}, sin, -4, 4, {FAR, FAR}, 0},
    {"Cos", 7, {0}, {0}, cos, -4, 4, {FAR, FAR}, 0},
    {"Tan", 7, {0}, {0}, tan, -1.2, 1.2, {FAR, FAR}, 0},
    {"Asin", 7, {0}, {0}, asin, -0.9, 0.9, {FAR, FAR}, 0},
    {"Acos", 7, {0}, {0}, acos, -0.9, 0.9, {FAR, FAR}, 0},
    {"Atan", 7, {0}, {0}, atan, -3, 3, {FAR, FAR}, 0},
    {"Sinh", 9, {0}, {0}, sinh, -2, 2, {FAR, FAR}, 0},
    {"Cosh", 9, {0}, {0}, cosh, -2, 2, {FAR, FAR}, 0},
    {"Asinh", 9, {0}, {0}, asinh, -3, 3, {FAR, FAR}, 0},
    {"Acosh", 9, {0}, {0}, acosh, 1.3, 4, {FAR, FAR}, 0},
    {"Atanh", 9, {0}, {0}, atanh, -0.9, 0.9, {FAR, FAR}, 0},
    {"Floor", 6, {0}, {0}, floor, -3, 3, {FAR, FAR}, 1},
    {"Ceil", 6, {0}, {0}, ceil, -3, 3, {FAR, FAR}, 1},
    {"Round", 11, {0}, {0}, rint, -3, 3, {FAR, FAR}, 1},
};

static void begin_function(harness *h, const function *f)
{
    harness_begin(h, f->name, f->opset);
    for (int a = 0; a < 2; a++)
        if (f->attribute[a]) harness_real(h, f->attribute[a], f->given[a]);
    gig_tensor *x = harness_real_input(h, 3, DIMS(2, 3, 7), NULL);
    for (size_t k = 0; k < gig_tensor_count(x); k++) {
        do x->real[k] = (float)(f->low + (f->high - f->low) * harness_uniform(h));
        while (fabs(x->real[k] - f->kinks[0]) < 0.01 || fabs(x->real[k] - f->kinks[1]) < 0.01);
    }
}

static void values_follow_closed_forms(void **state)
{
    harness h;
    float wanted[42];
    (void)state;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        begin_function(&h, &functions[i]);
        for (int k = 0; k < 42; k++) wanted[k] = (float)functions[i].value(h.in[0].real[k]);
        harness_run(&h, 1);
        harness_expect_real(&h, 0, 3, DIMS(2, 3, 7), wanted, 1e-6);
        harness_end(&h);
    }
}

static void gradients_follow_central_differences(void **state)
{
    harness h;
    (void)state;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        begin_function(&h, &functions[i]);
        harness_run(&h, 1);
        if (functions[i].flat)
            assert_true(h.op.row->flags & GIG_OP_NO_GRADIENT);
        else
            harness_expect_gradient(&h);
        harness_end(&h);
    }
}

/* dy/dx at the inputs given, for d_out = 1 everywhere. */
static void expect_slopes(harness *h, const float *slopes)
{
    gig_tensor ones = {0}, d_in[HARNESS_PORTS];
    harness_run(h, 1);
    assert_int_equal(gig_tensor_create(&ones, GIG_FLOAT32, h->out[0].rank, h->out[0].dims), GIG_OK);
    for (size_t k = 0; k < gig_tensor_count(&ones); k++) ones.real[k] = 1;
    harness_backward(h, &ones, d_in);
    for (size_t k = 0; k < gig_tensor_count(&ones); k++)
        if (!(fabsf(d_in[0].real[k] - slopes[k]) < 1e-6f))
            fail_msg("%s: slope %zu is %g, not %g", h->node.op, k, (double)d_in[0].real[k], (double)slopes[k]);
    for (size_t i = 0; i < h->in_count; i++) gig_tensor_clear(&d_in[i]);
    gig_tensor_clear(&ones);
    harness_end(h);
}

static void relu_has_slope_0_at_0(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "Relu", 13);
    harness_real_input(&h, 1, DIMS(3), VALUES(-1, 0, 1));
    expect_slopes(&h, VALUES(0, 0, 1));
}

static void clip_has_slope_1_on_its_bounds(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "Clip", 11);
    harness_real_input(&h, 1, DIMS(5), VALUES(-2, -1, 0, 1, 2));
    harness_real_input(&h, 0, NULL, VALUES(-1));
    harness_constant(&h);
    harness_real_input(&h, 0, NULL, VALUES(1));
    harness_constant(&h);
    expect_slopes(&h, VALUES(0, 1, 1, 1, 0));
}

static void clip_takes_bounds_from_inputs_and_differentiates_them(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "Clip", 13);
    harness_real_input(&h, 1, DIMS(5), VALUES(-2, -0.6f, 0.1f, 0.8f, 2));
    harness_real_input(&h, 0, NULL, VALUES(-1));
    harness_real_input(&h, 0, NULL, VALUES(0.5f));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 1, DIMS(5), VALUES(-1, -0.6f, 0.1f, 0.5f, 0.5f), 0);
    harness_expect_gradient(&h);
    harness_end(&h);
}

static void clip_may_leave_a_bound_out(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "Clip", 12);
    harness_whole_input(&h, 1, DIMS(3), WHOLES(-5, 0, 5));
    harness_no_input(&h);
    harness_whole_input(&h, 0, NULL, WHOLES(3));
    harness_run(&h, 1);
    harness_expect_whole(&h, 0, 1, DIMS(3), WHOLES(-5, 0, 3));
    harness_end(&h);
}

static void clip_rejects_a_bound_that_is_nan(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "Clip", 11);
    harness_real_input(&h, 1, DIMS(2), NULL);
    harness_real_input(&h, 1, DIMS(2), NULL);
    assert_int_equal(harness_infer(&h, 1), GIG_EFORMAT);
    harness_end(&h);
}

static void prelu_broadcasts_its_slope(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "PRelu", 9);
    harness_real_input(&h, 3, DIMS(1, 2, 2), VALUES(-1, 2, -3, 4));
    harness_real_input(&h, 2, DIMS(2, 1), VALUES(0.5f, 0.25f));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 3, DIMS(1, 2, 2), VALUES(-0.5f, 2, -0.75f, 4), 0);
    harness_expect_gradient(&h);
    harness_end(&h);
}

static void prelu_before_opset_7_has_a_slope_per_channel(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "PRelu", 6);
    harness_real_input(&h, 3, DIMS(1, 2, 2), VALUES(-1, 2, -3, 4));
    harness_real_input(&h, 1, DIMS(2), VALUES(0.5f, 0.25f));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 3, DIMS(1, 2, 2), VALUES(-0.5f, 2, -0.75f, 4), 0);
    harness_expect_gradient(&h);
    harness_end(&h);
}

static void prelu_refuses_a_slope_larger_than_its_input(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "PRelu", 9);
    harness_real_input(&h, 2, DIMS(2, 2), NULL);
    harness_real_input(&h, 2, DIMS(3, 2), NULL);
    assert_int_equal(harness_infer(&h, 1), GIG_EFORMAT);
    harness_end(&h);
}

static void whole_numbers_keep_their_type(void **state)
{
    static const struct {
        const char *name;
        int64_t out[3];
    } cases[] = {{"Abs", {128, 0, 7}}, {"Neg", {128, 0, -7}}, {"Sign", {-1, 0, 1}}, {"Relu", {0, 0, 7}}};
    harness h;
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        harness_begin(&h, cases[i].name, 14);
        harness_whole_input(&h, 1, DIMS(3), WHOLES(-128, 0, 7));
        harness_run(&h, 1);
        harness_expect_whole(&h, 0, 1, DIMS(3), cases[i].out);
        harness_end(&h);
    }
}

static void int8_wraps_as_int8_does(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "Neg", 13);
    harness_whole_input(&h, 1, DIMS(2), WHOLES(-128, 5));
    harness_onnx_type(&h, GIG_ONNX_INT8);
    harness_run(&h, 1);
    harness_expect_whole(&h, 0, 1, DIMS(2), WHOLES(-128, -5));
    harness_end(&h);
}

static void round_takes_halves_to_even(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "Round", 11);
    harness_real_input(&h, 1, DIMS(8), VALUES(0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 0.49999997f, 8388609));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 1, DIMS(8), VALUES(0, 2, 2, 0, -2, -2, 0, 8388609), 0);
    harness_end(&h);
}

static void nan_and_infinity_are_found(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "IsNaN", 13);
    harness_real_input(&h, 1, DIMS(3), VALUES(NAN, 1, INFINITY));
    harness_run(&h, 1);
    harness_expect_whole(&h, 0, 1, DIMS(3), WHOLES(1, 0, 0));
    assert_int_equal(h.out_onnx[0], GIG_ONNX_BOOL);
    harness_end(&h);
    harness_begin(&h, "IsInf", 10);
    harness_int(&h, "detect_negative", 0);
    harness_real_input(&h, 1, DIMS(3), VALUES(NAN, -INFINITY, INFINITY));
    harness_run(&h, 1);
    harness_expect_whole(&h, 0, 1, DIMS(3), WHOLES(0, 0, 1));
    harness_end(&h);
}

static void extremes_do_not_overflow(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "Softplus", 1);
    harness_real_input(&h, 1, DIMS(2), VALUES(-200, 200));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 1, DIMS(2), VALUES(0, 200), 0);
    harness_end(&h);
    harness_begin(&h, "Sigmoid", 6);
    harness_real_input(&h, 1, DIMS(2), VALUES(-200, 200));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 1, DIMS(2), VALUES(0, 1), 0);
    harness_end(&h);
    static const struct {
        const char *op;
        int opset;
    } gated[] = {{"Gelu", 20}, {"Mish", 18}, {"Swish", 24}};
    for (size_t i = 0; i < 3; i++) {
        harness_begin(&h, gated[i].op, gated[i].opset);
        harness_real_input(&h, 1, DIMS(2), VALUES(-200, 200));
        harness_run(&h, 1);
        harness_expect_real(&h, 0, 1, DIMS(2), VALUES(0, 200), 0);
        harness_end(&h);
    }
}

static void gelu_refuses_an_approximation_it_does_not_know(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "Gelu", 20);
    harness_string(&h, "approximate", "sigmoid");
    harness_real_input(&h, 1, DIMS(1), VALUES(1));
    harness_expect_refusal(&h, 1, GIG_EFORMAT);
    harness_end(&h);
}

static void the_table_knows_opsets(void **state)
{
    char name[] = "Clip", unknown[] = "Loop", own[] = "", other[] = "com.example";
    gig_node node = {.op = name, .domain = own, .opset = 6};
    (void)state;
    const gig_operator *before = gig_operator_find(&node);
    node.opset = 11;
    assert_non_null(before);
    assert_ptr_not_equal(before, gig_operator_find(&node));
    node.domain = other;
    assert_null(gig_operator_find(&node));
    node.domain = own;
    node.op = unknown;
    assert_null(gig_operator_find(&node));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_follow_closed_forms),
        cmocka_unit_test(gradients_follow_central_differences),
        cmocka_unit_test(relu_has_slope_0_at_0),
        cmocka_unit_test(clip_has_slope_1_on_its_bounds),
        cmocka_unit_test(clip_takes_bounds_from_inputs_and_differentiates_them),
        cmocka_unit_test(clip_may_leave_a_bound_out),
        cmocka_unit_test(clip_rejects_a_bound_that_is_nan),
        cmocka_unit_test(prelu_broadcasts_its_slope),
        cmocka_unit_test(prelu_before_opset_7_has_a_slope_per_channel),
        cmocka_unit_test(prelu_refuses_a_slope_larger_than_its_input),
        cmocka_unit_test(whole_numbers_keep_their_type),
        cmocka_unit_test(int8_wraps_as_int8_does),
        cmocka_unit_test(round_takes_halves_to_even),
        cmocka_unit_test(nan_and_infinity_are_found),
        cmocka_unit_test(extremes_do_not_overflow),
        cmocka_unit_test(gelu_refuses_an_approximation_it_does_not_know),
        cmocka_unit_test(the_table_knows_opsets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
