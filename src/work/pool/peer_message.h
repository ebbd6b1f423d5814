/* SPDX-License-Identifier: Apache-2.0 */
/* Notes: what the processes of a study send each other. One message is one note. */
#ifndef GIG_WORK_POOL_PEER_MESSAGE_H
#define GIG_WORK_POOL_PEER_MESSAGE_H

#include "base/status.h"
#include "gig/work.h"

typedef enum gig_note_kind {
    GIG_NOTE_JOB = 'J',     /* from process 0: a job's line for one of the receiver's workers */
    GIG_NOTE_END = 'E',     /* from process 0: it needs no more help */
    GIG_NOTE_ANSWER = 'A',  /* to process 0: the answer's line */
    GIG_NOTE_FAILURE = 'F', /* to process 0: why there is none */
    GIG_NOTE_LEAVE = 'L'    /* to process 0: the sender's workers are no more, or the sender itself is gone */
} gig_note_kind;

typedef struct gig_note {
    gig_note_kind kind;
    size_t worker;    /* of the process that is not 0 */
    int attempts;     /* answers and failures */
    const char *text; /* a line; valid until the next note is received */
} gig_note;

gig_status gig_note_send(const gig_study_peers *peers, size_t to, const gig_note *note);

/* *arrived is 0 where there is none. GIG_EINTERNAL for a message that is no note. */
gig_status gig_note_receive(gig_note *out, size_t *from, int *arrived, const gig_study_peers *peers);

#endif
