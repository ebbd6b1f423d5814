/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers for gig_tensor inside the library. */
#ifndef GIG_BASE_TENSOR_H
#define GIG_BASE_TENSOR_H

#include "base/memory.h"
#include "base/status.h"
#include "gig/tensor.h"

static inline size_t gig_type_size(gig_type type)
{
    return type == GIG_FLOAT32 ? sizeof(float) : sizeof(int64_t);
}

static inline size_t gig_tensor_bytes(const gig_tensor *tensor)
{
    return gig_tensor_count(tensor) * gig_type_size(tensor->type);
}

int gig_same_dims(const gig_tensor *a, const gig_tensor *b);
gig_status gig_tensor_copy(gig_tensor *out, const gig_tensor *from);

/* "[1,3,224,224]" into `text`; returns text. */
const char *gig_dims_text(char *text, size_t bytes, int rank, const int64_t *dims);

#endif
