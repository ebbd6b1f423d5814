/* SPDX-License-Identifier: Apache-2.0 */
/* Finished walks join their chain in walk order, so that sums have one order; chains are settled, and handed over in
 * chain order. Each chain is worked on by one thread at a time (`busy`), without the lock. */
#include "path/drive.h"

/* Enough, or another round of walks? */
static gig_status settle(gig_link *link)
{
    link->again = 0;
    if (link->curve)
        GIG_TRY(gig_curve_refine(link));
    else if (link->record)
        GIG_TRY(gig_record_refine(link));
    else if (link->drive->options.tolerance > 0 && !link->chain.open) /* IDGI: nothing to refine */
        link->stopped = !gig_link_adds_up(link, link->value_end - link->value_start - link->totals.missing);
    return link->again ? GIG_OK : gig_link_finish(link);
}

static gig_status hand_over(gig_link *link)
{
    gig_chain_result result;
    gig_link_result(&result, link);
    return link->drive->take(link->drive->payload, link->index, &result);
}

static gig_walk *ready_walk(const gig_link *link)
{
    if (link->stage != GIG_STAGE_WALKING || link->added == link->dealt) return NULL;
    gig_walk *walk = link->walks[link->added];
    return walk->rested && walk->finished && walk->met ? walk : NULL;
}

static void leave(gig_drive *drive, gig_link *link)
{
    link->busy = 1;
    pthread_mutex_unlock(&drive->lock);
}

/* Whether what was done meanwhile went well; `order` says which of several failures comes first. */
static int come_back(gig_drive *drive, gig_link *link, size_t order, gig_status status)
{
    pthread_mutex_lock(&drive->lock);
    link->busy = 0;
    if (status != GIG_OK) gig_drive_fail(drive, link->index, order, status);
    return status == GIG_OK;
}

static void join(gig_drive *drive, gig_link *link, gig_walk *walk)
{
    leave(drive, link);
    gig_status status = walk->kind->end(walk);
    if (!come_back(drive, link, walk->order, status)) return;
    link->walks[link->added++] = NULL;
    gig_walk_give_back(walk);
    if (link->added == link->walk_count) link->stage = GIG_STAGE_SETTLING;
}

static void try_to_settle(gig_drive *drive, gig_link *link)
{
    leave(drive, link);
    gig_status status = settle(link);
    if (!come_back(drive, link, link->orders, status)) return;
    link->stage = link->again ? GIG_STAGE_WALKING : GIG_STAGE_DONE;
    if (link->again) drive->points_expected += link->curve ? link->node_count : link->walk_count;
}

static void try_to_hand_over(gig_drive *drive, gig_link *link)
{
    leave(drive, link);
    gig_status status = hand_over(link);
    if (!come_back(drive, link, SIZE_MAX, status)) return;
    drive->first = link->next;
    if (!drive->first) drive->last = &drive->first;
    drive->delivered++;
    drive->links--;
    drive->bytes -= link->bytes;
    gig_link_free(link);
}

/* One thing that can be done now, done; 0: nothing. */
static int deliver_one(gig_drive *drive)
{
    for (gig_link *link = drive->first; link; link = link->next) {
        if (link->busy) continue;
        gig_walk *walk = ready_walk(link);
        if (walk && gig_drive_wants(drive, link->index, walk->order)) {
            join(drive, link, walk);
            return 1;
        }
        if (link->stage == GIG_STAGE_SETTLING && gig_drive_wants(drive, link->index, link->orders)) {
            try_to_settle(drive, link);
            return 1;
        }
        if (link->stage == GIG_STAGE_DONE && link == drive->first && gig_drive_wants(drive, link->index, SIZE_MAX)) {
            try_to_hand_over(drive, link);
            return 1;
        }
    }
    return 0;
}

void gig_drive_deliver(gig_drive *drive)
{
    while (deliver_one(drive)) pthread_cond_broadcast(&drive->changed);
}
