/* SPDX-License-Identifier: Apache-2.0 */
/* Attention, RotaryEmbedding: batches other than the file's, and what is refused. */
#include "operator_text.h"

static void begin(harness *h, int opset, int64_t batch)
{
    harness_begin(h, "Attention", opset);
    harness_real_input(h, 4, DIMS(batch, 2, 3, 4), NULL);
    harness_real_input(h, 4, DIMS(batch, 2, 5, 4), NULL);
    harness_real_input(h, 4, DIMS(batch, 2, 5, 4), NULL);
}

static void add_lengths(harness *h, int64_t count, const int64_t *lengths)
{
    while (h->in_count < 6) harness_no_input(h);
    harness_whole_input(h, 1, &count, lengths);
}

/* ---- batches ---- */

/* A learned query and lengths were written for one sample; keys and values come in threes. */
static void one_query_for_all_samples_of_a_larger_batch(void **state)
{
    harness h, one;
    gig_tensor y = {0};
    (void)state;
    harness_begin(&h, "Attention", 24);
    harness_real_input(&h, 3, DIMS(1, 1, 4), NULL);
    harness_real_input(&h, 3, DIMS(3, 5, 4), NULL);
    harness_real_input(&h, 3, DIMS(3, 5, 4), NULL);
    add_lengths(&h, 1, WHOLES(4));
    harness_attributes(&h, "q_num_heads=2;kv_num_heads=2");
    harness_expect_refusal(&h, 1, GIG_EFORMAT);
    assert_int_equal(harness_infer_for_batch(&h, 3), GIG_OK);
    assert_int_equal(gig_tensor_create(&y, GIG_FLOAT32, h.out[0].rank, h.out[0].dims), GIG_OK);
    h.out[0] = y;
    assert_int_equal(h.op.row->forward(&h.op, h.data_pointers, h.out_pointers), GIG_OK);
    harness_expect_dims(&h, 0, 3, DIMS(3, 1, 4));
    harness_expect_gradient(&h);
    for (int b = 0; b < 3; b++) {
        harness_begin(&one, "Attention", 24);
        harness_attributes(&one, "q_num_heads=2;kv_num_heads=2");
        harness_real_input(&one, 3, DIMS(1, 1, 4), h.in[0].real);
        harness_real_input(&one, 3, DIMS(1, 5, 4), h.in[1].real + b * 20);
        harness_real_input(&one, 3, DIMS(1, 5, 4), h.in[2].real + b * 20);
        add_lengths(&one, 1, WHOLES(4));
        harness_run(&one, 1);
        harness_expect_real(&one, 0, 3, DIMS(1, 1, 4), y.real + b * 4, 1e-6);
        harness_end(&one);
    }
    harness_end(&h);
}

static void positions_of_one_sample_serve_a_larger_batch(void **state)
{
    (void)state;
    for (int with = 0; with < 2; with++) {
        harness h;
        gig_tensor y = {0};
        harness_begin(&h, "RotaryEmbedding", 23);
        harness_real_input(&h, 4, DIMS(3, 1, 2, 2), NULL);
        for (int i = 0; i < 2; i++) harness_real_input(&h, with ? 2 : 3, with ? DIMS(4, 1) : DIMS(1, 2, 1), NULL);
        if (with) harness_whole_input(&h, 2, DIMS(1, 2), WHOLES(3, 1));
        harness_expect_refusal(&h, 1, GIG_EFORMAT);
        assert_int_equal(harness_infer_for_batch(&h, 3), GIG_OK);
        assert_int_equal(gig_tensor_create(&y, GIG_FLOAT32, h.out[0].rank, h.out[0].dims), GIG_OK);
        h.out[0] = y;
        assert_int_equal(h.op.row->forward(&h.op, h.data_pointers, h.out_pointers), GIG_OK);
        for (int k = 0; k < 6; k++) { /* a token of two numbers, one pair */
            const int at = with ? (k % 2 ? 1 : 3) : k % 2;
            const float *x = h.in[0].real + 2 * k, c = h.in[1].real[at], s = h.in[2].real[at];
            assert_true(fabsf(y.real[2 * k] - (x[0] * c - x[1] * s)) < 1e-6f);
            assert_true(fabsf(y.real[2 * k + 1] - (x[0] * s + x[1] * c)) < 1e-6f);
        }
        harness_expect_gradient(&h);
        harness_end(&h);
    }
}

/* ---- refusals ---- */

typedef struct refusal {
    const char *op, *attributes;
    int opset, count;
    struct {
        int rank;
        int64_t dims[5];
    } in[7]; /* rank 0: left out */
    gig_status status;
} refusal;

#define Q                                                                                                              \
    {                                                                                                                  \
        4,                                                                                                             \
        {                                                                                                              \
            1, 2, 3, 4                                                                                                 \
        }                                                                                                              \
    }
#define K                                                                                                              \
    {                                                                                                                  \
        4,                                                                                                             \
        {                                                                                                              \
            1, 2, 5, 4                                                                                                 \
        }                                                                                                              \
    }
#define FLAT_Q                                                                                                         \
    {                                                                                                                  \
        3,                                                                                                             \
        {                                                                                                              \
            1, 3, 8                                                                                                    \
        }                                                                                                              \
    }
#define FLAT_K                                                                                                         \
    {                                                                                                                  \
        3,                                                                                                             \
        {                                                                                                              \
            1, 5, 8                                                                                                    \
        }                                                                                                              \
    }
#define ANGLES                                                                                                         \
    {                                                                                                                  \
        3,                                                                                                             \
        {                                                                                                              \
            1, 3, 2                                                                                                    \
        }                                                                                                              \
    }
#define NONE                                                                                                           \
    {                                                                                                                  \
        0,                                                                                                             \
        {                                                                                                              \
            0                                                                                                          \
        }                                                                                                              \
    }

static const refusal refusals[] = {
    {"Attention", "", 23, 2, {Q, K}, GIG_EFORMAT},
    {"Attention", "", 23, 3, {FLAT_Q, FLAT_K, FLAT_K}, GIG_EFORMAT}, /* no heads said */
    {"Attention", "q_num_heads=3;kv_num_heads=2", 23, 3, {FLAT_Q, FLAT_K, FLAT_K}, GIG_EFORMAT},
    {"Attention", "q_num_heads=2;kv_num_heads=-2", 23, 3, {FLAT_Q, FLAT_K, FLAT_K}, GIG_EFORMAT},
    {"Attention", "q_num_heads=3", 23, 3, {Q, K, K}, GIG_EFORMAT},
    {"Attention", "q_num_heads=2;kv_num_heads=2", 23, 3, {FLAT_Q, K, K}, GIG_EFORMAT},
    {"Attention", "", 23, 3, {{2, {3, 4}}, {2, {5, 4}}, {2, {5, 4}}}, GIG_EFORMAT},
    {"Attention", "", 23, 3, {Q, {4, {1, 2, 5, 3}}, K}, GIG_EFORMAT}, /* keys of another width */
    {"Attention", "", 23, 3, {Q, K, {4, {1, 2, 6, 4}}}, GIG_EFORMAT},
    {"Attention", "", 23, 3, {{4, {1, 3, 3, 4}}, K, K}, GIG_EFORMAT}, /* 3 query heads, 2 key heads */
    {"Attention", "", 23, 3, {Q, K, {4, {1, 1, 5, 4}}}, GIG_EFORMAT},
    {"Attention", "", 23, 3, {{4, {1, 0, 3, 4}}, {4, {1, 0, 5, 4}}, {4, {1, 0, 5, 4}}}, GIG_EFORMAT},
    {"Attention", "", 23, 3, {{4, {2, 2, 3, 4}}, {4, {3, 2, 5, 4}}, {4, {3, 2, 5, 4}}}, GIG_EFORMAT},
    {"Attention", "scale=0.0", 23, 3, {Q, K, K}, GIG_EFORMAT},
    {"Attention", "softcap=-1.0", 23, 3, {Q, K, K}, GIG_EFORMAT},
    {"Attention", "softmax_precision=7", 23, 3, {Q, K, K}, GIG_EFORMAT},
    {"Attention", "", 24, 4, {Q, K, K, {2, {3, 6}}}, GIG_EFORMAT},
    {"Attention", "", 24, 4, {Q, K, K, {3, {3, 3, 5}}}, GIG_EFORMAT},
    {"Attention", "", 24, 4, {Q, K, K, {5, {1, 1, 1, 3, 5}}}, GIG_EFORMAT},
    {"Attention", "", 24, 6, {Q, K, K, NONE, K, K}, GIG_EUNSUPPORTED},
    {"Attention", "", 23, 7, {Q, K, K, NONE, NONE, NONE, {1, {1}}}, GIG_EFORMAT}, /* since 24 */
    {"Attention", "", 24, 7, {Q, K, K, NONE, NONE, NONE, {1, {1}}}, GIG_EFORMAT}, /* real */
    {"RotaryEmbedding", "", 23, 2, {Q, ANGLES}, GIG_EFORMAT},
    {"RotaryEmbedding", "", 23, 3, {{2, {3, 4}}, ANGLES, ANGLES}, GIG_EFORMAT},
    {"RotaryEmbedding", "", 23, 3, {{3, {1, 3, 4}}, ANGLES, ANGLES}, GIG_EFORMAT},
    {"RotaryEmbedding", "num_heads=3", 23, 3, {{3, {1, 3, 4}}, ANGLES, ANGLES}, GIG_EFORMAT},
    {"RotaryEmbedding", "num_heads=3", 23, 3, {Q, ANGLES, ANGLES}, GIG_EFORMAT},
    {"RotaryEmbedding", "", 23, 3, {{4, {1, 2, 3, 5}}, ANGLES, ANGLES}, GIG_EFORMAT},
    {"RotaryEmbedding", "rotary_embedding_dim=6", 23, 3, {Q, {3, {1, 3, 3}}, {3, {1, 3, 3}}}, GIG_EFORMAT},
    {"RotaryEmbedding", "", 23, 3, {Q, ANGLES, {3, {1, 3, 1}}}, GIG_EFORMAT},
    {"RotaryEmbedding", "", 23, 3, {Q, {3, {1, 4, 2}}, {3, {1, 4, 2}}}, GIG_EFORMAT},
    {"RotaryEmbedding", "", 23, 3, {Q, {2, {9, 2}}, {2, {9, 2}}}, GIG_EFORMAT},
    {"RotaryEmbedding", "", 23, 4, {Q, {2, {9, 2}}, {2, {9, 2}}, {2, {1, 3}}}, GIG_EFORMAT}, /* real */
};

static void refuses_what_does_not_fit(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const refusal *r = &refusals[i];
        harness h;
        harness_begin(&h, r->op, r->opset);
        harness_attributes(&h, r->attributes);
        for (int k = 0; k < r->count; k++)
            if (r->in[k].rank)
                harness_real_input(&h, r->in[k].rank, r->in[k].dims, NULL);
            else
                harness_no_input(&h);
        harness_expect_refusal(&h, 1, r->status);
        harness_end(&h);
    }
}

static void refuses_outputs_and_masks_of_other_kinds(void **state)
{
    harness h;
    (void)state;
    begin(&h, 23, 1);
    harness_expect_refusal(&h, 2, GIG_EUNSUPPORTED);
    assert_non_null(strstr(gig_message(), "present keys"));
    harness_whole_input(&h, 2, DIMS(3, 5), NULL); /* int64 */
    harness_expect_refusal(&h, 1, GIG_EFORMAT);
    harness_end(&h);
    begin(&h, 24, 2);
    add_lengths(&h, 1, WHOLES(2));
    harness_expect_refusal(&h, 1, GIG_EFORMAT);
    harness_end(&h);
}

static void refuses_positions_outside_the_tables(void **state)
{
    (void)state;
    for (int constant = 0; constant < 2; constant++) {
        harness h;
        harness_begin(&h, "RotaryEmbedding", 23);
        harness_real_input(&h, 4, DIMS(1, 1, 2, 2), NULL);
        for (int i = 0; i < 2; i++) harness_real_input(&h, 2, DIMS(4, 1), NULL);
        harness_whole_input(&h, 2, DIMS(1, 2), WHOLES(3, 4));
        if (constant) harness_constant(&h);
        gig_status status = harness_infer(&h, 1);
        if (!constant) {
            assert_int_equal(status, GIG_OK);
            assert_int_equal(gig_tensor_create(&h.out[0], GIG_FLOAT32, 4, h.in[0].dims), GIG_OK);
            status = h.op.row->forward(&h.op, h.data_pointers, h.out_pointers);
        }
        assert_int_equal(status, GIG_EFORMAT);
        harness_end(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_query_for_all_samples_of_a_larger_batch),
        cmocka_unit_test(positions_of_one_sample_serve_a_larger_batch),
        cmocka_unit_test(refuses_what_does_not_fit),
        cmocka_unit_test(refuses_outputs_and_masks_of_other_kinds),
        cmocka_unit_test(refuses_positions_outside_the_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
