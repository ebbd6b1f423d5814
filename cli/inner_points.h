/* SPDX-License-Identifier: Apache-2.0 */
/* Points inside the network (--at): each row of the arrays fixes the inputs of a network of its own, and the point is
 * the tensor's value there. */
#ifndef CLI_INNER_POINTS_H
#define CLI_INNER_POINTS_H

#include "frame/progress.h"
#include "gig/network.h"
#include "gig/summary.h"
#include "inputs.h"
#include <stdatomic.h>

enum { INNER_POINTS_MOST = 32 }; /* arrays with rows */

/* One row's inputs. A network made with them borrows this, and the arrays. */
typedef struct inner_point {
    gig_tensor views[INNER_POINTS_MOST];
    gig_input_value bound[INNER_POINTS_MOST];
} inner_point;

/* Rows of the points' array, or, where all arrays hold whole numbers, the leading dimension that they share. Refuses
 * an `at` that is itself an input. */
int inner_points_count(size_t *rows, const char *command, const inputs *in, const gig_model_summary *about,
                       const char *at);
/* Puts row `row` into `wanted` after inputs_apply: a floating-point one is where the rest of the network is fixed,
 * whole numbers are bound. `row` is below the count. */
void inner_points_apply(gig_network_options *wanted, inner_point *fixed, const inputs *in,
                        const gig_model_summary *about, size_t row, const char *at);
/* Dims of a point inside the network without a leading 1. Returns the rank. */
int inner_points_dims(const gig_network *network, int64_t dims[GIG_MAX_RANK]);
/* Says that a row's point has other dimensions than the first row's; the exit code. */
int inner_points_uneven(const char *at);

/* Value and gradient of one class at each row's point. */
typedef struct inner_gradients {
    const gig_model *model;
    const gig_model_summary *about;
    const inputs *in;
    gig_network_options wanted; /* with `at` */
    gig_scalar scalar;
    size_t rows, target;
    double *values;   /* [rows] */
    float *gradients; /* [rows, features]; NULL: values alone */
    size_t features;
    progress *bar;
    atomic_int uneven; /* a row's point has other dimensions than the first row's */
} inner_gradients;
/* Rows are dealt to the threads. An exit code. */
int inner_gradients_run(inner_gradients *self, size_t threads);

#endif
