/* SPDX-License-Identifier: Apache-2.0 */
/* Resize and Upsample: coordinates and roundings by hand, cropping, refusals. PyTorch's values and gradients are in
 * test_operators_golden.c. */
#include "operator_text.h"

typedef struct resize_case {
    int opset;
    const char *attributes;
    float roi[2], scale; /* scale 0: size instead */
    int64_t size;
    int in;
    float x[6];
    int out;
    float y[10];
} resize_case;

/* One axis: X, roi, scales or sizes. */
static void begin(harness *h, const resize_case *c)
{
    harness_begin(h, "Resize", c->opset);
    harness_attributes(h, c->attributes);
    harness_real_input(h, 1, DIMS(c->in), c->x);
    if (c->opset >= 11) {
        harness_real_input(h, 1, DIMS(2), c->roi);
        harness_constant(h);
    }
    harness_real_input(h, 1, DIMS(c->scale != 0), &c->scale);
    harness_constant(h);
    if (c->scale != 0) return;
    harness_whole_input(h, 1, DIMS(1), &c->size);
    harness_constant(h);
}

#define SYMMETRIC "coordinate_transformation_mode=half_pixel_symmetric"
#define CROP      "coordinate_transformation_mode=tf_crop_and_resize;extrapolation_value=-7.0"

static void cells_follow_the_formulas(void **state)
{
    (void)state;
    static const resize_case cases[] = {
        {10, "", {0}, 2, 0, 2, {1, 2}, 4, {1, 1, 2, 2}},
        {10, "", {0}, 0.6f, 0, 4, {1, 2, 3, 4}, 2, {1, 3}}, /* 1/0.6 = 1.67: up, as the axis shrinks */
        {10, "mode=linear", {0}, 2, 0, 2, {1, 2}, 4, {1, 1.5, 2, 2}},
        {11, "", {0}, 2, 0, 2, {1, 2}, 4, {1, 1, 2, 2}}, /* -0.25 0.25 0.75 1.25 */
        {11, "nearest_mode=floor", {0}, 2, 0, 2, {1, 2}, 4, {1, 1, 1, 2}},
        {11, "nearest_mode=ceil", {0}, 2, 0, 2, {1, 2}, 4, {1, 2, 2, 2}},
        {11, "coordinate_transformation_mode=asymmetric", {0}, 2, 0, 3, {1, 2, 3}, 6, {1, 1, 2, 2, 3, 3}}, /* 0.5 down
                                                                                                            */
        {11,
         "coordinate_transformation_mode=asymmetric;nearest_mode=round_prefer_ceil",
         {0},
         2,
         0,
         3,
         {1, 2, 3},
         6,
         {1, 2, 2, 3, 3, 3}},
        {11,
         "coordinate_transformation_mode=asymmetric;nearest_mode=floor",
         {0},
         1 / 3.f,
         0,
         6,
         {1, 2, 3, 4, 5, 6},
         2,
         {1, 4}}, /* 1 / float(1/3) is 2.9999999 */
        {11,
         "coordinate_transformation_mode=tf_half_pixel_for_nn;nearest_mode=floor",
         {0},
         0,
         2,
         4,
         {1, 2, 3, 4},
         2,
         {2, 4}},
        {11, "coordinate_transformation_mode=align_corners", {0}, 0, 1, 3, {1, 2, 3}, 1, {1}},
        {11, "coordinate_transformation_mode=align_corners;mode=linear", {0}, 0, 5, 3, {1, 2, 4}, 5, {1, 1.5, 2, 3, 4}},
        {11, "coordinate_transformation_mode=pytorch_half_pixel;mode=linear", {0}, 0, 1, 4, {1, 2, 3, 4}, 1, {1}},
        {11, "mode=linear", {0}, 0, 1, 4, {1, 2, 3, 4}, 1, {2.5}},
        {11, "mode=linear", {0}, 7 / 3.f, 0, 3, {1, 1, 1}, 7, {1, 1, 1, 1, 1, 1, 1}},
        {13, "mode=cubic", {0}, 3, 0, 2, {5, 5}, 6, {5, 5, 5, 5, 5, 5}},
        {13, "mode=cubic;exclude_outside=1", {0}, 3, 0, 2, {5, 5}, 6, {5, 5, 5, 5, 5, 5}},
        {13,
         "mode=cubic;exclude_outside=1",
         {0},
         2,
         0,
         2,
         {0, 1},
         4,
         {-0.13636364f, 0.22945205f, 0.77054795f, 1.1363636f}},
        {13, "mode=cubic;cubic_coeff_a=-0.5", {0}, 1, 0, 3, {1, 2, 4}, 3, {1, 2, 4}},
        /* scale 0.6: places 1/3 and 2, a kernel of 5/3 cells each way; below 0 the first cell again, or none */
        {18, "mode=linear;antialias=1", {0}, 0.6f, 0, 4, {1, 2, 3, 4}, 2, {1.375f, 3}},
        {18, "mode=linear;antialias=1;exclude_outside=1", {0}, 0.6f, 0, 4, {1, 2, 3, 4}, 2, {10 / 7.f, 3}},
        {18, "mode=cubic;antialias=1", {0}, 0.6f, 0, 4, {1, 2, 3, 4}, 2, {1.3036144f, 3.0714284f}},
        {17, "mode=linear;antialias=1", {0}, 0.6f, 0, 4, {1, 2, 3, 4}, 2, {4 / 3.f, 3}},
        {18, "mode=linear;antialias=1", {0}, 2, 0, 2, {1, 2}, 4, {1, 1.25f, 1.75f, 2}},
        {18, "mode=linear;antialias=1", {0}, 0, 1, 6, {1, 2, 3, 4, 5, 6}, 1, {3.5f}},
        {18, "mode=linear;antialias=1", {0}, 0, 1, 1, {5}, 1, {5}},
        /* the middle, 1.5, between both places */
        {19, SYMMETRIC ";mode=linear", {0}, 0.6f, 0, 4, {1, 2, 3, 4}, 2, {5 / 3.f, 10 / 3.f}},
        {19, SYMMETRIC, {0}, 0.6f, 0, 4, {1, 2, 3, 4}, 2, {2, 3}},
        {19, SYMMETRIC ";mode=linear", {0}, 2, 0, 2, {1, 2}, 4, {1, 1.25f, 1.75f, 2}},
        {19, SYMMETRIC ";mode=linear;keep_aspect_ratio_policy=not_larger", {0}, 0, 2, 4, {1, 2, 3, 4}, 2, {1.5f, 3.5f}},
        {13, CROP ";mode=linear", {0.5f, 1.5f}, 0, 3, 3, {1, 2, 4}, 3, {2, 4, -7}},
        {13, CROP ";mode=nearest", {-1, 0.5f}, 0, 4, 3, {1, 2, 4}, 4, {-7, -7, 1, 2}},
        {13, CROP ";mode=linear", {0, 1}, 0, 3, 3, {1, 2, 4}, 3, {1, 2, 4}},
        {13, CROP ";mode=linear", {0.25f, 0.75f}, 0, 1, 3, {1, 2, 4}, 1, {2}},
        {13, CROP ";mode=cubic;exclude_outside=1", {5, 6}, 0, 2, 2, {1, 2}, 2, {-7, -7}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        harness h;
        begin(&h, &cases[i]);
        harness_run(&h, 1);
        harness_expect_real(&h, 0, 1, DIMS(cases[i].out), cases[i].y, 1e-6);
        harness_expect_gradient(&h);
        harness_end(&h);
    }
}

static void refuses_sizes_that_cannot_be(void **state)
{
    (void)state;
    static const struct {
        resize_case c;
        gig_status status;
    } cases[] = {
        {{11, "", {0}, NAN, 0, 2, {1, 2}, 0, {0}}, GIG_EFORMAT},
        {{11, "", {0}, -1, 0, 2, {1, 2}, 0, {0}}, GIG_EFORMAT},
        {{11, "", {0}, INFINITY, 0, 2, {1, 2}, 0, {0}}, GIG_EFORMAT},
        {{11, "", {0}, 1e30f, 0, 2, {1, 2}, 0, {0}}, GIG_ELIMIT},
        {{11, "", {0}, 1e9f, 0, 2, {1, 2}, 0, {0}}, GIG_ELIMIT},
        {{11, "", {0}, 0.25f, 0, 2, {1, 2}, 0, {0}}, GIG_EFORMAT},
        {{11, "", {0}, 0, 0, 2, {1, 2}, 0, {0}}, GIG_EFORMAT},
        {{11, "", {0}, 0, -1, 2, {1, 2}, 0, {0}}, GIG_EFORMAT},
        {{11, "", {0}, 0, INT64_MAX, 2, {1, 2}, 0, {0}}, GIG_ELIMIT},
        {{11, "", {0}, 0, 3, 0, {0}, 0, {0}}, GIG_EFORMAT},
        {{11, "mode=area", {0}, 0, 3, 2, {1, 2}, 0, {0}}, GIG_EUNSUPPORTED},
        {{11, "nearest_mode=round", {0}, 0, 3, 2, {1, 2}, 0, {0}}, GIG_EUNSUPPORTED},
        {{11, "coordinate_transformation_mode=half", {0}, 0, 3, 2, {1, 2}, 0, {0}}, GIG_EUNSUPPORTED},
        {{18, SYMMETRIC, {0}, 0, 3, 2, {1, 2}, 0, {0}}, GIG_EFORMAT},
        {{18, "antialias=1", {0}, 0, 3, 2, {1, 2}, 0, {0}}, GIG_EUNSUPPORTED},
        {{18, "keep_aspect_ratio_policy=crop", {0}, 0, 3, 2, {1, 2}, 0, {0}}, GIG_EUNSUPPORTED},
        {{18, "keep_aspect_ratio_policy=not_larger", {0}, 2, 0, 2, {1, 2}, 0, {0}}, GIG_EFORMAT},
        {{18, "keep_aspect_ratio_policy=not_larger", {0}, 0, 3, 0, {0}, 0, {0}}, GIG_EFORMAT},
        {{18, "keep_aspect_ratio_policy=not_smaller", {0}, 0, INT64_MAX, 2, {1, 2}, 0, {0}}, GIG_ELIMIT},
        {{18, "axes:1", {0}, 0, 3, 2, {1, 2}, 0, {0}}, GIG_EFORMAT},
        {{18, "axes:0,0", {0}, 0, 3, 2, {1, 2}, 0, {0}}, GIG_EFORMAT},
        {{18, "axes:", {0}, 0, 3, 2, {1, 2}, 0, {0}}, GIG_EFORMAT},
        {{18, "axes=x", {0}, 0, 3, 2, {1, 2}, 0, {0}}, GIG_EFORMAT},
        {{13, CROP, {NAN, 1}, 0, 3, 2, {1, 2}, 0, {0}}, GIG_EFORMAT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        harness h;
        begin(&h, &cases[i].c);
        harness_expect_refusal(&h, 1, cases[i].status);
        harness_end(&h);
    }
}

/* ---- two axes of 8 and 6 cells ---- */

typedef struct plane_case {
    const char *attributes;
    int64_t size[2], out[2];
} plane_case;

static void begin_plane(harness *h, const char *attributes, const int64_t *size)
{
    harness_begin(h, "Resize", 19);
    harness_attributes(h, attributes);
    harness_real_input(h, 2, DIMS(8, 6), NULL);
    harness_no_input(h);
    harness_no_input(h);
    harness_whole_input(h, 1, DIMS(2), size);
    harness_constant(h);
}

#define NOT_LARGER  "mode=linear;keep_aspect_ratio_policy=not_larger"
#define NOT_SMALLER "mode=linear;keep_aspect_ratio_policy=not_smaller"

static void one_ratio_serves_all_axes(void **state)
{
    (void)state;
    static const plane_case cases[] = {
        {NOT_LARGER, {7, 8}, {7, 5}},
        {NOT_LARGER, {20, 9}, {12, 9}},
        {NOT_LARGER, {2, 3}, {2, 2}},
        {NOT_SMALLER, {7, 8}, {11, 8}},
        {NOT_SMALLER, {20, 9}, {20, 15}},
        {NOT_SMALLER, {2, 3}, {4, 3}},
        {NOT_SMALLER ";axes:1,0", {7, 8}, {9, 7}},
        {"mode=linear;axes:-1,0", {7, 3}, {3, 7}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        harness h;
        begin_plane(&h, cases[i].attributes, cases[i].size);
        harness_run(&h, 1);
        harness_expect_dims(&h, 0, 2, cases[i].out);
        harness_expect_gradient(&h);
        harness_end(&h);
    }
}

static void a_length_that_rounds_to_nothing_is_refused(void **state)
{
    (void)state;
    harness h;
    harness_begin(&h, "Resize", 19);
    harness_attributes(&h, NOT_LARGER);
    harness_real_input(&h, 2, DIMS(8, 1), NULL);
    harness_no_input(&h);
    harness_no_input(&h);
    harness_whole_input(&h, 1, DIMS(2), WHOLES(3, 1));
    harness_constant(&h);
    harness_expect_refusal(&h, 1, GIG_EFORMAT);
    harness_end(&h);
}

static void scales_and_sizes_together_are_refused(void **state)
{
    (void)state;
    harness h;
    harness_begin(&h, "Resize", 18);
    harness_real_input(&h, 1, DIMS(2), NULL);
    harness_no_input(&h);
    harness_real_input(&h, 1, DIMS(1), VALUES(2));
    harness_constant(&h);
    harness_whole_input(&h, 1, DIMS(1), WHOLES(4));
    harness_constant(&h);
    harness_expect_refusal(&h, 1, GIG_EFORMAT);
    harness_end(&h);
}

/* Only axis 1 is looked at: its part from the second cell on. */
static void a_crop_of_named_axes_leaves_the_others(void **state)
{
    (void)state;
    harness h;
    harness_begin(&h, "Resize", 18);
    harness_attributes(&h, CROP ";mode=linear;axes:1");
    harness_real_input(&h, 2, DIMS(2, 3), VALUES(1, 2, 4, 5, 6, 8));
    harness_real_input(&h, 1, DIMS(2), VALUES(0.5f, 1));
    harness_constant(&h);
    harness_no_input(&h);
    harness_whole_input(&h, 1, DIMS(1), WHOLES(2));
    harness_constant(&h);
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 2, DIMS(2, 2), VALUES(2, 4, 6, 8), 1e-6);
    harness_expect_gradient(&h);
    harness_end(&h);
}

static void upsample_takes_scales_from_where_its_opset_has_them(void **state)
{
    (void)state;
    static const int opsets[] = {1, 7, 9};
    for (size_t i = 0; i < 3; i++) {
        harness h;
        harness_begin(&h, "Upsample", opsets[i]);
        if (opsets[i] == 1) harness_attributes(&h, "height_scale=1.0;width_scale=2.0;mode=bilinear");
        if (opsets[i] == 7) harness_attributes(&h, "scales:1.,1.,1.,2.;mode=linear");
        if (opsets[i] == 9) harness_attributes(&h, "mode=linear");
        harness_real_input(&h, 4, DIMS(1, 1, 1, 2), VALUES(1, 2));
        if (opsets[i] == 9) {
            harness_real_input(&h, 1, DIMS(4), VALUES(1, 1, 1, 2));
            harness_constant(&h);
        }
        harness_run(&h, 1);
        harness_expect_real(&h, 0, 4, DIMS(1, 1, 1, 4), VALUES(1, 1.5, 2, 2), 1e-6);
        harness_expect_gradient(&h);
        harness_end(&h);
    }
}

static void whole_numbers_resize_to_the_nearest_only(void **state)
{
    (void)state;
    for (int linear = 0; linear < 2; linear++) {
        harness h;
        harness_begin(&h, "Resize", 10);
        if (linear) harness_string(&h, "mode", "linear");
        harness_whole_input(&h, 1, DIMS(2), WHOLES(3, 4));
        harness_real_input(&h, 1, DIMS(1), VALUES(2));
        harness_constant(&h);
        if (linear) {
            harness_expect_refusal(&h, 1, GIG_EUNSUPPORTED);
        } else {
            harness_run(&h, 1);
            harness_expect_whole(&h, 0, 1, DIMS(4), WHOLES(3, 3, 4, 4));
        }
        harness_end(&h);
    }
}

static void sizes_written_for_the_files_batch_keep_ours(void **state)
{
    (void)state;
    static const char *const attributes[] = {"", "axes:1,0", NOT_LARGER};
    static const int64_t sizes[][2] = {{1, 4}, {4, 1}, {1, 2}};
    for (int i = 0; i < 3; i++) {
        harness h;
        harness_begin(&h, "Resize", 18);
        harness_attributes(&h, attributes[i]);
        harness_real_input(&h, 2, DIMS(3, 2), NULL);
        harness_no_input(&h);
        harness_no_input(&h);
        harness_whole_input(&h, 1, DIMS(2), sizes[i]);
        harness_constant(&h);
        (void)harness_infer(&h, 1);
        gig_free(h.op.params);
        h.op.params = NULL;
        h.op.batch = 3;
        assert_int_equal(h.op.row->infer(&h.op), GIG_OK);
        harness_expect_dims(&h, 0, 2, DIMS(3, i < 2 ? 4 : 2));
        harness_end(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_follow_the_formulas),
        cmocka_unit_test(refuses_sizes_that_cannot_be),
        cmocka_unit_test(one_ratio_serves_all_axes),
        cmocka_unit_test(a_length_that_rounds_to_nothing_is_refused),
        cmocka_unit_test(scales_and_sizes_together_are_refused),
        cmocka_unit_test(a_crop_of_named_axes_leaves_the_others),
        cmocka_unit_test(upsample_takes_scales_from_where_its_opset_has_them),
        cmocka_unit_test(whole_numbers_resize_to_the_nearest_only),
        cmocka_unit_test(sizes_written_for_the_files_batch_keep_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
