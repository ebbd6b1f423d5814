/* SPDX-License-Identifier: Apache-2.0 */
/* Elapsed time, and the CPU time of a thread. */
#ifndef GIG_BASE_CLOCK_H
#define GIG_BASE_CLOCK_H

#include <time.h>

static inline double gig_seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline double gig_seconds_now(void)
{
    return gig_seconds_of(CLOCK_MONOTONIC);
}

static inline double gig_seconds_computed(void)
{
    return gig_seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

#endif
