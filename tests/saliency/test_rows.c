/* SPDX-License-Identifier: Apache-2.0 */
/* Rows: every method says what it is, and a row of a program's own gets all that ours get. */
#include "closed_form.h"
#include "gig/explainer.h"
#include "internal/saliency.h"
#include "random_network.h"
#include "support.h"

enum { N = NETWORK_INPUTS };

static void every_row_says_what_it_is(void **state)
{
    (void)state;
    const gig_method_row *row;
    size_t i = 0;
    for (; (row = gig_method_row_at(i)); i++) {
        gig_method method;
        char name[GIG_METHOD_NAME_BYTES], text[64];
        const gig_method_option *option;
        assert_ptr_equal(gig_method_row_find(row->name), row);
        assert_true(row->help && row->help[strlen(row->help) - 1] == '.');
        assert_ok(gig_method_parse(&method, row->name, NULL));
        assert_string_equal(gig_method_name(name, sizeof name, &method), row->name);
        for (size_t k = 0; (option = gig_method_option_at(&method, k)); k++) {
            assert_true(option->help && option->help[strlen(option->help) - 1] == '.');
            assert_non_null(gig_method_get(text, sizeof text, &method, option->name));
            assert_true(gig_method_takes(&method, option->name));
            if (*text) assert_ok(gig_method_set(&method, option->name, text));
        }
        assert_string_equal(gig_method_name(name, sizeof name, &method), row->name); /* those were the defaults */
    }
    assert_true(i >= 9);
    assert_null(gig_method_row_find("nothing"));
}

static void options_come_in_the_order_of_the_alphabet(void **state)
{
    (void)state;
    gig_method method;
    const gig_method_option *option;
    const char *last = "";
    size_t count = 0;
    for (; (option = gig_method_option_at(NULL, count)); count++) {
        assert_true(strcmp(option->name, last) > 0);
        last = option->name;
    }
    assert_true(count >= 20);
    assert_ok(gig_method_parse(&method, "xrai+smooth+blur-ig", NULL));
    static const char *const wanted[] = {
        "close",   "max-evaluations", "min-pixels", "nodes", "noise",     "repeat", "rule",
        "samples", "sigma",           "smooth",     "steps", "tolerance", "until",  "xrai"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_string_equal(gig_method_option_at(&method, i)->name, wanted[i]);
    assert_null(gig_method_option_at(&method, 14));
    char text[8];
    assert_null(gig_method_get(text, sizeof text, &method, "baseline"));
    assert_string_equal(gig_method_get(text, sizeof text, &method, "max-evaluations"), "");
}

/* ---- a guide of one's own: the straight line, feature by feature in bursts ---- */

typedef struct line {
    const float *start, *end;
    size_t features, steps;
    double bend;
} line;

static size_t line_size(const void *options, size_t features)
{
    (void)options, (void)features;
    return sizeof(line);
}

static gig_status line_begin(void *state, const void *options, const float *start, const float *end, size_t features,
                             size_t steps)
{
    *(line *)state = (line){start, end, features, steps, *(const double *)options};
    return GIG_OK;
}

static gig_status line_advance(void *state, size_t step, double value, const float *gradient, const float *at,
                               float *next)
{
    (void)value, (void)gradient, (void)at;
    const line *self = state;
    double alpha = pow((double)(step + 1) / (double)self->steps, self->bend);
    for (size_t i = 0; i < self->features; i++)
        next[i] = step + 1 == self->steps
                      ? self->end[i]
                      : (float)((double)self->start[i] + alpha * ((double)self->end[i] - (double)self->start[i]));
    return GIG_OK;
}

static size_t own_state_size(const gig_method *method, size_t features)
{
    (void)features;
    assert_string_equal(method->row->name, "bent");
    return sizeof(double);
}

static gig_status own_guide(gig_guide *out, void *state, const gig_method *method)
{
    ++*(int *)method->row->payload;
    *(double *)state = gig_method_number(method, "bend");
    *out = (gig_guide){.state_size = line_size, .begin = line_begin, .advance = line_advance, .options = state};
    return GIG_OK;
}

static const gig_method_option bend = {
    .name = "bend", .help = "Power.", .kind = GIG_OPTION_NUMBER, .usual = 1, .least = 0, .above = 1, .most = 10};

static gig_method_row bent(int *calls)
{
    return (gig_method_row){.name = "bent",
                            .help = "The straight line at uneven speed.",
                            .traits = GIG_METHOD_PATH | GIG_METHOD_BASELINE | GIG_METHOD_ANCHORS,
                            .rule = GIG_RULE_TRAPEZOID,
                            .option_count = 1,
                            .options = &bend,
                            .state_size = own_state_size,
                            .guide = own_guide,
                            .payload = calls};
}

static double dot(const gig_explanation *a, const gig_explanation *b)
{
    return support_cosine(a->attributions, b->attributions, a->count);
}

static void a_guide_of_ones_own_gets_all_that_ours_get(void **state)
{
    (void)state;
    static const char *const methods[][2] = {/* ours on the same path, summed in the same way */
                                             {"bent/steps=40", "ig/steps=40/rule=trapezoid"},
                                             {"bent:3/steps=40", "ig/steps=40/rule=trapezoid"},
                                             {"bent/bend=2/steps=400", "ig/steps=400"},
                                             {"bent/baseline=black+white/steps=40", "ig/baseline=black+white/steps=40"},
                                             {"bent/baseline=random:2/steps=40", "ig/baseline=random:2/steps=40"},
                                             {"smooth+bent/steps=40/samples=3", "smooth+ig/steps=40/samples=3"},
                                             {"bent/steps=10/tolerance=0.001", "ig/steps=200"},
                                             {"bent/steps=10/close=yes", "ig/steps=200"},
                                             {"xrai+bent/steps=40", "xrai+ig/steps=40"}};
    int calls = 0;
    float x[N];
    closed models[2] = {{.form = random_network, .features = N}, {.form = random_network, .features = N}};
    const gig_function functions[2] = {closed_function(&models[0], 1), closed_function(&models[1], 1)};
    const gig_method_row row = bent(&calls);
    gig_explainer *explainer;
    for (size_t i = 0; i < N; i++) x[i] = (float)gig_rng_uniform((gig_rng){5, 0}, i);
    const gig_input input = {.values = x};
    assert_ok(gig_explainer_open_functions(&explainer, 2, functions, &(gig_explainer_options){.shape = {8, 8, 1, 0}}));
    gig_explanation own, ours;
    assert_status(gig_explainer_explain_inputs(&own, explainer, 1, &input, "bent", NULL), GIG_EARG);
    assert_ok(gig_explainer_add_method(explainer, &row));
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        assert_ok(gig_explainer_explain_inputs(&own, explainer, 1, &input, methods[m][0], NULL));
        assert_ok(gig_explainer_explain_inputs(&ours, explainer, 1, &input, methods[m][1], NULL));
        assert_int_equal(own.count, ours.count);
        assert_true(dot(&own, &ours) > 0.999);
        if (!strstr(methods[m][0], "tolerance") && !strstr(methods[m][0], "close"))
            assert_true(fabs(own.sum - ours.sum) < 0.01 * fabs(ours.sum) + 1e-3);
        if (strstr(methods[m][0], "close")) assert_true(fabs(own.delta) < 1e-6);
        gig_explanation_clear(&own);
        gig_explanation_clear(&ours);
    }
    assert_int_equal(calls, 9);
    gig_method method;
    char name[64];
    assert_ok(gig_explainer_parse_method(&method, explainer, "bent:2/bend=2.0/steps=50", NULL));
    assert_string_equal(gig_method_name(name, sizeof name, &method), "bent:2/bend=2/steps=50");
    assert_status(gig_explainer_parse_method(&method, explainer, "bent/bend=0", NULL), GIG_EARG);
    assert_status(gig_explainer_parse_method(&method, explainer, "bent/rule=pair", NULL), GIG_EARG);
    assert_status(gig_explainer_parse_method(&method, explainer, "bend", NULL), GIG_EARG);
    assert_message("occlusion, bent[:K]");
    gig_explainer_close(explainer);
    assert_status(gig_method_parse(&method, "bent", NULL), GIG_EARG); /* it was that explainer's alone */
}

/* ---- a curve of one's own ---- */

typedef struct parabola {
    gig_curve_ends ends;
} parabola;

static gig_status parabola_at(const void *self, void *scratch, double alpha, float *point, float *tangent)
{
    (void)scratch;
    const gig_curve_ends *ends = &((const parabola *)self)->ends;
    for (size_t i = 0; i < ends->features; i++) {
        double way = (double)ends->end[i] - (double)ends->start[i];
        point[i] = (float)((double)ends->start[i] + alpha * alpha * way);
        if (tangent) tangent[i] = (float)(2 * alpha * way);
    }
    return GIG_OK;
}

static size_t parabola_size(const gig_method *method, size_t features)
{
    (void)method, (void)features;
    return sizeof(parabola);
}

static gig_status make_parabola(gig_curve *out, void *state, const gig_method *method, const gig_curve_ends *ends)
{
    (void)method;
    ((parabola *)state)->ends = *ends;
    *out = (gig_curve){.at = parabola_at, .self = state};
    return GIG_OK;
}

static const gig_method_row curved = {.name = "curved",
                                      .help = "The straight line, faster and faster.",
                                      .traits = GIG_METHOD_PATH | GIG_METHOD_BASELINE,
                                      .rule = GIG_RULE_MIDPOINT,
                                      .state_size = parabola_size,
                                      .curve = make_parabola};

static void a_curve_of_ones_own_is_walked_from_its_baseline(void **state)
{
    (void)state;
    static const char *const pictures[] = {"demo/pictures/boat-2.png", "demo/pictures/fish-6.png"};
    gig_explainer *explainer;
    assert_ok(gig_explainer_open(&explainer, source_path("demo/model.onnx"), NULL));
    assert_ok(gig_explainer_add_method(explainer, &curved));
    for (int i = 0; i < 2; i++) {
        gig_explanation own, ours;
        char *path = strdup(source_path(pictures[i]));
        static const char *const methods[][2] = {
            {"curved/steps=60/baseline=white", "ig/steps=60/baseline=white"},
            {"smooth+curved/steps=30/samples=2/baseline=blur:5", "smooth+ig/steps=30/samples=2/baseline=blur:5"}};
        assert_ok(gig_explainer_explain(&own, explainer, path, methods[i][0], NULL));
        assert_ok(gig_explainer_explain(&ours, explainer, path, methods[i][1], NULL));
        assert_true(dot(&own, &ours) > 0.95);
        assert_true(fabs(own.delta) < 0.05);
        assert_true(own.value_baseline == ours.value_baseline);
        gig_explanation_clear(&ours);
        assert_ok(gig_explanation_draw(&own, temporary_path("own.png"), &(gig_draw_options){.force = 1}));
        gig_explanation_clear(&own);
        free(path);
    }
    gig_explainer_close(explainer);
}

static void refuses_rows_that_could_not_work(void **state)
{
    (void)state;
    int calls = 0;
    closed model = {.form = linear_two, .features = 2};
    const gig_function function = closed_function(&model, 1);
    gig_explainer *explainer;
    assert_ok(gig_explainer_open_functions(&explainer, 1, &function, NULL));
    static const gig_method_option twice = {.name = "steps", .kind = GIG_OPTION_COUNT},
                                   wordless = {.name = "words", .kind = GIG_OPTION_CHOICE};
    const gig_method_row good = bent(&calls);
    gig_method_row rows[9];
    for (int i = 0; i < 9; i++) rows[i] = good;
    static const char *const messages[9] = {"lower case",
                                            "already",
                                            "maps without walks",
                                            "both",
                                            "GIG_METHOD_PATH",
                                            "GIG_METHOD_BASELINE",
                                            "already exists in the library",
                                            "has no choices",
                                            "anchors need a guide"};
    rows[0].name = "Bent path";
    rows[1].name = "gig";
    rows[2].traits |= GIG_METHOD_LAYER;
    rows[3].curve = make_parabola;
    rows[4].traits = GIG_METHOD_BASELINE;
    rows[5].traits = GIG_METHOD_PATH | GIG_METHOD_ANCHORS;
    rows[6].options = &twice;
    rows[7].options = &wordless;
    rows[8].guide = NULL;
    for (int i = 0; i < 9; i++) {
        assert_status(gig_explainer_add_method(explainer, &rows[i]), GIG_EARG);
        assert_message(messages[i]);
    }
    assert_ok(gig_explainer_add_method(explainer, &good));
    assert_status(gig_explainer_add_method(explainer, &good), GIG_EARG);
    assert_message("a method \"bent\" already exists");
    gig_explainer_close(explainer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row_says_what_it_is),
                                       cmocka_unit_test(options_come_in_the_order_of_the_alphabet),
                                       cmocka_unit_test(a_guide_of_ones_own_gets_all_that_ours_get),
                                       cmocka_unit_test(a_curve_of_ones_own_is_walked_from_its_baseline),
                                       cmocka_unit_test(refuses_rows_that_could_not_work)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
