/* SPDX-License-Identifier: Apache-2.0 */
/* Internals of the driver: running chains, their walks, and the workers that evaluate points.
 *
 *   next_walk.c     creates chains (in order) and hands their walks to workers
 *   worker.c   evaluates the current points of walks, in batches
 *   walk_*.c   what a walk does with the value and gradient it gets
 *   deliver.c  adds finished walks to their chain, in walk order, and delivers chains, in chain order
 *   refine.c   spends more gradients on steps that do not add up
 *
 * Consecutive walks of a chain share a point: the walk that starts there evaluates it and passes value (and gradient)
 * to the walk before, whose last step waits for them. */
#ifndef GIG_PATH_DRIVER_H
#define GIG_PATH_DRIVER_H

#include "base/memory.h"
#include "base/status.h"
#include "gig/path.h"
#include "path/functions.h"
#include "path/rules.h"
#include "path/sums.h"
#include <pthread.h>

typedef struct gig_drive gig_drive;
typedef struct gig_active_chain gig_active_chain;
typedef struct gig_walk gig_walk;
typedef struct gig_record gig_record;

/* The functions of a kind of walk. Called without the lock. */
typedef struct gig_walk_kind {
    /* Bytes of buffers; with walk->block set, also lays the pointers out in it. */
    size_t (*lay_out)(gig_walk *walk);
    /* The first point to be evaluated. */
    gig_status (*begin)(gig_walk *walk);
    /* walk->value and *walk->gradient are known: moves to the next point, or sets walk->finished. */
    gig_status (*seen)(gig_walk *walk);
    /* Called in walk order, when the end is known: does the last step, and adds the walk to the chain. */
    gig_status (*end)(gig_walk *walk);
} gig_walk_kind;
extern const gig_walk_kind gig_walk_guided; /* a guide's walk */
extern const gig_walk_kind gig_walk_steps;  /* a chunk of a curve whose nodes are step ends */
extern const gig_walk_kind gig_walk_nodes;  /* a chunk of a curve whose nodes are not step ends */
extern const gig_walk_kind gig_walk_probe;  /* values on a curve, before its nodes are chosen */
extern const gig_walk_kind gig_walk_piece;  /* one gradient in the middle of a recorded step's piece */

/* Totals of a walk, and of a chain of walks. */
typedef struct gig_totals {
    double step_error, noise, distance, l1, l2, closed;
    double unassigned; /* sum of |what closing could not distribute| */
    double missing;    /* guides: sum of the steps' F after - F before - attributed, before closing */
    size_t evaluations, values;
} gig_totals;

struct gig_walk {
    gig_drive *drive;
    gig_active_chain *active;
    const gig_walk_kind *kind;
    size_t index; /* within its stage of the chain */
    size_t order; /* among all walks that the chain has had: decides which failure is reported */
    gig_walk *next_free;

    const float *point; /* to be evaluated */
    float *gradient;    /* NULL: value only */
    double value;
    int finished; /* nothing left to evaluate */
    int rested;   /* no worker holds it any more */
    int met;      /* value_after (and *after) are known */
    double value_after;

    void *block; /* all buffers */
    size_t bytes;
    const float *start, *end; /* this walk's own */
    float *start_room, *end_room;
    float *x[2], *g[2]; /* point and gradient of this node and the one before; `side` is this node's */
    float *middle, *middle_gradient;
    float *tangent;
    float *after; /* gradient (curves: product) at the walk's end */
    double *attributions;
    void *state; /* of the guide, or scratch of the curve */

    size_t first, steps, step; /* steps of the chain before this walk; its own; which node it is at */
    int side;
    int in_middle; /* the point under evaluation is a step's middle */
    double values[2], alphas[2], off_line[2];
    double middle_value;
    gig_totals totals;
};

typedef enum gig_walk_stage {
    GIG_STAGE_WALKING,  /* walks are handed out and added */
    GIG_STAGE_SETTLING, /* all are added: enough, or another round? */
    GIG_STAGE_DONE      /* ready to be delivered */
} gig_walk_stage;

/* The walks of a chain: planned by chain.c and curve_chunks.c, then written by workers under the driver's lock. */
typedef struct gig_walk_queue {
    gig_walk_stage stage;
    int busy;  /* a thread is adding to the chain, settling it or delivering it */
    int again; /* settling found that another round of walks is needed */
    const gig_walk_kind *kind;
    size_t count, dealt, added, orders;
    gig_walk **walks; /* the running ones */
} gig_walk_queue;

/* Curves with nodes (curve_chunks.c): those of `rule` with `steps` steps, their weights times `scale`. */
typedef struct gig_nodes {
    gig_rule rule;
    size_t steps, count;
    double scale;
    double *alphas, *weights; /* NULL if a formula gives them */
} gig_nodes;

/* Values on a curve before its nodes are chosen (adaptive_nodes.c). */
typedef struct gig_probes {
    int running;    /* the running walks are probes */
    double *values; /* F at `count` points */
    size_t count;
} gig_probes;

/* What a tolerance asked for (refine.c, curve_chunks.c). */
typedef struct gig_refinement {
    size_t steps;       /* curves: n of the trapezoid rule that the attributions now hold; 0: the rule's own */
    gig_record *record; /* guides */
    size_t rounds;
    int stopped;
} gig_refinement;

/* A chain that is being computed. What stands before the queue is written while it is prepared (chain.c), but for the
 * attributions and sums, which walks are added to in their order. */
struct gig_active_chain {
    gig_drive *drive;
    gig_chain chain;
    size_t index;
    gig_rule rule; /* never default */
    gig_rule_weights weights;
    const gig_curve *curve; /* NULL: guided */
    gig_curve line_curve;
    gig_line_path line;
    float *start, *end;
    double whole, square; /* L1 distance from start to end; squared L2 distance */
    double *attributions;
    size_t bytes;
    gig_totals totals;
    double value_start, value_end, sum;

    double total_weight;

    gig_walk_queue queue;
    gig_nodes nodes;
    gig_probes probes;
    gig_refinement refined;
    size_t expected; /* expected number of points */
    gig_active_chain *next;
};

/* The walk that reaches the end of the chain. */
static inline int gig_walk_is_last(const gig_walk *walk)
{
    return walk->index + 1 == walk->active->queue.count;
}

/* Which failure is reported: the lowest chain, then the lowest order in it. */
typedef struct gig_failure {
    int failed;
    size_t chain, order;
    gig_status status;
    char message[GIG_MESSAGE_BYTES];
} gig_failure;

struct gig_drive {
    size_t features, slots;
    gig_functions functions;
    size_t count;
    gig_chain_make make;
    gig_chain_take take;
    void *payload;
    gig_drive_options options;
    size_t max_active;
    size_t record_limit;    /* bytes one chain's record may take; 0: no limit */
    size_t spare;           /* bytes of the budget that walks leave free unless they must run */
    size_t largest_scratch; /* of the curves so far, part of spare */

    pthread_mutex_t lock; /* guards all that follows, and active chains' queues */
    pthread_cond_t changed;
    gig_active_chain *first, **last;
    size_t made, delivered, active;
    gig_walk *free_walks;
    size_t in_flight; /* walks handed out and not yet returned */
    size_t running;   /* walks that workers hold */
    size_t bytes;
    int cancelled;
    gig_failure failure;
    size_t points_done, points_expected, last_expected;
};

/* Floats padded to the allocator's alignment, in bytes. */
size_t gig_walk_floats(size_t count);
/* Takes `bytes` from a block that is being laid out; advances *at (also if the block is only measured). */
void *gig_walk_carve(void *block, size_t *at, size_t bytes);

/* chain.c */
size_t gig_active_chain_bytes(size_t features);
gig_status gig_active_chain_create(gig_active_chain **out, gig_drive *drive, size_t index);
/* Gets the chain from the caller, checks it and plans its walks. */
gig_status gig_active_chain_prepare(gig_active_chain *active);
void gig_active_chain_free(gig_active_chain *active);
size_t gig_active_chain_steps_of(const gig_active_chain *active, size_t walk, size_t *first);
/* |sum - (F(end) - F(start))| within the tolerance? */
int gig_active_chain_adds_up(const gig_active_chain *active, double sum);
size_t gig_active_chain_max_evaluations(const gig_active_chain *active);
gig_status gig_active_chain_finish(gig_active_chain *active);
void gig_active_chain_result(gig_chain_result *out, const gig_active_chain *active);
/* Anchor k of the straight line cut into chain.segments pieces, into `room` unless it is an end; returns it. */
const float *gig_active_chain_anchor(const gig_active_chain *active, size_t k, float *room);

/* curve_chunks.c: the next table of nodes, or none. */
gig_status gig_curve_plan(gig_active_chain *active);
/* alpha of node k, and its weight. */
double gig_active_chain_node(double *weight, const gig_active_chain *active, size_t k);
gig_status gig_curve_refine(gig_active_chain *active);

/* adaptive_nodes.c: evaluates values along the curve, and places nodes by them. */
int gig_probe_wanted(const gig_active_chain *active);
size_t gig_probe_count(const gig_active_chain *active);
double gig_probe_alpha(const gig_active_chain *active, size_t index);
/* The nodes of a chain whose probes have finished: node_count, node_alphas and node_weights. */
gig_status gig_probe_use(gig_active_chain *active);

/* walk.c */
/* This walk's part of `count` nodes: as even as possible, the first walks get one more. */
void gig_walk_share(gig_walk *walk, size_t count);
/* Shows the observer a point of the walk; the view's chain, walk, steps and attributions are filled in here. */
gig_status gig_walk_observe(gig_walk *walk, gig_view view);
/* Passes the value, and a vector (or NULL), at the walk's start to the walk before. */
void gig_walk_meet(gig_walk *walk, double value, const float *vector);
/* The last walk of the chain has evaluated its own end. */
void gig_walk_met_alone(gig_walk *walk, double value);
/* Adds the walk to its chain: attributions and totals. */
void gig_walk_join(gig_walk *walk);
gig_status gig_walk_fail_number(const gig_walk *walk, const char *what, size_t feature, double value);

/* next_walk.c; all with the lock held */
/* The next walk, or NULL: none now. With `must` (nothing is running that could release memory) it fails
 * instead of waiting.
 */
gig_walk *gig_drive_deal(gig_drive *drive, int must);
void gig_walk_give_back(gig_walk *walk);
void gig_drive_fail(gig_drive *drive, size_t chain, size_t order, gig_status status);
int gig_drive_wants(const gig_drive *drive, size_t chain, size_t order);

/* deliver.c; with the lock held (released inside). Adds, settles and delivers everything that is ready. */
void gig_drive_deliver(gig_drive *drive);

/* worker.c */
gig_status gig_drive_work(gig_drive *drive, size_t worker);

/* record.c, refine.c */
gig_status gig_record_create(gig_record **out, gig_active_chain *active);
void gig_record_free(gig_record *record);
/* A step from x0 to x1 of a walk that ends at `end`; F and its gradient are known at `count` evenly spaced points from
 * x0 to x1. */
typedef struct gig_seen_step {
    const float *x0, *x1, *end;
    size_t count;
    double values[3];
    const float *gradients[3];
} gig_seen_step;
gig_status gig_record_step(gig_record *record, size_t step, const gig_seen_step *seen);
gig_status gig_record_refine(gig_active_chain *active);
/* Prepares the evaluation of piece `walk->index` of this round: x[0] = its middle; attributions = the step's
 * displacements of the features that move. */
gig_status gig_record_place(gig_walk *walk);
/* The gradient there is known. */
gig_status gig_record_keep(gig_walk *walk);
/* Recomputes active->attributions from the record; closes if asked. */
gig_status gig_record_assemble(gig_active_chain *active);

#endif
