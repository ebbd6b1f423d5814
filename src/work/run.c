#include "work/run.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/workers.h"
#include "saliency/explain.h"
#include "work/crew.h"
#include "work/job.h"
#include "work/maps.h"
#include "work/plan_jobs.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what all stages share ---- */

typedef struct stage {
    gig_plan *plan;
    const gig_study_options *options;
    const char *name;
    double start;
    size_t count, done, failed;
    double work, worked; /* estimated effort, of all and of what has ended */
    int stopped;
    size_t next;
    gig_plan_pair *pairs; /* rankings */
    gig_plan_use *uses;   /* timing */
    double *effort;       /* [cells] */
    size_t *hand;         /* [workers]: pair of model and picture that it had last, + 1 */
    uint32_t *held;       /* [models, pictures]: by how many workers */
} stage;

static int report(void *payload)
{
    stage *s = payload;
    if (!s->options->progress || s->stopped) return s->stopped;
    double seconds = gig_seconds_now() - s->start;
    gig_study_progress progress = {.cells = s->count,
                                   .done = s->done,
                                   .failed = s->failed,
                                   .seconds = seconds,
                                   .remaining = s->worked > 0 ? seconds * (s->work - s->worked) / s->worked : NAN,
                                   .stage = s->name};
    s->stopped = s->options->progress(s->options->payload, &progress) != 0;
    return s->stopped;
}

/* Processes of our own. */
static size_t own_workers(const gig_study_options *options)
{
    if (options->peers) return options->peers->workers[0];
    return options->workers ? options->workers : gig_workers_default();
}

static size_t all_workers(const gig_study_options *options)
{
    size_t all = own_workers(options);
    for (size_t i = 1; options->peers && i < options->peers->count; i++) all += options->peers->workers[i];
    return all;
}

static gig_status work(stage *s, gig_status (*next)(void *, size_t, char **, size_t *),
                       gig_status (*done)(void *, size_t, const char *, const char *, int))
{
    const gig_crew_jobs jobs = {.next = next, .done = done, .stop = report, .payload = s};
    gig_crew_staff staff = {own_workers(s->options), s->options->worker, s->options->peers};
    if (!s->count) return GIG_OK;
    if (!s->options->worker) return gig_fail(GIG_EARG, "no command for workers is given");
    s->start = gig_seconds_now();
    if (staff.workers > s->count) staff.workers = s->count;
    return gig_crew_run(&staff, &jobs);
}

/* ---- rankings ---- */

static gig_status next_ranking(void *payload, size_t worker, char **line, size_t *number)
{
    stage *s = payload;
    (void)worker;
    *line = NULL;
    if (s->next == s->count) return GIG_OK;
    *number = s->next++;
    return gig_plan_ranking_job(line, s->plan, &s->pairs[*number]);
}

static gig_status take_ranking(void *payload, size_t number, const char *line, const char *reason, int attempts)
{
    stage *s = payload;
    const gig_plan *plan = s->plan;
    const gig_plan_pair *pair = &s->pairs[number];
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
    s->failed += answer.status != GIG_OK;
    s->done += answer.status == GIG_OK;
    s->worked++;
    gig_study_answer_clear(&answer);
    return status;
}

gig_status gig_run_rankings(gig_plan *plan, const gig_study_options *options)
{
    stage s = {.plan = plan, .options = options, .name = "ranking pictures"};
    GIG_TRY(gig_plan_rankings(&s.pairs, &s.count, plan));
    s.work = (double)s.count;
    gig_status status = work(&s, next_ranking, take_ranking);
    gig_free(s.pairs);
    return status;
}

/* ---- timing ---- */

static gig_status next_timing(void *payload, size_t worker, char **line, size_t *number)
{
    stage *s = payload;
    (void)worker;
    *line = NULL;
    if (s->next == s->count) return GIG_OK;
    *number = s->next++;
    return gig_plan_timing_job(line, s->plan, &s->uses[*number]);
}

static gig_status take_timing(void *payload, size_t number, const char *line, const char *reason, int attempts)
{
    stage *s = payload;
    const char *model = s->plan->models[s->uses[number].model].file->file;
    gig_study_answer answer;
    (void)attempts;
    if (!line) return gig_fail(GIG_EINTERNAL, "%s: %s", model, reason);
    GIG_TRY(gig_study_answer_read(&answer, line));
    gig_status status = answer.status;
    s->uses[number].times = answer.times;
    if (status != GIG_OK) gig_set_message("%s", answer.message ? answer.message : model);
    gig_study_answer_clear(&answer);
    return status;
}

gig_status gig_run_timing(gig_plan_use *uses, size_t count, gig_plan *plan, const gig_study_options *options)
{
    /* One at a time: workers side by side would slow each other down. */
    gig_study_options alone = *options;
    alone.workers = 1;
    alone.peers = NULL;
    stage s = {.plan = plan, .options = &alone, .name = "timing models", .count = count, .uses = uses};
    return work(&s, next_timing, take_timing);
}

/* ---- cells ---- */

/* Whether what the cell is made of is there: 1; will be: 0; cannot be: -1. */
static int sources_ready(const gig_plan *plan, const gig_plan_cell *cell)
{
    int ready = 1;
    if (!gig_plan_makes_map(plan, cell)) return 1;
    for (size_t i = 0; i < cell->source_count; i++) {
        const gig_plan_cell *source = &plan->cells[plan->sources[cell->source_first + i]];
        if (source->progress == GIG_CELL_BROKEN) return -1;
        if (!source->has_map) ready = 0;
    }
    return ready;
}

/* The cell has ended, well or not: its sources have one user less. */
static void end_cell(stage *s, gig_plan_cell *cell, gig_plan_progress progress, int used_sources)
{
    gig_plan *plan = s->plan;
    cell->progress = progress;
    s->done += progress == GIG_CELL_ENDED;
    s->failed += progress == GIG_CELL_BROKEN;
    s->worked += s->effort[cell - plan->cells];
    for (size_t i = 0; i < cell->source_count && used_sources; i++) {
        gig_plan_cell *source = &plan->cells[plan->sources[cell->source_first + i]];
        if (source->users) source->users--;
        gig_maps_release(plan, source);
    }
}

static gig_status break_cell(stage *s, gig_plan_cell *cell, const char *reason)
{
    end_cell(s, cell, GIG_CELL_BROKEN, cell->progress == GIG_CELL_GIVEN ? cell->makes : 1);
    return gig_store_fail_cell(s->plan->store, cell->id, reason);
}

static size_t pair_of(const gig_plan *plan, const gig_plan_cell *cell)
{
    return cell->model * plan->picture_count + cell->picture;
}

/* How well the worker is suited: 2 it has the picture at hand already, 1 nobody has, 0 another has. */
static int suits(const stage *s, const gig_plan_cell *cell, size_t worker)
{
    size_t pair = pair_of(s->plan, cell);
    return s->hand[worker] == pair + 1 ? 2 : s->held[pair] == 0;
}

static void hand_over(stage *s, const gig_plan_cell *cell, size_t worker)
{
    size_t pair = pair_of(s->plan, cell);
    if (s->hand[worker]) s->held[s->hand[worker] - 1]--;
    s->hand[worker] = pair + 1;
    s->held[pair]++;
}

/* Of the first run that has any, the first of the cells that can be given out which suit the worker best. Cells whose
 * sources broke are broken on the way. */
static gig_status find_ready(gig_plan_cell **out, stage *s, size_t worker)
{
    gig_plan *plan = s->plan;
    int best = -1;
    *out = NULL;
    while (s->next < plan->cell_count && plan->cells[s->next].progress != GIG_CELL_WAITING) s->next++;
    for (size_t i = s->next; i < plan->cell_count && best < 2; i++) {
        gig_plan_cell *cell = &plan->cells[i];
        if (*out && cell->run > (*out)->run) break;
        if (cell->progress != GIG_CELL_WAITING || suits(s, cell, worker) <= best) continue;
        int ready = sources_ready(plan, cell);
        if (ready < 0) GIG_TRY(break_cell(s, cell, "a map it is made of could not be made"));
        if (ready <= 0) continue;
        best = suits(s, cell, worker);
        *out = cell;
    }
    if (*out) hand_over(s, *out, worker);
    return GIG_OK;
}

static gig_status next_cell(void *payload, size_t worker, char **line, size_t *number)
{
    stage *s = payload;
    gig_plan_cell *cell;
    *line = NULL;
    GIG_TRY(find_ready(&cell, s, worker));
    if (!cell) return GIG_OK;
    cell->progress = GIG_CELL_GIVEN;
    cell->makes = gig_plan_makes_map(s->plan, cell);
    cell->writes = cell->makes && (cell->users || s->plan->manifest->keep_maps);
    *number = (size_t)(cell - s->plan->cells);
    GIG_TRY(gig_store_begin_cell(s->plan->store, cell->id, 1));
    return gig_plan_cell_job(line, s->plan, cell);
}

static gig_status keep_answer(stage *s, gig_plan_cell *cell, gig_study_answer *answer)
{
    gig_plan *plan = s->plan;
    /* Closed paths alone leave a cell that is done and whose map was never made. */
    int made = cell->state != GIG_CELL_DONE || cell->makes;
    char name[GIG_HASH_TEXT + sizeof ".npz"];
    snprintf(name, sizeof name, "%s.npz", cell->key);
    if (plan->manifest->keep_maps) answer->result.map = name;
    GIG_TRY(gig_store_finish_cell(plan->store, cell->id, made ? &answer->result : NULL, answer->scores,
                                  answer->score_count));
    cell->state = GIG_CELL_DONE;
    cell->metrics = 0;
    cell->has_map |= cell->writes;
    end_cell(s, cell, GIG_CELL_ENDED, cell->makes);
    gig_maps_release(plan, cell);
    return GIG_OK;
}

static gig_status take_cell(void *payload, size_t number, const char *line, const char *reason, int attempts)
{
    stage *s = payload;
    gig_plan_cell *cell = &s->plan->cells[number];
    gig_study_answer answer;
    if (attempts > 1) GIG_TRY(gig_store_begin_cell(s->plan->store, cell->id, attempts - 1));
    if (!line) return break_cell(s, cell, reason);
    GIG_TRY(gig_study_answer_read(&answer, line));
    const char *message = answer.message ? answer.message : "";
    gig_status status = GIG_OK;
    if (answer.status == GIG_OK)
        status = keep_answer(s, cell, &answer);
    else if (answer.ends_study)
        status = gig_fail(answer.status, "%s", message);
    else
        status = break_cell(s, cell, message);
    answer.result.map = NULL;
    gig_study_answer_clear(&answer);
    return status;
}

/* Cells of pictures that could not be ranked: their class is not known, or whether the filter lets them through. */
static gig_status break_unranked(stage *s)
{
    for (size_t i = 0; i < s->plan->cell_count; i++) {
        gig_plan_cell *cell = &s->plan->cells[i];
        if (!cell->unranked || cell->progress != GIG_CELL_WAITING) continue;
        char reason[600];
        snprintf(reason, sizeof reason, "it could not be ranked: %s", s->plan->unranked[pair_of(s->plan, cell)]);
        GIG_TRY(break_cell(s, cell, reason));
    }
    return GIG_OK;
}

static gig_status make_room(stage *s)
{
    s->effort = gig_alloc_zero(s->plan->cell_count, sizeof *s->effort);
    s->hand = gig_alloc_zero(all_workers(s->options), sizeof *s->hand);
    s->held = gig_alloc_zero(s->plan->manifest->models.count * s->plan->picture_count, sizeof *s->held);
    return s->effort && s->hand && s->held ? GIG_OK : gig_alloc_status();
}

gig_status gig_run_cells(gig_plan *plan, const gig_study_options *options)
{
    stage s = {.plan = plan, .options = options, .name = "making maps"};
    if (mkdir(plan->maps, 0777) != 0 && errno != EEXIST)
        return gig_fail(GIG_EIO, "%s: cannot be made (%s)", plan->maps, strerror(errno));
    GIG_TRY(gig_maps_sweep(plan));
    gig_status status = make_room(&s);
    for (size_t i = 0; i < plan->cell_count && status == GIG_OK; i++)
        if (plan->cells[i].progress == GIG_CELL_WAITING) {
            s.count++;
            s.effort[i] = gig_plan_effort(plan, &plan->cells[i]);
            s.work += s.effort[i];
        }
    if (status == GIG_OK) status = break_unranked(&s);
    if (status == GIG_OK) status = work(&s, next_cell, take_cell);
    report(&s);
    rmdir(plan->maps); /* where nothing is kept */
    gig_free(s.effort);
    gig_free(s.hand);
    gig_free(s.held);
    return status;
}
