/* The folder of maps beside a store, after a run that was killed. */
#ifndef GIG_WORK_MAPS_H
#define GIG_WORK_MAPS_H

#include "work/plan.h"

/* Removes what a killed run left there: files half written, and maps of the store's cells that were not to be kept and
 * that the plan has no use for. What is not the store's stays. */
gig_status gig_maps_sweep(const gig_plan *plan);

#endif
