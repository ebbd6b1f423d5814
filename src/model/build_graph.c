/* SPDX-License-Identifier: Apache-2.0 */
/* ModelProto -> checked graph. Values are numbered: weights first, then graph inputs, then outputs of nodes, each in
 * the file's order; every name is resolved here and nowhere else. */
#include "model/inline.h"
#include <limits.h>
#include <string.h>

typedef struct builder {
    gig_model *model;
    Onnx__GraphProto *graph;
    gig_weights *weights;
    gig_flat flat;         /* the nodes, those of functions instead of their calls */
    unsigned char *listed; /* per weight: it is also listed as a graph input */
    int *producer;         /* per value: the node that produces it, -1: weight or input */
} builder;

/* ---- values ---- */

static gig_status add_value(builder *build, const char *name)
{
    gig_value *value = &build->model->values[build->model->value_count];
    if (!name || !*name) return gig_fail(GIG_EFORMAT, "a graph input or initializer has no name");
    GIG_TRY(gig_name_copy(&value->name, name));
    value->rank = -1;
    build->model->value_count++; /* from here on gig_model_free frees it */
    return GIG_OK;
}

static gig_status add_weight(builder *build, Onnx__TensorProto *message)
{
    GIG_TRY(add_value(build, message->name));
    gig_value *value = &build->model->values[build->model->value_count - 1];
    value->constant = gig_alloc_zero(1, sizeof *value->constant);
    if (!value->constant) return gig_alloc_status();
    gig_status status = gig_weights_read(value->constant, build->weights, message, 0);
    if (status != GIG_OK) return gig_fail_in(status, "initializer \"%.80s\"", value->name);
    value->onnx_type = message->data_type;
    value->rank = value->constant->rank;
    memcpy(value->dims, value->constant->dims, sizeof value->dims);
    return GIG_OK;
}

/* Graph inputs; an input with a weight's name is that weight (IR 3 lists all weights as inputs). */
static gig_status add_inputs(builder *build)
{
    gig_model *model = build->model;
    size_t weights = model->value_count;
    gig_names_sort(model->by_name, weights, model->values);
    for (size_t i = 0; i < build->graph->n_input; i++) {
        const char *name = build->graph->input[i]->name;
        int weight = gig_names_find(model->by_name, weights, model->values, name ? name : "");
        if (weight >= 0 && build->listed[weight]) return gig_fail(GIG_EFORMAT, "input \"%.80s\" appears twice", name);
        if (weight >= 0) {
            build->listed[weight] = 1;
            continue;
        }
        GIG_TRY(add_value(build, name));
        model->inputs[model->input_count++] = (int)model->value_count - 1;
    }
    return GIG_OK;
}

static gig_status add_outputs_of(builder *build, size_t position)
{
    const gig_flat_node *flat = &build->flat.nodes[position];
    const Onnx__NodeProto *message = flat->message;
    gig_node *node = &build->model->nodes[position];
    char text[GIG_MAX_NAME + 1];
    const char *name;
    node->outputs = gig_alloc(message->n_output, sizeof *node->outputs);
    if (!node->outputs) return gig_alloc_status();
    node->output_count = message->n_output;
    for (size_t i = 0; i < message->n_output; i++) {
        node->outputs[i] = -1;
        if (!*message->output[i]) continue;
        node->outputs[i] = (int)build->model->value_count;
        GIG_TRY(gig_flat_name(&name, text, &build->flat, gig_inlined_call_value(flat->call, message->output[i])));
        GIG_TRY(add_value(build, name));
        build->producer[node->outputs[i]] = (int)position;
    }
    return GIG_OK;
}

/* Upper limit of values: weights, inputs, outputs of nodes. */
static gig_status count_values(size_t *out, const builder *build)
{
    size_t count = build->graph->n_initializer + build->graph->n_input;
    for (size_t i = 0; i < build->flat.count; i++) count += build->flat.nodes[i].message->n_output;
    if (count > INT_MAX) return gig_fail(GIG_ELIMIT, "more than %d values", INT_MAX);
    *out = count;
    return GIG_OK;
}

static gig_status make_room(builder *build)
{
    gig_model *model = build->model;
    size_t values = 0;
    GIG_TRY(count_values(&values, build));
    model->values = gig_alloc_zero(values, sizeof *model->values);
    model->by_name = gig_alloc(values, sizeof *model->by_name);
    model->nodes = gig_alloc_zero(build->flat.count, sizeof *model->nodes);
    model->inputs = gig_alloc(build->graph->n_input, sizeof *model->inputs);
    model->outputs = gig_alloc(build->graph->n_output, sizeof *model->outputs);
    build->listed = gig_alloc_zero(build->graph->n_initializer, 1);
    build->producer = gig_alloc(values, sizeof *build->producer);
    if (!model->values || !model->by_name || !model->nodes || !model->inputs || !model->outputs || !build->listed ||
        !build->producer)
        return gig_alloc_status();
    for (size_t i = 0; i < values; i++) build->producer[i] = -1;
    return GIG_OK;
}

static gig_status refuse_duplicates(const gig_model *model)
{
    for (size_t i = 1; i < model->value_count; i++) {
        const char *name = model->values[model->by_name[i]].name;
        if (!strcmp(name, model->values[model->by_name[i - 1]].name))
            return gig_fail(GIG_EFORMAT, "value \"%.80s\" is produced twice", name);
    }
    return GIG_OK;
}

/* ---- declared types ---- */

static gig_status read_dims(gig_value *value, const Onnx__TensorShapeProto *shape)
{
    if (shape->n_dim > GIG_MAX_RANK) return gig_fail(GIG_ELIMIT, "rank %zu is above %d", shape->n_dim, GIG_MAX_RANK);
    for (size_t i = 0; i < shape->n_dim; i++) {
        const Onnx__TensorShapeProto__Dimension *dim = shape->dim[i];
        value->dims[i] = dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE ? dim->dim_value : -1;
        if (value->dims[i] < -1) /* some exporters write -1 for a free dimension */
            return gig_fail(GIG_EFORMAT, "dimension %zu is %lld", i, (long long)value->dims[i]);
    }
    value->rank = (int)shape->n_dim;
    return GIG_OK;
}

static gig_status read_type(gig_value *value, const Onnx__TypeProto *type, int required)
{
    if (!type || type->value_case == ONNX__TYPE_PROTO__VALUE__NOT_SET) return GIG_OK;
    if (type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
        return required ? gig_fail(GIG_EUNSUPPORTED, "only tensors are supported") : GIG_OK;
    int element = type->tensor_type->elem_type;
    if (required && element) GIG_TRY(gig_weights_check_type(element));
    value->onnx_type = element;
    return type->tensor_type->shape ? read_dims(value, type->tensor_type->shape) : GIG_OK;
}

/* Declared types of inputs, outputs and intermediate values; a weight keeps its own type and shape. */
static gig_status declare(builder *build, size_t count, Onnx__ValueInfoProto **declared, const char *what, int required)
{
    gig_model *model = build->model;
    for (size_t i = 0; i < count; i++) {
        const char *name = declared[i]->name ? declared[i]->name : "";
        int index = gig_model_find(model, name);
        if (index < 0 || model->values[index].constant || model->values[index].rank >= 0) continue;
        gig_value *value = &model->values[index];
        gig_status status = read_type(value, declared[i]->type, required);
        if (status != GIG_OK) return gig_fail_in(status, "%s \"%.80s\"", what, name);
        build->weights->reduced |= value->onnx_type == GIG_ONNX_FLOAT16 || value->onnx_type == GIG_ONNX_BFLOAT16 ||
                                   value->onnx_type == GIG_ONNX_DOUBLE;
    }
    return GIG_OK;
}

/* ---- nodes ---- */

static int find_value(const void *payload, const char *name)
{
    return gig_model_find(payload, name);
}

static gig_status resolve_inputs(builder *build, size_t position)
{
    const gig_flat_node *flat = &build->flat.nodes[position];
    const Onnx__NodeProto *message = flat->message;
    gig_node *node = &build->model->nodes[position];
    char text[GIG_MAX_NAME + 1];
    node->input_count = message->n_input + gig_node_captures(node);
    node->own_inputs = message->n_input;
    node->inputs = gig_alloc(node->input_count, sizeof *node->inputs);
    if (!node->inputs) return gig_alloc_status();
    for (size_t i = 0; i < message->n_input; i++) {
        const char *name;
        GIG_TRY(gig_flat_name(&name, text, &build->flat, gig_inlined_call_value(flat->call, message->input[i])));
        node->inputs[i] = *name ? gig_model_find(build->model, name) : -1;
        if (*name && node->inputs[i] < 0)
            return gig_fail(GIG_EFORMAT,
                            "%s: its input \"%.80s\" is not produced by any node, graph input or initializer",
                            gig_node_text(text, sizeof text, node), message->input[i]);
    }
    gig_status status = gig_node_take_captures(node, message->n_input, find_value, build->model);
    return status == GIG_OK ? status : gig_fail_in(status, "%s", gig_node_text(text, sizeof text, node));
}

static gig_status add_node(builder *build, size_t position, const Onnx__ModelProto *message)
{
    const gig_flat_node *flat = &build->flat.nodes[position];
    gig_node *node = &build->model->nodes[position];
    char text[128];
    node->position = flat->position;
    GIG_TRY(gig_name_copy(&node->name, flat->message->name));
    if (flat->call) GIG_TRY(gig_name_copy(&node->function, flat->call->function->name));
    gig_status status = gig_build_node(node, flat, message, build->weights);
    if (status != GIG_OK) return gig_fail_in(status, "%s", gig_node_text(text, sizeof text, node));
    return add_outputs_of(build, position);
}

static gig_status resolve_outputs(builder *build)
{
    gig_model *model = build->model;
    for (size_t i = 0; i < build->graph->n_output; i++) {
        const char *name = build->graph->output[i]->name ? build->graph->output[i]->name : "";
        int index = gig_model_find(model, name);
        if (index < 0) return gig_fail(GIG_EFORMAT, "the graph's output \"%.80s\" is not produced by any node", name);
        model->outputs[model->output_count++] = index;
    }
    return GIG_OK;
}

static gig_status build_all(builder *build, Onnx__ModelProto *message, size_t max_nodes)
{
    gig_model *model = build->model;
    Onnx__GraphProto *graph = build->graph;
    GIG_TRY(gig_flat_read(&build->flat, message, max_nodes));
    GIG_TRY(make_room(build));
    for (size_t i = 0; i < graph->n_initializer; i++) GIG_TRY(add_weight(build, graph->initializer[i]));
    GIG_TRY(add_inputs(build));
    for (size_t i = 0; i < build->flat.count; i++) {
        model->node_count++; /* gig_node_clear frees it, complete or not */
        GIG_TRY(add_node(build, i, message));
    }
    gig_names_sort(model->by_name, model->value_count, model->values);
    GIG_TRY(refuse_duplicates(model));
    for (size_t i = 0; i < build->flat.count; i++) GIG_TRY(resolve_inputs(build, i));
    GIG_TRY(resolve_outputs(build));
    GIG_TRY(declare(build, graph->n_input, graph->input, "input", 1));
    GIG_TRY(declare(build, graph->n_output, graph->output, "output", 1));
    GIG_TRY(declare(build, graph->n_value_info, graph->value_info, "value", 0));
    return gig_order_nodes(model, build->producer);
}

gig_status gig_build_graph(gig_model *model, Onnx__ModelProto *message, gig_weights *weights, size_t max_nodes)
{
    builder build = {.model = model, .graph = message->graph, .weights = weights};
    if (!message->graph) return gig_fail(GIG_EFORMAT, "the file contains no graph");
    if (!message->graph->n_output) return gig_fail(GIG_EFORMAT, "the graph has no output");
    if (message->graph->n_sparse_initializer)
        return gig_fail(GIG_EUNSUPPORTED, "sparse initializers are not supported");
    gig_status status = build_all(&build, message, max_nodes);
    model->reduced_precision = weights->reduced;
    gig_flat_clear(&build.flat);
    gig_free(build.listed);
    gig_free(build.producer);
    return status;
}
