/* SPDX-License-Identifier: Apache-2.0 */
/* For lessons 2 to 7: ends the program if a call fails. */
#ifndef GIG_EXAMPLES_CHECK_H
#define GIG_EXAMPLES_CHECK_H

#include <gig/gig.h>
#include <stdio.h>
#include <stdlib.h>

/* Every call returns a status; the message says in one line what went wrong. */
static inline void check(gig_status status)
{
    if (status == GIG_OK) return;
    fprintf(stderr, "%s: %s\n", gig_status_name(status), gig_message());
    exit(1);
}

#endif
