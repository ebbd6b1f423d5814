/* SPDX-License-Identifier: Apache-2.0 */
/* Values at many points that are known in advance: occlusion, insertion, deletion, information curves. */
#include "base/memory.h"
#include "base/size.h"
#include "base/status.h"
#include "gig/path.h"
#include "internal/workers.h"
#include "path/functions.h"
#include <math.h>
#include <pthread.h>

/* One worker's points, targets and values of one call. */
typedef struct buffers {
    float *points;
    const float **rows;
    size_t *targets;
} buffers;

typedef struct values {
    double *out;
    size_t count, features, batch;
    gig_functions functions;
    gig_point_make make;
    void *payload;
    const gig_drive_options *options;
    buffers *buffers;
    pthread_mutex_t lock;
    size_t done;
} values;

static gig_status open_buffers(buffers *out, const values *self)
{
    size_t elements;
    int fits = gig_size_multiply(&elements, self->batch, self->features);
    out->points = gig_alloc(fits ? elements : SIZE_MAX, sizeof *out->points);
    out->rows = out->points ? gig_alloc(self->batch, sizeof *out->rows) : NULL;
    out->targets = out->rows ? gig_alloc(self->batch, sizeof *out->targets) : NULL;
    return out->targets ? GIG_OK : gig_alloc_status();
}

static gig_status report(values *self, size_t points)
{
    if (!self->options || !self->options->progress) return GIG_OK;
    pthread_mutex_lock(&self->lock);
    self->done += points;
    gig_progress progress = {.evaluations = self->done, .expected = self->count, .chain_count = 1};
    progress.chains = self->done == self->count;
    int stop = self->options->progress(self->options->progress_payload, &progress);
    pthread_mutex_unlock(&self->lock);
    return stop ? gig_fail(GIG_ECANCEL, "stopped by the progress callback") : GIG_OK;
}

static gig_status evaluate_block(void *payload, size_t worker, size_t index)
{
    values *self = payload;
    buffers *here = &self->buffers[worker];
    const gig_function *function = &self->functions.each[worker];
    size_t first = index * self->batch;
    size_t count = self->count - first < self->batch ? self->count - first : self->batch;
    if (!here->points) GIG_TRY(open_buffers(here, self));
    for (size_t i = 0; i < count; i++) {
        float *point = here->points + i * self->features;
        here->rows[i] = point;
        GIG_TRY(self->make(self->payload, first + i, point, &here->targets[i]));
    }
    GIG_TRY(function->evaluate(function->payload, count, here->rows, here->targets, self->out + first, NULL));
    for (size_t i = first; i < first + count; i++)
        if (!isfinite(self->out[i])) return gig_fail(GIG_ENUMERIC, "the value at point %zu is %f", i, self->out[i]);
    return report(self, count);
}

gig_status gig_drive_values(double *out, gig_functions functions, size_t count, gig_point_make make, void *payload,
                            const gig_drive_options *options)
{
    GIG_TRY(gig_functions_check(functions));
    values self = {.out = out,
                   .count = count,
                   .features = functions.each[0].features,
                   .batch = count,
                   .functions = functions,
                   .make = make,
                   .payload = payload,
                   .options = options,
                   .lock = PTHREAD_MUTEX_INITIALIZER};
    if (!count) return GIG_OK;
    for (size_t i = 0; i < functions.workers; i++)
        if (gig_function_batch(&functions.each[i]) < self.batch) self.batch = gig_function_batch(&functions.each[i]);
    self.buffers = gig_alloc_zero(functions.workers, sizeof *self.buffers);
    if (!self.buffers) return gig_alloc_status();
    size_t blocks = count / self.batch + (count % self.batch > 0);
    gig_status status = gig_workers_run(functions.workers, blocks, evaluate_block, &self);
    for (size_t i = 0; i < functions.workers; i++) {
        gig_free(self.buffers[i].points);
        gig_free(self.buffers[i].rows);
        gig_free(self.buffers[i].targets);
    }
    gig_free(self.buffers);
    pthread_mutex_destroy(&self.lock);
    return status;
}
