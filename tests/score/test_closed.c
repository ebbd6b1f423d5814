/* SPDX-License-Identifier: Apache-2.0 */
/* Closed paths on functions in closed form, and completeness. */
#include "support.h"

#include "base/memory.h"
#include "internal/score.h"

enum { FEATURES = 6 };

/* Target 0: linear, every side attributes exactly w (end - start). Target 1: a sum of squares, exact by midpoint.
 * Target 2: x0 x1, where the straight sides of a triangle leave something behind. */
static gig_status evaluate(void *payload, size_t batch, const float *const *points, const size_t *targets,
                           double *values, float *const *gradients)
{
    (void)payload;
    for (size_t b = 0; b < batch; b++) {
        const float *x = points[b];
        float *g = gradients ? gradients[b] : NULL;
        values[b] = targets[b] == 2 ? (double)x[0] * (double)x[1] : 0;
        for (size_t i = 0; i < FEATURES; i++) {
            if (targets[b] == 0) values[b] += (double)(i + 1) * (double)x[i];
            if (targets[b] == 1) values[b] += (double)x[i] * (double)x[i];
            if (g) g[i] = targets[b] == 0 ? (float)(i + 1) : targets[b] == 1 ? 2 * x[i] : 0;
        }
        if (g && targets[b] == 2) {
            g[0] = x[1];
            g[1] = x[0];
        }
    }
    return GIG_OK;
}

static const gig_function function = {FEATURES, 4, evaluate, NULL};
static const float point[FEATURES] = {0.5f, 0.25f, 1, 0, 0.75f, 0.125f};

static gig_closed_error error_of(size_t target, const gig_closed_options *options)
{
    gig_chain side = {.target = target, .steps = 20, .rule = GIG_RULE_MIDPOINT};
    gig_closed_error error;
    assert_ok(gig_closed_path(&error, (gig_functions){1, &function}, &side, point, options));
    return error;
}

static void vanishes_where_the_path_does_not_matter(void **state)
{
    (void)state;
    gig_closed_error error = error_of(0, NULL);
    assert_true(error.paths == 10 && error.features == FEATURES && error.evaluations == 10 * 3 * 20);
    assert_float_equal(error.mean_square, 0, 1e-12);
    assert_float_equal(error_of(1, NULL).mean_square, 0, 1e-11);
}

static void a_side_is_refined_as_a_map_would_be(void **state)
{
    (void)state;
    const gig_drive_options drive = {.tolerance = 1e-3};
    gig_chain side = {.target = 1, .steps = 20, .rule = GIG_RULE_LEFT};
    gig_closed_error coarse, fine;
    assert_ok(gig_closed_path(&coarse, (gig_functions){1, &function}, &side, point, NULL));
    assert_ok(
        gig_closed_path(&fine, (gig_functions){1, &function}, &side, point, &(gig_closed_options){.drive = &drive}));
    assert_true(fine.evaluations > coarse.evaluations);
    assert_true(fine.mean_square < 0.01 * coarse.mean_square);
}

static gig_status corners(void *payload, size_t path, int corner, float *out, size_t features)
{
    (void)payload;
    for (size_t i = 0; i < features; i++) out[i] = 0;
    out[corner] = (float)(path + 1);
    return GIG_OK;
}

/* F = x0 x1 along a straight side from p to q gives feature 0 (q0 - p0)(p1 + q1) / 2: around a triangle that is minus
 * its signed area, for feature 1 plus its signed area. */
static void leaves_the_area_of_the_triangle(void **state)
{
    (void)state;
    gig_closed_options options = {.paths = 3, .corner = corners};
    double expected = 0;
    for (int path = 1; path <= 3; path++) { /* A = (0.5, 0.25), B = (path, 0), C = (0, path) */
        double area = ((path - 0.5) * (path - 0.25) - (0 - 0.25) * (0 - 0.5)) / 2;
        expected += 2 * area * area / (3 * FEATURES);
    }
    assert_float_equal(error_of(2, &options).mean_square, expected, 1e-5);
}

static void draws_corners_by_seed_picture_and_path(void **state)
{
    (void)state;
    double first = error_of(2, &(gig_closed_options){.paths = 4, .seed = 1}).mean_square;
    assert_true(error_of(2, &(gig_closed_options){.paths = 4, .seed = 1}).mean_square == first);
    assert_true(error_of(2, &(gig_closed_options){.paths = 4, .seed = 2}).mean_square != first);
    assert_true(error_of(2, &(gig_closed_options){.paths = 4, .seed = 1, .picture = 1}).mean_square != first);
    /* uniform corners: the mean square of many paths is that of the triangle's area, twice over the features */
    double many = error_of(2, &(gig_closed_options){.paths = 3000}).mean_square, expected = 0;
    for (int b0 = 0; b0 < 12; b0++)
        for (int b1 = 0; b1 < 12; b1++)
            for (int c0 = 0; c0 < 12; c0++)
                for (int c1 = 0; c1 < 12; c1++) {
                    double area = ((b0 + 0.5) / 12 - 0.5) * ((c1 + 0.5) / 12 - 0.25) -
                                  ((b1 + 0.5) / 12 - 0.25) * ((c0 + 0.5) / 12 - 0.5);
                    expected += 2 * area * area / 4 / FEATURES / (12 * 12 * 12 * 12);
                }
    assert_float_equal(many, expected, 0.08 * expected);
}

static void is_the_same_for_any_number_of_workers(void **state)
{
    (void)state;
    const gig_function three[] = {function, function, function};
    gig_guided_options options = GIG_GUIDED_OPTIONS_INIT;
    gig_guide guide = gig_guide_guided(&options);
    gig_chain side = {.guide = &guide, .target = 2, .steps = 20, .segments = 3};
    gig_closed_error one, many;
    assert_ok(gig_closed_path(&one, (gig_functions){1, &function}, &side, point, NULL));
    assert_ok(gig_closed_path(&many, (gig_functions){3, three}, &side, point, NULL));
    assert_memory_equal(&one, &many, sizeof one);
}

static void refuses_sides_without_ends(void **state)
{
    (void)state;
    gig_chain side = {.steps = 4, .open = 1};
    gig_closed_error error;
    assert_status(gig_closed_path(&error, (gig_functions){1, &function}, &side, point, NULL), GIG_EARG);
    assert_status(gig_closed_path(&error, (gig_functions){0, NULL}, &side, point, NULL), GIG_EARG);
    assert_true(isnan(error.mean_square));
}

static void says_how_far_a_map_adds_up(void **state)
{
    (void)state;
    gig_completeness found = gig_completeness_of(0.75, 0.9, 0.4);
    assert_float_equal(found.difference, 0.5, 1e-15);
    assert_float_equal(found.delta, 0.25, 1e-15);
    assert_float_equal(found.relative, 0.5, 1e-15);
    assert_true(isnan(gig_completeness_of(0.75, 0.9, 0.9).relative));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vanishes_where_the_path_does_not_matter),
        cmocka_unit_test(a_side_is_refined_as_a_map_would_be),
        cmocka_unit_test(leaves_the_area_of_the_triangle),
        cmocka_unit_test(draws_corners_by_seed_picture_and_path),
        cmocka_unit_test(is_the_same_for_any_number_of_workers),
        cmocka_unit_test(refuses_sides_without_ends),
        cmocka_unit_test(says_how_far_a_map_adds_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
