/* SPDX-License-Identifier: Apache-2.0 */
/* Iterates over a dense output and up to four operands that are broadcast to it, row by row. */
#ifndef GIG_NETWORK_LOCATE_BROADCAST_H
#define GIG_NETWORK_LOCATE_BROADCAST_H

#include "network/operator.h"

enum { GIG_MAX_OPERANDS = 4 };

/* One row is `length` consecutive elements of the output, the first at `at`; operand i's element j of the row is at
 * offset[i] + j * step[i] (in elements). Neighbouring dims are merged where every operand allows it, so equal shapes
 * give a single row, and step is 0 or 1 for dense operands. Use:
 *     gig_rows rows;
 *     for (gig_rows_begin(&rows, rank, dims, count, strides); !rows.done; gig_rows_next(&rows)) ... */
typedef struct gig_rows {
    int64_t length, at;
    int64_t offset[GIG_MAX_OPERANDS], step[GIG_MAX_OPERANDS];
    int done;
    int operands, rank; /* merged rank; merged dim 0 is the innermost, the row */
    int64_t dims[GIG_MAX_RANK], index[GIG_MAX_RANK], stride[GIG_MAX_OPERANDS][GIG_MAX_RANK];
} gig_rows;

void gig_rows_begin(gig_rows *rows, int rank, const int64_t *dims, int operands, const gig_strides *strides);
void gig_rows_next(gig_rows *rows);

/* ---- reducing over the dims along which a part is broadcast ---- */

/* A walk over some dims of a dense tensor, innermost first; `offset` is where it stands. */
typedef struct gig_broadcast_walk {
    int rank;
    int64_t dims[GIG_MAX_RANK], stride[GIG_MAX_RANK], index[GIG_MAX_RANK], offset;
} gig_broadcast_walk;
int gig_broadcast_walk_next(gig_broadcast_walk *walk); /* 0, and back at the start, after the last */

enum { GIG_REDUCE_BLOCK = 64 };

/* out[t], t < width <= GIG_REDUCE_BLOCK, from the elements from[walk.offset + r + t] for r < run and every place of the
 * walk (passed by value). width or run is 1. `out` and `from` are of the tensors' type. */
typedef void gig_reduce_kernel(void *out, const void *from, int64_t width, int64_t run, gig_broadcast_walk walk);
/* Calls the kernel for every element of `part` (dense; broadcasts to rank/dims) over the elements of `full`
 * (dense, rank/dims) that belong to it. size: bytes of one element. An empty `full` gives run 0. */
void gig_reduce(void *part_data, const gig_tensor *part, const void *full, int rank, const int64_t *dims, size_t size,
                gig_reduce_kernel *kernel);

/* Sums in double, the same for any vector length: of a list, and as a kernel. */
double gig_sum(const float *values, int64_t count);
void gig_reduce_sum(void *out, const void *from, int64_t width, int64_t run, gig_broadcast_walk walk);

/* ---- two operands ---- */

/* Two inputs of one type; output 0 gets the broadcast dims and the type of input 0. Before opset 7 the second operand
 * fits the first: same dims, or with broadcast = 1 a run of its dims that ends with the last or starts at `axis`. */
gig_status gig_op_infer_binary(gig_op *op);
/* The same for inputs of any two types. */
gig_status gig_op_infer_binary_dims(gig_op *op);
/* Begins a walk over output 0 with inputs first, first + 1, .... */
void gig_op_rows(gig_rows *rows, const gig_op *op, size_t first, int operands);
/* d_in[i] = sum of `full` (dims of output 0) over what input i was broadcast along. */
void gig_op_reduce_to(const gig_op *op, gig_tensor *d_in, const float *full, size_t i);

#endif
