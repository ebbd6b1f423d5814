/* SPDX-License-Identifier: Apache-2.0 */
/* Smooth functions of one float, in operations that compilers vectorise: no calls and no branches, not even those that
 * compilers make of a conditional expression. A NaN stays NaN. Relative errors, in units of 2^-24: exp 2, log 3, tanh
 * 3, sigmoid 4, erf 4, exp - 1 and log of 1 + x 4; the complement of erf 7 + 2 z^2, as its exponent is rounded
 * (test_smooth). Results below 2^-126 may be 0.
 *
 * The polynomials have the least largest relative error on their range, found by iterated weighted least squares. */
#ifndef GIG_NETWORK_KERNELS_SMOOTH_FUNCTIONS_H
#define GIG_NETWORK_KERNELS_SMOOTH_FUNCTIONS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* a where `yes` is 1, b where it is 0, by their bits. */
static inline float gig_choose(int yes, float a, float b)
{
    const uint32_t mask = 0 - (uint32_t)yes;
    uint32_t left, right;
    memcpy(&left, &a, sizeof left);
    memcpy(&right, &b, sizeof right);
    left = (left & mask) | (right & ~mask);
    memcpy(&a, &left, sizeof a);
    return a;
}

/* x = n ln 2 + r, |r| <= ln 2 / 2; e^r - 1 by its series. Adding magic leaves n in the low bits of `shifted`. */
typedef struct gig_exp_parts {
    float shifted, n, rest; /* rest = e^r - 1 */
} gig_exp_parts;

static inline gig_exp_parts gig_exp_split(float x)
{
    const float magic = 12582912.0f; /* 1.5 * 2^23 */
    const float shifted = x * 1.44269504f + magic, n = shifted - magic;
    const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    float sum = 1.0f / 5040;
    sum = sum * r + 1.0f / 720;
    sum = sum * r + 1.0f / 120;
    sum = sum * r + 1.0f / 24;
    sum = sum * r + 1.0f / 6;
    sum = sum * r + 0.5f;
    sum = sum * r + 1.0f;
    return (gig_exp_parts){shifted, n, sum * r};
}

/* 2^n of the integer in the low bits of `shifted`, -127 (which gives 0) to 127. */
static inline float gig_power_of_2(float shifted)
{
    uint32_t bits;
    float power;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 127) << 23;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* exp(x) for x <= 0; 0 below -88. */
static inline float gig_exp_down(float x)
{
    const gig_exp_parts e = gig_exp_split(gig_choose(x < -88.0f, -88.0f, x));
    return (e.rest + 1.0f) * gig_power_of_2(e.shifted);
}

/* exp(x); 0 below -88, infinite above 88.73. 2^n = 2^(n - 1) 2, as n may be 128. */
static inline float gig_exp(float x)
{
    const float within = gig_choose(x < -88.0f, -88.0f, gig_choose(x > 89.0f, 89.0f, x));
    const gig_exp_parts e = gig_exp_split(within);
    const float power = gig_power_of_2(gig_choose(within > 0, e.shifted - 1, e.shifted));
    return (e.rest + 1.0f) * power * gig_choose(within > 0, 2, 1);
}

/* exp(x) - 1 for x <= 0: 2^n (e^r - 1) + (2^n - 1) */
static inline float gig_exp_less_1(float x)
{
    const gig_exp_parts e = gig_exp_split(gig_choose(x < -88.0f, -88.0f, x));
    const float power = gig_power_of_2(e.shifted);
    return power * e.rest + (power - 1);
}

/* log(x). x = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt(2); with s = f / (2 + f), log(1 + f) = 2 atanh(s) is
 * f - f^2/2 + s (f^2/2 + R), R = 2 s^2/3 + 2 s^4/5 + ... */
static inline float gig_log(float x)
{
    const int small = x < 0x1p-126f;
    const float normal = gig_choose(small, x * 0x1p24f, x);
    int32_t bits;
    memcpy(&bits, &normal, sizeof bits);
    const int32_t lifted = (int32_t)((uint32_t)bits - 0x3f3504f3u), exponent = lifted >> 23,
                  rest = (lifted & 0x7fffff) + 0x3f3504f3;
    float m;
    memcpy(&m, &rest, sizeof m);
    const float k = (float)exponent - gig_choose(small, 24, 0);
    const float f = m - 1, s = f / (2 + f), z = s * s, half = 0.5f * f * f;
    float sum = 2.0f / 11;
    sum = sum * z + 2.0f / 9;
    sum = sum * z + 2.0f / 7;
    sum = sum * z + 2.0f / 5;
    sum = sum * z + 2.0f / 3;
    const float finite = k * 0.693359375f - ((half - (s * (half + sum * z) - k * 2.12194440e-4f)) - f);
    const float ends = gig_choose(x == 0, -INFINITY, x); /* 0, infinity, NaN */
    return gig_choose(x < 0, NAN, gig_choose((x > 0) & (x < INFINITY), finite, ends));
}

/* log(1 + x) for 0 <= x <= 1: 2 atanh(x / (2 + x)) */
static inline float gig_log_1_plus(float x)
{
    const float s = x / (2 + x), z = s * s;
    float sum = 2.0f / 17;
    sum = sum * z + 2.0f / 15;
    sum = sum * z + 2.0f / 13;
    sum = sum * z + 2.0f / 11;
    sum = sum * z + 2.0f / 9;
    sum = sum * z + 2.0f / 7;
    sum = sum * z + 2.0f / 5;
    sum = sum * z + 2.0f / 3;
    return sum * z * s + 2 * s;
}

/* log(1 + e^x) */
static inline float gig_softplus(float x)
{
    return gig_choose(x > 0, x, 0) + gig_log_1_plus(gig_exp_down(-fabsf(x)));
}

/* 1 / (1 + exp(-x)) */
static inline float gig_sigmoid(float x)
{
    const float e = gig_exp_down(-fabsf(x)), over = gig_choose(x < 0, e, 1);
    return over / (1 + e);
}

/* x + x^3 P(x^2) near 0, else (1 - e) / (1 + e) with e = exp(-2 |x|) */
static inline float gig_tanh(float x)
{
    const float z = fabsf(x), s = x * x, e = gig_exp_down(-2 * z), far = (1 - e) / (1 + e);
    float near = -5.659937580e-03f;
    near = near * s + 2.059094347e-02f;
    near = near * s - 5.372105454e-02f;
    near = near * s + 1.333112737e-01f;
    near = near * s - 3.333326052e-01f;
    near = near * s * x + x;
    return gig_choose(z < 0.625f, near, copysignf(far, x));
}

/* (1 - erf(z)) exp(z^2) for 0 <= z <= 9.5: t P(t) with t = 1 / (1 + 0.4 z) */
static inline float gig_erfc_scaled(float z)
{
    const float t = 1 / (1 + 0.4f * z);
    float p = 4.026746307e-02f;
    p = p * t - 1.354709347e-01f;
    p = p * t + 7.384184291e-02f;
    p = p * t + 9.972989801e-02f;
    p = p * t + 7.150811135e-02f;
    p = p * t + 1.969630995e-01f;
    p = p * t + 2.009585676e-01f;
    p = p * t + 2.265757116e-01f;
    p = p * t + 2.256262981e-01f;
    return p * t;
}

/* 1 - erf(z) for z >= 0 */
static inline float gig_erfc_up(float z)
{
    const float within = gig_choose(z > 9.5f, 9.5f, z);
    return gig_erfc_scaled(within) * gig_exp_down(-within * within);
}

static inline float gig_erf(float x)
{
    const float z = fabsf(x), s = x * x, far = 1 - gig_erfc_up(z);
    float near = -6.749480668e-04f;
    near = near * s + 5.114341446e-03f;
    near = near * s - 2.683462278e-02f;
    near = near * s + 1.128337654e-01f;
    near = near * s - 3.761261875e-01f;
    near = (near * s + 1.128379165e+00f) * x;
    return gig_choose(z < 0.75f, near, copysignf(far, x));
}

/* The share of a normal distribution below x; keeps the digits of the far left. */
static inline float gig_normal_below(float x)
{
    const float half = 0.5f * gig_erfc_up(fabsf(x) * 0.70710678118654752440f);
    return gig_choose(x < 0, half, 1 - half);
}

#endif
