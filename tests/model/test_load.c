/* SPDX-License-Identifier: Apache-2.0 */
/* The loader: what a sound file becomes. Broken files: test_hostile.c. */
#include "base/memory.h"
#include "model/graph.h"
#include "model/wire_load.h"
#include "support.h"
#include <float.h>
#include <glob.h>
#include <openssl/sha.h>

static const int64_t two[] = {2};

/* x [2] -> Relu -> y */
static wire small_graph(void)
{
    wire graph = {0};
    wire_child(&graph, GRAPH_NODE, wire_node("Relu", "x", NULL, "y"));
    wire_child(&graph, GRAPH_INPUT, wire_value("x", GIG_ONNX_FLOAT, 1, two));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", GIG_ONNX_FLOAT, 1, two));
    return graph;
}

static void reads_a_small_graph(void **state)
{
    (void)state;
    gig_model *model = wire_load(wire_model(small_graph(), 7, 13));
    assert_int_equal(model->node_count, 1);
    assert_int_equal(model->input_count, 1);
    assert_int_equal(model->output_count, 1);
    assert_int_equal(model->opset, 13);
    assert_int_equal(model->ir_version, 7);
    const gig_node *node = &model->nodes[0];
    assert_string_equal(node->op, "Relu");
    assert_string_equal(node->domain, "");
    assert_int_equal(node->opset, 13);
    assert_int_equal(node->inputs[0], gig_model_find(model, "x"));
    assert_int_equal(node->outputs[0], gig_model_find(model, "y"));
    assert_int_equal(model->outputs[0], node->outputs[0]);
    assert_int_equal(model->values[model->inputs[0]].dims[0], 2);
    assert_int_equal(gig_model_find(model, "z"), -1);
    gig_model_free(model);
}

/* ---- weights ---- */

static const double wanted_halves[] = {1, -2, 0.5, 65504, 5.9604644775390625e-08, -0.0};

/* A graph whose output is the weight w. */
static wire weight_graph(wire tensor)
{
    wire graph = {0};
    wire_child(&graph, GRAPH_INITIALIZER, tensor);
    wire_child(&graph, GRAPH_NODE, wire_node("Identity", "w", NULL, "y"));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", GIG_ONNX_FLOAT, 0, NULL));
    return graph;
}

static void expect_weight(wire tensor, int onnx_type, size_t count, const double *values)
{
    gig_model *model = wire_load(wire_model(weight_graph(tensor), 7, 13));
    const gig_value *value = &model->values[gig_model_find(model, "w")];
    int real = onnx_type == GIG_ONNX_FLOAT || onnx_type == GIG_ONNX_FLOAT16 || onnx_type == GIG_ONNX_DOUBLE ||
               onnx_type == GIG_ONNX_BFLOAT16;
    assert_non_null(value->constant);
    assert_int_equal(value->onnx_type, onnx_type);
    assert_int_equal(value->constant->type, real ? GIG_FLOAT32 : GIG_INT64);
    assert_int_equal(gig_tensor_count(value->constant), count);
    for (size_t i = 0; i < count; i++) {
        double got = real ? (double)value->constant->real[i] : (double)value->constant->whole[i];
        if (got != values[i]) fail_msg("type %d, element %zu: %g, not %g", onnx_type, i, got, values[i]);
    }
    assert_int_equal(model->reduced_precision, real && onnx_type != GIG_ONNX_FLOAT);
    assert_int_equal(model->input_count, 0);
    gig_model_free(model);
}

static void expect_raw(int onnx_type, const void *raw, size_t bytes, size_t count, const double *values)
{
    const int64_t dims[] = {(int64_t)count};
    wire tensor = wire_tensor("w", onnx_type, 1, dims);
    wire_bytes(&tensor, TENSOR_RAW, raw, bytes);
    expect_weight(tensor, onnx_type, count, values);
}

static void reads_raw_weights_of_every_type(void **state)
{
    (void)state;
    const uint8_t u8[] = {0, 1, 255};
    const int8_t i8[] = {-128, -1, 127};
    const uint16_t u16[] = {0, 65535}, half[] = {0x3c00, 0xc000, 0x3800, 0x7bff, 0x0001, 0x8000};
    const uint16_t brain[] = {0x3f80, 0xc000, 0x3f00};
    const int16_t i16[] = {-32768, 32767};
    const int32_t i32[] = {INT32_MIN, INT32_MAX};
    const int64_t i64[] = {-5, (int64_t)1 << 52};
    const uint32_t u32[] = {0, UINT32_MAX};
    const uint64_t u64[] = {7, (uint64_t)1 << 62};
    const float f32[] = {1.5f, -0.25f};
    const double f64[] = {0.1, -3};
    const uint8_t truth[] = {0, 1, 2};
    expect_raw(GIG_ONNX_UINT8, u8, sizeof u8, 3, (double[]){0, 1, 255});
    expect_raw(GIG_ONNX_INT8, i8, sizeof i8, 3, (double[]){-128, -1, 127});
    expect_raw(GIG_ONNX_UINT16, u16, sizeof u16, 2, (double[]){0, 65535});
    expect_raw(GIG_ONNX_INT16, i16, sizeof i16, 2, (double[]){-32768, 32767});
    expect_raw(GIG_ONNX_INT32, i32, sizeof i32, 2, (double[]){INT32_MIN, INT32_MAX});
    expect_raw(GIG_ONNX_INT64, i64, sizeof i64, 2, (double[]){-5, 0x1p52});
    expect_raw(GIG_ONNX_UINT32, u32, sizeof u32, 2, (double[]){0, UINT32_MAX});
    expect_raw(GIG_ONNX_UINT64, u64, sizeof u64, 2, (double[]){7, 0x1p62});
    expect_raw(GIG_ONNX_BOOL, truth, sizeof truth, 3, (double[]){0, 1, 1});
    expect_raw(GIG_ONNX_FLOAT, f32, sizeof f32, 2, (double[]){1.5, -0.25});
    expect_raw(GIG_ONNX_DOUBLE, f64, sizeof f64, 2, (double[]){(double)0.1f, -3});
    expect_raw(GIG_ONNX_FLOAT16, half, sizeof half, 6, wanted_halves);
    expect_raw(GIG_ONNX_BFLOAT16, brain, sizeof brain, 3, (double[]){1, -2, 0.5});
}

static void expect_list(int onnx_type, unsigned field, size_t count, const int64_t *list, const double *values)
{
    const int64_t dims[] = {(int64_t)count};
    wire packed = wire_tensor("w", onnx_type, 1, dims), loose = wire_tensor("w", onnx_type, 1, dims);
    wire_packed(&packed, field, count, list);
    for (size_t i = 0; i < count; i++) wire_int(&loose, field, list[i]);
    expect_weight(packed, onnx_type, count, values);
    expect_weight(loose, onnx_type, count, values);
}

static void reads_listed_weights_of_every_type(void **state)
{
    (void)state;
    expect_list(GIG_ONNX_UINT8, TENSOR_INT32S, 2, (int64_t[]){0, 255}, (double[]){0, 255});
    expect_list(GIG_ONNX_INT8, TENSOR_INT32S, 2, (int64_t[]){-128, 127}, (double[]){-128, 127});
    expect_list(GIG_ONNX_UINT16, TENSOR_INT32S, 1, (int64_t[]){65535}, (double[]){65535});
    expect_list(GIG_ONNX_INT16, TENSOR_INT32S, 1, (int64_t[]){-32768}, (double[]){-32768});
    expect_list(GIG_ONNX_INT32, TENSOR_INT32S, 2, (int64_t[]){-7, INT32_MAX}, (double[]){-7, INT32_MAX});
    expect_list(GIG_ONNX_BOOL, TENSOR_INT32S, 2, (int64_t[]){0, 1}, (double[]){0, 1});
    expect_list(GIG_ONNX_INT64, TENSOR_INT64S, 2, (int64_t[]){-7, (int64_t)1 << 40}, (double[]){-7, 0x1p40});
    expect_list(GIG_ONNX_UINT32, TENSOR_UINT64S, 1, (int64_t[]){UINT32_MAX}, (double[]){UINT32_MAX});
    expect_list(GIG_ONNX_UINT64, TENSOR_UINT64S, 1, (int64_t[]){(int64_t)1 << 62}, (double[]){0x1p62});
    expect_list(GIG_ONNX_FLOAT16, TENSOR_INT32S, 6, (int64_t[]){0x3c00, 0xc000, 0x3800, 0x7bff, 1, 0x8000},
                wanted_halves);
    expect_list(GIG_ONNX_BFLOAT16, TENSOR_INT32S, 2, (int64_t[]){0x3f80, 0xc000}, (double[]){1, -2});
    const float f32[] = {1.5f, -2};
    const double f64[] = {1e300, -1e300, 0.5};
    wire tensor = wire_tensor("w", GIG_ONNX_FLOAT, 1, two);
    wire_bytes(&tensor, TENSOR_FLOATS, f32, sizeof f32);
    expect_weight(tensor, GIG_ONNX_FLOAT, 2, (double[]){1.5, -2});
    tensor = wire_tensor("w", GIG_ONNX_DOUBLE, 1, (int64_t[]){3});
    wire_bytes(&tensor, TENSOR_DOUBLES, f64, sizeof f64); /* what float cannot hold stays finite */
    expect_weight(tensor, GIG_ONNX_DOUBLE, 3, (double[]){(double)FLT_MAX, -(double)FLT_MAX, 0.5});
}

static void reads_scalars_and_empty_weights(void **state)
{
    (void)state;
    const float one = 3;
    wire tensor = wire_tensor("w", GIG_ONNX_FLOAT, 0, NULL);
    wire_bytes(&tensor, TENSOR_RAW, &one, sizeof one);
    expect_weight(tensor, GIG_ONNX_FLOAT, 1, (double[]){3});
    expect_weight(wire_tensor("w", GIG_ONNX_INT64, 1, (int64_t[]){0}), GIG_ONNX_INT64, 0, NULL);
    tensor = wire_tensor("w", GIG_ONNX_FLOAT, 2, (int64_t[]){2, 0});
    wire_bytes(&tensor, TENSOR_RAW, NULL, 0);
    expect_weight(tensor, GIG_ONNX_FLOAT, 0, NULL);
}

static wire float_weight(const char *name)
{
    const float values[] = {1, 2};
    wire tensor = wire_tensor(name, GIG_ONNX_FLOAT, 1, two);
    wire_bytes(&tensor, TENSOR_RAW, values, sizeof values);
    return tensor;
}

static void takes_an_initializer_listed_as_an_input_for_a_weight(void **state)
{
    (void)state;
    wire graph = {0};
    wire_child(&graph, GRAPH_INPUT, wire_value("w", GIG_ONNX_FLOAT, 1, two));
    wire_child(&graph, GRAPH_INPUT, wire_value("x", GIG_ONNX_FLOAT, 1, two));
    wire_child(&graph, GRAPH_INITIALIZER, float_weight("w"));
    wire_child(&graph, GRAPH_NODE, wire_node("Add", "x", "w", "y"));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", GIG_ONNX_FLOAT, 1, two));
    gig_model *model = wire_load(wire_model(graph, 3, 6));
    assert_int_equal(model->input_count, 1);
    assert_string_equal(model->values[model->inputs[0]].name, "x");
    assert_non_null(model->values[model->nodes[0].inputs[1]].constant);
    gig_model_free(model);
}

/* ---- order ---- */

static void sorts_nodes_after_what_they_read(void **state)
{
    (void)state;
    wire graph = {0};
    wire_child(&graph, GRAPH_NODE, wire_node("Relu", "c", NULL, "d")); /* 0, reads what 2 makes */
    wire_child(&graph, GRAPH_NODE, wire_node("Neg", "x", NULL, "a"));  /* 1 */
    wire_child(&graph, GRAPH_NODE, wire_node("Add", "a", "b", "c"));   /* 2 */
    wire_child(&graph, GRAPH_NODE, wire_node("Abs", "x", NULL, "b"));  /* 3 */
    wire_child(&graph, GRAPH_INPUT, wire_value("x", GIG_ONNX_FLOAT, 1, two));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("d", GIG_ONNX_FLOAT, 1, two));
    gig_model *model = wire_load(wire_model(graph, 7, 13));
    const size_t wanted[] = {1, 3, 2, 0};
    for (size_t i = 0; i < 4; i++) assert_int_equal(model->nodes[i].position, wanted[i]);
    gig_model_free(model);
}

static void keeps_the_order_of_a_sorted_file(void **state)
{
    (void)state;
    wire graph = {0};
    char from[16] = "x", to[16];
    for (int i = 0; i < 200; i++) {
        snprintf(to, sizeof to, "v%d", i);
        wire_child(&graph, GRAPH_NODE, wire_node("Relu", i % 3 ? from : "x", NULL, to));
        strcpy(from, to);
    }
    wire_child(&graph, GRAPH_INPUT, wire_value("x", GIG_ONNX_FLOAT, 1, two));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("v199", GIG_ONNX_FLOAT, 1, two));
    gig_model *model = wire_load(wire_model(graph, 7, 13));
    for (size_t i = 0; i < 200; i++) assert_int_equal(model->nodes[i].position, i);
    gig_model_free(model);
}

/* The longest chain allowed, written backwards: no recursion may follow it. */
static void sorts_65536_nodes_written_backwards(void **state)
{
    (void)state;
    wire graph = {0};
    for (int i = 65535; i >= 0; i--) {
        char from[16], to[16];
        snprintf(from, sizeof from, "v%d", i);
        snprintf(to, sizeof to, "v%d", i + 1);
        wire_child(&graph, GRAPH_NODE, wire_node("Relu", from, NULL, to));
    }
    wire_child(&graph, GRAPH_INPUT, wire_value("v0", GIG_ONNX_FLOAT, 1, two));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("v65536", GIG_ONNX_FLOAT, 1, two));
    gig_model *model = wire_load(wire_model(graph, 7, 13));
    for (size_t i = 0; i < 65536; i += 4095) assert_int_equal(model->nodes[i].position, 65535 - i);
    gig_model_free(model);
}

/* ---- attributes and what else a node carries ---- */

static wire attribute(const char *name, int type)
{
    wire out = {0};
    wire_text(&out, ATTRIBUTE_NAME, name);
    if (type) wire_int(&out, ATTRIBUTE_TYPE, type);
    return out;
}

static void reads_attributes_of_every_kind(void **state)
{
    (void)state;
    wire node = wire_node("Odd", "x", "", "y"), a;
    wire_text(&node, NODE_NAME, "odd");
    wire_text(&node, NODE_OUTPUT, "");
    wire_text(&node, NODE_DOMAIN, "ai.onnx");
    a = attribute("i", 2), wire_int(&a, ATTRIBUTE_I, -3), wire_child(&node, NODE_ATTRIBUTE, a);
    a = attribute("zero", 2), wire_child(&node, NODE_ATTRIBUTE, a); /* proto3 writers leave zeros out */
    a = attribute("f", 1), wire_float(&a, ATTRIBUTE_F, 0.5f), wire_child(&node, NODE_ATTRIBUTE, a);
    a = attribute("s", 3), wire_text(&a, ATTRIBUTE_S, "SAME"), wire_child(&node, NODE_ATTRIBUTE, a);
    a = attribute("is", 7), wire_int(&a, ATTRIBUTE_INTS, 4), wire_int(&a, ATTRIBUTE_INTS, -5);
    wire_child(&node, NODE_ATTRIBUTE, a);
    a = attribute("fs", 6), wire_float(&a, ATTRIBUTE_FLOATS, 1.25f), wire_child(&node, NODE_ATTRIBUTE, a);
    a = attribute("t", 4), wire_child(&a, ATTRIBUTE_T, float_weight("")), wire_child(&node, NODE_ATTRIBUTE, a);
    a = attribute("g", 5), wire_child(&a, ATTRIBUTE_G, small_graph()), wire_child(&node, NODE_ATTRIBUTE, a);
    a = attribute("untyped", 0), wire_int(&a, ATTRIBUTE_I, 9), wire_child(&node, NODE_ATTRIBUTE, a);
    wire graph = {0};
    wire_child(&graph, GRAPH_NODE, node);
    wire_child(&graph, GRAPH_INPUT, wire_value("x", GIG_ONNX_FLOAT, 1, two));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", GIG_ONNX_FLOAT, 1, two));
    gig_model *model = wire_load(wire_model(graph, 8, 17));
    const gig_node *n = &model->nodes[0];
    size_t count;
    char text[64];
    assert_string_equal(n->domain, "");
    assert_int_equal(n->opset, 17);
    assert_int_equal(n->inputs[1], -1);
    assert_int_equal(n->outputs[1], -1);
    assert_int_equal(gig_node_int(n, "i", 7), -3);
    assert_int_equal(gig_node_int(n, "zero", 7), 0);
    assert_int_equal(gig_node_int(n, "untyped", 7), 9);
    assert_int_equal(gig_node_int(n, "none", 7), 7);
    assert_int_equal(gig_node_int(n, "f", 7), 7); /* there, but not an integer */
    assert_true(gig_node_real(n, "f", 0) == 0.5f);
    assert_string_equal(gig_node_string(n, "s", ""), "SAME");
    assert_int_equal(gig_node_ints(n, "is", &count)[1], -5);
    assert_int_equal(count, 2);
    assert_true(gig_node_attribute(n, "fs")->reals[0] == 1.25f && gig_node_attribute(n, "fs")->count == 1);
    assert_true(gig_node_attribute(n, "t")->t.real[1] == 2);
    assert_int_equal(gig_node_attribute(n, "t")->onnx_type, GIG_ONNX_FLOAT);
    assert_int_equal(gig_node_attribute(n, "g")->kind, GIG_ATTRIBUTE_GRAPH);
    assert_null(gig_node_ints(n, "none", &count));
    assert_int_equal(count, 0);
    assert_string_equal(gig_node_text(text, sizeof text, n), "node 0 \"odd\"");
    gig_model_free(model);
}

static void keeps_other_domains_and_their_versions(void **state)
{
    (void)state;
    wire node = wire_node("Mine", "x", NULL, "y"), graph = {0}, import = {0}, file;
    wire_text(&node, NODE_DOMAIN, "my.own");
    wire_child(&graph, GRAPH_NODE, node);
    wire_child(&graph, GRAPH_INPUT, wire_value("x", GIG_ONNX_FLOAT, 1, two));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", GIG_ONNX_FLOAT, 1, two));
    file = wire_model(graph, 8, 12);
    wire_text(&import, 1, "my.own");
    wire_int(&import, 2, 400);
    wire_child(&file, MODEL_OPSET, import);
    gig_model *model = wire_load(file);
    assert_string_equal(model->nodes[0].domain, "my.own");
    assert_int_equal(model->nodes[0].opset, 400);
    assert_int_equal(model->opset, 12);
    gig_model_free(model);
}

static void reads_declared_types_of_values_between(void **state)
{
    (void)state;
    wire graph = {0};
    wire_child(&graph, GRAPH_NODE, wire_node("Relu", "x", NULL, "h"));
    wire_child(&graph, GRAPH_NODE, wire_node("Relu", "h", NULL, "y"));
    wire_child(&graph, GRAPH_INPUT, wire_value("x", GIG_ONNX_FLOAT16, 2, (int64_t[]){-1, 3}));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", GIG_ONNX_FLOAT16, 2, (int64_t[]){-1, 3}));
    wire_child(&graph, GRAPH_VALUE, wire_value("h", GIG_ONNX_FLOAT16, 2, (int64_t[]){-1, 3}));
    wire_child(&graph, GRAPH_VALUE, wire_value("nowhere", GIG_ONNX_FLOAT, 1, two));
    gig_model *model = wire_load(wire_model(graph, 8, 12));
    const gig_value *h = &model->values[gig_model_find(model, "h")];
    assert_int_equal(h->rank, 2);
    assert_int_equal(h->dims[0], -1);
    assert_int_equal(h->dims[1], 3);
    assert_int_equal(h->onnx_type, GIG_ONNX_FLOAT16);
    assert_true(model->reduced_precision);
    gig_model_free(model);
}

static void digests_the_bytes_of_the_file(void **state)
{
    (void)state;
    wire file = wire_model(small_graph(), 7, 13);
    uint8_t wanted[32];
    assert_non_null(SHA256(file.bytes, file.count, wanted));
    gig_model *model = wire_load(file);
    assert_memory_equal(model->sha256, wanted, sizeof wanted);
    gig_model_free(model);
}

/* ---- limits and memory ---- */

static void expect_limit(gig_model_options options, gig_status wanted)
{
    gig_model *model;
    wire graph = small_graph();
    wire_child(&graph, GRAPH_INITIALIZER, float_weight("w"));
    wire file = wire_model(graph, 7, 13);
    size_t before = gig_memory_used();
    assert_int_equal(gig_model_load_memory(&model, file.bytes, file.count, &options), wanted);
    gig_model_free(model);
    assert_int_equal(gig_memory_used(), before);
    wire_free(&file);
}

static void keeps_the_limits_it_is_given(void **state)
{
    (void)state;
    expect_limit((gig_model_options){.max_file = 40}, GIG_ELIMIT);
    expect_limit((gig_model_options){.max_weights = 7}, GIG_ELIMIT);
    expect_limit((gig_model_options){.max_weights = 8}, GIG_OK);
    expect_limit((gig_model_options){.max_nodes = 1}, GIG_OK);
}

/* One byte of wire becomes eight of int64: the limit is on the latter. */
static void counts_weights_as_they_are_kept(void **state)
{
    (void)state;
    uint8_t ones[100];
    memset(ones, 1, sizeof ones);
    wire tensor = wire_tensor("w", GIG_ONNX_INT8, 1, (int64_t[]){100});
    wire_bytes(&tensor, TENSOR_RAW, ones, sizeof ones);
    wire file = wire_model(weight_graph(tensor), 7, 13);
    gig_model *model;
    gig_model_options options = {.max_weights = 799};
    assert_int_equal(gig_model_load_memory(&model, file.bytes, file.count, &options), GIG_ELIMIT);
    options.max_weights = 800;
    assert_int_equal(gig_model_load_memory(&model, file.bytes, file.count, &options), GIG_OK);
    gig_model_free(model);
    wire_free(&file);
}

/* 10 bytes become 80 in each of two weights: 160 in all. */
static void adds_up_all_weights(void **state)
{
    (void)state;
    const uint8_t zeros[10] = {0};
    wire graph = small_graph();
    for (int i = 0; i < 2; i++) {
        wire tensor = wire_tensor(i ? "v" : "w", GIG_ONNX_INT8, 1, (int64_t[]){10});
        wire_bytes(&tensor, TENSOR_RAW, zeros, sizeof zeros);
        wire_child(&graph, GRAPH_INITIALIZER, tensor);
    }
    wire file = wire_model(graph, 7, 13);
    gig_model *model;
    gig_model_options options = {.max_weights = 159};
    assert_status(gig_model_load_memory(&model, file.bytes, file.count, &options), GIG_ELIMIT);
    assert_message("all weights together");
    options.max_weights = 160;
    assert_ok(gig_model_load_memory(&model, file.bytes, file.count, &options));
    gig_model_free(model);
    wire_free(&file);
}

static void gives_back_all_memory_when_an_allocation_fails(void **state)
{
    (void)state;
    wire graph = small_graph(), node = wire_node("Conv", "x", "w", "z"), a;
    a = attribute("s", 3), wire_text(&a, ATTRIBUTE_S, "SAME"), wire_child(&node, NODE_ATTRIBUTE, a);
    a = attribute("is", 7), wire_int(&a, ATTRIBUTE_INTS, 4), wire_child(&node, NODE_ATTRIBUTE, a);
    a = attribute("t", 4), wire_child(&a, ATTRIBUTE_T, float_weight("")), wire_child(&node, NODE_ATTRIBUTE, a);
    wire_child(&graph, GRAPH_NODE, node);
    wire_child(&graph, GRAPH_INITIALIZER, float_weight("w"));
    wire tensor = wire_tensor("half", GIG_ONNX_FLOAT16, 1, two);
    wire_packed(&tensor, TENSOR_INT32S, 2, (int64_t[]){1, 2});
    wire_child(&graph, GRAPH_INITIALIZER, tensor);
    wire file = wire_model(graph, 7, 13);
    size_t before = gig_memory_used(), tried = 0;
    for (int lasting = 0; lasting < 2; lasting++)
        for (size_t k = 0;; k++, tried++) {
            gig_model *model;
            assert_true(k < 10000);
            gig_memory_fail_at(k, lasting);
            gig_status status = gig_model_load_memory(&model, file.bytes, file.count, NULL);
            gig_memory_fail_at(SIZE_MAX, 0);
            gig_model_free(model);
            assert_int_equal(gig_memory_used(), before);
            if (status == GIG_OK) break;
            assert_int_equal(status, GIG_ENOMEM);
        }
    print_message("%zu failing allocations\n", tried);
    assert_true(tried > 100);
    wire_free(&file);
}

/* Every model of Debian's libonnx-testdata loads, or says that it is made of text or sequences. */
static void reads_every_conformance_model(void **state)
{
    (void)state;
    glob_t files;
    if (glob("/usr/share/libonnx-testdata/data/*/*/model.onnx", 0, NULL, &files))
        skip_because("libonnx-testdata is not installed");
    size_t loaded = 0, before = gig_memory_used();
    for (size_t i = 0; i < files.gl_pathc; i++) {
        gig_model *model;
        gig_status status = gig_model_load(&model, files.gl_pathv[i], NULL);
        if (status != GIG_OK && status != GIG_EUNSUPPORTED) fail_msg("%s", gig_message());
        loaded += status == GIG_OK;
        gig_model_free(model);
    }
    print_message("%zu of %zu models loaded\n", loaded, files.gl_pathc);
    assert_true(loaded >= 1030);
    assert_int_equal(gig_memory_used(), before);
    globfree(&files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_small_graph),
        cmocka_unit_test(reads_raw_weights_of_every_type),
        cmocka_unit_test(reads_listed_weights_of_every_type),
        cmocka_unit_test(reads_scalars_and_empty_weights),
        cmocka_unit_test(takes_an_initializer_listed_as_an_input_for_a_weight),
        cmocka_unit_test(sorts_nodes_after_what_they_read),
        cmocka_unit_test(keeps_the_order_of_a_sorted_file),
        cmocka_unit_test(sorts_65536_nodes_written_backwards),
        cmocka_unit_test(reads_attributes_of_every_kind),
        cmocka_unit_test(keeps_other_domains_and_their_versions),
        cmocka_unit_test(reads_declared_types_of_values_between),
        cmocka_unit_test(digests_the_bytes_of_the_file),
        cmocka_unit_test(keeps_the_limits_it_is_given),
        cmocka_unit_test(counts_weights_as_they_are_kept),
        cmocka_unit_test(adds_up_all_weights),
        cmocka_unit_test(gives_back_all_memory_when_an_allocation_fails),
        cmocka_unit_test(reads_every_conformance_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
