/* SPDX-License-Identifier: Apache-2.0 */
/* Models, pictures and rankings of a plan. */
#include "work/schedule/schedule.h"
#include "base/filename.h"
#include "base/memory.h"
#include "base/status.h"
#include "model/description.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void gig_plan_free(gig_plan *plan)
{
    if (!plan) return;
    for (size_t i = 0; plan->sets && i < plan->manifest->sets.count; i++) gig_subjects_clear(&plan->sets[i]);
    for (size_t i = 0; plan->unranked && i < plan->manifest->models.count * plan->picture_count; i++)
        gig_free(plan->unranked[i]);
    gig_texts_clear(&plan->metric_names);
    void *const parts[] = {plan->maps,     plan->models,    plan->sets,        plan->pictures,
                           plan->unranked, plan->set_first, plan->variants,    plan->cells,
                           plan->sources,  plan->slots,     plan->remarks.text};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) gig_free(parts[i]);
    gig_free(plan);
}

/* ---- progress ---- */

gig_status gig_plan_report(const gig_plan *plan, const char *stage, size_t done, size_t count)
{
    const gig_study_options *options = plan->options;
    const gig_study_progress now = {.cells = count, .done = done, .remaining = NAN, .stage = stage};
    int stops = options->progress && options->progress(options->payload, &now) != 0;
    return stops ? gig_fail(GIG_ECANCEL, "stopped") : GIG_OK;
}

/* While one of the files is read. */
typedef struct reading {
    const gig_plan *plan;
    const char *stage;
    size_t done, count;
} reading;

static int stops_reading(void *payload)
{
    const reading *r = payload;
    return gig_plan_report(r->plan, r->stage, r->done, r->count) != GIG_OK;
}

/* ---- models and pictures ---- */

/* With its description, where one is beside it. */
static gig_status hash_model(char hash[GIG_HASH_TEXT], const char *path, const gig_hash_watch *watch)
{
    char *description = gig_description_beside(path);
    if (!description) return gig_alloc_status();
    gig_status status = gig_model_hash(hash, path, access(description, R_OK) == 0 ? description : NULL, watch);
    gig_free(description);
    return status;
}

static gig_status know_models(gig_plan *plan)
{
    const gig_named_files *files = &plan->manifest->models;
    reading r = {plan, "reading models", 0, files->count};
    const gig_hash_watch watch = {stops_reading, &r};
    plan->models = gig_alloc_zero(files->count, sizeof *plan->models);
    if (!plan->models) return gig_alloc_status();
    for (size_t i = 0; i < files->count; i++) {
        gig_plan_model *model = &plan->models[i];
        model->file = &files->all[i];
        r.done = i;
        GIG_TRY(gig_plan_report(plan, r.stage, r.done, r.count));
        gig_status status = hash_model(model->hash, model->file->file, &watch);
        if (status != GIG_OK) return gig_fail_in(status, "models: %s", model->file->name);
        for (size_t k = 0; k < i; k++)
            if (!strcmp(plan->models[k].hash, model->hash))
                return gig_fail(GIG_EFORMAT, "models: %s: is the same model as %s", model->file->name,
                                plan->models[k].file->name);
        GIG_TRY(gig_store_put_model(&model->id, plan->store, model->hash, model->file->name, model->file->file));
    }
    return GIG_OK;
}

static gig_status read_sets(gig_plan *plan)
{
    const gig_named_files *files = &plan->manifest->sets;
    plan->sets = gig_alloc_zero(files->count, sizeof *plan->sets);
    plan->set_first = gig_alloc_zero(files->count + 1, sizeof *plan->set_first);
    if (!plan->sets || !plan->set_first) return gig_alloc_status();
    for (size_t i = 0; i < files->count; i++) {
        gig_status status = gig_subjects_read(&plan->sets[i], files->all[i].file);
        if (status != GIG_OK) return gig_fail_in(status, "pictures: %s", files->all[i].name);
        plan->set_first[i + 1] = plan->set_first[i] + plan->sets[i].count;
    }
    plan->picture_count = plan->set_first[files->count];
    return GIG_OK;
}

static uint64_t first_digits(const char *hash)
{
    uint64_t number = 0;
    for (int i = 0; i < 14; i++) number = number << 4 | (uint64_t)(hash[i] <= '9' ? hash[i] - '0' : hash[i] - 'a' + 10);
    return number;
}

static gig_status know_pictures(gig_plan *plan)
{
    reading r = {plan, "reading pictures", 0, plan->picture_count};
    const gig_hash_watch watch = {stops_reading, &r};
    plan->pictures = gig_alloc_zero(plan->picture_count, sizeof *plan->pictures);
    plan->unranked = gig_alloc_zero(plan->picture_count * plan->manifest->models.count, sizeof *plan->unranked);
    if (!plan->pictures || !plan->unranked) return gig_alloc_status();
    for (size_t set = 0; set < plan->manifest->sets.count; set++)
        for (size_t i = 0; i < plan->sets[set].count; i++) {
            gig_plan_picture *picture = &plan->pictures[plan->set_first[set] + i];
            const char *collection = plan->manifest->sets.all[set].name;
            picture->subject = &plan->sets[set].all[i];
            picture->set = set;
            GIG_TRY(gig_plan_report(plan, r.stage, r.done, r.count));
            GIG_TRY(gig_subject_hash(picture->hash, collection, picture->subject, &watch));
            r.done++;
            picture->number = first_digits(picture->hash);
            GIG_TRY(gig_store_put_picture(&picture->id, plan->store, picture->hash, collection, picture->subject));
        }
    return GIG_OK;
}

/* What other stores have of these models and pictures. */
static gig_status take_scores(gig_plan *plan)
{
    const char *const *take = plan->options->take;
    reading r = {plan, "taking scores", 0, 0};
    const gig_hash_watch watch = {stops_reading, &r};
    while (take && take[r.count]) r.count++;
    for (; r.done < r.count; r.done++) {
        size_t shared;
        const char *path = take[r.done];
        GIG_TRY(gig_plan_report(plan, r.stage, r.done, r.count));
        GIG_TRY(gig_store_take(&shared, plan->store, path, &watch));
        if (!shared) gig_text_add(&plan->remarks, "%s has no cell of these models and pictures\n", path);
    }
    return GIG_OK;
}

static gig_status prepare(gig_plan *plan, const char *store_path)
{
    plan->maps = gig_store_beside(store_path, ".maps");
    if (!plan->maps) return gig_alloc_status();
    GIG_TRY(read_sets(plan));
    GIG_TRY(gig_store_begin(plan->store));
    GIG_TRY(know_models(plan));
    GIG_TRY(know_pictures(plan));
    GIG_TRY(take_scores(plan));
    GIG_TRY(gig_store_set_fact(plan->store, "manifest", plan->manifest->text));
    return gig_store_commit(plan->store);
}

gig_status gig_plan_create(gig_plan **out, const gig_manifest *manifest, gig_store *store, const char *store_path,
                           const gig_study_options *options)
{
    *out = NULL;
    gig_plan *plan = gig_alloc_zero(1, sizeof *plan);
    if (!plan) return gig_alloc_status();
    plan->manifest = manifest;
    plan->store = store;
    plan->options = options;
    gig_status status = prepare(plan, store_path);
    if (status == GIG_OK)
        *out = plan;
    else {
        gig_store_undo(store);
        gig_plan_free(plan);
    }
    return status;
}

char *gig_plan_map_path(const gig_plan *plan, const gig_plan_cell *cell)
{
    char name[GIG_HASH_TEXT + sizeof ".npz"];
    snprintf(name, sizeof name, "%s.npz", cell->key);
    return gig_path_inside(plan->maps, name);
}

/* ---- rankings ---- */

int gig_plan_needs_ranking(const gig_run *run, const gig_subject *subject)
{
    return run->top || run->confidence > 0 || run->least_area > 0 || run->most_area < 1 || subject->label < 0;
}

/* Marks the pairs that some run needs. */
static void mark_pairs(uint8_t *marks, const gig_plan *plan)
{
    for (size_t r = 0; r < plan->manifest->run_count; r++) {
        const gig_run *run = &plan->manifest->runs[r];
        for (size_t m = 0; m < run->models.count; m++)
            for (size_t s = 0; s < run->sets.count; s++)
                for (size_t p = plan->set_first[run->sets.all[s]]; p < plan->set_first[run->sets.all[s] + 1]; p++)
                    if (gig_plan_needs_ranking(run, plan->pictures[p].subject))
                        marks[run->models.all[m] * plan->picture_count + p] = 1;
    }
}

static gig_status list_pairs(gig_plan_pair *pairs, size_t *count, gig_plan *plan, const uint8_t *marks)
{
    for (size_t m = 0; m < plan->manifest->models.count; m++)
        for (size_t p = 0; p < plan->picture_count; p++) {
            gig_ranking ranking;
            int found = 1;
            if (!marks[m * plan->picture_count + p]) continue;
            GIG_TRY(gig_store_get_ranking(&ranking, &found, plan->store, plan->models[m].id, plan->pictures[p].id));
            if (!found) pairs[(*count)++] = (gig_plan_pair){m, p};
        }
    return GIG_OK;
}

gig_status gig_plan_rankings(gig_plan_pair **out, size_t *count, gig_plan *plan)
{
    size_t all = plan->manifest->models.count * plan->picture_count;
    *out = NULL;
    *count = 0;
    uint8_t *marks = gig_alloc_zero(all, 1);
    gig_plan_pair *pairs = gig_alloc(all, sizeof *pairs);
    gig_status status = marks && pairs ? GIG_OK : gig_alloc_status();
    if (status == GIG_OK) {
        mark_pairs(marks, plan);
        status = list_pairs(pairs, count, plan, marks);
    }
    gig_free(marks);
    if (status == GIG_OK)
        *out = pairs;
    else
        gig_free(pairs);
    return status;
}
