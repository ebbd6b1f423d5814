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

void gig_schedule_free(gig_schedule *schedule)
{
    if (!schedule) return;
    for (size_t i = 0; schedule->sets && i < schedule->manifest->sets.count; i++)
        gig_picture_list_clear(&schedule->sets[i]);
    for (size_t i = 0; schedule->unranked && i < schedule->manifest->models.count * schedule->picture_count; i++)
        gig_free(schedule->unranked[i]);
    gig_texts_clear(&schedule->metric_names);
    void *const parts[] = {schedule->maps,     schedule->models,    schedule->sets,        schedule->pictures,
                           schedule->unranked, schedule->set_first, schedule->variants,    schedule->cells,
                           schedule->sources,  schedule->slots,     schedule->remarks.text};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) gig_free(parts[i]);
    gig_free(schedule);
}

/* ---- progress ---- */

gig_status gig_schedule_report(const gig_schedule *schedule, const char *stage, size_t done, size_t count)
{
    const gig_study_options *options = schedule->options;
    const gig_study_progress now = {.cells = count, .done = done, .remaining = NAN, .stage = stage};
    int stops = options->progress && options->progress(options->payload, &now) != 0;
    return stops ? gig_fail(GIG_ECANCEL, "stopped") : GIG_OK;
}

/* While one of the files is read. */
typedef struct reading {
    const gig_schedule *schedule;
    const char *stage;
    size_t done, count;
} reading;

static int stops_reading(void *payload)
{
    const reading *r = payload;
    return gig_schedule_report(r->schedule, r->stage, r->done, r->count) != GIG_OK;
}

/* ---- models and pictures ---- */

/* With its description, if there is one. */
static gig_status hash_model(char hash[GIG_HASH_TEXT], const char *path, const gig_hash_watch *watch)
{
    char *description = gig_description_beside(path);
    if (!description) return gig_alloc_status();
    gig_status status = gig_model_hash(hash, path, access(description, R_OK) == 0 ? description : NULL, watch);
    gig_free(description);
    return status;
}

/* Checks its description and labels once here, instead of in every cell. */
static gig_status check_description(const char *path)
{
    gig_description *about;
    gig_status status = gig_description_load(&about, path);
    if (status == GIG_EIO) status = gig_fail(GIG_EFORMAT, "%s", gig_message()); /* it names a file that is not there */
    if (status == GIG_OK) gig_description_free(about);
    return status;
}

static gig_status know_models(gig_schedule *schedule)
{
    const gig_named_files *files = &schedule->manifest->models;
    reading r = {schedule, "reading models", 0, files->count};
    const gig_hash_watch watch = {stops_reading, &r};
    schedule->models = gig_alloc_zero(files->count, sizeof *schedule->models);
    if (!schedule->models) return gig_alloc_status();
    for (size_t i = 0; i < files->count; i++) {
        gig_schedule_model *model = &schedule->models[i];
        model->file = &files->all[i];
        r.done = i;
        GIG_TRY(gig_schedule_report(schedule, r.stage, r.done, r.count));
        gig_status status = hash_model(model->hash, model->file->file, &watch);
        if (status == GIG_OK) status = check_description(model->file->file);
        if (status != GIG_OK) return gig_fail_in(status, "%s: models: %s", schedule->manifest->path, model->file->name);
        for (size_t k = 0; k < i; k++)
            if (!strcmp(schedule->models[k].hash, model->hash))
                return gig_fail(GIG_EFORMAT, "%s: models: %s: is the same model as %s", schedule->manifest->path,
                                model->file->name, schedule->models[k].file->name);
        GIG_TRY(gig_store_put_model(&model->id, schedule->store, model->hash, model->file->name, model->file->file));
    }
    return GIG_OK;
}

static gig_status read_sets(gig_schedule *schedule)
{
    const gig_named_files *files = &schedule->manifest->sets;
    schedule->sets = gig_alloc_zero(files->count, sizeof *schedule->sets);
    schedule->set_first = gig_alloc_zero(files->count + 1, sizeof *schedule->set_first);
    if (!schedule->sets || !schedule->set_first) return gig_alloc_status();
    for (size_t i = 0; i < files->count; i++) {
        gig_status status = gig_picture_list_read(&schedule->sets[i], files->all[i].file);
        if (status != GIG_OK)
            return gig_fail_in(status, "%s: pictures: %s", schedule->manifest->path, files->all[i].name);
        schedule->set_first[i + 1] = schedule->set_first[i] + schedule->sets[i].count;
    }
    schedule->picture_count = schedule->set_first[files->count];
    return GIG_OK;
}

static uint64_t first_digits(const char *hash)
{
    uint64_t number = 0;
    for (int i = 0; i < 14; i++) number = number << 4 | (uint64_t)(hash[i] <= '9' ? hash[i] - '0' : hash[i] - 'a' + 10);
    return number;
}

static gig_status know_pictures(gig_schedule *schedule)
{
    reading r = {schedule, "reading pictures", 0, schedule->picture_count};
    const gig_hash_watch watch = {stops_reading, &r};
    schedule->pictures = gig_alloc_zero(schedule->picture_count, sizeof *schedule->pictures);
    schedule->unranked =
        gig_alloc_zero(schedule->picture_count * schedule->manifest->models.count, sizeof *schedule->unranked);
    if (!schedule->pictures || !schedule->unranked) return gig_alloc_status();
    for (size_t set = 0; set < schedule->manifest->sets.count; set++)
        for (size_t i = 0; i < schedule->sets[set].count; i++) {
            gig_schedule_picture *picture = &schedule->pictures[schedule->set_first[set] + i];
            const char *collection = schedule->manifest->sets.all[set].name;
            picture->subject = &schedule->sets[set].all[i];
            picture->set = set;
            GIG_TRY(gig_schedule_report(schedule, r.stage, r.done, r.count));
            GIG_TRY(gig_study_picture_hash(picture->hash, collection, picture->subject, &watch));
            r.done++;
            picture->number = first_digits(picture->hash);
            GIG_TRY(gig_store_put_picture(&picture->id, schedule->store, picture->hash, collection, picture->subject));
        }
    return GIG_OK;
}

/* Imports what other stores have for these models and pictures. */
static gig_status take_scores(gig_schedule *schedule)
{
    const char *const *take = schedule->options->take;
    reading r = {schedule, "taking scores", 0, 0};
    const gig_hash_watch watch = {stops_reading, &r};
    while (take && take[r.count]) r.count++;
    for (; r.done < r.count; r.done++) {
        size_t shared;
        const char *path = take[r.done];
        GIG_TRY(gig_schedule_report(schedule, r.stage, r.done, r.count));
        GIG_TRY(gig_store_import(&shared, schedule->store, path, &watch));
        if (!shared) gig_text_add(&schedule->remarks, "%s has no cell of these models and pictures\n", path);
    }
    return GIG_OK;
}

static gig_status prepare(gig_schedule *schedule, const char *store_path)
{
    schedule->maps = gig_store_beside(store_path, ".maps");
    if (!schedule->maps) return gig_alloc_status();
    GIG_TRY(read_sets(schedule));
    GIG_TRY(gig_store_begin(schedule->store));
    GIG_TRY(know_models(schedule));
    GIG_TRY(know_pictures(schedule));
    GIG_TRY(take_scores(schedule));
    GIG_TRY(gig_store_set_fact(schedule->store, "manifest", schedule->manifest->text));
    return gig_store_commit(schedule->store);
}

gig_status gig_schedule_create(gig_schedule **out, const gig_manifest *manifest, gig_store *store,
                               const char *store_path, const gig_study_options *options)
{
    *out = NULL;
    gig_schedule *schedule = gig_alloc_zero(1, sizeof *schedule);
    if (!schedule) return gig_alloc_status();
    schedule->manifest = manifest;
    schedule->store = store;
    schedule->options = options;
    gig_status status = prepare(schedule, store_path);
    if (status == GIG_OK)
        *out = schedule;
    else {
        gig_store_undo(store);
        gig_schedule_free(schedule);
    }
    return status;
}

char *gig_schedule_map_path(const gig_schedule *schedule, const gig_schedule_cell *cell)
{
    char name[GIG_HASH_TEXT + sizeof ".npz"];
    snprintf(name, sizeof name, "%s.npz", cell->key);
    return gig_filename_inside(schedule->maps, name);
}

/* ---- rankings ---- */

int gig_schedule_needs_ranking(const gig_run *run, const gig_study_picture *subject)
{
    if (run->part) return 0; /* a ranking is of the whole output */
    return run->top || run->confidence > 0 || run->least_area > 0 || run->most_area < 1 || subject->label < 0;
}

/* Marks the pairs that some run needs. */
static void mark_pairs(uint8_t *marks, const gig_schedule *schedule)
{
    for (size_t r = 0; r < schedule->manifest->run_count; r++) {
        const gig_run *run = &schedule->manifest->runs[r];
        for (size_t m = 0; m < run->models.count; m++)
            for (size_t s = 0; s < run->sets.count; s++)
                for (size_t p = schedule->set_first[run->sets.all[s]]; p < schedule->set_first[run->sets.all[s] + 1];
                     p++)
                    if (gig_schedule_needs_ranking(run, schedule->pictures[p].subject))
                        marks[run->models.all[m] * schedule->picture_count + p] = 1;
    }
}

static gig_status list_pairs(gig_schedule_pair *pairs, size_t *count, gig_schedule *schedule, const uint8_t *marks)
{
    for (size_t m = 0; m < schedule->manifest->models.count; m++)
        for (size_t p = 0; p < schedule->picture_count; p++) {
            gig_ranking ranking;
            int found = 1;
            if (!marks[m * schedule->picture_count + p]) continue;
            GIG_TRY(gig_store_get_ranking(&ranking, &found, schedule->store, schedule->models[m].id,
                                          schedule->pictures[p].id));
            if (!found) pairs[(*count)++] = (gig_schedule_pair){m, p};
        }
    return GIG_OK;
}

gig_status gig_schedule_rankings(gig_schedule_pair **out, size_t *count, gig_schedule *schedule)
{
    size_t all = schedule->manifest->models.count * schedule->picture_count;
    *out = NULL;
    *count = 0;
    uint8_t *marks = gig_alloc_zero(all, 1);
    gig_schedule_pair *pairs = gig_alloc(all, sizeof *pairs);
    gig_status status = marks && pairs ? GIG_OK : gig_alloc_status();
    if (status == GIG_OK) {
        mark_pairs(marks, schedule);
        status = list_pairs(pairs, count, schedule, marks);
    }
    gig_free(marks);
    if (status == GIG_OK)
        *out = pairs;
    else
        gig_free(pairs);
    return status;
}
