/* SPDX-License-Identifier: Apache-2.0 */
/* Forward and backward of functions of one real number, written as one expression each.
 *
 * In the expressions x is the input, y the output, and a, b the numbers that infer put into op->params (a gig_scalars;
 * 0 if there is none). */
#ifndef GIG_NETWORK_OPERATORS_ELEMENTWISE_H
#define GIG_NETWORK_OPERATORS_ELEMENTWISE_H

#include "base/clones.h"
#include "network/operator.h"
#include <math.h>

typedef struct gig_scalars {
    float a, b;
} gig_scalars;

static inline gig_scalars gig_op_scalars(const gig_op *op)
{
    return op->params ? *(const gig_scalars *)op->params : (gig_scalars){0, 0};
}

/* Keeps a and b for forward and backward. */
static inline gig_status gig_op_keep_scalars(gig_op *op, float a, float b)
{
    gig_scalars *kept = gig_alloc(1, sizeof *kept);
    if (!kept) return gig_alloc_status();
    *kept = (gig_scalars){a, b};
    op->params = kept;
    return GIG_OK;
}

/* Half to even, whatever rounding mode the caller set. */
static inline float gig_round_half_even(float x)
{
    float below = floorf(x), rest = x - below;
    if (!(rest > 0)) return x;
    if (rest != 0.5f) return copysignf(rest < 0.5f ? below : below + 1, x);
    return copysignf(fmodf(below, 2) == 0 ? below : below + 1, x);
}

/* One real input, one output of the same dims. */
gig_status gig_op_infer_real_unary(gig_op *op);
/* The same for floats or integers. */
gig_status gig_op_infer_unary(gig_op *op);

#define GIG_MAP_AS(compiled, name, expression)                                                                         \
    compiled static void name##_each(float *to, const float *from, size_t count, float a, float b)                     \
    {                                                                                                                  \
        (void)a, (void)b;                                                                                              \
        for (size_t k = 0; k < count; k++) {                                                                           \
            const float x = from[k];                                                                                   \
            to[k] = (expression);                                                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    static gig_status name##_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)            \
    {                                                                                                                  \
        const gig_scalars scalars = gig_op_scalars(op);                                                                \
        name##_each(out[0]->real, in[0]->real, gig_tensor_count(in[0]), scalars.a, scalars.b);                         \
        return GIG_OK;                                                                                                 \
    }

#define GIG_SLOPE_AS(compiled, name, given, variable, slope)                                                           \
    compiled static void name##_slopes(float *d_from, const float *d_to, const float *from, size_t count, float a,     \
                                       float b)                                                                        \
    {                                                                                                                  \
        (void)a, (void)b;                                                                                              \
        for (size_t k = 0; k < count; k++) {                                                                           \
            const float variable = from[k];                                                                            \
            d_from[k] = d_to[k] * (slope);                                                                             \
        }                                                                                                              \
    }                                                                                                                  \
    static gig_status name##_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,     \
                                      const gig_tensor *const *d_out, gig_tensor *const *d_in)                         \
    {                                                                                                                  \
        const gig_scalars scalars = gig_op_scalars(op);                                                                \
        (void)in, (void)out;                                                                                           \
        name##_slopes(d_in[0]->real, d_out[0]->real, (given)->real, gig_tensor_count(d_in[0]), scalars.a, scalars.b);  \
        return GIG_OK;                                                                                                 \
    }

/* Both, where they have much in common: x becomes the slope. */
#define GIG_WIDE_GATE(name, value, slope)                                                                              \
    GIG_CLONES static void name##_both(float *restrict values, float *restrict through, size_t count, float a)         \
    {                                                                                                                  \
        (void)a;                                                                                                       \
        for (size_t k = 0; k < count; k++) {                                                                           \
            const float x = through[k];                                                                                \
            values[k] = (value);                                                                                       \
            through[k] = (slope);                                                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    static void name##_gate(const gig_op *op, float *values, float *x, size_t count)                                   \
    {                                                                                                                  \
        name##_both(values, x, count, gig_op_scalars(op).a);                                                           \
    }

#define GIG_MAP(name, expression) GIG_MAP_AS(, name, expression)
/* dy/dx written in x, or in y. */
#define GIG_SLOPE_OF_INPUT(name, slope)  GIG_SLOPE_AS(, name, in[0], x, slope)
#define GIG_SLOPE_OF_OUTPUT(name, slope) GIG_SLOPE_AS(, name, out[0], y, slope)

/* The same for expressions without branches and calls, such as those of smooth_functions.h: compiled for wide vectors
 * too. */
#define GIG_WIDE_MAP(name, expression)        GIG_MAP_AS(GIG_CLONES, name, expression)
#define GIG_WIDE_SLOPE_OF_INPUT(name, slope)  GIG_SLOPE_AS(GIG_CLONES, name, in[0], x, slope)
#define GIG_WIDE_SLOPE_OF_OUTPUT(name, slope) GIG_SLOPE_AS(GIG_CLONES, name, out[0], y, slope)

#endif
