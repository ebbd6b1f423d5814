/* SPDX-License-Identifier: Apache-2.0 */
/* Lesson 6: a path method of your own, on a function of your own.
 *
 *     06_own_path
 *
 * No ONNX file is needed: anything with a value and a gradient can be a gig_function. An adaptive path method is one
 * function too, the guide's `advance`: given a point and the gradient there, it returns the next point. Its row gives
 * it a name; under that name it takes baselines, smooth+, anchors, rules, tolerances and closing, and is drawn and
 * scored like the built-in methods. The same row works with gig_explainer_open and pictures.
 *
 * This guide is the reverse of Guided IG: the features with the *largest* gradient move first, one after the other,
 * until the step's distance is covered. Each path attributes the same change of F; the numbers show how they differ. */
#include "check.h"
#include <math.h>
#include <string.h>

enum { N = 16 };

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

/* The state of one walk; the driver allocates it. */
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

/* ---- the row ---- */

static gig_status make_guide(gig_guide *out, void *state, const gig_method *method)
{
    (void)state, (void)method; /* a method with its own options would read them with gig_method_number */
    *out = (gig_guide){.state_size = state_size, .begin = begin, .advance = advance};
    return GIG_OK;
}

static const gig_method_row largest_first_row = {.name = "largest-first",
                                                 .help = "Features of large gradient move first.",
                                                 .traits = GIG_METHOD_PATH | GIG_METHOD_BASELINE | GIG_METHOD_ANCHORS,
                                                 .rule = GIG_RULE_TRAPEZOID,
                                                 .guide = make_guide};

/* ---- an observer: it sees every point of every walk ---- */

static gig_status watch(void *payload, const gig_view *view)
{
    double *next = payload; /* alpha to report at */
    if (view->alpha < *next || (view->step == view->steps && !view->last)) return GIG_OK;
    printf("    alpha %.2f  value %+.4f\n", view->alpha, view->value);
    *next += 0.25;
    return GIG_OK;
}

int main(void)
{
    static const char *const methods[] = {"ig/rule=trapezoid/steps=100",
                                          "gig/rule=trapezoid/steps=100",
                                          "largest-first/steps=100",
                                          "largest-first:4/steps=100",
                                          "largest-first/baseline=black+white/steps=100/tolerance=0.001",
                                          "smooth+largest-first/samples=5/steps=100"};
    const gig_function function = {.features = N, .max_batch = 1, .evaluate = evaluate};
    float x[N];
    for (size_t i = 0; i < N; i++) x[i] = (float)(0.2 + 0.05 * (double)i);
    const gig_input input = {.values = x};

    gig_explainer *explainer;
    check(gig_explainer_open_functions(&explainer, 1, &function, NULL));
    check(gig_explainer_add_method(explainer, &largest_first_row));
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        gig_explanation found;
        double next = 0;
        const gig_explain_options options = {.observe = i < 3 ? watch : NULL, .observe_payload = &next};
        check(gig_explainer_explain_inputs(&found, explainer, 1, &input, methods[i], &options));
        printf("%s: noise %.4f  distance %.4f  L1 %.3f  off by %+.2e\n", found.method, found.noise, found.distance,
               found.l1, found.delta);
        gig_explanation_clear(&found);
    }
    gig_explainer_close(explainer);
    return 0;
}
