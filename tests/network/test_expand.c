/* SPDX-License-Identifier: Apache-2.0 */
/* Control flow and quantised operators, written out as plain nodes: values and slopes by hand, and refusals. */
#include "support.h"

#include "base/memory.h"
#include "internal/network.h"
#include "internal/summary.h"
#include "model/wire_load.h"

enum { ONNX_FLOAT = 1, ONNX_UINT8 = 2, ONNX_INT8 = 3, ONNX_INT32 = 6, ONNX_INT64 = 7, ONNX_BOOL = 9 };
enum { ATTRIBUTE_TYPE_GRAPH = 5 };

static const float point[2] = {0.5f, -2};
static const int64_t row[2] = {1, 2};

static void add_numbers(wire *graph, const char *name, int type, int rank, const int64_t *dims, const void *bytes,
                        size_t count)
{
    wire tensor = wire_tensor(name, type, rank, dims);
    wire_bytes(&tensor, TENSOR_RAW, bytes, count);
    wire_child(graph, GRAPH_INITIALIZER, tensor);
}

static void add_graph(wire *node, const char *name, wire graph)
{
    wire attribute = wire_attribute(name, ATTRIBUTE_TYPE_GRAPH);
    wire_child(&attribute, ATTRIBUTE_G, graph);
    wire_child(node, NODE_ATTRIBUTE, attribute);
}

static gig_model *load(wire graph)
{
    wire_child(&graph, GRAPH_INPUT, wire_value("x", ONNX_FLOAT, 2, row));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", ONNX_FLOAT, 2, row));
    return wire_load(wire_model(graph, 8, 13));
}

/* Value and slope of number `class` of y. */
static gig_status run(double *value, float slope[2], const gig_model *model, size_t class)
{
    gig_network *network;
    gig_session *session = NULL;
    gig_function function;
    const float *points = point;
    gig_status status = gig_network_create(&network, model, NULL);
    if (status == GIG_OK) status = gig_session_create(&session, network);
    if (status == GIG_OK) status = gig_session_function(&function, session, GIG_VALUE);
    if (status == GIG_OK) status = function.evaluate(function.payload, 1, &points, &class, value, &slope);
    gig_session_free(session);
    gig_network_free(network);
    return status;
}

static void expect(const gig_model *model, size_t class, double value, float first, float second)
{
    double got;
    float slope[2];
    assert_ok(run(&got, slope, model, class));
    if (!(fabs(got - value) < 1e-5 && fabsf(slope[0] - first) < 1e-5f && fabsf(slope[1] - second) < 1e-5f))
        fail_msg("%g with slopes %g and %g, not %g with %g and %g", got, (double)slope[0], (double)slope[1], value,
                 (double)first, (double)second);
}

/* ---- If ---- */

/* x doubled, or x * x (captured twice). */
static gig_model *branches(const char *condition, wire graph)
{
    wire then_graph = {0}, else_graph = {0}, node = wire_node("If", condition, NULL, "y");
    wire_child(&then_graph, GRAPH_NODE, wire_node("Add", "x", "x", "doubled"));
    wire_child(&then_graph, GRAPH_OUTPUT, wire_value("doubled", ONNX_FLOAT, 2, row));
    wire_child(&else_graph, GRAPH_NODE, wire_node("Mul", "x", "x", "squared"));
    wire_child(&else_graph, GRAPH_OUTPUT, wire_value("squared", ONNX_FLOAT, 2, row));
    add_graph(&node, "then_branch", then_graph);
    add_graph(&node, "else_branch", else_graph);
    wire_text(&node, NODE_NAME, "choose");
    wire_child(&graph, GRAPH_NODE, node);
    return load(graph);
}

static void a_constant_condition_is_folded(void **state)
{
    (void)state;
    for (uint8_t yes = 0; yes < 2; yes++) {
        wire graph = {0};
        add_numbers(&graph, "c", ONNX_BOOL, 0, NULL, &yes, 1);
        gig_model *model = branches("c", graph);
        if (yes)
            expect(model, 1, -4, 0, 2);
        else
            expect(model, 1, 4, 0, -4);
        gig_network *network;
        assert_ok(gig_network_create(&network, model, NULL));
        assert_string_equal(gig_network_remark(network, 0),
                            yes ? "If with a constant condition: node 0 \"choose\" takes then_branch"
                                : "If with a constant condition: node 0 \"choose\" takes else_branch");
        gig_network_free(network);
        gig_model_free(model);
    }
}

static void else_the_point_decides(void **state)
{
    (void)state;
    for (int above = 0; above < 2; above++) {
        wire graph = {0};
        float bar = above ? -10 : 10;
        add_numbers(&graph, "bar", ONNX_FLOAT, 0, NULL, &bar, sizeof bar);
        wire sum = wire_node("ReduceSum", "x", NULL, "sum");
        wire_attribute_int(&sum, "keepdims", 0);
        wire_child(&graph, GRAPH_NODE, sum);
        wire_child(&graph, GRAPH_NODE, wire_node("Greater", "sum", "bar", "c"));
        gig_model *model = branches("c", graph);
        if (above)
            expect(model, 0, 1, 2, 0);
        else
            expect(model, 0, 0.25, 1, 0);
        gig_network *network;
        gig_session *session;
        char *said;
        assert_ok(gig_network_create(&network, model, NULL));
        assert_non_null(gig_network_remark(network, 0));
        assert_non_null(strstr(gig_network_remark(network, 0), "node 2 \"choose\" (If): the input decides the branch"));
        assert_ok(gig_session_create(&session, network));
        assert_ok(gig_session_branches(&said, session, point));
        assert_string_equal(said,
                            above ? "node 2 \"choose\" takes then_branch" : "node 2 \"choose\" takes else_branch");
        gig_free(said);
        gig_session_free(session);
        gig_network_free(network);
        gig_model_free(model);
    }
}

static void lists_operators_of_branches(void **state)
{
    (void)state;
    wire graph = {0}, branch = {0}, other = {0}, node = wire_node("If", "c", NULL, "y");
    const uint8_t yes = 1;
    gig_model_summary about;
    double value;
    float slope[2];
    int missing = 0;
    add_numbers(&graph, "c", ONNX_BOOL, 0, NULL, &yes, 1);
    wire_child(&branch, GRAPH_NODE, wire_node("Mystery", "x", NULL, "m"));
    wire_child(&branch, GRAPH_OUTPUT, wire_value("m", ONNX_FLOAT, 2, row));
    wire_child(&other, GRAPH_NODE, wire_node("Neg", "x", NULL, "n"));
    wire_child(&other, GRAPH_OUTPUT, wire_value("n", ONNX_FLOAT, 2, row));
    add_graph(&node, "then_branch", branch);
    add_graph(&node, "else_branch", other);
    wire_child(&graph, GRAPH_NODE, node);
    gig_model *model = load(graph);
    assert_ok(gig_model_summarize(&about, model));
    for (size_t i = 0; i < about.operator_count; i++)
        missing += !about.operators[i].supported && !strcmp(about.operators[i].name, "Mystery");
    assert_int_equal(missing, 1);
    gig_model_summary_clear(&about);
    assert_status(run(&value, slope, model, 0), GIG_EUNSUPPORTED);
    assert_message("Mystery");
    gig_model_free(model);
}

static void a_subgraph_reads_only_what_there_is(void **state)
{
    (void)state;
    wire graph = {0}, branch = {0}, node = wire_node("If", "x", NULL, "y");
    wire_child(&branch, GRAPH_NODE, wire_node("Neg", "nowhere", NULL, "m"));
    wire_child(&branch, GRAPH_OUTPUT, wire_value("m", ONNX_FLOAT, 2, row));
    add_graph(&node, "then_branch", branch);
    wire_child(&graph, GRAPH_NODE, node);
    wire_child(&graph, GRAPH_INPUT, wire_value("x", ONNX_FLOAT, 2, row));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", ONNX_FLOAT, 2, row));
    wire file = wire_model(graph, 8, 13);
    gig_model *model = NULL;
    assert_status(gig_model_load_memory(&model, file.bytes, file.count, NULL), GIG_EFORMAT);
    assert_message("a subgraph reads \"nowhere\", which is not produced by any node");
    wire_free(&file);
}

/* ---- Loop ---- */

/* s = x; three times s = s * x + s: x (1 + x)^3. */
static void a_loop_runs_as_often_as_a_constant_says(void **state)
{
    (void)state;
    wire graph = {0}, body = {0}, node = wire_node("Loop", "runs", "yes", "y");
    const int64_t runs = 3;
    const uint8_t yes = 1;
    add_numbers(&graph, "runs", ONNX_INT64, 0, NULL, &runs, sizeof runs);
    add_numbers(&graph, "yes", ONNX_BOOL, 0, NULL, &yes, 1);
    wire_text(&node, NODE_INPUT, "x");
    wire_child(&body, GRAPH_INPUT, wire_value("i", ONNX_INT64, 0, NULL));
    wire_child(&body, GRAPH_INPUT, wire_value("go", ONNX_BOOL, 0, NULL));
    wire_child(&body, GRAPH_INPUT, wire_value("s", ONNX_FLOAT, 2, row));
    wire_child(&body, GRAPH_NODE, wire_node("Identity", "go", NULL, "on"));
    wire_child(&body, GRAPH_NODE, wire_node("Mul", "s", "x", "p"));
    wire_child(&body, GRAPH_NODE, wire_node("Add", "p", "s", "t"));
    wire_child(&body, GRAPH_OUTPUT, wire_value("on", ONNX_BOOL, 0, NULL));
    wire_child(&body, GRAPH_OUTPUT, wire_value("t", ONNX_FLOAT, 2, row));
    add_graph(&node, "body", body);
    wire_child(&graph, GRAPH_NODE, node);
    gig_model *model = load(graph);
    expect(model, 0, 0.5 * 3.375, 3.375f + 0.5f * 3 * 2.25f, 0);
    gig_model_free(model);
}

/* ---- quantised operators ---- */

/* ((q(x) - 128) 0.5) times w, in uint8 with scale 0.25: MatMulInteger and QLinearMatMul. */
static void integer_products_pass_slopes(void **state)
{
    (void)state;
    const float scale = 0.5f, out_scale = 0.25f;
    const uint8_t zero = 128;
    const int8_t w[4] = {1, 3, -2, 5}, none = 0;
    for (int linear = 0; linear < 2; linear++) {
        wire graph = {0}, quantize = wire_node("QuantizeLinear", "x", "scale", "q");
        wire_text(&quantize, NODE_INPUT, "zero");
        add_numbers(&graph, "scale", ONNX_FLOAT, 0, NULL, &scale, sizeof scale);
        add_numbers(&graph, "out_scale", ONNX_FLOAT, 0, NULL, &out_scale, sizeof out_scale);
        add_numbers(&graph, "zero", ONNX_UINT8, 0, NULL, &zero, 1);
        add_numbers(&graph, "none", ONNX_INT8, 0, NULL, &none, 1);
        add_numbers(&graph, "w", ONNX_INT8, 2, (const int64_t[]){2, 2}, w, sizeof w);
        wire_child(&graph, GRAPH_NODE, quantize);
        if (linear) {
            wire product = wire_node("QLinearMatMul", "q", "scale", "p");
            static const char *const rest[] = {"zero", "w", "scale", "none", "out_scale", "zero"};
            for (size_t i = 0; i < 6; i++) wire_text(&product, NODE_INPUT, rest[i]);
            wire dequantize = wire_node("DequantizeLinear", "p", "out_scale", "y");
            wire_text(&dequantize, NODE_INPUT, "zero");
            wire_child(&graph, GRAPH_NODE, product);
            wire_child(&graph, GRAPH_NODE, dequantize);
        } else {
            wire product = wire_node("MatMulInteger", "q", "w", "p"), cast = wire_node("Cast", "p", NULL, "real");
            wire_text(&product, NODE_INPUT, "zero");
            wire_attribute_int(&cast, "to", ONNX_FLOAT);
            wire_child(&graph, GRAPH_NODE, product);
            wire_child(&graph, GRAPH_NODE, cast);
            wire_child(&graph, GRAPH_NODE, wire_node("Mul", "real", "scale", "y"));
        }
        gig_model *model = load(graph);
        if (linear) /* weights are w / 2 */
            expect(model, 0, (0.5 * 1 + -2 * -2) / 2.0, 0.5f, -1);
        else
            expect(model, 1, 0.5 * 3 + -2 * 5, 3, 5);
        gig_model_free(model);
    }
}

/* An operator of ONNX Runtime's: 0.5 + 0.5 clips at 0.75, -2 + -2 does not. */
static void sums_of_com_microsoft_clip(void **state)
{
    (void)state;
    const float scale = 0.25f, out_scale = 0.25f;
    const uint8_t zero = 252; /* 3 steps below the end */
    const uint8_t middle = 128;
    wire graph = {0}, quantize = wire_node("QuantizeLinear", "x", "scale", "q"),
         sum = wire_node("QLinearAdd", "q", "scale", "p"), back = wire_node("DequantizeLinear", "p", "out_scale", "y");
    static const char *const rest[] = {"middle", "q", "scale", "middle", "out_scale", "zero"};
    wire_text(&quantize, NODE_INPUT, "middle");
    for (size_t i = 0; i < 6; i++) wire_text(&sum, NODE_INPUT, rest[i]);
    wire_text(&sum, NODE_DOMAIN, "com.microsoft");
    wire_text(&back, NODE_INPUT, "zero");
    add_numbers(&graph, "scale", ONNX_FLOAT, 0, NULL, &scale, sizeof scale);
    add_numbers(&graph, "out_scale", ONNX_FLOAT, 0, NULL, &out_scale, sizeof out_scale);
    add_numbers(&graph, "zero", ONNX_UINT8, 0, NULL, &zero, 1);
    add_numbers(&graph, "middle", ONNX_UINT8, 0, NULL, &middle, 1);
    wire_child(&graph, GRAPH_NODE, quantize);
    wire_child(&graph, GRAPH_NODE, sum);
    wire_child(&graph, GRAPH_NODE, back);
    gig_model *model = load(graph);
    expect(model, 0, 0.75, 0, 0);
    expect(model, 1, -4, 0, 2);
    gig_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_constant_condition_is_folded),
        cmocka_unit_test(else_the_point_decides),
        cmocka_unit_test(lists_operators_of_branches),
        cmocka_unit_test(a_subgraph_reads_only_what_there_is),
        cmocka_unit_test(a_loop_runs_as_often_as_a_constant_says),
        cmocka_unit_test(integer_products_pass_slopes),
        cmocka_unit_test(sums_of_com_microsoft_clip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
