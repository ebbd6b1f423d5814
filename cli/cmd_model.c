/* gig model: what is in a file, whether it runs, what it costs. */
#include "command.h"
#include "gig/memory.h"
#include "gig/model.h"
#include "gig/summary.h"
#include "output.h"
#include "report.h"
#include <inttypes.h>
#include <stdio.h>

/* "float32 [?,3,224,224]" */
static const char *shape_text(char *text, size_t bytes, const gig_summary_value *value)
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
    printf("%-12s %zu (%.1f MB in memory)\n", "parameters", about->parameters, (double)about->weight_bytes / 1e6);
    if (about->reduced_precision)
        printf("%-12s parts of the file are not float32; all is computed in float32\n", "note");
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

int run_model(const options *given)
{
    gig_model *model = NULL;
    gig_model_summary about = {0};
    gig_memory_set_limit(given->memory);
    gig_status status = gig_model_load(&model, given->operands.items[0], NULL);
    if (status == GIG_OK) status = gig_model_summarize(&about, model);
    int code = report(status);
    if (code == EXIT_OK) {
        if (given->json)
            code = json_print(json_summary(&about));
        else
            print_text(&about);
    }
    gig_model_summary_clear(&about);
    gig_model_free(model);
    return code;
}
