/* SPDX-License-Identifier: Apache-2.0 */
/* The path, stored under a tolerance: 2 bits per feature and step, and what was evaluated at points of the steps.
 *
 * A step goes straight from x0 to x1. A feature stayed, or went to the walk's end, or elsewhere (its float follows in
 * `elsewhere`). At a node (a fraction `at` of the step) F, the gradient of the features that moved, and
 * D = sum d g are known; the piece between nodes a and b is attributed (b - a) d (g_a + g_b) / 2. */
#ifndef GIG_PATH_RECORD_H
#define GIG_PATH_RECORD_H

#include "path/driver.h"
#include <stdatomic.h>
#include <stdint.h>

typedef struct gig_kept_node {
    double at, value, dot;
    float *gradient; /* `moved` floats */
} gig_kept_node;

/* 32 features, the first in the lowest bit. */
typedef struct gig_kept_word {
    uint32_t ended, elsewhere;
} gig_kept_word;

typedef struct gig_kept_step {
    gig_kept_word *words;
    float *elsewhere;
    size_t moved;
    gig_kept_node *nodes; /* ascending */
    size_t node_count, node_capacity;
} gig_kept_step;

typedef struct gig_kept_piece {
    size_t step, node;   /* between node and node + 1 */
    double error;        /* F_b - F_a - attributed */
    gig_kept_node found; /* its middle */
} gig_kept_piece;

struct gig_record {
    size_t features, steps;
    gig_kept_step *step;
    atomic_size_t bytes;
    size_t limit;
    int by_trapezoid; /* else by the rule, with one piece a step */
    size_t piece_count;
    gig_kept_piece *pieces; /* of the round under way, in path order */
    /* A cursor on the path: x at the start of step `at_step`, and the end of the walk it belongs to. */
    size_t at_step, at_walk, walk_end; /* walk_end: first step of the next walk */
    float *x, *end_room;
    const float *end;
};

/* Sets x to the start of step `step`; cheap if steps are read in ascending order. */
void gig_record_seek(gig_record *record, const gig_active_chain *active, size_t step);
/* x1 - x0 of the current step for each feature that moves, in order; where (or NULL): which features. */
void gig_record_moves(double *displacements, uint32_t *where, const gig_record *record);
/* middle = the point at the fraction `at` of the current step. */
void gig_record_middle(float *middle, const gig_record *record, double at);
/* A node where F is `value`, with the gradient of those features and D. */
gig_status gig_record_node(gig_kept_node *out, gig_record *record, const gig_kept_step *step, double at, double value,
                           const float *gradient, const double *displacements);

/* A piece of a step: the change of F over it, and its attribution, before * D_a + after * D_b. */
typedef struct gig_piece {
    const gig_kept_node *a, *b;
    double before, after, width, change;
} gig_piece;
size_t gig_record_piece_count(const gig_record *record, const gig_active_chain *active, size_t step);
gig_piece gig_record_piece(const gig_record *record, const gig_active_chain *active, size_t step, size_t piece);
double gig_piece_sum(const gig_piece *piece);

#endif
