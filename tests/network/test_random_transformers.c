/* SPDX-License-Identifier: Apache-2.0 */
/* Random transformers by the steps of their plans and by plain operators. Every value is [1, TOKENS, WIDTH]. */
#include "random_graph.h"

enum { TOKENS = 6, WIDTH = 32, WIDE = 1024, HEADS = 4 };

/* from [..., in] -> [..., out] */
static void layer(maker *m, char out[NAME], const char *from, int64_t in, int64_t columns)
{
    char weights[NAME], bias[NAME], product[NAME];
    weight(m, weights, 2, (const int64_t[]){in, columns}, 1 / sqrt((double)in), 0);
    if (choose(m, 2)) {
        node(m, out, "MatMul", from, weights);
        return;
    }
    weight(m, bias, 1, &columns, 0.1, 0);
    node(m, product, "MatMul", from, weights);
    int first = (int)choose(m, 2); /* exporters write the bias on either side */
    node(m, out, "Add", first ? bias : product, first ? product : bias);
}

static void normalize(maker *m, char out[NAME], const char *from)
{
    const int64_t dims[1] = {WIDTH};
    char scale[NAME], bias[NAME];
    weight(m, scale, 1, dims, 0.1, 1);
    weight(m, bias, 1, dims, 0.1, 0);
    new_name(m, out);
    wire made = wire_node("LayerNormalization", from, scale, out);
    wire_text(&made, NODE_INPUT, bias);
    wire_child(&m->graph, GRAPH_NODE, made);
}

/* Two layers with a gate between them, wide enough for packed products. */
static void feed_forward(maker *m, char out[NAME], const char *from)
{
    char up[NAME], gate[NAME], sigmoid[NAME];
    layer(m, up, from, WIDTH, WIDE);
    if (choose(m, 2)) {
        gelu(m, gate, up);
    } else {
        node(m, sigmoid, "Sigmoid", up, NULL);
        node(m, gate, "Mul", up, sigmoid);
    }
    layer(m, out, gate, WIDE, WIDTH);
}

/* [1, TOKENS, WIDTH] as [1, HEADS, TOKENS, WIDTH / HEADS]; the keys with the last two exchanged. */
static void heads(maker *m, char out[NAME], const char *from, int keys)
{
    char cut[NAME];
    reshape(m, cut, from, 4, (const int64_t[]){1, TOKENS, HEADS, WIDTH / HEADS});
    transpose(m, out, cut, 4, keys ? (const int64_t[]){0, 2, 3, 1} : (const int64_t[]){0, 2, 1, 3});
}

static void attention(maker *m, char out[NAME], const char *from, const char *other)
{
    const int64_t last = -1;
    char parts[3][NAME], flat[NAME], scores[NAME], scaled[NAME], scale[NAME], weights[NAME], mixed[NAME], turned[NAME];
    for (int i = 0; i < 3; i++) {
        layer(m, flat, i ? other : from, WIDTH, WIDTH);
        heads(m, parts[i], flat, i == 1);
    }
    constant(m, scale, sqrt((double)HEADS / WIDTH));
    node(m, scores, "MatMul", parts[0], parts[1]);
    node(m, scaled, "Mul", scores, scale);
    new_name(m, weights);
    wire softmax = wire_node("Softmax", scaled, NULL, weights);
    wire_attribute_int(&softmax, "axis", last);
    wire_child(&m->graph, GRAPH_NODE, softmax);
    node(m, mixed, "MatMul", weights, parts[2]);
    transpose(m, turned, mixed, 4, (const int64_t[]){0, 2, 1, 3});
    reshape(m, out, turned, 3, (const int64_t[]){1, TOKENS, WIDTH});
}

static void add_value(maker *m)
{
    char out[NAME], inner[NAME];
    const char *from = choose(m, 2) ? m->values[m->count - 1] : any(m);
    switch (choose(m, 10)) {
    case 0: layer(m, out, from, WIDTH, WIDTH); break;
    case 1: normalize(m, out, from); break;
    case 2: feed_forward(m, out, from); break;
    case 3: attention(m, out, from, choose(m, 2) ? from : any(m)); break;
    case 4: /* a skip, from anywhere */
        feed_forward(m, inner, from);
        node(m, out, "Add", choose(m, 2) ? from : any(m), inner);
        break;
    case 5: node(m, out, choose(m, 2) ? "Add" : "Sub", from, any(m)); break;
    case 6: gelu(m, out, from); break;
    case 7: exchange(m, out, from, choose(m, 2) ? 2 : 1); break;
    case 8:
        node(m, inner, "Tanh", from, NULL);
        node(m, out, choose(m, 2) ? "Mul" : "Add", inner, any(m));
        break;
    default: node(m, out, choose(m, 2) ? "Relu" : "Tanh", from, NULL); break;
    }
    memcpy(m->values[m->count++], out, NAME);
}

/* Mean over tokens. */
static void end(maker *m, const char *from)
{
    char a[NAME], b[NAME];
    const int64_t axes[1] = {1}, none = 0;
    node(m, a, "Tanh", from, NULL);
    new_name(m, b);
    wire mean = wire_node("ReduceMean", a, NULL, b);
    wire_attribute_ints(&mean, "axes", 1, axes);
    wire_attribute_int(&mean, "keepdims", none);
    wire_child(&m->graph, GRAPH_NODE, mean);
    wire_child(&m->graph, GRAPH_NODE, wire_node("Flatten", b, NULL, "y"));
}

static void run_as_their_plain_operators_do(void **state)
{
    (void)state;
    assert_steps_agree(&(family){add_value, end, 3, {1, TOKENS, WIDTH}, WIDTH, 17});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_as_their_plain_operators_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
