/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a file's functions: found by domain, name and overload, checked when called. */
#include "model/inline.h"
#include <string.h>

typedef struct key {
    const char *domain, *name, *overload;
    size_t overload_bytes;
} key;

/* ---- fields newer than the schema ---- */

/* The next unknown field of that number from *at on, without its length prefix; returns 0 if there is none.
 * check_wire.c has checked that it is length-delimited and complete. */
static int next_field(const uint8_t **bytes, size_t *count, size_t *at, const ProtobufCMessage *message,
                      unsigned number)
{
    while (*at < message->n_unknown_fields) {
        const ProtobufCMessageUnknownField *field = &message->unknown_fields[(*at)++];
        if (field->tag != number) continue;
        size_t prefix = 1;
        while (field->data[prefix - 1] & 0x80) prefix++;
        *bytes = field->data + prefix;
        *count = field->len - prefix;
        return 1;
    }
    return 0;
}

/* The text of that field (of the last one if it is repeated), "" if there is none. */
static void read_newer_text(const char **text, size_t *count, const ProtobufCMessage *message, unsigned number)
{
    const uint8_t *bytes = (const uint8_t *)"";
    size_t at = 0;
    *count = 0;
    while (next_field(&bytes, count, &at, message, number)) continue;
    *text = (const char *)bytes;
}

/* ---- the table ---- */

static int compare(const gig_local_function *function, key wanted)
{
    int order = strcmp(function->name, wanted.name);
    if (!order) order = strcmp(function->domain, wanted.domain);
    if (order) return order;
    size_t least = function->overload_bytes < wanted.overload_bytes ? function->overload_bytes : wanted.overload_bytes;
    order = memcmp(function->overload, wanted.overload, least);
    return order ? order : (function->overload_bytes > least) - (wanted.overload_bytes > least);
}

/* The position of the key among the first `count` sorted ones, or where it belongs. */
static size_t place_of(const gig_local_functions *functions, size_t count, key wanted)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(functions->sorted[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static gig_status add_function(gig_local_functions *out, const Onnx__FunctionProto *message)
{
    gig_local_function *function = &out->items[out->count];
    const char *domain = gig_plain_domain(message->domain), *name = message->name ? message->name : "";
    *function = (gig_local_function){.message = message, .domain = domain, .name = name};
    read_newer_text(&function->overload, &function->overload_bytes, &message->base, GIG_FUNCTION_OVERLOAD);
    if (!*name) return gig_fail(GIG_EFORMAT, "a function has no name");
    if (strlen(name) > GIG_MAX_NAME || strlen(domain) > GIG_MAX_NAME || function->overload_bytes > GIG_MAX_NAME)
        return gig_fail(GIG_ELIMIT, "the function \"%.40s...\" has a name of more than %d bytes", name, GIG_MAX_NAME);
    key own = {domain, name, function->overload, function->overload_bytes};
    size_t place = place_of(out, out->count, own);
    if (place < out->count && !compare(out->sorted[place], own))
        return gig_fail(GIG_EFORMAT, "function \"%.80s\" appears twice", name);
    memmove(&out->sorted[place + 1], &out->sorted[place], (out->count - place) * sizeof *out->sorted);
    out->sorted[place] = function;
    out->count++;
    return GIG_OK;
}

gig_status gig_local_functions_read(gig_local_functions *out, const Onnx__ModelProto *message, size_t max_nodes)
{
    *out = (gig_local_functions){.max_nodes = max_nodes};
    out->items = gig_alloc(message->n_functions, sizeof *out->items);
    out->sorted = gig_alloc(message->n_functions, sizeof *out->sorted);
    if (!out->items || !out->sorted) return gig_alloc_status();
    for (size_t i = 0; i < message->n_functions; i++)
        if (*gig_plain_domain(message->functions[i]->domain)) GIG_TRY(add_function(out, message->functions[i]));
    return GIG_OK;
}

gig_local_function *gig_local_functions_find(const gig_local_functions *functions, const Onnx__NodeProto *node)
{
    key wanted = {.domain = gig_plain_domain(node->domain), .name = node->op_type ? node->op_type : ""};
    if (!functions->count) return NULL;
    read_newer_text(&wanted.overload, &wanted.overload_bytes, &node->base, GIG_NODE_OVERLOAD);
    size_t place = place_of(functions, functions->count, wanted);
    return place < functions->count && !compare(functions->sorted[place], wanted) ? functions->sorted[place] : NULL;
}

/* ---- one function ---- */

static void *watched_alloc(void *refused, size_t bytes)
{
    void *block = gig_alloc(bytes, 1); /* check_wire.c has limited the total */
    if (!block) *(gig_status *)refused = gig_alloc_status();
    return block;
}

static void watched_free(void *refused, void *block)
{
    (void)refused;
    gig_free(block);
}

static gig_status read_defaults(gig_local_function *function)
{
    const ProtobufCMessage *message = &function->message->base;
    const uint8_t *bytes;
    size_t count, at = 0, defaults = 0;
    gig_status refused = GIG_OK;
    ProtobufCAllocator allocator = {watched_alloc, watched_free, &refused};
    while (next_field(&bytes, &count, &at, message, GIG_FUNCTION_DEFAULT)) defaults++;
    if (defaults + function->message->n_attribute > GIG_MAX_ATTRIBUTES)
        return gig_fail(GIG_ELIMIT, "more than %d attributes", GIG_MAX_ATTRIBUTES);
    function->defaults = gig_alloc_zero(defaults, sizeof *function->defaults);
    if (!function->defaults) return gig_alloc_status();
    for (at = 0; next_field(&bytes, &count, &at, message, GIG_FUNCTION_DEFAULT); function->default_count++) {
        Onnx__AttributeProto *read = onnx__attribute_proto__unpack(&allocator, count, bytes);
        if (!read) return refused != GIG_OK ? refused : gig_fail(GIG_EFORMAT, "an attribute's default is broken");
        function->defaults[function->default_count] = read;
    }
    return GIG_OK;
}

/* ---- names that are looked up ---- */

static gig_status make_lookup(gig_lookup *out, size_t count)
{
    out->count = count;
    out->values = gig_alloc_zero(count, sizeof *out->values);
    out->by_name = gig_alloc(count, sizeof *out->by_name);
    return out->values && out->by_name ? GIG_OK : gig_alloc_status();
}

static gig_status sort_lookup(gig_lookup *names, const char *what)
{
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->values[i].name;
        if (!name || !*name) return gig_fail(GIG_EFORMAT, "one of its %s has no name", what);
        if (strlen(name) > GIG_MAX_NAME)
            return gig_fail(GIG_ELIMIT, "one of its %s has a name of %zu bytes", what, strlen(name));
    }
    gig_names_sort(names->by_name, names->count, names->values);
    for (size_t i = 1; i < names->count; i++) {
        const char *name = names->values[names->by_name[i]].name;
        if (!strcmp(name, names->values[names->by_name[i - 1]].name))
            return gig_fail(GIG_EFORMAT, "\"%.80s\" appears twice among its %s", name, what);
    }
    return GIG_OK;
}

int gig_lookup_find(const gig_lookup *names, const char *name)
{
    return gig_names_find(names->by_name, names->count, names->values, name);
}

static void clear_lookup(gig_lookup *names)
{
    gig_free(names->values);
    gig_free(names->by_name);
}

static gig_status read_attributes(gig_local_function *function)
{
    size_t plain = function->message->n_attribute;
    GIG_TRY(make_lookup(&function->attributes, plain + function->default_count));
    for (size_t i = 0; i < function->attributes.count; i++)
        function->attributes.values[i].name =
            i < plain ? function->message->attribute[i] : function->defaults[i - plain]->name;
    return sort_lookup(&function->attributes, "attributes");
}

static gig_status read_formals(gig_local_function *function)
{
    const Onnx__FunctionProto *message = function->message;
    size_t inputs = message->n_input;
    GIG_TRY(make_lookup(&function->formals, inputs + message->n_output));
    for (size_t i = 0; i < function->formals.count; i++)
        function->formals.values[i].name = i < inputs ? message->input[i] : message->output[i - inputs];
    return sort_lookup(&function->formals, "inputs and outputs");
}

/* Every output is produced by exactly one node of the function, and no input by any. */
static gig_status check_outputs(const gig_local_function *function, unsigned char *made)
{
    const Onnx__FunctionProto *message = function->message;
    for (size_t node = 0; node < message->n_node; node++)
        for (size_t i = 0; i < message->node[node]->n_output; i++) {
            const char *name = message->node[node]->output[i];
            int formal = gig_lookup_find(&function->formals, name);
            if (formal < 0) continue;
            if ((size_t)formal < message->n_input)
                return gig_fail(GIG_EFORMAT, "one of its nodes produces its input \"%.80s\"", name);
            if (made[formal]++) return gig_fail(GIG_EFORMAT, "its output \"%.80s\" is produced twice", name);
        }
    for (size_t i = message->n_input; i < function->formals.count; i++)
        if (!made[i])
            return gig_fail(GIG_EFORMAT, "its output \"%.80s\" is not produced by any node",
                            function->formals.values[i].name);
    return GIG_OK;
}

gig_status gig_function_prepare(gig_local_function *function)
{
    int opset;
    if (function->message->n_opset_import > GIG_MAX_IMPORTS)
        return gig_fail(GIG_ELIMIT, "more than %d opsets", GIG_MAX_IMPORTS);
    GIG_TRY(gig_build_opset(&opset, function->message->n_opset_import, function->message->opset_import));
    GIG_TRY(gig_check_opset(opset));
    GIG_TRY(read_defaults(function));
    GIG_TRY(read_attributes(function));
    GIG_TRY(read_formals(function));
    unsigned char *made = gig_alloc_zero(function->formals.count, 1);
    if (!made) return gig_alloc_status();
    gig_status status = check_outputs(function, made);
    gig_free(made);
    return status;
}

void gig_local_functions_clear(gig_local_functions *functions)
{
    ProtobufCAllocator allocator = {watched_alloc, watched_free, NULL};
    for (size_t i = 0; i < functions->count; i++) {
        gig_local_function *function = &functions->items[i];
        for (size_t k = 0; k < function->default_count; k++)
            onnx__attribute_proto__free_unpacked(function->defaults[k], &allocator);
        gig_free(function->defaults);
        clear_lookup(&function->formals);
        clear_lookup(&function->attributes);
    }
    gig_free(functions->items);
    gig_free(functions->sorted);
    *functions = (gig_local_functions){0};
}
