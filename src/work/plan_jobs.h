/* A plan's rankings, timings and cells as jobs for workers, and how much work they are. */
#ifndef GIG_WORK_PLAN_JOBS_H
#define GIG_WORK_PLAN_JOBS_H

#include "work/plan.h"

/* New lines (gig_free). A cell's says what `makes`, `writes` and `has_map` are now. */
gig_status gig_plan_ranking_job(char **line, const gig_plan *plan, const gig_plan_pair *pair);
gig_status gig_plan_timing_job(char **line, const gig_plan *plan, size_t model);
gig_status gig_plan_cell_job(char **line, const gig_plan *plan, const gig_plan_cell *cell);

/* Gradients that metric `metric` of the cell takes beside its map: those of closed paths, else 0. */
double gig_plan_closed_evaluations(const gig_plan *plan, const gig_plan_cell *cell, size_t metric);

/* Gradients and values a cell will take, roughly: what the remaining time is estimated from. */
double gig_plan_effort(const gig_plan *plan, const gig_plan_cell *cell);

#endif
