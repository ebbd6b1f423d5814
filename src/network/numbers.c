/* A float is nearly the sum of two bfloat16 numbers: x = high + low + at most 2^-17 |x|. */
#include "base/clones.h"
#include "network/convolution.h"
#include <string.h>

/* The upper 16 bits of a float, after adding half of what is cut off (one less where the kept last bit is 0). */
static inline uint32_t rounded_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t rounded = bits + 0x7fffu + (bits >> 16 & 1u);
    uint32_t is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
    return is_nan ? (bits | 0x400000u) >> 16 : rounded >> 16;
}

static inline float from_bits(uint32_t upper)
{
    uint32_t bits = upper << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float gig_bf16_round(float value)
{
    return from_bits(rounded_bits(value));
}

gig_status gig_bf16_half(gig_tensor *out, const gig_tensor *values, int low)
{
    GIG_TRY(gig_tensor_create(out, GIG_REAL, values->rank, values->dims));
    size_t count = gig_tensor_count(values);
    for (size_t i = 0; i < count; i++) {
        float high = gig_bf16_round(values->real[i]);
        out->real[i] = low ? gig_bf16_round(values->real[i] - high) : high;
    }
    return GIG_OK;
}

GIG_CLONES static void high_halves(uint16_t *restrict high, const float *restrict in, size_t count)
{
    for (size_t i = 0; i < count; i++) high[i] = (uint16_t)rounded_bits(in[i]);
}

GIG_CLONES static void both_halves(uint16_t *restrict high, uint16_t *restrict low, const float *restrict in,
                                   size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t upper = rounded_bits(in[i]);
        high[i] = (uint16_t)upper;
        low[i] = (uint16_t)rounded_bits(in[i] - from_bits(upper));
    }
}

gig_status gig_call_halves(const gig_action *action, void *const *pointers)
{
    if (action->count > 2)
        both_halves(pointers[1], pointers[2], pointers[0], action->elements);
    else
        high_halves(pointers[1], pointers[0], action->elements);
    return GIG_OK;
}

gig_status gig_call_halves_emulated(const gig_action *action, void *const *pointers)
{
    const float *in = pointers[0];
    float *high = pointers[1], *low = action->count > 2 ? pointers[2] : NULL;
    for (size_t i = 0; i < action->elements; i++) {
        float value = in[i];
        high[i] = gig_bf16_round(value);
        if (low) low[i] = gig_bf16_round(value - high[i]);
    }
    return GIG_OK;
}
