/* SPDX-License-Identifier: Apache-2.0 */
/* Random graphs: values of one shape, each computed from earlier ones. A graph starts with its input "x". */
#ifndef GIG_TESTS_NETWORK_RANDOM_GRAPH_H
#define GIG_TESTS_NETWORK_RANDOM_GRAPH_H

#include "support.h"

#include "logit.h"
#include "model/wire_load.h"
#include "random_numbers.h"
#include <math.h>

enum { ONNX_FLOAT = 1, ONNX_INT64 = 7, STEPS = 14, NAME = 16, GRAPHS = 100 };

typedef struct maker {
    wire graph;
    uint64_t seed, drawn;
    int names;                    /* given out so far: "v0", "v1", ... */
    char values[STEPS + 1][NAME]; /* what may be read */
    size_t count;
} maker;

static inline size_t choose(maker *m, size_t count)
{
    return (size_t)(gig_rng_uniform((gig_rng){m->seed, 0}, m->drawn++) * (double)count);
}

static inline const char *any(maker *m)
{
    return m->values[choose(m, m->count)];
}

static inline void new_name(maker *m, char name[NAME])
{
    snprintf(name, NAME, "v%d", m->names++);
}

/* A weight, normal times `scale` plus `mean`, under a new name. */
static inline void weight(maker *m, char name[NAME], int rank, const int64_t *dims, double scale, double mean)
{
    size_t count = 1;
    for (int i = 0; i < rank; i++) count *= (size_t)dims[i];
    float *values = draw(count, 0);
    gig_rng_fill_normal((gig_rng){m->seed, (uint64_t)m->names + 1}, values, count);
    for (size_t i = 0; i < count; i++) values[i] = (float)((double)values[i] * scale + mean);
    new_name(m, name);
    wire_child(&m->graph, GRAPH_INITIALIZER, wire_weight(name, rank, dims, values));
    gig_free(values);
}

static inline void constant(maker *m, char name[NAME], double value)
{
    weight(m, name, 0, NULL, 0, value);
}

/* A node of one or two inputs; its result's name. */
static inline void node(maker *m, char out[NAME], const char *op, const char *a, const char *b)
{
    new_name(m, out);
    wire_child(&m->graph, GRAPH_NODE, wire_node(op, a, b, out));
}

static inline void gelu(maker *m, char out[NAME], const char *from)
{
    char a[NAME], b[NAME], root[NAME], one[NAME], half[NAME];
    constant(m, root, sqrt(2.0));
    constant(m, one, 1);
    constant(m, half, 0.5);
    node(m, a, "Div", from, root);
    node(m, b, "Erf", a, NULL);
    node(m, a, "Add", b, one);
    node(m, b, "Mul", from, a);
    node(m, out, "Mul", b, half);
}

/* "Reshape" to these dims. */
static inline void reshape(maker *m, char out[NAME], const char *from, int64_t rank, const int64_t *dims)
{
    char shape[NAME];
    new_name(m, shape);
    wire tensor = wire_tensor(shape, ONNX_INT64, 1, &rank);
    wire_bytes(&tensor, TENSOR_RAW, dims, (size_t)rank * sizeof *dims);
    wire_child(&m->graph, GRAPH_INITIALIZER, tensor);
    node(m, out, "Reshape", from, shape);
}

static inline void transpose(maker *m, char out[NAME], const char *from, size_t rank, const int64_t *order)
{
    new_name(m, out);
    wire made = wire_node("Transpose", from, NULL, out);
    wire_attribute_ints(&made, "perm", rank, order);
    wire_child(&m->graph, GRAPH_NODE, made);
}

/* The halves along an axis in the other order. */
static inline void exchange(maker *m, char out[NAME], const char *from, int64_t axis)
{
    char first[NAME], second[NAME];
    new_name(m, first);
    new_name(m, second);
    wire split = wire_node("Split", from, NULL, first);
    wire_text(&split, NODE_OUTPUT, second);
    wire_attribute_int(&split, "axis", axis);
    wire_child(&m->graph, GRAPH_NODE, split);
    new_name(m, out);
    wire joined = wire_node("Concat", second, first, out);
    wire_attribute_int(&joined, "axis", axis);
    wire_child(&m->graph, GRAPH_NODE, joined);
}

/* A family of graphs: what adds a value, the shape of all, and what makes y [1, classes] of the last. */
typedef struct family {
    void (*add_value)(maker *m);
    void (*end)(maker *m, const char *from);
    int rank;
    int64_t dims[4], classes, opset;
} family;

static inline gig_model *random_graph(const family *of, uint64_t seed)
{
    maker m = {.seed = seed, .count = 1, .values = {"x"}};
    for (size_t i = 0; i < STEPS; i++) of->add_value(&m);
    of->end(&m, m.values[STEPS]);
    wire_child(&m.graph, GRAPH_INPUT, wire_value("x", ONNX_FLOAT, of->rank, of->dims));
    wire_child(&m.graph, GRAPH_OUTPUT, wire_value("y", ONNX_FLOAT, 2, (const int64_t[]){1, of->classes}));
    return wire_load(wire_model(m.graph, 8, of->opset));
}

/* Steps of a plan (fused, in place, by tiles, joined) against the plain operators, each on memory of its own. Rarely,
 * one of thousands of values falls on the other side of a kink; an error in a step changes far more. */
static inline void assert_steps_agree(const family *of)
{
    size_t count = 1;
    for (int i = 0; i < of->rank; i++) count *= (size_t)of->dims[i];
    float *point = draw(count, 1), *ours = draw(count, 2), *plain = draw(count, 3);
    for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
        gig_model *model = random_graph(of, seed);
        double value, wanted;
        assert_ok(logit_of(&value, ours, model, point, 3, (gig_network_options){.batch = 1 + seed % 2}));
        assert_ok(logit_of(&wanted, plain, model, point, 3, (gig_network_options){.plain = 1}));
        if (!(fabs(value - wanted) <= 1e-4 * (1e-2 + fabs(wanted)) && support_l2(ours, plain, count) <= 5e-3))
            fail_msg("graph %d: value %.7g, plain %.7g; gradients %.2g apart", (int)seed, value, wanted,
                     support_l2(ours, plain, count));
        gig_model_free(model);
    }
    float *const all[] = {point, ours, plain};
    for (size_t i = 0; i < 3; i++) gig_free(all[i]);
}

#endif
