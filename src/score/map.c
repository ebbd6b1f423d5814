/* Attributions [pixels, channels] to one value per pixel, and the ground truth they are compared with. */
#include "base/size.h"
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
    return gig_fail(GIG_EARG, "unknown channel reduction \"%s\" (abs-sum, sum-abs, max, sum)", name);
}

/* NaN where a channel is not finite. */
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
        if (!isfinite(out[i])) return gig_fail(GIG_ENUMERIC, "the attribution of pixel %zu is beyond float32", i);
    }
    return GIG_OK;
}

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

gig_status gig_mask_from_boxes(uint8_t *mask, size_t height, size_t width, const gig_box *boxes, size_t count)
{
    if (height > GIG_MAX_ELEMENTS || width > GIG_MAX_ELEMENTS)
        return gig_fail(GIG_ELIMIT, "a mask of %zu x %zu exceeds the limit", width, height);
    memset(mask, GIG_MASK_OUT, height * width);
    for (size_t i = 0; i < count; i++) {
        const gig_box *box = &boxes[i];
        if (box->xmin > box->xmax || box->ymin > box->ymax)
            return gig_fail(GIG_EARG, "box %zu (%lld %lld %lld %lld) is empty", i + 1, (long long)box->xmin,
                            (long long)box->ymin, (long long)box->xmax, (long long)box->ymax);
        int64_t left = clamp(box->xmin, 0, (int64_t)width), right = clamp(box->xmax, -1, (int64_t)width - 1);
        int64_t top = clamp(box->ymin, 0, (int64_t)height), bottom = clamp(box->ymax, -1, (int64_t)height - 1);
        if (left > right) continue;
        for (int64_t y = top; y <= bottom; y++)
            memset(mask + (size_t)y * width + (size_t)left, GIG_MASK_IN, (size_t)(right - left + 1));
    }
    return GIG_OK;
}

void gig_mask_from_grey(uint8_t *mask, const uint8_t *grey, size_t pixels)
{
    uint8_t largest = 0;
    for (size_t i = 0; i < pixels; i++)
        if (grey[i] > largest) largest = grey[i];
    for (size_t i = 0; i < pixels; i++) {
        int object = largest <= 1 ? grey[i] == 1 : grey[i] > 191;
        mask[i] = object ? GIG_MASK_IN : largest > 1 && grey[i] >= 64 ? GIG_MASK_UNSURE : GIG_MASK_OUT;
    }
}
