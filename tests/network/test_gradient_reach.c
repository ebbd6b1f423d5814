/* SPDX-License-Identifier: Apache-2.0 */
/* A map of zeros is only ever a true one: where a gradient ends, and what an output is taken for. */
#include "support.h"

#include "internal/network.h"
#include "model/wire_load.h"

enum { ONNX_FLOAT = 1, ONNX_INT64 = 7 };

static const float point[4] = {0.25f, -0.5f, 1.5f, 0.75f};

static gig_model *load(wire graph, int rank, const int64_t *dims, int type)
{
    wire_child(&graph, GRAPH_INPUT, wire_value("x", ONNX_FLOAT, 2, (const int64_t[]){1, 4}));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", type, rank, dims));
    return wire_load(wire_model(graph, 8, 13));
}

static wire cast(const char *from, const char *to, int type)
{
    wire node = wire_node("Cast", from, NULL, to);
    wire_attribute_int(&node, "to", type);
    return node;
}

/* The status of one evaluation; gradient is [4]. */
static gig_status evaluate(double *value, float *gradient, const gig_model *model, gig_scalar scalar)
{
    gig_network *network;
    gig_session *session;
    gig_function function;
    size_t target = 1;
    const float *points = point;
    assert_ok(gig_network_create(&network, model, NULL));
    assert_ok(gig_session_create(&session, network));
    gig_status status = gig_session_function(&function, session, scalar);
    if (status == GIG_OK)
        status = function.evaluate(function.payload, 1, &points, &target, value, gradient ? &gradient : NULL);
    gig_session_free(session);
    gig_network_free(network);
    return status;
}

static const int64_t row[2] = {1, 4};

static void names_the_node_where_every_way_ends(void **state)
{
    (void)state;
    static const char *const operators[] = {"Round", "Floor", "Sign"};
    for (size_t i = 0; i < 3; i++) {
        wire graph = {0};
        double value;
        float gradient[4];
        wire_child(&graph, GRAPH_NODE, wire_node("Neg", "x", NULL, "n"));
        wire_child(&graph, GRAPH_NODE, wire_node(operators[i], "n", NULL, "r"));
        wire_child(&graph, GRAPH_NODE, wire_node("Neg", "r", NULL, "y"));
        gig_model *model = load(graph, 2, row, ONNX_FLOAT);
        assert_ok(evaluate(&value, NULL, model, GIG_LOGIT)); /* a value is there anyway */
        assert_status(evaluate(&value, gradient, model, GIG_LOGIT), GIG_EUNSUPPORTED);
        assert_message("no gradient reaches \"x\": node 1");
        assert_message(operators[i]);
        gig_model_free(model);
    }
}

static void names_what_made_whole_numbers(void **state)
{
    (void)state;
    wire graph = {0};
    double value;
    float gradient[4];
    wire_child(&graph, GRAPH_NODE, cast("x", "whole", ONNX_INT64));
    wire_child(&graph, GRAPH_NODE, wire_node("Abs", "whole", NULL, "size"));
    wire_child(&graph, GRAPH_NODE, cast("size", "y", ONNX_FLOAT));
    gig_model *model = load(graph, 2, row, ONNX_FLOAT);
    assert_status(evaluate(&value, gradient, model, GIG_LOGIT), GIG_EUNSUPPORTED);
    assert_message("node 0 (Cast) has no gradient");
    gig_model_free(model);
}

static void another_way_is_enough(void **state)
{
    (void)state;
    wire graph = {0};
    double value;
    float gradient[4];
    wire_child(&graph, GRAPH_NODE, wire_node("Round", "x", NULL, "r"));
    wire_child(&graph, GRAPH_NODE, wire_node("Add", "r", "x", "y"));
    gig_model *model = load(graph, 2, row, ONNX_FLOAT);
    assert_ok(evaluate(&value, gradient, model, GIG_LOGIT));
    assert_true(gradient[0] == 0 && gradient[1] == 1);
    gig_model_free(model);
}

static void zeros_are_true_where_nothing_depends_on_the_input(void **state)
{
    (void)state;
    wire graph = {0};
    const float w[4] = {1, 2, 3, 4};
    double value;
    float gradient[4] = {9, 9, 9, 9};
    wire_child(&graph, GRAPH_NODE, wire_node("Shape", "x", NULL, "s"));
    wire_child(&graph, GRAPH_NODE, wire_node("Reshape", "w", "s", "y"));
    wire_child(&graph, GRAPH_INITIALIZER, wire_weight("w", 2, row, w));
    gig_model *model = load(graph, 2, row, ONNX_FLOAT);
    assert_ok(evaluate(&value, gradient, model, GIG_LOGIT));
    assert_true(value == 2 && gradient[0] == 0 && gradient[3] == 0);
    gig_model_free(model);
}

static void whole_outputs_are_refused_by_name(void **state)
{
    (void)state;
    wire graph = {0};
    double value;
    float gradient[4];
    wire_child(&graph, GRAPH_NODE, wire_node("ArgMax", "x", NULL, "y"));
    gig_model *model = load(graph, 2, (const int64_t[]){1, 4}, ONNX_INT64);
    assert_status(evaluate(&value, gradient, model, GIG_LOGIT), GIG_EUNSUPPORTED);
    assert_message("output \"y\" holds integers, which have no gradient, made by node 0");
    gig_model_free(model);
}

/* ---- what an output is ---- */

static gig_model *shaped(const int64_t *dims, int rank)
{
    wire graph = {0}, tensor = wire_tensor("dims", ONNX_INT64, 1, (const int64_t[]){rank});
    wire_bytes(&tensor, TENSOR_RAW, dims, (size_t)rank * sizeof *dims);
    wire_child(&graph, GRAPH_INITIALIZER, tensor);
    wire_child(&graph, GRAPH_NODE, wire_node("Reshape", "x", "dims", "y"));
    return load(graph, rank, dims, ONNX_FLOAT);
}

static void an_output_of_several_vectors_needs_a_target(void **state)
{
    (void)state;
    double value;
    gig_model *model = shaped((const int64_t[]){1, 2, 1, 2}, 4);
    assert_status(evaluate(&value, NULL, model, GIG_SOFTMAX), GIG_EARG);
    assert_message("output \"y\" [1,2,1,2] has more than one value per class");
    assert_message("--region");
    gig_model_free(model);
    model = shaped((const int64_t[]){2, 2}, 2);
    assert_status(evaluate(&value, NULL, model, GIG_LOGIT), GIG_EARG);
    assert_message("--index");
    gig_model_free(model);
    model = shaped((const int64_t[]){1, 4, 1, 1}, 4);
    assert_ok(evaluate(&value, NULL, model, GIG_SOFTMAX));
    gig_model_free(model);
}

static void target_is(const gig_model *model, gig_target target, gig_scalar scalar, double wanted,
                      const float slopes[4])
{
    const gig_network_options options = {.target = target};
    gig_network *network;
    gig_session *session;
    gig_function function;
    size_t class = 0;
    double value;
    float gradient[4], *into = gradient;
    const float *points = point;
    assert_ok(gig_network_create(&network, model, &options));
    assert_ok(gig_session_create(&session, network));
    assert_ok(gig_session_function(&function, session, scalar));
    assert_ok(function.evaluate(function.payload, 1, &points, &class, &value, &into));
    assert_true(fabs(value - wanted) < 1e-6);
    for (int i = 0; i < 4; i++) assert_true(fabs((double)gradient[i] - (double)slopes[i]) < 1e-6);
    gig_session_free(session);
    gig_network_free(network);
}

static void an_index_is_one_number_or_one_vector(void **state)
{
    (void)state;
    gig_model *model = shaped((const int64_t[]){1, 2, 1, 2}, 4);
    target_is(model, (gig_target){GIG_TARGET_INDEX, 3, {1, 0, 0}, NULL}, GIG_VALUE, 1.5, (const float[]){0, 0, 1, 0});
    double p = exp(-0.5) / (exp(-0.5) + exp(0.75));
    target_is(model, (gig_target){GIG_TARGET_INDEX, 3, {GIG_TARGET_ALL, 0, 1}, NULL}, GIG_SOFTMAX, p,
              (const float[]){0, (float)(p * (1 - p)), 0, (float)(-p * (1 - p))});
    gig_tensor weights = {.type = GIG_FLOAT32, .rank = 1, .dims = {4}};
    float w[4] = {1, 2, 3, 4};
    weights.data = w;
    target_is(model, (gig_target){GIG_TARGET_WEIGHTS, 0, {0}, &weights}, GIG_VALUE, 0.25 - 1 + 4.5 + 3, w);
    gig_model_free(model);
}

static void wrong_targets_are_refused(void **state)
{
    (void)state;
    gig_tensor weights = {.type = GIG_FLOAT32, .rank = 1, .dims = {3}};
    float w[3] = {0};
    weights.data = w;
    const struct {
        gig_target target;
        const char *message;
    } bad[] = {{{GIG_TARGET_INDEX, 2, {0, 0}, NULL}, "the index has 2 numbers, output \"y\" [1,2,1,2] expects 3"},
               {{GIG_TARGET_INDEX, 3, {2, 0, 0}, NULL}, "index 2 of axis 0 is outside"},
               {{GIG_TARGET_INDEX, 3, {-1, 0, -1}, NULL}, "one axis of classes"},
               {{GIG_TARGET_WEIGHTS, 0, {0}, &weights}, "weights [3] do not fit"},
               {{GIG_TARGET_WEIGHTS, 0, {0}, NULL}, "no weights"},
               {{(gig_target_kind)9, 0, {0}, NULL}, "unknown kind of target"}};
    gig_model *model = shaped((const int64_t[]){1, 2, 1, 2}, 4), *plain = shaped((const int64_t[]){1, 4}, 2);
    gig_network *network;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const gig_network_options options = {.target = bad[i].target};
        assert_status(gig_network_create(&network, model, &options), GIG_EARG);
        assert_message(bad[i].message);
    }
    const float broken[4] = {1, 2, NAN, 4};
    gig_tensor four = {.type = GIG_FLOAT32, .rank = 1, .dims = {4}, .data = (void *)(uintptr_t)broken};
    const gig_network_options not_finite = {.target = {GIG_TARGET_WEIGHTS, 0, {0}, &four}};
    assert_status(gig_network_create(&network, model, &not_finite), GIG_ENUMERIC);
    assert_message("weight 2 of the target is nan");
    const gig_network_options region = {.target = {.kind = GIG_TARGET_REGION}};
    assert_status(gig_network_create(&network, plain, &region), GIG_EARG);
    assert_message("a region needs an output [n, classes, height, width]");
    gig_model_free(model);
    gig_model_free(plain);
}

/* A Softmax behind a Transpose, halves of sigmoids joined: no second softmax. */
static void probabilities_are_known_by_what_computes_them(void **state)
{
    (void)state;
    wire graph = {0}, turned = wire_node("Transpose", "p", NULL, "t");
    gig_network *network;
    wire_child(&graph, GRAPH_NODE, wire_node("Softmax", "x", NULL, "p"));
    wire_child(&graph, GRAPH_NODE, turned);
    wire tensor = wire_tensor("dims", ONNX_INT64, 1, (const int64_t[]){2});
    wire_bytes(&tensor, TENSOR_RAW, row, sizeof row);
    wire_child(&graph, GRAPH_INITIALIZER, tensor);
    wire_child(&graph, GRAPH_NODE, wire_node("Reshape", "t", "dims", "y"));
    gig_model *model = load(graph, 2, row, ONNX_FLOAT);
    assert_ok(gig_network_create(&network, model, NULL));
    assert_int_equal(gig_network_output_kind(network), GIG_OUTPUT_PROBABILITIES);
    gig_network_free(network);
    gig_model_free(model);

    wire written = {0};
    wire_child(&written, GRAPH_NODE, wire_node("Exp", "x", NULL, "e"));
    wire_child(&written, GRAPH_NODE, wire_node("ReduceSum", "e", NULL, "s"));
    wire_child(&written, GRAPH_NODE, wire_node("Div", "e", "s", "y"));
    model = load(written, 2, row, ONNX_FLOAT);
    double value, sum = 0;
    for (int i = 0; i < 4; i++) sum += exp((double)point[i]);
    assert_ok(evaluate(&value, NULL, model, GIG_SOFTMAX));
    assert_true(fabs(value - exp(-0.5) / sum) < 1e-6);
    gig_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_the_node_where_every_way_ends),
        cmocka_unit_test(names_what_made_whole_numbers),
        cmocka_unit_test(another_way_is_enough),
        cmocka_unit_test(zeros_are_true_where_nothing_depends_on_the_input),
        cmocka_unit_test(whole_outputs_are_refused_by_name),
        cmocka_unit_test(an_output_of_several_vectors_needs_a_target),
        cmocka_unit_test(an_index_is_one_number_or_one_vector),
        cmocka_unit_test(wrong_targets_are_refused),
        cmocka_unit_test(probabilities_are_known_by_what_computes_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
