/* SPDX-License-Identifier: Apache-2.0 */
/* What a run says of itself in its store while it works, for whoever reads it meanwhile. */
#ifndef GIG_WORK_STORE_HEARTBEAT_H
#define GIG_WORK_STORE_HEARTBEAT_H

#include "gig/work.h"
#include "work/store/store.h"

enum { GIG_HEARTBEAT_SECONDS = 3 }; /* between two */

/* What a run is at. */
extern const char gig_stage_ready[], gig_stage_ranking[], gig_stage_timing[], gig_stage_making[];

/* A run has the store, and gets ready. */
void gig_heartbeat_begin(gig_store *store);
void gig_heartbeat_write(gig_store *store, const gig_study_progress *progress);

#endif
