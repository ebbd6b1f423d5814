/* SPDX-License-Identifier: Apache-2.0 */
/* The desk at which a worker makes one map: from the model, from other maps, or from its file. */
#ifndef GIG_WORK_WORKER_MAP_JOB_H
#define GIG_WORK_WORKER_MAP_JOB_H

#include "saliency/explain.h"
#include "work/job.h"
#include "work/manifest/variant.h"

typedef struct gig_desk {
    const gig_study_job *job;
    gig_variant variant;
    gig_lab_model model;
    gig_lab_picture picture;
    gig_function function, argmax;
    gig_function probability; /* of the class, whatever is explained: softmax, or the sigmoid where that is */
    gig_picture_shape shape;
    float *baseline; /* NULL: the method has none */
    gig_explanation map;
} gig_desk;

/* Brings everything that the job needs; d->job is set already. Clear in every case. */
gig_status gig_desk_set(gig_desk *d, gig_lab *lab);
void gig_desk_clear(gig_desk *d);

/* The map of any input by the job's method. */
gig_status gig_desk_explain(gig_explanation *out, const gig_desk *d, const float *input);

/* d->map, from the model or from the job's sources, and what making it gave and cost; or from its file. */
gig_status gig_desk_make(gig_cell_result *out, gig_desk *d, gig_lab *lab);
gig_status gig_desk_read(gig_desk *d, const char *path);

/* d->map as [height, width, channels]; it stays the desk's. */
gig_tensor gig_desk_map(const gig_desk *d);
gig_status gig_desk_write(const gig_desk *d, const char *path);

#endif
