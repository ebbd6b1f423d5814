/* SPDX-License-Identifier: Apache-2.0 */
/* A process whose workers do jobs of process 0. */
#include "base/memory.h"
#include "work/pool/peer_message.h"
#include "work/pool/pool.h"
#include <stdio.h>
#include <unistd.h>

enum { WAIT_MICROSECONDS = 10000 };

typedef struct help {
    const gig_study_peers *peers;
    char **jobs; /* [workers]: arrived and not yet begun, or NULL */
    int (*stop)(void *payload);
    void *payload;
    int ended;         /* process 0 needs no more jobs done, or is gone */
    int stopped;       /* told to */
    gig_status status; /* of messages that arrived */
    char message[GIG_MESSAGE_BYTES];
} help;

static gig_status take_message(help *h, const gig_peer_message *message, size_t from)
{
    if (from != 0) return GIG_OK;
    if (message->kind != GIG_PEER_JOB) {
        h->ended = 1;
        return message->kind == GIG_PEER_END ? GIG_OK : gig_fail(GIG_EIO, "the first process is gone");
    }
    if (message->worker >= h->peers->workers[h->peers->rank] || h->jobs[message->worker])
        return gig_fail(GIG_EINTERNAL, "a job for worker %zu, which cannot have it", message->worker);
    h->jobs[message->worker] = gig_strdup(message->text);
    return h->jobs[message->worker] ? GIG_OK : gig_alloc_status();
}

static gig_status take_notes(help *h)
{
    while (!h->ended) {
        gig_peer_message message;
        size_t from;
        int arrived;
        GIG_TRY(gig_peer_message_receive(&message, &from, &arrived, h->peers));
        if (!arrived) break;
        GIG_TRY(take_message(h, &message, from));
    }
    return GIG_OK;
}

/* ---- jobs, for the pool ---- */

static int should_stop(void *payload)
{
    help *h = payload;
    h->status = take_notes(h);
    if (h->status != GIG_OK) snprintf(h->message, sizeof h->message, "%s", gig_message()); /* the pool sets its own */
    if (!h->ended && h->status == GIG_OK && h->stop) h->stopped = h->stop(h->payload) != 0;
    return h->ended || h->stopped || h->status != GIG_OK;
}

static int always(void *payload)
{
    (void)payload;
    return 1;
}

static gig_status next(void *payload, size_t worker, char **line, size_t *number)
{
    help *h = payload;
    *line = h->jobs[worker];
    *number = worker;
    h->jobs[worker] = NULL;
    return GIG_OK;
}

static gig_status done(void *payload, size_t number, const char *line, const char *reason, int attempts)
{
    help *h = payload;
    const gig_peer_message message = {.kind = line ? GIG_PEER_ANSWER : GIG_PEER_FAILURE,
                                      .worker = number,
                                      .attempts = attempts,
                                      .text = line ? line : reason};
    return gig_peer_message_send(h->peers, 0, &message);
}

/* ---- the whole ---- */

/* Returns unfinished jobs, and waits for process 0: others may still work for it. */
static void leave(help *h)
{
    const gig_peer_message message = {.kind = GIG_PEER_LEAVE};
    if (gig_peer_message_send(h->peers, 0, &message) != GIG_OK) return;
    while (!h->ended) {
        gig_peer_message ignored;
        size_t from;
        int arrived;
        if (gig_peer_message_receive(&ignored, &from, &arrived, h->peers) != GIG_OK) return;
        if (arrived && from == 0 && ignored.kind != GIG_PEER_JOB) h->ended = 1;
        if (!arrived) usleep(WAIT_MICROSECONDS);
    }
}

static gig_status lend(help *h, const gig_pool_members *members)
{
    const gig_pool_jobs jobs = {.next = next, .done = done, .stop = should_stop, .waits = always, .payload = h};
    const gig_pool_members own = {.workers = h->peers->workers[h->peers->rank], .argv = members->argv};
    gig_status status = gig_pool_run(&own, &jobs);
    if (h->status == GIG_OK) snprintf(h->message, sizeof h->message, "%s", gig_message());
    if (h->ended || h->status != GIG_OK) status = h->status;
    if (status != GIG_OK && !h->ended) leave(h);
    if (status == GIG_OK) return GIG_OK;
    return h->stopped ? gig_fail(GIG_ECANCEL, "stopped") : gig_fail(status, "%s", h->message);
}

gig_status gig_pool_lend(const gig_pool_members *members, int (*stop)(void *payload), void *payload)
{
    size_t workers = members->peers->workers[members->peers->rank];
    help h = {.peers = members->peers, .stop = stop, .payload = payload};
    h.jobs = gig_alloc_zero(workers, sizeof *h.jobs);
    gig_status status = h.jobs ? lend(&h, members) : gig_alloc_status();
    for (size_t i = 0; h.jobs && i < workers; i++) gig_free(h.jobs[i]);
    gig_free(h.jobs);
    return status;
}

void gig_pool_release(const gig_study_peers *peers)
{
    const gig_peer_message end = {.kind = GIG_PEER_END};
    char message[GIG_MESSAGE_BYTES]; /* of what went wrong before, if anything did */
    snprintf(message, sizeof message, "%s", gig_message());
    for (size_t rank = 1; peers && rank < peers->count; rank++) gig_peer_message_send(peers, rank, &end);
    gig_set_message("%s", message);
}
