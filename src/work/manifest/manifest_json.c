/* SPDX-License-Identifier: Apache-2.0 */
#include "work/manifest/manifest_json.h"
#include "base/memory.h"
#include "base/status.h"
#include "internal/explainer.h"
#include "internal/guess.h"
#include "internal/image.h"
#include "internal/number.h"
#include "internal/target.h"
#include <stdio.h>
#include <string.h>

static const char scalar_choices[] = "softmax|logit|logprob|sigmoid|value";
static const char precision_choices[] = "f32|mixed|split|bf16";

const char *gig_precision_name(gig_precision precision)
{
    static const char *const names[] = {"f32", "mixed", "split", "bf16"};
    return names[precision];
}

/* ---- which part of the output ---- */

const char *gig_part_text(const char *part, const char *kind)
{
    size_t bytes = strlen(kind);
    return part && !strncmp(part, kind, bytes) && part[bytes] == ' ' ? part + bytes + 1 : NULL;
}

int gig_part_is_number(const char *part)
{
    const char *index = gig_part_text(part, "index");
    return index && !strchr(index, ':');
}

const char *gig_part_name(char *text, size_t bytes, gig_scalar scalar, const char *part)
{
    snprintf(text, bytes, "%s%s%s", gig_scalar_name(scalar), part ? " of " : "", part ? part : "");
    return text;
}

/* ---- values ---- */

gig_status gig_json_text(char **out, const json_t *value)
{
    const char *text = json_string_value(value);
    if (!text || !*text) return gig_fail(GIG_EFORMAT, "expected a string");
    gig_free(*out);
    *out = gig_strdup(text);
    return *out ? GIG_OK : gig_alloc_status();
}

gig_status gig_json_whole(int64_t *out, const json_t *value, int64_t least, int64_t most)
{
    json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < least || number > most) {
        if (most == INT64_MAX) return gig_fail(GIG_EFORMAT, "expected an integer of at least %lld", (long long)least);
        return gig_fail(GIG_EFORMAT, "expected an integer from %lld to %lld", (long long)least, (long long)most);
    }
    *out = number;
    return GIG_OK;
}

gig_status gig_json_flag(int *out, const json_t *value)
{
    if (!json_is_boolean(value)) return gig_fail(GIG_EFORMAT, "expected true or false");
    *out = json_is_true(value);
    return GIG_OK;
}

gig_status gig_json_choice(int *out, const json_t *value, const char *choices)
{
    const char *text = json_string_value(value);
    if (text && gig_parse_choice(out, text, choices) == GIG_OK) return GIG_OK;
    return gig_fail(GIG_EFORMAT, "expected one of %s", choices);
}

static gig_status add_text(gig_texts *texts, const char *text)
{
    if (gig_texts_have(texts, text)) return gig_fail(GIG_EFORMAT, "\"%s\" appears twice", text);
    return gig_texts_add(texts, text);
}

/* Different texts, at least one; earlier ones are freed. */
static gig_status read_texts(gig_texts *out, const json_t *value)
{
    size_t count = json_array_size(value);
    gig_texts_clear(out);
    if (!count) return gig_fail(GIG_EFORMAT, "expected an array of strings");
    for (size_t i = 0; i < count; i++) {
        const char *text = json_string_value(json_array_get(value, i));
        gig_status status = text && *text ? add_text(out, text) : gig_fail(GIG_EFORMAT, "expected a string");
        if (status != GIG_OK) return gig_fail_in(status, "[%zu]", i);
    }
    return GIG_OK;
}

/* ---- keys of a run ---- */

typedef gig_status (*read_key)(gig_run *run, const gig_manifest *manifest, json_t *value);

/* Names among the manifest's models or sets, as indices. */
static gig_status read_indices(gig_indices *out, const gig_named_files *files, const json_t *value)
{
    gig_texts names = {0};
    gig_status status = read_texts(&names, value);
    gig_free(out->all);
    *out = (gig_indices){0};
    if (status == GIG_OK && !(out->all = gig_alloc(names.count, sizeof *out->all))) status = gig_alloc_status();
    for (size_t i = 0; i < names.count && status == GIG_OK; i++) {
        size_t k = 0;
        while (k < files->count && strcmp(files->all[k].name, names.all[i])) k++;
        out->all[out->count++] = k;
        if (k == files->count)
            status = gig_fail(GIG_EFORMAT, "[%zu]: \"%s\" is not among the manifest's", i, names.all[i]);
    }
    gig_texts_clear(&names);
    return status;
}

static gig_status read_models(gig_run *run, const gig_manifest *manifest, json_t *value)
{
    return read_indices(&run->models, &manifest->models, value);
}

static gig_status read_pictures(gig_run *run, const gig_manifest *manifest, json_t *value)
{
    return read_indices(&run->sets, &manifest->sets, value);
}

static gig_status read_methods(gig_run *run, const gig_manifest *manifest, json_t *value)
{
    (void)manifest;
    return read_texts(&run->methods, value);
}

static gig_status read_baselines(gig_run *run, const gig_manifest *manifest, json_t *value)
{
    (void)manifest;
    return read_texts(&run->baselines, value);
}

/* However their options were written. */
static int is_same_metric(const gig_metric *a, const gig_metric *b)
{
    char one[GIG_METRIC_NAME_BYTES], other[GIG_METRIC_NAME_BYTES];
    return !strcmp(gig_metric_name(one, sizeof one, a), gig_metric_name(other, sizeof other, b));
}

static gig_status read_metrics(gig_run *run, const gig_manifest *manifest, json_t *value)
{
    gig_texts names = {0};
    (void)manifest;
    gig_free(run->metrics);
    run->metrics = NULL;
    run->metric_count = 0;
    gig_status status = read_texts(&names, value);
    if (status == GIG_OK && !(run->metrics = gig_alloc(names.count, sizeof *run->metrics))) status = gig_alloc_status();
    for (size_t i = 0; i < names.count && status == GIG_OK; i++) {
        gig_metric *metric = &run->metrics[run->metric_count++];
        status = gig_metric_parse(metric, names.all[i]) == GIG_OK ? GIG_OK : GIG_EFORMAT;
        for (size_t k = 0; k < i && status == GIG_OK; k++)
            if (is_same_metric(&run->metrics[k], metric))
                status = gig_fail(GIG_EFORMAT, "\"%s\" appears twice", names.all[i]);
        if (status != GIG_OK) gig_fail_in(status, "[%zu]", i);
    }
    gig_texts_clear(&names);
    return status;
}

/* {"steps": 200, "rule": "midpoint"}: numbers and texts as the command line's flags take them. */
static gig_status read_options(gig_run *run, const gig_manifest *manifest, json_t *value)
{
    const char *name;
    json_t *item;
    (void)manifest;
    gig_texts_clear(&run->option_names);
    gig_texts_clear(&run->option_values);
    if (!json_is_object(value)) return gig_fail(GIG_EFORMAT, "expected an object");
    json_object_foreach(value, name, item)
    {
        char number[32];
        const char *text = json_string_value(item);
        if (json_is_number(item)) text = gig_format_double(number, sizeof number, 15, json_number_value(item));
        if (!text) return gig_fail(GIG_EFORMAT, "%s: expected a number or a string", name);
        if (!strcmp(name, "baseline")) return gig_fail(GIG_EFORMAT, "baseline: \"baselines\" names them");
        GIG_TRY(add_text(&run->option_names, name));
        GIG_TRY(gig_texts_add(&run->option_values, text));
    }
    return GIG_OK;
}

static gig_status read_of(gig_run *run, const gig_manifest *manifest, json_t *value)
{
    int choice;
    (void)manifest;
    GIG_TRY(gig_json_choice(&choice, value, scalar_choices));
    run->scalar = (gig_scalar)choice;
    run->scalar_said = 1;
    return GIG_OK;
}

/* Names in a store say what was explained; a file name would not identify the file's content. */
static gig_status read_part(gig_run *run, const char *kind, const json_t *value)
{
    enum { MOST = 200 };
    const char *text = json_string_value(value);
    int region = !strcmp(kind, "region");
    char part[MOST + 16];
    gig_target_choice choice;
    if (!text || strlen(text) > MOST) return gig_fail(GIG_EFORMAT, "expected a short string");
    if (region && gig_image_has_ending(text))
        return gig_fail(GIG_EFORMAT,
                        "expected \"predicted\" or a box \"x0,y0,x1,y1\"; mask files are not supported in studies");
    gig_status status = gig_target_read(&choice, region ? text : NULL, region ? NULL : text, NULL);
    gig_target_clear(&choice);
    if (status == GIG_ENOMEM) return status;
    if (status != GIG_OK) return gig_fail_because(GIG_EFORMAT, gig_message());
    snprintf(part, sizeof part, "%s %s", kind, text);
    gig_free(run->part);
    run->part = gig_strdup(part);
    return run->part ? GIG_OK : gig_alloc_status();
}

static gig_status read_region(gig_run *run, const gig_manifest *manifest, json_t *value)
{
    (void)manifest;
    return read_part(run, "region", value);
}

static gig_status read_index(gig_run *run, const gig_manifest *manifest, json_t *value)
{
    (void)manifest;
    return read_part(run, "index", value);
}

static gig_status read_precision(gig_run *run, const gig_manifest *manifest, json_t *value)
{
    int choice;
    (void)manifest;
    GIG_TRY(gig_json_choice(&choice, value, precision_choices));
    run->precision = (gig_precision)choice;
    return GIG_OK;
}

static gig_status read_box_area(gig_run *run, const json_t *value)
{
    const json_t *least = json_array_get(value, 0), *most = json_array_get(value, 1);
    run->least_area = json_number_value(least);
    run->most_area = json_number_value(most);
    if (json_array_size(value) != 2 || !json_is_number(least) || !json_is_number(most) || !(run->least_area >= 0) ||
        !(run->most_area <= 1) || !(run->least_area <= run->most_area))
        return gig_fail(GIG_EFORMAT, "box-area: expected two increasing numbers from 0 to 1");
    return GIG_OK;
}

static gig_status read_filter_key(gig_run *run, const char *key, const json_t *value)
{
    int64_t top;
    if (!strcmp(key, "box-area")) return read_box_area(run, value);
    if (!strcmp(key, "top")) {
        gig_status status = gig_json_whole(&top, value, 1, INT32_MAX);
        if (status != GIG_OK) return gig_fail_in(status, "top");
        if (!run->top) run->top = (size_t)top; /* "correct" is stricter, if it came first */
        return GIG_OK;
    }
    if (!strcmp(key, "confidence")) {
        run->confidence = json_number_value(value);
        if (json_is_number(value) && run->confidence >= 0 && run->confidence <= 1) return GIG_OK;
        return gig_fail(GIG_EFORMAT, "confidence: expected a number from 0 to 1");
    }
    if (strcmp(key, "correct"))
        return gig_fail(GIG_EFORMAT, "%s: unknown key; expected top, correct, confidence or box-area", key);
    if (!json_is_boolean(value)) return gig_fail(GIG_EFORMAT, "correct: expected true or false");
    if (json_is_true(value)) run->top = 1;
    return GIG_OK;
}

static gig_status read_filter(gig_run *run, const gig_manifest *manifest, json_t *value)
{
    const char *key;
    json_t *item;
    (void)manifest;
    run->top = 0;
    run->confidence = 0;
    run->least_area = 0;
    run->most_area = 1;
    if (!json_is_object(value)) return gig_fail(GIG_EFORMAT, "expected an object");
    json_object_foreach(value, key, item) GIG_TRY(read_filter_key(run, key, item));
    return GIG_OK;
}

static gig_status read_limit(gig_run *run, const gig_manifest *manifest, json_t *value)
{
    int64_t limit;
    (void)manifest;
    GIG_TRY(gig_json_whole(&limit, value, 1, INT32_MAX));
    run->limit = (size_t)limit;
    return GIG_OK;
}

static gig_status read_order(gig_run *run, const gig_manifest *manifest, json_t *value)
{
    (void)manifest;
    return gig_json_choice(&run->random_order, value, "first|random");
}

static const struct {
    const char *name;
    read_key read;
    int inherited; /* 0: means something else at the top */
} keys[] = {
    {"models", read_models, 0},   {"pictures", read_pictures, 0},
    {"methods", read_methods, 1}, {"baselines", read_baselines, 1},
    {"metrics", read_metrics, 1}, {"options", read_options, 1},
    {"of", read_of, 1},           {"precision", read_precision, 1},
    {"filter", read_filter, 1},   {"limit", read_limit, 1},
    {"order", read_order, 1},     {"region", read_region, 1},
    {"index", read_index, 1},
};
enum { KEYS = sizeof keys / sizeof *keys };

gig_status gig_run_refuse_key(const char *key, const char *const *others)
{
    char hint[GIG_HINT_BYTES];
    gig_guess like = gig_guess_begin(key, strlen(key));
    for (size_t i = 0; i < KEYS; i++) gig_guess_try(&like, keys[i].name);
    for (; others && *others; others++) gig_guess_try(&like, *others);
    return gig_fail(GIG_EFORMAT, "%.80s: unknown key%s", key, gig_guess_hint(hint, &like));
}

int gig_run_has_key(const char *key)
{
    for (size_t i = 0; i < KEYS; i++)
        if (!strcmp(keys[i].name, key)) return 1;
    return 0;
}

gig_status gig_run_read(gig_run *run, const gig_manifest *manifest, json_t *object, int is_top)
{
    const char *key;
    json_t *value;
    if (!is_top) json_object_foreach(object, key, value)
        {
            if (!gig_run_has_key(key)) return gig_run_refuse_key(key, NULL);
        }
    if (json_object_get(object, "region") && json_object_get(object, "index"))
        return gig_fail(GIG_EFORMAT, "several targets given: expected only one of region and index");
    for (size_t i = 0; i < KEYS; i++) {
        value = json_object_get(object, keys[i].name);
        if (!value || (is_top && !keys[i].inherited)) continue;
        gig_status status = keys[i].read(run, manifest, value);
        if (status != GIG_OK) return gig_fail_in(status, "%s", keys[i].name);
    }
    return GIG_OK;
}

static gig_status take_all(gig_indices *out, size_t count)
{
    out->all = gig_alloc(count, sizeof *out->all);
    if (!out->all) return gig_alloc_status();
    for (out->count = 0; out->count < count; out->count++) out->all[out->count] = out->count;
    return GIG_OK;
}

gig_status gig_run_begin(gig_run *run, const gig_manifest *manifest)
{
    *run = (gig_run){.most_area = 1};
    GIG_TRY(take_all(&run->models, manifest->models.count));
    GIG_TRY(take_all(&run->sets, manifest->sets.count));
    run->baselines.all = gig_alloc(1, sizeof *run->baselines.all);
    if (!run->baselines.all) return gig_alloc_status();
    return add_text(&run->baselines, "black");
}
