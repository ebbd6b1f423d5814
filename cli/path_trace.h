/* SPDX-License-Identifier: Apache-2.0 */
/* What happens along one path: a record per point, snapshots, and all gradients, for the analyses of `gig path`. */
#ifndef CLI_PATH_TRACE_H
#define CLI_PATH_TRACE_H

#include "gig/path.h"
#include <pthread.h>
#include <stddef.h>

enum { SNAPSHOTS = 3 };
extern const double snapshot_alphas[SNAPSHOTS]; /* 0.1, 0.5, 1.0: the paper's figure 2 */

/* One point of the path, in order of alpha. */
typedef struct path_trace_step {
    double alpha, value;
    double norm;       /* L2 of the gradient */
    double derivative; /* gradient . direction of travel per alpha, over the step that starts here; NaN at the end */
    double cosine;     /* of gradient and direction of travel; NaN at the end */
    double distance;   /* L2 distance of the point to the straight line at the same alpha */
} path_trace_step;

typedef struct path_trace {
    const char *name;
    size_t features, count; /* steps */
    const float *start, *end;
    path_trace_step *steps; /* [count + 1], the end too, as the next two */
    float *gradients;       /* [count + 1, features] */
    float *points;          /* [count + 1, features] */
    double *partial;        /* [walks, features]: what each walk attributed */
    size_t walks;
    int on_curve;
    double alphas[SNAPSHOTS]; /* of the steps nearest to the snapshots' */
    float *snapshot_points[SNAPSHOTS];
    double *snapshot_maps[SNAPSHOTS];
    size_t snapshot_walks[SNAPSHOTS]; /* the walk each belongs to */
    pthread_mutex_t lock;
} path_trace;

/* Walks `chain` (steps and segments set) from start to end and fills in everything. */
gig_status path_trace_run(path_trace *out, const char *name, gig_functions functions, const gig_chain *chain,
                          const float *start, const float *end, const gig_drive_options *options);
void path_trace_clear(path_trace *made);

/* Cosines of the gradient at the point nearest to alpha with those at all points; out holds `count` + 1. */
void path_trace_similarity(double *out, const path_trace *of, double alpha);

/* ---- figure 4: how near very low and very high scores are ---- */

typedef struct neighbour {
    double alpha, value, low, high;     /* scores at the point, and at the nearby points found downhill and uphill */
    double low_distance, high_distance; /* L2 */
    float *low_point, *high_point;
} neighbour;

/* 10 signed-gradient steps down and up from the straight line at alpha, inside a box of 2/255 (and [0,1]) around it. */
gig_status neighbour_find(neighbour *out, gig_functions functions, size_t target, const float *start, const float *end,
                          double alpha);
void neighbour_clear(neighbour *made);

#endif
