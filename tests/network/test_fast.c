/* SPDX-License-Identifier: Apache-2.0 */
/* Fast versions against the plain ones, in small networks at many shapes: value and gradient. */
#include "support.h"

#include "logit.h"
#include "model/wire_load.h"
#include "random_numbers.h"

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
static void judge_at(wire graph, int rank, const int64_t *dims, int opset)
{
    wire sum = wire_node("ReduceSumSquare", "a", NULL, "sum");
    wire_attribute_int(&sum, "keepdims", 1);
    wire_child(&graph, GRAPH_NODE, sum);
    wire flat = wire_node("Flatten", "sum", NULL, "y");
    wire_child(&graph, GRAPH_NODE, flat);
    wire_child(&graph, GRAPH_INPUT, wire_value("x", ONNX_FLOAT, rank, dims));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", ONNX_FLOAT, 2, (const int64_t[]){1, 1}));
    gig_model *model = wire_load(wire_model(graph, 8, opset));
    float *point = draw(count_of(rank, dims), 7);
    assert_plain_agrees(model, point, count_of(rank, dims), 0, 1e-4);
    gig_free(point);
    gig_model_free(model);
}

static void judge(wire graph, int rank, const int64_t *dims)
{
    judge_at(graph, rank, dims, 13);
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

/* ---- Conv ---- */

/* One place in the result, and a stride that leaves the end of the data unread. */
static void leaves_the_rest_behind_a_single_window(void **state)
{
    (void)state;
    static const int64_t cases[][4] = {{2, 1, 2, 0}, {3, 2, 3, 0}, {4, 3, 2, 0}, {6, 4, 5, 1}, {5, 1, 7, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) /* length, window, stride, padding at the start */
        for (int spatial = 1; spatial <= 2; spatial++) {
            const int64_t *t = cases[i], length = t[0], window = t[1], strides[2] = {t[2], t[2]};
            const int64_t pads[4] = {t[3], spatial == 2 ? t[3] : 0, 0, 0};
            wire graph = {0}, node = wire_node("Conv", "x", "w", "z");
            wire_attribute_ints(&node, "strides", (size_t)spatial, strides);
            wire_attribute_ints(&node, "pads", 2 * (size_t)spatial, pads);
            wire_child(&graph, GRAPH_NODE, node);
            wire_child(&graph, GRAPH_NODE, wire_node("Relu", "z", NULL, "a"));
            add_weights(&graph, "w", 2 + spatial, (const int64_t[]){24, 16, window, window}, 3);
            judge(graph, 2 + spatial, (const int64_t[]){1, 16, length, length});
        }
}

/* ---- Concat ---- */

static void add_concat(wire *graph, const char *first, const char *second, const char *name)
{
    wire join = wire_node("Concat", first, second, name);
    wire_attribute_int(&join, "axis", 1);
    wire_child(graph, GRAPH_NODE, join);
}

/* oneDNN computes some convolutions of groups in blocks of 4 channels, or in none: such a part cannot lie beside
 * others. Concat in Concat, in either order. */
static void joins_parts_whose_blocks_differ(void **state)
{
    (void)state;
    static const int64_t groups[] = {1, 2, 4, 8, 16, 32};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        for (int order = 0; order < 4; order++) {
            wire graph = {0}, node = wire_node("Conv", "x", "w", "grouped"),
                 other = wire_node("Conv", "x", "v", "other");
            wire_attribute_int(&node, "group", groups[i]);
            wire_child(&graph, GRAPH_NODE, order & 1 ? other : node);
            wire_child(&graph, GRAPH_NODE, order & 1 ? node : other);
            add_concat(&graph, "x", "grouped", "inner");
            add_concat(&graph, order & 2 ? "other" : "inner", order & 2 ? "inner" : "other", "a");
            add_weights(&graph, "w", 4, (const int64_t[]){96, 32 / groups[i], 1, 1}, 3);
            add_weights(&graph, "v", 4, (const int64_t[]){16, 32, 1, 1}, 4);
            judge(graph, 4, (const int64_t[]){1, 32, 16, 6});
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

/* ---- Transpose, DepthToSpace, SpaceToDepth ---- */

static void moves_in_any_order(void **state)
{
    (void)state;
    static const int64_t orders[][4] = {{0, 2, 3, 1}, {0, 3, 1, 2}, {0, 1, 3, 2},
                                        {0, 3, 2, 1}, {0, 2, 1, 3}, {0, 1, 2, 3}};
    static const int64_t shapes[][4] = {{1, 3, 5, 7}, {1, 16, 8, 24}, {1, 9, 17, 8}, {1, 2, 40, 4}, {1, 1, 11, 33}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
            int64_t turned[4];
            for (int i = 0; i < 4; i++) turned[i] = shapes[s][orders[o][i]];
            wire graph = {0}, node = wire_node("Transpose", "x", NULL, "t");
            wire_attribute_ints(&node, "perm", 4, orders[o]);
            wire_child(&graph, GRAPH_NODE, node);
            wire_child(&graph, GRAPH_NODE, wire_node("Mul", "t", "w", "a"));
            add_weights(&graph, "w", 4, turned, 3);
            judge(graph, 4, shapes[s]);
        }
}

static void cuts_depth_and_space(void **state)
{
    (void)state;
    static const struct {
        const char *name, *mode;
        int64_t block, dims[4], to[4];
    } cases[] = {{"DepthToSpace", "CRD", 2, {1, 12, 5, 9}, {1, 3, 10, 18}},
                 {"DepthToSpace", "DCR", 2, {1, 12, 5, 9}, {1, 3, 10, 18}},
                 {"DepthToSpace", "CRD", 3, {1, 18, 4, 8}, {1, 2, 12, 24}},
                 {"DepthToSpace", "CRD", 4, {1, 16, 4, 11}, {1, 1, 16, 44}},
                 {"SpaceToDepth", NULL, 2, {1, 3, 10, 18}, {1, 12, 5, 9}},
                 {"SpaceToDepth", NULL, 5, {1, 3, 10, 15}, {1, 75, 2, 3}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wire graph = {0}, node = wire_node(cases[i].name, "x", NULL, "t");
        wire_attribute_int(&node, "blocksize", cases[i].block);
        if (cases[i].mode) wire_attribute_text(&node, "mode", cases[i].mode);
        wire_child(&graph, GRAPH_NODE, node);
        wire_child(&graph, GRAPH_NODE, wire_node("Mul", "t", "w", "a"));
        add_weights(&graph, "w", 4, cases[i].to, 3);
        judge(graph, 4, cases[i].dims);
    }
}

/* ---- Resize ---- */

/* Larger, smaller, by halves and by odd parts, along one axis or both. */
static void resizes_as_the_plain_one(void **state)
{
    (void)state;
    static const int64_t shapes[][4] = {{1, 3, 5, 7}, {1, 2, 16, 33}, {1, 1, 2, 9}}, four = 4;
    static const float scales[][4] = {
        {1, 1, 2, 2}, {1, 1, 0.5f, 0.6f}, {1, 1, 3.3f, 1}, {1, 1, 1, 2.5f}, {1, 2, 1.5f, 4}};
    static const char *const modes[] = {"linear", "cubic"}, *const corners[] = {"half_pixel", "align_corners",
                                                                                "asymmetric"};
    for (size_t i = 0; i < 3 * 5 * 2 * 3; i++) {
        const float *scale = scales[i / 3 % 5];
        const int64_t *from = shapes[i % 3], one = 1;
        wire graph = {0}, node = wire_node("Resize", "x", "", "r");
        wire_text(&node, NODE_INPUT, "scales");
        wire_attribute_text(&node, "mode", modes[i / 15 % 2]);
        wire_attribute_text(&node, "coordinate_transformation_mode", corners[i / 30 % 3]);
        wire_child(&graph, GRAPH_NODE, node);
        wire_child(&graph, GRAPH_NODE, wire_node("Mul", "r", "w", "a"));
        wire_child(&graph, GRAPH_INITIALIZER, wire_weight("scales", 1, &four, scale));
        int64_t width = (int64_t)((float)from[3] * scale[3]);
        add_weights(&graph, "w", 1, width > 0 ? &width : &one, 3);
        judge(graph, 4, from);
    }
}

/* ---- TopK ---- */

/* Along each axis, the largest or smallest, one, some or all, with and without their places. */
static void finds_the_same_top(void **state)
{
    (void)state;
    static const int64_t dims[] = {1, 9, 5, 12}, one = 1;
    for (int64_t axis = 1; axis < 4; axis++)
        for (int64_t k = 1; k <= dims[axis]; k += 4)
            for (int largest = 0; largest < 2; largest++)
                for (int named = 0; named < 2; named++) {
                    wire graph = {0}, node = wire_node("TopK", "x", "k", "a");
                    if (named) wire_text(&node, NODE_OUTPUT, "places");
                    wire_attribute_int(&node, "axis", axis);
                    wire_attribute_int(&node, "largest", largest);
                    wire_child(&graph, GRAPH_NODE, node);
                    wire_child(&graph, GRAPH_INITIALIZER, wire_wholes("k", 1, &one, &k));
                    judge(graph, 4, dims);
                }
}

/* ---- Einsum ---- */

/* Products with and without copies, with their sides changed, of several labels, and what is no product at all. */
static void sums_as_the_equation_says(void **state)
{
    (void)state;
    static const struct {
        const char *equation;
        int rank;
        int64_t dims[4];
    } cases[] = {
        {"bihd,jhd->bhij", 3, {5, 3, 4}},    {"bihd,jhd->bijh", 3, {5, 3, 4}}, {"bhid,hdj->bhij", 3, {3, 6, 4}},
        {"bhid,hdj->bhji", 3, {3, 6, 4}},    {"bcij,cd->bdij", 2, {3, 7}},     {"bcij,dc->bijd", 2, {7, 3}},
        {"bcij,jick->bk", 4, {6, 5, 3, 7}},  {"bcij,ij->bc", 2, {5, 6}},       {"bcij,cij->bcij", 3, {3, 5, 6}},
        {"bcij,k->bijck", 1, {4}},           {"bcij,ck->bk", 2, {3, 4}},       {"...ij,jk->...ik", 2, {6, 4}},
        {"bcij,bkji->bck", 4, {1, 5, 6, 5}}, {"bcij,jkc->bkic", 3, {6, 4, 3}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t x[4] = {1, 3, 5, 6};
        if (cases[i].equation[1] == 'i') memcpy(x, (int64_t[]){1, 6, 3, 4}, sizeof x);
        if (cases[i].equation[1] == 'h') memcpy(x, (int64_t[]){1, 3, 5, 6}, sizeof x);
        wire graph = {0}, node = wire_node("Einsum", "x", "w", "a");
        wire_attribute_text(&node, "equation", cases[i].equation);
        wire_child(&graph, GRAPH_NODE, node);
        add_weights(&graph, "w", cases[i].rank, cases[i].dims, 3);
        judge(graph, 4, x);
    }
}

/* The same operand on both sides: both gradients. */
static void sums_a_value_with_itself(void **state)
{
    (void)state;
    static const char *const equations[] = {"bihd,bjhd->bhij", "bihd,bihe->bhde", "bhij,bhjk->bhik", "bcij,bdij->bcd"};
    for (size_t i = 0; i < sizeof equations / sizeof *equations; i++) {
        wire graph = {0}, node = wire_node("Einsum", "x", "x", "a");
        wire_attribute_text(&node, "equation", equations[i]);
        wire_child(&graph, GRAPH_NODE, node);
        judge(graph, 4, (const int64_t[]){1, 6, 5, 5});
    }
}

/* ---- normalisations ---- */

/* Runs shorter than a vector, of one block of sums and of several; numbers far from 0 keep their digits. */
static void normalizes_layers(void **state)
{
    (void)state;
    static const int64_t lengths[] = {1, 3, 16, 50, 511, 1030};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (float away = 0; away <= 1000; away += 1000) {
            const int64_t dims[] = {1, 3, lengths[i]};
            wire graph = {0}, node = wire_node("LayerNormalization", "z", "scale", "n");
            wire_text(&node, NODE_INPUT, "bias");
            wire_child(&graph, GRAPH_NODE, wire_node("Add", "x", "away", "z"));
            wire_child(&graph, GRAPH_NODE, node);
            wire_child(&graph, GRAPH_NODE, wire_node("Mul", "n", "w", "a"));
            wire_child(&graph, GRAPH_INITIALIZER, wire_weight("away", 0, NULL, &away));
            add_weights(&graph, "w", 3, dims, 5);
            add_weights(&graph, "scale", 1, &lengths[i], 3);
            add_weights(&graph, "bias", 1, &lengths[i], 4);
            judge_at(graph, 3, dims, 17);
        }
}

static void normalizes_instances_and_groups(void **state)
{
    (void)state;
    static const int64_t dims[] = {1, 12, 9, 11};
    for (int64_t groups = 0; groups <= 6; groups += 3) { /* 0: InstanceNormalization */
        wire graph = {0}, node = wire_node(groups ? "GroupNormalization" : "InstanceNormalization", "x", "scale", "n");
        wire_text(&node, NODE_INPUT, "bias");
        if (groups) wire_attribute_int(&node, "num_groups", groups);
        wire_child(&graph, GRAPH_NODE, node);
        wire_child(&graph, GRAPH_NODE, wire_node("Mul", "n", "w", "a"));
        add_weights(&graph, "w", 4, dims, 5);
        add_weights(&graph, "scale", 1, &dims[1], 3);
        add_weights(&graph, "bias", 1, &dims[1], 4);
        judge_at(graph, 4, dims, 21);
    }
}

/* LayerNormalization in the parts of opset 13, over one axis or two, with and without a bias. */
static void joins_the_parts_of_a_layer(void **state)
{
    (void)state;
    static const int64_t dims[] = {1, 4, 5, 6}, axes[2][2] = {{-1, 0}, {2, 3}};
    const float epsilon = 1e-3f, two = 2;
    for (int several = 0; several < 2; several++)
        for (int bias = 0; bias < 2; bias++) {
            wire graph = {0}, mean = wire_node("ReduceMean", "x", NULL, "m"),
                 variance = wire_node("ReduceMean", "s", NULL, "v");
            wire_attribute_ints(&mean, "axes", 1 + (size_t)several, axes[several]);
            wire_attribute_ints(&variance, "axes", 1 + (size_t)several, axes[several]);
            wire_child(&graph, GRAPH_NODE, mean);
            wire_child(&graph, GRAPH_NODE, wire_node("Sub", "x", "m", "c"));
            wire_child(&graph, GRAPH_NODE, wire_node("Pow", "c", "two", "s"));
            wire_child(&graph, GRAPH_NODE, variance);
            wire_child(&graph, GRAPH_NODE, wire_node("Add", "v", "epsilon", "e"));
            wire_child(&graph, GRAPH_NODE, wire_node("Sqrt", "e", NULL, "r"));
            wire_child(&graph, GRAPH_NODE, wire_node("Div", "c", "r", "d"));
            wire_child(&graph, GRAPH_NODE, wire_node("Mul", "d", "scale", bias ? "n" : "a"));
            if (bias) wire_child(&graph, GRAPH_NODE, wire_node("Add", "n", "bias", "a"));
            wire_child(&graph, GRAPH_INITIALIZER, wire_weight("epsilon", 0, NULL, &epsilon));
            wire_child(&graph, GRAPH_INITIALIZER, wire_weight("two", 0, NULL, &two));
            add_weights(&graph, "scale", 1 + several, dims + 3 - several, 3);
            if (bias) add_weights(&graph, "bias", 1 + several, dims + 3 - several, 4);
            judge(graph, 4, dims);
        }
}

/* GroupNormalization as an InstanceNormalization between two changes of shape. */
static void joins_the_parts_of_groups(void **state)
{
    (void)state;
    static const int64_t dims[] = {1, 12, 5, 7}, groups = 3, channels[] = {12, 1, 1};
    const float ones[] = {1, 1, 1}, zeros[] = {0, 0, 0};
    const int64_t flat[] = {1, 3, 140}, rank_3 = 3, rank_4 = 4;
    wire graph = {0}, norm = wire_node("InstanceNormalization", "f", "ones", "i");
    wire_text(&norm, NODE_INPUT, "zeros");
    wire_child(&graph, GRAPH_NODE, wire_node("Reshape", "x", "flat", "f"));
    wire_child(&graph, GRAPH_NODE, norm);
    wire_child(&graph, GRAPH_NODE, wire_node("Reshape", "i", "whole", "b"));
    wire_child(&graph, GRAPH_NODE, wire_node("Mul", "b", "scale", "n"));
    wire_child(&graph, GRAPH_NODE, wire_node("Add", "n", "bias", "a"));
    wire_child(&graph, GRAPH_INITIALIZER, wire_weight("ones", 1, &groups, ones));
    wire_child(&graph, GRAPH_INITIALIZER, wire_weight("zeros", 1, &groups, zeros));
    wire_child(&graph, GRAPH_INITIALIZER, wire_wholes("flat", 1, &rank_3, flat));
    wire_child(&graph, GRAPH_INITIALIZER, wire_wholes("whole", 1, &rank_4, dims));
    add_weights(&graph, "scale", 3, channels, 3);
    add_weights(&graph, "bias", 3, channels, 4);
    judge(graph, 4, dims);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clips_in_any_layout),
        cmocka_unit_test(leaves_the_rest_behind_a_single_window),
        cmocka_unit_test(spreads_as_the_plain_one),
        cmocka_unit_test(multiplies_whatever_is_broadcast),
        cmocka_unit_test(adds_up_what_was_broadcast),
        cmocka_unit_test(softens_along_any_axis),
        cmocka_unit_test(moves_in_any_order),
        cmocka_unit_test(cuts_depth_and_space),
        cmocka_unit_test(resizes_as_the_plain_one),
        cmocka_unit_test(finds_the_same_top),
        cmocka_unit_test(sums_as_the_equation_says),
        cmocka_unit_test(sums_a_value_with_itself),
        cmocka_unit_test(normalizes_layers),
        cmocka_unit_test(normalizes_instances_and_groups),
        cmocka_unit_test(joins_the_parts_of_a_layer),
        cmocka_unit_test(joins_the_parts_of_groups),
        cmocka_unit_test(joins_parts_whose_blocks_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
