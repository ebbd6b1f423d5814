/* Values of a function at many points, without gradients. */
#ifndef GIG_SCORE_VALUES_H
#define GIG_SCORE_VALUES_H

#include "gig/path.h"

/* values[i] = F(point i), i < count, as gig_points_evaluate; all `functions` must have `features`. */
gig_status gig_values(double *values, size_t workers, const gig_function *functions, size_t features, size_t count,
                      gig_point_make make, void *payload);

#endif
