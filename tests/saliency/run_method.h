/* SPDX-License-Identifier: Apache-2.0 */
/* gig_method_run by the method's name, on closed forms. */
#ifndef GIG_TESTS_RUN_METHOD_H
#define GIG_TESTS_RUN_METHOD_H

#include "closed_form.h"
#include "internal/saliency.h"
#include "random_network.h"
#include "support.h"

/* Explains `form` at `input` with the method called `name`, on one worker. */
static inline gig_status try_explaining(gig_explanation *out, const char *name, closed_form form, size_t features,
                                        const float *input, const gig_run_options *options)
{
    gig_method method;
    closed model = {.form = form, .features = features};
    gig_function function = closed_function(&model, 1);
    size_t target = 0;
    assert_ok(gig_method_parse(&method, name, NULL));
    gig_status status = gig_method_run(out, 1, &input, &target, (gig_functions){1, &function}, &method, options);
    if (status == GIG_OK) {
        assert_int_equal(model.gradients, out->evaluations);
        assert_int_equal(model.values, out->values);
    }
    return status;
}

typedef struct expected_map {
    size_t count;
    const double *values;
    double bound; /* relative to what is larger than 1 */
} expected_map;

static inline void expect_explanation(const char *name, closed_form form, size_t features, const float *input,
                                      const gig_run_options *options, expected_map expected)
{
    gig_explanation got;
    assert_ok(try_explaining(&got, name, form, features, input, options));
    assert_int_equal(got.count, expected.count);
    for (size_t i = 0; i < expected.count; i++) {
        double gap = fabs((double)got.attributions[i] - expected.values[i]);
        if (gap <= expected.bound * fmax(1, fabs(expected.values[i]))) continue;
        print_error("%s: [%zu] = %.9g, not %.12g\n", name, i, (double)got.attributions[i], expected.values[i]);
        fail();
    }
    gig_explanation_clear(&got);
}

/* ---- a random network of 64 inputs, explained at three points ---- */

enum { N = NETWORK_INPUTS, INPUTS = 3, WORKERS = 3 };
SUPPORT_UNUSED static const gig_picture_shape square = {8, 8, 1, 0}, colours = {4, 4, 4, 0};

static inline void make_inputs(float points[INPUTS][N])
{
    for (size_t k = 0; k < INPUTS; k++)
        for (size_t i = 0; i < N; i++) points[k][i] = (float)gig_rng_uniform((gig_rng){5, k}, i);
}

/* options NULL: a square picture of two regions. Inputs first .. first + count - 1 of the three, for targets of their
 * own. */
static inline gig_status explain(gig_explanation *out, size_t first, size_t count, const char *name, size_t workers,
                                 size_t max_batch, const gig_run_options *options)
{
    static float points[INPUTS][N];
    closed models[WORKERS];
    gig_function functions[WORKERS];
    gig_method method;
    const float *inputs[INPUTS];
    size_t targets[INPUTS];
    static uint8_t upper[N];
    const uint8_t *const masks[1] = {upper};
    memset(upper, 1, 7 * 8);
    gig_run_options chosen = {.shape = square, .mask_count = 1, .masks = masks};
    if (options) chosen = *options;
    make_inputs(points);
    for (size_t i = 0; i < WORKERS; i++) {
        models[i] = (closed){.form = random_network, .features = N};
        functions[i] = closed_function(&models[i], max_batch);
    }
    for (size_t i = 0; i < count; i++) {
        inputs[i] = points[first + i];
        targets[i] = 10 + first + i;
    }
    assert_ok(gig_method_parse(&method, name, NULL));
    return gig_method_run(out, count, inputs, targets, (gig_functions){workers, functions}, &method, &chosen);
}

static inline void clear(gig_explanation *results, size_t count)
{
    for (size_t i = 0; i < count; i++) gig_explanation_clear(&results[i]);
}

#endif
