/* SPDX-License-Identifier: Apache-2.0 */
/* The status that a run writes to its store while it works, for processes that read the store meanwhile. */
#ifndef GIG_WORK_STORE_HEARTBEAT_H
#define GIG_WORK_STORE_HEARTBEAT_H

#include "gig/work.h"
#include "work/store/store.h"

enum { GIG_HEARTBEAT_SECONDS = 3 }; /* between two */

/* The stage of a run. */
extern const char gig_stage_ready[], gig_stage_ranking[], gig_stage_timing[], gig_stage_making[];

/* A run has opened the store and is preparing. */
void gig_heartbeat_begin(gig_store *store);
void gig_heartbeat_write(gig_store *store, const gig_study_progress *progress);

#endif
