/* SPDX-License-Identifier: Apache-2.0 */
/* TensorProto -> gig_tensor. Floating types become float, integers and booleans int64_t; the number of bytes or values
 * present must be exactly what shape and type say. Raw float and int64 data are not copied: the block moves. */
#include "base/half.h"
#include "base/size.h"
#include "base/tensor.h"
#include "model/load.h"
#include <float.h>
#include <math.h>
#include <openssl/evp.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "raw_data is little-endian and used as it is");

/* The list a data type uses when it is not raw. */
typedef enum value_list { LIST_NONE, LIST_FLOAT, LIST_INT32, LIST_INT64, LIST_DOUBLE, LIST_UINT64 } value_list;

typedef struct type_row {
    size_t bytes; /* of one element in raw data */
    gig_type type;
    value_list list;
    int64_t least, most; /* of an element given in int32_data or uint64_data */
} type_row;

static const type_row type_rows[] = {
    [GIG_ONNX_FLOAT] = {4, GIG_FLOAT32, LIST_FLOAT, 0, 0},
    [GIG_ONNX_UINT8] = {1, GIG_INT64, LIST_INT32, 0, UINT8_MAX},
    [GIG_ONNX_INT8] = {1, GIG_INT64, LIST_INT32, INT8_MIN, INT8_MAX},
    [GIG_ONNX_UINT16] = {2, GIG_INT64, LIST_INT32, 0, UINT16_MAX},
    [GIG_ONNX_INT16] = {2, GIG_INT64, LIST_INT32, INT16_MIN, INT16_MAX},
    [GIG_ONNX_INT32] = {4, GIG_INT64, LIST_INT32, INT32_MIN, INT32_MAX},
    [GIG_ONNX_INT64] = {8, GIG_INT64, LIST_INT64, INT64_MIN, INT64_MAX},
    [GIG_ONNX_BOOL] = {1, GIG_INT64, LIST_INT32, 0, 1},
    [GIG_ONNX_FLOAT16] = {2, GIG_FLOAT32, LIST_INT32, 0, UINT16_MAX},
    [GIG_ONNX_DOUBLE] = {8, GIG_FLOAT32, LIST_DOUBLE, 0, 0},
    [GIG_ONNX_UINT32] = {4, GIG_INT64, LIST_UINT64, 0, UINT32_MAX},
    [GIG_ONNX_UINT64] = {8, GIG_INT64, LIST_UINT64, 0, INT64_MAX},
    [GIG_ONNX_BFLOAT16] = {2, GIG_FLOAT32, LIST_INT32, 0, UINT16_MAX},
};

/* Types of newer files that are known, and refused, by name; from 17 on. */
static const char *const small_types[] = {"float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4",
                                          "int4",         "float4e2m1",     "float8e8m0", "uint2",          "int2"};
enum { FIRST_SMALL = 17, SMALL_TYPES = sizeof small_types / sizeof *small_types };

gig_status gig_weights_check_type(int type)
{
    if (type <= GIG_ONNX_UNKNOWN) return gig_fail(GIG_EFORMAT, "no data type");
    if (type == GIG_ONNX_STRING) return gig_fail(GIG_EUNSUPPORTED, "text is not supported");
    if (type >= FIRST_SMALL && type < FIRST_SMALL + SMALL_TYPES)
        return gig_fail(GIG_EUNSUPPORTED, "data type %s is not supported", small_types[type - FIRST_SMALL]);
    if ((size_t)type >= sizeof type_rows / sizeof *type_rows || !type_rows[type].bytes)
        return gig_fail(GIG_EUNSUPPORTED, "data type %d is not supported", type);
    return GIG_OK;
}

/* A finite double stays finite: masks written as -1.8e308 must not become an infinity. */
static float double_to_float(double value)
{
    if (isfinite(value) && fabs(value) > (double)FLT_MAX) return value < 0 ? -FLT_MAX : FLT_MAX;
    return (float)value;
}

#define EACH(ctype, field, expression)                                                                                 \
    for (size_t i = 0; i < count; i++) {                                                                               \
        ctype x;                                                                                                       \
        memcpy(&x, raw + i * sizeof x, sizeof x);                                                                      \
        out->field[i] = (expression);                                                                                  \
    }                                                                                                                  \
    return GIG_OK

/* Raw little-endian elements of any type but FLOAT and INT64, which need no change. */
static gig_status convert_raw(gig_tensor *out, int type, const uint8_t *raw, size_t count)
{
    switch (type) {
    case GIG_ONNX_UINT8: EACH(uint8_t, whole, x);
    case GIG_ONNX_INT8: EACH(int8_t, whole, x); /* NOLINT(bugprone-signed-char-misuse,cert-str34-c): numbers, no text */
    case GIG_ONNX_UINT16: EACH(uint16_t, whole, x);
    case GIG_ONNX_INT16: EACH(int16_t, whole, x);
    case GIG_ONNX_INT32: EACH(int32_t, whole, x);
    case GIG_ONNX_UINT32: EACH(uint32_t, whole, x);
    case GIG_ONNX_BOOL: EACH(uint8_t, whole, x != 0);
    case GIG_ONNX_FLOAT16: EACH(uint16_t, real, gig_half_to_float(x));
    case GIG_ONNX_BFLOAT16: EACH(uint16_t, real, gig_bits_to_float((uint32_t)x << 16));
    case GIG_ONNX_DOUBLE: EACH(double, real, double_to_float(x));
    case GIG_ONNX_UINT64:
        for (size_t i = 0; i < count; i++) {
            uint64_t x;
            memcpy(&x, raw + i * sizeof x, sizeof x);
            if (x > INT64_MAX) return gig_fail(GIG_EUNSUPPORTED, "uint64 values above 2^63 - 1 are not supported");
            out->whole[i] = (int64_t)x;
        }
        return GIG_OK;
    default: return gig_fail(GIG_EINTERNAL, "data type %d has no conversion", type);
    }
}

static int moves_as_it_is(int type)
{
    return type == GIG_ONNX_FLOAT || type == GIG_ONNX_INT64;
}

static gig_status read_raw(gig_tensor *out, int type, Onnx__TensorProto *message, size_t count, int shared)
{
    size_t wanted = count * type_rows[type].bytes;
    if (message->raw_data.len != wanted)
        return gig_fail(GIG_EFORMAT, "%zu bytes of raw data, shape and type need %zu", message->raw_data.len, wanted);
    if (moves_as_it_is(type) && message->raw_data.data && !shared) {
        out->data = message->raw_data.data;
        message->raw_data = (ProtobufCBinaryData){0};
        return GIG_OK;
    }
    out->data = gig_alloc(count, gig_type_size(out->type));
    if (!out->data) return gig_alloc_status();
    if (!moves_as_it_is(type)) return convert_raw(out, type, message->raw_data.data, count);
    if (message->raw_data.data) memcpy(out->data, message->raw_data.data, wanted);
    return GIG_OK;
}

static gig_status read_external(gig_tensor *out, int type, const Onnx__TensorProto *message, size_t count, int folder)
{
    size_t wanted = count * type_rows[type].bytes;
    out->data = gig_alloc(count, gig_type_size(out->type));
    if (!out->data) return gig_alloc_status();
    if (moves_as_it_is(type)) return gig_external_read(out->data, wanted, folder, message);
    uint8_t *raw = gig_alloc(wanted, 1);
    if (!raw) return gig_alloc_status();
    gig_status status = gig_external_read(raw, wanted, folder, message);
    if (status == GIG_OK) status = convert_raw(out, type, raw, count);
    gig_free(raw);
    return status;
}

static gig_status convert_int32(gig_tensor *out, int type, const int32_t *values, size_t count)
{
    const type_row *row = &type_rows[type];
    for (size_t i = 0; i < count; i++) {
        int32_t x = values[i];
        if (x < row->least || x > row->most)
            return gig_fail(GIG_EFORMAT, "element %zu is %d, outside its data type", i, (int)x);
        if (type == GIG_ONNX_FLOAT16)
            out->real[i] = gig_half_to_float((uint16_t)x);
        else if (type == GIG_ONNX_BFLOAT16)
            out->real[i] = gig_bits_to_float((uint32_t)x << 16);
        else
            out->whole[i] = x;
    }
    return GIG_OK;
}

static gig_status convert_uint64(gig_tensor *out, int type, const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (values[i] > (uint64_t)type_rows[type].most)
            return type == GIG_ONNX_UINT64
                       ? gig_fail(GIG_EUNSUPPORTED, "uint64 values above 2^63 - 1 are not supported")
                       : gig_fail(GIG_EFORMAT, "element %zu is outside its data type", i);
        out->whole[i] = (int64_t)values[i];
    }
    return GIG_OK;
}

static size_t list_count(value_list list, const Onnx__TensorProto *message)
{
    switch (list) {
    case LIST_FLOAT: return message->n_float_data;
    case LIST_INT32: return message->n_int32_data;
    case LIST_INT64: return message->n_int64_data;
    case LIST_DOUBLE: return message->n_double_data;
    case LIST_UINT64: return message->n_uint64_data;
    case LIST_NONE: break;
    }
    return 0;
}

static gig_status read_list(gig_tensor *out, int type, const Onnx__TensorProto *message, size_t count)
{
    value_list list = type_rows[type].list;
    size_t present = list_count(list, message);
    if (present != count) return gig_fail(GIG_EFORMAT, "%zu values, the shape needs %zu", present, count);
    out->data = gig_alloc(count, gig_type_size(out->type));
    if (!out->data) return gig_alloc_status();
    switch (list) {
    case LIST_INT32: return convert_int32(out, type, message->int32_data, count);
    case LIST_UINT64: return convert_uint64(out, type, message->uint64_data, count);
    case LIST_DOUBLE:
        for (size_t i = 0; i < count; i++) out->real[i] = double_to_float(message->double_data[i]);
        return GIG_OK;
    case LIST_FLOAT:
        if (count) memcpy(out->real, message->float_data, count * sizeof *out->real);
        return GIG_OK;
    case LIST_INT64:
        if (count) memcpy(out->whole, message->int64_data, count * sizeof *out->whole);
        return GIG_OK;
    case LIST_NONE: break;
    }
    return gig_fail(GIG_EINTERNAL, "data type %d has no list", type);
}

/* Values may stand in one place only: raw data, another file, or the list of their type. */
static gig_status check_places(const Onnx__TensorProto *message, int type)
{
    size_t own = list_count(type_rows[type].list, message);
    size_t lists = message->n_float_data + message->n_int32_data + message->n_int64_data + message->n_double_data +
                   message->n_uint64_data + message->n_string_data;
    int external = message->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    if (message->segment) return gig_fail(GIG_EUNSUPPORTED, "a tensor in segments is not supported");
    if (lists != own) return gig_fail(GIG_EFORMAT, "values in a list that is not of the data type");
    if ((message->has_raw_data != 0) + external + (own != 0) > 1)
        return gig_fail(GIG_EFORMAT, "values in more than one place");
    if (!external && message->n_external_data)
        return gig_fail(GIG_EFORMAT, "external data is listed, but data_location is not EXTERNAL");
    return GIG_OK;
}

static gig_status check_shape(gig_tensor *out, size_t *count, const Onnx__TensorProto *message)
{
    for (size_t i = 0; i < message->n_dims; i++)
        if (message->dims[i] < 0) return gig_fail(GIG_EFORMAT, "dimension %zu is %lld", i, (long long)message->dims[i]);
    if (message->n_dims > GIG_MAX_RANK)
        return gig_fail(GIG_ELIMIT, "rank %zu is above %d", message->n_dims, GIG_MAX_RANK);
    out->rank = (int)message->n_dims;
    for (int i = 0; i < out->rank; i++) out->dims[i] = message->dims[i];
    return gig_size_of_dims(count, out->rank, out->dims);
}

/* Adds the tensor's values to the digest of all external ones: SHA-256 of what it was and of theirs. */
static gig_status digest_external(gig_weights *weights, const gig_tensor *tensor, size_t bytes)
{
    uint8_t both[64];
    memcpy(both, weights->external, 32);
    weights->is_external = 1;
    if (EVP_Digest(tensor->data, bytes, both + 32, NULL, EVP_sha256(), NULL) == 1 &&
        EVP_Digest(both, sizeof both, weights->external, NULL, EVP_sha256(), NULL) == 1)
        return GIG_OK;
    return gig_fail(GIG_EINTERNAL, "SHA-256 failed");
}

gig_status gig_weights_take(gig_weights *weights, size_t count, size_t size)
{
    size_t bytes;
    if (!gig_size_multiply(&bytes, count, size) || bytes > weights->most - weights->used)
        return gig_fail(GIG_ELIMIT, "all weights together take more than %zu bytes", weights->most);
    weights->used += bytes;
    return GIG_OK;
}

gig_status gig_weights_read(gig_tensor *out, gig_weights *weights, Onnx__TensorProto *message, int shared)
{
    *out = (gig_tensor){0};
    int type = message->data_type;
    size_t count;
    GIG_TRY(gig_weights_check_type(type));
    GIG_TRY(check_places(message, type));
    GIG_TRY(check_shape(out, &count, message));
    out->type = type_rows[type].type;
    GIG_TRY(gig_weights_take(weights, count, gig_type_size(out->type)));
    weights->reduced |= type == GIG_ONNX_FLOAT16 || type == GIG_ONNX_BFLOAT16 || type == GIG_ONNX_DOUBLE;
    gig_status status;
    if (message->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL) {
        status = read_external(out, type, message, count, weights->folder);
        if (status == GIG_OK) status = digest_external(weights, out, count * gig_type_size(out->type));
    } else if (message->has_raw_data)
        status = read_raw(out, type, message, count, shared);
    else
        status = read_list(out, type, message, count);
    if (status != GIG_OK) gig_tensor_clear(out);
    return status;
}
