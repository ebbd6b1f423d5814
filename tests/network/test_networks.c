/* SPDX-License-Identifier: Apache-2.0 */
/* Whole networks against PyTorch: values and gradients of small exported models (tools/golden/networks.py), by the fast
 * steps and by the plain operators, alone and in batches, from files with a free batch and with a batch fixed at 1. */
#include "golden_network.h"

/* Measured residuals are below 3e-6; a sum in another order moves the last digits. */
static const double tolerance = 2e-5;

static void compare(const char *name, const char *ending, gig_network_options options)
{
    golden_set golden;
    run runner;
    load_golden(&golden, name);
    begin(&runner, name, ending, options);
    size_t count = gig_tensor_count(&golden.x), classes = gig_network_classes(runner.network);
    assert_int_equal(gig_network_features(runner.network), count / ROWS);
    float *gradients = malloc(count * sizeof *gradients);
    for (int scalar = 0; scalar < 4; scalar++) {
        double values[ROWS];
        gradients_of(gradients, values, &runner, &golden.x, (gig_scalar)scalar);
        if (support_l2(gradients, golden.gradient[scalar].real, count) > tolerance)
            fail_msg("%s%s plain %d batch %zu scalar %d: relative L2 %.3g", name, ending, options.plain, options.batch,
                     scalar, support_l2(gradients, golden.gradient[scalar].real, count));
        for (size_t r = 0; scalar == GIG_LOGIT && r < ROWS; r++) {
            double wanted = (double)golden.logits.real[r * classes + CLASS];
            assert_true(fabs(values[r] - wanted) <= 1e-5 * (1 + fabs(wanted)));
        }
    }
    free(gradients);
    finish(&runner);
    clear_golden(&golden);
}

static void gives_pytorchs_gradients_by_plain_operators(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) compare(names[i], "", (gig_network_options){.plain = 1});
}

static void gives_pytorchs_gradients_by_fast_steps(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) compare(names[i], "", (gig_network_options){.batch = 1});
}

static void gives_pytorchs_gradients_in_a_batch(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) compare(names[i], "", (gig_network_options){.batch = 3});
}

static void pads_an_incomplete_batch(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) compare(names[i], "", (gig_network_options){.batch = 2});
}

static void takes_a_batch_where_the_file_fixes_one(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) compare(names[i], "_one", (gig_network_options){.batch = 3});
}

static void reads_the_same_network_in_a_newer_opset(void **state)
{
    (void)state;
    compare("attention", "_newer", (gig_network_options){.batch = 3});
    compare("attention", "_newer", (gig_network_options){.plain = 1});
}

static void takes_any_batch_where_the_file_fixes_two(void **state)
{
    static const char *const fixed[] = {"mobile", "attention", "folded"};
    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (size_t batch = 1; batch <= 3; batch++) compare(fixed[i], "_two", (gig_network_options){.batch = batch});
}

static void says_where_the_batch_of_a_file_cannot_be_changed(void **state)
{
    run runner;
    (void)state;
    begin(&runner, "mobile", "_two", (gig_network_options){.batch = 1});
    assert_null(gig_network_remark(runner.network, 0));
    finish(&runner);
    begin(&runner, "folded", "_two", (gig_network_options){.batch = 1});
    assert_int_equal(gig_network_batch(runner.network), 2);
    assert_non_null(strstr(gig_network_remark(runner.network, 0), "batches of 2"));
    finish(&runner);
}

static void rows_that_depend_on_each_other_are_one_point(void **state)
{
    run runner;
    (void)state;
    begin(&runner, "mixed", "_two", (gig_network_options){.batch = 1});
    assert_int_equal(gig_network_features(runner.network), 2 * 12);
    finish(&runner);
    gig_pixels pixels = {.enabled = 1, .width = 2, .height = 2, .scale = 1, .std = {1, 1, 1}};
    gig_network_options options = {.batch = 1, .pixels = pixels};
    assert_ok(gig_model_load(&runner.model, source_path("tests/golden/networks/mixed_two.onnx"), NULL));
    assert_status(gig_network_create(&runner.network, runner.model, &options), GIG_EUNSUPPORTED);
    assert_non_null(strstr(gig_message(), "depend on each other"));
    gig_model_free(runner.model);
}

static void a_picture_goes_into_a_file_for_two(void **state)
{
    golden_set golden;
    run runner;
    (void)state;
    load_golden(&golden, "folded");
    gig_pixels pixels = {.enabled = 1, .width = 10, .height = 10, .scale = 1, .std = {1, 1, 1}};
    begin(&runner, "folded", "_two", (gig_network_options){.batch = 1, .pixels = pixels});
    gig_function function;
    assert_ok(gig_session_function(&function, runner.session, GIG_LOGIT));
    float picture[300];
    const float *point = picture;
    for (size_t i = 0; i < 300; i++) picture[i] = golden.x.real[i % 3 * 100 + i / 3]; /* [3,10,10] -> [10,10,3] */
    size_t target = CLASS;
    double value;
    assert_ok(function.evaluate(function.payload, 1, &point, &target, &value, NULL));
    assert_true(fabs(value - (double)golden.logits.real[CLASS]) < 1e-5);
    finish(&runner);
    clear_golden(&golden);
}

static void finds_the_batch_in_a_file_that_fixes_one(void **state)
{
    (void)state;
    run runner;
    begin(&runner, "residual", "_one", (gig_network_options){.batch = 3});
    assert_int_equal(gig_network_batch(runner.network), 3);
    assert_null(gig_network_remark(runner.network, 0));
    finish(&runner);
}

/* Rows of a batch of 8 and rows alone: the same up to the order of sums, where nothing can fall the other way. */
static void gives_rows_alone_and_in_a_batch_alike(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) {
        golden_set golden;
        run one, eight;
        load_golden(&golden, names[i]);
        begin(&one, names[i], "", (gig_network_options){.batch = 1});
        begin(&eight, names[i], "", (gig_network_options){.batch = 8});
        size_t count = gig_tensor_count(&golden.x);
        float *first = malloc(count * sizeof *first), *second = malloc(count * sizeof *second);
        double values[ROWS];
        gradients_of(first, values, &one, &golden.x, GIG_LOG_PROBABILITY);
        gradients_of(second, values, &eight, &golden.x, GIG_LOG_PROBABILITY);
        assert_l2(second, first, count, strcmp(names[i], "attention") == 0 ? 1e-5 : 2e-2);
        free(first);
        free(second);
        finish(&one);
        finish(&eight);
        clear_golden(&golden);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_pytorchs_gradients_by_plain_operators),
        cmocka_unit_test(gives_pytorchs_gradients_by_fast_steps),
        cmocka_unit_test(gives_pytorchs_gradients_in_a_batch),
        cmocka_unit_test(pads_an_incomplete_batch),
        cmocka_unit_test(takes_a_batch_where_the_file_fixes_one),
        cmocka_unit_test(reads_the_same_network_in_a_newer_opset),
        cmocka_unit_test(takes_any_batch_where_the_file_fixes_two),
        cmocka_unit_test(says_where_the_batch_of_a_file_cannot_be_changed),
        cmocka_unit_test(rows_that_depend_on_each_other_are_one_point),
        cmocka_unit_test(a_picture_goes_into_a_file_for_two),
        cmocka_unit_test(finds_the_batch_in_a_file_that_fixes_one),
        cmocka_unit_test(gives_rows_alone_and_in_a_batch_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
