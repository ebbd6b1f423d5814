/* SPDX-License-Identifier: Apache-2.0 */
/* Lesson 6: a path method of your own, on a function of your own.
 *
 *     06_own_path
 *
 * No ONNX file is needed: anything with a value and a gradient is a gig_function. And an adaptive path method is one
 * function too, the guide's `advance`: from a point and the gradient there, where next? Rules, completeness, refining,
 * observers and threads come with the driver.
 *
 * Our guide is Guided IG turned around: the features with the *largest* gradient go first, one after the other, until
 * the step's share of the way is covered. Each path attributes the same change of F; the numbers tell them apart. */
#include <gig/gig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 16, STEPS = 100 };

static void check(gig_status status)
{
    if (status == GIG_OK) return;
    fprintf(stderr, "%s: %s\n", gig_status_name(status), gig_message());
    exit(1);
}

/* ---- the function: F(x) = tanh(sum of a_i x_i) + sin(6 x_0) x_1 / 4, for any number of points at once ---- */

static double weight(size_t i)
{
    return (i % 2 ? -1.0 : 1.5) / (double)(i + 1);
}

static gig_status evaluate(void *payload, size_t batch, const float *const *points, const size_t *targets,
                           double *values, float *const *gradients)
{
    (void)payload, (void)targets;
    for (size_t b = 0; b < batch; b++) {
        const float *x = points[b];
        double sum = 0;
        for (size_t i = 0; i < N; i++) sum += weight(i) * (double)x[i];
        double bent = tanh(sum), wave = sin(6 * (double)x[0]);
        values[b] = bent + wave * (double)x[1] / 4;
        if (!gradients || !gradients[b]) continue; /* only the value was asked for */
        for (size_t i = 0; i < N; i++) gradients[b][i] = (float)((1 - bent * bent) * weight(i));
        gradients[b][0] += (float)(6 * cos(6 * (double)x[0]) * (double)x[1] / 4);
        gradients[b][1] += (float)(wave / 4);
    }
    return GIG_OK;
}

/* ---- the guide ---- */

/* What one walk remembers; the driver makes room for it. */
typedef struct largest_first {
    const float *end;
    size_t features, steps;
    double per_step; /* L1 distance to cover in a step */
} largest_first;

static size_t state_size(const void *options, size_t features)
{
    (void)options, (void)features;
    return sizeof(largest_first);
}

static gig_status begin(void *state, const void *options, const float *start, const float *end, size_t features,
                        size_t steps)
{
    (void)options;
    largest_first *self = state;
    double whole = 0;
    for (size_t i = 0; i < features; i++) whole += fabs((double)end[i] - (double)start[i]);
    *self = (largest_first){end, features, steps, whole / (double)steps};
    return GIG_OK;
}

static gig_status advance(void *state, size_t step, double value, const float *gradient, const float *at, float *next)
{
    (void)value;
    largest_first *self = state;
    memcpy(next, at, self->features * sizeof *next);
    if (step + 1 == self->steps) { /* the last step arrives */
        memcpy(next, self->end, self->features * sizeof *next);
        return GIG_OK;
    }
    for (double left = self->per_step; left > 0;) {
        size_t best = self->features;
        for (size_t i = 0; i < self->features; i++)
            if (next[i] != self->end[i] && (best == self->features || fabsf(gradient[i]) > fabsf(gradient[best])))
                best = i;
        if (best == self->features) break;
        double way = (double)self->end[best] - (double)next[best];
        double share = fabs(way) > left ? left / fabs(way) : 1;
        next[best] = share < 1 ? (float)((double)next[best] + share * way) : self->end[best];
        left -= share * fabs(way);
        if (share < 1) break;
    }
    return GIG_OK;
}

/* ---- an observer: it sees every point of every walk ---- */

typedef struct watcher {
    const char *name;
    double next; /* alpha to report at */
} watcher;

static gig_status watch(void *payload, const gig_view *view)
{
    watcher *self = payload;
    if (view->alpha < self->next || (view->step == view->steps && !view->last)) return GIG_OK;
    printf("    %-14s alpha %.2f  value %+.4f\n", self->name, view->alpha, view->value);
    self->next += 0.25;
    return GIG_OK;
}

static void walk(const char *name, const gig_guide *guide, gig_rule rule)
{
    float start[N] = {0}, end[N];
    double attributions[N];
    for (size_t i = 0; i < N; i++) end[i] = (float)(0.2 + 0.05 * (double)i);
    const gig_function function = {.features = N, .max_batch = 1, .evaluate = evaluate};
    const gig_chain chain = {.guide = guide, .steps = STEPS, .rule = rule}; /* no guide: the straight line */
    watcher seen = {name, 0};
    const gig_drive_options options = {.observe = watch, .observe_payload = &seen};
    gig_chain_result result;
    check(gig_chain_run(&result, attributions, 1, &function, &chain, start, end, &options));
    printf("%-14s noise %.4f  distance %.4f  L1 %.3f  off by %+.2e\n", name, result.noise, result.distance, result.l1,
           result.delta);
}

int main(void)
{
    const gig_guide own = {.state_size = state_size, .begin = begin, .advance = advance};
    const gig_guide guided = gig_guide_guided(NULL);
    walk("straight line", NULL, GIG_RULE_TRAPEZOID);
    walk("guided", &guided, GIG_RULE_TRAPEZOID);
    walk("largest first", &own, GIG_RULE_TRAPEZOID);
    return 0;
}
