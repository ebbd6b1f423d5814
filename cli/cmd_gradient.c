/* SPDX-License-Identifier: Apache-2.0 */
/* gig gradient: value and gradient of one class at given points, rows dealt to workers.
 *
 * Rows are cut into batches by --batch alone and each batch is one job, so the numbers do not depend on the workers. */
#include "commands.h"
#include "frame/errors.h"
#include "frame/output.h"
#include "frame/output_files.h"
#include "frame/progress.h"
#include "gig/description.h"
#include "gig/explainer.h"
#include "gig/image.h"
#include "gig/memory.h"
#include "gig/network.h"
#include "gig/workers.h"
#include "inner_points.h"
#include "inputs.h"
#include "loaded_model.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the jobs share. */
typedef struct task {
    const options *given;
    inputs in;
    gig_model *model;
    gig_model_summary about;
    gig_description *description;
    gig_network *network;
    int inside;        /* whole numbers in, --at: a network per row; `network` is the first row's */
    inner_point first; /* its inputs */
    gig_network_options wanted;
    size_t rows, batch, features; /* features: of one point */
    size_t target;
    gig_scalar scalar;
    size_t threads;
    gig_session **sessions; /* one per worker, made by its first job */
    double *values;         /* [rows] */
    gig_tensor gradients;   /* [rows, ...]; no data when none are wanted */
    progress bar;
} task;

static int open_model(task *self)
{
    const char *path = self->given->operands.items[0];
    gig_status status = gig_model_load(&self->model, path, NULL);
    if (status == GIG_OK) status = gig_model_summarize(&self->about, self->model);
    if (status == GIG_OK) status = gig_description_load(&self->description, path);
    return report(status);
}

static int make_network(task *self)
{
    const options *given = self->given;
    gig_network_options wanted = GIG_NETWORK_OPTIONS_INIT;
    wanted.batch = given->at || !given->batch ? 1 : (size_t)given->batch;
    wanted.precision = (gig_precision)given->precision;
    wanted.blocking = (gig_blocking)given->blocking;
    wanted.portable = given->portable;
    wanted.output = given->output ? given->output : self->description->output_name;
    wanted.output_kind = self->description->output;
    wanted.max_memory = given->memory;
    wanted.keep_count = given->at ? 1 : 0;
    wanted.keep = &given->at;
    int code = inputs_add_point_shape(&self->in, &self->about);
    if (code != EXIT_OK) return code;
    inputs_apply(&wanted, &self->in);
    if (self->inside) {
        wanted.keep_count = 0;
        inner_points_apply(&wanted, &self->first, &self->in, &self->about, 0, given->at);
    }
    self->wanted = wanted;
    code = report(gig_network_create(&self->network, self->model, &wanted));
    if (code != EXIT_OK) return code;
    self->batch = gig_network_batch(self->network);
    self->features = gig_network_features(self->network);
    self->scalar = scalar_choose(given, self->network);
    return report(
        gig_description_class(&self->target, self->description, given->of_class, gig_network_classes(self->network)));
}

/* The array is [n, point...], or one whole point of a model that has no batch dimension. */
static int count_rows(task *self)
{
    const gig_tensor *points = &self->in.tensors[self->in.points];
    int64_t dims[GIG_MAX_RANK];
    int rank = gig_network_point_dims(self->network, dims);
    size_t bytes = (size_t)rank * sizeof *dims;
    if (points->rank == rank + 1 && memcmp(points->dims + 1, dims, bytes) == 0) {
        self->rows = (size_t)points->dims[0];
        return EXIT_OK;
    }
    if (points->rank == rank && memcmp(points->dims, dims, bytes) == 0) {
        self->rows = 1;
        return EXIT_OK;
    }
    char got[256], wanted[256];
    complain("gradient: the points are %s, the model takes %s",
             output_dims(got, sizeof got, points->rank, points->dims, ""),
             output_dims(wanted, sizeof wanted, rank, dims, "n"));
    return EXIT_USAGE;
}

/* This worker's function; its session is made when first needed, on its own thread. */
static gig_status worker_function(gig_function *out, task *self, size_t worker)
{
    gig_status status = signals_check();
    if (status == GIG_OK && !self->sessions[worker])
        status = gig_session_create(&self->sessions[worker], self->network);
    if (status == GIG_OK) status = gig_session_function(out, self->sessions[worker], self->scalar);
    return status;
}

/* Job `index`: rows index*batch and on. */
static gig_status input_job(void *payload, size_t worker, size_t index)
{
    enum { MOST = 4096 }; /* of --batch */
    task *self = payload;
    gig_function function;
    gig_status status = worker_function(&function, self, worker);
    if (status != GIG_OK) return status;
    const float *points[MOST];
    float *gradients[MOST];
    size_t targets[MOST], first = index * self->batch, count = self->rows - first;
    if (count > self->batch) count = self->batch;
    for (size_t i = 0; i < count; i++) {
        points[i] = self->in.tensors[self->in.points].real + (first + i) * self->features;
        if (self->gradients.data) gradients[i] = self->gradients.real + (first + i) * self->features;
        targets[i] = self->target;
    }
    status = function.evaluate(function.payload, count, points, targets, self->values + first,
                               self->gradients.data ? gradients : NULL);
    progress_add(&self->bar, count);
    return status;
}

/* The same with respect to a tensor inside the graph, one row at a time. `size` of row 0 sets the array's shape. */
static gig_status inside_job(void *payload, size_t worker, size_t index)
{
    task *self = payload;
    gig_function function;
    gig_status status = worker_function(&function, self, worker);
    if (status != GIG_OK) return status;
    const float *point = self->in.tensors[self->in.points].real + index * self->features;
    status = function.evaluate(function.payload, 1, &point, &self->target, self->values + index, NULL);
    gig_tensor value = {0}, gradient = {0};
    if (status == GIG_OK && self->gradients.data)
        status =
            gig_session_tensor(&value, &gradient, NULL, self->sessions[worker], 0, point, self->scalar, self->target);
    if (status == GIG_OK && self->gradients.data) {
        size_t size = gig_tensor_count(&gradient);
        memcpy(self->gradients.real + index * size, gradient.real, size * sizeof(float));
    }
    gig_tensor_clear(&value);
    gig_tensor_clear(&gradient);
    progress_add(&self->bar, 1);
    return status;
}

/* The shape of the gradients: the points', or [n, tensor...] with --at, which one run at the first row tells. */
static int make_gradients(task *self)
{
    if (!self->given->out) return EXIT_OK;
    if (self->inside) {
        int64_t dims[GIG_MAX_RANK + 1] = {(int64_t)self->rows};
        return report(
            gig_tensor_create(&self->gradients, GIG_REAL, inner_points_dims(self->network, dims + 1) + 1, dims));
    }
    const gig_tensor *points = &self->in.tensors[self->in.points];
    if (!self->given->at || self->rows == 0)
        return report(gig_tensor_create(&self->gradients, GIG_REAL, points->rank, points->dims));
    gig_tensor value = {0};
    gig_function function;
    gig_status status = worker_function(&function, self, 0);
    if (status == GIG_OK)
        status = gig_session_tensor(&value, NULL, NULL, self->sessions[0], 0, points->real, self->scalar, self->target);
    if (status == GIG_OK) {
        int64_t dims[GIG_MAX_RANK] = {(int64_t)self->rows};
        int batched = value.rank > 0 && value.dims[0] == 1;
        int rank = value.rank - batched;
        for (int i = 0; i < rank && i + 1 < GIG_MAX_RANK; i++) dims[i + 1] = value.dims[i + batched];
        status = gig_tensor_create(&self->gradients, GIG_REAL, rank + 1, dims);
    }
    gig_tensor_clear(&value);
    return report(status);
}

/* A network per row, where whole numbers are all that the model takes. */
static int run_embedded(task *self)
{
    inner_gradients rows = {.model = self->model,
                            .about = &self->about,
                            .in = &self->in,
                            .wanted = self->wanted,
                            .scalar = self->scalar,
                            .rows = self->rows,
                            .target = self->target,
                            .values = self->values,
                            .gradients = self->gradients.real,
                            .features = self->features,
                            .bar = &self->bar};
    return inner_gradients_run(&rows, self->threads);
}

static int refuse_not_finite(const task *self)
{
    size_t count = self->gradients.data ? gig_tensor_count(&self->gradients) : 0;
    size_t each = self->rows ? count / self->rows : 0;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(self->gradients.real[i])) {
            complain("the gradient of row %zu, value %zu is %f", i / each, i % each, (double)self->gradients.real[i]);
            return EXIT_INPUT;
        }
    return EXIT_OK;
}

static int compute(task *self)
{
    self->threads = self->given->threads ? (size_t)self->given->threads : gig_workers_default();
    size_t jobs = (self->rows + self->batch - 1) / self->batch;
    self->sessions = calloc(self->threads, sizeof *self->sessions);
    self->values = calloc(self->rows + 1, sizeof *self->values);
    if (!self->sessions || !self->values) {
        complain("out of memory");
        return EXIT_LIMIT;
    }
    int code = make_gradients(self);
    if (code != EXIT_OK) return code;
    progress_begin(&self->bar, self->given->out ? "gradients" : "values", self->rows, self->given->quiet);
    if (self->inside)
        code = run_embedded(self);
    else
        code = report(gig_workers_run(self->threads, jobs, self->given->at ? inside_job : input_job, self));
    progress_end(&self->bar);
    if (code != EXIT_OK) return code;
    code = refuse_not_finite(self);
    if (code != EXIT_OK) return code;
    gig_status status = signals_check();
    if (status == GIG_OK && self->given->out)
        status = gig_npy_write(self->given->out, &self->gradients, self->given->force);
    return report(status);
}

static int print_json(const task *self)
{
    const options *given = self->given;
    json_t *values = json_array(), *remarks = json_array(), *shape = json_array();
    for (size_t i = 0; i < self->rows; i++) json_array_append_new(values, json_number(self->values[i]));
    for (int i = 0; i < self->gradients.rank; i++) json_array_append_new(shape, json_integer(self->gradients.dims[i]));
    for (size_t i = 0; gig_network_remark(self->network, i); i++)
        json_array_append_new(remarks, json_name(gig_network_remark(self->network, i)));
    const char *label = gig_description_label(self->description, self->target);
    return json_print(json_pack("{s:o, s:s, s:I, s:o, s:s, s:o, s:I, s:o, s:o, s:o, s:o, s:s}", "model",
                                json_name(given->operands.items[0]), "sha256", self->about.sha256, "class",
                                (json_int_t)self->target, "label", label ? json_name(label) : json_null(), "of",
                                gig_scalar_name(self->scalar), "at", given->at ? json_name(given->at) : json_null(),
                                "batch", (json_int_t)self->batch, "values", values, "gradients",
                                given->out ? json_name(given->out) : json_null(), "shape", shape, "remarks", remarks,
                                "version", gig_version()));
}

/* One value per line; what deserves saying stands in front, as comments. */
static int print_text(const task *self)
{
    FILE *to = output_text(self->given);
    for (size_t i = 0; gig_network_remark(self->network, i); i++)
        fprintf(to, "# %s\n", gig_network_remark(self->network, i));
    for (size_t i = 0; i < self->rows; i++) fprintf(to, "%.9g\n", self->values[i]);
    return EXIT_OK;
}

static int find_gradients(task *self)
{
    int code = inputs_read(&self->in, "gradient", self->given);
    if (code != EXIT_OK) return code;
    self->inside = self->given->at && self->in.count && self->in.points == self->in.count;
    if (!self->inside && self->in.points == self->in.count) {
        complain("gradient: --tensor with floating-point points is missing%s",
                 self->in.count ? "; with whole numbers, --at names a tensor that has them" : "");
        return EXIT_USAGE;
    }
    code = open_model(self);
    if (code == EXIT_OK && self->inside)
        code = inner_points_count(&self->rows, "gradient", &self->in, &self->about, self->given->at);
    if (code == EXIT_OK) code = make_network(self);
    if (code == EXIT_OK && !self->inside) code = count_rows(self);
    if (code == EXIT_OK) code = compute(self);
    if (code != EXIT_OK) return code;
    return self->given->json ? print_json(self) : print_text(self);
}

static void clear(task *self)
{
    for (size_t i = 0; self->sessions && i < self->threads; i++) gig_session_free(self->sessions[i]);
    free(self->sessions);
    free(self->values);
    gig_tensor_clear(&self->gradients);
    gig_network_free(self->network);
    gig_description_free(self->description);
    gig_model_summary_clear(&self->about);
    gig_model_free(self->model);
    inputs_clear(&self->in);
}

int run_gradient(const options *given)
{
    if (!given->of_class) {
        complain("gradient: --class is missing");
        return EXIT_USAGE;
    }
    const output_file outputs[] = {{"--json", given->json ? "/dev/stdout" : NULL}, {"-o", given->out}};
    int code = file_refuse_twice("gradient", sizeof outputs / sizeof *outputs, outputs);
    if (code == EXIT_OK) code = file_refuse(given->out, given->force);
    if (code == EXIT_OK && given->out && gig_image_has_ending(given->out)) {
        complain("%s: gradients are an array: name it .npy", given->out);
        code = EXIT_USAGE;
    }
    if (code != EXIT_OK) return code;
    gig_memory_set_limit(given->memory);
    task self = {.given = given};
    code = find_gradients(&self);
    clear(&self);
    return code;
}
