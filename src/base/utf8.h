/* SPDX-License-Identifier: Apache-2.0 */
/* Text in UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef GIG_BASE_UTF8_H
#define GIG_BASE_UTF8_H

#include <stddef.h>

/* Bytes of the character at the start of `left` bytes (at least one); 0 if it is not UTF-8 or cut off. */
size_t gig_utf8_length(const void *text, size_t left);

/* Bytes of the byte-order mark in front, which some editors write: 3 or 0. */
size_t gig_utf8_mark(const void *text, size_t bytes);

#endif
