/* SPDX-License-Identifier: Apache-2.0 */
/* gig explain: one method on pictures, pixels or tensors; drawings, arrays and JSON out.
 *
 * All pictures are read once before anything is computed, so that a broken one costs nothing. Then a few at a time are
 * explained, so that all workers are busy and what is finished is drawn even when the rest is interrupted. A picture
 * gets the same bits alone and among others. */
#include "commands.h"
#include "frame/errors.h"
#include "frame/progress.h"
#include "loaded_model.h"
#include "method.h"
#include "method_files.h"
#include "points.h"
#include "results.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct task {
    const options *given;
    loaded_model of;
    points in;
    gig_method method;
    method_files extra; /* baseline, segments */
    engine *runs_on;
    results out;
    progress bar;
    size_t total, before; /* gradients, or occlusion's values: of all inputs, of the chunks that are done */
} task;

static int on_progress(void *payload, const gig_progress *now)
{
    task *self = payload;
    size_t done = self->before + now->evaluations;
    progress_set(&self->bar, done, done > self->total ? done : self->total);
    return signals_seen() != 0;
}

/* A few inputs that are explained together. */
typedef struct chunk {
    size_t first, count;
    float *values;
    const float **chosen; /* points, in values */
    size_t *targets;
    gig_explanation *found;
} chunk;

static gig_status explain_some(task *self, chunk *c, size_t from, size_t count)
{
    gig_run_options wanted = method_files_options(&self->extra, &self->of, self->runs_on, self->given);
    wanted.progress = on_progress;
    wanted.progress_payload = self;
    return gig_method_run(c->found + from, count, c->chosen + from, c->targets + from, self->runs_on->workers,
                          self->runs_on->functions, &self->method, &wanted);
}

static int add_result(task *self, chunk *c, size_t i)
{
    gig_explanation *found = &c->found[i];
    double value = 0;
    self->before += found->evaluations ? found->evaluations : found->values;
    int code = loaded_model_value(&value, self->runs_on, &self->method, found, c->chosen[i], c->targets[i]);
    if (code == EXIT_OK) code = results_add(&self->out, c->first + i, c->chosen[i], c->targets[i], value, found);
    gig_explanation_clear(found);
    return code;
}

/* Where one of them failed: those before it are kept, and it is named, for any number of threads. */
static int explain_apart(task *self, chunk *c)
{
    int code = EXIT_OK;
    for (size_t i = 0; i < c->count && code == EXIT_OK; i++) {
        gig_status status = explain_some(self, c, i, 1);
        code = status == GIG_OK ? add_result(self, c, i) : report_of(self->in.names[c->first + i], status);
    }
    return code;
}

static int explain_chunk(task *self, chunk *c)
{
    int broken = EXIT_OK, code = EXIT_OK;
    size_t ready = 0;
    for (; ready < c->count && broken == EXIT_OK; ready += broken == EXIT_OK) {
        float *point = c->values + ready * self->in.features;
        const char *name = self->in.names[c->first + ready];
        broken = points_read(point, &self->in, c->first + ready, &self->of, self->given);
        if (broken == EXIT_OK)
            broken = report_of(name, loaded_model_target(&c->targets[ready], &self->of, self->given, point));
        c->chosen[ready] = point;
    }
    c->count = ready; /* what came before a broken one is explained all the same */
    if (!c->count) return broken;
    gig_status status = explain_some(self, c, 0, c->count);
    if (status == GIG_ECANCEL)
        code = report(status);
    else if (status != GIG_OK)
        code = explain_apart(self, c);
    for (size_t i = 0; status == GIG_OK && i < c->count; i++) {
        if (code == EXIT_OK)
            code = add_result(self, c, i);
        else
            gig_explanation_clear(&c->found[i]);
    }
    return code == EXIT_OK ? broken : code;
}

static void begin_progress(task *self)
{
    gig_picture_shape shape = loaded_model_shape(&self->of);
    size_t values = gig_method_values(&self->method, &shape);
    self->total = (values ? values : gig_method_evaluations(&self->method)) * self->in.count;
    progress_begin(&self->bar, values ? "values" : "gradients", self->total, self->given->quiet);
}

/* Inside the network each point has its own. */
static int enter_row(task *self, size_t row)
{
    int code = loaded_model_row(&self->of, self->given, row);
    return code == EXIT_OK ? loaded_model_engine(&self->runs_on, &self->of, self->given, &self->method) : code;
}

/* How many inputs are explained together. */
static size_t at_once(const task *self)
{
    const int one = self->of.inside || self->of.target.target.kind == GIG_TARGET_REGION; /* each has its own */
    return one ? 1 : 2 * self->runs_on->workers;
}

static int explain_all(task *self)
{
    size_t most = at_once(self);
    chunk c = {.values = malloc(most * self->in.features * sizeof *c.values),
               .chosen = calloc(most, sizeof *c.chosen),
               .targets = calloc(most, sizeof *c.targets),
               .found = calloc(most, sizeof *c.found)};
    int code = c.values && c.chosen && c.targets && c.found ? EXIT_OK : no_memory();
    begin_progress(self);
    for (; code == EXIT_OK && c.first < self->in.count; c.first += most) {
        c.count = self->in.count - c.first < most ? self->in.count - c.first : most;
        if (self->of.inside) code = enter_row(self, c.first);
        if (code == EXIT_OK) code = explain_chunk(self, &c);
        if (code == EXIT_OK) code = report(signals_check());
    }
    progress_end(&self->bar);
    free(c.values);
    free(c.chosen);
    free(c.targets);
    free(c.found);
    return code;
}

/* A gradient each at least: a worker costs a session's memory. Not known before the model is for arrays, and for
 * occlusion, which needs values alone. */
static size_t most_workers(const task *self)
{
    size_t gradients;
    if (!self->in.count || !gig_method_evaluations(&self->method) ||
        __builtin_mul_overflow(gig_method_evaluations(&self->method), self->in.count, &gradients))
        return 0;
    return gradients ? gradients : 1;
}

static int explain_points(task *self)
{
    int pictures = self->given->tensors.count == 0;
    int code = points_list(&self->in, "explain", self->given);
    if (code == EXIT_OK) code = method_read(&self->method, self->given, self->given->method);
    if (code == EXIT_OK) code = results_begin(&self->out, "explain", self->given, &self->in);
    if (code == EXIT_OK)
        code = loaded_model_open(&self->of, "explain", self->given, pictures,
                                 (self->method.row->traits & GIG_METHOD_LAYER) != 0, most_workers(self));
    if (code == EXIT_OK) code = points_fit(&self->in, "explain", &self->of);
    if (code == EXIT_OK) code = loaded_model_engine(&self->runs_on, &self->of, self->given, &self->method);
    if (code == EXIT_OK) code = method_files_read(&self->extra, self->given, &self->of);
    if (code == EXIT_OK) code = points_verify(&self->in, self->given);
    if (code == EXIT_OK) code = results_open(&self->out, &self->of, &self->method);
    if (code == EXIT_OK) code = explain_all(self);
    return results_end(&self->out, code);
}

int run_explain(const options *given)
{
    task self = {.given = given};
    int code = explain_points(&self);
    results_clear(&self.out);
    method_files_clear(&self.extra);
    points_clear(&self.in);
    loaded_model_close(&self.of);
    return code;
}
