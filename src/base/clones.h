/* SPDX-License-Identifier: Apache-2.0 */
/* GIG_CLONES before a function: its body is compiled for each instruction set, and one is chosen when the library is
 * loaded. Results must not depend on which one runs. clang 14 makes clones that other files cannot link to, and
 * sanitizers do not allow code that runs before them: in both cases only the plain version is compiled. */
#ifndef GIG_BASE_CLONES_H
#define GIG_BASE_CLONES_H

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&          \
    !defined(__SANITIZE_THREAD__)
#define GIG_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define GIG_CLONES
#endif

#endif
