/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over one row of two operands, written as one expression in x and y. */
#ifndef GIG_NETWORK_LOCATE_ROW_LOOPS_H
#define GIG_NETWORK_LOCATE_ROW_LOOPS_H

#include "base/clones.h"
#include "network/locate/broadcast.h"

/* The loop of a row for each pair of steps, 0 or 1: to[k] = expression in x, y and k. */
#define GIG_EACH_OF_ROW(in_type, out_type, expression)                                                                 \
    if (left_step && right_step) {                                                                                     \
        for (int64_t k = 0; k < n; k++) {                                                                              \
            const in_type x = left[k], y = right[k];                                                                   \
            to[k] = (out_type)(expression);                                                                            \
        }                                                                                                              \
    } else if (left_step) {                                                                                            \
        const in_type y = right[0];                                                                                    \
        for (int64_t k = 0; k < n; k++) {                                                                              \
            const in_type x = left[k];                                                                                 \
            to[k] = (out_type)(expression);                                                                            \
        }                                                                                                              \
    } else {                                                                                                           \
        const in_type x = left[0];                                                                                     \
        for (int64_t k = 0; k < n; k++) {                                                                              \
            const in_type y = right[k * right_step];                                                                   \
            to[k] = (out_type)(expression);                                                                            \
        }                                                                                                              \
    }

/* Defines name(to, left, left_step, right, right_step, n): to[k] = expression for k < n, where x is left[k * left_step]
 * and y is right[k * right_step]. */
#define GIG_ROW(name, in_type, out_type, expression)                                                                   \
    GIG_CLONES static void name(out_type to[restrict], const in_type left[], int64_t left_step, const in_type right[], \
                                int64_t right_step, int64_t n)                                                         \
    {                                                                                                                  \
        GIG_EACH_OF_ROW(in_type, out_type, expression)                                                                 \
    }

/* Defines name(to, d, left, ...): to[k] = d[k] * slope, likewise. */
#define GIG_SLOPE_ROW(name, slope)                                                                                     \
    GIG_CLONES static void name(float *restrict to, const float *d, const float *left, int64_t left_step,              \
                                const float *right, int64_t right_step, int64_t n)                                     \
    {                                                                                                                  \
        GIG_EACH_OF_ROW(float, float, d[k] * (slope))                                                                  \
    }

typedef void gig_real_row(float *restrict to, const float *left, int64_t left_step, const float *right,
                          int64_t right_step, int64_t n);
typedef void gig_slope_row(float *restrict to, const float *d, const float *left, int64_t left_step, const float *right,
                           int64_t right_step, int64_t n);
typedef void gig_whole_row(int64_t *restrict to, const int64_t *left, int64_t left_step, const int64_t *right,
                           int64_t right_step, int64_t n);

#endif
