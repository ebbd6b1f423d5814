/* SPDX-License-Identifier: Apache-2.0 */
/* Which cell holds the points, and the shapes of the inputs. */
#include "network/network.h"
#include <inttypes.h>
#include <string.h>

static const gig_tensor *bound_value(const gig_network_options *options, const char *name)
{
    for (size_t i = 0; i < options->bound_count; i++)
        if (strcmp(options->bound[i].name, name) == 0) return options->bound[i].value;
    return NULL;
}

gig_status gig_plan_choose_input(int *out, const gig_plan *plan)
{
    const gig_model *model = plan->model;
    const gig_network_options *options = plan->options;
    const char *name = options->at ? options->at : options->input;
    if (name) {
        GIG_TRY(gig_model_find_tensor(out, model, name));
        if (model->values[*out].constant) return gig_fail(GIG_EARG, "\"%.80s\" is a weight", name);
        return GIG_OK;
    }
    for (size_t i = 0; i < model->input_count; i++) {
        const gig_value *value = &model->values[model->inputs[i]];
        if (!gig_onnx_is_float(value->onnx_type) || bound_value(options, value->name)) continue;
        *out = model->inputs[i];
        return GIG_OK;
    }
    /* All inputs bound or whole: the output is a constant of them; the first input stands for the point. */
    const char *embedding = gig_embedding_of(model);
    if (embedding)
        return gig_fail(GIG_EUNSUPPORTED,
                        "the model has no floating-point input to explain: explain the embedding \"%.80s\" (--at)",
                        embedding);
    return gig_fail(GIG_EUNSUPPORTED, "the model has no floating-point input to explain");
}

static const gig_input_shape *given_shape(const gig_network_options *options, const char *name)
{
    for (size_t i = 0; i < options->shape_count; i++)
        if (strcmp(options->shapes[i].name, name) == 0) return &options->shapes[i];
    return NULL;
}

/* Declared dims with those given by the caller or the description put in; -1 if still free. */
static gig_status input_dims(int *rank, int64_t *dims, const gig_plan *plan, int cell)
{
    const gig_value *value = &plan->model->values[cell];
    const gig_input_shape *shape = given_shape(plan->options, value->name);
    const gig_pixels *pixels = &plan->options->pixels;
    *rank = value->rank;
    if (value->rank > 0) memcpy(dims, value->dims, (size_t)value->rank * sizeof *dims);
    if (shape) {
        if (shape->rank < 0 || shape->rank > GIG_MAX_RANK || (value->rank >= 0 && shape->rank != value->rank))
            return gig_fail(GIG_EARG, "input \"%.80s\": the given shape has rank %d, the model expects %d", value->name,
                            shape->rank, value->rank);
        for (int i = 0; i < shape->rank; i++) {
            int fixed = value->rank >= 0 && value->dims[i] >= 0 && i > 0;
            if (fixed && value->dims[i] != shape->dims[i])
                return gig_fail(GIG_EARG,
                                "input \"%.80s\": dimension %d is %" PRId64 " in the model, %" PRId64 " given",
                                value->name, i, value->dims[i], shape->dims[i]);
            dims[i] = shape->dims[i];
        }
        *rank = shape->rank;
    }
    if (cell == plan->input && pixels->enabled && !plan->options->at) {
        if (*rank != 4)
            return gig_fail(GIG_EARG, "input \"%.80s\" is not an image: its rank is %d, expected 4", value->name,
                            *rank);
        int64_t channels = pixels->grey ? 1 : 3;
        int64_t wanted[4] = {dims[0], channels, pixels->height, pixels->width};
        if (pixels->nhwc) wanted[1] = pixels->height, wanted[2] = pixels->width, wanted[3] = channels;
        for (int i = 1; i < 4; i++) {
            if (dims[i] >= 0 && dims[i] != wanted[i])
                return gig_fail(GIG_EARG, "input \"%.80s\": dimension %d is %" PRId64 ", pictures give %" PRId64,
                                value->name, i, dims[i], wanted[i]);
            dims[i] = wanted[i];
        }
    }
    return *rank < 0
               ? gig_fail(GIG_EARG, "input \"%.80s\" has no shape in the file; give one with --shape", value->name)
               : GIG_OK;
}

static gig_status set_shape(gig_plan *plan, int cell, int rank, const int64_t *dims)
{
    gig_cell *value = &plan->cells[cell];
    size_t count;
    for (int i = 0; i < rank; i++)
        if (dims[i] < 0)
            return gig_fail(GIG_EARG, "dimension %d of input \"%.80s\" is free: give the input a shape", i,
                            value->name);
    gig_status status = gig_size_of_dims(&count, rank, dims);
    if (status != GIG_OK) return gig_fail_in(status, "input \"%.80s\"", value->name);
    value->tensor = (gig_tensor){.type = GIG_FLOAT32, .rank = rank};
    if (rank) memcpy(value->tensor.dims, dims, (size_t)rank * sizeof *dims);
    value->known = 1;
    return GIG_OK;
}

/* Whether dim 0 of the input (`first` in the file, -1: free) counts points: it is free or 1; or the file was written
 * for several at once, and its output says so too; of an input of rank 4 an output that says nothing is enough, and a
 * picture's always counts them. */
static int counts_points(const gig_plan *plan, int64_t first)
{
    const gig_value *input = &plan->model->values[plan->input], *output = &plan->model->values[plan->output];
    if (first < 0 || first == 1 || plan->options->pixels.enabled) return 1;
    if (plan->options->whole) return 0;
    int64_t said = output->rank > 0 ? output->dims[0] : output->rank;
    return input->rank == 4 ? said < 0 || said == first : output->rank > 1 && said == first;
}

/* The same for a further input of the point: dim 0 is free or 1, or counts as many as that of the first input. */
static int counts_too(const gig_value *value, int rank, const int64_t *dims, int64_t counted)
{
    int64_t first = value->rank > 0 && value->dims[0] > 0 ? value->dims[0] : dims[0];
    return rank > 0 && (first < 0 || first == 1 || first == counted);
}

/* Where dim 0 of one input does not count points, the point is all that the file takes at once. */
static gig_status find_batch(int *out, gig_plan *plan, int64_t batch)
{
    const gig_value *value = &plan->model->values[plan->input];
    int64_t first = value->rank > 0 ? value->dims[0] : -1;
    int counts = 1;
    for (size_t p = 0; p < plan->part_count && counts; p++) {
        int rank = 0;
        int64_t dims[GIG_MAX_RANK] = {0};
        GIG_TRY(input_dims(&rank, dims, plan, plan->parts[p].cell));
        counts = p ? counts_too(&plan->model->values[plan->parts[p].cell], rank, dims, first)
                   : rank > 0 && counts_points(plan, first);
    }
    plan->batch = counts ? batch : 1;
    plan->file_batch = counts && first > 0 ? first : 0;
    *out = counts;
    return GIG_OK;
}

/* The point, with its batch. */
gig_status gig_plan_shape_point(gig_plan *plan, int64_t batch)
{
    int counts;
    GIG_TRY(find_batch(&counts, plan, batch));
    for (size_t p = 0; p < plan->part_count; p++) {
        int rank = 0, cell = plan->parts[p].cell;
        int64_t dims[GIG_MAX_RANK] = {0};
        GIG_TRY(input_dims(&rank, dims, plan, cell));
        if (rank > 0 && (counts || dims[0] < 0)) dims[0] = plan->batch;
        GIG_TRY(set_shape(plan, cell, rank, dims));
        plan->cells[cell].depends = 1;
        plan->cells[cell].onnx_type = GIG_ONNX_FLOAT;
    }
    return GIG_OK;
}

static gig_status bind_constant(gig_cell *cell, const gig_tensor *value, const gig_value *declared)
{
    gig_type wanted =
        declared->onnx_type == GIG_ONNX_UNKNOWN || gig_onnx_is_float(declared->onnx_type) ? GIG_FLOAT32 : GIG_INT64;
    if (declared->onnx_type != GIG_ONNX_UNKNOWN && value->type != wanted)
        return gig_fail(GIG_EARG, "input \"%.80s\" takes %s numbers", cell->name,
                        wanted == GIG_FLOAT32 ? "real" : "whole");
    for (int i = 0; declared->rank >= 0 && i < declared->rank; i++)
        if (value->rank != declared->rank || (declared->dims[i] >= 0 && value->dims[i] != declared->dims[i])) {
            char given[100], said[100];
            return gig_fail(GIG_EARG, "input \"%.80s\" is %s in the model, found %s", cell->name,
                            gig_dims_text(said, sizeof said, declared->rank, declared->dims),
                            gig_dims_text(given, sizeof given, value->rank, value->dims));
        }
    cell->tensor = *value;
    cell->known = 1;
    return GIG_OK;
}

/* A shape or a value for an input that does not exist is probably a typing error. */
static gig_status check_names(const gig_plan *plan)
{
    const gig_network_options *options = plan->options;
    const char *missing = NULL;
    for (size_t i = 0; i < options->shape_count; i++)
        if (!gig_model_input(plan->model, options->shapes[i].name)) missing = options->shapes[i].name;
    for (size_t i = 0; i < options->bound_count; i++)
        if (!gig_model_input(plan->model, options->bound[i].name)) missing = options->bound[i].name;
    return missing ? gig_fail(GIG_EARG, "the model has no input \"%.80s\"", missing) : GIG_OK;
}

/* ---- the inputs that points live in ---- */

static gig_status find_also(int *out, const gig_plan *plan, const char *name)
{
    const gig_model *model = plan->model;
    GIG_TRY(gig_model_find_tensor(out, model, name));
    const gig_value *value = &model->values[*out];
    if (!gig_model_input(model, name)) return gig_fail(GIG_EARG, "\"%.80s\" is not an input of the model", name);
    if (value->onnx_type != GIG_ONNX_UNKNOWN && !gig_onnx_is_float(value->onnx_type))
        return gig_fail(GIG_EARG, "input \"%.80s\" holds integers, which have no gradient", name);
    if (bound_value(plan->options, name))
        return gig_fail(GIG_EARG, "input \"%.80s\" is bound to a value: points cannot live in it", name);
    for (size_t p = 0; p < plan->part_count; p++)
        if (plan->parts[p].cell == *out) return gig_fail(GIG_EARG, "input \"%.80s\" is named twice", name);
    return GIG_OK;
}

gig_status gig_plan_list_parts(gig_plan *plan)
{
    const gig_network_options *options = plan->options;
    plan->parts = gig_plan_alloc(plan, options->also_count + 1, sizeof *plan->parts);
    if (!plan->parts) return gig_alloc_status();
    plan->parts[0] = (gig_part){.cell = plan->input, .gradient = GIG_NO_PLACE};
    plan->part_count = 1;
    for (size_t i = 0; i < options->also_count; i++) {
        gig_part part = {.gradient = GIG_NO_PLACE};
        GIG_TRY(find_also(&part.cell, plan, options->also[i]));
        plan->parts[plan->part_count++] = part;
    }
    return GIG_OK;
}

/* Every value starts as in the file: weights and bound inputs are constants. */
gig_status gig_plan_start_cells(gig_plan *plan)
{
    const gig_model *model = plan->model;
    GIG_TRY(check_names(plan));
    plan->cells = gig_plan_alloc(plan, model->value_count + 1, sizeof *plan->cells);
    plan->ops = gig_plan_alloc(plan, model->node_count + 1, sizeof *plan->ops);
    if (!plan->cells || !plan->ops) return gig_alloc_status();
    for (size_t i = 0; i < model->value_count; i++) {
        gig_cell *cell = &plan->cells[i];
        const gig_value *value = &model->values[i];
        *cell = (gig_cell){.name = value->name, .producer = -1, .home = -1, .reader = -1, .reordered = -1};
        cell->data = cell->diff = cell->held = cell->held_diff = GIG_NO_PLACE;
        cell->onnx_type = value->onnx_type;
        if (value->constant) {
            cell->tensor = *value->constant;
            cell->known = 1;
        }
    }
    for (size_t i = 0; i < model->input_count; i++) {
        const gig_tensor *value = bound_value(plan->options, model->values[model->inputs[i]].name);
        if (value) GIG_TRY(bind_constant(&plan->cells[model->inputs[i]], value, &model->values[model->inputs[i]]));
    }
    return GIG_OK;
}

/* With --at the model's own input is a constant: what does not pass through the tensor keeps its value. */
gig_status gig_plan_bind_outer_input(gig_plan *plan)
{
    const gig_network_options *options = plan->options;
    if (!options->at || !options->at_input) return GIG_OK;
    gig_plan outer = *plan;
    gig_network_options own = *options;
    own.at = NULL;
    outer.options = &own;
    int cell;
    GIG_TRY(gig_plan_choose_input(&cell, &outer));
    if (plan->cells[cell].known || cell == plan->input) return GIG_OK;
    return bind_constant(&plan->cells[cell], options->at_input, &plan->model->values[cell]);
}

/* ---- --at: the point lies inside the network ---- */

/* Is there a floating-point input without a value? */
static int has_open_input(const gig_plan *plan)
{
    for (size_t i = 0; i < plan->model->input_count; i++) {
        const gig_value *value = &plan->model->values[plan->model->inputs[i]];
        if (gig_onnx_is_float(value->onnx_type) && !bound_value(plan->options, value->name)) return 1;
    }
    return 0;
}

/* All inputs are bound (a text model's are integers): the tensor's value follows by folding. */
static gig_status fold_inner_point(gig_plan *plan)
{
    gig_network_options options = *plan->options;
    options.at = NULL;
    gig_plan whole = {.model = plan->model,
                      .options = &options,
                      .input = -1,
                      .output = plan->input,
                      .batch = 1,
                      .budget.work = gig_plan_most_folded(plan->model)};
    gig_status status = gig_plan_start_cells(&whole);
    if (status == GIG_OK) {
        whole.cells[whole.output].kept = GIG_KEPT_AS_OUTPUT;
        status = gig_plan_lower(&whole);
    }
    if (status == GIG_OK && !whole.cells[whole.output].tensor.data)
        status = gig_fail(GIG_EARG, "tensor \"%.80s\" has no value; bind every input", plan->cells[plan->input].name);
    if (status == GIG_OK) status = gig_tensor_copy(&plan->at_value, &whole.cells[whole.output].tensor);
    gig_plan_clear(&whole);
    return status;
}

/* A network of the whole model up to the tensor tells its shape and, where an input was given, its value. */
static gig_status run_inner_point(gig_plan *plan)
{
    gig_network_options options = *plan->options;
    const gig_tensor *input = options.at_input;
    options.at = NULL;
    options.at_input = NULL;
    options.batch = 1;
    options.plain = 0;
    options.output = plan->cells[plan->input].name;
    options.output_kind = GIG_OUTPUT_LOGITS;
    options.target = (gig_target){0};
    options.keep_count = 0;
    options.keep_last_map = 0;
    options.pixels.enabled = 0;
    gig_network *whole = NULL;
    gig_session *session = NULL;
    gig_status status = gig_network_create(&whole, plan->model, &options);
    if (status == GIG_OK && input && gig_tensor_count(input) != gig_network_features(whole))
        status = gig_fail(GIG_EARG, "the input given with --at has %zu values, the model takes %zu",
                          gig_tensor_count(input), gig_network_features(whole));
    if (status == GIG_OK && input) status = gig_session_create(&session, whole);
    if (status == GIG_OK && input) status = gig_session_output(&plan->at_value, session, input->real);
    if (status == GIG_OK && !input) {
        plan->at_value = whole->plan.cells[plan->input].tensor; /* the shape alone */
        plan->at_value.data = NULL;
    }
    gig_session_free(session);
    gig_network_free(whole);
    return status;
}

gig_status gig_plan_shape_inner_point(gig_plan *plan)
{
    GIG_TRY(has_open_input(plan) ? run_inner_point(plan) : fold_inner_point(plan));
    if (plan->at_value.type != GIG_FLOAT32)
        return gig_fail(GIG_EARG, "tensor \"%.80s\" holds integers", plan->cells[plan->input].name);
    plan->batch = 1;
    plan->file_batch = 0;
    plan->cells[plan->input].depends = 1;
    plan->cells[plan->input].onnx_type = GIG_ONNX_FLOAT;
    return set_shape(plan, plan->input, plan->at_value.rank, plan->at_value.dims);
}
