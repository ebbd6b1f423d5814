/* SPDX-License-Identifier: Apache-2.0 */
/* Which walk is next: chains are created in order, their walks handed out in order, earlier chains first. */
#include "path/driver.h"
#include "path/lanes.h"
#include <stdio.h>

void gig_drive_fail(gig_drive *drive, size_t chain, size_t order, gig_status status)
{
    gig_failure *failure = &drive->failure;
    if (failure->failed && (failure->chain < chain || (failure->chain == chain && failure->order <= order))) return;
    *failure = (gig_failure){.failed = 1, .chain = chain, .order = order, .status = status};
    snprintf(failure->message, sizeof failure->message, "%s", gig_message());
    pthread_cond_broadcast(&drive->changed);
}

int gig_drive_wants(const gig_drive *drive, size_t chain, size_t order)
{
    const gig_failure *failure = &drive->failure;
    if (drive->cancelled) return 0;
    if (!failure->failed) return 1;
    return chain < failure->chain || (chain == failure->chain && order < failure->order);
}

/* Are `needed` more bytes within the budget? Unless `must` is set, room is left for the temporary memory of steps,
 * joins and callbacks, which would fail if the budget were filled completely. */
static int has_room(const gig_drive *drive, size_t needed, int must)
{
    size_t limit = drive->options.max_memory;
    return !limit || drive->bytes + needed + (must ? 0 : drive->spare) <= limit;
}

/* Buffers for `walk`, from its own block or a larger one. */
static gig_status give_buffers(gig_drive *drive, gig_walk *walk, int must)
{
    void *block = walk->block;
    walk->block = NULL;
    size_t needed = walk->kind->lay_out(walk);
    if (needed > walk->bytes) {
        gig_free(block);
        drive->bytes -= walk->bytes;
        walk->bytes = 0;
        if (!has_room(drive, needed, must))
            return gig_fail(GIG_ELIMIT, "a walk needs %zu bytes, and %zu of %zu are in use", needed, drive->bytes,
                            drive->options.max_memory);
        block = gig_alloc(needed, 1);
        if (!block) return gig_alloc_status();
        walk->bytes = needed;
        drive->bytes += needed;
    }
    walk->block = block;
    walk->kind->lay_out(walk);
    return GIG_OK;
}

static gig_walk *take_walk(gig_drive *drive)
{
    gig_walk *walk = drive->free_walks;
    if (walk)
        drive->free_walks = walk->next_free;
    else
        walk = gig_alloc_zero(1, sizeof *walk);
    return walk;
}

void gig_walk_give_back(gig_walk *walk)
{
    gig_drive *drive = walk->drive;
    *walk = (gig_walk){.drive = drive, .block = walk->block, .bytes = walk->bytes, .next_free = drive->free_walks};
    drive->free_walks = walk;
    drive->in_flight--;
}

/* The next walk of this chain, or NULL. If memory is short, fewer walks run at once from now on; if nothing is running
 * that could release some, that is an error. */
static gig_walk *deal_from(gig_drive *drive, gig_active_chain *active, int must)
{
    gig_walk *walk = take_walk(drive);
    if (!walk) {
        gig_drive_fail(drive, active->index, active->queue.orders, gig_alloc_status());
        return NULL;
    }
    drive->in_flight++;
    *walk = (gig_walk){.drive = drive,
                       .active = active,
                       .kind = active->queue.kind,
                       .index = active->queue.dealt,
                       .order = active->queue.orders,
                       .block = walk->block,
                       .bytes = walk->bytes};
    gig_status status = give_buffers(drive, walk, must);
    int short_of_memory = status == GIG_ELIMIT;
    if (status == GIG_OK && walk->kind == &gig_walk_piece) status = gig_record_place(walk);
    if (status != GIG_OK) {
        gig_walk_give_back(walk);
        if (short_of_memory && !must)
            drive->slots = drive->in_flight;
        else
            gig_drive_fail(drive, active->index, active->queue.orders, status);
        return NULL;
    }
    active->queue.walks[active->queue.dealt++] = walk;
    active->queue.orders++;
    drive->running++;
    return walk;
}

/* The next chain, or NULL. If memory is short, fewer chains run at once from now on. */
static gig_active_chain *start_chain(gig_drive *drive)
{
    gig_active_chain *active = NULL;
    size_t needed = gig_active_chain_bytes(drive->features);
    gig_status status = GIG_OK;
    if (!has_room(drive, needed, drive->active == 0))
        status = gig_fail(GIG_ELIMIT, "a chain needs %zu bytes, and %zu of %zu are in use", needed, drive->bytes,
                          drive->options.max_memory);
    else
        status = gig_active_chain_create(&active, drive, drive->made);
    if (status == GIG_ELIMIT && drive->active > 0) {
        drive->max_active = drive->active;
        return NULL;
    }
    if (status == GIG_OK) status = gig_active_chain_prepare(active);
    if (status != GIG_OK) {
        gig_active_chain_free(active);
        gig_drive_fail(drive, drive->made, 0, status);
        return NULL;
    }
    drive->made++;
    drive->active++;
    drive->bytes += active->bytes;
    drive->last_expected = active->expected;
    drive->points_expected += active->expected;
    *drive->last = active;
    drive->last = &active->next;
    return active;
}

gig_walk *gig_drive_deal(gig_drive *drive, int must)
{
    if (drive->in_flight >= drive->slots && !must) return NULL;
    for (gig_active_chain *active = drive->first; active; active = active->next)
        if (!active->queue.busy && active->queue.stage == GIG_STAGE_WALKING &&
            active->queue.dealt < active->queue.count && gig_drive_wants(drive, active->index, active->queue.orders))
            return deal_from(drive, active, must);
    if (drive->made == drive->count || drive->active >= drive->max_active) return NULL;
    if (!gig_drive_wants(drive, drive->made, 0)) return NULL;
    gig_active_chain *active = start_chain(drive);
    return active ? deal_from(drive, active, must) : NULL;
}
