/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the file: what calls become, names, attributes, opsets; the same values and gradients as without
 * functions; bounds on what they grow to. Broken ones: tests/hostile, function*. */
#include "base/memory.h"
#include "internal/network.h"
#include "model/graph.h"
#include "model/wire_load.h"
#include "support.h"

enum { FEATURES = 4, AS_FLOAT = 1 };

static const int64_t shape[] = {1, FEATURES};

/* ---- writing ---- */

static wire real_attribute(const char *name, float value)
{
    wire attribute = {0};
    wire_text(&attribute, ATTRIBUTE_NAME, name);
    wire_int(&attribute, ATTRIBUTE_TYPE, AS_FLOAT);
    wire_float(&attribute, ATTRIBUTE_F, value);
    return attribute;
}

static wire reference(const char *name, int type, const char *to)
{
    wire attribute = {0};
    wire_text(&attribute, ATTRIBUTE_NAME, name);
    wire_int(&attribute, ATTRIBUTE_TYPE, type);
    wire_text(&attribute, ATTRIBUTE_REFERENCE, to);
    return attribute;
}

/* LeakyRelu whose alpha is the function's attribute `slope`. */
static wire leaky(const char *input, const char *output)
{
    wire node = wire_node("LeakyRelu", input, NULL, output);
    wire_child(&node, NODE_ATTRIBUTE, reference("alpha", AS_FLOAT, "slope"));
    return node;
}

static void add_ports(wire *graph)
{
    wire_child(graph, GRAPH_INPUT, wire_value("x", GIG_ONNX_FLOAT, 2, shape));
    wire_child(graph, GRAPH_OUTPUT, wire_value("y", GIG_ONNX_FLOAT, 2, shape));
}

/* A file of these nodes and functions; both lists end with an empty one. */
static wire file_of(const wire *nodes, const wire *functions)
{
    wire graph = {0};
    for (; nodes->count; nodes++) wire_child(&graph, GRAPH_NODE, *nodes);
    add_ports(&graph);
    wire file = wire_model(graph, 10, 17);
    for (; functions->count; functions++) wire_child(&file, MODEL_FUNCTION, *functions);
    return file;
}

static gig_status load_within(wire file, gig_model_options limits)
{
    gig_model *model;
    size_t before = gig_memory_used();
    gig_status status = gig_model_load_memory(&model, file.bytes, file.count, &limits);
    wire_free(&file);
    gig_model_free(model);
    assert_int_equal(gig_memory_used(), before);
    return status;
}

/* ---- running ---- */

/* Class 2's logit at four points, and its gradients. */
static void run(double values[4], float gradients[4][FEATURES], const gig_model *model)
{
    static const float points[4][FEATURES] = {{1, -2, 3, -4}, {0.5f, 0.25f, -1, 2}, {-1, -1, -1, -1}, {3, 1, 2, 1.5f}};
    gig_network *network;
    gig_session *session;
    gig_function logit;
    const size_t target = 2;
    assert_ok(gig_network_create(&network, model, NULL));
    assert_ok(gig_session_create(&session, network));
    assert_ok(gig_session_function(&logit, session, GIG_LOGIT));
    for (size_t i = 0; i < 4; i++) {
        const float *point = points[i];
        float *gradient = gradients[i];
        assert_ok(logit.evaluate(logit.payload, 1, &point, &target, &values[i], &gradient));
    }
    gig_session_free(session);
    gig_network_free(network);
}

/* Two files that mean the same give the same bits. */
static void expect_same(wire with, wire without)
{
    double values[2][4];
    float gradients[2][4][FEATURES];
    gig_model *models[] = {wire_load(with), wire_load(without)};
    assert_int_equal(models[0]->node_count, models[1]->node_count);
    for (int i = 0; i < 2; i++) run(values[i], gradients[i], models[i]);
    assert_memory_equal(values[0], values[1], sizeof values[0]);
    assert_memory_equal(gradients[0], gradients[1], sizeof gradients[0]);
    for (int i = 0; i < 2; i++) gig_model_free(models[i]);
}

static wire with_real(wire node, const char *name, float value)
{
    wire_child(&node, NODE_ATTRIBUTE, real_attribute(name, value));
    return node;
}

/* Bend(x; slope) = LeakyRelu(x) * x;  Twice(x; outer = 0.75) = Bend(Bend(x; outer); 0.25);
 * y = Twice(sin x; 0.5) + tanh x */
static wire nested_file(void)
{
    wire bend = wire_function("Bend", "a", "b", 17), twice = wire_function("Twice", "a", "b", 17);
    wire_child(&bend, FUNCTION_NODE, leaky("a", "h"));
    wire_child(&bend, FUNCTION_NODE, wire_node("Mul", "h", "a", "b"));
    wire_text(&bend, FUNCTION_ATTRIBUTE, "slope");
    wire first = wire_call("Bend", "a", NULL, "h");
    wire_child(&first, NODE_ATTRIBUTE, reference("slope", AS_FLOAT, "outer"));
    wire_child(&twice, FUNCTION_NODE, first);
    wire_child(&twice, FUNCTION_NODE, with_real(wire_call("Bend", "h", NULL, "b"), "slope", 0.25f));
    wire_child(&twice, FUNCTION_DEFAULT, real_attribute("outer", 0.75f));
    const wire functions[] = {twice, bend, {0}};
    const wire nodes[] = {wire_node("Sin", "x", NULL, "s"),
                          with_real(wire_call("Twice", "s", NULL, "t"), "outer", 0.5f),
                          wire_node("Tanh", "x", NULL, "h"), wire_node("Add", "t", "h", "y"), (wire){0}};
    return file_of(nodes, functions);
}

static void gives_what_the_same_file_without_functions_gives(void **state)
{
    (void)state;
    const wire flat[] = {
        wire_node("Sin", "x", NULL, "s"),  with_real(wire_node("LeakyRelu", "s", NULL, "h1"), "alpha", 0.5f),
        wire_node("Mul", "h1", "s", "t1"), with_real(wire_node("LeakyRelu", "t1", NULL, "h2"), "alpha", 0.25f),
        wire_node("Mul", "h2", "t1", "t"), wire_node("Tanh", "x", NULL, "h"),
        wire_node("Add", "t", "h", "y"),   (wire){0}};
    expect_same(nested_file(), file_of(flat, &(wire){0}));
}

/* ---- what calls become ---- */

static void names_nodes_and_values_by_their_call(void **state)
{
    (void)state;
    char text[128];
    gig_model *model = wire_load(nested_file());
    const gig_node *node = &model->nodes[3];
    assert_int_equal(model->node_count, 7);
    assert_string_equal(node->op, "LeakyRelu");
    assert_string_equal(node->function, "Bend");
    assert_string_equal(gig_node_text(text, sizeof text, node), "node 0 in function \"Bend\"");
    assert_string_equal(gig_node_text(text, sizeof text, &model->nodes[6]), "node 3");
    assert_null(model->nodes[6].function);
    assert_string_equal(model->values[node->outputs[0]].name, "@3.Bend/h");
    assert_string_equal(model->values[node->inputs[0]].name, "@1.Twice/h");
    assert_int_equal(model->nodes[4].outputs[0], gig_model_find(model, "t"));
    gig_model_free(model);
}

/* A graph that has such a name itself: another '@' tells them apart. */
static void keeps_names_apart_from_the_graphs_own(void **state)
{
    (void)state;
    wire made = wire_function("F", "a", "b", 17);
    wire_child(&made, FUNCTION_NODE, wire_node("Neg", "a", NULL, "h"));
    wire_child(&made, FUNCTION_NODE, wire_node("Neg", "h", NULL, "b"));
    const wire nodes[] = {wire_node("Relu", "x", NULL, "@1.F/h"), wire_call("F", "@1.F/h", NULL, "y"), (wire){0}};
    gig_model *model = wire_load(file_of(nodes, (const wire[]){made, {0}}));
    assert_true(gig_model_find(model, "@@1.F/h") >= 0);
    assert_int_not_equal(gig_model_find(model, "@1.F/h"), gig_model_find(model, "@@1.F/h"));
    gig_model_free(model);
}

static void uses_the_opset_that_the_function_imports(void **state)
{
    (void)state;
    wire old = wire_function("Old", "a", "b", 11), new = wire_function("New", "a", "b", 13);
    wire_child(&old, FUNCTION_NODE, wire_node("Softmax", "a", NULL, "b"));
    wire_child(&new, FUNCTION_NODE, wire_node("Softmax", "a", NULL, "b"));
    const wire nodes[] = {wire_call("Old", "x", NULL, "h"), wire_call("New", "h", NULL, "g"),
                          wire_node("Relu", "g", NULL, "y"), (wire){0}};
    gig_model *model = wire_load(file_of(nodes, (const wire[]){old, new, {0}}));
    assert_int_equal(model->nodes[0].opset, 11);
    assert_int_equal(model->nodes[1].opset, 13);
    assert_int_equal(model->nodes[2].opset, 17);
    gig_model_free(model);
}

/* F(a, low, high) -> (b, c): the call gives no low and takes only c. */
static void leaves_out_what_a_call_leaves_out(void **state)
{
    (void)state;
    wire made = wire_function("F", "a", "b", 17), clip = wire_node("Clip", "a", "low", "h"), site = {0};
    wire_text(&made, FUNCTION_INPUT, "low");
    wire_text(&made, FUNCTION_INPUT, "high");
    wire_text(&made, FUNCTION_OUTPUT, "c");
    wire_text(&clip, NODE_INPUT, "high");
    wire_child(&made, FUNCTION_NODE, clip);
    wire_child(&made, FUNCTION_NODE, wire_node("Exp", "h", NULL, "b"));
    wire_child(&made, FUNCTION_NODE, wire_node("Mul", "b", "h", "c"));
    site = wire_call("F", "x", "", "");
    wire_text(&site, NODE_OUTPUT, "y");
    gig_model *model = wire_load(file_of((const wire[]){site, {0}}, (const wire[]){made, {0}}));
    const gig_node *node = &model->nodes[0];
    assert_int_equal(node->input_count, 3);
    assert_int_equal(node->inputs[0], gig_model_find(model, "x"));
    assert_int_equal(node->inputs[1], -1);
    assert_int_equal(node->inputs[2], -1);
    assert_int_equal(model->nodes[1].outputs[0], gig_model_find(model, "@1.F/b"));
    assert_int_equal(model->nodes[2].outputs[0], gig_model_find(model, "y"));
    gig_model_free(model);
}

/* ---- attributes ---- */

/* The alpha that LeakyRelu gets when the function's default is 0.25 and the call gives `given` (0: none). */
static float slope_seen(int has_default, float given)
{
    wire made = wire_function("F", "a", "b", 17), site = wire_call("F", "x", NULL, "y");
    wire_child(&made, FUNCTION_NODE, leaky("a", "b"));
    if (has_default)
        wire_child(&made, FUNCTION_DEFAULT, real_attribute("slope", 0.25f));
    else
        wire_text(&made, FUNCTION_ATTRIBUTE, "slope");
    if (given != 0) wire_child(&site, NODE_ATTRIBUTE, real_attribute("slope", given));
    gig_model *model = wire_load(file_of((const wire[]){site, {0}}, (const wire[]){made, {0}}));
    float seen = gig_node_real(&model->nodes[0], "alpha", -1);
    assert_int_equal(model->nodes[0].attribute_count, seen != -1);
    gig_model_free(model);
    return seen;
}

static void takes_an_attribute_from_the_call_or_its_default(void **state)
{
    (void)state;
    assert_float_equal(slope_seen(0, 0), -1, 0); /* left out: the operator's own default */
    assert_float_equal(slope_seen(0, 0.5f), 0.5, 0);
    assert_float_equal(slope_seen(1, 0), 0.25, 0);
    assert_float_equal(slope_seen(1, 0.5f), 0.5, 0);
}

/* Two calls read the same lists and tensors: each gets its own. */
static void gives_each_call_its_own_lists_and_tensors(void **state)
{
    (void)state;
    const float ones[FEATURES] = {1, 2, 3, 4};
    wire made = wire_function("F", "a", "b", 17), tensor = wire_tensor("", GIG_ONNX_FLOAT, 2, shape), value = {0},
         perm = {0};
    wire_bytes(&tensor, TENSOR_RAW, ones, sizeof ones);
    wire_text(&value, ATTRIBUTE_NAME, "value");
    wire_child(&value, ATTRIBUTE_T, tensor);
    wire constant = wire_node("Constant", NULL, NULL, "w"), turn = wire_node("Transpose", "s", NULL, "b");
    wire_child(&constant, NODE_ATTRIBUTE, value);
    wire_text(&perm, ATTRIBUTE_NAME, "perm");
    wire_packed(&perm, ATTRIBUTE_INTS, 2, (const int64_t[]){0, 1});
    wire_child(&turn, NODE_ATTRIBUTE, perm);
    wire_child(&made, FUNCTION_NODE, constant);
    wire_child(&made, FUNCTION_NODE, wire_node("Add", "a", "w", "s"));
    wire_child(&made, FUNCTION_NODE, turn);
    const wire nodes[] = {wire_call("F", "x", NULL, "h"), wire_call("F", "h", NULL, "y"), (wire){0}};
    gig_model *model = wire_load(file_of(nodes, (const wire[]){made, {0}}));
    for (size_t i = 0; i < 6; i += 3) {
        size_t count;
        const gig_attribute *constants = gig_node_attribute(&model->nodes[i], "value");
        assert_memory_equal(constants->t.real, ones, sizeof ones);
        assert_int_equal(gig_node_ints(&model->nodes[i + 2], "perm", &count)[1], 1);
        assert_int_equal(count, 2);
    }
    gig_model_free(model);
}

static void chooses_a_function_by_its_overload(void **state)
{
    (void)state;
    wire plain = wire_function("F", "a", "b", 17), other = wire_function("F", "a", "b", 17),
         site = wire_call("F", "x", NULL, "y");
    wire_child(&plain, FUNCTION_NODE, wire_node("Neg", "a", NULL, "b"));
    wire_child(&other, FUNCTION_NODE, wire_node("Exp", "a", NULL, "b"));
    wire_text(&other, FUNCTION_OVERLOAD, "other");
    wire_text(&site, NODE_OVERLOAD, "other");
    gig_model *model = wire_load(file_of((const wire[]){site, {0}}, (const wire[]){plain, other, {0}}));
    assert_string_equal(model->nodes[0].op, "Exp");
    gig_model_free(model);
}

/* There the operator that ONNX means stays, whatever the file says of it. */
static void keeps_the_meaning_of_names_in_the_domain_of_onnx(void **state)
{
    (void)state;
    wire made = wire_function("Relu", "a", "b", 17);
    wire_child(&made, FUNCTION_NODE, wire_node("Neg", "a", NULL, "b"));
    wire_text(&made, FUNCTION_DOMAIN, "ai.onnx");
    const wire nodes[] = {wire_node("Relu", "x", NULL, "y"), (wire){0}};
    gig_model *model = wire_load(file_of(nodes, (const wire[]){made, {0}}));
    assert_string_equal(model->nodes[0].op, "Relu");
    gig_model_free(model);
}

/* ---- bounds ---- */

/* `calls` calls of F, one after the other. */
static wire chain_of(int calls, wire made)
{
    wire graph = {0};
    for (int i = 0; i < calls; i++) {
        char from[16], to[16];
        snprintf(from, sizeof from, "v%d", i);
        snprintf(to, sizeof to, "v%d", i + 1);
        wire_child(&graph, GRAPH_NODE, wire_call("F", i ? from : "x", NULL, i + 1 < calls ? to : "y"));
    }
    add_ports(&graph);
    wire file = wire_model(graph, 10, 17);
    wire_child(&file, MODEL_FUNCTION, made);
    return file;
}

static wire three_nodes(void)
{
    wire made = wire_function("F", "a", "b", 17);
    wire_child(&made, FUNCTION_NODE, wire_node("Neg", "a", NULL, "h"));
    wire_child(&made, FUNCTION_NODE, wire_node("Neg", "h", NULL, "g"));
    wire_child(&made, FUNCTION_NODE, wire_node("Neg", "g", NULL, "b"));
    return made;
}

/* 10 calls and the 30 nodes they become. */
static void counts_inlined_nodes_against_the_limit(void **state)
{
    (void)state;
    assert_ok(load_within(chain_of(10, three_nodes()), (gig_model_options){.max_nodes = 40}));
    assert_status(load_within(chain_of(10, three_nodes()), (gig_model_options){.max_nodes = 39}), GIG_ELIMIT);
    assert_message("gives more than 39 nodes");
}

/* A constant, a list and a text of 100 kB each: ten calls take 3 MB more than the file. */
static wire heavy_function(void)
{
    enum { BYTES = 100000 };
    static char text[BYTES];
    memset(text, 1, sizeof text);
    wire made = wire_function("F", "a", "b", 17), node = wire_node("Relu", "a", NULL, "b");
    wire tensor = wire_tensor("", GIG_ONNX_FLOAT, 1, (const int64_t[]){BYTES / 4});
    wire_bytes(&tensor, TENSOR_RAW, text, sizeof text);
    wire fields[3] = {{0}, {0}, {0}};
    wire_child(&fields[0], ATTRIBUTE_T, tensor);
    wire_bytes(&fields[1], ATTRIBUTE_INTS, text, sizeof text / 8);
    wire_bytes(&fields[2], ATTRIBUTE_S, text, sizeof text);
    for (int i = 0; i < 3; i++) {
        wire_text(&fields[i], ATTRIBUTE_NAME, (const char *[]){"t", "i", "s"}[i]);
        wire_child(&node, NODE_ATTRIBUTE, fields[i]);
    }
    wire_child(&made, FUNCTION_NODE, node);
    return made;
}

static void counts_copies_against_the_limit_of_weights(void **state)
{
    (void)state;
    assert_ok(load_within(chain_of(10, heavy_function()), (gig_model_options){.max_weights = 3000000}));
    assert_status(load_within(chain_of(10, heavy_function()), (gig_model_options){.max_weights = 2999999}), GIG_ELIMIT);
    assert_message("all weights together take more than 2999999 bytes");
}

/* 5,000 calls of a node with 2,000 inputs, or of a function with as many inputs: 10 million names from 100 kB. */
static void refuses_few_nodes_of_many_names(void **state)
{
    (void)state;
    for (int of_function = 0; of_function < 2; of_function++) {
        wire made = wire_function("F", "a", "b", 17), sum = wire_node("Sum", "a", NULL, "b");
        for (int i = 0; i < 2000; i++) {
            char name[16];
            snprintf(name, sizeof name, "a%d", i);
            if (of_function)
                wire_text(&made, FUNCTION_INPUT, name);
            else
                wire_text(&sum, NODE_INPUT, "a");
        }
        wire_child(&made, FUNCTION_NODE, sum);
        gig_memory_reset_peak();
        size_t before = gig_memory_used();
        gig_status status = load_within(chain_of(of_function ? 20000 : 5000, made), (gig_model_options){0});
        assert_status(status, GIG_ELIMIT);
        assert_message("functions takes more than");
        assert_true(gig_memory_peak() - before < (size_t)48 << 20);
    }
}

static void survives_every_failed_allocation(void **state)
{
    (void)state;
    wire file = nested_file();
    size_t before = gig_memory_used(), failures = 0;
    for (size_t at = 0;; at++, failures++) {
        gig_model *model;
        gig_memory_fail_at(at, 0);
        gig_status status = gig_model_load_memory(&model, file.bytes, file.count, NULL);
        size_t allocations = gig_memory_allocations();
        gig_memory_fail_at(SIZE_MAX, 0);
        gig_model_free(model);
        assert_int_equal(gig_memory_used(), before);
        if (allocations <= at) break;
        assert_status(status, GIG_ENOMEM);
    }
    assert_true(failures > 100);
    wire_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_what_the_same_file_without_functions_gives),
        cmocka_unit_test(names_nodes_and_values_by_their_call),
        cmocka_unit_test(keeps_names_apart_from_the_graphs_own),
        cmocka_unit_test(uses_the_opset_that_the_function_imports),
        cmocka_unit_test(leaves_out_what_a_call_leaves_out),
        cmocka_unit_test(takes_an_attribute_from_the_call_or_its_default),
        cmocka_unit_test(gives_each_call_its_own_lists_and_tensors),
        cmocka_unit_test(chooses_a_function_by_its_overload),
        cmocka_unit_test(keeps_the_meaning_of_names_in_the_domain_of_onnx),
        cmocka_unit_test(counts_inlined_nodes_against_the_limit),
        cmocka_unit_test(counts_copies_against_the_limit_of_weights),
        cmocka_unit_test(refuses_few_nodes_of_many_names),
        cmocka_unit_test(survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
