/* SPDX-License-Identifier: Apache-2.0 */
/* What models say of pictures, and how long they take. */
#include "base/memory.h"
#include "base/status.h"
#include "work/schedule/job_queue.h"
#include "work/schedule/run.h"
#include "work/store/heartbeat.h"

/* ---- rankings ---- */

typedef struct rankings {
    gig_stage stage;
    gig_plan_pair *pairs;
} rankings;

static gig_status next_ranking(void *payload, size_t worker, char **line, size_t *number)
{
    rankings *r = payload;
    (void)worker;
    *line = NULL;
    if (r->stage.next == r->stage.count) return GIG_OK;
    *number = r->stage.next++;
    return gig_plan_ranking_job(line, r->stage.plan, &r->pairs[*number]);
}

static gig_status take_ranking(void *payload, size_t number, const char *line, const char *reason, int attempts)
{
    rankings *r = payload;
    const gig_plan *plan = r->stage.plan;
    const gig_plan_pair *pair = &r->pairs[number];
    gig_study_answer answer = {.status = GIG_EINTERNAL};
    gig_status status = GIG_OK;
    (void)attempts;
    if (line) GIG_TRY(gig_study_answer_read(&answer, line));
    if (answer.status == GIG_OK)
        status = gig_store_put_ranking(plan->store, plan->models[pair->model].id, plan->pictures[pair->picture].id,
                                       &answer.ranking);
    else {
        char **why = &plan->unranked[pair->model * plan->picture_count + pair->picture];
        *why = gig_strdup(line ? answer.message ? answer.message : "" : reason);
        if (!*why) status = gig_alloc_status();
    }
    gig_stage_end_job(&r->stage, number, answer.status != GIG_OK);
    gig_study_answer_clear(&answer);
    return status;
}

gig_status gig_run_rankings(gig_plan *plan, const gig_study_options *options)
{
    rankings r = {
        .stage = {
            .plan = plan, .options = options, .name = gig_stage_ranking, .give = next_ranking, .take = take_ranking}};
    GIG_TRY(gig_plan_rankings(&r.pairs, &r.stage.count, plan));
    r.stage.work = (double)r.stage.count;
    gig_status status = gig_stage_work(&r.stage);
    gig_free(r.pairs);
    return status;
}

/* ---- timing ---- */

typedef struct timings {
    gig_stage stage;
    gig_plan_use *uses;
    int strict; /* a model that cannot be run is an error */
} timings;

static gig_status next_timing(void *payload, size_t worker, char **line, size_t *number)
{
    timings *t = payload;
    (void)worker;
    *line = NULL;
    if (t->stage.next == t->stage.count) return GIG_OK;
    *number = t->stage.next++;
    return gig_plan_timing_job(line, t->stage.plan, &t->uses[*number]);
}

static gig_status take_timing(void *payload, size_t number, const char *line, const char *reason, int attempts)
{
    timings *t = payload;
    const char *model = t->stage.plan->models[t->uses[number].model].file->file;
    gig_study_answer answer;
    (void)attempts;
    gig_stage_end_job(&t->stage, number, 0);
    if (!line) return t->strict ? gig_fail(GIG_EINTERNAL, "%s: %s", model, reason) : GIG_OK;
    GIG_TRY(gig_study_answer_read(&answer, line));
    gig_status status = t->strict ? answer.status : GIG_OK;
    if (answer.status == GIG_OK) t->uses[number].times = answer.times;
    if (status != GIG_OK) gig_set_message("%s", answer.message ? answer.message : model);
    gig_study_answer_clear(&answer);
    return status;
}

gig_status gig_run_timing(gig_plan_use *uses, size_t count, gig_plan *plan, const gig_study_options *options,
                          int strict)
{
    /* One at a time: workers side by side would slow each other down. */
    gig_study_options alone = *options;
    alone.workers = 1;
    alone.peers = NULL;
    timings t = {.stage = {.plan = plan,
                           .options = &alone,
                           .name = gig_stage_timing,
                           .give = next_timing,
                           .take = take_timing,
                           .count = count,
                           .work = (double)count},
                 .uses = uses,
                 .strict = strict};
    return gig_stage_work(&t.stage);
}
