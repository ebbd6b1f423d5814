/* SPDX-License-Identifier: Apache-2.0 */
/* Where the indices of Gather, GatherElements, GatherND and the Scatter operators point: runs of consecutive elements
 * of the data. Everything else about these operators is the same. */
#ifndef GIG_NETWORK_LOCATE_PLACES_H
#define GIG_NETWORK_LOCATE_PLACES_H

#include "network/operator.h"

typedef enum gig_addressing {
    GIG_BY_AXIS,      /* Gather: indices choose slices of one axis */
    GIG_BY_ELEMENT,   /* GatherElements, ScatterElements: one index for each element, along one axis */
    GIG_BY_COORDINATE /* GatherND, ScatterND: the last axis of indices holds the leading coordinates of a slice */
} gig_addressing;

/* How indices address data; op->params of these operators. */
typedef struct gig_address {
    gig_addressing how;
    int axis;  /* BY_AXIS, BY_ELEMENT */
    int batch; /* BY_COORDINATE: leading axes that data and indices share */
} gig_address;

/* Run j of the gathered elements starts at data element at[j]. */
typedef struct gig_places {
    int64_t count, run;
    int32_t *at; /* gig_free it */
} gig_places;

/* Reads the indices, each checked against the data's dims: negative ones count from the end; GIG_EFORMAT beyond. The
 * dims must fit together: gig_address_check. */
gig_status gig_places_create(gig_places *out, const gig_address *address, const gig_tensor *data,
                             const gig_tensor *indices);

/* Ranks and dims of data and indices fit the addressing; where the indices are constant, they are within range. */
gig_status gig_address_check(const gig_address *address, const gig_tensor *data, const gig_tensor *indices);

/* Operators that write, in scatter.c. */
gig_status gig_scatter_elements_infer(gig_op *op);
gig_status gig_scatter_nd_infer(gig_op *op);
gig_status gig_scatter_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out);
gig_status gig_scatter_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                const gig_tensor *const *d_out, gig_tensor *const *d_in);

#endif
