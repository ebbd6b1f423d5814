/* gig explain: one method on pictures, pixels or tensors; drawings, arrays and JSON out.
 *
 * All pictures are read once before anything is computed, so that a broken one costs nothing. Then a few at a time are
 * explained, so that all workers are busy and what is finished is drawn even when the rest is interrupted. A picture
 * gets the same bits alone and among others. */
#include "command.h"
#include "extras.h"
#include "method.h"
#include "points.h"
#include "progress.h"
#include "report.h"
#include "results.h"
#include "subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct task {
    const options *given;
    subject of;
    points in;
    gig_method method;
    extras extra; /* baseline, segments */
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

/* Points first .. first+count-1 together. */
static int explain_chunk(task *self, size_t first, size_t count, float *values, gig_explanation *found, size_t *targets,
                         const float **chosen)
{
    for (size_t i = 0; i < count; i++) {
        float *point = values + i * self->in.features;
        int code = points_read(point, &self->in, first + i, &self->of, self->given);
        if (code == EXIT_OK) code = subject_target(&targets[i], &self->of, self->given, point);
        if (code != EXIT_OK) return code;
        chosen[i] = point;
    }
    gig_explain_options wanted = extras_options(&self->extra, &self->of, self->runs_on, self->given);
    wanted.progress = on_progress;
    wanted.progress_payload = self;
    memset(found, 0, count * sizeof *found);
    gig_status status = gig_explain(found, count, chosen, targets, self->runs_on->workers, self->runs_on->functions,
                                    &self->method, &wanted);
    if (status != GIG_OK) return report(status);
    int code = EXIT_OK;
    for (size_t i = 0; i < count; i++) {
        self->before += found[i].evaluations ? found[i].evaluations : found[i].values;
        double value = 0;
        if (code == EXIT_OK)
            code = subject_value(&value, self->runs_on, &self->method, &found[i], chosen[i], targets[i]);
        if (code == EXIT_OK) code = results_add(&self->out, first + i, chosen[i], targets[i], value, &found[i]);
        gig_explanation_clear(&found[i]);
    }
    return code;
}

static void begin_progress(task *self)
{
    gig_picture_shape shape = subject_shape(&self->of);
    size_t values = gig_method_values(&self->method, &shape);
    self->total = (values ? values : gig_method_evaluations(&self->method)) * self->in.count;
    progress_begin(&self->bar, values ? "values" : "gradients", self->total, self->given->quiet);
}

/* Inside the network each point has its own. */
static int enter_row(task *self, size_t row)
{
    int code = subject_row(&self->of, self->given, row);
    return code == EXIT_OK ? subject_engine(&self->runs_on, &self->of, self->given, &self->method) : code;
}

/* How many inputs are explained together. */
static size_t at_once(const task *self)
{
    return self->of.inside ? 1 : 2 * self->runs_on->workers;
}

static int explain_all(task *self)
{
    size_t chunk = at_once(self);
    float *values = malloc(chunk * self->in.features * sizeof *values);
    gig_explanation *found = calloc(chunk, sizeof *found);
    size_t *targets = calloc(chunk, sizeof *targets);
    const float **chosen = calloc(chunk, sizeof *chosen);
    int code = values && found && targets && chosen ? EXIT_OK : no_memory();
    begin_progress(self);
    for (size_t at = 0; code == EXIT_OK && at < self->in.count; at += chunk) {
        size_t count = self->in.count - at < chunk ? self->in.count - at : chunk;
        if (self->of.inside) code = enter_row(self, at);
        if (code == EXIT_OK) code = explain_chunk(self, at, count, values, found, targets, chosen);
        if (code == EXIT_OK) code = report(signals_check());
    }
    progress_end(&self->bar);
    free(values);
    free(found);
    free(targets);
    free(chosen);
    return code;
}

/* A gradient each at least: a worker costs a session's memory. Not known before the model is for arrays, and for
 * occlusion, which needs values alone. */
static size_t most_workers(const task *self)
{
    size_t gradients;
    if (!self->in.count || self->method.base == GIG_BASE_OCCLUSION ||
        __builtin_mul_overflow(gig_method_evaluations(&self->method), self->in.count, &gradients))
        return 0;
    return gradients ? gradients : 1;
}

static int run(task *self)
{
    int pictures = self->given->tensors.count == 0;
    int code = points_list(&self->in, "explain", self->given);
    if (code == EXIT_OK) code = method_read(&self->method, self->given, self->given->method);
    if (code == EXIT_OK) code = results_begin(&self->out, "explain", self->given, &self->in);
    if (code == EXIT_OK)
        code = subject_open(&self->of, "explain", self->given, pictures, self->method.base == GIG_BASE_GRAD_CAM,
                            most_workers(self));
    if (code == EXIT_OK) code = points_fit(&self->in, "explain", &self->of);
    if (code == EXIT_OK) code = subject_engine(&self->runs_on, &self->of, self->given, &self->method);
    if (code == EXIT_OK) code = extras_read(&self->extra, self->given, &self->of);
    if (code == EXIT_OK) code = points_verify(&self->in, self->given, at_once(self));
    if (code == EXIT_OK) code = results_open(&self->out, &self->of, &self->method);
    if (code == EXIT_OK) code = explain_all(self);
    return results_end(&self->out, code);
}

int run_explain(const options *given)
{
    task self = {.given = given};
    int code = run(&self);
    results_clear(&self.out);
    extras_clear(&self.extra);
    points_clear(&self.in);
    subject_close(&self.of);
    return code;
}
