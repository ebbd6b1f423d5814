/* SPDX-License-Identifier: Apache-2.0 */
/* Our own calls on flat memory: additions, ReLU with its mask kept as bits, copies. */
#include "base/clones.h"
#include "network/plan.h"
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

GIG_CLONES static void add(float *restrict sum, const float *restrict term, size_t count)
{
    for (size_t i = 0; i < count; i++) sum[i] += term[i];
}

void gig_floats_add(float *sum, const float *term, size_t count)
{
    add(sum, term, count);
}

gig_status gig_call_add(const gig_action *action, void *const *pointers)
{
    add(pointers[0], pointers[1], action->elements);
    return GIG_OK;
}

GIG_CLONES static void add_to(float *out, const float *a, const float *b, size_t count)
{
    for (size_t i = 0; i < count; i++) out[i] = a[i] + b[i];
}

GIG_CLONES static void multiply(float *restrict product, const float *restrict factor, size_t count)
{
    for (size_t i = 0; i < count; i++) product[i] *= factor[i];
}

gig_status gig_call_multiply(const gig_action *action, void *const *pointers)
{
    multiply(pointers[0], pointers[1], action->elements);
    return GIG_OK;
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

/* Bit i of the mask says whether value i passed. A NaN does not pass the mask, but stays a NaN in the output. */
enum { GROUP = 32 };

static void mask_tail(uint32_t *mask, const float *values, size_t from, size_t count)
{
    for (size_t i = from; i < count; i++) {
        if (i % GROUP == 0) mask[i / GROUP] = 0;
        mask[i / GROUP] |= (uint32_t)(values[i] > 0.0f) << (i % GROUP);
    }
}

static void unmask_tail(float *values, const uint32_t *mask, size_t from, size_t count)
{
    for (size_t i = from; i < count; i++)
        if (!(mask[i / GROUP] >> (i % GROUP) & 1)) values[i] = 0.0f;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void mask_avx2(uint32_t *mask, const float *values, size_t count)
{
    size_t whole = count / GROUP;
    const __m256 zero = _mm256_setzero_ps();
    for (size_t g = 0; g < whole; g++) {
        uint32_t bits = 0;
        for (int part = 0; part < 4; part++) {
            __m256 v = _mm256_loadu_ps(values + g * GROUP + (size_t)part * 8);
            bits |= (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(v, zero, _CMP_GT_OQ)) << (8 * part);
        }
        mask[g] = bits;
    }
    mask_tail(mask, values, whole * GROUP, count);
}

/* Spreads 8 bits over 8 lanes: each lane looks at its own bit. */
__attribute__((target("avx2"))) static void unmask_avx2(float *values, const uint32_t *mask, size_t count)
{
    size_t whole = count / GROUP;
    const __m256i lanes = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    for (size_t g = 0; g < whole; g++)
        for (int part = 0; part < 4; part++) {
            __m256i bits = _mm256_set1_epi32((int)(mask[g] >> (8 * part) & 0xff));
            __m256i keep = _mm256_cmpeq_epi32(_mm256_and_si256(bits, lanes), lanes);
            float *at = values + g * GROUP + (size_t)part * 8;
            _mm256_storeu_ps(at, _mm256_and_ps(_mm256_loadu_ps(at), _mm256_castsi256_ps(keep)));
        }
    unmask_tail(values, mask, whole * GROUP, count);
}
#endif

static void mask_of(uint32_t *mask, const float *values, size_t count)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        mask_avx2(mask, values, count);
        return;
    }
#endif
    mask_tail(mask, values, 0, count);
}

gig_status gig_call_mask(const gig_action *action, void *const *pointers)
{
    mask_of(pointers[1], pointers[0], action->elements);
    return GIG_OK;
}

GIG_CLONES static void rectify(float *out, const float *in, size_t count)
{
    for (size_t i = 0; i < count; i++) out[i] = in[i] < 0.0f ? 0.0f : in[i];
}

gig_status gig_call_relu(const gig_action *action, void *const *pointers)
{
    rectify(pointers[0], pointers[1], action->elements);
    mask_of(pointers[2], pointers[0], action->elements);
    return GIG_OK;
}

static void clip_tail(float *out, uint32_t *mask, const float *in, size_t from, size_t count, float low, float high)
{
    for (size_t i = from; i < count; i++) {
        const float x = in[i], raised = x < low ? low : x;
        if (i % GROUP == 0) mask[i / GROUP] = 0;
        mask[i / GROUP] |= (uint32_t)(x >= low && x <= high) << (i % GROUP);
        out[i] = raised > high ? high : raised;
    }
}

#if defined(__x86_64__)
/* A NaN stays one: minimum and maximum give their second operand where one is not a number. */
__attribute__((target("avx2"))) static void clip_avx2(float *out, uint32_t *mask, const float *in, size_t count,
                                                      float low, float high)
{
    size_t whole = count / GROUP;
    const __m256 least = _mm256_set1_ps(low), most = _mm256_set1_ps(high);
    for (size_t g = 0; g < whole; g++) {
        uint32_t bits = 0;
        for (int part = 0; part < 4; part++) {
            size_t at = g * GROUP + (size_t)part * 8;
            __m256 x = _mm256_loadu_ps(in + at);
            __m256 inside = _mm256_and_ps(_mm256_cmp_ps(x, least, _CMP_GE_OQ), _mm256_cmp_ps(x, most, _CMP_LE_OQ));
            bits |= (uint32_t)_mm256_movemask_ps(inside) << (8 * part);
            _mm256_storeu_ps(out + at, _mm256_min_ps(most, _mm256_max_ps(least, x)));
        }
        mask[g] = bits;
    }
    clip_tail(out, mask, in, whole * GROUP, count, low, high);
}
#endif

gig_status gig_call_clip(const gig_action *action, void *const *pointers)
{
    const float *bounds = action->self;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        clip_avx2(pointers[0], pointers[2], pointers[1], action->elements, bounds[0], bounds[1]);
        return GIG_OK;
    }
#endif
    clip_tail(pointers[0], pointers[2], pointers[1], 0, action->elements, bounds[0], bounds[1]);
    return GIG_OK;
}

gig_status gig_call_unmask(const gig_action *action, void *const *pointers)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        unmask_avx2(pointers[0], pointers[1], action->elements);
        return GIG_OK;
    }
#endif
    unmask_tail(pointers[0], pointers[1], 0, action->elements);
    return GIG_OK;
}

gig_status gig_call_unmask_guided(const gig_action *action, void *const *pointers)
{
    float *values = pointers[0];
    rectify(values, values, action->elements);
    return gig_call_unmask(action, pointers);
}
