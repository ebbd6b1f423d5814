/* SPDX-License-Identifier: Apache-2.0 */
/* gig/status.h -- how every call reports success or failure.
 *
 * Flow:      a call returns a gig_status; if it is not GIG_OK, gig_message() says in one line what went wrong.
 * Ownership: gig_message() and gig_status_name() borrow: the first until the thread's next failing call.
 * Threads:   the message belongs to the calling thread.
 * Errors:    none of its own.
 *
 * For all headers: options may always be NULL, other pointers only where the header says so. An object of the
 * library (an explainer, a sheet, ...) that is NULL, or a NULL place for a new one, is GIG_EARG; functions without a
 * status then return 0 or NULL. Other pointers are not checked: arrays must be as long as the call says. Freed objects
 * are not detected: free objects in the order that their headers give. Callbacks must return (no longjmp, no C++
 * exception): on failure, set the message with gig_fail_because and return its status. A call that fails leaves its
 * handles NULL and its structs empty, so that they may be freed or cleared; the contents of its output arrays are
 * undefined.
 */
#ifndef GIG_STATUS_H
#define GIG_STATUS_H

#if defined(GIG_BUILD)
#define GIG_API __attribute__((visibility("default")))
#else
#define GIG_API
#endif

/* All zeros: the start value of every struct of options. */
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
    GIG_EUNSUPPORTED = -4, /* the file is valid, but not supported */
    GIG_EIO = -5,          /* a file cannot be opened, read or written */
    GIG_ENOMEM = -6,       /* memory ran out */
    GIG_ENUMERIC = -7,     /* a NaN or an infinity was found */
    GIG_ECANCEL = -8,      /* a progress callback asked to stop */
    GIG_EINTERNAL = -9     /* a bug in gig, or the engine failed */
} gig_status;

/* What went wrong in this thread's last failing call: one line, no newline; "" when nothing has. Never NULL. A
 * call that works leaves it as it was. */
GIG_API const char *gig_message(void);

/* For your callbacks: sets the message and returns the status. */
GIG_API gig_status gig_fail_because(gig_status status, const char *message);

/* "GIG_EFORMAT" for GIG_EFORMAT; never NULL. */
GIG_API const char *gig_status_name(gig_status status);

/* Version of the running library, such as "0.2.0". */
GIG_API const char *gig_version(void);

#ifdef __cplusplus
}
#endif
#endif
