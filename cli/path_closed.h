/* SPDX-License-Identifier: Apache-2.0 */
/* gig path --closed: from the point A to B, to C and back to A. What a method attributes on the way should cancel per
 * feature, because the score ends where it began; what is left is the method's own error (the paper's figure 6). */
#ifndef CLI_PATH_CLOSED_H
#define CLI_PATH_CLOSED_H

#include "gig/saliency.h"
#include "path_trace.h"
#include <stdio.h>

enum { CLOSED_SIDES = 3, CLOSED_METHODS = 2, CLOSED_MAPS = CLOSED_SIDES + 1 }; /* the last map is the sum */

typedef struct path_closed {
    gig_picture_shape shape; /* height 0: points are not pictures, and only curves are drawn */
    const char *title, *footer, *scalar;
    int is_share;                       /* the scalar lies in [0,1] */
    const char *names[CLOSED_METHODS];  /* ig, and the guided one */
    const float *corners[CLOSED_SIDES]; /* A, B, C */
    size_t features, points;            /* points of a side, both ends counted */
    double *way;                        /* [methods, sides, points]: side + alpha, 0 to 3 */
    double *values;                     /* [methods, sides, points]: the score there */
    double *maps;                       /* [methods, maps, features] */
    double mean_square[CLOSED_METHODS]; /* of the sum of the sides */
} path_closed;

/* The fields above `way` are set, and `points`. Clear in every case. */
gig_status path_closed_create(path_closed *self);
/* A side that was walked; the last one makes the sum. */
void path_closed_take(path_closed *self, int method, int side, const path_trace *walked);
gig_status path_closed_draw(const path_closed *self, const char *path, int force);
/* A row per method, side and point. An exit code. */
int path_closed_write_csv(const path_closed *self, const char *path, int force);
/* Sums of each side's map, what they should be, and the mean square of what is left per feature. */
void path_closed_print(FILE *to, const path_closed *self);
void path_closed_clear(path_closed *self);

#endif
