/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the plan of a network: quantised operators and control flow written out, shapes found, operators lowered,
 * joined and fused, actions and memory settled. */
#include "network/network.h"
#include "network/plan/expand.h"

static gig_status choose_output(int *out, const gig_plan *plan)
{
    const char *name = plan->options->output;
    if (!name) {
        if (!plan->model->output_count) return gig_fail(GIG_EFORMAT, "the model has no output");
        *out = plan->model->outputs[0];
        return GIG_OK;
    }
    GIG_TRY(gig_model_find_tensor(out, plan->model, name));
    if (plan->model->values[*out].constant) return gig_fail(GIG_EARG, "\"%.80s\" is a weight, not an output", name);
    return GIG_OK;
}

static const gig_node *producer_of(const gig_model *model, int value)
{
    for (size_t n = model->node_count; n-- > 0;)
        for (size_t i = 0; i < model->nodes[n].output_count; i++)
            if (model->nodes[n].outputs[i] == value) return &model->nodes[n];
    return NULL;
}
static gig_status name_kept(gig_network *network, gig_plan *plan)
{
    const gig_network_options *options = &network->options;
    if (!network->keep) {
        network->keep = gig_alloc_zero(options->keep_count + 1, sizeof *network->keep);
        if (!network->keep) return gig_alloc_status();
    }
    network->keep_count = options->keep_count;
    for (size_t i = 0; i < options->keep_count; i++) {
        int cell;
        GIG_TRY(gig_model_find_tensor(&cell, plan->model, options->keep[i]));
        plan->cells[cell].kept |= GIG_KEPT_BY_NAME;
        network->keep[i] = cell;
    }
    return GIG_OK;
}

/* Before fusing could remove it. */
static gig_status keep_last_map(gig_network *network)
{
    gig_plan *plan = &network->plan;
    int cell;
    GIG_TRY(gig_plan_find_layer(&cell, plan));
    network->last_map = cell;
    if (!network->options.keep_last_map || cell < 0) return GIG_OK;
    plan->cells[cell].kept |= GIG_KEPT_BY_NAME;
    plan->cells[cell].uses++;
    network->keep[network->options.keep_count] = cell;
    network->keep_count = network->options.keep_count + 1;
    return GIG_OK;
}

/* Both directions of all convolutions share one order of data, by a rule that does not depend on timings, so that bits
 * do not either:
 *
 *   instructions          f32   with bf16 products   why
 *   AMX                   16    oneDNN's             Intel: 16 channels fill a register, and two units work on them
 *   AVX-512 with bf16     8     16                   Intel and AMD; bf16 kernels know blocks of 16 only
 *   AVX-512, AVX2         8     refused              what our own kernels (tiles, 1 x 1, few channels) know
 *   less                  oneDNN's
 *
 * With AVX-512 our own kernels take two blocks of 8 at once. */
static int block_of(const gig_network_options *options)
{
    int halves = options->precision != GIG_F32 && !options->emulate_bf16;
    if (options->blocking == GIG_BLOCKING_ANY) return 0;
    if (options->blocking != GIG_BLOCKING_AUTO && !halves) return options->blocking == GIG_BLOCKING_16 ? 16 : 8;
    if (gig_cpu_has_amx()) return halves ? 0 : 16;
    if (halves) return gig_cpu_has_bf16() ? 16 : 0;
    return gig_cpu_has_avx2() ? 8 : 0;
}

gig_blocking gig_network_blocking(const gig_network *network)
{
    if (!network) return (gig_blocking)0;
    if (network->options.blocking != GIG_BLOCKING_AUTO) return network->options.blocking;
    int block = block_of(&network->options);
    return block == 16 ? GIG_BLOCKING_16 : block ? GIG_BLOCKING_8 : GIG_BLOCKING_ANY;
}

/* Up to the point's shape. */
static gig_status start_plan(gig_plan *plan, gig_network *network, const gig_model *model, int64_t batch)
{
    plan->model = model;
    plan->options = &network->options;
    plan->seed = GIG_NO_PLACE;
    plan->guided = network->options.guided_relu;
    plan->plain = network->options.plain;
    GIG_TRY(gig_onednn_create(&plan->engine));
    gig_onednn_set_block(plan->engine, block_of(&network->options));
    GIG_TRY(gig_plan_choose_input(&plan->input, plan));
    GIG_TRY(gig_plan_start_cells(plan));
    GIG_TRY(gig_plan_list_parts(plan));
    GIG_TRY(gig_plan_bind_outer_input(plan));
    GIG_TRY(choose_output(&plan->output, plan));
    plan->cells[plan->output].kept |= GIG_KEPT_AS_OUTPUT;
    GIG_TRY(name_kept(network, plan));
    if (network->options.at && producer_of(model, plan->input)) return gig_plan_shape_inner_point(plan);
    return gig_plan_shape_point(plan, batch);
}

static int needs_writing_out(const gig_model *model)
{
    for (size_t n = 0; n < model->node_count; n++)
        if (gig_is_quantized_operator(&model->nodes[n]) || gig_is_control_flow(&model->nodes[n])) return 1;
    return 0;
}

/* Control flow is expanded as far as shapes and constants are known, which makes more of them known, and so on. What
 * remains is not needed, or lowering reports what is missing. */
static gig_status write_out(gig_expansion *x, gig_network *network, int64_t batch)
{
    double folding_left = gig_plan_most_folded(&x->model); /* of all rounds */
    GIG_TRY(gig_expand_quantized(x));
    for (size_t progress = 1, rounds = 0; progress; rounds++) {
        gig_plan known = {0};
        int open = 0;
        for (size_t n = 0; n < x->model.node_count; n++) open |= gig_is_control_flow(&x->model.nodes[n]);
        if (!open) return GIG_OK;
        if (rounds == 1000)
            return gig_fail(GIG_ELIMIT, "control flow in more than 1000 steps, each needing the one before");
        if (!x->model.by_name) GIG_TRY(gig_expansion_settle(x));
        const gig_model before = x->model; /* the plan counts its values; they become more */
        gig_status status = start_plan(&known, network, &before, batch);
        known.budget.work = folding_left;
        if (status == GIG_OK) status = gig_plan_lower_known(&known);
        folding_left = known.budget.work;
        if (status == GIG_OK) status = gig_expand_flow(&progress, x, &known);
        if (status == GIG_OK) status = gig_expand_quantized(x); /* those of subgraphs */
        gig_plan_clear(&known);
        GIG_TRY(status);
    }
    return GIG_OK;
}

gig_status gig_network_make_plan(gig_network *network, const gig_model *model, int64_t batch)
{
    gig_plan *plan = &network->plan;
    *plan = (gig_plan){0};
    if (needs_writing_out(model)) {
        gig_expansion *x;
        GIG_TRY(gig_expansion_create(&x, model));
        gig_status status = write_out(x, network, batch);
        if (status != GIG_OK) {
            gig_expansion_free(x);
            return status;
        }
        plan->expansion = x;
        model = &x->model;
    }
    GIG_TRY(start_plan(plan, network, model, batch));
    if (network->batch == 1 && plan->file_batch < 2 && !plan->expansion)
        plan->spent = network->spent; /* planned once */
    plan->budget.work = gig_plan_most_folded(model);
    GIG_TRY(gig_plan_lower(plan));
    if (!plan->cells[plan->output].known)
        return gig_fail(GIG_EFORMAT, "output \"%.80s\" is not produced by any node", plan->cells[plan->output].name);
    GIG_TRY(gig_network_settle_logits(network));
    GIG_TRY(keep_last_map(network));
    gig_plan_keep_conditions(plan);
    if (!plan->plain) GIG_TRY(gig_plan_join_all(plan));
    GIG_TRY(gig_plan_fuse(plan));
    GIG_TRY(gig_plan_emit(plan));
    gig_onednn_settle(plan->engine);
    return gig_arena_place(plan);
}
