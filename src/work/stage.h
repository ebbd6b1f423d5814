/* A stage of a run: jobs of one kind for the crew, and how far they are. */
#ifndef GIG_WORK_STAGE_H
#define GIG_WORK_STAGE_H

#include "gig/work.h"
#include "work/plan.h"

/* The first member of what a stage needs besides: its callbacks are given a pointer to both. */
typedef struct gig_stage {
    gig_plan *plan;
    const gig_study_options *options;
    const char *name;
    size_t count, next;   /* jobs; the first that has not been given out */
    size_t done, failed;  /* of those that have ended */
    double work, worked;  /* estimated effort, of all and of what has ended */
    double start, latest; /* when it began, and when a job ended last; seconds of gig_seconds_now */
    double told;          /* when the store's readers were told */
    int stopped;
} gig_stage;

typedef gig_status (*gig_stage_next)(void *stage, size_t worker, char **line, size_t *number);
typedef gig_status (*gig_stage_done)(void *stage, size_t number, const char *line, const char *reason, int attempts);

/* Workers of all processes, and of this one. */
size_t gig_stage_workers(const gig_study_options *options);

/* Lets the crew do all jobs. GIG_ECANCEL when told to stop. */
gig_status gig_stage_work(gig_stage *stage, gig_stage_next next, gig_stage_done done);

/* A job has ended. */
void gig_stage_end_job(gig_stage *stage, double effort, int failed);

/* Seconds that are left at the pace of the jobs that have ended; NaN where none has. */
double gig_stage_remaining(const gig_stage *stage, double now);

/* Tells how far it is; not 0: it is to stop. */
int gig_stage_report(void *stage);

#endif
