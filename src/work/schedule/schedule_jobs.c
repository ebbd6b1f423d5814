/* SPDX-License-Identifier: Apache-2.0 */
#include "work/schedule/schedule_jobs.h"
#include "base/memory.h"
#include "base/status.h"
#include "internal/saliency.h"
#include "saliency/method.h"
#include <math.h>
#include <string.h>

/* ---- jobs; each borrows what it points to ---- */

static gig_study_job about_model(const gig_schedule *schedule, gig_job_kind kind, size_t model)
{
    return (gig_study_job){.kind = kind,
                           .model = schedule->models[model].file->file,
                           .portable = schedule->manifest->portable,
                           .seed = schedule->manifest->seed};
}

static gig_study_job about_picture(const gig_schedule *schedule, gig_job_kind kind, size_t model, size_t picture)
{
    gig_study_job job = about_model(schedule, kind, model);
    job.subject = *schedule->pictures[picture].subject;
    job.picture = schedule->pictures[picture].number;
    return job;
}

gig_status gig_schedule_ranking_job(char **line, const gig_schedule *schedule, const gig_schedule_pair *pair)
{
    const gig_study_job job = about_picture(schedule, GIG_JOB_RANK, pair->model, pair->picture);
    return gig_study_job_write(line, &job);
}

gig_status gig_schedule_timing_job(char **line, const gig_schedule *schedule, const gig_schedule_use *use)
{
    gig_study_job job = about_model(schedule, GIG_JOB_TIME, use->model);
    job.scalar = use->scalar;
    job.part = use->part;
    job.precision = use->precision;
    return gig_study_job_write(line, &job);
}

/* The texts of the metrics still wanted; borrowed. */
static void list_metrics(gig_texts *out, char *names[64], const gig_schedule *schedule, uint64_t bits)
{
    *out = (gig_texts){0, names};
    for (size_t i = 0; i < schedule->metric_names.count; i++)
        if (bits >> i & 1) names[out->count++] = schedule->metric_names.all[i];
}

static int is_of_draws(const gig_metric *metric)
{
    return (metric->row->traits & GIG_METRIC_OF_DRAWS) != 0;
}

/* Whether several metrics compute maps of their own: those of moved inputs are the same for each kind of stability.
 * Metrics of draws share their maps already, but where regions are ranked, draws of the base have walked as they do. */
static int maps_repeat(const gig_texts *metrics, const gig_variant *variant)
{
    size_t count = 0, of_draws = 0;
    for (size_t i = 0; i < metrics->count; i++) {
        gig_metric metric;
        if (gig_metric_parse(&metric, metrics->all[i]) != GIG_OK) continue;
        if (is_of_draws(&metric))
            of_draws = 1;
        else
            count += (metric.row->needs & GIG_METRIC_NEEDS_EXPLAINER) != 0;
    }
    return count + of_draws > 1 || (of_draws && variant->method.xrai);
}

/* An existing map is read, with its result; else its sources are, if it has any. */
static gig_status list_sources(gig_study_job *job, const gig_schedule *schedule, const gig_schedule_cell *cell)
{
    size_t count = cell->has_map ? 1 : cell->makes ? cell->source_count : 0;
    job->sources = gig_alloc_zero(count, sizeof *job->sources);
    if (!job->sources) return gig_alloc_status();
    for (size_t i = 0; i < count; i++) {
        const gig_schedule_cell *from =
            cell->has_map ? cell : &schedule->cells[schedule->sources[cell->source_first + i]];
        gig_job_source *source = &job->sources[job->source_count++];
        source->file = gig_schedule_map_path(schedule, from);
        if (!source->file) return gig_alloc_status();
        GIG_TRY(gig_store_get_result(&source->result, schedule->store, from->id));
    }
    return GIG_OK;
}

/* Up to 64 other pictures of the set, from the next one on. */
static void list_others(gig_texts *out, char *names[64], const gig_schedule *schedule, const gig_schedule_cell *cell)
{
    size_t set = schedule->pictures[cell->picture].set, first = schedule->set_first[set];
    size_t count = schedule->set_first[set + 1] - first;
    *out = (gig_texts){0, names};
    if (!(cell->metrics & schedule->closed_metrics)) return;
    for (size_t i = 1; i < count && out->count < 64; i++)
        names[out->count++] = schedule->pictures[first + (cell->picture - first + i) % count].subject->file;
}

gig_status gig_schedule_cell_job(char **line, const gig_schedule *schedule, const gig_schedule_cell *cell)
{
    char *names[64], *others[64];
    gig_variant *variant = &schedule->variants[cell->variant];
    gig_study_job job = about_picture(schedule, GIG_JOB_MAP, cell->model, cell->picture);
    job.precision = cell->precision;
    job.scalar = cell->scalar;
    job.part = cell->part;
    job.target = cell->target;
    job.method = variant->name;
    job.baseline = variant->baseline;
    list_metrics(&job.metrics, names, schedule, cell->metrics);
    job.remember = variant->shares_path || maps_repeat(&job.metrics, variant);
    for (size_t i = 0; i < schedule->manifest->baseline_count; i++)
        if (!strcmp(schedule->manifest->baselines[i].name, variant->baseline))
            job.baselines = schedule->manifest->baselines[i].files;
    list_others(&job.others, others, schedule, cell);
    char *path = gig_schedule_map_path(schedule, cell);
    gig_status status = path ? list_sources(&job, schedule, cell) : gig_alloc_status();
    if (cell->has_map) job.read = path;
    if (cell->writes) job.write = path;
    if (status == GIG_OK) status = gig_study_job_write(line, &job);
    for (size_t i = 0; i < job.source_count; i++) gig_free(job.sources[i].file);
    gig_free(job.sources);
    gig_free(path);
    return status;
}

/* ---- cost ---- */

static int same_part(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

const gig_schedule_use *gig_schedule_find_use(const gig_schedule_use *uses, size_t count, const gig_schedule_cell *cell)
{
    for (size_t i = 0; i < count; i++)
        if (uses[i].model == cell->model && uses[i].scalar == cell->scalar && uses[i].precision == cell->precision &&
            same_part(uses[i].part, cell->part))
            return &uses[i];
    return NULL;
}

gig_status gig_schedule_uses(gig_schedule_use **out, size_t *count, const gig_schedule *schedule)
{
    size_t capacity = 0;
    void *all = NULL;
    gig_status status = GIG_OK;
    *count = 0;
    for (size_t i = 0; i < schedule->cell_count && status == GIG_OK; i++) {
        const gig_schedule_cell *cell = &schedule->cells[i];
        if (cell->progress != GIG_SCHEDULE_WAITING || gig_schedule_find_use(all, *count, cell)) continue;
        status = gig_grow(&all, &capacity, *count + 1, sizeof(gig_schedule_use));
        if (status == GIG_OK)
            ((gig_schedule_use *)all)[(*count)++] =
                (gig_schedule_use){cell->model, cell->scalar, cell->part, cell->precision, {NAN, NAN, 0, 0}};
    }
    *out = all;
    return status;
}

/* Of the map, from the model, of any picture. */
static gig_schedule_load weigh_map(const gig_variant *variant, const gig_study_times *size)
{
    gig_schedule_load load = {(double)gig_method_evaluations(&variant->method), 0};
    if (!size) return load;
    const gig_picture_shape shape = {.height = size->height, .width = size->width, .channels = 3};
    load.values = (double)gig_method_values(&variant->method, &shape);
    return load;
}

static gig_schedule_load weigh_score(const gig_metric *metric, const gig_variant *variant, const gig_study_times *size)
{
    gig_variant_side side;
    gig_schedule_load map = weigh_map(variant, size);
    const gig_metric_cost whole = {map.gradients, map.values},
                          chain = {map.gradients / (double)gig_method_baselines(&variant->method), 0};
    int per_pixel = gig_method_per_pixel(&variant->method);
    if (!metric->row->cost || (metric->row->needs & GIG_METRIC_NEEDS_FEATURES && per_pixel) ||
        (metric->row->needs & GIG_METRIC_NEEDS_PATH && !gig_variant_make_side(&side, variant, 0)) ||
        (is_of_draws(metric) && gig_variant_no_draws(variant)))
        return (gig_schedule_load){0};
    gig_metric_cost cost = metric->row->cost(metric, &whole, &chain);
    return (gig_schedule_load){cost.gradients, cost.values};
}

gig_schedule_load gig_schedule_weigh(const gig_schedule *schedule, const gig_schedule_cell *cell,
                                     const gig_study_times *size)
{
    const gig_variant *variant = &schedule->variants[cell->variant];
    gig_schedule_load load = {0}, draws = {0};
    if (gig_schedule_makes_map(schedule, cell) && !cell->source_count) load = weigh_map(variant, size);
    for (size_t i = 0; i < schedule->metric_names.count; i++) {
        gig_metric metric;
        if (!(cell->metrics >> i & 1) || gig_metric_parse(&metric, schedule->metric_names.all[i]) != GIG_OK) continue;
        gig_schedule_load score = weigh_score(&metric, variant, size);
        if (is_of_draws(&metric)) { /* those of the metric with the most draws serve the others */
            draws.gradients = fmax(draws.gradients, score.gradients);
            draws.values = fmax(draws.values, score.values);
            continue;
        }
        load.gradients += score.gradients;
        load.values += score.values;
    }
    return (gig_schedule_load){load.gradients + draws.gradients, load.values + draws.values};
}

/* Work outside the model: a constant per cell, and the pictures that an information curve fills and encodes. Without
 * times these are estimated in gradients, and a value as a fraction of one. A model that cannot be timed fails at once.
 */
double gig_schedule_effort(const gig_schedule *schedule, const gig_schedule_cell *cell, const gig_study_times *times)
{
    const double seconds_a_cell = 0.02, seconds_a_pixel = 28e-6; /* of a curve's picture */
    const int timed = times != NULL;
    if (timed && !(times->gradient > 0)) return seconds_a_cell;
    const double curve = timed ? seconds_a_pixel * (double)(times->height * times->width) : 14;
    gig_schedule_load load = gig_schedule_weigh(schedule, cell, times);
    double effort = timed ? seconds_a_cell + load.gradients * times->gradient + load.values * times->value
                          : 1 + load.gradients + 0.4 * load.values;
    for (size_t i = 0; i < schedule->metric_names.count; i++) {
        gig_metric metric;
        if (!(cell->metrics >> i & 1) || gig_metric_parse(&metric, schedule->metric_names.all[i]) != GIG_OK) continue;
        if (metric.row->traits & GIG_METRIC_ENCODES) effort += gig_metric_number(&metric, "draws") * curve;
    }
    return effort;
}
