/* SPDX-License-Identifier: Apache-2.0 */
/* The straight line from a baseline to an input: the path of Integrated Gradients. */
#include "gig/path.h"
#include "path/lanes.h"
#include "path/sums.h"

GIG_CLONES static void difference(float *out, const float *from, const float *to, size_t n)
{
    for (size_t i = 0; i < n; i++) out[i] = to[i] - from[i];
}

static gig_status at(const void *self, void *scratch, double alpha, float *point, float *tangent)
{
    (void)scratch;
    const gig_line_path *line = self;
    gig_sums_between(point, line->start, line->end, alpha, line->features);
    if (tangent) difference(tangent, line->start, line->end, line->features);
    return GIG_OK;
}

gig_curve gig_curve_line(const gig_line_path *line)
{
    return (gig_curve){.at = at, .self = line, .features = line->features ? line->features : SIZE_MAX};
}
