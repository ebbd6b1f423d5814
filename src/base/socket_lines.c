/* SPDX-License-Identifier: Apache-2.0 */
#include "base/socket_lines.h"
#include "base/memory.h"
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PIECE = 1 << 16, MOST_BYTES = 64 << 20 };

static gig_status send_all(int socket, const char *bytes, size_t count)
{
    while (count) {
        ssize_t sent = send(socket, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return gig_fail(GIG_EIO, "the other process has ended (%s)", strerror(errno));
        bytes += sent;
        count -= (size_t)sent;
    }
    return GIG_OK;
}

gig_status gig_lines_send(const gig_lines *lines, const char *line)
{
    GIG_TRY(send_all(lines->socket, line, strlen(line)));
    return send_all(lines->socket, "\n", 1);
}

gig_status gig_lines_receive(gig_lines *lines, int *ended)
{
    void *bytes = lines->bytes;
    *ended = 0;
    if (lines->given) {
        memmove(lines->bytes, lines->bytes + lines->given, lines->count - lines->given);
        lines->count -= lines->given;
        lines->given = 0;
    }
    if (lines->count > MOST_BYTES) return gig_fail(GIG_ELIMIT, "a line of more than %d bytes", MOST_BYTES);
    gig_status status = gig_grow(&bytes, &lines->capacity, lines->count + PIECE, 1);
    lines->bytes = bytes;
    if (status != GIG_OK) return status;
    ssize_t count = recv(lines->socket, lines->bytes + lines->count, PIECE, 0);
    if (count < 0 && errno == EINTR) return GIG_OK;
    if (count <= 0)
        *ended = 1;
    else
        lines->count += (size_t)count;
    return GIG_OK;
}

const char *gig_lines_next(gig_lines *lines)
{
    size_t left = lines->count - lines->given;
    char *start = left ? lines->bytes + lines->given : NULL, *end = left ? memchr(start, '\n', left) : NULL;
    if (!end) return NULL;
    *end = '\0';
    lines->given = (size_t)(end + 1 - lines->bytes);
    return start;
}

void gig_lines_clear(gig_lines *lines)
{
    if (lines->socket >= 0) close(lines->socket);
    gig_free(lines->bytes);
    *lines = (gig_lines){.socket = -1};
}
