/* SPDX-License-Identifier: Apache-2.0 */
/* Paths, rules and baselines by their names: sig, placed, cut and drawn nodes, several given baselines, paper. */
#include "golden/path_nodes.h"
#include "internal/path.h"
#include "run_method.h"

/* What a chain of the driver gives for input 1 of the random network. */
static void walk_directly(double *a, const gig_chain *chain, const float *start)
{
    float points[INPUTS][N], zero[N] = {0};
    make_inputs(points);
    closed model = {.form = random_network, .features = N};
    gig_function function = closed_function(&model, 1);
    gig_chain_result result;
    gig_chain own = *chain;
    own.target = 11;
    assert_ok(gig_chain_run(&result, a, (gig_functions){1, &function}, &own, start ? start : zero, points[1], NULL));
}

static void expect_same(const char *name, const gig_run_options *options, const double *expected)
{
    gig_explanation got;
    assert_ok(explain(&got, 1, 1, name, 1, 1, options));
    for (size_t i = 0; i < N; i++) assert_true(fabs((double)got.attributions[i] - expected[i]) < 1e-6);
    gig_explanation_clear(&got);
}

static void sig_walks_the_spectral_curve(void **state)
{
    (void)state;
    float points[INPUTS][N], zero[N] = {0};
    make_inputs(points);
    for (int basis = 0; basis < 2; basis++) {
        double a[N];
        const gig_spectral_options how = {.start = zero,
                                          .end = points[1],
                                          .height = 8,
                                          .width = 8,
                                          .channels = 1,
                                          .basis = (gig_basis)basis,
                                          .overlap = 0.6};
        gig_spectral_path *path;
        assert_ok(gig_spectral_create(&path, &how));
        gig_curve curve = gig_curve_spectral(path);
        gig_chain chain = {.curve = &curve, .steps = 12, .rule = GIG_RULE_LEFT};
        walk_directly(a, &chain, NULL);
        expect_same(basis ? "sig/basis=dct/blend=0.6/steps=12" : "sig/blend=0.6/steps=12", NULL, a);
        gig_spectral_free(path);
    }
}

/* An overlap of 1 is the straight line, wherever the rule's nodes are. */
static void sig_with_full_overlap_is_ig(void **state)
{
    (void)state;
    static const char *const rules[] = {"midpoint",       "left", "right",           "trapezoid",
                                        "gauss-legendre", "pair", "captum-trapezoid"};
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        char names[2][80];
        gig_explanation got[2];
        snprintf(names[0], sizeof names[0], "sig/blend=1/rule=%s/steps=9", rules[r]);
        snprintf(names[1], sizeof names[1], "ig/rule=%s/steps=9", rules[r]);
        for (size_t k = 0; k < 2; k++) assert_ok(explain(&got[k], 0, 1, names[k], 1, 1, NULL));
        for (size_t i = 0; i < N; i++)
            assert_true(fabs((double)got[0].attributions[i] - (double)got[1].attributions[i]) < 1e-5);
        assert_true(fabs(got[0].delta - got[1].delta) < 1e-5);
        clear(got, 2);
    }
}

static double sum_of_all(const float *x, size_t n, size_t target, float *gradient)
{
    double sum = 0;
    (void)target;
    for (size_t i = 0; i < n; i++) {
        sum += (double)x[i];
        if (gradient) gradient[i] = 1;
    }
    return sum;
}

/* The tangent jumps where parts begin and end to come in. With 0.4 x 20 = 8 nodes in each part's time, wherever the
 * rule's nodes are, a linear function adds up. */
static void sig_counts_each_part_over_its_whole_time(void **state)
{
    (void)state;
    static const char *const names[] = {"sig/steps=20",
                                        "sig/rule=right/steps=20",
                                        "sig/rule=trapezoid/steps=20",
                                        "sig/basis=dct/rule=right/steps=20",
                                        "sig/rule=midpoint/steps=20",
                                        "sig/steps=20/tolerance=0.001",
                                        "sig/rule=right/steps=20/tolerance=0.001"};
    float points[INPUTS][N];
    make_inputs(points);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        gig_explanation got;
        const gig_run_options options = {.shape = square};
        assert_ok(try_explaining(&got, names[k], sum_of_all, N, points[0], &options));
        assert_true(fabs(got.delta) < 1e-4);
        for (size_t i = 0; i < N; i++) assert_true(fabs((double)got.attributions[i] - (double)points[0][i]) < 1e-4);
        assert_int_equal(got.stopped, 0);
        if (strstr(names[k], "steps=20")) assert_in_range(got.evaluations, 20, 21); /* nothing to refine */
        gig_explanation_clear(&got);
    }
}

static void sig_gets_baselines_samples_draws_and_regions(void **state)
{
    (void)state;
    static const char *const names[] = {"sig/baseline=black+white/steps=5", "smooth+sig/samples=3/steps=5",
                                        "sig/repeat=3/steps=5", "xrai+sig/steps=5", "sig/close=yes/rule=idgi/steps=5"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        gig_explanation all[INPUTS], alone;
        assert_ok(explain(all, 0, INPUTS, names[k], WORKERS, 2, NULL));
        assert_ok(explain(&alone, 2, 1, names[k], 1, 1, NULL));
        assert_string_equal(alone.method, names[k]);
        assert_memory_equal(all[2].attributions, alone.attributions, alone.count * sizeof *alone.attributions);
        clear(all, INPUTS);
        gig_explanation_clear(&alone);
    }
}

static void nodes_are_placed_cut_and_drawn(void **state)
{
    (void)state;
    double a[N];
    const gig_chain chains[] = {{.steps = 20, .adaptive = 1},
                                {.steps = 20, .rule = GIG_RULE_IDG},
                                {.steps = 20, .until = 0.5},
                                {.steps = 20, .rule = GIG_RULE_RANDOM, .seed = 0, .stream = (uint64_t)1 << 34}};
    static const char *const names[] = {"ig/nodes=adaptive/steps=20", "ig/rule=idg/steps=20", "ig/steps=20/until=0.5",
                                        "ig/rule=random/steps=20"};
    for (size_t k = 0; k < 4; k++) {
        gig_explanation got;
        walk_directly(a, &chains[k], NULL);
        expect_same(names[k], NULL, a);
        assert_ok(explain(&got, 1, 1, names[k], 1, 1, NULL));
        assert_string_equal(got.method, names[k]);
        assert_true(isnan(got.sum) == (k == 1 || k == 2)); /* these do not add up, and claim no sum */
        gig_explanation_clear(&got);
    }
}

/* Expected Gradients: every baseline has its own draw of nodes. */
static void expected_gradients_are_those_of_numpy(void **state)
{
    (void)state;
    float baselines[12];
    for (size_t i = 0; i < 6; i++) {
        baselines[i] = six_baseline[i];
        baselines[6 + i] = golden_other_start[i];
    }
    gig_method method;
    assert_ok(gig_method_parse(&method, "ig/rule=random/steps=25", NULL));
    method.baseline = GIG_BASELINE_GIVEN;
    method.baseline_count = 2;
    closed models[WORKERS] = {{.form = six, .features = 6}, {.form = six, .features = 6}, {.form = six, .features = 6}};
    gig_function functions[WORKERS];
    for (size_t i = 0; i < WORKERS; i++) functions[i] = closed_function(&models[i], 2);
    const float *inputs[2] = {six_input, six_input}; /* every input has the same draws */
    const size_t targets[2] = {0};
    gig_explanation got[2];
    const gig_run_options options = {.baseline = baselines, .seed = ((uint64_t)1 << 33) + 6};
    assert_ok(gig_method_run(got, 2, inputs, targets, (gig_functions){WORKERS, functions}, &method, &options));
    for (size_t k = 0; k < 2; k++) {
        assert_int_equal(got[k].evaluations, 50);
        for (size_t i = 0; i < 6; i++) assert_float_equal(got[k].attributions[i], golden_expected_gradients[i], 2e-6);
    }
    clear(got, 2);
}

static void several_given_baselines_are_averaged(void **state)
{
    (void)state;
    static float baselines[2 * N];
    double one[N], two[N];
    for (size_t i = 0; i < 2 * N; i++) baselines[i] = (float)gig_rng_uniform((gig_rng){77, 0}, i);
    const gig_chain chain = {.steps = 7};
    walk_directly(one, &chain, baselines);
    walk_directly(two, &chain, baselines + N);
    gig_method method;
    assert_ok(gig_method_parse(&method, "ig/steps=7", NULL));
    method.baseline = GIG_BASELINE_GIVEN;
    method.baseline_count = 2;
    assert_int_equal(gig_method_evaluations(&method), 14);
    float points[INPUTS][N];
    make_inputs(points);
    closed model = {.form = random_network, .features = N};
    gig_function function = closed_function(&model, 1);
    const float *input = points[1];
    size_t target = 11;
    gig_explanation got;
    const gig_run_options options = {.baseline = baselines};
    assert_ok(gig_method_run(&got, 1, &input, &target, (gig_functions){1, &function}, &method, &options));
    for (size_t i = 0; i < N; i++) assert_true(fabs((double)got.attributions[i] - (one[i] + two[i]) / 2) < 1e-6);
    gig_explanation_clear(&got);
    baselines[N + 3] = (float)NAN;
    assert_status(gig_method_run(&got, 1, &input, &target, (gig_functions){1, &function}, &method, &options),
                  GIG_ENUMERIC);
}

/* No flag changes it but the baseline, of which the paper has several. */
static void paper_is_what_was_published(void **state)
{
    (void)state;
    static const char *const set[][2] = {{"steps", "50"},
                                         {"rule", "trapezoid"},
                                         {"fraction", "0.5"},
                                         {"max-dist", "0.02"},
                                         {"fraction-of", "remaining"},
                                         {"repeat", "2"},
                                         {"tolerance", "0.5"},
                                         {"close", "yes"},
                                         {"steps-per-segment", "3"},
                                         {"max-evaluations", "900"}};
    gig_method flags, method;
    char name[GIG_METHOD_NAME_BYTES];
    gig_method_init(&flags);
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        assert_ok(gig_method_set(&flags, set[i][0], set[i][1]));
        assert_true(gig_method_fixes("paper", set[i][0]) && !gig_method_fixes("gig:20", set[i][0]));
    }
    assert_ok(gig_method_parse(&method, "paper", &flags));
    assert_string_equal(gig_method_name(name, sizeof name, &method), "gig:20");
    assert_true(method.steps == 200 && gig_method_rule(&method) == GIG_RULE_LEFT);
    assert_false(gig_method_fixes("paper", "baseline"));
    assert_ok(gig_method_set(&flags, "baseline", "blur:3"));
    assert_ok(gig_method_parse(&method, "paper", &flags));
    assert_string_equal(gig_method_name(name, sizeof name, &method), "gig:20/baseline=blur:3");
    assert_ok(gig_method_parse(&method, "paper", NULL));
    assert_string_equal(gig_method_name(name, sizeof name, &method), "gig:20");
}

/* The flags count, and the name that is printed says what it stands for. */
static void auto_is_the_chosen_method(void **state)
{
    (void)state;
    gig_method flags, method, chosen;
    char name[GIG_METHOD_NAME_BYTES], other[GIG_METHOD_NAME_BYTES];
    gig_method_init(&flags);
    assert_ok(gig_method_set(&flags, "steps", "50"));
    assert_ok(gig_method_parse(&method, "auto", &flags));
    assert_ok(gig_method_parse(&chosen, gig_method_auto(1), &flags));
    assert_string_equal(gig_method_name(name, sizeof name, &method), gig_method_name(other, sizeof other, &chosen));
    assert_null(strstr(name, "auto"));
    assert_ok(gig_method_parse(&chosen, gig_method_auto(0), NULL));
    assert_false(chosen.row->traits & GIG_METHOD_PICTURE);
}

/* Whatever steps, rule and repeat it stands for: those that were set hold, be they the defaults; of a name given in
 * full they do not. */
static void auto_gives_way_to_what_was_set(void **state)
{
    (void)state;
    static const char *const steps[] = {"200", "50"};
    for (size_t i = 0; i < 2; i++)
        for (int picture = 0; picture < 2; picture++) {
            gig_method flags, method, plain;
            char copy[GIG_METHOD_NAME_BYTES];
            gig_method_init(&flags);
            assert_ok(gig_method_parse(&plain, gig_method_auto(picture), NULL));
            assert_ok(gig_method_set(&flags, "steps", steps[i]));
            assert_ok(gig_method_set(&flags, "rule", "trapezoid"));
            assert_ok(gig_method_parse(&method, picture ? "auto" : gig_method_auto(0), &flags));
            assert_true(method.row == plain.row && method.anchors == plain.anchors);
            assert_true(method.steps == (i ? 50 : 200) && gig_method_rule(&method) == GIG_RULE_TRAPEZOID);
            assert_ok(gig_method_set(&flags, "repeat", "3"));
            assert_ok(gig_method_parse(&method, "auto", &flags));
            assert_true(method.repeat == 3);
            snprintf(copy, sizeof copy, "%s/steps=21", plain.row->name);
            assert_ok(gig_method_parse(&method, copy, &flags));
            assert_true(method.steps == 21);
        }
}

/* Rule midpoint is ig's own default, and counts nevertheless, so that adaptive nodes are possible. */
static void auto_gives_way_to_defaults_that_were_said(void **state)
{
    (void)state;
    static const char *const given[][3] = {{"rule", "midpoint", "ig/steps=84"},
                                           {"steps", "200", "ig/rule=idgi"},
                                           {"repeat", "1", "ig/rule=idgi/steps=84"}};
    gig_method flags, method;
    char name[GIG_METHOD_NAME_BYTES];
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        gig_method_init(&flags);
        assert_ok(gig_method_set(&flags, given[i][0], given[i][1]));
        assert_ok(gig_method_parse(&method, "auto", &flags));
        assert_string_equal(gig_method_name(name, sizeof name, &method), given[i][2]);
        assert_int_equal(method.given, 0); /* equal names, equal structs */
    }
    gig_method_init(&flags);
    assert_ok(gig_method_set(&flags, "nodes", "adaptive"));
    assert_ok(gig_method_set(&flags, "rule", "midpoint"));
    assert_ok(gig_method_parse(&method, "auto", &flags));
    assert_string_equal(gig_method_name(name, sizeof name, &method), "ig/nodes=adaptive/steps=84");
    gig_method_init(&flags);
    flags.rule = GIG_RULE_MIDPOINT; /* as a program sets it, without gig_method_set */
    flags.steps = 30;
    assert_ok(gig_method_parse(&method, "auto", &flags));
    assert_string_equal(gig_method_name(name, sizeof name, &method), "ig/steps=30");
}

/* What was set may not go with the chosen rule: then the base's own may do. */
static void auto_names_the_base_where_it_cannot_give_way(void **state)
{
    (void)state;
    static const struct {
        const char *option, *value, *hint;
    } cases[] = {{"until", "0.9", "not with idgi; set rule to midpoint; the method \"ig\" allows it"},
                 {"nodes", "adaptive", "; the method \"ig\" allows it"}};
    gig_method flags, method;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gig_method_init(&flags);
        assert_ok(gig_method_set(&flags, cases[i].option, cases[i].value));
        assert_status(gig_method_parse(&method, "auto", &flags), GIG_EARG);
        assert_non_null(strstr(gig_message(), cases[i].hint));
        assert_non_null(strstr(gig_message(), gig_method_auto(1)));
    }
    assert_ok(gig_method_set(&flags, "until", "0.9")); /* with adaptive nodes: ig does not go with both either */
    assert_status(gig_method_parse(&method, "auto", &flags), GIG_EARG);
    assert_null(strstr(gig_message(), "allows it"));
}

static void refuses_what_does_not_go_together(void **state)
{
    (void)state;
    static const char *const names[] = {"gig/nodes=adaptive",
                                        "gig/until=0.9",
                                        "gig/rule=idg",
                                        "gig/rule=random",
                                        "ig/nodes=adaptive/rule=left",
                                        "ig/nodes=adaptive/rule=idg",
                                        "ig/until=0.5/rule=idgi",
                                        "ig/until=0",
                                        "ig/rule=idg/close=yes",
                                        "ig/nodes=adaptive/tolerance=0.1",
                                        "sig/blend=0",
                                        "sig/basis=fft",
                                        "ig/basis=dct"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        gig_method method;
        assert_status(gig_method_parse(&method, names[k], NULL), GIG_EARG);
    }
    gig_method method;
    assert_status(gig_method_parse(&method, "ig/baseline=pictures:some/where:3", NULL), GIG_EARG);
    assert_non_null(strstr(gig_message(), "given as the baseline"));
    assert_status(gig_method_parse(&method, "ig/baseline=grey", NULL), GIG_EARG);
    assert_null(strstr(gig_message(), "use --baseline"));
    gig_explanation got;
    const gig_run_options none = {.seed = 1};
    assert_status(explain(&got, 0, 1, "sig/steps=3", 1, 1, &none), GIG_EARG); /* no picture's shape */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sig_walks_the_spectral_curve),
        cmocka_unit_test(sig_with_full_overlap_is_ig),
        cmocka_unit_test(sig_counts_each_part_over_its_whole_time),
        cmocka_unit_test(sig_gets_baselines_samples_draws_and_regions),
        cmocka_unit_test(nodes_are_placed_cut_and_drawn),
        cmocka_unit_test(expected_gradients_are_those_of_numpy),
        cmocka_unit_test(several_given_baselines_are_averaged),
        cmocka_unit_test(paper_is_what_was_published),
        cmocka_unit_test(auto_is_the_chosen_method),
        cmocka_unit_test(auto_gives_way_to_what_was_set),
        cmocka_unit_test(auto_gives_way_to_defaults_that_were_said),
        cmocka_unit_test(auto_names_the_base_where_it_cannot_give_way),
        cmocka_unit_test(refuses_what_does_not_go_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
