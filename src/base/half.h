/* SPDX-License-Identifier: Apache-2.0 */
/* Floating-point numbers of 16 bits as float, exactly. */
#ifndef GIG_BASE_HALF_H
#define GIG_BASE_HALF_H

#include <stdint.h>
#include <string.h>

static inline float gig_bits_to_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* IEEE half: 1 sign, 5 exponent (bias 15), 10 fraction bits. */
static inline float gig_half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 0x3ff;
    if (exponent == 31) return gig_bits_to_float(sign | 0x7f800000u | fraction << 13);
    if (exponent) return gig_bits_to_float(sign | (exponent + 112) << 23 | fraction << 13);
    float value = (float)fraction * 0x1p-24f; /* subnormal: exact */
    return sign ? -value : value;
}

#endif
