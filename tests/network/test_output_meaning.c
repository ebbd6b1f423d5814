/* SPDX-License-Identifier: Apache-2.0 */
/* What a file means: which operator made the probabilities, which attributes count, what is no number. */
#include "support.h"

#include "internal/profile.h"
#include "logit.h"
#include "model/wire_load.h"
#include "random_numbers.h"
#include <math.h>

enum { ONNX_FLOAT = 1, ONNX_INT8 = 3, ONNX_INT64 = 7, CLASSES = 12, GROUP = 3 };

static const float point[CLASSES] = {1, -2, 0.5f, 0.25f, 3, -1, 0, 2, 1.5f, -0.5f, 0.75f, -3};

/* A graph from x [1, 12] to y, which has these dims. */
static gig_model *load(wire graph, int rank, const int64_t *dims, int64_t opset)
{
    wire_child(&graph, GRAPH_INPUT, wire_value("x", ONNX_FLOAT, 2, (const int64_t[]){1, CLASSES}));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", ONNX_FLOAT, rank, dims));
    return wire_load(wire_model(graph, 8, opset));
}

static void add_shape(wire *graph, const char *name, int64_t rank, const int64_t *dims)
{
    wire tensor = wire_tensor(name, ONNX_INT64, 1, &rank);
    wire_bytes(&tensor, TENSOR_RAW, dims, (size_t)rank * sizeof *dims);
    wire_child(graph, GRAPH_INITIALIZER, tensor);
}

/* x as `dims`, then Softmax over `axis`, then `last` where there is one. */
static gig_model *softmax(int rank, const int64_t *dims, int64_t axis, int64_t opset, const char *last)
{
    wire graph = {0}, made = wire_node("Softmax", "shaped", NULL, last ? "p" : "y");
    wire_attribute_int(&made, "axis", axis);
    add_shape(&graph, "dims", rank, dims);
    wire_child(&graph, GRAPH_NODE, wire_node("Reshape", "x", "dims", "shaped"));
    wire_child(&graph, GRAPH_NODE, made);
    if (!last) return load(graph, rank, dims, opset);
    wire after = wire_node(last, "p", NULL, "y");
    if (!strcmp(last, "Cast")) wire_attribute_int(&after, "to", ONNX_FLOAT);
    wire_child(&graph, GRAPH_NODE, after);
    return load(graph, strcmp(last, "Cast") ? 2 : rank, strcmp(last, "Cast") ? (const int64_t[]){1, CLASSES} : dims,
                opset);
}

/* F and its slope by x[target], of softmax. */
static void probability_of(double *value, double *slope, const gig_model *model, size_t target)
{
    gig_network *network;
    gig_session *session;
    gig_function function;
    float gradient[CLASSES];
    size_t class = target;
    assert_ok(gig_network_create(&network, model, NULL));
    if (gig_network_expect_target(network) != GIG_OK) { /* rows of GROUP: the number is named */
        const gig_network_options options = {
            .target = {GIG_TARGET_INDEX, 2, {(int64_t)target / GROUP, (int64_t)target % GROUP}, NULL}};
        gig_network_free(network);
        assert_ok(gig_network_create(&network, model, &options));
        class = 0;
    }
    assert_ok(gig_session_create(&session, network));
    assert_ok(gig_session_function(&function, session, GIG_SOFTMAX));
    assert_ok(
        function.evaluate(function.payload, 1, &(const float *){point}, &class, value, &(float *const){gradient}));
    *slope = (double)gradient[target];
    gig_session_free(session);
    gig_network_free(network);
}

static double expected(size_t target, size_t group)
{
    size_t first = target / group * group;
    double sum = 0;
    for (size_t i = first; i < first + group; i++) sum += exp((double)point[i]);
    return exp((double)point[target]) / sum;
}

/* x times m, each row with its own: three rows of m make three rows of classes of one point. */
static void rejects_batch_rows_that_the_input_does_not_have(void **state)
{
    (void)state;
    wire graph = {0};
    gig_tensor m;
    gig_network *network;
    wire_child(&graph, GRAPH_NODE, wire_node("Mul", "x", "m", "y"));
    wire_child(&graph, GRAPH_INPUT, wire_value("x", ONNX_FLOAT, 2, (const int64_t[]){-1, CLASSES}));
    wire_child(&graph, GRAPH_INPUT, wire_value("m", ONNX_FLOAT, 2, (const int64_t[]){-1, CLASSES}));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", ONNX_FLOAT, 2, (const int64_t[]){-1, CLASSES}));
    gig_model *model = wire_load(wire_model(graph, 8, 13));
    for (int64_t rows = 1; rows <= 3; rows += 2) {
        assert_ok(gig_tensor_create(&m, GIG_FLOAT32, 2, (const int64_t[]){rows, CLASSES}));
        const gig_input_value bound = {"m", &m};
        const gig_network_options options = {.input = "x", .bound = &bound, .bound_count = 1};
        assert_status(gig_network_create(&network, model, &options), rows == 1 ? GIG_OK : GIG_EARG);
        if (rows > 1) assert_message("input \"m\" has 3 rows where a point has one");
        gig_network_free(network);
        gig_network_options chosen = options; /* one number of them is no matter of classes */
        chosen.target =
            (gig_target){.kind = GIG_TARGET_INDEX, .rank = rows > 1 ? 2 : 1, .index = {rows - 1, GIG_TARGET_ALL}};
        assert_ok(gig_network_create(&network, model, &chosen));
        gig_network_free(network);
        gig_tensor_clear(&m);
    }
    gig_model_free(model);
}

static void takes_probabilities_as_the_file_makes_them(void **state)
{
    (void)state;
    const struct {
        int rank;
        int64_t dims[4], axis, opset;
        const char *last;
        size_t group;
    } cases[] = {
        {2, {1, 12}, -1, 13, NULL, 12},           {1, {12}, 0, 13, NULL, 12},
        {4, {1, 1, 1, 12}, -1, 13, NULL, 12},     {4, {1, 12, 1, 1}, 1, 13, NULL, 12},
        {3, {1, 1, 12}, 1, 11, NULL, 12},         {3, {1, 4, 3}, 1, 11, NULL, 12},
        {2, {1, 12}, -1, 13, "Cast", 12},         {4, {1, 1, 1, 12}, 3, 13, "Flatten", 12},
        {2, {4, 3}, 1, 13, NULL, GROUP},          {3, {1, 4, 3}, -1, 13, NULL, GROUP},
        {3, {1, 4, 3}, -1, 13, "Flatten", GROUP}, {3, {1, 4, 3}, 2, 13, "Cast", GROUP},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gig_model *model = softmax(cases[i].rank, cases[i].dims, cases[i].axis, cases[i].opset, cases[i].last);
        double value, slope, p = expected(4, cases[i].group);
        probability_of(&value, &slope, model, 4);
        if (!(fabs(value - p) < 1e-6 && fabs(slope - p * (1 - p)) < 1e-6)) {
            print_error("case %zu: %g with slope %g, not %g with %g\n", i, value, slope, p, p * (1 - p));
            fail();
        }
        gig_model_free(model);
    }
}

/* C [3, 1] is a column, also where there are as many rows as columns. */
static void adds_a_gemms_column_as_a_column(void **state)
{
    (void)state;
    const float column[3] = {10, 20, 30};
    wire graph = {0}, gemm = wire_node("Gemm", "a", "b", "sum");
    float *b = draw(12, 3);
    wire_text(&gemm, NODE_INPUT, "c");
    add_shape(&graph, "dims", 2, (const int64_t[]){3, 4});
    wire_child(&graph, GRAPH_NODE, wire_node("Reshape", "x", "dims", "a"));
    wire_child(&graph, GRAPH_NODE, gemm);
    wire_child(&graph, GRAPH_NODE, wire_node("Flatten", "sum", NULL, "flat"));
    add_shape(&graph, "row", 2, (const int64_t[]){1, 9});
    wire_child(&graph, GRAPH_NODE, wire_node("Reshape", "flat", "row", "y"));
    wire_child(&graph, GRAPH_INITIALIZER, wire_weight("b", 2, (const int64_t[]){4, 3}, b));
    wire_child(&graph, GRAPH_INITIALIZER, wire_weight("c", 2, (const int64_t[]){3, 1}, column));
    gig_model *model = load(graph, 2, (const int64_t[]){1, 9}, 13);
    for (size_t target = 0; target < 9; target++) {
        double value, wanted = (double)column[target / 3];
        for (size_t k = 0; k < 4; k++) wanted += (double)point[target / 3 * 4 + k] * (double)b[k * 3 + target % 3];
        assert_ok(logit_of(&value, NULL, model, point, target, (gig_network_options){0}));
        assert_true(fabs(value - wanted) < 1e-4);
    }
    gig_free(b);
    gig_model_free(model);
}

static gig_model *one_node(wire node, int64_t opset)
{
    wire graph = {0};
    wire_child(&graph, GRAPH_NODE, node);
    return load(graph, 2, (const int64_t[]){1, CLASSES}, opset);
}

/* 1 for 1.0 */
static void takes_whole_numbers_for_real_ones(void **state)
{
    (void)state;
    wire node = wire_node("LeakyRelu", "x", NULL, "y");
    wire_attribute_int(&node, "alpha", 2);
    gig_model *model = one_node(node, 13);
    double value;
    assert_ok(logit_of(&value, NULL, model, point, 1, (gig_network_options){0}));
    assert_true(value == -4);
    gig_model_free(model);
}

static void assert_no_network(gig_model *model, gig_status wanted, const char *text)
{
    gig_network *network;
    assert_status(gig_network_create(&network, model, NULL), wanted);
    assert_message(text);
    gig_model_free(model);
}

static void refuses_attributes_that_are_inputs(void **state)
{
    (void)state;
    wire sum = wire_node("ReduceSum", "x", NULL, "y"), clip = wire_node("Clip", "x", NULL, "y");
    wire_attribute_ints(&sum, "axes", 1, (const int64_t[]){1});
    wire_attribute_real(&clip, "min", 0);
    assert_no_network(one_node(sum, 13), GIG_EFORMAT,
                      "ReduceSum has no attribute \"axes\" in opset 13: it is an input");
    assert_no_network(one_node(clip, 13), GIG_EFORMAT, "Clip has no attribute \"min\" in opset 13");
}

/* Half a second of a 200-byte file is enough. */
static void refuses_constants_that_take_hours(void **state)
{
    (void)state;
    wire graph = {0};
    add_shape(&graph, "n", 2, (const int64_t[]){8192, 8192});
    wire_child(&graph, GRAPH_NODE, wire_node("ConstantOfShape", "n", NULL, "a"));
    wire_child(&graph, GRAPH_NODE, wire_node("MatMul", "a", "a", "b"));
    wire_child(&graph, GRAPH_NODE, wire_node("ReduceSum", "b", NULL, "c"));
    wire_child(&graph, GRAPH_NODE, wire_node("Add", "x", "c", "y"));
    assert_no_network(load(graph, 2, (const int64_t[]){1, CLASSES}, 13), GIG_ELIMIT,
                      "constants computed from the file");
    wire windows = {0}, pool = wire_node("MaxPool", "a", NULL, "b");
    wire_attribute_ints(&pool, "kernel_shape", 2, (const int64_t[]){512, 512});
    add_shape(&windows, "n", 4, (const int64_t[]){1, 1, 1536, 1536});
    wire_child(&windows, GRAPH_NODE, wire_node("ConstantOfShape", "n", NULL, "a"));
    wire_child(&windows, GRAPH_NODE, pool);
    wire_child(&windows, GRAPH_NODE, wire_node("ReduceSum", "b", NULL, "c"));
    wire_child(&windows, GRAPH_NODE, wire_node("Add", "x", "c", "y"));
    assert_no_network(load(windows, 2, (const int64_t[]){1, CLASSES}, 13), GIG_ELIMIT, "constants computed");
}

static void quantizes_to_the_type_that_is_said(void **state)
{
    (void)state;
    const float scale = 0.1f;
    wire graph = {0}, quantize = wire_node("QuantizeLinear", "x", "scale", "q");
    wire_attribute_int(&quantize, "output_dtype", ONNX_INT8);
    wire_child(&graph, GRAPH_NODE, quantize);
    wire_child(&graph, GRAPH_NODE, wire_node("DequantizeLinear", "q", "scale", "y"));
    wire_child(&graph, GRAPH_INITIALIZER, wire_weight("scale", 0, NULL, &scale));
    gig_model *model = load(graph, 2, (const int64_t[]){1, CLASSES}, 21);
    double value;
    assert_ok(logit_of(&value, NULL, model, point, 1, (gig_network_options){0}));
    assert_true(fabs(value + 2) < 1e-6); /* 0 as a uint8 */
    gig_model_free(model);
}

static void no_number_stays_none(void **state)
{
    (void)state;
    wire graph = {0}, clip = wire_node("Clip", "root", NULL, "y");
    wire_attribute_real(&clip, "min", 0);
    wire_child(&graph, GRAPH_NODE, wire_node("Sqrt", "x", NULL, "root"));
    wire_child(&graph, GRAPH_NODE, clip);
    gig_model *model = load(graph, 2, (const int64_t[]){1, CLASSES}, 6);
    double value;
    assert_status(logit_of(&value, NULL, model, point, 1, (gig_network_options){0}), GIG_ENUMERIC);
    gig_model_free(model);
}

/* y = x + relu(max over rows - 2): rows hear of each other only where one is large. */
static gig_model *rows_that_meet(int64_t rows)
{
    wire graph = {0}, most = wire_node("ReduceMax", "x", NULL, "m");
    const float two = 2;
    const int64_t dims[] = {rows, 3};
    wire_attribute_ints(&most, "axes", 1, (const int64_t[]){0});
    wire_child(&graph, GRAPH_NODE, most);
    wire_child(&graph, GRAPH_NODE, wire_node("Sub", "m", "two", "above"));
    wire_child(&graph, GRAPH_NODE, wire_node("Relu", "above", NULL, "r"));
    wire_child(&graph, GRAPH_NODE, wire_node("Add", "x", "r", "y"));
    wire_child(&graph, GRAPH_INITIALIZER, wire_weight("two", 0, NULL, &two));
    wire_child(&graph, GRAPH_INPUT, wire_value("x", ONNX_FLOAT, 2, dims));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", ONNX_FLOAT, 2, dims));
    return wire_load(wire_model(graph, 8, 13));
}

static void finds_rows_that_depend_on_large_values(void **state)
{
    (void)state;
    gig_model *model = rows_that_meet(4);
    gig_network *network;
    assert_ok(gig_network_create(&network, model, NULL));
    assert_int_equal(gig_network_features(network), 12);
    gig_network_free(network);
    gig_model_free(model);
}

static void batches_no_rows_that_depend_on_large_values(void **state)
{
    (void)state;
    gig_model *model = rows_that_meet(-1);
    const gig_network_options options = {.batch = 4};
    gig_network *network;
    assert_ok(gig_network_create(&network, model, &options));
    assert_int_equal(gig_network_batch(network), 1);
    gig_network_free(network);
    gig_model_free(model);
}

/* Points that a model does not take show nothing of its rows: the root of a negative number is none. */
static void rows_apart_stay_so_where_numbers_end(void **state)
{
    (void)state;
    wire graph = {0};
    float *w = draw(9, 5);
    wire_child(&graph, GRAPH_NODE, wire_node("Sqrt", "x", NULL, "r"));
    wire_child(&graph, GRAPH_NODE, wire_node("MatMul", "r", "w", "y"));
    wire_child(&graph, GRAPH_INITIALIZER, wire_weight("w", 2, (const int64_t[]){3, 3}, w));
    wire_child(&graph, GRAPH_INPUT, wire_value("x", ONNX_FLOAT, 2, (const int64_t[]){4, 3}));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", ONNX_FLOAT, 2, (const int64_t[]){4, 3}));
    gig_model *model = wire_load(wire_model(graph, 8, 13));
    gig_network *network;
    assert_ok(gig_network_create(&network, model, NULL));
    assert_int_equal(gig_network_features(network), 3);
    gig_network_free(network);
    gig_model_free(model);
    gig_free(w);
}

static void profiles_whatever_the_output_holds(void **state)
{
    (void)state;
    gig_model *model = softmax(3, (const int64_t[]){1, 4, 3}, -1, 13, NULL);
    gig_network *network;
    gig_session *session;
    gig_profile profile;
    assert_ok(gig_network_create(&network, model, NULL));
    assert_ok(gig_session_create(&session, network));
    assert_ok(gig_session_profile(&profile, session, 1));
    gig_session_free(session);
    gig_network_free(network);
    gig_model_free(model);
}

static void refuses_gradients_that_nothing_flows_to(void **state)
{
    (void)state;
    static const struct {
        const char *name, *message;
    } cases[] = {
        {"x", "\"x\" is the input itself"}, {"y", "\"y\" is made of the logits"}, {"dims", "\"dims\" is a weight"}};
    gig_model *model = softmax(2, (const int64_t[]){1, 12}, -1, 13, NULL);
    for (size_t i = 0; i < 3; i++) {
        const gig_network_options options = {.keep = &cases[i].name, .keep_count = 1};
        gig_network *network;
        gig_session *session;
        gig_tensor value, gradient;
        assert_ok(gig_network_create(&network, model, &options));
        assert_ok(gig_session_create(&session, network));
        assert_status(
            gig_session_tensor(&value, &gradient, NULL, session, &(gig_kept_request){0, point, GIG_SOFTMAX, 0}),
            GIG_EARG);
        assert_message(cases[i].message);
        gig_session_free(session);
        gig_network_free(network);
    }
    const gig_network_options output = {.output = "dims"};
    gig_network *network;
    assert_status(gig_network_create(&network, model, &output), GIG_EARG);
    assert_message("\"dims\" is a weight, not an output");
    gig_model_free(model);
}

/* Whoever prints a remark prints one line. */
static void remarks_are_lines_whatever_the_names(void **state)
{
    (void)state;
    wire graph = {0};
    wire_child(&graph, GRAPH_NODE, wire_node("Relu", "x", NULL, "a\x1b[31m\nb"));
    wire_child(&graph, GRAPH_NODE, wire_node("Tanh", "x", NULL, "y"));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("a\x1b[31m\nb", ONNX_FLOAT, 2, (const int64_t[]){1, CLASSES}));
    gig_model *model = load(graph, 2, (const int64_t[]){1, CLASSES}, 13);
    gig_network *network;
    assert_ok(gig_network_create(&network, model, NULL));
    assert_non_null(gig_network_remark(network, 0));
    for (size_t i = 0; gig_network_remark(network, i); i++)
        for (const char *c = gig_network_remark(network, i); *c; c++) assert_true((unsigned char)*c >= 0x20);
    gig_network_free(network);
    gig_model_free(model);
}

static void refuses_to_keep_what_nothing_computes(void **state)
{
    (void)state;
    wire graph = {0};
    wire_child(&graph, GRAPH_NODE, wire_node("Relu", "x", NULL, "y"));
    wire_child(&graph, GRAPH_INPUT, wire_value("x", ONNX_FLOAT, 2, (const int64_t[]){1, CLASSES}));
    wire_child(&graph, GRAPH_INPUT, wire_value("u", ONNX_FLOAT, 2, (const int64_t[]){1, CLASSES}));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", ONNX_FLOAT, 2, (const int64_t[]){1, CLASSES}));
    gig_model *model = wire_load(wire_model(graph, 8, 13));
    const char *keep = "u";
    const gig_network_options options = {.input = "x", .keep = &keep, .keep_count = 1};
    gig_network *network;
    assert_status(gig_network_create(&network, model, &options), GIG_EARG);
    assert_message("\"u\"");
    gig_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rejects_batch_rows_that_the_input_does_not_have),
        cmocka_unit_test(takes_probabilities_as_the_file_makes_them),
        cmocka_unit_test(adds_a_gemms_column_as_a_column),
        cmocka_unit_test(takes_whole_numbers_for_real_ones),
        cmocka_unit_test(refuses_attributes_that_are_inputs),
        cmocka_unit_test(refuses_constants_that_take_hours),
        cmocka_unit_test(quantizes_to_the_type_that_is_said),
        cmocka_unit_test(no_number_stays_none),
        cmocka_unit_test(finds_rows_that_depend_on_large_values),
        cmocka_unit_test(batches_no_rows_that_depend_on_large_values),
        cmocka_unit_test(rows_apart_stay_so_where_numbers_end),
        cmocka_unit_test(profiles_whatever_the_output_holds),
        cmocka_unit_test(refuses_gradients_that_nothing_flows_to),
        cmocka_unit_test(refuses_to_keep_what_nothing_computes),
        cmocka_unit_test(remarks_are_lines_whatever_the_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
