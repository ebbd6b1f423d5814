/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of maps beside a store, rid of those that nobody needs. */
#ifndef GIG_WORK_SCHEDULE_MAP_FILES_H
#define GIG_WORK_SCHEDULE_MAP_FILES_H

#include "gig/tensor.h"
#include "work/schedule/schedule.h"

/* The map in the file, [height, width, 1 or 3]. GIG_EFORMAT: it holds none of this size. */
gig_status gig_maps_read(gig_tensor *out, const char *path, size_t height, size_t width);

/* Removes what a killed run left there: files half written, and maps of the store's cells that were not to be kept and
 * that the plan has no use for. What is not the store's stays. */
gig_status gig_maps_sweep(const gig_plan *plan);

/* Removes the cell's map if nobody needs it any more. One that is not found here is found by the next run. */
void gig_maps_release(const gig_plan *plan, gig_plan_cell *cell);

#endif
