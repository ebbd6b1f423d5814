/* SPDX-License-Identifier: Apache-2.0 */
/* A mutator that knows protobuf's wire format: it changes, drops or repeats one field somewhere in the message and
 * updates all lengths around it, so that the result still parses. Half of the time libFuzzer's own mutations are used.
 */
#include "model/onnx.pb-c.h"
#include <stdint.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

enum { ROOM = 1 << 14, MAX_DEPTH = 40 };

typedef struct buffer {
    uint8_t bytes[ROOM];
    size_t count;
    int full;
} buffer;

typedef struct edit {
    uint64_t random;
    long countdown; /* fields until the one that is changed */
} edit;

/* One string, because the formatter would put each element of a list on its own line. */
static const char operators[] =
    "Abs Add Affine AffineGrid And ArgMax ArgMin Attention AveragePool BatchNormalization BitShift "
    "BitwiseAnd BitwiseOr BitwiseXor Cast CastLike Ceil Celu CenterCropPad Clip Concat Constant Conv "
    "ConvTranspose CumSum DepthToSpace DequantizeLinear Div Dropout DynamicQuantizeLinear Einsum Elu "
    "Equal Erf Exp Expand EyeLike Flatten Floor GRU Gather GatherElements GatherND Gelu Gemm "
    "GlobalAveragePool GlobalLpPool GlobalMaxPool Greater GridSample GroupNormalization HardSigmoid "
    "HardSwish Hardmax Identity If InstanceNormalization LRN LSTM LayerNormalization LeakyRelu Less Log "
    "LogSoftmax Loop LpNormalization LpPool MatMul Max MaxPool Mean MeanVarianceNormalization Min Mish "
    "Mod Mul Neg NonZero Not OneHot PRelu Pad Pow QuantizeLinear RMSNormalization RNN RandomNormal Range "
    "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum "
    "ReduceSumSquare Relu Reshape Resize ReverseSequence RoiAlign RotaryEmbedding ScaledTanh Scan Scatter "
    "ScatterElements ScatterND Selu Shape Sigmoid Slice Softmax Softplus Softsign SpaceToDepth Split Sqrt "
    "Squeeze Sub Sum Swish Tanh ThresholdedRelu Tile TopK Transpose Trilu Unsqueeze Upsample Where ";

static uint64_t next(edit *edit)
{
    edit->random = edit->random * 6364136223846793005u + 1442695040888963407u;
    return edit->random >> 33;
}

static void put(buffer *out, const void *bytes, size_t count)
{
    if (count > ROOM - out->count) {
        out->full = 1;
        return;
    }
    if (count) memcpy(out->bytes + out->count, bytes, count);
    out->count += count;
}

/* The number of bytes that the integer takes. */
static size_t make_varint(uint8_t bytes[10], uint64_t value)
{
    size_t count = 0;
    do {
        bytes[count++] = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
    } while (value);
    return count;
}

static void put_varint(buffer *out, uint64_t value)
{
    uint8_t bytes[10];
    put(out, bytes, make_varint(bytes, value));
}

static int get_varint(uint64_t *out, const uint8_t **at, const uint8_t *end)
{
    *out = 0;
    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        uint8_t byte = *(*at)++;
        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return 1;
    }
    return 0;
}

static uint64_t odd_number(edit *edit, uint64_t old)
{
    static const int64_t odd[] = {0,         1,         2,         3,         4,        7,         8,
                                  16,        255,       -1,        -2,        -4,       INT32_MAX, INT32_MIN,
                                  INT64_MAX, INT64_MIN, 1LL << 31, 1LL << 40, 1LL << 62};
    uint64_t choice = next(edit) % 4;
    if (choice == 0) return old + 1;
    if (choice == 1) return old - 1;
    return (uint64_t)odd[next(edit) % (sizeof odd / sizeof *odd)];
}

static void put_odd_float(buffer *out, edit *edit, const uint8_t *old)
{
    static const float odd[] = {0, 1, -1, 0.5f, 2, 1e-40f, 1e30f, -1e30f, 1e9f, 0.0f / 1.0f};
    float value;
    memcpy(&value, old, sizeof value);
    value = next(edit) % 3 ? odd[next(edit) % (sizeof odd / sizeof *odd)] : value * 2;
    put(out, &value, sizeof value);
}

static void put_any_operator(buffer *out, uint64_t random)
{
    const char *name = operators + random % (sizeof operators - 2); /* the text ends in a space */
    while (name > operators && name[-1] != ' ') name--;
    size_t count = strcspn(name, " ");
    put_varint(out, count);
    put(out, name, count);
}

/* Text or bytes: another operator's name, or libFuzzer's mutation of what is there. */
static void put_odd_text(buffer *out, edit *edit, const ProtobufCFieldDescriptor *field, const uint8_t *at,
                         size_t count)
{
    static uint8_t text[ROOM];
    if (field && !strcmp(field->name, "op_type")) {
        put_any_operator(out, next(edit));
        return;
    }
    if (count > 4096) count = 4096;
    if (count) memcpy(text, at, count);
    count = LLVMFuzzerMutate(text, count, count + 16);
    put_varint(out, count);
    put(out, text, count);
}

static int copy_message(buffer *out, edit *edit, const ProtobufCMessageDescriptor *schema, const uint8_t *at,
                        const uint8_t *end, int depth);

/* The fields of the message one level down, preceded by their new length. */
static int copy_child(buffer *out, edit *edit, const ProtobufCMessageDescriptor *schema, const uint8_t *at,
                      size_t count, int depth)
{
    size_t start = out->count;
    if (!copy_message(out, edit, schema, at, at + count, depth + 1) || out->full) return 0;
    size_t inner = out->count - start;
    uint8_t length[10]; /* its bytes alone: this runs for every message of every input */
    size_t bytes = make_varint(length, inner);
    if (bytes > ROOM - out->count) return 0;
    memmove(out->bytes + start + bytes, out->bytes + start, inner);
    memcpy(out->bytes + start, length, bytes);
    out->count += bytes;
    return 1;
}

/* Copies the field at *at; changes it when the countdown ends here. */
static int copy_field(buffer *out, edit *edit, const ProtobufCMessageDescriptor *schema, const uint8_t **at,
                      const uint8_t *end, int depth)
{
    uint64_t tag, value = 0;
    const uint8_t *body = NULL, *start = *at;
    if (!get_varint(&tag, at, end)) return 0;
    unsigned wire = tag & 7;
    size_t bytes = wire == 1 ? 8 : wire == 5 ? 4 : 0;
    if ((wire == 0 || wire == 2) && !get_varint(&value, at, end)) return 0;
    if (wire == 2) bytes = value > (uint64_t)(end - *at) ? SIZE_MAX : (size_t)value;
    if (wire > 5 || wire == 3 || wire == 4 || bytes > (size_t)(end - *at)) return 0;
    body = *at;
    *at += bytes;
    int change = edit->countdown-- == 0;
    if (change && next(edit) % 6 == 0) return 1;                               /* dropped */
    if (change && next(edit) % 6 == 0) put(out, start, (size_t)(*at - start)); /* repeated */
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(schema, (unsigned)(tag >> 3));
    put_varint(out, tag);
    if (wire == 0)
        put_varint(out, change ? odd_number(edit, value) : value);
    else if (wire == 5 && change)
        put_odd_float(out, edit, body);
    else if (wire != 2)
        put(out, body, bytes);
    else if (field && field->type == PROTOBUF_C_TYPE_MESSAGE && depth < MAX_DEPTH)
        return copy_child(out, edit, field->descriptor, body, bytes, depth);
    else if (change)
        put_odd_text(out, edit, field, body, bytes);
    else {
        put_varint(out, bytes);
        put(out, body, bytes);
    }
    return 1;
}

static int copy_message(buffer *out, edit *edit, const ProtobufCMessageDescriptor *schema, const uint8_t *at,
                        const uint8_t *end, int depth)
{
    while (at < end)
        if (!copy_field(out, edit, schema, &at, end, depth)) return 0;
    return 1;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static buffer out;
    edit edit = {.random = seed * 2654435761u + 1, .countdown = 0};
    if (next(&edit) % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
    for (int changes = 1 + (int)(next(&edit) % 3); changes > 0; changes--) {
        out.count = 0;
        out.full = 0;
        edit.countdown = 1L << 30;
        int sound = copy_message(&out, &edit, &onnx__model_proto__descriptor, data, data + size, 1);
        long fields = (1L << 30) - edit.countdown;
        if (!sound || out.full || fields == 0) return LLVMFuzzerMutate(data, size, max_size);
        out.count = 0;
        edit.countdown = (long)(next(&edit) % (uint64_t)fields);
        copy_message(&out, &edit, &onnx__model_proto__descriptor, data, data + size, 1);
        if (out.full || out.count > max_size || !out.count) return LLVMFuzzerMutate(data, size, max_size);
        memcpy(data, out.bytes, out.count);
        size = out.count;
    }
    return size;
}
