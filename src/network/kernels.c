/* Our own calls on flat memory: additions, ReLU with its mask kept as bits, copies. */
#include "network/plan.h"
#include <string.h>

/* One body, compiled for each instruction set and chosen when the library is loaded. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define EVERY_CPU __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define EVERY_CPU
#endif

EVERY_CPU static void add(float *restrict sum, const float *restrict term, size_t count)
{
    for (size_t i = 0; i < count; i++) sum[i] += term[i];
}

gig_status gig_call_add(const gig_action *action, void *const *pointers)
{
    add(pointers[0], pointers[1], action->elements);
    return GIG_OK;
}

EVERY_CPU static void add_to(float *out, const float *a, const float *b, size_t count)
{
    for (size_t i = 0; i < count; i++) out[i] = a[i] + b[i];
}

gig_status gig_call_add_to(const gig_action *action, void *const *pointers)
{
    add_to(pointers[0], pointers[1], pointers[2], action->elements);
    return GIG_OK;
}

gig_status gig_call_copy(const gig_action *action, void *const *pointers)
{
    if (pointers[0] != pointers[1]) memmove(pointers[0], pointers[1], action->elements * sizeof(float));
    return GIG_OK;
}

gig_status gig_call_zero(const gig_action *action, void *const *pointers)
{
    memset(pointers[0], 0, action->elements * sizeof(float));
    return GIG_OK;
}

/* Bit i of the mask says whether value i passed. A NaN does not pass the mask, but stays a NaN in the output. */
enum { GROUP = 32 };

EVERY_CPU static uint32_t positive_bits(const float *values)
{
    uint32_t bits = 0;
    for (int i = 0; i < GROUP; i++) bits |= (uint32_t)(values[i] > 0.0f) << i;
    return bits;
}

static void mask_of(uint32_t *mask, const float *values, size_t count)
{
    size_t whole = count / GROUP;
    for (size_t i = 0; i < whole; i++) mask[i] = positive_bits(values + i * GROUP);
    if (count % GROUP) {
        uint32_t bits = 0;
        for (size_t i = whole * GROUP; i < count; i++) bits |= (uint32_t)(values[i] > 0.0f) << (i % GROUP);
        mask[whole] = bits;
    }
}

gig_status gig_call_mask(const gig_action *action, void *const *pointers)
{
    mask_of(pointers[1], pointers[0], action->elements);
    return GIG_OK;
}

EVERY_CPU static void rectify(float *out, const float *in, size_t count)
{
    for (size_t i = 0; i < count; i++) out[i] = in[i] < 0.0f ? 0.0f : in[i];
}

gig_status gig_call_relu(const gig_action *action, void *const *pointers)
{
    rectify(pointers[0], pointers[1], action->elements);
    mask_of(pointers[2], pointers[0], action->elements);
    return GIG_OK;
}

EVERY_CPU static void apply_group(float *values, uint32_t bits)
{
    for (int i = 0; i < GROUP; i++) values[i] = bits >> i & 1 ? values[i] : 0.0f;
}

gig_status gig_call_unmask(const gig_action *action, void *const *pointers)
{
    float *values = pointers[0];
    const uint32_t *mask = pointers[1];
    size_t whole = action->elements / GROUP;
    for (size_t i = 0; i < whole; i++) apply_group(values + i * GROUP, mask[i]);
    for (size_t i = whole * GROUP; i < action->elements; i++)
        if (!(mask[whole] >> (i % GROUP) & 1)) values[i] = 0.0f;
    return GIG_OK;
}

gig_status gig_call_unmask_guided(const gig_action *action, void *const *pointers)
{
    float *values = pointers[0];
    rectify(values, values, action->elements);
    return gig_call_unmask(action, pointers);
}
