/* The cells of a plan: which pictures a run takes, which maps it wants of them, and what those are made of. */
#include "base/memory.h"
#include "base/rng.h"
#include "base/status.h"
#include "saliency/method.h"
#include "work/plan.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

/* Streams of random numbers of this file; others count from below. */
static const uint64_t order_stream = (uint64_t)0xb1 << 56;

/* ---- what runs share ---- */

static gig_status find_variant(size_t *out, gig_plan *plan, const gig_variant *variant)
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

static gig_status find_metric(uint64_t *bit, gig_plan *plan, const gig_metric *metric)
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
    if (!names->all && !(names->all = gig_alloc_zero(MOST, sizeof *names->all))) return gig_alloc_status();
    names->all[i] = gig_strdup(name);
    if (!names->all[i]) return gig_alloc_status();
    names->count++;
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

static gig_status add_cell(size_t *out, gig_plan *plan, gig_plan_cell cell);

/* Plans what the cell is made of, which comes before it. */
static gig_status add_sources(size_t *sources, gig_plan *plan, const gig_plan_cell *cell, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        gig_variant variant;
        gig_plan_cell source = *cell;
        GIG_TRY(gig_variant_source(&variant, &plan->variants[cell->variant], i));
        GIG_TRY(find_variant(&source.variant, plan, &variant));
        source.metrics = 0;
        GIG_TRY(add_cell(&sources[i], plan, source));
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

static gig_status add_cell(size_t *out, gig_plan *plan, gig_plan_cell cell)
{
    size_t place;
    GIG_TRY(know_cell(&cell, &place, plan));
    GIG_TRY(drop_scored(&cell.metrics, plan, cell.id));
    if (place) {
        *out = place - 1;
        plan->cells[*out].metrics |= cell.metrics;
        return GIG_OK;
    }
    size_t count = gig_variant_sources(&plan->variants[cell.variant]);
    size_t *sources = gig_alloc(count, sizeof *sources);
    if (!sources) return gig_alloc_status();
    gig_status status = place_cell(out, plan, &cell, sources, count);
    gig_free(sources);
    return status;
}

/* ---- runs ---- */

/* Whether the run takes the picture, and for which class. */
static gig_status judge(int *takes, int64_t *target, gig_plan *plan, const gig_run *run, size_t model, size_t picture,
                        int assume)
{
    const gig_subject *subject = plan->pictures[picture].subject;
    gig_ranking ranking;
    int found, bounded = run->least_area > 0 || run->most_area < 1;
    *takes = 1;
    *target = subject->label;
    if (!run->top && !(run->confidence > 0) && !bounded && subject->label >= 0) return GIG_OK;
    GIG_TRY(gig_store_get_ranking(&ranking, &found, plan->store, plan->models[model].id, plan->pictures[picture].id));
    if (!found) {
        *takes = assume || plan->unranked[model * plan->picture_count + picture];
        if (*target < 0) *target = 0;
        return GIG_OK;
    }
    if (*target < 0) *target = ranking.best;
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

static gig_status add_maps(gig_plan *plan, const gig_plan_cell *like, const size_t *variants, size_t count)
{
    for (size_t v = 0; v < count; v++) {
        gig_plan_cell cell = *like;
        size_t place;
        cell.variant = variants[v];
        GIG_TRY(add_cell(&place, plan, cell));
    }
    return GIG_OK;
}

static gig_status add_pictures(gig_plan *plan, const gig_run *run, size_t set, gig_plan_cell *like,
                               const size_t *variants, size_t count, int assume)
{
    size_t first = plan->set_first[set], end = plan->set_first[set + 1], taken = 0;
    size_t *order = gig_alloc(end - first, sizeof *order);
    if (!order) return gig_alloc_status();
    gig_status status = GIG_OK;
    order_pictures(order, first, end, run, plan->manifest->seed);
    for (size_t i = 0; i < end - first && status == GIG_OK && (!run->limit || taken < run->limit); i++) {
        int takes = 0;
        like->picture = order[i];
        status = judge(&takes, &like->target, plan, run, like->model, order[i], assume);
        if (status != GIG_OK || !takes) continue;
        taken += !plan->unranked[like->model * plan->picture_count + order[i]];
        status = add_maps(plan, like, variants, count);
    }
    gig_free(order);
    return status;
}

/* Methods x baselines; a method without a baseline comes once. */
static gig_status list_variants(size_t **out, size_t *count, gig_plan *plan, const gig_run *run)
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
            GIG_TRY(find_variant(&place, plan, &variant));
            while (k < *count && (*out)[k] != place) k++;
            if (k == *count) (*out)[(*count)++] = place;
        }
    return GIG_OK;
}

static gig_status plan_run(gig_plan *plan, size_t number, int assume)
{
    const gig_run *run = &plan->manifest->runs[number];
    gig_plan_cell like = {.run = number, .scalar = run->scalar, .precision = run->precision};
    for (size_t i = 0; i < run->metric_count; i++) {
        uint64_t bit;
        GIG_TRY(find_metric(&bit, plan, &run->metrics[i]));
        like.metrics |= bit;
    }
    size_t *variants = NULL, count;
    gig_status status = list_variants(&variants, &count, plan, run);
    for (size_t m = 0; m < run->models.count && status == GIG_OK; m++)
        for (size_t s = 0; s < run->sets.count && status == GIG_OK; s++) {
            like.model = run->models.all[m];
            status = add_pictures(plan, run, run->sets.all[s], &like, variants, count, assume);
        }
    gig_free(variants);
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

double gig_plan_closed_evaluations(const gig_plan *plan, const gig_plan_cell *cell, size_t index)
{
    const gig_variant *variant = &plan->variants[cell->variant];
    gig_variant_side side;
    gig_metric metric;
    if (gig_metric_parse(&metric, plan->metric_names.all[index]) != GIG_OK || metric.kind != GIG_METRIC_CLOSED ||
        !gig_variant_make_side(&side, variant, 0))
        return 0;
    size_t baselines = gig_method_baselines(&variant->method);
    return 3.0 * (double)metric.paths * (double)(gig_method_evaluations(&variant->method) / baselines);
}

/* Users come after what they use, so one pass from the end settles who is needed. */
static void count_users(gig_plan *plan)
{
    for (size_t i = plan->cell_count; i-- > 0;) {
        gig_plan_cell *cell = &plan->cells[i];
        int works = gig_plan_makes_map(plan, cell);
        for (size_t s = 0; works && s < cell->source_count; s++)
            plan->cells[plan->sources[cell->source_first + s]].users++;
        cell->progress = gig_plan_is_pending(plan, cell) ? GIG_CELL_WAITING : GIG_CELL_ENDED;
    }
}

static void find_shared_paths(gig_plan *plan)
{
    for (size_t i = 0; i < plan->variant_count; i++)
        for (size_t k = 0; k < plan->variant_count; k++)
            if (i != k && gig_variant_same_path(&plan->variants[i], &plan->variants[k]))
                plan->variants[i].shares_path = 1;
}

gig_status gig_plan_cells(gig_plan *plan, int assume)
{
    gig_status status = gig_store_begin(plan->store);
    if (status == GIG_OK) status = gig_store_clear_plan(plan->store);
    for (size_t r = 0; r < plan->manifest->run_count && status == GIG_OK; r++) {
        status = plan_run(plan, r, assume);
        if (status != GIG_OK) gig_fail_in(status, "%s: runs[%zu]", plan->manifest->path, r);
    }
    if (status == GIG_OK) status = gig_store_commit(plan->store);
    if (status != GIG_OK)
        gig_store_undo(plan->store);
    else {
        count_users(plan);
        find_shared_paths(plan);
    }
    return status;
}
