/* SPDX-License-Identifier: Apache-2.0 */
#include "network/locate/mapping.h"
#include "network/kernels/permute.h"
#include <string.h>

gig_status gig_mapping_create(gig_mapping **out, gig_op *op, int rank, const int64_t *dims)
{
    size_t entries = 0;
    int empty = 0;
    for (int i = 0; i < rank; i++) {
        entries += (size_t)dims[i];
        empty |= dims[i] == 0;
    }
    if (empty) entries = 0;
    *out = NULL;
    GIG_TRY(gig_op_charge(op, entries * sizeof *(*out)->table[0]));
    gig_mapping *mapping = gig_alloc(1, sizeof *mapping + entries * sizeof *mapping->table[0]);
    *out = op->params = mapping;
    if (!mapping) return gig_alloc_status();
    *mapping = (gig_mapping){.rank = empty ? 1 : rank, .run = 1, .axes = rank}; /* empty: one axis without entries */
    memcpy(mapping->sizes, dims, (size_t)rank * sizeof *dims);
    if (empty) return GIG_OK;
    int32_t *table = (int32_t *)(void *)(mapping + 1);
    for (int i = 0; i < rank; i++) {
        mapping->dims[i] = dims[i];
        mapping->table[i] = table;
        table += dims[i];
    }
    return GIG_OK;
}

void gig_mapping_affine(gig_mapping *mapping, int axis, int64_t start, int64_t step)
{
    mapping->steps[axis] = step;
    for (int64_t i = 0; i < mapping->dims[axis]; i++) mapping->table[axis][i] = (int32_t)(start + i * step);
}

/* Whether the axis moves by `step` each time, from wherever it starts, with no padding. */
static int steady(const gig_mapping *mapping, int axis, int64_t step)
{
    const int32_t *table = mapping->table[axis];
    if (mapping->dims[axis] == 0 || table[0] == GIG_NOWHERE) return 0;
    for (int64_t i = 1; i < mapping->dims[axis]; i++)
        if (table[i] != table[0] + i * step) return 0;
    return 1;
}

void gig_mapping_settle(gig_mapping *mapping)
{
    mapping->base = 0;
    mapping->run = 1;
    mapping->padded = 0;
    for (int axis = 0; axis < mapping->rank; axis++)
        for (int64_t i = 0; i < mapping->dims[axis]; i++) mapping->padded |= mapping->table[axis][i] == GIG_NOWHERE;
    while (mapping->rank && steady(mapping, mapping->rank - 1, mapping->run)) {
        int axis = --mapping->rank;
        mapping->base += mapping->table[axis][0];
        mapping->run *= mapping->dims[axis];
    }
}

void gig_dense_strides(int64_t *strides, int rank, const int64_t *dims)
{
    int64_t stride = 1;
    for (int i = rank - 1; i >= 0; i--) {
        strides[i] = stride;
        stride *= dims[i];
    }
}

/* ---- the walk: one step is one row, the entries of the last table ---- */

typedef struct walk {
    const gig_mapping *mapping;
    int64_t index[GIG_MAX_RANK];
    int64_t length;       /* entries of a row, `run` elements each */
    const int32_t *table; /* of the row; NULL: one entry at offset 0 */
    int64_t offset;       /* of the row in the input; meaningless when nowhere */
    int nowhere;          /* the whole row is padding */
    int done;
} walk;

static void walk_look(walk *w)
{
    w->offset = w->mapping->base;
    w->nowhere = 0;
    for (int i = 0; i < w->mapping->rank - 1; i++) {
        int32_t at = w->mapping->table[i][w->index[i]];
        w->nowhere |= at == GIG_NOWHERE;
        w->offset += at;
    }
}

static walk walk_begin(const gig_mapping *mapping)
{
    walk w = {.mapping = mapping, .length = 1};
    for (int i = 0; i < mapping->rank; i++) w.done |= mapping->dims[i] == 0;
    if (mapping->rank) {
        w.length = mapping->dims[mapping->rank - 1];
        w.table = mapping->table[mapping->rank - 1];
    }
    if (!w.done) walk_look(&w);
    return w;
}

static void walk_next(walk *w)
{
    int axis = w->mapping->rank - 2;
    while (axis >= 0 && ++w->index[axis] == w->mapping->dims[axis]) w->index[axis--] = 0;
    if (axis < 0)
        w->done = 1;
    else
        walk_look(w);
}

/* Where entry i of the row comes from, GIG_NOWHERE: padding. */
static int64_t walk_entry(const walk *w, int64_t i)
{
    int32_t at = w->table ? w->table[i] : 0;
    return w->nowhere || at == GIG_NOWHERE ? GIG_NOWHERE : w->offset + at;
}

/* ---- moving ---- */

static void gather_reals(float *out, const walk *w, const float *in, float fill)
{
    int64_t run = w->mapping->run;
    if (run == 1 && w->table && !w->mapping->padded) { /* the common Transpose or Slice, without a branch inside */
        const float *row = in + w->offset;
        for (int64_t i = 0; i < w->length; i++) out[i] = row[w->table[i]];
        return;
    }
    for (int64_t i = 0; i < w->length; i++, out += run) {
        int64_t from = walk_entry(w, i);
        if (run == 1)
            *out = from == GIG_NOWHERE ? fill : in[from];
        else if (from != GIG_NOWHERE)
            memcpy(out, in + from, (size_t)run * sizeof *out);
        else
            for (int64_t j = 0; j < run; j++) out[j] = fill;
    }
}

static void gather_wholes(int64_t *out, const walk *w, const int64_t *in, int64_t fill)
{
    int64_t run = w->mapping->run;
    for (int64_t i = 0; i < w->length; i++, out += run) {
        int64_t from = walk_entry(w, i);
        for (int64_t j = 0; j < run; j++) out[j] = from == GIG_NOWHERE ? fill : in[from + j];
    }
}

void gig_mapping_gather(gig_tensor *out, const gig_mapping *mapping, const gig_tensor *in, const void *fill)
{
    int64_t at = 0;
    for (walk w = walk_begin(mapping); !w.done; walk_next(&w)) {
        if (in->type == GIG_FLOAT32)
            gather_reals(out->real + at, &w, in->real, fill ? *(const float *)fill : 0);
        else
            gather_wholes(out->whole + at, &w, in->whole, fill ? *(const int64_t *)fill : 0);
        at += w.length * mapping->run;
    }
}

void gig_mapping_spread(gig_tensor *d_in, const gig_mapping *mapping, const float *d_out)
{
    int64_t run = mapping->run;
    memset(d_in->data, 0, gig_tensor_bytes(d_in));
    for (walk w = walk_begin(mapping); !w.done; walk_next(&w))
        for (int64_t i = 0; i < w.length; i++, d_out += run) {
            int64_t from = walk_entry(&w, i);
            if (from == GIG_NOWHERE) continue;
            for (int64_t j = 0; j < run; j++) d_in->real[from + j] += d_out[j];
        }
}

double gig_mapping_fill_gradient(const gig_mapping *mapping, const float *d_out)
{
    double sum = 0;
    for (walk w = walk_begin(mapping); !w.done; walk_next(&w))
        for (int64_t i = 0; i < w.length; i++, d_out += mapping->run) {
            if (walk_entry(&w, i) != GIG_NOWHERE) continue;
            for (int64_t j = 0; j < mapping->run; j++) sum += d_out[j];
        }
    return sum;
}

gig_status gig_mapping_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    gig_mapping_gather(out[0], op->params, in[0], NULL);
    return GIG_OK;
}

gig_status gig_mapping_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)in, (void)out;
    if (d_in[0]) gig_mapping_spread(d_in[0], op->params, d_out[0]->real);
    return GIG_OK;
}

/* ---- permutations ---- */

static int permutation_takes(const gig_op *op)
{
    return op->in[0]->type == GIG_FLOAT32;
}

static gig_status permutation_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const gig_mapping *m = op->params;
    int64_t dense[GIG_MAX_RANK];
    gig_dense_strides(dense, m->axes, m->sizes);
    gig_permute(out[0]->real, in[0]->real, m->axes, m->sizes, dense, m->steps);
    return GIG_OK;
}

static gig_status permutation_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                       const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    const gig_mapping *m = op->params;
    int64_t dense[GIG_MAX_RANK];
    (void)in, (void)out;
    gig_dense_strides(dense, m->axes, m->sizes);
    if (d_in[0]) gig_permute(d_in[0]->real, d_out[0]->real, m->axes, m->sizes, m->steps, dense);
    return GIG_OK;
}

const gig_fast gig_fast_permutation = {
    .takes = permutation_takes, .forward = permutation_forward, .backward = permutation_backward};
