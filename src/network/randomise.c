/* SPDX-License-Identifier: Apache-2.0 */
#include "network/randomise.h"
#include "base/rng.h"
#include "network/operator.h"
#include <math.h>

/* Streams of random numbers of this file; others count from below. */
static const uint64_t weight_stream = (uint64_t)0xc1 << 56;

static gig_tensor *weight_of(const gig_model *model, const gig_node *node, size_t input)
{
    int value = node->inputs[input];
    gig_tensor *tensor = value >= 0 ? model->values[value].constant : NULL;
    return tensor && tensor->type == GIG_FLOAT32 ? tensor : NULL;
}

static int is_normalisation(const gig_operator *row)
{
    return row && row->flags & GIG_OP_HAS_SCALE;
}

static int is_layer(const gig_model *model, const gig_node *node)
{
    if (is_normalisation(gig_operator_find(node))) return 0;
    for (size_t i = 0; i < node->own_inputs; i++) {
        const gig_tensor *weight = weight_of(model, node, i);
        if (weight && weight->rank >= 2) return 1;
    }
    return 0;
}

/* Is the constant at this input learnt? Weights, biases, scales and shifts are, whether the bias is an input of the
 * product or of an Add behind it. Slopes, sizes, and a normalisation's mean and variance are left alone. */
static int is_learnt(const gig_tensor *constant, const gig_operator *row, size_t input)
{
    if (is_normalisation(row)) return input == 1 || input == 2;
    if (constant->rank >= 2) return 1;
    if (!row || constant->rank != 1) return 0;
    return row->kind == GIG_KIND_ADD || row->kind == GIG_KIND_MUL || (row->flags & GIG_OP_HAS_BIAS && input == 2);
}

size_t gig_model_layers(const gig_model *model)
{
    size_t count = 0;
    for (size_t n = 0; n < model->node_count; n++) count += is_layer(model, &model->nodes[n]) != 0;
    return count;
}

static void redraw(gig_tensor *tensor, gig_rng rng)
{
    size_t count = gig_tensor_count(tensor);
    double mean = 0, square = 0;
    for (size_t i = 0; i < count; i++) mean += (double)tensor->real[i] / (double)count;
    for (size_t i = 0; i < count; i++) {
        double gap = (double)tensor->real[i] - mean;
        square += gap * gap / (double)count;
    }
    double deviation = sqrt(square);
    for (size_t i = 0; i < count; i++) tensor->real[i] = (float)(mean + deviation * gig_rng_normal(rng, i));
}

static void redraw_node(const gig_model *model, const gig_node *node, uint64_t seed)
{
    const gig_operator *row = gig_operator_find(node);
    for (size_t i = 0; i < node->own_inputs; i++) {
        gig_tensor *constant = weight_of(model, node, i);
        if (!constant || !is_learnt(constant, row, i)) continue;
        redraw(constant, (gig_rng){seed, weight_stream + (uint64_t)node->inputs[i]});
    }
}

/* A node without weights of its own belongs to the layer before it; before the first layer the input is prepared. */
void gig_model_randomise(gig_model *model, size_t count, uint64_t seed)
{
    size_t layers = gig_model_layers(model), begun = 0;
    for (size_t n = 0; n < model->node_count; n++) {
        begun += is_layer(model, &model->nodes[n]) != 0;
        if (begun > 0 && begun + count > layers) redraw_node(model, &model->nodes[n], seed);
    }
}
