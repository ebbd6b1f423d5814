/* SPDX-License-Identifier: Apache-2.0 */
/* A map kept beside a store, as a file. */
#ifndef GIG_WORK_STORE_MAP_FILE_H
#define GIG_WORK_STORE_MAP_FILE_H

#include "gig/tensor.h"

/* The map in the file, [height, width, 1 or 3]. GIG_EFORMAT: it holds none of this size. */
gig_status gig_map_file_read(gig_tensor *out, const char *path, size_t height, size_t width);

#endif
