/* SPDX-License-Identifier: Apache-2.0 */
/* Half of the inputs meet a failing allocation. Which one follows from their bytes, so that a crash repeats. */
#ifndef GIG_FUZZ_STARVE_H
#define GIG_FUZZ_STARVE_H

#include "base/memory.h"
#include <stdint.h>

/* Which of the next allocations fails; SIZE_MAX: none. */
static inline size_t failing_allocation(const uint8_t *data, size_t size)
{
    uint32_t mixed = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < size; i++) mixed = (mixed ^ data[i]) * 16777619u;
    return mixed >> 16 & 1 ? SIZE_MAX : mixed >> 17 & 63;
}

/* 1 if one of the next allocations fails, or would; the target then takes GIG_ENOMEM for an answer. */
static inline int starve(const uint8_t *data, size_t size)
{
    size_t failure = failing_allocation(data, size);
    if (failure != SIZE_MAX) gig_memory_fail_at(failure, 0);
    return failure != SIZE_MAX;
}

static inline void starve_end(void)
{
    gig_memory_fail_at(SIZE_MAX, 0);
}

#endif
