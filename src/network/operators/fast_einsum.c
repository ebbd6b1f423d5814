/* SPDX-License-Identifier: Apache-2.0 */
/* Einsum of two operands as matrix products, one for each value of the labels that stand in all three terms. With the
 * roles of the terms changed, gradients are such products too. A term whose labels do not lie as a matrix is copied. */
#include "network/dnnl/dnnl.h"
#include "network/kernels/permute.h"
#include "network/operators/einsum.h"
#include <string.h>

/* Labels that go through a product together, in the order of one of the terms. */
typedef struct group {
    int count;
    int labels[GIG_MAX_RANK];
    int64_t size; /* of all of them */
} group;

/* result [batch, rows, columns] = sum over depth of left [batch, rows, depth] right [batch, depth, columns] */
typedef struct roles {
    int result, left, right; /* ports */
    group batch, rows, columns, depth;
} roles;

/* One term as matrices: element (i, j) of one at i * row + j * column. */
typedef struct matrices {
    float *data;
    float *copy; /* the same where it was made here; to be freed */
    int transposed;
    int64_t row; /* what one row, as stored, is from the next */
    int64_t batch[GIG_MAX_RANK];
} matrices;

/* ---- which equations ---- */

static int stands_in(const gig_einsum *e, int port, int label)
{
    int times = 0;
    for (int i = 0; i < e->rank[port]; i++) times += e->labels[port][i] == label;
    return times;
}

/* Every label of more than one cell stands once in two terms at least, and is broadcast in none. */
static int takes(const gig_op *op)
{
    const gig_einsum *e = op->params;
    if (e->ports != 3 || e->empty) return 0;
    for (int label = 0; label < GIG_EINSUM_LABELS; label++) {
        int terms = 0;
        if (!e->used[label] || e->size[label] == 1) continue;
        for (int port = 0; port < 3; port++) {
            int times = stands_in(e, port, label);
            if (times > 1 || (times && !e->stride[port][label])) return 0;
            terms += times;
        }
        if (terms < 2) return 0;
    }
    return 1;
}

/* ---- groups ---- */

/* Labels of `port` that stand in `second` and stand (1) or do not (0) in `third`. */
static group group_of(const gig_einsum *e, int port, int second, int third, int in_third)
{
    group g = {.size = 1};
    for (int i = 0; i < e->rank[port]; i++) {
        int label = e->labels[port][i];
        if (e->size[label] == 1 || !stands_in(e, second, label) || stands_in(e, third, label) != in_third) continue;
        g.labels[g.count++] = label;
        g.size *= e->size[label];
    }
    return g;
}

static roles roles_of(const gig_einsum *e, int result, int left, int right)
{
    return (roles){result,
                   left,
                   right,
                   group_of(e, result, left, right, 1),
                   group_of(e, result, left, right, 0),
                   group_of(e, result, right, left, 0),
                   group_of(e, left, right, result, 0)};
}

/* Whether a term steps through the group as through one axis; what from one cell to the next. */
static int steps_evenly(int64_t *step, const gig_einsum *e, int port, const group *g)
{
    *step = 0;
    for (int i = g->count - 1; i >= 0; i--) {
        int64_t here = e->stride[port][g->labels[i]], behind = i + 1 < g->count ? g->labels[i + 1] : -1;
        if (behind < 0)
            *step = here;
        else if (here != e->stride[port][behind] * e->size[behind])
            return 0;
    }
    return 1;
}

/* ---- terms as matrices ---- */

/* The term as it lies, where that is matrices of rows x columns or their transposes. */
static int lies_as_matrices(matrices *m, const gig_einsum *e, int port, const group *rows, const group *columns)
{
    int64_t row, column;
    if (!steps_evenly(&row, e, port, rows) || !steps_evenly(&column, e, port, columns)) return 0;
    m->transposed = columns->size > 1 && column != 1;
    int64_t along = m->transposed ? row : column, across = m->transposed ? column : row;
    int64_t width = m->transposed ? rows->size : columns->size, height = m->transposed ? columns->size : rows->size;
    m->row = height == 1 ? width : across;
    return (width == 1 || along == 1) && m->row >= width;
}

/* Dims of a term in the order batch, rows, columns; its own steps, and those of a dense copy in that order. */
static int axes_of(int64_t *dims, int64_t *own, int64_t *dense, const gig_einsum *e, int port,
                   const group *const groups[3])
{
    int rank = 0;
    int64_t step = 1;
    for (int g = 0; g < 3; g++)
        for (int i = 0; i < groups[g]->count; i++, rank++) {
            dims[rank] = e->size[groups[g]->labels[i]];
            own[rank] = e->stride[port][groups[g]->labels[i]];
        }
    for (int i = rank - 1; i >= 0; i--) {
        dense[i] = step;
        step *= dims[i];
    }
    return rank;
}

/* A factor or the result: its data, and what its rows and columns are. */
typedef struct term {
    int port;
    float *data;
    const group *rows, *columns;
} term;

/* copy: where it does not lie as matrices, it is copied in (a factor), or only made room for. */
static gig_status open_term(matrices *m, const gig_einsum *e, const roles *r, term of, int copy)
{
    const group *rows = of.rows, *columns = of.columns;
    int64_t dims[GIG_MAX_RANK], own[GIG_MAX_RANK], dense[GIG_MAX_RANK];
    int rank = axes_of(dims, own, dense, e, of.port, (const group *const[]){&r->batch, rows, columns});
    *m = (matrices){.data = of.data};
    int as_it_is = lies_as_matrices(m, e, of.port, rows, columns) && (copy || !m->transposed);
    memcpy(m->batch, as_it_is ? own : dense, (size_t)r->batch.count * sizeof *own);
    if (as_it_is) return GIG_OK;
    m->data = m->copy = gig_alloc((size_t)(r->batch.size * rows->size * columns->size), sizeof *m->copy);
    if (!m->copy) return gig_alloc_status();
    m->transposed = 0;
    m->row = columns->size;
    if (copy) gig_permute(m->copy, of.data, rank, dims, dense, own);
    return GIG_OK;
}

static void close_result(const matrices *m, const gig_einsum *e, int port, float *data, const roles *r)
{
    int64_t dims[GIG_MAX_RANK], own[GIG_MAX_RANK], dense[GIG_MAX_RANK];
    int rank = axes_of(dims, own, dense, e, port, (const group *const[]){&r->batch, &r->rows, &r->columns});
    if (m->copy) gig_permute(data, m->copy, rank, dims, own, dense);
}

/* ---- products ---- */

static gig_status multiply(const gig_einsum *e, const roles *r, const matrices *to, const matrices *left,
                           const matrices *right)
{
    int64_t index[GIG_MAX_RANK] = {0}, at[3] = {0};
    for (int64_t n = 0; n < r->batch.size; n++) {
        const gig_matrix a = {left->data + at[1], left->row, left->transposed};
        const gig_matrix b = {right->data + at[2], right->row, right->transposed};
        GIG_TRY(gig_matrix_product(
            &(gig_gemm){r->rows.size, r->columns.size, r->depth.size, 1, a, b, 0, to->data + at[0], to->row}));
        for (int i = r->batch.count - 1; i >= 0; i--) {
            int64_t size = e->size[r->batch.labels[i]], more = ++index[i] < size, steps = more ? 1 : 1 - size;
            at[0] += steps * to->batch[i];
            at[1] += steps * left->batch[i];
            at[2] += steps * right->batch[i];
            if (more) break;
            index[i] = 0;
        }
    }
    return GIG_OK;
}

/* Whether the result lies as transposes of matrices: then the factors change sides. */
static int is_turned(const gig_einsum *e, const roles *r)
{
    matrices m;
    return lies_as_matrices(&m, e, r->result, &r->rows, &r->columns) && m.transposed;
}

static gig_status compute(const gig_einsum *e, int result, int left, int right, float *to, float *const *data)
{
    roles r = roles_of(e, result, left, right);
    if (is_turned(e, &r)) r = roles_of(e, result, right, left);
    matrices m[3] = {{0}};
    gig_status status = open_term(&m[0], e, &r, (term){result, to, &r.rows, &r.columns}, 0);
    if (status == GIG_OK) status = open_term(&m[1], e, &r, (term){r.left, data[r.left], &r.rows, &r.depth}, 1);
    if (status == GIG_OK) status = open_term(&m[2], e, &r, (term){r.right, data[r.right], &r.depth, &r.columns}, 1);
    if (status == GIG_OK) status = multiply(e, &r, &m[0], &m[1], &m[2]);
    if (status == GIG_OK) close_result(&m[0], e, result, to, &r);
    for (int i = 0; i < 3; i++) gig_free(m[i].copy);
    return status;
}

static gig_status forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    float *const data[] = {NULL, in[0]->real, in[1]->real};
    return compute(op->params, 0, 1, 2, out[0]->real, data);
}

static gig_status backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                           const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)out;
    float *const data[] = {d_out[0]->real, in[0]->real, in[1]->real};
    if (d_in[0]) GIG_TRY(compute(op->params, 1, 0, 2, d_in[0]->real, data));
    return d_in[1] ? compute(op->params, 2, 0, 1, d_in[1]->real, data) : GIG_OK;
}

const gig_fast gig_fast_einsum = {.takes = takes, .forward = forward, .backward = backward};
