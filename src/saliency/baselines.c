/* SPDX-License-Identifier: Apache-2.0 */
/* Where paths start. With several baselines, attributions are averaged; the baselines are not. */
#include "base/rng.h"
#include "image/blur.h"
#include "saliency/method_run.h"
#include <string.h>

static void fill(float *out, size_t count, float value)
{
    for (size_t i = 0; i < count; i++) out[i] = value;
}

/* Streams of noise count from 0; those of baselines from here. */
static const uint64_t first_stream = (uint64_t)1 << 32;

gig_status gig_baseline_blur(float *out, const gig_picture_shape *shape, const float *input, double sigma)
{
    size_t planes = shape->planar ? shape->channels : 1, channels = shape->planar ? 1 : shape->channels;
    size_t plane = shape->height * shape->width * channels;
    void *scratch = gig_alloc(gig_blur_scratch_size((gig_map_size){shape->height, shape->width, channels}), 1);
    if (!scratch) return gig_alloc_status();
    gig_status status = GIG_OK;
    for (size_t p = 0; p < planes && status == GIG_OK; p++)
        status = gig_blur(out + p * plane, input + p * plane, (gig_map_size){shape->height, shape->width, channels},
                          sigma, scratch);
    gig_free(scratch);
    return status;
}

static void write_mean(float *out, const gig_picture_shape *shape, const float *input)
{
    size_t pixels = shape->height * shape->width;
    size_t step = shape->planar ? 1 : shape->channels, channel_step = shape->planar ? pixels : 1;
    for (size_t c = 0; c < shape->channels; c++) {
        double sum = 0;
        for (size_t p = 0; p < pixels; p++) sum += (double)input[c * channel_step + p * step];
        for (size_t p = 0; p < pixels; p++) out[c * channel_step + p * step] = (float)(sum / (double)pixels);
    }
}

gig_status gig_baseline_check(const gig_task *task)
{
    gig_baseline_kind kind = task->method.baseline;
    const float *given = task->options.baseline;
    if (kind == GIG_BASELINE_GIVEN && !given) return gig_fail(GIG_EARG, "the given baseline is missing");
    if (!(task->method.row->traits & GIG_METHOD_BASELINE)) return GIG_OK;
    if ((kind == GIG_BASELINE_BLUR || kind == GIG_BASELINE_MEAN) && !task->options.shape.height)
        return gig_fail(GIG_EARG, "baseline %s is for pictures: their shape is missing",
                        kind == GIG_BASELINE_BLUR ? "blur" : "mean");
    if (kind != GIG_BASELINE_GIVEN) return GIG_OK;
    for (size_t i = 0; i < task->features * task->baselines; i++)
        if (given[i] - given[i] != 0)
            return gig_fail(GIG_ENUMERIC, "feature %zu of the given baseline is %f", i, (double)given[i]);
    return GIG_OK;
}

void gig_baseline_random(float *out, size_t features, uint64_t seed, size_t index)
{
    gig_rng_fill_uniform((gig_rng){seed, first_stream + index}, out, features);
}

gig_status gig_baseline_write(float *out, const gig_task *task, size_t input, size_t index)
{
    size_t n = task->features;
    switch (task->method.baseline) {
    case GIG_BASELINE_BLACK: fill(out, n, 0); return GIG_OK;
    case GIG_BASELINE_WHITE: fill(out, n, 1); return GIG_OK;
    case GIG_BASELINE_BLACK_WHITE: fill(out, n, index ? 1 : 0); return GIG_OK;
    case GIG_BASELINE_RANDOM: gig_baseline_random(out, n, task->options.seed, index); return GIG_OK;
    case GIG_BASELINE_BLUR:
        return gig_baseline_blur(out, &task->options.shape, task->inputs[input], task->method.baseline_sigma);
    case GIG_BASELINE_MEAN: write_mean(out, &task->options.shape, task->inputs[input]); return GIG_OK;
    case GIG_BASELINE_GIVEN:
        /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): gig_baseline_check has refused NULL */
        memcpy(out, task->options.baseline + index * n, n * sizeof *out);
        return GIG_OK;
    }
    return gig_fail(GIG_EARG, "baseline: unknown kind %d", (int)task->method.baseline);
}

gig_status gig_method_baseline(float *out, const gig_method *method, const float *input, size_t features, size_t index,
                               const gig_run_options *options)
{
    static const gig_run_options none = GIG_RUN_OPTIONS_INIT;
    gig_task task = {.count = 1,
                     .features = features,
                     .inputs = &input,
                     .method = *method,
                     .options = options ? *options : none,
                     .baselines = gig_method_baselines(method)};
    if (index >= task.baselines) return gig_fail(GIG_EARG, "baseline %zu of %zu", index, task.baselines);
    GIG_TRY(gig_baseline_check(&task));
    return gig_baseline_write(out, &task, 0, index);
}
