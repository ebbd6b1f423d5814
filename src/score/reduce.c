/* SPDX-License-Identifier: Apache-2.0 */
/* Attributions [pixels, channels] to one value per pixel. */
#include "base/status.h"
#include "gig/score.h"
#include <math.h>
#include <string.h>

static const char *const names[] = {"abs-sum", "sum-abs", "max", "sum"};

const char *gig_reduction_name(gig_reduction reduction)
{
    return (unsigned)reduction < sizeof names / sizeof *names ? names[reduction] : "unknown";
}

gig_status gig_reduction_parse(gig_reduction *out, const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i])) {
            *out = (gig_reduction)i;
            return GIG_OK;
        }
    return gig_fail(GIG_EARG, "unknown channel reduction \"%s\"; expected abs-sum, sum-abs, max or sum", name);
}

/* NaN if a channel is not finite. */
static double reduce(const float *values, size_t channels, gig_reduction reduction)
{
    double sum = 0, absolute = 0, largest = values[0];
    for (size_t c = 0; c < channels; c++) {
        sum += values[c];
        absolute += fabs((double)values[c]);
        if (values[c] > largest) largest = values[c];
    }
    if (!isfinite(absolute)) return NAN;
    switch (reduction) {
    case GIG_REDUCE_ABS_SUM: return fabs(sum);
    case GIG_REDUCE_SUM_ABS: return absolute;
    case GIG_REDUCE_MAX: return largest;
    case GIG_REDUCE_SUM: return sum;
    }
    return sum;
}

gig_status gig_map_reduce(float *out, const float *attribution, size_t pixels, size_t channels, gig_reduction reduction)
{
    if (!channels) return gig_fail(GIG_EARG, "a map needs at least one channel");
    if ((unsigned)reduction > GIG_REDUCE_SUM) return gig_fail(GIG_EARG, "unknown channel reduction %d", (int)reduction);
    for (size_t i = 0; i < pixels; i++) {
        double value = reduce(attribution + i * channels, channels, reduction);
        if (isnan(value)) return gig_fail(GIG_ENUMERIC, "the attribution of pixel %zu is not finite", i);
        out[i] = (float)value;
        if (!isfinite(out[i]))
            return gig_fail(GIG_ENUMERIC, "the attribution of pixel %zu is out of range for float32", i);
    }
    return GIG_OK;
}
