/* gig/work.h -- studies: methods x models x pictures x metrics, kept in a store that survives anything.
 *
 * Flow:      manifest (JSON) -> [gig_study_run: worker processes] -> store (SQLite) -> tables, exports
 * Ownership: texts given back are new: free them with gig_text_free. Options are borrowed for the length of the call.
 * Threads:   call gig_study_run and gig_study_serve from the main thread; one run per store at a time, over all
 *            processes. Any process may read a store meanwhile.
 * Errors:    GIG_EFORMAT (a mistake in the manifest or a list of pictures, named by its place; a damaged store),
 * GIG_EIO (files, the store in use), GIG_EUNSUPPORTED (a store of another version), GIG_ECANCEL, GIG_ENOMEM. A cell
 *            that fails is no error of the study: it is recorded, with the reason.
 *
 * A cell is one map: model, picture, class, scalar, precision, method, baseline, seed. It is computed once, by
 * whichever run wants it first. A run does what is missing and nothing else.
 */
#ifndef GIG_WORK_H
#define GIG_WORK_H

#include "gig/status.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

GIG_API void gig_text_free(char *text); /* NULL is allowed */

typedef struct gig_study_progress {
    size_t cells, done, failed; /* to be done by this run; of them done; failed for good */
    double seconds;             /* since the start */
    double remaining;           /* seconds, estimated; NaN while nothing is known */
    const char *stage;          /* "ranking pictures", "making maps" */
} gig_study_progress;

typedef struct gig_study_options {
    const char *store; /* NULL: the manifest's path with .db for its ending */
    const char *const
        *worker;    /* command that calls gig_study_serve: a program's path, arguments, NULL. Needed to run */
    size_t workers; /* processes; 0: one per core */
    /* Called after every cell and at least every quarter of a second; not 0 ends the run with GIG_ECANCEL, after what
     * was finished has been stored. May be NULL. */
    int (*progress)(void *payload, const gig_study_progress *progress);
    void *payload;
    unsigned reserved[8];
} gig_study_options;
#define GIG_STUDY_OPTIONS_INIT                                                                                         \
    {                                                                                                                  \
        0                                                                                                              \
    }

typedef struct gig_study_counts {
    size_t done, failed, planned; /* cells of the present plan */
} gig_study_counts;

/* Does what is missing. *counts afterwards; also after GIG_ECANCEL. */
GIG_API gig_status gig_study_run(gig_study_counts *counts, const char *manifest, const gig_study_options *options);

/* What a run would do; nothing is stored. Pictures not yet ranked are counted as if they passed the filter. */
typedef struct gig_study_estimate {
    size_t maps, values; /* to be made from models; scores to be computed */
    double evaluations;  /* gradients */
    double seconds;      /* of one core, by the time of one gradient of each model as measured now; NaN without
                            options->worker */
} gig_study_estimate;
GIG_API gig_status gig_study_plan(gig_study_estimate *out, const char *manifest, const gig_study_options *options);

GIG_API gig_status gig_study_status(gig_study_counts *counts, const char *store);

/* One failed cell per line: model, set, picture, method, baseline, reason, separated by tabs. */
GIG_API gig_status gig_study_failures(char **text, const char *store);

/* A worker process: does the jobs that come over its standard input, and ends with it or with its parent. */
GIG_API gig_status gig_study_serve(void);

#ifdef __cplusplus
}
#endif
#endif
