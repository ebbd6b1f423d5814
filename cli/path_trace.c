/* SPDX-License-Identifier: Apache-2.0 */
#include "path_trace.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const double snapshot_alphas[SNAPSHOTS] = {0.1, 0.5, 1.0};

/* ---- small sums ---- */

static double dot(const float *a, const float *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

static double line_distance(const path_trace *of, const float *point, double alpha)
{
    double sum = 0;
    for (size_t i = 0; i < of->features; i++) {
        double on_line = (double)of->start[i] + alpha * ((double)of->end[i] - (double)of->start[i]);
        sum += ((double)point[i] - on_line) * ((double)point[i] - on_line);
    }
    return sqrt(sum);
}

/* ---- watching ---- */

/* Steps are shared over walks as evenly as possible, the first walks get one more. */
static size_t first_step(size_t steps, size_t walks, size_t walk)
{
    size_t per = steps / walks, more = steps % walks;
    return walk * per + (walk < more ? walk : more);
}

/* The path's step that a view shows: curves are cut into chunks of their own, but their nodes lie at k/n. */
static size_t step_of(const path_trace *self, const gig_view *view)
{
    if (self->on_curve) return (size_t)lround(view->alpha * (double)self->count);
    return first_step(self->count, view->walks, view->walk) + view->step;
}

/* The step nearest to the snapshot's share of all. */
static size_t snapshot_step(const path_trace *self, int s)
{
    return (size_t)lround(snapshot_alphas[s] * (double)self->count);
}

static void keep_step(path_trace *self, const gig_view *view, size_t at)
{
    size_t n = self->features;
    self->steps[at].alpha = view->alpha;
    self->steps[at].value = view->value;
    memcpy(self->points + at * n, view->point, n * sizeof(float));
    if (view->gradient) memcpy(self->gradients + at * n, view->gradient, n * sizeof(float));
    for (int s = 0; s < SNAPSHOTS; s++)
        if (at == snapshot_step(self, s)) {
            memcpy(self->snapshot_maps[s], view->attributions, n * sizeof(double));
            self->snapshot_walks[s] = view->walk;
        }
}

static gig_status watch(void *payload, const gig_view *view)
{
    path_trace *self = payload;
    size_t at = step_of(self, view), n = self->features;
    gig_status status = GIG_OK;
    pthread_mutex_lock(&self->lock);
    self->walks = view->walks;
    if (!self->partial) self->partial = calloc(view->walks * n, sizeof *self->partial);
    if (!self->partial) {
        status = GIG_ENOMEM;
    } else if (view->step == view->steps) {
        memcpy(self->partial + view->walk * n, view->attributions, n * sizeof(double));
        if (view->last) memcpy(self->points + self->count * n, view->point, n * sizeof(float));
    } else if (at < self->count) {
        keep_step(self, view, at);
    }
    pthread_mutex_unlock(&self->lock);
    return status;
}

/* No step starts at the end, so its gradient is asked for here. */
static gig_status keep_end(path_trace *self, const gig_function *function, size_t target)
{
    const float *points[1] = {self->end};
    float *gradients[1] = {self->gradients + self->count * self->features};
    path_trace_step *last = &self->steps[self->count];
    last->alpha = 1;
    return function->evaluate(function->payload, 1, points, &target, &last->value, gradients);
}

static void measure_point(path_trace *self, size_t s)
{
    size_t n = self->features;
    path_trace_step *step = &self->steps[s];
    const float *gradient = self->gradients + s * n;
    step->norm = sqrt(dot(gradient, gradient, n));
    step->distance = line_distance(self, self->points + s * n, step->alpha);
    step->derivative = step->cosine = NAN;
}

/* Once all points are known. */
static void measure_step(path_trace *self, size_t s)
{
    size_t n = self->features;
    path_trace_step *step = &self->steps[s];
    const float *at = self->points + s * n, *next = at + n, *gradient = self->gradients + s * n;
    double share = step[1].alpha - step->alpha, along = 0, length = 0;
    for (size_t i = 0; i < n; i++) {
        double d = (double)next[i] - (double)at[i];
        along += d * (double)gradient[i];
        length += d * d;
    }
    if (share > 0) step->derivative = along / share;
    if (length > 0 && step->norm > 0) step->cosine = along / (sqrt(length) * step->norm);
}

/* Snapshots hold their own walk's attributions: add the walks before it. */
static void finish_snapshots(path_trace *self)
{
    size_t n = self->features;
    for (int s = 0; s < SNAPSHOTS; s++) {
        size_t at = snapshot_step(self, s);
        self->alphas[s] = self->steps[at].alpha;
        size_t before = at < self->count ? self->snapshot_walks[s] : self->walks; /* at the end: all walks */
        for (size_t w = 0; w < before; w++)
            for (size_t i = 0; i < n; i++) self->snapshot_maps[s][i] += self->partial[w * n + i];
        self->snapshot_points[s] = self->points + at * n;
    }
}

static gig_status reserve(path_trace *out)
{
    size_t n = out->features;
    out->steps = calloc(out->count + 1, sizeof *out->steps);
    out->gradients = calloc((out->count + 1) * n, sizeof *out->gradients);
    out->points = calloc((out->count + 1) * n, sizeof *out->points);
    int made = out->steps && out->gradients && out->points;
    for (int s = 0; s < SNAPSHOTS; s++) {
        out->snapshot_maps[s] = calloc(n, sizeof(double));
        made = made && out->snapshot_maps[s];
    }
    return made ? GIG_OK : GIG_ENOMEM;
}

gig_status path_trace_run(path_trace *out, const char *name, gig_functions functions, const gig_chain *chain,
                          const float *start, const float *end, const gig_drive_options *options)
{
    *out = (path_trace){
        .name = name, .features = functions.each[0].features, .count = chain->steps, .start = start, .end = end};
    pthread_mutex_init(&out->lock, NULL);
    out->on_curve = chain->curve != NULL;
    gig_status status = reserve(out);
    if (status != GIG_OK) return status;
    gig_drive_options watched = *options;
    watched.observe = watch;
    watched.observe_payload = out;
    gig_chain_result result;
    status = gig_chain_run(&result, NULL, functions, chain, start, end, &watched);
    if (status == GIG_OK) status = keep_end(out, &functions.each[0], chain->target);
    if (status != GIG_OK) return status;
    for (size_t s = 0; s <= out->count; s++) measure_point(out, s);
    for (size_t s = 0; s < out->count; s++) measure_step(out, s);
    finish_snapshots(out);
    return GIG_OK;
}

void path_trace_clear(path_trace *made)
{
    free(made->steps);
    free(made->gradients);
    free(made->points);
    free(made->partial);
    for (int s = 0; s < SNAPSHOTS; s++) free(made->snapshot_maps[s]);
    *made = (path_trace){0};
}

void path_trace_similarity(double *out, const path_trace *of, double alpha)
{
    size_t nearest = 0, n = of->features;
    for (size_t s = 1; s <= of->count; s++)
        if (fabs(of->steps[s].alpha - alpha) < fabs(of->steps[nearest].alpha - alpha)) nearest = s;
    const float *chosen = of->gradients + nearest * n;
    for (size_t s = 0; s <= of->count; s++) {
        double size = of->steps[s].norm * of->steps[nearest].norm;
        out[s] = size > 0 ? dot(chosen, of->gradients + s * n, n) / size : NAN;
    }
}

/* ---- figure 4: a guide on an open chain ---- */

enum { SEARCH_STEPS = 10 };
static const float box = 2.0f / 255.0f, stride = 0.5f / 255.0f;

typedef struct search {
    float sign;
    const float *middle;
    size_t features;
    float *last;
} search;

static size_t search_size(const void *options, size_t features)
{
    (void)options;
    (void)features;
    return sizeof(search);
}

static gig_status search_begin(void *state, const void *options, const float *start, const float *end, size_t features,
                               size_t steps)
{
    (void)end;
    (void)steps;
    search *self = state;
    *self = *(const search *)options;
    self->middle = start;
    self->features = features;
    return GIG_OK;
}

static float clamp(float value, float low, float high)
{
    return value < low ? low : value > high ? high : value;
}

static gig_status search_advance(void *state, size_t step, double value, const float *gradient, const float *at,
                                 float *next)
{
    (void)value;
    search *self = state;
    for (size_t i = 0; i < self->features; i++) {
        float direction = gradient[i] > 0 ? self->sign : gradient[i] < 0 ? -self->sign : 0.0f;
        float moved = clamp(at[i] + direction * stride, self->middle[i] - box, self->middle[i] + box);
        next[i] = clamp(moved, 0.0f, 1.0f);
    }
    if (step == SEARCH_STEPS - 1) memcpy(self->last, next, self->features * sizeof *next);
    return GIG_OK;
}

/* From `middle` downhill (sign -1) or uphill; the last point goes to `found`. */
static gig_status search_from(double *start_value, double *value, float *found, gig_functions functions, size_t target,
                              const float *middle, float sign)
{
    search wanted = {.sign = sign, .last = found};
    gig_guide guide = {search_size, search_begin, search_advance, &wanted};
    gig_chain chain = {.guide = &guide, .target = target, .steps = SEARCH_STEPS, .open = 1, .rule = GIG_RULE_LEFT};
    gig_chain_result result;
    gig_status status = gig_chain_run(&result, NULL, functions, &chain, middle, NULL, NULL);
    *start_value = result.value_start;
    if (status != GIG_OK) return status;
    const float *points[1] = {found};
    return functions.each[0].evaluate(functions.each[0].payload, 1, points, &target, value, NULL);
}

static double distance(const float *a, const float *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
    return sqrt(sum);
}

gig_status neighbour_find(neighbour *out, gig_functions functions, size_t target, const float *start, const float *end,
                          double alpha)
{
    size_t n = functions.each[0].features;
    *out = (neighbour){.alpha = alpha};
    float *middle = malloc(n * sizeof *middle);
    out->low_point = malloc(n * sizeof(float));
    out->high_point = malloc(n * sizeof(float));
    gig_status status = middle && out->low_point && out->high_point ? GIG_OK : GIG_ENOMEM;
    for (size_t i = 0; status == GIG_OK && i < n; i++) middle[i] = start[i] + (float)alpha * (end[i] - start[i]);
    double unused;
    if (status == GIG_OK)
        status = search_from(&out->value, &out->low, out->low_point, functions, target, middle, -1.0f);
    if (status == GIG_OK) status = search_from(&unused, &out->high, out->high_point, functions, target, middle, 1.0f);
    if (status == GIG_OK) {
        out->low_distance = distance(out->low_point, middle, n);
        out->high_distance = distance(out->high_point, middle, n);
    }
    free(middle);
    return status;
}

void neighbour_clear(neighbour *made)
{
    free(made->low_point);
    free(made->high_point);
    *made = (neighbour){0};
}
