/* SPDX-License-Identifier: Apache-2.0 */
/* Values of functions at pictures, through the driver's entry for values. */
#ifndef GIG_SCORE_PICTURE_VALUES_H
#define GIG_SCORE_PICTURE_VALUES_H

#include "base/status.h"
#include "gig/path.h"

/* values[i] = F(point i), i < count; the functions must take `features`. */
static inline gig_status gig_values(double *values, gig_functions functions, size_t features, size_t count,
                                    gig_point_make make, void *payload)
{
    if (functions.workers && functions.each->features != features)
        return gig_fail(GIG_EARG, "the function has %zu features, but the picture has %zu values",
                        functions.each->features, features);
    return gig_drive_values(values, functions, count, make, payload, NULL);
}

#endif
