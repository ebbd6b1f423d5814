/* Worker threads: run `job(payload, i)` for i in [0, count) on `threads` threads, in any order. */
#ifndef GIG_BASE_WORKERS_H
#define GIG_BASE_WORKERS_H

#include "base/status.h"
#include <stddef.h>

/* job(payload, worker, index): worker < threads says which thread calls. The failure with the lowest index is returned,
 * with its message, whichever happened first; jobs after a failure may be skipped. threads == 1 runs on the calling
 * thread. */
typedef gig_status (*gig_job)(void *payload, size_t worker, size_t index);
gig_status gig_workers_run(size_t threads, size_t count, gig_job job, void *payload);

/* Cores this process may use, at least 1. */
size_t gig_workers_default(void);

#endif
