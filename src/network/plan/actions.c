/* SPDX-License-Identifier: Apache-2.0 */
/* Memory places and actions of a plan: the vocabulary of steps. */
#include "network/plan/expand.h"
#include <string.h>

/* A value already reordered to another layout, so that several readers share one copy. */
typedef struct gig_reordered {
    int next; /* of the same value, -1 */
    const gig_layout *layout;
    gig_place place;
} gig_reordered;

void gig_plan_spend_weights(gig_plan *plan, gig_step *step)
{
    int value = plan->ops[step->op].node->inputs[1];
    gig_cell *cell = &plan->cells[value];
    if (step->folded) gig_tensor_clear(&step->weights);
    if (!plan->spent || cell->uses != 1 || cell->kept || cell->owned || !plan->spent->values[value].constant) return;
    gig_model_release(plan->spent, value);
    cell->tensor.data = NULL;
    step->weights.data = NULL;
}

static void *adopt_block(gig_plan *plan, void *block)
{
    if (!block) return NULL;
    if (gig_grow((void **)&plan->owned.blocks, &plan->owned.capacity, plan->owned.count + 1, sizeof(void *)) !=
        GIG_OK) {
        gig_free(block);
        return NULL;
    }
    plan->owned.blocks[plan->owned.count++] = block;
    return block;
}

void *gig_plan_alloc(gig_plan *plan, size_t count, size_t size)
{
    return adopt_block(plan, gig_alloc_zero(count, size));
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
    gig_actions *list = plan->emitting.backward ? &plan->backward : &plan->forward;
    GIG_TRY(gig_grow((void **)&list->items, &list->capacity, list->count + 1, sizeof *list->items));
    gig_action action = {.kind = kind, .node = plan->emitting.node};
    action.places = gig_plan_alloc(plan, places, sizeof *action.places);
    if (!action.places) return gig_alloc_status();
    list->items[list->count] = action;
    *out = &list->items[list->count++];
    return GIG_OK;
}

gig_status gig_plan_primitive(gig_action **out, gig_plan *plan, const char *kind, gig_primitive *primitive)
{
    GIG_TRY(gig_primitive_compile(primitive, kind));
    if (primitive->scratch_bytes > plan->scratch_bytes) plan->scratch_bytes = primitive->scratch_bytes;
    GIG_TRY(gig_plan_action(out, plan, kind, GIG_ACTION_PLACES));
    gig_action *action = *out;
    action->primitive = primitive;
    action->arguments = gig_plan_alloc(plan, GIG_ACTION_PLACES, sizeof *action->arguments);
    return action->arguments ? GIG_OK : gig_alloc_status();
}

void gig_action_argument(gig_action *action, gig_argument argument, gig_place place)
{
    action->arguments[action->count] = argument;
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

gig_status gig_plan_reorder(gig_plan *plan, const char *kind, const gig_layout *from_layout, gig_place from,
                            const gig_layout *to_layout, gig_place to)
{
    gig_action *action;
    if (gig_layout_same(from_layout, to_layout)) {
        GIG_TRY(gig_plan_call(&action, plan, kind, gig_call_copy, to_layout->bytes / sizeof(float)));
        gig_action_place(action, to);
        gig_action_place(action, from);
        return GIG_OK;
    }
    gig_primitive *primitive;
    GIG_TRY(gig_reorder(&primitive, plan->engine, from_layout, to_layout));
    GIG_TRY(gig_plan_primitive(&action, plan, kind, primitive));
    gig_action_argument(action, GIG_ARG_SRC, from);
    gig_action_argument(action, GIG_ARG_DST, to);
    return GIG_OK;
}

gig_status gig_plan_pack(void **out, gig_plan *plan, const gig_layout *from_layout, const void *from,
                         const gig_layout *to_layout)
{
    *out = NULL;
    void *packed = adopt_block(plan, gig_alloc(to_layout->bytes, 1)); /* the reorder writes its padding too */
    if (!packed) return gig_alloc_status();
    GIG_TRY(gig_reorder_now(plan->engine, from_layout, from, to_layout, packed));
    *out = packed;
    return GIG_OK;
}

gig_status gig_plan_data_as(gig_place *out, gig_plan *plan, int cell, const gig_layout *layout)
{
    gig_cell *value = &plan->cells[cell];
    *out = value->data;
    if (gig_layout_same(value->layout, layout)) return GIG_OK;
    for (int i = value->reordered; i >= 0; i = plan->emitting.reordered[i].next)
        if (gig_layout_same(plan->emitting.reordered[i].layout, layout)) {
            *out = plan->emitting.reordered[i].place;
            return GIG_OK;
        }
    GIG_TRY(gig_plan_buffer(out, plan, layout->bytes));
    GIG_TRY(gig_plan_reorder(plan, "Reorder", value->layout, value->data, layout, *out));
    GIG_TRY(gig_grow((void **)&plan->emitting.reordered, &plan->emitting.reorder_capacity,
                     plan->emitting.reorder_count + 1, sizeof *plan->emitting.reordered));
    plan->emitting.reordered[plan->emitting.reorder_count] = (gig_reordered){value->reordered, layout, *out};
    value->reordered = (int)plan->emitting.reorder_count++;
    return GIG_OK;
}

gig_status gig_plan_data_plain(gig_place *out, gig_plan *plan, int cell)
{
    gig_cell *value = &plan->cells[cell];
    if (value->tensor.data) {
        *out = (gig_place){-1, 0, value->tensor.data};
        return GIG_OK;
    }
    if (value->tensor.type != GIG_FLOAT32 || !value->layout || value->layout->plain) {
        *out = value->data;
        return GIG_OK;
    }
    const gig_layout *plain;
    GIG_TRY(gig_layout_plain(&plain, plan->engine, &value->tensor));
    return gig_plan_data_as(out, plan, cell, plain);
}

/* Can a part in blocks of this size lie in its Concat's result? All parts have the blocks of the first. */
static int fits_home(const gig_plan *plan, const gig_cell *part, int block)
{
    if (part->home < 0 || (block != 8 && block != 16)) return 0;
    const gig_cell *joint = &plan->cells[part->home];
    return !joint->placed || joint->joint_block == block;
}

/* The joint buffer of a Concat, itself perhaps part of another one. */
static gig_status place_joint(gig_plan *plan, gig_cell *joint, int block)
{
    if (joint->placed) return GIG_OK;
    joint->placed = 1;
    joint->joint_block = block;
    if (!fits_home(plan, joint, block)) joint->home = -1;
    if (joint->home < 0) return gig_plan_buffer(&joint->data, plan, gig_tensor_bytes(&joint->tensor));
    GIG_TRY(place_joint(plan, &plan->cells[joint->home], block));
    joint->data = plan->cells[joint->home].data;
    joint->data.offset += joint->home_offset * sizeof(float);
    joint->shared = 1;
    return GIG_OK;
}

gig_status gig_plan_place(gig_plan *plan, int cell, const gig_layout *layout)
{
    gig_cell *value = &plan->cells[cell];
    value->layout = layout;
    if (fits_home(plan, value, layout->channel_block)) {
        /* Overwriting the joint buffer would overwrite this part of it. */
        for (int joint = value->home; joint >= 0 && value->needed_again; joint = plan->cells[joint].home)
            plan->cells[joint].needed_again = 1;
        return place_joint(plan, value, layout->channel_block);
    }
    value->home = -1;
    value->placed = 1;
    return gig_plan_buffer(&value->data, plan, layout->bytes);
}

gig_status gig_plan_place_over(gig_plan *plan, size_t s, int in, int out)
{
    const gig_cell *from = &plan->cells[in];
    gig_cell *to = &plan->cells[out];
    if (!gig_plan_last_use(plan, in, s) || to->home >= 0) return gig_plan_place(plan, out, from->layout);
    to->layout = from->layout;
    to->data = from->data;
    to->placed = 1;
    return GIG_OK;
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

gig_status gig_plan_diff_begin(gig_place *out, gig_plan *plan, int cell, const gig_layout *layout)
{
    gig_cell *value = &plan->cells[cell];
    int direct = !value->diff_started && gig_layout_same(value->layout, layout);
    GIG_TRY(gig_plan_buffer(out, plan, layout->bytes));
    if (direct) value->diff = *out;
    return GIG_OK;
}

gig_status gig_plan_diff_end(gig_plan *plan, int cell, const gig_layout *layout, gig_place written)
{
    gig_cell *value = &plan->cells[cell];
    if (!value->diff_started && gig_layout_same(value->layout, layout)) {
        value->diff = written;
        value->diff_started = 1;
        return GIG_OK;
    }
    if (!gig_layout_same(value->layout, layout)) {
        gig_place moved;
        GIG_TRY(gig_plan_buffer(&moved, plan, value->layout->bytes));
        GIG_TRY(gig_plan_reorder(plan, "Reorder", layout, written, value->layout, moved));
        written = moved;
        if (!value->diff_started) {
            value->diff = written;
            value->diff_started = 1;
            return GIG_OK;
        }
    }
    return add_into(plan, value->diff, written, value->layout->bytes);
}

gig_status gig_plan_diff_take(gig_plan *plan, int cell, const gig_layout *layout, gig_place ready)
{
    return gig_plan_diff_end(plan, cell, layout, ready);
}

gig_status gig_plan_diff_copy(gig_plan *plan, int cell, const gig_layout *layout, gig_place ready)
{
    gig_cell *value = &plan->cells[cell];
    if (value->diff_started || !gig_layout_same(value->layout, layout))
        return gig_plan_diff_end(plan, cell, layout, ready);
    gig_place copy;
    GIG_TRY(gig_plan_buffer(&copy, plan, layout->bytes));
    GIG_TRY(gig_plan_reorder(plan, "Copy", layout, ready, layout, copy));
    return gig_plan_diff_end(plan, cell, layout, copy);
}

gig_status gig_plan_diff_plain(gig_place *out, gig_plan *plan, int cell)
{
    gig_cell *value = &plan->cells[cell];
    *out = value->diff;
    if (value->layout->plain) return GIG_OK;
    const gig_layout *plain;
    GIG_TRY(gig_layout_plain(&plain, plan->engine, &value->tensor));
    GIG_TRY(gig_plan_buffer(out, plan, plain->bytes));
    return gig_plan_reorder(plan, "Reorder", value->layout, value->diff, plain, *out);
}

void gig_plan_clear(gig_plan *plan)
{
    for (size_t i = 0; i < plan->step_count; i++)
        if (plan->steps[i].folded) {
            gig_tensor_clear(&plan->steps[i].weights);
            gig_tensor_clear(&plan->steps[i].bias);
        }
    for (size_t i = 0; plan->cells && i < plan->model->value_count; i++)
        if (plan->cells[i].owned) gig_tensor_clear(&plan->cells[i].tensor);
    for (size_t i = 0; plan->ops && i < plan->model->node_count; i++) gig_free(plan->ops[i].params);
    for (size_t i = 0; i < plan->owned.count; i++) gig_free(plan->owned.blocks[i]);
    gig_free(plan->owned.blocks);
    gig_free(plan->buffers);
    gig_free(plan->forward.items);
    gig_free(plan->backward.items);
    gig_free(plan->emitting.reordered);
    gig_tensor_clear(&plan->at_value);
    gig_expansion_free(plan->expansion);
    gig_onednn_free(plan->engine);
    *plan = (gig_plan){0};
}
