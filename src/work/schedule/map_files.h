/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of maps beside a store, rid of those that nobody needs. */
#ifndef GIG_WORK_SCHEDULE_MAP_FILES_H
#define GIG_WORK_SCHEDULE_MAP_FILES_H

#include "work/schedule/schedule.h"

/* Removes what a killed run left there: files half written, and maps of the store's cells that were not to be kept and
 * that the plan has no use for. What is not the store's stays. */
gig_status gig_schedule_sweep_maps(const gig_schedule *schedule);

/* Removes the cell's map if nobody needs it any more. One that is not found here is found by the next run. */
void gig_schedule_release_map(const gig_schedule *schedule, gig_schedule_cell *cell);

#endif
