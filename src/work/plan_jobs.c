#include "work/plan_jobs.h"
#include "base/memory.h"
#include "base/status.h"
#include "saliency/method.h"
#include "work/job.h"

/* ---- jobs; each borrows what it is made of ---- */

static gig_study_job about_model(const gig_plan *plan, gig_job_kind kind, size_t model)
{
    return (gig_study_job){.kind = kind, .model = plan->models[model].file->file, .seed = plan->manifest->seed};
}

static gig_study_job about_picture(const gig_plan *plan, gig_job_kind kind, size_t model, size_t picture)
{
    gig_study_job job = about_model(plan, kind, model);
    job.subject = *plan->pictures[picture].subject;
    job.picture = plan->pictures[picture].number;
    return job;
}

gig_status gig_plan_ranking_job(char **line, const gig_plan *plan, const gig_plan_pair *pair)
{
    const gig_study_job job = about_picture(plan, GIG_JOB_RANK, pair->model, pair->picture);
    return gig_study_job_write(line, &job);
}

gig_status gig_plan_timing_job(char **line, const gig_plan *plan, size_t model)
{
    const gig_study_job job = about_model(plan, GIG_JOB_TIME, model);
    return gig_study_job_write(line, &job);
}

/* The texts of the metrics still wanted; borrowed. */
static void list_metrics(gig_texts *out, char *names[64], const gig_plan *plan, uint64_t bits)
{
    *out = (gig_texts){0, names};
    for (size_t i = 0; i < plan->metric_names.count; i++)
        if (bits >> i & 1) names[out->count++] = plan->metric_names.all[i];
}

/* A map that is there is read, with what making it gave; else its sources are, where it has any. */
static gig_status list_sources(gig_study_job *job, const gig_plan *plan, const gig_plan_cell *cell)
{
    size_t count = cell->has_map ? 1 : cell->makes ? cell->source_count : 0;
    job->sources = gig_alloc_zero(count, sizeof *job->sources);
    if (!job->sources) return gig_alloc_status();
    for (size_t i = 0; i < count; i++) {
        const gig_plan_cell *from = cell->has_map ? cell : &plan->cells[plan->sources[cell->source_first + i]];
        gig_job_source *source = &job->sources[job->source_count++];
        source->file = gig_plan_map_path(plan, from);
        if (!source->file) return gig_alloc_status();
        GIG_TRY(gig_store_get_result(&source->result, plan->store, from->id));
    }
    return GIG_OK;
}

/* Up to 64 other pictures of the set, from the next one on. */
static void list_others(gig_texts *out, char *names[64], const gig_plan *plan, const gig_plan_cell *cell)
{
    size_t set = plan->pictures[cell->picture].set, first = plan->set_first[set];
    size_t count = plan->set_first[set + 1] - first;
    *out = (gig_texts){0, names};
    if (!(cell->metrics & plan->closed_metrics)) return;
    for (size_t i = 1; i < count && out->count < 64; i++)
        names[out->count++] = plan->pictures[first + (cell->picture - first + i) % count].subject->file;
}

gig_status gig_plan_cell_job(char **line, const gig_plan *plan, const gig_plan_cell *cell)
{
    char *names[64], *others[64];
    gig_variant *variant = &plan->variants[cell->variant];
    gig_study_job job = about_picture(plan, GIG_JOB_MAP, cell->model, cell->picture);
    job.precision = cell->precision;
    job.scalar = cell->scalar;
    job.target = cell->target;
    job.method = variant->name;
    job.baseline = variant->baseline;
    job.remember = variant->shares_path;
    list_metrics(&job.metrics, names, plan, cell->metrics);
    list_others(&job.others, others, plan, cell);
    char *path = gig_plan_map_path(plan, cell);
    gig_status status = path ? list_sources(&job, plan, cell) : gig_alloc_status();
    if (cell->has_map) job.read = path;
    if (cell->writes) job.write = path;
    if (status == GIG_OK) status = gig_study_job_write(line, &job);
    for (size_t i = 0; i < job.source_count; i++) gig_free(job.sources[i].file);
    gig_free(job.sources);
    gig_free(path);
    return status;
}

/* ---- what they take ---- */

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

double gig_plan_effort(const gig_plan *plan, const gig_plan_cell *cell)
{
    const gig_variant *variant = &plan->variants[cell->variant];
    double effort = 1;
    if (gig_plan_makes_map(plan, cell) && !cell->source_count)
        effort += (double)gig_method_evaluations(&variant->method);
    for (size_t i = 0; i < plan->metric_names.count; i++) {
        gig_metric metric;
        if (!(cell->metrics >> i & 1) || gig_metric_parse(&metric, plan->metric_names.all[i]) != GIG_OK) continue;
        effort += gig_plan_closed_evaluations(plan, cell, i);
        if (metric.kind == GIG_METRIC_SIC || metric.kind == GIG_METRIC_AIC) effort += 20;
        if (metric.kind == GIG_METRIC_INSERTION || metric.kind == GIG_METRIC_DELETION)
            effort += 0.4 * (double)metric.steps;
    }
    return effort;
}
