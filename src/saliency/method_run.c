/* SPDX-License-Identifier: Apache-2.0 */
/* gig_method_run: any method, for many inputs at once. */
#include "saliency/method_run.h"
#include "base/size.h"
#include "internal/workers.h"
#include "network/network.h"
#include "path/functions.h"
#include <math.h>
#include <pthread.h>

void gig_explanation_clear(gig_explanation *explanation)
{
    if (!explanation) return;
    gig_free(explanation->attributions);
    gig_free(explanation->picture);
    gig_free(explanation->point);
    gig_free(explanation->class_name);
    gig_free(explanation->branches);
    for (size_t i = 0; i < explanation->input_count; i++) gig_free(explanation->inputs[i].name);
    gig_free(explanation->inputs);
    *explanation = (gig_explanation){0};
}

/* ---- checks ---- */

/* The number of features according to the functions; edge needs no functions. */
static gig_status find_features(gig_task *task)
{
    const gig_picture_shape *shape = &task->options.shape;
    const int64_t dims[3] = {(int64_t)shape->height, (int64_t)shape->width, (int64_t)shape->channels};
    size_t elements;
    gig_status status = gig_size_of_dims(&elements, 3, dims);
    if (status != GIG_OK) return gig_fail_in(status, "the picture's shape");
    int shaped = shape->height || shape->width || shape->channels;
    if (shaped && !elements) return gig_fail(GIG_EARG, "the picture's shape has a side of 0");
    if (task->functions.each)
        task->features = task->functions.each[0].features;
    else if (task->method.row->traits & GIG_METHOD_NO_MODEL)
        task->features = elements;
    else
        return gig_fail(GIG_EARG, "no workers: expected at least one worker with a function");
    if (shaped && elements != task->features)
        return gig_fail(GIG_EARG, "a picture of %zux%zux%zu has %zu values, but the function has %zu features",
                        shape->height, shape->width, shape->channels, elements, task->features);
    return GIG_OK;
}

static gig_status check_inputs(const gig_task *task)
{
    for (size_t i = 0; i < task->count; i++) {
        if (!task->inputs[i]) return gig_fail(GIG_EARG, "input %zu is missing", i);
        for (size_t k = 0; k < task->features; k++)
            if (!isfinite(task->inputs[i][k]))
                return gig_fail(GIG_ENUMERIC, "input %zu: feature %zu is %f", i, k, (double)task->inputs[i][k]);
    }
    return GIG_OK;
}

/* Layers are read through sessions of the functions' network, with the functions' scalar. */
static gig_status check_sessions(gig_task *task)
{
    gig_session *const *sessions = task->options.sessions;
    const char *name = task->method.row->name;
    if (!sessions) return gig_fail(GIG_EARG, "%s needs the sessions of a network that keeps the layer", name);
    for (size_t w = 0; w < task->functions.workers; w++) {
        if (!sessions[w]) return gig_fail(GIG_EARG, "%s: worker %zu has no session", name, w);
        if (sessions[w]->network->features != task->features)
            return gig_fail(GIG_EARG, "%s: worker %zu's session has %zu features, but the function has %zu", name, w,
                            sessions[w]->network->features, task->features);
    }
    gig_function_scalar(&task->options.scalar, &task->functions.each[0]);
    return GIG_OK;
}

/* Checks what the row says it needs. */
static gig_status check_needs(gig_task *task)
{
    const gig_method *method = &task->method;
    unsigned traits = gig_method_traits(method);
    const char *name = method->xrai ? "xrai" : method->row->name;
    if (traits & GIG_METHOD_PICTURE && !task->options.shape.height)
        return gig_fail(GIG_EARG, "%s is for pictures: their shape is missing", name);
    if (method->row->check)
        GIG_TRY(method->row->check(method, task->options.shape.height ? &task->options.shape : NULL));
    if (traits & GIG_METHOD_LAYER) GIG_TRY(check_sessions(task));
    for (size_t w = 0; traits & GIG_METHOD_GUIDED_RELU && w < task->functions.workers; w++)
        if (gig_function_is_unguided(&task->functions.each[w]))
            return gig_fail(GIG_EARG, "%s needs functions of a network made with guided_relu", name);
    return GIG_OK;
}

static gig_status check_task(gig_task *task)
{
    const gig_method *method = &task->method;
    size_t chains;
    GIG_TRY(gig_method_check(method));
    int modelless = (method->row->traits & GIG_METHOD_NO_MODEL) != 0;
    if (task->functions.workers == 0 && modelless) task->functions.workers = 1;
    if (task->functions.workers == 0) return gig_fail(GIG_EARG, "no workers: expected at least one");
    if (task->count && (!task->inputs || (!task->targets && !modelless)))
        return gig_fail(GIG_EARG, "inputs or targets are missing");
    GIG_TRY(find_features(task));
    if (task->functions.each) GIG_TRY(gig_functions_check(task->functions));
    GIG_TRY(check_needs(task));
    for (size_t i = 0; method->xrai && i < task->options.mask_count; i++) /* before anything is computed */
        if (!task->options.masks || !task->options.masks[i])
            return gig_fail(GIG_EARG, "xrai: mask %zu of %zu is missing", i, task->options.mask_count);
    task->samples = gig_method_samples(method);
    task->baselines = gig_method_baselines(method);
    if (!gig_size_multiply(&chains, task->samples * task->baselines, task->count) || chains > GIG_MAX_ELEMENTS)
        return gig_fail(GIG_ELIMIT, "%zu inputs with %zu samples and %zu baselines: their product is too large",
                        task->count, task->samples, task->baselines);
    GIG_TRY(gig_baseline_check(task));
    return check_inputs(task);
}

/* ---- regions ---- */

/* The base's map with one value per feature, as gig_xrai reads it: a map with one value per pixel is copied to every
 * channel. */
static gig_status spread_channels(float **out, const gig_task *task, const gig_explanation *result)
{
    const gig_picture_shape *shape = &task->options.shape;
    size_t pixels = shape->height * shape->width;
    *out = gig_alloc(task->features, sizeof **out);
    if (!*out) return gig_alloc_status();
    for (size_t p = 0; p < pixels; p++)
        for (size_t c = 0; c < shape->channels; c++)
            (*out)[shape->planar ? c * pixels + p : p * shape->channels + c] = result->attributions[p];
    return GIG_OK;
}

typedef struct ranking {
    const gig_task *task;
    gig_progress all; /* all evaluations are done */
    pthread_mutex_t lock;
} ranking;

/* Ranking can take long, so it can also be stopped between pictures. */
static gig_status report(ranking *self)
{
    const gig_run_options *options = &self->task->options;
    if (!options->progress) return GIG_OK;
    pthread_mutex_lock(&self->lock);
    int stop = options->progress(options->progress_payload, &self->all);
    pthread_mutex_unlock(&self->lock);
    return stop ? gig_fail(GIG_ECANCEL, "stopped by the progress callback") : GIG_OK;
}

static gig_status rank_regions(void *payload, size_t worker, size_t input)
{
    (void)worker;
    ranking *self = payload;
    const gig_task *task = self->task;
    const gig_picture_shape *shape = &task->options.shape;
    gig_explanation *result = &task->results[input];
    double begun = gig_seconds_now();
    const gig_xrai_options options = {.fast = task->method.xrai_fast,
                                      .min_pixels = task->method.min_pixels,
                                      .mask_count = task->options.mask_count,
                                      .masks = task->options.masks};
    size_t pixels = shape->height * shape->width;
    float *spread = NULL, *map = gig_alloc(pixels, sizeof *map);
    gig_status status = map ? GIG_OK : gig_alloc_status();
    if (status == GIG_OK && result->count != task->features) status = spread_channels(&spread, task, result);
    if (status == GIG_OK)
        status = gig_xrai(map, NULL, spread ? spread : result->attributions, task->inputs[input], shape, &options);
    gig_free(spread);
    if (status != GIG_OK) {
        gig_free(map);
        return status;
    }
    gig_free(result->attributions);
    result->attributions = map;
    result->count = pixels;
    result->seconds += gig_seconds_now() - begun;
    return report(self);
}

static gig_status rank_all(const gig_task *task)
{
    size_t chains = task->count * task->samples * task->baselines;
    ranking self = {.task = task, .all = {.chains = chains, .chain_count = chains}, .lock = PTHREAD_MUTEX_INITIALIZER};
    for (size_t i = 0; i < task->count; i++)
        self.all.evaluations += task->results[i].evaluations + task->results[i].values;
    self.all.expected = self.all.evaluations;
    if (task->last->chain_count) { /* maps report progress themselves */
        self.all = *task->last;
        self.all.chains = self.all.chain_count;
        self.all.evaluations = self.all.expected;
    }
    gig_status status = gig_workers_run(task->functions.workers, task->count, rank_regions, &self);
    pthread_mutex_destroy(&self.lock);
    return status;
}

/* Inputs are finished in order, so the first without a result is the one that failed. */
static gig_status name_input(const gig_task *task, gig_status status)
{
    size_t failed = 0;
    if (status == GIG_OK || status == GIG_ECANCEL || status == GIG_ENOMEM || task->count < 2) return status;
    while (failed < task->count && task->results[failed].attributions) failed++;
    return failed < task->count ? gig_fail_in(status, "input %zu", failed) : status;
}

gig_status gig_method_run(gig_explanation *results, size_t count, const float *const *inputs, const size_t *targets,
                          gig_functions functions, const gig_method *method, const gig_run_options *options)
{
    for (size_t i = 0; i < count; i++) results[i] = (gig_explanation){0};
    gig_task task = {.count = count,
                     .inputs = inputs,
                     .targets = targets,
                     .functions = functions,
                     .method = *method,
                     .results = results};
    gig_progress last = {0};
    task.last = &last;
    if (options) task.options = *options;
    gig_status status = check_task(&task);
    if (status == GIG_OK)
        status = name_input(&task, method->row->map ? gig_explain_maps(&task) : gig_explain_walks(&task));
    if (status == GIG_OK && method->xrai) status = rank_all(&task);
    for (size_t i = 0; i < count; i++) {
        if (status != GIG_OK) gig_explanation_clear(&results[i]);
        if (status != GIG_OK) continue;
        gig_method_name(results[i].method, sizeof results[i].method, method);
        results[i].traits = gig_method_traits(method);
    }
    return status;
}
