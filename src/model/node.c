/* NodeProto -> gig_node: names, opset and attributes. Lists move out of the message instead of being copied. */
#include "model/load.h"
#include <limits.h>
#include <string.h>

/* Where the type is not written (allowed before IR 2, and still seen), the one field that is filled tells it. */
static int attribute_type(const Onnx__AttributeProto *from)
{
    if (from->has_type && from->type) return (int)from->type;
    if (from->has_f) return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT;
    if (from->has_i) return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
    if (from->has_s) return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING;
    if (from->t) return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR;
    if (from->n_floats) return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS;
    if (from->n_ints) return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS;
    return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__UNDEFINED;
}

static gig_status read_string(gig_attribute *out, const Onnx__AttributeProto *from)
{
    if (from->s.len && memchr(from->s.data, 0, from->s.len)) return gig_fail(GIG_EFORMAT, "the text holds a NUL byte");
    out->s = gig_alloc(from->s.len + 1, 1);
    if (!out->s) return gig_alloc_status();
    if (from->s.len) memcpy(out->s, from->s.data, from->s.len);
    out->s[from->s.len] = 0;
    out->kind = GIG_ATTRIBUTE_STRING;
    return GIG_OK;
}

static gig_status read_tensor(gig_attribute *out, Onnx__AttributeProto *from, gig_weights *weights)
{
    if (!from->t) return gig_fail(GIG_EFORMAT, "the tensor is missing");
    out->kind = GIG_ATTRIBUTE_TENSOR;
    out->onnx_type = from->t->data_type;
    return gig_weights_read(&out->t, weights, from->t);
}

static gig_status read_value(gig_attribute *out, Onnx__AttributeProto *from, gig_weights *weights)
{
    out->kind = GIG_ATTRIBUTE_OTHER;
    if (from->ref_attr_name && *from->ref_attr_name)
        return gig_fail(GIG_EFORMAT, "it refers to a function's attribute, outside a function");
    switch (attribute_type(from)) {
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT:
        out->kind = GIG_ATTRIBUTE_REAL;
        out->f = from->f;
        return GIG_OK;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT:
        out->kind = GIG_ATTRIBUTE_INT;
        out->i = from->i;
        return GIG_OK;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS:
        out->kind = GIG_ATTRIBUTE_REALS;
        out->reals = from->floats;
        out->count = from->n_floats;
        from->floats = NULL;
        from->n_floats = 0;
        return GIG_OK;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS:
        out->kind = GIG_ATTRIBUTE_INTS;
        out->ints = from->ints;
        out->count = from->n_ints;
        from->ints = NULL;
        from->n_ints = 0;
        return GIG_OK;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING: return read_string(out, from);
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR: return read_tensor(out, from, weights);
    default: return GIG_OK;
    }
}

static gig_status read_attribute(gig_node *node, Onnx__AttributeProto *from, gig_weights *weights)
{
    if (!from->name || !*from->name) return gig_fail(GIG_EFORMAT, "an attribute has no name");
    if (gig_node_attribute(node, from->name))
        return gig_fail(GIG_EFORMAT, "attribute \"%.80s\" is there twice", from->name);
    gig_attribute *out = &node->attributes[node->attribute_count];
    GIG_TRY(gig_name_copy(&out->name, from->name));
    node->attribute_count++; /* from here on gig_node_clear frees it */
    gig_status status = read_value(out, from, weights);
    return status == GIG_OK ? status : gig_fail_in(status, "attribute \"%.80s\"", out->name);
}

static const char *plain_domain(const char *domain)
{
    return !domain || !strcmp(domain, "ai.onnx") ? "" : domain;
}

/* The version under which the file imports a domain; 0 where it does not. */
static gig_status find_opset(int *out, const char *domain, const Onnx__ModelProto *model)
{
    *out = 0;
    for (size_t i = 0; i < model->n_opset_import; i++) {
        const Onnx__OperatorSetIdProto *import = model->opset_import[i];
        if (strcmp(plain_domain(import->domain), domain)) continue;
        if (import->version < 1 || import->version > INT_MAX)
            return gig_fail(GIG_EFORMAT, "opset %lld", (long long)import->version);
        if (*out && *out != import->version)
            return gig_fail(GIG_EFORMAT, "opsets %d and %d of one domain", *out, (int)import->version);
        *out = (int)import->version;
    }
    return GIG_OK;
}

gig_status gig_build_opset(int *out, const Onnx__ModelProto *model)
{
    return find_opset(out, "", model);
}

static gig_status refuse_function(const gig_node *node, const Onnx__ModelProto *model)
{
    for (size_t i = 0; i < model->n_functions; i++) {
        const Onnx__FunctionProto *function = model->functions[i];
        if (!function->name || strcmp(function->name, node->op)) continue;
        if (strcmp(plain_domain(function->domain), node->domain)) continue;
        return gig_fail(GIG_EUNSUPPORTED, "%.80s is a function of the file: not supported", node->op);
    }
    return GIG_OK;
}

gig_status gig_build_node(gig_node *node, Onnx__NodeProto *message, const Onnx__ModelProto *model, gig_weights *weights)
{
    GIG_TRY(gig_name_copy(&node->op, message->op_type));
    GIG_TRY(gig_name_copy(&node->domain, plain_domain(message->domain)));
    if (!*node->op) return gig_fail(GIG_EFORMAT, "no operator is named");
    GIG_TRY(find_opset(&node->opset, node->domain, model));
    if (!node->opset && !*node->domain) return gig_fail(GIG_EFORMAT, "the file imports no opset of ONNX");
    GIG_TRY(refuse_function(node, model));
    if (message->n_attribute > GIG_MAX_ATTRIBUTES)
        return gig_fail(GIG_ELIMIT, "more than %d attributes", GIG_MAX_ATTRIBUTES);
    node->attributes = gig_alloc_zero(message->n_attribute, sizeof *node->attributes);
    if (!node->attributes) return gig_alloc_status();
    for (size_t i = 0; i < message->n_attribute; i++) GIG_TRY(read_attribute(node, message->attribute[i], weights));
    return GIG_OK;
}
