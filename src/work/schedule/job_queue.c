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

size_t gig_stage_workers(const gig_study_options *options)
{
    size_t all = own_workers(options);
    for (size_t i = 1; options->peers && i < options->peers->count; i++) all += options->peers->workers[i];
    return all;
}

static gig_status give(void *payload, size_t worker, char **line, size_t *number)
{
    gig_stage *s = payload;
    GIG_TRY(s->give(s, worker, line, number));
    s->hands[worker] = (gig_stage_hand){*line != NULL, *line ? *number : 0, gig_seconds_now()};
    return GIG_OK;
}

gig_status gig_stage_work(gig_stage *s)
{
    const gig_crew_jobs jobs = {.next = give, .done = s->take, .stop = gig_stage_report, .payload = s};
    gig_crew_staff staff = {own_workers(s->options), s->options->worker, s->options->peers};
    if (!s->count) return GIG_OK;
    if (!s->options->worker) return gig_fail(GIG_EARG, "no command for workers is given");
    s->worker_count = gig_stage_workers(s->options);
    s->hands = gig_alloc_zero(s->worker_count, sizeof *s->hands);
    if (!s->hands) return gig_alloc_status();
    s->start = gig_seconds_now();
    if (staff.workers > s->count) staff.workers = s->count;
    gig_status status = gig_crew_run(&staff, &jobs);
    gig_free(s->hands);
    s->hands = NULL;
    s->worker_count = 0;
    return status;
}

/* ---- how far it is ---- */

static double effort_of(const gig_stage *s, size_t number)
{
    return s->effort ? s->effort[number] : 1;
}

/* What failed says nothing of the pace: most often it took no time. */
void gig_stage_end_job(gig_stage *s, size_t number, int failed)
{
    double effort = effort_of(s, number), now = gig_seconds_now();
    s->done += !failed;
    s->failed += failed != 0;
    if (failed)
        s->work -= effort;
    else
        s->worked += effort;
    for (size_t i = 0; i < s->worker_count; i++) {
        gig_stage_hand *hand = &s->hands[i];
        if (!hand->busy || hand->number != number) continue;
        if (!failed) s->busy += now - hand->since;
        hand->busy = 0;
    }
}

/* What is left, less what workers have done of their jobs, over all workers; but no less than the longest of these. */
double gig_stage_remaining(const gig_stage *s, double now)
{
    if (!(s->worked > 0)) return NAN;
    double pace = s->busy / s->worked, left = pace * (s->work - s->worked), longest = 0;
    size_t open = s->count - s->done - s->failed;
    for (size_t i = 0; i < s->worker_count; i++) {
        const gig_stage_hand *hand = &s->hands[i];
        if (!hand->busy) continue;
        double whole = pace * effort_of(s, hand->number), spent = fmin(whole, now - hand->since);
        left -= spent;
        longest = fmax(longest, whole - spent);
    }
    size_t workers = open < s->worker_count ? open : s->worker_count;
    return fmax(longest, workers ? left / (double)workers : 0);
}

int gig_stage_report(void *payload)
{
    gig_stage *s = payload;
    double now = gig_seconds_now();
    if (s->stopped) return 1;
    const gig_study_progress progress = {.cells = s->count,
                                         .done = s->done,
                                         .failed = s->failed,
                                         .seconds = now - s->start,
                                         .remaining = gig_stage_remaining(s, now),
                                         .stage = s->name};
    if (now - s->told >= GIG_NEWS_SECONDS) {
        gig_news_tell(s->plan->store, &progress);
        s->told = now;
    }
    if (s->options->progress) s->stopped = s->options->progress(s->options->payload, &progress) != 0;
    return s->stopped;
}
