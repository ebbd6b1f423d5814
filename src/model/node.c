/* SPDX-License-Identifier: Apache-2.0 */
/* NodeProto -> gig_node: names, opset and attributes. Lists move out of the message instead of being copied, unless it
 * is a function's, which other calls read too. */
#include "model/inline.h"
#include <limits.h>
#include <string.h>

/* If the type is missing (allowed before IR 2, and still seen), the only field that is set determines it. */
int gig_attribute_type(const Onnx__AttributeProto *from)
{
    if (from->has_type && from->type) return (int)from->type;
    if (from->has_f) return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT;
    if (from->has_i) return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
    if (from->has_s) return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING;
    if (from->t) return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR;
    if (from->n_floats) return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS;
    if (from->n_ints) return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS;
    if (from->n_strings) return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS;
    if (from->g) return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH;
    return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__UNDEFINED;
}

/* A copy of a list that others read too; NULL on failure, with *status. */
static void *copy_list(gig_status *status, const void *list, size_t count, size_t size, gig_weights *weights)
{
    *status = gig_weights_take(weights, count, size);
    if (*status != GIG_OK) return NULL;
    void *copy = gig_alloc(count, size);
    if (!copy) *status = gig_alloc_status();
    if (copy && count) memcpy(copy, list, count * size);
    return copy;
}

static gig_status read_reals(gig_attribute *out, Onnx__AttributeProto *from, gig_weights *weights, int shared)
{
    gig_status status = GIG_OK;
    out->kind = GIG_ATTRIBUTE_REALS;
    out->count = from->n_floats;
    out->reals = shared ? copy_list(&status, from->floats, out->count, sizeof *out->reals, weights) : from->floats;
    if (shared) return status;
    from->floats = NULL;
    from->n_floats = 0;
    return GIG_OK;
}

static gig_status read_ints(gig_attribute *out, Onnx__AttributeProto *from, gig_weights *weights, int shared)
{
    gig_status status = GIG_OK;
    out->kind = GIG_ATTRIBUTE_INTS;
    out->count = from->n_ints;
    out->ints = shared ? copy_list(&status, from->ints, out->count, sizeof *out->ints, weights) : from->ints;
    if (shared) return status;
    from->ints = NULL;
    from->n_ints = 0;
    return GIG_OK;
}

static gig_status read_string(gig_attribute *out, const Onnx__AttributeProto *from, gig_weights *weights)
{
    GIG_TRY(gig_weights_take(weights, from->s.len, 1));
    if (from->s.len && memchr(from->s.data, 0, from->s.len)) return gig_fail(GIG_EFORMAT, "the text holds a NUL byte");
    out->s = gig_alloc(from->s.len + 1, 1);
    if (!out->s) return gig_alloc_status();
    if (from->s.len) memcpy(out->s, from->s.data, from->s.len);
    out->s[from->s.len] = 0;
    out->kind = GIG_ATTRIBUTE_STRING;
    return GIG_OK;
}

static gig_status read_strings(gig_attribute *out, const Onnx__AttributeProto *from, gig_weights *weights)
{
    size_t bytes = 1, at = 0;
    for (size_t i = 0; i < from->n_strings; i++) bytes += from->strings[i].len + 1;
    GIG_TRY(gig_weights_take(weights, bytes, 1));
    out->s = gig_alloc_zero(bytes, 1);
    if (!out->s) return gig_alloc_status();
    for (size_t i = 0; i < from->n_strings; i++) {
        const ProtobufCBinaryData *text = &from->strings[i];
        if (text->len && memchr(text->data, 0, text->len)) return gig_fail(GIG_EFORMAT, "the text holds a NUL byte");
        if (i) out->s[at++] = '\n';
        if (text->len) memcpy(out->s + at, text->data, text->len);
        at += text->len;
    }
    out->count = from->n_strings;
    out->kind = GIG_ATTRIBUTE_STRINGS;
    return GIG_OK;
}

/* A graph inside a function would have to be read once per call; this is not supported. */
static gig_status read_graph(gig_attribute *out, Onnx__AttributeProto *from, const Onnx__ModelProto *model,
                             gig_weights *weights, int shared)
{
    if (shared || !from->g) return GIG_OK;
    out->kind = GIG_ATTRIBUTE_GRAPH;
    return gig_build_subgraph(&out->g, from->g, model, weights);
}

static gig_status read_tensor(gig_attribute *out, Onnx__AttributeProto *from, gig_weights *weights, int shared)
{
    if (!from->t) return gig_fail(GIG_EFORMAT, "the tensor is missing");
    out->kind = GIG_ATTRIBUTE_TENSOR;
    out->onnx_type = from->t->data_type;
    return gig_weights_read(&out->t, weights, from->t, shared);
}

static gig_status read_value(gig_attribute *out, Onnx__AttributeProto *from, const Onnx__ModelProto *model,
                             gig_weights *weights, int shared)
{
    out->kind = GIG_ATTRIBUTE_OTHER;
    switch (gig_attribute_type(from)) {
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT:
        out->kind = GIG_ATTRIBUTE_REAL;
        out->f = from->f;
        return GIG_OK;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT:
        out->kind = GIG_ATTRIBUTE_INT;
        out->i = from->i;
        return GIG_OK;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS: return read_reals(out, from, weights, shared);
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS: return read_ints(out, from, weights, shared);
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING: return read_string(out, from, weights);
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR: return read_tensor(out, from, weights, shared);
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS: return read_strings(out, from, weights);
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH: return read_graph(out, from, model, weights, shared);
    default: return GIG_OK;
    }
}

static gig_status read_attribute(gig_node *node, Onnx__AttributeProto *from, const gig_inlined_call *call,
                                 const Onnx__ModelProto *model, gig_weights *weights)
{
    Onnx__AttributeProto *meant;
    if (!from->name || !*from->name) return gig_fail(GIG_EFORMAT, "an attribute has no name");
    if (gig_node_attribute(node, from->name))
        return gig_fail(GIG_EFORMAT, "attribute \"%.80s\" appears twice", from->name);
    gig_status status = gig_inlined_call_attribute(&meant, call, from);
    if (status != GIG_OK) return gig_fail_in(status, "attribute \"%.80s\"", from->name);
    if (!meant) return GIG_OK; /* the call leaves it out */
    gig_attribute *out = &node->attributes[node->attribute_count];
    GIG_TRY(gig_name_copy(&out->name, from->name));
    node->attribute_count++; /* from here on gig_node_clear frees it */
    status = read_value(out, meant, model, weights, call != NULL);
    return status == GIG_OK ? status : gig_fail_in(status, "attribute \"%.80s\"", out->name);
}

const char *gig_plain_domain(const char *domain)
{
    return !domain || !strcmp(domain, "ai.onnx") ? "" : domain;
}

/* The version under which the file imports a domain; 0 if it does not import it. */
static gig_status find_opset(int *out, const char *domain, size_t count, Onnx__OperatorSetIdProto **imports)
{
    *out = 0;
    for (size_t i = 0; i < count; i++) {
        const Onnx__OperatorSetIdProto *import = imports[i];
        if (strcmp(gig_plain_domain(import->domain), domain)) continue;
        if (import->version < 1 || import->version > INT_MAX)
            return gig_fail(GIG_EFORMAT, "opset %lld", (long long)import->version);
        if (*out && *out != import->version)
            return gig_fail(GIG_EFORMAT, "opsets %d and %d of one domain", *out, (int)import->version);
        *out = (int)import->version;
    }
    return GIG_OK;
}

gig_status gig_build_opset(int *out, size_t import_count, Onnx__OperatorSetIdProto **imports)
{
    return find_opset(out, "", import_count, imports);
}

static gig_status choose_opset(gig_node *node, const gig_inlined_call *call, const Onnx__ModelProto *model)
{
    const Onnx__FunctionProto *function = call ? call->function->message : NULL;
    size_t count = function ? function->n_opset_import : model->n_opset_import;
    GIG_TRY(find_opset(&node->opset, node->domain, count, function ? function->opset_import : model->opset_import));
    if (node->opset || *node->domain) return GIG_OK;
    return gig_fail(GIG_EFORMAT, "the %s does not import an ONNX opset", function ? "function" : "file");
}

gig_status gig_build_node(gig_node *node, const gig_flat_node *flat, const Onnx__ModelProto *model,
                          gig_weights *weights)
{
    Onnx__NodeProto *message = flat->message;
    GIG_TRY(gig_name_copy(&node->op, message->op_type));
    GIG_TRY(gig_name_copy(&node->domain, gig_plain_domain(message->domain)));
    if (!*node->op) return gig_fail(GIG_EFORMAT, "the node has no operator");
    GIG_TRY(choose_opset(node, flat->call, model));
    if (message->n_attribute > GIG_MAX_ATTRIBUTES)
        return gig_fail(GIG_ELIMIT, "more than %d attributes", GIG_MAX_ATTRIBUTES);
    node->attributes = gig_alloc_zero(message->n_attribute, sizeof *node->attributes);
    if (!node->attributes) return gig_alloc_status();
    for (size_t i = 0; i < message->n_attribute; i++)
        GIG_TRY(read_attribute(node, message->attribute[i], flat->call, model, weights));
    return GIG_OK;
}
