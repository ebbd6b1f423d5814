/* Coordinates and weights of resampling, axis by axis. */
#include "network/operators/mapping.h"
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
    case GIG_CROP:
        return axis->out == 1 ? 0.5 * (axis->start + axis->end) * (in - 1)
                              : axis->start * (in - 1) + at * (axis->end - axis->start) * (in - 1) / (out - 1);
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
    return how->coordinates == GIG_CROP && (at < 0 || at > (double)(axis->in - 1));
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

/* Keys' kernel with parameter a, at distances 1 + r, r, 1 - r, 2 - r. */
static void cubic_weights(double weight[4], double r, double a)
{
    weight[0] = ((a * (r + 1) - 5 * a) * (r + 1) + 8 * a) * (r + 1) - 4 * a;
    weight[1] = ((a + 2) * r - (a + 3)) * r * r + 1;
    weight[2] = ((a + 2) * (1 - r) - (a + 3)) * (1 - r) * (1 - r) + 1;
    weight[3] = ((a * (2 - r) - 5 * a) * (2 - r) + 8 * a) * (2 - r) - 4 * a;
}

int gig_resample_taps(int32_t cell[GIG_MAX_TAPS], float weight[GIG_MAX_TAPS], const gig_resampling *how,
                      const gig_axis *axis, int64_t x)
{
    double at = place_of(how, axis, x), low = floor(at), exact[GIG_MAX_TAPS] = {1 - (at - low), at - low};
    int cubic = how->interpolation == GIG_CUBIC, taps = cubic ? 4 : 2;
    if (cubic) cubic_weights(exact, at - low, how->cubic_a);
    double total = 0;
    for (int t = 0; t < taps; t++) {
        double from = low + t - cubic;
        if (cubic && how->exclude_outside && (from < 0 || from > (double)(axis->in - 1))) exact[t] = 0;
        cell[t] = (int32_t)clamp(from, axis->in);
        total += exact[t];
    }
    if (!cubic || !how->exclude_outside) total = 1;
    for (int t = 0; t < taps; t++) weight[t] = total == 0 ? 0 : (float)(exact[t] / total);
    return !outside(how, axis, at);
}
