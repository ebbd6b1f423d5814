/* SPDX-License-Identifier: Apache-2.0 */
/* The worker's side of a pool. */
#include "base/memory.h"
#include "base/socket_lines.h"
#include "internal/confine.h"
#include "work/pool/pool.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* The socket moves away from standard input; see gig_pool_serve. */
static gig_status take_socket(int *out)
{
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    *out = fcntl(0, F_DUPFD_CLOEXEC, 3);
    int moved = nothing >= 0 && *out >= 0 && dup2(nothing, 0) == 0 && dup2(2, 1) == 1;
    gig_status status = moved ? GIG_OK : gig_fail(GIG_EIO, "standard input cannot be moved (%s)", strerror(errno));
    if (nothing > 2) close(nothing);
    return status;
}

/* A parent that died first has closed its end of the socket; jobs may still be queued in it. */
static int has_ended(int socket)
{
    struct pollfd end = {.fd = socket};
    return poll(&end, 1, 0) > 0 && end.revents & POLLHUP;
}

static gig_status serve(gig_lines *lines, gig_pool_worker answer, void *payload)
{
    for (int ended = 0; !ended;) {
        const char *job = gig_lines_next(lines);
        if (!job) {
            GIG_TRY(gig_lines_receive(lines, &ended));
            continue;
        }
        char *text = NULL;
        GIG_TRY(answer(payload, &text, job));
        gig_status status = gig_lines_send(lines, text);
        gig_free(text);
        if (status != GIG_OK) return status;
    }
    return GIG_OK;
}

gig_status gig_pool_serve(gig_pool_worker answer, void *payload)
{
    gig_lines lines = {.socket = -1};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    gig_confine();
    gig_status status = take_socket(&lines.socket);
    if (status == GIG_OK && !has_ended(lines.socket)) status = serve(&lines, answer, payload);
    gig_lines_clear(&lines);
    return status;
}
