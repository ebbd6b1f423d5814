/* SPDX-License-Identifier: Apache-2.0 */
/* The driver: same bits for any number of workers and any batch, results in order, the first failing walk wins, clean
 * stops, a bounded number of walks in flight. */
#include "base/memory.h"
#include "closed_form.h"
#include "gig/path.h"
#include "random_network.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { N = NETWORK_INPUTS, CHAINS = 5, WORKERS = 3 };

/* Several chains: chain i walks from random start i to random end i, for target i. */
typedef struct batch {
    gig_chain chain;
    size_t taken;
    double attributions[CHAINS][N];
    gig_chain_result results[CHAINS];
    gig_status take_fails_at[CHAINS], make_fails_at[CHAINS];
} batch;

static gig_status make(void *payload, size_t index, gig_chain *out, float *start, float *end)
{
    batch *self = payload;
    if (self->make_fails_at[index]) return self->make_fails_at[index];
    *out = self->chain;
    out->target = index;
    for (size_t i = 0; i < N; i++) {
        start[i] = (float)gig_rng_normal((gig_rng){7, index}, i);
        end[i] = (float)gig_rng_normal((gig_rng){8, index}, i);
    }
    return GIG_OK;
}

static gig_status take(void *payload, size_t index, const gig_chain_result *result)
{
    batch *self = payload;
    assert_int_equal(index, self->taken);
    self->taken++;
    if (self->take_fails_at[index]) return self->take_fails_at[index];
    self->results[index] = *result;
    self->results[index].attributions = NULL;
    memcpy(self->attributions[index], result->attributions, N * sizeof(double));
    return GIG_OK;
}

static gig_status run(batch *self, size_t workers, size_t max_batch, const gig_drive_options *options)
{
    closed models[WORKERS] = {{.form = random_network, .features = N},
                              {.form = random_network, .features = N},
                              {.form = random_network, .features = N}};
    gig_function functions[WORKERS];
    for (size_t i = 0; i < WORKERS; i++) functions[i] = closed_function(&models[i], max_batch);
    return gig_chains_run((gig_functions){workers, functions}, CHAINS, make, take, self, options);
}

/* Every shape of chain that the driver knows. */
static const struct {
    int guided;
    size_t segments;
    gig_rule rule;
    double tolerance;
    int close;
} shapes[] = {
    {1, 1, GIG_RULE_LEFT, 0, 0},        {1, 7, GIG_RULE_LEFT, 0, 1},        {1, 7, GIG_RULE_RIGHT, 0, 0},
    {1, 7, GIG_RULE_TRAPEZOID, 0, 1},   {1, 7, GIG_RULE_MIDPOINT, 0, 0},    {1, 7, GIG_RULE_IDGI, 0, 0},
    {1, 7, GIG_RULE_LEFT, 1e-7, 0},     {1, 7, GIG_RULE_MIDPOINT, 1e-7, 1}, {0, 0, GIG_RULE_MIDPOINT, 0, 0},
    {0, 0, GIG_RULE_LEFT, 0, 1},        {0, 0, GIG_RULE_RIGHT, 0, 0},       {0, 0, GIG_RULE_TRAPEZOID, 0, 0},
    {0, 0, GIG_RULE_IDGI, 0, 0},        {0, 0, GIG_RULE_PAIR, 0, 1},        {0, 0, GIG_RULE_GAUSS_LEGENDRE, 0, 0},
    {0, 0, GIG_RULE_MIDPOINT, 1e-7, 0}, {0, 0, GIG_RULE_LEFT, 1e-7, 1},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static gig_guide guide;

static void prepare(batch *self, gig_drive_options *options, size_t shape)
{
    *self = (batch){.chain = {.steps = 45, .rule = shapes[shape].rule}};
    *options = (gig_drive_options){.tolerance = shapes[shape].tolerance, .close = shapes[shape].close};
    guide = gig_guide_guided(NULL);
    if (!shapes[shape].guided) return;
    self->chain.guide = &guide;
    self->chain.segments = shapes[shape].segments;
}

static void gives_the_same_bits_for_any_workers_and_batch(void **state)
{
    (void)state;
    for (size_t s = 0; s < SHAPES; s++) {
        batch one, other;
        gig_drive_options options;
        prepare(&one, &options, s);
        assert_int_equal(run(&one, 1, 1, &options), GIG_OK);
        assert_int_equal(one.taken, CHAINS);
        for (size_t workers = 1; workers <= WORKERS; workers++)
            for (size_t max_batch = 1; max_batch <= 5; max_batch += 2) {
                prepare(&other, &options, s);
                assert_int_equal(run(&other, workers, max_batch, &options), GIG_OK);
                assert_memory_equal(one.attributions, other.attributions, sizeof one.attributions);
                for (size_t i = 0; i < CHAINS; i++) /* up to the padding */
                    assert_memory_equal(&one.results[i], &other.results[i], offsetof(gig_chain_result, stopped));
            }
    }
}

static void leaves_no_memory_behind(void **state)
{
    (void)state;
    size_t before = gig_memory_used();
    for (size_t s = 0; s < SHAPES; s++) {
        batch self;
        gig_drive_options options;
        prepare(&self, &options, s);
        assert_int_equal(run(&self, 2, 2, &options), GIG_OK);
        assert_int_equal(gig_memory_used(), before);
    }
}

static void survives_each_failing_allocation(void **state)
{
    (void)state;
    size_t before = gig_memory_used();
    for (size_t s = 0; s < SHAPES; s++)
        for (int lasting = 0; lasting < 2; lasting++)
            for (size_t at = 0;; at++) {
                batch self;
                gig_drive_options options;
                prepare(&self, &options, s);
                self.chain.steps = 8;
                options.max_evaluations = 20;
                gig_memory_fail_at(at, lasting);
                gig_status status = run(&self, 1, 2, &options);
                size_t made = gig_memory_allocations();
                gig_memory_fail_at(SIZE_MAX, 0);
                assert_int_equal(gig_memory_used(), before);
                if (made <= at) {
                    assert_int_equal(status, GIG_OK);
                    break;
                }
                assert_int_equal(status, GIG_ENOMEM);
            }
}

/* Stops after `left` more calls. */
static int stop_after(void *payload, const gig_progress *progress)
{
    size_t *left = payload;
    assert_true(progress->evaluations <= progress->expected);
    assert_true(progress->chains <= progress->chain_count);
    return (*left)-- == 0;
}

static void can_be_cancelled_at_any_step(void **state)
{
    (void)state;
    size_t before = gig_memory_used();
    for (size_t s = 0; s < SHAPES; s++)
        for (size_t at = 0;; at += 7) {
            batch self;
            gig_drive_options options;
            prepare(&self, &options, s);
            size_t left = at;
            options.progress = stop_after;
            options.progress_payload = &left;
            gig_status status = run(&self, 2, 2, &options);
            assert_int_equal(gig_memory_used(), before);
            if (status == GIG_OK) break;
            assert_int_equal(status, GIG_ECANCEL);
            assert_true(self.taken < CHAINS);
        }
}

/* A function that fails for one target after some calls, and for another at once: the lower chain is blamed. */
static gig_status failing(void *payload, size_t points_count, const float *const *points, const size_t *targets,
                          double *values, float *const *gradients)
{
    const size_t *which = payload;
    for (size_t i = 0; i < points_count; i++) {
        if (which[targets[i]] == 1) return GIG_EUNSUPPORTED;
        values[i] = random_network(points[i], N, targets[i], gradients ? gradients[i] : NULL);
        if (which[targets[i]] == 2) values[i] = NAN;
    }
    return GIG_OK;
}

static void blames_the_first_failing_walk(void **state)
{
    (void)state;
    size_t before = gig_memory_used();
    for (size_t s = 0; s < SHAPES; s++)
        for (size_t workers = 1; workers <= WORKERS; workers++)
            for (size_t max_batch = 1; max_batch <= 4; max_batch += 3) {
                static const size_t which[CHAINS] = {0, 0, 2, 1, 1};
                batch self;
                gig_drive_options options;
                gig_function functions[WORKERS];
                prepare(&self, &options, s);
                for (size_t i = 0; i < WORKERS; i++)
                    functions[i] = (gig_function){N, max_batch, failing, (void *)(uintptr_t)which};
                assert_int_equal(
                    gig_chains_run((gig_functions){workers, functions}, CHAINS, make, take, &self, &options),
                    GIG_ENUMERIC);
                assert_string_equal(gig_message(), "chain 2: step 0: the value is nan");
                assert_int_equal(self.taken, 2);
                assert_int_equal(gig_memory_used(), before);
            }
}

static void passes_on_what_make_and_take_return(void **state)
{
    (void)state;
    for (size_t workers = 1; workers <= WORKERS; workers++) {
        batch self;
        gig_drive_options options;
        prepare(&self, &options, 1);
        self.take_fails_at[2] = GIG_EIO;
        self.make_fails_at[4] = GIG_EFORMAT;
        assert_int_equal(run(&self, workers, 1, &options), GIG_EIO);
        assert_int_equal(self.taken, 3);
        prepare(&self, &options, 1);
        self.make_fails_at[3] = GIG_EFORMAT;
        assert_int_equal(run(&self, workers, 1, &options), GIG_EFORMAT);
        assert_int_equal(self.taken, 3);
    }
}

static void works_within_a_small_memory(void **state)
{
    (void)state;
    batch plenty, tight;
    gig_drive_options options;
    prepare(&plenty, &options, 3);
    assert_int_equal(run(&plenty, 2, 2, &options), GIG_OK);
    size_t least = 0;
    for (size_t bytes = 1000; !least; bytes += 500) {
        prepare(&tight, &options, 3);
        options.max_memory = bytes;
        gig_memory_reset_peak();
        size_t before = gig_memory_used();
        gig_status status = run(&tight, 2, 2, &options);
        if (status == GIG_OK) {
            least = bytes;
            assert_memory_equal(plenty.attributions, tight.attributions, sizeof tight.attributions);
            assert_true(gig_memory_peak() - before < 2 * bytes + 4096); /* and bookkeeping */
        } else {
            assert_int_equal(status, GIG_ELIMIT);
        }
    }
    assert_true(least > 1000);
}

/* Without a tolerance, what a run holds does not depend on its steps, but for a few numbers each. */
static void memory_does_not_grow_with_steps(void **state)
{
    (void)state;
    for (size_t s = 0; s < SHAPES; s++) {
        if (shapes[s].tolerance > 0) continue;
        size_t peaks[2];
        for (size_t k = 0; k < 2; k++) {
            batch self;
            gig_drive_options options;
            prepare(&self, &options, s);
            self.chain.steps = k ? 1000 : 100;
            size_t before = gig_memory_used();
            gig_memory_reset_peak();
            assert_int_equal(run(&self, 1, 1, &options), GIG_OK);
            peaks[k] = gig_memory_peak() - before;
        }
        assert_true(peaks[1] <= peaks[0] + CHAINS * 900 * 3 * sizeof(double));
    }
}

static void refuses_nonsense(void **state)
{
    (void)state;
    static const struct {
        gig_chain chain;
        const char *says;
    } cases[] = {
        {{.steps = 0}, "steps 0"},
        {{.steps = 3, .open = 1}, "open"},
        {{.steps = 3, .segments = 2}, "segments"},
        {{.steps = 3, .rule = GIG_RULE_GRADIENT}, "gradient"},
        {{.steps = 3, .rule = (gig_rule)77}, "rule"},
        {{.steps = 3, .segments = 4, .guide = &guide}, "3 steps are too few for 4 segments"},
        {{.steps = 3, .rule = GIG_RULE_PAIR, .guide = &guide}, "pair"},
        {{.steps = 3, .rule = GIG_RULE_GAUSS_LEGENDRE, .guide = &guide}, "gauss-legendre"},
    };
    guide = gig_guide_guided(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        batch self = {.chain = cases[i].chain};
        assert_int_equal(run(&self, 1, 1, NULL), GIG_EARG);
        assert_non_null(strstr(gig_message(), cases[i].says));
    }
    batch self = {.chain = {.steps = 3}};
    gig_drive_options options = {.tolerance = NAN};
    assert_int_equal(run(&self, 1, 1, &options), GIG_EARG);
    options.tolerance = -1;
    assert_int_equal(run(&self, 1, 1, &options), GIG_EARG);
    assert_int_equal(gig_chains_run((gig_functions){0, NULL}, 1, make, take, &self, NULL), GIG_EARG);
    gig_function functions[2] = {{.features = 3, .max_batch = 1}, {.features = 4, .max_batch = 1}};
    assert_int_equal(gig_chains_run((gig_functions){2, functions}, 1, make, take, &self, NULL), GIG_EARG);
    assert_int_equal(gig_chains_run((gig_functions){1, functions}, 1, make, take, &self, NULL), GIG_EARG);
    assert_string_equal(gig_message(), "worker 0 has no function");
}

/* A curve of another size than the function would be written past the driver's arrays. */
static void refuses_curves_of_other_sizes(void **state)
{
    (void)state;
    const float picture[30] = {0};
    static const size_t sizes[][2] = {{5, 6}, {5, 0}, {5, 100000}, {SIZE_MAX / 2, 4}};
    closed model = {.form = sum_of_sines, .features = 25};
    gig_function function = closed_function(&model, 1);
    gig_chain_result result;
    for (size_t i = 0; i < 4; i++) {
        const gig_blur_path blur = {
            .picture = picture, .height = sizes[i][0], .width = sizes[i][1], .channels = 1, .sigma = 2};
        const gig_curve curve = gig_curve_blur(&blur);
        const gig_chain chain = {.curve = &curve, .steps = 3};
        assert_int_equal(gig_chain_run(&result, NULL, (gig_functions){1, &function}, &chain, NULL, NULL, NULL),
                         GIG_EARG);
        assert_string_equal(gig_message(), "the curve's points do not have the function's 25 features");
    }
    const gig_line_path line = {30, picture, picture};
    const gig_curve curve = gig_curve_line(&line);
    const gig_chain chain = {.curve = &curve, .steps = 3};
    assert_int_equal(gig_chain_run(&result, NULL, (gig_functions){1, &function}, &chain, NULL, NULL, NULL), GIG_EARG);
}

static gig_status square_point(void *payload, size_t index, float *point, size_t *target)
{
    (void)payload;
    point[0] = (float)index;
    point[1] = 1;
    *target = 0;
    return GIG_OK;
}

/* "No limit" takes no more memory than the work needs. */
static void takes_functions_without_a_limit_of_points(void **state)
{
    (void)state;
    closed model = {.form = dependent_quadratic, .features = 2};
    gig_function function = closed_function(&model, SIZE_MAX);
    double values[10];
    assert_int_equal(gig_drive_values(values, (gig_functions){1, &function}, 10, square_point, NULL, NULL), GIG_OK);
    assert_true(values[9] == 19 * 19);
    assert_int_equal(gig_drive_values(NULL, (gig_functions){1, &function}, 0, square_point, NULL, NULL), GIG_OK);
    const float start[2] = {0, 0}, end[2] = {1, 1};
    const gig_chain chain = {.steps = 3};
    gig_chain_result result;
    size_t before = gig_memory_peak();
    assert_int_equal(gig_chain_run(&result, NULL, (gig_functions){1, &function}, &chain, start, end, NULL), GIG_OK);
    assert_true(gig_memory_peak() - before < 1 << 20);
}

static void evaluates_values_at_given_points(void **state)
{
    (void)state;
    double values[101];
    for (size_t workers = 1; workers <= 3; workers++)
        for (size_t max_batch = 1; max_batch <= 8; max_batch += 7) {
            closed models[3] = {{.form = dependent_quadratic, .features = 2},
                                {.form = dependent_quadratic, .features = 2},
                                {.form = dependent_quadratic, .features = 2}};
            gig_function functions[3];
            for (size_t i = 0; i < 3; i++) functions[i] = closed_function(&models[i], max_batch);
            memset(values, 0, sizeof values);
            assert_int_equal(
                gig_drive_values(values, (gig_functions){workers, functions}, 101, square_point, NULL, NULL), GIG_OK);
            for (size_t i = 0; i < 101; i++) assert_true(values[i] == (2. * (double)i + 1) * (2. * (double)i + 1));
            size_t left = 3;
            gig_drive_options options = {.progress = stop_after, .progress_payload = &left};
            assert_int_equal(
                gig_drive_values(values, (gig_functions){workers, functions}, 101, square_point, NULL, &options),
                GIG_ECANCEL);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_same_bits_for_any_workers_and_batch),
        cmocka_unit_test(refuses_curves_of_other_sizes),
        cmocka_unit_test(takes_functions_without_a_limit_of_points),
        cmocka_unit_test(leaves_no_memory_behind),
        cmocka_unit_test(survives_each_failing_allocation),
        cmocka_unit_test(can_be_cancelled_at_any_step),
        cmocka_unit_test(blames_the_first_failing_walk),
        cmocka_unit_test(passes_on_what_make_and_take_return),
        cmocka_unit_test(works_within_a_small_memory),
        cmocka_unit_test(memory_does_not_grow_with_steps),
        cmocka_unit_test(refuses_nonsense),
        cmocka_unit_test(evaluates_values_at_given_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
