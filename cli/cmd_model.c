/* SPDX-License-Identifier: Apache-2.0 */
/* gig model: what is in a file, whether it runs, what it costs. It loads the file itself, without an explainer: a model
 * that cannot run is described too. */
#include "commands.h"
#include "frame/errors.h"
#include "frame/printing.h"
#include "gig/memory.h"
#include "input_flags.h"
#include "internal/model.h"
#include "internal/network.h"
#include "internal/summary.h"
#include "model_lists.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_values(const char *title, size_t count, const gig_summary_value *values)
{
    char name[256], shape[256];
    for (size_t i = 0; i < count; i++)
        printf("%-12s %s  %s\n", title, output_name(name, sizeof name, values[i].name),
               shape_text(shape, sizeof shape, &values[i]));
}

static void print_operators(const gig_model_summary *about)
{
    for (size_t i = 0; i < about->operator_count; i++) {
        const gig_summary_operator *row = &about->operators[i];
        char domain[128], name[128];
        printf("%-12s %5zu  %s%s%s%s\n", i ? "" : "operators", row->count,
               output_name(domain, sizeof domain, row->domain), *row->domain ? "." : "",
               output_name(name, sizeof name, row->name), row->supported ? "" : "  not supported");
    }
}

static void print_text(const gig_model_summary *about)
{
    char producer[128];
    printf("%-12s ONNX %" PRId64 ", opset %d%s%s\n", "format", about->ir_version, about->opset,
           *about->producer ? ", by " : "", output_name(producer, sizeof producer, about->producer));
    print_values("input", about->input_count, about->inputs);
    print_values("output", about->output_count, about->outputs);
    print_operators(about);
    printf("%-12s %zu in %zu nodes\n", "kinds", about->operator_count, about->node_count);
    char weights[64];
    printf("%-12s %zu (%s in memory)\n", "parameters", about->parameters,
           output_scaled(weights, sizeof weights, (double)about->weight_bytes, "B"));
    if (about->reduced_precision)
        printf("%-12s parts of the file are not float32; everything is computed in float32\n", "note");
}

static json_t *json_values(size_t count, const gig_summary_value *values)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *shape = values[i].rank < 0 ? json_null() : json_array();
        for (int d = 0; d < values[i].rank; d++)
            json_array_append_new(shape, values[i].dims[d] < 0 ? json_null() : json_integer(values[i].dims[d]));
        json_array_append_new(list, json_pack("{s:o, s:s, s:o}", "name", json_name(values[i].name), "type",
                                              values[i].type, "shape", shape));
    }
    return list;
}

static json_t *json_operators(const gig_model_summary *about)
{
    json_t *list = json_array();
    for (size_t i = 0; i < about->operator_count; i++) {
        const gig_summary_operator *row = &about->operators[i];
        json_array_append_new(list, json_pack("{s:o, s:o, s:i, s:I, s:b}", "domain", json_name(row->domain), "name",
                                              json_name(row->name), "opset", row->opset, "count",
                                              (json_int_t)row->count, "supported", row->supported));
    }
    return list;
}

static json_t *json_summary(const gig_model_summary *about)
{
    return json_pack("{s:I, s:i, s:o, s:s, s:b, s:I, s:I, s:I, s:o, s:o, s:o}", "ir_version",
                     (json_int_t)about->ir_version, "opset", about->opset, "producer", json_name(about->producer),
                     "sha256", about->sha256, "reduced_precision", about->reduced_precision, "nodes",
                     (json_int_t)about->node_count, "parameters", (json_int_t)about->parameters, "weight_bytes",
                     (json_int_t)about->weight_bytes, "inputs", json_values(about->input_count, about->inputs),
                     "outputs", json_values(about->output_count, about->outputs), "operators", json_operators(about));
}

/* The plan of a network for the given shapes and batch; on failure the reason. */
typedef struct plan {
    gig_network *network;
    gig_status status;
    char *message; /* free it */
} plan;

static int make_plan(plan *out, const gig_model *model, const gig_model_summary *about, const options *given)
{
    inputs in;
    int code = inputs_read(&in, "model", given, 0);
    if (code == EXIT_OK) code = inputs_bind_zeros(&in, about);
    if (code == EXIT_OK) {
        gig_network_options wanted = inputs_network_options(given, &in);
        wanted.at = about->embedding; /* integer inputs only: planned from there */
        out->status = inputs_network(&out->network, model, given->operands.items[0], &wanted);
        out->message = strdup(gig_message());
        if (!out->message) code = no_memory();
    }
    inputs_clear(&in);
    return code;
}

static void print_plan(const plan *made)
{
    if (!made->network) {
        printf("%-12s none: %s\n", "plan", made->message);
        return;
    }
    const gig_network *network = made->network;
    printf("%-12s %zu features, %zu classes, batch %zu\n", "plan", gig_network_features(network),
           gig_network_classes(network), gig_network_batch(network));
    char text[64];
    printf("%-12s %s per point, forward\n", "cost",
           output_scaled(text, sizeof text, gig_network_flops(network), "FLOP"));
    printf("%-12s %s planned for one worker's batch\n", "memory",
           output_scaled(text, sizeof text, (double)gig_network_activation_bytes(network), "B"));
    for (size_t i = 0; gig_network_remark(network, i); i++)
        printf("%-12s %s\n", "note", gig_network_remark(network, i));
}

static json_t *json_plan(const plan *made)
{
    if (!made->network)
        return json_pack("{s:s, s:o}", "status", gig_status_name(made->status), "message", json_name(made->message));
    const gig_network *network = made->network;
    json_t *remarks = json_array();
    for (size_t i = 0; gig_network_remark(network, i); i++)
        json_array_append_new(remarks, json_name(gig_network_remark(network, i)));
    return json_pack("{s:s, s:I, s:I, s:I, s:f, s:I, s:o}", "status", gig_status_name(GIG_OK), "features",
                     (json_int_t)gig_network_features(network), "classes", (json_int_t)gig_network_classes(network),
                     "batch", (json_int_t)gig_network_batch(network), "flops", gig_network_flops(network),
                     "activation_bytes", (json_int_t)gig_network_activation_bytes(network), "remarks", remarks);
}

static int print_all(const gig_model_summary *about, const plan *made, const options *given)
{
    if (given->describe) return print_description(about, made->network);
    if (given->list_tensors && made->network) return print_tensors(made->network, given->json);
    if (given->list_tensors) return EXIT_OK; /* the error is why there is no plan */
    if (given->json) {
        json_t *root = json_summary(about);
        json_object_set_new(root, "plan", json_plan(made));
        return json_print(root);
    }
    print_text(about);
    print_plan(made);
    return EXIT_OK;
}

static void print_known(const gig_known_operator *known, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char last[32] = "";
        if (known[i].until) snprintf(last, sizeof last, " to %d", known[i].until);
        printf("%-26s %sopset %d%s%s\n", known[i].name, known[i].until ? "" : "since ", known[i].since, last,
               known[i].gradient ? "" : ", no gradient");
    }
}

static json_t *json_known(const gig_known_operator *known, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_pack("{s:s, s:i, s:o, s:b}", "name", known[i].name, "since", known[i].since,
                                              "until", known[i].until ? json_integer(known[i].until) : json_null(),
                                              "gradient", known[i].gradient));
    return json_pack("{s:o}", "operators", list);
}

static int run_operators(const options *given)
{
    gig_known_operator *known;
    size_t count;
    int code = report(gig_known_operators(&known, &count));
    if (code != EXIT_OK) return code;
    if (given->json)
        code = json_print(json_known(known, count));
    else
        print_known(known, count);
    gig_known_operators_free(known);
    return code;
}

/* Unsupported operators, of subgraphs too, are always an error, even if a shape is missing or something else is wrong,
 * or if this output does not use them: another output may. */
static int lacks_operator(const gig_model_summary *about, plan *made)
{
    for (size_t i = 0; i < about->operator_count; i++) {
        const gig_summary_operator *row = &about->operators[i];
        if (row->supported) continue;
        char text[200];
        snprintf(text, sizeof text, "operator %.60s%s%.60s is not supported%s", row->domain, *row->domain ? "." : "",
                 row->name, made->network ? ", though this output does not need it" : "");
        free(made->message);
        made->message = strdup(text);
        made->status = GIG_EUNSUPPORTED;
        return made->message != NULL;
    }
    return 0;
}

/* A model that cannot run is still described; then the reason is the error and sets the exit code. A free dimension in
 * the file is not an error, a given shape that does not fit is. */
int run_model(const options *given)
{
    gig_model *model = NULL;
    gig_model_summary about = {0};
    plan made = {0};
    if (given->operators) return run_operators(given);
    gig_memory_set_limit(given->run.memory);
    gig_status status = gig_model_load(&model, given->operands.items[0], NULL);
    if (status == GIG_OK) status = gig_model_summarize(&about, model);
    int code = report(status);
    if (code == EXIT_OK) code = make_plan(&made, model, &about, given);
    if (code == EXIT_OK) code = print_all(&about, &made, given);
    int asked = given->target.output || given->shapes.count || given->list_tensors;
    if (code == EXIT_OK && made.status != GIG_EUNSUPPORTED && lacks_operator(&about, &made)) asked = 1;
    if (code == EXIT_OK && (made.status != GIG_EARG || asked)) code = report_as(made.status, made.message);
    gig_network_free(made.network);
    free(made.message);
    gig_model_summary_clear(&about);
    gig_model_free(model);
    return code;
}
