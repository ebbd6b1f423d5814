/* SPDX-License-Identifier: Apache-2.0 */
/* Writes ONNX files field by field, broken ones too: for tests of the loader. Field numbers are those of onnx.proto. */
#ifndef GIG_TESTS_WIRE_H
#define GIG_TESTS_WIRE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
enum { MODEL_IR = 1, MODEL_PRODUCER = 2, MODEL_GRAPH = 7, MODEL_OPSET = 8, MODEL_FUNCTION = 25 };
enum { GRAPH_NODE = 1, GRAPH_NAME = 2, GRAPH_INITIALIZER = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12, GRAPH_VALUE = 13,
       GRAPH_SPARSE = 15 };
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_NAME = 3, NODE_OP = 4, NODE_ATTRIBUTE = 5, NODE_DOMAIN = 7 };
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_F = 2, ATTRIBUTE_I = 3, ATTRIBUTE_S = 4, ATTRIBUTE_T = 5, ATTRIBUTE_G = 6,
       ATTRIBUTE_FLOATS = 7, ATTRIBUTE_INTS = 8, ATTRIBUTE_TYPE = 20, ATTRIBUTE_REFERENCE = 21 };
enum { TENSOR_DIMS = 1, TENSOR_TYPE = 2, TENSOR_SEGMENT = 3, TENSOR_FLOATS = 4, TENSOR_INT32S = 5, TENSOR_INT64S = 7,
       TENSOR_NAME = 8, TENSOR_RAW = 9, TENSOR_DOUBLES = 10, TENSOR_UINT64S = 11, TENSOR_EXTERNAL = 13,
       TENSOR_LOCATION = 14 };
enum { FUNCTION_NAME = 1, FUNCTION_INPUT = 4, FUNCTION_OUTPUT = 5, FUNCTION_ATTRIBUTE = 6, FUNCTION_NODE = 7,
       FUNCTION_OPSET = 9, FUNCTION_DOMAIN = 10 };
/* Newer than Debian's onnx.proto. */
enum { NODE_OVERLOAD = 8, NODE_METADATA = 9, NODE_DEVICES = 10, FUNCTION_DEFAULT = 11, FUNCTION_VALUE = 12,
       FUNCTION_OVERLOAD = 13, FUNCTION_METADATA = 14, GRAPH_METADATA = 16, TENSOR_METADATA = 16, VALUE_METADATA = 4,
       MODEL_CONFIGURATION = 26 };
/* clang-format on */

typedef struct wire {
    uint8_t *bytes;
    size_t count, capacity;
} wire;

static inline void wire_free(wire *out)
{
    free(out->bytes);
    *out = (wire){0};
}

static inline void wire_append(wire *out, const void *bytes, size_t count)
{
    if (out->count + count > out->capacity) {
        out->capacity = 2 * (out->count + count) + 64;
        out->bytes = realloc(out->bytes, out->capacity);
        if (!out->bytes) abort();
    }
    if (count) memcpy(out->bytes + out->count, bytes, count);
    out->count += count;
}

static inline void wire_varint(wire *out, uint64_t value)
{
    uint8_t bytes[10];
    size_t count = 0;
    do {
        bytes[count++] = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
    } while (value);
    wire_append(out, bytes, count);
}

static inline void wire_int(wire *out, unsigned field, int64_t value)
{
    wire_varint(out, field << 3);
    wire_varint(out, (uint64_t)value);
}

static inline void wire_float(wire *out, unsigned field, float value)
{
    wire_varint(out, field << 3 | 5);
    wire_append(out, &value, sizeof value);
}

static inline void wire_bytes(wire *out, unsigned field, const void *bytes, size_t count)
{
    wire_varint(out, field << 3 | 2);
    wire_varint(out, count);
    wire_append(out, bytes, count);
}

static inline void wire_text(wire *out, unsigned field, const char *text)
{
    wire_bytes(out, field, text, strlen(text));
}

/* The child's bytes as one field; the child is freed. */
static inline void wire_child(wire *out, unsigned field, wire child)
{
    wire_bytes(out, field, child.bytes, child.count);
    free(child.bytes);
}

/* A packed list of varints. */
static inline void wire_packed(wire *out, unsigned field, size_t count, const int64_t *values)
{
    wire list = {0};
    for (size_t i = 0; i < count; i++) wire_varint(&list, (uint64_t)values[i]);
    wire_child(out, field, list);
}

/* A ValueInfoProto of a tensor; dims of -1 are free. */
static inline wire wire_value(const char *name, int type, int rank, const int64_t *dims)
{
    wire value = {0}, outer = {0}, tensor = {0}, shape = {0};
    for (int i = 0; i < rank; i++) {
        wire dim = {0};
        if (dims[i] == -1)
            wire_text(&dim, 2, "n");
        else
            wire_int(&dim, 1, dims[i]);
        wire_child(&shape, 1, dim);
    }
    wire_int(&tensor, 1, type);
    wire_child(&tensor, 2, shape);
    wire_child(&outer, 1, tensor);
    wire_text(&value, 1, name);
    wire_child(&value, 2, outer);
    return value;
}

/* The head of a TensorProto: the test adds the values. */
static inline wire wire_tensor(const char *name, int type, int rank, const int64_t *dims)
{
    wire tensor = {0};
    for (int i = 0; i < rank; i++) wire_int(&tensor, TENSOR_DIMS, dims[i]);
    wire_int(&tensor, TENSOR_TYPE, type);
    wire_text(&tensor, TENSOR_NAME, name);
    return tensor;
}

/* A weight of floats. */
static inline wire wire_weight(const char *name, int rank, const int64_t *dims, const float *values)
{
    size_t count = 1;
    for (int i = 0; i < rank; i++) count *= (size_t)dims[i];
    wire tensor = wire_tensor(name, 1, rank, dims);
    wire_bytes(&tensor, TENSOR_RAW, values, count * sizeof *values);
    return tensor;
}

/* A constant of 64-bit integers. */
static inline wire wire_wholes(const char *name, int rank, const int64_t *dims, const int64_t *values)
{
    size_t count = 1;
    for (int i = 0; i < rank; i++) count *= (size_t)dims[i];
    wire tensor = wire_tensor(name, 7, rank, dims);
    wire_bytes(&tensor, TENSOR_RAW, values, count * sizeof *values);
    return tensor;
}

/* Attributes, added to a node. */
static inline wire wire_attribute(const char *name, int type)
{
    wire made = {0};
    wire_text(&made, ATTRIBUTE_NAME, name);
    wire_int(&made, ATTRIBUTE_TYPE, type);
    return made;
}

static inline void wire_attribute_int(wire *node, const char *name, int64_t value)
{
    wire made = wire_attribute(name, 2);
    wire_int(&made, ATTRIBUTE_I, value);
    wire_child(node, NODE_ATTRIBUTE, made);
}

static inline void wire_attribute_ints(wire *node, const char *name, size_t count, const int64_t *values)
{
    wire made = wire_attribute(name, 7);
    for (size_t i = 0; i < count; i++) wire_int(&made, ATTRIBUTE_INTS, values[i]);
    wire_child(node, NODE_ATTRIBUTE, made);
}

static inline void wire_attribute_real(wire *node, const char *name, float value)
{
    wire made = wire_attribute(name, 1);
    wire_float(&made, ATTRIBUTE_F, value);
    wire_child(node, NODE_ATTRIBUTE, made);
}

static inline void wire_attribute_text(wire *node, const char *name, const char *text)
{
    wire made = wire_attribute(name, 3);
    wire_text(&made, ATTRIBUTE_S, text);
    wire_child(node, NODE_ATTRIBUTE, made);
}

/* A node with one or two inputs (NULL: none) and one output. */
static inline wire wire_node(const char *op, const char *input, const char *second, const char *output)
{
    wire node = {0};
    if (input) wire_text(&node, NODE_INPUT, input);
    if (second) wire_text(&node, NODE_INPUT, second);
    if (output) wire_text(&node, NODE_OUTPUT, output);
    wire_text(&node, NODE_OP, op);
    return node;
}

/* The head of a function of domain "local"; the test adds nodes, and more inputs and outputs. */
static inline wire wire_function(const char *name, const char *input, const char *output, int64_t opset)
{
    wire made = {0}, import = {0};
    wire_text(&made, FUNCTION_NAME, name);
    wire_text(&made, FUNCTION_DOMAIN, "local");
    if (input) wire_text(&made, FUNCTION_INPUT, input);
    if (output) wire_text(&made, FUNCTION_OUTPUT, output);
    wire_int(&import, 2, opset);
    wire_child(&made, FUNCTION_OPSET, import);
    return made;
}

/* A node that calls such a function. */
static inline wire wire_call(const char *name, const char *input, const char *second, const char *output)
{
    wire node = wire_node(name, input, second, output);
    wire_text(&node, NODE_DOMAIN, "local");
    return node;
}

/* The whole file around a graph, which is freed. */
static inline wire wire_model(wire graph, int64_t ir, int64_t opset)
{
    wire model = {0}, import = {0};
    wire_int(&model, MODEL_IR, ir);
    wire_int(&import, 2, opset);
    wire_child(&model, MODEL_OPSET, import);
    wire_child(&model, MODEL_GRAPH, graph);
    return model;
}

#endif
