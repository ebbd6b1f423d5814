/* SPDX-License-Identifier: Apache-2.0 */
/* gig model as a user runs it: what it counts, what it refuses. */
#include "cli/run_program.h"
#include "model/wire.h"
#include <jansson.h>

enum { ONNX_FLOAT = 1, ONNX_INT64 = 7, ONNX_BOOL = 9, ATTRIBUTE_TYPE_TENSOR = 4, ATTRIBUTE_TYPE_GRAPH = 5 };

static void describes_a_model_and_its_plan(void **state)
{
    (void)state;
    expect_run(0, "stdout", "input        x  float32 [?,3,8,8]\n", run("model small.onnx"));
    expect_run(0, "stdout", "192 features, 5 classes, batch 1\n", run("model small.onnx"));
    /* 2 * (4 * 27 * 64 + 5 * 4) */
    expect_run(0, "stdout", "13.9 kFLOP per point, forward\n", run("model small.onnx --batch 2"));
    expect_run(0, "stdout", "3 features, 3 classes", run("model product.onnx"));
    assert_int_equal(run("model small.onnx --json"), 0);
    char *text = content("stdout");
    json_t *root = json_loads(text, 0, NULL);
    assert_non_null(root);
    json_t *plan = json_object_get(root, "plan");
    assert_string_equal(json_string_value(json_object_get(plan, "status")), "GIG_OK");
    assert_true(json_real_value(json_object_get(plan, "flops")) == 13864);
    assert_int_equal(json_integer_value(json_object_get(root, "parameters")), 137);
    json_decref(root);
    gig_free(text);
}

static void names_what_is_not_supported(void **state)
{
    (void)state;
    const char *model = "/usr/share/libonnx-testdata/data/node/test_nonmaxsuppression_limit_output_size/model.onnx";
    if (access(model, R_OK) != 0) skip_because("libonnx-testdata is not installed");
    expect_run(4, "stdout", "NonMaxSuppression  not supported\n", run("model %s", model));
    expect_run(4, "stderr", "operator NonMaxSuppression is not supported\n", run("model %s", model));
}

/* ---- files made here ---- */

static void add_graph(wire *node, const char *name, wire graph)
{
    wire attribute = wire_attribute(name, ATTRIBUTE_TYPE_GRAPH);
    wire_child(&attribute, ATTRIBUTE_G, graph);
    wire_child(node, NODE_ATTRIBUTE, attribute);
}

/* x and y [?, 2] or [1, 2] around the nodes of the graph; its path. */
static const char *write_model(wire graph, int free_dimension)
{
    const int64_t dims[2] = {1, free_dimension ? -1 : 2};
    static char path[512];
    snprintf(path, sizeof path, "%s", temporary_path("made.onnx"));
    wire_child(&graph, GRAPH_INPUT, wire_value("x", ONNX_FLOAT, 2, dims));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", ONNX_FLOAT, 2, dims));
    wire file = wire_model(graph, 8, 13);
    assert_ok(gig_file_write(path, file.bytes, file.count, 1));
    wire_free(&file);
    return path;
}

static wire branch_of(const char *op, const char *result)
{
    const int64_t dims[2] = {1, 2};
    wire graph = {0};
    wire_child(&graph, GRAPH_NODE, wire_node(op, "x", NULL, result));
    wire_child(&graph, GRAPH_OUTPUT, wire_value(result, ONNX_FLOAT, 2, dims));
    return graph;
}

static wire constant_bool(const char *name)
{
    const uint8_t yes = 1;
    wire tensor = wire_tensor(name, ONNX_BOOL, 0, NULL);
    wire_bytes(&tensor, TENSOR_RAW, &yes, 1);
    return tensor;
}

/* The branch that is never taken has the unknown operator. */
static wire with_if(void)
{
    wire graph = {0}, node = wire_node("If", "c", NULL, "y");
    wire_child(&graph, GRAPH_INITIALIZER, constant_bool("c"));
    add_graph(&node, "then_branch", branch_of("Neg", "n"));
    add_graph(&node, "else_branch", branch_of("Mystery", "m"));
    wire_child(&graph, GRAPH_NODE, node);
    return graph;
}

static wire with_loop(void)
{
    const int64_t runs = 3, dims[2] = {1, 2};
    wire graph = {0}, body = {0}, node = wire_node("Loop", "runs", "c", "y");
    wire_text(&node, NODE_INPUT, "x");
    wire_child(&graph, GRAPH_INITIALIZER, constant_bool("c"));
    wire_child(&graph, GRAPH_INITIALIZER, wire_wholes("runs", 0, NULL, &runs));
    wire_child(&body, GRAPH_INPUT, wire_value("i", ONNX_INT64, 0, NULL));
    wire_child(&body, GRAPH_INPUT, wire_value("go", ONNX_BOOL, 0, NULL));
    wire_child(&body, GRAPH_INPUT, wire_value("s", ONNX_FLOAT, 2, dims));
    wire_child(&body, GRAPH_NODE, wire_node("Identity", "go", NULL, "on"));
    wire_child(&body, GRAPH_NODE, wire_node("Mystery", "s", NULL, "t"));
    wire_child(&body, GRAPH_OUTPUT, wire_value("on", ONNX_BOOL, 0, NULL));
    wire_child(&body, GRAPH_OUTPUT, wire_value("t", ONNX_FLOAT, 2, dims));
    add_graph(&node, "body", body);
    wire_child(&graph, GRAPH_NODE, node);
    return graph;
}

static void names_what_is_not_supported_in_subgraphs(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const char *path = write_model(i & 1 ? with_loop() : with_if(), i & 2);
        int code = run("model %s", path);
        expect_run(4, "stdout", "Mystery  not supported\n", code);
        expect_run(4, "stderr", "operator Mystery is not supported", code);
        if (i & 2) expect_run(4, "stdout", "dimension 1 of input \"x\" is free", code);
    }
}

/* A dimension that is not free but does not fit either. */
static void an_operator_that_is_missing_comes_before_other_errors(void **state)
{
    (void)state;
    const float weights[6] = {1, 2, 3, 4, 5, 6};
    wire graph = with_if();
    wire_child(&graph, GRAPH_INITIALIZER, wire_weight("w", 2, (const int64_t[]){3, 2}, weights));
    wire_child(&graph, GRAPH_NODE, wire_node("MatMul", "x", "w", "unfit"));
    const char *path = write_model(graph, 0);
    expect_run(4, "stderr", "operator Mystery is not supported", run("model %s", path));
    expect_run(4, "stderr", "operator Mystery is not supported", run("model %s --output unfit", path));
}

/* ---- weights ---- */

static wire constant_node(const char *name, int rank, const int64_t *dims, const float *values)
{
    wire node = wire_node("Constant", NULL, NULL, name), attribute = wire_attribute("value", ATTRIBUTE_TYPE_TENSOR);
    wire_child(&attribute, ATTRIBUTE_T, wire_weight(name, rank, dims, values));
    wire_child(&node, NODE_ATTRIBUTE, attribute);
    return node;
}

/* An initializer of 4 floats, a Constant of 4, one of 2 as a list, and one of 4 in each branch of an If. */
static void counts_weights_of_constant_nodes(void **state)
{
    (void)state;
    const int64_t square[2] = {2, 2}, row[2] = {1, 2};
    const float values[4] = {1, 2, 3, 4};
    wire graph = {0}, list = wire_node("Constant", NULL, NULL, "bias"), floats = wire_attribute("value_floats", 6),
         choice = wire_node("If", "c", NULL, "y");
    for (int i = 0; i < 2; i++) wire_float(&floats, ATTRIBUTE_FLOATS, values[i]);
    wire_child(&list, NODE_ATTRIBUTE, floats);
    wire_child(&graph, GRAPH_INITIALIZER, constant_bool("c"));
    wire_child(&graph, GRAPH_INITIALIZER, wire_weight("first", 2, square, values));
    wire_child(&graph, GRAPH_NODE, constant_node("second", 2, square, values));
    wire_child(&graph, GRAPH_NODE, list);
    wire_child(&graph, GRAPH_NODE, wire_node("MatMul", "x", "first", "a"));
    wire_child(&graph, GRAPH_NODE, wire_node("MatMul", "a", "second", "b"));
    wire_child(&graph, GRAPH_NODE, wire_node("Add", "b", "bias", "d"));
    for (int i = 0; i < 2; i++) {
        wire branch = {0};
        wire_child(&branch, GRAPH_NODE, constant_node("inner", 2, square, values));
        wire_child(&branch, GRAPH_NODE, wire_node("MatMul", "d", "inner", "e"));
        wire_child(&branch, GRAPH_OUTPUT, wire_value("e", ONNX_FLOAT, 2, row));
        add_graph(&choice, i ? "else_branch" : "then_branch", branch);
    }
    wire_child(&graph, GRAPH_NODE, choice);
    const char *path = write_model(graph, 0);
    expect_run(0, "stdout", "parameters   18 (80 B in memory)\n", run("model %s", path)); /* 18 floats, one int64 */
    assert_int_equal(run("model %s --json", path), 0);
    char *text = content("stdout");
    json_t *root = json_loads(text, 0, NULL);
    assert_int_equal(json_integer_value(json_object_get(root, "parameters")), 18);
    assert_int_equal(json_integer_value(json_object_get(root, "weight_bytes")), 80);
    assert_int_equal(json_integer_value(json_object_get(root, "nodes")), 10);
    json_decref(root);
    gig_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(describes_a_model_and_its_plan),
        cmocka_unit_test(names_what_is_not_supported),
        cmocka_unit_test(names_what_is_not_supported_in_subgraphs),
        cmocka_unit_test(an_operator_that_is_missing_comes_before_other_errors),
        cmocka_unit_test(counts_weights_of_constant_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
