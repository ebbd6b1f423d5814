/* SPDX-License-Identifier: Apache-2.0 */
/* Points inside the network (--at): each row of the arrays fixes the inputs of a network of its own, and the point is
 * the tensor's value there. */
#ifndef CLI_INNER_POINTS_H
#define CLI_INNER_POINTS_H

#include "gig/explainer.h"
#include "input_flags.h"
#include "internal/summary.h"

enum { INNER_POINTS_MOST = 32 }; /* arrays with rows */

/* One row's inputs. A network made with them borrows this, and the arrays. */
typedef struct inner_point {
    gig_tensor views[INNER_POINTS_MOST];
    gig_input_value bound[INNER_POINTS_MOST];
} inner_point;

/* Rows of the points' array, or, where all arrays hold integers, the leading dimension that they share. Refuses
 * an `at` that is itself an input. */
int inner_points_count(size_t *rows, const char *command, const inputs *in, const gig_model_summary *about,
                       const char *at);
/* Row `row`, below the count, for the explainer: a floating-point one is where the rest of the network is fixed, whole
 * numbers are bound. */
gig_input inner_points_input(inner_point *fixed, const inputs *in, const gig_model_summary *about, size_t row);
/* Says that a row's point has other dimensions than the first row's; the exit code. */
int inner_points_uneven(const char *at);

#endif
