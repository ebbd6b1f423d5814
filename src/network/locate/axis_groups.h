/* SPDX-License-Identifier: Apache-2.0 */
/* A tensor viewed along one axis: outer x length x inner; a group is `length` numbers with stride `inner`. */
#ifndef GIG_NETWORK_LOCATE_AXIS_GROUPS_H
#define GIG_NETWORK_LOCATE_AXIS_GROUPS_H

#include "network/operator.h"

typedef struct gig_groups {
    size_t outer, length, inner;
} gig_groups;

/* Dims axis to last (first <= last) are the group. */
static inline gig_groups gig_groups_along(const gig_tensor *x, int axis, int last)
{
    gig_groups g = {1, 1, 1};
    for (int d = 0; d < x->rank; d++) *(d < axis ? &g.outer : d <= last ? &g.length : &g.inner) *= (size_t)x->dims[d];
    return g;
}

static inline size_t gig_group_count(const gig_groups *g)
{
    return g->length ? g->outer * g->inner : 0;
}

/* Where group i starts. */
static inline size_t gig_group_start(const gig_groups *g, size_t i)
{
    return i / g->inner * g->length * g->inner + i % g->inner;
}

#endif
