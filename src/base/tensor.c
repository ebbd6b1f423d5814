/* SPDX-License-Identifier: Apache-2.0 */
#include "internal/tensor.h"
#include "base/hash.h"
#include "base/size.h"
#include "base/tensor.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

size_t gig_tensor_count(const gig_tensor *tensor)
{
    size_t count = 1;
    for (int i = 0; i < tensor->rank; i++) count *= (size_t)tensor->dims[i];
    return count;
}

gig_status gig_tensor_create(gig_tensor *out, gig_type type, int rank, const int64_t *dims)
{
    *out = (gig_tensor){0};
    size_t count;
    GIG_TRY(gig_size_of_dims(&count, rank, dims));
    void *data = gig_alloc_zero(count, gig_type_size(type));
    if (!data) return gig_alloc_status();
    out->type = type;
    out->rank = rank;
    if (rank) memcpy(out->dims, dims, (size_t)rank * sizeof *dims);
    out->data = data;
    return GIG_OK;
}

void gig_tensor_clear(gig_tensor *tensor)
{
    if (!tensor) return;
    gig_free(tensor->data);
    *tensor = (gig_tensor){0};
}

int gig_same_dims(const gig_tensor *a, const gig_tensor *b)
{
    return a->rank == b->rank && memcmp(a->dims, b->dims, (size_t)a->rank * sizeof a->dims[0]) == 0;
}

gig_status gig_tensor_copy(gig_tensor *out, const gig_tensor *from)
{
    GIG_TRY(gig_tensor_create(out, from->type, from->rank, from->dims));
    memcpy(out->data, from->data, gig_tensor_bytes(from));
    return GIG_OK;
}

const char *gig_dims_text(char *text, size_t bytes, int rank, const int64_t *dims)
{
    size_t used = 0;
    used += (size_t)snprintf(text, bytes, "[");
    for (int i = 0; i < rank && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, i ? ",%" PRId64 : "%" PRId64, dims[i]);
    if (used < bytes) snprintf(text + used, bytes - used, "]");
    return text;
}

gig_status gig_tensor_sha256(char text[GIG_SHA256_BYTES], const gig_tensor *tensor)
{
    gig_hash *hash;
    size_t bytes = gig_tensor_count(tensor) * (tensor->type == GIG_FLOAT32 ? sizeof(float) : sizeof(int64_t));
    text[0] = '\0';
    GIG_TRY(gig_hash_begin(&hash, NULL));
    gig_status status = gig_hash_add_bytes(hash, tensor->data, bytes);
    if (status == GIG_OK) status = gig_hash_end(text, hash);
    gig_hash_free(hash);
    return status;
}
