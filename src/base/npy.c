/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays in .npy files: every element type becomes float or int64_t, any byte order and index order becomes ours. */
#include "base/npy.h"
#include "base/half.h"
#include "base/size.h"
#include <math.h>
#include <string.h>

/* Element as its bits, most significant byte first or last. */
static uint64_t load(const uint8_t *at, int item, int big_endian)
{
    uint64_t bits = 0;
    for (int i = 0; i < item; i++) bits |= (uint64_t)at[big_endian ? item - 1 - i : i] << (8 * i);
    return bits;
}

static float to_real(uint64_t bits, int item)
{
    if (item == 2) return gig_half_to_float((uint16_t)bits);
    if (item == 4) return gig_bits_to_float((uint32_t)bits);
    double value;
    memcpy(&value, &bits, sizeof value);
    return (float)value;
}

static int64_t to_whole(uint64_t bits, char kind, int item)
{
    if (kind == 'b') return bits != 0;
    if (kind == 'u' || item == 8) return (int64_t)bits;
    uint64_t sign = (uint64_t)1 << (8 * item - 1);
    return (int64_t)((bits ^ sign) - sign);
}

/* Index of element `i` of the row-major array in a column-major one. */
static size_t fortran_place(size_t i, int rank, const int64_t *dims)
{
    size_t place = 0;
    for (int d = rank - 1; d >= 0; d--) {
        size_t extent = (size_t)dims[d], index = i % extent, stride = 1;
        i /= extent;
        for (int e = 0; e < d; e++) stride *= (size_t)dims[e];
        place += index * stride;
    }
    return place;
}

static gig_status convert(gig_tensor *out, const gig_npy_header *header, const uint8_t *data, size_t count)
{
    if (header->kind == 'f' && header->item == 4 && !header->big_endian && !header->fortran) {
        if (count) memcpy(out->real, data, count * sizeof(float));
        return GIG_OK;
    }
    for (size_t i = 0; i < count; i++) {
        size_t place = header->fortran ? fortran_place(i, header->rank, header->dims) : i;
        uint64_t bits = load(data + place * (size_t)header->item, header->item, header->big_endian);
        if (header->kind == 'f') {
            out->real[i] = to_real(bits, header->item);
            if (header->item == 8 && isinf(out->real[i]) && (bits << 1) >> 53 != 0x7ff)
                return gig_fail(GIG_EFORMAT, "npy: element %zu is too large for a float of 32 bits", i);
            continue;
        }
        if (header->kind == 'u' && bits > INT64_MAX)
            return gig_fail(GIG_EUNSUPPORTED, "npy: element %zu exceeds the largest 64-bit integer", i);
        out->whole[i] = to_whole(bits, header->kind, header->item);
    }
    return GIG_OK;
}

gig_status gig_npy_parse(gig_tensor *out, const void *bytes, size_t count)
{
    *out = (gig_tensor){0};
    gig_reader reader = {bytes, count};
    gig_npy_header header;
    GIG_TRY(gig_npy_read_header(&header, &reader));
    size_t elements;
    GIG_TRY(gig_size_of_dims(&elements, header.rank, header.dims));
    size_t wanted = elements * (size_t)header.item; /* at most 2^30 * 8 */
    if (wanted != reader.left)
        return gig_fail(GIG_EFORMAT, "npy: the shape needs %zu bytes, found %zu", wanted, reader.left);
    gig_type type = header.kind == 'f' ? GIG_FLOAT32 : GIG_INT64;
    if (elements > GIG_MAX_ARRAY_BYTES / gig_type_size(type))
        return gig_fail(GIG_ELIMIT, "npy: an array of %zu elements is too large: expected at most %zu bytes", elements,
                        GIG_MAX_ARRAY_BYTES);
    GIG_TRY(gig_tensor_create(out, type, header.rank, header.dims));
    gig_status status = convert(out, &header, reader.at, elements);
    if (status != GIG_OK) gig_tensor_clear(out);
    return status;
}

gig_status gig_npy_read(gig_tensor *out, const char *path)
{
    *out = (gig_tensor){0};
    uint8_t *bytes;
    size_t count;
    GIG_TRY(gig_file_read(&bytes, &count, path, GIG_MAX_ARRAY_BYTES + 65536));
    gig_status status = gig_npy_parse(out, bytes, count);
    gig_free(bytes);
    return status == GIG_OK ? GIG_OK : gig_fail_in(status, "%s", path);
}

gig_status gig_npy_write(const char *path, const gig_tensor *tensor, int force)
{
    size_t elements;
    GIG_TRY(gig_size_of_dims(&elements, tensor->rank, tensor->dims));
    uint8_t header[GIG_NPY_HEADER_BYTES];
    const gig_bytes parts[] = {{header, gig_npy_write_header(header, tensor)},
                               {tensor->data, gig_tensor_bytes(tensor)}};
    return gig_file_write_parts(path, 2, parts, force);
}
