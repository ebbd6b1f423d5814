/* SPDX-License-Identifier: Apache-2.0 */
#include "network/locate/places.h"
#include <inttypes.h>

static gig_status resolve(int64_t *out, int64_t index, int64_t size)
{
    if (index < -size || index >= size)
        return gig_fail(GIG_EFORMAT, "index %" PRId64 " is outside an axis of %" PRId64 " cells", index, size);
    *out = index < 0 ? index + size : index;
    return GIG_OK;
}

static int64_t product(const gig_tensor *t, int first, int last)
{
    int64_t count = 1;
    for (int i = first; i < last; i++) count *= t->dims[i];
    return count;
}

/* ---- filling `at` ---- */

/* data [outer, size, run], indices flat: at[o][i] = (o * size + index[i]) * run */
static gig_status by_axis(gig_places *p, const gig_address *address, const gig_tensor *data, const gig_tensor *indices)
{
    int64_t outer = product(data, 0, address->axis), size = data->dims[address->axis], index;
    int64_t each = (int64_t)gig_tensor_count(indices);
    for (int64_t i = 0; i < each; i++) {
        GIG_TRY(resolve(&index, indices->whole[i], size));
        for (int64_t o = 0; o < outer; o++) p->at[o * each + i] = (int32_t)((o * size + index) * p->run);
    }
    return GIG_OK;
}

/* Element (c0, c1, ...) of indices points to data at the same coordinates, but its own value along the axis. */
static gig_status by_element(gig_places *p, const gig_address *address, const gig_tensor *data,
                             const gig_tensor *indices)
{
    int64_t at[GIG_MAX_RANK] = {0}, stride = 1, strides[GIG_MAX_RANK], index;
    for (int i = data->rank - 1; i >= 0; i--) {
        strides[i] = stride;
        stride *= data->dims[i];
    }
    for (int64_t e = 0; e < p->count; e++) {
        int64_t offset = 0;
        GIG_TRY(resolve(&index, indices->whole[e], data->dims[address->axis]));
        for (int i = 0; i < data->rank; i++) offset += strides[i] * (i == address->axis ? index : at[i]);
        p->at[e] = (int32_t)offset;
        for (int i = data->rank - 1; i >= 0 && ++at[i] == indices->dims[i]; i--) at[i] = 0;
    }
    return GIG_OK;
}

static gig_status by_coordinate(gig_places *p, const gig_address *address, const gig_tensor *data,
                                const gig_tensor *indices)
{
    int64_t depth = indices->dims[indices->rank - 1], shared = product(data, 0, address->batch), index;
    int64_t each = shared && p->count > shared ? p->count / shared : 1; /* tuples for each place of the shared axes */
    for (int64_t t = 0; t < p->count; t++) {
        int64_t offset = t / each;
        for (int64_t d = 0; d < depth; d++) {
            int64_t size = data->dims[address->batch + d];
            GIG_TRY(resolve(&index, indices->whole[t * depth + d], size));
            offset = offset * size + index;
        }
        p->at[t] = (int32_t)(offset * p->run);
    }
    return GIG_OK;
}

gig_status gig_places_create(gig_places *out, const gig_address *address, const gig_tensor *data,
                             const gig_tensor *indices)
{
    *out = (gig_places){.count = (int64_t)gig_tensor_count(indices), .run = 1};
    if (address->how == GIG_BY_AXIS) {
        out->count *= product(data, 0, address->axis);
        out->run = product(data, address->axis + 1, data->rank);
    } else if (address->how == GIG_BY_COORDINATE) {
        int depth = (int)indices->dims[indices->rank - 1];
        out->count = product(indices, 0, indices->rank - 1);
        out->run = product(data, address->batch + depth, data->rank);
    }
    out->at = gig_alloc((size_t)out->count, sizeof *out->at);
    if (!out->at) return gig_alloc_status();
    gig_status status = address->how == GIG_BY_AXIS      ? by_axis(out, address, data, indices)
                        : address->how == GIG_BY_ELEMENT ? by_element(out, address, data, indices)
                                                         : by_coordinate(out, address, data, indices);
    if (status == GIG_OK) return GIG_OK;
    gig_free(out->at);
    out->at = NULL;
    return status;
}

/* ---- checks ---- */

static gig_status check_elements(const gig_address *address, const gig_tensor *data, const gig_tensor *indices)
{
    if (indices->rank != data->rank)
        return gig_fail(GIG_EFORMAT, "indices of rank %d for data of rank %d", indices->rank, data->rank);
    for (int i = 0; i < data->rank; i++)
        if (i != address->axis && indices->dims[i] > data->dims[i])
            return gig_fail(GIG_EFORMAT, "axis %d: %" PRId64 " indices for %" PRId64 " cells", i, indices->dims[i],
                            data->dims[i]);
    return GIG_OK;
}

static gig_status check_coordinates(const gig_address *address, const gig_tensor *data, const gig_tensor *indices)
{
    int batch = address->batch, depth_axis = indices->rank - 1;
    if (batch < 0 || batch >= indices->rank || batch >= data->rank)
        return gig_fail(GIG_EFORMAT, "batch_dims is %d for ranks %d and %d", batch, data->rank, indices->rank);
    if (indices->dims[depth_axis] < 1 || indices->dims[depth_axis] > data->rank - batch)
        return gig_fail(GIG_EFORMAT, "%" PRId64 " coordinates for data of rank %d", indices->dims[depth_axis],
                        data->rank);
    for (int i = 0; i < batch; i++)
        if (indices->dims[i] != data->dims[i])
            return gig_fail(GIG_EFORMAT, "axis %d: %" PRId64 " indices for %" PRId64 " cells", i, indices->dims[i],
                            data->dims[i]);
    return GIG_OK;
}

gig_status gig_address_check(const gig_address *address, const gig_tensor *data, const gig_tensor *indices)
{
    if (data->rank < 1) return gig_fail(GIG_EFORMAT, "data of rank 0");
    if (address->how == GIG_BY_ELEMENT) GIG_TRY(check_elements(address, data, indices));
    if (address->how == GIG_BY_COORDINATE) GIG_TRY(check_coordinates(address, data, indices));
    if (!indices->data || address->how == GIG_BY_AXIS) {
        for (size_t i = 0; indices->data && i < gig_tensor_count(indices); i++) {
            int64_t index;
            GIG_TRY(resolve(&index, indices->whole[i], data->dims[address->axis]));
        }
        return GIG_OK;
    }
    gig_places places;
    GIG_TRY(gig_places_create(&places, address, data, indices));
    gig_free(places.at);
    return GIG_OK;
}
