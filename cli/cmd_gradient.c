/* SPDX-License-Identifier: Apache-2.0 */
/* gig gradient: value and gradient of one class at given points, rows distributed over workers.
 *
 * Rows are divided into batches by --batch only, and each batch is one job, so results do not depend on the workers. */
#include "commands.h"
#include "frame/errors.h"
#include "frame/output_files.h"
#include "frame/printing.h"
#include "frame/progress.h"
#include "internal/explainer.h"
#include "internal/workers.h"
#include "opened_model.h"
#include "points.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Shared by the jobs. */
typedef struct task {
    const options *given;
    options model; /* the same with one point per call, if --at needs it */
    opened_model of;
    points in;
    gig_question asked;   /* one function per worker; unused if each row has its own network, or there are no rows */
    size_t target, batch; /* batch: points per call */
    gig_scalar scalar;
    double *values;       /* [rows] */
    gig_tensor gradients; /* [rows, ...]; no data if not requested */
    progress bar;
} task;

/* With floating-point inputs, --at names a tensor that is kept besides the input; else it is the input. */
static int open_model(task *self)
{
    self->model = *self->given;
    if (self->given->at) self->model.run.batch = 1;
    inputs given = {0};
    int code = inputs_read(&given, "gradient", self->given, 0);
    int whole = given.count && given.points == given.count, kept = self->given->at && given.points < given.count;
    if (code == EXIT_OK && given.points == given.count && !(whole && self->given->at)) {
        complain(given.count ? "gradient: expected a floating-point array for --tensor%s"
                             : "gradient: --tensor [NAME=]X.npy is missing: a floating-point array%s",
                 whole && given.count ? "; if it takes integers, use --at with a float tensor" : "");
        code = EXIT_USAGE;
    }
    inputs_clear(&given);
    if (code == EXIT_OK) code = opened_model_open(&self->of, "gradient", &self->model, 0, kept);
    return code == EXIT_OK ? points_fit(&self->in, "gradient", &self->of) : code;
}

/* The class and the functions of all workers, or, inside the network, of the first row. */
static int ask(task *self)
{
    gig_input first;
    const gig_network *network;
    gig_scalar scalar = GIG_SOFTMAX;
    if (self->in.count == 0) {
        first = (gig_input){.tensor = self->in.arrays, .rows = 1};
    } else {
        int code = points_input(&first, &self->in, 0, &self->of);
        if (code != EXIT_OK) return code;
    }
    gig_status status = gig_explainer_network(&network, self->of.explainer, &first);
    if (status != GIG_OK) return report(status);
    self->batch = gig_network_batch(network);
    size_t jobs = (self->in.count + self->batch - 1) / self->batch;
    if (self->in.count) status = gig_explainer_ask(&self->asked, self->of.explainer, &first, jobs, &self->of.asked);
    if (self->in.count == 0)
        status = gig_explainer_find_class(&self->asked.target, self->of.explainer, self->given->target.of_class, &first,
                                          NULL);
    if (self->in.count == 0 && self->of.asked.of) status = gig_scalar_find(&scalar, self->of.asked.of);
    self->target = self->asked.target;
    self->scalar = self->in.count ? self->asked.scalar : scalar;
    return report(status);
}

/* Job `index`: rows index*batch and on. */
static gig_status input_job(void *payload, size_t worker, size_t index)
{
    enum { MOST = 4096 }; /* of --batch */
    task *self = payload;
    const gig_function *function = &self->asked.functions[worker];
    gig_status status = signals_check();
    if (status != GIG_OK) return status;
    const float *rows[MOST];
    float *gradients[MOST];
    size_t targets[MOST], first = index * self->batch, count = self->in.count - first;
    if (count > self->batch) count = self->batch;
    for (size_t i = 0; i < count; i++) {
        rows[i] = self->in.arrays->real + (first + i) * self->in.features;
        if (self->gradients.data) gradients[i] = self->gradients.real + (first + i) * self->in.features;
        targets[i] = self->target;
    }
    status = function->evaluate(function->payload, count, rows, targets, self->values + first,
                                self->gradients.data ? gradients : NULL);
    progress_add(&self->bar, count);
    return status;
}

/* The same with respect to a tensor inside the graph, one row at a time. `size` of row 0 sets the array's shape. */
static gig_status inside_job(void *payload, size_t worker, size_t index)
{
    task *self = payload;
    const gig_function *function = &self->asked.functions[worker];
    gig_status status = signals_check();
    if (status != GIG_OK) return status;
    const float *point = self->in.arrays->real + index * self->in.features;
    status = function->evaluate(function->payload, 1, &point, &self->target, self->values + index, NULL);
    gig_tensor value = {0}, gradient = {0};
    if (status == GIG_OK && self->gradients.data)
        status = gig_session_tensor(&value, &gradient, NULL, self->asked.sessions[worker],
                                    &(gig_kept_request){0, point, self->scalar, self->target});
    if (status == GIG_OK && self->gradients.data) {
        size_t size = gig_tensor_count(&gradient);
        memcpy(self->gradients.real + index * size, gradient.real, size * sizeof(float));
    }
    gig_tensor_clear(&value);
    gig_tensor_clear(&gradient);
    progress_add(&self->bar, 1);
    return status;
}

/* The shape of the gradients: that of the points, or [n, tensor...] with --at, known after running the first row. */
static int make_gradients(task *self)
{
    const points *in = &self->in;
    if (!self->given->out) return EXIT_OK;
    if (self->of.inside) {
        int64_t dims[GIG_MAX_RANK + 1] = {(int64_t)in->count};
        memcpy(dims + 1, in->dims, (size_t)in->rank * sizeof *dims);
        return report(gig_tensor_create(&self->gradients, GIG_FLOAT32, in->rank + 1, dims));
    }
    if (!self->given->at || in->count == 0)
        return report(gig_tensor_create(&self->gradients, GIG_FLOAT32, in->arrays->rank, in->arrays->dims));
    gig_tensor value = {0};
    gig_status status = gig_session_tensor(&value, NULL, NULL, self->asked.sessions[0],
                                           &(gig_kept_request){0, in->arrays->real, self->scalar, self->target});
    if (status == GIG_OK) {
        int64_t dims[GIG_MAX_RANK] = {(int64_t)in->count};
        int batched = value.rank > 0 && value.dims[0] == 1;
        int rank = value.rank - batched;
        for (int i = 0; i < rank && i + 1 < GIG_MAX_RANK; i++) dims[i + 1] = value.dims[i + batched];
        status = gig_tensor_create(&self->gradients, GIG_FLOAT32, rank + 1, dims);
    }
    gig_tensor_clear(&value);
    return report(status);
}

/* A network per row, if the model takes integers only. */
static int run_rows(task *self)
{
    int code = EXIT_OK;
    for (size_t i = 0; i < self->in.count && code == EXIT_OK; i++) {
        gig_input row;
        float *gradient = self->gradients.data ? self->gradients.real + i * self->in.features : NULL;
        code = points_input(&row, &self->in, i, &self->of);
        if (code == EXIT_OK)
            code = report(gig_explainer_evaluate(&self->values[i], gradient ? &gradient : NULL, self->of.explainer, 1,
                                                 &row, &self->of.asked));
        if (code == EXIT_OK) code = report(signals_check());
        progress_add(&self->bar, 1);
    }
    return code;
}

static int refuse_not_finite(const task *self)
{
    size_t count = self->gradients.data ? gig_tensor_count(&self->gradients) : 0;
    size_t each = self->in.count ? count / self->in.count : 0;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(self->gradients.real[i])) {
            complain("the gradient of row %zu, value %zu is %f", i / each, i % each, (double)self->gradients.real[i]);
            return EXIT_INPUT;
        }
    return EXIT_OK;
}

static int compute(task *self)
{
    size_t jobs = (self->in.count + self->batch - 1) / self->batch;
    self->values = calloc(self->in.count + 1, sizeof *self->values);
    if (!self->values) return no_memory();
    int code = make_gradients(self);
    if (code != EXIT_OK) return code;
    progress_begin(&self->bar, self->given->out ? "gradients" : "values", self->in.count, self->given->quiet);
    if (self->of.inside)
        code = run_rows(self);
    else
        code = report(gig_workers_run(self->asked.workers, jobs, self->given->at ? inside_job : input_job, self));
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
    for (size_t i = 0; i < self->in.count; i++) json_array_append_new(values, json_number(self->values[i]));
    for (int i = 0; i < self->gradients.rank; i++) json_array_append_new(shape, json_integer(self->gradients.dims[i]));
    char text[400];
    for (size_t i = 0; opened_model_remark(text, sizeof text, &self->of, i); i++)
        json_array_append_new(remarks, json_name(text));
    const char *label = gig_explainer_class_name(self->of.explainer, self->target);
    return json_print(json_pack("{s:o, s:s, s:I, s:o, s:s, s:o, s:I, s:o, s:o, s:o, s:o, s:s}", "model",
                                json_name(given->operands.items[0]), "sha256", self->of.about.sha256, "class",
                                (json_int_t)self->target, "label", label ? json_name(label) : json_null(), "of",
                                gig_scalar_name(self->scalar), "at", given->at ? json_name(given->at) : json_null(),
                                "batch", (json_int_t)self->batch, "values", values, "gradients",
                                given->out ? json_name(given->out) : json_null(), "shape", shape, "remarks", remarks,
                                "version", gig_version()));
}

/* One value per line; remarks come first, as comments. */
static int print_text(const task *self)
{
    FILE *to = output_text(self->given);
    opened_model_print_remarks(to, &self->of, "# ");
    for (size_t i = 0; i < self->in.count; i++) fprintf(to, "%.9g\n", self->values[i]);
    return EXIT_OK;
}

static int find_gradients(task *self)
{
    int code = open_model(self);
    if (code == EXIT_OK) code = ask(self);
    if (code == EXIT_OK) code = compute(self);
    if (code != EXIT_OK) return code;
    return self->given->json ? print_json(self) : print_text(self);
}

static void clear(task *self)
{
    free(self->values);
    gig_tensor_clear(&self->gradients);
    points_clear(&self->in);
    opened_model_close(&self->of);
}

int run_gradient(const options *given)
{
    if (!given->target.of_class) {
        complain("gradient: --class is missing");
        return EXIT_USAGE;
    }
    const output_file outputs[] = {{"--json", given->json ? "/dev/stdout" : NULL}, {"-o", given->out}};
    int code = file_refuse_twice("gradient", sizeof outputs / sizeof *outputs, outputs);
    if (code == EXIT_OK) code = file_refuse(given->out, given->force);
    if (code == EXIT_OK && given->out && gig_image_has_ending(given->out)) {
        complain("%s: expected a file name that ends in .npy", given->out);
        code = EXIT_USAGE;
    }
    if (code != EXIT_OK) return code;
    task self = {.given = given};
    code = find_gradients(&self);
    clear(&self);
    return code;
}
