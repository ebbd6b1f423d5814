/* SPDX-License-Identifier: Apache-2.0 */
/* What the runs of a manifest want: which pictures, which maps of them, and what is left to do. */
#include "base/memory.h"
#include "base/rng.h"
#include "base/status.h"
#include "internal/tensor.h"
#include "work/schedule/schedule_cells.h"

/* Streams of random numbers of this file; others count from below. */
static const uint64_t order_stream = (uint64_t)0xb1 << 56;

/* Whether the run takes the picture of `like`, and for which class. A picture whose ranking failed is taken, so that
 * the failure shows. */
static gig_status judge(int *takes, gig_schedule_cell *like, gig_schedule *schedule, const gig_run *run, int assume)
{
    const gig_schedule_picture *picture = &schedule->pictures[like->picture];
    const gig_study_picture *subject = picture->subject;
    gig_ranking ranking;
    int found, bounded = run->least_area > 0 || run->most_area < 1;
    *takes = 1;
    like->target = subject->label;
    like->unranked = 0;
    if (run->part && gig_part_is_number(run->part)) like->target = 0;
    if (run->part && like->target < 0)
        return gig_fail(GIG_EFORMAT, "%s: expected a label, which says the class to explain in \"%s\"", subject->file,
                        run->part);
    if (!gig_schedule_needs_ranking(run, subject)) return GIG_OK;
    GIG_TRY(gig_store_get_ranking(&ranking, &found, schedule->store, schedule->models[like->model].id, picture->id));
    if (!found) {
        like->unranked = schedule->unranked[like->model * schedule->picture_count + like->picture] != NULL;
        *takes = assume || like->unranked;
        if (like->target < 0) like->target = 0;
        return GIG_OK;
    }
    if (like->target < 0) like->target = ranking.best;
    if (run->top && subject->label >= 0 && ranking.label_rank >= (int64_t)run->top) *takes = 0;
    if (subject->label >= 0 && ranking.label_probability < run->confidence) *takes = 0;
    if (bounded && !(ranking.box_area >= run->least_area && ranking.box_area <= run->most_area)) *takes = 0;
    return GIG_OK;
}

/* Pictures first..end-1 in the order the run takes them. */
static void order_pictures(size_t *order, size_t first, size_t end, const gig_run *run, int64_t seed)
{
    size_t count = end - first;
    for (size_t i = 0; i < count; i++) order[i] = first + i;
    for (size_t i = 0; i < count && run->random_order; i++) {
        gig_rng rng = {(uint64_t)seed, order_stream};
        size_t at = i + (size_t)(gig_rng_uniform(rng, i) * (double)(count - i)), kept = order[i];
        order[i] = order[at];
        order[at] = kept;
    }
}

static gig_status add_maps(gig_schedule *schedule, const gig_schedule_cell *like, const size_t *variants, size_t count)
{
    for (size_t v = 0; v < count; v++) {
        gig_schedule_cell cell = *like;
        size_t place;
        cell.variant = variants[v];
        GIG_TRY(gig_schedule_add_cell(&place, schedule, cell));
    }
    return GIG_OK;
}

/* A run that takes no picture would otherwise end silently. */
static void remark_on_filter(gig_schedule *schedule, size_t run, size_t model, size_t set)
{
    const gig_manifest *manifest = schedule->manifest;
    if (manifest->run_count > 1) gig_text_add(&schedule->remarks, "runs[%zu]: ", run);
    gig_text_add(&schedule->remarks, "none of the %zu pictures of set \"%s\" passes the filter for model \"%s\"\n",
                 schedule->sets[set].count, manifest->sets.all[set].name, manifest->models.all[model].name);
}

static gig_status add_pictures(gig_schedule *schedule, const gig_run *run, size_t set, gig_schedule_cell *like,
                               const size_t *variants, size_t count, int assume)
{
    size_t first = schedule->set_first[set], end = schedule->set_first[set + 1], taken = 0, added = 0;
    size_t *order = gig_alloc(end - first, sizeof *order);
    if (!order) return gig_alloc_status();
    gig_status status = GIG_OK;
    order_pictures(order, first, end, run, schedule->manifest->seed);
    for (size_t i = 0; i < end - first && status == GIG_OK && (!run->limit || taken < run->limit); i++) {
        int takes = 0;
        like->picture = order[i];
        status = judge(&takes, like, schedule, run, assume);
        if (status != GIG_OK || !takes) continue;
        taken += !like->unranked;
        added++;
        status = add_maps(schedule, like, variants, count);
    }
    if (!added) remark_on_filter(schedule, like->run, like->model, set);
    gig_free(order);
    return status;
}

/* Methods x baselines; a method without a baseline comes once. */
static gig_status list_variants(size_t **out, size_t *count, gig_schedule *schedule, const gig_run *run)
{
    gig_method defaults;
    gig_method_init(&defaults);
    *count = 0;
    *out = gig_alloc(run->methods.count * run->baselines.count, sizeof **out);
    if (!*out) return gig_alloc_status();
    for (size_t i = 0; i < run->option_names.count; i++) {
        gig_status status = gig_method_set(&defaults, run->option_names.all[i], run->option_values.all[i]);
        if (status != GIG_OK) return gig_fail_in(status, "options");
    }
    for (size_t m = 0; m < run->methods.count; m++)
        for (size_t b = 0; b < run->baselines.count; b++) {
            gig_variant variant;
            size_t place, k = 0;
            gig_status status = gig_variant_make(&variant, run->methods.all[m], &defaults, run->baselines.all[b]);
            if (status != GIG_OK)
                return gig_fail_in(GIG_EFORMAT, "method \"%s\", baseline \"%s\"", run->methods.all[m],
                                   run->baselines.all[b]);
            GIG_TRY(gig_schedule_find_variant(&place, schedule, &variant));
            while (k < *count && (*out)[k] != place) k++;
            if (k == *count) (*out)[(*count)++] = place;
        }
    return GIG_OK;
}

static gig_status plan_run(gig_schedule *schedule, size_t number, int assume)
{
    const gig_run *run = &schedule->manifest->runs[number];
    gig_schedule_cell like = {.run = number, .scalar = run->scalar, .part = run->part, .precision = run->precision};
    for (size_t i = 0; i < run->metric_count; i++) {
        uint64_t bit;
        GIG_TRY(gig_schedule_find_metric(&bit, schedule, &run->metrics[i]));
        like.metrics |= bit;
    }
    size_t *variants = NULL, count;
    gig_status status = list_variants(&variants, &count, schedule, run);
    for (size_t m = 0; m < run->models.count && status == GIG_OK; m++)
        for (size_t s = 0; s < run->sets.count && status == GIG_OK; s++) {
            like.model = run->models.all[m];
            status = add_pictures(schedule, run, run->sets.all[s], &like, variants, count, assume);
        }
    gig_free(variants);
    return status;
}

/* A map that is needed but cannot be read is computed again. */
static gig_status check_map(gig_schedule *schedule, gig_schedule_cell *cell)
{
    if (!cell->has_map || !(cell->metrics || cell->users)) return GIG_OK;
    gig_tensor map;
    char *path = gig_schedule_map_path(schedule, cell);
    if (!path) return gig_alloc_status();
    gig_status status = gig_npz_read(&map, path, "attributions");
    gig_free(path);
    if (status == GIG_ENOMEM) return status;
    if (status == GIG_OK) gig_tensor_clear(&map);
    cell->has_map = status == GIG_OK;
    return GIG_OK;
}

/* Users come after their sources, so one pass from the end finds all that is needed. */
static gig_status count_users(gig_schedule *schedule)
{
    for (size_t i = schedule->cell_count; i-- > 0;) {
        gig_schedule_cell *cell = &schedule->cells[i];
        if (cell->has_map)
            GIG_TRY(gig_schedule_report(schedule, "reading maps", schedule->cell_count - 1 - i, schedule->cell_count));
        GIG_TRY(check_map(schedule, cell));
        int works = gig_schedule_makes_map(schedule, cell);
        for (size_t s = 0; works && s < cell->source_count; s++)
            schedule->cells[schedule->sources[cell->source_first + s]].users++;
        cell->progress = gig_schedule_is_pending(schedule, cell) ? GIG_SCHEDULE_WAITING : GIG_SCHEDULE_ENDED;
    }
    return GIG_OK;
}

/* Maps that were planned for others alone, whose scores are all there: nobody will make them. */
static gig_status drop_idle_sources(gig_schedule *schedule)
{
    gig_status status = gig_store_begin(schedule->store);
    for (size_t i = 0; i < schedule->cell_count && status == GIG_OK; i++) {
        const gig_schedule_cell *cell = &schedule->cells[i];
        if (cell->progress == GIG_SCHEDULE_ENDED && cell->state != GIG_CELL_DONE)
            status = gig_store_unplan_cell(schedule->store, cell->id);
    }
    if (status == GIG_OK) status = gig_store_commit(schedule->store);
    if (status != GIG_OK) gig_store_undo(schedule->store);
    return status;
}

static void find_shared_paths(gig_schedule *schedule)
{
    for (size_t i = 0; i < schedule->variant_count; i++)
        for (size_t k = 0; k < schedule->variant_count; k++)
            if (i != k && gig_variant_same_path(&schedule->variants[i], &schedule->variants[k]))
                schedule->variants[i].shares_path = 1;
}

static gig_status keep_remarks(gig_schedule *schedule)
{
    char *text;
    GIG_TRY(gig_text_take(&text, &schedule->remarks));
    gig_status status = gig_store_set_fact(schedule->store, "remarks", text);
    gig_free(text);
    return status;
}

gig_status gig_schedule_cells(gig_schedule *schedule, int assume)
{
    gig_status status = gig_store_begin(schedule->store);
    if (status == GIG_OK) status = gig_store_clear_plan(schedule->store);
    for (size_t r = 0; r < schedule->manifest->run_count && status == GIG_OK; r++) {
        status = plan_run(schedule, r, assume);
        if (status != GIG_OK) gig_fail_in(status, "%s: runs[%zu]", schedule->manifest->path, r);
    }
    if (status == GIG_OK) status = keep_remarks(schedule);
    if (status == GIG_OK) status = gig_store_commit(schedule->store);
    if (status != GIG_OK) {
        gig_store_undo(schedule->store);
        return status;
    }
    find_shared_paths(schedule);
    GIG_TRY(count_users(schedule));
    return drop_idle_sources(schedule);
}
