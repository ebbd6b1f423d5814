/* SPDX-License-Identifier: Apache-2.0 */
/* Adds finished walks to their chain in walk order, so that sums have one order; settles chains, and delivers them in
 * chain order. Each chain is worked on by one thread at a time (`busy`), without the lock. */
#include "path/driver.h"

/* Enough, or another round of walks? */
static gig_status settle(gig_active_chain *active)
{
    active->queue.again = 0;
    if (active->curve)
        GIG_TRY(gig_curve_refine(active));
    else if (active->refined.record)
        GIG_TRY(gig_record_refine(active));
    else if (active->drive->options.tolerance > 0 && !active->chain.open) /* IDGI: nothing to refine */
        active->refined.stopped =
            !gig_active_chain_adds_up(active, active->value_end - active->value_start - active->totals.missing);
    return active->queue.again ? GIG_OK : gig_active_chain_finish(active);
}

static gig_status hand_over(gig_active_chain *active)
{
    gig_chain_result result;
    gig_active_chain_result(&result, active);
    return active->drive->take(active->drive->payload, active->index, &result);
}

static gig_walk *ready_walk(const gig_active_chain *active)
{
    if (active->queue.stage != GIG_STAGE_WALKING || active->queue.added == active->queue.dealt) return NULL;
    gig_walk *walk = active->queue.walks[active->queue.added];
    return walk->rested && walk->finished && walk->met ? walk : NULL;
}

static void leave(gig_drive *drive, gig_active_chain *active)
{
    active->queue.busy = 1;
    pthread_mutex_unlock(&drive->lock);
}

/* Records a failure; `order` decides which of several failures is reported. */
static int come_back(gig_drive *drive, gig_active_chain *active, size_t order, gig_status status)
{
    pthread_mutex_lock(&drive->lock);
    active->queue.busy = 0;
    if (status != GIG_OK) gig_drive_fail(drive, active->index, order, status);
    return status == GIG_OK;
}

static void join(gig_drive *drive, gig_active_chain *active, gig_walk *walk)
{
    leave(drive, active);
    gig_status status = walk->kind->end(walk);
    if (!come_back(drive, active, walk->order, status)) return;
    active->queue.walks[active->queue.added++] = NULL;
    gig_walk_give_back(walk);
    if (active->queue.added == active->queue.count) active->queue.stage = GIG_STAGE_SETTLING;
}

static void try_to_settle(gig_drive *drive, gig_active_chain *active)
{
    leave(drive, active);
    gig_status status = settle(active);
    if (!come_back(drive, active, active->queue.orders, status)) return;
    active->queue.stage = active->queue.again ? GIG_STAGE_WALKING : GIG_STAGE_DONE;
    if (active->queue.again) drive->points_expected += active->curve ? active->nodes.count : active->queue.count;
}

static void try_to_hand_over(gig_drive *drive, gig_active_chain *active)
{
    leave(drive, active);
    gig_status status = hand_over(active);
    if (!come_back(drive, active, SIZE_MAX, status)) return;
    drive->first = active->next;
    if (!drive->first) drive->last = &drive->first;
    drive->delivered++;
    drive->active--;
    drive->bytes -= active->bytes;
    gig_active_chain_free(active);
}

/* Does one thing that can be done now; returns 0 if there is nothing to do. */
static int deliver_one(gig_drive *drive)
{
    for (gig_active_chain *active = drive->first; active; active = active->next) {
        if (active->queue.busy) continue;
        gig_walk *walk = ready_walk(active);
        if (walk && gig_drive_wants(drive, active->index, walk->order)) {
            join(drive, active, walk);
            return 1;
        }
        if (active->queue.stage == GIG_STAGE_SETTLING && gig_drive_wants(drive, active->index, active->queue.orders)) {
            try_to_settle(drive, active);
            return 1;
        }
        if (active->queue.stage == GIG_STAGE_DONE && active == drive->first &&
            gig_drive_wants(drive, active->index, SIZE_MAX)) {
            try_to_hand_over(drive, active);
            return 1;
        }
    }
    return 0;
}

void gig_drive_deliver(gig_drive *drive)
{
    while (deliver_one(drive)) pthread_cond_broadcast(&drive->changed);
}
