/* SPDX-License-Identifier: Apache-2.0 */
#include "path/functions.h"
#include "base/size.h"

gig_status gig_functions_check(size_t workers, const gig_function *functions)
{
    if (workers == 0 || !functions)
        return gig_fail(GIG_EARG, "no workers: expected at least one worker with a function");
    for (size_t i = 0; i < workers; i++) {
        if (functions[i].features == 0 || functions[i].features > GIG_MAX_ELEMENTS)
            return gig_fail(GIG_ELIMIT, "the function has %zu features, expected 1 to %zu", functions[i].features,
                            GIG_MAX_ELEMENTS);
        if (functions[i].features != functions[0].features)
            return gig_fail(GIG_EARG, "worker %zu's function has %zu features, the first has %zu", i,
                            functions[i].features, functions[0].features);
        if (!functions[i].evaluate) return gig_fail(GIG_EARG, "worker %zu has no function", i);
        if (functions[i].max_batch == 0)
            return gig_fail(GIG_EARG, "worker %zu's function takes batches of 0 points, expected at least 1", i);
    }
    return GIG_OK;
}

size_t gig_function_batch(const gig_function *function)
{
    return function->max_batch < GIG_MOST_AT_ONCE ? function->max_batch : GIG_MOST_AT_ONCE;
}
