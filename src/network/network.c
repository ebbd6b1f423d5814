/* SPDX-License-Identifier: Apache-2.0 */
/* Creates a network: checks its options, plans it for the batch, and says what was assumed. */
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
    if (gig_network_branching_node(text, sizeof text, network))
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
