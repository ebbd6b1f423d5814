/* SPDX-License-Identifier: Apache-2.0 */
#include "path/sums.h"
#include "path/lanes.h"

typedef uint32_t float_bits __attribute__((may_alias));

GIG_CLONES static int all_finite(const float_bits *bits, size_t n)
{
    const uint32_t exponent = 0x7f800000u;
    uint32_t bad = 0;
    for (size_t i = 0; i < n; i++) bad |= (bits[i] & exponent) == exponent;
    return !bad;
}

size_t gig_sums_not_finite(const float *values, size_t n)
{
    if (all_finite((const float_bits *)values, n)) return n;
    size_t i = 0;
    while (isfinite(values[i])) i++;
    return i;
}

GIG_CLONES static void between(float *out, const float *from, const float *to, double alpha, size_t n)
{
    LANES_EACH(n, i, h, count, {
        lanes_d a, b;
        lanes_load(&a, from + i, count);
        lanes_load(&b, to + i, count);
        a += alpha * (b - a);
        lanes_store(out + i, &a, count);
    });
}

void gig_sums_between(float *out, const float *from, const float *to, double alpha, size_t n)
{
    if (alpha == 0 || alpha == 1)
        memcpy(out, alpha == 0 ? from : to, n * sizeof *out);
    else
        between(out, from, to, alpha, n);
}

/* Adds the terms of x to left, travelled and aim. */
GIG_INLINE void add_place(lanes_d place[3], const lanes_d *x, const float *start, const float *end, size_t count)
{
    lanes_d b, e;
    lanes_load(&b, start, count);
    lanes_load(&e, end, count);
    lanes_d rest = e - *x, gone = *x - b;
    lanes_abs(&rest);
    place[0] += rest;
    place[1] += gone * gone;
    place[2] += gone * (e - b);
}

GIG_INLINE gig_line_position sum_place(lanes_d place[2][3])
{
    double sums[3];
    for (int k = 0; k < 3; k++) {
        const lanes_d halves[2] = {place[0][k], place[1][k]};
        sums[k] = lanes_total(halves);
    }
    return (gig_line_position){sums[0], sums[1], sums[2]};
}

GIG_CLONES void gig_line_position_find(gig_line_position *out, const float *x, const float *start, const float *end,
                                       size_t n)
{
    lanes_d place[2][3] = {{{0}}};
    LANES_EACH(n, i, h, count, {
        lanes_d at;
        lanes_load(&at, x + i, count);
        add_place(place[h], &at, start + i, end + i, count);
    });
    *out = sum_place(place);
}

double gig_line_position_off_line(const gig_line_position *place, double alpha, double whole)
{
    double square = place->travelled - 2 * alpha * place->aim + alpha * alpha * whole;
    /* Below the rounding error of the three terms the point counts as on the line. */
    return square > 1e-15 * (place->travelled + alpha * alpha * whole) ? sqrt(square) : 0;
}

/* With w1 = 0 the rule's gradient is g0 itself; without attributions nothing is attributed. */
GIG_INLINE void add_step(gig_sums *out, gig_line_position *place_out, double *attributions, const gig_step_ends *ends,
                         const gig_step_gradient *gradient, size_t n)
{
    const float *g0 = gradient->g0, *g1 = gradient->w1 != 0 ? gradient->g1 : NULL;
    double w0 = gradient->w0, w1 = gradient->w1;
    lanes_d attributed[2] = {{0}}, weight[2] = {{0}}, noise[2] = {{0}}, l1[2] = {{0}}, square[2] = {{0}};
    lanes_d place[2][3] = {{{0}}};
    const float *x0 = ends->x0, *x1 = ends->x1, *start = ends->start, *end = ends->end;
    LANES_EACH(n, i, h, count, {
        lanes_d a, d, g;
        lanes_load(&a, x0 + i, count);
        lanes_load(&d, x1 + i, count);
        lanes_load(&g, g0 + i, count);
        add_place(place[h], &d, start + i, end + i, count);
        d -= a;
        lanes_d given = d * g, first = given;
        if (g1) {
            lanes_d other;
            lanes_load(&other, g1 + i, count);
            given = d * (w0 * g + w1 * other);
        }
        if (attributions) {
            lanes_d sum;
            lanes_load_double(&sum, attributions + i, count);
            sum += given;
            lanes_store_double(attributions + i, &sum, count);
        }
        attributed[h] += given;
        lanes_abs(&first);
        noise[h] += first;
        if (g1) {
            lanes_abs(&given);
            weight[h] += given;
        }
        square[h] += d * d;
        lanes_abs(&d);
        l1[h] += d;
    });
    *place_out = sum_place(place);
    *out = (gig_sums){.attributed = lanes_total(attributed),
                      .weight = lanes_total(g1 ? weight : noise),
                      .noise = lanes_total(noise),
                      .l1 = lanes_total(l1),
                      .square = lanes_total(square)};
}

GIG_CLONES static void add_left(gig_sums *out, gig_line_position *place, double *attributions,
                                const gig_step_ends *ends, const float *g0, size_t n)
{
    add_step(out, place, attributions, ends, &(gig_step_gradient){g0, NULL, 1, 0}, n);
}

GIG_CLONES static void add_mixed(gig_sums *out, gig_line_position *place, double *attributions,
                                 const gig_step_ends *ends, const gig_step_gradient *gradient, size_t n)
{
    add_step(out, place, attributions, ends, gradient, n);
}

GIG_CLONES void gig_sums_measure(gig_sums *out, gig_line_position *place, const gig_step_ends *ends, const float *g0,
                                 size_t n)
{
    add_step(out, place, NULL, ends, &(gig_step_gradient){g0, NULL, 1, 0}, n);
}

void gig_sums_step(gig_sums *out, gig_line_position *place, double *attributions, const gig_step_ends *ends,
                   const gig_step_gradient *gradient, size_t n)
{
    if (gradient->w1 == 0)
        add_left(out, place, attributions, ends, gradient->g0, n);
    else
        add_mixed(out, place, attributions, ends, gradient, n);
}

/* attributions += share |d g|. */
GIG_CLONES static void add_shares(double *attributions, double share, const gig_step_ends *ends,
                                  const gig_step_gradient *gradient, size_t n)
{
    const float *x0 = ends->x0, *x1 = ends->x1, *g0 = gradient->g0, *g1 = gradient->g1;
    double w0 = gradient->w0, w1 = gradient->w1;
    LANES_EACH(n, i, h, count, {
        lanes_d a, d, g, sum;
        lanes_load(&a, x0 + i, count);
        lanes_load(&d, x1 + i, count);
        lanes_load(&g, g0 + i, count);
        if (w1 != 0) {
            lanes_d other;
            lanes_load(&other, g1 + i, count);
            g = w0 * g + w1 * other;
        }
        d = (d - a) * g;
        lanes_abs(&d);
        lanes_load_double(&sum, attributions + i, count);
        sum += share * d;
        lanes_store_double(attributions + i, &sum, count);
    });
}

double gig_sums_close(double *attributions, const gig_sums *sums, double missing, const gig_step_ends *ends,
                      const gig_step_gradient *gradient, size_t n)
{
    if (!(sums->weight > 0) || missing == 0) return 0;
    add_shares(attributions, missing / sums->weight, ends, gradient, n);
    return fabs(missing);
}

GIG_CLONES static double sum_squares(const float *values, size_t n)
{
    lanes_d sum[2] = {{0}};
    LANES_EACH(n, i, h, count, {
        lanes_d v;
        lanes_load(&v, values + i, count);
        sum[h] += v * v;
    });
    return lanes_total(sum);
}

double gig_sums_idgi(double *attributions, const float *gradient, double change, size_t n)
{
    double squares = sum_squares(gradient, n);
    if (squares == 0) return 0;
    double share = change / squares;
    for (size_t i = 0; i < n; i++) attributions[i] += share * ((double)gradient[i] * (double)gradient[i]);
    return change;
}

GIG_CLONES void gig_sums_node(gig_sums *out, double *attributions, const float *tangent, const float *gradient,
                              double weight, size_t n)
{
    lanes_d attributed[2] = {{0}}, noise[2] = {{0}};
    LANES_EACH(n, i, h, count, {
        lanes_d t, g, sum;
        lanes_load(&t, tangent + i, count);
        lanes_load(&g, gradient + i, count);
        lanes_load_double(&sum, attributions + i, count);
        t = weight * (t * g);
        sum += t;
        lanes_store_double(attributions + i, &sum, count);
        attributed[h] += t;
        lanes_abs(&t);
        noise[h] += t;
    });
    double total = lanes_total(noise);
    *out = (gig_sums){.attributed = lanes_total(attributed), .weight = total, .noise = total};
}

GIG_CLONES void gig_sums_product(float *out, const float *tangent, const float *gradient, size_t n)
{
    for (size_t i = 0; i < n; i++) out[i] = tangent[i] * gradient[i];
}

GIG_CLONES void gig_sums_products_add(gig_sums *out, double *attributions, const float *p0, const float *p1, double w0,
                                      double w1, size_t n)
{
    lanes_d attributed[2] = {{0}}, weight[2] = {{0}}, noise[2] = {{0}};
    LANES_EACH(n, i, h, count, {
        lanes_d a = {0}, b = {0}, sum;
        if (w0 != 0) lanes_load(&a, p0 + i, count);
        if (w1 != 0) lanes_load(&b, p1 + i, count);
        a *= w0;
        b *= w1;
        lanes_d given = a + b;
        lanes_load_double(&sum, attributions + i, count);
        sum += given;
        lanes_store_double(attributions + i, &sum, count);
        attributed[h] += given;
        lanes_abs(&given);
        lanes_abs(&a);
        lanes_abs(&b);
        weight[h] += given;
        noise[h] += a + b;
    });
    *out =
        (gig_sums){.attributed = lanes_total(attributed), .weight = lanes_total(weight), .noise = lanes_total(noise)};
}

void gig_sums_products_close(double *attributions, double share, const float *p0, const float *p1, double w0, double w1,
                             size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double given = (w0 == 0 ? 0 : w0 * (double)p0[i]) + (w1 == 0 ? 0 : w1 * (double)p1[i]);
        attributions[i] += share * fabs(given);
    }
}

GIG_CLONES void gig_sums_norms(double *l1, double *square, const float *values, size_t n)
{
    lanes_d magnitude[2] = {{0}}, squares[2] = {{0}};
    LANES_EACH(n, i, h, count, {
        lanes_d v;
        lanes_load(&v, values + i, count);
        squares[h] += v * v;
        lanes_abs(&v);
        magnitude[h] += v;
    });
    *l1 = lanes_total(magnitude);
    *square = lanes_total(squares);
}

GIG_CLONES double gig_sums_l1(const float *a, const float *b, size_t n)
{
    lanes_d sum[2] = {{0}};
    LANES_EACH(n, i, h, count, {
        lanes_d x, y;
        lanes_load(&x, a + i, count);
        lanes_load(&y, b + i, count);
        x -= y;
        lanes_abs(&x);
        sum[h] += x;
    });
    return lanes_total(sum);
}

GIG_CLONES double gig_sums_square(const float *a, const float *b, size_t n)
{
    lanes_d sum[2] = {{0}};
    LANES_EACH(n, i, h, count, {
        lanes_d x, y;
        lanes_load(&x, a + i, count);
        lanes_load(&y, b + i, count);
        x -= y;
        sum[h] += x * x;
    });
    return lanes_total(sum);
}

GIG_CLONES void gig_sums_add(double *to, const double *from, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] += from[i];
}

GIG_CLONES static double sum_doubles(const double *values, size_t n, int magnitudes)
{
    lanes_d sum[2] = {{0}};
    LANES_EACH(n, i, h, count, {
        lanes_d v;
        lanes_load_double(&v, values + i, count);
        if (magnitudes) lanes_abs(&v);
        sum[h] += v;
    });
    return lanes_total(sum);
}

double gig_sums_total(const double *values, size_t n)
{
    return sum_doubles(values, n, 0);
}

double gig_sums_magnitude(const double *values, size_t n)
{
    return sum_doubles(values, n, 1);
}
