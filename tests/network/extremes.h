/* SPDX-License-Identifier: Apache-2.0 */
/* Random nodes whose attributes reach from usual numbers to their limits: the fast version and the plain one must give
 * the same value and gradient, or both refuse.
 *
 * The same within what rounding explains. A result that is a sum of n products t_i, each rounded and added in floats in
 * any order, is off by at most n u sum |t_i| with u = 2^-24 (Higham's gamma_n). sum |t_i| is what the plain version
 * gives for the same node with all weights, inputs and weights of the output made positive: all terms add up, none
 * cancel. It is taken as the largest over all features, since Winograd's and blocked kernels mix neighbours. Softmax is
 * no such sum: there the terms of its derivative are bounded by hand (extreme_softmax). Below the smallest normal
 * float, where relative precision ends, nothing is asked. */
#ifndef GIG_TESTS_NETWORK_EXTREMES_H
#define GIG_TESTS_NETWORK_EXTREMES_H

#include "support.h"

#include "base/rng.h"
#include "internal/network.h"
#include "model/wire_load.h"
#include <math.h>

enum { EXTREME_MEMORY = 1 << 21, EXTREME_TEXT = 512 };
/* Terms of one result: 64 cells of a window times 17 channels, and those of the convolution before it; and their double
 * for transforms. */
enum { EXTREME_TERMS = 2 * (64 * 17 + 17) };

typedef struct extreme {
    gig_rng rng;
    uint64_t drawn;
    char text[EXTREME_TEXT]; /* what the case is, for the message */
    size_t used;
    int positive; /* weights are made so */
    int softmax;  /* the node is one (2: its logarithm), over so many numbers: */
    int64_t group;
    const char *from; /* what the node reads: x, or a convolution of it, whose layout is another */
} extreme;

static inline int64_t extreme_below(extreme *e, int64_t count)
{
    return (int64_t)(gig_rng_uniform(e->rng, e->drawn++) * (double)count);
}

/* Mostly 1..4, sometimes up to a power of two that is too large for something. */
static inline int64_t extreme_number(extreme *e, int64_t least)
{
    if (extreme_below(e, 8)) return least + extreme_below(e, 4);
    int64_t power = (int64_t)1 << (3 + extreme_below(e, 45));
    return power - 1 + extreme_below(e, 3);
}

static inline void extreme_say(extreme *e, const char *name, size_t count, const int64_t *values)
{
    int put = snprintf(e->text + e->used, sizeof e->text - e->used, " %s", name);
    e->used += put > 0 && e->used + (size_t)put < sizeof e->text ? (size_t)put : 0;
    for (size_t i = 0; i < count; i++) {
        put = snprintf(e->text + e->used, sizeof e->text - e->used, "%c%lld", i ? ',' : '=', (long long)values[i]);
        e->used += put > 0 && e->used + (size_t)put < sizeof e->text ? (size_t)put : 0;
    }
}

static inline void extreme_list(wire *node, extreme *e, const char *name, size_t count, int64_t least)
{
    int64_t values[8] = {0};
    for (size_t i = 0; i < count; i++) values[i] = extreme_number(e, least);
    wire_attribute_ints(node, name, count, values);
    extreme_say(e, name, count, values);
}

static inline void extreme_flag(wire *node, extreme *e, const char *name)
{
    int64_t value = extreme_below(e, 2);
    wire_attribute_int(node, name, value);
    extreme_say(e, name, 1, &value);
}

static inline wire extreme_weights(extreme *e, const char *name, int rank, const int64_t *dims)
{
    float values[4096] = {0};
    size_t count = 1;
    for (int i = 0; i < rank; i++) count *= (size_t)dims[i];
    for (size_t i = 0; i < count && i < 4096; i++) {
        values[i] = (float)gig_rng_uniform(e->rng, e->drawn++) - 0.4f;
        if (e->positive) values[i] = fabsf(values[i]);
    }
    return wire_weight(name, rank, dims, values);
}

/* A convolution of one cell between x and the node: x0, of as many channels as blocks have. */
static inline void extreme_layout(extreme *e, wire *graph, int64_t *in, int rank)
{
    const int64_t channels = extreme_below(e, 2) ? 8 : 16, dims[5] = {channels, in[1], 1, 1, 1};
    wire_child(graph, GRAPH_INITIALIZER, extreme_weights(e, "w0", rank, dims));
    wire_child(graph, GRAPH_NODE, wire_node("Conv", "x", "w0", "x0"));
    in[1] = channels;
    e->from = "x0";
    extreme_say(e, "channels", 1, &channels);
}

/* A kernel that fits its padded input often: large pads come with large kernels. */
static inline void extreme_window(wire *node, extreme *e, const int64_t *in, size_t axes, int pooling)
{
    int64_t kernel[3] = {0}, pads[6] = {0};
    for (size_t i = 0; i < axes; i++) {
        kernel[i] = extreme_number(e, 1);
        pads[i] = extreme_below(e, 3) ? extreme_below(e, 3) : kernel[i] / 2 + extreme_below(e, 2);
        pads[axes + i] = extreme_below(e, 3) ? extreme_below(e, 3) : kernel[i] - kernel[i] / 2 - extreme_below(e, 2);
        if (kernel[i] > 64 && !extreme_below(e, 2)) pads[i] = pads[axes + i] = kernel[i] - in[2 + i];
        if (pads[i] < 0) pads[i] = 0;
        if (pads[axes + i] < 0) pads[axes + i] = 0;
    }
    if (pooling) {
        wire_attribute_ints(node, "kernel_shape", axes, kernel);
        extreme_say(e, "kernel_shape", axes, kernel);
    }
    if (extreme_below(e, 4)) {
        wire_attribute_ints(node, "pads", 2 * axes, pads);
        extreme_say(e, "pads", 2 * axes, pads);
    }
    if (extreme_below(e, 2)) extreme_list(node, e, "strides", axes, 1);
    if (extreme_below(e, 4) == 0) extreme_list(node, e, "dilations", axes, 1);
}

/* One node from x to a; opset is 19. in: [1, C, spatial...]. */
static inline wire extreme_node(extreme *e, wire *graph, const int64_t *in, int rank)
{
    static const char *const names[] = {"Conv",      "Conv",   "ConvTranspose", "MaxPool",    "AveragePool", "LpPool",
                                        "Transpose", "Concat", "Softmax",       "LogSoftmax", "Pad",         "Flatten"};
    const char *name = names[extreme_below(e, (int64_t)(sizeof names / sizeof *names))];
    size_t axes = (size_t)rank - 2;
    extreme_say(e, name, 0, NULL);
    if (!strcmp(name, "Conv") || !strcmp(name, "ConvTranspose")) {
        const int64_t groups[] = {1, 1, 1, 2, in[1], extreme_number(e, 0)};
        int64_t group = groups[extreme_below(e, 6)], per = group > 0 && in[1] % group == 0 ? in[1] / group : in[1];
        int64_t dims[5] = {group > 0 && group < 64 ? group * (1 + extreme_below(e, 2)) : 4, per};
        if (!strcmp(name, "ConvTranspose")) {
            dims[0] = in[1];
            dims[1] = 1 + extreme_below(e, 3);
        }
        for (int i = 2; i < rank; i++) dims[i] = 1 + extreme_below(e, 4);
        while (dims[0] * dims[1] * dims[2] * dims[3] * (rank > 4 ? dims[4] : 1) > 4096) dims[0] = dims[0] / 2 + 1;
        wire node = wire_node(name, e->from, "w", "a");
        wire_child(graph, GRAPH_INITIALIZER, extreme_weights(e, "w", rank, dims));
        wire_attribute_int(&node, "group", group);
        extreme_say(e, "group", 1, &group);
        extreme_say(e, "w", (size_t)rank, dims);
        extreme_window(&node, e, in, axes, 0);
        return node;
    }
    if (strstr(name, "Pool")) {
        wire node = wire_node(name, e->from, NULL, "a");
        extreme_window(&node, e, in, axes, 1);
        if (strcmp(name, "LpPool")) extreme_flag(&node, e, "ceil_mode");
        if (!strcmp(name, "AveragePool")) extreme_flag(&node, e, "count_include_pad");
        return node;
    }
    if (!strcmp(name, "Pad")) {
        int64_t pads[10] = {0}, count = 2 * rank;
        for (int i = 0; i < 2 * rank; i++) pads[i] = extreme_below(e, 4) ? extreme_below(e, 3) : extreme_number(e, -3);
        wire tensor = wire_tensor("w", 7, 1, &count);
        for (int i = 0; i < 2 * rank; i++) wire_int(&tensor, TENSOR_INT64S, pads[i]);
        wire_child(graph, GRAPH_INITIALIZER, tensor);
        extreme_say(e, "pads", (size_t)count, pads);
        return wire_node(name, e->from, "w", "a");
    }
    if (!strcmp(name, "Transpose")) {
        int64_t perm[5] = {0};
        wire node = wire_node(name, e->from, NULL, "a");
        for (int i = 0; i < rank; i++) perm[i] = i;
        for (int i = rank - 1; i > 0; i--) {
            int64_t j = extreme_below(e, i + 1), held = perm[i];
            perm[i] = perm[j];
            perm[j] = held;
        }
        wire_attribute_ints(&node, "perm", (size_t)rank, perm);
        extreme_say(e, "perm", (size_t)rank, perm);
        return node;
    }
    int64_t axis = extreme_below(e, 8) ? extreme_below(e, 2 * rank) - rank : extreme_number(e, -9);
    if (strstr(name, "Softmax")) {
        e->softmax = strcmp(name, "Softmax") ? 2 : 1;
        e->group = axis >= -rank && axis < rank ? in[axis < 0 ? axis + rank : axis] : 1;
        if (e->positive) return wire_node("Identity", e->from, NULL, "a");
    }
    wire node = wire_node(name, e->from, strcmp(name, "Concat") ? NULL : e->from, "a");
    wire_attribute_int(&node, "axis", axis);
    extreme_say(e, "axis", 1, &axis);
    return node;
}

typedef struct extreme_result {
    gig_status status;
    double value;
    float *gradient, *output;
    size_t features, classes;
    char message[256];
} extreme_result;

/* The output's weights, the same in every run. */
static inline float extreme_output_weight(size_t i)
{
    return (float)gig_rng_uniform((gig_rng){3, 1}, i) - 0.5f;
}

/* positive: the weights of the output, and the point is made positive too; NULL: as drawn. */
static inline extreme_result extreme_run(const gig_model *model, int plain, const float *positive)
{
    extreme_result out = {0};
    gig_network *network = NULL;
    gig_session *session = NULL;
    const gig_network_options options = {.plain = plain, .max_memory = EXTREME_MEMORY};
    out.status = gig_network_create(&network, model, &options);
    if (out.status == GIG_OK) out.status = gig_session_create(&session, network);
    if (out.status == GIG_OK) {
        gig_function function;
        out.features = gig_network_features(network);
        out.classes = gig_network_classes(network);
        float *weights = calloc(out.classes + 1, sizeof *weights), *point = calloc(out.features + 1, sizeof *point);
        out.gradient = calloc(out.features + 1, sizeof *out.gradient);
        for (size_t i = 0; i < out.classes; i++) weights[i] = positive ? positive[i] : extreme_output_weight(i);
        for (size_t i = 0; i < out.features; i++) {
            point[i] = (float)gig_rng_uniform((gig_rng){3, 2}, i) - 0.5f;
            if (positive) point[i] = fabsf(point[i]);
        }
        const size_t target = 0;
        out.status = gig_session_weighted_function(&function, session, weights);
        if (out.status == GIG_OK)
            out.status = function.evaluate(function.payload, 1, (const float *const *)&point, &target, &out.value,
                                           &out.gradient);
        gig_tensor given;
        if (out.status == GIG_OK && plain && !positive) {
            out.status = gig_session_output(&given, session, point);
            out.output = calloc(out.classes + 1, sizeof *out.output);
            if (out.status == GIG_OK) memcpy(out.output, given.real, out.classes * sizeof *out.output);
            if (out.status == GIG_OK) gig_tensor_clear(&given);
        }
        free(weights);
        free(point);
    }
    if (out.status != GIG_OK) snprintf(out.message, sizeof out.message, "%s", gig_message());
    gig_session_free(session);
    gig_network_free(network);
    return out;
}

static inline gig_model *extreme_model(extreme *e)
{
    const int64_t channels[] = {1, 2, 3, 8, 16, 17};
    int rank = extreme_below(e, 8) ? 4 : 3 + 2 * (int)extreme_below(e, 2);
    int64_t in[5] = {1, channels[extreme_below(e, 6)]};
    for (int i = 2; i < rank; i++) in[i] = 1 + extreme_below(e, 9);
    extreme_say(e, "x", (size_t)rank, in);
    wire graph = {0};
    int64_t seen[5];
    memcpy(seen, in, sizeof seen);
    if (extreme_below(e, 2)) extreme_layout(e, &graph, seen, rank);
    wire node = extreme_node(e, &graph, seen, rank);
    wire_child(&graph, GRAPH_NODE, node);
    wire_child(&graph, GRAPH_NODE, wire_node("Flatten", "a", NULL, "b"));
    wire shape = wire_tensor("s", 7, 1, (const int64_t[]){2});
    wire_int(&shape, TENSOR_INT64S, 1);
    wire_int(&shape, TENSOR_INT64S, -1);
    wire_child(&graph, GRAPH_INITIALIZER, shape);
    wire_child(&graph, GRAPH_NODE, wire_node("Reshape", "b", "s", "y"));
    wire_child(&graph, GRAPH_INPUT, wire_value("x", 1, rank, in));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", 1, 2, (const int64_t[]){1, -1}));
    return wire_load(wire_model(graph, 8, 19));
}

/* Terms of d (sum w y) / d x_k for y = softmax: p_k (w_k - sum p w), of which all |w| are below 1/2; and for its
 * logarithm: w_k - p_k sum w. */
static inline double extreme_softmax(const extreme *e, double y, double weight)
{
    return e->softmax == 1 ? y * (weight + 0.5) : weight + exp(y) * 0.5 * (double)e->group;
}

/* sum |t_i| of the value, and the largest of the gradient. */
static inline void extreme_scale(double *value, double *gradient, uint64_t number, const extreme *e,
                                 const extreme_result *plain)
{
    extreme same = {.rng = {number, 9}, .from = "x", .positive = 1};
    gig_model *model = extreme_model(&same);
    float *weights = calloc(plain->classes + 1, sizeof *weights);
    *value = *gradient = 0;
    for (size_t i = 0; i < plain->classes; i++) {
        double weight = fabs((double)extreme_output_weight(i)), y = (double)plain->output[i];
        weights[i] = (float)(e->softmax ? extreme_softmax(e, y, weight) : weight);
        if (e->softmax) *value += weight * fabs(y);
    }
    extreme_result sums = extreme_run(model, 1, weights);
    assert_ok(sums.status);
    *value += sums.value;
    for (size_t i = 0; i < sums.features; i++) *gradient = fmax(*gradient, (double)sums.gradient[i]);
    free(sums.gradient);
    free(weights);
    gig_model_free(model);
}

/* 1 if both gave numbers, 0 if both refused; a difference fails the test. */
static inline int extreme_case(uint64_t number)
{
    extreme e = {.rng = {number, 9}, .from = "x"};
    gig_model *model = extreme_model(&e);
    extreme_result fast = extreme_run(model, 0, NULL), plain = extreme_run(model, 1, NULL);
    if (fast.status != plain.status)
        fail_msg("case %llu:%s: fast %s (%s), plain %s (%s)", (unsigned long long)number, e.text,
                 gig_status_name(fast.status), fast.message, gig_status_name(plain.status), plain.message);
    if (fast.status == GIG_OK) {
        const double rounding = EXTREME_TERMS * 0x1p-24, smallest = 0x1p-126;
        double value, gradient, error = 0;
        extreme_scale(&value, &gradient, number, &e, &plain);
        for (size_t i = 0; i < fast.features; i++) {
            double difference = fabs((double)fast.gradient[i] - (double)plain.gradient[i]);
            error = isnan(difference) ? HUGE_VAL : fmax(error, difference);
        }
        if (!(fabs(fast.value - plain.value) <= rounding * value + smallest) ||
            !(error <= rounding * gradient + smallest))
            fail_msg("case %llu:%s: values %.9g and %.9g of terms %.3g, gradients differ by %.3g of terms %.3g",
                     (unsigned long long)number, e.text, fast.value, plain.value, value, error, gradient);
    }
    int both = fast.status == GIG_OK;
    free(fast.gradient);
    free(plain.gradient);
    free(plain.output);
    gig_model_free(model);
    return both;
}

static inline void extreme_cases(uint64_t first, uint64_t count)
{
    uint64_t run = 0;
    for (uint64_t i = first; i < first + count; i++) run += (uint64_t)extreme_case(i);
    fprintf(stderr, "# %llu cases: %llu computed, %llu refused by both\n", (unsigned long long)count,
            (unsigned long long)run, (unsigned long long)(count - run));
    assert_true(run > count / 10 && run < count);
}

#endif
