/* SPDX-License-Identifier: Apache-2.0 */
/* Gather and Scatter: integers, negative indices, repeated places, and every index out of range. Real data and
 * gradients are in test_operators_golden.c. */
#include "operator_text.h"

enum { MOST = 4 };

typedef struct gather_case {
    const char *op;
    int opset;
    const char *attributes;
    int rank;
    int64_t dims[MOST]; /* whole data 10, 11, 12, ... */
    int index_rank;
    int64_t index_dims[MOST], indices[8];
    int update_rank; /* -1: no updates */
    int64_t update_dims[MOST], updates[8];
    gig_status status;
    int out_rank;
    int64_t out_dims[MOST], out[12];
} gather_case;

static void begin(harness *h, const gather_case *c, int constant)
{
    harness_begin(h, c->op, c->opset);
    harness_attributes(h, c->attributes);
    gig_tensor *x = harness_whole_input(h, c->rank, c->dims, NULL);
    for (size_t k = 0; k < gig_tensor_count(x); k++) x->whole[k] = 10 + (int64_t)k;
    harness_whole_input(h, c->index_rank, c->index_dims, c->indices);
    if (constant) harness_constant(h);
    if (c->update_rank >= 0) harness_whole_input(h, c->update_rank, c->update_dims, c->updates);
}

static void indices_choose(void **state)
{
    (void)state;
    static const gather_case cases[] = {
        {"Gather", 1, "", 1, {3}, 0, {0}, {-1}, -1, {0}, {0}, 0, 0, {0}, {12}},
        {"Gather", 13, "axis=1", 2, {2, 2}, 1, {3}, {1, 0, -1}, -1, {0}, {0}, 0, 2, {2, 3}, {11, 10, 11, 13, 12, 13}},
        {"Gather", 13, "", 2, {2, 2}, 1, {0}, {0}, -1, {0}, {0}, 0, 2, {0, 2}, {0}},
        {"GatherElements", 11, "", 2, {2, 2}, 2, {1, 2}, {1, 0}, -1, {0}, {0}, 0, 2, {1, 2}, {12, 11}},
        {"GatherND", 11, "", 2, {2, 2}, 1, {2}, {1, 0}, -1, {0}, {0}, 0, 0, {0}, {12}},
        {"GatherND", 12, "batch_dims=1", 2, {2, 2}, 2, {2, 1}, {1, 0}, -1, {0}, {0}, 0, 1, {2}, {11, 12}},
        {"Scatter", 9, "", 1, {3}, 1, {2}, {2, 0}, 1, {2}, {1, 2}, 0, 1, {3}, {2, 11, 1}},
        {"ScatterElements", 11, "axis=-1", 1, {3}, 1, {2}, {1, 1}, 1, {2}, {5, 6}, 0, 1, {3}, {10, 6, 12}},
        {"ScatterElements", 16, "reduction=add", 1, {3}, 1, {2}, {1, 1}, 1, {2}, {5, 6}, 0, 1, {3}, {10, 22, 12}},
        {"ScatterElements", 16, "reduction=mul", 1, {3}, 1, {2}, {1, 1}, 1, {2}, {5, 6}, 0, 1, {3}, {10, 330, 12}},
        {"ScatterND", 11, "", 2, {2, 2}, 2, {1, 1}, {-1}, 2, {1, 2}, {5, 6}, 0, 2, {2, 2}, {10, 11, 5, 6}},
        {"ScatterND", 16, "reduction=add", 1, {2}, 2, {1, 1}, {0}, 1, {1}, {INT64_MAX}, 0, 1, {2}, {INT64_MIN + 9, 11}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        harness h;
        begin(&h, &cases[i], i % 2);
        harness_run(&h, 1);
        harness_expect_whole(&h, 0, cases[i].out_rank, cases[i].out_dims, cases[i].out);
        harness_end(&h);
    }
}

/* Constant indices are refused in infer, others when they are met. */
static void an_index_out_of_range_is_refused(void **state)
{
    (void)state;
    static const gather_case cases[] = {
        {"Gather", 13, "", 1, {3}, 1, {1}, {3}, .update_rank = -1},
        {"Gather", 13, "", 1, {3}, 1, {1}, {-4}, .update_rank = -1},
        {"Gather", 13, "", 1, {0}, 1, {1}, {0}, .update_rank = -1},
        {"Gather", 13, "", 1, {3}, 1, {1}, {INT64_MIN}, .update_rank = -1},
        {"GatherElements", 13, "", 1, {3}, 1, {1}, {INT64_MAX}, .update_rank = -1},
        {"GatherND", 13, "", 2, {3, 2}, 1, {2}, {0, 2}, .update_rank = -1},
        {"ScatterElements", 13, "", 1, {3}, 1, {1}, {3}, 1, {1}, .updates = {1}},
        {"ScatterND", 13, "", 1, {3}, 2, {1, 1}, {-4}, 1, {1}, .updates = {1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        harness h;
        begin(&h, &cases[i], 1);
        harness_expect_refusal(&h, 1, GIG_EFORMAT);
        harness_end(&h);
        begin(&h, &cases[i], 0);
        assert_int_equal(harness_infer(&h, 1), GIG_OK);
        gig_tensor made = h.out[0];
        assert_int_equal(gig_tensor_create(&h.out[0], made.type, made.rank, made.dims), GIG_OK);
        assert_int_equal(h.op.row->forward(&h.op, h.data_pointers, h.out_pointers), GIG_EFORMAT);
        harness_end(&h);
    }
}

static void refuses_shapes_that_do_not_fit(void **state)
{
    (void)state;
    static const gather_case cases[] = {
        {"Gather", 13, "axis=1", 1, {3}, 1, {1}, {0}, .update_rank = -1, .status = GIG_EFORMAT},
        {"Gather", 13, "", 0, {0}, 1, {1}, {0}, .update_rank = -1, .status = GIG_EFORMAT},
        {"GatherElements", 13, "", 2, {2, 2}, 1, {1}, {0}, .update_rank = -1, .status = GIG_EFORMAT},
        {"GatherElements", 13, "", 2, {2, 2}, 2, {1, 3}, {0}, .update_rank = -1, .status = GIG_EFORMAT},
        {"GatherND", 13, "", 1, {2}, 1, {2}, {0}, .update_rank = -1, .status = GIG_EFORMAT},
        {"GatherND", 13, "", 1, {2}, 1, {0}, {0}, .update_rank = -1, .status = GIG_EFORMAT},
        {"GatherND", 13, "", 1, {2}, 0, {0}, {0}, .update_rank = -1, .status = GIG_EFORMAT},
        {"GatherND", 13, "batch_dims=1", 2, {2, 2}, 2, {1, 1}, {0}, .update_rank = -1, .status = GIG_EFORMAT},
        {"GatherND", 13, "batch_dims=2", 2, {2, 2}, 3, {2, 2, 1}, {0}, .update_rank = -1, .status = GIG_EFORMAT},
        {"GatherND", 13, "batch_dims=-1", 2, {2, 2}, 2, {2, 1}, {0}, .update_rank = -1, .status = GIG_EFORMAT},
        {"ScatterElements", 13, "", 1, {3}, 1, {2}, {0}, 1, {1}, {1}, .status = GIG_EFORMAT},
        {"ScatterElements", 17, "reduction=max", 1, {3}, 1, {1}, {0}, 1, {1}, {1}, .status = GIG_EUNSUPPORTED},
        {"ScatterElements", 18, "reduction=mid", 1, {3}, 1, {1}, {0}, 1, {1}, {1}, .status = GIG_EUNSUPPORTED},
        {"ScatterND", 13, "", 2, {2, 2}, 2, {1, 1}, {0}, 2, {1, 3}, {1}, .status = GIG_EFORMAT},
        {"ScatterND", 13, "", 2, {2, 2}, 2, {1, 1}, {0}, 1, {1}, {1}, .status = GIG_EFORMAT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        harness h;
        begin(&h, &cases[i], 0);
        harness_expect_refusal(&h, 1, cases[i].status);
        harness_end(&h);
    }
}

static void a_rank_above_8_is_refused(void **state)
{
    (void)state;
    harness h;
    harness_begin(&h, "Gather", 13);
    harness_real_input(&h, 5, DIMS(1, 1, 1, 1, 1), NULL);
    harness_whole_input(&h, 5, DIMS(1, 1, 1, 1, 1), NULL);
    harness_expect_refusal(&h, 1, GIG_ELIMIT);
    harness_end(&h);
}

static void run_scatter(harness *h, const char *reduction, const float *updates)
{
    harness_begin(h, "ScatterElements", 16);
    harness_string(h, "reduction", reduction);
    harness_real_input(h, 1, DIMS(3), VALUES(0.5, -2, 3));
    harness_whole_input(h, 1, DIMS(3), WHOLES(1, 1, 0));
    harness_real_input(h, 1, DIMS(3), updates);
    harness_run(h, 1);
}

/* Twice the same place: the last update stays and has the gradient; a product with one or two zeros keeps its. */
static void repeated_places_have_the_right_gradient(void **state)
{
    (void)state;
    static const float updates[][3] = {{2, 3, 4}, {0, 3, 4}, {0, 0, 4}};
    for (size_t i = 0; i < 3; i++) {
        static const char *const reductions[] = {"none", "add", "mul"};
        for (size_t r = 0; r < 3; r++) {
            harness h;
            run_scatter(&h, reductions[r], updates[i]);
            harness_expect_gradient(&h);
            harness_end(&h);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices_choose),
        cmocka_unit_test(an_index_out_of_range_is_refused),
        cmocka_unit_test(refuses_shapes_that_do_not_fit),
        cmocka_unit_test(a_rank_above_8_is_refused),
        cmocka_unit_test(repeated_places_have_the_right_gradient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
