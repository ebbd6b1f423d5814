/* SPDX-License-Identifier: Apache-2.0 */
/* What is said about a model file. */
#include "base/memory.h"
#include "internal/summary.h"
#include "support.h"

/* Models of Debian's libonnx-testdata. */
static gig_model *load(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "/usr/share/libonnx-testdata/data/%s/model.onnx", name);
    if (access(path, R_OK) != 0) return NULL;
    gig_model *model;
    assert_ok(gig_model_load(&model, path, NULL));
    return model;
}

static const gig_summary_operator *find(const gig_model_summary *summary, const char *name)
{
    for (size_t i = 0; i < summary->operator_count; i++)
        if (strcmp(summary->operators[i].name, name) == 0) return &summary->operators[i];
    return NULL;
}

static void counts_inputs_outputs_and_operators(void **state)
{
    (void)state;
    gig_model *model = load("node/test_conv_with_strides_padding");
    if (!model) skip_because("libonnx-testdata is not installed");
    gig_model_summary summary;
    assert_ok(gig_model_summarize(&summary, model));
    assert_int_equal(summary.input_count, 2);
    assert_string_equal(summary.inputs[0].name, "x");
    assert_string_equal(summary.inputs[0].type, "float32");
    assert_int_equal(summary.inputs[0].rank, 4);
    assert_int_equal(summary.inputs[0].dims[2], 7);
    assert_int_equal(summary.output_count, 1);
    assert_int_equal(summary.operator_count, 1);
    assert_string_equal(summary.operators[0].name, "Conv");
    assert_int_equal(summary.operators[0].count, 1);
    assert_int_equal(summary.operators[0].supported, 1);
    assert_int_equal(strlen(summary.sha256), 64);
    gig_model_summary_clear(&summary);
    gig_model_summary_clear(&summary);
    gig_model_free(model);
}

static void joins_equal_operators_and_counts_weights(void **state)
{
    (void)state;
    const char *path;
    need_data(path, "models/resnet50_keras_224.onnx");
    gig_model *model;
    assert_ok(gig_model_load(&model, path, NULL));
    gig_model_summary summary;
    assert_ok(gig_model_summarize(&summary, model));
    assert_int_equal(find(&summary, "Conv")->count, 53);
    assert_int_equal(find(&summary, "Relu")->count, 49);
    assert_int_equal(find(&summary, "Add")->count, 16);
    assert_int_equal(summary.inputs[0].dims[0], -1);
    assert_int_equal(summary.parameters, 25530472);
    assert_true(summary.weight_bytes >= summary.parameters * 4);
    gig_model_summary_clear(&summary);
    gig_model_free(model);
}

static void gives_everything_back_when_memory_runs_out(void **state)
{
    (void)state;
    gig_model *model = load("node/test_conv_with_strides_padding");
    if (!model) skip_because("libonnx-testdata is not installed");
    size_t before = gig_memory_used();
    gig_status status = GIG_ENOMEM;
    for (size_t at = 0; status != GIG_OK; at++) {
        gig_model_summary summary;
        gig_memory_fail_at(at, 1);
        status = gig_model_summarize(&summary, model);
        gig_memory_fail_at(SIZE_MAX, 0);
        assert_int_equal(status, at < 3 ? GIG_ENOMEM : GIG_OK);
        gig_model_summary_clear(&summary);
        assert_int_equal(gig_memory_used(), before);
    }
    gig_model_free(model);
}

static const gig_known_operator *find_known(const gig_known_operator *known, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(known[i].name, name) == 0) return &known[i];
    return NULL;
}

static void lists_what_runs_once_and_in_order(void **state)
{
    gig_known_operator *known;
    size_t count;
    (void)state;
    assert_ok(gig_known_operators(&known, &count));
    assert_true(count > 100);
    for (size_t i = 1; i < count; i++) assert_true(strcmp(known[i - 1].name, known[i].name) < 0);
    const gig_known_operator *softmax = find_known(known, count, "Softmax"), *shape = find_known(known, count, "Shape"),
                             *upsample = find_known(known, count, "Upsample");
    assert_true(softmax && softmax->since == 1 && softmax->until == 0 && softmax->gradient);
    assert_true(shape && !shape->gradient);
    assert_true(upsample && upsample->until == 9); /* Resize since then */
    assert_null(find_known(known, count, "NonMaxSuppression"));
    gig_known_operators_free(known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_inputs_outputs_and_operators),
        cmocka_unit_test(joins_equal_operators_and_counts_weights),
        cmocka_unit_test(gives_everything_back_when_memory_runs_out),
        cmocka_unit_test(lists_what_runs_once_and_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
