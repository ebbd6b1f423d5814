/* SPDX-License-Identifier: Apache-2.0 */
/* Randomises weights, to test whether a map depends on what the model has learnt. */
#ifndef GIG_NETWORK_RANDOMISE_H
#define GIG_NETWORK_RANDOMISE_H

#include "model/graph.h"

/* Layers: nodes with a floating-point weight of rank 2 or more, such as convolutions and products. */
size_t gig_model_layers(const gig_model *model);

/* Replaces what the last `count` layers have learnt by normal random numbers with each tensor's own mean and standard
 * deviation, drawn from the seed and the tensor's position in the file: weights, and constants of rank 1 that are the
 * bias of a convolution or product, the scale and shift of a normalisation, or an input of Add and Mul. Nodes behind a
 * layer belong to it, up to the next layer. */
void gig_model_randomise(gig_model *model, size_t count, uint64_t seed);

#endif
