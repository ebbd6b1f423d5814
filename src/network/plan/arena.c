/* SPDX-License-Identifier: Apache-2.0 */
/* Gives every buffer an offset in one block: buffers whose lives overlap never share bytes. Largest first, lowest gap
 * that fits; lives follow from the actions that name the buffers. */
#include "network/plan.h"
#include <stdlib.h>

static void touch(gig_plan *plan, const gig_actions *list, int start)
{
    for (size_t a = 0; a < list->count; a++)
        for (size_t p = 0; p < list->items[a].count; p++) {
            int b = list->items[a].places[p].buffer, now = start + (int)a;
            if (b < 0) continue;
            gig_buffer *buffer = &plan->buffers[b];
            if (buffer->first < 0) buffer->first = now;
            if (now > buffer->last) buffer->last = now;
        }
}

static int larger_first(const void *a, const void *b, void *payload)
{
    const gig_buffer *buffers = payload;
    const gig_buffer *x = &buffers[*(const int *)a], *y = &buffers[*(const int *)b];
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return *(const int *)a - *(const int *)b;
}

static int lower_first(const void *a, const void *b, void *payload)
{
    const gig_buffer *buffers = payload;
    const gig_buffer *x = &buffers[*(const int *)a], *y = &buffers[*(const int *)b];
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    return *(const int *)a - *(const int *)b;
}

static int overlap(const gig_buffer *a, const gig_buffer *b)
{
    return a->first <= b->last && b->first <= a->last;
}

static size_t padded(size_t bytes)
{
    return (bytes + GIG_ALIGNMENT - 1) / GIG_ALIGNMENT * GIG_ALIGNMENT;
}

/* Lowest offset at which `buffer` fits between the `count` live neighbours (indices, sorted by offset). */
static size_t lowest_gap(const gig_plan *plan, const int *neighbours, size_t count, size_t bytes)
{
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const gig_buffer *other = &plan->buffers[neighbours[i]];
        if (other->offset >= at && other->offset - at >= bytes) return at;
        size_t end = other->offset + padded(other->bytes);
        if (end > at) at = end;
    }
    return at;
}

/* Largest first, each as low as it fits. Quadratic in the number of buffers. */
static gig_status place_sharing(gig_plan *plan, size_t *total)
{
    size_t count = plan->buffer_count;
    int *order = gig_alloc(count + 1, sizeof *order), *near = gig_alloc(count + 1, sizeof *near);
    gig_status status = order && near ? GIG_OK : gig_alloc_status();
    for (size_t i = 0; status == GIG_OK && i < count; i++) order[i] = (int)i;
    if (status == GIG_OK) qsort_r(order, count, sizeof *order, larger_first, plan->buffers);
    for (size_t i = 0; status == GIG_OK && i < count; i++) {
        gig_buffer *buffer = &plan->buffers[order[i]];
        if (buffer->first < 0) continue; /* never named by an action */
        size_t live = 0;
        for (size_t j = 0; j < i; j++)
            if (plan->buffers[order[j]].first >= 0 && overlap(buffer, &plan->buffers[order[j]]))
                near[live++] = order[j];
        qsort_r(near, live, sizeof *near, lower_first, plan->buffers);
        buffer->offset = lowest_gap(plan, near, live, padded(buffer->bytes));
        if (buffer->offset + padded(buffer->bytes) > *total) *total = buffer->offset + padded(buffer->bytes);
    }
    gig_free(order);
    gig_free(near);
    return status;
}

/* Without sharing, one after the other: for graphs with so many nodes that sharing would take minutes to plan. */
static void place_apart(gig_plan *plan, size_t *total)
{
    for (size_t i = 0; i < plan->buffer_count; i++) {
        if (plan->buffers[i].first < 0) continue;
        plan->buffers[i].offset = *total;
        *total += padded(plan->buffers[i].bytes);
    }
}

enum { MOST_SHARING = 4096 }; /* buffers: planned within a second or so */

gig_status gig_arena_place(gig_plan *plan)
{
    int end = (int)(plan->forward.count + plan->backward.count);
    touch(plan, &plan->forward, 0);
    touch(plan, &plan->backward, (int)plan->forward.count + 1); /* the head runs in between */
    for (size_t i = 0; i < plan->buffer_count; i++)
        if (plan->buffers[i].pinned) {
            plan->buffers[i].first = 0;
            plan->buffers[i].last = end + 1;
        }
    size_t total = 0;
    if (plan->buffer_count <= MOST_SHARING)
        GIG_TRY(place_sharing(plan, &total));
    else
        place_apart(plan, &total);
    plan->arena_bytes = total;
    size_t limit = gig_plan_memory(plan);
    if (total + plan->scratch_bytes > limit)
        return gig_fail(GIG_ELIMIT, "a session needs %zu bytes, %zu are allowed", total + plan->scratch_bytes, limit);
    return GIG_OK;
}
