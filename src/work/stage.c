#include "work/stage.h"
#include "base/clock.h"
#include "base/status.h"
#include "base/workers.h"
#include "work/crew.h"
#include "work/news.h"
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

gig_status gig_stage_work(gig_stage *s, gig_stage_next next, gig_stage_done done)
{
    const gig_crew_jobs jobs = {.next = next, .done = done, .stop = gig_stage_report, .payload = s};
    gig_crew_staff staff = {own_workers(s->options), s->options->worker, s->options->peers};
    if (!s->count) return GIG_OK;
    if (!s->options->worker) return gig_fail(GIG_EARG, "no command for workers is given");
    s->start = s->latest = gig_seconds_now();
    if (staff.workers > s->count) staff.workers = s->count;
    return gig_crew_run(&staff, &jobs);
}

/* ---- how far it is ---- */

void gig_stage_end_job(gig_stage *s, double effort, int failed)
{
    s->done += !failed;
    s->failed += failed != 0;
    s->worked += effort;
    s->latest = gig_seconds_now();
}

/* By the time of the last end, not by now: else a long job would seem to slow down all others. */
double gig_stage_remaining(const gig_stage *s, double now)
{
    if (!(s->worked > 0)) return NAN;
    double then = (s->latest - s->start) * (s->work - s->worked) / s->worked;
    return fmax(0, then - (now - s->latest));
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
