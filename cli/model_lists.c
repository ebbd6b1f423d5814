/* SPDX-License-Identifier: Apache-2.0 */
/* gig model --tensors and --describe. */
#include "model_lists.h"
#include "frame/errors.h"
#include "frame/printing.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *shape_text(char *text, size_t bytes, const gig_summary_value *value)
{
    size_t used = (size_t)snprintf(text, bytes, "%s ", value->type);
    if (value->rank < 0) {
        snprintf(text + used, bytes - used, "of any shape");
        return text;
    }
    used += (size_t)snprintf(text + used, bytes - used, "[");
    for (int i = 0; i < value->rank && used < bytes; i++) {
        const char *comma = i ? "," : "";
        if (value->dims[i] < 0)
            used += (size_t)snprintf(text + used, bytes - used, "%s?", comma);
        else
            used += (size_t)snprintf(text + used, bytes - used, "%s%" PRId64, comma, value->dims[i]);
    }
    if (used < bytes) snprintf(text + used, bytes - used, "]");
    return text;
}

static json_t *json_tensor(const gig_summary_tensor *tensor)
{
    json_t *shape = json_array();
    for (int d = 0; d < tensor->value.rank; d++) json_array_append_new(shape, json_integer(tensor->value.dims[d]));
    return json_pack("{s:o, s:s, s:o, s:s, s:b, s:b}", "name", json_name(tensor->value.name), "type",
                     tensor->value.type, "shape", shape, "operator", tensor->made_by, "at", tensor->at, "cam",
                     tensor->layer);
}

int print_tensors(const gig_network *network, int as_json)
{
    gig_summary_tensor *tensors;
    size_t count;
    int code = report(gig_network_tensors(&tensors, &count, network));
    if (code != EXIT_OK) return code;
    json_t *list = as_json ? json_array() : NULL;
    for (size_t i = 0; i < count; i++) {
        char name[256], shape[256];
        if (as_json) json_array_append_new(list, json_tensor(&tensors[i]));
        if (as_json) continue;
        printf("%-4s %-4s %-24s %-14s %s\n", tensors[i].at ? "at" : "-", tensors[i].layer ? "cam" : "-",
               shape_text(shape, sizeof shape, &tensors[i].value), *tensors[i].made_by ? tensors[i].made_by : "(input)",
               output_name(name, sizeof name, tensors[i].value.name));
    }
    gig_network_tensors_free(tensors);
    return as_json ? json_print(json_pack("{s:o}", "tensors", list)) : EXIT_OK;
}

/* The first floating-point input [n,C,H,W] or [n,H,W,C] with 1 or 3 channels; NULL: the model takes no pictures. */
static const gig_summary_value *picture_input(const gig_model_summary *about, int *nhwc)
{
    for (size_t i = 0; i < about->input_count; i++) {
        const gig_summary_value *value = &about->inputs[i];
        if (value->rank != 4 || !strstr(value->type, "float")) continue;
        *nhwc = value->dims[1] != 1 && value->dims[1] != 3 && (value->dims[3] == 1 || value->dims[3] == 3);
        return value;
    }
    return NULL;
}

static json_t *three(double number)
{
    return json_pack("[f, f, f]", number, number, number);
}

static json_t *describe_input(const gig_summary_value *value, int nhwc)
{
    int64_t channels = value->dims[nhwc ? 3 : 1], height = value->dims[nhwc ? 1 : 2], width = value->dims[nhwc ? 2 : 3];
    int grey = channels == 1;
    json_t *mean = grey ? json_real(0) : three(0), *std = grey ? json_real(1) : three(1);
    return json_pack("{s:o, s:I, s:I, s:s, s:s, s:f, s:o, s:o, s:s, s:s}", "name", json_name(value->name), "width",
                     (json_int_t)(width > 0 ? width : 224), "height", (json_int_t)(height > 0 ? height : 224), "resize",
                     "squash", "filter", "bilinear", "scale", 1.0, "mean", mean, "std", std, "channels",
                     grey ? "grey" : "rgb", "layout", nhwc ? "nhwc" : "nchw");
}

static const char *kind_name(const gig_network *network)
{
    static const char *const names[] = {"logits", "logits", "probabilities", "log-probabilities", "sigmoid"};
    return names[network ? gig_network_output_kind(network) : GIG_OUTPUT_LOGITS];
}

int print_description(const gig_model_summary *about, const gig_network *network)
{
    int nhwc = 0;
    const gig_summary_value *input = picture_input(about, &nhwc);
    json_t *root = json_object();
    if (input) json_object_set_new(root, "input", describe_input(input, nhwc));
    json_object_set_new(root, "output", json_string(kind_name(network)));
    if (about->output_count) json_object_set_new(root, "output_name", json_name(about->outputs[0].name));
    const char *layer = network && input ? gig_network_last_map(network) : NULL;
    if (layer) json_object_set_new(root, "cam", json_name(layer));
    return json_print(root);
}
