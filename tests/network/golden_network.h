/* SPDX-License-Identifier: Apache-2.0 */
/* The small networks of tools/golden/networks.py, loaded and run: PyTorch's logits and gradients lie beside each. */
#ifndef GIG_TESTS_GOLDEN_NETWORK_H
#define GIG_TESTS_GOLDEN_NETWORK_H

#include "support.h"

#include "base/memory.h"
#include "internal/network.h"
#include "internal/profile.h"
#include "internal/tensor.h"

static const char *const names[] = {"residual", "branches", "mobile", "dense", "attention", "decoder",
                                    "folded",   "modules",  "fused",  "gates", "positions"};
enum { NAMES = sizeof names / sizeof names[0], ROWS = 3, CLASS = 1 };

typedef struct golden {
    gig_tensor x, logits, gradient[4]; /* by gig_scalar */
} golden_set;

static inline void load_golden(golden_set *out, const char *name)
{
    static const char *const keys[] = {"g_softmax", "g_logit", "g_logprob", "g_sigmoid"};
    char path[200];
    snprintf(path, sizeof path, "tests/golden/networks/%s.npz", name);
    assert_ok(gig_npz_read(&out->x, source_path(path), "x"));
    assert_ok(gig_npz_read(&out->logits, source_path(path), "logits"));
    for (int i = 0; i < 4; i++) assert_ok(gig_npz_read(&out->gradient[i], source_path(path), keys[i]));
}

static inline void clear_golden(golden_set *golden)
{
    gig_tensor_clear(&golden->x);
    gig_tensor_clear(&golden->logits);
    for (int i = 0; i < 4; i++) gig_tensor_clear(&golden->gradient[i]);
}

typedef struct runner {
    gig_model *model;
    gig_network *network;
    gig_session *session;
} run;

static inline void begin(run *out, const char *name, const char *ending, gig_network_options options)
{
    char path[200];
    snprintf(path, sizeof path, "tests/golden/networks/%s%s.onnx", name, ending);
    assert_ok(gig_model_load(&out->model, source_path(path), NULL));
    assert_ok(gig_network_create(&out->network, out->model, &options));
    assert_ok(gig_session_create(&out->session, out->network));
}

static inline void finish(run *runner)
{
    gig_session_free(runner->session);
    gig_network_free(runner->network);
    gig_model_free(runner->model);
}

/* Values and gradients of all rows under one scalar; out is [ROWS, features]. */
static inline void gradients_of(float *out, double *values, run *runner, const gig_tensor *x, gig_scalar scalar)
{
    gig_function function;
    assert_ok(gig_session_function(&function, runner->session, scalar));
    const float *points[ROWS];
    float *gradients[ROWS];
    size_t targets[ROWS];
    for (size_t r = 0; r < ROWS; r++) {
        points[r] = x->real + r * function.features;
        gradients[r] = out + r * function.features;
        targets[r] = CLASS;
    }
    for (size_t at = 0; at < ROWS; at += function.max_batch) {
        size_t count = ROWS - at < function.max_batch ? ROWS - at : function.max_batch;
        assert_ok(function.evaluate(function.payload, count, points + at, targets + at, values + at, gradients + at));
    }
}

#endif
