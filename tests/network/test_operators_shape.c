/* SPDX-License-Identifier: Apache-2.0 */
/* Reshape, Flatten, Squeeze, Unsqueeze, Identity, Dropout: dims, the batch that a file fixes, refusals. */
#include "operator_text.h"

enum { MOST = 5 };

typedef struct shape_case {
    const char *op;
    int opset;
    const char *attributes;
    int rank;
    int64_t dims[MOST];
    int shape_count; /* -1: no second input */
    int64_t shape[MOST];
    int out_rank; /* -1: refused with status */
    int64_t out[MOST];
    gig_status status;
} shape_case;

static void begin(harness *h, const shape_case *c)
{
    harness_begin(h, c->op, c->opset);
    harness_attributes(h, c->attributes);
    harness_real_input(h, c->rank, c->dims, NULL);
    if (c->shape_count < 0) return;
    harness_whole_input(h, 1, DIMS(c->shape_count), c->shape);
    harness_constant(h);
}

static void check(const shape_case *c)
{
    harness h;
    begin(&h, c);
    if (c->out_rank < 0) {
        harness_expect_refusal(&h, 1, c->status);
    } else {
        harness_run(&h, 1);
        harness_expect_real(&h, 0, c->out_rank, c->out, h.in[0].real, 0);
    }
    harness_end(&h);
}

static void dims_change_and_elements_stay(void **state)
{
    (void)state;
    static const shape_case cases[] = {
        {"Reshape", 5, "", 3, {2, 3, 4}, 2, {4, 6}, 2, {4, 6}, 0},
        {"Reshape", 13, "", 3, {2, 3, 4}, 3, {0, -1, 2}, 3, {2, 6, 2}, 0},
        {"Reshape", 13, "", 3, {2, 3, 4}, 0, {0}, -1, {0}, GIG_EFORMAT},
        {"Reshape", 13, "", 1, {1}, 0, {0}, 0, {0}, 0},
        {"Reshape", 14, "allowzero=1", 2, {0, 3}, 2, {3, 0}, 2, {3, 0}, 0},
        {"Reshape", 1, "shape:-1,8", 3, {2, 3, 4}, -1, {0}, 2, {3, 8}, 0},
        {"Flatten", 9, "", 3, {2, 3, 4}, -1, {0}, 2, {2, 12}, 0},
        {"Flatten", 11, "axis=-1", 3, {2, 3, 4}, -1, {0}, 2, {6, 4}, 0},
        {"Flatten", 11, "axis=0", 3, {2, 3, 4}, -1, {0}, 2, {1, 24}, 0},
        {"Flatten", 11, "axis=3", 3, {2, 3, 4}, -1, {0}, 2, {24, 1}, 0},
        {"Squeeze", 11, "", 4, {1, 3, 1, 2}, -1, {0}, 2, {3, 2}, 0},
        {"Squeeze", 11, "axes:-2", 4, {1, 3, 1, 2}, -1, {0}, 3, {1, 3, 2}, 0},
        {"Squeeze", 13, "", 4, {1, 3, 1, 2}, 1, {0}, 3, {3, 1, 2}, 0},
        {"Unsqueeze", 11, "axes:0,-1", 2, {2, 3}, -1, {0}, 4, {1, 2, 3, 1}, 0},
        {"Unsqueeze", 13, "", 2, {2, 3}, 2, {3, 1}, 4, {2, 1, 3, 1}, 0},
        {"Identity", 1, "", 2, {2, 3}, -1, {0}, 2, {2, 3}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(&cases[i]);
}

static void refuses_shapes_that_do_not_fit(void **state)
{
    (void)state;
    static const shape_case cases[] = {
        {"Reshape", 13, "", 2, {2, 3}, 2, {-1, -1}, -1, {0}, GIG_EFORMAT},
        {"Reshape", 13, "", 2, {2, 3}, 2, {-1, 4}, -1, {0}, GIG_EFORMAT},
        {"Reshape", 13, "", 2, {2, 3}, 2, {-2, 3}, -1, {0}, GIG_EFORMAT},
        {"Reshape", 13, "", 2, {2, 3}, 3, {1, 6, 0}, -1, {0}, GIG_EFORMAT},
        {"Reshape", 13, "", 2, {2, 3}, 2, {7, 1}, -1, {0}, GIG_EFORMAT},
        {"Reshape", 13, "", 2, {2, 3}, 2, {INT64_MAX, INT64_MAX}, -1, {0}, GIG_ELIMIT},
        {"Reshape", 14, "allowzero=1", 2, {2, 3}, 2, {0, -1}, -1, {0}, GIG_EFORMAT},
        {"Reshape", 13, "", 2, {2, 3}, -1, {0}, -1, {0}, GIG_EFORMAT},
        {"Flatten", 11, "axis=4", 3, {2, 3, 4}, -1, {0}, -1, {0}, GIG_EFORMAT},
        {"Flatten", 11, "axis=-9223372036854775807", 3, {2, 3, 4}, -1, {0}, -1, {0}, GIG_EFORMAT},
        {"Squeeze", 11, "axes:1", 2, {1, 3}, -1, {0}, -1, {0}, GIG_EFORMAT},
        {"Squeeze", 11, "axes:0,0", 2, {1, 3}, -1, {0}, -1, {0}, GIG_EFORMAT},
        {"Squeeze", 11, "axes:5", 2, {1, 3}, -1, {0}, -1, {0}, GIG_EFORMAT},
        {"Unsqueeze", 13, "", 2, {2, 3}, -1, {0}, -1, {0}, GIG_EFORMAT},
        {"Unsqueeze", 11, "axes:0,0", 2, {2, 3}, -1, {0}, -1, {0}, GIG_EFORMAT},
        {"Unsqueeze", 11, "axes:4", 2, {2, 3}, -1, {0}, -1, {0}, GIG_EFORMAT},
        {"Unsqueeze", 11, "axes:0,1,2,3,4,5,6", 2, {2, 3}, -1, {0}, -1, {0}, GIG_ELIMIT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(&cases[i]);
}

static void a_shape_that_is_computed_is_not_supported(void **state)
{
    (void)state;
    harness h;
    harness_begin(&h, "Reshape", 13);
    harness_real_input(&h, 2, DIMS(2, 3), NULL);
    harness_whole_input(&h, 1, DIMS(1), WHOLES(6));
    harness_expect_refusal(&h, 1, GIG_EUNSUPPORTED);
    harness_end(&h);
}

/* infer under our batch of 3 for a file that was written for file_batch. */
static gig_status infer_batched(harness *h, int64_t file_batch, int constant)
{
    if (constant) h->constant[0] = 1;
    (void)harness_infer(h, 1);
    gig_free(h->op.params);
    h->op.params = NULL;
    h->op.file_batch = file_batch;
    h->op.batch = 3;
    return h->op.row->infer(&h->op);
}

static void a_fixed_batch_gives_way_to_ours(void **state)
{
    (void)state;
    static const struct {
        int64_t file_batch;
        int constant, rank;
        int64_t dims[MOST];
        int shape_count;
        int64_t shape[MOST];
        gig_status status;
        int64_t out[MOST];
    } cases[] = {
        {1, 0, 3, {3, 4, 2}, 2, {1, 8}, GIG_OK, {3, 8}},        {1, 0, 3, {3, 4, 2}, 2, {1, -1}, GIG_OK, {3, 8}},
        {0, 0, 3, {3, 4, 2}, 2, {1, -1}, GIG_OK, {3, 8}},       {2, 0, 3, {3, 4, 2}, 2, {2, 8}, GIG_OK, {3, 8}},
        {1, 0, 3, {3, 4, 2}, 2, {-1, 8}, GIG_OK, {3, 8}},       {1, 0, 3, {3, 4, 2}, 2, {0, 8}, GIG_OK, {3, 8}},
        {1, 1, 3, {3, 4, 2}, 2, {1, -1}, GIG_OK, {1, 24}},      /* a constant has no batch */
        {1, 0, 3, {4, 3, 2}, 2, {4, 2}, GIG_EUNSUPPORTED, {0}}, /* the batch is elsewhere */
        {1, 0, 3, {3, 4, 2}, 2, {1, 9}, GIG_EUNSUPPORTED, {0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        harness h;
        harness_begin(&h, "Reshape", 13);
        harness_real_input(&h, cases[i].rank, cases[i].dims, NULL);
        harness_whole_input(&h, 1, DIMS(cases[i].shape_count), cases[i].shape);
        harness_constant(&h);
        assert_int_equal(infer_batched(&h, cases[i].file_batch, cases[i].constant), cases[i].status);
        if (cases[i].status == GIG_OK) harness_expect_dims(&h, 0, cases[i].shape_count, cases[i].out);
        harness_end(&h);
    }
}

static void dropout_keeps_everything(void **state)
{
    (void)state;
    harness h;
    harness_begin(&h, "Dropout", 10);
    harness_real(&h, "ratio", 0.9f);
    harness_real_input(&h, 1, DIMS(3), VALUES(1, 2, 3));
    harness_run(&h, 2);
    harness_expect_real(&h, 0, 1, DIMS(3), VALUES(1, 2, 3), 0);
    harness_expect_whole(&h, 1, 1, DIMS(3), WHOLES(1, 1, 1));
    assert_int_equal(h.out_onnx[1], GIG_ONNX_BOOL);
    harness_expect_gradient(&h);
    harness_end(&h);
    harness_begin(&h, "Dropout", 6);
    harness_real_input(&h, 1, DIMS(2), VALUES(1, 2));
    harness_run(&h, 2);
    harness_expect_real(&h, 1, 1, DIMS(2), VALUES(1, 1), 0);
    harness_end(&h);
}

static void dropout_in_training_is_refused_unless_it_drops_nothing(void **state)
{
    (void)state;
    for (int zero = 0; zero < 2; zero++) {
        harness h;
        harness_begin(&h, "Dropout", 13);
        harness_real_input(&h, 1, DIMS(2), NULL);
        harness_real_input(&h, 0, NULL, VALUES(zero ? 0 : 0.5));
        harness_constant(&h);
        harness_whole_input(&h, 0, NULL, WHOLES(1));
        harness_constant(&h);
        harness_expect_refusal(&h, 1, zero ? GIG_OK : GIG_EUNSUPPORTED);
        harness_end(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dims_change_and_elements_stay),
        cmocka_unit_test(refuses_shapes_that_do_not_fit),
        cmocka_unit_test(a_shape_that_is_computed_is_not_supported),
        cmocka_unit_test(a_fixed_batch_gives_way_to_ours),
        cmocka_unit_test(dropout_keeps_everything),
        cmocka_unit_test(dropout_in_training_is_refused_unless_it_drops_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
