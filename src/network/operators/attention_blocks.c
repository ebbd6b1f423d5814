/* SPDX-License-Identifier: Apache-2.0 */
/* Attention's arithmetic: a block of queries of one head at a time, so that never more than a block of scores is in
 * memory. The backward pass computes the probabilities again. */
#include "network/kernels/softmax.h"
#include "network/operators/attention.h"
#include <math.h>
#include <string.h>

enum { BLOCK = 256 };

/* One block: `rows` queries from `first` on of sample b, head h. */
typedef struct block {
    const gig_attention *a;
    const gig_tensor *const *in;
    int64_t b, h, first, rows;
    float *scores, *capped; /* rows x keys; capped: NULL without a cap, or where it is not wanted */
} block;

static int64_t start_of(const gig_head_strides *s, int64_t b, int64_t h)
{
    return b * s->batch + h * s->head;
}

/* ---- which keys a query sees ---- */

static int64_t mask_start(const block *t, int64_t row)
{
    const int64_t *stride = t->a->mask;
    return t->b * stride[0] + t->h * stride[1] + (t->first + row) * stride[2];
}

/* Query `row` of the block sees keys before this one: the sample's own number of keys, the mask's columns, and with
 * `causal` none after its own place, which counts from the end where the sample has its own number. */
static int64_t visible(const block *t, const gig_op *op, int64_t row)
{
    const gig_attention *a = t->a;
    int64_t end = a->keys, own = t->first + row + 1;
    if (gig_op_has(op, GIG_ATTENTION_LENGTHS)) {
        int64_t length = t->in[GIG_ATTENTION_LENGTHS]->whole[t->b * a->lengths_step];
        end = length < end ? length : end;
        own += length - a->queries;
    }
    if (gig_op_has(op, GIG_ATTENTION_MASK) && a->mask_columns < end) end = a->mask_columns;
    if (a->causal && own < end) end = own;
    return end < 0 ? 0 : end;
}

static gig_status check_lengths(const gig_op *op, const gig_tensor *const *in)
{
    const gig_attention *a = op->params;
    if (!gig_op_has(op, GIG_ATTENTION_LENGTHS)) return GIG_OK;
    for (int64_t b = 0; b < a->batch; b++) {
        int64_t length = in[GIG_ATTENTION_LENGTHS]->whole[b * a->lengths_step];
        if (length < 0 || length > a->keys)
            return gig_fail(GIG_EFORMAT, "Attention: sample %lld has %lld keys of %lld", (long long)b,
                            (long long)length, (long long)a->keys);
    }
    return GIG_OK;
}

static void add_mask(float *s, const gig_tensor *mask, int64_t at, int64_t step, int64_t n)
{
    if (mask->type == GIG_FLOAT32) {
        for (int64_t j = 0; j < n; j++) s[j] += mask->real[at + j * step];
    } else {
        for (int64_t j = 0; j < n; j++) s[j] = mask->whole[at + j * step] ? s[j] : -INFINITY;
    }
}

/* ---- one block ---- */

/* scores = softmax(cap(scale Q K^T) + mask). */
static gig_status probabilities(const block *t, const gig_op *op, gig_product *product)
{
    const gig_attention *a = t->a;
    const float *from_q = t->in[GIG_ATTENTION_Q]->real + start_of(&a->q, t->b, t->h) + t->first * a->q.row;
    const float *from_k = t->in[GIG_ATTENTION_K]->real + start_of(&a->k, t->b, t->h / a->shared);
    const gig_matrix q = {from_q, a->q.row, 0}, k = {from_k, a->k.row, 1};
    GIG_TRY(product(&(gig_gemm){t->rows, a->keys, a->width, a->scale, q, k, 0.0f, t->scores, a->keys}));
    for (int64_t i = 0; i < t->rows; i++) {
        float *s = t->scores + i * a->keys;
        int64_t n = visible(t, op, i);
        for (int64_t j = 0; a->cap > 0 && j < a->keys; j++) s[j] = a->cap * tanhf(s[j] / a->cap);
        if (t->capped) memcpy(t->capped + i * a->keys, s, (size_t)a->keys * sizeof *s);
        if (gig_op_has(op, GIG_ATTENTION_MASK)) add_mask(s, t->in[GIG_ATTENTION_MASK], mask_start(t, i), a->mask[3], n);
        gig_soften(s, n); /* nothing is seen: all zeros */
        for (int64_t j = n; j < a->keys; j++) s[j] = 0.0f;
    }
    return GIG_OK;
}

/* Goes to the next block; 0 after the last. Starts from rows 0. */
static int next_block(block *t)
{
    const gig_attention *a = t->a;
    t->first += t->rows;
    if (t->rows && t->first >= a->queries) {
        t->first = 0;
        if (++t->h == a->heads) t->h = 0, t->b++;
    }
    t->rows = a->queries - t->first < BLOCK ? a->queries - t->first : BLOCK;
    return t->b < a->batch && a->heads && t->rows;
}

static size_t block_count(const gig_attention *a)
{
    return (size_t)((a->queries < BLOCK ? a->queries : BLOCK) * a->keys);
}

gig_status gig_attention_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out,
                                 gig_product *product)
{
    const gig_attention *a = op->params;
    GIG_TRY(check_lengths(op, in));
    block t = {.a = a, .in = in, .scores = gig_alloc(block_count(a), sizeof(float))};
    gig_status status = t.scores ? GIG_OK : gig_alloc_status();
    while (status == GIG_OK && next_block(&t)) {
        status = probabilities(&t, op, product);
        const float *from_v = in[GIG_ATTENTION_V]->real + start_of(&a->v, t.b, t.h / a->shared);
        const gig_matrix p = {t.scores, a->keys, 0}, v = {from_v, a->v.row, 0};
        float *y = out[0]->real + start_of(&a->y, t.b, t.h) + t.first * a->y.row;
        if (status == GIG_OK)
            status = product(&(gig_gemm){t.rows, a->value_width, a->keys, 1.0f, p, v, 0.0f, y, a->y.row});
    }
    gig_free(t.scores);
    return status;
}

/* ---- backward ---- */

/* d, d loss / d probabilities, becomes d loss / d (scale Q K^T); the mask takes its share on the way. */
static void scores_backward(const block *t, const gig_op *op, float *d, gig_tensor *d_mask)
{
    const gig_attention *a = t->a;
    for (int64_t i = 0; i < t->rows; i++) {
        float *row = d + i * a->keys;
        const float *capped = t->capped ? t->capped + i * a->keys : NULL;
        gig_soften_backward(row, row, t->scores + i * a->keys, a->keys);
        if (d_mask) {
            int64_t at = mask_start(t, i), n = visible(t, op, i);
            for (int64_t j = 0; j < n; j++) d_mask->real[at + j * a->mask[3]] += row[j];
        }
        for (int64_t j = 0; capped && j < a->keys; j++) {
            const float tanh_of = capped[j] / a->cap;
            row[j] *= 1 - tanh_of * tanh_of;
        }
    }
}

static gig_status block_backward(const block *t, const gig_op *op, float *d, const gig_tensor *d_out,
                                 gig_tensor *const *d_in, gig_product *product)
{
    const gig_attention *a = t->a;
    const int64_t rows = t->rows, keys = a->keys;
    const int64_t at_q = start_of(&a->q, t->b, t->h) + t->first * a->q.row;
    const int64_t at_k = start_of(&a->k, t->b, t->h / a->shared), at_v = start_of(&a->v, t->b, t->h / a->shared);
    gig_tensor *d_q = d_in[GIG_ATTENTION_Q], *d_k = d_in[GIG_ATTENTION_K], *d_v = d_in[GIG_ATTENTION_V];
    gig_tensor *d_mask = gig_op_has(op, GIG_ATTENTION_MASK) ? d_in[GIG_ATTENTION_MASK] : NULL;
    const gig_matrix d_y = {d_out->real + start_of(&a->y, t->b, t->h) + t->first * a->y.row, a->y.row, 0};
    const gig_matrix q = {t->in[GIG_ATTENTION_Q]->real + at_q, a->q.row, 0};
    const gig_matrix k = {t->in[GIG_ATTENTION_K]->real + at_k, a->k.row, 0};
    const gig_matrix v_turned = {t->in[GIG_ATTENTION_V]->real + at_v, a->v.row, 1};
    const gig_matrix p_turned = {t->scores, keys, 1}, d_s = {d, keys, 0}, d_s_turned = {d, keys, 1};
    float *to_q = d_q ? d_q->real + at_q : NULL, *to_k = d_k ? d_k->real + at_k : NULL;
    GIG_TRY(probabilities(t, op, product));
    if (d_v) {
        float *to_v = d_v->real + at_v;
        GIG_TRY(product(&(gig_gemm){keys, a->value_width, rows, 1.0f, p_turned, d_y, 1.0f, to_v, a->v.row}));
    }
    if (!d_q && !d_k && !d_mask) return GIG_OK;
    GIG_TRY(product(&(gig_gemm){rows, keys, a->value_width, 1.0f, d_y, v_turned, 0.0f, d, keys}));
    scores_backward(t, op, d, d_mask);
    if (d_q) GIG_TRY(product(&(gig_gemm){rows, a->width, keys, a->scale, d_s, k, 1.0f, to_q, a->q.row}));
    if (d_k) GIG_TRY(product(&(gig_gemm){keys, a->width, rows, a->scale, d_s_turned, q, 1.0f, to_k, a->k.row}));
    return GIG_OK;
}

gig_status gig_attention_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *d_out,
                                  gig_tensor *const *d_in, gig_product *product)
{
    const gig_attention *a = op->params;
    const size_t count = block_count(a);
    GIG_TRY(check_lengths(op, in));
    for (size_t i = 0; i < op->in_count; i++)
        if (d_in[i]) memset(d_in[i]->data, 0, gig_tensor_bytes(d_in[i]));
    float *work = gig_alloc(count, (a->cap > 0 ? 3 : 2) * sizeof *work);
    if (!work) return gig_alloc_status();
    gig_status status = GIG_OK;
    block t = {.a = a, .in = in, .scores = work, .capped = a->cap > 0 ? work + 2 * count : NULL};
    while (status == GIG_OK && next_block(&t)) status = block_backward(&t, op, work + count, d_out[0], d_in, product);
    gig_free(work);
    return status;
}
