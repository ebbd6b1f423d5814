/* SPDX-License-Identifier: Apache-2.0 */
/* A small random network as a closed form: softplus layers, smooth, with exact gradients; seeded by `target`. */
#ifndef GIG_TESTS_RANDOM_NETWORK_H
#define GIG_TESTS_RANDOM_NETWORK_H

#include "base/rng.h"
#include <math.h>
#include <stddef.h>

enum { NETWORK_HIDDEN = 16, NETWORK_INPUTS = 64 };

static inline double network_weight(size_t seed, size_t layer, size_t row, size_t column)
{
    return gig_rng_normal((gig_rng){seed, layer}, row * 1000 + column);
}

/* sum_j v_j softplus(b_j + sum_i W_ji x_i), n at most NETWORK_INPUTS. */
static inline double random_network(const float *x, size_t n, size_t target, float *g)
{
    double value = 0, slope[NETWORK_HIDDEN];
    static _Thread_local double weights[NETWORK_HIDDEN][NETWORK_INPUTS];
    static _Thread_local size_t made_for = (size_t)-1, made_n;
    if (made_for != target || made_n != n) {
        for (size_t j = 0; j < NETWORK_HIDDEN; j++)
            for (size_t i = 0; i < n; i++) weights[j][i] = network_weight(target, 1, j, i) / sqrt((double)n);
        made_for = target;
        made_n = n;
    }
    for (size_t j = 0; j < NETWORK_HIDDEN; j++) {
        double sum = network_weight(target, 2, j, 0), v = network_weight(target, 3, j, 0);
        for (size_t i = 0; i < n; i++) sum += weights[j][i] * (double)x[i];
        value += v * log1p(exp(sum));
        slope[j] = v / (1 + exp(-sum));
    }
    for (size_t i = 0; g && i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < NETWORK_HIDDEN; j++) sum += slope[j] * weights[j][i];
        g[i] = (float)sum;
    }
    return value;
}

#endif
