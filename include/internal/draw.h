/* SPDX-License-Identifier: Apache-2.0 */
/* internal/draw.h -- some of many, drawn by a seed: "pictures:DIR:N" selects the same ones on every machine. */
#ifndef GIG_INTERNAL_DRAW_H
#define GIG_INTERNAL_DRAW_H

#include <stddef.h>
#include <stdint.h>

/* Draws `wanted` of 0 .. count - 1 without replacement. `order` has room for `count`; the first `wanted` are drawn. */
void gig_draw_indices(size_t *order, size_t count, size_t wanted, uint64_t seed);

#endif
