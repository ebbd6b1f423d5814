/* Random graphs of what networks are made of: the steps of a plan (fused, in place, by tiles, joined) against the plain
 * operators, each on memory of its own. Every value is [1, CHANNELS, SIDE, SIDE] and may be read any number of times,
 * so that operands meet in ways that no model of ours has. */
#include "support.h"

#include "draw.h"
#include "logit.h"
#include "model/wire_load.h"
#include <math.h>

enum { ONNX_FLOAT = 1, CHANNELS = 32, SIDE = 9, POINT = CHANNELS * SIDE * SIDE, STEPS = 14, NAME = 16, GRAPHS = 100 };

typedef struct maker {
    wire graph;
    uint64_t seed, drawn;
    int names;                    /* given out so far: "v0", "v1", ... */
    char values[STEPS + 1][NAME]; /* what may be read */
    size_t count;
} maker;

static size_t choose(maker *m, size_t count)
{
    return (size_t)(gig_rng_uniform((gig_rng){m->seed, 0}, m->drawn++) * (double)count);
}

static const char *any(maker *m)
{
    return m->values[choose(m, m->count)];
}

static void new_name(maker *m, char name[NAME])
{
    snprintf(name, NAME, "v%d", m->names++);
}

/* A weight, normal times `scale` plus `mean`, under a new name. */
static void weight(maker *m, char name[NAME], int rank, const int64_t *dims, double scale, double mean)
{
    size_t count = 1;
    for (int i = 0; i < rank; i++) count *= (size_t)dims[i];
    float *values = draw(count, 0);
    gig_rng_fill_normal((gig_rng){m->seed, (uint64_t)m->names + 1}, values, count);
    for (size_t i = 0; i < count; i++) values[i] = (float)((double)values[i] * scale + mean);
    new_name(m, name);
    wire tensor = wire_tensor(name, ONNX_FLOAT, rank, dims);
    wire_bytes(&tensor, TENSOR_RAW, values, count * sizeof *values);
    wire_child(&m->graph, GRAPH_INITIALIZER, tensor);
    gig_free(values);
}

static void constant(maker *m, char name[NAME], double value)
{
    weight(m, name, 0, NULL, 0, value);
}

static void attribute(wire *node, const char *name, size_t count, const int64_t *values)
{
    enum { INT = 2, INTS = 7 };
    wire made = {0};
    wire_text(&made, ATTRIBUTE_NAME, name);
    wire_int(&made, ATTRIBUTE_TYPE, count ? INTS : INT);
    if (!count) wire_int(&made, ATTRIBUTE_I, values[0]);
    for (size_t i = 0; i < count; i++) wire_int(&made, ATTRIBUTE_INTS, values[i]);
    wire_child(node, NODE_ATTRIBUTE, made);
}

/* A node of one or two inputs; its result's name. */
static void node(maker *m, char out[NAME], const char *op, const char *a, const char *b)
{
    new_name(m, out);
    wire_child(&m->graph, GRAPH_NODE, wire_node(op, a, b, out));
}

static void convolution(maker *m, char out[NAME], const char *from, int64_t in)
{
    static const int64_t windows[][2] = {{1, 1}, {3, 3}, {5, 5}, {1, 3}, {3, 1}, {1, 7}, {7, 1}, {3, 3}};
    size_t kind = in == CHANNELS ? choose(m, 8) : 0;
    int64_t groups = kind == 7 ? CHANNELS : 1;
    const int64_t *window = windows[kind];
    int64_t dims[4] = {CHANNELS, in / groups, window[0], window[1]},
            pads[4] = {window[0] / 2, window[1] / 2, window[0] / 2, window[1] / 2};
    char weights[NAME], bias[NAME];
    weight(m, weights, 4, dims, 1 / sqrt((double)(dims[1] * dims[2] * dims[3])), 0);
    weight(m, bias, 1, dims, 0.1, 0.01);
    new_name(m, out);
    wire made = wire_node("Conv", from, weights, out);
    if (choose(m, 2)) wire_text(&made, NODE_INPUT, bias);
    attribute(&made, "pads", 4, pads);
    attribute(&made, "group", 0, &groups);
    wire_child(&m->graph, GRAPH_NODE, made);
}

static void normalization(maker *m, char out[NAME], const char *from)
{
    const int64_t dims[1] = {CHANNELS};
    char name[NAME];
    new_name(m, out);
    wire made = wire_node("BatchNormalization", from, NULL, out);
    for (int i = 0; i < 4; i++) {
        weight(m, name, 1, dims, i == 3 ? 0 : 0.2, i == 0 || i == 3 ? 1 : 0.05);
        wire_text(&made, NODE_INPUT, name);
    }
    wire_child(&m->graph, GRAPH_NODE, made);
}

static void pool(maker *m, char out[NAME], const char *from)
{
    const int64_t three[2] = {3, 3}, one[4] = {1, 1, 1, 1};
    new_name(m, out);
    wire made = wire_node(choose(m, 2) ? "MaxPool" : "AveragePool", from, NULL, out);
    attribute(&made, "kernel_shape", 2, three);
    attribute(&made, "pads", 4, one);
    wire_child(&m->graph, GRAPH_NODE, made);
}

static void gelu(maker *m, char out[NAME], const char *from)
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

static void concat(maker *m, char out[NAME], const char *a, const char *b)
{
    const int64_t axis = 1;
    char joined[NAME];
    new_name(m, joined);
    wire made = wire_node("Concat", a, b, joined);
    attribute(&made, "axis", 0, &axis);
    wire_child(&m->graph, GRAPH_NODE, made);
    convolution(m, out, joined, 2 * CHANNELS);
}

/* [1, CHANNELS, SIDE, SIDE] as [CHANNELS, SIDE SIDE], which may be the same memory, and back. */
static void reshaped(maker *m, char out[NAME], const char *from)
{
    enum { ONNX_INT64 = 7 };
    const int64_t dims[2][4] = {{CHANNELS, SIDE * SIDE}, {1, CHANNELS, SIDE, SIDE}}, ranks[2] = {2, 4};
    char shape[NAME], flat[NAME], between[NAME];
    for (int i = 0; i < 2; i++) {
        new_name(m, shape);
        wire tensor = wire_tensor(shape, ONNX_INT64, 1, &ranks[i]);
        wire_bytes(&tensor, TENSOR_RAW, dims[i], (size_t)ranks[i] * sizeof(int64_t));
        wire_child(&m->graph, GRAPH_INITIALIZER, tensor);
        node(m, i ? out : flat, "Reshape", i ? between : from, shape);
        if (!i) node(m, between, choose(m, 2) ? "Relu" : "Identity", flat, NULL);
    }
}

/* The halves of the channels in the other order. */
static void exchanged(maker *m, char out[NAME], const char *from)
{
    const int64_t axis = 1;
    char first[NAME], second[NAME];
    new_name(m, first);
    new_name(m, second);
    wire split = wire_node("Split", from, NULL, first);
    wire_text(&split, NODE_OUTPUT, second);
    attribute(&split, "axis", 0, &axis);
    wire_child(&m->graph, GRAPH_NODE, split);
    new_name(m, out);
    wire joined = wire_node("Concat", second, first, out);
    attribute(&joined, "axis", 0, &axis);
    wire_child(&m->graph, GRAPH_NODE, joined);
}

static void transposed(maker *m, char out[NAME], const char *from)
{
    const int64_t order[4] = {0, 1, 3, 2};
    new_name(m, out);
    wire made = wire_node("Transpose", from, NULL, out);
    attribute(&made, "perm", 4, order);
    wire_child(&m->graph, GRAPH_NODE, made);
}

/* One more value of what is there. */
static void add_value(maker *m)
{
    char out[NAME], inner[NAME];
    const char *from = choose(m, 2) ? m->values[m->count - 1] : any(m);
    switch (choose(m, 15)) {
    case 0:
    case 1:
    case 2: convolution(m, out, from, CHANNELS); break;
    case 3: node(m, out, "Relu", from, NULL); break;
    case 4: normalization(m, out, from); break;
    case 5: /* a skip: the other side is anything, the convolution's own data too */
        convolution(m, inner, from, CHANNELS);
        node(m, out, "Add", choose(m, 2) ? from : any(m), inner);
        break;
    case 6: node(m, out, "Add", from, any(m)); break;
    case 7:
        node(m, inner, "Sigmoid", choose(m, 2) ? from : any(m), NULL);
        node(m, out, "Mul", inner, from);
        break;
    case 8: gelu(m, out, from); break;
    case 9: pool(m, out, from); break;
    case 10: concat(m, out, from, any(m)); break;
    case 11: reshaped(m, out, from); break;
    case 12: exchanged(m, out, from); break;
    case 13: transposed(m, out, from); break;
    default: node(m, out, choose(m, 2) ? "Tanh" : "HardSwish", from, NULL); break;
    }
    memcpy(m->values[m->count++], out, NAME);
}

static gig_model *random_graph(uint64_t seed)
{
    const int64_t dims[4] = {1, CHANNELS, SIDE, SIDE}, out[2] = {1, CHANNELS};
    maker m = {.seed = seed, .count = 1, .values = {"x"}};
    char a[NAME], b[NAME];
    for (size_t i = 0; i < STEPS; i++) add_value(&m);
    node(&m, a, "Tanh", m.values[STEPS], NULL);
    node(&m, b, "GlobalAveragePool", a, NULL);
    wire_child(&m.graph, GRAPH_NODE, wire_node("Flatten", b, NULL, "y"));
    wire_child(&m.graph, GRAPH_INPUT, wire_value("x", ONNX_FLOAT, 4, dims));
    wire_child(&m.graph, GRAPH_OUTPUT, wire_value("y", ONNX_FLOAT, 2, out));
    return wire_load(wire_model(m.graph, 8, 14));
}

/* A value may fall on the other side of a kink now and then, one of thousands; a slip of a step moves much more. */
static void run_as_their_plain_operators_do(void **state)
{
    (void)state;
    float *point = draw(POINT, 1), ours[POINT], plain[POINT];
    for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
        gig_model *model = random_graph(seed);
        double value, wanted;
        assert_ok(logit_of(&value, ours, model, point, 3, (gig_network_options){.batch = 1 + seed % 2}));
        assert_ok(logit_of(&wanted, plain, model, point, 3, (gig_network_options){.plain = 1}));
        if (!(fabs(value - wanted) <= 1e-4 * (1e-2 + fabs(wanted)) && support_l2(ours, plain, POINT) <= 5e-3))
            fail_msg("graph %d: value %.7g, plain %.7g; gradients %.2g apart", (int)seed, value, wanted,
                     support_l2(ours, plain, POINT));
        gig_model_free(model);
    }
    gig_free(point);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_as_their_plain_operators_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
