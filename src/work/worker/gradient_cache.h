/* SPDX-License-Identifier: Apache-2.0 */
/* A cache of values and gradients for one model, scalar and picture: methods that differ only in how they sum along a
 * path need the same gradients. Cached results have the same bits as computed ones.
 */
#ifndef GIG_WORK_WORKER_GRADIENT_CACHE_H
#define GIG_WORK_WORKER_GRADIENT_CACHE_H

#include "gig/function.h"
#include <stdint.h>

typedef struct gig_gradient_cache gig_gradient_cache;

/* Keeps up to this many bytes of gradients. */
gig_status gig_gradient_cache_create(gig_gradient_cache **out, size_t bytes);
void gig_gradient_cache_free(gig_gradient_cache *cache); /* NULL is allowed */
void gig_gradient_cache_forget(gig_gradient_cache *cache);

/* `inner` through the cache, one point per call. A cache used with another function is emptied first. When it is full,
 * gradients asked for under another `path` make room; if there are none, no more are kept. */
gig_function gig_gradient_cache_function(gig_gradient_cache *cache, const gig_function *inner, uint64_t path);

/* Seconds saved by the cache since the last call. */
double gig_gradient_cache_saved(gig_gradient_cache *cache);

#endif
