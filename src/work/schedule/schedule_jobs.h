/* SPDX-License-Identifier: Apache-2.0 */
/* A plan's rankings, timings and cells as jobs for workers, and how much work they are. */
#ifndef GIG_WORK_SCHEDULE_SCHEDULE_JOBS_H
#define GIG_WORK_SCHEDULE_SCHEDULE_JOBS_H

#include "work/job.h"
#include "work/schedule/schedule.h"

/* A model as cells use it, and what that takes. */
typedef struct gig_schedule_use {
    size_t model;
    gig_scalar scalar;
    char *part; /* the cell's */
    gig_precision precision;
    gig_study_times times;
} gig_schedule_use;

/* Of what is pending, each once: a new array (gig_free). */
gig_status gig_schedule_uses(gig_schedule_use **out, size_t *count, const gig_schedule *schedule);
const gig_schedule_use *gig_schedule_find_use(const gig_schedule_use *uses, size_t count,
                                              const gig_schedule_cell *cell);

/* New lines (gig_free). A cell's says what `makes`, `writes` and `has_map` are now. */
gig_status gig_schedule_ranking_job(char **line, const gig_schedule *schedule, const gig_schedule_pair *pair);
gig_status gig_schedule_timing_job(char **line, const gig_schedule *schedule, const gig_schedule_use *use);
gig_status gig_schedule_cell_job(char **line, const gig_schedule *schedule, const gig_schedule_cell *cell);

/* Gradients, and values without them, that a cell will take: for its map where that is made from the model, and for its
 * scores, as if each were defined. What paths are refined by is not known, nor (`size` NULL) how often a picture of
 * that height and width is occluded. */
typedef struct gig_schedule_load {
    double gradients, values;
} gig_schedule_load;
gig_schedule_load gig_schedule_weigh(const gig_schedule *schedule, const gig_schedule_cell *cell,
                                     const gig_study_times *size);

/* All that in seconds, or (`times` NULL) in gradients, roughly: what the remaining time is estimated from. */
double gig_schedule_effort(const gig_schedule *schedule, const gig_schedule_cell *cell, const gig_study_times *times);

#endif
