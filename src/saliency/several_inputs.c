/* SPDX-License-Identifier: Apache-2.0 */
/* Several inputs that are explained together: their names, what is refused for them, and the part of each in a result.
 */
#include "internal/saliency.h"
#include "model/graph.h"
#include "saliency/explainer_batch.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- names ---- */

static gig_status check_named(const gig_explainer *explainer, size_t index)
{
    const gig_model *model = explainer->model;
    const char *name = explainer->named[index];
    const gig_value *value = gig_model_input(model, name);
    char list[320] = "";
    size_t used = 0;
    for (size_t i = 0; i < index; i++)
        if (!strcmp(explainer->named[i], name)) return gig_fail(GIG_EARG, "explain-inputs names \"%.80s\" twice", name);
    for (size_t i = 0; i < model->input_count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s\"%.60s\"", i ? ", " : "",
                                 model->values[model->inputs[i]].name);
    if (!value)
        return gig_fail(GIG_EARG, "explain-inputs: the model has no input \"%.80s\"; its inputs are %s", name, list);
    if (value->onnx_type == GIG_ONNX_UNKNOWN || gig_onnx_is_float(value->onnx_type)) return GIG_OK;
    return gig_fail(GIG_EARG, "explain-inputs: input \"%.80s\" holds integers, which have no gradient", name);
}

gig_status gig_explainer_read_named(gig_explainer *explainer)
{
    const char *text = explainer->options.explain_inputs;
    if (!text) return GIG_OK;
    if (explainer->options.at)
        return gig_fail(GIG_EARG, "explain-inputs names inputs, at a tensor inside the network: give one of them");
    size_t most = 1;
    for (const char *at = text; (at = strchr(at, ',')); at++) most++;
    explainer->named = gig_alloc_zero(most, sizeof *explainer->named);
    if (!explainer->named) return gig_alloc_status();
    for (const char *at = text;; at++) {
        size_t bytes = strcspn(at, ",");
        if (!bytes) return gig_fail(GIG_EARG, "explain-inputs \"%.80s\": expected names separated by commas", text);
        char *name = gig_alloc_zero(bytes + 1, 1);
        if (!name) return gig_alloc_status();
        memcpy(name, at, bytes);
        explainer->named[explainer->named_count++] = name;
        GIG_TRY(check_named(explainer, explainer->named_count - 1));
        at += bytes;
        if (!*at) return GIG_OK;
    }
}

/* ---- methods ---- */

gig_status gig_batch_refuse_several(const gig_batch *b, const gig_method *method)
{
    unsigned traits = gig_method_traits(method);
    const char *name = method->xrai ? "xrai" : method->row->name;
    int mean = method->baseline == GIG_BASELINE_MEAN;
    if (!b->engine || gig_network_parts(b->engine->network) < 2) return GIG_OK;
    if (traits & (GIG_METHOD_PICTURE | GIG_METHOD_PER_PIXEL | GIG_METHOD_LAYER | GIG_METHOD_NO_MODEL))
        return gig_fail(GIG_EARG, "%s explains one picture, not several inputs together", name);
    if (traits & GIG_METHOD_BASELINE && (mean || method->baseline == GIG_BASELINE_BLUR))
        return gig_fail(GIG_EARG, "baseline %s is for one picture, not for several inputs together",
                        mean ? "mean" : "blur");
    return GIG_OK;
}

gig_status gig_batch_list_parts(size_t *count, size_t **features, const gig_batch *b)
{
    const gig_network *network = b->engine ? b->engine->network : NULL;
    size_t parts = gig_network_parts(network);
    *count = 0;
    *features = NULL;
    if (parts < 2) return GIG_OK;
    *features = gig_alloc(parts, sizeof **features);
    if (!*features) return gig_alloc_status();
    *count = parts;
    for (size_t p = 0; p < parts; p++) (*features)[p] = gig_network_part_features(network, p);
    return GIG_OK;
}

/* ---- results ---- */

gig_status gig_batch_list_inputs(gig_explanation *result, const gig_batch *b, const gig_input *input)
{
    const gig_network *network = b->engine ? b->engine->network : NULL;
    size_t count = gig_network_parts(network), first = 0;
    if (count < 2) return GIG_OK;
    result->inputs = gig_alloc_zero(count, sizeof *result->inputs);
    if (!result->inputs) return gig_alloc_status();
    for (size_t p = 0; p < count; p++) {
        gig_explained_input *part = &result->inputs[p];
        *part = (gig_explained_input){.name = gig_strdup(gig_network_part_name(network, p)),
                                      .first = first,
                                      .count = gig_network_part_features(network, p),
                                      .shape = gig_explainer_part_shape(input, b->engine, p),
                                      .picture = p == 0 && !gig_input_is_tensor(input)};
        result->input_count = p + 1;
        if (!part->name) return gig_alloc_status();
        part->rank = gig_network_part_dims(network, p, part->dims);
        first += part->count;
    }
    return GIG_OK;
}

gig_status gig_explanation_input(gig_explanation *out, const gig_explanation *all, size_t i)
{
    GIG_NEED(out);
    GIG_NEED(all);
    *out = (gig_explanation){0};
    if (i >= all->input_count) return gig_fail(GIG_EARG, "input %zu: the explanation has %zu", i, all->input_count);
    const gig_explained_input *part = &all->inputs[i];
    *out = *all;
    out->input_count = 0;
    out->inputs = NULL;
    out->count = part->count;
    out->attributions += part->first;
    out->rank = part->rank;
    memcpy(out->dims, part->dims, sizeof out->dims);
    out->shape = part->shape;
    out->picture = part->picture ? all->point + part->first : NULL;
    out->point = part->picture ? NULL : all->point + part->first;
    out->delta = out->step_error = out->noise = out->distance = out->l1 = out->l2 = (double)NAN;
    if (!isfinite(all->sum)) return GIG_OK;
    out->sum = 0;
    for (size_t k = 0; k < out->count; k++) out->sum += (double)out->attributions[k];
    return GIG_OK;
}
