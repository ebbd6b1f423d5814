/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 of files and of lists of texts, to identify the inputs of a result. */
#ifndef GIG_BASE_HASH_H
#define GIG_BASE_HASH_H

#include "base/status.h"
#include <stddef.h>
#include <stdint.h>

enum { GIG_HASH_TEXT = 65 }; /* 64 hexadecimal digits and a NUL */

/* FNV-1a: quick, for random streams and tables in memory; not for identifying files. */
static inline uint64_t gig_quick_hash(const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < count; i++) hash = (hash ^ at[i]) * 0x100000001b3;
    return hash;
}

typedef struct gig_hash gig_hash;

/* Called from time to time while a file is read; a return value other than 0 stops with GIG_ECANCEL. */
typedef struct gig_hash_watch {
    int (*stop)(void *payload);
    void *payload;
} gig_hash_watch;

gig_status gig_hash_begin(gig_hash **out, const gig_hash_watch *watch); /* NULL: no callback */
/* The length of each part is hashed too, so that ("ab", "c") and ("a", "bc") differ. */
gig_status gig_hash_add_text(gig_hash *hash, const char *text);
gig_status gig_hash_add_number(gig_hash *hash, int64_t number);
/* The whole content of a file as one part. GIG_EIO names it; files that are not regular are rejected. */
gig_status gig_hash_add_file(gig_hash *hash, const char *path);
gig_status gig_hash_end(char text[GIG_HASH_TEXT], gig_hash *hash);
/* The bytes only, without their length: the same hash as sha256sum of a file with these bytes. */
gig_status gig_hash_add_bytes(gig_hash *hash, const void *bytes, size_t count);
void gig_hash_free(gig_hash *hash); /* NULL is allowed */

#endif
