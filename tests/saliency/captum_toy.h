/* SPDX-License-Identifier: Apache-2.0 */
/* Captum's convolution toy: 4x4, two 3x3 filters of ones with biases -50 and -75, ReLU, a sum weighted by +1 (5 times)
 * and -1 (3 times), ReLU. */
#ifndef GIG_TESTS_CAPTUM_TOY_H
#define GIG_TESTS_CAPTUM_TOY_H

#include <stddef.h>

static const float toy_weights[8] = {1, 1, 1, 1, 1, -1, -1, -1};

/* layer[2][2][2], before its ReLU or after it; `added` is added to every pixel first. */
static inline void toy_layer(float layer[8], const float *x, double added, int after)
{
    for (size_t k = 0; k < 8; k++) {
        double sum = k < 4 ? -50 : -75;
        for (size_t i = 0; i < 9; i++) sum += (double)x[(k % 4 / 2 + i / 3) * 4 + k % 2 + i % 3] + added;
        layer[k] = (float)(after && sum < 0 ? 0 : sum);
    }
}

#endif
