/* SPDX-License-Identifier: Apache-2.0 */
/* gig/tensor.h -- a dense row-major array, and arrays in files.
 *
 * Flow:      .npy/.npz bytes <-> [gig_tensor] <-> models, maps
 * Ownership: a tensor made by gig_tensor_create or read from a file owns its data: free with gig_tensor_clear. A tensor
 *            filled in by hand may borrow; then do not clear it.
 * Threads:   no hidden state; a tensor may be read by several threads.
 * Errors:    GIG_EARG, GIG_ELIMIT (sizes), GIG_ENOMEM, GIG_EIO, GIG_EFORMAT, GIG_EUNSUPPORTED (element types such as
 *            complex, text, records).
 */
#ifndef GIG_TENSOR_H
#define GIG_TENSOR_H

#include "gig/status.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GIG_MAX_RANK 8

/* Every floating type is computed as float, every integer and boolean type as int64_t. */
typedef enum gig_type { GIG_FLOAT32 = 0, GIG_INT64 = 1 } gig_type;

typedef struct gig_tensor {
    gig_type type;
    int rank;                   /* 0 (a scalar) to GIG_MAX_RANK */
    int64_t dims[GIG_MAX_RANK]; /* each >= 0 */
    union {
        void *data;
        float *real;    /* type GIG_FLOAT32 */
        int64_t *whole; /* type GIG_INT64 */
    };
} gig_tensor;

/* Number of elements. The dims must have passed a checked size (all tensors made by this library have). */
GIG_API size_t gig_tensor_count(const gig_tensor *tensor);

/* A zeroed tensor. GIG_ELIMIT for ranks above 8, negative dims, and more than 2^30 elements. */
GIG_API gig_status gig_tensor_create(gig_tensor *out, gig_type type, int rank, const int64_t *dims);

/* Frees the data and zeroes the struct. A zeroed struct and NULL are allowed. */
GIG_API void gig_tensor_clear(gig_tensor *tensor);

/* Reads a .npy file (versions 1 to 3, little or big endian, C or Fortran order; f2 f4 f8 -> real; i, u, b1 -> whole).
 */
GIG_API gig_status gig_npy_read(gig_tensor *out, const char *path);

/* Writes float32 (real) or int64 (whole). Written completely or not at all; overwrites only with force. */
GIG_API gig_status gig_npy_write(const char *path, const gig_tensor *tensor, int force);

#ifdef __cplusplus
}
#endif
#endif
