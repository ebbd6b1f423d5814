/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors made from attributes, dims, positions and other types. */
#include "operator_harness.h"

static void constants_come_in_every_form(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "Constant", 13);
    harness_tensor(&h, "value", GIG_ONNX_INT32, GIG_INT64, 2, DIMS(1, 2))->whole[1] = 7;
    harness_run(&h, 1);
    harness_expect_whole(&h, 0, 2, DIMS(1, 2), WHOLES(0, 7));
    assert_int_equal(h.out_onnx[0], GIG_ONNX_INT32);
    harness_end(&h);
    harness_begin(&h, "Constant", 13);
    harness_real(&h, "value_float", 2.5f);
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 0, NULL, VALUES(2.5f), 0);
    harness_end(&h);
    harness_begin(&h, "Constant", 13);
    harness_reals(&h, "value_floats", 2, VALUES(1, 2));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 1, DIMS(2), VALUES(1, 2), 0);
    harness_end(&h);
    harness_begin(&h, "Constant", 13);
    harness_int(&h, "value_int", 3);
    harness_run(&h, 1);
    harness_expect_whole(&h, 0, 0, NULL, WHOLES(3));
    harness_end(&h);
    harness_begin(&h, "Constant", 13);
    harness_ints(&h, "value_ints", 0, WHOLES(0));
    harness_run(&h, 1);
    harness_expect_dims(&h, 0, 1, DIMS(0));
    harness_end(&h);
}

static void constants_of_text_are_refused(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "Constant", 13);
    harness_string(&h, "value_string", "x");
    assert_int_equal(harness_infer(&h, 1), GIG_EUNSUPPORTED);
    harness_end(&h);
}

static void constant_of_shape_fills(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "ConstantOfShape", 9);
    harness_tensor(&h, "value", GIG_ONNX_FLOAT, GIG_FLOAT32, 1, DIMS(1))->real[0] = 4;
    harness_whole_input(&h, 1, DIMS(2), WHOLES(1, 2));
    assert_int_equal(harness_infer(&h, 1), GIG_EUNSUPPORTED); /* dims known only at run time */
    harness_constant(&h);
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 2, DIMS(1, 2), VALUES(4, 4), 0);
    harness_end(&h);
}

static void constant_of_shape_refuses_hostile_dims(void **state)
{
    static const int64_t dims[][2] = {{-1, 2}, {INT64_MAX, 2}, {1 << 20, 1 << 20}};
    harness h;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        harness_begin(&h, "ConstantOfShape", 9);
        harness_whole_input(&h, 1, DIMS(2), dims[i]);
        harness_constant(&h);
        assert_int_equal(harness_infer(&h, 1), i == 0 ? GIG_EFORMAT : GIG_ELIMIT);
        harness_end(&h);
    }
}

static void range_of(harness *h, int64_t start, int64_t limit, int64_t delta)
{
    harness_begin(h, "Range", 11);
    harness_whole_input(h, 0, NULL, &start);
    harness_constant(h);
    harness_whole_input(h, 0, NULL, &limit);
    harness_constant(h);
    harness_whole_input(h, 0, NULL, &delta);
    harness_constant(h);
}

static void ranges_stop_before_the_limit(void **state)
{
    harness h;
    (void)state;
    range_of(&h, 10, 4, -2);
    harness_run(&h, 1);
    harness_expect_whole(&h, 0, 1, DIMS(3), WHOLES(10, 8, 6));
    harness_end(&h);
    range_of(&h, 1, 0, 1);
    harness_run(&h, 1);
    harness_expect_dims(&h, 0, 1, DIMS(0));
    harness_end(&h);
    harness_begin(&h, "Range", 11);
    for (int i = 0; i < 3; i++) {
        harness_real_input(&h, 0, NULL, &VALUES(1, 2.1f, 0.5f)[i]);
        harness_constant(&h);
    }
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 1, DIMS(3), VALUES(1, 1.5f, 2), 0);
    harness_end(&h);
}

static void endless_ranges_are_refused(void **state)
{
    harness h;
    (void)state;
    range_of(&h, 0, 5, 0);
    assert_int_equal(harness_infer(&h, 1), GIG_EFORMAT);
    harness_end(&h);
    range_of(&h, INT64_MIN, INT64_MAX, 1);
    assert_int_equal(harness_infer(&h, 1), GIG_ELIMIT);
    harness_end(&h);
    range_of(&h, INT64_MAX, INT64_MIN, INT64_MIN);
    harness_run(&h, 1);
    harness_expect_whole(&h, 0, 1, DIMS(2), WHOLES(INT64_MAX, -1));
    harness_end(&h);
}

static void shape_takes_a_slice_of_dims_since_15(void **state)
{
    static const struct {
        int64_t start, end, count, first;
    } cases[] = {{0, 3, 3, 2}, {1, 3, 2, 3}, {-1, 9, 1, 4}, {-9, -2, 1, 2}, {2, 1, 0, 0}};
    harness h;
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        harness_begin(&h, "Shape", 15);
        harness_int(&h, "start", cases[i].start);
        harness_int(&h, "end", cases[i].end);
        harness_real_input(&h, 3, DIMS(2, 3, 4), NULL);
        harness_run(&h, 1);
        harness_expect_dims(&h, 0, 1, &cases[i].count);
        if (cases[i].count) assert_int_equal(h.out[0].whole[0], cases[i].first);
        harness_end(&h);
    }
    harness_begin(&h, "Size", 13);
    harness_real_input(&h, 3, DIMS(2, 3, 4), NULL);
    harness_run(&h, 1);
    harness_expect_whole(&h, 0, 0, NULL, WHOLES(24));
    harness_end(&h);
}

static void cast_real(int64_t to, const int64_t *wanted)
{
    harness h;
    harness_begin(&h, "Cast", 13);
    harness_int(&h, "to", to);
    harness_real_input(&h, 1, DIMS(5), VALUES(-1.9f, 0.4f, 300.7f, NAN, 1e30f));
    harness_run(&h, 1);
    harness_expect_whole(&h, 0, 1, DIMS(5), wanted);
    assert_int_equal(h.out_onnx[0], to);
    harness_end(&h);
}

static void casts_cut_wrap_and_test(void **state)
{
    harness h;
    (void)state;
    cast_real(GIG_ONNX_INT64, WHOLES(-1, 0, 300, 0, INT64_MAX));
    cast_real(GIG_ONNX_UINT8, WHOLES(255, 0, 44, 0, 255));
    cast_real(GIG_ONNX_BOOL, WHOLES(1, 1, 1, 1, 1));
    harness_begin(&h, "Cast", 9);
    harness_int(&h, "to", GIG_ONNX_INT8);
    harness_whole_input(&h, 1, DIMS(3), WHOLES(-129, 127, 256));
    harness_run(&h, 1);
    harness_expect_whole(&h, 0, 1, DIMS(3), WHOLES(127, 127, 0));
    harness_end(&h);
    harness_begin(&h, "Cast", 1);
    harness_string(&h, "to", "FLOAT");
    harness_whole_input(&h, 1, DIMS(2), WHOLES(-3, 4));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 1, DIMS(2), VALUES(-3, 4), 0);
    harness_end(&h);
}

static void casts_between_real_types_pass_the_gradient(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "Cast", 13);
    harness_int(&h, "to", GIG_ONNX_DOUBLE);
    harness_real_input(&h, 1, DIMS(3), NULL);
    harness_run(&h, 1);
    harness_expect_gradient(&h);
    harness_end(&h);
    harness_begin(&h, "CastLike", 15);
    harness_real_input(&h, 1, DIMS(3), NULL);
    harness_real_input(&h, 1, DIMS(1), NULL);
    harness_run(&h, 1);
    harness_expect_gradient(&h);
    harness_end(&h);
}

static void casts_to_text_are_refused(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "Cast", 13);
    harness_int(&h, "to", GIG_ONNX_STRING);
    harness_real_input(&h, 1, DIMS(3), NULL);
    assert_int_equal(harness_infer(&h, 1), GIG_EUNSUPPORTED);
    harness_end(&h);
}

static void eyes_have_any_diagonal(void **state)
{
    static const struct {
        int64_t k, wanted[6];
    } cases[] = {
        {0, {1, 0, 0, 0, 1, 0}}, {1, {0, 1, 0, 0, 0, 1}}, {-1, {0, 0, 0, 1, 0, 0}}, {INT64_MAX, {0}}, {INT64_MIN, {0}}};
    harness h;
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        harness_begin(&h, "EyeLike", 9);
        harness_int(&h, "k", cases[i].k);
        harness_int(&h, "dtype", GIG_ONNX_INT32);
        harness_real_input(&h, 2, DIMS(2, 3), NULL);
        harness_run(&h, 1);
        harness_expect_whole(&h, 0, 2, DIMS(2, 3), cases[i].wanted);
        harness_end(&h);
    }
}

static void one_hot_counts_from_both_ends(void **state)
{
    harness h;
    (void)state;
    for (int axis = 0; axis < 2; axis++) {
        harness_begin(&h, "OneHot", 11);
        harness_int(&h, "axis", axis);
        harness_whole_input(&h, 1, DIMS(3), WHOLES(1, -1, 5));
        harness_whole_input(&h, 0, NULL, WHOLES(3));
        harness_constant(&h);
        harness_real_input(&h, 1, DIMS(2), VALUES(-1, 2));
        harness_run(&h, 1);
        harness_expect_real(&h, 0, 2, DIMS(3, 3),
                            axis ? VALUES(-1, 2, -1, -1, -1, 2, -1, -1, -1) : VALUES(-1, -1, -1, 2, -1, -1, -1, 2, -1),
                            0);
        harness_expect_gradient(&h);
        harness_end(&h);
    }
}

static void triangles_are_kept(void **state)
{
    static const struct {
        int upper;
        int64_t k;
        float wanted[6];
    } cases[] = {{1, 0, {1, 2, 3, 0, 5, 6}},         {0, 0, {1, 0, 0, 4, 5, 0}}, {1, 2, {0, 0, 3, 0, 0, 0}},
                 {0, -1, {0, 0, 0, 4, 0, 0}},        {0, INT64_MIN, {0}},        {1, INT64_MAX, {0}},
                 {0, INT64_MAX, {1, 2, 3, 4, 5, 6}}, {1, -5, {1, 2, 3, 4, 5, 6}}};
    harness h;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        harness_begin(&h, "Trilu", 14);
        harness_int(&h, "upper", cases[i].upper);
        harness_real_input(&h, 2, DIMS(2, 3), VALUES(1, 2, 3, 4, 5, 6));
        harness_whole_input(&h, 0, NULL, &cases[i].k);
        harness_constant(&h);
        harness_run(&h, 1);
        harness_expect_real(&h, 0, 2, DIMS(2, 3), cases[i].wanted, 0);
        harness_expect_gradient(&h);
        harness_end(&h);
    }
}

static void running_sums_go_four_ways(void **state)
{
    static const float wanted[4][6] = {
        {1, 3, 6, 4, 9, 15}, {0, 1, 3, 0, 4, 9}, {6, 5, 3, 15, 11, 6}, {5, 3, 0, 11, 6, 0}};
    harness h;
    (void)state;
    for (int i = 0; i < 4; i++) {
        harness_begin(&h, "CumSum", 11);
        harness_int(&h, "exclusive", i % 2);
        harness_int(&h, "reverse", i / 2);
        harness_real_input(&h, 2, DIMS(2, 3), VALUES(1, 2, 3, 4, 5, 6));
        harness_whole_input(&h, 0, NULL, WHOLES(-1));
        harness_constant(&h);
        harness_run(&h, 1);
        harness_expect_real(&h, 0, 2, DIMS(2, 3), wanted[i], 0);
        harness_expect_gradient(&h);
        harness_end(&h);
    }
    harness_begin(&h, "CumSum", 11);
    harness_whole_input(&h, 2, DIMS(2, 2), WHOLES(1, 2, 3, 4));
    harness_whole_input(&h, 0, NULL, WHOLES(0));
    harness_constant(&h);
    harness_run(&h, 1);
    harness_expect_whole(&h, 0, 2, DIMS(2, 2), WHOLES(1, 2, 4, 6));
    harness_end(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_come_in_every_form),
        cmocka_unit_test(constants_of_text_are_refused),
        cmocka_unit_test(constant_of_shape_fills),
        cmocka_unit_test(constant_of_shape_refuses_hostile_dims),
        cmocka_unit_test(ranges_stop_before_the_limit),
        cmocka_unit_test(endless_ranges_are_refused),
        cmocka_unit_test(shape_takes_a_slice_of_dims_since_15),
        cmocka_unit_test(casts_cut_wrap_and_test),
        cmocka_unit_test(casts_between_real_types_pass_the_gradient),
        cmocka_unit_test(casts_to_text_are_refused),
        cmocka_unit_test(eyes_have_any_diagonal),
        cmocka_unit_test(one_hot_counts_from_both_ends),
        cmocka_unit_test(triangles_are_kept),
        cmocka_unit_test(running_sums_go_four_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
