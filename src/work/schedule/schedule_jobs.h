/* SPDX-License-Identifier: Apache-2.0 */
/* A plan's rankings, timings and cells as jobs for workers, and how much work they are. */
#ifndef GIG_WORK_SCHEDULE_SCHEDULE_JOBS_H
#define GIG_WORK_SCHEDULE_SCHEDULE_JOBS_H

#include "work/job.h"
#include "work/schedule/schedule.h"

/* A model as cells use it, and its cost. */
typedef struct gig_schedule_use {
    size_t model;
    gig_scalar scalar;
    char *part; /* the cell's */
    gig_precision precision;
    gig_study_times times;
} gig_schedule_use;

/* The uses of all pending cells, each once: a new array (gig_free). */
gig_status gig_schedule_uses(gig_schedule_use **out, size_t *count, const gig_schedule *schedule);
const gig_schedule_use *gig_schedule_find_use(const gig_schedule_use *uses, size_t count,
                                              const gig_schedule_cell *cell);

/* New lines (gig_free). A cell's line holds the current `makes`, `writes` and `has_map`. */
gig_status gig_schedule_ranking_job(char **line, const gig_schedule *schedule, const gig_schedule_pair *pair);
gig_status gig_schedule_timing_job(char **line, const gig_schedule *schedule, const gig_schedule_use *use);
gig_status gig_schedule_cell_job(char **line, const gig_schedule *schedule, const gig_schedule_cell *cell);

/* Gradients, and values without gradients, that a cell needs: for its map if it is computed from the model, and for its
 * scores, as if each were defined. Refinement of paths is not included, nor (`size` NULL) occlusion, whose cost depends
 * on the picture's height and width. */
typedef struct gig_schedule_load {
    double gradients, values;
} gig_schedule_load;
gig_schedule_load gig_schedule_weigh(const gig_schedule *schedule, const gig_schedule_cell *cell,
                                     const gig_study_times *size);

/* The same in seconds, or (`times` NULL) in gradients, roughly: the basis for estimating the remaining time. */
double gig_schedule_effort(const gig_schedule *schedule, const gig_schedule_cell *cell, const gig_study_times *times);

#endif
