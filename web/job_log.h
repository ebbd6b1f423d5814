/* SPDX-License-Identifier: Apache-2.0 */
/* The messages that a job keeps, so that a page can read them from the start at any time. */
#ifndef WEB_JOB_LOG_H
#define WEB_JOB_LOG_H

#include "jobs.h"

/* Call with the lock held. Takes `json` over. Messages that do not fit are dropped, except the last one. */
void web_job_log(web_job *job, json_t *json, const void *bytes, size_t count, int last);
void web_job_set_state(web_jobs *jobs, web_job *job, web_state state);
/* For a job whose worker did not send the last message itself. */
void web_job_log_end(web_jobs *jobs, web_job *job, web_state state, const char *message);
void web_job_free(web_job *job);
/* Call with the lock held: removes finished jobs that nobody reads, oldest first, until the rest is within the limits.
 */
void web_jobs_drop_old(web_jobs *jobs);

#endif
