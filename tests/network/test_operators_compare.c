/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons, logic and Where. */
#include "operator_harness.h"

static void run_real(const char *name, int opset, const int64_t *wanted)
{
    harness h;
    harness_begin(&h, name, opset);
    harness_real_input(&h, 2, DIMS(1, 3), VALUES(1, 2, NAN));
    harness_real_input(&h, 2, DIMS(2, 1), VALUES(1, 2));
    harness_run(&h, 1);
    harness_expect_whole(&h, 0, 2, DIMS(2, 3), wanted);
    assert_int_equal(h.out_onnx[0], GIG_ONNX_BOOL);
    assert_true(h.op.row->flags & GIG_OP_NO_GRADIENT);
    harness_end(&h);
}

static void comparisons_broadcast_and_nan_compares_false(void **state)
{
    (void)state;
    run_real("Equal", 11, WHOLES(1, 0, 0, 0, 1, 0));
    run_real("Less", 9, WHOLES(0, 0, 0, 1, 0, 0));
    run_real("Greater", 9, WHOLES(0, 1, 0, 0, 0, 0));
    run_real("LessOrEqual", 12, WHOLES(1, 0, 0, 1, 1, 0));
    run_real("GreaterOrEqual", 16, WHOLES(1, 1, 0, 0, 1, 0));
}

static void run_logic(const char *name, const int64_t *wanted)
{
    harness h;
    harness_begin(&h, name, 7);
    harness_whole_input(&h, 1, DIMS(4), WHOLES(0, 0, 1, 1));
    harness_whole_input(&h, 1, DIMS(4), WHOLES(0, 1, 0, 1));
    harness_run(&h, 1);
    harness_expect_whole(&h, 0, 1, DIMS(4), wanted);
    harness_end(&h);
}

static void logic_follows_its_tables(void **state)
{
    harness h;
    (void)state;
    run_logic("And", WHOLES(0, 0, 0, 1));
    run_logic("Or", WHOLES(0, 1, 1, 1));
    run_logic("Xor", WHOLES(0, 1, 1, 0));
    run_logic("Equal", WHOLES(1, 0, 0, 1));
    harness_begin(&h, "Not", 1);
    harness_whole_input(&h, 1, DIMS(2), WHOLES(0, 1));
    harness_run(&h, 1);
    harness_expect_whole(&h, 0, 1, DIMS(2), WHOLES(1, 0));
    harness_end(&h);
}

static void logic_refuses_real_numbers(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "And", 7);
    harness_real_input(&h, 1, DIMS(2), NULL);
    harness_real_input(&h, 1, DIMS(2), NULL);
    assert_int_equal(harness_infer(&h, 1), GIG_EFORMAT);
    harness_end(&h);
}

static void opset_6_compares_along_an_axis(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "Greater", 6);
    harness_int(&h, "broadcast", 1);
    harness_int(&h, "axis", 0);
    harness_real_input(&h, 2, DIMS(2, 2), VALUES(1, 2, 3, 4));
    harness_real_input(&h, 1, DIMS(2), VALUES(1, 3.5f));
    harness_run(&h, 1);
    harness_expect_whole(&h, 0, 2, DIMS(2, 2), WHOLES(0, 1, 0, 1));
    harness_end(&h);
}

static void where_chooses_and_splits_the_gradient(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "Where", 9);
    harness_whole_input(&h, 2, DIMS(2, 1), WHOLES(1, 0));
    harness_real_input(&h, 1, DIMS(3), VALUES(1, 2, 3));
    harness_real_input(&h, 2, DIMS(2, 3), VALUES(4, 5, 6, 7, 8, 9));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 2, DIMS(2, 3), VALUES(1, 2, 3, 7, 8, 9), 0);
    harness_expect_gradient(&h);
    harness_end(&h);
}

static void where_chooses_whole_numbers(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "Where", 16);
    harness_whole_input(&h, 1, DIMS(2), WHOLES(1, 0));
    harness_whole_input(&h, 0, NULL, WHOLES(7));
    harness_whole_input(&h, 1, DIMS(2), WHOLES(8, 9));
    harness_run(&h, 1);
    harness_expect_whole(&h, 0, 1, DIMS(2), WHOLES(7, 9));
    harness_end(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparisons_broadcast_and_nan_compares_false),
        cmocka_unit_test(logic_follows_its_tables),
        cmocka_unit_test(logic_refuses_real_numbers),
        cmocka_unit_test(opset_6_compares_along_an_axis),
        cmocka_unit_test(where_chooses_and_splits_the_gradient),
        cmocka_unit_test(where_chooses_whole_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
