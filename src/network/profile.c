/* SPDX-License-Identifier: Apache-2.0 */
/* Times each action of a session, and measures the machine's limits. */
#include "internal/profile.h"
#include "base/clock.h"
#include "base/rng.h"
#include "network/kernels/few_channels.h"
#include "network/kernels/pointwise.h"
#include "network/kernels/products.h"
#include "network/kernels/winograd.h"
#include "network/network.h"
#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

static gig_profile_row *row_of(gig_profile *profile, const char *kind)
{
    for (size_t i = 0; i < profile->count; i++)
        if (strcmp(profile->rows[i].kind, kind) == 0) return &profile->rows[i];
    if (profile->count == GIG_PROFILE_ROWS) return &profile->rows[GIG_PROFILE_ROWS - 1]; /* the rest shares a row */
    profile->rows[profile->count].kind = kind;
    return &profile->rows[profile->count++];
}

static void gather(gig_profile *profile, const gig_session *session, double runs)
{
    const gig_plan *plan = &session->network->plan;
    for (size_t i = 0; i < plan->forward.count; i++) {
        gig_profile_row *row = row_of(profile, plan->forward.items[i].kind);
        row->forward_count++;
        row->forward_seconds += session->forward_seconds[i] / runs;
        row->forward_flops += plan->forward.items[i].flops;
    }
    for (size_t i = 0; i < plan->backward.count; i++) {
        gig_profile_row *row = row_of(profile, plan->backward.items[i].kind);
        row->backward_count++;
        row->backward_seconds += session->backward_seconds[i] / runs;
        row->backward_flops += plan->backward.items[i].flops;
    }
}

static int slower_first(const void *a, const void *b)
{
    const gig_profile_row *x = a, *y = b;
    double s = x->forward_seconds + x->backward_seconds, t = y->forward_seconds + y->backward_seconds;
    return s < t ? 1 : s > t ? -1 : 0;
}

/* ---- the same convolutions alone ---- */

enum { HOT_TRIES = 5 };

static gig_status fastest(double *out, const gig_binding *binding, const gig_stream *stream, int tries)
{
    *out = 1e30;
    for (int t = 0; t < tries; t++) {
        double before = gig_seconds_computed();
        GIG_TRY(gig_binding_run(binding, stream, "timing"));
        double took = gig_seconds_computed() - before;
        if (took < *out) *out = took;
    }
    return GIG_OK;
}

/* A primitive on zeros of its own. */
static gig_status time_on_zeros(double *out, const gig_onednn *engine, gig_primitive *primitive, int tries)
{
    gig_argument arguments[GIG_ARG_COUNT];
    void *blocks[GIG_ARG_COUNT] = {NULL}, *scratch = gig_alloc(primitive->scratch_bytes, 1);
    gig_binding *binding = NULL;
    gig_stream *stream = NULL;
    size_t count = 0;
    gig_status status = scratch ? gig_primitive_compile(primitive, "timing") : gig_alloc_status();
    for (int i = 0; i < GIG_ARG_COUNT && status == GIG_OK; i++) {
        if (!primitive->layouts[i]) continue;
        arguments[count] = (gig_argument)i;
        blocks[count] = gig_alloc_zero(primitive->layouts[i]->bytes, 1);
        if (!blocks[count++]) status = gig_alloc_status();
    }
    if (status == GIG_OK) status = gig_stream_create(&stream, engine);
    if (status == GIG_OK) status = gig_binding_create(&binding, engine, primitive, count, arguments, blocks, scratch);
    if (status == GIG_OK) status = fastest(out, binding, stream, tries);
    gig_binding_free(binding);
    gig_stream_free(stream);
    for (size_t i = 0; i < count; i++) gig_free(blocks[i]);
    gig_free(scratch);
    return status;
}

/* oneDNN's own version of a convolution that we compute. Where it would widen the channels, it needs the weights. */
static gig_status choose_direct(gig_primitive **out, gig_onednn *engine, const gig_geometry *g, int backward,
                                const gig_tensor *weights)
{
    const gig_layout *blocked;
    GIG_TRY(gig_layout_blocked(&blocked, engine, 4, backward ? g->dst : g->src, 8));
    if (backward) {
        gig_convolution_gradient choice;
        GIG_TRY(gig_convolution_backward(&choice, engine, g, weights, GIG_NUMBER_F32, blocked));
        gig_tensor_clear(&choice.wide);
        *out = choice.primitive;
        return GIG_OK;
    }
    GIG_TRY(gig_convolution_forward(out, engine, g, GIG_NUMBER_F32, 0, blocked, NULL));
    return *out ? GIG_OK : gig_fail(GIG_EINTERNAL, "no convolution to compare with");
}

static gig_status time_direct(double *out, const gig_geometry *g, int backward, const gig_tensor *weights)
{
    gig_onednn *engine;
    gig_primitive *primitive;
    double seconds = 0;
    GIG_TRY(gig_onednn_create(&engine));
    gig_status status = choose_direct(&primitive, engine, g, backward, weights);
    if (status == GIG_OK) status = time_on_zeros(&seconds, engine, primitive, HOT_TRIES);
    gig_onednn_free(engine);
    *out += seconds;
    return status;
}

/* A Conv node's reorders are primitives too, without weights. */
static int is_convolution(const gig_action *action)
{
    const gig_operator *row = action->node ? gig_operator_find(action->node) : NULL;
    return row && row->kind == GIG_KIND_CONV && action->primitive && action->primitive->layouts[GIG_ARG_WEIGHTS];
}

/* Adds the seconds of the list's convolutions, each alone and hot through oneDNN. */
static gig_status hot_seconds(double *out, const gig_session *session, const gig_actions *list, const gig_bound *bound)
{
    for (size_t i = 0; i < list->count; i++) {
        const gig_action *action = &list->items[i];
        const gig_winograd *winograd = action->self;
        const gig_pointwise *pointwise = action->self;
        const gig_narrow *narrow = action->self;
        if (action->call == gig_call_winograd)
            GIG_TRY(time_direct(out, winograd->g, winograd->backward, NULL));
        else if (action->call == gig_call_pointwise)
            GIG_TRY(time_direct(out, pointwise->g, pointwise->backward, NULL));
        else if (action->call == gig_call_narrow)
            GIG_TRY(time_direct(out, narrow->g, 1, narrow->original));
        else if (is_convolution(action)) {
            double seconds;
            GIG_TRY(fastest(&seconds, bound[i].binding, session->stream, HOT_TRIES));
            *out += seconds;
        }
    }
    return GIG_OK;
}

/* ---- profile ---- */

static gig_status timed_runs(gig_profile *out, const gig_function *function, size_t runs)
{
    float *point = gig_alloc(function->features, sizeof *point),
          *gradient = gig_alloc(function->features, sizeof *gradient);
    gig_status status = point && gradient ? GIG_OK : gig_alloc_status();
    if (status == GIG_OK) gig_rng_fill_uniform((gig_rng){.seed = 1}, point, function->features);
    out->best_seconds = 1e30;
    for (size_t i = 0; status == GIG_OK && i < runs; i++) {
        double value, before = gig_seconds_computed();
        const float *points[1] = {point};
        status = function->evaluate(function->payload, 1, points, NULL, &value, &gradient);
        double took = gig_seconds_computed() - before;
        if (took < out->best_seconds) out->best_seconds = took;
    }
    gig_free(point);
    gig_free(gradient);
    return status;
}

/* Some scalar of the output, whatever that is. */
static gig_status any_function(gig_function *out, gig_session *session)
{
    const gig_plan *plan = &session->network->plan;
    int logits =
        plan->classes.count > 1 && plan->logits_hold == GIG_OUTPUT_LOGITS && plan->ends_in != GIG_OUTPUT_SIGMOID;
    if (!plan->classes.several) return gig_session_function(out, session, logits ? GIG_LOG_PROBABILITY : GIG_VALUE);
    float *weights = gig_alloc(plan->numbers, sizeof *weights);
    if (!weights) return gig_alloc_status();
    for (size_t i = 0; i < plan->numbers; i++) weights[i] = 1;
    gig_status status = gig_session_weighted_function(out, session, weights);
    gig_free(weights);
    return status;
}

gig_status gig_session_profile(gig_profile *out, gig_session *session, size_t runs)
{
    *out = (gig_profile){0};
    GIG_NEED(session);
    const gig_plan *plan = &session->network->plan;
    gig_function function;
    GIG_TRY(any_function(&function, session));
    GIG_TRY(timed_runs(out, &function, 2)); /* warm up */
    GIG_TRY(timed_runs(out, &function, runs ? runs : 1));
    double best = out->best_seconds;
    session->forward_seconds = gig_alloc_zero(plan->forward.count + 1, sizeof(double));
    session->backward_seconds = gig_alloc_zero(plan->backward.count + 1, sizeof(double));
    gig_status status = session->forward_seconds && session->backward_seconds ? GIG_OK : gig_alloc_status();
    if (status == GIG_OK) status = timed_runs(out, &function, runs ? runs : 1);
    if (status == GIG_OK) gather(out, session, (double)(runs ? runs : 1));
    gig_free(session->forward_seconds);
    gig_free(session->backward_seconds);
    session->forward_seconds = session->backward_seconds = NULL;
    GIG_TRY(status);
    out->best_seconds = best;
    gig_guard guard;
    gig_guard_enter(&guard, 1);
    status = hot_seconds(&out->bare_seconds, session, &plan->forward, session->forward);
    if (status == GIG_OK) status = hot_seconds(&out->bare_seconds, session, &plan->backward, session->backward);
    gig_guard_leave(&guard);
    GIG_TRY(status);
    qsort(out->rows, out->count, sizeof out->rows[0], slower_first);
    return GIG_OK;
}

/* ---- the machine ---- */

enum { SIDE = 1024, TRIES = 5 };

/* Our own product's: it keeps to vectors of 16 where `portable` holds oneDNN to AVX2. */
static gig_status time_own_product(double *seconds)
{
    const size_t numbers = (size_t)SIDE * SIDE;
    float *all = gig_alloc_zero(3 * numbers, sizeof *all);
    if (!all) return gig_alloc_status();
    const gig_products square = {.rows = SIDE, .depth = SIDE, .columns = SIDE, .weights = all};
    gig_status status = GIG_OK;
    for (int i = 0; i < TRIES && status == GIG_OK; i++) {
        double before = gig_seconds_computed();
        status = gig_products_run(all + numbers, &square, all + 2 * numbers);
        double took = gig_seconds_computed() - before;
        if (took < *seconds) *seconds = took;
    }
    gig_free(all);
    return status;
}

gig_status gig_matrix_peak(double *out, int bf16)
{
    *out = 0.0;
    if (bf16 && !gig_cpu_has_bf16()) return gig_fail(GIG_EUNSUPPORTED, "this CPU has no products of bfloat16");
    gig_onednn *engine;
    gig_primitive *product;
    gig_guard guard;
    double seconds = 0;
    GIG_TRY(gig_onednn_create(&engine));
    gig_guard_enter(&guard, 1);
    const gig_product_sizes square = {SIDE, SIDE, SIDE, bf16 ? GIG_NUMBER_BF16 : GIG_NUMBER_F32, .plain = 1};
    gig_status status = gig_product_create(&product, engine, &square);
    if (status == GIG_OK && !product) status = gig_fail(GIG_EUNSUPPORTED, "oneDNN has no fast matrix product here");
    if (status == GIG_OK) status = time_on_zeros(&seconds, engine, product, TRIES);
    if (status == GIG_OK && !bf16 && gig_cpu_has_wide_vectors()) status = time_own_product(&seconds);
    gig_guard_leave(&guard);
    gig_onednn_free(engine);
    if (status == GIG_OK) *out = 2.0 * SIDE * SIDE * SIDE / seconds;
    return status;
}
