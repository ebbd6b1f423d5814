/* SPDX-License-Identifier: Apache-2.0 */
/* Blur IG's path, from a blurred to the sharp picture: c(alpha) = picture blurred with (1 - alpha) sigma.
 *
 * PAIR saliency walks from the sharp end with sigma_i = i sigma / n and a left rule: that is `right` here, since alpha
 * runs from baseline to input. The tangent is its one-sided difference over 0.01, times d sigma / d alpha. */
#include "image/blur.h"
#include "base/memory.h"
#include "base/size.h"
#include "gig/path.h"
#include <math.h>

static const double difference_step = 0.01;

static size_t padded(size_t bytes)
{
    return (bytes + GIG_ALIGNMENT - 1) / GIG_ALIGNMENT * GIG_ALIGNMENT;
}

/* Corrects the rounding error of 1 - alpha: the kernel's length, int(4 sigma + 0.5), jumps at sigmas such as
 * 2.625, and 35 (1 - (1 - 15 / 200)) is a little less than that. */
static double rounded(double value)
{
    return round(value * 0x1p40) / 0x1p40;
}

/* sigma at alpha, and d sigma / d alpha there. */
static double sigma_at(const gig_blur_path *blur, double alpha, double *slope)
{
    if (!blur->root_steps) {
        *slope = -blur->sigma;
        return rounded(blur->sigma * (1 - alpha));
    }
    double n = (double)blur->root_steps, i = rounded((1 - alpha) * n);
    double now = sqrt(i * blur->sigma / n);
    *slope = -n * (sqrt((i + 1) * blur->sigma / n) - now);
    return now;
}

/* Of what is blurred at once: a plane, or the picture. */
static gig_map_size size_of(const gig_blur_path *blur)
{
    return (gig_map_size){blur->height, blur->width, blur->planar ? 1 : blur->channels};
}

static size_t scratch_size(const void *self)
{
    return padded(gig_blur_scratch_size(size_of(self)));
}

static gig_status at(const void *self, void *scratch, double alpha, float *point, float *tangent)
{
    const gig_blur_path *blur = self;
    double slope, sigma = sigma_at(blur, alpha, &slope);
    gig_map_size size = size_of(blur);
    size_t planes = blur->planar ? blur->channels : 1, plane = size.height * size.width * size.channels;
    for (size_t p = 0; p < planes; p++) {
        const float *from = blur->picture + p * plane;
        if (tangent)
            GIG_TRY(
                gig_blur_tangent(point + p * plane, tangent + p * plane, from, size, sigma, difference_step, scratch));
        else
            GIG_TRY(gig_blur(point + p * plane, from, size, sigma, scratch));
    }
    if (tangent)
        for (size_t i = 0; i < planes * plane; i++) tangent[i] = (float)(slope * (double)tangent[i]);
    return GIG_OK;
}

gig_curve gig_curve_blur(const gig_blur_path *blur)
{
    size_t plane, features;
    int fits = gig_size_multiply(&plane, blur->height, blur->width) &&
               gig_size_multiply(&features, plane, blur->channels) && features > 0;
    return (gig_curve){.scratch_size = scratch_size, .at = at, .self = blur, .features = fits ? features : SIZE_MAX};
}
