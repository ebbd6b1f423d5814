/* SPDX-License-Identifier: Apache-2.0 */
#include "path/decompose.h"
#include "path/lanes.h"

/* The matrix is stored by columns, so that a rotation works on two contiguous vectors. */
typedef struct columns {
    double *at; /* [count, length] */
    size_t count, length;
    double *squares; /* [count], |column|^2 */
} columns;

GIG_CLONES static double dot(const double *a, const double *b, size_t n)
{
    lanes_d sum[2] = {{0}};
    LANES_EACH(n, i, h, count, {
        lanes_d x, y;
        lanes_load_double(&x, a + i, count);
        lanes_load_double(&y, b + i, count);
        sum[h] += x * y;
    });
    return lanes_total(sum);
}

GIG_CLONES static void rotate(double *a, double *b, double cosine, double sine, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double x = a[i], y = b[i];
        a[i] = cosine * x - sine * y;
        b[i] = sine * x + cosine * y;
    }
}

/* Makes columns p and q orthogonal; returns 0 if they already were. */
static int make_orthogonal(const columns *of, size_t p, size_t q)
{
    const double close = 1e-15 * fmax(10, sqrt((double)of->length)), nothing = 1e-32; /* of the longest's square */
    double *a = of->at + p * of->length, *b = of->at + q * of->length;
    double pp = of->squares[p], qq = of->squares[q];
    if (qq <= nothing * of->squares[0] || pp <= nothing * of->squares[0]) return 0;
    double pq = dot(a, b, of->length);
    if (!(fabs(pq) > close * sqrt(pp * qq))) return 0;
    double zeta = (qq - pp) / (2 * pq);
    double tangent = copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double cosine = 1 / sqrt(1 + tangent * tangent);
    rotate(a, b, cosine, cosine * tangent, of->length);
    of->squares[p] = dot(a, a, of->length);
    of->squares[q] = dot(b, b, of->length);
    return 1;
}

static void swap_columns(const columns *of, size_t p, size_t q)
{
    double *a = of->at + p * of->length, *b = of->at + q * of->length, square = of->squares[p];
    for (size_t i = 0; i < of->length; i++) {
        double x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
    of->squares[p] = of->squares[q];
    of->squares[q] = square;
}

/* The longest of the columns from p on comes first (de Rijk's order): fewer sweeps, and values in descending order. */
static void bring_longest(const columns *of, size_t p)
{
    size_t longest = p;
    for (size_t q = p + 1; q < of->count; q++)
        if (of->squares[q] > of->squares[longest]) longest = q;
    if (longest != p) swap_columns(of, p, longest);
}

static int sweep(const columns *of)
{
    int turned = 0;
    for (size_t p = 0; p < of->count; p++) {
        bring_longest(of, p);
        for (size_t q = p + 1; q < of->count; q++) turned |= make_orthogonal(of, p, q);
    }
    return turned;
}

gig_status gig_decompose(double *left, double *values, const double *matrix, size_t rows, size_t count)
{
    enum { MOST_SWEEPS = 60 };
    static const double smallest = 1e-13;
    const columns of = {.at = left, .count = count, .length = rows, .squares = values};
    double scale = 0; /* so that squares neither overflow nor vanish */
    for (size_t i = 0; i < rows * count; i++) scale = fmax(scale, fabs(matrix[i]));
    if (!(scale > 0)) scale = 1;
    for (size_t c = 0; c < count; c++)
        for (size_t r = 0; r < rows; r++) left[c * rows + r] = matrix[r * count + c] / scale;
    for (size_t c = 0; c < count; c++) values[c] = dot(left + c * rows, left + c * rows, rows);
    int sweeps = 0;
    while (sweep(&of))
        if (++sweeps == MOST_SWEEPS)
            return gig_fail(GIG_ENUMERIC, "singular values of a %zu x %zu matrix: %d sweeps do not converge", rows,
                            count, MOST_SWEEPS);
    for (size_t c = 0; c < count; c++) bring_longest(&of, c);
    double largest = count ? sqrt(values[0]) : 0;
    for (size_t c = 0; c < count; c++) {
        double value = sqrt(values[c]), factor = value > smallest * largest ? 1 / value : 0;
        for (size_t r = 0; r < rows; r++) left[c * rows + r] *= factor;
        values[c] = scale * value;
    }
    return GIG_OK;
}

void gig_cosines(double *out, size_t n)
{
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            out[k * n + i] =
                sqrt((k ? 2 : 1) / (double)n) * cos(M_PI * (double)k * (2 * (double)i + 1) / (2 * (double)n));
}
