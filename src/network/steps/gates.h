/* SPDX-License-Identifier: Apache-2.0 */
/* Activations that keep their slopes (rows with a `gate`), alone or behind a product. */
#ifndef GIG_NETWORK_STEPS_GATES_H
#define GIG_NETWORK_STEPS_GATES_H

#include "network/plan.h"

/* p[0] values, p[1] slopes, where x is unless there is a p[2] with it; action->self is the op. */
gig_status gig_call_gate(const gig_action *action, void *const *pointers);
/* The gradient of out becomes that of the gate's input, instead. */
gig_status gig_gate_backward(gig_plan *plan, const gig_op *op, const gig_cell *out, gig_place slopes);

#endif
