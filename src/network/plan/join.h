/* SPDX-License-Identifier: Apache-2.0 */
/* Several operators that compute one function become one operator, which reads and writes memory once. They stay as
 * they are if another node, or the caller, needs an intermediate value. */
#ifndef GIG_NETWORK_PLAN_JOIN_H
#define GIG_NETWORK_PLAN_JOIN_H

#include "network/plan.h"

enum { GIG_JOIN_OPS = 9, GIG_JOIN_INPUTS = 3, GIG_JOIN_ATTRIBUTES = 2 };

/* What is to become what. ops: by index, in the order of the graph; the last one's result is the result of all, and it
 * becomes the operator `name` of the newest opset. The first input was read `reads` times and is read once after it. */
typedef struct gig_join {
    size_t count, ops[GIG_JOIN_OPS];
    const char *name;
    size_t input_count;
    int inputs[GIG_JOIN_INPUTS], reads;
    size_t attribute_count;
    gig_attribute attributes[GIG_JOIN_ATTRIBUTES];
} gig_join;

gig_status gig_plan_join(gig_plan *plan, const gig_join *join);

/* Whether the op's first output exists and it is of this kind. */
int gig_op_is(const gig_op *op, gig_kind kind);
/* Whether the tensor is one real constant, about `wanted`. */
int gig_is_number(const gig_tensor *tensor, double wanted);

gig_status gig_plan_join_gates(gig_plan *plan); /* join_gates.c */
gig_status gig_plan_join_norms(gig_plan *plan); /* join_norms.c */

#endif
