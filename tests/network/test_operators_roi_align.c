/* SPDX-License-Identifier: Apache-2.0 */
/* RoiAlign: a plane has its mean value in each bin, torchvision's values, gradients by differences, refusals. */
#include "operator_text.h"

static void begin(harness *h, int opset, const char *attributes, const float *data, int64_t regions, const float *rois,
                  const int64_t *batch)
{
    harness_begin(h, "RoiAlign", opset);
    harness_attributes(h, attributes);
    harness_real_input(h, 4, DIMS(2, 1, 5, 6), data);
    harness_real_input(h, 2, DIMS(regions, 4), rois);
    harness_whole_input(h, 1, DIMS(regions), batch);
}

/* On the plane 10 y + x (and minus that) the mean over a bin is the plane at the bin's centre. */
static void a_plane_gives_its_value_at_each_bins_centre(void **state)
{
    (void)state;
    float plane[60];
    for (int i = 0; i < 60; i++) plane[i] = (float)((i < 30 ? 1 : -1) * (10 * (i % 30 / 6) + i % 6));
    static const float rois[] = {1, 1, 4, 3, 2, 0, 6, 4};
    harness h;
    /* x from 1 to 4, two columns: centres 1.75, 3.25; y from 1 to 3: 1.5, 2.5. The second is scaled by a half. */
    begin(&h, 10, "output_height=2;output_width=2", plane, 1, rois, WHOLES(0));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 4, DIMS(1, 1, 2, 2), VALUES(16.75f, 18.25f, 26.75f, 28.25f), 1e-5);
    harness_end(&h);
    begin(&h, 16, "output_height=2;output_width=2", plane, 1, rois, WHOLES(0)); /* half a cell before that */
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 4, DIMS(1, 1, 2, 2), VALUES(11.25f, 12.75f, 21.25f, 22.75f), 1e-5);
    harness_end(&h);
    begin(&h, 16, "output_width=2;spatial_scale=0.5;sampling_ratio=3;coordinate_transformation_mode=output_half_pixel",
          plane, 1, rois + 4, WHOLES(1));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 4, DIMS(1, 1, 1, 2), VALUES(-11.5f, -12.5f), 1e-5);
    harness_end(&h);
}

/* torchvision.ops.roi_align(arange(60).reshape(2,1,5,6) ** 2 / 100, [[0,-1,-2,3,4], [1,2,1,9,8]], 2, s, r, a), first
 * with s 1, r 0, a False, then s 0.7, r 2, a True. */
static void gives_torchvisions_values(void **state)
{
    (void)state;
    float data[60];
    for (int i = 0; i < 60; i++) data[i] = (float)(i * i) / 100;
    static const float rois[] = {-1, -2, 3, 4, 2, 1, 9, 8};
    harness h;
    begin(&h, 10, "output_height=2;output_width=2", data, 2, rois, WHOLES(0, 1));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 4, DIMS(2, 1, 2, 2),
                        VALUES(0.06666667f, 0.13f, 2.6575f, 3.2249997f, 25.536747f, 6.7028122f, 8.3358202f, 2.1756251f),
                        1e-5);
    harness_end(&h);
    begin(&h, 16, "output_height=2;output_width=2;spatial_scale=0.7;sampling_ratio=2", data, 2, rois, WHOLES(0, 1));
    harness_run(&h, 1);
    harness_expect_real(&h, 0, 4, DIMS(2, 1, 2, 2),
                        VALUES(0, 0.005749999f, 0.729f, 0.87549996f, 16.7195f, 18.688732f, 29.155342f, 31.74839f),
                        1e-5);
    harness_end(&h);
}

/* No place lies within a difference's step of a cell, nor a region's size of another number of places. */
static void gradients_follow_differences(void **state)
{
    (void)state;
    static const float rois[] = {0.53f, 0.31f, 3.87f, 3.69f, -0.77f, 1.13f, 7.3f, 4.83f, 2.11f, 2.3f, 2.57f, 2.71f};
    static const char *const ways[] = {"output_height=2;output_width=3;sampling_ratio=2",
                                       "output_height=2;output_width=2",
                                       "output_height=1;output_width=2;spatial_scale=0.81",
                                       "coordinate_transformation_mode=output_half_pixel;output_height=2"};
    for (int i = 0; i < 4; i++) {
        harness h;
        begin(&h, 16, ways[i], NULL, 3, rois, WHOLES(0, 1, 1));
        harness_run(&h, 1);
        harness_expect_gradient(&h);
        harness_end(&h);
    }
}

static void refuses_what_it_cannot_align(void **state)
{
    (void)state;
    static const struct {
        const char *attributes;
        int64_t rois[2], batch;
        gig_status status;
    } cases[] = {
        {"mode=max", {1, 4}, 1, GIG_EUNSUPPORTED},
        {"output_height=0", {1, 4}, 1, GIG_EFORMAT},
        {"sampling_ratio=-1", {1, 4}, 1, GIG_EFORMAT},
        {"coordinate_transformation_mode=corner", {1, 4}, 1, GIG_EFORMAT},
        {"", {1, 5}, 1, GIG_EFORMAT},
        {"", {2, 4}, 1, GIG_EFORMAT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        harness h;
        harness_begin(&h, "RoiAlign", 16);
        harness_attributes(&h, cases[i].attributes);
        harness_real_input(&h, 4, DIMS(1, 1, 3, 3), NULL);
        harness_real_input(&h, 2, cases[i].rois, NULL);
        harness_whole_input(&h, 1, DIMS(cases[i].batch), WHOLES(0));
        harness_expect_refusal(&h, 1, cases[i].status);
        harness_end(&h);
    }
}

static void run_fails(const float *roi, int64_t picture, gig_status wanted)
{
    harness h;
    begin(&h, 16, "", NULL, 1, roi, &picture);
    assert_int_equal(harness_infer(&h, 1), GIG_OK);
    float value;
    gig_tensor out = {.type = GIG_FLOAT32, .rank = 4, .dims = {1, 1, 1, 1}, .real = &value}, *outs[] = {&out};
    assert_int_equal(h.op.row->forward(&h.op, h.data_pointers, outs), wanted);
    harness_end(&h);
}

static void regions_of_no_picture_and_without_end_are_errors(void **state)
{
    (void)state;
    run_fails(VALUES(0, 0, 2, 2), 0, GIG_OK);
    run_fails(VALUES(0, 0, 2, 2), 2, GIG_EFORMAT);
    run_fails(VALUES(0, 0, 2, 2), -1, GIG_EFORMAT);
    run_fails(VALUES(0, NAN, 2, 2), 0, GIG_ENUMERIC);
    run_fails(VALUES(0, 0, INFINITY, 2), 0, GIG_ENUMERIC);
    run_fails(VALUES(0, 0, 1e30f, 2), 0, GIG_ELIMIT);
    run_fails(VALUES(2, 2, 0, 0), 0, GIG_OK); /* turned around: no place, 0 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plane_gives_its_value_at_each_bins_centre),
        cmocka_unit_test(gives_torchvisions_values),
        cmocka_unit_test(gradients_follow_differences),
        cmocka_unit_test(refuses_what_it_cannot_align),
        cmocka_unit_test(regions_of_no_picture_and_without_end_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
