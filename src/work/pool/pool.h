/* SPDX-License-Identifier: Apache-2.0 */
/* Worker processes: each is started by exec, gets jobs as lines of text over a socket, one at a time, and answers each
 * with one line. A failure inside one (a signal, an abort, no memory) affects only its current job. Workers of other
 * processes (peers) receive jobs and send answers as messages. */
#ifndef GIG_WORK_POOL_POOL_H
#define GIG_WORK_POOL_POOL_H

#include "base/status.h"
#include "gig/work.h"
#include <stddef.h>

typedef struct gig_pool_jobs {
    /* The next job for an idle worker 0, 1, ... (this process's own, then those of its peers): a new line (gig_free)
     * without its newline, and a number chosen by the caller; *line NULL: none for now. May be called again after every
     * answer. */
    gig_status (*next)(void *payload, size_t worker, char **line, size_t *number);
    /* The answer's line (valid during the call), or NULL with the reason: workers died in every attempt. */
    gig_status (*done)(void *payload, size_t number, const char *line, const char *reason, int attempts);
    /* Called at least every quarter of a second: a result other than 0 ends the work, and running jobs are abandoned.
     * May be NULL. */
    int (*stop)(void *payload);
    /* Called when no worker is busy and there was no job: a result other than 0 means that a job may still come. May be
     * NULL. */
    int (*waits)(void *payload);
    void *payload;
} gig_pool_jobs;

/* The workers. */
typedef struct gig_pool_members {
    size_t workers;               /* worker processes of this process; peers report their own */
    const char *const *argv;      /* argv[0] is the program's path; a NULL ends it */
    const gig_study_peers *peers; /* NULL: none. Else this is their process 0 */
} gig_pool_members;

/* Keeps all workers busy until there are no more jobs. A worker that dies is replaced, and its job given again: once
 * after a crash, four times if it was killed from outside. Jobs of a peer that leaves are given to others. GIG_ECANCEL
 * if stopped; GIG_EIO if no worker can be started; or the status of a callback. No worker of this process is left
 * running. */
gig_status gig_pool_run(const gig_pool_members *members, const gig_pool_jobs *jobs);

/* ---- peers ---- */

/* In a process other than 0: does jobs of process 0 with its own workers until process 0 needs no more, or until `stop`
 * (which may be NULL) says so; then it waits for process 0. GIG_ECANCEL if stopped. */
gig_status gig_pool_lend(const gig_pool_members *members, int (*stop)(void *payload), void *payload);

/* In process 0: tells the peers that no more jobs will come. */
void gig_pool_release(const gig_study_peers *peers);

/* ---- the worker's side ---- */

/* Answers one job: *answer is new (gig_free), without newline. A failure ends the worker. */
typedef gig_status (*gig_pool_worker)(void *payload, char **answer, const char *job);

/* Serves jobs from the socket that is this process's standard input until it is closed. From here on standard input is
 * empty and standard output goes to standard error, so that nothing else is written between answers. The process ends
 * when its parent ends, however that happens. */
gig_status gig_pool_serve(gig_pool_worker answer, void *payload);

#endif
