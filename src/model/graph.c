/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a checked graph. */
#include "model/graph.h"
#include "base/tensor.h"
#include "model/load.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const gig_attribute *gig_node_attribute(const gig_node *node, const char *name)
{
    for (size_t i = 0; i < node->attribute_count; i++)
        if (!strcmp(node->attributes[i].name, name)) return &node->attributes[i];
    return NULL;
}

static const gig_attribute *attribute_of(const gig_node *node, const char *name, gig_attribute_kind kind)
{
    const gig_attribute *found = gig_node_attribute(node, name);
    return found && found->kind == kind ? found : NULL;
}

int64_t gig_node_int(const gig_node *node, const char *name, int64_t otherwise)
{
    const gig_attribute *found = attribute_of(node, name, GIG_ATTRIBUTE_INT);
    return found ? found->i : otherwise;
}

/* Many exporters write 2 instead of 2.0; accept it. */
float gig_node_real(const gig_node *node, const char *name, float otherwise)
{
    const gig_attribute *found = gig_node_attribute(node, name);
    if (found && found->kind == GIG_ATTRIBUTE_INT) return (float)found->i;
    return found && found->kind == GIG_ATTRIBUTE_REAL ? found->f : otherwise;
}

const char *gig_node_string(const gig_node *node, const char *name, const char *otherwise)
{
    const gig_attribute *found = attribute_of(node, name, GIG_ATTRIBUTE_STRING);
    return found ? found->s : otherwise;
}

const int64_t *gig_node_ints(const gig_node *node, const char *name, size_t *count)
{
    const gig_attribute *found = attribute_of(node, name, GIG_ATTRIBUTE_INTS);
    *count = found ? found->count : 0;
    return found ? found->ints : NULL;
}

int gig_model_find(const gig_model *model, const char *value_name)
{
    return gig_names_find(model->by_name, model->value_count, model->values, value_name);
}

const char *gig_node_text(char *text, size_t bytes, const gig_node *node)
{
    int longest = node->function ? 40 : 80, length;
    if (*node->name)
        length = snprintf(text, bytes, "node %zu \"%.*s\"", node->position, longest, node->name);
    else
        length = snprintf(text, bytes, "node %zu", node->position);
    if (node->function && (size_t)length < bytes)
        snprintf(text + length, bytes - (size_t)length, " in function \"%.*s\"", longest, node->function);
    return text;
}

void gig_node_clear(gig_node *node)
{
    for (size_t i = 0; i < node->attribute_count; i++) {
        gig_attribute *attribute = &node->attributes[i];
        gig_free(attribute->name);
        gig_free(attribute->s);
        gig_free(attribute->ints);
        gig_free(attribute->reals);
        gig_tensor_clear(&attribute->t);
        gig_subgraph_free(attribute->g);
    }
    gig_free(node->attributes);
    gig_free(node->name);
    gig_free(node->op);
    gig_free(node->domain);
    gig_free(node->function);
    gig_free(node->inputs);
    gig_free(node->outputs);
}

void gig_model_free(gig_model *model)
{
    if (!model) return;
    for (size_t i = 0; i < model->node_count; i++) gig_node_clear(&model->nodes[i]);
    for (size_t i = 0; i < model->value_count; i++) {
        gig_tensor_clear(model->values[i].constant);
        gig_free(model->values[i].constant);
        gig_free(model->values[i].name);
    }
    if (model->file >= 0) close(model->file);
    gig_free(model->nodes);
    gig_free(model->values);
    gig_free(model->by_name);
    gig_free(model->inputs);
    gig_free(model->outputs);
    gig_free(model->producer);
    gig_free(model->path);
    gig_free(model);
}

const gig_value *gig_model_input(const gig_model *model, const char *name)
{
    for (size_t i = 0; i < model->input_count; i++)
        if (!strcmp(model->values[model->inputs[i]].name, name)) return &model->values[model->inputs[i]];
    return NULL;
}

int gig_onnx_is_float(int onnx_type)
{
    return onnx_type == GIG_ONNX_FLOAT || onnx_type == GIG_ONNX_FLOAT16 || onnx_type == GIG_ONNX_DOUBLE ||
           onnx_type == GIG_ONNX_BFLOAT16;
}
