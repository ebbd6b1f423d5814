/* SPDX-License-Identifier: Apache-2.0 */
/* RotaryEmbedding: pairs of numbers of every head turned by the angle of their token,
 * (x, y) -> (x cos - y sin, x sin + y cos); what lies beyond `rotary_embedding_dim` of a head stays. */
#include "network/operators/attention.h"
#include "network/operators/movement.h"
#include <string.h>

enum { X, COS, SIN, POSITIONS };

/* op->params. A pair is two numbers `apart`, the next one starts `step` further. */
typedef struct rotary {
    int64_t batch, heads, tokens, width, pairs, apart, step;
    gig_head_strides x;
    int64_t places;     /* rows of the tables that positions choose from; 0: no positions */
    int64_t batch_step; /* tokens from one sample's row of tables or positions to the next, 0: same */
} rotary;

static gig_status infer_input(rotary *r, const gig_op *op)
{
    const gig_tensor *x = op->in[X];
    int64_t said = gig_node_int(op->node, "num_heads", 0), turned;
    if (x->rank != 3 && x->rank != 4) return gig_fail(GIG_EFORMAT, "RotaryEmbedding: the input must be of rank 3 or 4");
    r->batch = x->dims[0];
    if (x->rank == 4) {
        r->heads = x->dims[1], r->tokens = x->dims[2], r->width = x->dims[3];
        if (said && said != r->heads)
            return gig_fail(GIG_EFORMAT, "RotaryEmbedding: the input has %lld heads, num_heads says %lld",
                            (long long)r->heads, (long long)said);
    } else {
        if (said < 1 || x->dims[2] % said)
            return gig_fail(GIG_EFORMAT, "RotaryEmbedding: num_heads = %lld does not divide %lld columns",
                            (long long)said, (long long)x->dims[2]);
        r->heads = said, r->tokens = x->dims[1], r->width = x->dims[2] / said;
    }
    r->x = gig_head_strides_of(x, r->heads);
    turned = gig_node_int(op->node, "rotary_embedding_dim", 0);
    if (!turned) turned = r->width;
    if (turned < 0 || turned > r->width || turned % 2)
        return gig_fail(GIG_EFORMAT, "RotaryEmbedding: %lld of %lld values cannot be rotated in pairs",
                        (long long)turned, (long long)r->width);
    int interleaved = gig_node_int(op->node, "interleaved", 0) != 0;
    r->pairs = turned / 2;
    r->apart = interleaved ? 1 : r->pairs;
    r->step = interleaved ? 2 : 1;
    return GIG_OK;
}

/* first is the batch of `tensor` ([samples, tokens, ...]), or 1 for all where the file was written for a batch of 1. */
static int fits_batch(rotary *r, const gig_op *op, const gig_tensor *tensor)
{
    int64_t samples = tensor->dims[0];
    r->batch_step = samples == r->batch ? r->tokens : 0;
    return samples == r->batch || (samples == 1 && gig_op_file_batch(op) == 1 && r->batch == op->batch);
}

static gig_status check_positions(const gig_op *op, const gig_tensor *positions)
{
    const rotary *r = op->params;
    for (size_t k = 0; k < gig_tensor_count(positions); k++)
        if (positions->whole[k] < 0 || positions->whole[k] >= r->places)
            return gig_fail(GIG_EFORMAT, "RotaryEmbedding: position %lld is outside a table of %lld",
                            (long long)positions->whole[k], (long long)r->places);
    return GIG_OK;
}

/* Tables are [places, pairs] with positions [batch, tokens], or [batch, tokens, pairs] without. */
static gig_status infer_tables(rotary *r, const gig_op *op)
{
    const gig_tensor *cosine = op->in[COS];
    const int with = gig_op_has(op, POSITIONS);
    int fits = gig_same_dims(cosine, op->in[SIN]) && cosine->rank == (with ? 2 : 3) &&
               cosine->dims[cosine->rank - 1] == r->pairs;
    if (fits && !with) fits = cosine->dims[1] == r->tokens && fits_batch(r, op, cosine);
    if (!fits)
        return gig_fail(GIG_EFORMAT, "RotaryEmbedding: the tables do not fit %lld tokens of %lld pairs",
                        (long long)r->tokens, (long long)r->pairs);
    if (!with) return GIG_OK;
    const gig_tensor *positions = op->in[POSITIONS];
    GIG_TRY(gig_op_expect_type(op, POSITIONS, GIG_INT64));
    if (positions->rank != 2 || positions->dims[1] != r->tokens || !fits_batch(r, op, positions))
        return gig_fail(GIG_EFORMAT, "RotaryEmbedding: position_ids must be [%lld, %lld]", (long long)r->batch,
                        (long long)r->tokens);
    r->places = cosine->dims[0];
    return positions->data ? check_positions(op, positions) : GIG_OK;
}

gig_status gig_rotary_infer(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 3, 4));
    for (size_t i = 0; i < 3; i++) GIG_TRY(gig_op_expect_type(op, i, GIG_FLOAT32));
    rotary *r = gig_alloc_zero(1, sizeof *r);
    if (!r) return gig_alloc_status();
    op->params = r;
    GIG_TRY(infer_input(r, op));
    GIG_TRY(infer_tables(r, op));
    return gig_op_same_output(op, 0, 0);
}

/* Where the angles of token t of sample b start in the tables. */
static int64_t angles_at(const gig_op *op, const gig_tensor *const *in, int64_t b, int64_t t)
{
    const rotary *r = op->params;
    int64_t row = b * r->batch_step + t;
    return (gig_op_has(op, POSITIONS) ? in[POSITIONS]->whole[row] : row) * r->pairs;
}

gig_status gig_rotary_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const rotary *r = op->params;
    if (gig_op_has(op, POSITIONS)) GIG_TRY(check_positions(op, in[POSITIONS]));
    memcpy(out[0]->data, in[X]->data, gig_tensor_bytes(in[X]));
    for (int64_t b = 0; b < r->batch; b++)
        for (int64_t t = 0; t < r->tokens; t++) {
            int64_t angles = angles_at(op, in, b, t);
            const float *c = in[COS]->real + angles, *s = in[SIN]->real + angles;
            for (int64_t h = 0; h < r->heads; h++) {
                int64_t at = b * r->x.batch + h * r->x.head + t * r->x.row;
                const float *x = in[X]->real + at, *y = x + r->apart;
                float *to_x = out[0]->real + at, *to_y = to_x + r->apart;
                for (int64_t p = 0, j = 0; p < r->pairs; p++, j += r->step) {
                    to_x[j] = x[j] * c[p] - y[j] * s[p];
                    to_y[j] = x[j] * s[p] + y[j] * c[p];
                }
            }
        }
    return GIG_OK;
}

/* One head of one token: the gradient turned back, and what the angles get. */
static void head_backward(const gig_op *op, const gig_tensor *const *in, const float *d_out, gig_tensor *const *d_in,
                          int64_t at, int64_t angles)
{
    const rotary *r = op->params;
    const float *d_x = d_out + at, *d_y = d_x + r->apart, *x = in[X]->real + at, *y = x + r->apart;
    const float *c = in[COS]->real + angles, *s = in[SIN]->real + angles;
    for (int64_t p = 0, j = 0; p < r->pairs; p++, j += r->step) {
        if (d_in[X]) {
            d_in[X]->real[at + j] = d_x[j] * c[p] + d_y[j] * s[p];
            d_in[X]->real[at + j + r->apart] = d_y[j] * c[p] - d_x[j] * s[p];
        }
        if (d_in[COS]) d_in[COS]->real[angles + p] += d_x[j] * x[j] + d_y[j] * y[j];
        if (d_in[SIN]) d_in[SIN]->real[angles + p] += d_y[j] * x[j] - d_x[j] * y[j];
    }
}

gig_status gig_rotary_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                               const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    const rotary *r = op->params;
    (void)out;
    if (gig_op_has(op, POSITIONS)) GIG_TRY(check_positions(op, in[POSITIONS]));
    if (d_in[X]) memcpy(d_in[X]->data, d_out[0]->data, gig_tensor_bytes(d_out[0]));
    for (int i = COS; i <= SIN; i++)
        if (d_in[i]) memset(d_in[i]->data, 0, gig_tensor_bytes(d_in[i]));
    for (int64_t b = 0; b < r->batch; b++)
        for (int64_t t = 0; t < r->tokens; t++)
            for (int64_t h = 0; h < r->heads; h++)
                head_backward(op, in, d_out[0]->real, d_in, b * r->x.batch + h * r->x.head + t * r->x.row,
                              angles_at(op, in, b, t));
    return GIG_OK;
}
