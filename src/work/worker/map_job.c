/* SPDX-License-Identifier: Apache-2.0 */
#include "work/worker/map_job.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/status.h"
#include "internal/tensor.h"
#include "work/store/map_file.h"

/* [N, features]: the pictures of the baseline at the model's size. */
static gig_status read_baselines(gig_map_job *d)
{
    const gig_texts *files = &d->job->baselines;
    size_t features = d->shape.height * d->shape.width * d->shape.channels, values;
    if (files->count != d->variant.method.baseline_count)
        return gig_fail(GIG_EARG, "baseline %s: its pictures are not named; run the study, or keep maps",
                        d->variant.baseline);
    if (!gig_size_multiply(&values, features, files->count)) return gig_fail(GIG_ELIMIT, "too many baselines");
    d->baseline = gig_alloc(values, sizeof *d->baseline);
    if (!d->baseline) return gig_alloc_status();
    for (size_t i = 0; i < files->count; i++) {
        GIG_TRY(gig_model_cache_expect_file(files->all[i]));
        GIG_TRY(
            gig_explainer_point(d->baseline + i * features, d->model.explainer, &(gig_input){.file = files->all[i]}));
    }
    return GIG_OK;
}

gig_status gig_map_job_set(gig_map_job *d, gig_model_cache *cache)
{
    const gig_study_job *job = d->job;
    d->cache = cache;
    GIG_TRY(gig_variant_parse(&d->variant, job->method, job->baseline));
    const gig_model_request wanted = {job->model, job->part, job->precision, gig_method_use(&d->variant.method)};
    GIG_TRY(gig_model_cache_get_model(&d->model, cache, &wanted));
    GIG_TRY(gig_model_cache_get_picture(&d->picture, cache, &job->subject, &d->model));
    int region = gig_network_target(d->model.network) == GIG_TARGET_REGION; /* another class has another one */
    uint64_t path = job->remember && !region ? gig_variant_path(&d->variant) : 0;
    GIG_TRY(gig_model_cache_get_function(&d->function, cache, &d->model, job->scalar, path));
    gig_scalar probability = gig_network_probability(d->model.network, job->scalar);
    GIG_TRY(gig_session_argmax_function(&d->argmax, d->model.session));
    GIG_TRY(gig_session_function(&d->probability, d->model.session, probability));
    d->shape = (gig_picture_shape){.height = d->model.height, .width = d->model.width, .channels = 3};
    if (job->target < 0 || (size_t)job->target >= gig_network_classes(d->model.network))
        return gig_fail(GIG_EARG, "class %lld is out of range for the model", (long long)job->target);
    GIG_TRY(gig_cached_model_set_region(&d->model, d->picture.pixels, (size_t)job->target));
    if (d->variant.pictures) return read_baselines(d);
    return gig_variant_make_baseline(&d->baseline, &d->variant, d->picture.pixels, &d->shape, (uint64_t)job->seed);
}

void gig_map_job_clear(gig_map_job *d)
{
    gig_explanation_clear(&d->map);
    gig_free(d->baseline);
}

gig_status gig_map_job_explain(gig_explanation *out, const gig_map_job *d, const float *input)
{
    const size_t target = (size_t)d->job->target;
    gig_session *const sessions[] = {d->model.session};
    gig_run_options options = {.shape = d->shape,
                               .seed = (uint64_t)d->job->seed,
                               .baseline = d->baseline,
                               .sessions = sessions,
                               .scalar = d->job->scalar};
    return gig_method_run(out, 1, &input, &target, (gig_functions){1, &d->function}, &d->variant.method, &options);
}

gig_status gig_map_job_read(gig_map_job *d, const char *path)
{
    gig_tensor map;
    GIG_TRY(gig_map_file_read(&map, path, d->shape.height, d->shape.width));
    d->map.count = gig_tensor_count(&map);
    d->map.attributions = map.real;
    return GIG_OK;
}

/* The mean of the sources' maps, which are of one size. */
static gig_status average(gig_map_job *d)
{
    const gig_study_job *job = d->job;
    double *sum = NULL;
    gig_status status = GIG_OK;
    for (size_t s = 0; s < job->source_count && status == GIG_OK; s++) {
        gig_tensor map;
        status = gig_map_file_read(&map, job->sources[s].file, d->shape.height, d->shape.width);
        if (status != GIG_OK) break;
        size_t count = gig_tensor_count(&map);
        if (!sum && !(sum = gig_alloc_zero(count, sizeof *sum))) status = gig_alloc_status();
        if (s && count != d->map.count) status = gig_fail(GIG_EFORMAT, "maps of two sizes");
        d->map.count = count;
        for (size_t i = 0; i < count && status == GIG_OK; i++) sum[i] += (double)map.real[i];
        gig_tensor_clear(&map);
    }
    if (status == GIG_OK && !(d->map.attributions = gig_alloc(d->map.count, sizeof(float))))
        status = gig_alloc_status();
    for (size_t i = 0; i < d->map.count && status == GIG_OK; i++)
        d->map.attributions[i] = (float)(sum[i] / (double)job->source_count);
    gig_free(sum);
    return status;
}

static gig_status rank_regions(gig_map_job *d)
{
    gig_tensor base;
    GIG_TRY(gig_map_file_read(&base, d->job->sources[0].file, d->shape.height, d->shape.width));
    gig_picture_shape shape = d->shape;
    shape.channels = (size_t)base.dims[2];
    gig_xrai_options options = {.fast = d->variant.method.xrai_fast, .min_pixels = d->variant.method.min_pixels};
    d->map.count = shape.height * shape.width;
    d->map.attributions = gig_alloc(d->map.count, sizeof(float));
    gig_status status = GIG_OK;
    if (!d->map.attributions)
        status = gig_alloc_status();
    else if (shape.channels != d->shape.channels)
        status = gig_fail(GIG_EARG, "regions are ranked over maps with one value per input value");
    else
        status = gig_xrai(d->map.attributions, NULL, base.real, d->picture.pixels, &shape, &options);
    gig_tensor_clear(&base);
    return status;
}

/* Means of values, totals of costs. */
static void sum_up(gig_cell_result *out, const gig_study_job *job)
{
    double n = (double)job->source_count;
    *out = (gig_cell_result){0};
    for (size_t s = 0; s < job->source_count; s++) {
        const gig_cell_result *from = &job->sources[s].result;
        out->value_input += from->value_input / n;
        out->value_baseline += from->value_baseline / n;
        out->sum += from->sum / n;
        out->delta += from->delta / n;
        out->step_error += from->step_error / n;
        out->stability += from->stability / n;
        out->evaluations += from->evaluations;
        out->values += from->values;
        out->seconds += from->seconds;
    }
}

gig_status gig_map_job_make(gig_cell_result *out, gig_map_job *d, gig_model_cache *cache)
{
    const gig_study_job *job = d->job;
    double start = gig_seconds_now();
    if (job->source_count) {
        sum_up(out, job);
        GIG_TRY(d->variant.method.xrai ? rank_regions(d) : average(d));
        out->seconds += gig_seconds_now() - start;
        return GIG_OK;
    }
    gig_model_cache_saved(cache);
    GIG_TRY(gig_map_job_explain(&d->map, d, d->picture.pixels));
    *out = (gig_cell_result){.value_input = d->map.value_input,
                             .value_baseline = d->map.value_baseline,
                             .sum = d->map.sum,
                             .delta = d->map.delta,
                             .step_error = d->map.step_error,
                             .stability = d->map.stability,
                             .evaluations = (int64_t)d->map.evaluations,
                             .values = (int64_t)d->map.values,
                             .seconds = gig_seconds_now() - start + gig_model_cache_saved(cache)};
    return GIG_OK;
}

gig_tensor gig_map_job_map(const gig_map_job *d)
{
    size_t pixels = d->shape.height * d->shape.width;
    return (gig_tensor){.type = GIG_FLOAT32,
                        .rank = 3,
                        .dims = {(int64_t)d->shape.height, (int64_t)d->shape.width, (int64_t)(d->map.count / pixels)},
                        .real = d->map.attributions};
}

gig_status gig_map_job_write(const gig_map_job *d, const char *path)
{
    const gig_tensor map = gig_map_job_map(d);
    return gig_npz_write(path, 1, (const char *const[]){"attributions"}, (const gig_tensor *const[]){&map}, 1);
}
