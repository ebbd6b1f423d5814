/* SPDX-License-Identifier: Apache-2.0 */
/* Gemm and MatMul. */
#include "network/operators/einsum.h"
#include <inttypes.h>
#include <string.h>

/* Element (i, j) is data[i * row + j * column]. */
typedef struct matrix {
    const float *data;
    int64_t row, column;
} matrix;

static matrix matrix_of(const float *data, int64_t columns, int transposed)
{
    return transposed ? (matrix){data, 1, columns} : (matrix){data, columns, 1};
}

/* One row of the product: row[j] = sum over k of a[k] * b(k, j). */
static void multiply_row(double *row, int64_t columns, int64_t depth, const float *a, int64_t step, matrix b)
{
    if (b.column != 1 && b.row == 1) { /* columns of b are contiguous: inner products */
        for (int64_t j = 0; j < columns; j++) {
            double sum = 0;
            for (int64_t k = 0; k < depth; k++) sum += (double)a[k * step] * b.data[j * b.column + k];
            row[j] = sum;
        }
        return;
    }
    for (int64_t j = 0; j < columns; j++) row[j] = 0;
    for (int64_t k = 0; k < depth; k++) {
        const float *from = b.data + k * b.row;
        double weight = a[k * step];
        if (b.column == 1)
            for (int64_t j = 0; j < columns; j++) row[j] += weight * from[j];
        else
            for (int64_t j = 0; j < columns; j++) row[j] += weight * from[j * b.column];
    }
}

/* Of a product: a is [rows, depth], b [depth, columns]. */
typedef struct sizes {
    int64_t rows, columns, depth;
} sizes;

/* out [rows, columns], dense: alpha * a b; added to what out holds when `add`. */
static gig_status multiply(float *out, sizes of, double alpha, matrix a, matrix b, int add)
{
    const int64_t columns = of.columns;
    double *row = gig_alloc((size_t)columns, sizeof *row);
    if (!row) return gig_alloc_status();
    for (int64_t i = 0; i < of.rows; i++, out += columns) {
        multiply_row(row, columns, of.depth, a.data + i * a.row, a.column, b);
        for (int64_t j = 0; j < columns; j++) out[j] = (float)(alpha * row[j] + (add ? out[j] : 0));
    }
    gig_free(row);
    return GIG_OK;
}

/* ---- Gemm: alpha * A' B' + beta * C, A' [m, k], B' [k, n], C broadcast to [m, n] ---- */

typedef struct gemm {
    int64_t m, n, k;
    int transposed_a, transposed_b;
    double alpha, beta;
} gemm;

static const gig_tensor *bias_of(const gig_op *op, const gig_tensor *const *in)
{
    return op->in_count > 2 ? in[2] : NULL;
}

static gig_status check_bias(const gig_tensor *c, int64_t m, int64_t n)
{
    int64_t wide = c->rank > 0 ? c->dims[c->rank - 1] : 1, high = c->rank > 1 ? c->dims[c->rank - 2] : 1;
    if (c->rank > 2 || (wide != 1 && wide != n) || (high != 1 && high != m))
        return gig_fail(GIG_EFORMAT, "C cannot be broadcast to [%" PRId64 ",%" PRId64 "]", m, n);
    return GIG_OK;
}

static gig_status infer_gemm(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 2, 3));
    const gig_tensor *a = op->in[0], *b = op->in[1], *c = op->in_count > 2 ? op->in[2] : NULL;
    for (size_t i = 0; i < (c ? 3 : 2); i++) GIG_TRY(gig_op_expect_type(op, i, GIG_FLOAT32));
    if (a->rank != 2 || b->rank != 2) return gig_fail(GIG_EFORMAT, "A and B have ranks %d and %d", a->rank, b->rank);
    gemm *kept = op->params = gig_alloc(1, sizeof *kept);
    if (!kept) return gig_alloc_status();
    int at = gig_node_int(op->node, "transA", 0) != 0, bt = gig_node_int(op->node, "transB", 0) != 0;
    *kept = (gemm){.m = a->dims[at], .k = a->dims[!at], .n = b->dims[!bt], .transposed_a = at, .transposed_b = bt};
    kept->alpha = gig_node_real(op->node, "alpha", 1);
    kept->beta = gig_node_real(op->node, "beta", 1);
    if (b->dims[bt] != kept->k)
        return gig_fail(GIG_EFORMAT, "A has %" PRId64 " columns, B %" PRId64 " rows", kept->k, b->dims[bt]);
    if (c) GIG_TRY(check_bias(c, kept->m, kept->n));
    return gig_op_set_output(op, 0, GIG_FLOAT32, 2, (const int64_t[]){kept->m, kept->n});
}

static gig_status gemm_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const gemm *g = op->params;
    const gig_tensor *c = bias_of(op, in);
    matrix a = matrix_of(in[0]->real, g->transposed_a ? g->m : g->k, g->transposed_a);
    matrix b = matrix_of(in[1]->real, g->transposed_b ? g->k : g->n, g->transposed_b);
    if (c) {
        gig_strides s;
        gig_broadcast_strides(&s, c, 2, out[0]->dims);
        for (int64_t i = 0; i < g->m; i++)
            for (int64_t j = 0; j < g->n; j++)
                out[0]->real[i * g->n + j] = (float)(g->beta * c->real[i * s.stride[0] + j * s.stride[1]]);
    }
    return multiply(out[0]->real, (sizes){g->m, g->n, g->k}, g->alpha, a, b, c != NULL);
}

static gig_status gemm_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)out;
    const gemm *g = op->params;
    matrix d = matrix_of(d_out[0]->real, g->n, 0), d_transposed = matrix_of(d_out[0]->real, g->n, 1);
    if (d_in[0]) { /* dA' = d B'^T; written transposed where A is: dA = B' d^T */
        matrix b = matrix_of(in[1]->real, g->transposed_b ? g->k : g->n, g->transposed_b);
        matrix b_transposed = {b.data, b.column, b.row};
        GIG_TRY(g->transposed_a ? multiply(d_in[0]->real, (sizes){g->k, g->m, g->n}, g->alpha, b, d_transposed, 0)
                                : multiply(d_in[0]->real, (sizes){g->m, g->k, g->n}, g->alpha, d, b_transposed, 0));
    }
    if (d_in[1]) { /* dB' = A'^T d, or dB = d^T A' */
        matrix a = matrix_of(in[0]->real, g->transposed_a ? g->m : g->k, g->transposed_a);
        matrix a_transposed = {a.data, a.column, a.row};
        GIG_TRY(g->transposed_b ? multiply(d_in[1]->real, (sizes){g->n, g->k, g->m}, g->alpha, d_transposed, a, 0)
                                : multiply(d_in[1]->real, (sizes){g->k, g->n, g->m}, g->alpha, a_transposed, d, 0));
    }
    if (op->in_count > 2 && d_in[2]) {
        gig_broadcast_reduce(d_in[2], d_out[0]->real, 2, d_out[0]->dims);
        for (size_t i = 0; i < gig_tensor_count(d_in[2]); i++) d_in[2]->real[i] *= (float)g->beta;
    }
    return GIG_OK;
}

/* ---- MatMul: NumPy's rule; matrices are the last two axes, the others are broadcast ---- */

typedef struct matmul {
    int64_t m, n, k;
    int rank; /* of the broadcast axes */
    int64_t dims[GIG_MAX_RANK];
    gig_strides a, b; /* in matrices, along the broadcast axes */
    int64_t count;    /* of matrices in the output */
} matmul;

/* The leading axes of an operand as a tensor of matrices. */
static gig_tensor leading(const gig_tensor *t)
{
    gig_tensor lead = {.rank = t->rank > 2 ? t->rank - 2 : 0};
    memcpy(lead.dims, t->dims, sizeof lead.dims);
    return lead;
}

static gig_status broadcast_leading(matmul *p, const gig_tensor *a, const gig_tensor *b)
{
    p->rank = a->rank > b->rank ? a->rank : b->rank;
    p->count = 1;
    for (int i = 0; i < p->rank; i++) {
        int in_a = i - (p->rank - a->rank), in_b = i - (p->rank - b->rank);
        int64_t x = in_a < 0 ? 1 : a->dims[in_a], y = in_b < 0 ? 1 : b->dims[in_b];
        if (x != y && x != 1 && y != 1)
            return gig_fail(GIG_EFORMAT, "%" PRId64 " and %" PRId64 " matrices cannot be broadcast", x, y);
        p->dims[i] = x == 1 ? y : x;
        p->count *= p->dims[i];
    }
    gig_broadcast_strides(&p->a, a, p->rank, p->dims);
    gig_broadcast_strides(&p->b, b, p->rank, p->dims);
    return GIG_OK;
}

static gig_status infer_matmul(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 2, 2));
    for (size_t i = 0; i < 2; i++)
        if (op->in[i]->type != GIG_FLOAT32) return gig_fail(GIG_EUNSUPPORTED, "a product of integers");
    const gig_tensor *a = op->in[0], *b = op->in[1];
    if (!a->rank || !b->rank) return gig_fail(GIG_EFORMAT, "a matrix of rank 0");
    matmul *p = op->params = gig_alloc_zero(1, sizeof *p);
    if (!p) return gig_alloc_status();
    p->m = a->rank > 1 ? a->dims[a->rank - 2] : 1;
    p->k = a->dims[a->rank - 1];
    p->n = b->rank > 1 ? b->dims[b->rank - 1] : 1;
    if (b->dims[b->rank > 1 ? b->rank - 2 : 0] != p->k)
        return gig_fail(GIG_EFORMAT, "%" PRId64 " columns meet %" PRId64 " rows", p->k,
                        b->dims[b->rank > 1 ? b->rank - 2 : 0]);
    gig_tensor lead_a = leading(a), lead_b = leading(b);
    GIG_TRY(broadcast_leading(p, &lead_a, &lead_b));
    int64_t dims[GIG_MAX_RANK + 2];
    int rank = p->rank;
    memcpy(dims, p->dims, sizeof p->dims);
    if (a->rank > 1) dims[rank++] = p->m;
    if (b->rank > 1) dims[rank++] = p->n;
    GIG_TRY(gig_op_set_output(op, 0, GIG_FLOAT32, rank, dims));
    if (gig_tensor_count(&lead_b) == 1 && p->count > 1) { /* one b for all: the rows of all a are one matrix */
        p->m *= p->count;
        p->count = 1;
        p->rank = 0;
    }
    return GIG_OK;
}

/* Which matrices of a and b make matrix i of the output. */
static void operands_of(int64_t *a, int64_t *b, const matmul *p, int64_t i)
{
    *a = *b = 0;
    for (int d = p->rank - 1; d >= 0; d--) {
        *a += i % p->dims[d] * p->a.stride[d];
        *b += i % p->dims[d] * p->b.stride[d];
        i /= p->dims[d];
    }
}

static gig_status matmul_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const matmul *p = op->params;
    for (int64_t i = 0; i < p->count; i++) {
        int64_t a, b;
        operands_of(&a, &b, p, i);
        GIG_TRY(multiply(out[0]->real + i * p->m * p->n, (sizes){p->m, p->n, p->k}, 1,
                         matrix_of(in[0]->real + a * p->m * p->k, p->k, 0),
                         matrix_of(in[1]->real + b * p->k * p->n, p->n, 0), 0));
    }
    return GIG_OK;
}

/* da = d b^T, db = a^T d, added up over what each was broadcast to. */
static gig_status matmul_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                  const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)out;
    const matmul *p = op->params;
    for (int j = 0; j < 2; j++)
        if (d_in[j]) memset(d_in[j]->data, 0, gig_tensor_bytes(d_in[j]));
    for (int64_t i = 0; i < p->count; i++) {
        int64_t a, b;
        operands_of(&a, &b, p, i);
        matrix d = matrix_of(d_out[0]->real + i * p->m * p->n, p->n, 0);
        if (d_in[0])
            GIG_TRY(multiply(d_in[0]->real + a * p->m * p->k, (sizes){p->m, p->k, p->n}, 1, d,
                             matrix_of(in[1]->real + b * p->k * p->n, p->n, 1), 1));
        if (d_in[1])
            GIG_TRY(multiply(d_in[1]->real + b * p->k * p->n, (sizes){p->k, p->n, p->m}, 1,
                             matrix_of(in[0]->real + a * p->m * p->k, p->k, 1), d, 1));
    }
    return GIG_OK;
}

static double gemm_products(const gig_op *op)
{
    return (double)gig_tensor_count(op->out[0]) * (double)op->in[0]->dims[gig_node_int(op->node, "transA", 0) ? 0 : 1];
}

static double matmul_products(const gig_op *op)
{
    const gig_tensor *a = op->in[0];
    return (double)gig_tensor_count(op->out[0]) * (double)a->dims[a->rank - 1];
}

const gig_operator gig_operators_matrix[] = {
    {"Gemm", 1, 0, GIG_OP_HAS_BIAS, GIG_NEEDS_INPUT_0 | GIG_NEEDS_INPUT_1, infer_gemm, gemm_forward, gemm_backward,
     .products = gemm_products, .fast = &gig_fast_gemm, .kind = GIG_KIND_GEMM},
    {"MatMul", 1, 0, 0, GIG_NEEDS_INPUT_0 | GIG_NEEDS_INPUT_1, infer_matmul, matmul_forward, matmul_backward,
     .products = matmul_products, .fast = &gig_fast_matmul},
    {"Einsum", 12, 0, 0, GIG_NEEDS_INPUTS, gig_einsum_infer, gig_einsum_forward, gig_einsum_backward,
     .products = gig_einsum_products, .fast = &gig_fast_einsum},
    {0},
};
