/* SPDX-License-Identifier: Apache-2.0 */
#include "path/functions.h"
#include "base/size.h"

gig_status gig_functions_check(gig_functions functions)
{
    if (functions.workers == 0 || !functions.each)
        return gig_fail(GIG_EARG, "no workers: expected at least one worker with a function");
    for (size_t i = 0; i < functions.workers; i++) {
        if (functions.each[i].features == 0 || functions.each[i].features > GIG_MAX_ELEMENTS)
            return gig_fail(GIG_ELIMIT, "the function has %zu features, expected 1 to %zu", functions.each[i].features,
                            GIG_MAX_ELEMENTS);
        if (functions.each[i].features != functions.each[0].features)
            return gig_fail(GIG_EARG, "worker %zu's function has %zu features, the first has %zu", i,
                            functions.each[i].features, functions.each[0].features);
        if (!functions.each[i].evaluate) return gig_fail(GIG_EARG, "worker %zu has no function", i);
        if (functions.each[i].max_batch == 0)
            return gig_fail(GIG_EARG, "worker %zu's function takes batches of 0 points, expected at least 1", i);
    }
    return GIG_OK;
}

size_t gig_function_batch(const gig_function *function)
{
    return function->max_batch < GIG_MOST_AT_ONCE ? function->max_batch : GIG_MOST_AT_ONCE;
}
