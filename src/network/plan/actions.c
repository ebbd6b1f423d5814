/* SPDX-License-Identifier: Apache-2.0 */
/* Memory places and actions of a plan: the words in which steps say what they do. */
#include "network/plan.h"
#include <string.h>

/* A value already brought into another layout, so that several readers share one copy. */
typedef struct gig_reordered {
    int next; /* of the same value, -1 */
    dnnl_memory_desc_t md;
    gig_place place;
} gig_reordered;

void *gig_plan_alloc(gig_plan *plan, size_t count, size_t size)
{
    void *block = gig_alloc_zero(count, size);
    if (!block) return NULL;
    if (gig_grow((void **)&plan->blocks, &plan->block_capacity, plan->block_count + 1, sizeof(void *)) != GIG_OK) {
        gig_free(block);
        return NULL;
    }
    plan->blocks[plan->block_count++] = block;
    return block;
}

gig_status gig_plan_buffer(gig_place *out, gig_plan *plan, size_t bytes)
{
    *out = GIG_NO_PLACE;
    GIG_TRY(gig_grow((void **)&plan->buffers, &plan->buffer_capacity, plan->buffer_count + 1, sizeof *plan->buffers));
    plan->buffers[plan->buffer_count] = (gig_buffer){.bytes = bytes, .first = -1, .last = -1};
    out->buffer = (int)plan->buffer_count++;
    return GIG_OK;
}

gig_status gig_plan_action(gig_action **out, gig_plan *plan, const char *kind, size_t places)
{
    gig_actions *list = plan->backward_now ? &plan->backward : &plan->forward;
    GIG_TRY(gig_grow((void **)&list->items, &list->capacity, list->count + 1, sizeof *list->items));
    gig_action action = {.kind = kind, .node = plan->node};
    action.places = gig_plan_alloc(plan, places, sizeof *action.places);
    if (!action.places) return gig_alloc_status();
    list->items[list->count] = action;
    *out = &list->items[list->count++];
    return GIG_OK;
}

static gig_status keep_primitive(gig_plan *plan, dnnl_primitive_t primitive)
{
    gig_status status =
        gig_grow((void **)&plan->primitives, &plan->primitive_capacity, plan->primitive_count + 1, sizeof primitive);
    if (status != GIG_OK) {
        dnnl_primitive_destroy(primitive);
        return status;
    }
    plan->primitives[plan->primitive_count++] = primitive;
    return GIG_OK;
}

gig_status gig_plan_primitive(gig_action **out, gig_plan *plan, const char *kind, dnnl_primitive_desc_t pd)
{
    dnnl_primitive_t primitive = NULL;
    size_t scratch = gig_md_bytes(dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0));
    gig_status status = gig_dnnl_check(dnnl_primitive_create(&primitive, pd), kind);
    dnnl_primitive_desc_destroy(pd);
    GIG_TRY(status);
    GIG_TRY(keep_primitive(plan, primitive));
    if (scratch > plan->scratch_bytes) plan->scratch_bytes = scratch;
    GIG_TRY(gig_plan_action(out, plan, kind, GIG_ACTION_PLACES));
    gig_action *action = *out;
    action->primitive = primitive;
    action->arguments = gig_plan_alloc(plan, GIG_ACTION_PLACES, sizeof *action->arguments);
    action->mds = gig_plan_alloc(plan, GIG_ACTION_PLACES, sizeof *action->mds);
    return action->arguments && action->mds ? GIG_OK : gig_alloc_status();
}

void gig_action_argument(gig_action *action, int argument, const dnnl_memory_desc_t *md, gig_place place)
{
    action->arguments[action->count] = argument;
    action->mds[action->count] = *md;
    action->places[action->count++] = place;
}

gig_status gig_plan_call(gig_action **out, gig_plan *plan, const char *kind, gig_call call, size_t elements)
{
    GIG_TRY(gig_plan_action(out, plan, kind, GIG_ACTION_PLACES));
    (*out)->call = call;
    (*out)->elements = elements;
    return GIG_OK;
}

void gig_action_place(gig_action *action, gig_place place)
{
    action->places[action->count++] = place;
}

gig_status gig_plan_reorder(gig_plan *plan, const char *kind, const dnnl_memory_desc_t *from_md, gig_place from,
                            const dnnl_memory_desc_t *to_md, gig_place to)
{
    gig_action *action;
    if (gig_md_same(from_md, to_md)) {
        GIG_TRY(gig_plan_call(&action, plan, kind, gig_call_copy, gig_md_bytes(to_md) / sizeof(float)));
        gig_action_place(action, to);
        gig_action_place(action, from);
        return GIG_OK;
    }
    dnnl_primitive_attr_t attr;
    GIG_TRY(gig_attr_create(&attr));
    dnnl_primitive_desc_t pd = NULL;
    gig_status status = gig_dnnl_check(
        dnnl_reorder_primitive_desc_create(&pd, from_md, plan->engine, to_md, plan->engine, attr), "reorder");
    dnnl_primitive_attr_destroy(attr);
    GIG_TRY(status);
    GIG_TRY(gig_plan_primitive(&action, plan, kind, pd));
    gig_action_argument(action, DNNL_ARG_FROM, from_md, from);
    gig_action_argument(action, DNNL_ARG_TO, to_md, to);
    return GIG_OK;
}

gig_status gig_plan_pack(void **out, gig_plan *plan, const dnnl_memory_desc_t *from_md, const void *from,
                         const dnnl_memory_desc_t *to_md)
{
    *out = NULL;
    void *packed = gig_plan_alloc(plan, gig_md_bytes(to_md), 1);
    if (!packed) return gig_alloc_status();
    dnnl_memory_t source = NULL, target = NULL;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t reorder = NULL;
    void *readable = (void *)(uintptr_t)from; /* oneDNN's memory has no const */
    dnnl_status_t status = dnnl_memory_create(&source, from_md, plan->engine, readable);
    if (!status) status = dnnl_memory_create(&target, to_md, plan->engine, packed);
    if (!status) status = dnnl_reorder_primitive_desc_create(&pd, from_md, plan->engine, to_md, plan->engine, NULL);
    if (!status) status = dnnl_primitive_create(&reorder, pd);
    dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, source}, {DNNL_ARG_TO, target}};
    if (!status) status = dnnl_primitive_execute(reorder, plan->stream, 2, arguments);
    if (!status) status = dnnl_stream_wait(plan->stream);
    if (reorder) dnnl_primitive_destroy(reorder);
    if (pd) dnnl_primitive_desc_destroy(pd);
    if (source) dnnl_memory_destroy(source);
    if (target) dnnl_memory_destroy(target);
    if (status) return gig_dnnl_check(status, "packing weights");
    *out = packed;
    return GIG_OK;
}

gig_status gig_plan_data_as(gig_place *out, gig_plan *plan, int cell, const dnnl_memory_desc_t *md)
{
    gig_cell *value = &plan->cells[cell];
    *out = value->data;
    if (gig_md_same(&value->md, md)) return GIG_OK;
    for (int i = value->reordered; i >= 0; i = plan->reordered[i].next)
        if (gig_md_same(&plan->reordered[i].md, md)) {
            *out = plan->reordered[i].place;
            return GIG_OK;
        }
    GIG_TRY(gig_plan_buffer(out, plan, gig_md_bytes(md)));
    GIG_TRY(gig_plan_reorder(plan, "Reorder", &value->md, value->data, md, *out));
    GIG_TRY(
        gig_grow((void **)&plan->reordered, &plan->reorder_capacity, plan->reorder_count + 1, sizeof *plan->reordered));
    plan->reordered[plan->reorder_count] = (gig_reordered){value->reordered, *md, *out};
    value->reordered = (int)plan->reorder_count++;
    return GIG_OK;
}

gig_status gig_plan_data_plain(gig_place *out, gig_plan *plan, int cell)
{
    gig_cell *value = &plan->cells[cell];
    if (value->tensor.data) {
        *out = (gig_place){-1, 0, value->tensor.data};
        return GIG_OK;
    }
    if (value->tensor.type != GIG_REAL || gig_md_is_plain(&value->md)) {
        *out = value->data;
        return GIG_OK;
    }
    dnnl_memory_desc_t plain;
    GIG_TRY(gig_md_plain(&plain, &value->tensor));
    return gig_plan_data_as(out, plan, cell, &plain);
}

/* The joint buffer of a Concat, itself perhaps part of another one. */
static gig_status place_joint(gig_plan *plan, gig_cell *joint)
{
    if (joint->placed) return GIG_OK;
    joint->placed = 1;
    if (joint->home < 0) return gig_plan_buffer(&joint->data, plan, gig_tensor_bytes(&joint->tensor));
    GIG_TRY(place_joint(plan, &plan->cells[joint->home]));
    joint->data = plan->cells[joint->home].data;
    joint->data.offset += joint->home_offset * sizeof(float);
    joint->shared = 1;
    return GIG_OK;
}

gig_status gig_plan_place(gig_plan *plan, int cell, const dnnl_memory_desc_t *md)
{
    gig_cell *value = &plan->cells[cell];
    value->md = *md;
    if (value->home >= 0 && gig_md_channel_block(md)) {
        /* Whoever would write over the joint buffer would write over this part of it. */
        for (int joint = value->home; joint >= 0 && value->needed_again; joint = plan->cells[joint].home)
            plan->cells[joint].needed_again = 1;
        return place_joint(plan, value);
    }
    value->home = -1;
    value->placed = 1;
    return gig_plan_buffer(&value->data, plan, gig_md_bytes(md));
}

/* ---- gradients ---- */

static gig_status add_into(gig_plan *plan, gig_place sum, gig_place term, size_t bytes)
{
    gig_action *action;
    GIG_TRY(gig_plan_call(&action, plan, "Accumulate", gig_call_add, bytes / sizeof(float)));
    gig_action_place(action, sum);
    gig_action_place(action, term);
    return GIG_OK;
}

gig_status gig_plan_diff_begin(gig_place *out, gig_plan *plan, int cell, const dnnl_memory_desc_t *md)
{
    gig_cell *value = &plan->cells[cell];
    int direct = !value->diff_started && gig_md_same(&value->md, md);
    GIG_TRY(gig_plan_buffer(out, plan, gig_md_bytes(md)));
    if (direct) value->diff = *out;
    return GIG_OK;
}

gig_status gig_plan_diff_end(gig_plan *plan, int cell, const dnnl_memory_desc_t *md, gig_place written)
{
    gig_cell *value = &plan->cells[cell];
    if (!value->diff_started && gig_md_same(&value->md, md)) {
        value->diff = written;
        value->diff_started = 1;
        return GIG_OK;
    }
    if (!gig_md_same(&value->md, md)) {
        gig_place moved;
        GIG_TRY(gig_plan_buffer(&moved, plan, gig_md_bytes(&value->md)));
        GIG_TRY(gig_plan_reorder(plan, "Reorder", md, written, &value->md, moved));
        written = moved;
        if (!value->diff_started) {
            value->diff = written;
            value->diff_started = 1;
            return GIG_OK;
        }
    }
    return add_into(plan, value->diff, written, gig_md_bytes(&value->md));
}

gig_status gig_plan_diff_take(gig_plan *plan, int cell, const dnnl_memory_desc_t *md, gig_place ready)
{
    return gig_plan_diff_end(plan, cell, md, ready);
}

gig_status gig_plan_diff_copy(gig_plan *plan, int cell, const dnnl_memory_desc_t *md, gig_place ready)
{
    gig_cell *value = &plan->cells[cell];
    if (value->diff_started || !gig_md_same(&value->md, md)) return gig_plan_diff_end(plan, cell, md, ready);
    gig_place copy;
    GIG_TRY(gig_plan_buffer(&copy, plan, gig_md_bytes(md)));
    GIG_TRY(gig_plan_reorder(plan, "Copy", md, ready, md, copy));
    return gig_plan_diff_end(plan, cell, md, copy);
}

gig_status gig_plan_diff_plain(gig_place *out, gig_plan *plan, int cell)
{
    gig_cell *value = &plan->cells[cell];
    *out = value->diff;
    if (gig_md_is_plain(&value->md)) return GIG_OK;
    dnnl_memory_desc_t plain;
    GIG_TRY(gig_md_plain(&plain, &value->tensor));
    GIG_TRY(gig_plan_buffer(out, plan, gig_md_bytes(&plain)));
    return gig_plan_reorder(plan, "Reorder", &value->md, value->diff, &plain, *out);
}

void gig_plan_clear(gig_plan *plan)
{
    for (size_t i = 0; i < plan->step_count; i++)
        if (plan->steps[i].folded) {
            gig_tensor_clear(&plan->steps[i].weights);
            gig_tensor_clear(&plan->steps[i].bias);
        }
    for (size_t i = 0; i < plan->primitive_count; i++) dnnl_primitive_destroy(plan->primitives[i]);
    for (size_t i = 0; plan->cells && i < plan->model->value_count; i++)
        if (plan->cells[i].owned) gig_tensor_clear(&plan->cells[i].tensor);
    for (size_t i = 0; plan->ops && i < plan->model->node_count; i++) gig_free(plan->ops[i].params);
    for (size_t i = 0; i < plan->block_count; i++) gig_free(plan->blocks[i]);
    gig_free(plan->blocks);
    gig_free(plan->primitives);
    gig_free(plan->buffers);
    gig_free(plan->forward.items);
    gig_free(plan->backward.items);
    gig_free(plan->reordered);
    gig_tensor_clear(&plan->at_value);
    if (plan->stream) dnnl_stream_destroy(plan->stream);
    if (plan->engine) dnnl_engine_destroy(plan->engine);
    *plan = (gig_plan){0};
}
