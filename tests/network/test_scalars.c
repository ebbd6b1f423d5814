/* SPDX-License-Identifier: Apache-2.0 */
/* One scalar of each of many kinds of model, against PyTorch's value and gradient of the same
 * (tools/golden/scalars.py), by the fast steps and by the plain operators. */
#include "support.h"

#include "internal/network.h"
#include "internal/summary.h"
#include "internal/tensor.h"

typedef struct scalar_case {
    const char *name;
    gig_scalar scalar;
    size_t class;
    gig_target target;
    int region; /* the pixels predicted as the class */
} scalar_case;

static const scalar_case cases[] = {
    {.name = "quantized", .scalar = GIG_SOFTMAX, .class = 2},
    {.name = "lstm", .scalar = GIG_SOFTMAX, .class = 1},
    {.name = "gru", .scalar = GIG_SOFTMAX, .class = 1},
    {.name = "final_state", .scalar = GIG_SOFTMAX, .class = 1},
    {.name = "encoder", .scalar = GIG_SOFTMAX, .class = 2},
    {.name = "gcn", .scalar = GIG_SOFTMAX, .class = 1, .target = {GIG_TARGET_INDEX, 2, {2, GIG_TARGET_ALL}, NULL}},
    {.name = "segmentation", .scalar = GIG_SOFTMAX, .class = 1, .target = {.kind = GIG_TARGET_REGION}, .region = 1},
    {.name = "deeplab",
     .scalar = GIG_SOFTMAX,
     .class = 2,
     .target = {GIG_TARGET_INDEX, 3, {GIG_TARGET_ALL, 3, 7}, NULL}},
    {.name = "detector", .scalar = GIG_VALUE, .target = {GIG_TARGET_INDEX, 2, {13, 2}, NULL}},
    {.name = "detector",
     .scalar = GIG_SOFTMAX,
     .class = 2,
     .target = {GIG_TARGET_INDEX, 2, {13, GIG_TARGET_ALL}, NULL}},
    {.name = "retinanet", .scalar = GIG_SIGMOID, .target = {GIG_TARGET_INDEX, 2, {13, 2}, NULL}},
    {.name = "faces", .scalar = GIG_VALUE, .target = {.kind = GIG_TARGET_WEIGHTS}},
    {.name = "regression", .scalar = GIG_VALUE},
    {.name = "series", .scalar = GIG_SOFTMAX, .class = 2, .target = {GIG_TARGET_INDEX, 2, {GIG_TARGET_ALL, 4}, NULL}},
    {.name = "chosen_branch", .scalar = GIG_SOFTMAX, .class = 1},
    {.name = "volume", .scalar = GIG_SOFTMAX, .class = 1},
    {.name = "two_inputs", .scalar = GIG_SOFTMAX, .class = 1},
};

/* Measured residuals are below 3e-6; a sum in another order moves the last digits. */
static const double tolerance = 2e-5;

enum { MOST_INPUTS = 8 };

typedef struct golden {
    char path[200];
    gig_tensor x, value, gradient;
    size_t bound_count;
    gig_tensor inputs[MOST_INPUTS];
    gig_input_value bound[MOST_INPUTS];
} golden;

static void load(golden *out, gig_model **model, gig_model_summary *about, const char *name)
{
    char path[200];
    *out = (golden){0};
    snprintf(path, sizeof path, "tests/golden/scalars/%s.onnx", name);
    snprintf(out->path, sizeof out->path, "tests/golden/scalars/%s.npz", name);
    assert_ok(gig_model_load(model, source_path(path), NULL));
    assert_ok(gig_model_summarize(about, *model));
    assert_ok(gig_npz_read(&out->x, source_path(out->path), "x"));
    assert_ok(gig_npz_read(&out->value, source_path(out->path), "value"));
    assert_ok(gig_npz_read(&out->gradient, source_path(out->path), "gradient"));
    for (size_t i = 0; i < about->input_count; i++) {
        const char *input = about->inputs[i].name;
        if (!strcmp(input, "x")) continue;
        gig_tensor *value = &out->inputs[out->bound_count];
        assert_ok(gig_npz_read(value, source_path(out->path), input));
        out->bound[out->bound_count++] = (gig_input_value){input, value};
    }
}

static void clear(golden *set)
{
    gig_tensor_clear(&set->x);
    gig_tensor_clear(&set->value);
    gig_tensor_clear(&set->gradient);
    for (size_t i = 0; i < set->bound_count; i++) gig_tensor_clear(&set->inputs[i]);
}

static void choose_region(gig_session *session, const gig_network *network, const float *point, size_t class)
{
    size_t height, width, covered;
    gig_network_region_size(network, &height, &width);
    unsigned char *mask = calloc(height * width, 1);
    assert_non_null(mask);
    assert_ok(gig_session_predict_region(mask, &covered, session, point, class));
    assert_true(covered > 0);
    assert_ok(gig_session_set_region(session, mask));
    free(mask);
}

static void compare(const scalar_case *of, const golden *wanted, const gig_model *model, int plain)
{
    gig_network *network;
    gig_session *session;
    gig_function function;
    double value;
    gig_tensor weights = {0};
    gig_network_options options = {
        .plain = plain, .bound_count = wanted->bound_count, .bound = wanted->bound, .target = of->target};
    if (of->target.kind == GIG_TARGET_WEIGHTS) assert_ok(gig_npz_read(&weights, source_path(wanted->path), "weights"));
    options.target.weights = &weights;
    assert_ok(gig_network_create(&network, model, &options));
    assert_ok(gig_session_create(&session, network));
    size_t features = gig_network_features(network);
    const float *point = wanted->x.real;
    float *gradient = malloc(features * sizeof *gradient);
    assert_int_equal(features, gig_tensor_count(&wanted->x));
    if (of->region) choose_region(session, network, point, of->class);
    assert_ok(gig_session_function(&function, session, of->scalar));
    assert_ok(function.evaluate(function.payload, 1, &point, &of->class, &value, &gradient));
    if (!(fabs(value - (double)wanted->value.real[0]) <= tolerance * (1 + fabs(value))))
        fail_msg("%s plain %d: %.9g, not %.9g", of->name, plain, value, (double)wanted->value.real[0]);
    double off = support_l2(gradient, wanted->gradient.real, features);
    if (!(off <= tolerance)) fail_msg("%s plain %d: gradient is off by %.3g", of->name, plain, off);
    free(gradient);
    gig_session_free(session);
    gig_network_free(network);
    gig_tensor_clear(&weights);
}

static void gives_pytorchs_value_and_gradient(void **state)
{
    const scalar_case *of = *state;
    golden wanted;
    gig_model *model;
    gig_model_summary about;
    load(&wanted, &model, &about, of->name);
    for (int plain = 0; plain < 2; plain++) compare(of, &wanted, model, plain);
    clear(&wanted);
    gig_model_summary_clear(&about);
    gig_model_free(model);
}

int main(void)
{
    enum { CASES = sizeof cases / sizeof *cases };
    static struct CMUnitTest tests[CASES];
    for (size_t i = 0; i < CASES; i++)
        tests[i] = (struct CMUnitTest){cases[i].name, gives_pytorchs_value_and_gradient, NULL, NULL,
                                       (void *)(uintptr_t)&cases[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
