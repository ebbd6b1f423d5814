/* SPDX-License-Identifier: Apache-2.0 */
#include "work/job.h"
#include "base/memory.h"
#include "work/job_json.h"
#include <string.h>

static const char *const kinds[] = {"rank", "map", "time"};

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
    gig_free(job->part);
    gig_texts_clear(&job->metrics);
    gig_texts_clear(&job->others);
    gig_texts_clear(&job->baselines);
    for (size_t i = 0; i < job->source_count; i++) gig_free(job->sources[i].file);
    gig_free(job->sources);
    *job = (gig_study_job){0};
}

static json_t *one_box(const void *boxes, size_t place)
{
    const gig_box *box = (const gig_box *)boxes + place;
    return json_pack("[I, I, I, I]", (json_int_t)box->xmin, (json_int_t)box->ymin, (json_int_t)box->xmax,
                     (json_int_t)box->ymax);
}

static json_t *one_source(const void *sources, size_t place)
{
    const gig_job_source *source = (const gig_job_source *)sources + place;
    return gig_job_json_with(gig_job_json_result(&source->result), "file", gig_job_json_text(source->file));
}

gig_status gig_study_job_write(char **line, const gig_study_job *job)
{
    const gig_study_picture *subject = &job->subject;
    const struct {
        const char *key, *text;
    } named[] = {{"model", job->model},   {"picture", subject->file},  {"mask", subject->mask},
                 {"method", job->method}, {"baseline", job->baseline}, {"read", job->read},
                 {"write", job->write},   {"part", job->part}};
    json_t *object = json_pack(
        "{s:s, s:i, s:i, s:I, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:b, s:b}", "job", kinds[job->kind], "precision",
        (int)job->precision, "scalar", (int)job->scalar, "label", (json_int_t)subject->label, "boxes",
        gig_job_json_list(one_box, subject->boxes, subject->box_count), "target", (json_int_t)job->target, "seed",
        (json_int_t)job->seed, "number", (json_int_t)job->picture, "metrics", gig_job_json_texts(&job->metrics),
        "sources", gig_job_json_list(one_source, job->sources, job->source_count), "others",
        gig_job_json_texts(&job->others), "baselines", gig_job_json_texts(&job->baselines), "remember", job->remember,
        "portable", job->portable);
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (named[i].text) object = gig_job_json_with(object, named[i].key, gig_job_json_text(named[i].text));
    return gig_job_json_dump(line, object);
}

static gig_status read_boxes(gig_study_picture *out, const json_t *array)
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
        gig_job_json_read_result(&out->sources[i].result, from);
        out->sources[i].file = gig_job_json_read_text(from, "file", status);
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
    out->portable = json_is_true(json_object_get(from, "portable"));
    out->remember = json_is_true(json_object_get(from, "remember"));
    out->subject.label = json_integer_value(json_object_get(from, "label"));
    out->model = gig_job_json_read_text(from, "model", &status);
    out->subject.file = gig_job_json_read_text(from, "picture", &status);
    out->subject.mask = gig_job_json_read_text(from, "mask", &status);
    out->method = gig_job_json_read_text(from, "method", &status);
    out->baseline = gig_job_json_read_text(from, "baseline", &status);
    out->read = gig_job_json_read_text(from, "read", &status);
    out->write = gig_job_json_read_text(from, "write", &status);
    out->part = gig_job_json_read_text(from, "part", &status);
    if (status == GIG_OK) status = read_boxes(&out->subject, json_object_get(from, "boxes"));
    if (status == GIG_OK) gig_job_json_read_texts(&out->metrics, json_object_get(from, "metrics"), &status);
    if (status == GIG_OK) gig_job_json_read_texts(&out->others, json_object_get(from, "others"), &status);
    if (status == GIG_OK) gig_job_json_read_texts(&out->baselines, json_object_get(from, "baselines"), &status);
    if (status == GIG_OK) read_sources(out, json_object_get(from, "sources"), &status);
    return status;
}

gig_status gig_study_job_read(gig_study_job *out, const char *line)
{
    json_t *object;
    *out = (gig_study_job){0};
    GIG_TRY(gig_job_json_load(&object, line));
    gig_status status = read_job(out, object);
    json_decref(object);
    if (status != GIG_OK) gig_study_job_clear(out);
    return status;
}
