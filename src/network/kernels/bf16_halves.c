/* SPDX-License-Identifier: Apache-2.0 */
/* A float is nearly the sum of two bfloat16 numbers: x = high + low + at most 2^-17 |x|. */
#include "network/kernels/bf16_halves.h"
#include "base/clones.h"
#include <string.h>

/* The upper 16 bits of a float, rounded: half of the discarded part is added first (one less if the last kept bit is
 * 0). */
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

/* To the nearest bfloat16, ties to even; NaN stays NaN. */
static float round_half(float value)
{
    return from_bits(rounded_bits(value));
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

/* p[0] f32 in, p[1] high halves, and, if there is a p[2], low halves. */
static gig_status call_halves(const gig_action *action, void *const *pointers)
{
    if (action->count > 2)
        both_halves(pointers[1], pointers[2], pointers[0], action->elements);
    else
        high_halves(pointers[1], pointers[0], action->elements);
    return GIG_OK;
}

static gig_status call_halves_emulated(const gig_action *action, void *const *pointers)
{
    const float *in = pointers[0];
    float *high = pointers[1], *low = action->count > 2 ? pointers[2] : NULL;
    for (size_t i = 0; i < action->elements; i++) {
        float value = in[i];
        high[i] = round_half(value);
        if (low) low[i] = round_half(value - high[i]);
    }
    return GIG_OK;
}

gig_status gig_plan_split(gig_place halves[2], gig_plan *plan, gig_place from, const gig_layout *layout, int low)
{
    int emulated = layout->type == GIG_NUMBER_F32;
    size_t elements = layout->bytes / (emulated ? sizeof(float) : sizeof(uint16_t));
    gig_action *action;
    for (int i = 0; i <= low; i++) GIG_TRY(gig_plan_buffer(&halves[i], plan, layout->bytes));
    GIG_TRY(gig_plan_call(&action, plan, "Split", emulated ? call_halves_emulated : call_halves, elements));
    gig_action_place(action, from);
    for (int i = 0; i <= low; i++) gig_action_place(action, halves[i]);
    return GIG_OK;
}

/* A new tensor with the high half of each value, or with the low half (what the high one leaves, rounded). */
static gig_status half_of(gig_tensor *out, const gig_tensor *values, int low)
{
    GIG_TRY(gig_tensor_create(out, GIG_FLOAT32, values->rank, values->dims));
    size_t count = gig_tensor_count(values);
    for (size_t i = 0; i < count; i++) {
        float high = round_half(values->real[i]);
        out->real[i] = low ? round_half(values->real[i] - high) : high;
    }
    return GIG_OK;
}

gig_status gig_plan_pack_half(void **out, gig_plan *plan, const gig_layout *from, const gig_tensor *weights,
                              const gig_layout *layout, int halves, int low)
{
    if (!halves) return gig_plan_pack(out, plan, from, weights->data, layout);
    gig_tensor half;
    GIG_TRY(half_of(&half, weights, low));
    gig_status status = gig_plan_pack(out, plan, from, half.data, layout);
    gig_tensor_clear(&half);
    return status;
}

/* ---- number types of a plan ---- */

gig_numbers gig_numbers_whole(void)
{
    return (gig_numbers){.type = GIG_NUMBER_F32, .count = 1};
}

static gig_numbers half_numbers(const gig_plan *plan, size_t count)
{
    return (gig_numbers){.halves = 1,
                         .type = plan->options->emulate_bf16 ? GIG_NUMBER_F32 : GIG_NUMBER_BF16,
                         .count = count,
                         .products = {{0, 0}, {0, 1}, {1, 0}}};
}

gig_numbers gig_numbers_forward(const gig_plan *plan)
{
    gig_precision precision = plan->options->precision;
    if (precision == GIG_BF16) return half_numbers(plan, 1);
    return precision == GIG_SPLIT ? half_numbers(plan, 3) : gig_numbers_whole();
}

gig_numbers gig_numbers_backward(const gig_plan *plan)
{
    return plan->options->precision == GIG_F32 ? gig_numbers_whole() : half_numbers(plan, 1);
}
