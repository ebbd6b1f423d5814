/* SPDX-License-Identifier: Apache-2.0 */
/* What callers ask of a session: the same bits, precisions, tensors by name, classes, scalars, clear failures. */
#include "golden_network.h"

#include "gig/interrupt.h"

/* Two sessions of one network, and one session twice, give the same bits. */
static void gives_the_same_bits_in_every_session(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) {
        golden_set golden;
        run runner;
        load_golden(&golden, names[i]);
        begin(&runner, names[i], "", (gig_network_options){.batch = 1});
        size_t bytes = gig_tensor_count(&golden.x) * sizeof(float);
        float *first = malloc(bytes), *second = malloc(bytes);
        double values[ROWS];
        gradients_of(first, values, &runner, &golden.x, GIG_SOFTMAX);
        gradients_of(second, values, &runner, &golden.x, GIG_SOFTMAX);
        assert_memory_equal(first, second, bytes);
        gig_session *own = runner.session;
        assert_ok(gig_session_create(&runner.session, runner.network));
        gradients_of(second, values, &runner, &golden.x, GIG_SOFTMAX);
        assert_memory_equal(first, second, bytes);
        gig_session_free(own);
        free(first);
        free(second);
        finish(&runner);
        clear_golden(&golden);
    }
}

static int runs_here(gig_precision precision)
{
    gig_model *model;
    gig_network *network;
    assert_ok(gig_model_load(&model, source_path("tests/golden/networks/residual.onnx"), NULL));
    gig_status status = gig_network_create(&network, model, &(gig_network_options){.precision = precision});
    gig_network_free(network);
    gig_model_free(model);
    if (status != GIG_OK) {
        assert_int_equal(status, GIG_EUNSUPPORTED);
        assert_message(precision == GIG_SPLIT ? "AMX" : "bfloat16");
    }
    return status == GIG_OK;
}

/* bf16 numbers held in floats take the same road as those of the CPU, kernels apart. */
static void keep_the_gradient(int emulated)
{
    static const struct {
        gig_precision precision;
        double least;
    } bars[] = {{GIG_MIXED, 0.9999}, {GIG_SPLIT, 0.999}, {GIG_BF16, 0.8}};
    golden_set golden;
    load_golden(&golden, "residual");
    size_t count = gig_tensor_count(&golden.x);
    float *gradients = malloc(count * sizeof *gradients);
    double values[ROWS];
    for (size_t i = 0; i < 3; i++) {
        run runner;
        if (!emulated && !runs_here(bars[i].precision)) continue;
        begin(&runner, "residual", "", (gig_network_options){.precision = bars[i].precision, .emulate_bf16 = emulated});
        gradients_of(gradients, values, &runner, &golden.x, GIG_LOG_PROBABILITY);
        double found = support_cosine(gradients, golden.gradient[GIG_LOG_PROBABILITY].real, count);
        if (found < bars[i].least || found > 1 - 1e-9) fail_msg("precision %d: cosine %.6f", bars[i].precision, found);
        finish(&runner);
    }
    free(gradients);
    clear_golden(&golden);
}

static void keeps_the_gradient_under_bfloat16_halves(void **state)
{
    (void)state;
    keep_the_gradient(1);
}

static void keeps_the_gradient_with_the_cpus_bfloat16(void **state)
{
    (void)state;
    if (!runs_here(GIG_MIXED)) skip_because("this CPU has no bfloat16 products");
    keep_the_gradient(0);
}

static void refuses_handles_that_are_not_there(void **state)
{
    (void)state;
    gig_session *session;
    gig_network *network;
    gig_function function;
    gig_tensor tensor;
    size_t best;
    const float point = 0, *none = NULL;
    assert_status(gig_network_create(&network, NULL, NULL), GIG_EARG);
    assert_status(gig_session_create(&session, NULL), GIG_EARG);
    assert_message("network is NULL");
    assert_status(gig_session_function(&function, NULL, GIG_LOGIT), GIG_EARG);
    assert_status(gig_session_argmax_function(&function, NULL), GIG_EARG);
    assert_status(gig_session_weighted_function(&function, NULL, &point), GIG_EARG);
    assert_status(gig_session_top(NULL, &point, 1, &best, NULL), GIG_EARG);
    assert_status(gig_session_output(&tensor, NULL, &point), GIG_EARG);
    assert_status(gig_session_tensor(&tensor, NULL, NULL, NULL, &(gig_kept_request){0, &point, GIG_LOGIT, 0}),
                  GIG_EARG);
    run runner;
    begin(&runner, "residual", "", (gig_network_options){0});
    assert_status(gig_session_output(&tensor, runner.session, none), GIG_EARG);
    assert_message("point is NULL");
    finish(&runner);
    gig_session_free(NULL);
    gig_network_free(NULL);
    gig_model_free(NULL);
}

/* What a signal handler asks for: evaluations and plans end, and go on when it is taken back. */
static void ends_when_interrupted(void **state)
{
    (void)state;
    run runner;
    gig_network *network;
    begin(&runner, "residual", "", (gig_network_options){0});
    gig_function function;
    assert_ok(gig_session_function(&function, runner.session, GIG_LOGIT));
    float *point = calloc(function.features, sizeof *point);
    const size_t target = 0;
    double value;
    gig_interrupt(1);
    gig_status status = function.evaluate(function.payload, 1, (const float *const *)&point, &target, &value, NULL);
    gig_status made = gig_network_create(&network, runner.model, NULL);
    gig_interrupt(0);
    assert_int_equal(status, GIG_ECANCEL);
    assert_int_equal(made, GIG_ECANCEL);
    assert_ok(function.evaluate(function.payload, 1, (const float *const *)&point, &target, &value, NULL));
    free(point);
    finish(&runner);
}

static void refuses_split_without_amx_by_name(void **state)
{
    (void)state;
    if (runs_here(GIG_SPLIT)) skip_because("this CPU has AMX");
    assert_message("AMX");
}

/* The value and gradient of an inner tensor, and the network continued from there. */
static void continues_from_a_tensor_by_name(void **state)
{
    (void)state;
    golden_set golden;
    load_golden(&golden, "residual");
    run whole, rest;
    const char *keep[] = {"/Relu_1_output_0"};
    begin(&whole, "residual", "", (gig_network_options){.keep = keep, .keep_count = 1});
    gig_tensor value, gradient;
    assert_ok(gig_session_tensor(&value, &gradient, NULL, whole.session,
                                 &(gig_kept_request){0, golden.x.real, GIG_SOFTMAX, CLASS}));
    gig_tensor first = golden.x; /* the shortcut around the tensor keeps the value that this input gives */
    first.dims[0] = 1;
    begin(&rest, "residual", "", (gig_network_options){.at = keep[0], .at_input = &first});
    gig_function function;
    assert_ok(gig_session_function(&function, rest.session, GIG_SOFTMAX));
    assert_int_equal(function.features, gig_tensor_count(&value));
    float *again = malloc(function.features * sizeof *again);
    const float *points[] = {value.real};
    size_t target = CLASS;
    double scalar;
    assert_ok(function.evaluate(function.payload, 1, points, &target, &scalar, &again));
    assert_l2(again, gradient.real, function.features, 1e-6);
    free(again);
    gig_tensor_clear(&value);
    gig_tensor_clear(&gradient);
    finish(&whole);
    finish(&rest);
    clear_golden(&golden);
}

/* How many steps of a kind the gates network takes; `keep` may be NULL. */
static size_t steps_of_gates(const char *kind, const char *keep)
{
    run runner;
    static gig_profile profile;
    size_t count = 0;
    begin(&runner, "gates", "_one", (gig_network_options){.keep = &keep, .keep_count = keep ? 1 : 0});
    assert_ok(gig_session_profile(&profile, runner.session, 1));
    for (size_t i = 0; i < profile.count; i++)
        if (!strcmp(profile.rows[i].kind, kind)) count = profile.rows[i].forward_count;
    finish(&runner);
    return count;
}

static void joins_what_gates_itself(void **state)
{
    (void)state;
    assert_int_equal(steps_of_gates("Swish", NULL), 2);
    assert_int_equal(steps_of_gates("HardSwish", NULL), 1);
    assert_int_equal(steps_of_gates("Gelu", NULL), 1);
    assert_int_equal(steps_of_gates("Sigmoid", NULL), 1); /* of another value */
    assert_int_equal(steps_of_gates("Erf", NULL), 0);
    assert_int_equal(steps_of_gates("Swish", "/Sigmoid_output_0"), 1); /* asked for: it must be there */
    assert_int_equal(steps_of_gates("Gelu", "/Erf_output_0"), 0);
    assert_int_equal(steps_of_gates("Gelu", "/Mul_4_output_0"), 1); /* what comes out of it is */
}

/* A text model takes integers: its embedding is the point, and its value follows from the bound numbers. */
static void explains_the_embedding_of_whole_numbers(void **state)
{
    (void)state;
    const char *path = source_path("tests/golden/networks/text.npz");
    gig_tensor ids, point, wanted, logits;
    assert_ok(gig_npz_read(&ids, path, "ids"));
    assert_ok(gig_npz_read(&point, path, "point"));
    assert_ok(gig_npz_read(&wanted, path, "g_softmax"));
    assert_ok(gig_npz_read(&logits, path, "logits"));
    gig_model *model;
    assert_ok(gig_model_load(&model, source_path("tests/golden/networks/text.onnx"), NULL));
    size_t words = (size_t)ids.dims[1], features = words * (size_t)point.dims[2];
    for (size_t r = 0; r < ROWS; r++) {
        gig_tensor row = {.type = GIG_INT64, .rank = 2, .dims = {1, (int64_t)words}, .whole = ids.whole + r * words};
        gig_input_value bound = {"ids", &row};
        gig_network_options options = {.at = "/embed/Gather_output_0", .bound = &bound, .bound_count = 1};
        gig_network *network;
        gig_session *session;
        gig_function function;
        assert_ok(gig_network_create(&network, model, &options));
        assert_int_equal(gig_network_features(network), features);
        assert_memory_equal(gig_network_at_value(network), point.real + r * features, features * sizeof(float));
        assert_ok(gig_session_create(&session, network));
        assert_ok(gig_session_function(&function, session, GIG_SOFTMAX));
        float *gradient = malloc(features * sizeof *gradient);
        const float *at = gig_network_at_value(network);
        size_t target = CLASS;
        double value;
        assert_ok(function.evaluate(function.payload, 1, &at, &target, &value, &gradient));
        assert_l2(gradient, wanted.real + r * features, features, 1e-5);
        free(gradient);
        gig_session_free(session);
        gig_network_free(network);
    }
    gig_model_free(model);
    gig_tensor_clear(&ids);
    gig_tensor_clear(&point);
    gig_tensor_clear(&wanted);
    gig_tensor_clear(&logits);
}

static void names_what_is_not_there(void **state)
{
    (void)state;
    gig_model *model;
    gig_network *network;
    assert_ok(gig_model_load(&model, source_path("tests/golden/networks/residual.onnx"), NULL));
    gig_network_options around = {.at = "/Relu_1_output_0"};
    assert_status(gig_network_create(&network, model, &around), GIG_EARG);
    assert_message("/Relu_1_output_0");
    gig_network_options at = {.at = "nowhere"}, output = {.output = "nowhere"}, input = {.input = "nowhere"};
    assert_status(gig_network_create(&network, model, &at), GIG_EARG);
    assert_message("nowhere");
    assert_status(gig_network_create(&network, model, &output), GIG_EARG);
    assert_status(gig_network_create(&network, model, &input), GIG_EARG);
    gig_model_free(model);
}

static void refuses(const gig_model *model, const gig_network_options *options, gig_status wanted, const char *text)
{
    gig_network *network;
    assert_status(gig_network_create(&network, model, options), wanted);
    assert_message(text);
    assert_null(network);
}

static void refuses_options_that_cannot_be_meant(void **state)
{
    (void)state;
    gig_model *model;
    assert_ok(gig_model_load(&model, source_path("demo/model.onnx"), NULL));
    const gig_network_options picture = {
        .pixels = {.enabled = 1, .width = 96, .height = 96, .scale = 1, .std = {1, 1, 1}}};
    gig_network_options o = picture;
    o.pixels.scale = 0;
    refuses(model, &o, GIG_EARG, "scale is 0");
    o = picture, o.pixels.std[2] = 0;
    refuses(model, &o, GIG_EARG, "channel 2 of the pixels");
    o = picture, o.pixels.mean[1] = NAN;
    refuses(model, &o, GIG_EARG, "channel 1 of the pixels");
    o = picture, o.pixels.width = 0;
    refuses(model, &o, GIG_EARG, "are not an image");
    o = picture, o.at = "logits"; /* fewer floats than pixels would write */
    refuses(model, &o, GIG_EARG, "\"logits\" cannot use pixel preprocessing");
    o = picture, o.output_kind = (gig_output_kind)44;
    refuses(model, &o, GIG_EARG, "unknown kind of output 44");
    o = picture, o.batch = SIZE_MAX;
    refuses(model, &o, GIG_ELIMIT, "too large");
    o = picture, o.keep_count = 1;
    refuses(model, &o, GIG_EARG, "without the tensors");
    o = picture, o.bound_count = 1, o.bound = &(gig_input_value){0};
    refuses(model, &o, GIG_EARG, "bound input 0");
    refuses(NULL, &picture, GIG_EARG, "no model");
    gig_model_free(model);
}

static void says_when_a_batch_exceeds_the_memory(void **state)
{
    (void)state;
    gig_model *model;
    gig_network *network;
    gig_session *session;
    gig_function function;
    gig_network_options options = {.pixels = {.enabled = 1, .width = 96, .height = 96, .scale = 1, .std = {1, 1, 1}}};
    assert_ok(gig_model_load(&model, source_path("demo/model.onnx"), NULL));
    assert_ok(gig_network_create(&network, model, &options));
    options.max_memory = 3 * gig_network_activation_bytes(network);
    gig_network_free(network);
    options.batch = 8;
    assert_ok(gig_network_create(&network, model, &options));
    assert_int_equal(gig_network_batch(network), 1);
    assert_string_equal(gig_network_remark(network, 0), "the batch exceeds the memory: rows run one at a time");
    assert_ok(gig_session_create(&session, network));
    assert_ok(gig_session_function(&function, session, GIG_LOGIT));
    assert_int_equal(function.max_batch, 1);
    gig_session_free(session);
    gig_network_free(network);
    gig_model_free(model);
}

static void finds_the_best_classes(void **state)
{
    (void)state;
    golden_set golden;
    run runner;
    load_golden(&golden, "residual");
    begin(&runner, "residual", "", (gig_network_options){0});
    size_t classes[7];
    double probabilities[7], sum = 0;
    assert_ok(gig_session_top(runner.session, golden.x.real, 7, classes, probabilities));
    for (size_t i = 0; i < 7; i++) sum += probabilities[i];
    assert_true(fabs(sum - 1) < 1e-9);
    for (size_t i = 1; i < 7; i++) assert_true(golden.logits.real[classes[i - 1]] >= golden.logits.real[classes[i]]);
    assert_status(gig_session_top(runner.session, golden.x.real, 8, classes, NULL), GIG_EARG);
    finish(&runner);
    clear_golden(&golden);
}

static void reports_a_nan_by_name(void **state)
{
    (void)state;
    golden_set golden;
    run runner;
    load_golden(&golden, "residual");
    begin(&runner, "residual", "", (gig_network_options){0});
    gig_function function;
    assert_ok(gig_session_function(&function, runner.session, GIG_SOFTMAX));
    golden.x.real[5] = NAN;
    const float *points[] = {golden.x.real};
    size_t target = CLASS;
    double value;
    assert_status(function.evaluate(function.payload, 1, points, &target, &value, NULL), GIG_ENUMERIC);
    assert_message("NaN");
    target = 99;
    golden.x.real[5] = 0;
    assert_status(function.evaluate(function.payload, 1, points, &target, &value, NULL), GIG_EARG);
    finish(&runner);
    clear_golden(&golden);
}

static void has_functions_of_several_scalars_at_once(void **state)
{
    (void)state;
    golden_set golden;
    run runner;
    load_golden(&golden, "residual");
    begin(&runner, "residual", "", (gig_network_options){0});
    gig_function logit, probability;
    assert_ok(gig_session_function(&logit, runner.session, GIG_LOGIT));
    assert_ok(gig_session_function(&probability, runner.session, GIG_LOG_PROBABILITY));
    const float *points[] = {golden.x.real};
    const size_t target = CLASS;
    double first, second, again;
    assert_ok(logit.evaluate(logit.payload, 1, points, &target, &first, NULL));
    assert_ok(probability.evaluate(probability.payload, 1, points, &target, &second, NULL));
    assert_ok(logit.evaluate(logit.payload, 1, points, &target, &again, NULL));
    assert_true(first == again && second < 0 && first != second);
    assert_status(gig_session_function(&logit, runner.session, (gig_scalar)5), GIG_EARG);
    finish(&runner);
    clear_golden(&golden);
}

/* Memory running out at each of our allocations gives a status and leaks nothing. oneDNN's own do not pass here. */
static void survives_every_failed_allocation(void **state)
{
    (void)state;
    gig_model *model;
    assert_ok(gig_model_load(&model, source_path("tests/golden/networks/mobile.onnx"), NULL));
    size_t before = gig_memory_used(), failures = 0;
    for (size_t at = 0;; at++) {
        gig_network *network = NULL;
        gig_session *session = NULL;
        gig_memory_fail_at(at, 0);
        gig_status status = gig_network_create(&network, model, NULL);
        if (status == GIG_OK) status = gig_session_create(&session, network);
        size_t made = gig_memory_allocations();
        gig_memory_fail_at(SIZE_MAX, 0);
        gig_session_free(session);
        gig_network_free(network);
        assert_int_equal(gig_memory_used(), before);
        if (made <= at) break;
        assert_int_equal(status, GIG_ENOMEM);
        failures++;
    }
    assert_true(failures > 100);
    gig_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_same_bits_in_every_session),
        cmocka_unit_test(keeps_the_gradient_under_bfloat16_halves),
        cmocka_unit_test(refuses_handles_that_are_not_there),
        cmocka_unit_test(ends_when_interrupted),
        cmocka_unit_test(keeps_the_gradient_with_the_cpus_bfloat16),
        cmocka_unit_test(refuses_split_without_amx_by_name),
        cmocka_unit_test(continues_from_a_tensor_by_name),
        cmocka_unit_test(joins_what_gates_itself),
        cmocka_unit_test(explains_the_embedding_of_whole_numbers),
        cmocka_unit_test(names_what_is_not_there),
        cmocka_unit_test(refuses_options_that_cannot_be_meant),
        cmocka_unit_test(says_when_a_batch_exceeds_the_memory),
        cmocka_unit_test(finds_the_best_classes),
        cmocka_unit_test(reports_a_nan_by_name),
        cmocka_unit_test(has_functions_of_several_scalars_at_once),
        cmocka_unit_test(survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
