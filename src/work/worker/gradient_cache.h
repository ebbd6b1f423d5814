/* SPDX-License-Identifier: Apache-2.0 */
/* Values and gradients that were computed before, for one model, scalar and picture: methods that differ only in how
 * they sum along a path ask for the same gradients in turn. What is given back has the same bits as what was computed.
 */
#ifndef GIG_WORK_WORKER_GRADIENT_CACHE_H
#define GIG_WORK_WORKER_GRADIENT_CACHE_H

#include "gig/function.h"

typedef struct gig_memo gig_memo;

/* Keeps gradients up to so many bytes, then gives up some for others. */
gig_status gig_memo_create(gig_memo **out, size_t bytes);
void gig_memo_free(gig_memo *memo); /* NULL is allowed */
void gig_memo_forget(gig_memo *memo);

/* `inner` through the memo, one point a call. The memo forgets what it knew of another function. */
gig_function gig_memo_function(gig_memo *memo, const gig_function *inner);

/* Seconds that were not spent since this was last asked, because something was known. */
double gig_memo_saved(gig_memo *memo);

#endif
