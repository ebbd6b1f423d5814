/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a manifest: the top level, its runs, and checks across them. */
#include "work/manifest/manifest.h"
#include "base/file.h"
#include "base/filename.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "work/manifest/manifest_json.h"
#include "work/manifest/variant.h"
#include <stdio.h>
#include <string.h>

enum { MAX_BYTES = 16 << 20, MAX_RUNS = 10000 };

/* ---- freeing ---- */

static void clear_files(gig_named_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        gig_free(files->all[i].name);
        gig_free(files->all[i].file);
    }
    gig_free(files->all);
}

static void clear_run(gig_run *run)
{
    gig_free(run->models.all);
    gig_free(run->sets.all);
    gig_texts_clear(&run->methods);
    gig_texts_clear(&run->baselines);
    gig_texts_clear(&run->option_names);
    gig_texts_clear(&run->option_values);
    gig_free(run->metrics);
    gig_free(run->part);
}

void gig_manifest_free(gig_manifest *manifest)
{
    if (!manifest) return;
    for (size_t i = 0; i < manifest->run_count; i++) clear_run(&manifest->runs[i]);
    gig_free(manifest->runs);
    for (size_t i = 0; i < manifest->baseline_count; i++) gig_baseline_pictures_clear(&manifest->baselines[i]);
    gig_free(manifest->baselines);
    clear_files(&manifest->models);
    clear_files(&manifest->sets);
    gig_free(manifest->path);
    gig_free(manifest->title);
    gig_free(manifest->text);
    gig_free(manifest);
}

/* ---- the top ---- */

/* {"NAME": "file", ...} */
static gig_status read_files(gig_named_files *out, json_t *value, const char *manifest)
{
    size_t count = json_object_size(value);
    if (!count) return gig_fail(GIG_EFORMAT, "expected an object of names and files");
    out->all = gig_alloc_zero(count, sizeof *out->all);
    if (!out->all) return gig_alloc_status();
    const char *name;
    json_t *file;
    json_object_foreach(value, name, file)
    {
        const char *text = json_string_value(file);
        if (!*name) return gig_fail(GIG_EFORMAT, "a name is empty");
        if (!text || !*text) return gig_fail(GIG_EFORMAT, "%s: expected a file name", name);
        gig_named_file *entry = &out->all[out->count++];
        entry->name = gig_strdup(name);
        entry->file = gig_filename_beside(manifest, text);
        if (!entry->name || !entry->file) return gig_alloc_status();
    }
    return GIG_OK;
}

static gig_status check_top_key(const char *key)
{
    static const char *const others[] = {"title", "seed", "keep", "portable", "models", "pictures", "runs", NULL};
    for (const char *const *other = others; *other; other++)
        if (!strcmp(key, *other)) return GIG_OK;
    return gig_run_has_key(key) ? GIG_OK : gig_run_refuse_key(key, others);
}

static gig_status read_top_key(gig_manifest *out, const char *key, json_t *value)
{
    if (!strcmp(key, "title")) return gig_json_text(&out->title, value);
    if (!strcmp(key, "seed")) return gig_json_whole(&out->seed, value, 0, INT64_MAX);
    if (!strcmp(key, "keep")) return gig_json_choice(&out->keep_maps, value, "nothing|maps");
    if (!strcmp(key, "portable")) return gig_json_flag(&out->portable, value);
    if (!strcmp(key, "models")) return read_files(&out->models, value, out->path);
    if (!strcmp(key, "pictures")) return read_files(&out->sets, value, out->path);
    return GIG_OK; /* runs: when the rest is known */
}

static gig_status read_top(gig_manifest *out, json_t *root)
{
    const char *key;
    json_t *value;
    if (!json_is_object(root)) return gig_fail(GIG_EFORMAT, "expected an object");
    json_object_foreach(root, key, value)
    {
        GIG_TRY(check_top_key(key));
        gig_status status = read_top_key(out, key, value);
        if (status != GIG_OK) return gig_fail_in(status, "%s", key);
    }
    if (!out->models.count) return gig_fail(GIG_EFORMAT, "models: the object is empty");
    if (!out->sets.count) return gig_fail(GIG_EFORMAT, "pictures: the object is empty");
    return GIG_OK;
}

/* ---- runs ---- */

/* Adds the position of an error inside a method's name or a baseline. */
static gig_status wrong(const char *key, size_t index)
{
    return gig_fail_in(GIG_EFORMAT, "%s: [%zu]", key, index);
}

/* Two methods, or baselines, that are the same under different names. */
static gig_status refuse_same(const gig_texts *names, size_t a, size_t b)
{
    return gig_fail(GIG_EFORMAT, "\"%s\" is the same as \"%s\"", names->all[b], names->all[a]);
}

/* seen: the canonical names of earlier methods, each computed once, so that the time is not quadratic in the number of
 * methods. */
static gig_status check_method(const gig_run *run, size_t i, const gig_method *defaults, gig_texts *seen)
{
    gig_variant own;
    char made[sizeof own.name + sizeof own.baseline];
    for (size_t b = 0; b < run->baselines.count; b++)
        GIG_TRY(gig_variant_make(&own, run->methods.all[i], defaults, run->baselines.all[b]));
    snprintf(made, sizeof made, "%s %s", own.name, own.baseline);
    for (size_t k = 0; k < i; k++)
        if (!strcmp(seen->all[k], made)) return refuse_same(&run->methods, k, i);
    return gig_texts_add(seen, made);
}

static gig_status check_methods(const gig_run *run, const gig_method *defaults)
{
    gig_texts seen = {0};
    gig_status status = GIG_OK;
    for (size_t i = 0; i < run->methods.count && status == GIG_OK; i++) {
        status = check_method(run, i, defaults, &seen);
        if (status != GIG_OK && status != GIG_ENOMEM) status = wrong("methods", i);
    }
    gig_texts_clear(&seen);
    return status;
}

static gig_status check_baseline(const gig_run *run, size_t i, const gig_method *defaults)
{
    char own[GIG_BASELINE_NAME_BYTES], other[GIG_BASELINE_NAME_BYTES];
    gig_method unused = *defaults;
    if (!gig_baseline_is_pictures(run->baselines.all[i]))
        GIG_TRY(gig_method_set(&unused, "baseline", run->baselines.all[i]));
    GIG_TRY(gig_baseline_name(own, run->baselines.all[i]));
    for (size_t k = 0; k < i; k++) {
        GIG_TRY(gig_baseline_name(other, run->baselines.all[k]));
        if (!strcmp(own, other)) return refuse_same(&run->baselines, k, i);
    }
    return GIG_OK;
}

static gig_status check_run(const gig_run *run)
{
    gig_method defaults;
    gig_method_init(&defaults);
    if (!run->methods.count) return gig_fail(GIG_EFORMAT, "methods: the list is empty");
    if (!run->metric_count) return gig_fail(GIG_EFORMAT, "metrics: the list is empty");
    if (run->part && (run->top || run->confidence > 0 || run->least_area > 0 || run->most_area < 1))
        return gig_fail(GIG_EFORMAT, "filter: pictures are chosen by the class of the whole output, not of a %.6s",
                        run->part);
    for (size_t i = 0; i < run->option_names.count; i++)
        if (gig_method_set(&defaults, run->option_names.all[i], run->option_values.all[i]) != GIG_OK)
            return gig_fail_in(GIG_EFORMAT, "options");
    for (size_t i = 0; i < run->baselines.count; i++)
        if (check_baseline(run, i, &defaults) != GIG_OK) return wrong("baselines", i);
    return check_methods(run, &defaults);
}

/* Each set of pictures is kept once; `found` is emptied if it is kept. */
static gig_status keep_pictures(gig_manifest *out, gig_baseline_pictures *found)
{
    void *all = out->baselines;
    size_t capacity = out->baseline_count;
    for (size_t i = 0; i < out->baseline_count; i++)
        if (!strcmp(out->baselines[i].name, found->name)) return GIG_OK;
    gig_status status = gig_grow(&all, &capacity, out->baseline_count + 1, sizeof *out->baselines);
    out->baselines = all;
    if (status != GIG_OK) return status;
    out->baselines[out->baseline_count++] = *found;
    found->files = (gig_texts){0};
    return GIG_OK;
}

/* pictures:DIR:N becomes the name that identifies the pictures. */
static gig_status name_pictures(char **baseline, gig_manifest *out)
{
    gig_baseline_pictures found;
    gig_status status = gig_baseline_pictures_find(&found, *baseline, out->path, (uint64_t)out->seed);
    if (status == GIG_OK) status = keep_pictures(out, &found);
    char *name = status == GIG_OK ? gig_strdup(found.name) : NULL;
    gig_baseline_pictures_clear(&found);
    if (status != GIG_OK) return status;
    if (!name) return gig_alloc_status();
    gig_free(*baseline);
    *baseline = name;
    return GIG_OK;
}

static gig_status find_pictures(gig_manifest *out, gig_run *run)
{
    for (size_t i = 0; i < run->baselines.count; i++) {
        if (!gig_baseline_is_pictures(run->baselines.all[i])) continue;
        gig_status status = name_pictures(&run->baselines.all[i], out);
        if (status != GIG_OK) return status == GIG_ENOMEM ? status : wrong("baselines", i);
    }
    return GIG_OK;
}

/* The keys of the top level, then (in a run) its own. */
static gig_status read_run(gig_manifest *out, json_t *root, json_t *own)
{
    gig_run *run = &out->runs[out->run_count++];
    GIG_TRY(gig_run_begin(run, out));
    GIG_TRY(gig_run_read(run, out, root, 1));
    if (own) GIG_TRY(gig_run_read(run, out, own, 0));
    if (gig_part_is_number(run->part) && !run->scalar_said) run->scalar = GIG_VALUE;
    GIG_TRY(find_pictures(out, run));
    return check_run(run);
}

/* Does the message begin with a key that only the top level has? */
static int is_inherited(const json_t *root, const json_t *own)
{
    char key[32];
    snprintf(key, sizeof key, "%.*s", (int)strcspn(gig_message(), ":"), gig_message());
    return json_object_get(root, key) && !json_object_get(own, key);
}

static gig_status read_runs(gig_manifest *out, json_t *root)
{
    const json_t *runs = json_object_get(root, "runs");
    size_t count = runs ? json_array_size(runs) : 1;
    if (runs && (!json_is_array(runs) || !count)) return gig_fail(GIG_EFORMAT, "runs: expected an array of objects");
    if (count > MAX_RUNS) return gig_fail(GIG_ELIMIT, "runs: %zu exceed %d", count, MAX_RUNS);
    out->runs = gig_alloc_zero(count, sizeof *out->runs);
    if (!out->runs) return gig_alloc_status();
    if (!runs) return read_run(out, root, NULL);
    /* An error at the top level is reported as such, before any run inherits it. */
    gig_run first = {0};
    gig_status status = gig_run_begin(&first, out);
    if (status == GIG_OK) status = gig_run_read(&first, out, root, 1);
    clear_run(&first);
    for (size_t i = 0; i < count && status == GIG_OK; i++) {
        json_t *own = json_array_get(runs, i);
        status = json_is_object(own) ? read_run(out, root, own) : gig_fail(GIG_EFORMAT, "expected an object");
        if (status != GIG_OK) gig_fail_in(status, "runs[%zu]%s", i, is_inherited(root, own) ? " inherits" : "");
    }
    return status;
}

static gig_status parse(gig_manifest *out, const char *bytes, size_t count)
{
    json_error_t error;
    size_t mark = gig_utf8_mark(bytes, count);
    json_t *root = json_loadb(bytes + mark, count - mark, JSON_REJECT_DUPLICATES, &error);
    if (!root && json_error_code(&error) == json_error_out_of_memory) return gig_fail(GIG_ENOMEM, "out of memory");
    if (!root) return gig_fail(GIG_EFORMAT, "line %d: %s", error.line, error.text);
    gig_status status = read_top(out, root);
    if (status == GIG_OK) status = read_runs(out, root);
    json_decref(root);
    return status;
}

gig_status gig_manifest_read(gig_manifest **out, const char *path)
{
    uint8_t *bytes;
    size_t count;
    *out = NULL;
    GIG_TRY(gig_file_read(&bytes, &count, path, MAX_BYTES));
    gig_manifest *manifest = gig_alloc_zero(1, sizeof *manifest);
    if (!manifest) {
        gig_free(bytes);
        return gig_alloc_status();
    }
    manifest->text = (char *)bytes;
    manifest->path = gig_strdup(path);
    gig_status status = manifest->path ? parse(manifest, manifest->text, count) : gig_alloc_status();
    if (status == GIG_OK) {
        *out = manifest;
        return GIG_OK;
    }
    gig_manifest_free(manifest);
    return gig_fail_in(status, "%s", path);
}
