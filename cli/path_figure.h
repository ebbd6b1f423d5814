/* SPDX-License-Identifier: Apache-2.0 */
/* The page of `gig path`: what two traces and the neighbours of the line look like; the same as CSV, and as a film. */
#ifndef CLI_PATH_FIGURE_H
#define CLI_PATH_FIGURE_H

#include "gig/saliency.h"
#include "path_trace.h"

enum { NEIGHBOURS = 5 };

typedef struct path_figure {
    gig_picture_shape shape; /* height 0: points are not pictures, and only curves are drawn */
    char *title, *footer;    /* owned */
    const char *scalar;
    int is_share; /* it lies in [0,1] */
    size_t target;
    char guided_name[GIG_METHOD_NAME_BYTES];
    path_trace ig, guided;
    neighbour near[NEIGHBOURS];
} path_figure;

gig_status path_figure_draw(const path_figure *self, const char *path, int force);
/* One row per method and step, and one for the end: alpha, score, norm, derivative, cosine, distance, similarity to the
 * gradients at 0.1, 0.5, 0.9. */
int path_figure_write_csv(const path_figure *self, const char *path, int force);
/* The guided path as an animation of at most 51 pictures. */
gig_status path_figure_film(const path_figure *self, const char *path, int force);
void path_figure_clear(path_figure *self);

#endif
