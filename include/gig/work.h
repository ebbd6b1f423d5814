/* SPDX-License-Identifier: Apache-2.0 */
/* gig/work.h -- studies: methods x models x pictures x metrics, kept in a store that survives crashes and power cuts.
 *
 * Flow:      manifest (JSON) -> [gig_study_run: worker processes] -> store (SQLite) -> tables, exports
 * Ownership: returned texts are new: free them with gig_text_free. Options are borrowed for the length of the call.
 * Threads:   call gig_study_run and gig_study_run_worker from the main thread; one run per store at a time, over all
 *            processes. Any process may read a store meanwhile.
 * Errors:    GIG_EFORMAT (a mistake in the manifest or a list of pictures, named by its place; a damaged store),
 * GIG_EIO (files, the store in use), GIG_EUNSUPPORTED (a store of another version), GIG_ECANCEL, GIG_ENOMEM. A cell
 *            that fails is not an error of the study: it is recorded, with the reason.
 *
 * A cell is one map: model, picture, class, scalar, precision, method, baseline, seed. It is computed once, by
 * the first run that needs it. A run computes only what is missing.
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
    size_t cells, done, failed; /* cells of this run; of these done; failed */
    double seconds;             /* since the start */
    double remaining;           /* estimated seconds left of this stage; NaN if not known yet */
    const char *stage;          /* "reading models", "reading pictures", "ranking pictures", "making maps", ... */
} gig_study_progress;

/* How the processes of one study communicate, such as MPI ranks. The two functions set no message. Process 0
 * runs the study and owns the store; the others call gig_study_run with the same manifest, which lends their workers to
 * process 0 until it is done (counts stay 0, and progress is called with the stage "helping"). Files have the
 * same paths everywhere. */
typedef struct gig_study_peers {
    size_t rank, count;    /* index of this process, number of processes */
    const size_t *workers; /* [count]: worker processes of each, at least one */
    /* Sends a message to another process; copies it, never waits. GIG_EIO: that process has ended, which is not an
     * error of the study. */
    gig_status (*send)(void *payload, size_t to, const char *bytes, size_t count);
    /* The next message that has arrived, valid until the next call, with a 0 after it; *bytes NULL: none has. Messages
     * of one process keep their order. An empty message means that its sender has ended. */
    gig_status (*receive)(void *payload, size_t *from, const char **bytes, size_t *count);
    void *payload;
} gig_study_peers;

typedef struct gig_study_options {
    const char *store; /* NULL: the manifest's path with the extension .db */
    const char *const
        *worker;    /* command that calls gig_study_run_worker: a program's path, arguments, NULL. Needed to run */
    size_t workers; /* processes; 0: one per core; with peers, theirs count */
    const gig_study_peers *peers; /* NULL: only this process */
    /* Called after every cell and at least every quarter of a second; not 0 ends the run with GIG_ECANCEL, after what
     * was finished has been stored. May be NULL. */
    int (*progress)(void *payload, const gig_study_progress *progress);
    void *payload;
    const char *const
        *take; /* other stores, or exports as CSV, ended by NULL: their scores are imported, not computed. May be NULL.
                  Scores of closed paths between pictures are not imported: they depend on the other pictures */
    unsigned reserved[6];
} gig_study_options;
#define GIG_STUDY_OPTIONS_INIT GIG_INIT

typedef struct gig_study_counts {
    size_t done, failed, planned; /* cells of the last manifest */
} gig_study_counts;

/* Computes what is missing. *counts is set afterwards, also after GIG_ECANCEL. */
GIG_API gig_status gig_study_run(gig_study_counts *counts, const char *manifest, const gig_study_options *options);

/* The store that such a run uses. */
GIG_API gig_status gig_study_store_path(char **text, const char *manifest, const gig_study_options *options);

GIG_API gig_status gig_study_status(gig_study_counts *counts, const char *store);

/* One failed cell per line: model, set, picture, method, baseline, reason, separated by tabs. */
GIG_API gig_status gig_study_failures(char **text, const char *store);

/* ---- tables ---- */

typedef enum gig_table_like {
    GIG_TABLE_PLAIN = 0,  /* methods x (sets and models), with the metric and baseline asked for */
    GIG_TABLE_PAPER1 = 1, /* closed paths: the smallest of a column is bold */
    GIG_TABLE_PAPER2 = 2, /* ROC area, black baseline: the best of a group is bold, of a column starred */
    GIG_TABLE_PAPER3 = 3, /* ROC area by baseline: the best of a column is bold, of a set starred */
    GIG_TABLE_PAPER4 = 4  /* SIC area of the median curve, black+white baseline: the best of a column is bold */
} gig_table_like;

typedef enum gig_table_format {
    GIG_TABLE_MARKDOWN = 0,
    GIG_TABLE_CSV = 1,
    GIG_TABLE_LATEX = 2,
    GIG_TABLE_JSON = 3
} gig_table_format;

/* NULL and zero mean the default of the kind of table, in brackets. */
typedef struct gig_table_options {
    gig_table_like like;
    gig_table_format format;
    const char *metric;   /* [closed with any number of paths, auc, auc, sic; a plain table: auc]; of PAPER4 with any
                             number of draws, unless its name says how many */
    const char *baseline; /* [black; PAPER4 black+white; PAPER3 all]; methods without one are always in */
    int mean;             /* for curves: the mean over pictures instead of the median */
    const char *against;  /* reference method of the differences [ig] */
    const char *methods;  /* "a,b,...": these rows only, in this order within a group [all] */
    uint64_t seed;        /* of the bootstrap */
    unsigned reserved[8];
} gig_table_options;
#define GIG_TABLE_OPTIONS_INIT GIG_INIT

/* Every number with n and its 95 % bootstrap interval, and the paired difference from `against` with its own. The
 * meaning of the numbers (metric, scalar, precision, options) is below the table. GIG_EARG if the store has none of
 * them. */
GIG_API gig_status gig_study_table(char **text, const char *store, const gig_table_options *options);

/* The curves of such a table: ROC (mean over pictures), SIC or AIC (median, or mean): one panel per column, one line
 * per method. The path's extension sets the format: PNG, SVG or PDF. Overwrites only with force. */
GIG_API gig_status gig_study_plot(const char *store, const char *path, const gig_table_options *options, int force);

/* Every score of the last manifest, one per line, as CSV with a header or (json) as an array of objects; with curves in
 * JSON; with the numbers of its map (gradients, seconds, F at both ends, sum, delta, sum of |step errors|). */
GIG_API gig_status gig_study_export(char **text, const char *store, int json);

/* ---- workers ---- */

/* A worker process: does the jobs that it reads from standard input, and ends when that or its parent ends. */
GIG_API gig_status gig_study_run_worker(void);

#ifdef __cplusplus
}
#endif
#endif
