/* SPDX-License-Identifier: Apache-2.0 */
/* ROC area and curve, pointing game, sparsity, channel reduction, masks. */
#include "base/memory.h"
#include "gig/score.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "golden/score_roc.h"

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) fail_msg("%.17g is not %.17g +- %g", value, expected, tolerance);
}

static double auc_of(const float *map, const uint8_t *mask, size_t pixels)
{
    gig_roc roc;
    assert_int_equal(gig_roc_auc(&roc, map, mask, pixels), GIG_OK);
    return roc.auc;
}

static void counts_ties_as_one_half(void **state)
{
    (void)state;
    const float map[] = {.1f, .4f, .4f, .8f, .8f, .2f};
    const uint8_t mask[] = {0, 0, 1, 1, 0, 0};
    assert_true(auc_of(map, mask, 6) == 0.75);
}

static void agrees_with_scikit_learn(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROC_CASES; i++)
        assert_near(auc_of(roc_maps + i * ROC_PIXELS, roc_masks + i * ROC_PIXELS, ROC_PIXELS), roc_areas[i], 1e-14);
}

static void leaves_unsure_pixels_out(void **state)
{
    (void)state;
    const float map[] = {9, 1, 2, 3, -9};
    const uint8_t mask[] = {2, 0, 1, 1, 2};
    gig_roc roc;
    assert_int_equal(gig_roc_auc(&roc, map, mask, 5), GIG_OK);
    assert_true(roc.auc == 1 && roc.positives == 2 && roc.negatives == 1);
}

static void treats_both_zeros_as_equal(void **state)
{
    (void)state;
    const float map[] = {0.0f, -0.0f};
    const uint8_t mask[] = {1, 0};
    assert_true(auc_of(map, mask, 2) == 0.5);
}

static void has_no_area_without_both_sides(void **state)
{
    (void)state;
    const float map[] = {1, 2, 3};
    const uint8_t empty[] = {0, 0, 2}, full[] = {1, 1, 2};
    assert_true(isnan(auc_of(map, empty, 3)));
    assert_true(isnan(auc_of(map, full, 3)));
    assert_true(isnan(auc_of(map, full, 0)));
    gig_points curve;
    assert_int_equal(gig_roc_curve(&curve, map, full, 3), GIG_OK);
    assert_true(curve.count == 0);
    gig_points_clear(&curve);
}

static void refuses_a_nan_and_a_wrong_mask(void **state)
{
    (void)state;
    const float broken[] = {1, NAN}, endless[] = {-INFINITY, 1}, fine[] = {1, 2};
    const uint8_t mask[] = {0, 1}, wrong[] = {0, 3};
    gig_roc roc;
    assert_int_equal(gig_roc_auc(&roc, broken, mask, 2), GIG_ENUMERIC);
    assert_string_equal(gig_message(), "map value 1 is NaN");
    assert_int_equal(gig_roc_auc(&roc, endless, mask, 2), GIG_ENUMERIC);
    assert_int_equal(gig_roc_auc(&roc, fine, wrong, 2), GIG_EARG);
}

/* Every point of scikit-learn's whole curve lies on ours, and ours has only its corners. */
static void draws_the_curve_of_scikit_learn(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROC_CASES; i++) {
        gig_points curve;
        assert_int_equal(gig_roc_curve(&curve, roc_maps + i * ROC_PIXELS, roc_masks + i * ROC_PIXELS, ROC_PIXELS),
                         GIG_OK);
        assert_true(curve.count <= roc_ends[i + 1] - roc_ends[i]);
        size_t k = 0;
        for (size_t p = roc_ends[i]; p < roc_ends[i + 1]; p++) {
            while (k + 2 < curve.count && (curve.x[k + 1] < roc_x[p] - 1e-12 || curve.y[k + 1] < roc_y[p] - 1e-12)) k++;
            double dx = curve.x[k + 1] - curve.x[k], dy = curve.y[k + 1] - curve.y[k];
            assert_near((roc_x[p] - curve.x[k]) * dy, (roc_y[p] - curve.y[k]) * dx, 1e-12);
        }
        double area = 0;
        for (size_t p = 1; p < curve.count; p++)
            area += (curve.x[p] - curve.x[p - 1]) * (curve.y[p] + curve.y[p - 1]) / 2;
        assert_near(area, roc_areas[i], 1e-12);
        gig_points_clear(&curve);
    }
}

static void hits_when_any_largest_pixel_is_inside(void **state)
{
    (void)state;
    const float map[] = {1, 5, 5, 7};
    const uint8_t tied[] = {0, 0, 1, 2}, missed[] = {1, 0, 0, 2}, none[] = {0, 0, 0, 2};
    double hit;
    assert_int_equal(gig_pointing_hit(&hit, map, tied, 4), GIG_OK);
    assert_true(hit == 1);
    assert_int_equal(gig_pointing_hit(&hit, map, missed, 4), GIG_OK);
    assert_true(hit == 0);
    assert_int_equal(gig_pointing_hit(&hit, map, none, 4), GIG_OK);
    assert_true(isnan(hit));
    const float dead[4] = {0}; /* points nowhere */
    assert_int_equal(gig_pointing_hit(&hit, dead, tied, 4), GIG_OK);
    assert_true(isnan(hit));
}

static void measures_sparsity(void **state)
{
    (void)state;
    double gini;
    for (size_t i = 0; i < ROC_CASES; i++) {
        assert_int_equal(gig_gini(&gini, roc_maps + i * ROC_PIXELS, ROC_PIXELS), GIG_OK);
        assert_near(gini, roc_ginis[i], 1e-12);
    }
    const float alone[] = {0, 0, -3, 0}, zeros[] = {0, 0};
    assert_int_equal(gig_gini(&gini, alone, 4), GIG_OK);
    assert_near(gini, 0.75, 1e-15);
    assert_int_equal(gig_gini(&gini, zeros, 2), GIG_OK);
    assert_true(isnan(gini));
}

static void reduces_channels_in_four_ways(void **state)
{
    (void)state;
    const float attribution[] = {1, -3, 0.5f, -1, -2, -4};
    const float expected[4][2] = {{1.5f, 7}, {4.5f, 7}, {1, -1}, {-1.5f, -7}};
    const char *names[] = {"abs-sum", "sum-abs", "max", "sum"};
    for (int i = 0; i < 4; i++) {
        float out[2];
        gig_reduction reduction;
        assert_int_equal(gig_reduction_parse(&reduction, names[i]), GIG_OK);
        assert_string_equal(gig_reduction_name(reduction), names[i]);
        assert_int_equal(gig_map_reduce(out, attribution, 2, 3, reduction), GIG_OK);
        assert_true(out[0] == expected[i][0] && out[1] == expected[i][1]);
    }
    gig_reduction reduction;
    assert_int_equal(gig_reduction_parse(&reduction, "mean"), GIG_EARG);
    const float broken[] = {1, NAN};
    float out[2];
    assert_int_equal(gig_map_reduce(out, broken, 2, 1, GIG_REDUCE_MAX), GIG_ENUMERIC);
    const float later[] = {1, NAN, 0}, low[] = {1, -INFINITY, 0}, large[] = {3e38f, 3e38f, 3e38f};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(gig_map_reduce(out, later, 1, 3, (gig_reduction)i), GIG_ENUMERIC);
        assert_int_equal(gig_map_reduce(out, low, 1, 3, (gig_reduction)i), GIG_ENUMERIC);
    }
    assert_int_equal(gig_map_reduce(out, large, 1, 3, GIG_REDUCE_SUM), GIG_ENUMERIC);
    assert_int_equal(gig_map_reduce(out, large, 1, 3, GIG_REDUCE_MAX), GIG_OK);
}

static void paints_boxes_with_their_edges(void **state)
{
    (void)state;
    uint8_t mask[4 * 5];
    const gig_box boxes[] = {{1, 0, 2, 1}, {4, 2, 99, 2}, {-5, 3, 0, 3}, {7, 0, 9, 9}};
    const uint8_t expected[] = {0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0};
    assert_int_equal(gig_mask_from_boxes(mask, 4, 5, boxes, 4), GIG_OK);
    assert_memory_equal(mask, expected, sizeof expected);
    const gig_box turned = {3, 0, 2, 1};
    assert_int_equal(gig_mask_from_boxes(mask, 4, 5, &turned, 1), GIG_EARG);
    assert_string_equal(gig_message(), "box 1 (3 0 2 1) is empty");
}

static void reads_grey_masks(void **state)
{
    (void)state;
    uint8_t mask[4];
    const uint8_t grey[] = {0, 128, 255, 1}, labels[] = {0, 1, 1, 0};
    const uint8_t from_grey[] = {0, 2, 1, 0};
    gig_mask_from_grey(mask, grey, 4);
    assert_memory_equal(mask, from_grey, 4);
    gig_mask_from_grey(mask, labels, 4);
    assert_memory_equal(mask, labels, 4);
}

static void gives_back_memory_when_it_runs_out(void **state)
{
    (void)state;
    size_t before = gig_memory_used(), failures = 0;
    for (int made = 0; !made; failures++) {
        gig_points curve;
        gig_memory_fail_at(failures, 0);
        gig_status status = gig_roc_curve(&curve, roc_maps, roc_masks, ROC_PIXELS);
        made = status == GIG_OK;
        if (!made) assert_int_equal(status, GIG_ENOMEM);
        gig_points_clear(&curve);
        assert_true(gig_memory_used() == before);
    }
    gig_memory_fail_at(SIZE_MAX, 0);
    assert_true(failures == 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_ties_as_one_half),
        cmocka_unit_test(agrees_with_scikit_learn),
        cmocka_unit_test(leaves_unsure_pixels_out),
        cmocka_unit_test(treats_both_zeros_as_equal),
        cmocka_unit_test(has_no_area_without_both_sides),
        cmocka_unit_test(refuses_a_nan_and_a_wrong_mask),
        cmocka_unit_test(draws_the_curve_of_scikit_learn),
        cmocka_unit_test(hits_when_any_largest_pixel_is_inside),
        cmocka_unit_test(measures_sparsity),
        cmocka_unit_test(reduces_channels_in_four_ways),
        cmocka_unit_test(paints_boxes_with_their_edges),
        cmocka_unit_test(reads_grey_masks),
        cmocka_unit_test(gives_back_memory_when_it_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
