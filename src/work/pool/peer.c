/* SPDX-License-Identifier: Apache-2.0 */
/* The side of a process that lends its workers to process 0. */
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
    int ended;         /* process 0 needs no more, or is gone */
    int stopped;       /* told to */
    gig_status status; /* of what arrived */
    char message[GIG_MESSAGE_BYTES];
} help;

static gig_status take_note(help *h, const gig_note *note, size_t from)
{
    if (from != 0) return GIG_OK;
    if (note->kind != GIG_NOTE_JOB) {
        h->ended = 1;
        return note->kind == GIG_NOTE_END ? GIG_OK : gig_fail(GIG_EIO, "the first process is gone");
    }
    if (note->worker >= h->peers->workers[h->peers->rank] || h->jobs[note->worker])
        return gig_fail(GIG_EINTERNAL, "a job for worker %zu, which cannot have it", note->worker);
    h->jobs[note->worker] = gig_strdup(note->text);
    return h->jobs[note->worker] ? GIG_OK : gig_alloc_status();
}

static gig_status take_notes(help *h)
{
    while (!h->ended) {
        gig_note note;
        size_t from;
        int arrived;
        GIG_TRY(gig_note_receive(&note, &from, &arrived, h->peers));
        if (!arrived) break;
        GIG_TRY(take_note(h, &note, from));
    }
    return GIG_OK;
}

/* ---- jobs, for the crew ---- */

static int should_stop(void *payload)
{
    help *h = payload;
    h->status = take_notes(h);
    if (h->status != GIG_OK) snprintf(h->message, sizeof h->message, "%s", gig_message()); /* the crew sets its own */
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
    const gig_note note = {.kind = line ? GIG_NOTE_ANSWER : GIG_NOTE_FAILURE,
                           .worker = number,
                           .attempts = attempts,
                           .text = line ? line : reason};
    return gig_note_send(h->peers, 0, &note);
}

/* ---- the whole ---- */

/* Gives back what was not done, and waits for process 0: others may still work for it. */
static void leave(help *h)
{
    const gig_note note = {.kind = GIG_NOTE_LEAVE};
    if (gig_note_send(h->peers, 0, &note) != GIG_OK) return;
    while (!h->ended) {
        gig_note ignored;
        size_t from;
        int arrived;
        if (gig_note_receive(&ignored, &from, &arrived, h->peers) != GIG_OK) return;
        if (arrived && from == 0 && ignored.kind != GIG_NOTE_JOB) h->ended = 1;
        if (!arrived) usleep(WAIT_MICROSECONDS);
    }
}

static gig_status assist(help *h, const gig_crew_staff *staff)
{
    const gig_crew_jobs jobs = {.next = next, .done = done, .stop = should_stop, .waits = always, .payload = h};
    const gig_crew_staff own = {.workers = h->peers->workers[h->peers->rank], .argv = staff->argv};
    gig_status status = gig_crew_run(&own, &jobs);
    if (h->status == GIG_OK) snprintf(h->message, sizeof h->message, "%s", gig_message());
    if (h->ended || h->status != GIG_OK) status = h->status;
    if (status != GIG_OK && !h->ended) leave(h);
    if (status == GIG_OK) return GIG_OK;
    return h->stopped ? gig_fail(GIG_ECANCEL, "stopped") : gig_fail(status, "%s", h->message);
}

gig_status gig_crew_assist(const gig_crew_staff *staff, int (*stop)(void *payload), void *payload)
{
    size_t workers = staff->peers->workers[staff->peers->rank];
    help h = {.peers = staff->peers, .stop = stop, .payload = payload};
    h.jobs = gig_alloc_zero(workers, sizeof *h.jobs);
    gig_status status = h.jobs ? assist(&h, staff) : gig_alloc_status();
    for (size_t i = 0; h.jobs && i < workers; i++) gig_free(h.jobs[i]);
    gig_free(h.jobs);
    return status;
}

void gig_crew_release(const gig_study_peers *peers)
{
    const gig_note note = {.kind = GIG_NOTE_END};
    char message[GIG_MESSAGE_BYTES]; /* of what went wrong before, if anything did */
    snprintf(message, sizeof message, "%s", gig_message());
    for (size_t rank = 1; peers && rank < peers->count; rank++) gig_note_send(peers, rank, &note);
    gig_set_message("%s", message);
}
