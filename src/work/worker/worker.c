/* SPDX-License-Identifier: Apache-2.0 */
/* A worker's jobs: rankings, scores of maps, and how long a gradient takes. */
#include "work/worker/worker.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"
#include "work/worker/map_job.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- rankings ---- */

static gig_status rank(gig_ranking *out, const gig_cached_model *model, const gig_cached_picture *picture,
                       int64_t label)
{
    size_t classes = gig_network_classes(model->network);
    size_t *order = gig_alloc(classes, sizeof *order);
    double *probabilities = gig_alloc(classes, sizeof *probabilities);
    gig_status status = order && probabilities ? GIG_OK : gig_alloc_status();
    if (status == GIG_OK) status = gig_session_top(model->session, picture->pixels, classes, order, probabilities);
    if (status == GIG_OK) {
        *out = (gig_ranking){.best = (int64_t)order[0],
                             .best_probability = probabilities[0],
                             .label_rank = -1,
                             .label_probability = NAN,
                             .box_area = picture->box_area};
        for (size_t i = 0; i < classes && label >= 0; i++)
            if ((int64_t)order[i] == label) {
                out->label_rank = (int64_t)i;
                out->label_probability = probabilities[i];
            }
    }
    gig_free(probabilities);
    gig_free(order);
    if (status == GIG_OK && label >= 0 && out->label_rank < 0)
        return gig_fail(GIG_EARG, "label %lld is out of range: the model has %zu classes", (long long)label, classes);
    return status;
}

static gig_status do_rank(gig_job_answer *out, gig_model_cache *cache, const gig_study_job *job)
{
    gig_cached_model model;
    gig_cached_picture picture;
    GIG_TRY(gig_model_cache_get_model(&model, cache, &(gig_model_request){job->model, job->part, job->precision, 0}));
    GIG_TRY(gig_model_cache_get_picture(&picture, cache, &job->subject, &model));
    return rank(&out->ranking, &model, &picture, job->subject.label);
}

/* ---- timing ---- */

/* Seconds of a value, or with its gradient. */
static gig_status time_of(double *seconds, const gig_function *function, const float *point, float *gradient)
{
    enum { TIMES = 3 }; /* the first is not counted */
    double start = 0, value;
    for (int i = 0; i < TIMES; i++) {
        if (i == 1) start = gig_seconds_now();
        GIG_TRY(function->evaluate(function->payload, 1, &point, &(size_t){0}, &value, gradient ? &gradient : NULL));
    }
    *seconds = (gig_seconds_now() - start) / (TIMES - 1);
    return GIG_OK;
}

/* The time of a gradient hardly depends on the region; the whole output is always computed. */
static gig_status take_whole_region(const gig_cached_model *model)
{
    size_t height, width;
    if (gig_network_target(model->network) != GIG_TARGET_REGION) return GIG_OK;
    gig_network_region_size(model->network, &height, &width);
    unsigned char *mask = gig_alloc(height * width, 1);
    if (!mask) return gig_alloc_status();
    memset(mask, 1, height * width);
    gig_status status = gig_session_set_region(model->session, mask);
    gig_free(mask);
    return status;
}

static gig_status do_time(gig_job_answer *out, gig_model_cache *cache, const gig_study_job *job)
{
    gig_cached_model model;
    gig_function function;
    GIG_TRY(gig_model_cache_get_model(&model, cache, &(gig_model_request){job->model, job->part, job->precision, 0}));
    GIG_TRY(gig_session_function(&function, model.session, job->scalar));
    float *point = gig_alloc_zero(function.features, sizeof *point), *gradient = NULL;
    if (point) gradient = gig_alloc(function.features, sizeof *gradient);
    gig_status status = gradient ? GIG_OK : gig_alloc_status();
    if (status == GIG_OK) status = take_whole_region(&model);
    if (status == GIG_OK) status = time_of(&out->times.gradient, &function, point, gradient);
    if (status == GIG_OK) status = time_of(&out->times.value, &function, point, NULL);
    out->times.height = model.height;
    out->times.width = model.width;
    gig_free(gradient);
    gig_free(point);
    return status;
}

/* ---- scores ---- */

/* B and C of closed path `path`: two other pictures of the set. */
static gig_status other_picture(void *payload, size_t path, int corner, float *point, size_t features)
{
    const gig_map_job *d = payload;
    const gig_texts *others = &d->job->others;
    if (others->count < 2) return gig_fail(GIG_EARG, "the set does not have two other pictures for corners");
    const char *name = others->all[(2 * path + (size_t)corner) % others->count];
    if (features != d->model.height * d->model.width * 3) return gig_fail(GIG_EINTERNAL, "a picture of another size");
    GIG_TRY(gig_model_cache_expect_file(name));
    return gig_explainer_point(point, d->model.explainer, &(gig_input){.file = name});
}

static gig_status explain_again(void *payload, float *attribution, const float *input)
{
    const gig_map_job *d = payload;
    gig_explanation again = {0};
    GIG_TRY(gig_map_job_explain(&again, d, input));
    memcpy(attribution, again.attributions, again.count * sizeof *attribution);
    gig_explanation_clear(&again);
    return GIG_OK;
}

static gig_status explain_class(void *payload, float *attribution, size_t target)
{
    const gig_map_job *d = payload;
    gig_study_job job = *d->job;
    gig_map_job other = *d;
    gig_explanation again = {0};
    job.target = (int64_t)target;
    other.job = &job;
    GIG_TRY(gig_map_job_explain(&again, &other, d->picture.pixels));
    memcpy(attribution, again.attributions, again.count * sizeof *attribution);
    gig_explanation_clear(&again);
    return GIG_OK;
}

static gig_status explain_randomised(void *payload, float *attribution, size_t cut, size_t cuts)
{
    const gig_map_job *d = payload;
    const gig_study_job *job = d->job;
    const gig_randomising how = {cut, cuts, (uint64_t)job->seed};
    gig_map_job other = *d;
    gig_explanation map = {0};
    const gig_model_request wanted = {job->model, job->part, job->precision, gig_method_use(&d->variant.method)};
    GIG_TRY(gig_model_cache_randomise(&other.model, d->cache, &wanted, &how));
    gig_status status = gig_cached_model_set_region(&other.model, d->picture.pixels, (size_t)job->target);
    if (status == GIG_OK) status = gig_session_function(&other.function, other.model.session, job->scalar);
    if (status == GIG_OK) status = gig_map_job_explain(&map, &other, d->picture.pixels);
    if (status == GIG_OK) memcpy(attribution, map.attributions, map.count * sizeof *attribution);
    gig_explanation_clear(&map);
    gig_explainer_close(other.model.explainer);
    return status;
}

static gig_status keep_score(gig_cell_score *out, const char *metric, const gig_metric_result *from)
{
    size_t points = from->curve.count;
    double *curve = NULL;
    out->value = from->value;
    out->seconds = from->seconds;
    out->metric = gig_strdup(metric);
    if (!out->metric) return gig_alloc_status();
    if (from->note[0] && !(out->note = gig_strdup(from->note))) return gig_alloc_status();
    if (!points) return GIG_OK;
    out->curve = curve = gig_alloc(2 * points, sizeof *curve); /* all x, then all y */
    if (!curve) return gig_alloc_status();
    memcpy(curve, from->curve.x, points * sizeof *curve);
    memcpy(curve + points, from->curve.y, points * sizeof *curve);
    out->curve_count = 2 * points;
    return GIG_OK;
}

static gig_status score(gig_job_answer *out, gig_map_job *d, const gig_metric *metrics, gig_metric_result *results)
{
    const gig_study_job *job = d->job;
    size_t count = job->metrics.count, pixels = d->shape.height * d->shape.width;
    gig_variant_side side;
    gig_scored scored = {.height = d->shape.height,
                         .width = d->shape.width,
                         .attribution = d->map.attributions,
                         .channels = d->map.count ? d->map.count / pixels : 3,
                         .mask = d->picture.mask,
                         .pixels = d->picture.bytes,
                         .baseline = gig_method_baselines(&d->variant.method) > 1 ? NULL : d->baseline,
                         .target = (size_t)job->target,
                         .workers = 1,
                         .functions = &d->function,
                         .argmax_functions = &d->argmax,
                         .probability_functions = &d->probability,
                         .explain = explain_again,
                         .explain_payload = d,
                         .explain_class = explain_class,
                         .explain_randomised = explain_randomised,
                         .classes = gig_network_classes(d->model.network),
                         .side = gig_variant_make_side(&side, &d->variant, (size_t)job->target),
                         .drive = &side.drive,
                         .corner = other_picture,
                         .corner_payload = d,
                         .no_draws = gig_variant_no_draws(&d->variant),
                         .is_gradient = gig_variant_is_gradient(&d->variant),
                         .no_slopes = gig_variant_no_slopes(&d->variant),
                         .sum = d->variant.method.xrai ? NAN : out->result.sum, /* that of its base */
                         .value_input = out->result.value_input,
                         .value_baseline = out->result.value_baseline,
                         .seed = (uint64_t)job->seed,
                         .picture = job->picture,
                         .threads = 1,
                         .pic = d->picture.pic};
    GIG_TRY(gig_metrics_score(results, metrics, count, &scored));
    out->scores = gig_alloc_zero(count, sizeof *out->scores);
    if (!out->scores) return gig_alloc_status();
    for (size_t i = 0; i < count; i++) {
        out->score_count++;
        GIG_TRY(keep_score(&out->scores[i], job->metrics.all[i], &results[i]));
    }
    return GIG_OK;
}

static gig_status score_map(gig_job_answer *out, gig_map_job *d)
{
    size_t count = d->job->metrics.count;
    gig_metric *metrics = gig_alloc(count, sizeof *metrics);
    gig_metric_result *results = gig_alloc_zero(count, sizeof *results);
    gig_status status = metrics && results ? GIG_OK : gig_alloc_status();
    for (size_t i = 0; i < count && status == GIG_OK; i++)
        status = gig_metric_parse(&metrics[i], d->job->metrics.all[i]);
    if (status == GIG_OK) status = score(out, d, metrics, results);
    for (size_t i = 0; i < count && results; i++) gig_metric_result_clear(&results[i]);
    gig_free(results);
    gig_free(metrics);
    return status;
}

/* A closed path needs no map: if nothing else is asked for, none is computed. */
static int needs_map(const gig_study_job *job)
{
    for (size_t i = 0; i < job->metrics.count; i++) {
        gig_metric metric;
        if (gig_metric_parse(&metric, job->metrics.all[i]) != GIG_OK ||
            metric.row->needs & (GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_DIFFERENCE))
            return 1;
    }
    return job->write != NULL || !job->metrics.count;
}

static gig_status work_map(gig_job_answer *out, gig_map_job *d, gig_model_cache *cache)
{
    const gig_study_job *job = d->job;
    out->result = (gig_cell_result){NAN, NAN, NAN, NAN, NAN, NAN, 0, 0, 0, NULL, NULL};
    if (job->read) {
        GIG_TRY(gig_map_job_read(d, job->read));
        out->result = job->source_count ? job->sources[0].result : out->result;
    } else if (needs_map(job))
        GIG_TRY(gig_map_job_make(&out->result, d, cache));
    if (job->write) {
        gig_status status = gig_map_job_write(d, job->write);
        out->ends_study = status == GIG_EIO;
        if (status != GIG_OK) return status;
    }
    GIG_TRY(score_map(out, d));
    char versions[160], engine[64];
    snprintf(versions, sizeof versions, "gig %s, %s, libwebp %s%s", gig_version(),
             gig_network_engine(engine, sizeof engine), gig_webp_version(), job->portable ? gig_versions_portable : "");
    out->result.versions = gig_strdup(versions);
    return out->result.versions ? GIG_OK : gig_alloc_status();
}

static gig_status do_map(gig_job_answer *out, gig_model_cache *cache, const gig_study_job *job)
{
    gig_map_job d = {.job = job};
    gig_status status = gig_map_job_set(&d, cache);
    if (status == GIG_OK) status = work_map(out, &d, cache);
    gig_map_job_clear(&d);
    return status;
}

gig_status gig_worker_make_map(gig_tensor *map, gig_cached_picture *picture, gig_model_cache *cache,
                               const gig_study_job *job)
{
    gig_map_job d = {.job = job};
    *map = (gig_tensor){0};
    gig_status status = gig_map_job_set(&d, cache);
    if (status == GIG_OK) status = gig_map_job_explain(&d.map, &d, d.picture.pixels);
    if (status == GIG_OK) {
        *picture = d.picture;
        *map = gig_map_job_map(&d);
        d.map.attributions = NULL;
    }
    gig_map_job_clear(&d);
    return status;
}

/* ---- any job ---- */

gig_status gig_worker_do_job(void *payload, char **answer, const char *line)
{
    gig_study_job job;
    gig_job_answer out = {0};
    GIG_TRY(gig_study_job_read(&job, line));
    gig_status status = GIG_OK;
    gig_model_cache_set_portable(payload, job.portable);
    switch (job.kind) {
    case GIG_JOB_RANK: status = do_rank(&out, payload, &job); break;
    case GIG_JOB_MAP: status = do_map(&out, payload, &job); break;
    case GIG_JOB_TIME: status = do_time(&out, payload, &job); break;
    }
    if (status != GIG_OK) {
        int ends_study = out.ends_study;
        gig_job_answer_clear(&out);
        out.status = status;
        out.message = gig_strdup(gig_message());
        if (out.message) gig_text_clean(out.message); /* the message may quote file names */
        out.ends_study = ends_study;
    }
    status = gig_job_answer_write(answer, &out, job.kind);
    gig_job_answer_clear(&out);
    gig_study_job_clear(&job);
    return status;
}
