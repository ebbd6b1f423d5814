/* SPDX-License-Identifier: Apache-2.0 */
/* Random convolutional networks by the steps of their plans and by plain operators. Every value is [1, CHANNELS, SIDE,
 * SIDE] and may be read any number of times, so that operands meet in ways that no model of ours has. */
#include "random_graph.h"

enum { CHANNELS = 32, SIDE = 9 };

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
    wire_attribute_ints(&made, "pads", 4, pads);
    wire_attribute_int(&made, "group", groups);
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
    wire_attribute_ints(&made, "kernel_shape", 2, three);
    wire_attribute_ints(&made, "pads", 4, one);
    wire_child(&m->graph, GRAPH_NODE, made);
}

static void concat(maker *m, char out[NAME], const char *a, const char *b)
{
    const int64_t axis = 1;
    char joined[NAME];
    new_name(m, joined);
    wire made = wire_node("Concat", a, b, joined);
    wire_attribute_int(&made, "axis", axis);
    wire_child(&m->graph, GRAPH_NODE, made);
    convolution(m, out, joined, 2 * CHANNELS);
}

/* As [CHANNELS, SIDE SIDE], which may be the same memory, and back. */
static void reshaped(maker *m, char out[NAME], const char *from)
{
    char flat[NAME], between[NAME];
    reshape(m, flat, from, 2, (const int64_t[]){CHANNELS, SIDE * SIDE});
    node(m, between, choose(m, 2) ? "Relu" : "Identity", flat, NULL);
    reshape(m, out, between, 4, (const int64_t[]){1, CHANNELS, SIDE, SIDE});
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
    case 12: exchange(m, out, from, 1); break;
    case 13: transpose(m, out, from, 4, (const int64_t[]){0, 1, 3, 2}); break;
    default: node(m, out, choose(m, 2) ? "Tanh" : "HardSwish", from, NULL); break;
    }
    memcpy(m->values[m->count++], out, NAME);
}

static void end(maker *m, const char *from)
{
    char a[NAME], b[NAME];
    node(m, a, "Tanh", from, NULL);
    node(m, b, "GlobalAveragePool", a, NULL);
    wire_child(&m->graph, GRAPH_NODE, wire_node("Flatten", b, NULL, "y"));
}

static void run_as_their_plain_operators_do(void **state)
{
    (void)state;
    assert_steps_agree(&(family){add_value, end, 4, {1, CHANNELS, SIDE, SIDE}, CHANNELS, 14});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_as_their_plain_operators_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
