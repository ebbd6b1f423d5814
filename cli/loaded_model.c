/* SPDX-License-Identifier: Apache-2.0 */
#include "loaded_model.h"
#include "frame/errors.h"
#include "frame/output.h"
#include "gig/explainer.h"
#include "gig/memory.h"
#include "gig/workers.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const gig_scalar scalars[] = {GIG_SOFTMAX, GIG_LOGIT, GIG_LOG_PROBABILITY, GIG_SIGMOID, GIG_VALUE};

/* ---- engines ---- */

static void engine_stop(engine *made)
{
    for (size_t i = 0; made->sessions && i < made->workers; i++) gig_session_free(made->sessions[i]);
    free(made->sessions);
    free(made->functions);
    made->sessions = NULL;
    made->functions = NULL;
}

static void engine_close(engine *made)
{
    engine_stop(made);
    gig_network_free(made->network);
    *made = (engine){0};
}

static gig_status start_workers(engine *out, size_t workers, gig_scalar scalar)
{
    gig_status status = GIG_OK;
    for (size_t i = 0; i < workers && status == GIG_OK; i++) {
        status = gig_session_create(&out->sessions[i], out->network);
        if (status == GIG_OK) status = gig_session_function(&out->functions[i], out->sessions[i], scalar);
    }
    return status;
}

static int engine_open(engine *out, loaded_model *of, const gig_network_options *wanted, const options *given)
{
    out->workers = given->threads ? (size_t)given->threads : gig_workers_default();
    if (of->most_workers && out->workers > of->most_workers) out->workers = of->most_workers;
    out->sessions = calloc(out->workers, sizeof *out->sessions);
    out->functions = calloc(out->workers, sizeof *out->functions);
    if (!out->sessions || !out->functions) return no_memory();
    gig_status status = gig_network_create(&out->network, of->model, wanted);
    if (status == GIG_OK) of->scalar = scalar_choose(given, out->network);
    if (status == GIG_OK) status = start_workers(out, out->workers, of->scalar);
    return report(status);
}

/* ---- the model ---- */

static gig_network_options network_options(loaded_model *self, const options *given)
{
    gig_network_options wanted = GIG_NETWORK_OPTIONS_INIT;
    wanted.batch = given->batch ? (size_t)given->batch : 1;
    wanted.precision = (gig_precision)given->precision;
    wanted.blocking = (gig_blocking)given->blocking;
    wanted.portable = given->portable;
    wanted.operator_threads = (int)given->operator_threads;
    wanted.output = given->output ? given->output : self->description->output_name;
    wanted.output_kind = self->description->output;
    wanted.max_memory = given->memory;
    wanted.target = self->target.target;
    inputs_apply(&wanted, &self->in);
    if (self->pictures) {
        wanted.pixels = self->description->pixels;
        wanted.input = self->description->input;
    }
    if (self->inside) inner_points_apply(&wanted, &self->fixed, &self->in, &self->about, self->row, given->at);
    return wanted;
}

/* The layer that --at or the description names; else the network finds one and keeps it. */
static int name_cam(loaded_model *self, const options *given)
{
    const char *named = given->at ? given->at : self->description->cam;
    self->cam_assumed = !named;
    if (!named) return EXIT_OK;
    self->cam = strdup(named);
    return self->cam ? EXIT_OK : no_memory();
}

/* Where it was not named: what the network has kept. */
static int find_cam(loaded_model *self)
{
    if (self->cam || !self->cam_assumed) return EXIT_OK;
    const char *found = gig_network_last_map(self->plain.network);
    if (!found) {
        complain("the model has no tensor with rows and columns: name one with --at");
        return EXIT_USAGE;
    }
    self->cam = strdup(found);
    return self->cam ? EXIT_OK : no_memory();
}

/* An index without a class, or weights: no probability of anything. */
static int is_one_number(const gig_network *network)
{
    return gig_network_target(network) != GIG_TARGET_CLASS && gig_network_target(network) != GIG_TARGET_REGION &&
           gig_network_classes(network) == 1;
}

gig_scalar scalar_choose(const options *given, const gig_network *network)
{
    if (options_given(given, "of")) return scalars[given->of];
    if (is_one_number(network)) return GIG_VALUE;
    return gig_network_output_kind(network) == GIG_OUTPUT_SIGMOID ? GIG_SIGMOID : GIG_SOFTMAX;
}

/* --shape says what the model leaves open, for pictures too: [n,C,H,W] or [n,H,W,C]. */
static void use_shape(loaded_model *self)
{
    gig_pixels *pixels = &self->description->pixels;
    for (size_t i = 0; i < self->in.shape_count; i++) {
        const gig_input_shape *shape = &self->in.shapes[i];
        const char *name = self->description->input;
        if (shape->rank != 4 || pixels->width || pixels->height || (name && strcmp(name, shape->name))) continue;
        int planar = shape->dims[1] == 1 || shape->dims[1] == 3;
        pixels->height = shape->dims[planar ? 2 : 1];
        pixels->width = shape->dims[planar ? 3 : 2];
    }
}

static int load(loaded_model *self, const options *given)
{
    const char *path = given->operands.items[0];
    gig_status status = gig_model_load(&self->model, path, NULL);
    if (status == GIG_OK) status = gig_model_summarize(&self->about, self->model);
    if (status == GIG_OK) status = gig_description_load(&self->description, path);
    if (status == GIG_OK && given->preset) status = gig_description_preset(self->description, given->preset);
    if (status == GIG_OK) use_shape(self);
    if (status == GIG_OK && self->pictures) status = gig_description_complete(self->description, self->model);
    return report(status);
}

/* Without Grad-CAM, --at moves the points into the network. */
static int look_inside(loaded_model *self, const char *command, const char *at)
{
    if (self->pictures) {
        complain("%s: --at names the layer of grad-cam; for other methods it needs --tensor", command);
        return EXIT_USAGE;
    }
    self->inside = 1;
    return inner_points_count(&self->rows, command, &self->in, &self->about, at);
}

static int read_target(loaded_model *self, const options *given)
{
    const char *text = given->region ? given->region : given->index ? given->index : given->weights;
    const char *flag = given->region ? "--region" : given->index ? "--index" : "--weights";
    gig_status status = gig_target_read(&self->target, given->region, given->index, given->weights);
    if (status != GIG_OK || !text) return report(status);
    size_t bytes = strlen(text) + strlen(flag) + 2;
    self->target_text = malloc(bytes);
    if (!self->target_text) return no_memory();
    snprintf(self->target_text, bytes, "%s %s", flag, text);
    return EXIT_OK;
}

int loaded_model_open(loaded_model *out, const char *command, const options *given, int pictures, int cam,
                      size_t most_workers)
{
    *out = (loaded_model){.pictures = pictures, .scalar = scalars[given->of], .most_workers = most_workers};
    gig_memory_set_limit(given->memory);
    int code = inputs_read(&out->in, command, given);
    if (code == EXIT_OK) code = read_target(out, given);
    if (code == EXIT_OK) code = load(out, given);
    if (code == EXIT_OK && !pictures) code = inputs_add_point_shape(&out->in, &out->about);
    if (code == EXIT_OK && cam) code = name_cam(out, given);
    if (code == EXIT_OK && given->at && !cam) code = look_inside(out, command, given->at);
    if (code != EXIT_OK) return code;
    gig_network_options wanted = network_options(out, given);
    const char *keep[1] = {out->cam};
    wanted.keep = keep;
    wanted.keep_count = out->cam ? 1 : 0;
    wanted.keep_last_map = out->cam_assumed;
    code = engine_open(&out->plain, out, &wanted, given);
    return code == EXIT_OK ? find_cam(out) : code;
}

int loaded_model_engine(engine **out, loaded_model *self, const options *given, const gig_method *method)
{
    *out = &self->plain;
    if (!(method->row->traits & GIG_METHOD_GUIDED_RELU)) return EXIT_OK;
    *out = &self->guided;
    if (self->guided.network) return EXIT_OK;
    gig_network_options wanted = network_options(self, given);
    wanted.guided_relu = 1;
    return engine_open(&self->guided, self, &wanted, given);
}

int loaded_model_row(loaded_model *self, const options *given, size_t row)
{
    if (row == self->row) return EXIT_OK;
    engine next = {0};
    engine_stop(&self->plain); /* its network is kept for what is said at the end, should the next one fail */
    engine_close(&self->guided);
    self->row = row;
    gig_network_options wanted = network_options(self, given);
    int code = engine_open(&next, self, &wanted, given);
    if (code == EXIT_OK && gig_network_features(next.network) != gig_network_features(self->plain.network))
        code = inner_points_uneven(given->at);
    if (code != EXIT_OK) {
        engine_close(&next);
        return code;
    }
    engine_close(&self->plain);
    self->plain = next;
    return EXIT_OK;
}

int loaded_model_dims(const loaded_model *self, int64_t dims[GIG_MAX_RANK])
{
    return self->inside ? inner_points_dims(self->plain.network, dims)
                        : gig_network_point_dims(self->plain.network, dims);
}

gig_picture_shape loaded_model_shape(const loaded_model *self)
{
    int64_t dims[GIG_MAX_RANK];
    int rank = loaded_model_dims(self, dims);
    if (self->pictures && rank == 3) return (gig_picture_shape){(size_t)dims[0], (size_t)dims[1], (size_t)dims[2], 0};
    if (rank == 3) return (gig_picture_shape){(size_t)dims[1], (size_t)dims[2], (size_t)dims[0], 1};
    if (rank == 2) return (gig_picture_shape){(size_t)dims[0], (size_t)dims[1], 1, 0};
    return (gig_picture_shape){0};
}

/* The region of this point in every session that there is. */
static gig_status place_target(loaded_model *self, const engine *of, const float *point, size_t target)
{
    gig_picture_shape shape = loaded_model_shape(self);
    const size_t size[2] = {shape.height, shape.width};
    gig_status status = GIG_OK;
    for (size_t i = 0; of->sessions && i < of->workers; i++)
        status = status ? status : gig_target_place(NULL, &self->target, of->sessions[i], point, target, size);
    return status;
}

/* Once, where nothing says how pixels are prepared: RGB from 0 to 1 is assumed, and may give a plausible wrong class.
 */
static void warn_of_preset(loaded_model *self, const options *given, const float *point)
{
    const gig_pixels *pixels = &self->description->pixels;
    const char *preset = NULL;
    double probability = 0;
    if (!self->pictures || self->warned || given->preset || access(self->description->path, F_OK) == 0) return;
    self->warned = 1;
    if (self->target.target.kind != GIG_TARGET_CLASS || pixels->scale != 1 || pixels->grey || pixels->bgr) return;
    if (gig_suggest_preset(&preset, &probability, self->plain.sessions[0], point, (size_t)pixels->height,
                           (size_t)pixels->width) == GIG_OK &&
        preset)
        complain("warning: nothing says how pixels are prepared; 0 to 1 is assumed, but with --preset %s the model is "
                 "surer of what it sees (%.2f)",
                 preset, probability);
}

gig_status loaded_model_target(size_t *out, loaded_model *self, const options *given, const float *point)
{
    const int region = self->target.target.kind == GIG_TARGET_REGION;
    gig_status status = GIG_OK;
    if (given->of_class)
        status =
            gig_description_class(out, self->description, given->of_class, gig_network_classes(self->plain.network));
    if (status == GIG_OK) warn_of_preset(self, given, point);
    if (region && status == GIG_OK) status = gig_session_set_region(self->plain.sessions[0], NULL);
    if (!given->of_class && status == GIG_OK) status = gig_session_top(self->plain.sessions[0], point, 1, out, NULL);
    if (region && status == GIG_OK) status = place_target(self, &self->plain, point, *out);
    if (region && status == GIG_OK) status = place_target(self, &self->guided, point, *out);
    return status;
}

int loaded_model_value(double *out, const engine *runs_on, const gig_method *method, const gig_explanation *found,
                       const float *point, size_t target)
{
    *out = found->value_input;
    if (!method->smooth || method->row->traits & GIG_METHOD_NO_MODEL) return EXIT_OK;
    const gig_function *function = &runs_on->functions[0];
    return report(function->evaluate(function->payload, 1, &point, &target, out, NULL));
}

const char *loaded_model_remark(char *text, size_t bytes, const loaded_model *self, size_t i)
{
    size_t described = self->pictures ? self->description->remark_count : 0, networks = 0;
    size_t labels = self->description->label_count, classes = gig_network_classes(self->plain.network);
    while (gig_network_remark(self->plain.network, networks)) networks++;
    if (i < described) return output_name(text, bytes, gig_description_remark(self->description, i));
    i -= described;
    if (i < networks) return output_name(text, bytes, gig_network_remark(self->plain.network, i));
    i -= networks;
    char cam[256];
    if (self->target_text && i-- == 0) {
        snprintf(text, bytes, "the target is %s of the output, not a class of all of it",
                 output_name(cam, sizeof cam, self->target_text));
        return text;
    }
    if (self->cam_assumed && i-- == 0) {
        snprintf(text, bytes, "grad-cam looks at \"%s\", the last tensor with rows and columns",
                 output_name(cam, sizeof cam, self->cam));
        return text;
    }
    if (labels && labels != classes && i == 0) {
        snprintf(text, bytes, "%zu labels for %zu classes: are they another model's?", labels, classes);
        return text;
    }
    return NULL;
}

void loaded_model_print_remarks(FILE *to, const loaded_model *self, const char *prefix)
{
    char text[400];
    for (size_t i = 0; loaded_model_remark(text, sizeof text, self, i); i++) fprintf(to, "%s%s\n", prefix, text);
}

void loaded_model_close(loaded_model *self)
{
    engine_close(&self->plain);
    engine_close(&self->guided);
    gig_description_free(self->description);
    gig_model_summary_clear(&self->about);
    gig_model_free(self->model);
    inputs_clear(&self->in);
    free(self->cam);
    free(self->target_text);
    gig_target_clear(&self->target);
    *self = (loaded_model){0};
}
