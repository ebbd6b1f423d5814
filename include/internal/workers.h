/* SPDX-License-Identifier: Apache-2.0 */
/* internal/workers.h -- worker threads: many independent jobs, the same result for any number of threads.
 *
 * Flow:      jobs 0..count-1 -> [gig_workers_run] -> all done, or the first failure in job order
 * Ownership: the payload stays the caller's.
 * Threads:   gig_workers_run may be called from several threads at once; it returns when its own threads have ended.
 * Errors:    what the failing job with the lowest index returned, with its message; GIG_ENOMEM.
 */
#ifndef GIG_INTERNAL_WORKERS_H
#define GIG_INTERNAL_WORKERS_H

#include "gig/status.h"
#include <stddef.h>

/* Does job `index`; `worker` (below the number of threads) says which thread calls, so that each may own a session. */
typedef gig_status (*gig_job)(void *payload, size_t worker, size_t index);

/* Runs job(payload, worker, i) for every i in [0, count) on `threads` threads, dealt in rising order. After a failure
 * no further jobs are started, but all with a lower index still finish: the failure with the lowest index is returned,
 * with its message, whichever came first in time. One thread: the calling thread. Several: new threads with all signals
 * blocked; the caller waits. threads 0 means gig_workers_default(). */
gig_status gig_workers_run(size_t threads, size_t count, gig_job job, void *payload);

/* Cores this process may use, at least 1. */
size_t gig_workers_default(void);

#endif
