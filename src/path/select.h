/* SPDX-License-Identifier: Apache-2.0 */
/* Which features have the smallest |gradient|: the key of a given rank, in linear time without sorting.
 *
 * A key is the bits of |gradient| without the sign, which order as the numbers do. Features that are finished have
 * GIG_KEY_DONE, above every finite number. */
#ifndef GIG_PATH_SELECT_H
#define GIG_PATH_SELECT_H

#include "base/status.h"
#include <stddef.h>
#include <stdint.h>

#define GIG_KEY_DONE   ((uint32_t)0x7fffffff)
#define GIG_KEY_FINITE ((uint32_t)0x7f7fffff) /* of the largest float */

/* Elements of scratch that gig_select_key needs for n keys. */
size_t gig_select_scratch(size_t n);

/* keys[i] of gradient[i], or GIG_KEY_DONE where done[i] is set. */
void gig_select_keys(uint32_t *keys, const float *gradient, const uint8_t *done, size_t n);

/* The key of rank `rank` (0 is the smallest); GIG_KEY_DONE if fewer are left. */
uint32_t gig_select_key(const uint32_t *keys, size_t n, size_t rank, uint32_t *scratch);

/* The indices of all keys below GIG_KEY_DONE, ascending by key, equal keys by index; returns how many.
 * Both arrays have room for n. */
size_t gig_select_order(uint32_t *order, uint32_t *scratch, const uint32_t *keys, size_t n);

#endif
