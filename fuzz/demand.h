/* SPDX-License-Identifier: Apache-2.0 */
/* A condition that a fuzz target checks: if it does not hold, the process aborts, so that libFuzzer keeps the input. */
#ifndef GIG_FUZZ_DEMAND_H
#define GIG_FUZZ_DEMAND_H

#include "gig/status.h"
#include <stdio.h>
#include <stdlib.h>

static inline void demand(int holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "broken promise: %s (last message: %s)\n", what, gig_message());
    abort();
}

#endif
