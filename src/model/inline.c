/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the file's functions -> their nodes. Nothing is copied here: a node of the flat list is the function's own
 * message and the call it belongs to, which maps its names and attributes to those outside. */
#include "model/inline.h"
#include <stdio.h>
#include <string.h>

/* ---- names ---- */

gig_scoped gig_inlined_call_value(const gig_inlined_call *call, const char *name)
{
    if (!call || !*name) return (gig_scoped){NULL, name};
    const gig_local_function *function = call->function;
    int formal = gig_lookup_find(&function->formals, name);
    if (formal < 0) return (gig_scoped){call, name};
    int left_out = !*call->actual[formal].name;
    if (left_out && (size_t)formal >= function->message->n_input) return (gig_scoped){call, name};
    return call->actual[formal];
}

gig_status gig_flat_name(const char **out, char *text, const gig_flat *flat, gig_scoped value)
{
    *out = value.name;
    if (!value.call) return GIG_OK;
    *out = text;
    size_t room = GIG_MAX_NAME + 1, length = flat->marks;
    if (length < room) {
        memset(text, '@', length);
        length += (size_t)snprintf(text + length, room - length, "%zu.%s/%s", value.call->number,
                                   value.call->function->name, value.name);
    }
    if (length < room) return GIG_OK;
    return gig_fail(GIG_ELIMIT, "the name \"%.40s...\" in function \"%.40s\" becomes longer than %d bytes", value.name,
                    value.call->function->name, GIG_MAX_NAME);
}

/* One more '@' than any value of the graph begins with. */
static size_t count_marks(const Onnx__GraphProto *graph)
{
    size_t most = 0;
    for (size_t i = 0; i < graph->n_initializer + graph->n_input; i++) {
        const char *name =
            i < graph->n_initializer ? graph->initializer[i]->name : graph->input[i - graph->n_initializer]->name;
        size_t marks = name ? strspn(name, "@") : 0;
        if (marks > most) most = marks;
    }
    for (size_t i = 0; i < graph->n_node; i++)
        for (size_t k = 0; k < graph->node[i]->n_output; k++) {
            size_t marks = strspn(graph->node[i]->output[k], "@");
            if (marks > most) most = marks;
        }
    return most + 1;
}

/* ---- attributes ---- */

gig_status gig_inlined_call_attribute(Onnx__AttributeProto **out, const gig_inlined_call *call,
                                      Onnx__AttributeProto *from)
{
    *out = from;
    const char *wanted = from->ref_attr_name;
    if (!wanted || !*wanted) return GIG_OK;
    if (!call) return gig_fail(GIG_EFORMAT, "it refers to a function's attribute, outside a function");
    int i = gig_lookup_find(&call->function->attributes, wanted);
    if (i < 0)
        return gig_fail(GIG_EFORMAT, "it refers to attribute \"%.80s\", which the function does not have", wanted);
    *out = call->given[i];
    if (*out && from->has_type && from->type && gig_attribute_type(*out) != (int)from->type)
        return gig_fail(GIG_EFORMAT, "attribute \"%.80s\" of the call has another type", wanted);
    return GIG_OK;
}

/* An attribute that the function does not have is ignored. */
static gig_status bind_attributes(gig_inlined_call *call, const Onnx__NodeProto *site, const gig_inlined_call *outer)
{
    const gig_local_function *function = call->function;
    size_t plain = function->message->n_attribute;
    for (size_t i = 0; i < site->n_attribute; i++) {
        Onnx__AttributeProto *from = site->attribute[i];
        int place = gig_lookup_find(&function->attributes, from->name ? from->name : "");
        if (place < 0) continue;
        if (call->given[place]) return gig_fail(GIG_EFORMAT, "attribute \"%.80s\" appears twice", from->name);
        gig_status status = gig_inlined_call_attribute(&call->given[place], outer, from);
        if (status != GIG_OK) return gig_fail_in(status, "attribute \"%.80s\"", from->name);
    }
    for (size_t i = plain; i < function->attributes.count; i++)
        if (!call->given[i]) call->given[i] = function->defaults[i - plain];
    return GIG_OK;
}

/* ---- calls ---- */

static gig_status bind(gig_inlined_call *call, const Onnx__NodeProto *site, const gig_inlined_call *outer)
{
    const Onnx__FunctionProto *function = call->function->message;
    if (site->n_input > function->n_input)
        return gig_fail(GIG_EFORMAT, "function \"%.80s\" takes %zu inputs, found %zu", function->name,
                        function->n_input, site->n_input);
    if (site->n_output > function->n_output)
        return gig_fail(GIG_EFORMAT, "function \"%.80s\" has %zu outputs, %zu requested", function->name,
                        function->n_output, site->n_output);
    if (site->n_attribute > GIG_MAX_ATTRIBUTES)
        return gig_fail(GIG_ELIMIT, "more than %d attributes", GIG_MAX_ATTRIBUTES);
    for (size_t i = 0; i < function->n_input; i++)
        call->actual[i] = gig_inlined_call_value(outer, i < site->n_input ? site->input[i] : "");
    for (size_t i = 0; i < function->n_output; i++)
        call->actual[function->n_input + i] = gig_inlined_call_value(outer, i < site->n_output ? site->output[i] : "");
    return bind_attributes(call, site, outer);
}

static gig_inlined_call *open_call(gig_flat *flat, const gig_local_function *function)
{
    gig_inlined_call *call = &flat->calls[flat->call_count++];
    *call = (gig_inlined_call){.function = function,
                               .number = flat->call_count,
                               .actual = flat->formals + flat->formal_count,
                               .given = flat->given + flat->given_count};
    flat->formal_count += function->formals.count;
    flat->given_count += function->attributes.count;
    return call;
}

/* The context of a failure: "node 3 "layer1" in function "Block"". */
static gig_status fail_at(gig_status status, const gig_flat_node *at)
{
    char text[128], none[] = "";
    gig_node node = {.name = at->message->name ? at->message->name : none,
                     .position = at->position,
                     .function = at->call ? at->call->function->message->name : NULL};
    return gig_fail_in(status, "%s", gig_node_text(text, sizeof text, &node));
}

/* Calls nest at most GIG_MAX_DEPTH deep: inlined_size.c has checked it. */
static gig_status flatten(gig_flat *flat, size_t count, Onnx__NodeProto **nodes, const gig_inlined_call *call)
{
    for (size_t i = 0; i < count; i++) {
        const gig_local_function *callee = gig_local_functions_find(&flat->functions, nodes[i]);
        const gig_flat_node node = {.message = nodes[i], .call = call, .position = i};
        if (!callee) {
            flat->nodes[flat->count++] = node;
            continue;
        }
        gig_inlined_call *inner = open_call(flat, callee);
        gig_status status = bind(inner, nodes[i], call);
        if (status != GIG_OK) return fail_at(status, &node);
        GIG_TRY(flatten(flat, callee->message->n_node, callee->message->node, inner));
    }
    return GIG_OK;
}

gig_status gig_flat_read(gig_flat *out, const Onnx__ModelProto *message, size_t max_nodes)
{
    const Onnx__GraphProto *graph = message->graph;
    gig_growth growth;
    *out = (gig_flat){0};
    GIG_TRY(gig_local_functions_read(&out->functions, message, max_nodes));
    GIG_TRY(gig_growth_measure(&growth, &out->functions, graph));
    out->nodes = gig_alloc(growth.nodes, sizeof *out->nodes);
    out->calls = gig_alloc(growth.calls, sizeof *out->calls);
    out->formals = gig_alloc(growth.formals, sizeof *out->formals);
    out->given = gig_alloc_zero(growth.given, sizeof *out->given);
    if (!out->nodes || !out->calls || !out->formals || !out->given) return gig_alloc_status();
    if (growth.calls) out->marks = count_marks(graph);
    return flatten(out, graph->n_node, graph->node, NULL);
}

void gig_flat_clear(gig_flat *flat)
{
    gig_local_functions_clear(&flat->functions);
    gig_free(flat->nodes);
    gig_free(flat->calls);
    gig_free(flat->formals);
    gig_free(flat->given);
    *flat = (gig_flat){0};
}
