/* SPDX-License-Identifier: Apache-2.0 */
/* The bases that are walks: all chains of all inputs in one run of the driver. Chain (i samples + s) baselines + b is
 * baseline b of sample s of input i; with repeat, chain (i baselines + b) draws + d is draw d from baseline b. The
 * driver hands chains over in that order, so one input is summed at a time, group by group: the baselines of a sample,
 * or the draws from a baseline. */
#include "saliency/explain.h"
#include <math.h>

typedef struct walks {
    const gig_task *task;
    gig_guided_options guided;
    gig_guide guide;
    gig_tour *tours;          /* one per chain */
    double *begun;            /* seconds, per input */
    size_t groups, members;   /* of an input, of a group */
    gig_blend blend;          /* over groups */
    gig_blend group;          /* over the members of one */
    gig_agreement draws;      /* repeat only: among the members of one */
    double *product;          /* gradients-x-input only */
    float **maps;             /* of the results, per input: there before walks take what memory there is */
    gig_explanation of_input; /* what chains of the input at hand add up to, before means are taken */
} walks;

/* Runs alone among `make`s, but at the same time as `take`: it touches nothing but its own tour. */
static gig_status make(void *payload, size_t index, gig_chain *out, float *start, float *end)
{
    walks *self = payload;
    const gig_task *task = self->task;
    gig_tour *tour = &self->tours[index];
    size_t per_input = self->groups * self->members, group = index % per_input / self->members;
    size_t member = index % self->members;
    *tour = (gig_tour){.input = index / per_input, .sample = group, .baseline = member, .start = start};
    if (self->draws.sum) {
        tour->sample = member;
        tour->baseline = group;
    }
    if (index % per_input == 0) self->begun[tour->input] = gig_seconds_now();
    *out = (gig_chain){.target = task->targets[tour->input],
                       .steps = gig_method_steps(&task->method),
                       .rule = gig_method_rule(&task->method)};
    switch (task->method.base) {
    case GIG_BASE_IG: return gig_ig_chain(tour, task, start, end);
    case GIG_BASE_BLUR_IG: return gig_blur_ig_chain(tour, task, out);
    case GIG_BASE_GUIDED_IG: return gig_guided_ig_chain(tour, task, &self->guide, out, start, end);
    default: return gig_gradients_chain(tour, task, out, start);
    }
}

/* ---- results ---- */

static void add_numbers(gig_explanation *out, const gig_chain_result *chain, gig_rule rule)
{
    int open = rule == GIG_RULE_GRADIENT;
    out->chains++;
    double n = (double)out->chains;
    double value_input = open ? chain->value_start : chain->value_end;
    double value_baseline = open ? (double)NAN : chain->value_start, sum = open ? (double)NAN : chain->sum;
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
    if (!self->draws.sum) result->stability = (double)NAN;
    result->stability_of_mean = self->draws.sum ? draws * r / (1 + (draws - 1) * r) : (double)NAN;
    if (task->method.smooth && task->method.smooth_kind != GIG_SMOOTH_MEAN) result->sum = result->delta = (double)NAN;
    return GIG_OK;
}

/* What the chain attributes; gradients times the sample they were taken at, where asked. */
static const double *attributions_of(walks *self, const gig_tour *tour, const gig_chain_result *chain)
{
    if (!self->product) return chain->attributions;
    for (size_t i = 0; i < chain->features; i++) self->product[i] = chain->attributions[i] * (double)tour->start[i];
    return self->product;
}

/* One draw more from a baseline; the last adds their agreement to the mean over baselines. */
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
    gig_tour *tour = &self->tours[index];
    size_t member = index % self->members, group = index / self->members % self->groups;
    if (member == 0 && group == 0) {
        gig_blend_begin(&self->blend);
        self->of_input = (gig_explanation){0};
    }
    add_numbers(&self->of_input, chain, gig_method_rule(&task->method));
    const double *map = attributions_of(self, tour, chain);
    int complete = member + 1 == self->members;
    if (self->members > 1) {
        if (member == 0) gig_blend_begin(&self->group);
        gig_blend_add(&self->group, map);
        if (self->draws.sum) compare_draws(self, member, map);
        map = self->group.mean;
    }
    if (complete) gig_blend_add(&self->blend, map);
    gig_free(tour->picture);
    tour->picture = NULL;
    return complete && group + 1 == self->groups ? finish_input(self, tour->input) : GIG_OK;
}

/* ---- all of it ---- */

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
    self->guided = (gig_guided_options){.fraction = method->fraction,
                                        .of_remaining = method->of_remaining,
                                        .bounded = method->bounded,
                                        .max_dist = method->max_dist};
    self->guide = gig_guide_guided(&self->guided);
    self->tours = gig_alloc_zero(chains, sizeof *self->tours);
    self->begun = self->tours ? gig_alloc_zero(task->count, sizeof *self->begun) : NULL;
    if (!self->begun) return gig_alloc_status();
    GIG_TRY(make_maps(self));
    GIG_TRY(gig_blend_create(&self->blend, method->smooth ? method->smooth_kind : GIG_SMOOTH_MEAN, task->features));
    int repeated = gig_method_draws(method) > 1;
    self->groups = repeated ? task->baselines : task->samples;
    self->members = repeated ? task->samples : task->baselines;
    if (self->members > 1) GIG_TRY(gig_blend_create(&self->group, GIG_SMOOTH_MEAN, task->features));
    if (repeated) GIG_TRY(gig_agreement_create(&self->draws, task->features));
    if (method->base != GIG_BASE_GRADIENTS_X_INPUT) return GIG_OK;
    self->product = gig_alloc(task->features, sizeof *self->product);
    return self->product ? GIG_OK : gig_alloc_status();
}

gig_status gig_explain_walks(const gig_task *task)
{
    walks self = {.task = task};
    size_t chains = task->count * task->samples * task->baselines;
    int path = !!(gig_method_concerns(&task->method) & GIG_CONCERN_PATH);
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
    GIG_TRY_DONE(gig_chains_run(task->workers, task->functions, chains, make, take, &self, &drive));
done:
    for (size_t i = 0; self.tours && i < chains; i++) gig_free(self.tours[i].picture);
    for (size_t i = 0; self.maps && i < task->count; i++) gig_free(self.maps[i]);
    gig_free(self.maps);
    gig_free(self.tours);
    gig_free(self.begun);
    gig_blend_clear(&self.blend);
    gig_blend_clear(&self.group);
    gig_agreement_clear(&self.draws);
    gig_free(self.product);
    return status;
}
