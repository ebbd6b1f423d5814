/* SPDX-License-Identifier: Apache-2.0 */
/* A plan carried out by worker processes. */
#ifndef GIG_WORK_SCHEDULE_RUN_H
#define GIG_WORK_SCHEDULE_RUN_H

#include "gig/work.h"
#include "work/schedule/schedule_jobs.h"

/* Makes the rankings that the plan needs. A picture that cannot be read, or whose worker died in every attempt, has
 * none; its cells fail for the same reason, and the next run tries again. */
gig_status gig_schedule_run_rankings(gig_schedule *schedule, const gig_study_options *options);

/* Makes what is pending. GIG_ECANCEL if told to stop. */
gig_status gig_schedule_run_cells(gig_schedule *schedule, const gig_study_options *options);

/* Times what the uses take, one after the other. The first that cannot be run ends it (strict), or stays without times.
 */
gig_status gig_schedule_run_timing(gig_schedule_use *uses, size_t count, gig_schedule *schedule,
                                   const gig_study_options *options, int strict);

#endif
