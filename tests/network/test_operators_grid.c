/* SPDX-License-Identifier: Apache-2.0 */
/* GridSample and AffineGrid: places by hand, gradients beyond the edges, batches, refusals. PyTorch's values and
 * gradients are in test_operators_golden.c. */
#include "operator_text.h"

/* ---- GridSample ---- */

typedef struct sample_case {
    int opset;
    const char *attributes;
    int axes;
    float g, y; /* along the last axis of cells 1, 2, 4, 8; the others are met in their middle */
} sample_case;

static void begin(harness *h, const sample_case *c)
{
    float cells[12], point[3] = {c->g, 0, 0};
    int64_t x[5] = {1, 1, 1, 1, 1}, grid[5] = {1, 1, 1, 1, 1};
    x[c->axes + 1] = 4;
    grid[c->axes + 1] = c->axes;
    for (int i = 0; i < 12; i++) cells[i] = (float)(1 << i % 4);
    harness_begin(h, "GridSample", c->opset);
    harness_attributes(h, c->attributes);
    harness_real_input(h, c->axes + 2, x, cells);
    harness_real_input(h, c->axes + 2, grid, point);
}

static void places_follow_the_formulas(void **state)
{
    (void)state;
    static const sample_case cases[] = {
        {16, "", 2, -0.5f, 1.5f}, /* -0.5 is place 0.5, or 0.75 with the corners at -1 and 1 */
        {16, "align_corners=1", 2, -0.5f, 1.75f},
        {20, "", 3, -0.5f, 1.5f},
        {16, "mode=bicubic", 2, -0.5f, 1.40625f}, /* 0, 1, 2, 4 weighted -3, 19, 19, -3 of 32 */
        {22, "mode=cubic;padding_mode=border", 2, -0.5f, 1.3125f},
        {20, "mode=nearest", 2, -0.5f, 1}, /* halves: to the even cell */
        {20, "mode=nearest", 2, 0, 4},
        {20, "mode=nearest", 3, -0.5f, 1},
        {16, "", 2, -1.25f, 0}, /* place -1 */
        {16, "", 2, -1.125f, 0.25f},
        {16, "padding_mode=border", 2, -1.125f, 1},
        {16, "padding_mode=reflection", 2, -1.375f, 1.25f},               /* -1.25: 0.25 */
        {16, "padding_mode=reflection;align_corners=1", 2, -1.5f, 1.75f}, /* -0.75: 0.75 */
        {16, "padding_mode=reflection;align_corners=1", 2, -4.5f, 1.75f}, /* -5.25: 5.25: 0.75 */
        {16, "mode=nearest;padding_mode=reflection", 2, 1.8f, 4},         /* 5.1: 5: 2 */
        {16, "", 2, INFINITY, 0},
        {16, "mode=bicubic", 2, -INFINITY, 0},
        {16, "padding_mode=border", 2, INFINITY, 8},
        {16, "mode=bicubic;padding_mode=border", 2, 1e30f, 8},
        {16, "mode=nearest;padding_mode=border", 2, -INFINITY, 1},
        {16, "", 2, NAN, NAN},
        {16, "mode=nearest;padding_mode=border", 2, NAN, NAN},
        {16, "padding_mode=reflection", 2, INFINITY, NAN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        harness h;
        begin(&h, &cases[i]);
        harness_run(&h, 1);
        harness_expect_real(&h, 0, cases[i].axes + 2, DIMS(1, 1, 1, 1, 1), &cases[i].y, 1e-5);
        harness_end(&h);
    }
}

static void a_mirror_between_equal_edges_gives_the_only_cell(void **state)
{
    (void)state;
    harness h;
    harness_begin(&h, "GridSample", 16);
    harness_attributes(&h, "padding_mode=reflection;align_corners=1");
    harness_real_input(&h, 4, DIMS(1, 1, 1, 1), VALUES(3));
    harness_real_input(&h, 4, DIMS(1, 1, 1, 2), VALUES(0.3f, 7));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 4, DIMS(1, 1, 1, 1), VALUES(3), 1e-6);
    harness_expect_gradient(&h);
    harness_end(&h);
}

/* Points up to three times as far out as the edges, none within the step of a kink. */
static void gradients_beyond_the_edges_follow_differences(void **state)
{
    (void)state;
    static const char *const modes[] = {"mode=linear;", "mode=cubic;", "mode=nearest;"},
                             *const paddings[] = {"padding_mode=zeros;", "padding_mode=border;",
                                                  "padding_mode=reflection;"},
                             *const corners[] = {"align_corners=0", "align_corners=1"};
    static const float grid[] = {-2.9f, 1.63f, -1.07f, 0.43f,  2.17f,  -1.81f,
                                 0.11f, 2.77f, 1.29f,  -0.67f, -2.39f, 1.03f};
    for (int i = 0; i < 18; i++) {
        char attributes[128];
        harness h;
        snprintf(attributes, sizeof attributes, "%s%s%s", modes[i % 3], paddings[i / 3 % 3], corners[i / 9]);
        harness_begin(&h, "GridSample", 22);
        harness_attributes(&h, attributes);
        harness_real_input(&h, 4, DIMS(2, 2, 3, 4), NULL);
        harness_real_input(&h, 4, DIMS(2, 1, 3, 2), grid);
        harness_run(&h, 1);
        harness_expect_gradient(&h);
        harness_end(&h);
    }
}

typedef struct ports_case {
    const char *op;
    int opset;
    const char *attributes;
    int rank, second_rank;
    int64_t dims[6], second[6]; /* of AffineGrid: the numbers of its size, second_rank of them */
    gig_status status;
} ports_case;

static void begin_ports(harness *h, const ports_case *c)
{
    harness_begin(h, c->op, c->opset);
    harness_attributes(h, c->attributes);
    harness_real_input(h, c->rank, c->dims, NULL);
    if (!strcmp(c->op, "GridSample")) {
        harness_real_input(h, c->second_rank, c->second, NULL);
        return;
    }
    harness_whole_input(h, 1, DIMS(c->second_rank), c->second);
    harness_constant(h);
}

static void rejects_an_invalid_grid(void **state)
{
    (void)state;
    static const ports_case cases[] = {
        {"GridSample", 16, "mode=linear", 4, 4, {1, 1, 2, 2}, {1, 1, 1, 2}, GIG_EUNSUPPORTED},
        {"GridSample", 20, "mode=bilinear", 4, 4, {1, 1, 2, 2}, {1, 1, 1, 2}, GIG_EUNSUPPORTED},
        {"GridSample", 20, "padding_mode=wrap", 4, 4, {1, 1, 2, 2}, {1, 1, 1, 2}, GIG_EUNSUPPORTED},
        {"GridSample", 16, "", 5, 5, {1, 1, 2, 2, 2}, {1, 1, 1, 1, 3}, GIG_EUNSUPPORTED},
        {"GridSample", 20, "mode=cubic", 5, 5, {1, 1, 2, 2, 2}, {1, 1, 1, 1, 3}, GIG_EUNSUPPORTED},
        {"GridSample", 20, "", 3, 3, {1, 1, 2}, {1, 1, 1}, GIG_EUNSUPPORTED},
        {"GridSample", 20, "", 6, 6, {1, 1, 2, 2, 2, 2}, {1, 1, 1, 1, 1, 4}, GIG_EUNSUPPORTED},
        {"GridSample", 20, "", 4, 5, {1, 1, 2, 2}, {1, 1, 1, 1, 2}, GIG_EFORMAT},
        {"GridSample", 20, "", 4, 4, {1, 1, 2, 2}, {1, 1, 1, 3}, GIG_EFORMAT},
        {"GridSample", 20, "", 4, 4, {1, 1, 2, 2}, {2, 1, 1, 2}, GIG_EFORMAT},
        {"GridSample", 20, "", 4, 4, {1, 1, 0, 2}, {1, 1, 1, 2}, GIG_EFORMAT},
        {"AffineGrid", 20, "", 3, 3, {1, 2, 3}, {1, 1, 2}, GIG_EFORMAT},
        {"AffineGrid", 20, "", 3, 5, {1, 2, 3}, {1, 1, 2, 2, 2}, GIG_EFORMAT},
        {"AffineGrid", 20, "", 3, 4, {1, 2, 2}, {1, 1, 2, 2}, GIG_EFORMAT},
        {"AffineGrid", 20, "", 2, 4, {2, 3}, {1, 1, 2, 2}, GIG_EFORMAT},
        {"AffineGrid", 20, "", 3, 4, {1, 2, 3}, {2, 1, 2, 2}, GIG_EFORMAT},
        {"AffineGrid", 20, "", 3, 4, {1, 2, 3}, {1, 1, 0, 2}, GIG_EFORMAT},
        {"AffineGrid", 20, "", 3, 4, {1, 2, 3}, {1, 1, -2, 2}, GIG_EFORMAT},
        {"AffineGrid", 20, "", 3, 4, {1, 2, 3}, {1, 1, 1 << 20, 1 << 20}, GIG_ELIMIT},
        {"AffineGrid", 20, "align_corners=1", 3, 4, {1, 2, 3}, {1, 1, 1, 2}, GIG_EUNSUPPORTED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        harness h;
        begin_ports(&h, &cases[i]);
        harness_expect_refusal(&h, 1, cases[i].status);
        harness_end(&h);
    }
}

/* ---- batches ---- */

/* Cells 1, 2 and 3, 4 at the second cell and the first; input `constant` is of the file's batch. */
static void a_constant_of_the_files_batch_is_repeated(void **state)
{
    (void)state;
    for (int constant = 0; constant < 2; constant++) {
        harness h;
        harness_begin(&h, "GridSample", 16);
        harness_attributes(&h, "padding_mode=border");
        harness_real_input(&h, 4, DIMS(constant == 0 ? 1 : 2, 1, 1, 2), VALUES(1, 2, 3, 4));
        h.constant[0] = constant == 0;
        harness_real_input(&h, 4, DIMS(constant == 1 ? 1 : 2, 1, 1, 2), VALUES(0.4f, 0, -0.4f, 0));
        h.constant[1] = constant == 1;
        assert_int_equal(harness_infer_for_batch(&h, 2), GIG_OK);
        harness_expect_dims(&h, 0, 4, DIMS(2, 1, 1, 1));
        assert_int_equal(gig_tensor_create(&h.out[0], GIG_FLOAT32, 4, DIMS(2, 1, 1, 1)), GIG_OK);
        assert_int_equal(h.op.row->forward(&h.op, h.data_pointers, h.out_pointers), GIG_OK);
        harness_expect_real(&h, 0, 4, DIMS(2, 1, 1, 1), constant ? VALUES(1.9f, 3.9f) : VALUES(1.9f, 1.1f), 1e-6);
        harness_expect_gradient(&h);
        harness_end(&h);
    }
}

static void a_size_written_for_the_files_batch_keeps_ours(void **state)
{
    (void)state;
    harness h;
    begin_ports(&h, &(ports_case){"AffineGrid", 20, "", 3, 4, {3, 2, 3}, {1, 1, 2, 5}, GIG_OK});
    assert_int_equal(harness_infer_for_batch(&h, 3), GIG_OK);
    harness_expect_dims(&h, 0, 4, DIMS(3, 2, 5, 2));
    harness_end(&h);
    begin_ports(&h, &(ports_case){"AffineGrid", 20, "", 3, 4, {1, 2, 3}, {3, 1, 2, 5}, GIG_OK});
    h.constant[0] = 1; /* a size that followed the data's batch, a matrix that did not */
    assert_int_equal(harness_infer_for_batch(&h, 3), GIG_OK);
    harness_expect_dims(&h, 0, 4, DIMS(1, 2, 5, 2));
    harness_end(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_follow_the_formulas),
        cmocka_unit_test(a_mirror_between_equal_edges_gives_the_only_cell),
        cmocka_unit_test(gradients_beyond_the_edges_follow_differences),
        cmocka_unit_test(rejects_an_invalid_grid),
        cmocka_unit_test(a_constant_of_the_files_batch_is_repeated),
        cmocka_unit_test(a_size_written_for_the_files_batch_keeps_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
