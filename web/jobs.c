/* SPDX-License-Identifier: Apache-2.0 */
#include "jobs.h"
#include "job_log.h"
#include "run_jobs.h"
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { MOST_UPLOADED = 96 << 20 };

web_picture *web_jobs_find_picture(web_jobs *jobs, unsigned id)
{
    for (size_t i = 0; i < jobs->picture_count; i++)
        if (jobs->pictures[i].id == id) return &jobs->pictures[i];
    return NULL;
}

/* ---- what the page asks for ---- */

static void drop_upload(web_jobs *jobs)
{
    for (size_t i = 0; i < jobs->picture_count; i++) {
        web_picture *picture = &jobs->pictures[i];
        if (picture->file) continue;
        free(picture->name);
        free(picture->bytes);
        memmove(picture, picture + 1, (--jobs->picture_count - i) * sizeof *picture);
        return;
    }
}

long web_jobs_upload(web_jobs *jobs, const char *name, unsigned char *bytes, size_t count)
{
    pthread_mutex_lock(&jobs->lock);
    for (;;) { /* the oldest upload is dropped */
        size_t total = count, uploads = 0;
        for (size_t i = 0; i < jobs->picture_count; i++) {
            uploads += !jobs->pictures[i].file;
            total += jobs->pictures[i].count;
        }
        if (!uploads || (uploads < WEB_MOST_UPLOADS && total <= MOST_UPLOADED)) break;
        drop_upload(jobs);
    }
    web_picture *larger = realloc(jobs->pictures, (jobs->picture_count + 1) * sizeof *larger);
    char *copy = strdup(name);
    if (larger) jobs->pictures = larger;
    long id = -1;
    if (larger && copy) {
        id = jobs->next_id++;
        jobs->pictures[jobs->picture_count++] =
            (web_picture){.id = (unsigned)id, .name = copy, .bytes = bytes, .count = count};
    } else {
        free(copy);
        free(bytes);
    }
    pthread_mutex_unlock(&jobs->lock);
    return id;
}

long web_jobs_add(web_jobs *jobs, json_t *request, unsigned picture)
{
    long id = -1;
    size_t waiting = 0;
    pthread_mutex_lock(&jobs->lock);
    for (size_t i = 0; i < jobs->job_count; i++) waiting += jobs->jobs[i]->state == WEB_QUEUED;
    web_jobs_drop_old(jobs);
    web_job *job = calloc(1, sizeof *job);
    if (!web_jobs_find_picture(jobs, picture)) {
        id = -2;
    } else if (job && waiting < WEB_MOST_QUEUED && jobs->job_count < WEB_MOST_KEPT) {
        id = jobs->next_id++;
        *job = (web_job){.id = (unsigned)id, .picture = picture, .request = json_incref(request)};
        jobs->jobs[jobs->job_count++] = job;
        job = NULL;
        pthread_cond_broadcast(&jobs->changed);
    }
    pthread_mutex_unlock(&jobs->lock);
    free(job);
    json_decref(request);
    return id;
}

static web_job *find_job(web_jobs *jobs, unsigned id)
{
    for (size_t i = 0; i < jobs->job_count; i++)
        if (jobs->jobs[i]->id == id) return jobs->jobs[i];
    return NULL;
}

int web_jobs_cancel(web_jobs *jobs, unsigned id)
{
    pthread_mutex_lock(&jobs->lock);
    web_job *job = find_job(jobs, id);
    if (job && job->state == WEB_QUEUED) {
        job->state = WEB_CANCELLED;
        web_job_log(job, json_pack("{s:s}", "type", "cancelled"), NULL, 0, 1);
    } else if (job && job->state == WEB_RUNNING) {
        job->cancelled = 1;
        web_jobs_wake_runner(jobs);
    }
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
    return job ? 0 : -1;
}

json_t *web_jobs_list(web_jobs *jobs)
{
    static const char *const states[] = {"queued", "running", "done", "failed", "cancelled"};
    json_t *out = json_array();
    pthread_mutex_lock(&jobs->lock);
    for (size_t i = 0; i < jobs->job_count; i++) {
        const web_job *job = jobs->jobs[i];
        json_array_append_new(out, json_pack("{s:i, s:s, s:i, s:O}", "id", (int)job->id, "state", states[job->state],
                                             "picture", (int)job->picture, "request", job->request));
    }
    pthread_mutex_unlock(&jobs->lock);
    return out;
}

json_t *web_jobs_pictures(web_jobs *jobs)
{
    json_t *out = json_array();
    pthread_mutex_lock(&jobs->lock);
    for (size_t i = 0; i < jobs->picture_count; i++) {
        const web_picture *picture = &jobs->pictures[i];
        json_array_append_new(
            out, json_pack("{s:i, s:s, s:s*}", "id", (int)picture->id, "name", picture->name, "file", picture->file));
    }
    pthread_mutex_unlock(&jobs->lock);
    return out;
}

/* ---- streams ---- */

web_job *web_job_open(web_jobs *jobs, unsigned id)
{
    pthread_mutex_lock(&jobs->lock);
    web_job *job = find_job(jobs, id);
    if (job) job->readers++;
    pthread_mutex_unlock(&jobs->lock);
    return job;
}

size_t web_job_read(web_jobs *jobs, web_job *job, size_t offset, char *to, size_t most)
{
    pthread_mutex_lock(&jobs->lock);
    while (offset >= job->used && job->state < WEB_DONE && !jobs->ending)
        pthread_cond_wait(&jobs->changed, &jobs->lock);
    size_t count = offset < job->used ? job->used - offset : 0;
    if (count > most) count = most;
    if (count) memcpy(to, job->log + offset, count);
    pthread_mutex_unlock(&jobs->lock);
    return count;
}

void web_job_close(web_jobs *jobs, web_job *job)
{
    pthread_mutex_lock(&jobs->lock);
    job->readers--;
    pthread_mutex_unlock(&jobs->lock);
}

/* ---- beginning and end ---- */

int web_jobs_init(web_jobs *jobs, const web_options *options)
{
    *jobs = (web_jobs){.options = options, .next_id = 1, .wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    pthread_mutex_init(&jobs->lock, NULL);
    pthread_cond_init(&jobs->changed, NULL);
    return jobs->wake < 0 ? -1 : 0;
}

char *web_jobs_start(web_jobs *jobs, const web_options *options)
{
    if (web_jobs_init(jobs, options) != 0) return strdup("no event can be made");
    jobs->pictures = calloc(options->picture_count + 1, sizeof *jobs->pictures);
    for (size_t i = 0; jobs->pictures && i < options->picture_count; i++) {
        const char *slash = strrchr(options->pictures[i], '/');
        json_t *name = json_string(slash ? slash + 1 : options->pictures[i]); /* NULL if it is not UTF-8 */
        jobs->pictures[jobs->picture_count++] =
            (web_picture){.id = jobs->next_id++,
                          .name = strdup(name ? json_string_value(name) : "picture"),
                          .file = strdup(options->pictures[i])};
        json_decref(name);
    }
    char *failed = web_jobs_ready_worker(jobs);
    if (!failed && pthread_create(&jobs->runner, NULL, web_jobs_run, jobs) != 0)
        failed = strdup("no thread can be started");
    jobs->started = !failed;
    return failed;
}

void web_jobs_stop(web_jobs *jobs)
{
    pthread_mutex_lock(&jobs->lock);
    jobs->ending = 1;
    web_jobs_wake_runner(jobs);
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
    if (jobs->started) pthread_join(jobs->runner, NULL);
    web_jobs_stop_worker(jobs, NULL, 0);
}

void web_jobs_clear(web_jobs *jobs)
{
    for (size_t i = 0; i < jobs->job_count; i++) web_job_free(jobs->jobs[i]);
    for (size_t i = 0; i < jobs->picture_count; i++) {
        free(jobs->pictures[i].name);
        free(jobs->pictures[i].file);
        free(jobs->pictures[i].bytes);
    }
    free(jobs->pictures);
    if (jobs->wake >= 0) close(jobs->wake);
    json_decref(jobs->ready);
    pthread_mutex_destroy(&jobs->lock);
    pthread_cond_destroy(&jobs->changed);
}
