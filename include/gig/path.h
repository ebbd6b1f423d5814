/* SPDX-License-Identifier: Apache-2.0 */
/* gig/path.h -- paths from a baseline to an input, and the attributions along them.
 *
 * Flow:      gig_function + start, end + a guide (or a curve) + a rule -> [the driver] -> attributions of one chain
 * Ownership: everything given is borrowed for the length of the call. Results handed to `take` and views handed to an
 *            observer are borrowed too: valid inside that call only.
 * Threads:   one function per worker thread. `make`, `take` and `progress` come from any worker, each one at a time and
 *            in order; `take` may run at the same time as the other two, which block all workers. Observers,
 *            guides and curves run on several workers at once. Results have the same bits for any number of workers.
 * Errors:    GIG_EARG, GIG_ELIMIT (memory), GIG_ENOMEM, GIG_ENUMERIC (a NaN or an infinity; names step and feature),
 *            GIG_ECANCEL, and whatever a function, guide, curve or observer returns. The failure of the first walk in
 *            order is reported, not the first in time.
 *
 * A *guide* computes the next point of the path from a point and the gradient there: an adaptive path method is this
 * one function. A *curve* is a path known in advance, with its tangent. A *rule* turns values and gradients along the
 * path into attributions. Consecutive walks from one start to one end form a *chain*: the K+1 segments of Guided IG
 * with K anchors, the chunks of a curve. The driver owns the loop over gradient calls; nothing else in the library has
 * one.
 */
#ifndef GIG_PATH_H
#define GIG_PATH_H

#include "gig/function.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- rules: what a step attributes ---- */

/* With n steps; d is a step's displacement (guides) or the tangent over n (curves), g the gradient at a node. */
typedef enum gig_rule {
    GIG_RULE_DEFAULT = 0,          /* left on guides, midpoint on curves */
    GIG_RULE_LEFT = 1,             /* d g at the step's start: the paper's, n gradients */
    GIG_RULE_RIGHT = 2,            /* d g at its end: n + 1 gradients on guides, n on curves */
    GIG_RULE_TRAPEZOID = 3,        /* half of each: n + 1 gradients */
    GIG_RULE_MIDPOINT = 4,         /* d g halfway: 2 n gradients on guides, n on curves */
    GIG_RULE_IDGI = 5,             /* (change of F over the step) g^2 / sum g^2, g at the start: n gradients */
    GIG_RULE_GRADIENT = 6,         /* the gradient at the start itself; one step, open end */
    GIG_RULE_GAUSS_LEGENDRE = 7,   /* curves only: n nodes, Captum's default */
    GIG_RULE_PAIR = 8,             /* curves only: nodes k/(n-1), each of weight 1/n (PAIR saliency's IG) */
    GIG_RULE_CAPTUM_TRAPEZOID = 9, /* curves only: nodes k/(n-1), weights 1/n halved at both ends; adds up to 1 - 1/n */
    GIG_RULE_IDG = 10, /* curves only, Integrated Decision Gradients: each node is weighted by the change of F since the
                          previous one; n nodes, placed where F changes, by values only. Does not add up */
    GIG_RULE_RANDOM = 11 /* curves only: n nodes drawn uniformly in [0,1), each of weight 1/n (Expected Gradients) */
} gig_rule;

/* "left", "right", "trapezoid", "midpoint", "idgi", "gradient", "gauss-legendre", "pair", "captum-trapezoid",
 * "idg", "random"; "default". Never NULL. */
GIG_API const char *gig_rule_name(gig_rule rule);
/* GIG_EARG if no rule has that name. */
GIG_API gig_status gig_rule_find(gig_rule *out, const char *name);

/* ---- guides ---- */

typedef struct gig_guide {
    /* Bytes of state that one walk needs; the driver allocates it from its budget. NULL: none. */
    size_t (*state_size)(const void *options, size_t features);
    /* Starts a walk. end is NULL on an open chain. start and end stay valid as long as the state. NULL: nothing to do.
     */
    gig_status (*begin)(void *state, const void *options, const float *start, const float *end, size_t features,
                        size_t steps);
    /* From `at`, where F is `value` and has this gradient (all finite), to `next`. Steps count from 0; the last one
     * (steps - 1) must write `end`, exactly, unless the chain is open. */
    gig_status (*advance)(void *state, size_t step, double value, const float *gradient, const float *at, float *next);
    const void *options; /* passed on */
} gig_guide;

/* Guided IG. Each step moves the features with the smallest |gradient| towards the end, until it has covered its share
 * of the L1 distance. Zero means the default in brackets. */
typedef struct gig_guided_options {
    double fraction;  /* of the features taken at once, 0 < p <= 1; ties at the threshold are all taken [0.1] */
    int of_remaining; /* the fraction is of the features not yet at their end (the paper's text); else of all of them
                         (its pseudocode, and PAIR's code) */
    int bounded;      /* PAIR's window: a feature's progress stays within max_dist of the step's alpha */
    double max_dist;  /* 0 (the straight line) to 1, as a fraction of the walk: of a segment, where there are anchors;
                         only  when bounded */
    unsigned reserved[8];
} gig_guided_options;
#define GIG_GUIDED_OPTIONS_INIT GIG_INIT
/* options are borrowed by the guide; NULL: all defaults. */
GIG_API gig_guide gig_guide_guided(const gig_guided_options *options);

/* ---- curves ---- */

/* Which tangent a node needs where the curve has a corner: that of the way after it, before it, or the mean of both.
 * Rules with nodes at the start of each step need the first, at its end the second, others the third; then a stretch
 * between two corners counts for its whole length. */
typedef enum gig_side { GIG_SIDE_AFTER = 0, GIG_SIDE_BEFORE = 1, GIG_SIDE_BOTH = 2 } gig_side;

/* alpha runs from 0 (baseline) to 1 (input). Called from several workers at once, each with its own scratch memory. */
typedef struct gig_curve {
    size_t (*scratch_size)(const void *self); /* bytes per worker; NULL: none */
    /* point = c(alpha), tangent = dc/dalpha there; tangent may be NULL. */
    gig_status (*at)(const void *self, void *scratch, double alpha, float *point, float *tangent);
    const void *self; /* passed on */
    size_t features;  /* of its points: must equal the function's; 0: not checked */
    /* The tangent alone of a curve with corners, of this side; at alpha 0 and 1 there is only one. NULL: that of `at`.
     */
    gig_status (*tangent)(const void *self, void *scratch, double alpha, gig_side side, float *tangent);
} gig_curve;

/* start + alpha (end - start); exactly start and end at 0 and 1. `line` is borrowed. */
typedef struct gig_line_path {
    size_t features;
    const float *start, *end;
} gig_line_path;
GIG_API gig_curve gig_curve_line(const gig_line_path *line);

/* From a blurred to the sharp picture (Blur IG): c(alpha) is the picture blurred with (1 - alpha) sigma, zero outside.
 * The tangent is PAIR's one-sided difference over 0.01. `blur` is borrowed. */
typedef struct gig_blur_path {
    const float *picture; /* height x width x channels, or channels x height x width when planar */
    size_t height, width, channels;
    int planar;
    double sigma; /* > 0 */
    /* PAIR's sqrt: with n = root_steps > 0 the sigma at alpha = 1 - i/n is sqrt(i sigma / n), and the tangent belongs
     * to the chord to i + 1 (the slope itself is infinite at the sharp end) [0: sigma falls linearly]. */
    size_t root_steps;
} gig_blur_path;
GIG_API gig_curve gig_curve_blur(const gig_blur_path *blur);

/* ---- chains ---- */

typedef struct gig_chain {
    const gig_guide *guide; /* at most one of guide and curve; neither: the straight line */
    const gig_curve *curve; /* its ends are the chain's: start and end are filled in by the driver */
    size_t target;          /* passed on to the function */
    size_t steps;           /* of the whole chain, at least 1 */
    size_t segments;        /* guides: as many walks, cut by anchors on the straight line; steps are shared as evenly as
                               possible, the first walks get one more [1] */
    int open;               /* no end: the guide stops after `steps`, wherever it is; no delta */
    gig_rule rule;
    int adaptive; /* curves by rule midpoint: steps are short where F changes, which a pass of (steps + 7) / 8 + 1
                     values finds out */
    double until; /* curves by nodes that are not step ends: only the nodes before F first exceeds this fraction of its
                     largest value on the way, which a pass of values finds out (Left-IG); does not add up [0: all] */
    uint64_t seed, stream; /* rule random: its nodes depend on these two and on nothing else */
    unsigned reserved[8];
} gig_chain;
#define GIG_CHAIN_INIT GIG_INIT

/* A number that is undefined for a chain is NaN. */
typedef struct gig_chain_result {
    size_t features;
    const double *attributions;
    double value_start, value_end; /* F at both ends */
    double sum;                    /* of the attributions */
    double delta;                  /* sum - (value_end - value_start); NaN by rule idg and with `until` */
    double step_error; /* sum over steps (pieces, where refined) of |F after - F before - attributed|, before closing;
                          NaN on curves whose nodes are not step ends, and on curves that were refined */
    double noise;      /* sum over steps and features of |g d|, g at the step's start (curves: at the rule's nodes) */
    double distance; /* sum over steps of (L2 distance of the step's start to the straight line at the same alpha) times
                        the step's share of alpha; alpha is the share of the L1 distance covered (curves: their own) */
    double l1, l2;   /* length of the path */
    double closed;   /* sum of |what closing distributed|; NaN without closing */
    double unassigned;  /* sum of |what closing could not distribute|: no moving feature has a gradient */
    size_t evaluations; /* gradients */
    size_t values;      /* value-only points */
    size_t rounds;      /* of refinement */
    gig_rule rule;      /* the rule that was used: the chain's, or trapezoid if a tolerance needed more gradients */
    int stopped;        /* 1: the tolerance was not reached: max_evaluations used up, or nothing left to refine */
} gig_chain_result;

/* One point of a walk, for an observer. Views of one walk arrive in step order; walks interleave. Under a tolerance it
 * is the path before refinement: points that refinement adds are not shown. */
typedef struct gig_view {
    size_t chain, walk, walks; /* which chain; which of its walks, of how many */
    size_t step, steps; /* of this walk. step == steps: the walk's end, seen once its last step has been attributed; the
                           next walk's step 0 is the same point. On curves whose nodes are not step ends: the walk's
                           last node again, at the chain's end the curve's end */
    double alpha;       /* share of the chain's L1 distance covered; on curves their own alpha */
    size_t features;
    const float *point;
    double value;
    const float *gradient;      /* NULL if the rule does not need it */
    const double *attributions; /* of this walk so far, up to this point */
    const double *total;        /* at a walk's end: of the chain, this and all earlier walks; else NULL */
    int last;                   /* 1 at the chain's end; with rule gradient at its only view, step 0 of 1 */
} gig_view;

typedef struct gig_progress {
    size_t evaluations, expected; /* evaluated points so far, and expected in total (grows under a tolerance) */
    size_t chains, chain_count;   /* delivered, in all */
} gig_progress;

enum { GIG_EVALUATIONS_PER_STEP = 10 }; /* the limit if max_evaluations is not given */

/* Zero means the default in brackets. */
typedef struct gig_drive_options {
    /* Refine until |sum - (F(end) - F(start))| <= tolerance |F(end) - F(start)| + 1e-6 (|F(end)| + |F(start)|). Guides:
     * the path stays, its worst steps are bisected in rounds and summed by trapezoid. Curves: nodes are doubled. [none]
     */
    double tolerance;
    size_t max_evaluations; /* limit of gradients of one chain, including refinement; the path itself is always
                               finished [10 x steps] */
    int close; /* what a step (a piece, where refined) still misses is given to the features it moved, in proportion to
                  |d g|, and left unassigned where all of these are 0; a curve whose nodes are not step ends, or under
                  a tolerance, is one step as a whole */
    size_t max_memory; /* memory limit of the driver in bytes; fewer walks run at once if it is small [no limit] */
    gig_status (*observe)(void *payload, const gig_view *view);
    void *observe_payload;
    int (*progress)(void *payload, const gig_progress *progress); /* not 0: stop with GIG_ECANCEL */
    void *progress_payload;
    unsigned reserved[8];
} gig_drive_options;
#define GIG_DRIVE_OPTIONS_INIT GIG_INIT

/* Fills in chain `index`: its start and end (arrays of the driver's, `features` long, valid until `take` has returned)
 * and *out; what that points to must live as long. On an open chain end is left alone. On a curve both are overwritten
 * with the curve's points at 0 and 1 after `make`. */
typedef gig_status (*gig_chain_make)(void *payload, size_t index, gig_chain *out, float *start, float *end);
/* Receives chain `index`; called in order of index. */
typedef gig_status (*gig_chain_take)(void *payload, size_t index, const gig_chain_result *result);

/* Walks `count` chains on as many threads as there are functions (one: the calling thread). The driver fills batches of
 * up to max_batch points from running walks. At most workers x max_batch + 4 walks run at once. options may be NULL. */
GIG_API gig_status gig_chains_run(gig_functions functions, size_t count, gig_chain_make make, gig_chain_take take,
                                  void *payload, const gig_drive_options *options);

/* Walks a single chain. end is NULL if and only if chain->open; both may be NULL on a curve. `attributions`
 * (`features` doubles, or NULL) receives them; result->attributions points there. */
GIG_API gig_status gig_chain_run(gig_chain_result *result, double *attributions, gig_functions functions,
                                 const gig_chain *chain, const float *start, const float *end,
                                 const gig_drive_options *options);

/* ---- values only: occlusion, insertion, deletion, information curves ---- */

/* Writes point `index`; called on several workers at once, so it must depend on index only. */
typedef gig_status (*gig_point_make)(void *payload, size_t index, float *point, size_t *target);

/* values[i] = F(point i), for i < count, same bits for any number of workers. Uses only progress and its payload of
 * options, which may be NULL. */
GIG_API gig_status gig_drive_values(double *values, gig_functions functions, size_t count, gig_point_make make,
                                    void *payload, const gig_drive_options *options);

#ifdef __cplusplus
}
#endif
#endif
