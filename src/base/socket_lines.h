/* SPDX-License-Identifier: Apache-2.0 */
/* Lines over a socket. */
#ifndef GIG_BASE_SOCKET_LINES_H
#define GIG_BASE_SOCKET_LINES_H

#include "base/status.h"
#include <stddef.h>

typedef struct gig_lines {
    int socket;
    char *bytes; /* received but not yet returned */
    size_t count, capacity, given;
} gig_lines;

/* Sends the line and a newline; GIG_EIO if the other side has closed. Never raises SIGPIPE. */
gig_status gig_lines_send(const gig_lines *lines, const char *line);

/* Receives what is available (one call of recv). *ended: the other side has closed. */
gig_status gig_lines_receive(gig_lines *lines, int *ended);

/* The next complete line, valid until the next call; NULL if there is none yet. */
const char *gig_lines_next(gig_lines *lines);

void gig_lines_clear(gig_lines *lines); /* closes the socket */

#endif
