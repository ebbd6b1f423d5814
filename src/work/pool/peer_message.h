/* SPDX-License-Identifier: Apache-2.0 */
/* Messages between the processes of a study. */
#ifndef GIG_WORK_POOL_PEER_MESSAGE_H
#define GIG_WORK_POOL_PEER_MESSAGE_H

#include "base/status.h"
#include "gig/work.h"

typedef enum gig_peer_message_kind {
    GIG_PEER_JOB = 'J',     /* from process 0: a job's line for one of the receiver's workers */
    GIG_PEER_END = 'E',     /* from process 0: it needs no more help */
    GIG_PEER_ANSWER = 'A',  /* to process 0: the answer's line */
    GIG_PEER_FAILURE = 'F', /* to process 0: why there is none */
    GIG_PEER_LEAVE = 'L'    /* to process 0: the sender's workers have ended, or the sender itself has */
} gig_peer_message_kind;

typedef struct gig_peer_message {
    gig_peer_message_kind kind;
    size_t worker;    /* of the process that is not 0 */
    int attempts;     /* answers and failures */
    const char *text; /* a line; valid until the next message is received */
} gig_peer_message;

gig_status gig_peer_message_send(const gig_study_peers *peers, size_t to, const gig_peer_message *message);

/* *arrived is 0 if there is none. GIG_EINTERNAL for anything else. */
gig_status gig_peer_message_receive(gig_peer_message *out, size_t *from, int *arrived, const gig_study_peers *peers);

#endif
