/* SPDX-License-Identifier: Apache-2.0 */
/* The caller's functions, one per worker. */
#ifndef GIG_PATH_FUNCTIONS_H
#define GIG_PATH_FUNCTIONS_H

#include "base/status.h"
#include "gig/function.h"

enum { GIG_MOST_AT_ONCE = 4096 }; /* upper limit of points per call, because all are in memory */

/* Checks that all functions exist and have the same, valid number of features. */
gig_status gig_functions_check(gig_functions functions);
/* Number of points per call. */
size_t gig_function_batch(const gig_function *function);

#endif
