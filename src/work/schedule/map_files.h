/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of maps beside a store: removes maps that are not needed. */
#ifndef GIG_WORK_SCHEDULE_MAP_FILES_H
#define GIG_WORK_SCHEDULE_MAP_FILES_H

#include "work/schedule/schedule.h"

/* Removes what a killed run left there: unfinished files, and maps of the store's cells that were not to be kept and
 * that the plan does not use. Other files stay. */
gig_status gig_schedule_sweep_maps(const gig_schedule *schedule);

/* Removes the cell's map if it is no longer needed. The next run removes what is missed here. */
void gig_schedule_release_map(const gig_schedule *schedule, gig_schedule_cell *cell);

#endif
