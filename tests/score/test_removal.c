/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics that remove parts of a picture, shares inside the ground truth, and how two maps agree: against NumPy, SciPy
 * and scikit-image, and closed forms. */
#include "base/rng.h"
#include "closed_form.h"
#include "golden/score_removal.h"
#include "internal/score.h"
#include "score/correlation.h"
#include "score/random_streams.h"
#include "support.h"

enum { PIXELS = GOLDEN_HEIGHT * GOLDEN_WIDTH, VALUES = PIXELS * GOLDEN_CHANNELS };

static double logistic(const float *x, size_t n, size_t target, float *g)
{
    (void)target, (void)g;
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += sin(2 * (double)x[i]) * (double)golden_weights[i];
    return 1 / (1 + exp(-sum));
}

static gig_removal golden_removal(const float *attribution, size_t channels)
{
    return (gig_removal){.height = GOLDEN_HEIGHT,
                         .width = GOLDEN_WIDTH,
                         .channels = GOLDEN_CHANNELS,
                         .picture = golden_picture,
                         .attribution = attribution,
                         .attribution_channels = channels,
                         .seed = 5,
                         .number = 9};
}

static void diffid_is_that_of_numpy(void **state)
{
    (void)state;
    closed model = {.form = logistic, .features = VALUES};
    gig_function function = closed_function(&model, 2);
    gig_removal by_value = golden_removal(golden_attribution, 3), by_pixel = golden_removal(golden_reduced, 1);
    double found, values[2 * GIG_DIFFID_RATIOS];
    assert_ok(gig_diffid(&found, values, (gig_functions){1, &function}, 0, &by_value));
    assert_true(fabs(found - golden_diffid) < 1e-6);
    assert_int_equal(model.values, 18);
    assert_true(values[0] > values[17]);
    assert_ok(gig_diffid(&found, NULL, (gig_functions){1, &function}, 0, &by_pixel));
    assert_true(fabs(found - golden_diffid_reduced) < 1e-6);
}

static void road_imputes_as_a_direct_solver(void **state)
{
    (void)state;
    gig_removal of = golden_removal(golden_reduced, 1);
    const struct {
        const uint32_t *removed;
        size_t count;
        const double *expected;
    } cases[] = {{golden_some_removed, sizeof golden_some_removed / sizeof(uint32_t), golden_some_imputed},
                 {golden_most_removed, sizeof golden_most_removed / sizeof(uint32_t), golden_most_imputed}};
    for (size_t k = 0; k < 2; k++) {
        float picture[VALUES];
        memcpy(picture, golden_picture, sizeof picture);
        assert_ok(gig_road_impute(picture, &of, cases[k].removed, cases[k].count));
        for (size_t i = 0; i < VALUES; i++) assert_true(fabs((double)picture[i] - cases[k].expected[i]) < 2e-6);
    }
}

/* The value is made of what imputing and noise give. */
static void road_is_the_difference_of_its_two_orders(void **state)
{
    (void)state;
    closed model = {.form = logistic, .features = VALUES};
    gig_function function = closed_function(&model, 1);
    gig_removal of = golden_removal(golden_reduced, 1);
    double found, again, values[2 * GIG_ROAD_SHARES], mean = 0;
    assert_ok(gig_road(&found, values, (gig_functions){1, &function}, 0, &of));
    for (size_t i = 0; i < 9; i++) mean += (values[i] - values[9 + i]) / 9;
    assert_true(fabs(found - mean) < 1e-12);
    float picture[VALUES];
    memcpy(picture, golden_picture, sizeof picture);
    size_t count = sizeof golden_some_removed / sizeof(uint32_t);
    assert_ok(gig_road_impute(picture, &of, golden_some_removed, count));
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < 3; c++) {
            size_t at = golden_some_removed[i] * 3 + c;
            gig_rng rng = {5, gig_score_stream(GIG_DRAW_ROAD, 9)};
            picture[at] = (float)((double)picture[at] + 0.01 * gig_rng_normal(rng, at));
        }
    assert_true(fabs(values[9 + 2] - logistic(picture, VALUES, 0, NULL)) < 1e-9); /* most relevant, 30 % */
    gig_function both[2] = {function, function};
    closed other = {.form = logistic, .features = VALUES};
    both[1] = closed_function(&other, 1);
    assert_ok(gig_road(&again, NULL, (gig_functions){2, both}, 0, &of));
    assert_true(again == found);
}

static void shares_inside_are_those_of_numpy(void **state)
{
    (void)state;
    double mass, rank;
    assert_ok(gig_mass_inside(&mass, golden_reduced, golden_mask, PIXELS));
    assert_ok(gig_rank_inside(&rank, golden_reduced, golden_mask, PIXELS));
    assert_true(fabs(mass - golden_mass) < 1e-12 && fabs(rank - golden_rank) < 1e-12);
}

static void equal_values_share_the_last_places(void **state)
{
    (void)state;
    const float map[6] = {3, 1, 1, 1, 1, 0}, flat[6] = {2, 2, 2, 2, 2, 2}, nothing[6] = {0};
    const uint8_t mask[6] = {1, 1, 0, 0, 0, 1}, empty[6] = {0, 2, 0, 0, 0, 0};
    double out;
    assert_ok(gig_rank_inside(&out, map, mask, 6)); /* the 3, and two places for four equal ones, one of them inside */
    assert_true(fabs(out - (1 + 2 * 0.25) / 3) < 1e-12);
    assert_ok(gig_rank_inside(&out, flat, mask, 6));
    assert_true(fabs(out - 0.5) < 1e-12);
    assert_ok(gig_rank_inside(&out, map, empty, 6));
    assert_true(isnan(out));
    assert_ok(gig_mass_inside(&out, map, empty, 6));
    assert_true(isnan(out));
    assert_ok(gig_mass_inside(&out, nothing, mask, 6));
    assert_true(isnan(out));
}

static void maps_correlate_as_in_scipy(void **state)
{
    (void)state;
    const double expected[3] = {golden_signed, golden_magnitude, golden_rho};
    double out;
    for (int kind = 0; kind < 3; kind++) {
        assert_ok(gig_map_correlation(&out, golden_attribution, golden_other, VALUES, (gig_correlation)kind));
        assert_true(fabs(out - expected[kind]) < 1e-10);
    }
    const double tied[5] = {1, 2, 2, 3, 3}, straight[5] = {1, 2, 3, 4, 5};
    assert_ok(gig_spearman(&out, tied, straight, 5));
    assert_true(fabs(out - 0.9486832980505138) < 1e-12);
    const float flat[VALUES] = {0};
    assert_ok(gig_map_correlation(&out, golden_attribution, flat, VALUES, GIG_CORRELATION_SIGNED));
    assert_true(isnan(out));
}

static void maps_are_similar_as_in_scikit_image(void **state)
{
    (void)state;
    double out;
    assert_ok(gig_map_similarity(&out, golden_reduced, golden_second, GOLDEN_HEIGHT, GOLDEN_WIDTH));
    assert_true(fabs(out - golden_ssim) < 1e-9);
    assert_ok(gig_map_similarity(&out, golden_reduced, golden_reduced, GOLDEN_HEIGHT, GOLDEN_WIDTH));
    assert_true(fabs(out - 1) < 1e-9);
    assert_status(gig_map_similarity(&out, golden_reduced, golden_second, 6, 20), GIG_EARG);
}

static void rejects_an_invalid_map(void **state)
{
    (void)state;
    closed model = {.form = logistic, .features = VALUES};
    gig_function function = closed_function(&model, 1);
    double out;
    gig_removal of = golden_removal(golden_attribution, 2);
    assert_status(gig_diffid(&out, NULL, (gig_functions){1, &function}, 0, &of), GIG_EARG);
    of = golden_removal(golden_attribution, 3);
    assert_status(gig_road(&out, NULL, (gig_functions){1, &function}, 0, &of), GIG_EARG);
    of.picture = NULL;
    assert_status(gig_diffid(&out, NULL, (gig_functions){1, &function}, 0, &of), GIG_EARG);
    float bad[VALUES] = {NAN};
    of = golden_removal(bad, 3);
    assert_status(gig_diffid(&out, NULL, (gig_functions){1, &function}, 0, &of), GIG_ENUMERIC);
    uint32_t all[PIXELS];
    float picture[VALUES] = {0};
    for (uint32_t i = 0; i < PIXELS; i++) all[i] = i;
    assert_status(gig_road_impute(picture, &of, all, PIXELS), GIG_EARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diffid_is_that_of_numpy),
        cmocka_unit_test(road_imputes_as_a_direct_solver),
        cmocka_unit_test(road_is_the_difference_of_its_two_orders),
        cmocka_unit_test(shares_inside_are_those_of_numpy),
        cmocka_unit_test(equal_values_share_the_last_places),
        cmocka_unit_test(maps_correlate_as_in_scipy),
        cmocka_unit_test(maps_are_similar_as_in_scikit_image),
        cmocka_unit_test(rejects_an_invalid_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
