#include "work/job.h"
#include "base/memory.h"
#include "base/status.h"
#include "work/text.h"
#include <math.h>
#include <string.h>

static const char *const kinds[] = {"rank", "map", "time"};

/* ---- small parts ---- */

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static double read_number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* A text of any bytes, as names of files are. JSON is UTF-8: what is not stands in an array of its own, each byte as
 * the character of that number. NULL when memory runs out. */
static json_t *text_of(const char *text)
{
    json_t *plain = json_string(text);
    if (plain) return plain;
    gig_text bytes = {0};
    char *characters;
    for (const uint8_t *c = (const uint8_t *)text; *c; c++)
        if (*c < 0x80)
            gig_text_add(&bytes, "%c", *c);
        else
            gig_text_add(&bytes, "%c%c", 0xc0 | *c >> 6, 0x80 | (*c & 0x3f));
    if (gig_text_take(&characters, &bytes) != GIG_OK) return NULL;
    json_t *array = json_pack("[s]", characters);
    gig_free(characters);
    return array;
}

/* A copy of such a text; NULL where there is none. *status tells when memory ran out. */
static char *copy_text(const json_t *value, gig_status *status)
{
    const char *text = json_string_value(json_is_array(value) ? json_array_get(value, 0) : value);
    char *copy = text ? gig_strdup(text) : NULL, *to = copy;
    if (text && !copy) *status = gig_alloc_status();
    if (!copy || !json_is_array(value)) return copy;
    for (const char *c = copy; *c; c++)
        if ((*c & 0xc0) == 0xc0 && c[1]) {
            *to++ = (char)((*c & 3) << 6 | (c[1] & 0x3f));
            c++;
        } else
            *to++ = *c;
    *to = '\0';
    return copy;
}

static json_t *texts(const gig_texts *from)
{
    json_t *array = json_array();
    for (size_t i = 0; i < from->count; i++)
        if (json_array_append_new(array, text_of(from->all[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static char *read_text(const json_t *object, const char *key, gig_status *status)
{
    return copy_text(json_object_get(object, key), status);
}

static void read_texts(gig_texts *out, const json_t *array, gig_status *status)
{
    size_t count = json_array_size(array);
    out->all = gig_alloc_zero(count, sizeof *out->all);
    if (!out->all) *status = gig_alloc_status();
    for (size_t i = 0; i < count && *status == GIG_OK; i++) {
        out->all[i] = copy_text(json_array_get(array, i), status);
        if (!out->all[i] && *status == GIG_OK) *status = gig_fail(GIG_EINTERNAL, "a text is missing");
        out->count += *status == GIG_OK;
    }
}

static json_t *result_numbers(const gig_cell_result *r)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o}", "value_input", number(r->value_input),
                     "value_baseline", number(r->value_baseline), "sum", number(r->sum), "delta", number(r->delta),
                     "step_error", number(r->step_error), "evaluations", (json_int_t)r->evaluations, "values",
                     (json_int_t)r->values, "seconds", number(r->seconds));
}

static void read_result(gig_cell_result *out, const json_t *from)
{
    *out = (gig_cell_result){.value_input = read_number(from, "value_input"),
                             .value_baseline = read_number(from, "value_baseline"),
                             .sum = read_number(from, "sum"),
                             .delta = read_number(from, "delta"),
                             .step_error = read_number(from, "step_error"),
                             .evaluations = json_integer_value(json_object_get(from, "evaluations")),
                             .values = json_integer_value(json_object_get(from, "values")),
                             .seconds = read_number(from, "seconds")};
}

/* Takes `object`; the line is ours to free. */
static gig_status dump(char **line, json_t *object)
{
    *line = NULL;
    char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    if (!text) return gig_fail(GIG_ENOMEM, "out of memory (JSON)");
    *line = gig_strdup(text);
    void (*release)(void *);
    json_get_alloc_funcs(NULL, &release);
    release(text);
    return *line ? GIG_OK : gig_alloc_status();
}

static gig_status load(json_t **out, const char *line)
{
    json_error_t error;
    *out = json_loads(line, 0, &error);
    return *out ? GIG_OK : gig_fail(GIG_EINTERNAL, "a line between processes is broken: %s", error.text);
}

/* ---- jobs ---- */

void gig_study_job_clear(gig_study_job *job)
{
    gig_free(job->model);
    gig_free(job->subject.file);
    gig_free(job->subject.mask);
    gig_free(job->subject.boxes);
    gig_free(job->method);
    gig_free(job->baseline);
    gig_free(job->read);
    gig_free(job->write);
    gig_texts_clear(&job->metrics);
    gig_texts_clear(&job->others);
    for (size_t i = 0; i < job->source_count; i++) gig_free(job->sources[i].file);
    gig_free(job->sources);
    *job = (gig_study_job){0};
}

static json_t *boxes_of(const gig_subject *subject)
{
    json_t *array = json_array();
    for (size_t i = 0; i < subject->box_count; i++) {
        const gig_box *box = &subject->boxes[i];
        json_array_append_new(array, json_pack("[I, I, I, I]", (json_int_t)box->xmin, (json_int_t)box->ymin,
                                               (json_int_t)box->xmax, (json_int_t)box->ymax));
    }
    return array;
}

static json_t *sources_of(const gig_study_job *job)
{
    json_t *array = json_array();
    for (size_t i = 0; i < job->source_count; i++) {
        json_t *source = result_numbers(&job->sources[i].result);
        json_object_set_new(source, "file", text_of(job->sources[i].file));
        json_array_append_new(array, source);
    }
    return array;
}

gig_status gig_study_job_write(char **line, const gig_study_job *job)
{
    const struct {
        const char *key, *text;
    } named[] = {{"model", job->model},   {"picture", job->subject.file}, {"mask", job->subject.mask},
                 {"method", job->method}, {"baseline", job->baseline},    {"read", job->read},
                 {"write", job->write}};
    json_t *object =
        json_pack("{s:s, s:i, s:i, s:I, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:b}", "job", kinds[job->kind], "precision",
                  (int)job->precision, "scalar", (int)job->scalar, "label", (json_int_t)job->subject.label, "boxes",
                  boxes_of(&job->subject), "target", (json_int_t)job->target, "seed", (json_int_t)job->seed, "number",
                  (json_int_t)job->picture, "metrics", texts(&job->metrics), "sources", sources_of(job), "others",
                  texts(&job->others), "remember", job->remember);
    for (size_t i = 0; i < sizeof named / sizeof *named && object; i++)
        if (named[i].text && json_object_set_new(object, named[i].key, text_of(named[i].text)) != 0) {
            json_decref(object);
            object = NULL;
        }
    return dump(line, object);
}

static gig_status read_boxes(gig_subject *out, const json_t *array)
{
    size_t count = json_array_size(array);
    out->boxes = gig_alloc(count, sizeof *out->boxes);
    if (!out->boxes) return gig_alloc_status();
    for (; out->box_count < count; out->box_count++) {
        const json_t *box = json_array_get(array, out->box_count);
        out->boxes[out->box_count] =
            (gig_box){json_integer_value(json_array_get(box, 0)), json_integer_value(json_array_get(box, 1)),
                      json_integer_value(json_array_get(box, 2)), json_integer_value(json_array_get(box, 3))};
    }
    return GIG_OK;
}

static void read_sources(gig_study_job *out, const json_t *array, gig_status *status)
{
    size_t count = json_array_size(array);
    out->sources = gig_alloc_zero(count, sizeof *out->sources);
    if (!out->sources) *status = gig_alloc_status();
    for (size_t i = 0; i < count && *status == GIG_OK; i++) {
        const json_t *from = json_array_get(array, i);
        read_result(&out->sources[i].result, from);
        out->sources[i].file = read_text(from, "file", status);
        out->source_count++;
    }
}

static gig_status read_job(gig_study_job *out, const json_t *from)
{
    gig_status status = GIG_OK;
    const char *kind = json_string_value(json_object_get(from, "job"));
    while (kind && out->kind < GIG_JOB_TIME && strcmp(kinds[out->kind], kind)) out->kind++;
    out->precision = (gig_precision)json_integer_value(json_object_get(from, "precision"));
    out->scalar = (gig_scalar)json_integer_value(json_object_get(from, "scalar"));
    out->target = json_integer_value(json_object_get(from, "target"));
    out->seed = json_integer_value(json_object_get(from, "seed"));
    out->picture = (uint64_t)json_integer_value(json_object_get(from, "number"));
    out->remember = json_is_true(json_object_get(from, "remember"));
    out->subject.label = json_integer_value(json_object_get(from, "label"));
    out->model = read_text(from, "model", &status);
    out->subject.file = read_text(from, "picture", &status);
    out->subject.mask = read_text(from, "mask", &status);
    out->method = read_text(from, "method", &status);
    out->baseline = read_text(from, "baseline", &status);
    out->read = read_text(from, "read", &status);
    out->write = read_text(from, "write", &status);
    if (status == GIG_OK) status = read_boxes(&out->subject, json_object_get(from, "boxes"));
    if (status == GIG_OK) read_texts(&out->metrics, json_object_get(from, "metrics"), &status);
    if (status == GIG_OK) read_texts(&out->others, json_object_get(from, "others"), &status);
    if (status == GIG_OK) read_sources(out, json_object_get(from, "sources"), &status);
    return status;
}

gig_status gig_study_job_read(gig_study_job *out, const char *line)
{
    json_t *object;
    *out = (gig_study_job){0};
    GIG_TRY(load(&object, line));
    gig_status status = read_job(out, object);
    json_decref(object);
    if (status != GIG_OK) gig_study_job_clear(out);
    return status;
}

/* ---- answers ---- */

/* What an answer points to was made by read_answer, or by whoever filled it in. */
static void drop(const void *part)
{
    gig_free((void *)(uintptr_t)part);
}

void gig_study_answer_clear(gig_study_answer *answer)
{
    for (size_t i = 0; i < answer->score_count; i++) {
        drop(answer->scores[i].metric);
        drop(answer->scores[i].note);
        drop(answer->scores[i].curve);
    }
    gig_free(answer->scores);
    gig_free(answer->message);
    drop(answer->result.versions);
    *answer = (gig_study_answer){0};
}

static json_t *score_of(const gig_cell_score *score)
{
    json_t *object = json_pack("{s:s, s:o, s:s*, s:o}", "metric", score->metric, "value", number(score->value), "note",
                               score->note, "seconds", number(score->seconds));
    if (!score->curve_count) return object;
    json_t *curve = json_array();
    for (size_t i = 0; i < score->curve_count; i++) json_array_append_new(curve, number(score->curve[i]));
    json_object_set_new(object, "curve", curve);
    return object;
}

static json_t *map_answer(const gig_study_answer *answer)
{
    json_t *object = result_numbers(&answer->result), *scores = json_array();
    for (size_t i = 0; i < answer->score_count; i++) json_array_append_new(scores, score_of(&answer->scores[i]));
    json_object_set_new(object, "scores", scores);
    json_object_set_new(object, "versions", json_string(answer->result.versions ? answer->result.versions : ""));
    return object;
}

gig_status gig_study_answer_write(char **line, const gig_study_answer *answer, gig_job_kind kind)
{
    const gig_ranking *r = &answer->ranking;
    if (answer->status != GIG_OK)
        return dump(line, json_pack("{s:i, s:s, s:b}", "status", (int)answer->status, "message", answer->message,
                                    "ends_study", answer->ends_study));
    if (kind == GIG_JOB_MAP) return dump(line, map_answer(answer));
    if (kind == GIG_JOB_TIME)
        return dump(line, json_pack("{s:o, s:o, s:I, s:I}", "gradient", number(answer->times.gradient), "value",
                                    number(answer->times.value), "height", (json_int_t)answer->times.height, "width",
                                    (json_int_t)answer->times.width));
    return dump(line, json_pack("{s:I, s:I, s:o, s:o, s:o}", "best", (json_int_t)r->best, "label_rank",
                                (json_int_t)r->label_rank, "best_probability", number(r->best_probability),
                                "label_probability", number(r->label_probability), "box_area", number(r->box_area)));
}

static gig_status read_score(gig_cell_score *out, const json_t *from)
{
    gig_status status = GIG_OK;
    const json_t *curve = json_object_get(from, "curve");
    size_t count = json_array_size(curve);
    out->metric = read_text(from, "metric", &status);
    out->note = read_text(from, "note", &status);
    out->value = read_number(from, "value");
    out->seconds = read_number(from, "seconds");
    if (status != GIG_OK || !count) return status;
    double *values = gig_alloc(count, sizeof *values);
    if (!values) return gig_alloc_status();
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(curve, i);
        values[i] = json_is_number(value) ? json_number_value(value) : NAN;
    }
    out->curve = values;
    out->curve_count = count;
    return GIG_OK;
}

static gig_status read_answer(gig_study_answer *out, const json_t *from)
{
    gig_status status = GIG_OK;
    const json_t *failure = json_object_get(from, "status"), *scores = json_object_get(from, "scores");
    out->message = read_text(from, "message", &status);
    if (failure) out->status = (gig_status)json_integer_value(failure);
    out->ends_study = json_is_true(json_object_get(from, "ends_study"));
    out->ranking = (gig_ranking){.best = json_integer_value(json_object_get(from, "best")),
                                 .label_rank = json_integer_value(json_object_get(from, "label_rank")),
                                 .best_probability = read_number(from, "best_probability"),
                                 .label_probability = read_number(from, "label_probability"),
                                 .box_area = read_number(from, "box_area")};
    out->times = (gig_study_times){.gradient = read_number(from, "gradient"),
                                   .value = read_number(from, "value"),
                                   .height = (size_t)json_integer_value(json_object_get(from, "height")),
                                   .width = (size_t)json_integer_value(json_object_get(from, "width"))};
    read_result(&out->result, from);
    out->result.versions = read_text(from, "versions", &status);
    size_t count = json_array_size(scores);
    out->scores = gig_alloc_zero(count, sizeof *out->scores);
    if (!out->scores) return gig_alloc_status();
    while (out->score_count < count && status == GIG_OK) {
        status = read_score(&out->scores[out->score_count], json_array_get(scores, out->score_count));
        out->score_count++;
    }
    return status;
}

gig_status gig_study_answer_read(gig_study_answer *out, const char *line)
{
    json_t *object;
    *out = (gig_study_answer){0};
    GIG_TRY(load(&object, line));
    gig_status status = read_answer(out, object);
    json_decref(object);
    if (status != GIG_OK) gig_study_answer_clear(out);
    return status;
}
