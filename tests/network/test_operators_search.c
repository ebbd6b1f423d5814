/* SPDX-License-Identifier: Apache-2.0 */
/* ArgMax, ArgMin, TopK, NonZero, and quantisation. */
#include "operator_harness.h"

static void arg(const char *name, int last, int64_t axis, int keep, int rank, const int64_t *dims,
                const int64_t *wanted)
{
    harness h;
    harness_begin(&h, name, 13);
    harness_int(&h, "axis", axis);
    harness_int(&h, "keepdims", keep);
    harness_int(&h, "select_last_index", last);
    harness_real_input(&h, 2, DIMS(2, 3), VALUES(2, 7, 7, 1, -3, -3));
    harness_run(&h, 1);
    harness_expect_whole(&h, 0, rank, dims, wanted);
    assert_int_equal(h.out_onnx[0], GIG_ONNX_INT64);
    harness_end(&h);
}

static void arg_max_takes_the_first_or_the_last(void **state)
{
    (void)state;
    arg("ArgMax", 0, 1, 1, 2, DIMS(2, 1), WHOLES(1, 0));
    arg("ArgMax", 1, 1, 1, 2, DIMS(2, 1), WHOLES(2, 0));
    arg("ArgMin", 0, -1, 0, 1, DIMS(2), WHOLES(0, 1));
    arg("ArgMin", 1, -1, 0, 1, DIMS(2), WHOLES(0, 2));
    arg("ArgMax", 0, 0, 0, 1, DIMS(3), WHOLES(0, 0, 0));
}

static void arg_max_of_nothing_is_refused(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "ArgMax", 13);
    harness_real_input(&h, 2, DIMS(0, 3), NULL);
    assert_int_equal(harness_infer(&h, 1), GIG_EFORMAT);
    harness_end(&h);
}

static void top_k_orders_values_and_indices(void **state)
{
    harness h;
    (void)state;
    for (int largest = 0; largest < 2; largest++) {
        harness_begin(&h, "TopK", 11);
        harness_int(&h, "largest", largest);
        harness_real_input(&h, 2, DIMS(2, 5), VALUES(1, 5, 3, 5, 2, -1, -2, -3, -4, -5));
        harness_whole_input(&h, 1, DIMS(1), WHOLES(3));
        harness_constant(&h);
        harness_run(&h, 2);
        harness_expect_real(&h, 0, 2, DIMS(2, 3), largest ? VALUES(5, 5, 3, -1, -2, -3) : VALUES(1, 2, 3, -5, -4, -3),
                            0);
        harness_expect_whole(&h, 1, 2, DIMS(2, 3), largest ? WHOLES(1, 3, 2, 0, 1, 2) : WHOLES(0, 4, 2, 4, 3, 2));
        harness_end(&h);
    }
}

static void top_k_along_another_axis_has_a_gradient(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "TopK", 10);
    harness_int(&h, "axis", 0);
    gig_tensor *x = harness_real_input(&h, 2, DIMS(7, 3), NULL);
    for (int k = 0; k < 21; k++) x->real[k] = (float)(k * 8 % 21) / 21; /* all far apart */
    harness_whole_input(&h, 1, DIMS(1), WHOLES(4));
    harness_constant(&h);
    harness_run(&h, 2);
    for (int r = 1; r < 4; r++)
        for (int c = 0; c < 3; c++) assert_true(h.out[0].real[r * 3 + c] <= h.out[0].real[(r - 1) * 3 + c]);
    harness_expect_gradient(&h);
    harness_end(&h);
}

static void top_k_before_10_has_k_as_attribute(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "TopK", 1);
    harness_int(&h, "k", 1);
    harness_real_input(&h, 1, DIMS(3), VALUES(1, 5, 3));
    harness_run(&h, 2);
    harness_expect_whole(&h, 1, 1, DIMS(1), WHOLES(1));
    harness_end(&h);
}

static void top_k_refuses_more_than_there_are(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "TopK", 11);
    harness_real_input(&h, 1, DIMS(3), NULL);
    harness_whole_input(&h, 1, DIMS(1), WHOLES(4));
    harness_constant(&h);
    assert_int_equal(harness_infer(&h, 2), GIG_EFORMAT);
    harness_end(&h);
}

static void non_zero_needs_a_constant(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "NonZero", 13);
    harness_real_input(&h, 2, DIMS(2, 2), VALUES(1, 0, 0, 1));
    assert_int_equal(harness_infer(&h, 1), GIG_EUNSUPPORTED);
    harness_constant(&h);
    harness_run(&h, 1);
    harness_expect_whole(&h, 0, 2, DIMS(2, 2), WHOLES(0, 1, 0, 1));
    harness_end(&h);
}

static void quantisation_rounds_to_even_and_saturates(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "QuantizeLinear", 10);
    harness_real_input(&h, 1, DIMS(6), VALUES(0, 1, 3, 1000, -254, -1000));
    harness_real_input(&h, 0, NULL, VALUES(2));
    harness_whole_input(&h, 0, NULL, WHOLES(128));
    harness_onnx_type(&h, GIG_ONNX_UINT8);
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 1, DIMS(6), VALUES(128, 128, 130, 255, 1, 0), 0);
    assert_int_equal(h.out_onnx[0], GIG_ONNX_UINT8);
    harness_end(&h);
}

static void quantisation_runs_per_axis(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "QuantizeLinear", 13);
    harness_real_input(&h, 2, DIMS(2, 2), VALUES(4, 4, -4, -400));
    harness_real_input(&h, 1, DIMS(2), VALUES(2, 1));
    harness_whole_input(&h, 1, DIMS(2), WHOLES(0, 1));
    harness_onnx_type(&h, GIG_ONNX_INT8);
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 2, DIMS(2, 2), VALUES(2, 5, -2, -128), 0);
    harness_end(&h);
    harness_begin(&h, "DequantizeLinear", 13);
    harness_int(&h, "axis", 0);
    harness_whole_input(&h, 2, DIMS(2, 2), WHOLES(1, 2, 3, 4));
    harness_real_input(&h, 1, DIMS(2), VALUES(2, 10));
    harness_whole_input(&h, 1, DIMS(2), WHOLES(0, 1));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 2, DIMS(2, 2), VALUES(2, 4, 20, 30), 0);
    harness_expect_gradient(&h);
    harness_end(&h);
}

static void scales_that_do_not_fit_are_refused(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "DequantizeLinear", 13);
    harness_whole_input(&h, 2, DIMS(2, 3), NULL);
    harness_real_input(&h, 1, DIMS(2), NULL);
    assert_int_equal(harness_infer(&h, 1), GIG_EFORMAT);
    harness_end(&h);
}

static void dynamic_quantisation_spans_the_data_and_zero(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "DynamicQuantizeLinear", 11);
    harness_real_input(&h, 1, DIMS(6), VALUES(0, 2, -3, -2.5f, 1.34f, 0.5f));
    harness_run(&h, 3);
    harness_expect_real(&h, 0, 1, DIMS(6), VALUES(153, 255, 0, 26, 221, 179), 0);
    harness_expect_real(&h, 1, 0, NULL, VALUES(0.0196078438f), 1e-7);
    harness_expect_real(&h, 2, 0, NULL, VALUES(153), 0);
    harness_end(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arg_max_takes_the_first_or_the_last),
        cmocka_unit_test(arg_max_of_nothing_is_refused),
        cmocka_unit_test(top_k_orders_values_and_indices),
        cmocka_unit_test(top_k_along_another_axis_has_a_gradient),
        cmocka_unit_test(top_k_before_10_has_k_as_attribute),
        cmocka_unit_test(top_k_refuses_more_than_there_are),
        cmocka_unit_test(non_zero_needs_a_constant),
        cmocka_unit_test(quantisation_rounds_to_even_and_saturates),
        cmocka_unit_test(quantisation_runs_per_axis),
        cmocka_unit_test(scales_that_do_not_fit_are_refused),
        cmocka_unit_test(dynamic_quantisation_spans_the_data_and_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
