/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisation by neighbours: LRN over channels, LpNormalization along an axis. */
#include "network/locate/axis_groups.h"
#include <math.h>
#include <string.h>

/* ---- LRN: y = x / s^beta, s = bias + alpha / size * (sum of x^2 over `size` channels around) ---- */

typedef struct response {
    size_t samples, channels, inner;
    int64_t before, after; /* channels of the window on each side */
    double alpha, beta, bias;
} response;

static gig_status lrn_infer(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 1, 1));
    GIG_TRY(gig_op_expect_type(op, 0, GIG_FLOAT32));
    const gig_tensor *x = op->in[0];
    int64_t size = gig_node_int(op->node, "size", 0);
    if (size < 1 || size > (int64_t)GIG_MAX_ELEMENTS)
        return gig_fail(GIG_EFORMAT, "LRN: size is missing or out of range");
    if (x->rank < 2) return gig_fail(GIG_EFORMAT, "LRN: the input has no channels");
    response *r = gig_alloc(1, sizeof *r);
    if (!r) return gig_alloc_status();
    *r = (response){.samples = (size_t)x->dims[0],
                    .channels = (size_t)x->dims[1],
                    .inner = 1,
                    .before = (size - 1) / 2,
                    .after = size / 2,
                    .alpha = gig_node_real(op->node, "alpha", 0.0001f) / (double)size,
                    .beta = gig_node_real(op->node, "beta", 0.75f),
                    .bias = gig_node_real(op->node, "bias", 1)};
    op->params = r;
    for (int d = 2; d < x->rank; d++) r->inner *= (size_t)x->dims[d];
    return gig_op_same_output(op, 0, 0);
}

/* to[k] = sum over channels c - before .. c + after of term[channel][k]. */
static void sum_window(double *to, const double *term, const response *r, size_t c, int64_t before, int64_t after)
{
    int64_t first = (int64_t)c - before < 0 ? 0 : (int64_t)c - before;
    int64_t last = (int64_t)c + after >= (int64_t)r->channels ? (int64_t)r->channels - 1 : (int64_t)c + after;
    memset(to, 0, r->inner * sizeof *to);
    for (int64_t other = first; other <= last; other++)
        for (size_t k = 0; k < r->inner; k++) to[k] += term[(size_t)other * r->inner + k];
}

/* s of one sample; squares holds as many numbers as s. */
static void scales(double *s, double *squares, const float *x, const response *r)
{
    for (size_t k = 0; k < r->channels * r->inner; k++) squares[k] = (double)x[k] * x[k];
    for (size_t c = 0; c < r->channels; c++) sum_window(s + c * r->inner, squares, r, c, r->before, r->after);
    for (size_t k = 0; k < r->channels * r->inner; k++) s[k] = r->bias + r->alpha * s[k];
}

static gig_status lrn_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const response *r = op->params;
    size_t count = r->channels * r->inner;
    double *s = gig_alloc(count, 2 * sizeof *s);
    if (!s) return gig_alloc_status();
    for (size_t n = 0; n < r->samples; n++) {
        const float *x = in[0]->real + n * count;
        scales(s, s + count, x, r);
        for (size_t k = 0; k < count; k++) out[0]->real[n * count + k] = (float)(x[k] * pow(s[k], -r->beta));
    }
    gig_free(s);
    return GIG_OK;
}

/* d_x_c = d_c s_c^-beta - 2 alpha beta x_c (sum over channels c' whose window holds c of d_c' x_c' s_c'^(-beta-1)) */
static gig_status lrn_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                               const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    const response *r = op->params;
    size_t count = r->channels * r->inner;
    double *s = gig_alloc(count, 3 * sizeof *s);
    if (!s) return gig_alloc_status();
    double *term = s + count, *sum = term + count;
    (void)out;
    for (size_t n = 0; n < r->samples; n++) {
        const float *x = in[0]->real + n * count, *d_y = d_out[0]->real + n * count;
        float *d_x = d_in[0]->real + n * count;
        scales(s, term, x, r);
        for (size_t k = 0; k < count; k++) term[k] = d_y[k] * x[k] * pow(s[k], -r->beta - 1);
        for (size_t c = 0; c < r->channels; c++) sum_window(sum + c * r->inner, term, r, c, r->after, r->before);
        for (size_t k = 0; k < count; k++)
            d_x[k] = (float)(d_y[k] * pow(s[k], -r->beta) - 2 * r->alpha * r->beta * x[k] * sum[k]);
    }
    gig_free(s);
    return GIG_OK;
}

/* ---- LpNormalization: x divided by the sum of |x| (p = 1) or the root of the sum of x^2 (p = 2); 0 stays 0 ---- */

typedef struct length {
    gig_groups groups;
    int p;
} length;

static gig_status lp_infer(gig_op *op)
{
    int axis;
    GIG_TRY(gig_op_expect_inputs(op, 1, 1));
    GIG_TRY(gig_op_expect_type(op, 0, GIG_FLOAT32));
    GIG_TRY(gig_op_axis(&axis, gig_node_int(op->node, "axis", -1), op->in[0]->rank));
    int64_t p = gig_node_int(op->node, "p", 2);
    if (p != 1 && p != 2) return gig_fail(GIG_EFORMAT, "LpNormalization: p must be 1 or 2");
    length *l = gig_alloc(1, sizeof *l);
    if (!l) return gig_alloc_status();
    *l = (length){gig_groups_along(op->in[0], axis, axis), (int)p};
    op->params = l;
    return gig_op_same_output(op, 0, 0);
}

static double norm(const float *x, const length *l)
{
    double sum = 0;
    for (size_t k = 0; k < l->groups.length; k++) {
        double value = x[k * l->groups.inner];
        sum += l->p == 1 ? fabs(value) : value * value;
    }
    return l->p == 1 ? sum : sqrt(sum);
}

static gig_status lp_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const length *l = op->params;
    const gig_groups *g = &l->groups;
    for (size_t i = 0, count = gig_group_count(g); i < count; i++) {
        size_t at = gig_group_start(g, i);
        const double by = norm(in[0]->real + at, l);
        for (size_t k = at, left = g->length; left > 0; k += g->inner, left--)
            out[0]->real[k] = by > 0 ? (float)(in[0]->real[k] / by) : 0;
    }
    return GIG_OK;
}

/* d_x = (d - n sum of d y) / norm, where n = d norm / d x: y for p = 2, the sign of x for p = 1. */
static gig_status lp_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                              const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    const length *l = op->params;
    const gig_groups *g = &l->groups;
    const float *x = in[0]->real, *d_y = d_out[0]->real;
    (void)out;
    for (size_t i = 0, count = gig_group_count(g); i < count; i++) {
        size_t at = gig_group_start(g, i);
        const double by = norm(x + at, l);
        double sum = 0;
        for (size_t k = at, left = g->length; left > 0; k += g->inner, left--) sum += d_y[k] * (x[k] / by);
        for (size_t k = at, left = g->length; left > 0; k += g->inner, left--) {
            const double slope = l->p == 2 ? x[k] / by : (x[k] > 0) - (x[k] < 0);
            d_in[0]->real[k] = by > 0 ? (float)((d_y[k] - slope * sum) / by) : 0;
        }
    }
    return GIG_OK;
}

const gig_operator gig_operators_response[] = {
    {"LRN", 1, 0, 0, GIG_NEEDS_INPUT_0, lrn_infer, lrn_forward, lrn_backward},
    {"LpNormalization", 1, 0, 0, GIG_NEEDS_INPUT_0, lp_infer, lp_forward, lp_backward},
    {0}};
