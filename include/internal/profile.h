/* SPDX-License-Identifier: Apache-2.0 */
/* internal/profile.h -- how the time of a gradient is spent, and how far it is from the machine's limit.
 *
 * Flow:      gig_session -> [rows per kind of operator, bare convolutions, matrix peak]
 * Ownership: rows are the caller's; kind names are borrowed from the network.
 * Threads:   as the session: one thread at a time. Times are CPU seconds of the calling thread.
 * Errors:    GIG_EARG, GIG_EUNSUPPORTED (no bfloat16 on this CPU), and what running a session gives.
 */
#ifndef GIG_INTERNAL_PROFILE_H
#define GIG_INTERNAL_PROFILE_H

#include "internal/network.h"

enum { GIG_PROFILE_ROWS = 64 };

typedef struct gig_profile_row {
    const char *kind;     /* "Conv", "Reorder", ... */
    size_t forward_count; /* actions of this kind in one run */
    size_t backward_count;
    double forward_seconds; /* of one run (one batch), mean over runs */
    double backward_seconds;
    double forward_flops; /* of one run; 0 if not counted */
    double backward_flops;
} gig_profile_row;

typedef struct gig_profile {
    size_t count;
    gig_profile_row rows[GIG_PROFILE_ROWS]; /* most time first */
    double best_seconds;                    /* fastest whole gradient of one batch */
    double bare_seconds; /* the same convolutions, each alone with a warm cache: fastest of several, summed */
} gig_profile;

/* Runs `runs` gradients (at least 1) on a point of random numbers in [0,1) and fills *out. */
gig_status gig_session_profile(gig_profile *out, gig_session *session, size_t runs);

/* Largest rate (operations per second, a multiply-add counts 2) seen on one thread for a product of 1024 x 1024
 * matrices. */
gig_status gig_matrix_peak(double *out, int bf16);

#endif
