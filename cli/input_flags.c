/* SPDX-License-Identifier: Apache-2.0 */
#include "input_flags.h"
#include "frame/errors.h"
#include "internal/description.h"
#include "internal/number.h"
#include "internal/tensor.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_ZEROS = 64 }; /* inputs bound by inputs_bind_zeros */

static int make(inputs *out, const options *given)
{
    size_t tensors = given->tensors.count + MOST_ZEROS, shapes = given->shapes.count + 2;
    out->tensors = calloc(tensors, sizeof *out->tensors);
    out->names = calloc(tensors, sizeof *out->names);
    out->bound = calloc(tensors, sizeof *out->bound);
    out->shapes = calloc(shapes, sizeof *out->shapes);
    out->shape_names = calloc(shapes, sizeof *out->shape_names);
    int made = out->tensors && out->names && out->bound && out->shapes && out->shape_names;
    return made ? EXIT_OK : no_memory();
}

static int ends_in(const char *text, const char *ending)
{
    size_t bytes = strlen(text), tail = strlen(ending);
    return bytes >= tail && strcmp(text + bytes - tail, ending) == 0;
}

gig_status array_read(gig_tensor *out, const char *path)
{
    return ends_in(path, ".npz") ? gig_npz_read(out, path, NULL) : gig_npy_read(out, path);
}

static int read_tensor(inputs *out, const char *text)
{
    size_t name_bytes;
    const char *path = options_split_name(text, &name_bytes);
    gig_tensor *tensor = &out->tensors[out->count];
    char **name = &out->names[out->count];
    if (name_bytes && !(*name = strndup(text, name_bytes))) return no_memory();
    out->count++;
    return report(array_read(tensor, path));
}

/* Integers as the floating-point numbers that the model takes. */
static int make_real(gig_tensor *tensor)
{
    gig_tensor real;
    size_t count = 1;
    int code = report(gig_tensor_create(&real, GIG_FLOAT32, tensor->rank, tensor->dims));
    if (code != EXIT_OK) return code;
    for (int i = 0; i < tensor->rank; i++) count *= (size_t)tensor->dims[i];
    for (size_t i = 0; i < count; i++) real.real[i] = (float)tensor->whole[i];
    gig_tensor_clear(tensor);
    *tensor = real;
    return EXIT_OK;
}

/* One array of integers without a name is the only input of the model, whatever its type. The file is read for its list
 * of inputs alone: an explainer is opened with these arrays. */
static int name_only_input(inputs *out, const char *command, const char *model_path)
{
    gig_model *model = NULL;
    gig_model_summary about = {0};
    gig_status status = gig_model_load(&model, model_path, NULL);
    if (status == GIG_OK) status = gig_model_summarize(&about, model);
    int code = report(status);
    if (code == EXIT_OK && about.input_count != 1) {
        complain("%s: the model has %zu inputs: name the one that the integers belong to: --tensor NAME=X.npy", command,
                 about.input_count);
        code = EXIT_USAGE;
    } else if (code == EXIT_OK && strstr(about.inputs[0].type, "float")) {
        code = make_real(&out->tensors[0]);
    } else if (code == EXIT_OK && !(out->names[0] = strdup(about.inputs[0].name))) {
        code = no_memory();
    }
    gig_model_summary_clear(&about);
    gig_model_free(model);
    return code;
}

/* Does the list, of names separated by commas, have this one? */
static int is_listed(const char *list, const char *name)
{
    for (size_t bytes = strlen(name); list; list = strchr(list, ',')) {
        list += *list == ',';
        if (strncmp(list, name, bytes) == 0 && (list[bytes] == ',' || !list[bytes])) return 1;
    }
    return 0;
}

/* --explain-inputs: the points are those of the first name. Explained inputs are floating-point ones, whatever their
 * files hold. */
static int choose_points(inputs *out, const char *command, const char *list, int pictures)
{
    size_t bytes = strcspn(list, ",");
    for (size_t i = 0; i < out->count; i++) {
        if (!out->names[i]) {
            complain("%s: with --explain-inputs, name the input of every --tensor: --tensor NAME=X.npy", command);
            return EXIT_USAGE;
        }
        if (is_listed(list, out->names[i]) && out->tensors[i].type != GIG_FLOAT32) {
            int code = make_real(&out->tensors[i]);
            if (code != EXIT_OK) return code;
        }
        if (!pictures && strlen(out->names[i]) == bytes && strncmp(out->names[i], list, bytes) == 0) out->points = i;
    }
    if (pictures || out->points < out->count) return EXIT_OK;
    complain("%s: --explain-inputs %s: --tensor %.*s=X.npy is missing", command, list, (int)bytes, list);
    return EXIT_USAGE;
}

/* The first floating-point tensor holds the points; the others are bound to their names. */
static int sort_tensors(inputs *out, const char *command, const char *list, int pictures)
{
    out->points = out->count;
    int code = list ? choose_points(out, command, list, pictures) : EXIT_OK;
    if (code != EXIT_OK) return code;
    for (size_t i = 0; i < out->count; i++) {
        if (i == out->points) continue;
        if (!pictures && out->tensors[i].type == GIG_FLOAT32 && out->points == out->count) {
            out->points = i;
            continue;
        }
        if (!out->names[i] && pictures) {
            complain("%s: together with pictures, name the input of every --tensor: --tensor NAME=X.npy", command);
            return EXIT_USAGE;
        }
        if (!out->names[i]) {
            complain("%s: only the first floating-point --tensor may have no name; name the inputs of the others: "
                     "--tensor NAME=X.npy",
                     command);
            return EXIT_USAGE;
        }
        out->bound[out->bound_count++] = (gig_input_value){out->names[i], &out->tensors[i]};
    }
    return EXIT_OK;
}

/* "NAME=1,3,224,224" */
static int read_shape(inputs *out, const char *command, const char *text)
{
    size_t name_bytes;
    const char *at = options_split_name(text, &name_bytes);
    gig_input_shape *shape = &out->shapes[out->shape_count];
    if (!name_bytes) {
        complain("%s: --shape \"%s\": expected NAME=D,D,...", command, text);
        return EXIT_USAGE;
    }
    shape->name = out->shape_names[out->shape_count] = strndup(text, name_bytes);
    if (!shape->name) return no_memory();
    out->shape_count++;
    for (;;) {
        char digits[32];
        size_t bytes = strcspn(at, ",");
        int fits = bytes < sizeof digits && shape->rank < GIG_MAX_RANK;
        memcpy(digits, at, fits ? bytes : 0);
        digits[fits ? bytes : 0] = 0;
        if (!fits || gig_parse_int(&shape->dims[shape->rank], digits, 0, (int64_t)1 << 30) != GIG_OK) {
            complain("%s: --shape \"%s\": expected NAME=D,D,... with at most %d integers", command, text, GIG_MAX_RANK);
            return EXIT_USAGE;
        }
        shape->rank++;
        if (!at[bytes]) return EXIT_OK;
        at += bytes + 1;
    }
}

int inputs_read(inputs *out, const char *command, const options *given, int pictures)
{
    *out = (inputs){0};
    int code = make(out, given);
    for (size_t i = 0; code == EXIT_OK && i < given->tensors.count; i++)
        code = read_tensor(out, given->tensors.items[i]);
    if (code == EXIT_OK && !pictures && out->count == 1 && !out->names[0] && out->tensors[0].type != GIG_FLOAT32)
        code = name_only_input(out, command, given->operands.items[0]);
    if (code == EXIT_OK) code = sort_tensors(out, command, given->explain_inputs, pictures);
    for (size_t i = 0; code == EXIT_OK && i < given->shapes.count; i++)
        code = read_shape(out, command, given->shapes.items[i]);
    return code;
}

static int is_bound(const inputs *in, const char *name)
{
    for (size_t i = 0; i < in->bound_count; i++)
        if (strcmp(in->bound[i].name, name) == 0) return 1;
    return 0;
}

const gig_summary_value *inputs_declared(const inputs *in, size_t i, const gig_model_summary *about)
{
    for (size_t k = 0; k < about->input_count; k++) {
        const char *name = about->inputs[k].name;
        if (in->names[i] ? strcmp(in->names[i], name) == 0 : !is_bound(in, name)) return &about->inputs[k];
    }
    return NULL;
}

int inputs_add_point_shape(inputs *out, const gig_model_summary *about)
{
    if (out->points == out->count) return EXIT_OK;
    const gig_tensor *points = &out->tensors[out->points];
    const gig_summary_value *input = inputs_declared(out, out->points, about);
    if (!input) return EXIT_OK;
    for (size_t s = 0; s < out->shape_count; s++)
        if (strcmp(out->shapes[s].name, input->name) == 0) return EXIT_OK;
    int rows = input->rank >= 0 && points->rank == input->rank + 1; /* [n,...] of a model without a batch */
    gig_input_shape *shape = &out->shapes[out->shape_count];
    shape->name = out->shape_names[out->shape_count] = strdup(input->name);
    if (!shape->name) return no_memory();
    out->shape_count++;
    shape->rank = points->rank - rows;
    memcpy(shape->dims, points->dims + rows, (size_t)shape->rank * sizeof *shape->dims);
    return EXIT_OK;
}

static int is_float(const gig_summary_value *input)
{
    return strstr(input->type, "float") != NULL;
}

/* Zeros of this input's shape; free dims count as 1. Integers in the file are integers here. */
static gig_status make_zeros(gig_tensor *out, const inputs *in, const gig_summary_value *input)
{
    int64_t dims[GIG_MAX_RANK] = {0};
    int rank = input->rank < 0 ? 0 : input->rank;
    for (int i = 0; i < rank; i++) dims[i] = input->dims[i] < 0 ? 1 : input->dims[i];
    for (size_t s = 0; s < in->shape_count; s++) {
        if (strcmp(in->shapes[s].name, input->name) != 0) continue;
        rank = in->shapes[s].rank;
        memcpy(dims, in->shapes[s].dims, sizeof dims);
    }
    return gig_tensor_create(out, is_float(input) ? GIG_FLOAT32 : GIG_INT64, rank, dims);
}

int inputs_bind_zeros(inputs *out, const gig_model_summary *about)
{
    int found = 0;
    for (size_t i = 0; i < about->input_count && out->bound_count < MOST_ZEROS - 1; i++) {
        const gig_summary_value *input = &about->inputs[i];
        if (!found && is_float(input)) {
            found = 1;
            continue;
        }
        int code = report(make_zeros(&out->tensors[out->count], out, input));
        if (code != EXIT_OK) return code;
        out->bound[out->bound_count++] = (gig_input_value){input->name, &out->tensors[out->count++]};
    }
    return EXIT_OK;
}

gig_network_options inputs_network_options(const options *given, const inputs *from)
{
    gig_network_options wanted = GIG_NETWORK_OPTIONS_INIT;
    wanted.batch = given->run.batch ? (size_t)given->run.batch : 1;
    wanted.precision = (gig_precision)given->run.precision;
    wanted.blocking = (gig_blocking)given->run.blocking;
    wanted.portable = given->run.portable;
    wanted.output = given->target.output;
    wanted.max_memory = given->run.memory;
    if (from->points < from->count) wanted.input = from->names[from->points];
    wanted.bound_count = from->bound_count;
    wanted.bound = from->bound;
    wanted.shape_count = from->shape_count;
    wanted.shapes = from->shapes;
    return wanted;
}

gig_status inputs_network(gig_network **out, const gig_model *model, const char *path,
                          const gig_network_options *wanted)
{
    gig_description *about = NULL;
    gig_network_options described = *wanted;
    gig_status status = gig_network_create(out, model, wanted);
    if (status != GIG_EARG || wanted->shape_count) return status;
    status = gig_description_load(&about, path);
    if (status == GIG_OK && gig_description_complete(about, model) == GIG_OK) {
        described.pixels = about->pixels;
        described.input = about->input;
        if (!described.output) described.output = about->output_name;
    }
    if (status == GIG_OK) status = gig_network_create(out, model, &described); /* again as wanted: for its message */
    gig_description_free(about);
    return status;
}

void inputs_clear(inputs *in)
{
    for (size_t i = 0; i < in->count; i++) gig_tensor_clear(&in->tensors[i]);
    for (size_t i = 0; in->names && i < in->count; i++) free(in->names[i]);
    for (size_t i = 0; in->shape_names && i < in->shape_count; i++) free(in->shape_names[i]);
    free(in->tensors);
    free(in->names);
    free(in->bound);
    free(in->shapes);
    free(in->shape_names);
    *in = (inputs){0};
}
