/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinates and weights of resampling, axis by axis. */
#include "network/locate/mapping.h"
#include "network/operators/resize.h"
#include <math.h>

/* The length that the scale asks for, before it is cut to whole cells: what ONNX's own examples of align_corners use
 * (0.6 of 4 cells are 2.4). A scale such as 7/3 is a rounded float and means a whole length. */
static double asked_length(const gig_axis *axis)
{
    double length = axis->scale * (double)axis->in, whole = round(length);
    return fabs(length - whole) < 1e-5 * length ? whole : length;
}

static double place_of(const gig_resampling *how, const gig_axis *axis, int64_t x)
{
    double scale = axis->scale, in = (double)axis->in, out = asked_length(axis), at = (double)x;
    switch (how->coordinates) {
    case GIG_ASYMMETRIC: return at / scale;
    case GIG_HALF_PIXEL_NEAREST: return (at + 0.5) / scale;
    case GIG_ALIGN_CORNERS: return axis->out == 1 ? 0 : at * (in - 1) / (out - 1);
    case GIG_PYTORCH_HALF_PIXEL: return axis->out == 1 ? 0 : (at + 0.5) / scale - 0.5;
    case GIG_CROP_AND_RESIZE:
        return axis->out == 1 ? 0.5 * (axis->start + axis->end) * (in - 1)
                              : axis->start * (in - 1) + at * (axis->end - axis->start) * (in - 1) / (out - 1);
    case GIG_HALF_PIXEL_SYMMETRIC: return 0.5 * in * (1 - (double)axis->out / out) + (at + 0.5) / scale - 0.5;
    case GIG_HALF_PIXEL: break;
    }
    return (at + 0.5) / scale - 0.5;
}

static int64_t clamp(double at, int64_t size)
{
    return at <= 0 ? 0 : at >= (double)size ? size - 1 : (int64_t)at;
}

static int outside(const gig_resampling *how, const gig_axis *axis, double at)
{
    return how->coordinates == GIG_CROP_AND_RESIZE && (at < 0 || at > (double)(axis->in - 1));
}

int64_t gig_resample_nearest(const gig_resampling *how, const gig_axis *axis, int64_t x)
{
    double at = place_of(how, axis, x);
    if (outside(how, axis, at)) return GIG_NOWHERE;
    at = (float)at; /* a scale such as 1/3 is a rounded float: 2.9999999 is meant as 3 */
    switch (how->nearest) {
    case GIG_ROUND_DOWN: return clamp(ceil(at - 0.5), axis->in);
    case GIG_ROUND_UP: return clamp(floor(at + 0.5), axis->in);
    case GIG_CEIL: return clamp(ceil(at), axis->in);
    case GIG_FLOOR_OR_CEIL: return clamp(axis->scale < 1 ? ceil(at) : floor(at), axis->in);
    case GIG_FLOOR: break;
    }
    return clamp(floor(at), axis->in);
}

/* The weight of a cell at a distance of d >= 0 cells: a triangle, or Keys' cubic with parameter a. */
static double kernel(const gig_resampling *how, double d)
{
    double a = how->cubic_a;
    if (how->interpolation == GIG_INTERPOLATE_LINEAR) return d < 1 ? 1 - d : 0;
    if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
    return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

static double narrowing(const gig_resampling *how, const gig_axis *axis)
{
    return how->antialias && axis->scale < 1 ? axis->scale : 1;
}

/* The kernel touches cells floor(at) - reach + 1 to floor(at) + reach. */
static double reach_of(const gig_resampling *how, const gig_axis *axis)
{
    return ceil((how->interpolation == GIG_INTERPOLATE_CUBIC ? 2 : 1) / narrowing(how, axis));
}

int64_t gig_resample_width(const gig_resampling *how, const gig_axis *axis)
{
    double touched = 2 * reach_of(how, axis);
    return touched < (double)axis->in ? (int64_t)touched : axis->in;
}

/* A cell beyond the axis counts as the one at its end, or not at all with exclude_outside. The weights of an
 * antialiased kernel, and of one that lost cells, are made to add up to 1. */
int gig_resample_weights(int32_t *first, float *weight, const gig_resampling *how, const gig_axis *axis, int64_t x)
{
    double at = place_of(how, axis, x), reach = reach_of(how, axis), factor = narrowing(how, axis);
    double low = floor(at) - reach + 1, last = (double)(axis->in - 1), total = 0;
    int64_t width = gig_resample_width(how, axis);
    int64_t start = clamp(low, axis->in - width + 1);
    *first = (int32_t)start;
    for (int64_t t = 0; t < width; t++) weight[t] = 0;
    int excludes = how->exclude_outside && (how->antialias || how->interpolation == GIG_INTERPOLATE_CUBIC);
    for (int64_t t = 0; (double)t < 2 * reach; t++) {
        double from = low + (double)t, part = kernel(how, fabs(from - at) * factor);
        if (excludes && (from < 0 || from > last)) continue;
        weight[clamp(from, axis->in) - start] += (float)part;
        total += part;
    }
    if (how->antialias || excludes)
        for (int64_t t = 0; t < width; t++) weight[t] = total == 0 ? 0 : (float)(weight[t] / total);
    return !outside(how, axis, at);
}
