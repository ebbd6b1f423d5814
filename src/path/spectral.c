/* SPDX-License-Identifier: Apache-2.0 */
/* Spectral IG's path (KDD 2026): the strong components of a picture are added first.
 *
 * h, w: a channel's rows and columns; d = end - start. By singular vectors d = sum_i p_i q_i^T, where one of p_i, q_i
 * is a singular vector and the other d times it (so that nothing is divided by small values); a point's row r is sum_i
 * phi_i p_i[r] q_i. By cosines d = A^T C B, and a point is A^T (phi C) B. Both are sums of rows with weights. Elements
 * of a row are added in a fixed order, so that bits do not depend on the vector width. */
#include "base/memory.h"
#include "base/size.h"
#include "internal/path.h"
#include "path/decompose.h"
#include "path/lanes.h"

struct gig_spectral_path {
    size_t height, width, channels, parts; /* parts: min(height, width) of singular vectors */
    int planar;
    gig_basis basis;
    double overlap;
    float *start, *end;
    double *begins;      /* alpha where a component starts to fade in: [channels, parts]; cosines [height, width] */
    float *left, *right; /* p as [channels, height, parts], q as [channels, parts, width] */
    float *coefficients; /* C, [channels, height, width] */
    float *row_waves, *column_waves; /* A as [height, height] transposed, B as [width, width] */
};

static const double usual_overlap = 0.4;

void gig_spectral_free(gig_spectral_path *path)
{
    if (!path) return;
    void *const all[] = {path->start, path->end,          path->begins,    path->left,
                         path->right, path->coefficients, path->row_waves, path->column_waves};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gig_free(all[i]);
    gig_free(path);
}

/* Index of channel c of pixel p in the point. */
static size_t place(const gig_spectral_path *path, size_t c, size_t p)
{
    return path->planar ? c * path->height * path->width + p : p * path->channels + c;
}

/* ---- making ---- */

/* p and q of one channel, from its difference (height x width, or transposed if it is wider than high). */
static gig_status split(gig_spectral_path *path, size_t channel, double *difference, double *vectors, double *values)
{
    size_t h = path->height, w = path->width, n = path->parts;
    int wide = w > h;
    size_t rows = wide ? w : h;
    for (size_t r = 0; r < h; r++)
        for (size_t k = 0; k < w; k++) {
            size_t at = place(path, channel, r * w + k);
            difference[wide ? k * h + r : r * w + k] = (double)path->end[at] - (double)path->start[at];
        }
    GIG_TRY(gig_decompose(vectors, values, difference, rows, n));
    float *vector = wide ? path->right + channel * n * w : path->left + channel * h * n;
    for (size_t i = 0; i < n; i++) {
        path->begins[channel * n + i] = (1 - path->overlap) * (values[0] > 0 ? 1 - values[i] / values[0] : 0);
        for (size_t r = 0; r < rows; r++) vector[wide ? i * w + r : r * n + i] = (float)vectors[i * rows + r];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) { /* d^T u, or d v: over the long side */
            double sum = 0;
            for (size_t r = 0; r < rows; r++) sum += vectors[i * rows + r] * difference[r * n + k];
            if (wide)
                path->left[channel * h * n + k * n + i] = (float)sum;
            else
                path->right[channel * n * w + i * w + k] = (float)sum;
        }
    return GIG_OK;
}

static gig_status split_all(gig_spectral_path *path)
{
    size_t pixels = path->height * path->width, long_side = pixels / path->parts;
    double *difference = gig_alloc(pixels, sizeof *difference);
    double *vectors = difference ? gig_alloc(path->parts * long_side, sizeof *vectors) : NULL;
    double *values = vectors ? gig_alloc(path->parts, sizeof *values) : NULL;
    gig_status status = values ? GIG_OK : gig_alloc_status();
    for (size_t c = 0; c < path->channels && status == GIG_OK; c++)
        status = split(path, c, difference, vectors, values);
    gig_free(values);
    gig_free(vectors);
    gig_free(difference);
    return status;
}

/* C = A d B^T of one channel. */
static void transform(gig_spectral_path *path, size_t channel, const double *rows, const double *columns, double *half)
{
    size_t h = path->height, w = path->width;
    for (size_t k = 0; k < h; k++) {
        for (size_t j = 0; j < w; j++) half[j] = 0;
        for (size_t r = 0; r < h; r++)
            for (size_t j = 0; j < w; j++) {
                size_t at = place(path, channel, r * w + j);
                half[j] += rows[k * h + r] * ((double)path->end[at] - (double)path->start[at]);
            }
        for (size_t l = 0; l < w; l++) {
            double sum = 0;
            for (size_t j = 0; j < w; j++) sum += columns[l * w + j] * half[j];
            path->coefficients[(channel * h + k) * w + l] = (float)sum;
        }
    }
}

static double share(size_t index, size_t count)
{
    return count > 1 ? (double)index / (double)(count - 1) : 0;
}

static gig_status transform_all(gig_spectral_path *path)
{
    size_t h = path->height, w = path->width;
    double *rows = gig_alloc(h * h, sizeof *rows), *columns = rows ? gig_alloc(w * w, sizeof *columns) : NULL;
    double *half = columns ? gig_alloc(w, sizeof *half) : NULL;
    if (half) {
        double farthest = hypot(h > 1, w > 1);
        gig_cosines(rows, h);
        gig_cosines(columns, w);
        for (size_t k = 0; k < h; k++)
            for (size_t l = 0; l < w; l++)
                path->begins[k * w + l] =
                    farthest > 0 ? (1 - path->overlap) * hypot(share(k, h), share(l, w)) / farthest : 0;
        for (size_t k = 0; k < h; k++)
            for (size_t r = 0; r < h; r++) path->row_waves[r * h + k] = (float)rows[k * h + r];
        for (size_t i = 0; i < w * w; i++) path->column_waves[i] = (float)columns[i];
        for (size_t c = 0; c < path->channels; c++) transform(path, c, rows, columns, half);
    }
    gig_status status = half ? GIG_OK : gig_alloc_status();
    gig_free(half);
    gig_free(columns);
    gig_free(rows);
    return status;
}

static gig_status make_room(gig_spectral_path *path, const gig_spectral_options *options)
{
    size_t h = path->height, w = path->width, n = path->parts, features = h * w * path->channels;
    int cosines = path->basis == GIG_BASIS_DCT;
    path->start = gig_alloc(features, sizeof *path->start);
    path->end = gig_alloc(features, sizeof *path->end);
    path->begins = gig_alloc(cosines ? h * w : path->channels * n, sizeof *path->begins);
    int there = path->start && path->end && path->begins;
    if (cosines) {
        path->coefficients = gig_alloc(features, sizeof *path->coefficients);
        path->row_waves = gig_alloc(h * h, sizeof *path->row_waves);
        path->column_waves = gig_alloc(w * w, sizeof *path->column_waves);
        there = there && path->coefficients && path->row_waves && path->column_waves;
    } else {
        path->left = gig_alloc(path->channels * h * n, sizeof *path->left);
        path->right = gig_alloc(path->channels * n * w, sizeof *path->right);
        there = there && path->left && path->right;
    }
    if (!there) return gig_alloc_status();
    memcpy(path->start, options->start, features * sizeof *path->start);
    memcpy(path->end, options->end, features * sizeof *path->end);
    return GIG_OK;
}

static gig_status check(const gig_spectral_options *options, double overlap)
{
    enum { LONGEST_SIDE = 4096 }; /* the decomposition takes cubic time */
    const int64_t dims[3] = {(int64_t)options->height, (int64_t)options->width, (int64_t)options->channels};
    size_t features;
    GIG_TRY(gig_size_of_dims(&features, 3, dims));
    if (!features || !options->start || !options->end)
        return gig_fail(GIG_EARG, "a spectral path needs a start and an end with rows, columns and channels");
    if (options->height > LONGEST_SIDE || options->width > LONGEST_SIDE)
        return gig_fail(GIG_ELIMIT, "a spectral path over %zu x %zu pixels: at most %d per side are supported",
                        options->height, options->width, LONGEST_SIDE);
    if (!(overlap > 0 && overlap <= 1))
        return gig_fail(GIG_EARG, "blend %g: expected a number above 0, at most 1", overlap);
    if (options->basis != GIG_BASIS_SVD && options->basis != GIG_BASIS_DCT)
        return gig_fail(GIG_EARG, "unknown basis %d", (int)options->basis);
    for (size_t i = 0; i < features; i++)
        if (!isfinite(options->start[i]) || !isfinite(options->end[i]))
            return gig_fail(GIG_ENUMERIC, "feature %zu of a spectral path's start or end is not finite", i);
    return GIG_OK;
}

gig_status gig_spectral_create(gig_spectral_path **out, const gig_spectral_options *options)
{
    GIG_NEED(out);
    double overlap = options->overlap != 0 ? options->overlap : usual_overlap;
    *out = NULL;
    GIG_TRY(check(options, overlap));
    gig_spectral_path *path = gig_alloc_zero(1, sizeof *path);
    if (!path) return gig_alloc_status();
    path->height = options->height;
    path->width = options->width;
    path->channels = options->channels;
    path->parts = options->height < options->width ? options->height : options->width;
    path->planar = options->planar;
    path->basis = options->basis;
    path->overlap = overlap;
    gig_status status = make_room(path, options);
    if (status == GIG_OK) status = path->basis == GIG_BASIS_DCT ? transform_all(path) : split_all(path);
    if (status == GIG_OK)
        *out = path;
    else
        gig_spectral_free(path);
    return status;
}

/* ---- points ---- */

/* out += sum_i weights[i] rows[i], rows of `width` floats. */
GIG_CLONES static void add_rows(float *restrict out, const float *weights, const float *restrict rows, size_t count,
                                size_t width)
{
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const float a = weights[i], b = weights[i + 1], c = weights[i + 2], d = weights[i + 3];
        const float *p = rows + i * width, *q = p + width, *r = q + width, *s = r + width;
        if (a == 0 && b == 0 && c == 0 && d == 0) continue;
        for (size_t k = 0; k < width; k++) out[k] += (a * p[k] + b * q[k]) + (c * r[k] + d * s[k]);
    }
    for (; i < count; i++)
        for (size_t k = 0; k < width; k++) out[k] += weights[i] * rows[i * width + k];
}

/* The slope of phi, which jumps where a part begins and ends to come in. */
static double slope_at(const gig_spectral_path *path, double phi, double alpha, gig_side side)
{
    const int after = phi >= 0 && phi < 1;
    const int before = phi > 0 && phi <= 1;
    double share = side == GIG_SIDE_AFTER ? 0 : 0.5; /* of what is before */
    if (side == GIG_SIDE_BEFORE || alpha >= 1) share = 1;
    if (alpha <= 0) share = 0;
    return (share * before + (1 - share) * after) / path->overlap;
}

enum { POINT = -1 }; /* a gig_side asks for the tangent of that side */

/* phi at alpha, or its slope. */
static float weight_at(const gig_spectral_path *path, double begins, double alpha, int wanted)
{
    double phi = (alpha - begins) / path->overlap;
    return (float)(wanted == POINT ? fmin(fmax(phi, 0), 1) : slope_at(path, phi, alpha, (gig_side)wanted));
}

typedef struct scratch {
    float *plane, *half; /* [height, width] */
    float *weights;      /* of parts, or of a row of coefficients */
    float *phi;          /* [parts] */
} scratch;

static size_t lay_out(scratch *out, const gig_spectral_path *path, void *block)
{
    size_t pixels = path->height * path->width, side = path->height > path->width ? path->height : path->width, at = 0;
    float **parts[] = {&out->plane, &out->half, &out->weights, &out->phi};
    const size_t counts[] = {pixels, pixels, side, side};
    for (size_t i = 0; i < 4; i++) {
        *parts[i] = block ? (float *)(void *)((char *)block + at) : NULL;
        at += (counts[i] * sizeof(float) + GIG_ALIGNMENT - 1) / GIG_ALIGNMENT * GIG_ALIGNMENT;
    }
    return at;
}

static size_t scratch_size(const void *self)
{
    scratch unused;
    return lay_out(&unused, self, NULL);
}

/* plane = sum of weighted parts of one channel. */
static void add_parts(const scratch *s, const gig_spectral_path *path, size_t channel, double alpha, int wanted)
{
    size_t h = path->height, w = path->width, n = path->parts;
    for (size_t i = 0; i < n; i++) s->phi[i] = weight_at(path, path->begins[channel * n + i], alpha, wanted);
    for (size_t r = 0; r < h; r++) {
        const float *left = path->left + (channel * h + r) * n;
        for (size_t i = 0; i < n; i++) s->weights[i] = s->phi[i] * left[i];
        add_rows(s->plane + r * w, s->weights, path->right + channel * n * w, n, w);
    }
}

static void add_waves(const scratch *s, const gig_spectral_path *path, size_t channel, double alpha, int wanted)
{
    size_t h = path->height, w = path->width;
    memset(s->half, 0, h * w * sizeof *s->half);
    for (size_t k = 0; k < h; k++) {
        const float *coefficients = path->coefficients + (channel * h + k) * w;
        for (size_t l = 0; l < w; l++)
            s->weights[l] = coefficients[l] * weight_at(path, path->begins[k * w + l], alpha, wanted);
        add_rows(s->half + k * w, s->weights, path->column_waves, w, w);
    }
    for (size_t r = 0; r < h; r++) add_rows(s->plane + r * w, path->row_waves + r * h, s->half, h, w);
}

/* out = (from +) the weighted parts of all channels. */
static void write_point(float *out, const float *from, const scratch *s, const gig_spectral_path *path, double alpha,
                        int wanted)
{
    size_t pixels = path->height * path->width;
    for (size_t c = 0; c < path->channels; c++) {
        memset(s->plane, 0, pixels * sizeof *s->plane);
        if (path->basis == GIG_BASIS_DCT)
            add_waves(s, path, c, alpha, wanted);
        else
            add_parts(s, path, c, alpha, wanted);
        for (size_t p = 0; p < pixels; p++) {
            size_t at = place(path, c, p);
            out[at] = from ? from[at] + s->plane[p] : s->plane[p];
        }
    }
}

static gig_status at(const void *self, void *block, double alpha, float *point, float *tangent)
{
    const gig_spectral_path *path = self;
    scratch s;
    lay_out(&s, path, block);
    size_t bytes = path->height * path->width * path->channels * sizeof *point;
    if (alpha <= 0 || alpha >= 1)
        memcpy(point, alpha <= 0 ? path->start : path->end, bytes);
    else
        write_point(point, path->start, &s, path, alpha, POINT);
    if (tangent) write_point(tangent, NULL, &s, path, alpha, GIG_SIDE_AFTER);
    return GIG_OK;
}

static gig_status tangent_of(const void *self, void *block, double alpha, gig_side side, float *tangent)
{
    scratch s;
    lay_out(&s, self, block);
    write_point(tangent, NULL, &s, self, alpha, (int)side);
    return GIG_OK;
}

gig_curve gig_curve_spectral(const gig_spectral_path *path)
{
    if (!path) return (gig_curve){0};
    return (gig_curve){.scratch_size = scratch_size,
                       .at = at,
                       .self = path,
                       .features = path->height * path->width * path->channels,
                       .tangent = tangent_of};
}
