/* SPDX-License-Identifier: Apache-2.0 */
/* A worker process: does the jobs of a study, one at a time. */
#ifndef GIG_WORK_WORKER_WORKER_H
#define GIG_WORK_WORKER_WORKER_H

#include "work/job.h"
#include "work/worker/model_cache.h"

/* The map that a job describes, always computed from the model: [height, width, channels]; and the picture.
 */
gig_status gig_worker_make_map(gig_tensor *map, gig_cached_picture *picture, gig_model_cache *cache,
                               const gig_study_job *job);

/* Does a job in a worker; a failure of the job is an answer too. */
gig_status gig_worker_do_job(void *cache, char **answer, const char *job);

#endif
