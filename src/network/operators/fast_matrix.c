/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products by oneDNN's sgemm: rows with the meaning of the plain ones, for real operands of rank 2 and more. */
#include "network/operators/attention.h"
#include "network/plan.h"
#include <string.h>

/* ---- MatMul: [..., m, k] x [..., k, n], leading dims broadcast ---- */

typedef struct shape {
    int64_t count, m, n, k;
    int rank;                                                               /* of the leading dims */
    int64_t dims[GIG_MAX_RANK], a_step[GIG_MAX_RANK], b_step[GIG_MAX_RANK]; /* steps count matrices; 0: broadcast */
} shape;

static void steps_of(int64_t *steps, const gig_tensor *operand, int rank)
{
    int64_t step = 1;
    int own = operand->rank - 2;
    for (int d = rank - 1; d >= 0; d--) {
        int64_t dim = d >= rank - own ? operand->dims[d - (rank - own)] : 1;
        steps[d] = dim == 1 ? 0 : step;
        step *= dim;
    }
}

/* One matrix on the right of all on the left: one tall product. */
static void join_rows(shape *s)
{
    for (int d = 0; d < s->rank; d++)
        if (s->b_step[d]) return;
    int64_t step = 1;
    for (int d = s->rank - 1; d >= 0; d--) {
        if (s->dims[d] != 1 && s->a_step[d] != step) return;
        step *= s->dims[d];
    }
    s->m *= s->count;
    s->count = 1;
    s->rank = 0;
}

static void matmul_shape(shape *out, const gig_op *op)
{
    const gig_tensor *a = op->in[0], *b = op->in[1];
    *out = (shape){.count = 1, .m = a->dims[a->rank - 2], .k = a->dims[a->rank - 1], .n = b->dims[b->rank - 1]};
    out->rank = (a->rank > b->rank ? a->rank : b->rank) - 2;
    for (int d = 0; d < out->rank; d++) {
        out->dims[d] = op->out[0]->dims[d];
        out->count *= out->dims[d];
    }
    steps_of(out->a_step, a, out->rank);
    steps_of(out->b_step, b, out->rank);
    join_rows(out);
}

/* Which matrices make matrix i of the result. */
static void operands_of(int64_t *a, int64_t *b, const shape *s, int64_t i)
{
    *a = *b = 0;
    for (int d = s->rank - 1; d >= 0; d--) {
        *a += i % s->dims[d] * s->a_step[d];
        *b += i % s->dims[d] * s->b_step[d];
        i /= s->dims[d];
    }
}

static int matmul_takes(const gig_op *op)
{
    const gig_tensor *a = op->in[0], *b = op->in[1];
    return a->type == GIG_FLOAT32 && b->type == GIG_FLOAT32 && a->rank >= 2 && b->rank >= 2;
}

static gig_status matmul_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    shape s;
    matmul_shape(&s, op);
    for (int64_t i = 0; i < s.count; i++) {
        int64_t a, b;
        operands_of(&a, &b, &s, i);
        const gig_matrix left = {in[0]->real + a * s.m * s.k, s.k, 0}, right = {in[1]->real + b * s.k * s.n, s.n, 0};
        GIG_TRY(
            gig_matrix_product(&(gig_gemm){s.m, s.n, s.k, 1.0f, left, right, 0.0f, out[0]->real + i * s.m * s.n, s.n}));
    }
    return GIG_OK;
}

static int is_broadcast(const int64_t *steps, const shape *s)
{
    for (int d = 0; d < s->rank; d++)
        if (!steps[d] && s->dims[d] != 1) return 1;
    return 0;
}

/* A broadcast operand's gradient adds up over what it was broadcast to. */
static gig_status matmul_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                  const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)out;
    shape s;
    matmul_shape(&s, op);
    float add[2] = {is_broadcast(s.a_step, &s) ? 1.0f : 0.0f, is_broadcast(s.b_step, &s) ? 1.0f : 0.0f};
    for (int j = 0; j < 2; j++)
        if (d_in[j] && (add[j] != 0.0f || !s.count)) memset(d_in[j]->data, 0, gig_tensor_bytes(d_in[j]));
    for (int64_t i = 0; i < s.count; i++) {
        int64_t a, b;
        operands_of(&a, &b, &s, i);
        const gig_matrix d_c = {d_out[0]->real + i * s.m * s.n, s.n, 0};
        const gig_matrix left = {in[0]->real + a * s.m * s.k, s.k, 1}, right = {in[1]->real + b * s.k * s.n, s.n, 1};
        if (d_in[0])
            GIG_TRY(gig_matrix_product(
                &(gig_gemm){s.m, s.k, s.n, 1.0f, d_c, right, add[0], d_in[0]->real + a * s.m * s.k, s.k}));
        if (d_in[1])
            GIG_TRY(gig_matrix_product(
                &(gig_gemm){s.k, s.n, s.m, 1.0f, left, d_c, add[1], d_in[1]->real + b * s.k * s.n, s.n}));
    }
    return GIG_OK;
}

/* ---- Attention: every product of a head ---- */

static gig_status attention_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    return gig_attention_forward(op, in, out, gig_matrix_product);
}

static gig_status attention_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                     const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)out;
    return gig_attention_backward(op, in, d_out, d_in, gig_matrix_product);
}

const gig_fast gig_fast_attention = {.forward = attention_forward, .backward = attention_backward};
const gig_fast gig_fast_matmul = {&gig_step_products, matmul_takes, matmul_forward, matmul_backward};
const gig_fast gig_fast_gemm = {.step = &gig_step_products};
