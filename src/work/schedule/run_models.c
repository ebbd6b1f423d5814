/* SPDX-License-Identifier: Apache-2.0 */
/* Predictions of models for pictures, and how long models take. */
#include "base/memory.h"
#include "base/status.h"
#include "work/schedule/job_queue.h"
#include "work/schedule/run.h"
#include "work/store/heartbeat.h"

/* ---- rankings ---- */

typedef struct rankings {
    gig_job_queue queue;
    gig_schedule_pair *pairs;
} rankings;

static gig_status next_ranking(void *payload, size_t worker, char **line, size_t *number)
{
    rankings *r = payload;
    (void)worker;
    *line = NULL;
    if (r->queue.next == r->queue.count) return GIG_OK;
    *number = r->queue.next++;
    return gig_schedule_ranking_job(line, r->queue.schedule, &r->pairs[*number]);
}

static gig_status take_ranking(void *payload, size_t number, const char *line, const char *reason, int attempts)
{
    rankings *r = payload;
    const gig_schedule *schedule = r->queue.schedule;
    const gig_schedule_pair *pair = &r->pairs[number];
    gig_job_answer answer = {.status = GIG_EINTERNAL};
    gig_status status = GIG_OK;
    (void)attempts;
    if (line) GIG_TRY(gig_job_answer_read(&answer, line));
    if (answer.status == GIG_OK)
        status = gig_store_put_ranking(schedule->store, schedule->models[pair->model].id,
                                       schedule->pictures[pair->picture].id, &answer.ranking);
    else {
        char **why = &schedule->unranked[pair->model * schedule->picture_count + pair->picture];
        *why = gig_strdup(line ? answer.message ? answer.message : "" : reason);
        if (!*why) status = gig_alloc_status();
    }
    gig_job_queue_end_job(&r->queue, number, answer.status != GIG_OK);
    gig_job_answer_clear(&answer);
    return status;
}

gig_status gig_schedule_run_rankings(gig_schedule *schedule, const gig_study_options *options)
{
    rankings r = {.queue = {.schedule = schedule,
                            .options = options,
                            .name = gig_stage_ranking,
                            .give = next_ranking,
                            .take = take_ranking}};
    GIG_TRY(gig_schedule_rankings(&r.pairs, &r.queue.count, schedule));
    r.queue.work = (double)r.queue.count;
    gig_status status = gig_job_queue_run(&r.queue);
    gig_free(r.pairs);
    return status;
}

/* ---- timing ---- */

typedef struct timings {
    gig_job_queue queue;
    gig_schedule_use *uses;
    int strict; /* a model that cannot be run is an error */
} timings;

static gig_status next_timing(void *payload, size_t worker, char **line, size_t *number)
{
    timings *t = payload;
    (void)worker;
    *line = NULL;
    if (t->queue.next == t->queue.count) return GIG_OK;
    *number = t->queue.next++;
    return gig_schedule_timing_job(line, t->queue.schedule, &t->uses[*number]);
}

static gig_status take_timing(void *payload, size_t number, const char *line, const char *reason, int attempts)
{
    timings *t = payload;
    const char *model = t->queue.schedule->models[t->uses[number].model].file->file;
    gig_job_answer answer;
    (void)attempts;
    gig_job_queue_end_job(&t->queue, number, 0);
    if (!line) return t->strict ? gig_fail(GIG_EINTERNAL, "%s: %s", model, reason) : GIG_OK;
    GIG_TRY(gig_job_answer_read(&answer, line));
    gig_status status = t->strict ? answer.status : GIG_OK;
    if (answer.status == GIG_OK) t->uses[number].times = answer.times;
    if (status != GIG_OK) gig_set_message("%s", answer.message ? answer.message : model);
    gig_job_answer_clear(&answer);
    return status;
}

gig_status gig_schedule_run_timing(gig_schedule_use *uses, size_t count, gig_schedule *schedule,
                                   const gig_study_options *options, int strict)
{
    /* One at a time: workers side by side would slow each other down. */
    gig_study_options alone = *options;
    alone.workers = 1;
    alone.peers = NULL;
    timings t = {.queue = {.schedule = schedule,
                           .options = &alone,
                           .name = gig_stage_timing,
                           .give = next_timing,
                           .take = take_timing,
                           .count = count,
                           .work = (double)count},
                 .uses = uses,
                 .strict = strict};
    return gig_job_queue_run(&t.queue);
}
