#include "path/sums.h"
#include "path/lanes.h"

GIG_CLONES static int all_finite(const uint32_t *bits, size_t n)
{
    const uint32_t exponent = 0x7f800000u;
    uint32_t bad = 0;
    for (size_t i = 0; i < n; i++) bad |= (bits[i] & exponent) == exponent;
    return !bad;
}

size_t gig_sums_not_finite(const float *values, size_t n)
{
    enum { BLOCK = 4096 };
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t count = n - i < BLOCK ? n - i : BLOCK;
        uint32_t bits[BLOCK];
        memcpy(bits, values + i, count * sizeof *bits);
        if (all_finite(bits, count)) continue;
        for (size_t j = 0; j < count; j++)
            if (!isfinite(values[i + j])) return i + j;
    }
    return n;
}

GIG_CLONES static void between(float *out, const float *from, const float *to, double alpha, size_t n)
{
    for (size_t i = 0; i < n; i += LANES) {
        size_t count = lanes_left(i, n);
        lanes_d a, b;
        lanes_load(&a, from + i, count);
        lanes_load(&b, to + i, count);
        a += alpha * (b - a);
        lanes_store(out + i, &a, count);
    }
}

void gig_sums_between(float *out, const float *from, const float *to, double alpha, size_t n)
{
    if (alpha == 0 || alpha == 1)
        memcpy(out, alpha == 0 ? from : to, n * sizeof *out);
    else
        between(out, from, to, alpha, n);
}

GIG_CLONES void gig_place_find(gig_place *out, const float *x, const float *start, const float *end, size_t n)
{
    lanes_d left = {0}, travelled = {0}, aim = {0};
    for (size_t i = 0; i < n; i += LANES) {
        size_t count = lanes_left(i, n);
        lanes_d at, b, e;
        lanes_load(&at, x + i, count);
        lanes_load(&b, start + i, count);
        lanes_load(&e, end + i, count);
        lanes_d rest = e - at, gone = at - b;
        lanes_abs(&rest);
        left += rest;
        travelled += gone * gone;
        aim += gone * (e - b);
    }
    *out = (gig_place){lanes_total(&left), lanes_total(&travelled), lanes_total(&aim)};
}

double gig_place_off_line(const gig_place *place, double alpha, double whole)
{
    double square = place->travelled - 2 * alpha * place->aim + alpha * alpha * whole;
    /* Below the rounding of the three terms the point is on the line. */
    return square > 1e-15 * (place->travelled + alpha * alpha * whole) ? sqrt(square) : 0;
}

/* With g1 NULL the rule's gradient is g0 itself. */
GIG_INLINE void step_add(gig_sums *out, double *attributions, const float *x0, const float *x1, const float *g0,
                         const float *g1, double w0, double w1, size_t n)
{
    lanes_d attributed = {0}, weight = {0}, noise = {0}, l1 = {0}, square = {0};
    for (size_t i = 0; i < n; i += LANES) {
        size_t count = lanes_left(i, n);
        lanes_d a, d, g;
        lanes_load(&a, x0 + i, count);
        lanes_load(&d, x1 + i, count);
        lanes_load(&g, g0 + i, count);
        d -= a;
        lanes_d given = d * g, first = given;
        if (g1) {
            lanes_d h;
            lanes_load(&h, g1 + i, count);
            given = d * (w0 * g + w1 * h);
        }
        if (attributions) {
            lanes_d sum;
            lanes_load_double(&sum, attributions + i, count);
            sum += given;
            lanes_store_double(attributions + i, &sum, count);
        }
        attributed += given;
        lanes_abs(&first);
        noise += first;
        if (g1) {
            lanes_abs(&given);
            weight += given;
        }
        square += d * d;
        lanes_abs(&d);
        l1 += d;
    }
    *out = (gig_sums){.attributed = lanes_total(&attributed),
                      .weight = lanes_total(g1 ? &weight : &noise),
                      .noise = lanes_total(&noise),
                      .l1 = lanes_total(&l1),
                      .square = lanes_total(&square)};
}

GIG_CLONES static void add_left(gig_sums *out, double *attributions, const float *x0, const float *x1, const float *g0,
                                size_t n)
{
    step_add(out, attributions, x0, x1, g0, NULL, 1, 0, n);
}

GIG_CLONES static void add_mixed(gig_sums *out, double *attributions, const float *x0, const float *x1, const float *g0,
                                 const float *g1, double w0, double w1, size_t n)
{
    step_add(out, attributions, x0, x1, g0, g1, w0, w1, n);
}

GIG_CLONES void gig_sums_measure(gig_sums *out, const float *x0, const float *x1, const float *g0, size_t n)
{
    step_add(out, NULL, x0, x1, g0, NULL, 1, 0, n);
}

void gig_sums_step(gig_sums *out, double *attributions, const float *x0, const float *x1, const float *g0,
                   const float *g1, double w0, double w1, size_t n)
{
    if (w1 == 0)
        add_left(out, attributions, x0, x1, g0, n);
    else
        add_mixed(out, attributions, x0, x1, g0, g1, w0, w1, n);
}

double gig_sums_close(double *attributions, const gig_sums *sums, double missing, const float *x0, const float *x1,
                      const float *g0, const float *g1, double w0, double w1, size_t n)
{
    if (sums->l1 == 0 || missing == 0) return 0;
    int by_gradient = sums->weight > 0;
    double share = missing / (by_gradient ? sums->weight : sums->l1);
    for (size_t i = 0; i < n; i++) {
        double d = (double)x1[i] - (double)x0[i];
        double g = w1 == 0 ? (double)g0[i] : w0 * (double)g0[i] + w1 * (double)g1[i];
        attributions[i] += share * fabs(by_gradient ? d * g : d);
    }
    return missing;
}

GIG_CLONES static double sum_squares(const float *values, size_t n)
{
    lanes_d sum = {0};
    for (size_t i = 0; i < n; i += LANES) {
        lanes_d v;
        lanes_load(&v, values + i, lanes_left(i, n));
        sum += v * v;
    }
    return lanes_total(&sum);
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
    lanes_d attributed = {0}, noise = {0};
    for (size_t i = 0; i < n; i += LANES) {
        size_t count = lanes_left(i, n);
        lanes_d t, g, sum;
        lanes_load(&t, tangent + i, count);
        lanes_load(&g, gradient + i, count);
        lanes_load_double(&sum, attributions + i, count);
        lanes_d given = weight * (t * g);
        sum += given;
        lanes_store_double(attributions + i, &sum, count);
        attributed += given;
        lanes_abs(&given);
        noise += given;
    }
    double total = lanes_total(&noise);
    *out = (gig_sums){.attributed = lanes_total(&attributed), .weight = total, .noise = total};
}

GIG_CLONES void gig_sums_product(float *out, const float *tangent, const float *gradient, size_t n)
{
    for (size_t i = 0; i < n; i++) out[i] = tangent[i] * gradient[i];
}

GIG_CLONES void gig_sums_products_add(gig_sums *out, double *attributions, const float *p0, const float *p1, double w0,
                                      double w1, size_t n)
{
    lanes_d attributed = {0}, weight = {0}, noise = {0};
    for (size_t i = 0; i < n; i += LANES) {
        size_t count = lanes_left(i, n);
        lanes_d a = {0}, b = {0}, sum;
        if (w0 != 0) lanes_load(&a, p0 + i, count);
        if (w1 != 0) lanes_load(&b, p1 + i, count);
        a *= w0;
        b *= w1;
        lanes_d given = a + b;
        lanes_load_double(&sum, attributions + i, count);
        sum += given;
        lanes_store_double(attributions + i, &sum, count);
        attributed += given;
        lanes_abs(&given);
        lanes_abs(&a);
        lanes_abs(&b);
        weight += given;
        noise += a + b;
    }
    *out = (gig_sums){
        .attributed = lanes_total(&attributed), .weight = lanes_total(&weight), .noise = lanes_total(&noise)};
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
    lanes_d magnitude = {0}, squares = {0};
    for (size_t i = 0; i < n; i += LANES) {
        lanes_d v;
        lanes_load(&v, values + i, lanes_left(i, n));
        squares += v * v;
        lanes_abs(&v);
        magnitude += v;
    }
    *l1 = lanes_total(&magnitude);
    *square = lanes_total(&squares);
}

GIG_CLONES double gig_sums_l1(const float *a, const float *b, size_t n)
{
    lanes_d sum = {0};
    for (size_t i = 0; i < n; i += LANES) {
        size_t count = lanes_left(i, n);
        lanes_d x, y;
        lanes_load(&x, a + i, count);
        lanes_load(&y, b + i, count);
        x -= y;
        lanes_abs(&x);
        sum += x;
    }
    return lanes_total(&sum);
}

GIG_CLONES double gig_sums_square(const float *a, const float *b, size_t n)
{
    lanes_d sum = {0};
    for (size_t i = 0; i < n; i += LANES) {
        size_t count = lanes_left(i, n);
        lanes_d x, y;
        lanes_load(&x, a + i, count);
        lanes_load(&y, b + i, count);
        x -= y;
        sum += x * x;
    }
    return lanes_total(&sum);
}

GIG_CLONES void gig_sums_add(double *to, const double *from, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] += from[i];
}

GIG_CLONES static double sum_doubles(const double *values, size_t n, int magnitudes)
{
    lanes_d sum = {0};
    for (size_t i = 0; i < n; i += LANES) {
        lanes_d v;
        lanes_load_double(&v, values + i, lanes_left(i, n));
        if (magnitudes) lanes_abs(&v);
        sum += v;
    }
    return lanes_total(&sum);
}

double gig_sums_total(const double *values, size_t n)
{
    return sum_doubles(values, n, 0);
}

double gig_sums_magnitude(const double *values, size_t n)
{
    return sum_doubles(values, n, 1);
}
