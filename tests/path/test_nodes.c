/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes on a curve that are placed where F changes, cut where it is reached, or drawn: against NumPy. */
#include "base/rng.h"
#include "closed_form.h"
#include "golden/path_nodes.h"
#include "internal/path.h"
#include "random_network.h"
#include "support.h"

static double minus_six(const float *x, size_t n, size_t target, float *g)
{
    double value = six(x, n, target, g);
    for (size_t i = 0; g && i < n; i++) g[i] = -g[i];
    return -value;
}

static gig_chain_result walk(double *a, closed *model, const gig_chain *chain)
{
    gig_function function = closed_function(model, 1);
    gig_chain_result result;
    assert_ok(gig_chain_run(&result, a, (gig_functions){1, &function}, chain, six_baseline, six_input, NULL));
    assert_int_equal(result.evaluations, model->gradients);
    assert_int_equal(result.values, model->values);
    return result;
}

static void expect(const double *a, const double *golden, double bound)
{
    for (size_t i = 0; i < 6; i++) assert_true(fabs(a[i] - golden[i]) < bound);
}

static void places_nodes_as_numpy_does(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        double a[6];
        closed model = {.form = six, .features = 6};
        gig_chain chain = {.steps = k ? 64 : 20, .adaptive = 1};
        gig_chain_result result = walk(a, &model, &chain);
        expect(a, k ? golden_adaptive_64 : golden_adaptive_20, 2e-6);
        assert_int_equal(result.evaluations, chain.steps);
        assert_int_equal(result.values, (chain.steps + 7) / 8 + 1 + 2); /* probes, and both ends */
        assert_true(fabs(result.delta) < 1e-2);
    }
}

static void idg_is_that_of_numpy(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        double a[6];
        closed model = {.form = six, .features = 6};
        gig_chain chain = {.steps = k ? 64 : 20, .rule = GIG_RULE_IDG};
        gig_chain_result result = walk(a, &model, &chain);
        expect(a, k ? golden_idg_64 : golden_idg_20, 2e-6);
        assert_int_equal(result.evaluations, chain.steps);
        assert_true(isnan(result.delta)); /* it adds up to nothing */
    }
}

static void cuts_where_most_of_the_score_is_reached(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        double a[6];
        closed model = {.form = minus_six, .features = 6};
        gig_chain chain = {.steps = 40, .until = k ? 0.9 : 0.5};
        gig_chain_result result = walk(a, &model, &chain);
        expect(a, k ? golden_until_90 : golden_until_50, 2e-6);
        assert_int_equal(result.evaluations, k ? GOLDEN_KEPT_90 : GOLDEN_KEPT_50);
        assert_true(isnan(result.delta));
    }
}

/* Where F is below 0, or 0, no fraction of its largest value lies below that. */
static double depth;

static double below(const float *x, size_t n, size_t target, float *g)
{
    (void)n, (void)target;
    if (g) g[0] = 1;
    return (double)x[0] - depth;
}

static void needs_a_value_above_0_to_cut(void **state)
{
    (void)state;
    const float start[1] = {0}, end[1] = {1};
    const gig_chain chain = {.steps = 16, .until = 0.9};
    gig_chain_result result;
    for (int k = 0; k < 2; k++) {
        closed model = {.form = below, .features = 1};
        gig_function function = closed_function(&model, 1);
        depth = k + 1;
        assert_status(gig_chain_run(&result, NULL, (gig_functions){1, &function}, &chain, start, end, NULL), GIG_EARG);
        assert_non_null(strstr(gig_message(), k ? "until 0.9: the largest value on the path is -1,"
                                                : "until 0.9: the largest value on the path is 0,"));
    }
    depth = 0.5; /* above 0 in the second half alone */
    closed model = {.form = below, .features = 1};
    gig_function function = closed_function(&model, 1);
    assert_ok(gig_chain_run(&result, NULL, (gig_functions){1, &function}, &chain, start, end, NULL));
    assert_int_equal(result.evaluations, 15); /* the last node, 31/32, is above 0.45 + 0.5 */
}

static void draws_nodes_as_numpy_does(void **state)
{
    (void)state;
    enum { STEPS = 30 };
    double a[6], other[6];
    closed model = {.form = six, .features = 6}, again = {.form = six, .features = 6};
    gig_chain chain = {.steps = STEPS, .rule = GIG_RULE_RANDOM, .seed = 3, .stream = 8};
    gig_chain_result result = walk(a, &model, &chain);
    expect(a, golden_drawn, 2e-6);
    assert_int_equal(result.evaluations, STEPS);
    chain.stream = 9;
    walk(other, &again, &chain);
    assert_true(fabs(other[0] - a[0]) > 1e-6);
}

/* With the same gradients a path through a step is summed better where its nodes are. */
static void steep(double *out, double x)
{
    out[0] = 1 / (1 + exp(-60 * (x - 0.3)));
    out[1] = 60 * out[0] * (1 - out[0]);
}

static double cliff(const float *x, size_t n, size_t target, float *g)
{
    (void)n, (void)target;
    double both[2];
    steep(both, (double)x[0]);
    if (g) g[0] = (float)both[1];
    return both[0];
}

static void adds_up_sooner_where_the_score_is_steep(void **state)
{
    (void)state;
    const float start[1] = {0}, end[1] = {1};
    double deltas[2];
    for (int adaptive = 0; adaptive < 2; adaptive++) {
        closed model = {.form = cliff, .features = 1};
        gig_function function = closed_function(&model, 1);
        gig_chain chain = {.steps = 16, .adaptive = adaptive};
        gig_chain_result result;
        assert_ok(gig_chain_run(&result, NULL, (gig_functions){1, &function}, &chain, start, end, NULL));
        deltas[adaptive] = fabs(result.delta);
    }
    assert_true(deltas[1] < 0.02 && deltas[1] <= deltas[0]);
}

/* All workers get the same bits. */
static void gives_the_same_bits_for_any_number_of_workers(void **state)
{
    (void)state;
    enum { N = NETWORK_INPUTS };
    float start[N] = {0}, end[N];
    for (size_t i = 0; i < N; i++) end[i] = (float)gig_rng_normal((gig_rng){1, 2}, i);
    const gig_chain chains[] = {{.steps = 50, .adaptive = 1},
                                {.steps = 50, .rule = GIG_RULE_IDG},
                                {.steps = 50, .until = 0.7},
                                {.steps = 50, .rule = GIG_RULE_RANDOM, .seed = 1}};
    for (size_t k = 0; k < 4; k++) {
        double one[N], three[N];
        closed models[3] = {{.form = random_network, .features = N},
                            {.form = random_network, .features = N},
                            {.form = random_network, .features = N}};
        gig_function functions[3];
        for (int w = 0; w < 3; w++) functions[w] = closed_function(&models[w], 2);
        gig_chain_result result;
        assert_ok(gig_chain_run(&result, one, (gig_functions){1, functions}, &chains[k], start, end, NULL));
        assert_ok(gig_chain_run(&result, three, (gig_functions){3, functions}, &chains[k], start, end, NULL));
        assert_memory_equal(one, three, sizeof one);
    }
}

static void refuses_what_does_not_go_together(void **state)
{
    (void)state;
    closed model = {.form = six, .features = 6};
    gig_function function = closed_function(&model, 1);
    gig_guide guide = gig_guide_guided(NULL);
    gig_chain_result result;
    const struct {
        gig_chain chain;
        gig_drive_options drive;
    } cases[] = {
        {{.steps = 9, .adaptive = 1, .guide = &guide}, {.tolerance = 0}},
        {{.steps = 9, .rule = GIG_RULE_IDG, .guide = &guide}, {.tolerance = 0}},
        {{.steps = 9, .rule = GIG_RULE_RANDOM, .guide = &guide}, {.tolerance = 0}},
        {{.steps = 9, .until = 0.5, .guide = &guide}, {.tolerance = 0}},
        {{.steps = 9, .adaptive = 1, .rule = GIG_RULE_LEFT}, {.tolerance = 0}},
        {{.steps = 9, .adaptive = 1, .rule = GIG_RULE_IDG}, {.tolerance = 0}},
        {{.steps = 9, .until = 0.5, .rule = GIG_RULE_TRAPEZOID}, {.tolerance = 0}},
        {{.steps = 9, .until = 0.5, .adaptive = 1}, {.tolerance = 0}},
        {{.steps = 9, .until = 1.5}, {.tolerance = 0}},
        {{.steps = 9, .until = (double)NAN}, {.tolerance = 0}},
        {{.steps = 9, .adaptive = 1}, {.tolerance = 0.1}},
        {{.steps = 9, .rule = GIG_RULE_RANDOM}, {.tolerance = 0.1}},
        {{.steps = 9, .rule = GIG_RULE_IDG}, {.close = 1}},
        {{.steps = 9, .until = 0.5}, {.close = 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_status(gig_chain_run(&result, NULL, (gig_functions){1, &function}, &cases[i].chain, six_baseline,
                                    six_input, &cases[i].drive),
                      GIG_EARG);
    double nodes[9], weights[9];
    assert_status(gig_rule_nodes(nodes, weights, GIG_RULE_IDG, 9), GIG_EARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_nodes_as_numpy_does),
        cmocka_unit_test(idg_is_that_of_numpy),
        cmocka_unit_test(cuts_where_most_of_the_score_is_reached),
        cmocka_unit_test(needs_a_value_above_0_to_cut),
        cmocka_unit_test(draws_nodes_as_numpy_does),
        cmocka_unit_test(adds_up_sooner_where_the_score_is_steep),
        cmocka_unit_test(gives_the_same_bits_for_any_number_of_workers),
        cmocka_unit_test(refuses_what_does_not_go_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
