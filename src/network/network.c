/* SPDX-License-Identifier: Apache-2.0 */
/* Creates a network: finds the cells of the point and of the logits, the shapes and the batch; then plans it. */
#include "network/network.h"
#include "network/plan/expand.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

gig_status gig_network_remark_add(gig_network *network, const char *format, ...)
{
    if (network->remark_count == GIG_MAX_REMARKS) return GIG_OK;
    va_list arguments;
    va_start(arguments, format);
    char *text = network->remarks[network->remark_count];
    vsnprintf(text, sizeof network->remarks[0], format, arguments);
    va_end(arguments);
    gig_flatten(text);
    network->remark_count++;
    return GIG_OK;
}

/* ---- outputs ---- */

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

/* Whether a Softmax's groups are the rows of all classes: as many before the axis as there are points, one behind it
 * (in opsets before 13 the axis and all behind it are one). Judged once shapes are known. */
static int over_classes(const gig_plan *plan, const gig_node *node)
{
    const gig_tensor *in = &plan->cells[node->inputs[0]].tensor;
    int64_t axis = gig_node_int(node, "axis", node->opset >= 13 ? -1 : 1), before = 1, behind = 1;
    if (axis < 0) axis += in->rank;
    for (int i = 0; i < in->rank; i++) {
        if (i < axis) before *= in->dims[i];
        if (i > axis && node->opset >= 13) behind *= in->dims[i];
    }
    return before == plan->batch && behind == 1;
}

/* Whether an elementwise or grouped operator may be undone: its numbers stand where the output's do, and a Softmax runs
 * along the axis of the classes. */
static int runs_along_classes(const gig_plan *plan, const gig_node *node, int grouped)
{
    const gig_tensor *in = &plan->cells[node->inputs[0]].tensor, *output = &plan->cells[plan->output].tensor;
    const gig_classes *classes = &plan->classes;
    if (plan->options->target.kind == GIG_TARGET_WEIGHTS || classes->several) return 0;
    if (plan->options->target.kind == GIG_TARGET_CLASS) return !grouped || over_classes(plan, node);
    if (!grouped) return 1;
    if (!gig_same_dims(in, output) || classes->axis < 0 || node->opset < 13) return 0;
    int64_t axis = gig_node_int(node, "axis", -1);
    if (axis < 0) axis += in->rank;
    return axis == classes->axis + (output->dims[0] == plan->batch);
}

static int changes_no_value(const gig_op *op)
{
    if (op->row->flags & GIG_OP_VIEW) return 1;
    return op->row->kind == GIG_KIND_CAST && op->in[0]->type == GIG_FLOAT32 && op->out[0]->type == GIG_FLOAT32;
}

/* Looks through views for the operator that turned logits into probabilities. If its groups are not the classes of a
 * point, it is not undone: the output holds probabilities. */
static void find_logits(gig_plan *plan)
{
    int cell = plan->output;
    plan->logits = plan->output;
    plan->ends_in = plan->logits_hold = GIG_OUTPUT_LOGITS;
    for (;;) {
        const gig_cell *value = &plan->cells[cell];
        if (value->producer < 0 || cell == plan->input || value->tensor.data) return;
        const gig_op *op = &plan->ops[value->producer];
        if (!op->row) return;
        int from = op->node->inputs[0];
        if (changes_no_value(op)) {
            cell = from;
            continue;
        }
        gig_output_kind kind = op->row->makes;
        if (!kind || op->row->kind == GIG_KIND_HARD_SIGMOID || !plan->cells[from].depends) return;
        if (!runs_along_classes(plan, op->node, kind != GIG_OUTPUT_SIGMOID)) {
            plan->logits_hold = kind;
            return;
        }
        plan->logits = from;
        plan->ends_in = kind;
        return;
    }
}

static gig_status settle_logits(gig_network *network)
{
    gig_plan *plan = &network->plan;
    gig_output_kind said = network->options.output_kind;
    GIG_TRY(gig_plan_find_classes(plan));
    find_logits(plan);
    if (plan->ends_in == GIG_OUTPUT_LOGITS && plan->logits_hold == GIG_OUTPUT_LOGITS && said == GIG_OUTPUT_AUTO)
        GIG_TRY(gig_plan_kind_of_output(&plan->logits_hold, plan));
    if (said == GIG_OUTPUT_LOGITS && plan->ends_in != GIG_OUTPUT_LOGITS && network->options.output) {
        plan->logits = plan->output; /* an inner tensor asked for as it is */
        plan->ends_in = GIG_OUTPUT_LOGITS;
    }
    if (plan->ends_in == GIG_OUTPUT_LOGITS && said != GIG_OUTPUT_AUTO) plan->logits_hold = said;
    plan->cells[plan->logits].kept |= GIG_KEPT_AS_OUTPUT;
    plan->cells[plan->logits].uses++;
    return GIG_OK;
}

/* ---- making the plan ---- */

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
 *   AVX-512, AVX2         8     refused              what our own kernels (tiles, few channels) compute in
 *   less                  oneDNN's
 *
 * On AMD's AVX-512 the f32 peak is the same for 8 and 16 channels. */
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
    GIG_TRY(settle_logits(network));
    GIG_TRY(keep_last_map(network));
    gig_plan_keep_conditions(plan);
    if (!plan->plain) GIG_TRY(gig_plan_join_all(plan));
    GIG_TRY(gig_plan_fuse(plan));
    GIG_TRY(gig_plan_emit(plan));
    gig_onednn_settle(plan->engine);
    return gig_arena_place(plan);
}

int gig_network_part_dims(const gig_network *network, size_t i, int64_t dims[GIG_MAX_RANK])
{
    if (!network || i >= network->plan.part_count) return 0;
    const gig_plan *plan = &network->plan;
    const gig_tensor *part = &plan->cells[plan->parts[i].cell].tensor;
    int rank = 0;
    if (network->pixels.enabled && i == 0) {
        memcpy(dims, (const int64_t[]){network->pixels.height, network->pixels.width, 3}, 3 * sizeof *dims);
        return 3;
    }
    int skip = part->rank > 0 && (plan->file_batch || plan->batch > 1 || part->dims[0] == 1) && !network->options.at;
    for (int k = skip; k < part->rank; k++) dims[rank++] = part->dims[k];
    return rank;
}

static void describe_point(gig_network *network)
{
    gig_plan *plan = &network->plan;
    network->features = 0;
    for (size_t p = 0; p < plan->part_count; p++) {
        gig_part *part = &plan->parts[p];
        part->features = gig_tensor_count(&plan->cells[part->cell].tensor) / (size_t)(plan->batch ? plan->batch : 1);
        if (network->pixels.enabled && p == 0)
            part->features = (size_t)network->pixels.width * (size_t)network->pixels.height * 3;
        network->features += part->features;
    }
    network->point_rank = gig_network_part_dims(network, 0, network->point_dims);
    if (plan->part_count == 1) return;
    network->point_rank = 1;
    network->point_dims[0] = (int64_t)network->features;
}

/* One point gives one row of classes. If a bound input has n rows and so does the output, each row pairs the point with
 * one of them, and the output has no classes. (One value per row is fine: n texts scored for one picture. So is a
 * target that says which row, and an output of a higher rank, which needs one: a detector's features of each region.)
 */
static gig_status check_bound_rows(const gig_network *network)
{
    const gig_plan *plan = &network->plan;
    const gig_tensor *point = &plan->cells[plan->input].tensor, *output = &plan->cells[plan->output].tensor;
    if (plan->batch != 1 || network->options.at || point->rank < 2 || point->dims[0] != 1) return GIG_OK;
    if (network->options.target.kind != GIG_TARGET_CLASS || output->rank != 2) return GIG_OK;
    if (output->dims[0] < 2 || output->dims[1] < 2) return GIG_OK;
    for (size_t i = 0; i < network->options.bound_count; i++) {
        const gig_input_value *bound = &network->options.bound[i];
        if (bound->value->type == GIG_FLOAT32 && bound->value->rank > 0 && bound->value->dims[0] == output->dims[0])
            return gig_fail(GIG_EARG,
                            "input \"%.80s\" has %lld rows where a point has one, and the output has as many: give "
                            "one row of it at a time",
                            bound->name, (long long)output->dims[0]);
    }
    return GIG_OK;
}

static void say_what_was_assumed(gig_network *network)
{
    const gig_plan *plan = &network->plan;
    if (plan->model->reduced_precision)
        gig_network_remark_add(network, "float16, bfloat16 and double values are computed in float32");
    if (plan->model->output_count > 1 && !network->options.output)
        gig_network_remark_add(network, "the model has %zu outputs; the first, \"%.60s\", is used",
                               plan->model->output_count, plan->cells[plan->output].name);
    if (network->batch > 1 && plan->batch == 1 && !network->options.at)
        gig_network_remark_add(network, network->batch_too_large
                                            ? "the batch exceeds the memory: rows run one at a time"
                                            : "no batch dimension found; inputs run one at a time");
    if (plan->file_batch > 1 && plan->batch == plan->file_batch && plan->batch != (int64_t)network->batch)
        gig_network_remark_add(network, "the file only accepts batches of %lld; smaller ones cost as much",
                               (long long)plan->file_batch);
    char text[160];
    if (plan->expansion && plan->expansion->folded[0])
        gig_network_remark_add(network, "If with a constant condition: %s", plan->expansion->folded);
    if (gig_network_branching_node(text, sizeof text, network, 0))
        gig_network_remark_add(network, "%s (If): the input decides the branch, point by point; both are computed",
                               text);
    if (network->options.operator_threads > 1)
        gig_network_remark_add(network, "threads inside operators: bits may differ from those of one thread");
}

static gig_status check_precision(const gig_network_options *options)
{
    static const char *names[] = {"f32", "mixed", "split", "bf16"};
    if ((unsigned)options->precision > GIG_BF16)
        return gig_fail(GIG_EARG, "unknown precision %d", (int)options->precision);
    if (options->precision == GIG_F32 || options->emulate_bf16 || gig_cpu_has_amx()) return GIG_OK;
    if (options->precision == GIG_SPLIT)
        return gig_fail(GIG_EUNSUPPORTED,
                        "precision split needs a CPU with AMX (bfloat16 tiles); without, f32 is faster and exact");
    if (gig_cpu_has_bf16()) return GIG_OK;
    return gig_fail(GIG_EUNSUPPORTED,
                    "precision %s needs a CPU with bfloat16 (AVX-512 with bf16, or AMX); this one has none: use f32",
                    names[options->precision]);
}

/* Zero is not a default here: a zeroed struct would hide the picture, or divide by zero. */
static gig_status check_pixels(const gig_pixels *pixels)
{
    if (pixels->width < 1 || pixels->height < 1)
        return gig_fail(GIG_EARG, "pixels of %d x %d are not an image", pixels->width, pixels->height);
    if (!isfinite(pixels->scale) || pixels->scale == 0)
        return gig_fail(GIG_EARG, "the pixels' scale is %g", (double)pixels->scale);
    for (int c = 0; c < (pixels->grey ? 1 : 3); c++)
        if (!isfinite(pixels->mean[c]) || !isfinite(pixels->std[c]) || pixels->std[c] == 0)
            return gig_fail(GIG_EARG, "channel %d of the pixels has a mean of %g and a standard deviation of %g", c,
                            (double)pixels->mean[c], (double)pixels->std[c]);
    return GIG_OK;
}

static gig_status check_options(const gig_network_options *options)
{
    GIG_TRY(check_precision(options));
    if ((unsigned)options->blocking > GIG_BLOCKING_ANY)
        return gig_fail(GIG_EARG, "unknown blocking %d", (int)options->blocking);
    if ((unsigned)options->output_kind > GIG_OUTPUT_SIGMOID)
        return gig_fail(GIG_EARG, "unknown kind of output %d", (int)options->output_kind);
    if (options->batch > GIG_MAX_ELEMENTS)
        return gig_fail(GIG_ELIMIT, "a batch of %zu points is too large", options->batch);
    if ((options->keep_count && !options->keep) || (options->bound_count && !options->bound) ||
        (options->shape_count && !options->shapes) || (options->also_count && !options->also))
        return gig_fail(GIG_EARG, "a count of tensors is given without the tensors");
    for (size_t i = 0; i < options->bound_count; i++)
        if (!options->bound[i].name || !options->bound[i].value)
            return gig_fail(GIG_EARG, "bound input %zu has no name or no value", i);
    if (options->also_count && options->at)
        return gig_fail(GIG_EARG, "points at \"%.80s\" cannot live in other inputs too", options->at);
    if (options->pixels.enabled && options->at)
        return gig_fail(GIG_EARG, "points at \"%.80s\" cannot use pixel preprocessing: only the model's input can",
                        options->at);
    return options->pixels.enabled ? check_pixels(&options->pixels) : GIG_OK;
}

/* For the whole batch if possible; if not, the plan for one row reports the reason again. */
static gig_status plan_network(gig_network *network, const gig_model *model)
{
    if (network->batch > 1 && !network->options.at) {
        gig_status status = gig_network_plan_rows(network, model);
        if (network->plan.model) return status;
    }
    return gig_network_plan_row(network, model);
}

static gig_status create(gig_network **out, const gig_model *model, gig_model *spent,
                         const gig_network_options *options)
{
    GIG_NEED(out);
    *out = NULL;
    if (!model) return gig_fail(GIG_EARG, "there is no model");
    GIG_TRY(gig_cpu_set_portable(options && options->portable)); /* before anything asks what the CPU has */
    if (options) GIG_TRY(check_options(options));
    gig_network *network = gig_alloc_zero(1, sizeof *network);
    if (!network) return gig_alloc_status();
    if (options) network->options = *options;
    if (!network->options.batch) network->options.batch = 1;
    network->batch = network->options.batch;
    network->pixels = network->options.pixels;
    gig_guard guard;
    gig_guard_enter(&guard, network->options.operator_threads > 1 ? network->options.operator_threads : 1);
    network->spent = spent && gig_model_can_release(spent) ? spent : NULL;
    gig_status status = model->released ? gig_model_read_again(&network->again, model) : GIG_OK;
    const gig_model *whole = network->again ? network->again : model;
    if (network->again) network->spent = network->again;
    if (status == GIG_OK) status = plan_network(network, whole);
    gig_guard_leave(&guard);
    if (status == GIG_OK) status = check_bound_rows(network);
    if (status != GIG_OK) {
        gig_network_free(network);
        return *model->path ? gig_fail_in(status, "%.300s", model->path) : status;
    }
    describe_point(network);
    say_what_was_assumed(network);
    *out = network;
    return GIG_OK;
}

gig_status gig_network_create(gig_network **out, const gig_model *model, const gig_network_options *options)
{
    return create(out, model, NULL, options);
}

gig_status gig_network_create_spending(gig_network **out, gig_model *model, const gig_network_options *options)
{
    return create(out, model, model, options);
}

void gig_network_free(gig_network *network)
{
    if (!network) return;
    gig_plan_clear(&network->plan);
    gig_model_free(network->again); /* after the plan, whose names are its */
    gig_free(network->keep);
    gig_free(network);
}

size_t gig_network_features(const gig_network *network)
{
    if (!network) return 0;
    return network->features;
}

size_t gig_network_classes(const gig_network *network)
{
    if (!network) return 0;
    return network->plan.classes.count;
}

size_t gig_network_numbers(const gig_network *network)
{
    if (!network) return 0;
    return network->plan.numbers;
}

gig_status gig_network_expect_target(const gig_network *network)
{
    GIG_NEED(network);
    return gig_plan_expect_target(&network->plan);
}

gig_target_kind gig_network_target(const gig_network *network)
{
    if (!network) return (gig_target_kind)0;
    return network->options.target.kind;
}

void gig_network_region_size(const gig_network *network, size_t *height, size_t *width)
{
    if (!network) return;
    *height = network->plan.classes.height;
    *width = network->plan.classes.width;
}

size_t gig_network_batch(const gig_network *network)
{
    if (!network) return 0;
    return (size_t)network->plan.batch;
}

int gig_network_point_dims(const gig_network *network, int64_t dims[GIG_MAX_RANK])
{
    if (!network) return 0;
    memcpy(dims, network->point_dims, sizeof network->point_dims);
    return network->point_rank;
}

size_t gig_network_parts(const gig_network *network)
{
    if (!network) return 0;
    return network->plan.part_count;
}

const char *gig_network_part_name(const gig_network *network, size_t i)
{
    if (!network || i >= network->plan.part_count) return NULL;
    return network->plan.cells[network->plan.parts[i].cell].name;
}

size_t gig_network_part_features(const gig_network *network, size_t i)
{
    if (!network || i >= network->plan.part_count) return 0;
    return network->plan.parts[i].features;
}

const char *gig_network_remark(const gig_network *network, size_t i)
{
    if (!network) return NULL;
    return i < network->remark_count ? network->remarks[i] : NULL;
}

size_t gig_network_activation_bytes(const gig_network *network)
{
    if (!network) return 0;
    return network->plan.arena_bytes;
}

gig_output_kind gig_network_output_kind(const gig_network *network)
{
    if (!network) return (gig_output_kind)0;
    return network->plan.ends_in != GIG_OUTPUT_LOGITS ? network->plan.ends_in : network->plan.logits_hold;
}

gig_scalar gig_network_probability(const gig_network *network, gig_scalar scalar)
{
    if (!network) return (gig_scalar)0;
    if (scalar == GIG_VALUE || network->options.target.kind == GIG_TARGET_WEIGHTS) return GIG_VALUE;
    int sigmoid = scalar == GIG_SIGMOID || network->plan.classes.count == 1 ||
                  gig_network_output_kind(network) == GIG_OUTPUT_SIGMOID;
    return sigmoid ? GIG_SIGMOID : GIG_SOFTMAX;
}

const char *gig_network_last_map(const gig_network *network)
{
    if (!network || network->last_map < 0) return NULL;
    return network->plan.cells[network->last_map].name;
}

const float *gig_network_at_value(const gig_network *network)
{
    if (!network) return NULL;
    return network->plan.at_value.real;
}
