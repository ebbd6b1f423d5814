/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over the wire format before unpacking. protobuf-c has no recursion limit (30 KB of nested graphs overflow
 * the stack) and turns two bytes of empty message into a struct (2 MB become 258 MB), so depth and cost are checked
 * here first. Names are checked to be UTF-8 without NUL, because C strings carry them from here on. */
#include "base/size.h"
#include "model/inline.h"
#include <string.h>

enum {
    ALLOCATION = 192, /* overhead of one block: our header, alignment, malloc's own */
    MEMBER = 48,      /* what protobuf-c keeps per field while it unpacks a message */
    UNKNOWN = 32,     /* its record of a field the schema does not have */
    VARINT = 0,
    FIXED64 = 1,
    LENGTH = 2,
    FIXED32 = 5
};

typedef struct walker {
    gig_scan cost;
    size_t max_nodes, max_payload;
} walker;

typedef struct span {
    const uint8_t *at, *end;
} span;

static gig_status read_varint(uint64_t *out, span *from)
{
    *out = 0;
    for (unsigned shift = 0; shift < 64 && from->at < from->end; shift += 7) {
        uint8_t byte = *from->at++;
        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return GIG_OK;
    }
    return gig_fail(GIG_EFORMAT, "not an ONNX file, or truncated: a number does not end");
}

static gig_status take(span *out, span *from, uint64_t bytes)
{
    if (bytes > (uint64_t)(from->end - from->at))
        return gig_fail(GIG_EFORMAT, "not an ONNX file, or truncated: a field of %llu bytes, but only %zu are left",
                        (unsigned long long)bytes, (size_t)(from->end - from->at));
    *out = (span){from->at, from->at + bytes};
    from->at += bytes;
    return GIG_OK;
}

static gig_status charge(walker *walk, size_t structure, size_t payload)
{
    walk->cost.structure += structure; /* each term is at most a small multiple of the file's bytes: no wrap */
    walk->cost.payload += payload;
    if (walk->cost.structure > GIG_MAX_STRUCTURE)
        return gig_fail(GIG_ELIMIT, "unpacking would take more than %d bytes for the graph alone", GIG_MAX_STRUCTURE);
    if (walk->cost.payload > walk->max_payload)
        return gig_fail(GIG_ELIMIT, "unpacking would take more than %zu bytes for weights", walk->max_payload);
    return GIG_OK;
}

static size_t element_bytes(ProtobufCType type)
{
    switch (type) {
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE: return 8;
    default: return 4;
    }
}

/* Bytes of the array that a packed list becomes. */
static size_t packed_bytes(ProtobufCType type, span list)
{
    size_t wire = (size_t)(list.end - list.at);
    if (type == PROTOBUF_C_TYPE_FLOAT || type == PROTOBUF_C_TYPE_DOUBLE) return wire;
    size_t count = 0;
    while (list.at < list.end) count += !(*list.at++ & 0x80); /* a varint ends with its one byte below 0x80 */
    return count * element_bytes(type);
}

static gig_status walk_message(walker *walk, const ProtobufCMessageDescriptor *schema, span from, int depth);

/* A length-delimited field: message, text, bytes or packed list. */
static gig_status walk_length(walker *walk, const ProtobufCFieldDescriptor *field, span body, int depth, uint64_t *seen,
                              uint64_t bit)
{
    size_t bytes = (size_t)(body.end - body.at);
    switch (field->type) {
    case PROTOBUF_C_TYPE_MESSAGE:
        /* Valid on the wire (the two are merged), but no exporter writes it, and many of them take quadratic time to
         * unpack. */
        if (field->label != PROTOBUF_C_LABEL_REPEATED && (*seen & bit))
            return gig_fail(GIG_EFORMAT, "field %s appears twice", field->name);
        *seen |= bit;
        return walk_message(walk, field->descriptor, body, depth + 1);
    case PROTOBUF_C_TYPE_STRING:
        if (strcmp(field->name, "doc_string") && !gig_text_is_sound(body.at, bytes))
            return gig_fail(GIG_EFORMAT, "a %s is not UTF-8, or contains a NUL byte", field->name);
        return charge(walk, bytes + ALLOCATION, 0);
    case PROTOBUF_C_TYPE_BYTES: return charge(walk, ALLOCATION, bytes);
    default:
        if (field->label != PROTOBUF_C_LABEL_REPEATED)
            return gig_fail(GIG_EFORMAT, "field %s has the wrong wire type", field->name);
        return charge(walk, ALLOCATION, packed_bytes(field->type, body));
    }
}

/* A field newer than the schema. protobuf-c keeps its bytes; those that the loader unpacks itself are walked too. */
static gig_status walk_newer(walker *walk, const ProtobufCMessageDescriptor *schema, unsigned number, unsigned wire,
                             span body, int depth)
{
    int is_node = schema == &onnx__node_proto__descriptor, is_function = schema == &onnx__function_proto__descriptor;
    int is_overload = (is_node && number == GIG_NODE_OVERLOAD) || (is_function && number == GIG_FUNCTION_OVERLOAD);
    int is_default = is_function && number == GIG_FUNCTION_DEFAULT;
    GIG_TRY(charge(walk, UNKNOWN + ALLOCATION + (size_t)(body.end - body.at), 0));
    if (!is_overload && !is_default) return GIG_OK;
    if (wire != LENGTH) return gig_fail(GIG_EFORMAT, "field %u of %s has the wrong wire type", number, schema->name);
    if (is_default) return walk_message(walk, &onnx__attribute_proto__descriptor, body, depth + 1);
    if (gig_text_is_sound(body.at, (size_t)(body.end - body.at))) return GIG_OK;
    return gig_fail(GIG_EFORMAT, "an overload is not UTF-8, or contains a NUL byte");
}

static gig_status walk_field(walker *walk, const ProtobufCMessageDescriptor *schema, span *from, int depth,
                             uint64_t *seen)
{
    uint64_t tag, value = 0;
    span body = {0};
    GIG_TRY(read_varint(&tag, from));
    if (tag > UINT32_MAX || tag < 8) return gig_fail(GIG_EFORMAT, "not an ONNX file: field number out of range");
    unsigned wire = tag & 7;
    switch (wire) {
    case VARINT: GIG_TRY(read_varint(&value, from)); break;
    case FIXED64: GIG_TRY(take(&body, from, 8)); break;
    case FIXED32: GIG_TRY(take(&body, from, 4)); break;
    case LENGTH:
        GIG_TRY(read_varint(&value, from));
        GIG_TRY(take(&body, from, value));
        break;
    default: return gig_fail(GIG_EFORMAT, "not an ONNX file: wire type %u", wire);
    }
    GIG_TRY(charge(walk, MEMBER, 0));
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(schema, (unsigned)(tag >> 3));
    if (!field) return walk_newer(walk, schema, (unsigned)(tag >> 3), wire, body, depth);
    uint64_t bit = (uint64_t)1 << (unsigned)(field - schema->fields); /* no message of ONNX has 64 fields */
    if (wire == LENGTH) return walk_length(walk, field, body, depth, seen, bit);
    if (field->type == PROTOBUF_C_TYPE_MESSAGE || field->type == PROTOBUF_C_TYPE_STRING ||
        field->type == PROTOBUF_C_TYPE_BYTES)
        return gig_fail(GIG_EFORMAT, "field %s has the wrong wire type", field->name);
    return charge(walk, element_bytes(field->type), 0);
}

static gig_status walk_message(walker *walk, const ProtobufCMessageDescriptor *schema, span from, int depth)
{
    if (depth > GIG_MAX_DEPTH) return gig_fail(GIG_ELIMIT, "messages nest deeper than %d", GIG_MAX_DEPTH);
    if (schema == &onnx__node_proto__descriptor && ++walk->cost.nodes > walk->max_nodes)
        return gig_fail(GIG_ELIMIT, "more than %zu nodes", walk->max_nodes);
    GIG_TRY(charge(walk, schema->sizeof_message + ALLOCATION, 0));
    uint64_t seen = 0;
    while (from.at < from.end) GIG_TRY(walk_field(walk, schema, &from, depth, &seen));
    return GIG_OK;
}

gig_status gig_scan_model(gig_scan *out, const uint8_t *bytes, size_t count, size_t max_nodes, size_t max_payload)
{
    walker walk = {.max_nodes = max_nodes, .max_payload = max_payload};
    *out = (gig_scan){0};
    if (!count) return gig_fail(GIG_EFORMAT, "the file is empty");
    GIG_TRY(walk_message(&walk, &onnx__model_proto__descriptor, (span){bytes, bytes + count}, 1));
    *out = walk.cost;
    return GIG_OK;
}
