/* SPDX-License-Identifier: Apache-2.0 */
/* Worker processes: each is started by exec, gets jobs as lines of text over a socket, one at a time, and answers each
 * with one line. What goes wrong inside one (a signal, an abort, no memory) costs the job it was doing and nothing
 * else. Workers of other processes (peers) get their jobs and send their answers as messages. */
#ifndef GIG_WORK_POOL_POOL_H
#define GIG_WORK_POOL_POOL_H

#include "base/status.h"
#include "gig/work.h"
#include <stddef.h>

typedef struct gig_pool_jobs {
    /* For worker 0, 1, ... (this process's own, then those of its peers), which has no other: the next job as a line
     * without its newline, new (gig_free), with a number of the caller's; *line NULL: none for now. May be asked again
     * after every answer. */
    gig_status (*next)(void *payload, size_t worker, char **line, size_t *number);
    /* The answer's line (valid inside the call), or NULL with the reason why there is none: the worker died on it in
     * every one of its attempts. */
    gig_status (*done)(void *payload, size_t number, const char *line, const char *reason, int attempts);
    /* Asked at least every quarter of a second: not 0 ends the work; running jobs are left undone. May be NULL. */
    int (*stop)(void *payload);
    /* Asked when nobody works and there was no job: not 0 says that one may come by itself. May be NULL. */
    int (*waits)(void *payload);
    void *payload;
} gig_pool_jobs;

/* Who works. */
typedef struct gig_pool_members {
    size_t workers;               /* processes of this one; with peers, as they say */
    const char *const *argv;      /* argv[0] is the program's path; a NULL ends it */
    const gig_study_peers *peers; /* NULL: none. Else this is their process 0 */
} gig_pool_members;

/* Keeps all workers busy until there are no more jobs. A worker that dies is replaced, and its job given again: once
 * after a crash, four times if it was killed from outside. What a peer that leaves was doing is given to others.
 * GIG_ECANCEL if told to stop; GIG_EIO if no worker can be started; what a callback returned. No worker of this process
 * is left behind. */
gig_status gig_pool_run(const gig_pool_members *members, const gig_pool_jobs *jobs);

/* ---- peers ---- */

/* As a process other than 0: does jobs of process 0 with workers of its own until that needs no more, or until `stop`
 * (which may be NULL) says so; then it waits for that. GIG_ECANCEL if told to stop. */
gig_status gig_pool_lend(const gig_pool_members *members, int (*stop)(void *payload), void *payload);

/* As process 0: no more help is needed. */
void gig_pool_release(const gig_study_peers *peers);

/* ---- the worker's side ---- */

/* Answers one job: *answer is new (gig_free), without newline. A failure ends the worker. */
typedef gig_status (*gig_pool_worker)(void *payload, char **answer, const char *job);

/* Serves jobs from the socket that is this process's standard input until it is closed. From here on standard input is
 * empty and standard output goes to standard error, so that nothing else is written between answers. The process ends
 * with its parent, whatever ends that. */
gig_status gig_pool_serve(gig_pool_worker answer, void *payload);

#endif
