/* SPDX-License-Identifier: Apache-2.0 */
/* InstanceNormalization and GroupNormalization: a run is one channel, or several, of one sample. */
#include "network/operators/moments.h"
#include <string.h>

/* x is split into `groups` per sample; scale and bias have `channels` numbers (a multiple of groups). */
static gig_status infer_instances(gig_op *op, size_t groups, size_t channels)
{
    const gig_tensor *x = op->in[0];
    const char *name = op->row->name;
    gig_runs l = {.groups = (size_t)x->dims[0] * groups,
                  .length = 1,
                  .channels = channels,
                  .parts = groups ? channels / groups : 1,
                  .epsilon = gig_node_real(op->node, "epsilon", 1e-5f)};
    for (int d = 1; d < x->rank; d++) l.length *= (size_t)x->dims[d];
    l.length /= groups ? groups : 1;
    for (size_t i = 1; i < 3; i++)
        if (gig_tensor_count(op->in[i]) != channels)
            return gig_fail(GIG_EFORMAT, "%s: input %zu does not hold %zu numbers", name, i, channels);
    GIG_TRY(gig_runs_keep(op, l));
    return gig_op_same_output(op, 0, 0);
}

static gig_status expect_instances(const gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 3, 3));
    for (size_t i = 0; i < 3; i++) GIG_TRY(gig_op_expect_type(op, i, GIG_FLOAT32));
    if (op->in[0]->rank < 2) return gig_fail(GIG_EFORMAT, "%s: the input has no channels", op->row->name);
    return GIG_OK;
}

static gig_status instance_infer(gig_op *op)
{
    GIG_TRY(expect_instances(op));
    size_t channels = (size_t)op->in[0]->dims[1];
    return infer_instances(op, channels, channels);
}

/* Opset 18 has one scale per group, opset 21 one per channel. */
static gig_status group_infer(gig_op *op)
{
    GIG_TRY(expect_instances(op));
    int64_t groups = gig_node_int(op->node, "num_groups", 0), channels = op->in[0]->dims[1];
    if (groups < 1 || channels < 1 || channels % groups)
        return gig_fail(GIG_EFORMAT, "%s: %lld channels cannot be split into %lld groups", op->row->name,
                        (long long)channels, (long long)groups);
    return infer_instances(op, (size_t)groups, (size_t)(op->node->opset < 21 ? groups : channels));
}

/* The channel of scale and bias that part p of group g uses. */
static size_t channel_of(const gig_runs *l, size_t g, size_t p)
{
    return (g * l->parts + p) % l->channels;
}

static gig_status instance_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const gig_runs *l = op->params;
    const size_t run = l->length / l->parts;
    for (size_t g = 0; g < l->groups; g++) {
        const float *x = in[0]->real + g * l->length;
        float *y = out[0]->real + g * l->length;
        const gig_moments m = gig_moments_of(x, l);
        for (size_t p = 0; p < l->parts; p++, x += run, y += run) {
            const size_t c = channel_of(l, g, p);
            const double by = m.inverse * in[1]->real[c], bias = in[2]->real[c];
            for (size_t k = 0; k < run; k++) y[k] = (float)((x[k] - m.mean) * by + bias);
        }
    }
    return GIG_OK;
}

/* Adds what part p of a group gives to the gradients of scale and bias. */
static void add_part(gig_tensor *const *d_in, size_t c, const float *x, const float *d_y, size_t run, gig_moments m)
{
    double sum = 0, moment = 0;
    for (size_t k = 0; k < run; k++) {
        sum += d_y[k];
        moment += d_y[k] * (x[k] - m.mean) * m.inverse;
    }
    if (d_in[1]) d_in[1]->real[c] += (float)moment;
    if (d_in[2]) d_in[2]->real[c] += (float)sum;
}

static gig_status instance_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                    const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    const gig_runs *l = op->params;
    const size_t run = l->length / l->parts;
    (void)out;
    for (size_t i = 1; i < 3; i++)
        if (d_in[i]) memset(d_in[i]->data, 0, gig_tensor_bytes(d_in[i]));
    for (size_t g = 0; g < l->groups; g++) {
        const float *x = in[0]->real + g * l->length, *d_y = d_out[0]->real + g * l->length;
        float *d_x = d_in[0] ? d_in[0]->real + g * l->length : NULL;
        const gig_moments m = gig_moments_of(x, l);
        for (size_t p = 0; p < l->parts; p++) {
            const size_t c = channel_of(l, g, p), at = p * run;
            if (d_in[1] || d_in[2]) add_part(d_in, c, x + at, d_y + at, run, m);
            for (size_t k = 0; d_x && k < run; k++) d_x[at + k] = d_y[at + k] * in[1]->real[c];
        }
        if (d_x) gig_moments_backward(d_x, x, d_x, l, m);
    }
    return GIG_OK;
}

/* ---- fast versions: scale and bias are constants ---- */

static int instance_takes(const gig_op *op)
{
    const gig_runs *l = op->params;
    return op->in[1]->data && op->in[2]->data && l->length && l->length % l->parts == 0;
}

static gig_status instance_fast_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const gig_runs *l = op->params;
    const gig_normalization n = gig_runs_normalization(l);
    gig_normalize_parts(out[0]->real, in[0]->real, &n, l->parts, l->channels, in[1]->real, in[2]->real);
    return GIG_OK;
}

static gig_status instance_fast_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                         const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    const gig_runs *l = op->params;
    const gig_normalization n = gig_runs_normalization(l);
    (void)out;
    if (d_in[0])
        gig_normalize_parts_backward(d_in[0]->real, d_out[0]->real, in[0]->real, &n, l->parts, l->channels,
                                     in[1]->real);
    return GIG_OK;
}

static const gig_fast instance_fast = {
    .takes = instance_takes, .forward = instance_fast_forward, .backward = instance_fast_backward};

const gig_operator gig_operators_instances[] = {
    {"InstanceNormalization", 1, 0, GIG_OP_HAS_SCALE, GIG_NEEDS_INPUTS, instance_infer, instance_forward,
     instance_backward, .fast = &instance_fast, .kind = GIG_KIND_INSTANCE_NORM},
    {"GroupNormalization", 18, 0, GIG_OP_HAS_SCALE, GIG_NEEDS_INPUTS, group_infer, instance_forward, instance_backward,
     .fast = &instance_fast},
    {0}};
