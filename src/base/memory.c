/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"
#include "base/size.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Each block is preceded by one aligned header that remembers its size, so that free can give it back to the budget. */
typedef struct block {
    size_t bytes;
} block;

static atomic_size_t used, peak, limit;
static atomic_size_t made, fail_at = SIZE_MAX;
static atomic_int fail_lasting;
static _Thread_local gig_status last = GIG_ENOMEM;

static int wanted_to_fail(void)
{
    size_t number = atomic_fetch_add(&made, 1), at = atomic_load(&fail_at);
    return number == at || (number > at && atomic_load(&fail_lasting));
}

/* Takes `bytes` from the budget; returns 0 if they are not available. */
static int take(size_t bytes)
{
    size_t before = atomic_load(&used), most = atomic_load(&limit);
    do { /* never added if it does not fit: that would block smaller requests of other threads */
        if (most && (bytes > most || before > most - bytes)) return 0;
    } while (!atomic_compare_exchange_weak(&used, &before, before + bytes));
    size_t seen = atomic_load(&peak);
    while (before + bytes > seen && !atomic_compare_exchange_weak(&peak, &seen, before + bytes)) {
    }
    return 1;
}

/* Large blocks use huge pages if the system offers them: filling weights of 100 MB then takes 50 page faults instead of
 * 25,000, and reading them has fewer TLB misses. */
static void *new_block(size_t whole)
{
#if defined(MADV_HUGEPAGE)
    enum { HUGE_PAGE = 2 << 20 };
    if (whole >= HUGE_PAGE) {
        void *start; /* aligned_alloc needs a multiple of the alignment */
        if (posix_memalign(&start, HUGE_PAGE, whole)) return NULL;
        (void)madvise(start, whole, MADV_HUGEPAGE); /* a hint */
        return start;
    }
#endif
    return aligned_alloc(GIG_ALIGNMENT, whole);
}

void *gig_alloc(size_t count, size_t size)
{
    size_t bytes;
    if (!gig_size_multiply(&bytes, count, size) || bytes > SIZE_MAX / 2) {
        last = gig_fail(GIG_ELIMIT, "%zu elements of %zu bytes exceed the address space", count, size);
        return NULL;
    }
    size_t whole = GIG_ALIGNMENT + (bytes + GIG_ALIGNMENT - 1) / GIG_ALIGNMENT * GIG_ALIGNMENT;
    if (!take(whole)) {
        last = gig_fail(GIG_ELIMIT, "memory budget of %zu bytes exceeded (%zu in use, %zu more requested)",
                        atomic_load(&limit), atomic_load(&used), bytes);
        return NULL;
    }
    char *start = wanted_to_fail() ? NULL : new_block(whole);
    if (!start) {
        atomic_fetch_sub(&used, whole);
        last = gig_fail(GIG_ENOMEM, "out of memory (%zu bytes requested)", bytes);
        return NULL;
    }
    ((block *)start)->bytes = whole;
    return start + GIG_ALIGNMENT;
}

void *gig_alloc_zero(size_t count, size_t size)
{
    void *pointer = gig_alloc(count, size);
    if (pointer) memset(pointer, 0, count * size);
    return pointer;
}

void gig_free(void *pointer)
{
    if (!pointer) return;
    block *header = (block *)((char *)pointer - GIG_ALIGNMENT);
    atomic_fetch_sub(&used, header->bytes);
    free(header);
}

gig_status gig_grow(void **array, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity) return GIG_OK;
    size_t wanted = *capacity > SIZE_MAX / 4 ? needed : *capacity * 2;
    if (wanted < needed) wanted = needed;
    if (wanted < 8) wanted = 8;
    void *bigger = gig_alloc(wanted, size);
    if (!bigger) return gig_alloc_status();
    if (*capacity) memcpy(bigger, *array, *capacity * size);
    gig_free(*array);
    *array = bigger;
    *capacity = wanted;
    return GIG_OK;
}

char *gig_strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = gig_alloc(bytes, 1);
    if (copy) memcpy(copy, text, bytes);
    return copy;
}

gig_status(gig_alloc_status)(void) /* which the analyzer knows as a macro */
{
    return last;
}

void gig_memory_set_limit(size_t bytes)
{
    atomic_store(&limit, bytes);
}

size_t gig_memory_used(void)
{
    return atomic_load(&used);
}

size_t gig_memory_room(void)
{
    size_t most = atomic_load(&limit), held = atomic_load(&used);
    if (!most) return SIZE_MAX;
    return most > held ? most - held : 0;
}

size_t gig_memory_peak(void)
{
    return atomic_load(&peak);
}

void gig_memory_reset_peak(void)
{
    atomic_store(&peak, atomic_load(&used));
}

void gig_memory_fail_at(size_t at, int lasting)
{
    atomic_store(&made, 0);
    atomic_store(&fail_lasting, lasting);
    atomic_store(&fail_at, at);
}

size_t gig_memory_allocations(void)
{
    return atomic_load(&made);
}
