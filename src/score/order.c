/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks of float values by a radix sort on their bits, and quantiles from ranks. */
#include "score/order.h"
#include "base/memory.h"
#include "base/size.h"
#include <math.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

gig_status gig_map_check(const float *map, size_t count)
{
    if (count > GIG_MAX_ELEMENTS) return gig_fail(GIG_ELIMIT, "a map of %zu values exceeds the limit", count);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(map[i]))
            return gig_fail(GIG_ENUMERIC, "map value %zu is %s", i, isnan(map[i]) ? "NaN" : "infinite");
    return GIG_OK;
}

/* Bits that sort as unsigned numbers the way the floats do. */
static uint32_t key_of(float value)
{
    uint32_t bits;
    value += 0.0f; /* -0 becomes 0 */
    memcpy(&bits, &value, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static void sort_by_digit(uint32_t *to, const uint32_t *from, const uint32_t *keys, size_t count, int shift)
{
    size_t starts[DIGITS] = {0};
    for (size_t i = 0; i < count; i++) starts[keys[i] >> shift & (DIGITS - 1)]++;
    size_t sum = 0;
    for (int d = 0; d < DIGITS; d++) {
        size_t here = starts[d];
        starts[d] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++) to[starts[keys[from[i]] >> shift & (DIGITS - 1)]++] = from[i];
}

gig_status gig_order_ascending(uint32_t *order, const float *values, size_t count)
{
    gig_status status = GIG_OK;
    uint32_t *keys = gig_alloc(count, sizeof *keys), *other = gig_alloc(count, sizeof *other);
    if (!keys || !other) {
        status = gig_alloc_status();
        goto done;
    }
    for (size_t i = 0; i < count; i++) keys[i] = key_of(values[i]);
    for (size_t i = 0; i < count; i++) other[i] = (uint32_t)i;
    sort_by_digit(order, other, keys, count, 0);
    sort_by_digit(other, order, keys, count, DIGIT_BITS);
    sort_by_digit(order, other, keys, count, 2 * DIGIT_BITS);
done:
    gig_free(other);
    gig_free(keys);
    return status;
}

double gig_order_quantile(const float *values, const uint32_t *order, size_t count, double level)
{
    double at = level * (double)(count - 1), below = floor(at), part = at - below;
    size_t rank = (size_t)below;
    double low = values[order[rank]], high = rank + 1 < count ? values[order[rank + 1]] : low;
    /* NumPy goes from the nearer end, so that part = 1 gives `high` itself. */
    return part < 0.5 ? low + (high - low) * part : high - (high - low) * (1 - part);
}
