/* SPDX-License-Identifier: Apache-2.0 */
/* Products with constant weights: with what they take along against plain operators, and in every precision. */
#include "support.h"

#include "logit.h"
#include "model/wire_load.h"
#include "random_numbers.h"
#include <math.h>

enum { ONNX_FLOAT = 1, TOKENS = 5, IN = 24, OUT = 40, POINT = TOKENS * IN, OPSET = 24 };

static void add_weights(wire *graph, const char *name, int rank, const int64_t *dims, unsigned seed)
{
    size_t count = 1;
    for (int i = 0; i < rank; i++) count *= (size_t)dims[i];
    float *values = draw(count, seed);
    wire_child(graph, GRAPH_INITIALIZER, wire_weight(name, rank, dims, values));
    gig_free(values);
}

/* y = the sum of squares of value "a"; x [dims]. */
static gig_model *finish(wire graph, int rank, const int64_t *dims)
{
    wire sum = wire_node("ReduceSumSquare", "a", NULL, "sum");
    wire_attribute_int(&sum, "keepdims", 1);
    wire_child(&graph, GRAPH_NODE, sum);
    wire_child(&graph, GRAPH_NODE, wire_node("Flatten", "sum", NULL, "y"));
    wire_child(&graph, GRAPH_INPUT, wire_value("x", ONNX_FLOAT, rank, dims));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", ONNX_FLOAT, 2, (const int64_t[]){1, 1}));
    return wire_load(wire_model(graph, 8, OPSET));
}

static void judge(wire graph)
{
    gig_model *model = finish(graph, 3, (const int64_t[]){1, TOKENS, IN});
    float *point = draw(POINT, 7);
    assert_plain_agrees(model, point, POINT, 0, 1e-5);
    gig_free(point);
    gig_model_free(model);
}

static void add_product(wire *graph, const char *out)
{
    wire_child(graph, GRAPH_NODE, wire_node("MatMul", "x", "w", out));
    add_weights(graph, "w", 2, (const int64_t[]){IN, OUT}, 3);
}

static void add_gate(wire *graph, int which, const char *from, const char *to)
{
    static const char *const names[] = {"Gelu", "Gelu", "Mish", "Swish"};
    wire gate = wire_node(names[which], from, NULL, to);
    if (which == 1) wire_attribute_text(&gate, "approximate", "tanh");
    if (which == 3) wire_attribute_real(&gate, "alpha", 1.5f);
    wire_child(graph, GRAPH_NODE, gate);
}

static void takes_a_row_and_an_activation_along(void **state)
{
    (void)state;
    for (int which = 0; which < 4; which++)
        for (int row = 0; row < 3; row++) { /* none, behind the product, before it */
            wire graph = {0};
            add_product(&graph, row ? "p" : "q");
            if (row) wire_child(&graph, GRAPH_NODE, wire_node("Add", row > 1 ? "b" : "p", row > 1 ? "p" : "b", "q"));
            if (row) add_weights(&graph, "b", 1, (const int64_t[]){OUT}, 4);
            add_gate(&graph, which, "q", "a");
            judge(graph);
        }
}

/* Its slopes may not take the place of what others read. */
static void leaves_values_that_others_read(void **state)
{
    (void)state;
    for (int which = 0; which < 4; which++)
        for (int read = 0; read < 3; read++) { /* the product, the sum, the gate's input without a product */
            wire graph = {0};
            add_product(&graph, "p");
            wire_child(&graph, GRAPH_NODE,
                       read < 2 ? wire_node("Add", "p", "b", "q") : wire_node("Exp", "p", NULL, "q"));
            if (read < 2) add_weights(&graph, "b", 1, (const int64_t[]){OUT}, 4);
            add_gate(&graph, which, "q", "g");
            wire_child(&graph, GRAPH_NODE, wire_node("Mul", "g", read ? "q" : "p", "a"));
            judge(graph);
        }
}

/* One number, a column, several rows: no row along the last axis. */
static void leaves_additions_of_other_shapes(void **state)
{
    (void)state;
    static const int64_t shapes[][3] = {{1, 1, 1}, {1, TOKENS, 1}, {1, TOKENS, OUT}, {2, 1, OUT}, {1, 1, OUT}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        wire graph = {0};
        add_product(&graph, "p");
        wire_child(&graph, GRAPH_NODE, wire_node("Add", "p", "b", "q"));
        add_weights(&graph, "b", 3, shapes[i], 4);
        add_gate(&graph, 0, "q", "a");
        judge(graph);
    }
}

static gig_model *gemm(int turned, float alpha, float beta, int bias, int gate)
{
    wire graph = {0}, node = wire_node("Gemm", "x", "w", gate ? "p" : "a");
    if (bias) wire_text(&node, NODE_INPUT, "c");
    wire_attribute_int(&node, "transB", turned);
    wire_attribute_real(&node, "alpha", alpha);
    wire_attribute_real(&node, "beta", beta);
    wire_child(&graph, GRAPH_NODE, node);
    add_weights(&graph, "w", 2, turned ? (const int64_t[]){OUT, POINT} : (const int64_t[]){POINT, OUT}, 3);
    if (bias) add_weights(&graph, "c", 1, (const int64_t[]){OUT}, 4);
    if (gate) add_gate(&graph, 3, "p", "a");
    return finish(graph, 2, (const int64_t[]){1, POINT});
}

static void takes_gemm_with_its_attributes(void **state)
{
    (void)state;
    float *point = draw(POINT, 7);
    for (int i = 0; i < 16; i++) {
        gig_model *model = gemm(i & 1, i & 2 ? 0.5f : 1, i & 2 ? 2 : 1, i & 4, i & 8);
        assert_plain_agrees(model, point, POINT, 0, 1e-5);
        gig_model_free(model);
    }
    gig_free(point);
}

/* ---- precisions ---- */

static gig_model *layer(int which)
{
    wire graph = {0};
    if (which < 2) return gemm(which, 1, 1, 1, 1);
    add_product(&graph, "p");
    wire_child(&graph, GRAPH_NODE, wire_node("Add", "p", "b", "q"));
    add_weights(&graph, "b", 1, (const int64_t[]){OUT}, 4);
    add_gate(&graph, 0, "q", "a");
    return finish(graph, 3, (const int64_t[]){1, TOKENS, IN});
}

/* mixed has the value of f32 and rounds the gradient; bf16 rounds both; split rounds the value by 2^-16 or so. */
static void expect_roundings(int which, int emulated)
{
    static const struct {
        gig_precision precision;
        double least, most; /* relative change of the value */
    } bars[] = {{GIG_MIXED, 0, 0}, {GIG_SPLIT, 1e-9, 1e-4}, {GIG_BF16, 1e-6, 1e-2}};
    float whole[POINT], found[POINT], *point = draw(POINT, 7);
    double wanted, value;
    gig_model *model = layer(which);
    assert_ok(logit_of(&wanted, whole, model, point, 0, (gig_network_options){0}));
    for (size_t i = 0; i < 3; i++) {
        gig_network_options options = {.precision = bars[i].precision, .emulate_bf16 = emulated};
        if (!emulated && options.precision == GIG_SPLIT) continue; /* AMX */
        assert_ok(logit_of(&value, found, model, point, 0, options));
        double change = fabs(value - wanted) / fabs(wanted), cosine = support_cosine(whole, found, POINT);
        if (change < bars[i].least || change > bars[i].most || cosine < 0.9995 || cosine > 1 - 1e-9)
            fail_msg("layer %d, precision %d: value off by %g, cosine %.9f", which, (int)options.precision, change,
                     cosine);
    }
    gig_model_free(model);
    gig_free(point);
}

static void rounds_as_the_precision_says(void **state)
{
    (void)state;
    for (int which = 0; which < 3; which++) expect_roundings(which, 1);
}

static void rounds_with_the_cpus_bfloat16(void **state)
{
    (void)state;
    gig_network *network;
    gig_model *model = layer(2);
    gig_status status = gig_network_create(&network, model, &(gig_network_options){.precision = GIG_BF16});
    gig_network_free(network);
    gig_model_free(model);
    if (status != GIG_OK) skip_because("this CPU has no bfloat16 products");
    for (int which = 0; which < 3; which++) expect_roundings(which, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_a_row_and_an_activation_along), cmocka_unit_test(leaves_values_that_others_read),
        cmocka_unit_test(leaves_additions_of_other_shapes),    cmocka_unit_test(takes_gemm_with_its_attributes),
        cmocka_unit_test(rounds_as_the_precision_says),        cmocka_unit_test(rounds_with_the_cpus_bfloat16),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
