/* SPDX-License-Identifier: Apache-2.0 */
/* One worker: holds up to max_batch walks, evaluates their current points in one call, and advances each of them. */
#include "path/driver.h"
#include "path/lanes.h"

typedef struct lanes {
    size_t most, held;
    gig_walk **walks;
    const float **points;
    size_t *targets;
    double *values;
    float **gradients;
} lanes;

static gig_status make_lanes(lanes *out, size_t most)
{
    *out = (lanes){.most = most};
    out->walks = gig_alloc(most, sizeof *out->walks);
    out->points = out->walks ? gig_alloc(most, sizeof *out->points) : NULL;
    out->targets = out->points ? gig_alloc(most, sizeof *out->targets) : NULL;
    out->values = out->targets ? gig_alloc(most, sizeof *out->values) : NULL;
    out->gradients = out->values ? gig_alloc(most, sizeof *out->gradients) : NULL;
    return out->gradients ? GIG_OK : gig_alloc_status();
}

static void free_lanes(lanes *held)
{
    gig_free(held->walks);
    gig_free(held->points);
    gig_free(held->targets);
    gig_free(held->values);
    gig_free(held->gradients);
}

static void fail_walk(gig_walk *walk, gig_status status)
{
    gig_drive *drive = walk->drive;
    pthread_mutex_lock(&drive->lock);
    gig_drive_fail(drive, walk->active->index, walk->order, status);
    pthread_mutex_unlock(&drive->lock);
}

static gig_status check_numbers(const gig_walk *walk)
{
    size_t n = walk->drive->features;
    if (!isfinite(walk->value))
        return gig_fail(GIG_ENUMERIC, "step %zu: the value is %f", walk->first + walk->step, walk->value);
    size_t bad = walk->gradient ? gig_sums_not_finite(walk->gradient, n) : n;
    if (bad < n) return gig_walk_fail_number(walk, "gradient", bad, (double)walk->gradient[bad]);
    return GIG_OK;
}

static gig_status use(gig_walk *walk, double value)
{
    walk->value = value;
    if (walk->gradient)
        walk->totals.evaluations++;
    else
        walk->totals.values++;
    GIG_TRY(check_numbers(walk));
    return walk->kind->seen(walk);
}

/* A call that fails for a batch is repeated point by point, so that the error is reported for the right walk. */
static void evaluate(lanes *held, const gig_function *function)
{
    for (size_t i = 0; i < held->held; i++) {
        gig_walk *walk = held->walks[i];
        held->points[i] = walk->point;
        held->targets[i] = walk->active->chain.target;
        held->gradients[i] = walk->gradient;
    }
    gig_status whole =
        function->evaluate(function->payload, held->held, held->points, held->targets, held->values, held->gradients);
    for (size_t i = 0; i < held->held; i++) {
        gig_status status = whole;
        if (whole != GIG_OK && held->held > 1)
            status = function->evaluate(function->payload, 1, held->points + i, held->targets + i, held->values + i,
                                        held->gradients + i);
        if (status == GIG_OK) status = use(held->walks[i], held->values[i]);
        if (status != GIG_OK) fail_walk(held->walks[i], status);
    }
}

/* With the lock held: calls back, counts. */
static void report(gig_drive *drive, size_t points)
{
    drive->points_done += points;
    if (!drive->options.progress || drive->cancelled) return;
    gig_progress progress = {.evaluations = drive->points_done,
                             .expected = drive->points_expected + (drive->count - drive->made) * drive->last_expected,
                             .chains = drive->delivered,
                             .chain_count = drive->count};
    if (progress.expected < progress.evaluations) progress.expected = progress.evaluations;
    if (drive->options.progress(drive->options.progress_payload, &progress)) {
        drive->cancelled = 1;
        pthread_cond_broadcast(&drive->changed);
    }
}

/* With the lock held: removes walks that are done or no longer needed from the worker. */
static void let_go(lanes *held, gig_drive *drive)
{
    size_t kept = 0;
    for (size_t i = 0; i < held->held; i++) {
        gig_walk *walk = held->walks[i];
        int wanted = gig_drive_wants(drive, walk->active->index, walk->order);
        if (wanted && !walk->finished) {
            held->walks[kept++] = walk;
            continue;
        }
        drive->running--;
        walk->rested = 1;
        pthread_cond_broadcast(&drive->changed);
    }
    held->held = kept;
}

static int someone_is_busy(const gig_drive *drive)
{
    for (const gig_active_chain *active = drive->first; active; active = active->next)
        if (active->queue.busy) return 1;
    return drive->running > 0;
}

/* With the lock held: takes new walks until the worker is full or none is left, and starts them without the lock.
 * Returns how many. */
static size_t fill(lanes *held, gig_drive *drive)
{
    size_t dealt = 0;
    for (; held->held < held->most; dealt++) {
        gig_walk *walk = gig_drive_deal(drive, held->held == 0 && !someone_is_busy(drive));
        if (!walk) break;
        pthread_mutex_unlock(&drive->lock);
        gig_status status = walk->kind->begin(walk);
        pthread_mutex_lock(&drive->lock);
        held->walks[held->held++] = walk;
        if (status == GIG_OK) continue;
        gig_drive_fail(drive, walk->active->index, walk->order, status);
        let_go(held, drive);
    }
    return dealt;
}

static int all_over(const gig_drive *drive)
{
    if (drive->delivered == drive->count) return 1;
    if (!drive->failure.failed && !drive->cancelled) return 0;
    if (someone_is_busy(drive)) return 0;
    return drive->cancelled || !drive->first || drive->first->index >= drive->failure.chain;
}

gig_status gig_drive_work(gig_drive *drive, size_t worker)
{
    const gig_function *function = &drive->functions.each[worker];
    lanes held;
    gig_status status = make_lanes(&held, gig_function_batch(function));
    pthread_mutex_lock(&drive->lock);
    if (status != GIG_OK) gig_drive_fail(drive, 0, 0, status);
    while (status == GIG_OK) {
        gig_drive_deliver(drive);
        size_t dealt = fill(&held, drive);
        if (held.held == 0) {
            if (all_over(drive)) break;
            if (dealt) continue;
            if (!someone_is_busy(drive)) {
                gig_drive_fail(drive, drive->made, 0,
                               gig_fail(GIG_EINTERNAL, "the driver has no work left but is not finished"));
                break;
            }
            pthread_cond_wait(&drive->changed, &drive->lock);
            continue;
        }
        pthread_mutex_unlock(&drive->lock);
        evaluate(&held, function);
        pthread_mutex_lock(&drive->lock);
        report(drive, held.held);
        let_go(&held, drive);
    }
    pthread_cond_broadcast(&drive->changed);
    pthread_mutex_unlock(&drive->lock);
    free_lanes(&held);
    return GIG_OK;
}
