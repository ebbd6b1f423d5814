/* SPDX-License-Identifier: Apache-2.0 */
#include "work/schedule/job_queue.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/workers.h"
#include "work/pool/pool.h"
#include "work/store/heartbeat.h"
#include <math.h>

/* ---- workers ---- */

static size_t own_workers(const gig_study_options *options)
{
    if (options->peers) return options->peers->workers[0];
    return options->workers ? options->workers : gig_workers_default();
}

size_t gig_job_queue_workers(const gig_study_options *options)
{
    size_t all = own_workers(options);
    for (size_t i = 1; options->peers && i < options->peers->count; i++) all += options->peers->workers[i];
    return all;
}

static gig_status give(void *payload, size_t worker, char **line, size_t *number)
{
    gig_job_queue *s = payload;
    GIG_TRY(s->give(s, worker, line, number));
    s->running[worker] = (gig_running_job){*line != NULL, *line ? *number : 0, gig_seconds_now()};
    return GIG_OK;
}

gig_status gig_job_queue_run(gig_job_queue *s)
{
    const gig_pool_jobs jobs = {.next = give, .done = s->take, .stop = gig_job_queue_report, .payload = s};
    gig_pool_members members = {own_workers(s->options), s->options->worker, s->options->peers};
    if (!s->count) return GIG_OK;
    if (!s->options->worker) return gig_fail(GIG_EARG, "no worker command was given");
    s->worker_count = gig_job_queue_workers(s->options);
    s->running = gig_alloc_zero(s->worker_count, sizeof *s->running);
    if (!s->running) return gig_alloc_status();
    s->start = gig_seconds_now();
    if (members.workers > s->count) members.workers = s->count;
    gig_status status = gig_pool_run(&members, &jobs);
    gig_free(s->running);
    s->running = NULL;
    s->worker_count = 0;
    return status;
}

/* ---- how far it is ---- */

static double effort_of(const gig_job_queue *s, size_t number)
{
    return s->effort ? s->effort[number] : 1;
}

/* Failed jobs do not count for the pace: most of them took no time. */
void gig_job_queue_end_job(gig_job_queue *s, size_t number, int failed)
{
    double effort = effort_of(s, number), now = gig_seconds_now();
    s->done += !failed;
    s->failed += failed != 0;
    if (failed)
        s->work -= effort;
    else
        s->worked += effort;
    for (size_t i = 0; i < s->worker_count; i++) {
        gig_running_job *hand = &s->running[i];
        if (!hand->busy || hand->number != number) continue;
        if (!failed) s->busy += now - hand->since;
        hand->busy = 0;
    }
}

/* The remaining work, minus what workers have done of their current jobs, divided by the number of workers; at least
 * the longest current job. */
double gig_job_queue_remaining(const gig_job_queue *s, double now)
{
    if (!(s->worked > 0)) return NAN;
    double pace = s->busy / s->worked, left = pace * (s->work - s->worked), longest = 0;
    size_t open = s->count - s->done - s->failed;
    for (size_t i = 0; i < s->worker_count; i++) {
        const gig_running_job *hand = &s->running[i];
        if (!hand->busy) continue;
        double whole = pace * effort_of(s, hand->number), spent = fmin(whole, now - hand->since);
        left -= spent;
        longest = fmax(longest, whole - spent);
    }
    size_t workers = open < s->worker_count ? open : s->worker_count;
    return fmax(longest, workers ? left / (double)workers : 0);
}

int gig_job_queue_report(void *payload)
{
    gig_job_queue *s = payload;
    double now = gig_seconds_now();
    if (s->stopped) return 1;
    const gig_study_progress progress = {.cells = s->count,
                                         .done = s->done,
                                         .failed = s->failed,
                                         .seconds = now - s->start,
                                         .remaining = gig_job_queue_remaining(s, now),
                                         .stage = s->name};
    if (now - s->told >= GIG_HEARTBEAT_SECONDS) {
        gig_heartbeat_write(s->schedule->store, &progress);
        s->told = now;
    }
    if (s->options->progress) s->stopped = s->options->progress(s->options->payload, &progress) != 0;
    return s->stopped;
}
