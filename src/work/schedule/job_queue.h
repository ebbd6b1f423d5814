/* SPDX-License-Identifier: Apache-2.0 */
/* A queue of jobs of one kind for the pool (one stage of a run), and its progress. */
#ifndef GIG_WORK_SCHEDULE_JOB_QUEUE_H
#define GIG_WORK_SCHEDULE_JOB_QUEUE_H

#include "gig/work.h"
#include "work/schedule/schedule.h"

typedef gig_status (*gig_job_queue_next)(void *queue, size_t worker, char **line, size_t *number);
typedef gig_status (*gig_job_queue_done)(void *queue, size_t number, const char *line, const char *reason,
                                         int attempts);

/* A worker's current job. */
typedef struct gig_running_job {
    int busy;
    size_t number; /* of the job */
    double since;  /* seconds of gig_seconds_now */
} gig_running_job;

/* The first member of a stage's own struct: callbacks get a pointer to both. */
typedef struct gig_job_queue {
    gig_schedule *schedule;
    const gig_study_options *options;
    const char *name;
    gig_job_queue_next give;
    gig_job_queue_done take;
    const double *effort; /* of each job, by its number; NULL: all are alike */
    size_t count, next;   /* jobs; the first one not handed out yet */
    size_t done, failed;  /* of those that have ended */
    double work;          /* effort of all jobs that did not fail */
    double worked, busy;  /* of those that are done: effort, and seconds of workers */
    size_t worker_count;
    gig_running_job *running; /* [worker_count] */
    double start, told;       /* when it began, and when progress was last written to the store */
    int stopped;
} gig_job_queue;

/* Workers of all processes. */
size_t gig_job_queue_workers(const gig_study_options *options);

/* Lets the pool do all jobs. GIG_ECANCEL if told to stop. */
gig_status gig_job_queue_run(gig_job_queue *queue);

/* A job has ended, or cannot be handed out at all (failed). */
void gig_job_queue_end_job(gig_job_queue *queue, size_t number, int failed);

/* Seconds left at the pace of the finished jobs; NaN if there are none. */
double gig_job_queue_remaining(const gig_job_queue *queue, double now);

/* Reports progress; a result other than 0 means stop. */
int gig_job_queue_report(void *queue);

#endif
