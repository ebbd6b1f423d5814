/* SPDX-License-Identifier: Apache-2.0 */
/* A stage of a run: jobs of one kind for the crew, and how far they are. */
#ifndef GIG_WORK_SCHEDULE_JOB_QUEUE_H
#define GIG_WORK_SCHEDULE_JOB_QUEUE_H

#include "gig/work.h"
#include "work/schedule/schedule.h"

typedef gig_status (*gig_stage_next)(void *stage, size_t worker, char **line, size_t *number);
typedef gig_status (*gig_stage_done)(void *stage, size_t number, const char *line, const char *reason, int attempts);

/* What a worker has in hand. */
typedef struct gig_stage_hand {
    int busy;
    size_t number; /* of the job */
    double since;  /* seconds of gig_seconds_now */
} gig_stage_hand;

/* The first member of what a stage needs besides: its callbacks are given a pointer to both. */
typedef struct gig_stage {
    gig_plan *plan;
    const gig_study_options *options;
    const char *name;
    gig_stage_next give;
    gig_stage_done take;
    const double *effort; /* of each job, by its number; NULL: all are alike */
    size_t count, next;   /* jobs; the first that has not been given out */
    size_t done, failed;  /* of those that have ended */
    double work;          /* effort of all but those that failed */
    double worked, busy;  /* of those that are done: effort, and seconds of workers */
    size_t worker_count;
    gig_stage_hand *hands; /* [worker_count] */
    double start, told;    /* when it began, and when the store's readers were told */
    int stopped;
} gig_stage;

/* Workers of all processes. */
size_t gig_stage_workers(const gig_study_options *options);

/* Lets the crew do all jobs. GIG_ECANCEL when told to stop. */
gig_status gig_stage_work(gig_stage *stage);

/* A job has ended, or cannot be given out at all (failed). */
void gig_stage_end_job(gig_stage *stage, size_t number, int failed);

/* Seconds that are left at the pace of the jobs that are done; NaN where none is. */
double gig_stage_remaining(const gig_stage *stage, double now);

/* Tells how far it is; not 0: it is to stop. */
int gig_stage_report(void *stage);

#endif
