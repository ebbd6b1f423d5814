/* SPDX-License-Identifier: Apache-2.0 */
/* internal/file.h -- files that are written completely or not at all.
 *
 * Flow:      bytes in memory -> [gig_file_write] -> a file
 * Ownership: the bytes stay the caller's.
 * Threads:   no hidden state.
 * Errors:    GIG_EIO; the message names the path.
 */
#ifndef GIG_INTERNAL_FILE_H
#define GIG_INTERNAL_FILE_H

#include "gig/status.h"
#include <stddef.h>

/* Writes a temporary file beside the path, flushes, syncs, renames. Without force an existing file is an error and
 * stays as it was; on any failure no new file is left behind. Devices such as /dev/stdout are written in place. */
gig_status gig_file_write(const char *path, const void *data, size_t bytes, int force);

#endif
