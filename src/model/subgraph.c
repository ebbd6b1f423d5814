/* SPDX-License-Identifier: Apache-2.0 */
/* GraphProto of an attribute (the branches of an If, the body of a Loop or Scan) -> gig_subgraph. A name that is
 * not produced inside is a value of the outer graph: a capture. */
#include "model/inline.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct builder {
    gig_subgraph *graph;
    Onnx__GraphProto *message;
    size_t local; /* values made inside */
    int *by_name; /* of all values */
} builder;

static gig_status add_value(gig_subgraph *graph, const char *name)
{
    gig_value *value = &graph->values[graph->value_count];
    if (!name || !*name) return gig_fail(GIG_EFORMAT, "a value of a subgraph has no name");
    GIG_TRY(gig_name_copy(&value->name, name));
    value->rank = -1;
    graph->value_count++; /* from here on gig_subgraph_free frees it */
    return GIG_OK;
}

static gig_status add_weight(gig_subgraph *graph, Onnx__TensorProto *message, gig_weights *weights)
{
    GIG_TRY(add_value(graph, message->name));
    gig_value *value = &graph->values[graph->value_count - 1];
    value->constant = gig_alloc_zero(1, sizeof *value->constant);
    if (!value->constant) return gig_alloc_status();
    gig_status status = gig_weights_read(value->constant, weights, message, 0);
    if (status != GIG_OK) return gig_fail_in(status, "initializer \"%.80s\"", value->name);
    value->onnx_type = message->data_type;
    value->rank = value->constant->rank;
    memcpy(value->dims, value->constant->dims, sizeof value->dims);
    return GIG_OK;
}

/* Upper limit of names that nodes and outputs may read from the outer graph. */
static size_t count_asked(const Onnx__GraphProto *message, const gig_subgraph *graph)
{
    size_t asked = message->n_output;
    for (size_t i = 0; i < graph->node_count; i++) {
        asked += message->node[i]->n_input;
        for (size_t a = 0; a < graph->nodes[i].attribute_count; a++)
            if (graph->nodes[i].attributes[a].kind == GIG_ATTRIBUTE_GRAPH)
                asked += graph->nodes[i].attributes[a].g->capture_count;
    }
    return asked;
}

static gig_status read_nodes(builder *build, const Onnx__ModelProto *model, gig_weights *weights)
{
    gig_subgraph *graph = build->graph;
    graph->nodes = gig_alloc_zero(build->message->n_node, sizeof *graph->nodes);
    if (!graph->nodes) return gig_alloc_status();
    for (size_t i = 0; i < build->message->n_node; i++) {
        const gig_flat_node flat = {.message = build->message->node[i], .position = i};
        gig_node *node = &graph->nodes[graph->node_count++];
        char text[128];
        node->position = i;
        GIG_TRY(gig_name_copy(&node->name, flat.message->name));
        gig_status status = gig_build_node(node, &flat, model, weights);
        if (status != GIG_OK) return gig_fail_in(status, "%s of a subgraph", gig_node_text(text, sizeof text, node));
    }
    return GIG_OK;
}

/* ---- values ---- */

static gig_status make_room(builder *build)
{
    const Onnx__GraphProto *message = build->message;
    size_t values = message->n_initializer + message->n_input;
    for (size_t i = 0; i < message->n_node; i++) values += message->node[i]->n_output;
    values += count_asked(message, build->graph);
    if (values > INT_MAX) return gig_fail(GIG_ELIMIT, "more than %d values", INT_MAX);
    build->graph->values = gig_alloc_zero(values, sizeof *build->graph->values);
    build->graph->inputs = gig_alloc(message->n_input, sizeof *build->graph->inputs);
    build->graph->outputs = gig_alloc(message->n_output, sizeof *build->graph->outputs);
    build->by_name = gig_alloc(values, sizeof *build->by_name);
    return build->graph->values && build->graph->inputs && build->graph->outputs && build->by_name ? GIG_OK
                                                                                                   : gig_alloc_status();
}

static gig_status add_local(builder *build, gig_weights *weights)
{
    gig_subgraph *graph = build->graph;
    const Onnx__GraphProto *message = build->message;
    for (size_t i = 0; i < message->n_initializer; i++) GIG_TRY(add_weight(graph, message->initializer[i], weights));
    for (size_t i = 0; i < message->n_input; i++) {
        GIG_TRY(add_value(graph, message->input[i]->name));
        graph->inputs[graph->input_count++] = (int)graph->value_count - 1;
    }
    for (size_t i = 0; i < message->n_node; i++) {
        const Onnx__NodeProto *from = message->node[i];
        gig_node *node = &graph->nodes[i];
        node->outputs = gig_alloc(from->n_output, sizeof *node->outputs);
        if (!node->outputs) return gig_alloc_status();
        node->output_count = from->n_output;
        for (size_t k = 0; k < from->n_output; k++) {
            node->outputs[k] = *from->output[k] ? (int)graph->value_count : -1;
            if (*from->output[k]) GIG_TRY(add_value(graph, from->output[k]));
        }
    }
    build->local = graph->value_count;
    gig_names_sort(build->by_name, build->local, graph->values);
    for (size_t i = 1; i < build->local; i++) {
        const char *name = graph->values[build->by_name[i]].name;
        if (!strcmp(name, graph->values[build->by_name[i - 1]].name))
            return gig_fail(GIG_EFORMAT, "value \"%.80s\" of a subgraph is produced twice", name);
    }
    return GIG_OK;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void ask(const builder *build, const char **asked, size_t *count, const char *name)
{
    if (name && *name && gig_names_find(build->by_name, build->local, build->graph->values, name) < 0)
        asked[(*count)++] = name;
}

/* Every name that is read but not produced here becomes one value. */
static gig_status add_captures(builder *build)
{
    gig_subgraph *graph = build->graph;
    const Onnx__GraphProto *message = build->message;
    size_t count = 0;
    const char **asked = gig_alloc(count_asked(message, graph), sizeof *asked);
    if (!asked) return gig_alloc_status();
    for (size_t i = 0; i < message->n_node; i++) {
        for (size_t k = 0; k < message->node[i]->n_input; k++) ask(build, asked, &count, message->node[i]->input[k]);
        for (size_t a = 0; a < graph->nodes[i].attribute_count; a++) {
            const gig_subgraph *inner = graph->nodes[i].attributes[a].g;
            for (size_t c = 0; inner && c < inner->capture_count; c++)
                ask(build, asked, &count, inner->values[inner->captures[c]].name);
        }
    }
    for (size_t i = 0; i < message->n_output; i++) ask(build, asked, &count, message->output[i]->name);
    if (count) qsort(asked, count, sizeof *asked, by_text);
    gig_status status = GIG_OK;
    graph->captures = gig_alloc(count, sizeof *graph->captures);
    if (!graph->captures) status = gig_alloc_status();
    for (size_t i = 0; status == GIG_OK && i < count; i++) {
        if (i && !strcmp(asked[i], asked[i - 1])) continue;
        status = add_value(graph, asked[i]);
        if (status == GIG_OK) graph->captures[graph->capture_count++] = (int)graph->value_count - 1;
    }
    gig_free(asked);
    gig_names_sort(build->by_name, graph->value_count, graph->values);
    return status;
}

/* ---- references ---- */

static int find(const builder *build, const char *name)
{
    if (!name || !*name) return -1;
    return gig_names_find(build->by_name, build->graph->value_count, build->graph->values, name);
}

gig_status gig_node_take_captures(gig_node *node, size_t own, int (*resolve)(const void *, const char *),
                                  const void *payload)
{
    size_t at = own;
    for (size_t a = 0; a < node->attribute_count; a++) {
        const gig_subgraph *inner = node->attributes[a].g;
        for (size_t c = 0; inner && c < inner->capture_count; c++) {
            const char *name = inner->values[inner->captures[c]].name;
            node->inputs[at] = resolve(payload, name);
            if (node->inputs[at] < 0)
                return gig_fail(GIG_EFORMAT, "a subgraph reads \"%.80s\", which is not produced by any node", name);
            at++;
        }
    }
    return GIG_OK;
}

size_t gig_node_captures(const gig_node *node)
{
    size_t count = 0;
    for (size_t a = 0; a < node->attribute_count; a++)
        if (node->attributes[a].g) count += node->attributes[a].g->capture_count;
    return count;
}

static int resolve(const void *payload, const char *name)
{
    return find(payload, name);
}

static gig_status resolve_all(builder *build)
{
    gig_subgraph *graph = build->graph;
    const Onnx__GraphProto *message = build->message;
    for (size_t i = 0; i < message->n_node; i++) {
        const Onnx__NodeProto *from = message->node[i];
        gig_node *node = &graph->nodes[i];
        node->input_count = from->n_input + gig_node_captures(node);
        node->own_inputs = from->n_input;
        node->inputs = gig_alloc(node->input_count, sizeof *node->inputs);
        if (!node->inputs) return gig_alloc_status();
        for (size_t k = 0; k < from->n_input; k++) node->inputs[k] = find(build, from->input[k]);
        GIG_TRY(gig_node_take_captures(node, from->n_input, resolve, build));
    }
    for (size_t i = 0; i < message->n_output; i++) {
        graph->outputs[graph->output_count] = find(build, message->output[i]->name);
        if (graph->outputs[graph->output_count++] < 0)
            return gig_fail(GIG_EFORMAT, "an output of a subgraph has no name");
    }
    return GIG_OK;
}

gig_status gig_build_subgraph(gig_subgraph **out, Onnx__GraphProto *message, const Onnx__ModelProto *model,
                              gig_weights *weights)
{
    *out = NULL;
    if (message->n_sparse_initializer) return gig_fail(GIG_EUNSUPPORTED, "sparse initializers are not supported");
    gig_subgraph *graph = gig_alloc_zero(1, sizeof *graph);
    if (!graph) return gig_alloc_status();
    *out = graph; /* the attribute owns it, complete or not */
    builder build = {.graph = graph, .message = message};
    gig_status status = read_nodes(&build, model, weights);
    if (status == GIG_OK) status = make_room(&build);
    if (status == GIG_OK) status = add_local(&build, weights);
    if (status == GIG_OK) status = add_captures(&build);
    if (status == GIG_OK) status = resolve_all(&build);
    gig_free(build.by_name);
    return status;
}

void gig_subgraph_free(gig_subgraph *graph)
{
    if (!graph) return;
    for (size_t i = 0; i < graph->node_count; i++) gig_node_clear(&graph->nodes[i]);
    for (size_t i = 0; i < graph->value_count; i++) {
        gig_tensor_clear(graph->values[i].constant);
        gig_free(graph->values[i].constant);
        gig_free(graph->values[i].name);
    }
    gig_free(graph->nodes);
    gig_free(graph->values);
    gig_free(graph->inputs);
    gig_free(graph->outputs);
    gig_free(graph->captures);
    gig_free(graph);
}
