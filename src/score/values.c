#include "score/values.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/status.h"
#include <math.h>

enum { MOST_AT_ONCE = 64 };

static gig_status evaluate(double *values, size_t first, size_t batch, const gig_function *function,
                           const float *const *points, const size_t *targets)
{
    GIG_TRY(function->evaluate(function->payload, batch, points, targets, values, NULL));
    for (size_t i = 0; i < batch; i++)
        if (!isfinite(values[i])) return gig_fail(GIG_ENUMERIC, "the value at point %zu is not finite", first + i);
    return GIG_OK;
}

gig_status gig_values(double *values, size_t workers, const gig_function *functions, size_t features, size_t count,
                      gig_point_make make, void *payload)
{
    const gig_function *function = functions;
    if (!workers) return gig_fail(GIG_EARG, "no function to evaluate");
    if (function->features != features)
        return gig_fail(GIG_EARG, "the function takes %zu features, the picture has %zu", function->features, features);
    size_t batch = function->max_batch < MOST_AT_ONCE ? function->max_batch : MOST_AT_ONCE, floats;
    if (!batch) return gig_fail(GIG_EARG, "a function must take at least one point");
    if (batch > count) batch = count;
    if (!gig_size_multiply(&floats, batch, features))
        return gig_fail(GIG_ELIMIT, "%zu points of %zu features exceed the address space", batch, features);
    float *block = gig_alloc(floats, sizeof *block);
    if (!block) return gig_alloc_status();
    const float *points[MOST_AT_ONCE];
    size_t targets[MOST_AT_ONCE];
    gig_status status = GIG_OK;
    for (size_t first = 0; first < count && status == GIG_OK; first += batch) {
        size_t here = count - first < batch ? count - first : batch;
        for (size_t i = 0; i < here && status == GIG_OK; i++) {
            points[i] = block + i * features;
            status = make(payload, first + i, block + i * features, &targets[i]);
        }
        if (status == GIG_OK) status = evaluate(values + first, first, here, function, points, targets);
    }
    gig_free(block);
    return status;
}
