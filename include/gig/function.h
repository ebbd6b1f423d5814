/* SPDX-License-Identifier: Apache-2.0 */
/* gig/function.h -- the interface between a model and everything that explains it.
 *
 * Flow:      a network (or a caller's own code) -> [gig_function] -> paths, saliency, scores
 * Ownership: the creator of a function owns its payload and keeps it alive while the function is used.
 * Threads:   one call at a time per function; several functions may run at once, one per worker thread.
 * Errors:    whatever evaluate returns is passed on unchanged.
 */
#ifndef GIG_FUNCTION_H
#define GIG_FUNCTION_H

#include "gig/status.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gig_function {
    size_t features;  /* length of one point */
    size_t max_batch; /* largest number of points per call, at least 1 */
    /* values[i] = F(points[i]; targets[i]) for i < batch. gradients, or gradients[i], may be NULL: value only.
     * gradients[i] receives dF/dpoint, `features` floats. Row i never depends on other rows. */
    gig_status (*evaluate)(void *payload, size_t batch, const float *const *points, const size_t *targets,
                           double *values, float *const *gradients);
    void *payload;
} gig_function;

/* One function per worker thread: each[w] is worker w's. All have the same number of features. */
typedef struct gig_functions {
    size_t workers;
    const gig_function *each;
} gig_functions;

#ifdef __cplusplus
}
#endif
#endif
