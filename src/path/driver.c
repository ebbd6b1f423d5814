/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's two entry points: many chains on several workers, and a single chain. */
#include "path/driver.h"
#include "internal/workers.h"
#include "path/lanes.h"

static gig_status check_options(const gig_drive_options *options)
{
    if (!(options->tolerance >= 0) || isinf(options->tolerance))
        return gig_fail(GIG_EARG, "tolerance %g: expected a finite number, 0 or more", options->tolerance);
    return GIG_OK;
}

static gig_status job(void *payload, size_t worker, size_t index)
{
    (void)index;
    return gig_drive_work(payload, worker);
}

static void clean_up(gig_drive *drive)
{
    for (gig_active_chain *active = drive->first, *next; active; active = next) {
        next = active->next;
        for (size_t i = 0; i < active->queue.dealt; i++)
            if (active->queue.walks[i]) gig_walk_give_back(active->queue.walks[i]);
        gig_active_chain_free(active);
    }
    for (gig_walk *walk = drive->free_walks, *next; walk; walk = next) {
        next = walk->next_free;
        gig_free(walk->block);
        gig_free(walk);
    }
    pthread_cond_destroy(&drive->changed);
    pthread_mutex_destroy(&drive->lock);
}

/* The rest of the process's own budget counts too. Under a tolerance, half is for the records of paths, shared by the
 * chains that may run at once. */
static void share_memory(gig_drive *drive)
{
    enum { WAITING = 4, SPARE_PER_WORKER = 24, SPARE = 16 }; /* bytes per feature: sorting, recording, assembling */
    size_t room = gig_memory_room(), *limit = &drive->options.max_memory;
    if (room < SIZE_MAX && (!*limit || room < *limit)) *limit = room ? room : 1;
    drive->spare = (drive->functions.workers * SPARE_PER_WORKER + SPARE) * drive->features;
    drive->slots = WAITING;
    for (size_t i = 0; i < drive->functions.workers; i++) drive->slots += gig_function_batch(&drive->functions.each[i]);
    drive->max_active = drive->slots;
    if (!(drive->options.tolerance > 0)) return;
    drive->max_active = drive->functions.workers + 1 < drive->count ? drive->functions.workers + 1 : drive->count;
    if (!*limit || !drive->max_active) return;
    drive->record_limit = *limit / 2 / drive->max_active;
    if (!drive->record_limit) drive->record_limit = 1;
    *limit -= *limit / 2;
}

gig_status gig_chains_run(gig_functions functions, size_t count, gig_chain_make make, gig_chain_take take,
                          void *payload, const gig_drive_options *options)
{
    gig_drive_options chosen = GIG_DRIVE_OPTIONS_INIT;
    if (options) chosen = *options;
    GIG_TRY(gig_functions_check(functions));
    GIG_TRY(check_options(&chosen));
    gig_drive drive = {.features = functions.each[0].features,
                       .functions = functions,
                       .count = count,
                       .make = make,
                       .take = take,
                       .payload = payload,
                       .options = chosen,
                       .lock = PTHREAD_MUTEX_INITIALIZER,
                       .changed = PTHREAD_COND_INITIALIZER};
    drive.last = &drive.first;
    share_memory(&drive);
    gig_status status = count ? gig_workers_run(functions.workers, functions.workers, job, &drive) : GIG_OK;
    if (drive.failure.failed)
        status = count > 1 ? gig_fail(drive.failure.status, "chain %zu: %s", drive.failure.chain, drive.failure.message)
                           : gig_fail(drive.failure.status, "%s", drive.failure.message);
    else if (drive.cancelled && drive.delivered < count)
        status = gig_fail(GIG_ECANCEL, "stopped by the progress callback");
    clean_up(&drive);
    return status;
}

typedef struct single {
    const gig_chain *chain;
    const float *start, *end;
    size_t features;
    double *attributions;
    gig_chain_result *result;
} single;

static gig_status make_single(void *payload, size_t index, gig_chain *out, float *start, float *end)
{
    (void)index;
    single *self = payload;
    *out = *self->chain;
    size_t bytes = self->features * sizeof *start;
    if (out->curve) return GIG_OK;
    if (!self->start || !self->end != !!out->open)
        return gig_fail(GIG_EARG, "a chain needs a start, and an end unless it is open");
    memcpy(start, self->start, bytes);
    if (self->end) memcpy(end, self->end, bytes);
    return GIG_OK;
}

static gig_status take_single(void *payload, size_t index, const gig_chain_result *result)
{
    (void)index;
    single *self = payload;
    *self->result = *result;
    self->result->attributions = self->attributions;
    if (self->attributions)
        memcpy(self->attributions, result->attributions, result->features * sizeof *result->attributions);
    return GIG_OK;
}

gig_status gig_chain_run(gig_chain_result *result, double *attributions, gig_functions functions,
                         const gig_chain *chain, const float *start, const float *end, const gig_drive_options *options)
{
    *result = (gig_chain_result){0};
    GIG_TRY(gig_functions_check(functions));
    single self = {chain, start, end, functions.each[0].features, attributions, result};
    return gig_chains_run(functions, 1, make_single, take_single, &self, options);
}
