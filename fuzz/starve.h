/* SPDX-License-Identifier: Apache-2.0 */
/* Half of the inputs meet a failing allocation. Which one follows from their bytes, so that a crash repeats. */
#ifndef GIG_FUZZ_STARVE_H
#define GIG_FUZZ_STARVE_H

#include "base/memory.h"
#include <stdint.h>

/* 1 if one of the next allocations fails, or would; the target then takes GIG_ENOMEM for an answer. */
static inline int starve(const uint8_t *data, size_t size)
{
    uint32_t mixed = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < size; i++) mixed = (mixed ^ data[i]) * 16777619u;
    if (mixed >> 16 & 1) return 0;
    gig_memory_fail_at(mixed >> 17 & 63, 0);
    return 1;
}

static inline void starve_end(void)
{
    gig_memory_fail_at(SIZE_MAX, 0);
}

#endif
