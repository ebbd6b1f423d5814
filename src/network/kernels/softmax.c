/* SPDX-License-Identifier: Apache-2.0 */
/* Rows (inner 1) go one at a time along their length, others COLUMNS groups at a time across them. */
#include "network/kernels/softmax.h"
#include "base/clones.h"
#include "network/kernels/smooth_functions.h"

enum { LANES = 8, COLUMNS = 64 };

/* ---- one row ---- */

static inline float greatest(const float *s, size_t n)
{
    float most[LANES], all = -INFINITY;
    size_t k = 0;
    for (int l = 0; l < LANES; l++) most[l] = -INFINITY;
    for (; k + LANES <= n; k += LANES)
        for (int l = 0; l < LANES; l++) most[l] = s[k + l] > most[l] ? s[k + l] : most[l];
    for (int l = 0; l < LANES; l++) all = most[l] > all ? most[l] : all;
    for (; k < n; k++) all = s[k] > all ? s[k] : all;
    return all;
}

/* -infinity cannot be subtracted. */
static inline float shift_of(float most)
{
    return gig_choose(most == -INFINITY, 0, most);
}

static inline double sum_of(const float *s, size_t n)
{
    double lanes[LANES] = {0}, sum = 0;
    size_t k = 0;
    for (; k + LANES <= n; k += LANES)
        for (int l = 0; l < LANES; l++) lanes[l] += (double)s[k + l];
    for (; k < n; k++) sum += (double)s[k];
    for (int l = 0; l < LANES; l++) sum += lanes[l];
    return sum;
}

static inline double sum_of_products(const float *a, const float *b, size_t n)
{
    double lanes[LANES] = {0}, sum = 0;
    size_t k = 0;
    for (; k + LANES <= n; k += LANES)
        for (int l = 0; l < LANES; l++) lanes[l] += (double)a[k + l] * (double)b[k + l];
    for (; k < n; k++) sum += (double)a[k] * (double)b[k];
    for (int l = 0; l < LANES; l++) sum += lanes[l];
    return sum;
}

/* y = exp(x - its greatest), and their sum; y may be x. */
static inline double exponentials(float *y, const float *x, size_t n)
{
    const float shift = shift_of(greatest(x, n));
    for (size_t k = 0; k < n; k++) y[k] = gig_exp_down(x[k] - shift);
    return sum_of(y, n);
}

/* y (d - sum): d and sum are often nearly equal, so the sum keeps what a float cuts off. */
static inline void weigh(float *d_x, const float *d, const float *y, size_t n, double sum)
{
    const float high = (float)sum, low = (float)(sum - (double)high);
    for (size_t k = 0; k < n; k++) d_x[k] = y[k] * ((d[k] - high) - low);
}

GIG_CLONES int gig_soften(float *s, int64_t n)
{
    const double sum = exponentials(s, s, (size_t)n);
    const float by = sum == 0 ? 0.0f : (float)(1 / sum);
    for (int64_t j = 0; j < n; j++) s[j] *= by;
    return sum != 0;
}

GIG_CLONES void gig_soften_backward(float *d_s, const float *d, const float *p, int64_t n)
{
    weigh(d_s, d, p, (size_t)n, sum_of_products(d, p, (size_t)n));
}

/* log(sum) of a sum to which the greatest number contributes 1: near 1 the rest determines it. */
static inline float log_of_sum(double sum)
{
    const float rest = (float)(sum - 1);
    return gig_choose(rest <= 1, gig_log_1_plus(gig_choose(rest <= 1, rest, 1)), gig_log((float)sum));
}

GIG_CLONES static void soften_rows(float *y, const float *x, size_t rows, size_t n)
{
    for (size_t i = 0; i < rows; i++, y += n, x += n) {
        const float by = (float)(1 / exponentials(y, x, n));
        for (size_t k = 0; k < n; k++) y[k] *= by;
    }
}

GIG_CLONES static void soften_rows_backward(float *d_x, const float *d, const float *y, size_t rows, size_t n)
{
    for (size_t i = 0; i < rows; i++, d_x += n, d += n, y += n) weigh(d_x, d, y, n, sum_of_products(d, y, n));
}

GIG_CLONES static void log_rows(float *y, const float *x, size_t rows, size_t n)
{
    for (size_t i = 0; i < rows; i++, y += n, x += n) {
        const float shift = shift_of(greatest(x, n)), down = log_of_sum(exponentials(y, x, n));
        for (size_t k = 0; k < n; k++) y[k] = (x[k] - shift) - down;
    }
}

GIG_CLONES static void log_rows_backward(float *d_x, const float *d, const float *y, size_t rows, size_t n)
{
    for (size_t i = 0; i < rows; i++, d_x += n, d += n, y += n) {
        const float sum = (float)sum_of(d, n);
        for (size_t k = 0; k < n; k++) d_x[k] = d[k] - gig_exp_down(y[k]) * sum;
    }
}

/* ---- COLUMNS groups side by side, their numbers `inner` apart ---- */

/* most[c] = the greatest number of group c, or 0 if that is -infinity; columns behind `wide` get 0. */
static inline void column_shifts(float *most, const float *x, size_t length, size_t inner, size_t wide)
{
    for (size_t c = 0; c < COLUMNS; c++) most[c] = -INFINITY;
    for (size_t k = 0; k < length; k++)
        for (size_t c = 0; c < wide; c++) most[c] = x[k * inner + c] > most[c] ? x[k * inner + c] : most[c];
    for (size_t c = 0; c < COLUMNS; c++) most[c] = shift_of(most[c]);
}

static inline void column_exponentials(float *y, double *sums, const float *most, const float *x, size_t length,
                                       size_t inner, size_t wide)
{
    for (size_t c = 0; c < COLUMNS; c++) sums[c] = 0;
    for (size_t k = 0; k < length; k++)
        for (size_t c = 0; c < wide; c++) {
            y[k * inner + c] = gig_exp_down(x[k * inner + c] - most[c]);
            sums[c] += (double)y[k * inner + c];
        }
}

GIG_CLONES static void soften_columns(float *y, const float *x, size_t length, size_t inner, size_t wide)
{
    float most[COLUMNS], by[COLUMNS];
    double sums[COLUMNS];
    column_shifts(most, x, length, inner, wide);
    column_exponentials(y, sums, most, x, length, inner, wide);
    for (size_t c = 0; c < COLUMNS; c++) by[c] = (float)(1 / sums[c]);
    for (size_t k = 0; k < length; k++)
        for (size_t c = 0; c < wide; c++) y[k * inner + c] *= by[c];
}

GIG_CLONES static void soften_columns_backward(float *d_x, const float *d, const float *y, size_t length, size_t inner,
                                               size_t wide)
{
    double sums[COLUMNS] = {0};
    float high[COLUMNS], low[COLUMNS];
    for (size_t k = 0; k < length; k++)
        for (size_t c = 0; c < wide; c++) sums[c] += (double)d[k * inner + c] * (double)y[k * inner + c];
    for (size_t c = 0; c < COLUMNS; c++) {
        high[c] = (float)sums[c];
        low[c] = (float)(sums[c] - (double)high[c]);
    }
    for (size_t k = 0; k < length; k++)
        for (size_t c = 0; c < wide; c++) {
            const size_t at = k * inner + c;
            d_x[at] = y[at] * ((d[at] - high[c]) - low[c]);
        }
}

GIG_CLONES static void log_columns(float *y, const float *x, size_t length, size_t inner, size_t wide)
{
    float most[COLUMNS], down[COLUMNS];
    double sums[COLUMNS];
    column_shifts(most, x, length, inner, wide);
    column_exponentials(y, sums, most, x, length, inner, wide);
    for (size_t c = 0; c < COLUMNS; c++) down[c] = log_of_sum(sums[c]);
    for (size_t k = 0; k < length; k++)
        for (size_t c = 0; c < wide; c++) y[k * inner + c] = (x[k * inner + c] - most[c]) - down[c];
}

GIG_CLONES static void log_columns_backward(float *d_x, const float *d, const float *y, size_t length, size_t inner,
                                            size_t wide)
{
    double sums[COLUMNS] = {0};
    float total[COLUMNS];
    for (size_t k = 0; k < length; k++)
        for (size_t c = 0; c < wide; c++) sums[c] += (double)d[k * inner + c];
    for (size_t c = 0; c < COLUMNS; c++) total[c] = (float)sums[c];
    for (size_t k = 0; k < length; k++)
        for (size_t c = 0; c < wide; c++) {
            const size_t at = k * inner + c;
            d_x[at] = d[at] - gig_exp_down(y[at]) * total[c];
        }
}

/* ---- whole tensors ---- */

/* Calls the body with `at` and `wide` of each strip of columns. */
#define EACH_STRIP(outer, length, inner, body)                                                                         \
    for (size_t o = 0; o < (outer); o++)                                                                               \
        for (size_t c = 0; c < (inner); c += COLUMNS) {                                                                \
            const size_t at = o * (length) * (inner) + c, wide = (inner)-c < COLUMNS ? (inner)-c : COLUMNS;            \
            body;                                                                                                      \
        }

void gig_softmax(float *y, const float *x, size_t outer, size_t length, size_t inner)
{
    if (inner == 1)
        soften_rows(y, x, outer, length);
    else
        EACH_STRIP(outer, length, inner, soften_columns(y + at, x + at, length, inner, wide))
}

void gig_softmax_backward(float *d_x, const float *d_y, const float *y, size_t outer, size_t length, size_t inner)
{
    if (inner == 1)
        soften_rows_backward(d_x, d_y, y, outer, length);
    else
        EACH_STRIP(outer, length, inner, soften_columns_backward(d_x + at, d_y + at, y + at, length, inner, wide))
}

void gig_log_softmax(float *y, const float *x, size_t outer, size_t length, size_t inner)
{
    if (inner == 1)
        log_rows(y, x, outer, length);
    else
        EACH_STRIP(outer, length, inner, log_columns(y + at, x + at, length, inner, wide))
}

void gig_log_softmax_backward(float *d_x, const float *d_y, const float *y, size_t outer, size_t length, size_t inner)
{
    if (inner == 1)
        log_rows_backward(d_x, d_y, y, outer, length);
    else
        EACH_STRIP(outer, length, inner, log_columns_backward(d_x + at, d_y + at, y + at, length, inner, wide))
}
