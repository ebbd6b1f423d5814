/* SPDX-License-Identifier: Apache-2.0 */
/* Targets of an explainer: regions, indices, weights and plain values against PyTorch's value and gradient of the same
 * scalar (tools/golden/scalars.py), regions fixed at each input, and refusals in one line. */
#include "internal/explainer.h"
#include "internal/target.h"
#include "internal/tensor.h"
#include "support.h"

static const double tolerance = 2e-5; /* as in tests/network/test_scalars.c */

static char *golden_path(const char *name, const char *ending)
{
    char path[200];
    snprintf(path, sizeof path, "tests/golden/scalars/%s.%s", name, ending);
    char *out = strdup(source_path(path));
    assert_non_null(out);
    return out;
}

static gig_explainer *open_golden(const char *name, const gig_explainer_options *options)
{
    gig_explainer *explainer;
    char *path = golden_path(name, "onnx");
    assert_ok(gig_explainer_open(&explainer, path, options));
    free(path);
    return explainer;
}

static gig_tensor read_golden(const char *name, const char *array)
{
    gig_tensor out;
    char *path = golden_path(name, "npz");
    assert_ok(gig_npz_read(&out, path, array));
    free(path);
    return out;
}

/* ---- against PyTorch ---- */

typedef struct scalar_case {
    const char *name, *class_name, *of, *region, *index;
    int weighted;
} scalar_case;

static const scalar_case cases[] = {
    {.name = "segmentation", .class_name = "1", .region = "predicted"},
    {.name = "deeplab", .class_name = "2", .index = ":,3,7"},
    {.name = "detector", .index = "13,2"},
    {.name = "detector", .class_name = "2", .index = "13,:", .of = "softmax"},
    {.name = "faces", .weighted = 1},
    {.name = "regression", .of = "value"},
    {.name = "series", .class_name = "2", .index = ":,4"},
};

static void gives_pytorchs_gradient(void **state)
{
    const scalar_case *of = *state;
    gig_explainer *explainer = open_golden(of->name, &(gig_explainer_options){.threads = 2});
    gig_tensor x = read_golden(of->name, "x"), wanted = read_golden(of->name, "value"),
               slope = read_golden(of->name, "gradient");
    gig_target_choice weights = {.target.kind = GIG_TARGET_WEIGHTS};
    gig_explain_options options = {
        .class_name = of->class_name, .of = of->of, .region = of->region, .index = of->index};
    if (of->weighted) {
        weights.weights = read_golden(of->name, "weights");
        options.target = &weights;
    }
    const gig_input input = {.tensor = &x};
    size_t count = gig_tensor_count(&x);
    double value;
    float *gradient = malloc(count * sizeof *gradient);
    assert_ok(gig_explainer_evaluate(&value, &gradient, explainer, 1, &input, &options));
    assert_true(fabs(value - (double)wanted.real[0]) <= tolerance * (1 + fabs(value)));
    assert_true(support_l2(gradient, slope.real, count) <= tolerance);

    gig_explanation map;
    assert_ok(gig_explainer_explain_inputs(&map, explainer, 1, &input, "gradients", &options));
    assert_true(support_l2(map.attributions, slope.real, count) <= tolerance);
    assert_true(fabs(map.value - value) <= 1e-6 * (1 + fabs(value)));
    gig_explanation_clear(&map);
    free(gradient);
    gig_tensor_clear(&x);
    gig_tensor_clear(&wanted);
    gig_tensor_clear(&slope);
    gig_tensor_clear(&weights.weights);
    gig_explainer_close(explainer);
}

/* ---- regions ---- */

enum { SIDE = 16, POINT = SIDE * SIDE * 3, PICTURES = 3 };

static const float *picture(size_t i)
{
    static float pixels[PICTURES][POINT];
    for (size_t k = 0; k < POINT; k++) pixels[i][k] = (float)((k * 7 + i * 31 + k / 5 * i) % 97) / 96;
    return pixels[i];
}

static void expect_same(const gig_explanation *a, const gig_explanation *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->target, b->target);
    assert_memory_equal(a->attributions, b->attributions, a->count * sizeof *a->attributions);
}

static int differ(const gig_explanation *a, const gig_explanation *b)
{
    return memcmp(a->attributions, b->attributions, a->count * sizeof *a->attributions) != 0;
}

static void each_input_has_its_own_region(void **state)
{
    (void)state;
    gig_explainer *explainer = open_golden("segmentation", &(gig_explainer_options){.threads = 2, .lazy = 1});
    static unsigned char bytes[SIDE * SIDE];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = i % SIDE > 9;
    const gig_target_choice box = {.target.kind = GIG_TARGET_REGION, .region = GIG_REGION_BOX, .box = {2, 3, 9, 12}},
                            mask = {.target.kind = GIG_TARGET_REGION,
                                    .region = GIG_REGION_MASK,
                                    .mask = {.width = SIDE, .height = SIDE, .channels = 1, .pixels = bytes}};
    const gig_input inputs[PICTURES] = {
        {.values = picture(0), .region = &box}, {.values = picture(0), .region = &mask}, {.values = picture(1)}};
    gig_explanation together[PICTURES], alone;
    const gig_explain_options predicted = {.region = "predicted"};
    assert_ok(gig_explainer_explain_inputs(together, explainer, PICTURES, inputs, "ig/steps=6", &predicted));
    assert_true(differ(&together[0], &together[1]));
    for (size_t i = 0; i < PICTURES; i++) {
        assert_ok(gig_explainer_explain_inputs(&alone, explainer, 1, &inputs[i], "ig/steps=6", &predicted));
        expect_same(&alone, &together[i]);
        gig_explanation_clear(&alone);
    }
    const gig_explain_options written = {.region = "2,3,9,12"};
    assert_ok(
        gig_explainer_explain_inputs(&alone, explainer, 1, &(gig_input){.values = picture(0)}, "ig/steps=6", &written));
    expect_same(&alone, &together[0]);
    gig_explanation_clear(&alone);
    assert_ok(gig_explainer_explain_inputs(&alone, explainer, 1, &inputs[0], "ig/steps=6", NULL));
    expect_same(&alone, &together[0]);
    gig_explanation_clear(&alone);
    for (size_t i = 0; i < PICTURES; i++) gig_explanation_clear(&together[i]);
    gig_explainer_close(explainer);
}

static void an_output_without_a_target_has_no_classes_to_count(void **state)
{
    (void)state;
    gig_explainer *explainer = open_golden("segmentation", NULL);
    size_t classes = 0;
    assert_status(gig_explainer_classes(&classes, explainer, NULL, NULL), GIG_EARG);
    assert_message("choose a target");
    assert_ok(gig_explainer_classes(&classes, explainer, NULL, &(gig_explain_options){.index = ":,1,1"}));
    assert_int_equal(classes, 4);
    gig_explainer_close(explainer);
}

/* With a region that is fixed at the input, the map adds up to the difference of one function. */
static void regions_are_fixed_at_the_input(void **state)
{
    (void)state;
    gig_explainer *explainer = open_golden("segmentation", &(gig_explainer_options){.region = "predicted"});
    static const float black[POINT];
    const gig_input input = {.values = picture(2)}, dark = {.values = black};
    gig_target_choice fixed;
    gig_explanation map;
    size_t class_index, classes, best;
    double at_input, at_black;
    assert_ok(gig_explainer_classes(&classes, explainer, NULL, NULL));
    assert_int_equal(classes, 4);
    assert_ok(gig_explainer_top(&best, NULL, explainer, &input, 1, NULL));
    assert_ok(gig_explainer_fix_target(&fixed, &class_index, explainer, &input, NULL));
    assert_int_equal(class_index, best);
    assert_int_equal(fixed.region, GIG_REGION_MASK);
    size_t covered = 0;
    for (size_t p = 0; p < fixed.mask.width * fixed.mask.height; p++) covered += fixed.mask.pixels[p];
    assert_true(covered * classes >= fixed.mask.width * fixed.mask.height); /* the class that covers the most */

    const gig_explain_options question = {.target = &fixed, .classes = &class_index};
    assert_ok(gig_explainer_evaluate(&at_input, NULL, explainer, 1, &input, &question));
    assert_ok(gig_explainer_evaluate(&at_black, NULL, explainer, 1, &dark, &question));
    assert_ok(gig_explainer_explain_inputs(&map, explainer, 1, &input, "ig/steps=200", NULL));
    assert_int_equal(map.target, best);
    assert_true(fabs(map.sum - (at_input - at_black)) < 1e-3);
    assert_true(map.value_input == at_input && map.value_baseline == at_black);
    gig_explanation_clear(&map);
    gig_target_clear(&fixed);
    gig_explainer_close(explainer);
}

static void every_kind_of_method_takes_a_region(void **state)
{
    (void)state;
    gig_explainer *explainer = open_golden("segmentation", &(gig_explainer_options){.threads = 2});
    static const char *const methods[] = {"grad-cam",         "xrai+ig/steps=5", "guided-backprop",
                                          "smooth+gradients", "gig:2/steps=6",   "occlusion/window=4/stride=4"};
    const gig_input input = {.values = picture(0)};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        gig_explanation left, right;
        assert_ok(gig_explainer_explain_inputs(&left, explainer, 1, &input, methods[m],
                                               &(gig_explain_options){.region = "0,0,7,15", .class_name = "1"}));
        assert_ok(gig_explainer_explain_inputs(&right, explainer, 1, &input, methods[m],
                                               &(gig_explain_options){.region = "8,0,15,15", .class_name = "1"}));
        assert_true(differ(&left, &right));
        gig_explanation_clear(&left);
        gig_explanation_clear(&right);
    }
    gig_explainer_close(explainer);
}

/* Another target needs other networks, and the first one's bits come back with it. */
static void targets_may_change_between_calls(void **state)
{
    (void)state;
    gig_explainer *explainer = open_golden("segmentation", NULL);
    const gig_input input = {.values = picture(1)};
    double one, other, again;
    const gig_explain_options pixel = {.index = ":,3,4", .class_name = "2"},
                              next = {.index = ":,3,5", .class_name = "2"};
    assert_ok(gig_explainer_evaluate(&one, NULL, explainer, 1, &input, &pixel));
    assert_ok(gig_explainer_evaluate(&other, NULL, explainer, 1, &input, &next));
    assert_ok(gig_explainer_evaluate(&again, NULL, explainer, 1, &input, &pixel));
    assert_true(one == again && one != other);
    gig_explainer_close(explainer);
}

/* ---- refusals ---- */

static void expect_refusal(gig_explainer *explainer, const gig_input *input, const gig_explain_options *options,
                           const char *text)
{
    double value;
    gig_explanation map;
    assert_status(gig_explainer_explain_inputs(&map, explainer, 1, input, "gradients", options), GIG_EARG);
    assert_non_null(strstr(gig_message(), text));
    assert_null(strchr(gig_message(), '\n'));
    assert_status(gig_explainer_evaluate(&value, NULL, explainer, 1, input, options), GIG_EARG);
}

static void wrong_targets_are_refused(void **state)
{
    (void)state;
    gig_explainer *explainer = open_golden("segmentation", NULL);
    const gig_input input = {.values = picture(0)};
    const gig_target_choice empty = {.target.kind = GIG_TARGET_REGION},
                            turned = {.target.kind = GIG_TARGET_REGION, .region = GIG_REGION_BOX, .box = {5, 5, 2, 9}},
                            beyond = {.target.kind = GIG_TARGET_REGION,
                                      .region = GIG_REGION_BOX,
                                      .box = {40, 0, 50, 9}},
                            bare = {.target.kind = GIG_TARGET_WEIGHTS},
                            mask = {.target.kind = GIG_TARGET_REGION, .region = GIG_REGION_MASK},
                            pixel = {.target = {GIG_TARGET_INDEX, 9, {0}, NULL}};
    const struct {
        gig_explain_options options;
        const char *text;
    } wrong[] = {
        {{0}, "more than one value per class"},
        {{.region = "everything"}, "predicted, x0,y0,x1,y1 or a picture file"},
        {{.region = "predicted", .index = "1,2,3"}, "several targets given"},
        {{.region = "predicted", .target = &turned}, "several targets given"},
        {{.index = "1,2"}, "the index has 2 numbers"},
        {{.target = &empty}, "none is given"},
        {{.target = &turned}, "x0 <= x1"},
        {{.target = &beyond}, "contains no pixel of the output"},
        {{.target = &bare}, "weights are missing"},
        {{.target = &mask}, "mask is empty"},
        {{.target = &pixel}, "expected 1 to 8"},
        {{.region = "predicted", .class_name = "4"}, "classes 0 to 3"},
        {{.index = "1,2,3", .of = "softmax"}, "softmax over a single output"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_refusal(explainer, &input, &wrong[i].options, wrong[i].text);
    const gig_input own = {.values = picture(0), .region = &turned}, index = {.values = picture(0), .region = &pixel};
    expect_refusal(explainer, &own, &(gig_explain_options){.region = "predicted"}, "x0 <= x1");
    expect_refusal(explainer, &index, NULL, "expected 1 to 8");
    gig_explainer_close(explainer);

    explainer = open_golden("series", NULL);
    gig_tensor x = read_golden("series", "x");
    const gig_input signal = {.tensor = &x};
    expect_refusal(explainer, &signal, &(gig_explain_options){.region = "predicted"}, "a region needs an output");
    gig_tensor_clear(&x);
    gig_explainer_close(explainer);
    assert_status(gig_explainer_open(&explainer, source_path("tests/golden/scalars/segmentation.onnx"),
                                     &(gig_explainer_options){.region = "all"}),
                  GIG_EARG);
}

int main(void)
{
    enum { CASES = sizeof cases / sizeof *cases };
    static char names[CASES][80];
    struct CMUnitTest tests[CASES + 5] = {cmocka_unit_test(each_input_has_its_own_region),
                                          cmocka_unit_test(an_output_without_a_target_has_no_classes_to_count),
                                          cmocka_unit_test(regions_are_fixed_at_the_input),
                                          cmocka_unit_test(every_kind_of_method_takes_a_region),
                                          cmocka_unit_test(targets_may_change_between_calls),
                                          cmocka_unit_test(wrong_targets_are_refused)};
    for (size_t i = 0; i < CASES; i++) {
        const char *target = cases[i].region  ? cases[i].region
                             : cases[i].index ? cases[i].index
                                              : (cases[i].weighted ? "weights" : "value");
        snprintf(names[i], sizeof names[i], "pytorch's gradient: %s %s", cases[i].name, target);
        tests[5 + i] = (struct CMUnitTest){
            .name = names[i], .test_func = gives_pytorchs_gradient, .initial_state = (void *)(uintptr_t)&cases[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
