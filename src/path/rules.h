/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver needs to know about a rule. */
#ifndef GIG_PATH_RULES_H
#define GIG_PATH_RULES_H

#include "gig/path.h"

enum { GIG_MOST_STEPS = 100000000 };

/* Checks the number of steps: GIG_EARG, GIG_ELIMIT. */
gig_status gig_rule_check_steps(gig_rule rule, size_t steps);
int gig_rule_on_guides(gig_rule rule);
/* Can rule, adaptive, until, tolerance and close be combined? */
gig_status gig_rule_check_nodes(const gig_chain *chain, const gig_drive_options *options);
/* Are its nodes random, or unknown before the function has been evaluated? */
int gig_rule_finds_nodes(gig_rule rule);
/* Are its nodes on a curve the ends of the steps? */
int gig_rule_at_step_ends(gig_rule rule);

/* Which tangent its nodes need where a curve has corners. */
gig_side gig_rule_side(gig_rule rule);

/* Node k of a curve for any rule except Gauss-Legendre: its alpha, and *weight. */
double gig_rule_node(double *weight, gig_rule rule, size_t steps, size_t k);

/* A step attributes d (before g0 + after g1). */
typedef struct gig_rule_weights {
    double before, after;
} gig_rule_weights;
gig_rule_weights gig_rule_ends(gig_rule rule);

#endif
