/* SPDX-License-Identifier: Apache-2.0 */
/* Methods that are walks: all chains of all inputs in one run of the driver. Chain (i samples + s) baselines + b is
 * baseline b of sample s of input i; with repeat, chain (i baselines + b) draws + d is draw d from baseline b. The
 * driver hands chains over in that order, so one input is summed at a time, group by group: the baselines of a sample,
 * or the draws from a baseline. */
#include "saliency/method_run.h"
#include <math.h>
#include <string.h>

/* Data with the lifetime of one chain. */
typedef struct chain_parts {
    size_t input, sample, baseline;
    int differs;              /* this draw can give another map than the input itself */
    const float *start, *end; /* the driver's */
    gig_curve curve;
    void *state;             /* owned: the curve's */
    float *picture, *origin; /* owned: copies of a noisy sample and of the baseline that a curve refers to */
} chain_parts;

typedef struct walks {
    const gig_task *task;
    gig_guide guide;
    void *state;              /* owned: the guide's */
    chain_parts *parts;       /* one per chain */
    double *begun;            /* seconds, per input */
    size_t groups, members;   /* of an input, of a group */
    gig_blend blend;          /* over groups */
    gig_blend group;          /* over the members of one */
    gig_agreement draws;      /* repeat only: among the members of one */
    int any_differs;          /* a draw of the current input */
    double *finished;         /* room for the row's final attributions */
    float **maps;             /* of the results, per input: allocated before walks use the rest of the memory */
    gig_explanation of_input; /* sums over the chains of the current input, before taking means */
} walks;

/* Streams of noise count from 0, of baselines and of draws from 2^32 and 2^33; those of rule random from here. */
static const uint64_t first_nodes = (uint64_t)1 << 34;

static gig_status make_state(void **out, const gig_method *method, size_t features)
{
    size_t bytes = method->row->state_size ? method->row->state_size(method, features) : 0;
    *out = gig_alloc_zero(bytes, 1);
    return *out ? GIG_OK : gig_alloc_status();
}

static gig_status copy_point(float **out, size_t features)
{
    *out = gig_alloc(features, sizeof **out);
    return *out ? GIG_OK : gig_alloc_status();
}

/* Where nothing was moved, all draws are one, unless they have nodes of their own. */
static void note_draw(chain_parts *at, const gig_task *task, const float *point)
{
    at->differs = gig_method_rule(&task->method) == GIG_RULE_RANDOM ||
                  gig_is_moved(point, task->inputs[at->input], task->features);
}

/* A curve refers to its ends, and the driver's arrays are written from it, so it gets its own copies. */
static gig_status make_curve(chain_parts *at, const gig_task *task, gig_chain *out)
{
    const gig_method *method = &task->method;
    gig_curve_ends ends = {.end = task->inputs[at->input], .features = task->features, .shape = task->options.shape};
    if (method->smooth || task->samples > 1) {
        GIG_TRY(copy_point(&at->picture, task->features));
        gig_sample(at->picture, task, at->input, at->sample);
        note_draw(at, task, at->picture);
        ends.end = at->picture;
    }
    if (method->row->traits & GIG_METHOD_BASELINE) {
        GIG_TRY(copy_point(&at->origin, task->features));
        GIG_TRY(gig_baseline_write(at->origin, task, at->input, at->baseline));
        ends.start = at->origin;
    }
    GIG_TRY(make_state(&at->state, method, task->features));
    GIG_TRY(method->row->curve(&at->curve, at->state, method, &ends));
    out->curve = &at->curve;
    return GIG_OK;
}

/* The state of a row's guide or curve, and what it points to. */
static void free_state(void *state, const gig_method *method)
{
    if (state && method->row->clear) method->row->clear(state);
    gig_free(state);
}

static void clear_chain_parts(chain_parts *at, const gig_method *method)
{
    free_state(at->state, method);
    gig_free(at->picture);
    gig_free(at->origin);
    at->state = NULL;
    at->picture = at->origin = NULL;
}

/* Only one `make` runs at a time, but `take` may run in parallel: it writes only to its own parts. */
static gig_status make(void *payload, size_t index, gig_chain *out, float *start, float *end)
{
    walks *self = payload;
    const gig_task *task = self->task;
    const gig_method *method = &task->method;
    chain_parts *at = &self->parts[index];
    size_t per_input = self->groups * self->members, group = index % per_input / self->members;
    size_t member = index % self->members;
    *at = (chain_parts){.input = index / per_input, .sample = group, .baseline = member, .start = start, .end = end};
    if (self->draws.sum) {
        at->sample = member;
        at->baseline = group;
    }
    if (index % per_input == 0) self->begun[at->input] = gig_seconds_now();
    *out = (gig_chain){.target = task->targets[at->input],
                       .steps = gig_method_steps(method),
                       .segments = gig_method_segments(method),
                       .rule = gig_method_rule(method),
                       .adaptive = method->adaptive,
                       .until = method->until,
                       .seed = task->options.seed,
                       .stream = first_nodes + index % per_input};
    if (method->row->curve) return make_curve(at, task, out);
    if (out->rule == GIG_RULE_GRADIENT) { /* one open step: the gradient at the point itself */
        out->steps = out->open = 1;
        gig_sample(start, task, at->input, at->sample);
        return GIG_OK;
    }
    if (method->row->guide) out->guide = &self->guide;
    gig_sample(end, task, at->input, at->sample);
    note_draw(at, task, end);
    return gig_baseline_write(start, task, at->input, at->baseline);
}

/* ---- results ---- */

static void add_numbers(gig_explanation *out, const gig_chain_result *chain, gig_rule rule)
{
    int open = rule == GIG_RULE_GRADIENT;
    out->chains++;
    double n = (double)out->chains;
    double value_input = open ? chain->value_start : chain->value_end;
    double value_baseline = open ? (double)NAN : chain->value_start,
           sum = isnan(chain->delta) ? (double)NAN : chain->sum;
    const double values[] = {value_input,     value_baseline, sum,       chain->delta,  chain->step_error, chain->noise,
                             chain->distance, chain->l1,      chain->l2, chain->closed, chain->unassigned};
    double *means[] = {&out->value_input, &out->value_baseline, &out->sum,       &out->delta,
                       &out->step_error,  &out->noise,          &out->distance,  &out->l1,
                       &out->l2,          &out->closed,         &out->unassigned};
    for (size_t i = 0; i < sizeof means / sizeof *means; i++) *means[i] += (values[i] - *means[i]) / n;
    out->evaluations += chain->evaluations;
    out->values += chain->values;
    out->stopped += chain->stopped ? 1 : 0;
    out->refined += chain->rule != rule;
}

static gig_status finish_input(walks *self, size_t input)
{
    const gig_task *task = self->task;
    gig_explanation *result = &task->results[input];
    float *attributions = self->maps[input];
    GIG_TRY(gig_blend_end(attributions, &self->blend));
    *result = self->of_input;
    result->count = task->features;
    result->attributions = attributions;
    self->maps[input] = NULL;
    result->seconds = gig_seconds_now() - self->begun[input];
    double draws = (double)self->members, r = result->stability;
    if (!self->draws.sum || !self->any_differs) r = result->stability = (double)NAN;
    result->stability_of_mean = draws * r / (1 + (draws - 1) * r);
    if (task->method.smooth && task->method.smooth_kind != GIG_SMOOTH_MEAN) result->sum = result->delta = (double)NAN;
    return GIG_OK;
}

/* The chain's attributions, finished by the row. */
static const double *attributions_of(walks *self, const chain_parts *at, const gig_chain_result *chain)
{
    const gig_method_row *row = self->task->method.row;
    if (!row->finish) return chain->attributions;
    memcpy(self->finished, chain->attributions, chain->features * sizeof *self->finished);
    row->finish(self->finished, row->rule == GIG_RULE_GRADIENT ? at->start : at->end, chain->features);
    return self->finished;
}

/* Adds one draw from a baseline; the last one adds their agreement to the mean over baselines. */
static void compare_draws(walks *self, size_t member, const double *map)
{
    if (member == 0) gig_agreement_begin(&self->draws);
    gig_agreement_add(&self->draws, map);
    if (member + 1 == self->members) self->of_input.stability += gig_agreement_end(&self->draws) / (double)self->groups;
}

static gig_status take(void *payload, size_t index, const gig_chain_result *chain)
{
    walks *self = payload;
    const gig_task *task = self->task;
    chain_parts *at = &self->parts[index];
    size_t member = index % self->members, group = index / self->members % self->groups;
    if (member == 0 && group == 0) {
        gig_blend_begin(&self->blend);
        self->of_input = (gig_explanation){0};
        self->any_differs = 0;
    }
    self->any_differs |= at->differs;
    add_numbers(&self->of_input, chain, gig_method_rule(&task->method));
    const double *map = attributions_of(self, at, chain);
    int complete = member + 1 == self->members;
    if (self->members > 1) {
        if (member == 0) gig_blend_begin(&self->group);
        gig_blend_add(&self->group, map);
        if (self->draws.sum) compare_draws(self, member, map);
        map = self->group.mean;
    }
    if (complete) gig_blend_add(&self->blend, map);
    clear_chain_parts(at, &task->method);
    return complete && group + 1 == self->groups ? finish_input(self, at->input) : GIG_OK;
}

/* ---- the whole run ---- */

static gig_status make_maps(walks *self)
{
    const gig_task *task = self->task;
    self->maps = gig_alloc_zero(task->count, sizeof *self->maps);
    if (!self->maps) return gig_alloc_status();
    for (size_t i = 0; i < task->count; i++) {
        self->maps[i] = gig_alloc(task->features, sizeof **self->maps);
        if (!self->maps[i]) return gig_alloc_status();
    }
    return GIG_OK;
}

static gig_status prepare(walks *self, size_t chains)
{
    const gig_task *task = self->task;
    const gig_method *method = &task->method;
    if (method->row->guide) {
        GIG_TRY(make_state(&self->state, method, task->features));
        GIG_TRY(method->row->guide(&self->guide, self->state, method));
    }
    self->parts = gig_alloc_zero(chains, sizeof *self->parts);
    self->begun = self->parts ? gig_alloc_zero(task->count, sizeof *self->begun) : NULL;
    if (!self->begun) return gig_alloc_status();
    GIG_TRY(make_maps(self));
    GIG_TRY(gig_blend_create(&self->blend, method->smooth ? method->smooth_kind : GIG_SMOOTH_MEAN, task->features));
    int repeated = gig_method_draws(method) > 1;
    self->groups = repeated ? task->baselines : task->samples;
    self->members = repeated ? task->samples : task->baselines;
    if (self->members > 1) GIG_TRY(gig_blend_create(&self->group, GIG_SMOOTH_MEAN, task->features));
    if (repeated) GIG_TRY(gig_agreement_create(&self->draws, task->features));
    if (!method->row->finish) return GIG_OK;
    self->finished = gig_alloc(task->features, sizeof *self->finished);
    return self->finished ? GIG_OK : gig_alloc_status();
}

gig_status gig_explain_walks(const gig_task *task)
{
    walks self = {.task = task};
    size_t chains = task->count * task->samples * task->baselines;
    int path = (task->method.row->traits & GIG_METHOD_PATH) != 0;
    const gig_drive_options drive = {.tolerance = path ? task->method.tolerance : 0,
                                     .max_evaluations = task->method.max_evaluations,
                                     .close = path && task->method.close,
                                     .max_memory = task->options.max_memory,
                                     .observe = task->options.observe,
                                     .observe_payload = task->options.observe_payload,
                                     .progress = task->options.progress,
                                     .progress_payload = task->options.progress_payload};
    gig_status status;
    GIG_TRY_DONE(prepare(&self, chains));
    GIG_TRY_DONE(gig_chains_run(task->functions, chains, make, take, &self, &drive));
done:
    for (size_t i = 0; self.parts && i < chains; i++) clear_chain_parts(&self.parts[i], &task->method);
    for (size_t i = 0; self.maps && i < task->count; i++) gig_free(self.maps[i]);
    gig_free(self.maps);
    gig_free(self.parts);
    gig_free(self.begun);
    gig_blend_clear(&self.blend);
    gig_blend_clear(&self.group);
    gig_agreement_clear(&self.draws);
    gig_free(self.finished);
    free_state(self.state, &task->method);
    return status;
}
