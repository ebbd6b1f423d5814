/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products by oneDNN's sgemm: rows with the meaning of the plain ones, for real operands of rank 2 and more. */
#include "network/operators/attention.h"
#include "network/plan.h"
#include <string.h>

/* gig_matrix_product on dense matrices. */
static gig_status product(int transpose_a, int transpose_b, int64_t m, int64_t n, int64_t k, float alpha,
                          const float *a, const float *b, float beta, float *c)
{
    return gig_matrix_product(transpose_a, transpose_b, m, n, k, alpha, a, transpose_a ? m : k, b, transpose_b ? k : n,
                              beta, c, n);
}

/* ---- MatMul: [..., m, k] x [..., k, n], leading dims equal, or the second operand one matrix for all ---- */

typedef struct shape {
    int64_t count, m, n, k;
    int one_b; /* the second operand is a single matrix */
} shape;

static int matmul_shape(shape *out, const gig_op *op)
{
    const gig_tensor *a = op->in[0], *b = op->in[1];
    if (a->type != GIG_REAL || b->type != GIG_REAL || a->rank < 2 || b->rank < 2) return 0;
    *out = (shape){.count = 1, .m = a->dims[a->rank - 2], .k = a->dims[a->rank - 1], .n = b->dims[b->rank - 1]};
    out->one_b = b->rank == 2;
    if (!out->one_b && a->rank != b->rank) return 0;
    for (int i = 0; i + 2 < a->rank; i++) {
        if (!out->one_b && a->dims[i] != b->dims[i]) return 0;
        out->count *= a->dims[i];
    }
    if (out->one_b) { /* one tall matrix */
        out->m *= out->count;
        out->count = 1;
    }
    return 1;
}

static gig_status matmul_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    shape s;
    if (!matmul_shape(&s, op)) return gig_fail(GIG_EINTERNAL, "MatMul lost its shape");
    for (int64_t i = 0; i < s.count; i++)
        GIG_TRY(product(0, 0, s.m, s.n, s.k, 1.0f, in[0]->real + i * s.m * s.k, in[1]->real + i * s.k * s.n, 0.0f,
                        out[0]->real + i * s.m * s.n));
    return GIG_OK;
}

static gig_status matmul_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                  const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)out;
    shape s;
    if (!matmul_shape(&s, op)) return gig_fail(GIG_EINTERNAL, "MatMul lost its shape");
    for (int64_t i = 0; i < s.count; i++) {
        const float *d_c = d_out[0]->real + i * s.m * s.n;
        if (d_in[0])
            GIG_TRY(product(0, 1, s.m, s.k, s.n, 1.0f, d_c, in[1]->real + i * s.k * s.n, 0.0f,
                            d_in[0]->real + i * s.m * s.k));
        if (d_in[1])
            GIG_TRY(product(1, 0, s.k, s.n, s.m, 1.0f, in[0]->real + i * s.m * s.k, d_c, 0.0f,
                            d_in[1]->real + i * s.k * s.n));
    }
    return GIG_OK;
}

/* ---- Gemm: alpha op(A) op(B) + beta C with a constant or absent C of one row ---- */

static int gemm_is_usual(const gig_op *op)
{
    if (op->in[0]->type != GIG_REAL || gig_node_int(op->node, "transA", 0)) return 0;
    if (!op->in[1]->data) return 0;
    if (op->in_count < 3 || !op->in[2]) return 1;
    const gig_tensor *c = op->in[2];
    int64_t n = op->out[0]->dims[1];
    return c->data && c->rank > 0 && c->dims[c->rank - 1] == n && gig_tensor_count(c) == (size_t)n;
}

static gig_status gemm_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    int64_t m = out[0]->dims[0], n = out[0]->dims[1], k = in[0]->dims[1];
    float alpha = gig_node_real(op->node, "alpha", 1.0f), beta = gig_node_real(op->node, "beta", 1.0f);
    int has_c = op->in_count > 2 && in[2];
    for (int64_t i = 0; has_c && i < m; i++)
        for (int64_t j = 0; j < n; j++) out[0]->real[i * n + j] = beta * in[2]->real[j];
    return product(0, gig_node_int(op->node, "transB", 0) != 0, m, n, k, alpha, in[0]->real, in[1]->real,
                   has_c ? 1.0f : 0.0f, out[0]->real);
}

static gig_status gemm_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)out;
    int64_t m = d_out[0]->dims[0], n = d_out[0]->dims[1], k = op->in[0]->dims[1];
    float alpha = gig_node_real(op->node, "alpha", 1.0f);
    if (!d_in[0]) return GIG_OK;
    return product(0, gig_node_int(op->node, "transB", 0) == 0, m, k, n, alpha, d_out[0]->real, in[1]->real, 0.0f,
                   d_in[0]->real);
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

const gig_operator *gig_fast_row(const gig_op *op)
{
    static const gig_operator attention = {
        .name = "Attention", .forward = attention_forward, .backward = attention_backward};
    static const gig_operator matmul = {.name = "MatMul", .forward = matmul_forward, .backward = matmul_backward};
    static const gig_operator gemm = {.name = "Gemm", .forward = gemm_forward, .backward = gemm_backward};
    shape s;
    if (strcmp(op->row->name, "MatMul") == 0 && matmul_shape(&s, op)) return &matmul;
    if (strcmp(op->row->name, "Gemm") == 0 && gemm_is_usual(op)) return &gemm;
    if (strcmp(op->row->name, "Attention") == 0) return &attention;
    return NULL;
}
