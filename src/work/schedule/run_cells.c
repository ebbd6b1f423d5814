/* SPDX-License-Identifier: Apache-2.0 */
/* Hands cells to workers and stores their results. */
#include "base/memory.h"
#include "base/status.h"
#include "work/schedule/job_queue.h"
#include "work/schedule/map_files.h"
#include "work/schedule/run.h"
#include "work/store/heartbeat.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct cell_run {
    gig_job_queue queue;
    double *effort; /* [cells] */
    size_t *hand;   /* [workers]: pair of model and picture that it had last, + 1 */
    uint32_t *held; /* [models, pictures]: by how many workers */
} cell_run;

/* Whether the cell's sources exist: 1; will exist: 0; cannot exist: -1. */
static int sources_ready(const gig_schedule *schedule, const gig_schedule_cell *cell)
{
    int ready = 1;
    if (!gig_schedule_makes_map(schedule, cell)) return 1;
    for (size_t i = 0; i < cell->source_count; i++) {
        const gig_schedule_cell *source = &schedule->cells[schedule->sources[cell->source_first + i]];
        if (source->progress == GIG_SCHEDULE_BROKEN) return -1;
        if (!source->has_map) ready = 0;
    }
    return ready;
}

/* The cell has ended, successfully or not: its sources have one user fewer. */
static void end_cell(cell_run *m, gig_schedule_cell *cell, gig_schedule_progress progress, int used_sources)
{
    gig_schedule *schedule = m->queue.schedule;
    cell->progress = progress;
    gig_job_queue_end_job(&m->queue, (size_t)(cell - schedule->cells), progress == GIG_SCHEDULE_BROKEN);
    for (size_t i = 0; i < cell->source_count && used_sources; i++) {
        gig_schedule_cell *source = &schedule->cells[schedule->sources[cell->source_first + i]];
        if (source->users) source->users--;
        gig_schedule_release_map(schedule, source);
    }
}

static gig_status break_cell(cell_run *m, gig_schedule_cell *cell, const char *reason)
{
    int used = cell->progress == GIG_SCHEDULE_GIVEN ? cell->makes : gig_schedule_makes_map(m->queue.schedule, cell);
    end_cell(m, cell, GIG_SCHEDULE_BROKEN, used);
    return gig_store_fail_cell(m->queue.schedule->store, cell->id, reason);
}

static size_t pair_of(const gig_schedule *schedule, const gig_schedule_cell *cell)
{
    return cell->model * schedule->picture_count + cell->picture;
}

/* How suitable the worker is: 2 it has the current picture already, 1 no worker has it, 0 another one has it. */
static int suits(const cell_run *m, const gig_schedule_cell *cell, size_t worker)
{
    size_t pair = pair_of(m->queue.schedule, cell);
    return m->hand[worker] == pair + 1 ? 2 : m->held[pair] == 0;
}

static void hand_over(cell_run *m, const gig_schedule_cell *cell, size_t worker)
{
    size_t pair = pair_of(m->queue.schedule, cell);
    if (m->hand[worker]) m->held[m->hand[worker] - 1]--;
    m->hand[worker] = pair + 1;
    m->held[pair]++;
}

/* Of the first run with available cells: the first cell that suits the worker best. Cells whose sources failed are
 * marked as failed on the way. */
static gig_status find_ready(gig_schedule_cell **out, cell_run *m, size_t worker)
{
    gig_schedule *schedule = m->queue.schedule;
    int best = -1;
    *out = NULL;
    while (m->queue.next < schedule->cell_count && schedule->cells[m->queue.next].progress != GIG_SCHEDULE_WAITING)
        m->queue.next++;
    for (size_t i = m->queue.next; i < schedule->cell_count && best < 2; i++) {
        gig_schedule_cell *cell = &schedule->cells[i];
        if (*out && cell->run > (*out)->run) break;
        if (cell->progress != GIG_SCHEDULE_WAITING || suits(m, cell, worker) <= best) continue;
        int ready = sources_ready(schedule, cell);
        if (ready < 0) GIG_TRY(break_cell(m, cell, "a map it is made of could not be made"));
        if (ready <= 0) continue;
        best = suits(m, cell, worker);
        *out = cell;
    }
    if (*out) hand_over(m, *out, worker);
    return GIG_OK;
}

static gig_status next_cell(void *payload, size_t worker, char **line, size_t *number)
{
    cell_run *m = payload;
    gig_schedule_cell *cell;
    *line = NULL;
    GIG_TRY(find_ready(&cell, m, worker));
    if (!cell) return GIG_OK;
    cell->progress = GIG_SCHEDULE_GIVEN;
    cell->makes = gig_schedule_makes_map(m->queue.schedule, cell);
    cell->writes = cell->makes && (cell->users || m->queue.schedule->manifest->keep_maps);
    *number = (size_t)(cell - m->queue.schedule->cells);
    GIG_TRY(gig_store_begin_cell(m->queue.schedule->store, cell->id, 1));
    return gig_schedule_cell_job(line, m->queue.schedule, cell);
}

static gig_status keep_answer(cell_run *m, gig_schedule_cell *cell, const gig_job_answer *answer)
{
    gig_schedule *schedule = m->queue.schedule;
    /* If only closed paths were asked for, a cell is done without its map ever being computed. */
    int made = cell->state != GIG_CELL_DONE || cell->makes;
    char name[GIG_HASH_TEXT + sizeof ".npz"];
    gig_cell_result result = answer->result;
    snprintf(name, sizeof name, "%s.npz", cell->key);
    if (schedule->manifest->keep_maps) result.map = name;
    GIG_TRY(
        gig_store_finish_cell(schedule->store, cell->id, made ? &result : NULL, answer->scores, answer->score_count));
    cell->state = GIG_CELL_DONE;
    cell->metrics = 0;
    cell->has_map |= cell->writes;
    end_cell(m, cell, GIG_SCHEDULE_ENDED, cell->makes);
    gig_schedule_release_map(schedule, cell);
    return GIG_OK;
}

static gig_status take_cell(void *payload, size_t number, const char *line, const char *reason, int attempts)
{
    cell_run *m = payload;
    gig_schedule_cell *cell = &m->queue.schedule->cells[number];
    gig_job_answer answer;
    if (attempts > 1) GIG_TRY(gig_store_begin_cell(m->queue.schedule->store, cell->id, attempts - 1));
    if (!line) return break_cell(m, cell, reason);
    GIG_TRY(gig_job_answer_read(&answer, line));
    const char *message = answer.message ? answer.message : "";
    gig_status status = GIG_OK;
    if (answer.status == GIG_OK)
        status = keep_answer(m, cell, &answer);
    else if (answer.ends_study)
        status = gig_fail(answer.status, "%s", message);
    else
        status = break_cell(m, cell, message);
    answer.result.map = NULL;
    gig_job_answer_clear(&answer);
    return status;
}

/* Cells of pictures that could not be ranked: their class, or whether the filter accepts them, is not known. */
static gig_status break_unranked(cell_run *m)
{
    for (size_t i = 0; i < m->queue.schedule->cell_count; i++) {
        gig_schedule_cell *cell = &m->queue.schedule->cells[i];
        if (!cell->unranked || cell->progress != GIG_SCHEDULE_WAITING) continue;
        char reason[600];
        snprintf(reason, sizeof reason, "it could not be ranked: %s",
                 m->queue.schedule->unranked[pair_of(m->queue.schedule, cell)]);
        GIG_TRY(break_cell(m, cell, reason));
    }
    return GIG_OK;
}

static gig_status make_room(cell_run *m)
{
    const gig_schedule *schedule = m->queue.schedule;
    m->effort = gig_alloc_zero(schedule->cell_count, sizeof *m->effort);
    m->hand = gig_alloc_zero(gig_job_queue_workers(m->queue.options), sizeof *m->hand);
    m->held = gig_alloc_zero(schedule->manifest->models.count * schedule->picture_count, sizeof *m->held);
    m->queue.effort = m->effort;
    return m->effort && m->hand && m->held ? GIG_OK : gig_alloc_status();
}

/* Counts the work. Models are timed if there are several, because a gradient of one may take as long as ten of another,
 * and if there is so much work that the time of measuring does not matter. */
static gig_status weigh(cell_run *m)
{
    const double least = 200; /* gradients, of each worker, for each use of a model */
    gig_schedule *schedule = m->queue.schedule;
    gig_schedule_use *uses = NULL;
    size_t count;
    double gradients = 0;
    gig_status status = gig_schedule_uses(&uses, &count, schedule);
    for (size_t i = 0; i < schedule->cell_count; i++)
        if (schedule->cells[i].progress == GIG_SCHEDULE_WAITING)
            gradients += gig_schedule_weigh(schedule, &schedule->cells[i], NULL).gradients;
    int timed = count > 1 && gradients >= least * (double)(count * gig_job_queue_workers(m->queue.options));
    if (status == GIG_OK && timed) status = gig_schedule_run_timing(uses, count, schedule, m->queue.options, 0);
    for (size_t i = 0; i < schedule->cell_count && status == GIG_OK; i++) {
        const gig_schedule_cell *cell = &schedule->cells[i];
        if (cell->progress != GIG_SCHEDULE_WAITING) continue;
        const gig_schedule_use *use = timed ? gig_schedule_find_use(uses, count, cell) : NULL;
        m->queue.count++;
        if (!cell->unranked) m->effort[i] = gig_schedule_effort(schedule, cell, use ? &use->times : NULL);
        m->queue.work += m->effort[i];
    }
    gig_free(uses);
    return status;
}

gig_status gig_schedule_run_cells(gig_schedule *schedule, const gig_study_options *options)
{
    cell_run m = {
        .queue = {
            .schedule = schedule, .options = options, .name = gig_stage_making, .give = next_cell, .take = take_cell}};
    if (mkdir(schedule->maps, 0777) != 0 && errno != EEXIST)
        return gig_fail(GIG_EIO, "%s: cannot be made (%s)", schedule->maps, strerror(errno));
    GIG_TRY(gig_schedule_sweep_maps(schedule));
    gig_status status = make_room(&m);
    if (status == GIG_OK) status = weigh(&m);
    if (status == GIG_OK) status = break_unranked(&m);
    if (status == GIG_OK) status = gig_job_queue_run(&m.queue);
    if (status == GIG_OK) gig_job_queue_report(&m.queue);
    if (status == GIG_OK) status = gig_schedule_sweep_maps(schedule); /* files that killed workers have not finished */
    rmdir(schedule->maps);                                            /* if nothing is kept */
    gig_free(m.effort);
    gig_free(m.hand);
    gig_free(m.held);
    return status;
}
