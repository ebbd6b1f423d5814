/* SPDX-License-Identifier: Apache-2.0 */
#include "work/worker/gradient_cache.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/status.h"
#include "saliency/explain.h"
#include <stdint.h>
#include <string.h>

/* A point and its class. Two of 2^128 meet by chance only. */
typedef struct key {
    uint64_t high, low;
} key;

typedef struct entry {
    key of;
    double value, seconds; /* F, and what it took to compute */
    float *gradient;       /* [features] */
} entry;

struct gig_memo {
    size_t bytes; /* most that gradients may take */
    gig_function inner;
    size_t count, capacity;
    uint64_t given_up; /* entries that had to go */
    entry *entries;
    double saved;
};

gig_status gig_memo_create(gig_memo **out, size_t bytes)
{
    *out = gig_alloc_zero(1, sizeof **out);
    if (!*out) return gig_alloc_status();
    (*out)->bytes = bytes;
    return GIG_OK;
}

void gig_memo_forget(gig_memo *memo)
{
    for (size_t i = 0; i < memo->count; i++) gig_free(memo->entries[i].gradient);
    gig_free(memo->entries);
    memo->entries = NULL;
    memo->count = memo->capacity = 0;
}

void gig_memo_free(gig_memo *memo)
{
    if (!memo) return;
    gig_memo_forget(memo);
    gig_free(memo);
}

double gig_memo_saved(gig_memo *memo)
{
    double saved = memo->saved;
    memo->saved = 0;
    return saved;
}

/* Two chains of multiplications with different odd constants. */
static key mix(key k, uint32_t bits)
{
    k.high = (k.high ^ bits) * 0xff51afd7ed558ccdu;
    k.high ^= k.high >> 32;
    k.low = (k.low + bits) * 0xc4ceb9fe1a85ec53u;
    k.low ^= k.low >> 29;
    return k;
}

static key key_of(const float *point, size_t features, size_t target)
{
    key k = mix((key){0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu}, (uint32_t)target);
    for (size_t i = 0; i < features; i++) {
        uint32_t bits;
        memcpy(&bits, &point[i], sizeof bits);
        k = mix(k, bits);
    }
    return k;
}

static const entry *find(const gig_memo *memo, key of)
{
    for (size_t i = 0; i < memo->count; i++)
        if (memo->entries[i].of.high == of.high && memo->entries[i].of.low == of.low) return &memo->entries[i];
    return NULL;
}

/* Room for one more: a new entry, or any. NULL where nothing can be kept. Not the oldest: a path that is walked again,
 * in the same order and just too long, would find each of its points gone. */
static entry *take_entry(gig_memo *memo)
{
    size_t features = memo->inner.features;
    if (!memo->entries) {
        memo->capacity = memo->bytes / (features * sizeof(float));
        memo->entries = gig_alloc_zero(memo->capacity, sizeof *memo->entries);
        if (!memo->entries) memo->capacity = 0;
    }
    if (memo->count < memo->capacity) {
        entry *fresh = &memo->entries[memo->count];
        fresh->gradient = gig_alloc(features, sizeof *fresh->gradient);
        if (fresh->gradient) memo->count++;
        return fresh->gradient ? fresh : NULL;
    }
    if (!memo->capacity) return NULL;
    return &memo->entries[gig_rng_bits((gig_rng){0}, memo->given_up++) % memo->capacity];
}

static gig_status evaluate_one(gig_memo *memo, const float *point, size_t target, double *value, float *gradient)
{
    const gig_function *inner = &memo->inner;
    size_t bytes = inner->features * sizeof *gradient;
    if (!gradient) return inner->evaluate(inner->payload, 1, &point, &target, value, NULL);
    key of = key_of(point, inner->features, target);
    const entry *known = find(memo, of);
    if (known) {
        *value = known->value;
        memcpy(gradient, known->gradient, bytes);
        memo->saved += known->seconds;
        return GIG_OK;
    }
    double start = gig_seconds_now();
    GIG_TRY(inner->evaluate(inner->payload, 1, &point, &target, value, &gradient));
    entry *kept = take_entry(memo);
    if (!kept) return GIG_OK;
    kept->of = of;
    kept->value = *value;
    kept->seconds = gig_seconds_now() - start;
    memcpy(kept->gradient, gradient, bytes);
    return GIG_OK;
}

static gig_status evaluate(void *payload, size_t batch, const float *const *points, const size_t *targets,
                           double *values, float *const *gradients)
{
    for (size_t i = 0; i < batch; i++)
        GIG_TRY(evaluate_one(payload, points[i], targets[i], &values[i], gradients ? gradients[i] : NULL));
    return GIG_OK;
}

gig_function gig_memo_function(gig_memo *memo, const gig_function *inner)
{
    const gig_function *before = &memo->inner;
    if (before->evaluate != inner->evaluate || before->payload != inner->payload || before->features != inner->features)
        gig_memo_forget(memo);
    memo->inner = *inner;
    gig_function out = *inner;
    out.max_batch = 1;
    out.evaluate = evaluate;
    out.payload = memo;
    return out;
}
