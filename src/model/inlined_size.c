/* SPDX-License-Identifier: Apache-2.0 */
/* How large the graph becomes when a file's functions are inlined, computed in advance: each function is measured once,
 * so the time is proportional to the file even if functions call functions. */
#include "model/inline.h"
#include <string.h>

enum { PER_NAME = 64 }; /* bytes per name besides its text, including the time to look it up */

static size_t text_bytes(const char *text)
{
    return PER_NAME + (text ? strlen(text) : 0);
}

/* Memory of one more copy of a function's node. */
static size_t copy_bytes(const Onnx__NodeProto *node, const gig_local_function *function)
{
    size_t origin = text_bytes(function->name);
    size_t bytes = sizeof(gig_node) + sizeof(gig_flat_node) + origin + text_bytes(node->name) +
                   text_bytes(node->op_type) + text_bytes(node->domain) + node->base.n_unknown_fields * PER_NAME;
    for (size_t i = 0; i < node->n_input; i++) bytes += text_bytes(node->input[i]);
    for (size_t i = 0; i < node->n_output; i++) bytes += sizeof(gig_value) + origin + text_bytes(node->output[i]);
    for (size_t i = 0; i < node->n_attribute; i++)
        bytes += sizeof(gig_attribute) + text_bytes(node->attribute[i]->name);
    return bytes; /* a small multiple of the file's bytes: no wrap */
}

static gig_growth of_call(const gig_local_function *callee)
{
    gig_growth one = callee->growth;
    one.calls++;
    one.formals += callee->formals.count;
    one.given += callee->attributes.count;
    one.bytes += sizeof(gig_inlined_call) + callee->formals.count * sizeof(gig_scoped);
    one.bytes += callee->attributes.count * sizeof(Onnx__AttributeProto *);
    return one;
}

static gig_status add_growth(gig_growth *total, gig_growth more, size_t max_nodes)
{
    if (more.nodes + more.calls > max_nodes - total->nodes - total->calls)
        return gig_fail(GIG_ELIMIT, "inlining the file's functions gives more than %zu nodes", max_nodes);
    if (more.bytes > GIG_MAX_STRUCTURE - total->bytes)
        return gig_fail(GIG_ELIMIT, "inlining the file's functions takes more than %d bytes", GIG_MAX_STRUCTURE);
    total->nodes += more.nodes;
    total->calls += more.calls;
    total->formals += more.formals;
    total->given += more.given;
    total->bytes += more.bytes;
    return GIG_OK;
}

static gig_status measure_function(gig_local_functions *functions, gig_local_function *function, size_t depth);

/* Adds up the nodes of `caller` (NULL: of the graph), which is `depth` calls deep. */
static gig_status measure_nodes(gig_growth *out, size_t *height, gig_local_functions *functions,
                                const gig_local_function *caller, size_t count, Onnx__NodeProto **nodes, size_t depth)
{
    *height = 0;
    for (size_t i = 0; i < count; i++) {
        gig_local_function *callee = gig_local_functions_find(functions, nodes[i]);
        gig_growth one = {.nodes = 1};
        if (callee && callee->state == GIG_OPEN)
            return callee == caller || !caller
                       ? gig_fail(GIG_EFORMAT, "function \"%.80s\" calls itself", callee->name)
                       : gig_fail(GIG_EFORMAT, "function \"%.80s\" calls itself, through \"%.80s\"", callee->name,
                                  caller->name);
        if (callee) {
            GIG_TRY(measure_function(functions, callee, depth + 1));
            one = of_call(callee);
            if (callee->height > *height) *height = callee->height;
        }
        if (caller) one.bytes += copy_bytes(nodes[i], caller);
        GIG_TRY(add_growth(out, one, functions->max_nodes));
    }
    return GIG_OK;
}

static gig_status measure_function(gig_local_functions *functions, gig_local_function *function, size_t depth)
{
    if (depth > GIG_MAX_DEPTH || depth + function->height > GIG_MAX_DEPTH + 1)
        return gig_fail(GIG_ELIMIT, "calls of functions nest deeper than %d", GIG_MAX_DEPTH);
    if (function->state == GIG_UNCALLED) {
        function->state = GIG_OPEN;
        gig_status status = gig_function_prepare(function);
        if (status != GIG_OK) return gig_fail_in(status, "function \"%.80s\"", function->name);
        GIG_TRY(measure_nodes(&function->growth, &function->height, functions, function, function->message->n_node,
                              function->message->node, depth));
        function->height++;
        function->state = GIG_MEASURED;
    }
    return GIG_OK;
}

gig_status gig_growth_measure(gig_growth *out, gig_local_functions *functions, const Onnx__GraphProto *graph)
{
    size_t height;
    *out = (gig_growth){0};
    return measure_nodes(out, &height, functions, NULL, graph->n_node, graph->node, 0);
}
