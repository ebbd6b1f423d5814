/* SPDX-License-Identifier: Apache-2.0 */
/* A session: the activations of one worker, and the loop that executes a plan's actions on them. */
#include "base/clock.h"
#include "base/interrupt.h"
#include "network/network.h"
#include <math.h>
#include <string.h>

float *gig_session_at(const gig_session *session, gig_place place)
{
    if (place.buffer < 0) return (float *)(uintptr_t)place.constant; /* constants are only read */
    return (float *)(session->block + session->network->plan.buffers[place.buffer].offset + place.offset);
}

/* ---- binding actions to memory ---- */

static gig_status bind_primitive(gig_bound *bound, gig_session *session, const gig_action *action)
{
    void *pointers[GIG_ACTION_PLACES];
    for (size_t i = 0; i < action->count; i++) pointers[i] = gig_session_at(session, action->places[i]);
    return gig_binding_create(&bound->binding, session->network->plan.engine, action->primitive, action->count,
                              action->arguments, pointers, session->scratch);
}

static gig_status bind_operator(gig_bound *bound, gig_session *session, const gig_action *action)
{
    const gig_op *op = action->op;
    size_t ports = op->in_count + op->out_count, all = action->op_backward ? 2 * ports : ports;
    bound->tensors = gig_alloc_zero(all + 1, sizeof *bound->tensors);
    void **pointers = gig_alloc_zero(all + 1, sizeof *pointers);
    bound->in = (void *)pointers;
    if (!bound->tensors || !pointers) return gig_alloc_status();
    bound->out = bound->in + op->in_count;
    bound->d_out = bound->out + op->out_count;
    bound->out_writable = (gig_tensor **)(pointers + op->in_count);
    bound->d_in = (gig_tensor **)(pointers + ports + op->out_count);
    for (size_t i = 0; i < all; i++) {
        size_t port = i < ports ? i : i - ports; /* d_out, d_in follow in, out in the order out, in */
        const gig_tensor *shape;
        if (i < ports)
            shape = port < op->in_count ? op->in[port] : op->out[port - op->in_count];
        else
            shape = port < op->out_count ? op->out[port] : op->in[port - op->out_count];
        void *data = gig_session_at(session, action->places[i]);
        if (!shape || (i >= ports && !data)) continue;
        bound->tensors[i] = *shape;
        bound->tensors[i].data = data;
        pointers[i] = &bound->tensors[i];
    }
    return GIG_OK;
}

static gig_status bind_call(gig_bound *bound, gig_session *session, const gig_action *action)
{
    bound->pointers = gig_alloc_zero(action->count + 1, sizeof *bound->pointers);
    if (!bound->pointers) return gig_alloc_status();
    for (size_t i = 0; i < action->count; i++) bound->pointers[i] = gig_session_at(session, action->places[i]);
    return GIG_OK;
}

static gig_status bind(gig_bound **out, gig_session *session, const gig_actions *list)
{
    *out = gig_alloc_zero(list->count + 1, sizeof **out);
    if (!*out) return gig_alloc_status();
    for (size_t i = 0; i < list->count; i++) {
        const gig_action *action = &list->items[i];
        gig_bound *bound = &(*out)[i];
        if (action->primitive)
            GIG_TRY(bind_primitive(bound, session, action));
        else if (action->call)
            GIG_TRY(bind_call(bound, session, action));
        else
            GIG_TRY(bind_operator(bound, session, action));
    }
    return GIG_OK;
}

static void unbind(gig_bound *bound, size_t count)
{
    for (size_t i = 0; bound && i < count; i++) {
        gig_binding_free(bound[i].binding);
        gig_free(bound[i].pointers);
        gig_free(bound[i].tensors);
        gig_free((void *)bound[i].in);
    }
    gig_free(bound);
}

gig_status gig_session_create(gig_session **out, const gig_network *network)
{
    GIG_NEED(out);
    *out = NULL;
    GIG_NEED(network);
    const gig_plan *plan = &network->plan;
    gig_session *session = gig_alloc_zero(1, sizeof *session);
    if (!session) return gig_alloc_status();
    session->network = network;
    session->block = gig_alloc_zero(plan->arena_bytes, 1);
    session->scratch = gig_alloc(plan->scratch_bytes, 1);
    session->vector = gig_alloc_zero(2 * plan->classes.count + 1, sizeof *session->vector);
    gig_status status = session->block && session->scratch && session->vector ? GIG_OK : gig_alloc_status();
    if (status == GIG_OK) status = gig_stream_create(&session->stream, plan->engine);
    if (status == GIG_OK) status = bind(&session->forward, session, &plan->forward);
    if (status == GIG_OK) status = bind(&session->backward, session, &plan->backward);
    if (status != GIG_OK) {
        gig_session_free(session);
        return status;
    }
    *out = session;
    return GIG_OK;
}

void gig_session_free(gig_session *session)
{
    if (!session) return;
    unbind(session->forward, session->network->plan.forward.count);
    unbind(session->backward, session->network->plan.backward.count);
    gig_stream_free(session->stream);
    gig_free(session->block);
    gig_free(session->scratch);
    gig_free(session->weights);
    gig_free(session->vector);
    gig_free(session->region);
    gig_free(session->forward_seconds);
    gig_free(session->backward_seconds);
    gig_free(session);
}

const gig_network *gig_session_network(const gig_session *session)
{
    if (!session) return NULL;
    return session->network;
}

/* ---- running ---- */

static gig_status run_action(const gig_session *session, const gig_action *action, const gig_bound *bound)
{
    if (action->primitive) return gig_binding_run(bound->binding, session->stream, action->kind);
    if (action->call) return action->call(action, bound->pointers);
    if (action->op_backward) return action->op_backward(action->op, bound->in, bound->out, bound->d_out, bound->d_in);
    return action->op_forward(action->op, bound->in, bound->out_writable);
}

static int all_finite(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i])) return 0;
    return 1;
}

/* Did the action leave a NaN or an infinity in its result? */
static int spoiled(const gig_session *session, const gig_action *action, const gig_bound *bound)
{
    if (action->op)
        return action->op->out[0] && action->op->out[0]->type == GIG_FLOAT32 &&
               !all_finite(bound->out[0]->real, gig_tensor_count(bound->out[0]));
    if (action->call) return !all_finite(bound->pointers[0], action->elements);
    for (size_t i = 0; action->primitive && i < action->count; i++) {
        if (action->arguments[i] != GIG_ARG_DST) continue;
        size_t count = action->primitive->layouts[GIG_ARG_DST]->bytes / sizeof(float);
        if (!all_finite(gig_session_at(session, action->places[i]), count)) return 1;
    }
    return 0;
}

gig_status gig_session_blame(const gig_session *session, const char *what)
{
    const gig_plan *plan = &session->network->plan;
    for (size_t p = 0; p < plan->part_count; p++) {
        const gig_cell *point = &plan->cells[plan->parts[p].cell];
        if (!all_finite(gig_session_at(session, point->data), gig_tensor_count(&point->tensor)))
            return gig_fail(GIG_ENUMERIC, "the input of the model holds %s", what);
    }
    for (size_t i = 0; i < plan->forward.count; i++) {
        const gig_action *action = &plan->forward.items[i];
        if (run_action(session, action, &session->forward[i]) != GIG_OK || !action->node ||
            !spoiled(session, action, &session->forward[i]))
            continue;
        char text[160];
        gig_node_text(text, sizeof text, action->node);
        return gig_fail(GIG_ENUMERIC, "%s (%.40s): its result holds %s", text, action->node->op, what);
    }
    return gig_fail(GIG_ENUMERIC, "the model's value is %s", what);
}

static gig_status run_actions(gig_session *session, const gig_actions *list, const gig_bound *bound, double *seconds)
{
    gig_guard guard;
    int threads = session->network->options.operator_threads;
    gig_status status = GIG_OK;
    gig_guard_enter(&guard, threads > 1 ? threads : 1);
    for (size_t i = 0; i < list->count && status == GIG_OK; i++) {
        status = gig_interrupt_check();
        if (status != GIG_OK) break;
        double before = seconds ? gig_seconds_computed() : 0.0;
        status = run_action(session, &list->items[i], &bound[i]);
        if (seconds) seconds[i] += gig_seconds_computed() - before;
        if (status != GIG_OK && list->items[i].node) {
            char text[160];
            gig_fail_in(status, "%s", gig_node_text(text, sizeof text, list->items[i].node));
        }
    }
    gig_guard_leave(&guard);
    return status;
}

gig_status gig_session_forward(gig_session *session)
{
    return run_actions(session, &session->network->plan.forward, session->forward, session->forward_seconds);
}

gig_status gig_session_backward(gig_session *session)
{
    return run_actions(session, &session->network->plan.backward, session->backward, session->backward_seconds);
}
