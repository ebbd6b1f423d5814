/* SPDX-License-Identifier: Apache-2.0 */
/* Fields newer than the schema the loader was built with, as today's exporters write them: they change nothing, and
 * what protobuf-c keeps of them is counted before it is unpacked. */
#include "base/memory.h"
#include "model/graph.h"
#include "model/wire.h"
#include "support.h"

static const int64_t shape[] = {1, 4};

static gig_status load_file(wire file)
{
    gig_model *model;
    size_t before = gig_memory_used();
    gig_status status = gig_model_load_memory(&model, file.bytes, file.count, NULL);
    wire_free(&file);
    gig_model_free(model);
    assert_int_equal(gig_memory_used(), before);
    return status;
}

static void add_ports(wire *graph)
{
    wire_child(graph, GRAPH_INPUT, wire_value("x", GIG_ONNX_FLOAT, 2, shape));
    wire_child(graph, GRAPH_OUTPUT, wire_value("y", GIG_ONNX_FLOAT, 2, shape));
}

/* A StringStringEntryProto with `bytes` of text. */
static wire entry(const char *key, size_t bytes)
{
    wire made = {0};
    char *text = malloc(bytes);
    assert_non_null(text);
    memset(text, 's', bytes);
    wire_text(&made, 1, key);
    wire_bytes(&made, 2, text, bytes);
    free(text);
    return made;
}

/* A DeviceConfigurationProto, or a node's: field 1 is its name. */
static wire named(const char *name)
{
    wire made = {0};
    wire_text(&made, 1, name);
    return made;
}

/* y = F(x) + w with every field that IR 9 to 13 added where it belongs. */
static void is_not_disturbed_by_newer_fields(void **state)
{
    (void)state;
    const float ones[] = {1, 2, 3, 4};
    wire made = wire_function("F", "a", "b", 17), graph = {0}, site = wire_call("F", "x", NULL, "h");
    wire add = wire_node("Add", "h", "w", "y"), weight = wire_tensor("w", GIG_ONNX_FLOAT, 1, shape + 1);
    wire input = wire_value("x", GIG_ONNX_FLOAT, 2, shape), output = wire_value("y", GIG_ONNX_FLOAT, 2, shape);
    wire_bytes(&weight, TENSOR_RAW, ones, sizeof ones);
    wire_child(&made, FUNCTION_NODE, wire_node("Neg", "a", NULL, "b"));
    wire_child(&made, FUNCTION_VALUE, wire_value("b", GIG_ONNX_FLOAT, 2, shape));
    wire_child(&made, FUNCTION_METADATA, entry("pkg", 10));
    wire_child(&site, NODE_METADATA, entry("stack_trace", 3000));
    wire_child(&add, NODE_METADATA, entry("namespace", 3000));
    wire_child(&add, NODE_METADATA, entry("stack_trace", 0));
    wire_child(&add, NODE_DEVICES, named("cpu"));
    wire_child(&weight, TENSOR_METADATA, entry("from", 20));
    wire_child(&input, VALUE_METADATA, entry("from", 20));
    wire_child(&graph, GRAPH_METADATA, entry("from", 20));
    wire_child(&graph, GRAPH_NODE, site);
    wire_child(&graph, GRAPH_NODE, add);
    wire_child(&graph, GRAPH_INITIALIZER, weight);
    wire_child(&graph, GRAPH_INPUT, input);
    wire_child(&graph, GRAPH_OUTPUT, output);
    wire file = wire_model(graph, 13, 17);
    wire_child(&file, MODEL_CONFIGURATION, named("cpu"));
    wire_child(&file, MODEL_FUNCTION, made);
    gig_model *model;
    assert_ok(gig_model_load_memory(&model, file.bytes, file.count, NULL));
    assert_int_equal(model->node_count, 2);
    assert_string_equal(model->nodes[0].op, "Neg");
    assert_int_equal(model->nodes[1].inputs[0], model->nodes[0].outputs[0]);
    assert_memory_equal(model->values[gig_model_find(model, "w")].constant->real, ones, sizeof ones);
    gig_model_free(model);
    wire_free(&file);
}

static wire noted_file(int nodes, int notes, size_t bytes)
{
    wire graph = {0};
    for (int i = 0; i < nodes; i++) {
        char from[16], to[16];
        snprintf(from, sizeof from, "v%d", i);
        snprintf(to, sizeof to, "v%d", i + 1);
        wire node = wire_node("Relu", i ? from : "x", NULL, i + 1 < nodes ? to : "y");
        for (int k = 0; k < notes; k++) wire_child(&node, NODE_METADATA, entry("pkg.torch.onnx.stack_trace", bytes));
        wire_child(&graph, GRAPH_NODE, node);
    }
    add_ports(&graph);
    return wire_model(graph, 10, 17);
}

/* As exporters write them: several long notes per node. The budget for unpacking holds them. */
static void has_room_for_many_notes_per_node(void **state)
{
    (void)state;
    assert_ok(load_file(noted_file(3000, 6, 1000)));
    assert_ok(load_file(noted_file(3, 20000, 0))); /* the records cost more than the text */
    assert_ok(load_file(noted_file(60, 1, 200000)));
}

/* 3 million empty notes would become 700 MB of records: refused before anything is unpacked. */
static void refuses_more_notes_than_the_budget_holds(void **state)
{
    (void)state;
    wire graph = {0}, node = wire_node("Relu", "x", NULL, "y");
    for (int i = 0; i < 3000000; i++) wire_bytes(&node, NODE_METADATA, NULL, 0);
    wire_child(&graph, GRAPH_NODE, node);
    add_ports(&graph);
    gig_memory_reset_peak();
    size_t before = gig_memory_used();
    assert_status(load_file(wire_model(graph, 10, 17)), GIG_ELIMIT);
    assert_message("unpacking would take");
    assert_true(gig_memory_peak() - before < 1 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_not_disturbed_by_newer_fields),
        cmocka_unit_test(has_room_for_many_notes_per_node),
        cmocka_unit_test(refuses_more_notes_than_the_budget_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
