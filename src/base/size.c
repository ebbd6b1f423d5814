/* SPDX-License-Identifier: Apache-2.0 */
#include "base/size.h"
#include "gig/tensor.h"
#include <inttypes.h>

gig_status gig_size_of_dims(size_t *count, int rank, const int64_t *dims)
{
    *count = 0;
    if (rank < 0 || rank > GIG_MAX_RANK) return gig_fail(GIG_ELIMIT, "rank %d: expected 0 to %d", rank, GIG_MAX_RANK);
    size_t product = 1;
    int empty = 0;
    for (int i = 0; i < rank; i++) {
        if (dims[i] < 0) return gig_fail(GIG_ELIMIT, "dimension %d is %" PRId64, i, dims[i]);
        if (dims[i] == 0) {
            empty = 1;
            continue;
        }
        if (!gig_size_multiply(&product, product, (size_t)dims[i]) || product > GIG_MAX_ELEMENTS)
            return gig_fail(GIG_ELIMIT, "a tensor would hold more than %zu elements", GIG_MAX_ELEMENTS);
    }
    *count = empty ? 0 : product;
    return GIG_OK;
}
