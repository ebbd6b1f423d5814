/* SPDX-License-Identifier: Apache-2.0 */
/* Integers are computed as int64_t whatever their ONNX type; these functions bring results back into the type's range.
 */
#include "network/operators/integers.h"
#include <math.h>

static void sign_extend(int64_t *values, size_t count, int bits)
{
    for (size_t k = 0; k < count; k++) {
        uint64_t kept = (uint64_t)values[k] << (64 - bits);
        values[k] = (int64_t)kept >> (64 - bits);
    }
}

static void zero_extend(int64_t *values, size_t count, uint64_t mask)
{
    for (size_t k = 0; k < count; k++) values[k] = (int64_t)((uint64_t)values[k] & mask);
}

void gig_wholes_wrap(int64_t *values, size_t count, int onnx_type)
{
    switch (onnx_type) {
    case GIG_ONNX_INT8: sign_extend(values, count, 8); break;
    case GIG_ONNX_INT16: sign_extend(values, count, 16); break;
    case GIG_ONNX_INT32: sign_extend(values, count, 32); break;
    case GIG_ONNX_UINT8: zero_extend(values, count, UINT8_MAX); break;
    case GIG_ONNX_UINT16: zero_extend(values, count, UINT16_MAX); break;
    case GIG_ONNX_UINT32: zero_extend(values, count, UINT32_MAX); break;
    case GIG_ONNX_BOOL:
        for (size_t k = 0; k < count; k++) values[k] = values[k] != 0;
        break;
    default: break; /* 64 bits wrap by themselves */
    }
}

int64_t gig_whole_from_real(double x)
{
    if (isnan(x)) return 0;
    if (x >= 0x1p63) return INT64_MAX;
    if (x < -0x1p63) return INT64_MIN;
    return (int64_t)x;
}

int gig_onnx_is_whole(int onnx_type)
{
    return (onnx_type >= GIG_ONNX_UINT8 && onnx_type <= GIG_ONNX_INT64) || onnx_type == GIG_ONNX_BOOL ||
           onnx_type == GIG_ONNX_UINT32 || onnx_type == GIG_ONNX_UINT64;
}
