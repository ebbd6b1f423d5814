/* SPDX-License-Identifier: Apache-2.0 */
/* gig/memory.h -- the memory limit of the library.
 *
 * Flow:      a limit -> [every allocation of the library] -> GIG_ELIMIT instead of a machine that swaps
 * Ownership: nothing is kept.
 * Threads:   one limit per process; any thread may call these.
 * Errors:    none of its own. What oneDNN allocates for itself is not counted here.
 */
#ifndef GIG_MEMORY_H
#define GIG_MEMORY_H

#include "gig/status.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that the library may use at once; 0: no limit (the default). */
GIG_API void gig_memory_set_limit(size_t bytes);
GIG_API size_t gig_memory_used(void); /* now */
GIG_API size_t gig_memory_peak(void); /* the most since the start, or since gig_memory_reset_peak */
GIG_API void gig_memory_reset_peak(void);

#ifdef __cplusplus
}
#endif
#endif
