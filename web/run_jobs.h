/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that gives the queue's jobs to the worker process, one after another. */
#ifndef WEB_RUN_JOBS_H
#define WEB_RUN_JOBS_H

#include "jobs.h"

/* A worker with the model open. NULL, or what went wrong (the caller frees). */
char *web_jobs_ready_worker(web_jobs *jobs);
/* How it ended, as text, unless `text` is NULL. */
void web_jobs_stop_worker(web_jobs *jobs, char *text, size_t bytes);
void web_jobs_wake_runner(web_jobs *jobs);
void *web_jobs_run(void *jobs); /* the thread's function, until jobs->ending */

#endif
