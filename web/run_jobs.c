/* SPDX-License-Identifier: Apache-2.0 */
#include "run_jobs.h"
#include "job_log.h"
#include "worker_process.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CANCEL_SECONDS = 5 };

/* ---- the worker with the model open ---- */

static json_t *open_request(const web_options *options)
{
    json_t *out = json_pack("{s:s, s:s, s:I, s:I}", "type", "open", "model", options->model, "threads",
                            (json_int_t)options->threads, "memory", (json_int_t)options->memory);
    if (options->preset) json_object_set_new(out, "preset", json_string(options->preset));
    if (options->output) json_object_set_new(out, "output", json_string(options->output));
    if (options->cam) json_object_set_new(out, "cam", json_string(options->cam));
    return out;
}

void web_jobs_stop_worker(web_jobs *jobs, char *text, size_t bytes)
{
    char unused[160];
    if (jobs->pid <= 0) return;
    close(jobs->to);
    close(jobs->from);
    web_worker_end(text ? text : unused, text ? bytes : sizeof unused, jobs->pid);
    jobs->pid = 0;
}

/* A worker with the model open. NULL, or what went wrong (the caller frees). */
char *web_jobs_ready_worker(web_jobs *jobs)
{
    char why[160] = "the worker process cannot be started";
    web_message said;
    if (jobs->pid > 0) return NULL;
    jobs->pid = web_worker_start(&jobs->to, &jobs->from);
    if (jobs->pid <= 0) return strdup(why);
    if (web_message_write(jobs->to, open_request(jobs->options), NULL, 0) == 0 &&
        web_message_read(&said, jobs->from) == 0) {
        const char *message = json_string_value(json_object_get(said.json, "message"));
        char *failed = message ? strdup(message) : NULL;
        if (!message) {
            pthread_mutex_lock(&jobs->lock);
            json_decref(jobs->ready);
            jobs->ready = json_incref(said.json);
            pthread_mutex_unlock(&jobs->lock);
        }
        web_message_clear(&said);
        if (failed) web_jobs_stop_worker(jobs, NULL, 0);
        return failed;
    }
    web_jobs_stop_worker(jobs, why, sizeof why);
    return strdup(why);
}

/* ---- doing jobs ---- */

void web_jobs_wake_runner(web_jobs *jobs)
{
    const uint64_t one = 1;
    if (jobs->wake >= 0 && write(jobs->wake, &one, sizeof one) < 0) return; /* full: it is awake already */
}

/* Sends the job with its picture. The picture's bytes are copied first: it may be dropped meanwhile. */
static int send_job(web_jobs *jobs, const web_job *job)
{
    pthread_mutex_lock(&jobs->lock);
    const web_picture *picture = web_jobs_find_picture(jobs, job->picture);
    json_t *request = json_deep_copy(job->request);
    unsigned char *bytes = NULL;
    size_t count = 0;
    if (picture && picture->file) {
        json_object_set_new(request, "file", json_string(picture->file));
    } else if (picture && (bytes = malloc(picture->count + 1))) {
        count = picture->count;
        memcpy(bytes, picture->bytes, count);
    }
    if (picture) json_object_set_new(request, "name", json_string(picture->name));
    pthread_mutex_unlock(&jobs->lock);
    int failed = web_message_write(jobs->to, request, bytes, count);
    free(bytes);
    return failed;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Whether the worker has sent something; -1: the job must be killed. Passes on a request to cancel at once. */
static int wait_for_worker(web_jobs *jobs, web_job *job, double *asked)
{
    struct pollfd in[2] = {{.fd = jobs->from, .events = POLLIN}, {.fd = jobs->wake, .events = POLLIN}};
    double left = *asked > 0 ? *asked + CANCEL_SECONDS - seconds() : 0;
    poll(in, 2, *asked > 0 ? (left > 0 ? (int)(1000 * left) + 1 : 0) : -1);
    if (in[1].revents) {
        uint64_t count;
        if (read(jobs->wake, &count, sizeof count) < 0) return -1;
    }
    pthread_mutex_lock(&jobs->lock);
    int cancelled = job->cancelled, ending = jobs->ending;
    pthread_mutex_unlock(&jobs->lock);
    if (ending) return -1;
    if (cancelled && *asked == 0) {
        *asked = seconds();
        web_message_write(jobs->to, json_pack("{s:s}", "type", "cancel"), NULL, 0);
    }
    if (in[0].revents) return 1;
    return *asked > 0 && seconds() - *asked > CANCEL_SECONDS ? -1 : 0;
}

/* The state that a message of this type ends a job with; WEB_RUNNING: none. */
static web_state state_after(const char *type)
{
    if (!type || !strcmp(type, "failed")) return WEB_FAILED;
    if (!strcmp(type, "cancelled")) return WEB_CANCELLED;
    return !strcmp(type, "done") ? WEB_DONE : WEB_RUNNING;
}

static void run_job(web_jobs *jobs, web_job *job)
{
    char why[160];
    double asked = 0;
    char *failed = web_jobs_ready_worker(jobs);
    if (failed) {
        web_job_log_end(jobs, job, WEB_FAILED, failed);
        free(failed);
        return;
    }
    int gone = send_job(jobs, job);
    while (!gone) {
        web_message said;
        int ready = wait_for_worker(jobs, job, &asked);
        if (ready == 0) continue;
        gone = ready < 0 || web_message_read(&said, jobs->from) != 0;
        if (gone) break;
        web_state after = state_after(json_string_value(json_object_get(said.json, "type")));
        pthread_mutex_lock(&jobs->lock);
        web_job_log(job, json_incref(said.json), said.bytes, said.count, after != WEB_RUNNING);
        pthread_cond_broadcast(&jobs->changed);
        pthread_mutex_unlock(&jobs->lock);
        web_message_clear(&said);
        if (after != WEB_RUNNING) {
            web_job_set_state(jobs, job, after);
            return;
        }
    }
    web_jobs_stop_worker(jobs, why, sizeof why);
    web_job_log_end(jobs, job, asked > 0 ? WEB_CANCELLED : WEB_FAILED, asked > 0 ? NULL : why);
}

void *web_jobs_run(void *payload)
{
    web_jobs *jobs = payload;
    pthread_mutex_lock(&jobs->lock);
    while (!jobs->ending) {
        web_job *next = NULL;
        for (size_t i = 0; i < jobs->job_count && !next; i++)
            if (jobs->jobs[i]->state == WEB_QUEUED) next = jobs->jobs[i];
        if (!next) {
            pthread_cond_wait(&jobs->changed, &jobs->lock);
            continue;
        }
        next->state = WEB_RUNNING;
        pthread_mutex_unlock(&jobs->lock);
        run_job(jobs, next);
        pthread_mutex_lock(&jobs->lock);
    }
    pthread_mutex_unlock(&jobs->lock);
    return NULL;
}
