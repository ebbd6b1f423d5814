/* SPDX-License-Identifier: Apache-2.0 */
/* SmoothGrad's noisy copies of an input, the draws of repeat, and statistics of their maps. */
#include "saliency/method_run.h"
#include <math.h>
#include <string.h>

static double spread_of(const float *values, size_t count)
{
    double low = (double)values[0], high = low;
    for (size_t i = 1; i < count; i++) {
        double value = (double)values[i];
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    return high - low;
}

/* Streams of noise count from 0; those of draws from here. */
static const uint64_t first_draw = (uint64_t)1 << 33;
static const double jitter = 1e-6; /* of max - min: the last digits of a float */

/* Random numbers u in `out` become from + reach (max - min) u, or (2 u - 1) for numbers from 0 to 1. */
static void move(float *out, const float *from, size_t count, double reach, int centre)
{
    double most = reach * spread_of(from, count);
    for (size_t i = 0; i < count; i++) {
        double u = (double)out[i];
        out[i] = (float)((double)from[i] + most * (centre ? 2 * u - 1 : u));
    }
}

void gig_jitter(float *out, const float *from, size_t features, gig_rng random)
{
    gig_rng_fill_uniform(random, out, features);
    move(out, from, features, jitter, 1);
}

static gig_rng draw_stream(uint64_t seed, size_t index)
{
    return (gig_rng){seed, first_draw + index};
}

void gig_draw(float *out, const float *from, size_t features, uint64_t seed, size_t index)
{
    if (index)
        gig_jitter(out, from, features, draw_stream(seed, index));
    else
        memcpy(out, from, features * sizeof *out);
}

int gig_is_moved(const float *draw, const float *from, size_t features)
{
    size_t i = 0;
    while (i < features && draw[i] == from[i]) i++;
    return i < features;
}

/* The noise depends only on seed and sample, not on the input's position, so an input's result does not depend on the
 * other inputs. */
void gig_sample(float *out, const gig_task *task, size_t input, size_t sample)
{
    const float *from = task->inputs[input];
    size_t n = task->features;
    const gig_run_options *options = &task->options;
    const int smooth = task->method.smooth;
    if (smooth ? task->method.noise == 0 : !sample) {
        memcpy(out, from, n * sizeof *out);
        return;
    }
    if (smooth)
        gig_rng_fill_normal((gig_rng){options->seed, sample}, out, n);
    else
        gig_rng_fill_uniform(draw_stream(options->seed, sample), out, n);
    for (size_t p = 0, first = 0; first < n; p++) { /* inputs explained together may have very different ranges */
        size_t count = options->part_count ? options->parts[p] : n;
        move(out + first, from + first, count, smooth ? task->method.noise : jitter, !smooth);
        first += count;
    }
}

gig_status gig_blend_create(gig_blend *out, gig_smooth kind, size_t size)
{
    *out = (gig_blend){.kind = kind, .size = size};
    out->mean = gig_alloc(size, sizeof *out->mean);
    if (out->mean && kind == GIG_SMOOTH_VARIANCE) out->spread = gig_alloc(size, sizeof *out->spread);
    if (out->mean && (out->spread || kind != GIG_SMOOTH_VARIANCE)) return GIG_OK;
    gig_status status = gig_alloc_status();
    gig_blend_clear(out);
    return status;
}

void gig_blend_clear(gig_blend *blend)
{
    gig_free(blend->mean);
    gig_free(blend->spread);
    *blend = (gig_blend){0};
}

void gig_blend_begin(gig_blend *blend)
{
    blend->count = 0;
    memset(blend->mean, 0, blend->size * sizeof *blend->mean);
    if (blend->spread) memset(blend->spread, 0, blend->size * sizeof *blend->spread);
}

/* Welford's recurrence: E[a^2] - E[a]^2 would cancel. */
void gig_blend_add(gig_blend *blend, const double *map)
{
    double n = (double)++blend->count;
    double *mean = blend->mean, *spread = blend->spread;
    switch (blend->kind) {
    case GIG_SMOOTH_MEAN:
        for (size_t i = 0; i < blend->size; i++) mean[i] += (map[i] - mean[i]) / n;
        return;
    case GIG_SMOOTH_SQUARES:
        for (size_t i = 0; i < blend->size; i++) mean[i] += (map[i] * map[i] - mean[i]) / n;
        return;
    case GIG_SMOOTH_VARIANCE:
        for (size_t i = 0; i < blend->size; i++) {
            double before = map[i] - mean[i];
            mean[i] += before / n;
            spread[i] += before * (map[i] - mean[i]);
        }
        return;
    }
}

gig_status gig_agreement_create(gig_agreement *out, size_t size)
{
    *out = (gig_agreement){.size = size, .sum = gig_alloc(size, sizeof *out->sum)};
    return out->sum ? GIG_OK : gig_alloc_status();
}

void gig_agreement_clear(gig_agreement *agreement)
{
    gig_free(agreement->sum);
    *agreement = (gig_agreement){0};
}

void gig_agreement_begin(gig_agreement *agreement)
{
    agreement->count = agreement->flat = 0;
    memset(agreement->sum, 0, agreement->size * sizeof *agreement->sum);
}

void gig_agreement_add(gig_agreement *agreement, const double *map)
{
    double mean = 0, square = 0, n = (double)agreement->size;
    for (size_t i = 0; i < agreement->size; i++) mean += (map[i] - map[0]) / n; /* equal values differ by 0 exactly */
    mean += map[0];
    for (size_t i = 0; i < agreement->size; i++) square += (map[i] - mean) * (map[i] - mean);
    agreement->count++;
    if (!(square > 0)) {
        agreement->flat = 1;
        return;
    }
    double scale = 1 / sqrt(square);
    for (size_t i = 0; i < agreement->size; i++) agreement->sum[i] += scale * (map[i] - mean);
}

double gig_agreement_end(const gig_agreement *agreement)
{
    double n = (double)agreement->count, square = 0;
    if (agreement->count < 2 || agreement->flat) return (double)NAN;
    for (size_t i = 0; i < agreement->size; i++) square += agreement->sum[i] * agreement->sum[i];
    return fmin(fmax((square - n) / (n * (n - 1)), -1), 1);
}

gig_status gig_blend_end(float *out, const gig_blend *blend)
{
    double n = (double)blend->count;
    for (size_t i = 0; i < blend->size; i++) {
        out[i] = (float)(blend->kind == GIG_SMOOTH_VARIANCE ? blend->spread[i] / n : blend->mean[i]);
        if (!isfinite(out[i]))
            return gig_fail(GIG_ENUMERIC, "the attribution of feature %zu is out of range for float32", i);
    }
    return GIG_OK;
}
