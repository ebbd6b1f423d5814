/* SPDX-License-Identifier: Apache-2.0 */
/* internal/tensor.h -- archives of arrays, and the hash of an array. */
#ifndef GIG_INTERNAL_TENSOR_H
#define GIG_INTERNAL_TENSOR_H

#include "gig/tensor.h"

enum { GIG_SHA256_BYTES = 65 }; /* 64 hexadecimal digits and a NUL */
/* SHA-256 of the values, row by row: that of a .npy file without its header. */
gig_status gig_tensor_sha256(char text[GIG_SHA256_BYTES], const gig_tensor *tensor);

/* Reads the array `name` of a .npz file (stored or deflated); NULL: its only array. */
gig_status gig_npz_read(gig_tensor *out, const char *path, const char *name);

/* Writes several arrays to one uncompressed .npz; names without the ".npy" ending. */
gig_status gig_npz_write(const char *path, size_t count, const char *const *names, const gig_tensor *const *tensors,
                         int force);

#endif
