/* SPDX-License-Identifier: Apache-2.0 */
#include "jobs.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { MOST_LOG = 64 << 20, MOST_LOGS = 160 << 20, MOST_UPLOADED = 96 << 20, CANCEL_SECONDS = 5 };

/* ---- the worker process ---- */

int web_worker_start(int *to, int *from)
{
    static const char *const command[] = {"/proc/self/exe", WEB_WORKER, NULL};
    int in[2], out[2];
    pid_t pid = -1;
    sigset_t none;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    if (pipe2(in, O_CLOEXEC) != 0) return -1;
    if (pipe2(out, O_CLOEXEC) != 0) {
        close(in[0]);
        close(in[1]);
        return -1;
    }
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
    posix_spawnattr_init(&how);
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setpgroup(&how, 0); /* Ctrl-C is for the server, which ends its workers itself */
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    if (posix_spawn(&pid, command[0], &files, &how, (char *const *)(uintptr_t)command, environ) != 0) pid = -1;
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    close(in[0]);
    close(out[1]);
    if (pid > 0) {
        *to = in[1];
        *from = out[0];
        return pid;
    }
    close(in[1]);
    close(out[0]);
    return -1;
}

void web_worker_end(char *text, size_t bytes, int pid)
{
    int status = 0;
    if (waitpid(pid, &status, WNOHANG) == 0) {
        struct timespec moment = {.tv_nsec = 50000000};
        nanosleep(&moment, NULL); /* if it ends by itself, it reports why */
        if (waitpid(pid, &status, WNOHANG) == 0) {
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
        }
    }
    if (WIFSIGNALED(status))
        snprintf(text, bytes, "the worker process was ended by signal %d (%s)%s", WTERMSIG(status),
                 strsignal(WTERMSIG(status)),
                 WTERMSIG(status) == SIGABRT || WTERMSIG(status) == SIGKILL ? "; it may have run out of memory" : "");
    else
        snprintf(text, bytes, "the worker process ended (exit code %d)", WEXITSTATUS(status));
}

static json_t *open_request(const web_options *options)
{
    json_t *out = json_pack("{s:s, s:s, s:I, s:I}", "type", "open", "model", options->model, "threads",
                            (json_int_t)options->threads, "memory", (json_int_t)options->memory);
    if (options->preset) json_object_set_new(out, "preset", json_string(options->preset));
    if (options->output) json_object_set_new(out, "output", json_string(options->output));
    if (options->cam) json_object_set_new(out, "cam", json_string(options->cam));
    return out;
}

static void stop_worker(web_jobs *jobs, char *text, size_t bytes)
{
    char unused[160];
    if (jobs->pid <= 0) return;
    close(jobs->to);
    close(jobs->from);
    web_worker_end(text ? text : unused, text ? bytes : sizeof unused, jobs->pid);
    jobs->pid = 0;
}

/* A worker with the model open. NULL, or what went wrong (the caller frees). */
static char *ready_worker(web_jobs *jobs)
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
        if (failed) stop_worker(jobs, NULL, 0);
        return failed;
    }
    stop_worker(jobs, why, sizeof why);
    return strdup(why);
}

/* ---- logs ---- */

/* Call with the lock held. Messages that do not fit are dropped, except the last one. */
static void log_message(web_job *job, json_t *json, const void *bytes, size_t count, int last)
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

static void set_state(web_jobs *jobs, web_job *job, web_state state)
{
    pthread_mutex_lock(&jobs->lock);
    job->state = state;
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
}

/* For a job whose worker did not send the last message itself. */
static void log_end(web_jobs *jobs, web_job *job, web_state state, const char *message)
{
    pthread_mutex_lock(&jobs->lock);
    log_message(job,
                json_pack("{s:s, s:s*}", "type", state == WEB_CANCELLED ? "cancelled" : "failed", "message", message),
                NULL, 0, 1);
    pthread_mutex_unlock(&jobs->lock);
    set_state(jobs, job, state);
}

static void free_job(web_job *job)
{
    json_decref(job->request);
    free(job->log);
    free(job);
}

/* Call with the lock held: removes finished jobs that nobody reads, oldest first, until the rest is within the limits.
 */
static void drop_old(web_jobs *jobs)
{
    for (size_t i = 0; i < jobs->job_count;) {
        size_t total = 0;
        for (size_t j = 0; j < jobs->job_count; j++) total += jobs->jobs[j]->capacity;
        if (jobs->job_count < WEB_MOST_KEPT && total <= MOST_LOGS) return;
        if (jobs->jobs[i]->state >= WEB_DONE && !jobs->jobs[i]->readers) {
            free_job(jobs->jobs[i]);
            memmove(jobs->jobs + i, jobs->jobs + i + 1, (--jobs->job_count - i) * sizeof *jobs->jobs);
        } else {
            i++;
        }
    }
}

/* ---- doing jobs ---- */

static void wake_runner(web_jobs *jobs)
{
    const uint64_t one = 1;
    if (jobs->wake >= 0 && write(jobs->wake, &one, sizeof one) < 0) return; /* full: it is awake already */
}

static web_picture *find_picture(web_jobs *jobs, unsigned id)
{
    for (size_t i = 0; i < jobs->picture_count; i++)
        if (jobs->pictures[i].id == id) return &jobs->pictures[i];
    return NULL;
}

/* Sends the job with its picture. The picture's bytes are copied first: it may be dropped meanwhile. */
static int send_job(web_jobs *jobs, const web_job *job)
{
    pthread_mutex_lock(&jobs->lock);
    const web_picture *picture = find_picture(jobs, job->picture);
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
    char *failed = ready_worker(jobs);
    if (failed) {
        log_end(jobs, job, WEB_FAILED, failed);
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
        log_message(job, json_incref(said.json), said.bytes, said.count, after != WEB_RUNNING);
        pthread_cond_broadcast(&jobs->changed);
        pthread_mutex_unlock(&jobs->lock);
        web_message_clear(&said);
        if (after != WEB_RUNNING) {
            set_state(jobs, job, after);
            return;
        }
    }
    stop_worker(jobs, why, sizeof why);
    log_end(jobs, job, asked > 0 ? WEB_CANCELLED : WEB_FAILED, asked > 0 ? NULL : why);
}

static void *run_jobs(void *payload)
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
    drop_old(jobs);
    web_job *job = calloc(1, sizeof *job);
    if (!find_picture(jobs, picture)) {
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
        log_message(job, json_pack("{s:s}", "type", "cancelled"), NULL, 0, 1);
    } else if (job && job->state == WEB_RUNNING) {
        job->cancelled = 1;
        wake_runner(jobs);
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
    char *failed = ready_worker(jobs);
    if (!failed && pthread_create(&jobs->runner, NULL, run_jobs, jobs) != 0)
        failed = strdup("no thread can be started");
    jobs->started = !failed;
    return failed;
}

void web_jobs_stop(web_jobs *jobs)
{
    pthread_mutex_lock(&jobs->lock);
    jobs->ending = 1;
    wake_runner(jobs);
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
    if (jobs->started) pthread_join(jobs->runner, NULL);
    stop_worker(jobs, NULL, 0);
    for (size_t i = 0; i < jobs->job_count; i++) free_job(jobs->jobs[i]);
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
