/* SPDX-License-Identifier: Apache-2.0 */
/* Values and gradients that were computed before, for one model, scalar and picture: methods that differ only in how
 * they sum along a path ask for the same gradients in turn. What is given back has the same bits as what was computed.
 */
#ifndef GIG_WORK_WORKER_GRADIENT_CACHE_H
#define GIG_WORK_WORKER_GRADIENT_CACHE_H

#include "gig/function.h"

typedef struct gig_gradient_cache gig_gradient_cache;

/* Keeps gradients up to this many bytes, then gives up some for others. */
gig_status gig_gradient_cache_create(gig_gradient_cache **out, size_t bytes);
void gig_gradient_cache_free(gig_gradient_cache *cache); /* NULL is allowed */
void gig_gradient_cache_forget(gig_gradient_cache *cache);

/* `inner` through the cache, one point a call. The cache forgets what it knew of another function. */
gig_function gig_gradient_cache_function(gig_gradient_cache *cache, const gig_function *inner);

/* Seconds that were not spent since this was last asked, because something was known. */
double gig_gradient_cache_saved(gig_gradient_cache *cache);

#endif
