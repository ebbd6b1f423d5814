/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"
#include "work/job.h"
#include "work/job_json.h"
#include <math.h>

/* What an answer points to was allocated by read_answer, or by the caller that filled it in. */
static void drop(const void *part)
{
    gig_free((void *)(uintptr_t)part);
}

void gig_job_answer_clear(gig_job_answer *answer)
{
    for (size_t i = 0; i < answer->score_count; i++) {
        drop(answer->scores[i].metric);
        drop(answer->scores[i].note);
        drop(answer->scores[i].curve);
    }
    gig_free(answer->scores);
    gig_free(answer->message);
    drop(answer->result.versions);
    *answer = (gig_job_answer){0};
}

static json_t *one_value(const void *values, size_t place)
{
    return gig_job_json_number(((const double *)values)[place]);
}

static json_t *one_score(const void *scores, size_t place)
{
    const gig_cell_score *score = (const gig_cell_score *)scores + place;
    json_t *object =
        json_pack("{s:s, s:o, s:s*, s:o}", "metric", score->metric, "value", gig_job_json_number(score->value), "note",
                  score->note, "seconds", gig_job_json_number(score->seconds));
    if (!score->curve_count) return object;
    return gig_job_json_with(object, "curve", gig_job_json_list(one_value, score->curve, score->curve_count));
}

static json_t *map_answer(const gig_job_answer *answer)
{
    const char *versions = answer->result.versions;
    json_t *object = gig_job_json_result(&answer->result);
    object = gig_job_json_with(object, "scores", gig_job_json_list(one_score, answer->scores, answer->score_count));
    return gig_job_json_with(object, "versions", json_string(versions ? versions : ""));
}

gig_status gig_job_answer_write(char **line, const gig_job_answer *answer, gig_job_kind kind)
{
    const gig_ranking *r = &answer->ranking;
    if (answer->status != GIG_OK)
        return gig_job_json_dump(line, json_pack("{s:i, s:s, s:b}", "status", (int)answer->status, "message",
                                                 answer->message, "ends_study", answer->ends_study));
    if (kind == GIG_JOB_MAP) return gig_job_json_dump(line, map_answer(answer));
    if (kind == GIG_JOB_TIME)
        return gig_job_json_dump(
            line, json_pack("{s:o, s:o, s:I, s:I}", "gradient", gig_job_json_number(answer->times.gradient), "value",
                            gig_job_json_number(answer->times.value), "height", (json_int_t)answer->times.height,
                            "width", (json_int_t)answer->times.width));
    return gig_job_json_dump(line, json_pack("{s:I, s:I, s:o, s:o, s:o}", "best", (json_int_t)r->best, "label_rank",
                                             (json_int_t)r->label_rank, "best_probability",
                                             gig_job_json_number(r->best_probability), "label_probability",
                                             gig_job_json_number(r->label_probability), "box_area",
                                             gig_job_json_number(r->box_area)));
}

static gig_status read_score(gig_cell_score *out, const json_t *from)
{
    gig_status status = GIG_OK;
    const json_t *curve = json_object_get(from, "curve");
    size_t count = json_array_size(curve);
    out->metric = gig_job_json_read_text(from, "metric", &status);
    out->note = gig_job_json_read_text(from, "note", &status);
    out->value = gig_job_json_read_number(from, "value");
    out->seconds = gig_job_json_read_number(from, "seconds");
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

static gig_status read_answer(gig_job_answer *out, const json_t *from)
{
    gig_status status = GIG_OK;
    const json_t *failure = json_object_get(from, "status"), *scores = json_object_get(from, "scores");
    out->message = gig_job_json_read_text(from, "message", &status);
    if (failure) out->status = (gig_status)json_integer_value(failure);
    out->ends_study = json_is_true(json_object_get(from, "ends_study"));
    out->ranking = (gig_ranking){.best = json_integer_value(json_object_get(from, "best")),
                                 .label_rank = json_integer_value(json_object_get(from, "label_rank")),
                                 .best_probability = gig_job_json_read_number(from, "best_probability"),
                                 .label_probability = gig_job_json_read_number(from, "label_probability"),
                                 .box_area = gig_job_json_read_number(from, "box_area")};
    out->times = (gig_study_times){.gradient = gig_job_json_read_number(from, "gradient"),
                                   .value = gig_job_json_read_number(from, "value"),
                                   .height = (size_t)json_integer_value(json_object_get(from, "height")),
                                   .width = (size_t)json_integer_value(json_object_get(from, "width"))};
    gig_job_json_read_result(&out->result, from);
    out->result.versions = gig_job_json_read_text(from, "versions", &status);
    size_t count = json_array_size(scores);
    out->scores = gig_alloc_zero(count, sizeof *out->scores);
    if (!out->scores) return gig_alloc_status();
    while (out->score_count < count && status == GIG_OK) {
        status = read_score(&out->scores[out->score_count], json_array_get(scores, out->score_count));
        out->score_count++;
    }
    return status;
}

gig_status gig_job_answer_read(gig_job_answer *out, const char *line)
{
    json_t *object;
    *out = (gig_job_answer){0};
    GIG_TRY(gig_job_json_load(&object, line));
    gig_status status = read_answer(out, object);
    json_decref(object);
    if (status != GIG_OK) gig_job_answer_clear(out);
    return status;
}
