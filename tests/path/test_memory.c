/* SPDX-License-Identifier: Apache-2.0 */
/* What a run holds at once, counted by the allocator: within 10 % of the limit it was given, and the same for any
 * number of steps. */
#include "base/memory.h"
#include "closed_form.h"
#include "gig/path.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 10, CHANNELS = 20, N = SIDE * SIDE * CHANNELS, CHAINS = 3, WORKERS = 2, STEPS = 14 };

/* F = u - u^3 / 6, u = the sum of w_i x_i over n, with weights that put the features in an order of their own. */
static double bent(const float *x, size_t n, size_t target, float *g)
{
    double u = 0;
    for (size_t i = 0; i < n; i++) u += (double)((i * 7919 + target) % n + 1) * (double)x[i];
    double scale = 3 / ((double)n * (double)n);
    u *= scale;
    for (size_t i = 0; g && i < n; i++) g[i] = (float)((1 - u * u / 2) * scale * (double)((i * 7919 + target) % n + 1));
    return u - u * u * u / 6;
}

static float start_point[N], end_point[N];

typedef struct shape {
    const char *name;
    int guided, blurred, bounded;
    size_t segments;
    gig_rule rule;
    double tolerance;
    int close;
    double fraction;
} shape;

static const shape shapes[] = {
    {"left", 1, 0, 0, 1, GIG_RULE_LEFT, 0, 0, 0},
    {"left, few features at once", 1, 0, 0, 7, GIG_RULE_LEFT, 0, 0, 0.0005}, /* sorts them, in memory of its own */
    {"left, 7 segments, closed", 1, 0, 0, 7, GIG_RULE_LEFT, 0, 1, 0},
    {"window", 1, 0, 1, 1, GIG_RULE_LEFT, 0, 0, 0},
    {"trapezoid, 7 segments", 1, 0, 0, 7, GIG_RULE_TRAPEZOID, 0, 0, 0},
    {"midpoint, 7 segments", 1, 0, 0, 7, GIG_RULE_MIDPOINT, 0, 0, 0},
    {"idgi, 7 segments", 1, 0, 0, 7, GIG_RULE_IDGI, 0, 0, 0},
    {"line, midpoint", 0, 0, 0, 0, GIG_RULE_MIDPOINT, 0, 1, 0},
    {"line, trapezoid", 0, 0, 0, 0, GIG_RULE_TRAPEZOID, 0, 1, 0},
    {"line, idgi", 0, 0, 0, 0, GIG_RULE_IDGI, 0, 0, 0},
    {"line, gauss-legendre", 0, 0, 0, 0, GIG_RULE_GAUSS_LEGENDRE, 0, 0, 0},
    {"blur, right", 0, 1, 0, 0, GIG_RULE_RIGHT, 0, 0, 0},
    {"left, tolerance", 1, 0, 0, 1, GIG_RULE_LEFT, 1e-7, 0, 0},
    {"left, 7 segments, tolerance, closed", 1, 0, 0, 7, GIG_RULE_LEFT, 1e-7, 1, 0},
    {"midpoint, tolerance", 1, 0, 0, 1, GIG_RULE_MIDPOINT, 1e-7, 0, 0},
    {"line, midpoint, tolerance", 0, 0, 0, 0, GIG_RULE_MIDPOINT, 1e-7, 0, 0},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

typedef struct run_of {
    const shape *shape;
    size_t steps;
    gig_guide guide;
    gig_guided_options guided;
    gig_blur_path blur;
    gig_curve curve;
} run_of;

static gig_status make(void *payload, size_t index, gig_chain *out, float *start, float *end)
{
    const run_of *self = payload;
    *out = (gig_chain){.target = index,
                       .steps = self->steps,
                       .rule = self->shape->rule,
                       .segments = self->shape->segments,
                       .guide = self->shape->guided ? &self->guide : NULL,
                       .curve = self->shape->blurred ? &self->curve : NULL};
    memcpy(start, start_point, sizeof start_point);
    memcpy(end, end_point, sizeof end_point);
    return GIG_OK;
}

static gig_status take(void *payload, size_t index, const gig_chain_result *result)
{
    (void)payload, (void)index, (void)result;
    return GIG_OK;
}

/* The most it held at once. */
static gig_status run(size_t *peak, const shape *of, size_t steps, size_t chains, size_t workers, size_t limit)
{
    closed models[WORKERS] = {{.form = bent, .features = N}, {.form = bent, .features = N}};
    gig_function functions[WORKERS] = {closed_function(&models[0], 1), closed_function(&models[1], 1)};
    run_of self = {
        .shape = of, .steps = steps, .guided = {.fraction = of->fraction, .bounded = of->bounded, .max_dist = .1}};
    self.guide = gig_guide_guided(&self.guided);
    self.blur = (gig_blur_path){.picture = end_point, .height = SIDE, .width = SIDE, .channels = CHANNELS, .sigma = 3};
    self.curve = gig_curve_blur(&self.blur);
    const gig_drive_options options = {
        .tolerance = of->tolerance, .max_evaluations = 3 * steps, .close = of->close, .max_memory = limit};
    size_t before = gig_memory_used();
    gig_memory_reset_peak();
    gig_status status = gig_chains_run((gig_functions){workers, functions}, chains, make, take, &self, &options);
    *peak = gig_memory_peak() - before;
    assert_int_equal(gig_memory_used(), before);
    return status;
}

static void keeps_to_its_limit(void **state)
{
    (void)state;
    for (size_t s = 0; s < SHAPES; s++)
        for (size_t workers = 1; workers <= WORKERS; workers++) {
            size_t peak, enough = 0;
            for (size_t limit = 60000; enough < 2; limit += limit / 4) {
                gig_status status = run(&peak, &shapes[s], STEPS, CHAINS, workers, limit);
                if (peak > limit + limit / 10)
                    print_error("%s: %zu workers held %zu bytes of %zu\n", shapes[s].name, workers, peak, limit);
                assert_true(peak <= limit + limit / 10);
                assert_int_equal(status, status == GIG_OK ? GIG_OK : GIG_ELIMIT);
                enough += status == GIG_OK;
            }
        }
}

/* The process's own budget binds the driver too, and it leaves room in it: what is enough stays enough when there is
 * more, however the workers come together. */
static void works_with_any_budget_that_is_enough(void **state)
{
    (void)state;
    for (size_t s = 0; s < SHAPES; s++) {
        size_t peak, enough = 0, before = gig_memory_used();
        for (size_t limit = 60000; enough < 24; limit += enough ? 9000 : 40000) {
            gig_memory_set_limit(before + limit);
            gig_status status = run(&peak, &shapes[s], STEPS, CHAINS, WORKERS, 0);
            gig_memory_set_limit(0);
            if (enough && status != GIG_OK) print_error("%s: %zu bytes: %s\n", shapes[s].name, limit, gig_message());
            assert_int_equal(status, enough || status == GIG_OK ? GIG_OK : GIG_ELIMIT);
            enough += status == GIG_OK;
        }
    }
}

/* A single chain may use for its record what others would have had. */
static void a_single_path_is_kept_in_half_of_the_limit(void **state)
{
    (void)state;
    for (size_t workers = 1; workers <= WORKERS; workers++) {
        size_t needed, peak;
        const shape *refined = &shapes[SHAPES - 4];
        assert_int_equal(run(&needed, refined, STEPS, 1, workers, 0), GIG_OK);
        assert_int_equal(run(&peak, refined, STEPS, 1, workers, 2 * needed), GIG_OK);
    }
}

static void holds_no_more_for_more_steps(void **state)
{
    (void)state;
    for (size_t s = 0; s < SHAPES; s++) {
        size_t few, many;
        if (shapes[s].tolerance > 0 || shapes[s].rule == GIG_RULE_GAUSS_LEGENDRE) continue;
        assert_int_equal(run(&few, &shapes[s], 500, 1, 1, 0), GIG_OK);
        assert_int_equal(run(&many, &shapes[s], 1500, 1, 1, 0), GIG_OK);
        if (many > few + 1024) print_error("%s: %zu bytes, then %zu\n", shapes[s].name, few, many);
        assert_true(many <= few + 1024);
    }
}

static int make_points(void **state)
{
    (void)state;
    for (size_t i = 0; i < N; i++) end_point[i] = (float)((i * 31) % 97) / 97 + 0.01f;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_to_its_limit),
        cmocka_unit_test(works_with_any_budget_that_is_enough),
        cmocka_unit_test(a_single_path_is_kept_in_half_of_the_limit),
        cmocka_unit_test(holds_no_more_for_more_steps),
    };
    return cmocka_run_group_tests(tests, make_points, NULL);
}
