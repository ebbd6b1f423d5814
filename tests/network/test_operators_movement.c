/* SPDX-License-Identifier: Apache-2.0 */
/* Transpose, Slice, Pad, Concat, Split, Expand, Tile and their kin on integers and odd arguments. Real data and
 * gradients are in test_operators_golden.c. */
#include "operator_text.h"

enum { MOST = 4, LISTS = 4 };

/* Whole data 0, 1, 2, ... of dims, then constant lists (count -1: left out). */
typedef struct move_case {
    const char *op;
    int opset;
    const char *attributes;
    int rank;
    int64_t dims[MOST];
    int lists;
    struct {
        int count;
        int64_t values[6];
    } list[LISTS];
    gig_status status;
    int out_rank;
    int64_t out_dims[MOST], out[24];
} move_case;

static void check(const move_case *c)
{
    harness h;
    harness_begin(&h, c->op, c->opset);
    harness_attributes(&h, c->attributes);
    gig_tensor *x = harness_whole_input(&h, c->rank, c->dims, NULL);
    for (size_t k = 0; k < gig_tensor_count(x); k++) x->whole[k] = (int64_t)k;
    for (int i = 0; i < c->lists; i++) {
        if (c->list[i].count < 0) {
            harness_no_input(&h);
            continue;
        }
        harness_whole_input(&h, 1, DIMS(c->list[i].count), c->list[i].values);
        harness_constant(&h);
    }
    if (c->status == GIG_OK) {
        harness_run(&h, 1);
        harness_expect_whole(&h, 0, c->out_rank, c->out_dims, c->out);
    } else {
        harness_expect_refusal(&h, 1, c->status);
    }
    harness_end(&h);
}

static void whole_numbers_move(void **state)
{
    (void)state;
    static const move_case cases[] = {
        {"Transpose", 1, "perm:1,0", 2, {2, 3}, 0, {{0}}, 0, 2, {3, 2}, {0, 3, 1, 4, 2, 5}},
        {"Transpose", 1, "", 1, {3}, 0, {{0}}, 0, 1, {3}, {0, 1, 2}},
        {"Slice", 1, "starts:1;ends:9223372036854775807", 2, {2, 2}, 0, {{0}}, 0, 2, {1, 2}, {2, 3}},
        {"Slice", 9, "axes:1;starts:-2;ends:-1", 2, {2, 3}, 0, {{0}}, 0, 2, {2, 1}, {1, 4}},
        {"Slice", 10, "", 1, {5}, 4, {{1, {4}}, {1, {-9}}, {1, {0}}, {1, {-2}}}, 0, 1, {3}, {4, 2, 0}},
        {"Slice", 10, "", 1, {5}, 4, {{1, {9}}, {1, {0}}, {-1, {0}}, {1, {-1}}}, 0, 1, {4}, {4, 3, 2, 1}},
        {"Slice", 13, "", 1, {5}, 4, {{1, {0}}, {1, {5}}, {1, {-1}}, {1, {INT64_MAX}}}, 0, 1, {1}, {0}},
        {"Slice", 13, "", 1, {5}, 4, {{1, {-1}}, {1, {INT64_MIN}}, {1, {0}}, {1, {INT64_MIN}}}, 0, 1, {1}, {4}},
        {"Slice", 13, "", 1, {5}, 2, {{1, {3}}, {1, {2}}}, 0, 1, {0}, {0}},
        {"Slice", 13, "", 1, {0}, 4, {{1, {0}}, {1, {-5}}, {1, {0}}, {1, {-1}}}, 0, 1, {0}, {0}},
        {"Expand", 8, "", 2, {2, 1}, 1, {{3, {2, 1, 2}}}, 0, 3, {2, 2, 2}, {0, 0, 1, 1, 0, 0, 1, 1}},
        {"Tile", 6, "", 2, {1, 2}, 1, {{2, {2, 2}}}, 0, 2, {2, 4}, {0, 1, 0, 1, 0, 1, 0, 1}},
        {"Tile", 6, "", 2, {1, 2}, 1, {{2, {2, 0}}}, 0, 2, {2, 0}, {0}},
        {"Tile", 1, "", 2, {1, 2}, 2, {{1, {2}}, {1, {1}}}, 0, 2, {1, 4}, {0, 1, 0, 1}},
        {"Pad", 11, "", 1, {3}, 2, {{2, {1, 2}}, {1, {7}}}, 0, 1, {6}, {7, 0, 1, 2, 7, 7}},
        {"Pad", 11, "mode=edge", 1, {3}, 1, {{2, {1, -1}}}, 0, 1, {3}, {0, 0, 1}},
        {"Pad", 11, "mode=reflect", 1, {3}, 1, {{2, {3, 4}}}, 0, 1, {10}, {1, 2, 1, 0, 1, 2, 1, 0, 1, 2}},
        {"Pad", 11, "mode=reflect", 1, {1}, 1, {{2, {1, 2}}}, 0, 1, {4}, {0, 0, 0, 0}},
        {"Pad", 11, "mode=reflect", 1, {4}, 1, {{2, {-1, 3}}}, 0, 1, {6}, {1, 2, 3, 2, 1, 2}}, /* cropped first */
        {"Pad", 18, "", 2, {1, 2}, 3, {{2, {1, 0}}, {1, {7}}, {1, {-1}}}, 0, 2, {1, 3}, {7, 0, 1}},
        {"Pad",
         18,
         "mode=edge",
         2,
         {1, 2},
         3,
         {{4, {1, 0, 0, 2}}, {-1, {0}}, {2, {1, 0}}},
         0,
         2,
         {3, 3},
         {0, 0, 1, 0, 0, 1, 0, 0, 1}},
        {"Pad", 18, "", 1, {2}, 3, {{0, {0}}, {-1, {0}}, {0, {0}}}, 0, 1, {2}, {0, 1}},
        {"Pad", 19, "mode=wrap", 1, {3}, 1, {{2, {2, 5}}}, 0, 1, {10}, {1, 2, 0, 1, 2, 0, 1, 2, 0, 1}},
        {"Pad", 19, "mode=wrap", 1, {3}, 1, {{2, {7, 0}}}, 0, 1, {10}, {2, 0, 1, 2, 0, 1, 2, 0, 1, 2}},
        {"Pad", 19, "mode=wrap", 1, {3}, 1, {{2, {-1, 2}}}, 0, 1, {4}, {1, 2, 1, 2}},
        {"Pad", 19, "mode=wrap", 1, {5}, 1, {{2, {3, -2}}}, 0, 1, {6}, {0, 1, 2, 0, 1, 2}},
        {"Pad", 19, "", 1, {3}, 1, {{2, {-5, 4}}}, 0, 1, {2}, {0, 0}},
        {"CenterCropPad", 18, "", 1, {7}, 1, {{1, {4}}}, 0, 1, {4}, {1, 2, 3, 4}},
        {"CenterCropPad", 18, "", 1, {4}, 1, {{1, {7}}}, 0, 1, {7}, {0, 0, 1, 2, 3, 0, 0}},
        {"CenterCropPad", 18, "axes:-1,0", 2, {2, 3}, 1, {{2, {5, 1}}}, 0, 2, {1, 5}, {0, 0, 1, 2, 0}},
        {"CenterCropPad", 18, "axes:1", 2, {2, 3}, 1, {{1, {1}}}, 0, 2, {2, 1}, {1, 4}},
        {"CenterCropPad", 18, "", 2, {2, 3}, 1, {{2, {2, 0}}}, 0, 2, {2, 0}, {0}},
        {"DepthToSpace", 1, "blocksize=2", 4, {1, 4, 1, 1}, 0, {{0}}, 0, 4, {1, 1, 2, 2}, {0, 1, 2, 3}},
        {"DepthToSpace", 11, "blocksize=1", 4, {1, 2, 1, 1}, 0, {{0}}, 0, 4, {1, 2, 1, 1}, {0, 1}},
        {"ReverseSequence",
         10,
         "batch_axis=0;time_axis=1",
         2,
         {2, 3},
         1,
         {{2, {3, 0}}},
         0,
         2,
         {2, 3},
         {2, 1, 0, 3, 4, 5}},
        {"Concat", 13, "axis=0", 1, {2}, 2, {{1, {7}}, {2, {8, 9}}}, 0, 1, {5}, {0, 1, 7, 8, 9}},
        {"Concat", 13, "axis=0", 1, {0}, 1, {{1, {7}}}, 0, 1, {1}, {7}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(&cases[i]);
}

static void refuses_what_cannot_move(void **state)
{
    (void)state;
    static const move_case cases[] = {
        {.op = "Transpose", 1, "perm:0", 2, {2, 3}, .status = GIG_EFORMAT},
        {.op = "Transpose", 1, "perm:0,0", 2, {2, 3}, .status = GIG_EFORMAT},
        {.op = "Transpose", 1, "perm:0,2", 2, {2, 3}, .status = GIG_EFORMAT},
        {.op = "Slice", 1, "ends:1", 1, {2}, .status = GIG_EFORMAT},
        {.op = "Slice", 1, "starts:0,0;ends:1,1", 1, {2}, .status = GIG_EFORMAT},
        {.op = "Slice", 1, "starts:0;ends:1;axes:1", 1, {2}, .status = GIG_EFORMAT},
        {.op = "Slice", 1, "starts:0,0;ends:1,1;axes:0,-2", 2, {2, 2}, .status = GIG_EFORMAT},
        {.op = "Slice", 13, "", 1, {2}, 4, {{1, {0}}, {1, {1}}, {1, {0}}, {1, {0}}}, .status = GIG_EFORMAT},
        {.op = "Slice", 13, "", 1, {2}, 3, {{1, {0}}, {2, {1, 1}}, {1, {0}}}, .status = GIG_EFORMAT},
        {.op = "Expand", 8, "", 1, {2}, 1, {{1, {3}}}, .status = GIG_EFORMAT},
        {.op = "Expand", 8, "", 1, {1}, 1, {{1, {-1}}}, .status = GIG_EFORMAT},
        {.op = "Expand", 8, "", 1, {1}, 1, {{2, {1 << 20, 1 << 20}}}, .status = GIG_ELIMIT},
        {.op = "Tile", 6, "", 1, {2}, 1, {{2, {1, 1}}}, .status = GIG_EFORMAT},
        {.op = "Tile", 6, "", 1, {2}, 1, {{1, {-1}}}, .status = GIG_EFORMAT},
        {.op = "Tile", 6, "", 1, {2}, 1, {{1, {INT64_MAX}}}, .status = GIG_ELIMIT},
        {.op = "Tile", 1, "", 1, {2}, 2, {{1, {2}}, {1, {1}}}, .status = GIG_EFORMAT},
        {.op = "Pad", 11, "", 1, {2}, 1, {{1, {1}}}, .status = GIG_EFORMAT},
        {.op = "Pad", 11, "", 1, {2}, 1, {{2, {-2, -1}}}, .status = GIG_EFORMAT},
        {.op = "Pad", 11, "", 1, {2}, 1, {{2, {(int64_t)1 << 40, 0}}}, .status = GIG_ELIMIT},
        {.op = "Pad", 11, "", 1, {2}, 1, {{2, {1 << 30, 0}}}, .status = GIG_ELIMIT},
        {.op = "Pad", 11, "mode=edge", 1, {0}, 1, {{2, {1, 0}}}, .status = GIG_EFORMAT},
        {.op = "Pad", 11, "mode=wrap", 1, {2}, 1, {{2, {1, 0}}}, .status = GIG_EUNSUPPORTED},
        {.op = "Pad", 11, "", 1, {2}, 2, {{2, {1, 0}}, {2, {1, 1}}}, .status = GIG_EFORMAT},
        {.op = "Pad", 18, "mode=wrap", 1, {2}, 1, {{2, {1, 0}}}, .status = GIG_EUNSUPPORTED},
        {.op = "Pad", 19, "mode=wrap", 1, {2}, 1, {{2, {-2, 1}}}, .status = GIG_EFORMAT},
        {.op = "Pad", 17, "", 1, {2}, 3, {{2, {1, 0}}, {-1, {0}}, {1, {0}}}, .status = GIG_EFORMAT},
        {.op = "Pad", 18, "", 2, {2, 2}, 3, {{4, {1, 0, 1, 0}}, {-1, {0}}, {1, {0}}}, .status = GIG_EFORMAT},
        {.op = "Pad", 18, "", 2, {2, 2}, 3, {{4, {1, 0, 1, 0}}, {-1, {0}}, {2, {0, -2}}}, .status = GIG_EFORMAT},
        {.op = "Pad", 18, "", 2, {2, 2}, 3, {{2, {1, 0}}, {-1, {0}}, {1, {2}}}, .status = GIG_EFORMAT},
        {.op = "CenterCropPad", 18, "", 2, {2, 2}, 1, {{1, {1}}}, .status = GIG_EFORMAT},
        {.op = "CenterCropPad", 18, "axes:0,0", 2, {2, 2}, 1, {{2, {1, 1}}}, .status = GIG_EFORMAT},
        {.op = "CenterCropPad", 18, "axes:2", 2, {2, 2}, 1, {{1, {1}}}, .status = GIG_EFORMAT},
        {.op = "CenterCropPad", 18, "", 1, {2}, 1, {{1, {-1}}}, .status = GIG_EFORMAT},
        {.op = "CenterCropPad", 18, "", 1, {2}, 1, {{1, {INT64_MAX}}}, .status = GIG_ELIMIT},
        {.op = "DepthToSpace", 11, "blocksize=2", 4, {1, 3, 1, 1}, .status = GIG_EFORMAT},
        {.op = "DepthToSpace", 11, "blocksize=0", 4, {1, 4, 1, 1}, .status = GIG_EFORMAT},
        {.op = "DepthToSpace", 11, "blocksize=2", 3, {1, 4, 1}, .status = GIG_EFORMAT},
        {.op = "DepthToSpace", 11, "blocksize=2;mode=XYZ", 4, {1, 4, 1, 1}, .status = GIG_EFORMAT},
        {.op = "SpaceToDepth", 11, "blocksize=2", 4, {1, 1, 2, 3}, .status = GIG_EFORMAT},
        {.op = "SpaceToDepth", 11, "blocksize=1073741824", 4, {1, 1, 0, 0}, .status = GIG_EFORMAT},
        {.op = "ReverseSequence",
         10,
         "batch_axis=1;time_axis=1",
         2,
         {2, 3},
         1,
         {{3, {1, 1, 1}}},
         .status = GIG_EFORMAT},
        {.op = "ReverseSequence", 10, "", 2, {2, 3}, 1, {{2, {1, 1}}}, .status = GIG_EFORMAT},
        {.op = "Concat", 13, "", 1, {2}, 1, {{1, {7}}}, .status = GIG_EFORMAT},
        {.op = "Concat", 13, "axis=1", 1, {2}, 1, {{1, {7}}}, .status = GIG_EFORMAT},
        {.op = "Concat", 13, "axis=1", 2, {2, 2}, 1, {{1, {7}}}, .status = GIG_EFORMAT},
        {.op = "Concat", 13, "axis=0", 1, {2}, 1, {{-1, {0}}}, .status = GIG_EFORMAT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(&cases[i]);
}

static void a_sequence_longer_than_its_data_is_refused_when_met(void **state)
{
    (void)state;
    harness h;
    harness_begin(&h, "ReverseSequence", 10);
    harness_whole_input(&h, 2, DIMS(3, 1), WHOLES(0, 1, 2));
    harness_whole_input(&h, 1, DIMS(1), WHOLES(4));
    assert_int_equal(harness_infer(&h, 1), GIG_OK);
    gig_tensor made = h.out[0];
    assert_int_equal(gig_tensor_create(&h.out[0], made.type, made.rank, made.dims), GIG_OK);
    assert_int_equal(h.op.row->forward(&h.op, h.data_pointers, h.out_pointers), GIG_EFORMAT);
    harness_end(&h);
}

/* ---- Split ---- */

static void split_by(harness *h, int opset, const char *attributes, int count, const int64_t *parts)
{
    harness_begin(h, "Split", opset);
    harness_attributes(h, attributes);
    harness_real_input(h, 2, DIMS(2, 4), VALUES(0, 1, 2, 3, 4, 5, 6, 7));
    if (count < 0) return;
    harness_whole_input(h, 1, DIMS(count), parts);
    harness_constant(h);
}

static void split_takes_sizes_from_attribute_input_or_count(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        harness h;
        split_by(&h, i == 1 ? 13 : 11, i == 0 ? "axis=1;split:2,2" : "axis=-1", i == 1 ? 2 : -1, DIMS(2, 2));
        harness_run(&h, 2);
        harness_expect_real(&h, 0, 2, DIMS(2, 2), VALUES(0, 1, 4, 5), 0);
        harness_expect_real(&h, 1, 2, DIMS(2, 2), VALUES(2, 3, 6, 7), 0);
        harness_expect_gradient(&h);
        harness_end(&h);
    }
}

static void from_opset_18_the_last_part_may_be_smaller(void **state)
{
    (void)state;
    harness h;
    harness_begin(&h, "Split", 18);
    harness_attributes(&h, "axis=0;num_outputs=2");
    harness_real_input(&h, 1, DIMS(5), VALUES(0, 1, 2, 3, 4));
    harness_run(&h, 2);
    harness_expect_real(&h, 0, 1, DIMS(3), VALUES(0, 1, 2), 0);
    harness_expect_real(&h, 1, 1, DIMS(2), VALUES(3, 4), 0);
    harness_expect_gradient(&h);
    harness_end(&h);
    split_by(&h, 18, "axis=1;num_outputs=3", -1, NULL); /* 4 cells would be 2, 2 and none */
    harness_expect_refusal(&h, 3, GIG_EFORMAT);
    harness_end(&h);
    split_by(&h, 18, "axis=1;num_outputs=4", -1, NULL);
    harness_expect_refusal(&h, 2, GIG_EFORMAT);
    harness_end(&h);
}

static void split_may_give_empty_parts(void **state)
{
    (void)state;
    harness h;
    split_by(&h, 13, "axis=1", 3, DIMS(0, 3, 1));
    harness_run(&h, 3);
    harness_expect_dims(&h, 0, 2, DIMS(2, 0));
    harness_expect_real(&h, 2, 2, DIMS(2, 1), VALUES(3, 7), 0);
    harness_end(&h);
}

static void a_part_that_nothing_reads_has_zero_gradient(void **state)
{
    (void)state;
    harness h;
    gig_tensor d_out[HARNESS_PORTS] = {0}, d_in[HARNESS_PORTS];
    float ones[] = {1, 1};
    split_by(&h, 13, "axis=1", 2, DIMS(3, 1));
    harness_run(&h, 2);
    d_out[1] = (gig_tensor){.type = GIG_FLOAT32, .rank = 2, .dims = {2, 1}, .real = ones};
    harness_backward(&h, d_out, d_in);
    for (int i = 0; i < 8; i++) assert_true(d_in[0].real[i] == (i % 4 == 3));
    gig_tensor_clear(&d_in[0]);
    harness_end(&h);
}

static void split_refuses_parts_that_do_not_add_up(void **state)
{
    (void)state;
    static const struct {
        int count;
        int64_t parts[3];
        size_t outputs;
    } cases[] = {{2, {2, 1}, 2}, {2, {3, 2}, 2}, {2, {5, -1}, 2},        {3, {2, 1, 1}, 2},
                 {-1, {0}, 3},   {1, {4}, 2},    {2, {INT64_MAX, 1}, 2}, {2, {-1, 5}, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        harness h;
        split_by(&h, 13, "axis=1", cases[i].count, cases[i].parts);
        harness_expect_refusal(&h, cases[i].outputs, GIG_EFORMAT);
        harness_end(&h);
    }
}

/* ---- batches ---- */

/* The class token of a vision transformer: a constant [1, 1, C] in front of [batch, T, C]. */
static void a_constant_of_the_files_batch_is_repeated(void **state)
{
    (void)state;
    harness h;
    harness_begin(&h, "Concat", 13);
    harness_int(&h, "axis", 1);
    harness_real_input(&h, 3, DIMS(1, 1, 2), VALUES(8, 9));
    harness_constant(&h);
    harness_real_input(&h, 3, DIMS(2, 1, 2), VALUES(1, 2, 3, 4));
    assert_int_equal(harness_infer_for_batch(&h, 2), GIG_OK);
    harness_expect_dims(&h, 0, 3, DIMS(2, 2, 2));
    assert_int_equal(gig_tensor_create(&h.out[0], GIG_FLOAT32, 3, DIMS(2, 2, 2)), GIG_OK);
    assert_int_equal(h.op.row->forward(&h.op, h.data_pointers, h.out_pointers), GIG_OK);
    harness_expect_real(&h, 0, 3, DIMS(2, 2, 2), VALUES(8, 9, 1, 2, 8, 9, 3, 4), 0);
    harness_expect_gradient(&h);
    harness_end(&h);
}

static void data_of_another_batch_is_not_repeated(void **state)
{
    (void)state;
    harness h;
    harness_begin(&h, "Concat", 13);
    harness_int(&h, "axis", 1);
    harness_real_input(&h, 2, DIMS(1, 1), NULL);
    harness_real_input(&h, 2, DIMS(2, 1), NULL);
    assert_int_equal(harness_infer_for_batch(&h, 2), GIG_EFORMAT);
    harness_end(&h);
}

static void expand_keeps_our_batch(void **state)
{
    (void)state;
    harness h;
    harness_begin(&h, "Expand", 13);
    harness_real_input(&h, 2, DIMS(3, 1), NULL);
    harness_whole_input(&h, 1, DIMS(2), WHOLES(1, 4));
    harness_constant(&h);
    assert_int_equal(harness_infer_for_batch(&h, 3), GIG_OK);
    harness_expect_dims(&h, 0, 2, DIMS(3, 4));
    harness_end(&h);
}

static void a_centre_written_for_the_files_batch_keeps_ours(void **state)
{
    (void)state;
    harness h;
    harness_begin(&h, "CenterCropPad", 18);
    harness_real_input(&h, 2, DIMS(3, 2), NULL);
    harness_whole_input(&h, 1, DIMS(2), WHOLES(1, 4));
    harness_constant(&h);
    assert_int_equal(harness_infer_for_batch(&h, 3), GIG_OK);
    harness_expect_dims(&h, 0, 2, DIMS(3, 4));
    harness_end(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers_move),
        cmocka_unit_test(refuses_what_cannot_move),
        cmocka_unit_test(a_sequence_longer_than_its_data_is_refused_when_met),
        cmocka_unit_test(split_takes_sizes_from_attribute_input_or_count),
        cmocka_unit_test(from_opset_18_the_last_part_may_be_smaller),
        cmocka_unit_test(split_may_give_empty_parts),
        cmocka_unit_test(a_part_that_nothing_reads_has_zero_gradient),
        cmocka_unit_test(split_refuses_parts_that_do_not_add_up),
        cmocka_unit_test(a_constant_of_the_files_batch_is_repeated),
        cmocka_unit_test(data_of_another_batch_is_not_repeated),
        cmocka_unit_test(expand_keeps_our_batch),
        cmocka_unit_test(a_centre_written_for_the_files_batch_keeps_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
