/* SPDX-License-Identifier: Apache-2.0 */
#include "work/schedule/schedule_cells.h"
#include "base/memory.h"
#include "base/status.h"
#include <string.h>
#include <unistd.h>

/* ---- what runs share ---- */

gig_status gig_schedule_find_variant(size_t *out, gig_schedule *schedule, const gig_variant *variant)
{
    for (*out = 0; *out < schedule->variant_count; ++*out)
        if (!strcmp(schedule->variants[*out].name, variant->name) &&
            !strcmp(schedule->variants[*out].baseline, variant->baseline))
            return GIG_OK;
    void *all = schedule->variants;
    gig_status status =
        gig_grow(&all, &schedule->variant_capacity, schedule->variant_count + 1, sizeof *schedule->variants);
    schedule->variants = all;
    if (status == GIG_OK) schedule->variants[schedule->variant_count++] = *variant;
    return status;
}

gig_status gig_schedule_find_metric(uint64_t *bit, gig_schedule *schedule, const gig_metric *metric)
{
    enum { MOST = 64 };
    char name[GIG_METRIC_NAME_BYTES];
    gig_texts *names = &schedule->metric_names;
    size_t i = 0;
    gig_metric_name(name, sizeof name, metric);
    while (i < names->count && strcmp(names->all[i], name)) i++;
    *bit = (uint64_t)1 << (i % MOST);
    if (i < names->count) return GIG_OK;
    if (i == MOST) return gig_fail(GIG_ELIMIT, "a study of more than %d different metrics", MOST);
    GIG_TRY(gig_texts_add(names, name));
    if (metric->row->needs & GIG_METRIC_NEEDS_PATH) schedule->closed_metrics |= *bit;
    return GIG_OK;
}

/* ---- cells ---- */

static size_t slot_of(const gig_schedule *schedule, int64_t id)
{
    size_t slot = (size_t)((uint64_t)id * 0x9e3779b97f4a7c15u) & (schedule->slot_count - 1);
    while (schedule->slots[slot] && schedule->cells[schedule->slots[slot] - 1].id != id)
        slot = (slot + 1) & (schedule->slot_count - 1);
    return slot;
}

gig_schedule_cell *gig_schedule_find(const gig_schedule *schedule, int64_t id)
{
    size_t place = schedule->slot_count ? schedule->slots[slot_of(schedule, id)] : 0;
    return place ? &schedule->cells[place - 1] : NULL;
}

/* Keeps the table at most half full. */
static gig_status grow_slots(gig_schedule *schedule)
{
    if (2 * (schedule->cell_count + 1) <= schedule->slot_count) return GIG_OK;
    size_t count = schedule->slot_count ? 2 * schedule->slot_count : 1024;
    size_t *slots = gig_alloc_zero(count, sizeof *slots);
    if (!slots) return gig_alloc_status();
    gig_free(schedule->slots);
    schedule->slots = slots;
    schedule->slot_count = count;
    for (size_t i = 0; i < schedule->cell_count; i++) schedule->slots[slot_of(schedule, schedule->cells[i].id)] = i + 1;
    return GIG_OK;
}

static gig_status grow_cells(gig_schedule *schedule, size_t sources)
{
    void *cells = schedule->cells, *all = schedule->sources;
    gig_status status = gig_grow(&cells, &schedule->cell_capacity, schedule->cell_count + 1, sizeof *schedule->cells);
    schedule->cells = cells;
    if (status != GIG_OK) return status;
    status = gig_grow(&all, &schedule->source_capacity, schedule->source_count + sources, sizeof *schedule->sources);
    schedule->sources = all;
    return status == GIG_OK ? grow_slots(schedule) : status;
}

/* Fills in what the store has of the cell; returns its index in the plan if it was planned before. */
static gig_status know_cell(gig_schedule_cell *cell, size_t *place, const gig_schedule *schedule)
{
    char explained[300];
    const gig_variant *variant = &schedule->variants[cell->variant];
    const gig_study_cell about = {.model = schedule->models[cell->model].hash,
                                  .picture = schedule->pictures[cell->picture].hash,
                                  .target = cell->target,
                                  .scalar = gig_part_name(explained, sizeof explained, cell->scalar, cell->part),
                                  .precision = gig_precision_name(cell->precision),
                                  .method = variant->name,
                                  .baseline = variant->baseline,
                                  .seed = schedule->manifest->seed};
    GIG_TRY(gig_study_cell_key(cell->key, &about));
    GIG_TRY(gig_store_plan_cell(&cell->id, &cell->state, schedule->store, schedule->models[cell->model].id,
                                schedule->pictures[cell->picture].id, &about));
    *place = schedule->slot_count ? schedule->slots[slot_of(schedule, cell->id)] : 0;
    return GIG_OK;
}

/* Plans the cell's sources, which come before it. */
static gig_status add_sources(size_t *sources, gig_schedule *schedule, const gig_schedule_cell *cell, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        gig_variant variant;
        gig_schedule_cell source = *cell;
        GIG_TRY(gig_variant_source(&variant, &schedule->variants[cell->variant], i));
        GIG_TRY(gig_schedule_find_variant(&source.variant, schedule, &variant));
        source.metrics = 0;
        GIG_TRY(gig_schedule_add_cell(&sources[i], schedule, source));
    }
    return GIG_OK;
}

static gig_status place_cell(size_t *out, gig_schedule *schedule, gig_schedule_cell *cell, size_t *sources,
                             size_t count)
{
    GIG_TRY(add_sources(sources, schedule, cell, count));
    GIG_TRY(grow_cells(schedule, count));
    cell->source_first = schedule->source_count;
    cell->source_count = count;
    if (count) memcpy(schedule->sources + schedule->source_count, sources, count * sizeof *sources);
    schedule->source_count += count;
    char *path = gig_schedule_map_path(schedule, cell);
    if (!path) return gig_alloc_status();
    cell->has_map = cell->state == GIG_CELL_DONE && access(path, R_OK) == 0;
    gig_free(path);
    *out = schedule->cell_count;
    schedule->slots[slot_of(schedule, cell->id)] = schedule->cell_count + 1;
    schedule->cells[schedule->cell_count++] = *cell;
    return GIG_OK;
}

/* Metrics of the cell that the store has no score of. */
static gig_status drop_scored(uint64_t *metrics, gig_schedule *schedule, int64_t id)
{
    for (size_t i = 0; i < schedule->metric_names.count; i++) {
        int has = 0;
        if (!(*metrics >> i & 1)) continue;
        GIG_TRY(gig_store_has_score(&has, schedule->store, id, schedule->metric_names.all[i]));
        if (has) *metrics &= ~((uint64_t)1 << i);
    }
    return GIG_OK;
}

/* A run that needs no ranking wants it, and therefore its sources too. */
static void need_no_ranking(gig_schedule *schedule, gig_schedule_cell *cell)
{
    if (!cell->unranked) return;
    cell->unranked = 0;
    for (size_t i = 0; i < cell->source_count; i++)
        need_no_ranking(schedule, &schedule->cells[schedule->sources[cell->source_first + i]]);
}

gig_status gig_schedule_add_cell(size_t *out, gig_schedule *schedule, gig_schedule_cell cell)
{
    size_t place;
    GIG_TRY(know_cell(&cell, &place, schedule));
    GIG_TRY(drop_scored(&cell.metrics, schedule, cell.id));
    if (place) {
        *out = place - 1;
        schedule->cells[*out].metrics |= cell.metrics;
        if (!cell.unranked) need_no_ranking(schedule, &schedule->cells[*out]);
        return GIG_OK;
    }
    size_t count = gig_variant_sources(&schedule->variants[cell.variant]);
    size_t *sources = gig_alloc(count, sizeof *sources);
    if (!sources) return gig_alloc_status();
    gig_status status = place_cell(out, schedule, &cell, sources, count);
    gig_free(sources);
    return status;
}

/* ---- what is left to do ---- */

/* A cell without metrics is only there for cells that use its map. */
int gig_schedule_is_pending(const gig_schedule *schedule, const gig_schedule_cell *cell)
{
    return cell->metrics || (!cell->has_map && (cell->users || schedule->manifest->keep_maps));
}

int gig_schedule_makes_map(const gig_schedule *schedule, const gig_schedule_cell *cell)
{
    if (cell->has_map) return 0;
    return cell->users || schedule->manifest->keep_maps || (cell->metrics & ~schedule->closed_metrics);
}
