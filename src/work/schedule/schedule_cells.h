/* SPDX-License-Identifier: Apache-2.0 */
/* Adds cells to a plan: each once, whatever the number of runs that want it, after its sources. */
#ifndef GIG_WORK_SCHEDULE_SCHEDULE_CELLS_H
#define GIG_WORK_SCHEDULE_SCHEDULE_CELLS_H

#include "work/schedule/schedule.h"

/* The index of a variant and the bit of a metric in the plan; new ones are added. */
gig_status gig_schedule_find_variant(size_t *out, gig_schedule *schedule, const gig_variant *variant);
gig_status gig_schedule_find_metric(uint64_t *bit, gig_schedule *schedule, const gig_metric *metric);

/* The index of a cell, which is added with its sources if it was not planned before. Metrics that the store has scores
 * of are dropped. */
gig_status gig_schedule_add_cell(size_t *out, gig_schedule *schedule, gig_schedule_cell cell);

#endif
