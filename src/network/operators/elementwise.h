/* Forward and backward of functions of one real number, written as one expression each.
 *
 * In the expressions x is the input, y the output, and a, b the numbers that infer put into op->params (a gig_scalars;
 * 0 where there is none). */
#ifndef GIG_NETWORK_OPERATORS_ELEMENTWISE_H
#define GIG_NETWORK_OPERATORS_ELEMENTWISE_H

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
/* The same for real or whole numbers. */
gig_status gig_op_infer_unary(gig_op *op);

#define GIG_MAP(name, expression)                                                                                      \
    static gig_status name##_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)            \
    {                                                                                                                  \
        const gig_scalars scalars = gig_op_scalars(op);                                                                \
        const float a = scalars.a, b = scalars.b, *from = in[0]->real;                                                 \
        float *to = out[0]->real;                                                                                      \
        size_t count = gig_tensor_count(in[0]);                                                                        \
        (void)a, (void)b;                                                                                              \
        for (size_t k = 0; k < count; k++) {                                                                           \
            float x = from[k];                                                                                         \
            to[k] = (expression);                                                                                      \
        }                                                                                                              \
        return GIG_OK;                                                                                                 \
    }

#define GIG_MAP_BACKWARD(name, given, variable, slope)                                                                 \
    static gig_status name##_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,     \
                                      const gig_tensor *const *d_out, gig_tensor *const *d_in)                         \
    {                                                                                                                  \
        const gig_scalars scalars = gig_op_scalars(op);                                                                \
        const float a = scalars.a, b = scalars.b, *from = given->real, *d_to = d_out[0]->real;                         \
        float *d_from = d_in[0]->real;                                                                                 \
        size_t count = gig_tensor_count(d_in[0]);                                                                      \
        (void)a, (void)b, (void)in, (void)out;                                                                         \
        for (size_t k = 0; k < count; k++) {                                                                           \
            float variable = from[k];                                                                                  \
            d_from[k] = d_to[k] * (slope);                                                                             \
        }                                                                                                              \
        return GIG_OK;                                                                                                 \
    }

/* dy/dx written in x, or in y. */
#define GIG_SLOPE_OF_INPUT(name, slope)  GIG_MAP_BACKWARD(name, in[0], x, slope)
#define GIG_SLOPE_OF_OUTPUT(name, slope) GIG_MAP_BACKWARD(name, out[0], y, slope)

#endif
