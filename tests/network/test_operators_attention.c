/* SPDX-License-Identifier: Apache-2.0 */
/* Attention: masks of every kind, blocks, the fast row. PyTorch's values and gradients are in
 * test_operators_golden.c. */
#include "network/plan.h"
#include "operator_text.h"

enum { BATCH = 2, HEADS = 2, QUERIES = 3, KEYS = 5, WIDTH = 4 };

/* Q, K and V, random; the same numbers every time. */
static void begin(harness *h, int opset, const char *attributes)
{
    harness_begin(h, "Attention", opset);
    harness_attributes(h, attributes);
    harness_real_input(h, 4, DIMS(BATCH, HEADS, QUERIES, WIDTH), NULL);
    harness_real_input(h, 4, DIMS(BATCH, HEADS, KEYS, WIDTH), NULL);
    harness_real_input(h, 4, DIMS(BATCH, HEADS, KEYS, WIDTH), NULL);
}

static void add_boolean_mask(harness *h, int rank, const int64_t *dims, const int64_t *values)
{
    harness_whole_input(h, rank, dims, values);
    harness_onnx_type(h, GIG_ONNX_BOOL);
}

static void add_lengths(harness *h, int64_t count, const int64_t *lengths)
{
    while (h->in_count < 6) harness_no_input(h);
    harness_whole_input(h, 1, &count, lengths);
}

/* Both give the same numbers; `a`'s gradient follows differences. */
static void expect_same(harness *a, harness *b)
{
    harness_run(a, 1);
    harness_run(b, 1);
    harness_expect_real(a, 0, b->out[0].rank, b->out[0].dims, b->out[0].real, 1e-6);
    harness_expect_gradient(a);
    harness_end(a);
    harness_end(b);
}

/* ---- which keys are seen ---- */

static const int64_t seen[QUERIES * KEYS] = {1, 0, 1, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1};

static void a_boolean_mask_hides_what_minus_infinity_hides(void **state)
{
    harness a, b;
    (void)state;
    begin(&a, 23, "is_causal=1");
    add_boolean_mask(&a, 2, DIMS(QUERIES, KEYS), WHOLES(1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1));
    begin(&b, 23, "");
    harness_real_input(&b, 4, DIMS(1, 1, QUERIES, KEYS),
                       VALUES(0, -INFINITY, -INFINITY, -INFINITY, -INFINITY, 0, -INFINITY, -INFINITY, -INFINITY,
                              -INFINITY, 0, 0, -INFINITY, -INFINITY, -INFINITY));
    expect_same(&a, &b);
}

static void a_query_that_sees_nothing_gets_zeros(void **state)
{
    harness h;
    gig_tensor d_in[HARNESS_PORTS];
    (void)state;
    begin(&h, 23, "");
    add_boolean_mask(&h, 2, DIMS(QUERIES, KEYS), WHOLES(1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1));
    harness_run(&h, 1);
    harness_expect_gradient(&h);
    harness_backward(&h, h.out, d_in);
    for (int i = 0; i < BATCH * HEADS; i++)
        for (int k = 0; k < WIDTH; k++) {
            assert_true(h.out[0].real[(i * QUERIES + 1) * WIDTH + k] == 0);
            assert_true(d_in[0].real[(i * QUERIES + 1) * WIDTH + k] == 0);
        }
    for (int i = 0; i < 3; i++) gig_tensor_clear(&d_in[i]);
    harness_end(&h);
}

static void a_short_mask_hides_the_keys_it_does_not_reach(void **state)
{
    harness a, b;
    (void)state;
    begin(&a, 24, "");
    add_boolean_mask(&a, 2, DIMS(QUERIES, 2), WHOLES(1, 0, 1, 1, 0, 1));
    begin(&b, 24, "");
    add_boolean_mask(&b, 2, DIMS(QUERIES, KEYS), WHOLES(1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0));
    expect_same(&a, &b);
    begin(&a, 23, "");
    add_boolean_mask(&a, 2, DIMS(QUERIES, 2), NULL);
    harness_expect_refusal(&a, 1, GIG_EFORMAT);
    harness_end(&a);
}

static void a_sample_has_its_own_number_of_keys(void **state)
{
    harness a, b;
    (void)state;
    begin(&a, 24, "");
    add_boolean_mask(&a, 2, DIMS(QUERIES, KEYS), seen);
    add_lengths(&a, BATCH, WHOLES(3, 5));
    begin(&b, 24, "");
    int64_t mask[BATCH * QUERIES * KEYS];
    for (int k = 0; k < BATCH * QUERIES * KEYS; k++)
        mask[k] = seen[k % (QUERIES * KEYS)] && k % KEYS < (k < QUERIES * KEYS ? 3 : 5);
    add_boolean_mask(&b, 4, DIMS(BATCH, 1, QUERIES, KEYS), mask);
    expect_same(&a, &b);
}

/* The last query sees all of the sample's keys, the one before it all except the last. */
static void causal_queries_count_from_the_samples_last_key(void **state)
{
    harness a, b;
    (void)state;
    begin(&a, 24, "is_causal=1");
    add_lengths(&a, BATCH, WHOLES(4, 2));
    begin(&b, 24, "");
    int64_t mask[BATCH * QUERIES * KEYS];
    for (int k = 0; k < BATCH * QUERIES * KEYS; k++)
        mask[k] = k % KEYS <= k / KEYS % QUERIES + (k < QUERIES * KEYS ? 4 : 2) - QUERIES;
    add_boolean_mask(&b, 4, DIMS(BATCH, 1, QUERIES, KEYS), mask);
    expect_same(&a, &b);
}

static void refuses_more_keys_than_there_are(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        harness h;
        begin(&h, 24, "");
        add_lengths(&h, BATCH, i ? WHOLES(3, KEYS + 1) : WHOLES(-1, 3));
        assert_int_equal(harness_infer(&h, 1), GIG_OK);
        assert_int_equal(gig_tensor_create(&h.out[0], GIG_FLOAT32, h.out[0].rank, h.out[0].dims), GIG_OK);
        assert_int_equal(h.op.row->forward(&h.op, h.data_pointers, h.out_pointers), GIG_EFORMAT);
        harness_end(&h);
    }
}

static void a_nan_is_not_hidden(void **state)
{
    harness h;
    (void)state;
    begin(&h, 23, "");
    for (int k = 0; k < WIDTH; k++) h.in[0].real[k] = NAN;
    harness_run(&h, 1);
    for (int k = 0; k < WIDTH; k++) assert_true(isnan(h.out[0].real[k]) && !isnan(h.out[0].real[WIDTH + k]));
    harness_end(&h);
}

static void scores_far_apart_choose_one_key(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "Attention", 23);
    harness_real(&h, "scale", 1);
    harness_real_input(&h, 4, DIMS(1, 1, 1, 1), VALUES(1000));
    harness_real_input(&h, 4, DIMS(1, 1, 3, 1), VALUES(-1, 1, 0.95f));
    harness_real_input(&h, 4, DIMS(1, 1, 3, 1), VALUES(3, 5, 7));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 4, DIMS(1, 1, 1, 1), VALUES(5), 1e-6);
    harness_end(&h);
}

/* Keys 0 and -1 with values 0 and 1: a query q gives 1 / (1 + exp(q)), down to 1e-37. */
static void small_probabilities_are_as_exact_as_large_ones(void **state)
{
    harness h;
    (void)state;
    harness_begin(&h, "Attention", 23);
    harness_real_input(&h, 4, DIMS(1, 1, 600, 1), NULL);
    harness_real_input(&h, 4, DIMS(1, 1, 2, 1), VALUES(0, -1));
    harness_real_input(&h, 4, DIMS(1, 1, 2, 1), VALUES(0, 1));
    for (int k = 0; k < 600; k++) h.in[0].real[k] = (float)k * (86.5f / 600);
    harness_run(&h, 1);
    for (int k = 0; k < 600; k++) {
        double wanted = 1 / (1 + exp(h.in[0].real[k]));
        assert_true(fabs(h.out[0].real[k] - wanted) <= 5e-7 * wanted);
    }
    harness_end(&h);
}

/* ---- sizes ---- */

/* 600 queries are three blocks. With keys 0 and x, values 0 and 1, a query q gives 1 / (1 + exp(-q x)). */
static void many_queries_are_computed_in_blocks(void **state)
{
    harness h;
    float wanted[600];
    (void)state;
    harness_begin(&h, "Attention", 23);
    harness_real_input(&h, 4, DIMS(1, 1, 600, 1), NULL);
    harness_real_input(&h, 4, DIMS(1, 1, 2, 1), VALUES(0, 1.5f));
    harness_real_input(&h, 4, DIMS(1, 1, 2, 1), VALUES(0, 1));
    for (int k = 0; k < 600; k++) wanted[k] = (float)(1 / (1 + exp(-1.5 * h.in[0].real[k])));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 4, DIMS(1, 1, 600, 1), wanted, 1e-6);
    harness_expect_gradient(&h);
    harness_end(&h);
}

static void the_fast_row_agrees_with_the_plain_one(void **state)
{
    harness h;
    gig_tensor d_in[HARNESS_PORTS], fast_in[HARNESS_PORTS] = {0}, *pointers[HARNESS_PORTS] = {0};
    (void)state;
    harness_begin(&h, "Attention", 23);
    harness_attributes(&h, "q_num_heads=4;kv_num_heads=2;is_causal=1;softcap=0.8");
    harness_real_input(&h, 3, DIMS(2, 270, 4 * 3), NULL);
    harness_real_input(&h, 3, DIMS(2, 19, 2 * 3), NULL);
    harness_real_input(&h, 3, DIMS(2, 19, 2 * 5), NULL);
    harness_real_input(&h, 3, DIMS(4, 1, 19), NULL);
    harness_run(&h, 1);
    harness_backward(&h, h.out, d_in);
    const gig_fast *fast = gig_fast_of(&h.op);
    gig_tensor y = {0}, *out = &y;
    const gig_tensor *d_out = &h.out[0];
    assert_int_equal(gig_tensor_create(&y, GIG_FLOAT32, h.out[0].rank, h.out[0].dims), GIG_OK);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(gig_tensor_create(&fast_in[i], GIG_FLOAT32, h.in[i].rank, h.in[i].dims), GIG_OK);
        pointers[i] = &fast_in[i];
    }
    assert_int_equal(fast->forward(&h.op, h.data_pointers, &out), GIG_OK);
    assert_int_equal(fast->backward(&h.op, h.data_pointers, NULL, &d_out, pointers), GIG_OK);
    harness_expect_real(&h, 0, y.rank, y.dims, y.real, 1e-5);
    for (int i = 0; i < 4; i++) {
        for (size_t k = 0; k < gig_tensor_count(&fast_in[i]); k++)
            assert_true(fabsf(fast_in[i].real[k] - d_in[i].real[k]) <= 1e-5f * (1 + fabsf(d_in[i].real[k])));
        gig_tensor_clear(&fast_in[i]);
        gig_tensor_clear(&d_in[i]);
    }
    gig_tensor_clear(&y);
    harness_end(&h);
}

/* Allocation number `at` of the backward pass fails: a status, no crash, no leak (ASan). */
static void memory_that_runs_out_is_reported(void **state)
{
    (void)state;
    for (size_t at = 0; at < 4; at++) {
        harness h;
        gig_tensor d_in = {0}, *d_ins[3] = {&d_in, NULL, NULL};
        begin(&h, 23, "");
        harness_run(&h, 1);
        const gig_tensor *d_out = &h.out[0];
        assert_int_equal(gig_tensor_create(&d_in, GIG_FLOAT32, 4, h.in[0].dims), GIG_OK);
        gig_memory_fail_at(at, 1);
        gig_status status = h.op.row->backward(&h.op, h.data_pointers, NULL, &d_out, d_ins);
        gig_memory_fail_at(SIZE_MAX, 0);
        assert_int_equal(status, GIG_ENOMEM);
        gig_tensor_clear(&d_in);
        harness_end(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_boolean_mask_hides_what_minus_infinity_hides),
        cmocka_unit_test(a_query_that_sees_nothing_gets_zeros),
        cmocka_unit_test(a_short_mask_hides_the_keys_it_does_not_reach),
        cmocka_unit_test(a_sample_has_its_own_number_of_keys),
        cmocka_unit_test(causal_queries_count_from_the_samples_last_key),
        cmocka_unit_test(refuses_more_keys_than_there_are),
        cmocka_unit_test(a_nan_is_not_hidden),
        cmocka_unit_test(scores_far_apart_choose_one_key),
        cmocka_unit_test(small_probabilities_are_as_exact_as_large_ones),
        cmocka_unit_test(many_queries_are_computed_in_blocks),
        cmocka_unit_test(the_fast_row_agrees_with_the_plain_one),
        cmocka_unit_test(memory_that_runs_out_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
