/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a plan in worker processes. */
#ifndef GIG_WORK_SCHEDULE_RUN_H
#define GIG_WORK_SCHEDULE_RUN_H

#include "gig/work.h"
#include "work/schedule/schedule_jobs.h"

/* Computes the rankings that the plan needs. If a picture cannot be read, or its worker died in every attempt, there is
 * no ranking; its cells fail for the same reason, and the next run tries again. */
gig_status gig_schedule_run_rankings(gig_schedule *schedule, const gig_study_options *options);

/* Computes everything that is pending. GIG_ECANCEL if stopped. */
gig_status gig_schedule_run_cells(gig_schedule *schedule, const gig_study_options *options);

/* Times the uses one after the other. The first one that cannot run is an error (strict), or stays without times.
 */
gig_status gig_schedule_run_timing(gig_schedule_use *uses, size_t count, gig_schedule *schedule,
                                   const gig_study_options *options, int strict);

#endif
