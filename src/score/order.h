/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting the values of a map, and its quantiles. */
#ifndef GIG_SCORE_ORDER_H
#define GIG_SCORE_ORDER_H

#include "base/status.h"
#include <stddef.h>
#include <stdint.h>

/* GIG_ENUMERIC, naming the first value that is a NaN or infinity; GIG_ELIMIT beyond GIG_MAX_ELEMENTS. */
gig_status gig_map_check(const float *map, size_t count);

/* order[r] = index of the value of rank r, ascending; equal values (0 and -0 too) by rising index. Linear time. The
 * values must have passed gig_map_check. */
gig_status gig_order_ascending(uint32_t *order, const float *values, size_t count);

/* The quantile at `level` in [0,1] of values[order[0..count)], linear between ranks as NumPy's default rule does. */
double gig_order_quantile(const float *values, const uint32_t *order, size_t count, double level);

#endif
