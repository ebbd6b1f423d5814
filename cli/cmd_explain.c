/* SPDX-License-Identifier: Apache-2.0 */
/* gig explain: one method on pictures, pixels or tensors; drawings, arrays and JSON out.
 *
 * All pictures are read once before anything is computed, so that a broken one costs nothing. Then a few at a time are
 * explained, so that all workers are busy and what is finished is drawn even when the rest is interrupted. A picture
 * gets the same bits alone and among others. */
#include "commands.h"
#include "cost.h"
#include "frame/errors.h"
#include "frame/progress.h"
#include "internal/saliency.h"
#include "internal/workers.h"
#include "method_files.h"
#include "method_flags.h"
#include "opened_model.h"
#include "points.h"
#include "results.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct task {
    const options *given;
    opened_model of;
    points in;
    gig_method method;
    method_files extra; /* baseline, segments */
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
    gig_input *inputs;
    gig_explanation *found;
} chunk;

static gig_status explain_some(task *self, chunk *c, size_t from, size_t count)
{
    gig_explain_options wanted = method_files_options(&self->extra, &self->of, &self->method);
    wanted.progress = on_progress;
    wanted.progress_payload = self;
    return gig_explainer_explain_inputs(c->found + from, self->of.explainer, count, c->inputs + from, NULL, &wanted);
}

static int add_result(task *self, chunk *c, size_t i)
{
    gig_explanation *found = &c->found[i];
    self->before += found->evaluations ? found->evaluations : found->values;
    int code = results_add(&self->out, c->first + i, found);
    gig_explanation_clear(found);
    return code;
}

/* If one of them failed: the ones before it are kept, and it is named, for any number of threads. */
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
    for (; ready < c->count && broken == EXIT_OK; ready += broken == EXIT_OK)
        broken = points_input(&c->inputs[ready], &self->in, c->first + ready, &self->of);
    c->count = ready; /* inputs before a broken one are still explained */
    if (!c->count) return broken;
    opened_model_warn(&self->of, &c->inputs[0]);
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
    size_t values = gig_method_values(&self->method, &self->in.shape);
    self->total = (values ? values : gig_method_evaluations(&self->method)) * self->in.count;
    progress_begin(&self->bar, values ? "values" : "gradients", self->total, self->given->quiet);
}

/* How many inputs are explained together; with --at each point has its own network. */
static size_t at_once(const task *self)
{
    size_t threads = self->given->run.threads ? (size_t)self->given->run.threads : gig_workers_default();
    return self->of.inside ? 1 : 2 * threads;
}

static int explain_all(task *self)
{
    size_t most = at_once(self);
    chunk c = {.inputs = calloc(most, sizeof *c.inputs), .found = calloc(most, sizeof *c.found)};
    int code = c.inputs && c.found ? EXIT_OK : no_memory();
    begin_progress(self);
    for (; code == EXIT_OK && c.first < self->in.count; c.first += most) {
        c.count = self->in.count - c.first < most ? self->in.count - c.first : most;
        code = explain_chunk(self, &c);
        if (code == EXIT_OK) code = report(signals_check());
    }
    progress_end(&self->bar);
    free(c.inputs);
    free(c.found);
    return code;
}

static int dry_run(task *self)
{
    gig_input input;
    cost all = {.gradients = gig_method_evaluations(&self->method) * self->in.count,
                .values = gig_method_values(&self->method, &self->in.shape) * self->in.count};
    int code = points_input(&input, &self->in, 0, &self->of);
    return code == EXIT_OK ? cost_dry_run(&all, &self->of, &input) : code;
}

static int explain_points(task *self)
{
    int pictures = points_are_pictures(self->given), cam = (self->method.row->traits & GIG_METHOD_LAYER) != 0;
    int code = results_begin(&self->out, "explain", self->given, &self->in);
    if (code == EXIT_OK) code = opened_model_open(&self->of, "explain", self->given, pictures, cam);
    if (code == EXIT_OK) code = points_fit(&self->in, "explain", &self->of);
    if (code == EXIT_OK) code = method_files_read(&self->extra, self->given, &self->of, &self->in);
    if (code == EXIT_OK) code = points_verify(&self->in, self->given);
    if (code == EXIT_OK && self->given->dry_run) return dry_run(self);
    if (code == EXIT_OK) code = results_open(&self->out, &self->of, &self->method);
    if (code == EXIT_OK) code = explain_all(self);
    return results_end(&self->out, code);
}

int run_explain(const options *given)
{
    task self = {.given = given};
    int code = points_list(&self.in, "explain", given);
    if (code == EXIT_OK) code = method_read(&self.method, given, given->how.method);
    if (code == EXIT_OK) code = explain_points(&self);
    results_clear(&self.out);
    method_files_clear(&self.extra);
    points_clear(&self.in);
    opened_model_close(&self.of);
    return code;
}
