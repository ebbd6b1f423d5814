/* SPDX-License-Identifier: Apache-2.0 */
/* Fast versions against the plain ones, in small networks at many shapes: value and gradient. */
#include "support.h"

#include "draw.h"
#include "logit.h"
#include "model/wire_load.h"

enum { ONNX_FLOAT = 1 };

static size_t count_of(int rank, const int64_t *dims)
{
    size_t count = 1;
    for (int i = 0; i < rank; i++) count *= (size_t)dims[i];
    return count;
}

static void add_weights(wire *graph, const char *name, int rank, const int64_t *dims, unsigned seed)
{
    float *values = draw(count_of(rank, dims), seed);
    wire_child(graph, GRAPH_INITIALIZER, wire_weight(name, rank, dims, values));
    gig_free(values);
}

/* y = the sum of squares of value "a", so that its gradient differs from element to element. */
static void judge(wire graph, int rank, const int64_t *dims)
{
    wire sum = wire_node("ReduceSumSquare", "a", NULL, "sum");
    wire_attribute_int(&sum, "keepdims", 1);
    wire_child(&graph, GRAPH_NODE, sum);
    wire flat = wire_node("Flatten", "sum", NULL, "y");
    wire_child(&graph, GRAPH_NODE, flat);
    wire_child(&graph, GRAPH_INPUT, wire_value("x", ONNX_FLOAT, rank, dims));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", ONNX_FLOAT, 2, (const int64_t[]){1, 1}));
    gig_model *model = wire_load(wire_model(graph, 8, 13));
    float *point = draw(count_of(rank, dims), 7);
    assert_plain_agrees(model, point, count_of(rank, dims), 0, 1e-4);
    gig_free(point);
    gig_model_free(model);
}

/* ---- Clip ---- */

/* Behind a convolution, whose blocks of channels may be padded, between bounds that cut some values, all or none. */
static void clips_in_any_layout(void **state)
{
    (void)state;
    static const float bounds[][2] = {{0, 6}, {-0.25f, 0.25f}, {0.5f, 2}, {-2, -0.5f}, {-1e9f, 1e9f}, {0, 0}, {3, -3}};
    static const int64_t channels[] = {3, 8, 20};
    for (size_t c = 0; c < sizeof channels / sizeof *channels; c++)
        for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
            wire graph = {0};
            wire_child(&graph, GRAPH_NODE, wire_node("Conv", "x", "w", "z"));
            wire clip = wire_node("Clip", "z", "low", "a");
            wire_text(&clip, NODE_INPUT, "high");
            wire_child(&graph, GRAPH_NODE, clip);
            add_weights(&graph, "w", 4, (const int64_t[]){channels[c], 4, 3, 3}, 3);
            wire_child(&graph, GRAPH_INITIALIZER, wire_weight("low", 0, NULL, &bounds[b][0]));
            wire_child(&graph, GRAPH_INITIALIZER, wire_weight("high", 0, NULL, &bounds[b][1]));
            judge(graph, 4, (const int64_t[]){1, 4, 9, 7});
        }
}

/* ---- ConvTranspose ---- */

typedef struct transposed {
    int64_t in, out, group, kernel, stride, dilation, pad, extra, bias;
} transposed;

static void spreads_as_the_plain_one(void **state)
{
    (void)state;
    static const transposed cases[] = {{16, 8, 1, 3, 2, 1, 1, 1, 1},  {8, 16, 1, 2, 2, 1, 0, 0, 0},
                                       {3, 5, 1, 4, 2, 1, 1, 0, 1},   {16, 16, 16, 3, 1, 1, 1, 0, 1},
                                       {12, 18, 3, 3, 3, 1, 0, 2, 1}, {8, 8, 1, 3, 1, 2, 2, 0, 0},
                                       {24, 3, 1, 5, 2, 1, 2, 1, 1},  {32, 64, 2, 1, 1, 1, 0, 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const transposed *t = &cases[i];
        wire graph = {0}, node = wire_node("ConvTranspose", "x", "w", "a");
        if (t->bias) wire_text(&node, NODE_INPUT, "b");
        wire_attribute_int(&node, "group", t->group);
        wire_attribute_ints(&node, "strides", 2, (const int64_t[]){t->stride, t->stride});
        wire_attribute_ints(&node, "dilations", 2, (const int64_t[]){t->dilation, t->dilation});
        wire_attribute_ints(&node, "pads", 4, (const int64_t[]){t->pad, t->pad, t->pad, t->pad});
        wire_attribute_ints(&node, "output_padding", 2, (const int64_t[]){t->extra, t->extra});
        wire_child(&graph, GRAPH_NODE, node);
        add_weights(&graph, "w", 4, (const int64_t[]){t->in, t->out / t->group, t->kernel, t->kernel}, 3);
        if (t->bias) add_weights(&graph, "b", 1, (const int64_t[]){t->out}, 4);
        judge(graph, 4, (const int64_t[]){1, t->in, 6, 5});
    }
}

/* ---- MatMul ---- */

typedef struct factors {
    int left, right; /* ranks; x is the left one, or (swapped) the right one */
    int64_t a[4], b[4];
    int swapped;
} factors;

static void multiplies_whatever_is_broadcast(void **state)
{
    (void)state;
    static const factors cases[] = {{3, 3, {1, 5, 4}, {1, 4, 6}, 0},       {4, 4, {1, 3, 5, 4}, {1, 1, 4, 6}, 0},
                                    {4, 4, {1, 1, 5, 4}, {1, 3, 4, 6}, 0}, {3, 4, {1, 5, 4}, {2, 3, 4, 6}, 0},
                                    {2, 3, {5, 4}, {1, 4, 6}, 1},          {2, 4, {5, 4}, {1, 3, 4, 6}, 1},
                                    {4, 4, {1, 3, 5, 4}, {1, 3, 4, 6}, 1}, {4, 2, {1, 3, 5, 4}, {4, 6}, 0},
                                    {4, 3, {1, 2, 5, 4}, {2, 4, 1}, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const factors *f = &cases[i];
        wire graph = {0};
        wire_child(&graph, GRAPH_NODE, wire_node("MatMul", f->swapped ? "w" : "x", f->swapped ? "x" : "w", "a"));
        add_weights(&graph, "w", f->swapped ? f->left : f->right, f->swapped ? f->a : f->b, 3);
        judge(graph, f->swapped ? f->right : f->left, f->swapped ? f->b : f->a);
    }
}

/* Both operands from the point: each gradient adds up over what its operand was broadcast to. */
static void adds_up_what_was_broadcast(void **state)
{
    (void)state;
    wire graph = {0}, mean = wire_node("ReduceMean", "x", NULL, "u");
    wire_attribute_ints(&mean, "axes", 1, (const int64_t[]){1});
    wire_child(&graph, GRAPH_NODE, mean);
    wire_child(&graph, GRAPH_NODE, wire_node("MatMul", "u", "x", "a"));
    judge(graph, 4, (const int64_t[]){1, 3, 5, 5});
}

/* ---- Softmax, LogSoftmax ---- */

/* Along each axis: lengths and numbers of columns around and beside those of vectors; large numbers stay finite. */
static void softens_along_any_axis(void **state)
{
    (void)state;
    static const int64_t shapes[][4] = {{1, 3, 5, 7}, {1, 64, 9, 8}, {1, 2, 65, 3}, {2, 17, 1, 130}, {1, 1, 1, 1}};
    static const char *const names[] = {"Softmax", "LogSoftmax"};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int64_t axis = 1; axis < 4; axis++)
            for (int n = 0; n < 2; n++)
                for (float size = 1; size <= 100; size *= 100) {
                    wire graph = {0}, node = wire_node(names[n], "z", NULL, "p");
                    wire_attribute_int(&node, "axis", axis);
                    wire_child(&graph, GRAPH_NODE, wire_node("Mul", "x", "by", "z"));
                    wire_child(&graph, GRAPH_NODE, node);
                    wire_child(&graph, GRAPH_NODE, wire_node("Mul", "p", "w", "a"));
                    wire_child(&graph, GRAPH_INITIALIZER, wire_weight("by", 0, NULL, &size));
                    add_weights(&graph, "w", 4, shapes[s], 3);
                    judge(graph, 4, shapes[s]);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clips_in_any_layout),
        cmocka_unit_test(spreads_as_the_plain_one),
        cmocka_unit_test(multiplies_whatever_is_broadcast),
        cmocka_unit_test(adds_up_what_was_broadcast),
        cmocka_unit_test(softens_along_any_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
