/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax, LogSoftmax and Hardmax over groups of `length` numbers, `inner` apart.
 * Before opset 13 everything from `axis` on is one group; since then `axis` alone. */
#include "network/kernels/softmax.h"
#include "network/locate/axis_groups.h"
#include <math.h>
#include <string.h>

static gig_status infer_groups(gig_op *op, int64_t default_axis, int flatten)
{
    int axis;
    GIG_TRY(gig_op_expect_inputs(op, 1, 1));
    GIG_TRY(gig_op_expect_type(op, 0, GIG_FLOAT32));
    const gig_tensor *x = op->in[0];
    GIG_TRY(gig_op_axis(&axis, gig_node_int(op->node, "axis", default_axis), x->rank));
    gig_groups *g = gig_alloc(1, sizeof *g);
    if (!g) return gig_alloc_status();
    *g = gig_groups_along(x, axis, flatten ? x->rank - 1 : axis);
    op->params = g;
    return gig_op_same_output(op, 0, 0);
}

static gig_status infer_before_13(gig_op *op)
{
    return infer_groups(op, 1, 1);
}

static gig_status infer(gig_op *op)
{
    return infer_groups(op, -1, 0);
}

static float greatest(const gig_groups *g, const float *x)
{
    float most = x[0];
    for (size_t k = 1; k < g->length; k++) most = fmaxf(most, x[k * g->inner]);
    return most;
}

static gig_status softmax_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const gig_groups *g = op->params;
    for (size_t i = 0, count = gig_group_count(g); i < count; i++) {
        const size_t at = gig_group_start(g, i);
        const float *x = in[0]->real + at;
        float *y = out[0]->real + at, most = greatest(g, x);
        double sum = 0;
        for (size_t k = 0; k < g->length; k++) sum += y[k * g->inner] = expf(x[k * g->inner] - most);
        for (size_t k = 0; k < g->length; k++) y[k * g->inner] = (float)(y[k * g->inner] / sum);
    }
    return GIG_OK;
}

/* dx = y (dy - sum of dy y) */
static gig_status softmax_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                   const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    const gig_groups *g = op->params;
    (void)in;
    for (size_t i = 0, count = gig_group_count(g); i < count; i++) {
        const size_t at = gig_group_start(g, i);
        const float *y = out[0]->real + at, *d_y = d_out[0]->real + at;
        float *d_x = d_in[0]->real + at;
        double sum = 0;
        for (size_t k = 0; k < g->length; k++) sum += (double)y[k * g->inner] * d_y[k * g->inner];
        for (size_t k = 0; k < g->length; k++) d_x[k * g->inner] = (float)(y[k * g->inner] * (d_y[k * g->inner] - sum));
    }
    return GIG_OK;
}

static gig_status log_softmax_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const gig_groups *g = op->params;
    for (size_t i = 0, count = gig_group_count(g); i < count; i++) {
        const size_t at = gig_group_start(g, i);
        const float *x = in[0]->real + at;
        float *y = out[0]->real + at, most = greatest(g, x);
        double sum = 0;
        for (size_t k = 0; k < g->length; k++) sum += expf(x[k * g->inner] - most);
        const double shift = most + log(sum);
        for (size_t k = 0; k < g->length; k++) y[k * g->inner] = (float)(x[k * g->inner] - shift);
    }
    return GIG_OK;
}

/* dx = dy - exp(y) sum of dy */
static gig_status log_softmax_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                       const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    const gig_groups *g = op->params;
    (void)in;
    for (size_t i = 0, count = gig_group_count(g); i < count; i++) {
        const size_t at = gig_group_start(g, i);
        const float *y = out[0]->real + at, *d_y = d_out[0]->real + at;
        float *d_x = d_in[0]->real + at;
        double sum = 0;
        for (size_t k = 0; k < g->length; k++) sum += d_y[k * g->inner];
        for (size_t k = 0; k < g->length; k++)
            d_x[k * g->inner] = (float)(d_y[k * g->inner] - expf(y[k * g->inner]) * sum);
    }
    return GIG_OK;
}

/* 1 at the first greatest number, 0 elsewhere. */
static gig_status hardmax_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const gig_groups *g = op->params;
    for (size_t i = 0, count = gig_group_count(g); i < count; i++) {
        const size_t at = gig_group_start(g, i);
        const float *x = in[0]->real + at;
        float *y = out[0]->real + at;
        size_t best = 0;
        for (size_t k = 1; k < g->length; k++)
            if (x[k * g->inner] > x[best * g->inner]) best = k;
        for (size_t k = 0; k < g->length; k++) y[k * g->inner] = k == best;
    }
    return GIG_OK;
}

/* ---- fast versions ---- */

typedef void forward_kernel(float *y, const float *x, size_t outer, size_t length, size_t inner);
typedef void backward_kernel(float *d_x, const float *d_y, const float *y, size_t outer, size_t length, size_t inner);

static gig_status forward_by(forward_kernel *kernel, const gig_op *op, const float *x, float *y)
{
    const gig_groups *g = op->params;
    if (gig_group_count(g)) kernel(y, x, g->outer, g->length, g->inner);
    return GIG_OK;
}

static gig_status backward_by(backward_kernel *kernel, const gig_op *op, const float *y, const float *d_y, float *d_x)
{
    const gig_groups *g = op->params;
    if (gig_group_count(g)) kernel(d_x, d_y, y, g->outer, g->length, g->inner);
    return GIG_OK;
}

static gig_status fast_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    return forward_by(gig_softmax, op, in[0]->real, out[0]->real);
}

static gig_status fast_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)in;
    return backward_by(gig_softmax_backward, op, out[0]->real, d_out[0]->real, d_in[0]->real);
}

static gig_status fast_log_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    return forward_by(gig_log_softmax, op, in[0]->real, out[0]->real);
}

static gig_status fast_log_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                    const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)in;
    return backward_by(gig_log_softmax_backward, op, out[0]->real, d_out[0]->real, d_in[0]->real);
}

static const gig_fast fast = {.forward = fast_forward, .backward = fast_backward};
static const gig_fast fast_log = {.forward = fast_log_forward, .backward = fast_log_backward};

const gig_operator gig_operators_softmax[] = {
    {"Softmax", 1, 12, 0, GIG_NEEDS_OUTPUT, infer_before_13, softmax_forward, softmax_backward, .fast = &fast,
     .makes = GIG_OUTPUT_PROBABILITIES},
    {"Softmax", 13, 0, 0, GIG_NEEDS_OUTPUT, infer, softmax_forward, softmax_backward, .fast = &fast,
     .makes = GIG_OUTPUT_PROBABILITIES},
    {"LogSoftmax", 1, 12, 0, GIG_NEEDS_OUTPUT, infer_before_13, log_softmax_forward, log_softmax_backward,
     .fast = &fast_log, .makes = GIG_OUTPUT_LOG_PROBABILITIES},
    {"LogSoftmax", 13, 0, 0, GIG_NEEDS_OUTPUT, infer, log_softmax_forward, log_softmax_backward, .fast = &fast_log,
     .makes = GIG_OUTPUT_LOG_PROBABILITIES},
    {"Hardmax", 1, 12, GIG_OP_NO_GRADIENT, GIG_NEEDS_NOTHING, infer_before_13, hardmax_forward, NULL},
    {"Hardmax", 13, 0, GIG_OP_NO_GRADIENT, GIG_NEEDS_NOTHING, infer, hardmax_forward, NULL},
    {0}};
