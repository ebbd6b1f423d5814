/* SPDX-License-Identifier: Apache-2.0 */
/* Is an output what the test expects? */
#include "case.h"
#include <math.h>

static gig_status compare_real(const gig_tensor *got, const gig_tensor *wanted, double relative)
{
    for (size_t k = 0; k < gig_tensor_count(wanted); k++) {
        double x = got->real[k], y = wanted->real[k];
        if (x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= 1e-7 + relative * fabs(y)) continue;
        return gig_fail(GIG_EINTERNAL, "element %zu is %.9g, not %.9g", k, x, y);
    }
    return GIG_OK;
}

static gig_status compare_whole(const gig_tensor *got, const gig_tensor *wanted)
{
    for (size_t k = 0; k < gig_tensor_count(wanted); k++)
        if (got->whole[k] != wanted->whole[k])
            return gig_fail(GIG_EINTERNAL, "element %zu is %lld, not %lld", k, (long long)got->whole[k],
                            (long long)wanted->whole[k]);
    return GIG_OK;
}

/* Quantised numbers are held as floating-point ones. */
static gig_status compare_held(const gig_tensor *got, const gig_tensor *wanted)
{
    for (size_t k = 0; k < gig_tensor_count(wanted); k++)
        if (got->real[k] != (float)wanted->whole[k])
            return gig_fail(GIG_EINTERNAL, "element %zu is %.9g, not %lld", k, (double)got->real[k],
                            (long long)wanted->whole[k]);
    return GIG_OK;
}

gig_status compare_tensors(const gig_tensor *got, const gig_tensor *wanted, int wanted_onnx)
{
    char seen[128], said[128];
    if (!gig_same_dims(got, wanted))
        return gig_fail(GIG_EINTERNAL, "dims are %s, not %s", gig_dims_text(seen, sizeof seen, got->rank, got->dims),
                        gig_dims_text(said, sizeof said, wanted->rank, wanted->dims));
    if (got->type == GIG_FLOAT32 && wanted->type == GIG_INT64) return compare_held(got, wanted);
    if (got->type != wanted->type)
        return gig_fail(GIG_EINTERNAL, "holds %s numbers", got->type == GIG_FLOAT32 ? "real" : "whole");
    if (wanted->type == GIG_INT64) return compare_whole(got, wanted);
    return compare_real(got, wanted, wanted_onnx == GIG_ONNX_BFLOAT16 ? 1e-2 : 1e-3);
}
