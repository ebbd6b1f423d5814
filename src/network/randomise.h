/* SPDX-License-Identifier: Apache-2.0 */
/* Randomises weights, to test whether a map depends on what the model has learnt. */
#ifndef GIG_NETWORK_RANDOMISE_H
#define GIG_NETWORK_RANDOMISE_H

#include "model/graph.h"

/* Layers: nodes with a floating-point weight of rank 2 or more, such as convolutions and products. */
size_t gig_model_layers(const gig_model *model);

/* Replaces the weights (and constants of rank 1 in a convolution or product) of the last `count` layers by normal
 * random numbers with each tensor's own mean and standard deviation, drawn from the seed and the tensor's position in
 * the file.
 */
void gig_model_randomise(gig_model *model, size_t count, uint64_t seed);

#endif
