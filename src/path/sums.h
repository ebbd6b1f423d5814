/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over all features that the driver runs at every point or step. Sums are in double, in a fixed order. */
#ifndef GIG_PATH_SUMS_H
#define GIG_PATH_SUMS_H

#include <stddef.h>

/* The first feature that is NaN or infinite; `n` if all are finite. */
size_t gig_sums_not_finite(const float *values, size_t n);

/* out = from + alpha (to - from), rounded once; exactly `from` and `to` at 0 and 1. */
void gig_sums_between(float *out, const float *from, const float *to, double alpha, size_t n);

/* Where a point x lies between start b and end e. */
typedef struct gig_line_position {
    double left;           /* sum |e - x| */
    double travelled, aim; /* sum (x - b)^2, sum (x - b)(e - b) */
} gig_line_position;
void gig_line_position_find(gig_line_position *out, const float *x, const float *start, const float *end, size_t n);
/* L2 distance of x to b + alpha (e - b), where `whole` = sum (e - b)^2. */
double gig_line_position_off_line(const gig_line_position *place, double alpha, double whole);

/* Sums over one step from x0 to x1. */
typedef struct gig_sums {
    double attributed; /* sum of d g, with the rule's gradient */
    double weight;     /* sum of |d g| */
    double noise;      /* sum of |d g0| */
    double l1, square; /* sum of |d|, of d^2 */
} gig_sums;

/* A step from x0 to x1 on a chain from start to end. */
typedef struct gig_step_ends {
    const float *x0, *x1, *start, *end;
} gig_step_ends;

/* The gradient that a rule uses for a step: w0 g0 + w1 g1. g1 may be NULL if w1 is 0. */
typedef struct gig_step_gradient {
    const float *g0, *g1;
    double w0, w1;
} gig_step_gradient;

/* attributions += (x1 - x0) (w0 g0 + w1 g1), and the position of x1. */
void gig_sums_step(gig_sums *out, gig_line_position *place, double *attributions, const gig_step_ends *ends,
                   const gig_step_gradient *gradient, size_t n);
/* The same without attributing: attributed and weight are those of the left rule. */
void gig_sums_measure(gig_sums *out, gig_line_position *place, const gig_step_ends *ends, const float *g0, size_t n);
/* Distributes `missing` over the features that this step moved, in proportion to |d g|. Returns |what was distributed|:
 * 0 if sums->weight is 0, because then no feature that moved has any influence. */
double gig_sums_close(double *attributions, const gig_sums *sums, double missing, const gig_step_ends *ends,
                      const gig_step_gradient *gradient, size_t n);

/* attributions += change g^2 / sum g^2. Returns what was attributed: change, or 0 if the gradient is 0. */
double gig_sums_idgi(double *attributions, const float *gradient, double change, size_t n);

/* attributions += weight tangent gradient. */
void gig_sums_node(gig_sums *out, double *attributions, const float *tangent, const float *gradient, double weight,
                   size_t n);
/* out = tangent * gradient. */
void gig_sums_product(float *out, const float *tangent, const float *gradient, size_t n);
/* attributions += w0 p0 + w1 p1; p1 may be NULL if w1 is 0. */
void gig_sums_products_add(gig_sums *out, double *attributions, const float *p0, const float *p1, double w0, double w1,
                           size_t n);
/* attributions[i] += missing |w0 p0 + w1 p1| / weight. */
void gig_sums_products_close(double *attributions, double share, const float *p0, const float *p1, double w0, double w1,
                             size_t n);
/* The norms of a tangent, for lengths: sum |t|, sum t^2. */
void gig_sums_norms(double *l1, double *square, const float *values, size_t n);
double gig_sums_l1(const float *a, const float *b, size_t n);     /* sum |a - b| */
double gig_sums_square(const float *a, const float *b, size_t n); /* sum (a - b)^2 */

void gig_sums_add(double *to, const double *from, size_t n);
double gig_sums_total(const double *values, size_t n);
double gig_sums_magnitude(const double *values, size_t n);

#endif
