/* SPDX-License-Identifier: Apache-2.0 */
/* One result as JSON: what was found, and under `options` every setting that concerned the method. */
#include "captions.h"
#include "internal/explainer.h"
#include "internal/number.h"
#include "internal/saliency.h"
#include "internal/tensor.h"
#include "results.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static void set_count(json_t *out, const char *key, size_t value)
{
    json_object_set_new(out, key, json_integer((json_int_t)value));
}

static void set_text(json_t *out, const char *key, const char *value)
{
    json_object_set_new(out, key, json_name(value));
}

/* The value of an option by its kind; null where it has none. */
static json_t *option_json(const gig_method_option *option, const char *value)
{
    double number;
    if (!*value) return json_null();
    switch (option->kind) {
    case GIG_OPTION_COUNT:
    case GIG_OPTION_NUMBER:
        if (gig_parse_double(&number, value) != GIG_OK) return json_null();
        return option->kind == GIG_OPTION_COUNT ? json_integer((json_int_t)number) : json_number(number);
    case GIG_OPTION_SIZE: {
        const char *columns = strchr(value, 'x');
        return json_pack("[I, I]", (json_int_t)atoll(value), (json_int_t)atoll(columns ? columns + 1 : value));
    }
    case GIG_OPTION_CHOICE:
        if (strcmp(option->choices, "no|yes") == 0) return json_boolean(strcmp(value, "yes") == 0);
        return json_name(value);
    case GIG_OPTION_TEXT: break;
    }
    return json_name(value);
}

static int is_option(const gig_method_option *option, const char *name)
{
    return strcmp(option->name, name) == 0;
}

/* Options whose value is not what was asked for but what was done. */
static json_t *done_json(const results *from, const gig_method *method, const gig_explanation *found,
                         const gig_method_option *option)
{
    char text[300];
    gig_method_get(text, sizeof text, method, option->name);
    if (is_option(option, "rule")) return json_name(caption_rule(text, sizeof text, method, found));
    if (is_option(option, "baseline")) return json_name(caption_baseline(text, sizeof text, from->of, method));
    if (is_option(option, "tolerance") && method->tolerance <= 0) return json_null();
    if (is_option(option, "max-evaluations")) return json_integer((json_int_t)gig_method_max_evaluations(method));
    return option_json(option, text);
}

/* Options that do not concern this method as it is set. */
static int is_idle(const gig_method *method, const gig_method_option *option)
{
    if (is_option(option, "max-evaluations")) return method->tolerance <= 0;
    if (is_option(option, "steps-per-segment")) return !method->steps_per_segment;
    return is_option(option, "steps") && method->steps_per_segment && gig_method_takes(method, "steps-per-segment");
}

/* The canonical name leaves defaults out; here they stand. */
static json_t *options_json(const results *from, const gig_method *method, const gig_explanation *found)
{
    static const char *const precisions[] = {"f32", "mixed", "split", "bf16"};
    static const char *const blockings[] = {"auto", "8", "16", "any"};
    char name[GIG_METHOD_NAME_BYTES];
    json_t *out = json_object();
    const gig_method_option *option;
    set_text(out, "method", gig_method_name(name, sizeof name, method));
    if (method->row->traits & GIG_METHOD_ANCHORS) set_count(out, "anchors", method->anchors);
    for (size_t i = 0; (option = gig_method_option_at(method, i)); i++)
        if (!is_idle(method, option)) json_object_set_new(out, option->name, done_json(from, method, found, option));
    const char *cam = gig_explainer_cam(from->of->explainer, NULL);
    if (method->row->traits & GIG_METHOD_LAYER && cam) set_text(out, "layer", cam);
    if (method->xrai)
        json_object_set_new(out, "segments",
                            from->given->how.segments ? json_name(from->given->how.segments) : json_null());
    set_count(out, "seed", (size_t)from->given->seed);
    set_count(out, "batch", from->batch);
    set_text(out, "precision", precisions[from->given->run.precision]);
    set_text(out, "blocking", blockings[from->blocking]);
    json_object_set_new(out, "portable", json_boolean(from->given->run.portable));
    return out;
}

static json_t *versions_json(void)
{
    char engine_name[64];
    gig_machine machine;
    gig_machine_read(&machine);
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "gig", gig_version(), "engine",
                     gig_network_engine(engine_name, sizeof engine_name), "onednn", machine.onednn, "c_library",
                     machine.c_library, "cpu", machine.cpu);
}

void results_json_map(json_t *row, const float *values, size_t count)
{
    char text[GIG_SHA256_BYTES];
    const gig_tensor map = {.rank = 1, .dims = {(int64_t)count}, .data = (void *)(uintptr_t)values};
    json_object_set_new(row, "map_sha256", gig_tensor_sha256(text, &map) == GIG_OK ? json_string(text) : json_null());
}

/* Several inputs: what is known of each. */
static json_t *inputs_json(const gig_explanation *found)
{
    json_t *out = json_array();
    for (size_t i = 0; i < found->input_count; i++) {
        gig_explanation part;
        if (gig_explanation_input(&part, found, i) != GIG_OK) continue;
        json_t *dims = json_array(), *row = json_pack("{s:o, s:o, s:o}", "name", json_name(found->inputs[i].name),
                                                      "shape", dims, "sum", json_number(part.sum));
        for (int k = 0; k < part.rank; k++) json_array_append_new(dims, json_integer((json_int_t)part.dims[k]));
        results_json_map(row, part.attributions, part.count);
        json_array_append_new(out, row);
    }
    return out;
}

/* Lines as an array of texts. */
static json_t *lines_json(const char *text)
{
    char line[LINE_BYTES];
    json_t *out = json_array();
    while (results_next_line(line, &text)) json_array_append_new(out, json_name(line));
    return out;
}

json_t *results_json(const results *from, const char *name, const gig_method *method, const gig_explanation *found)
{
    const char *label = found->class_name;
    json_t *row = json_pack(
        "{s:o, s:s, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:f, s:o, s:o, s:o, s:o, s:o, "
        "s:o, s:o, s:o, s:I, s:o, s:o}",
        "input", json_name(name), "method", found->method, "class",
        found->one_number ? json_null() : json_integer((json_int_t)found->target), "label",
        label ? json_name(label) : json_null(), "of", found->of, "value", json_number(found->value), "value_input",
        json_number(found->value_input), "value_baseline", json_number(found->value_baseline), "sum",
        json_number(found->sum), "delta", json_number(found->delta), "step_error", json_number(found->step_error),
        "evaluations", (json_int_t)found->evaluations, "values", (json_int_t)found->values, "seconds", found->seconds,
        "noise", json_number(found->noise), "distance", json_number(found->distance), "l1", json_number(found->l1),
        "l2", json_number(found->l2), "closed", json_number(found->closed), "unassigned",
        json_number(found->unassigned), "stability", json_number(found->stability), "stability_of_mean",
        json_number(found->stability_of_mean), "stopped", (json_int_t)found->stopped, "options",
        options_json(from, method, found), "versions", versions_json());
    if (row && found->branches) json_object_set_new(row, "branches", lines_json(found->branches));
    if (row && found->input_count) json_object_set_new(row, "inputs", inputs_json(found));
    return row;
}
