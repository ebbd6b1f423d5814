/* SPDX-License-Identifier: Apache-2.0 */
/* One map in a worker: computed from the model or from other maps, or read from its file. */
#ifndef GIG_WORK_WORKER_MAP_JOB_H
#define GIG_WORK_WORKER_MAP_JOB_H

#include "saliency/method_run.h"
#include "work/job.h"
#include "work/manifest/variant.h"
#include "work/worker/model_cache.h"

typedef struct gig_map_job {
    const gig_study_job *job;
    gig_model_cache *cache;
    gig_variant variant;
    gig_cached_model model;
    gig_cached_picture picture;
    gig_function function, argmax;
    gig_function probability; /* of the class, whatever is explained: softmax, or the sigmoid where that is */
    gig_picture_shape shape;
    float *baseline; /* NULL: the method has none */
    gig_explanation map;
} gig_map_job;

/* Loads everything that the job needs; d->job is already set. Clear it in any case. */
gig_status gig_map_job_set(gig_map_job *d, gig_model_cache *cache);
void gig_map_job_clear(gig_map_job *d);

/* The map of any input by the job's method. */
gig_status gig_map_job_explain(gig_explanation *out, const gig_map_job *d, const float *input);

/* Sets d->map from the model, from the job's sources or from its file, with its result and cost. */
gig_status gig_map_job_make(gig_cell_result *out, gig_map_job *d, gig_model_cache *cache);
gig_status gig_map_job_read(gig_map_job *d, const char *path);

/* d->map as [height, width, channels]; it stays the job's. */
gig_tensor gig_map_job_map(const gig_map_job *d);
gig_status gig_map_job_write(const gig_map_job *d, const char *path);

#endif
