/* SPDX-License-Identifier: Apache-2.0 */
/* gig/status.h -- how every call says whether it worked.
 *
 * Flow:      a call returns a gig_status; when it is not GIG_OK, gig_message() says in one line what and where.
 * Ownership: gig_message() and gig_status_name() borrow: the first until the thread's next failing call.
 * Threads:   the message belongs to the calling thread.
 * Errors:    none of its own.
 *
 * For all headers: a pointer may be NULL where that is said, and options wherever a call takes them. An object of the
 * library (an explainer, a sheet, ...) that is NULL, or nowhere to put a new one, is GIG_EARG; what returns no status
 * then returns 0 or NULL. Other pointers are not checked: arrays have to be as long as the call says. Nothing finds out
 * an object that was freed: free in the order that its header gives. Callbacks must return (no longjmp, no C++
 * exception): one that fails says why with gig_fail_because and returns its status. A call that fails leaves its
 * handles NULL and its structs as an empty one, which may be freed or cleared; arrays it was to fill hold anything.
 */
#ifndef GIG_STATUS_H
#define GIG_STATUS_H

#if defined(GIG_BUILD)
#define GIG_API __attribute__((visibility("default")))
#else
#define GIG_API
#endif

/* All zeros: what every struct of options starts from. */
#ifdef __cplusplus
#define GIG_INIT                                                                                                       \
    {                                                                                                                  \
    }
#else
#define GIG_INIT                                                                                                       \
    {                                                                                                                  \
        0                                                                                                              \
    }
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gig_status {
    GIG_OK = 0,
    GIG_EARG = -1,         /* the caller's argument is wrong: shape, range, name */
    GIG_EFORMAT = -2,      /* a file is broken */
    GIG_ELIMIT = -3,       /* a stated limit would be exceeded: raise it or give less */
    GIG_EUNSUPPORTED = -4, /* the file is fine, we cannot run it */
    GIG_EIO = -5,          /* a file cannot be opened, read or written */
    GIG_ENOMEM = -6,       /* memory ran out */
    GIG_ENUMERIC = -7,     /* a NaN or an infinity was met */
    GIG_ECANCEL = -8,      /* a progress callback asked to stop */
    GIG_EINTERNAL = -9     /* our own invariant broke, or the engine failed */
} gig_status;

/* What went wrong in this thread's last failing call: one line, no newline; "" when nothing has. Never NULL. A
 * call that works leaves it as it was. */
GIG_API const char *gig_message(void);

/* For callbacks of yours: sets the message and returns the status. */
GIG_API gig_status gig_fail_because(gig_status status, const char *message);

/* "GIG_EFORMAT" for GIG_EFORMAT; never NULL. */
GIG_API const char *gig_status_name(gig_status status);

/* Version of the library that runs, as in "0.2.0". */
GIG_API const char *gig_version(void);

#ifdef __cplusplus
}
#endif
#endif
