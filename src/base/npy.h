/* SPDX-License-Identifier: Apache-2.0 */
/* The .npy format in memory; files and .npz archives are made of it.
 *
 *   \x93NUMPY  major minor  header length (2 bytes, version 1; else 4)  header  elements
 *
 * The header is the text of a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } */
#ifndef GIG_BASE_NPY_H
#define GIG_BASE_NPY_H

#include "base/file.h"
#include "base/tensor.h"

enum { GIG_NPY_HEADER_BYTES = 320 }; /* enough for what gig_npy_header writes at any shape */

typedef struct gig_npy_header {
    char kind;      /* 'f', 'i', 'u' or 'b' */
    int item;       /* bytes of one element: 1, 2, 4 or 8 */
    int big_endian; /* most significant byte first */
    int fortran;    /* first index runs fastest */
    int rank;
    int64_t dims[GIG_MAX_RANK];
} gig_npy_header;

/* Takes magic, version and header; the elements remain. */
gig_status gig_npy_read_header(gig_npy_header *out, gig_reader *reader);

/* The array that fills these bytes exactly. */
gig_status gig_npy_parse(gig_tensor *out, const void *bytes, size_t count);
/* The array `name` (NULL: the only one) of the .npz archive in these bytes. */
gig_status gig_npz_parse(gig_tensor *out, const void *bytes, size_t count, const char *name);

/* Magic, version and header of a tensor, a multiple of 64 bytes: how many. */
size_t gig_npy_write_header(uint8_t out[GIG_NPY_HEADER_BYTES], const gig_tensor *tensor);

/* An array takes at most this many bytes: in its file, unpacked, and in memory, each. */
#define GIG_MAX_ARRAY_BYTES ((size_t)1 << 30)

#endif
