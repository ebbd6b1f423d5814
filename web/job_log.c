/* SPDX-License-Identifier: Apache-2.0 */
#include "job_log.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_LOG = 64 << 20, MOST_LOGS = 160 << 20 };

/* Call with the lock held. Messages that do not fit are dropped, except the last one. */
void web_job_log(web_job *job, json_t *json, const void *bytes, size_t count, int last)
{
    size_t size;
    if (job->used + count > MOST_LOG && !last) {
        json_decref(json);
        return;
    }
    unsigned char *packed = web_message_pack(&size, json, bytes, count);
    if (packed && job->used + size > job->capacity) {
        size_t wanted = 2 * (job->used + size);
        unsigned char *larger = realloc(job->log, wanted);
        if (larger) {
            job->log = larger;
            job->capacity = wanted;
        }
    }
    if (packed && job->used + size <= job->capacity) {
        memcpy(job->log + job->used, packed, size);
        job->used += size;
    }
    free(packed);
}

void web_job_set_state(web_jobs *jobs, web_job *job, web_state state)
{
    pthread_mutex_lock(&jobs->lock);
    job->state = state;
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
}

/* For a job whose worker did not send the last message itself. */
void web_job_log_end(web_jobs *jobs, web_job *job, web_state state, const char *message)
{
    pthread_mutex_lock(&jobs->lock);
    web_job_log(job,
                json_pack("{s:s, s:s*}", "type", state == WEB_CANCELLED ? "cancelled" : "failed", "message", message),
                NULL, 0, 1);
    pthread_mutex_unlock(&jobs->lock);
    web_job_set_state(jobs, job, state);
}

void web_job_free(web_job *job)
{
    json_decref(job->request);
    free(job->log);
    free(job);
}

/* Call with the lock held: removes finished jobs that nobody reads, oldest first, until the rest is within the limits.
 */
void web_jobs_drop_old(web_jobs *jobs)
{
    for (size_t i = 0; i < jobs->job_count;) {
        size_t total = 0;
        for (size_t j = 0; j < jobs->job_count; j++) total += jobs->jobs[j]->capacity;
        if (jobs->job_count < WEB_MOST_KEPT && total <= MOST_LOGS) return;
        if (jobs->jobs[i]->state >= WEB_DONE && !jobs->jobs[i]->readers) {
            web_job_free(jobs->jobs[i]);
            memmove(jobs->jobs + i, jobs->jobs + i + 1, (--jobs->job_count - i) * sizeof *jobs->jobs);
        } else {
            i++;
        }
    }
}
