/* SPDX-License-Identifier: Apache-2.0 */
/* Data movement as a table per axis: output element (i0, i1, ...) is input element table[0][i0] + table[1][i1] + ...,
 * or padding where any of these is GIG_NOWHERE. Transpose, Slice, Expand, Tile, Pad, DepthToSpace and nearest-neighbour
 * resizing are such tables; forward gathers through them, backward adds back through them. */
#ifndef GIG_NETWORK_LOCATE_MAPPING_H
#define GIG_NETWORK_LOCATE_MAPPING_H

#include "network/operator.h"

enum { GIG_NOWHERE = -1 };

/* One gig_alloc block: may be op->params. The axes are those of the walk; an operator may see its output under other
 * dims of the same count. */
typedef struct gig_mapping {
    int rank;
    int64_t dims[GIG_MAX_RANK];
    int64_t base; /* added to every offset */
    int64_t run;  /* consecutive elements that move together; set by gig_mapping_settle */
    int padded;   /* some entry is GIG_NOWHERE; set by gig_mapping_settle */
    int32_t *table[GIG_MAX_RANK];
    /* As created, before axes were joined: axes, their sizes, and the steps of those set by gig_mapping_affine. */
    int axes;
    int64_t sizes[GIG_MAX_RANK], steps[GIG_MAX_RANK];
} gig_mapping;

/* op->params becomes a mapping with tables of mapping->dims[axis] entries each, unset: dims[axis], or none anywhere
 * where nothing is moved. The product of dims must have passed gig_size_of_dims. */
gig_status gig_mapping_create(gig_mapping **out, gig_op *op, int rank, const int64_t *dims);
/* table[axis][i] = start + i * step */
void gig_mapping_affine(gig_mapping *mapping, int axis, int64_t start, int64_t step);
/* After the last table is set: joins inner axes that are contiguous in the input. */
void gig_mapping_settle(gig_mapping *mapping);

/* fill: the element (float or int64_t, as the tensors) that padding holds; NULL: zero. */
void gig_mapping_gather(gig_tensor *out, const gig_mapping *mapping, const gig_tensor *in, const void *fill);
/* d_in (overwritten) receives the sum of all d_out that read it. */
void gig_mapping_spread(gig_tensor *d_in, const gig_mapping *mapping, const float *d_out);
/* The sum of d_out over padding: the gradient of fill. */
double gig_mapping_fill_gradient(const gig_mapping *mapping, const float *d_out);

/* Strides of a dense tensor, in elements. */
void gig_dense_strides(int64_t *strides, int rank, const int64_t *dims);

/* forward and backward of an operator whose params are a mapping from input 0 to output 0. */
gig_status gig_mapping_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out);
gig_status gig_mapping_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                const gig_tensor *const *d_out, gig_tensor *const *d_in);

/* The same where every axis is affine and each input is read once (Transpose and similar ones), for floating-point
 * numbers. */
extern const gig_fast gig_fast_permutation;

#endif
