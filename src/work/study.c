/* SPDX-License-Identifier: Apache-2.0 */
/* The public interface of studies. */
#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"
#include "internal/work.h"
#include "work/job.h"
#include "work/pool/pool.h"
#include "work/schedule/run.h"
#include "work/schedule/schedule_jobs.h"
#include "work/store/heartbeat.h"
#include "work/worker/worker.h"
#include <math.h>
#include <string.h>

void gig_text_free(char *text)
{
    gig_free(text);
}

gig_status gig_study_store_path(char **text, const char *manifest, const gig_study_options *options)
{
    gig_text out = {0};
    const char *dot = strrchr(manifest, '.'), *slash = strrchr(manifest, '/');
    size_t stem = dot && (!slash || dot > slash) && dot != manifest ? (size_t)(dot - manifest) : strlen(manifest);
    if (options && options->store)
        gig_text_add(&out, "%s", options->store);
    else
        gig_text_add(&out, "%.*s.db", (int)stem, manifest);
    return gig_text_take(text, &out);
}

static gig_status count_cells(gig_study_counts *counts, gig_store *store)
{
    int64_t states[3];
    GIG_TRY(gig_store_count_cells(states, store));
    *counts = (gig_study_counts){.done = (size_t)states[GIG_CELL_DONE],
                                 .failed = (size_t)states[GIG_CELL_FAILED],
                                 .planned = (size_t)states[GIG_CELL_PLANNED]};
    return GIG_OK;
}

/* ---- running ---- */

static gig_status run_plan(gig_schedule *schedule, const gig_study_options *options)
{
    GIG_TRY(gig_schedule_run_rankings(schedule, options));
    GIG_TRY(gig_schedule_cells(schedule, 0));
    return gig_schedule_run_cells(schedule, options);
}

static gig_status run_in(gig_study_counts *counts, gig_store *store, const char *path, const gig_manifest *manifest,
                         const gig_study_options *options)
{
    gig_schedule *schedule;
    gig_heartbeat_begin(store);
    gig_status status = gig_schedule_create(&schedule, manifest, store, path, options);
    if (status == GIG_OK) status = run_plan(schedule, options);
    gig_schedule_free(schedule);
    if (status != GIG_OK && status != GIG_ECANCEL) return status;
    gig_status counted = count_cells(counts, store);
    return counted == GIG_OK ? status : counted;
}

/* Checked before anything is read or written: a store that cannot be imported is often a mistyped name. */
static gig_status check_stores(const char *const *paths)
{
    for (size_t i = 0; paths && paths[i]; i++) {
        gig_store *store;
        if (gig_store_is_export(paths[i])) continue; /* read once the models and pictures are known */
        GIG_TRY(gig_store_open(&store, paths[i], GIG_STORE_READ));
        gig_store_close(store);
    }
    return GIG_OK;
}

static gig_status run_here(gig_study_counts *counts, const char *manifest_path, const gig_study_options *options)
{
    gig_manifest *manifest;
    gig_store *store = NULL;
    GIG_TRY(gig_manifest_read(&manifest, manifest_path));
    char *path = NULL;
    gig_status status = gig_study_store_path(&path, manifest_path, options);
    if (status == GIG_OK) status = check_stores(options->take);
    if (status == GIG_OK) status = gig_store_open(&store, path, GIG_STORE_RUN);
    if (status == GIG_OK) status = run_in(counts, store, path, manifest, options);
    gig_store_close(store);
    gig_free(path);
    gig_manifest_free(manifest);
    return status;
}

/* ---- with others ---- */

static int is_stopped(void *payload)
{
    const gig_study_options *options = payload;
    const gig_study_progress progress = {.remaining = NAN, .stage = "helping"};
    return options->progress && options->progress(options->payload, &progress) != 0;
}

static gig_status check_peers(const gig_study_peers *peers)
{
    if (!peers->count || peers->rank >= peers->count)
        return gig_fail(GIG_EARG, "process %zu of %zu is not possible", peers->rank, peers->count);
    for (size_t i = 0; i < peers->count; i++)
        if (!peers->workers[i]) return gig_fail(GIG_EARG, "process %zu has no workers", i);
    return GIG_OK;
}

gig_status gig_study_run(gig_study_counts *counts, const char *manifest, const gig_study_options *options)
{
    const gig_study_options none = GIG_STUDY_OPTIONS_INIT;
    *counts = (gig_study_counts){0};
    if (!options) options = &none;
    const gig_study_peers *peers = options->peers;
    if (!peers) return run_here(counts, manifest, options);
    GIG_TRY(check_peers(peers));
    if (peers->rank) {
        gig_study_options wanted = *options;
        const gig_pool_members members = {peers->workers[peers->rank], options->worker, peers};
        if (!options->worker) return gig_fail(GIG_EARG, "no worker command was given");
        return gig_pool_lend(&members, is_stopped, &wanted);
    }
    gig_status status = run_here(counts, manifest, options);
    gig_pool_release(peers);
    return status;
}

/* ---- planning only ---- */

static void add_up(gig_study_estimate *out, const gig_schedule *schedule, const gig_schedule_use *uses, size_t count)
{
    for (size_t i = 0; i < schedule->cell_count; i++) {
        const gig_schedule_cell *cell = &schedule->cells[i];
        const gig_schedule_use *use = gig_schedule_find_use(uses, count, cell);
        if (cell->progress != GIG_SCHEDULE_WAITING || !use) continue;
        gig_schedule_load load = gig_schedule_weigh(schedule, cell, use->times.height ? &use->times : NULL);
        out->maps += gig_schedule_makes_map(schedule, cell) && !cell->source_count;
        for (uint64_t bits = cell->metrics; bits; bits &= bits - 1) out->values++;
        out->evaluations += load.gradients;
        out->passes += load.values;
        out->seconds += load.gradients * use->times.gradient + load.values * use->times.value;
    }
}

static gig_status estimate(gig_study_estimate *out, gig_schedule *schedule, const gig_study_options *options)
{
    gig_schedule_use *uses = NULL;
    size_t count;
    GIG_TRY(gig_schedule_cells(schedule, 1));
    gig_status status = gig_schedule_uses(&uses, &count, schedule);
    if (status == GIG_OK && options->worker) status = gig_schedule_run_timing(uses, count, schedule, options, 1);
    if (status == GIG_OK) add_up(out, schedule, uses, count);
    gig_free(uses);
    return status;
}

/* A copy of the store in memory, or an empty one: planning writes to it, but must leave nothing behind. */
gig_status gig_study_plan(gig_study_estimate *out, const char *manifest_path, const gig_study_options *options)
{
    const gig_study_options none = GIG_STUDY_OPTIONS_INIT;
    gig_manifest *manifest;
    gig_store *store = NULL;
    gig_schedule *schedule = NULL;
    *out = (gig_study_estimate){0};
    if (!options) options = &none;
    GIG_TRY(gig_manifest_read(&manifest, manifest_path));
    char *path = NULL;
    gig_status status = gig_study_store_path(&path, manifest_path, options);
    if (status == GIG_OK) status = check_stores(options->take);
    if (status == GIG_OK) status = gig_store_open_copy(&store, path);
    if (status == GIG_OK) status = gig_schedule_create(&schedule, manifest, store, path, options);
    if (status == GIG_OK) status = estimate(out, schedule, options);
    if (status == GIG_OK) status = gig_store_get_fact(&out->remarks, store, "remarks");
    gig_schedule_free(schedule);
    gig_store_close(store);
    gig_free(path);
    gig_manifest_free(manifest);
    return status;
}

/* ---- looking ---- */

gig_status gig_study_status(gig_study_counts *counts, const char *path)
{
    gig_store *store;
    *counts = (gig_study_counts){0};
    GIG_TRY(gig_store_open(&store, path, GIG_STORE_READ));
    gig_status status = count_cells(counts, store);
    gig_store_close(store);
    return status;
}

static gig_status append_failure(void *payload, const gig_failure_row *row)
{
    gig_text *out = payload;
    const char *const fields[] = {row->model, row->collection, row->picture, row->method, row->baseline, row->reason};
    for (int i = 0; i < 6 && out->status == GIG_OK; i++) {
        size_t start = out->bytes;
        gig_text_add(out, "%s", fields[i]);
        if (out->status == GIG_OK) gig_text_clean(out->text + start); /* a name may hold a tab or a newline */
        gig_text_add(out, i < 5 ? "\t" : "\n");
    }
    return out->status;
}

gig_status gig_study_failures(char **text, const char *path)
{
    gig_store *store;
    gig_text out = {0};
    *text = NULL;
    GIG_TRY(gig_store_open(&store, path, GIG_STORE_READ));
    gig_status status = gig_store_each_failure(store, append_failure, &out);
    gig_store_close(store);
    if (status == GIG_OK) return gig_text_take(text, &out);
    gig_free(out.text);
    return status;
}

/* ---- workers ---- */

gig_status gig_study_run_worker(void)
{
    gig_model_cache *cache;
    GIG_TRY(gig_model_cache_create(&cache));
    gig_status status = gig_pool_serve(gig_worker_do_job, cache);
    gig_model_cache_free(cache);
    return status;
}
