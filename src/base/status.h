/* SPDX-License-Identifier: Apache-2.0 */
/* The one error path: gig_fail at the place of detection, GIG_TRY or `goto done` to pass it on. */
#ifndef GIG_BASE_STATUS_H
#define GIG_BASE_STATUS_H

#include "gig/status.h"

enum { GIG_MESSAGE_BYTES = 5120 }; /* room for the longest possible path and the error */

/* Sets this thread's message (cut there, control characters shown as '?'). Never allocates. */
void gig_set_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Control characters become '?', so that the message is one printable line whatever names a file contains. */
void gig_flatten(char *text);

/* gig_fail(status, format, ...) sets the message and is `status`; a macro, so that the compiler sees the status. */
#define gig_fail(status, ...) (gig_set_message(__VA_ARGS__), (status))

/* Prefixes the current message ("FILE: ..."), for callers that know the name, unless the prefix is already there;
 * returns `status`. */
gig_status gig_fail_in(gig_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define GIG_TRY(call)                                                                                                  \
    do {                                                                                                               \
        gig_status gig_try_ = (call);                                                                                  \
        if (gig_try_ != GIG_OK) return gig_try_;                                                                       \
    } while (0)

/* At the start of a public function: a handle that must not be NULL. */
#define GIG_NEED(handle)                                                                                               \
    do {                                                                                                               \
        if (!(handle)) return gig_fail(GIG_EARG, "%s is NULL", #handle);                                               \
    } while (0)

/* The same inside a function that cleans up at `done:` and returns `status`. */
#define GIG_TRY_DONE(call)                                                                                             \
    do {                                                                                                               \
        status = (call);                                                                                               \
        if (status != GIG_OK) goto done;                                                                               \
    } while (0)

#endif
