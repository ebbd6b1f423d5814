/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that callers give, one per worker. */
#ifndef GIG_PATH_FUNCTIONS_H
#define GIG_PATH_FUNCTIONS_H

#include "base/status.h"
#include "gig/function.h"

enum { GIG_MOST_AT_ONCE = 4096 }; /* points of one call, whatever a function takes: they are all in memory */

/* Features alike and possible, something to evaluate with. */
gig_status gig_functions_check(size_t workers, const gig_function *functions);
/* Points that go into one call. */
size_t gig_function_batch(const gig_function *function);

#endif
