/* SPDX-License-Identifier: Apache-2.0 */
#include "work/worker/gradient_cache.h"
#include "base/memory.h"
#include "base/status.h"
#include "saliency/method_run.h"
#include <stdint.h>
#include <string.h>

/* A point and its class, as a hash of 128 bits. */
typedef struct key {
    uint64_t high, low;
} key;

typedef struct entry {
    key of;
    uint64_t path;
    double value, seconds; /* F, and the seconds it took to compute */
    float *gradient;       /* [features] */
} entry;

struct gig_gradient_cache {
    size_t bytes; /* most that gradients may take */
    gig_function inner;
    uint64_t path;
    size_t count, capacity;
    size_t next; /* where to look for one to replace */
    entry *entries;
    double saved;
};

gig_status gig_gradient_cache_create(gig_gradient_cache **out, size_t bytes)
{
    *out = gig_alloc_zero(1, sizeof **out);
    if (!*out) return gig_alloc_status();
    (*out)->bytes = bytes;
    return GIG_OK;
}

void gig_gradient_cache_forget(gig_gradient_cache *cache)
{
    for (size_t i = 0; i < cache->count; i++) gig_free(cache->entries[i].gradient);
    gig_free(cache->entries);
    cache->entries = NULL;
    cache->count = cache->capacity = cache->next = 0;
}

void gig_gradient_cache_free(gig_gradient_cache *cache)
{
    if (!cache) return;
    gig_gradient_cache_forget(cache);
    gig_free(cache);
}

double gig_gradient_cache_saved(gig_gradient_cache *cache)
{
    double saved = cache->saved;
    cache->saved = 0;
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

static const entry *find(const gig_gradient_cache *cache, key of)
{
    for (size_t i = 0; i < cache->count; i++)
        if (cache->entries[i].of.high == of.high && cache->entries[i].of.low == of.low) return &cache->entries[i];
    return NULL;
}

/* An entry of another path, to be replaced. NULL if there is none: of a path that is too long the first points stay,
 * for if its last ones took their places, a second walk would find each of its points gone. */
static entry *give_up(gig_gradient_cache *cache)
{
    for (size_t i = 0; i < cache->capacity; i++) {
        entry *at = &cache->entries[cache->next];
        cache->next = (cache->next + 1) % cache->capacity;
        if (at->path != cache->path) return at;
    }
    return NULL;
}

/* Space for one more. NULL if nothing can be kept. */
static entry *take_entry(gig_gradient_cache *cache)
{
    size_t features = cache->inner.features;
    if (!cache->entries) {
        cache->capacity = cache->bytes / (features * sizeof(float));
        cache->entries = gig_alloc_zero(cache->capacity, sizeof *cache->entries);
        if (!cache->entries) cache->capacity = 0;
    }
    if (cache->count < cache->capacity) {
        entry *fresh = &cache->entries[cache->count];
        fresh->gradient = gig_alloc(features, sizeof *fresh->gradient);
        if (fresh->gradient) cache->count++;
        return fresh->gradient ? fresh : NULL;
    }
    return give_up(cache);
}

static gig_status evaluate_one(gig_gradient_cache *cache, const float *point, size_t target, double *value,
                               float *gradient)
{
    const gig_function *inner = &cache->inner;
    size_t bytes = inner->features * sizeof *gradient;
    if (!gradient) return inner->evaluate(inner->payload, 1, &point, &target, value, NULL);
    key of = key_of(point, inner->features, target);
    const entry *known = find(cache, of);
    if (known) {
        *value = known->value;
        memcpy(gradient, known->gradient, bytes);
        cache->saved += known->seconds;
        return GIG_OK;
    }
    double start = gig_seconds_now();
    GIG_TRY(inner->evaluate(inner->payload, 1, &point, &target, value, &gradient));
    entry *kept = take_entry(cache);
    if (!kept) return GIG_OK;
    kept->of = of;
    kept->path = cache->path;
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

gig_function gig_gradient_cache_function(gig_gradient_cache *cache, const gig_function *inner, uint64_t path)
{
    const gig_function *before = &cache->inner;
    if (before->evaluate != inner->evaluate || before->payload != inner->payload || before->features != inner->features)
        gig_gradient_cache_forget(cache);
    cache->inner = *inner;
    cache->path = path;
    gig_function out = *inner;
    out.max_batch = 1;
    out.evaluate = evaluate;
    out.payload = cache;
    return out;
}
