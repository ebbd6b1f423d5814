/* SPDX-License-Identifier: Apache-2.0 */
#include "work/schedule/schedule_cells.h"
#include "base/memory.h"
#include "base/status.h"
#include <string.h>
#include <unistd.h>

/* ---- what runs share ---- */

gig_status gig_plan_find_variant(size_t *out, gig_plan *plan, const gig_variant *variant)
{
    for (*out = 0; *out < plan->variant_count; ++*out)
        if (!strcmp(plan->variants[*out].name, variant->name) &&
            !strcmp(plan->variants[*out].baseline, variant->baseline))
            return GIG_OK;
    void *all = plan->variants;
    gig_status status = gig_grow(&all, &plan->variant_capacity, plan->variant_count + 1, sizeof *plan->variants);
    plan->variants = all;
    if (status == GIG_OK) plan->variants[plan->variant_count++] = *variant;
    return status;
}

gig_status gig_plan_find_metric(uint64_t *bit, gig_plan *plan, const gig_metric *metric)
{
    enum { MOST = 64 };
    char name[GIG_METRIC_NAME_BYTES];
    gig_texts *names = &plan->metric_names;
    size_t i = 0;
    gig_metric_name(name, sizeof name, metric);
    while (i < names->count && strcmp(names->all[i], name)) i++;
    *bit = (uint64_t)1 << (i % MOST);
    if (i < names->count) return GIG_OK;
    if (i == MOST) return gig_fail(GIG_ELIMIT, "a study of more than %d different metrics", MOST);
    GIG_TRY(gig_texts_add(names, name));
    if (metric->kind == GIG_METRIC_CLOSED) plan->closed_metrics |= *bit;
    return GIG_OK;
}

/* ---- cells ---- */

static size_t slot_of(const gig_plan *plan, int64_t id)
{
    size_t slot = (size_t)((uint64_t)id * 0x9e3779b97f4a7c15u) & (plan->slot_count - 1);
    while (plan->slots[slot] && plan->cells[plan->slots[slot] - 1].id != id) slot = (slot + 1) & (plan->slot_count - 1);
    return slot;
}

gig_plan_cell *gig_plan_find(const gig_plan *plan, int64_t id)
{
    size_t place = plan->slot_count ? plan->slots[slot_of(plan, id)] : 0;
    return place ? &plan->cells[place - 1] : NULL;
}

/* Keeps the table at most half full. */
static gig_status grow_slots(gig_plan *plan)
{
    if (2 * (plan->cell_count + 1) <= plan->slot_count) return GIG_OK;
    size_t count = plan->slot_count ? 2 * plan->slot_count : 1024;
    size_t *slots = gig_alloc_zero(count, sizeof *slots);
    if (!slots) return gig_alloc_status();
    gig_free(plan->slots);
    plan->slots = slots;
    plan->slot_count = count;
    for (size_t i = 0; i < plan->cell_count; i++) plan->slots[slot_of(plan, plan->cells[i].id)] = i + 1;
    return GIG_OK;
}

static gig_status grow_cells(gig_plan *plan, size_t sources)
{
    void *cells = plan->cells, *all = plan->sources;
    gig_status status = gig_grow(&cells, &plan->cell_capacity, plan->cell_count + 1, sizeof *plan->cells);
    plan->cells = cells;
    if (status != GIG_OK) return status;
    status = gig_grow(&all, &plan->source_capacity, plan->source_count + sources, sizeof *plan->sources);
    plan->sources = all;
    return status == GIG_OK ? grow_slots(plan) : status;
}

/* Fills in what the store knows of the cell; its place in the plan where it was planned before. */
static gig_status know_cell(gig_plan_cell *cell, size_t *place, const gig_plan *plan)
{
    const gig_variant *variant = &plan->variants[cell->variant];
    const gig_cell about = {.model = plan->models[cell->model].hash,
                            .picture = plan->pictures[cell->picture].hash,
                            .target = cell->target,
                            .scalar = gig_scalar_name(cell->scalar),
                            .precision = gig_precision_name(cell->precision),
                            .method = variant->name,
                            .baseline = variant->baseline,
                            .seed = plan->manifest->seed};
    GIG_TRY(gig_cell_key(cell->key, &about));
    GIG_TRY(gig_store_plan_cell(&cell->id, &cell->state, plan->store, plan->models[cell->model].id,
                                plan->pictures[cell->picture].id, &about));
    *place = plan->slot_count ? plan->slots[slot_of(plan, cell->id)] : 0;
    return GIG_OK;
}

/* Plans what the cell is made of, which comes before it. */
static gig_status add_sources(size_t *sources, gig_plan *plan, const gig_plan_cell *cell, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        gig_variant variant;
        gig_plan_cell source = *cell;
        GIG_TRY(gig_variant_source(&variant, &plan->variants[cell->variant], i));
        GIG_TRY(gig_plan_find_variant(&source.variant, plan, &variant));
        source.metrics = 0;
        GIG_TRY(gig_plan_add_cell(&sources[i], plan, source));
    }
    return GIG_OK;
}

static gig_status place_cell(size_t *out, gig_plan *plan, gig_plan_cell *cell, size_t *sources, size_t count)
{
    GIG_TRY(add_sources(sources, plan, cell, count));
    GIG_TRY(grow_cells(plan, count));
    cell->source_first = plan->source_count;
    cell->source_count = count;
    if (count) memcpy(plan->sources + plan->source_count, sources, count * sizeof *sources);
    plan->source_count += count;
    char *path = gig_plan_map_path(plan, cell);
    if (!path) return gig_alloc_status();
    cell->has_map = cell->state == GIG_CELL_DONE && access(path, R_OK) == 0;
    gig_free(path);
    *out = plan->cell_count;
    plan->slots[slot_of(plan, cell->id)] = plan->cell_count + 1;
    plan->cells[plan->cell_count++] = *cell;
    return GIG_OK;
}

/* Metrics of the cell that the store has no score of. */
static gig_status drop_scored(uint64_t *metrics, gig_plan *plan, int64_t id)
{
    for (size_t i = 0; i < plan->metric_names.count; i++) {
        int has = 0;
        if (!(*metrics >> i & 1)) continue;
        GIG_TRY(gig_store_has_score(&has, plan->store, id, plan->metric_names.all[i]));
        if (has) *metrics &= ~((uint64_t)1 << i);
    }
    return GIG_OK;
}

/* A run wants it that needs no ranking: so it does what it is made of. */
static void need_no_ranking(gig_plan *plan, gig_plan_cell *cell)
{
    if (!cell->unranked) return;
    cell->unranked = 0;
    for (size_t i = 0; i < cell->source_count; i++)
        need_no_ranking(plan, &plan->cells[plan->sources[cell->source_first + i]]);
}

gig_status gig_plan_add_cell(size_t *out, gig_plan *plan, gig_plan_cell cell)
{
    size_t place;
    GIG_TRY(know_cell(&cell, &place, plan));
    GIG_TRY(drop_scored(&cell.metrics, plan, cell.id));
    if (place) {
        *out = place - 1;
        plan->cells[*out].metrics |= cell.metrics;
        if (!cell.unranked) need_no_ranking(plan, &plan->cells[*out]);
        return GIG_OK;
    }
    size_t count = gig_variant_sources(&plan->variants[cell.variant]);
    size_t *sources = gig_alloc(count, sizeof *sources);
    if (!sources) return gig_alloc_status();
    gig_status status = place_cell(out, plan, &cell, sources, count);
    gig_free(sources);
    return status;
}

/* ---- what is left to do ---- */

/* A cell without metrics is there only for those who use its map. */
int gig_plan_is_pending(const gig_plan *plan, const gig_plan_cell *cell)
{
    return cell->metrics || (!cell->has_map && (cell->users || plan->manifest->keep_maps));
}

int gig_plan_makes_map(const gig_plan *plan, const gig_plan_cell *cell)
{
    if (cell->has_map) return 0;
    return cell->users || plan->manifest->keep_maps || (cell->metrics & ~plan->closed_metrics);
}
