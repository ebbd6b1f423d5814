/* SPDX-License-Identifier: Apache-2.0 */
/* What was probably meant: the nearest of several names, where one is near at all. */
#ifndef CLI_FRAME_NEAREST_H
#define CLI_FRAME_NEAREST_H

#include <stddef.h>

typedef struct nearest {
    const char *wanted;
    size_t bytes;     /* of `wanted` */
    const char *name; /* the nearest tried so far, or NULL */
    size_t distance;  /* letters to put in, take out, change, or swap with their neighbour */
} nearest;

nearest nearest_begin(const char *wanted, size_t bytes);
void nearest_try(nearest *self, const char *name);

#endif
