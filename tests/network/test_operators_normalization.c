/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisations against their definitions in double, and every gradient against central differences. */
#include "operator_harness.h"

static void statistics(harness *h, int64_t channels)
{
    harness_real_input(h, 1, DIMS(channels), NULL);
    harness_real_input(h, 1, DIMS(channels), NULL);
    harness_real_input(h, 1, DIMS(channels), NULL);
    gig_tensor *variance = harness_real_input(h, 1, DIMS(channels), NULL);
    for (int64_t c = 0; c < channels; c++) variance->real[c] = (float)(0.5 + harness_uniform(h));
}

static void batch_normalization_follows_its_definition(void **state)
{
    harness h;
    float wanted[2 * 3 * 5];
    (void)state;
    harness_begin(&h, "BatchNormalization", 9);
    harness_real(&h, "epsilon", 0.01f);
    harness_real_input(&h, 3, DIMS(2, 3, 5), NULL);
    statistics(&h, 3);
    for (int k = 0; k < 30; k++) {
        int c = k / 5 % 3;
        wanted[k] = (float)((h.in[0].real[k] - h.in[3].real[c]) / sqrt(h.in[4].real[c] + 0.01f) * h.in[1].real[c] +
                            h.in[2].real[c]);
    }
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 3, DIMS(2, 3, 5), wanted, 1e-6);
    harness_expect_gradient(&h);
    harness_end(&h);
}

static void batch_normalization_without_spatial_has_statistics_per_element(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "BatchNormalization", 7);
    harness_int(&h, "spatial", 0);
    harness_real_input(&h, 3, DIMS(2, 3, 2), NULL);
    statistics(&h, 6);
    harness_run(&h, 1);
    float wanted = (float)((h.in[0].real[11] - h.in[3].real[5]) / sqrt(h.in[4].real[5] + 1e-5) * h.in[1].real[5] +
                           h.in[2].real[5]);
    assert_true(fabsf(h.out[0].real[11] - wanted) < 1e-5f);
    harness_expect_gradient(&h);
    harness_end(&h);
}

static void batch_normalization_in_training_is_refused(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "BatchNormalization", 15);
    harness_int(&h, "training_mode", 1);
    harness_real_input(&h, 2, DIMS(2, 3), NULL);
    statistics(&h, 3);
    assert_int_equal(harness_infer(&h, 1), GIG_EUNSUPPORTED);
    harness_end(&h);
    harness_begin(&h, "BatchNormalization", 9);
    harness_real_input(&h, 2, DIMS(2, 3), NULL);
    statistics(&h, 3);
    assert_int_equal(harness_infer(&h, 5), GIG_EUNSUPPORTED);
    harness_end(&h);
}

static void statistics_of_another_size_are_refused(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "BatchNormalization", 15);
    harness_real_input(&h, 2, DIMS(2, 3), NULL);
    statistics(&h, 2);
    assert_int_equal(harness_infer(&h, 1), GIG_EFORMAT);
    harness_end(&h);
}

static void moments(double *mean, double *variance, const float *x, int n)
{
    *mean = *variance = 0;
    for (int k = 0; k < n; k++) *mean += x[k] / (double)n;
    for (int k = 0; k < n; k++) *variance += (x[k] - *mean) * (x[k] - *mean) / n;
}

static void instance_normalization_follows_its_definition(void **state)
{
    harness h;
    float wanted[2 * 3 * 6];
    (void)state;
    harness_begin(&h, "InstanceNormalization", 6);
    harness_real_input(&h, 4, DIMS(2, 3, 2, 3), NULL);
    harness_real_input(&h, 1, DIMS(3), NULL);
    harness_real_input(&h, 1, DIMS(3), NULL);
    for (int g = 0; g < 6; g++) {
        double mean, variance;
        const float *x = h.in[0].real + g * 6;
        moments(&mean, &variance, x, 6);
        for (int k = 0; k < 6; k++)
            wanted[g * 6 + k] =
                (float)((x[k] - mean) / sqrt(variance + 1e-5) * h.in[1].real[g % 3] + h.in[2].real[g % 3]);
    }
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 4, DIMS(2, 3, 2, 3), wanted, 1e-5);
    harness_expect_gradient(&h);
    harness_end(&h);
}

static void layer_normalization_follows_its_definition(void **state)
{
    harness h;
    float wanted[2 * 12], means[2], inverses[2];
    (void)state;
    harness_begin(&h, "LayerNormalization", 17);
    harness_int(&h, "axis", 1);
    harness_real(&h, "epsilon", 0.1f);
    harness_real_input(&h, 3, DIMS(2, 3, 4), NULL);
    harness_real_input(&h, 2, DIMS(3, 4), NULL);
    harness_real_input(&h, 1, DIMS(4), NULL); /* broadcast */
    for (int g = 0; g < 2; g++) {
        double mean, variance;
        const float *x = h.in[0].real + g * 12;
        moments(&mean, &variance, x, 12);
        means[g] = (float)mean;
        inverses[g] = (float)(1 / sqrt(variance + 0.1f));
        for (int k = 0; k < 12; k++)
            wanted[g * 12 + k] = (float)((x[k] - mean) / sqrt(variance + 0.1f) * h.in[1].real[k] + h.in[2].real[k % 4]);
    }
    harness_run(&h, 3);
    harness_expect_real(&h, 0, 3, DIMS(2, 3, 4), wanted, 1e-6);
    harness_expect_real(&h, 1, 3, DIMS(2, 1, 1), means, 1e-6);
    harness_expect_real(&h, 2, 3, DIMS(2, 1, 1), inverses, 1e-6);
    harness_expect_gradient(&h);
    harness_end(&h);
}

static void layer_normalization_may_lack_a_bias(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "LayerNormalization", 17);
    harness_real_input(&h, 2, DIMS(1, 2), VALUES(1, 3));
    harness_real_input(&h, 1, DIMS(2), VALUES(2, 2));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 2, DIMS(1, 2), VALUES(-2, 2), 1e-4);
    harness_end(&h);
}

static void layer_normalization_refuses_a_scale_that_does_not_fit(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "LayerNormalization", 17);
    harness_real_input(&h, 2, DIMS(2, 4), NULL);
    harness_real_input(&h, 2, DIMS(2, 4), NULL);
    assert_int_equal(harness_infer(&h, 1), GIG_EFORMAT);
    harness_end(&h);
}

static void groups_that_do_not_fit_are_refused(void **state)
{
    static const struct {
        int opset, groups;
        int64_t channels, numbers;
    } cases[] = {{18, 0, 6, 6}, {18, 4, 6, 4}, {18, 2, 6, 6}, {21, 2, 6, 2}, {21, -1, 6, 6}, {21, 2, 0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        harness h;
        harness_begin(&h, "GroupNormalization", cases[i].opset);
        harness_int(&h, "num_groups", cases[i].groups);
        harness_real_input(&h, 3, DIMS(2, cases[i].channels, 3), NULL);
        harness_real_input(&h, 1, DIMS(cases[i].numbers), NULL);
        harness_real_input(&h, 1, DIMS(cases[i].numbers), NULL);
        assert_int_equal(harness_infer(&h, 1), GIG_EFORMAT);
        harness_end(&h);
    }
}

static void root_mean_square_refuses_a_bias_and_a_scale_that_does_not_fit(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        harness h;
        harness_begin(&h, "RMSNormalization", 23);
        harness_real_input(&h, 2, DIMS(2, 4), NULL);
        harness_real_input(&h, 1, DIMS(i ? 4 : 2), NULL);
        if (i) harness_real_input(&h, 1, DIMS(4), NULL);
        assert_int_equal(harness_infer(&h, 1), GIG_EFORMAT);
        harness_end(&h);
    }
}

static void mean_variance_normalization_runs_over_any_axes(void **state)
{
    harness h;
    float wanted[2 * 3 * 4];
    (void)state;
    harness_begin(&h, "MeanVarianceNormalization", 13);
    harness_ints(&h, "axes", 2, WHOLES(0, -1));
    harness_real_input(&h, 3, DIMS(2, 3, 4), NULL);
    for (int c = 0; c < 3; c++) {
        float group[8];
        double mean, variance;
        for (int k = 0; k < 8; k++) group[k] = h.in[0].real[k / 4 * 12 + c * 4 + k % 4];
        moments(&mean, &variance, group, 8);
        for (int k = 0; k < 8; k++)
            wanted[k / 4 * 12 + c * 4 + k % 4] = (float)((group[k] - mean) / (sqrt(variance) + 1e-9));
    }
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 3, DIMS(2, 3, 4), wanted, 1e-5);
    harness_expect_gradient(&h);
    harness_end(&h);
}

static void response_normalization_follows_its_definition(void **state)
{
    harness h;
    float wanted[2 * 5 * 2];
    (void)state;
    for (int size = 1; size <= 4; size++) {
        harness_begin(&h, "LRN", 13);
        harness_int(&h, "size", size);
        harness_real(&h, "alpha", 0.9f);
        harness_real(&h, "beta", 0.6f);
        harness_real(&h, "bias", 1.5f);
        harness_real_input(&h, 3, DIMS(2, 5, 2), NULL);
        for (int n = 0; n < 2; n++)
            for (int c = 0; c < 5; c++)
                for (int k = 0; k < 2; k++) {
                    double sum = 0;
                    for (int o = c - (size - 1) / 2; o <= c + size / 2; o++)
                        if (o >= 0 && o < 5) sum += pow(h.in[0].real[(n * 5 + o) * 2 + k], 2);
                    int at = (n * 5 + c) * 2 + k;
                    wanted[at] = (float)(h.in[0].real[at] / pow(1.5 + 0.9f / size * sum, 0.6f));
                }
        harness_run(&h, 1);
        harness_expect_real(&h, 0, 3, DIMS(2, 5, 2), wanted, 1e-6);
        harness_expect_gradient(&h);
        harness_end(&h);
    }
}

static void response_normalization_refuses_a_window_of_nothing(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "LRN", 13);
    harness_int(&h, "size", 0);
    harness_real_input(&h, 3, DIMS(2, 5, 2), NULL);
    assert_int_equal(harness_infer(&h, 1), GIG_EFORMAT);
    harness_end(&h);
}

static void lengths_become_one(void **state)
{
    harness h;
    (void)state;
    for (int p = 1; p <= 2; p++) {
        harness_begin(&h, "LpNormalization", 1);
        harness_int(&h, "axis", 0);
        harness_int(&h, "p", p);
        harness_real_input(&h, 2, DIMS(2, 2), VALUES(3, 0.5f, -4, 0.25f));
        harness_run(&h, 1);
        const float root = sqrtf(0.3125f);
        harness_expect_real(&h, 0, 2, DIMS(2, 2),
                            p == 1 ? VALUES(3.f / 7, 2.f / 3, -4.f / 7, 1.f / 3)
                                   : VALUES(0.6f, 0.5f / root, -0.8f, 0.25f / root),
                            1e-6);
        harness_expect_gradient(&h);
        harness_end(&h);
    }
}

static void a_zero_vector_stays_zero(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "LpNormalization", 1);
    harness_real_input(&h, 1, DIMS(2), VALUES(0, 0));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 1, DIMS(2), VALUES(0, 0), 0);
    harness_end(&h);
}

/* Allocation number `at` of forward and backward fails: a status, no crash, no leak (ASan). */
static void memory_that_runs_out_is_reported(void **state)
{
    static const char *const names[] = {"LayerNormalization", "LRN", "MeanVarianceNormalization", "Max", "ReduceMax"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t at = 0; at < 2; at++) {
            harness h;
            harness_begin(&h, names[i], 17);
            harness_int(&h, "size", 3);
            if (i == 2) harness_ints(&h, "axes", 1, WHOLES(1));
            harness_real_input(&h, 3, DIMS(2, 3, 4), NULL);
            if (i == 0) harness_real_input(&h, 1, DIMS(4), NULL);
            harness_run(&h, 1);
            const gig_tensor *in[] = {&h.in[0], &h.in[1]}, *out[] = {&h.out[0]};
            gig_tensor d_in = {0}, *d_ins[2] = {&d_in, NULL};
            assert_int_equal(gig_tensor_create(&d_in, GIG_FLOAT32, 3, h.in[0].dims), GIG_OK);
            gig_memory_fail_at(at, 1);
            gig_status status = h.op.row->backward(&h.op, in, out, out, d_ins);
            size_t taken = gig_memory_allocations();
            gig_memory_fail_at(SIZE_MAX, 0);
            assert_int_equal(status, taken > at ? GIG_ENOMEM : GIG_OK);
            assert_true(taken > 0);
            gig_tensor_clear(&d_in);
            harness_end(&h);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batch_normalization_follows_its_definition),
        cmocka_unit_test(batch_normalization_without_spatial_has_statistics_per_element),
        cmocka_unit_test(batch_normalization_in_training_is_refused),
        cmocka_unit_test(statistics_of_another_size_are_refused),
        cmocka_unit_test(instance_normalization_follows_its_definition),
        cmocka_unit_test(layer_normalization_follows_its_definition),
        cmocka_unit_test(layer_normalization_may_lack_a_bias),
        cmocka_unit_test(layer_normalization_refuses_a_scale_that_does_not_fit),
        cmocka_unit_test(groups_that_do_not_fit_are_refused),
        cmocka_unit_test(root_mean_square_refuses_a_bias_and_a_scale_that_does_not_fit),
        cmocka_unit_test(mean_variance_normalization_runs_over_any_axes),
        cmocka_unit_test(response_normalization_follows_its_definition),
        cmocka_unit_test(response_normalization_refuses_a_window_of_nothing),
        cmocka_unit_test(lengths_become_one),
        cmocka_unit_test(a_zero_vector_stays_zero),
        cmocka_unit_test(memory_that_runs_out_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
