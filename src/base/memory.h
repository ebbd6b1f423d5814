/* SPDX-License-Identifier: Apache-2.0 */
/* The one allocator: aligned, counted against a budget, and able to fail on purpose (tests).
 * Threads: any thread may allocate and free; the budget is the process's. */
#ifndef GIG_BASE_MEMORY_H
#define GIG_BASE_MEMORY_H

#include "base/status.h"
#include "gig/memory.h"
#include <stddef.h>
#include <stdint.h>

enum { GIG_ALIGNMENT = 64 }; /* a cache line, and oneDNN's widest vector */

/* Each sets the message and returns NULL if the budget (GIG_ELIMIT) or memory (GIG_ENOMEM) is exhausted; zero bytes
 * give a valid pointer. The product count * size is checked. */
void *gig_alloc(size_t count, size_t size);
void *gig_alloc_zero(size_t count, size_t size);
void gig_free(void *pointer); /* NULL is allowed */

/* Grows *array (elements of `size` bytes, *capacity of them) to hold at least `needed`; contents kept, rest unset. */
gig_status gig_grow(void **array, size_t *capacity, size_t needed, size_t size);

char *gig_strdup(const char *text);

/* GIG_ELIMIT or GIG_ENOMEM: why this thread's last allocation returned NULL. */
gig_status gig_alloc_status(void);
#ifdef __clang_analyzer__ /* which cannot see that it is never GIG_OK */
#define gig_alloc_status() (gig_alloc_status() == GIG_ELIMIT ? GIG_ELIMIT : GIG_ENOMEM)
#endif

size_t gig_memory_room(void); /* bytes left of the budget; SIZE_MAX without one */

/* Tests: the allocation number `at` from now (0 is the next) fails; with `lasting`, all later ones too. SIZE_MAX: none.
 */
void gig_memory_fail_at(size_t at, int lasting);
size_t gig_memory_allocations(void); /* made since gig_memory_fail_at */

#endif
