/* SPDX-License-Identifier: Apache-2.0 */
/* For our own kernels on CPUs with AVX2. Check gig_cpu_has_avx2, which follows oneDNN, so that a limit set by the
 * environment applies to both. */
#ifndef GIG_NETWORK_KERNELS_AVX2_H
#define GIG_NETWORK_KERNELS_AVX2_H

#include "network/dnnl/dnnl.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define GIG_AVX2          __attribute__((target("avx2,fma")))
#define GIG_AVX2_INLINE   static inline __attribute__((always_inline, target("avx2,fma")))
#define GIG_AVX512        __attribute__((target("avx512f,avx2,fma")))
#define GIG_AVX512_INLINE static inline __attribute__((always_inline, target("avx512f,avx2,fma")))
#else
#define GIG_AVX2
#define GIG_AVX2_INLINE static inline
#endif

#endif
