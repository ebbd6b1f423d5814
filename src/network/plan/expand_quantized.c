/* SPDX-License-Identifier: Apache-2.0 */
/* Expands quantised operators to DequantizeLinear of each operand, the float operator and QuantizeLinear of its result:
 * those of ONNX, and those of ONNX Runtime's domain com.microsoft. */
#include "network/plan/expand.h"
#include <string.h>

enum { NO_AXIS = 100, OPSET = 13, MOST = 8 };

static int input(const gig_node *node, size_t i)
{
    return i < node->input_count ? node->inputs[i] : -1;
}

static gig_status expect(const gig_node *node, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (input(node, i) < 0) return gig_fail(GIG_EFORMAT, "%.60s: input %zu is left out", node->op, i);
    return node->output_count && node->outputs[0] >= 0 ? GIG_OK
                                                       : gig_fail(GIG_EFORMAT, "%.60s has no output", node->op);
}

/* out = (value - zero) scale; axis: of scales that are a list. */
static gig_status dequantize(int *out, gig_expansion *x, int value, int scale, int zero, int axis)
{
    gig_node *made;
    const int in[3] = {value, scale, zero};
    GIG_TRY(gig_expansion_value(out, x, "dequantized"));
    GIG_TRY(
        gig_expansion_node(&made, x, &(gig_node_parts){"DequantizeLinear", OPSET, zero < 0 ? 2 : 3, in, 1, out, NULL}));
    return axis == NO_AXIS ? GIG_OK : gig_expansion_attribute(x, made, "axis", axis, 0);
}

/* As many ones as the zero point has numbers. */
static gig_status ones(int *out, gig_expansion *x, int zero)
{
    const gig_tensor *like = zero < 0 ? NULL : x->model.values[zero].constant;
    size_t count = like ? gig_tensor_count(like) : 1;
    if (count == 1) {
        if (x->one < 0) GIG_TRY(gig_expansion_scalar(&x->one, x, 1));
        *out = x->one;
        return GIG_OK;
    }
    gig_tensor tensor;
    GIG_TRY(gig_tensor_create(&tensor, GIG_FLOAT32, 1, (const int64_t[]){(int64_t)count}));
    for (size_t i = 0; i < count; i++) tensor.real[i] = 1;
    return gig_expansion_constant(out, x, &tensor, GIG_ONNX_FLOAT);
}

/* value - zero, as floating-point numbers. */
static gig_status centre(int *out, gig_expansion *x, int value, int zero, int axis)
{
    int scale;
    GIG_TRY(ones(&scale, x, zero));
    return dequantize(out, x, value, scale, zero, axis);
}

/* The node's output, from a real value: quantised where there is a scale. */
static gig_status finish(gig_expansion *x, const gig_node *node, int value, int scale, int zero)
{
    gig_node *made;
    const int in[3] = {value, scale, zero};
    if (scale < 0)
        return gig_expansion_node(&made, x, &(gig_node_parts){"Identity", OPSET, 1, &value, 1, node->outputs, NULL});
    return gig_expansion_node(&made, x,
                              &(gig_node_parts){"QuantizeLinear", OPSET, zero < 0 ? 2 : 3, in, 1, node->outputs, NULL});
}

/* A node of the float operator with the attributes of the quantised one. */
static gig_status apply(int *out, gig_expansion *x, const gig_node *node, const char *op, int opset, size_t count,
                        const int *in)
{
    gig_node *made;
    GIG_TRY(gig_expansion_value(out, x, "real"));
    return gig_expansion_node(&made, x, &(gig_node_parts){op, opset, count, in, 1, out, node});
}

/* ---- convolutions and products ---- */

static gig_status conv_integer(gig_expansion *x, const gig_node *node)
{
    int in[2], out;
    GIG_TRY(expect(node, 2));
    GIG_TRY(centre(&in[0], x, input(node, 0), input(node, 2), NO_AXIS));
    GIG_TRY(centre(&in[1], x, input(node, 1), input(node, 3), 0));
    GIG_TRY(apply(&out, x, node, "Conv", OPSET, 2, in));
    return finish(x, node, out, -1, -1);
}

static gig_status matmul_integer(gig_expansion *x, const gig_node *node)
{
    int in[2], out;
    GIG_TRY(expect(node, 2));
    GIG_TRY(centre(&in[0], x, input(node, 0), input(node, 2), -2));
    GIG_TRY(centre(&in[1], x, input(node, 1), input(node, 3), -1));
    GIG_TRY(apply(&out, x, node, "MatMul", OPSET, 2, in));
    return finish(x, node, out, -1, -1);
}

/* A bias is quantised with the product of the scales. */
static gig_status bias_of(int *out, gig_expansion *x, int bias, int left_scale, int right_scale)
{
    const int scales[2] = {left_scale, right_scale};
    int scale;
    gig_node *made;
    GIG_TRY(gig_expansion_value(&scale, x, "scale"));
    GIG_TRY(gig_expansion_node(&made, x, &(gig_node_parts){"Mul", OPSET, 2, scales, 1, &scale, NULL}));
    return dequantize(out, x, bias, scale, -1, 0);
}

static gig_status qlinear_conv(gig_expansion *x, const gig_node *node)
{
    int in[3], out, bias = input(node, 8);
    GIG_TRY(expect(node, 8));
    GIG_TRY(dequantize(&in[0], x, input(node, 0), input(node, 1), input(node, 2), NO_AXIS));
    GIG_TRY(dequantize(&in[1], x, input(node, 3), input(node, 4), input(node, 5), 0));
    if (bias >= 0) GIG_TRY(bias_of(&in[2], x, bias, input(node, 1), input(node, 4)));
    GIG_TRY(apply(&out, x, node, "Conv", OPSET, bias >= 0 ? 3 : 2, in));
    return finish(x, node, out, input(node, 6), input(node, 7));
}

static gig_status qlinear_matmul(gig_expansion *x, const gig_node *node)
{
    int in[2], out;
    GIG_TRY(expect(node, 8));
    GIG_TRY(dequantize(&in[0], x, input(node, 0), input(node, 1), input(node, 2), -2));
    GIG_TRY(dequantize(&in[1], x, input(node, 3), input(node, 4), input(node, 5), -1));
    GIG_TRY(apply(&out, x, node, "MatMul", OPSET, 2, in));
    return finish(x, node, out, input(node, 6), input(node, 7));
}

static gig_status q_gemm(gig_expansion *x, const gig_node *node)
{
    int in[3], out, bias = input(node, 6);
    GIG_TRY(expect(node, 6));
    GIG_TRY(dequantize(&in[0], x, input(node, 0), input(node, 1), input(node, 2), NO_AXIS));
    GIG_TRY(
        dequantize(&in[1], x, input(node, 3), input(node, 4), input(node, 5), gig_node_int(node, "transB", 0) ? 0 : 1));
    if (bias >= 0) GIG_TRY(bias_of(&in[2], x, bias, input(node, 1), input(node, 4)));
    GIG_TRY(apply(&out, x, node, "Gemm", OPSET, bias >= 0 ? 3 : 2, in));
    return finish(x, node, out, input(node, 7), input(node, 8));
}

static gig_status add_bias(int *value, gig_expansion *x, int bias)
{
    const int in[2] = {*value, bias};
    gig_node *made;
    if (bias < 0) return GIG_OK;
    GIG_TRY(gig_expansion_value(value, x, "biased"));
    return gig_expansion_node(&made, x, &(gig_node_parts){"Add", OPSET, 2, in, 1, value, NULL});
}

/* A, B, scales of both, zero points of both, bias. */
static gig_status matmul_to_float(gig_expansion *x, const gig_node *node)
{
    int in[2], out;
    GIG_TRY(expect(node, 4));
    GIG_TRY(dequantize(&in[0], x, input(node, 0), input(node, 2), input(node, 4), -2));
    GIG_TRY(dequantize(&in[1], x, input(node, 1), input(node, 3), input(node, 5), -1));
    GIG_TRY(apply(&out, x, node, "MatMul", OPSET, 2, in));
    GIG_TRY(add_bias(&out, x, input(node, 6)));
    return finish(x, node, out, -1, -1);
}

/* A real, quantised as its numbers are; B, its scale and zero point, bias. */
static gig_status dynamic_matmul(gig_expansion *x, const gig_node *node)
{
    int in[2], quantized[3], out;
    gig_node *made;
    GIG_TRY(expect(node, 3));
    for (size_t i = 0; i < 3; i++) GIG_TRY(gig_expansion_value(&quantized[i], x, "dynamic"));
    GIG_TRY(gig_expansion_node(&made, x,
                               &(gig_node_parts){"DynamicQuantizeLinear", OPSET, 1, node->inputs, 3, quantized, NULL}));
    GIG_TRY(dequantize(&in[0], x, quantized[0], quantized[1], quantized[2], NO_AXIS));
    GIG_TRY(dequantize(&in[1], x, input(node, 1), input(node, 2), input(node, 3), -1));
    GIG_TRY(apply(&out, x, node, "MatMul", OPSET, 2, in));
    GIG_TRY(add_bias(&out, x, input(node, 4)));
    return finish(x, node, out, -1, -1);
}

/* ---- functions of one, two or many tensors ---- */

/* x, scale, zero; scale and zero of the result. */
static gig_status unary(gig_expansion *x, const gig_node *node, const char *op, int opset)
{
    int in, out;
    GIG_TRY(expect(node, 2));
    if (gig_node_int(node, "channels_last", 0))
        return gig_fail(GIG_EUNSUPPORTED, "%.60s with channels last is not supported", node->op);
    if (input(node, 3) < 0) return gig_fail(GIG_EFORMAT, "%.60s: input 3 is left out", node->op);
    GIG_TRY(dequantize(&in, x, input(node, 0), input(node, 1), input(node, 2), NO_AXIS));
    GIG_TRY(apply(&out, x, node, op, opset, 1, &in));
    return finish(x, node, out, input(node, 3), input(node, 4));
}

/* a, scale, zero, b, scale, zero; scale and zero of the result. `first`: where a begins; 1: behind a condition. */
static gig_status binary(gig_expansion *x, const gig_node *node, const char *op, size_t first)
{
    int in[3] = {input(node, 0)}, out;
    if (input(node, first + 6) < 0 || (first && in[0] < 0))
        return gig_fail(GIG_EFORMAT, "%.60s: an input is left out", node->op);
    for (size_t i = 0; i < 2; i++) {
        size_t at = first + 3 * i;
        if (input(node, at) < 0 || input(node, at + 1) < 0)
            return gig_fail(GIG_EFORMAT, "%.60s: input %zu is left out", node->op, at);
        GIG_TRY(dequantize(&in[first + i], x, input(node, at), input(node, at + 1), input(node, at + 2), NO_AXIS));
    }
    GIG_TRY(apply(&out, x, node, op, OPSET, 2 + first, in));
    return finish(x, node, out, input(node, first + 6), input(node, first + 7));
}

/* Scale and zero of the result, then x, scale, zero of each part. */
static gig_status concat(gig_expansion *x, const gig_node *node)
{
    size_t parts = node->input_count < 2 ? 0 : (node->input_count - 2) / 3;
    int out;
    GIG_TRY(expect(node, 1));
    if (!parts || node->input_count != 2 + 3 * parts)
        return gig_fail(GIG_EFORMAT, "%.60s takes a scale, a zero point and three inputs for each part", node->op);
    int *in = gig_alloc(parts, sizeof *in);
    if (!in) return gig_alloc_status();
    gig_status status = GIG_OK;
    for (size_t i = 0; i < parts && status == GIG_OK; i++) {
        size_t at = 2 + 3 * i;
        if (input(node, at) < 0 || input(node, at + 1) < 0)
            status = gig_fail(GIG_EFORMAT, "%.60s: input %zu is left out", node->op, at);
        else
            status = dequantize(&in[i], x, input(node, at), input(node, at + 1), input(node, at + 2), NO_AXIS);
    }
    if (status == GIG_OK) status = apply(&out, x, node, "Concat", OPSET, parts, in);
    gig_free(in);
    return status == GIG_OK ? finish(x, node, out, input(node, 0), input(node, 1)) : status;
}

/* The same operator as ONNX's own. */
static gig_status own(gig_expansion *x, const gig_node *node)
{
    gig_node *made;
    return gig_expansion_node(
        &made, x,
        &(gig_node_parts){node->op, OPSET, node->input_count, node->inputs, node->output_count, node->outputs, node});
}

/* ---- the table ---- */

typedef struct quantized_row {
    const char *name;
    int microsoft; /* in domain com.microsoft */
    gig_status (*expand)(gig_expansion *x, const gig_node *node);
    const char *op; /* NULL expand: unary, or binary where operands is 2; 3: Where */
    int opset, operands;
} quantized_row;

static const quantized_row table[] = {
    {"ConvInteger", 0, conv_integer, NULL, 0, 0},
    {"MatMulInteger", 0, matmul_integer, NULL, 0, 0},
    {"QLinearConv", 0, qlinear_conv, NULL, 0, 0},
    {"QLinearMatMul", 0, qlinear_matmul, NULL, 0, 0},
    {"QLinearConv", 1, qlinear_conv, NULL, 0, 0},
    {"QGemm", 1, q_gemm, NULL, 0, 0},
    {"MatMulIntegerToFloat", 1, matmul_to_float, NULL, 0, 0},
    {"DynamicQuantizeMatMul", 1, dynamic_matmul, NULL, 0, 0},
    {"QLinearConcat", 1, concat, NULL, 0, 0},
    {"QuantizeLinear", 1, own, NULL, 0, 0},
    {"DequantizeLinear", 1, own, NULL, 0, 0},
    {"QLinearAdd", 1, NULL, "Add", OPSET, 2},
    {"QLinearMul", 1, NULL, "Mul", OPSET, 2},
    {"QLinearWhere", 1, NULL, "Where", OPSET, 3},
    {"QLinearLeakyRelu", 1, NULL, "LeakyRelu", OPSET, 1},
    {"QLinearSigmoid", 1, NULL, "Sigmoid", OPSET, 1},
    {"QLinearSoftmax", 1, NULL, "Softmax", 0, 1},
    {"QLinearAveragePool", 1, NULL, "AveragePool", 11, 1},
    {"QLinearGlobalAveragePool", 1, NULL, "GlobalAveragePool", OPSET, 1},
    {"QLinearReduceMean", 1, NULL, "ReduceMean", 11, 1},
};

void gig_written_out_each(void (*visit)(void *payload, const gig_operator *row), void *payload)
{
    static const gig_operator rows[] = {{.name = "ConvInteger", .since = 10}, {.name = "MatMulInteger", .since = 10},
                                        {.name = "QLinearConv", .since = 10}, {.name = "QLinearMatMul", .since = 10},
                                        {.name = "Loop", .since = 1},         {.name = "Scan", .since = 9}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) visit(payload, &rows[i]);
}

static const quantized_row *find_row(const gig_node *node)
{
    int microsoft = strcmp(node->domain, "com.microsoft") == 0;
    if (node->domain[0] && !microsoft) return NULL;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].microsoft == microsoft && strcmp(table[i].name, node->op) == 0) return &table[i];
    return NULL;
}

int gig_is_quantized_operator(const gig_node *node)
{
    return find_row(node) != NULL;
}

static gig_status expand_one(gig_expansion *x, const gig_node *node)
{
    const quantized_row *row = find_row(node);
    if (row->expand) return row->expand(x, node);
    if (row->operands > 1) return binary(x, node, row->op, row->operands == 3);
    int64_t said = gig_node_int(node, "opset", OPSET); /* QLinearSoftmax says whose meaning it has */
    return unary(x, node, row->op, row->opset ? row->opset : said < 13 ? 12 : 13);
}

gig_status gig_expand_quantized(gig_expansion *x)
{
    size_t count = x->model.node_count, found = 0;
    for (size_t n = 0; n < count; n++) {
        const gig_node node = x->model.nodes[n]; /* the list grows */
        if (!find_row(&node)) continue;
        x->around = &node;
        gig_status status = expand_one(x, &node);
        char text[160];
        if (status != GIG_OK) return gig_fail_in(status, "%s", gig_node_text(text, sizeof text, &node));
        x->model.nodes[n].op = NULL;
        found++;
    }
    x->around = NULL;
    return found ? gig_expansion_settle(x) : GIG_OK;
}
