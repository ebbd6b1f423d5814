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

static int is_layer(const gig_model *model, const gig_node *node)
{
    for (size_t i = 0; i < node->own_inputs; i++) {
        const gig_tensor *weight = weight_of(model, node, i);
        if (weight && weight->rank >= 2) return 1;
    }
    return 0;
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

/* Rank 1: a bias. Anything else that is constant (a slope, a size) stays as it is. */
static void redraw_layer(const gig_model *model, const gig_node *node, uint64_t seed)
{
    const gig_operator *row = gig_operator_find(node);
    int has_bias = row && row->flags & GIG_OP_HAS_BIAS;
    for (size_t i = 0; i < node->own_inputs; i++) {
        gig_tensor *weight = weight_of(model, node, i);
        if (!weight || !(weight->rank >= 2 || (has_bias && i == 2 && weight->rank == 1))) continue;
        redraw(weight, (gig_rng){seed, weight_stream + (uint64_t)node->inputs[i]});
    }
}

void gig_model_randomise(gig_model *model, size_t count, uint64_t seed)
{
    size_t layers = gig_model_layers(model), seen = 0;
    for (size_t n = 0; n < model->node_count; n++) {
        if (!is_layer(model, &model->nodes[n])) continue;
        if (seen++ + count >= layers) redraw_layer(model, &model->nodes[n], seed);
    }
}
