/* SPDX-License-Identifier: Apache-2.0 */
/* For kernels of our own on CPUs with AVX2 and nothing wider. With AVX-512 oneDNN's convolutions have twice the width
 * and win. */
#ifndef GIG_NETWORK_KERNELS_AVX2_H
#define GIG_NETWORK_KERNELS_AVX2_H

#if defined(__x86_64__)
#include <immintrin.h>
#define GIG_AVX2        __attribute__((target("avx2,fma")))
#define GIG_AVX2_INLINE static inline __attribute__((always_inline, target("avx2,fma")))

static inline int gig_cpu_is_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && !__builtin_cpu_supports("avx512f");
}
#else
static inline int gig_cpu_is_avx2(void)
{
    return 0;
}
#endif

#endif
