/* SPDX-License-Identifier: Apache-2.0 */
/* Methods that are maps without walks. A worker takes a whole input; if a map has many value-only points, each input is
 * spread over all workers instead. */
#include "internal/workers.h"
#include "saliency/method_run.h"
#include <math.h>
#include <pthread.h>

typedef struct maps {
    const gig_task *task;
    pthread_mutex_t lock; /* guards `done`, and the progress callback */
    size_t done;          /* inputs */
    size_t points;        /* of one input */
    size_t input;         /* occlusion: the current one, */
    size_t sample;        /* and its sample */
} maps;

/* What one input needs. */
typedef struct map_buffers {
    float *point;
    double *map;
    gig_blend blend;
} map_buffers;

static gig_status create_buffers(map_buffers *out, const gig_task *task, size_t size)
{
    *out = (map_buffers){0};
    out->point = gig_alloc(task->features, sizeof *out->point);
    out->map = out->point ? gig_alloc(size, sizeof *out->map) : NULL;
    if (!out->map) return gig_alloc_status();
    return gig_blend_create(&out->blend, task->method.smooth ? task->method.smooth_kind : GIG_SMOOTH_MEAN, size);
}

static void free_buffers(map_buffers *held)
{
    gig_free(held->point);
    gig_free(held->map);
    gig_blend_clear(&held->blend);
}

static gig_status report(maps *self, const gig_progress *progress)
{
    const gig_run_options *options = &self->task->options;
    *self->task->last = *progress;
    if (!options->progress || !options->progress(options->progress_payload, progress)) return GIG_OK;
    return gig_fail(GIG_ECANCEL, "stopped by the progress callback");
}

static gig_status input_done(maps *self)
{
    pthread_mutex_lock(&self->lock);
    self->done++;
    size_t points = self->points ? self->points : 1;
    gig_status status = report(self, &(gig_progress){.evaluations = self->done * points,
                                                     .expected = self->task->count * points,
                                                     .chains = self->done,
                                                     .chain_count = self->task->count});
    pthread_mutex_unlock(&self->lock);
    return status;
}

/* Occlusion's points of one sample, as part of all. */
static int pass_on(void *payload, const gig_progress *progress)
{
    maps *self = payload;
    size_t of_sample = self->points / self->task->samples;
    return report(self, &(gig_progress){.evaluations = self->input * self->points + self->sample * of_sample +
                                                       progress->evaluations,
                                        .expected = self->task->count * self->points,
                                        .chains = self->input,
                                        .chain_count = self->task->count}) != GIG_OK;
}

/* Is each input spread over all workers? */
static int is_spread(const gig_task *task)
{
    return task->method.row->map->values != NULL;
}

static gig_status make_map(maps *self, map_buffers *held, gig_explanation *cost, size_t worker, size_t input)
{
    const gig_task *task = self->task;
    const gig_drive_options drive = {.progress = pass_on, .progress_payload = self};
    const gig_map_request request = {.task = task,
                                     .worker = worker,
                                     .point = held->point,
                                     .target = task->targets ? task->targets[input] : 0,
                                     .drive = &drive};
    return task->method.row->map->make(held->map, cost, &request);
}

static gig_status blend_samples(maps *self, map_buffers *held, gig_explanation *result, size_t worker, size_t input)
{
    const gig_task *task = self->task;
    gig_blend_begin(&held->blend);
    for (size_t s = 0; s < task->samples; s++) {
        gig_explanation cost = {0};
        if (is_spread(task)) self->sample = s;
        gig_sample(held->point, task, input, s);
        GIG_TRY(make_map(self, held, &cost, worker, input));
        gig_blend_add(&held->blend, held->map);
        result->value_input += (cost.value_input - result->value_input) / (double)(s + 1);
        result->evaluations += cost.evaluations;
        result->values += cost.values;
    }
    return GIG_OK;
}

static gig_status explain_input(void *payload, size_t worker, size_t input)
{
    maps *self = payload;
    const gig_task *task = self->task;
    double begun = gig_seconds_now(), nothing = (double)NAN;
    size_t pixels = task->options.shape.height * task->options.shape.width;
    size_t size = task->method.row->traits & GIG_METHOD_PER_PIXEL ? pixels : task->features;
    gig_explanation *result = &task->results[input];
    *result = (gig_explanation){.count = size, .chains = task->samples};
    float *made = NULL;
    map_buffers held;
    gig_status status;
    GIG_TRY_DONE(create_buffers(&held, task, size));
    GIG_TRY_DONE(blend_samples(self, &held, result, worker, input));
    made = gig_alloc(size, sizeof *made);
    if (!made) GIG_TRY_DONE(gig_alloc_status());
    GIG_TRY_DONE(gig_blend_end(made, &held.blend));
    result->attributions = made; /* marks the input as done, so that it is not reported as the one that failed */
    made = NULL;
    result->value_baseline = result->sum = result->delta = result->step_error = result->noise = nothing;
    result->distance = result->l1 = result->l2 = result->closed = result->unassigned = nothing;
    result->stability = result->stability_of_mean = nothing;
    result->seconds = gig_seconds_now() - begun;
    if (!is_spread(task)) GIG_TRY_DONE(input_done(self));
done:
    gig_free(made);
    free_buffers(&held);
    return status;
}

gig_status gig_explain_maps(const gig_task *task)
{
    maps self = {.task = task, .lock = PTHREAD_MUTEX_INITIALIZER, .points = task->samples};
    gig_status status = GIG_OK;
    if (is_spread(task)) {
        self.points = gig_method_values(&task->method, &task->options.shape);
        for (; self.input < task->count && status == GIG_OK; self.input++) status = explain_input(&self, 0, self.input);
    } else {
        status = gig_workers_run(task->functions.workers, task->count, explain_input, &self);
    }
    pthread_mutex_destroy(&self.lock);
    return status;
}
