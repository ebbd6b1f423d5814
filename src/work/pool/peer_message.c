/* SPDX-License-Identifier: Apache-2.0 */
#include "work/pool/peer_message.h"
#include "base/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_BYTES = 48 };

gig_status gig_peer_message_send(const gig_study_peers *peers, size_t to, const gig_peer_message *message)
{
    char head[HEAD_BYTES];
    const char *text = message->text ? message->text : "";
    size_t length = strlen(text);
    size_t start = (size_t)snprintf(head, sizeof head, "%c %zu %d ", message->kind, message->worker, message->attempts);
    char *bytes = gig_alloc(start + length + 1, 1);
    if (!bytes) return gig_alloc_status();
    memcpy(bytes, head, start);
    memcpy(bytes + start, text, length + 1);
    gig_status status = peers->send(peers->payload, to, bytes, start + length);
    gig_free(bytes);
    return status == GIG_OK ? GIG_OK : gig_fail(status, "process %zu cannot be reached", to);
}

static gig_status read_note(gig_peer_message *out, const char *bytes)
{
    char *rest;
    *out = (gig_peer_message){.kind = (gig_peer_message_kind)bytes[0]};
    if (strchr("JEAFL", bytes[0]) && bytes[1] == ' ') {
        out->worker = strtoul(bytes + 2, &rest, 10);
        out->attempts = (int)strtol(rest, &rest, 10);
        out->text = rest + 1;
        if (*rest == ' ') return GIG_OK;
    }
    return gig_fail(GIG_EINTERNAL, "a message between processes is broken: \"%.40s\"", bytes);
}

gig_status gig_peer_message_receive(gig_peer_message *out, size_t *from, int *arrived, const gig_study_peers *peers)
{
    const char *bytes;
    size_t count;
    gig_status status = peers->receive(peers->payload, from, &bytes, &count);
    if (status != GIG_OK) return gig_fail(status, "cannot receive from the other processes");
    *arrived = bytes != NULL;
    if (!bytes) return GIG_OK;
    if (*from >= peers->count) return gig_fail(GIG_EINTERNAL, "a message of process %zu of %zu", *from, peers->count);
    if (count) return read_note(out, bytes);
    *out = (gig_peer_message){.kind = GIG_PEER_LEAVE};
    return GIG_OK;
}
