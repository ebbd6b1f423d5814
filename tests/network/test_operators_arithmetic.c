/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic with broadcasting: closed forms, both opset generations, gradients of both operands. */
#include "operator_harness.h"

static float add(float x, float y)
{
    return x + y;
}
static float subtract(float x, float y)
{
    return x - y;
}
static float multiply(float x, float y)
{
    return x * y;
}
static float divide(float x, float y)
{
    return x / y;
}

/* Dims of two operands and of the result, rank 4; leading ones are dropped from the operands. */
static const int64_t shapes[][3][4] = {
    {{2, 3, 2, 2}, {2, 3, 2, 2}, {2, 3, 2, 2}}, {{2, 3, 2, 2}, {1, 1, 1, 1}, {2, 3, 2, 2}},
    {{1, 1, 1, 1}, {2, 3, 2, 2}, {2, 3, 2, 2}}, {{2, 3, 2, 2}, {1, 1, 1, 2}, {2, 3, 2, 2}},
    {{2, 3, 2, 2}, {1, 3, 1, 1}, {2, 3, 2, 2}}, {{2, 1, 4, 1}, {1, 3, 1, 2}, {2, 3, 4, 2}},
    {{1, 3, 1, 2}, {2, 1, 1, 2}, {2, 3, 1, 2}}, {{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void operand(harness *h, const int64_t *dims, double low, double high)
{
    int skip = 0;
    while (skip < 4 && dims[skip] == 1) skip++;
    gig_tensor *x = harness_real_input(h, 4 - skip, dims + skip, NULL);
    for (size_t k = 0; k < gig_tensor_count(x); k++) x->real[k] = (float)(low + (high - low) * harness_uniform(h));
}

static float broadcast_value(const gig_tensor *x, const int64_t *dims, const int64_t *index)
{
    int64_t at = 0;
    for (int d = 0; d < 4; d++) at = at * dims[d] + (dims[d] == 1 ? 0 : index[d]);
    return x->real[at];
}

static void expect_broadcast(harness *h, const int64_t shape[3][4], float (*function)(float, float))
{
    const int64_t *dims = shape[2];
    int64_t i[4], at = 0;
    for (i[0] = 0; i[0] < dims[0]; i[0]++)
        for (i[1] = 0; i[1] < dims[1]; i[1]++)
            for (i[2] = 0; i[2] < dims[2]; i[2]++)
                for (i[3] = 0; i[3] < dims[3]; i[3]++, at++) {
                    float x = broadcast_value(&h->in[0], shape[0], i), y = broadcast_value(&h->in[1], shape[1], i);
                    assert_true(fabsf(h->out[0].real[at] - function(x, y)) <= 1e-6f * (1 + fabsf(function(x, y))));
                }
    assert_int_equal(gig_tensor_count(&h->out[0]), at);
}

static void check_binary(const char *name, int opset, float (*function)(float, float), double low, double high)
{
    harness h;
    for (size_t s = 0; s < SHAPES; s++) {
        harness_begin(&h, name, opset);
        operand(&h, shapes[s][0], low, high);
        operand(&h, shapes[s][1], low, high);
        harness_run(&h, 1);
        expect_broadcast(&h, shapes[s], function);
        harness_expect_gradient(&h);
        harness_end(&h);
    }
}

static void sums_products_and_powers_broadcast_with_gradients(void **state)
{
    (void)state;
    check_binary("Add", 14, add, -1, 1);
    check_binary("Sub", 14, subtract, -1, 1);
    check_binary("Mul", 7, multiply, -1, 1);
    check_binary("Div", 7, divide, 0.5, 2);
    check_binary("Pow", 13, powf, 0.5, 2);
}

/* d (x / y) / dy = -x / y^2, also where y^2 is no float. */
static void a_divisor_with_an_infinite_square_has_a_gradient(void **state)
{
    harness h;
    gig_tensor ones[HARNESS_PORTS] = {0}, gradient[HARNESS_PORTS] = {0};
    const double wanted[] = {0, -1e15, -1e-20};
    (void)state;
    harness_begin(&h, "Div", 13);
    harness_real_input(&h, 1, DIMS(3), VALUES(0, 1e-25f, 1e20f));
    harness_real_input(&h, 1, DIMS(3), VALUES(1e-20f, 1e-20f, 1e20f));
    harness_run(&h, 1);
    assert_int_equal(gig_tensor_create(&ones[0], GIG_FLOAT32, 1, DIMS(3)), GIG_OK);
    for (int i = 0; i < 3; i++) ones[0].real[i] = 1;
    harness_backward(&h, ones, gradient);
    for (int i = 0; i < 3; i++) assert_true(fabs((double)gradient[1].real[i] - wanted[i]) <= 1e-5 * fabs(wanted[i]));
    gig_tensor_clear(&ones[0]);
    for (int i = 0; i < 2; i++) gig_tensor_clear(&gradient[i]);
    harness_end(&h);
}

static void max_and_min_broadcast_with_gradients(void **state)
{
    (void)state;
    check_binary("Max", 13, fmaxf, -1, 1);
    check_binary("Min", 8, fminf, -1, 1);
    check_binary("Sum", 8, add, -1, 1);
}

static void before_opset_7_axis_says_where_the_operand_lies(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "Mul", 6);
    harness_int(&h, "broadcast", 1);
    harness_int(&h, "axis", 1);
    harness_real_input(&h, 3, DIMS(1, 2, 2), VALUES(1, 2, 3, 4));
    harness_real_input(&h, 1, DIMS(2), VALUES(10, 100));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 3, DIMS(1, 2, 2), VALUES(10, 20, 300, 400), 0);
    h.step = 0.01;
    harness_expect_gradient(&h);
    harness_end(&h);
}

static void before_opset_7_broadcasting_must_be_asked_for(void **state)
{
    harness h;
    (void)state;
    for (int broadcast = 0; broadcast < 2; broadcast++) {
        harness_begin(&h, "Add", 6);
        harness_int(&h, "broadcast", broadcast);
        harness_real_input(&h, 2, DIMS(2, 2), VALUES(1, 2, 3, 4));
        harness_real_input(&h, 1, DIMS(2), VALUES(10, 20));
        if (broadcast) {
            harness_run(&h, 1);
            harness_expect_real(&h, 0, 2, DIMS(2, 2), VALUES(11, 22, 13, 24), 0);
        } else {
            assert_int_equal(harness_infer(&h, 1), GIG_EFORMAT);
        }
        harness_end(&h);
    }
}

static void an_axis_outside_the_operand_is_refused(void **state)
{
    static const int64_t axes[] = {2, 7, -3, INT64_MIN, INT64_MAX};
    harness h;
    (void)state;
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        harness_begin(&h, "Add", 6);
        harness_int(&h, "broadcast", 1);
        harness_int(&h, "axis", axes[i]);
        harness_real_input(&h, 2, DIMS(3, 2), NULL);
        harness_real_input(&h, 1, DIMS(3), NULL);
        assert_int_equal(harness_infer(&h, 1), GIG_EFORMAT);
        harness_end(&h);
    }
}

static void dims_that_do_not_fit_are_refused(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "Add", 13);
    harness_real_input(&h, 2, DIMS(2, 3), NULL);
    harness_real_input(&h, 1, DIMS(2), NULL);
    assert_int_equal(harness_infer(&h, 1), GIG_EFORMAT);
    harness_end(&h);
}

static void types_that_differ_are_refused(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "Mul", 13);
    harness_real_input(&h, 1, DIMS(2), NULL);
    harness_whole_input(&h, 1, DIMS(2), NULL);
    assert_int_equal(harness_infer(&h, 1), GIG_EFORMAT);
    harness_end(&h);
}

static void an_empty_operand_gives_an_empty_result_and_a_zero_gradient(void **state)
{
    harness h;
    gig_tensor d_in[HARNESS_PORTS], d_out = {.type = GIG_FLOAT32, .rank = 2, .dims = {0, 3}};
    (void)state;
    harness_begin(&h, "Mul", 13);
    harness_real_input(&h, 2, DIMS(0, 3), NULL);
    harness_real_input(&h, 1, DIMS(3), NULL);
    harness_run(&h, 1);
    harness_expect_dims(&h, 0, 2, DIMS(0, 3));
    d_out.data = h.out[0].data;
    harness_backward(&h, &d_out, d_in);
    for (int k = 0; k < 3; k++) assert_true(d_in[1].real[k] == 0);
    gig_tensor_clear(&d_in[0]);
    gig_tensor_clear(&d_in[1]);
    harness_end(&h);
}

static void run_whole(const char *name, int fmod_attribute, int onnx_type, const int64_t *x, const int64_t *y,
                      const int64_t *wanted)
{
    harness h;
    harness_begin(&h, name, 13);
    if (fmod_attribute >= 0) harness_int(&h, "fmod", fmod_attribute);
    harness_whole_input(&h, 1, DIMS(4), x);
    harness_onnx_type(&h, onnx_type);
    harness_whole_input(&h, 1, DIMS(4), y);
    harness_onnx_type(&h, onnx_type);
    harness_run(&h, 1);
    harness_expect_whole(&h, 0, 1, DIMS(4), wanted);
    harness_end(&h);
}

static void whole_numbers_wrap_truncate_and_keep_signs(void **state)
{
    (void)state;
    run_whole("Add", -1, GIG_ONNX_UINT8, WHOLES(250, 1, 2, 3), WHOLES(10, 1, 1, 1), WHOLES(4, 2, 3, 4));
    run_whole("Sub", -1, GIG_ONNX_UINT8, WHOLES(3, 1, 2, 3), WHOLES(5, 1, 1, 1), WHOLES(254, 0, 1, 2));
    run_whole("Mul", -1, GIG_ONNX_INT8, WHOLES(100, 1, 2, -3), WHOLES(2, 1, 1, 1), WHOLES(-56, 1, 2, -3));
    run_whole("Add", -1, GIG_ONNX_INT64, WHOLES(INT64_MAX, 1, 1, 1), WHOLES(1, 1, 1, 1), WHOLES(INT64_MIN, 2, 2, 2));
    run_whole("Div", -1, GIG_ONNX_INT64, WHOLES(-7, 7, INT64_MIN, 9), WHOLES(2, -2, -1, 3),
              WHOLES(-3, -3, INT64_MIN, 3));
    run_whole("Mod", 0, GIG_ONNX_INT64, WHOLES(-7, 7, INT64_MIN, 9), WHOLES(3, -3, -1, 5), WHOLES(2, -2, 0, 4));
    run_whole("Mod", 1, GIG_ONNX_INT64, WHOLES(-7, 7, INT64_MIN, 9), WHOLES(3, -3, -1, 5), WHOLES(-1, 1, 0, 4));
    run_whole("Pow", -1, GIG_ONNX_INT64, WHOLES(-2, 3, 7, 2), WHOLES(3, 4, 0, -1), WHOLES(-8, 81, 1, 0));
    run_whole("Max", -1, GIG_ONNX_INT32, WHOLES(-2, 3, 7, 2), WHOLES(3, 4, 0, -1), WHOLES(3, 4, 7, 2));
    run_whole("Min", -1, GIG_ONNX_INT32, WHOLES(-2, 3, 7, 2), WHOLES(3, 4, 0, -1), WHOLES(-2, 3, 0, -1));
}

static void a_whole_division_by_0_is_an_error(void **state)
{
    static const char *const names[] = {"Div", "Mod"};
    harness h;
    (void)state;
    for (int i = 0; i < 2; i++) {
        harness_begin(&h, names[i], 13);
        harness_whole_input(&h, 1, DIMS(1), WHOLES(1));
        harness_whole_input(&h, 1, DIMS(1), WHOLES(1));
        harness_run(&h, 1);
        h.in[1].whole[0] = 0;
        assert_int_equal(h.op.row->forward(&h.op, h.data_pointers, h.out_pointers), GIG_ENUMERIC);
        harness_end(&h);
    }
}

static void real_mod_has_the_sign_of_the_dividend(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "Mod", 10);
    harness_int(&h, "fmod", 1);
    harness_real_input(&h, 1, DIMS(3), VALUES(-4.3f, 7.2f, 5));
    harness_real_input(&h, 1, DIMS(3), VALUES(2.1f, -3.4f, 8));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 1, DIMS(3), VALUES(-0.1f, 0.4f, 5), 1e-6);
    harness_expect_gradient(&h);
    harness_end(&h);
    harness_begin(&h, "Mod", 10);
    harness_real_input(&h, 1, DIMS(1), NULL);
    harness_real_input(&h, 1, DIMS(1), NULL);
    assert_int_equal(harness_infer(&h, 1), GIG_EFORMAT);
    harness_end(&h);
}

static void pow_mixes_types_since_opset_12(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "Pow", 12);
    harness_real_input(&h, 1, DIMS(3), VALUES(-2, 1.5f, 3));
    harness_whole_input(&h, 1, DIMS(3), WHOLES(3, 2, 0));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 1, DIMS(3), VALUES(-8, 2.25f, 1), 1e-6);
    harness_expect_gradient(&h);
    harness_end(&h);
    harness_begin(&h, "Pow", 12);
    harness_whole_input(&h, 1, DIMS(3), WHOLES(4, 2, 3));
    harness_real_input(&h, 1, DIMS(3), VALUES(0.5f, -1, 2));
    harness_run(&h, 1);
    harness_expect_whole(&h, 0, 1, DIMS(3), WHOLES(2, 0, 9));
    harness_end(&h);
    harness_begin(&h, "Pow", 11);
    harness_real_input(&h, 1, DIMS(1), NULL);
    harness_whole_input(&h, 1, DIMS(1), NULL);
    assert_int_equal(harness_infer(&h, 1), GIG_EFORMAT);
    harness_end(&h);
}

static void pow_has_finite_gradients_at_base_0(void **state)
{
    harness h;
    gig_tensor d_in[HARNESS_PORTS], d_out = {.type = GIG_FLOAT32, .rank = 1, .dims = {2}};
    float ones[2] = {1, 1};
    (void)state;
    harness_begin(&h, "Pow", 13);
    harness_real_input(&h, 1, DIMS(2), VALUES(0, 0));
    harness_real_input(&h, 1, DIMS(2), VALUES(2, 0));
    harness_run(&h, 1);
    d_out.real = ones;
    harness_backward(&h, &d_out, d_in);
    for (int k = 0; k < 2; k++) assert_true(d_in[0].real[k] == 0 && d_in[1].real[k] == 0);
    gig_tensor_clear(&d_in[0]);
    gig_tensor_clear(&d_in[1]);
    harness_end(&h);
}

static void bits_shift_both_ways(void **state)
{
    harness h;
    (void)state;
    for (int left = 0; left < 2; left++) {
        harness_begin(&h, "BitShift", 11);
        harness_string(&h, "direction", left ? "LEFT" : "RIGHT");
        harness_whole_input(&h, 1, DIMS(3), WHOLES(16, 200, 1));
        harness_onnx_type(&h, GIG_ONNX_UINT8);
        harness_whole_input(&h, 1, DIMS(3), WHOLES(1, 2, 70));
        harness_run(&h, 1);
        harness_expect_whole(&h, 0, 1, DIMS(3), left ? WHOLES(32, 32, 0) : WHOLES(8, 50, 0));
        harness_end(&h);
    }
}

static void bits_are_combined_in_the_numbers_own_width(void **state)
{
    static const struct {
        const char *op;
        int64_t wanted[2];
    } cases[] = {{"BitwiseAnd", {8, 1}}, {"BitwiseOr", {14, -5}}, {"BitwiseXor", {6, -6}}};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        harness h;
        harness_begin(&h, cases[i].op, 18);
        harness_whole_input(&h, 1, DIMS(2), WHOLES(12, 1));
        harness_whole_input(&h, 1, DIMS(2), WHOLES(10, -5));
        harness_run(&h, 1);
        harness_expect_whole(&h, 0, 1, DIMS(2), cases[i].wanted);
        harness_end(&h);
    }
}

static void three_operands(harness *h, const char *name)
{
    harness_begin(h, name, 13);
    harness_real_input(h, 2, DIMS(2, 2), VALUES(1, 5, -2, 0.5f));
    harness_real_input(h, 1, DIMS(2), VALUES(3, 2));
    harness_real_input(h, 2, DIMS(2, 1), VALUES(0.25f, 4));
    harness_run(h, 1);
}

static void any_number_of_operands_is_folded(void **state)
{
    static const char *const names[] = {"Max", "Min", "Sum", "Mean"};
    static const float wanted[][4] = {
        {3, 5, 4, 4}, {0.25f, 0.25f, -2, 0.5f}, {4.25f, 7.25f, 5, 6.5f}, {4.25f / 3, 7.25f / 3, 5.f / 3, 6.5f / 3}};
    harness h;
    (void)state;
    for (int i = 0; i < 4; i++) {
        three_operands(&h, names[i]);
        harness_expect_real(&h, 0, 2, DIMS(2, 2), wanted[i], 1e-6);
        harness_expect_gradient(&h);
        harness_end(&h);
    }
}

static void a_nan_survives_max_and_min(void **state)
{
    static const char *const names[] = {"Max", "Min"};
    harness h;
    (void)state;
    for (int i = 0; i < 2; i++) {
        harness_begin(&h, names[i], 13);
        harness_real_input(&h, 1, DIMS(2), VALUES(NAN, 1));
        harness_real_input(&h, 1, DIMS(2), VALUES(1, NAN));
        harness_run(&h, 1);
        harness_expect_real(&h, 0, 1, DIMS(2), VALUES(NAN, NAN), 0);
        harness_end(&h);
    }
}

static void ties_share_the_gradient_of_max(void **state)
{
    harness h;
    gig_tensor d_in[HARNESS_PORTS], d_out = {.type = GIG_FLOAT32, .rank = 1, .dims = {2}};
    float d[2] = {1, 6};
    (void)state;
    harness_begin(&h, "Max", 13);
    harness_real_input(&h, 1, DIMS(2), VALUES(1, 3));
    harness_real_input(&h, 1, DIMS(2), VALUES(2, 3));
    harness_run(&h, 1);
    d_out.real = d;
    harness_backward(&h, &d_out, d_in);
    assert_true(d_in[0].real[0] == 0 && d_in[0].real[1] == 3 && d_in[1].real[0] == 1 && d_in[1].real[1] == 3);
    gig_tensor_clear(&d_in[0]);
    gig_tensor_clear(&d_in[1]);
    harness_end(&h);
}

/* A bias over a large batch: a float accumulator would stop at 2^24. */
static void sums_over_broadcast_dims_are_exact_beyond_float(void **state)
{
    enum { ROWS = 1 << 12, COLUMNS = 3 };
    static float full[ROWS * COLUMNS];
    gig_tensor bias = {.type = GIG_FLOAT32, .rank = 1, .dims = {COLUMNS}};
    float sums[COLUMNS];
    (void)state;
    for (int k = 0; k < ROWS * COLUMNS; k++) full[k] = k < COLUMNS ? 16777216.f : 1;
    bias.real = sums;
    gig_broadcast_reduce(&bias, full, 2, DIMS(ROWS, COLUMNS));
    for (int c = 0; c < COLUMNS; c++) assert_true(sums[c] == (float)(16777216.0 + ROWS - 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_products_and_powers_broadcast_with_gradients),
        cmocka_unit_test(a_divisor_with_an_infinite_square_has_a_gradient),
        cmocka_unit_test(max_and_min_broadcast_with_gradients),
        cmocka_unit_test(before_opset_7_axis_says_where_the_operand_lies),
        cmocka_unit_test(before_opset_7_broadcasting_must_be_asked_for),
        cmocka_unit_test(an_axis_outside_the_operand_is_refused),
        cmocka_unit_test(dims_that_do_not_fit_are_refused),
        cmocka_unit_test(types_that_differ_are_refused),
        cmocka_unit_test(an_empty_operand_gives_an_empty_result_and_a_zero_gradient),
        cmocka_unit_test(whole_numbers_wrap_truncate_and_keep_signs),
        cmocka_unit_test(a_whole_division_by_0_is_an_error),
        cmocka_unit_test(real_mod_has_the_sign_of_the_dividend),
        cmocka_unit_test(pow_mixes_types_since_opset_12),
        cmocka_unit_test(pow_has_finite_gradients_at_base_0),
        cmocka_unit_test(bits_shift_both_ways),
        cmocka_unit_test(bits_are_combined_in_the_numbers_own_width),
        cmocka_unit_test(any_number_of_operands_is_folded),
        cmocka_unit_test(a_nan_survives_max_and_min),
        cmocka_unit_test(ties_share_the_gradient_of_max),
        cmocka_unit_test(sums_over_broadcast_dims_are_exact_beyond_float),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
