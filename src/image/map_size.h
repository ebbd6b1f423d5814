/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GIG_IMAGE_MAP_SIZE_H
#define GIG_IMAGE_MAP_SIZE_H

#include <stddef.h>

/* Of numbers [height, width, channels], channels last. */
typedef struct gig_map_size {
    size_t height, width, channels;
} gig_map_size;

#endif
