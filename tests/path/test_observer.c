/* SPDX-License-Identifier: Apache-2.0 */
/* What an observer sees of a walk, and how many chains are under way at once. */
#include "closed_form.h"
#include "gig/path.h"
#include "random_network.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N = NETWORK_INPUTS, MOST_WALKS = 16 };

static float start_point[N], end_point[N];

static int make_points(void **state)
{
    (void)state;
    for (size_t i = 0; i < N; i++) {
        start_point[i] = (float)gig_rng_normal((gig_rng){21, 0}, i);
        end_point[i] = (float)gig_rng_normal((gig_rng){22, 0}, i);
    }
    return 0;
}

/* ---- one view after the other ---- */

/* Walks interleave: each is followed by itself. */
typedef struct follower {
    size_t next_step;
    float point[N], gradient[N]; /* of the view before */
    double so_far[N];
} follower;

typedef struct watcher {
    int left; /* what is attributed can be followed from view to view */
    size_t views, lasts;
    follower walks[MOST_WALKS];
    double total[N];
} watcher;

static double share_of_way(const float *point)
{
    double whole = 0, left = 0;
    for (size_t i = 0; i < N; i++) {
        whole += fabs((double)end_point[i] - (double)start_point[i]);
        left += fabs((double)end_point[i] - (double)point[i]);
    }
    return 1 - left / whole;
}

static void check_attributions(follower *walk, const gig_view *view)
{
    for (size_t i = 0; i < N && view->step > 0; i++)
        walk->so_far[i] += ((double)view->point[i] - (double)walk->point[i]) * (double)walk->gradient[i];
    for (size_t i = 0; i < N; i++) assert_true(fabs(view->attributions[i] - walk->so_far[i]) < 1e-6);
    memcpy(walk->point, view->point, sizeof walk->point);
    if (view->gradient) memcpy(walk->gradient, view->gradient, sizeof walk->gradient);
}

static gig_status watch(void *payload, const gig_view *view)
{
    watcher *self = payload;
    float gradient[N];
    assert_int_equal(view->chain, 0);
    assert_int_equal(view->features, N);
    assert_in_range(view->walk, 0, view->walks - 1);
    assert_int_equal(view->step, self->walks[view->walk].next_step++);
    assert_true(view->value == random_network(view->point, N, 3, gradient));
    if (view->gradient) assert_memory_equal(view->gradient, gradient, sizeof gradient);
    assert_true(view->gradient || view->step == view->steps);
    assert_true(fabs(view->alpha - share_of_way(view->point)) < 1e-6);
    assert_int_equal(view->total != NULL, view->step == view->steps);
    assert_int_equal(view->last, view->step == view->steps && view->walk + 1 == view->walks);
    if (self->left) check_attributions(&self->walks[view->walk], view);
    for (size_t i = 0; view->total && i < N; i++) {
        self->total[i] += view->attributions[i];
        assert_true(fabs(view->total[i] - self->total[i]) < 1e-9);
    }
    if (view->last) assert_memory_equal(view->point, end_point, sizeof end_point);
    self->lasts += (size_t)view->last;
    self->views++;
    return GIG_OK;
}

static watcher walk(double *attributions, int guided, gig_rule rule, size_t segments, double tolerance, size_t *rounds)
{
    watcher seen = {.left = rule == GIG_RULE_LEFT};
    closed model = {.form = random_network, .features = N};
    gig_function function = closed_function(&model, 1);
    gig_guide guide = gig_guide_guided(NULL);
    gig_chain chain = {.guide = guided ? &guide : NULL, .target = 3, .steps = 30, .segments = segments, .rule = rule};
    gig_drive_options options = {.tolerance = tolerance, .observe = watch, .observe_payload = &seen};
    gig_chain_result result;
    assert_int_equal(
        gig_chain_run(&result, attributions, (gig_functions){1, &function}, &chain, start_point, end_point, &options),
        GIG_OK);
    *rounds = result.rounds;
    return seen;
}

static void sees_point_value_gradient_alpha_and_attributions(void **state)
{
    (void)state;
    static const gig_rule rules[] = {GIG_RULE_LEFT, GIG_RULE_RIGHT, GIG_RULE_TRAPEZOID, GIG_RULE_MIDPOINT,
                                     GIG_RULE_IDGI};
    for (int guided = 0; guided < 2; guided++)
        for (size_t r = 0; r < 5; r++)
            for (size_t segments = 1; segments <= (guided ? 5 : 1); segments += 4) {
                double a[N];
                size_t rounds;
                if (!guided && rules[r] == GIG_RULE_RIGHT) continue; /* has no gradient at the start */
                watcher seen = walk(a, guided, rules[r], segments, 0, &rounds);
                assert_int_equal(seen.lasts, 1);
                for (size_t i = 0; i < N; i++) assert_true(fabs(a[i] - seen.total[i]) < 1e-9);
                assert_int_equal(seen.views, 30 + (guided ? segments : 4)); /* 30 steps of a line are 4 walks */
            }
}

static void does_not_see_what_refinement_adds(void **state)
{
    (void)state;
    for (int guided = 0; guided < 2; guided++) {
        size_t rounds, unrefined;
        double a[N];
        watcher plain = walk(a, guided, GIG_RULE_MIDPOINT, 1, 0, &unrefined);
        watcher refined = walk(a, guided, GIG_RULE_MIDPOINT, 1, 1e-9, &rounds);
        assert_true(rounds > 0 && unrefined == 0);
        assert_int_equal(plain.views, refined.views);
    }
}

/* ---- running chains ---- */

enum { CHAINS = 60, LONG = 3000, WORKERS = 2 };

typedef struct pile {
    atomic_size_t made, taken, most;
} pile;

/* The first chain is long, and chains are handed over in order: the others pile up behind it. */
static gig_status make(void *payload, size_t index, gig_chain *out, float *start, float *end)
{
    pile *self = payload;
    size_t under_way = atomic_fetch_add(&self->made, 1) + 1 - atomic_load(&self->taken);
    if (under_way > atomic_load(&self->most)) atomic_store(&self->most, under_way);
    *out = (gig_chain){.steps = index ? 1 : LONG};
    memcpy(start, start_point, sizeof start_point);
    memcpy(end, end_point, sizeof end_point);
    return GIG_OK;
}

static gig_status take(void *payload, size_t index, const gig_chain_result *result)
{
    pile *self = payload;
    (void)index, (void)result;
    atomic_fetch_add(&self->taken, 1);
    return GIG_OK;
}

static void no_more_chains_are_under_way_than_workers_and_four(void **state)
{
    (void)state;
    for (size_t max_batch = 1; max_batch <= 3; max_batch += 2) {
        closed models[WORKERS] = {{.form = random_network, .features = N}, {.form = random_network, .features = N}};
        gig_function functions[WORKERS] = {closed_function(&models[0], max_batch),
                                           closed_function(&models[1], max_batch)};
        pile self = {0};
        assert_int_equal(gig_chains_run((gig_functions){WORKERS, functions}, CHAINS, make, take, &self, NULL), GIG_OK);
        assert_int_equal(self.taken, CHAINS);
        assert_true(self.most <= WORKERS * max_batch + 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sees_point_value_gradient_alpha_and_attributions),
        cmocka_unit_test(does_not_see_what_refinement_adds),
        cmocka_unit_test(no_more_chains_are_under_way_than_workers_and_four),
    };
    return cmocka_run_group_tests(tests, make_points, NULL);
}
