/* SPDX-License-Identifier: Apache-2.0 */
/* Faster ways at the edge of where they hold: what they must leave alone, and whom they blame. */
#include "support.h"

#include "logit.h"
#include "model/wire_load.h"
#include "random_numbers.h"
#include <math.h>

enum { ONNX_FLOAT = 1, CHANNELS = 32, SIDE = 12, POINT = CHANNELS * SIDE * SIDE, TOKENS = 5, WIDE = 1024 };

/* Each weight drawn, then times `scale`. */
static wire weights(const char *name, int rank, const int64_t *dims, float scale)
{
    size_t count = 1;
    for (int i = 0; i < rank; i++) count *= (size_t)dims[i];
    float *values = draw(count, 1);
    for (size_t i = 0; i < count; i++) values[i] *= scale;
    wire made = wire_weight(name, rank, dims, values);
    gig_free(values);
    return made;
}

static gig_model *load(wire graph, int rank, const int64_t *in, int64_t out)
{
    wire_child(&graph, GRAPH_INPUT, wire_value("x", ONNX_FLOAT, rank, in));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", ONNX_FLOAT, 2, (const int64_t[]){1, out}));
    return wire_load(wire_model(graph, 8, 13));
}

/* y = the sum of a value [1, ...]. */
static void add_sum(wire *graph, const char *from)
{
    wire sum = wire_node("ReduceSum", from, NULL, "sum");
    wire_attribute_int(&sum, "keepdims", 1);
    wire_child(graph, GRAPH_NODE, sum);
    wire_child(graph, GRAPH_NODE, wire_node("Flatten", "sum", NULL, "y"));
}

/* x HardSigmoid(x) becomes HardSwish: at -3 and 3 the slope is the same anyway. */
static void keep_a_gates_kinks(void **state)
{
    (void)state;
    wire graph = {0}, gate = wire_node("HardSigmoid", "x", NULL, "a");
    wire_attribute_real(&gate, "alpha", 1.0f / 6);
    wire_child(&graph, GRAPH_NODE, gate);
    wire_child(&graph, GRAPH_NODE, wire_node("Mul", "x", "a", "b"));
    add_sum(&graph, "b");
    gig_model *model = load(graph, 2, (const int64_t[]){1, 8}, 1);
    const float point[8] = {-4, -3, -2.5f, -1, 0, 1, 3, 3.5f};
    assert_plain_agrees(model, point, 8, 0, 1e-6);
    gig_model_free(model);
}

/* x [1, 2, 3] divided by a number of four dims: everything behind it has four. */
static void leave_a_gelu_that_adds_dims(void **state)
{
    (void)state;
    const float root = 1.41421356f, one = 1, half = 0.5f;
    wire graph = {0};
    wire_child(&graph, GRAPH_NODE, wire_node("Div", "x", "root", "a"));
    wire_child(&graph, GRAPH_NODE, wire_node("Erf", "a", NULL, "b"));
    wire_child(&graph, GRAPH_NODE, wire_node("Add", "b", "one", "c"));
    wire_child(&graph, GRAPH_NODE, wire_node("Mul", "x", "c", "cx"));
    wire_child(&graph, GRAPH_NODE, wire_node("Mul", "cx", "half", "d"));
    add_sum(&graph, "d");
    wire_child(&graph, GRAPH_INITIALIZER, wire_weight("root", 4, (const int64_t[]){1, 1, 1, 1}, &root));
    wire_child(&graph, GRAPH_INITIALIZER, wire_weight("one", 0, NULL, &one));
    wire_child(&graph, GRAPH_INITIALIZER, wire_weight("half", 0, NULL, &half));
    gig_model *model = load(graph, 3, (const int64_t[]){1, 2, 3}, 1);
    const float point[6] = {-2, -1, -0.5f, 0.25f, 1, 3};
    assert_plain_agrees(model, point, 6, 0, 1e-5);
    gig_model_free(model);
}

static gig_model *convolution_and_relu(float scale)
{
    wire graph = {0}, conv = wire_node("Conv", "x", "w", "a");
    wire_attribute_ints(&conv, "pads", 4, (const int64_t[]){1, 1, 1, 1});
    wire_child(&graph, GRAPH_NODE, conv);
    wire_child(&graph, GRAPH_NODE, wire_node("Relu", "a", NULL, "b"));
    wire_child(&graph, GRAPH_NODE, wire_node("GlobalAveragePool", "b", NULL, "c"));
    wire_child(&graph, GRAPH_NODE, wire_node("Flatten", "c", NULL, "y"));
    wire_child(&graph, GRAPH_INITIALIZER, weights("w", 4, (const int64_t[]){CHANNELS, CHANNELS, 3, 3}, scale));
    return load(graph, 4, (const int64_t[]){1, CHANNELS, SIDE, SIDE}, CHANNELS);
}

/* Without a bias half of the results are exactly 0, where ReLU has no slope; rounding errors would give it one. */
static void keep_zeros_before_relu(void **state)
{
    (void)state;
    gig_model *model = convolution_and_relu(1);
    float *point = draw(POINT, 2);
    for (size_t i = 0; i < POINT; i++)
        if (i % SIDE >= 5) point[i] = 0;
    assert_plain_agrees(model, point, POINT, 3, 2e-5);
    gig_free(point);
    gig_model_free(model);
}

/* A convolution of x under a name; 16 channels in, as many out. */
static void add_convolution(wire *graph, const char *name, const char *weight, int64_t channels)
{
    wire conv = wire_node("Conv", "x", weight, name);
    wire_attribute_ints(&conv, "pads", 4, (const int64_t[]){1, 1, 1, 1});
    wire_child(graph, GRAPH_NODE, conv);
    wire_child(graph, GRAPH_INITIALIZER, weights(weight, 4, (const int64_t[]){channels, CHANNELS, 3, 3}, 1));
}

/* Parts of a Concat lie in its buffer: what is computed there in place must not destroy what backward needs of them. */
static void keep_parts_that_are_needed_again(void **state)
{
    (void)state;
    static const char *const kinds[] = {"Tanh", "Sigmoid", "Exp"};
    for (size_t k = 0; k < 3; k++)
        for (int fused = 0; fused < 2; fused++) {
            wire graph = {0}, join = wire_node("Concat", "part", "b", "c");
            add_convolution(&graph, "a", "wa", 16);
            wire_child(&graph, GRAPH_NODE, wire_node(kinds[k], "a", NULL, "part"));
            add_convolution(&graph, "b", "wb", 16);
            wire_attribute_int(&join, "axis", 1);
            wire_child(&graph, GRAPH_NODE, join);
            add_convolution(&graph, "d", "wd", 32);
            if (!fused) wire_child(&graph, GRAPH_NODE, wire_node("Tanh", "d", NULL, "e"));
            wire_child(&graph, GRAPH_NODE, wire_node("Add", "c", fused ? "d" : "e", "f"));
            wire_child(&graph, GRAPH_NODE, wire_node("GlobalAveragePool", "f", NULL, "g"));
            wire_child(&graph, GRAPH_NODE, wire_node("Flatten", "g", NULL, "y"));
            gig_model *model = load(graph, 4, (const int64_t[]){1, CHANNELS, SIDE, SIDE}, 32);
            float *point = draw(POINT, 2);
            assert_plain_agrees(model, point, POINT, 3, 1e-4);
            gig_free(point);
            gig_model_free(model);
        }
}

static void join_channels_with_constants(void **state)
{
    (void)state;
    wire graph = {0}, join = wire_node("Concat", "a", "k", "c");
    add_convolution(&graph, "a", "wa", 16);
    wire_attribute_int(&join, "axis", 1);
    wire_child(&graph, GRAPH_NODE, join);
    wire_child(&graph, GRAPH_NODE, wire_node("Relu", "c", NULL, "d"));
    wire_child(&graph, GRAPH_NODE, wire_node("GlobalAveragePool", "d", NULL, "g"));
    wire_child(&graph, GRAPH_NODE, wire_node("Flatten", "g", NULL, "y"));
    wire_child(&graph, GRAPH_INITIALIZER, weights("k", 4, (const int64_t[]){1, 16, SIDE, SIDE}, 1));
    gig_model *model = load(graph, 4, (const int64_t[]){1, CHANNELS, SIDE, SIDE}, 32);
    float *point = draw(POINT, 2);
    for (size_t target = 3; target < 32; target += 20) assert_plain_agrees(model, point, POINT, target, 1e-4);
    gig_free(point);
    gig_model_free(model);
}

/* A ReLU behind it would make 0 of a NaN. */
static void rejects_weights_that_are_not_numbers(void **state)
{
    (void)state;
    gig_model *model = convolution_and_relu(NAN);
    gig_network *network;
    assert_status(gig_network_create(&network, model, NULL), GIG_ENUMERIC);
    assert_message("Conv: weight 0 is ");
    gig_model_free(model);
}

static void assert_blamed(const gig_model *model, const float *point, const char *what)
{
    double value;
    assert_status(logit_of(&value, NULL, model, point, 0, (gig_network_options){0}), GIG_ENUMERIC);
    assert_message(what);
}

static void blame_the_convolution_that_overflows(void **state)
{
    (void)state;
    gig_model *model = convolution_and_relu(1e38f);
    float *point = draw(POINT, 2);
    assert_blamed(model, point, "node 0 (Conv)");
    gig_free(point);
    gig_model_free(model);
}

static void blame_the_wide_layer_that_overflows(void **state)
{
    (void)state;
    wire graph = {0};
    wire_child(&graph, GRAPH_NODE, wire_node("MatMul", "x", "w", "a"));
    wire_child(&graph, GRAPH_NODE, wire_node("Mul", "a", "a", "b"));
    wire_child(&graph, GRAPH_NODE, wire_node("Flatten", "b", NULL, "y"));
    wire_child(&graph, GRAPH_INITIALIZER, weights("w", 2, (const int64_t[]){CHANNELS, WIDE}, 3e38f));
    gig_model *model = load(graph, 3, (const int64_t[]){1, TOKENS, CHANNELS}, TOKENS * WIDE);
    float *point = draw(TOKENS * CHANNELS, 2);
    for (size_t i = 0; i < TOKENS * CHANNELS; i++) point[i] += 4;
    assert_blamed(model, point, "node 0 (MatMul)");
    gig_free(point);
    gig_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leave_a_gelu_that_adds_dims),
        cmocka_unit_test(keep_a_gates_kinks),
        cmocka_unit_test(keep_zeros_before_relu),
        cmocka_unit_test(keep_parts_that_are_needed_again),
        cmocka_unit_test(join_channels_with_constants),
        cmocka_unit_test(rejects_weights_that_are_not_numbers),
        cmocka_unit_test(blame_the_convolution_that_overflows),
        cmocka_unit_test(blame_the_wide_layer_that_overflows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
