/* SPDX-License-Identifier: Apache-2.0 */
/* Files: read completely into memory under a limit, written completely or not at all. Parsers see only bytes and a
 * count. */
#ifndef GIG_BASE_FILE_H
#define GIG_BASE_FILE_H

#include "base/status.h"
#include "internal/file.h"
#include <stddef.h>
#include <stdint.h>

/* Bytes and how many of them remain. */
typedef struct gig_reader {
    const uint8_t *at;
    size_t left;
} gig_reader;

/* Takes `bytes` bytes; NULL (and nothing taken) if fewer remain. */
const void *gig_reader_take(gig_reader *reader, size_t bytes);

typedef struct gig_bytes {
    const void *data;
    size_t count;
} gig_bytes;

/* gig_file_write of several pieces, one after the other. */
gig_status gig_file_write_parts(const char *path, size_t count, const gig_bytes *parts, int force);

/* The whole of a regular file (or pipe) of at most `limit` bytes, followed by a NUL byte; free with gig_free. The
 * message names the path. GIG_EIO, GIG_ELIMIT. */
gig_status gig_file_read(uint8_t **out, size_t *bytes, const char *path, size_t limit);

#endif
