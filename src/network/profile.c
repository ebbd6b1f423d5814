/* SPDX-License-Identifier: Apache-2.0 */
/* Times a session action by action, and the machine by itself. */
#include "gig/profile.h"
#include "base/clock.h"
#include "base/rng.h"
#include "network/kernels/narrow.h"
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

static double fastest(dnnl_primitive_t primitive, dnnl_stream_t stream, int count, const dnnl_exec_arg_t *arguments)
{
    double best = 1e30;
    for (int t = 0; t < HOT_TRIES; t++) {
        double before = gig_seconds_computed();
        dnnl_primitive_execute(primitive, stream, count, arguments);
        double took = gig_seconds_computed() - before;
        if (took < best) best = took;
    }
    return best;
}

/* A primitive on zeros of its own. Takes over the descriptor. */
static gig_status time_on_zeros(double *out, const gig_session *session, dnnl_primitive_desc_t pd, int backward)
{
    static const struct {
        int argument;
        dnnl_query_t query;
    } wanted[2][4] = {{{DNNL_ARG_SRC, dnnl_query_src_md},
                       {DNNL_ARG_WEIGHTS, dnnl_query_weights_md},
                       {DNNL_ARG_DST, dnnl_query_dst_md},
                       {DNNL_ARG_SCRATCHPAD, dnnl_query_scratchpad_md}},
                      {{DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md},
                       {DNNL_ARG_WEIGHTS, dnnl_query_weights_md},
                       {DNNL_ARG_DIFF_SRC, dnnl_query_diff_src_md},
                       {DNNL_ARG_SCRATCHPAD, dnnl_query_scratchpad_md}}};
    dnnl_exec_arg_t arguments[4] = {{0, NULL}};
    void *blocks[4] = {NULL};
    dnnl_primitive_t primitive = NULL;
    gig_status status = gig_dnnl_check(dnnl_primitive_create(&primitive, pd), "convolution");
    for (int i = 0; i < 4 && status == GIG_OK; i++) {
        const dnnl_memory_desc_t *md = dnnl_primitive_desc_query_md(pd, wanted[backward][i].query, 0);
        arguments[i].arg = wanted[backward][i].argument;
        blocks[i] = gig_alloc_zero(gig_md_bytes(md), 1);
        if (!blocks[i])
            status = gig_alloc_status();
        else
            status = gig_dnnl_check(
                dnnl_memory_create(&arguments[i].memory, md, session->network->plan.engine, blocks[i]), "memory");
    }
    if (status == GIG_OK) *out += fastest(primitive, session->stream, 4, arguments);
    for (int i = 0; i < 4; i++) {
        if (arguments[i].memory) dnnl_memory_destroy(arguments[i].memory);
        gig_free(blocks[i]);
    }
    if (primitive) dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
    return status;
}

/* oneDNN's own version of a convolution that we compute. Where it would widen the channels, it needs the weights. */
static gig_status time_direct(double *out, const gig_session *session, const gig_geometry *g, int backward,
                              const gig_tensor *weights)
{
    const gig_plan *plan = &session->network->plan;
    dnnl_memory_desc_t blocked;
    GIG_DNNL(dnnl_memory_desc_init_by_tag(&blocked, 4, backward ? g->dst : g->src, dnnl_f32, dnnl_nChw8c));
    if (backward) {
        gig_convolution_gradient choice;
        GIG_TRY(gig_convolution_backward(&choice, plan, g, weights, dnnl_f32, &blocked));
        gig_tensor_clear(&choice.wide);
        return time_on_zeros(out, session, choice.pd, 1);
    }
    dnnl_primitive_attr_t attr;
    GIG_TRY(gig_attr_create(&attr));
    dnnl_primitive_desc_t pd = gig_convolution_forward(plan, g, dnnl_f32, 0, &blocked, NULL, attr);
    dnnl_primitive_attr_destroy(attr);
    return pd ? time_on_zeros(out, session, pd, 0) : gig_fail(GIG_EINTERNAL, "no convolution to compare with");
}

/* Adds the seconds of the list's convolutions, each alone and hot through oneDNN. */
static gig_status hot_seconds(double *out, const gig_session *session, const gig_actions *list, const gig_bound *bound)
{
    for (size_t i = 0; i < list->count; i++) {
        const gig_action *action = &list->items[i];
        const gig_winograd *winograd = action->self;
        const gig_narrow *narrow = action->self;
        if (action->call == gig_call_winograd)
            GIG_TRY(time_direct(out, session, winograd->g, winograd->backward, NULL));
        else if (action->call == gig_call_narrow)
            GIG_TRY(time_direct(out, session, narrow->g, 1, narrow->original));
        else if (action->primitive && strcmp(action->kind, "Conv") == 0)
            *out += fastest(action->primitive, session->stream, (int)action->count + 1, bound[i].arguments);
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

/* One product of SIDE x SIDE matrices, f32 or bf16 with an f32 result, as a primitive of its own. */
static gig_status square_product(dnnl_primitive_t *out, dnnl_memory_desc_t mds[3], dnnl_engine_t engine, int bf16)
{
    dnnl_dims_t dims = {SIDE, SIDE};
    dnnl_matmul_desc_t desc;
    dnnl_primitive_desc_t pd = NULL;
    for (int i = 0; i < 3; i++)
        GIG_DNNL(dnnl_memory_desc_init_by_tag(&mds[i], 2, dims, bf16 && i < 2 ? dnnl_bf16 : dnnl_f32, dnnl_ab));
    GIG_DNNL(dnnl_matmul_desc_init(&desc, &mds[0], &mds[1], NULL, &mds[2]));
    GIG_DNNL(dnnl_primitive_desc_create(&pd, &desc, NULL, engine, NULL));
    gig_status status = gig_dnnl_check(dnnl_primitive_create(out, pd), "matrix product");
    dnnl_primitive_desc_destroy(pd);
    return status;
}

static gig_status fastest_product(double *seconds, dnnl_engine_t engine, dnnl_stream_t stream, int bf16)
{
    dnnl_primitive_t product = NULL;
    dnnl_memory_desc_t mds[3];
    dnnl_memory_t memories[3] = {NULL, NULL, NULL};
    GIG_TRY(square_product(&product, mds, engine, bf16));
    float *block = gig_alloc_zero(3 * (size_t)SIDE * SIDE, sizeof *block);
    gig_status status = block ? GIG_OK : gig_alloc_status();
    for (int i = 0; status == GIG_OK && i < 3; i++)
        status = gig_dnnl_check(dnnl_memory_create(&memories[i], &mds[i], engine, block + (size_t)i * SIDE * SIDE),
                                "memory");
    dnnl_exec_arg_t arguments[] = {
        {DNNL_ARG_SRC, memories[0]}, {DNNL_ARG_WEIGHTS, memories[1]}, {DNNL_ARG_DST, memories[2]}};
    *seconds = 1e30;
    for (int t = 0; t < TRIES && status == GIG_OK; t++) {
        double before = gig_seconds_computed();
        status = gig_dnnl_check(dnnl_primitive_execute(product, stream, 3, arguments), "matrix product");
        double took = gig_seconds_computed() - before;
        if (took < *seconds) *seconds = took;
    }
    for (int i = 0; i < 3; i++)
        if (memories[i]) dnnl_memory_destroy(memories[i]);
    dnnl_primitive_destroy(product);
    gig_free(block);
    return status;
}

gig_status gig_matrix_peak(double *out, int bf16)
{
    *out = 0.0;
    if (bf16 && !gig_cpu_has_amx()) return gig_fail(GIG_EUNSUPPORTED, "this CPU has no bfloat16 matrix unit (AMX)");
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    GIG_DNNL(dnnl_engine_create(&engine, dnnl_cpu, 0));
    gig_status status = gig_dnnl_check(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags), "stream");
    if (status == GIG_OK) {
        gig_guard guard;
        double seconds;
        gig_guard_enter(&guard, 1);
        status = fastest_product(&seconds, engine, stream, bf16);
        gig_guard_leave(&guard);
        if (status == GIG_OK) *out = 2.0 * SIDE * SIDE * SIDE / seconds;
        dnnl_stream_destroy(stream);
    }
    dnnl_engine_destroy(engine);
    return status;
}
