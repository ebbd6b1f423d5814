/* A worker's jobs: rankings, maps with their scores, and how long a gradient takes. */
#include "base/memory.h"
#include "base/status.h"
#include "gig/tensor.h"
#include "saliency/explain.h"
#include "work/job.h"
#include "work/variant.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- rankings ---- */

static gig_status rank(gig_ranking *out, const gig_lab_model *model, const gig_lab_picture *picture, int64_t label)
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
        return gig_fail(GIG_EARG, "label %lld is none of the model's %zu classes", (long long)label, classes);
    return status;
}

static gig_status do_rank(gig_study_answer *out, gig_lab *lab, const gig_study_job *job)
{
    gig_lab_model model;
    gig_lab_picture picture;
    GIG_TRY(gig_lab_get_model(&model, lab, job->model, job->precision, GIG_LAB_PLAIN));
    GIG_TRY(gig_lab_get_picture(&picture, lab, &job->subject, &model));
    return rank(&out->ranking, &model, &picture, job->subject.label);
}

/* ---- timing ---- */

static gig_status do_time(gig_study_answer *out, gig_lab *lab, const gig_study_job *job)
{
    enum { TIMES = 3 }; /* the first is not counted */
    gig_lab_model model;
    gig_function function;
    GIG_TRY(gig_lab_get_model(&model, lab, job->model, job->precision, GIG_LAB_PLAIN));
    GIG_TRY(gig_session_function(&function, model.session, job->scalar));
    float *point = gig_alloc_zero(function.features, sizeof *point), *gradient = NULL;
    if (point) gradient = gig_alloc(function.features, sizeof *gradient);
    gig_status status = gradient ? GIG_OK : gig_alloc_status();
    double start = 0, value;
    for (int i = 0; i < TIMES && status == GIG_OK; i++) {
        if (i == 1) start = gig_seconds_now();
        status = function.evaluate(function.payload, 1, (const float *const[]){point}, &(size_t){0}, &value, &gradient);
    }
    out->seconds = (gig_seconds_now() - start) / (TIMES - 1);
    gig_free(gradient);
    gig_free(point);
    return status;
}

/* ---- maps ---- */

/* What one map job works on. */
typedef struct desk {
    const gig_study_job *job;
    gig_variant variant;
    gig_lab_model model;
    gig_lab_picture picture;
    gig_function function, argmax;
    gig_picture_shape shape;
    float *baseline; /* NULL: the method has none */
    gig_explanation map;
} desk;

static gig_status explain(gig_explanation *out, const desk *d, const float *input)
{
    const size_t target = (size_t)d->job->target;
    gig_session *const sessions[] = {d->model.session};
    gig_explain_options options = {.shape = d->shape,
                                   .seed = (uint64_t)d->job->seed,
                                   .baseline = d->baseline,
                                   .sessions = sessions,
                                   .scalar = d->job->scalar};
    return gig_explain(out, 1, &input, &target, 1, &d->function, &d->variant.method, &options);
}

static gig_status explain_again(void *payload, float *attribution, const float *input)
{
    const desk *d = payload;
    gig_explanation again = {0};
    GIG_TRY(explain(&again, d, input));
    memcpy(attribution, again.attributions, again.count * sizeof *attribution);
    gig_explanation_clear(&again);
    return GIG_OK;
}

/* A map from its file, which must have the picture's height and width. */
static gig_status read_map(gig_tensor *out, const desk *d, const char *path)
{
    GIG_TRY(gig_npz_read(out, path, "attributions"));
    if (out->type == GIG_REAL && out->rank == 3 && out->dims[0] == (int64_t)d->shape.height &&
        out->dims[1] == (int64_t)d->shape.width && (out->dims[2] == 1 || out->dims[2] == 3))
        return GIG_OK;
    gig_tensor_clear(out);
    return gig_fail(GIG_EFORMAT, "%s: holds no map of this picture", path);
}

/* Takes the tensor's values as the map. */
static void adopt(desk *d, gig_tensor *tensor)
{
    d->map.count = gig_tensor_count(tensor);
    d->map.attributions = tensor->real;
    *tensor = (gig_tensor){0};
}

/* The mean of the sources' maps, which are of one size. */
static gig_status average(desk *d)
{
    const gig_study_job *job = d->job;
    double *sum = NULL;
    gig_status status = GIG_OK;
    for (size_t s = 0; s < job->source_count && status == GIG_OK; s++) {
        gig_tensor map;
        status = read_map(&map, d, job->sources[s].file);
        if (status != GIG_OK) break;
        size_t count = gig_tensor_count(&map);
        if (!sum && !(sum = gig_alloc_zero(count, sizeof *sum))) status = gig_alloc_status();
        if (s && count != d->map.count) status = gig_fail(GIG_EFORMAT, "maps of two sizes");
        d->map.count = count;
        for (size_t i = 0; i < count && status == GIG_OK; i++) sum[i] += (double)map.real[i];
        gig_tensor_clear(&map);
    }
    if (status == GIG_OK && !(d->map.attributions = gig_alloc(d->map.count, sizeof(float))))
        status = gig_alloc_status();
    for (size_t i = 0; i < d->map.count && status == GIG_OK; i++)
        d->map.attributions[i] = (float)(sum[i] / (double)job->source_count);
    gig_free(sum);
    return status;
}

static gig_status rank_regions(desk *d)
{
    gig_tensor base;
    GIG_TRY(read_map(&base, d, d->job->sources[0].file));
    gig_picture_shape shape = d->shape;
    shape.channels = (size_t)base.dims[2];
    gig_xrai_options options = {.fast = d->variant.method.xrai_fast, .min_pixels = d->variant.method.min_pixels};
    d->map.count = shape.height * shape.width;
    d->map.attributions = gig_alloc(d->map.count, sizeof(float));
    gig_status status = GIG_OK;
    if (!d->map.attributions)
        status = gig_alloc_status();
    else if (shape.channels != d->shape.channels)
        status = gig_fail(GIG_EARG, "regions are ranked over maps with one value per input value");
    else
        status = gig_xrai(d->map.attributions, NULL, base.real, d->picture.pixels, &shape, &options);
    gig_tensor_clear(&base);
    return status;
}

/* Means of values, totals of costs. */
static void sum_up(gig_cell_result *out, const gig_study_job *job)
{
    double n = (double)job->source_count;
    *out = (gig_cell_result){0};
    for (size_t s = 0; s < job->source_count; s++) {
        const gig_cell_result *from = &job->sources[s].result;
        out->value_input += from->value_input / n;
        out->value_baseline += from->value_baseline / n;
        out->sum += from->sum / n;
        out->delta += from->delta / n;
        out->step_error += from->step_error / n;
        out->evaluations += from->evaluations;
        out->values += from->values;
        out->seconds += from->seconds;
    }
}

static gig_status make_map(gig_cell_result *out, desk *d, gig_lab *lab)
{
    const gig_study_job *job = d->job;
    double start = gig_seconds_now();
    if (job->source_count) {
        sum_up(out, job);
        GIG_TRY(d->variant.method.xrai ? rank_regions(d) : average(d));
        out->seconds += gig_seconds_now() - start;
        return GIG_OK;
    }
    gig_lab_saved(lab);
    GIG_TRY(explain(&d->map, d, d->picture.pixels));
    *out = (gig_cell_result){.value_input = d->map.value_input,
                             .value_baseline = d->map.value_baseline,
                             .sum = d->map.sum,
                             .delta = d->map.delta,
                             .step_error = d->map.step_error,
                             .evaluations = (int64_t)d->map.evaluations,
                             .values = (int64_t)d->map.values,
                             .seconds = gig_seconds_now() - start + gig_lab_saved(lab)};
    return GIG_OK;
}

static gig_status write_map(const desk *d)
{
    size_t pixels = d->shape.height * d->shape.width;
    gig_tensor map = {.type = GIG_REAL,
                      .rank = 3,
                      .dims = {(int64_t)d->shape.height, (int64_t)d->shape.width, (int64_t)(d->map.count / pixels)},
                      .real = d->map.attributions};
    return gig_npz_write(d->job->write, 1, (const char *const[]){"attributions"}, (const gig_tensor *const[]){&map}, 1);
}

/* ---- scores ---- */

/* B and C of closed path `path`: two other pictures of the set. */
typedef struct corners {
    desk *d;
    gig_lab *lab;
} corners;

static gig_status other_picture(void *payload, size_t path, int corner, float *point, size_t features)
{
    const corners *c = payload;
    const gig_texts *others = &c->d->job->others;
    gig_image file, placed = {0};
    gig_placement placement;
    const gig_description *about = c->d->model.description;
    if (!others->count) return gig_fail(GIG_EARG, "the set has no other pictures for corners");
    const char *name = others->all[(2 * path + (size_t)corner) % others->count];
    GIG_TRY(gig_image_read(&file, name, NULL));
    gig_status status = gig_placement_find(&placement, file.width, file.height, c->d->model.width, c->d->model.height,
                                           about->fit, about->shorter);
    if (status == GIG_OK) status = gig_image_place(&placed, &file, &placement, about->filter);
    if (status == GIG_OK && placed.width * placed.height * 3 != features)
        status = gig_fail(GIG_EINTERNAL, "a picture of another size");
    if (status == GIG_OK) gig_image_to_pixels(point, &placed);
    gig_image_clear(&placed);
    gig_image_clear(&file);
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

static gig_status score(gig_study_answer *out, desk *d, gig_lab *lab, const gig_metric *metrics,
                        gig_metric_result *results)
{
    const gig_study_job *job = d->job;
    size_t count = job->metrics.count, pixels = d->shape.height * d->shape.width;
    corners c = {d, lab};
    gig_variant_side side;
    gig_scored scored = {.height = d->shape.height,
                         .width = d->shape.width,
                         .attribution = d->map.attributions,
                         .channels = d->map.count ? d->map.count / pixels : 3,
                         .mask = d->picture.mask,
                         .pixels = d->picture.bytes,
                         .baseline = d->baseline,
                         .target = (size_t)job->target,
                         .workers = 1,
                         .functions = &d->function,
                         .argmax_functions = &d->argmax,
                         .explain = explain_again,
                         .explain_payload = d,
                         .side = gig_variant_make_side(&side, &d->variant, (size_t)job->target),
                         .corner = other_picture,
                         .corner_payload = &c,
                         .is_gradient = gig_variant_is_gradient(&d->variant),
                         .sum = out->result.sum,
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

static gig_status score_map(gig_study_answer *out, desk *d, gig_lab *lab)
{
    size_t count = d->job->metrics.count;
    gig_metric *metrics = gig_alloc(count, sizeof *metrics);
    gig_metric_result *results = gig_alloc_zero(count, sizeof *results);
    gig_status status = metrics && results ? GIG_OK : gig_alloc_status();
    for (size_t i = 0; i < count && status == GIG_OK; i++)
        status = gig_metric_parse(&metrics[i], d->job->metrics.all[i]);
    if (status == GIG_OK) status = score(out, d, lab, metrics, results);
    for (size_t i = 0; i < count && results; i++) gig_metric_result_clear(&results[i]);
    gig_free(results);
    gig_free(metrics);
    return status;
}

/* A closed path needs no map: where nothing else is asked for, none is made. */
static int needs_map(const gig_study_job *job)
{
    for (size_t i = 0; i < job->metrics.count; i++) {
        gig_metric metric;
        if (gig_metric_parse(&metric, job->metrics.all[i]) != GIG_OK || metric.kind != GIG_METRIC_CLOSED) return 1;
    }
    return job->write != NULL || !job->metrics.count;
}

static gig_status set_desk(desk *d, gig_lab *lab, const gig_study_job *job)
{
    GIG_TRY(gig_variant_parse(&d->variant, job->method, job->baseline));
    GIG_TRY(gig_lab_get_model(&d->model, lab, job->model, job->precision, gig_variant_use(&d->variant)));
    GIG_TRY(gig_lab_get_picture(&d->picture, lab, &job->subject, &d->model));
    GIG_TRY(gig_lab_get_function(&d->function, lab, &d->model, job->scalar, job->remember));
    GIG_TRY(gig_session_argmax_function(&d->argmax, d->model.session));
    d->shape = (gig_picture_shape){.height = d->model.height, .width = d->model.width, .channels = 3};
    if (job->target < 0 || (size_t)job->target >= gig_network_classes(d->model.network))
        return gig_fail(GIG_EARG, "class %lld is none of the model's", (long long)job->target);
    return gig_variant_make_baseline(&d->baseline, &d->variant, d->picture.pixels, &d->shape, (uint64_t)job->seed);
}

static gig_status work_map(gig_study_answer *out, desk *d, gig_lab *lab)
{
    const gig_study_job *job = d->job;
    out->result = (gig_cell_result){NAN, NAN, NAN, NAN, NAN, 0, 0, 0, NULL, NULL};
    if (job->read) {
        gig_tensor map;
        GIG_TRY(read_map(&map, d, job->read));
        adopt(d, &map);
        out->result = job->source_count ? job->sources[0].result : out->result;
    } else if (needs_map(job))
        GIG_TRY(make_map(&out->result, d, lab));
    if (job->write) {
        gig_status status = write_map(d);
        out->ends_study = status == GIG_EIO;
        if (status != GIG_OK) return status;
    }
    GIG_TRY(score_map(out, d, lab));
    char versions[128];
    snprintf(versions, sizeof versions, "gig %s, libwebp %s", gig_version(), gig_webp_version());
    out->result.versions = gig_strdup(versions);
    return out->result.versions ? GIG_OK : gig_alloc_status();
}

static gig_status do_map(gig_study_answer *out, gig_lab *lab, const gig_study_job *job)
{
    desk d = {.job = job};
    gig_status status = set_desk(&d, lab, job);
    if (status == GIG_OK) status = work_map(out, &d, lab);
    gig_explanation_clear(&d.map);
    gig_free(d.baseline);
    return status;
}

gig_status gig_study_map(gig_tensor *map, gig_lab_picture *picture, gig_lab *lab, const gig_study_job *job)
{
    desk d = {.job = job};
    *map = (gig_tensor){0};
    gig_status status = set_desk(&d, lab, job);
    if (status == GIG_OK) status = explain(&d.map, &d, d.picture.pixels);
    if (status == GIG_OK) {
        *picture = d.picture;
        *map = (gig_tensor){.type = GIG_REAL,
                            .rank = 3,
                            .dims = {(int64_t)d.shape.height, (int64_t)d.shape.width,
                                     (int64_t)(d.map.count / (d.shape.height * d.shape.width))},
                            .real = d.map.attributions};
        d.map.attributions = NULL;
    }
    gig_explanation_clear(&d.map);
    gig_free(d.baseline);
    return status;
}

/* ---- any job ---- */

gig_status gig_study_labour(void *payload, char **answer, const char *line)
{
    gig_study_job job;
    gig_study_answer out = {0};
    GIG_TRY(gig_study_job_read(&job, line));
    gig_status status = GIG_OK;
    switch (job.kind) {
    case GIG_JOB_RANK: status = do_rank(&out, payload, &job); break;
    case GIG_JOB_MAP: status = do_map(&out, payload, &job); break;
    case GIG_JOB_TIME: status = do_time(&out, payload, &job); break;
    }
    if (status != GIG_OK) {
        int ends_study = out.ends_study;
        gig_study_answer_clear(&out);
        out.status = status;
        out.message = gig_strdup(gig_message());
        out.ends_study = ends_study;
    }
    status = gig_study_answer_write(answer, &out, job.kind);
    gig_study_answer_clear(&out);
    gig_study_job_clear(&job);
    return status;
}
