/* SPDX-License-Identifier: Apache-2.0 */
/* Networks and sessions of an explainer, made when first needed. Pictures have one set of networks, raw tensors
 * another, which is rebuilt if a tensor has another shape, or (with `at` or other bound inputs) other values. */
#include "base/tensor.h"
#include "internal/workers.h"
#include "model/graph.h"
#include "network/network.h"
#include "saliency/explainer.h"
#include <string.h>

/* ---- engines ---- */

static void close_engine(gig_engine *engine)
{
    for (size_t i = 0; i < engine->session_count; i++) gig_session_free(engine->sessions[i]);
    gig_free(engine->sessions);
    gig_free(engine->functions);
    gig_network_free(engine->network);
    *engine = (gig_engine){0};
}

static void clear_raw(gig_raw *raw)
{
    for (size_t i = 0; i < raw->own_count; i++) gig_tensor_clear(&raw->owned[i]);
    for (size_t i = 0; i < raw->own_count; i++) gig_free((char *)(uintptr_t)raw->bound[i].name);
    gig_tensor_clear(&raw->point);
    gig_free(raw->owned);
    gig_free(raw->bound);
    gig_free(raw->shapes);
    *raw = (gig_raw){0};
}

static void stop_tensors(gig_explainer *explainer)
{
    for (int use = 0; use < GIG_USES; use++) close_engine(&explainer->tensors[use]);
    clear_raw(&explainer->raw);
}

void gig_explainer_drop_networks(gig_explainer *explainer)
{
    for (int use = 0; use < GIG_USES; use++) {
        close_engine(&explainer->pictures[use]);
        close_engine(&explainer->tensors[use]);
    }
}

void gig_explainer_stop(gig_explainer *explainer)
{
    gig_explainer_drop_networks(explainer);
    clear_raw(&explainer->raw);
}

/* ---- raw tensors ---- */

static int same_values(const gig_tensor *a, const gig_tensor *b)
{
    return a->type == b->type && gig_same_dims(a, b) && !memcmp(a->data, b->data, gig_tensor_bytes(a));
}

static int same_point(const gig_explainer *explainer, const gig_tensor *tensor)
{
    const gig_raw *raw = &explainer->raw;
    if (!tensor || raw->given.rank < 0) return !tensor && raw->given.rank < 0;
    if (tensor->type != raw->given.type || !gig_same_dims(tensor, &raw->given)) return 0;
    return !raw->point.data || !memcmp(tensor->data, raw->point.data, gig_tensor_bytes(tensor));
}

int gig_explainer_changes(const gig_explainer *explainer, const gig_input *input)
{
    const gig_raw *raw = &explainer->raw;
    if (!input || !gig_input_is_tensor(input) || !raw->made) return 0;
    if (input->bound_count != raw->own_count || !same_point(explainer, input->tensor)) return 1;
    for (size_t i = 0; i < raw->own_count; i++)
        if (strcmp(raw->bound[i].name, input->bound[i].name) || !same_values(&raw->owned[i], input->bound[i].value))
            return 1;
    return 0;
}

static int is_bound(const gig_raw *raw, const char *name)
{
    for (size_t i = 0; i < raw->bound_count; i++)
        if (!strcmp(raw->bound[i].name, name)) return 1;
    return 0;
}

/* The model input that the tensor is for: the named one, else the first that is not bound. */
static const gig_value *input_of(const gig_explainer *explainer)
{
    const gig_model *model = explainer->model;
    for (size_t i = 0; i < model->input_count; i++) {
        const gig_value *value = &model->values[model->inputs[i]];
        const char *named = explainer->options.input;
        if (named ? !strcmp(value->name, named) : !is_bound(&explainer->raw, value->name)) return value;
    }
    return NULL;
}

/* The tensor's dims as the model's input has them: with or without the leading 1 of one row. */
static gig_status fit_rank(gig_tensor *out, const gig_tensor *tensor, const gig_value *value, int rows)
{
    char given[160], wanted[160];
    *out = *tensor;
    if (!value || value->rank < 0 || value->rank == tensor->rank) return GIG_OK;
    if (tensor->rank == value->rank + 1 && (rows || tensor->dims[0] == 1)) {
        memmove(out->dims, tensor->dims + 1, (size_t)value->rank * sizeof *out->dims);
    } else if (rows) {
        return GIG_OK; /* the network reports what it expects */
    } else if (tensor->rank + 1 == value->rank) {
        memmove(out->dims + 1, tensor->dims, (size_t)tensor->rank * sizeof *out->dims);
        out->dims[0] = 1;
    } else {
        return gig_fail(GIG_EARG, "input \"%.80s\": expected a tensor of shape %s, found %s", value->name,
                        gig_dims_text(wanted, sizeof wanted, value->rank, value->dims),
                        gig_dims_text(given, sizeof given, tensor->rank, tensor->dims));
    }
    out->rank = value->rank;
    return GIG_OK;
}

static gig_status copy_bound(gig_raw *raw, const gig_explainer *explainer, const gig_input *input)
{
    const gig_explainer_options *options = &explainer->options;
    size_t total = input->bound_count + options->bound_count;
    raw->owned = gig_alloc_zero(input->bound_count, sizeof *raw->owned);
    raw->bound = raw->owned ? gig_alloc_zero(total, sizeof *raw->bound) : NULL;
    if (!raw->bound) return gig_alloc_status();
    for (size_t i = 0; i < input->bound_count; i++) {
        if (!input->bound[i].name || !input->bound[i].value)
            return gig_fail(GIG_EARG, "bound input %zu has no name or no value", i);
        char *name = gig_strdup(input->bound[i].name);
        raw->bound[i] = (gig_input_value){name, &raw->owned[i]};
        raw->own_count = i + 1;
        if (!name) return gig_alloc_status();
        GIG_TRY(gig_tensor_copy(&raw->owned[i], input->bound[i].value));
    }
    for (size_t i = 0; i < options->bound_count; i++) raw->bound[raw->own_count + i] = options->bound[i];
    raw->bound_count = total;
    return GIG_OK;
}

/* The given shapes, and that of the tensor itself if they do not include it. */
static gig_status list_shapes(gig_raw *raw, const gig_explainer *explainer, const gig_value *value)
{
    const gig_explainer_options *options = &explainer->options;
    int said = !value || raw->point.rank < 0;
    raw->shapes = gig_alloc_zero(options->shape_count + 1, sizeof *raw->shapes);
    if (!raw->shapes) return gig_alloc_status();
    for (size_t i = 0; i < options->shape_count; i++) {
        raw->shapes[i] = options->shapes[i];
        said = said || !strcmp(options->shapes[i].name, value->name);
    }
    raw->shape_count = options->shape_count;
    if (said) return GIG_OK;
    gig_input_shape *own = &raw->shapes[raw->shape_count++];
    *own = (gig_input_shape){.name = value->name, .rank = raw->point.rank};
    memcpy(own->dims, raw->point.dims, sizeof own->dims);
    return GIG_OK;
}

static gig_status keep_point(gig_raw *raw, const gig_explainer *explainer, const gig_tensor *fitted)
{
    if (explainer->options.at) return gig_tensor_copy(&raw->point, fitted);
    raw->point = *fitted; /* only its shape is needed */
    raw->point.data = NULL;
    return GIG_OK;
}

static gig_status prepare_tensors(gig_explainer *explainer, const gig_input *input)
{
    gig_raw *raw = &explainer->raw;
    const gig_tensor *tensor = input->tensor;
    gig_tensor fitted;
    if (!tensor && !explainer->options.at) return gig_fail(GIG_EARG, "the input has no tensor");
    if (tensor && tensor->type != GIG_FLOAT32)
        return gig_fail(GIG_EARG, "the input tensor has integer values: expected floating-point ones");
    GIG_TRY(copy_bound(raw, explainer, input));
    const gig_value *value = tensor ? input_of(explainer) : NULL;
    raw->point.rank = raw->given.rank = -1;
    if (tensor) {
        raw->given = *tensor;
        raw->given.data = NULL;
        GIG_TRY(fit_rank(&fitted, tensor, value, input->rows));
        GIG_TRY(keep_point(raw, explainer, &fitted));
    }
    GIG_TRY(list_shapes(raw, explainer, value));
    raw->made = 1;
    return GIG_OK;
}

/* ---- preparing ---- */

/* Shapes that the model leaves open hold for pictures too: [n,C,H,W] or [n,H,W,C]. */
static void use_shapes(gig_explainer *explainer)
{
    gig_pixels *pixels = &explainer->description->pixels;
    const char *name = explainer->description->input;
    for (size_t i = 0; i < explainer->options.shape_count; i++) {
        const gig_input_shape *shape = &explainer->options.shapes[i];
        if (shape->rank != 4 || pixels->width || pixels->height || (name && strcmp(name, shape->name))) continue;
        int planar = shape->dims[1] == 1 || shape->dims[1] == 3;
        pixels->height = (int)shape->dims[planar ? 2 : 1];
        pixels->width = (int)shape->dims[planar ? 3 : 2];
    }
}

gig_status gig_explainer_prepare(gig_explainer *explainer, const gig_input *input)
{
    if (explainer->functions) return GIG_OK;
    if (input && gig_input_is_tensor(input)) {
        if (explainer->raw.made && !gig_explainer_changes(explainer, input)) return GIG_OK;
        stop_tensors(explainer);
        gig_status status = prepare_tensors(explainer, input);
        if (status != GIG_OK) clear_raw(&explainer->raw);
        return status;
    }
    if (explainer->complete) return GIG_OK;
    if (explainer->options.at)
        return gig_fail(GIG_EARG, "points at tensor \"%.80s\" are not pictures: give the model's input as tensors",
                        explainer->options.at);
    use_shapes(explainer);
    GIG_TRY(gig_description_complete(explainer->description, explainer->model));
    explainer->complete = 1;
    return GIG_OK;
}

/* ---- making them ---- */

static gig_network_options network_options(const gig_explainer *explainer, int tensor, gig_use use)
{
    const gig_explainer_options *given = &explainer->options;
    const gig_description *about = explainer->description;
    gig_network_options out = {.batch = given->batch ? given->batch : 1,
                               .precision = given->precision,
                               .blocking = given->blocking,
                               .portable = given->portable,
                               .operator_threads = given->operator_threads,
                               .max_memory = given->max_memory,
                               .input = given->input,
                               .output = given->output ? given->output : about->output_name,
                               .output_kind = about->output,
                               .bound_count = given->bound_count,
                               .bound = given->bound,
                               .shape_count = given->shape_count,
                               .shapes = given->shapes,
                               .guided_relu = use == GIG_USE_GUIDED,
                               .target = explainer->aim};
    if (tensor) {
        const gig_raw *raw = &explainer->raw;
        out.bound_count = raw->bound_count;
        out.bound = raw->bound;
        out.shape_count = raw->shape_count;
        out.shapes = raw->shapes;
        out.at = given->at;
        out.at_input = given->at && raw->point.rank >= 0 ? &raw->point : NULL;
    } else {
        out.pixels = about->pixels;
        if (!out.input) out.input = about->input;
    }
    return out;
}

static int keeps_cam(const gig_explainer *explainer, gig_use use)
{
    return use == GIG_USE_CAM || (use == GIG_USE_PLAIN && explainer->options.keep_cam);
}

/* The layer: the caller's, else the description's, else the last tensor with rows and columns. */
static gig_status find_cam(gig_explainer *explainer, const gig_network *network)
{
    if (explainer->cam) return GIG_OK;
    const char *name = gig_network_last_map(network);
    if (!name) return gig_fail(GIG_EARG, "grad-cam: the model has no rank-4 tensor; name a layer with --at");
    explainer->cam = gig_strdup(name);
    explainer->cam_assumed = 1;
    return explainer->cam ? GIG_OK : gig_alloc_status();
}

static gig_status make_network(gig_engine *engine, gig_explainer *explainer, int tensor, gig_use use)
{
    gig_network_options wanted = network_options(explainer, tensor, use);
    const char *layer = explainer->cam;
    int cam = keeps_cam(explainer, use);
    if (cam && layer) {
        wanted.keep = &layer;
        wanted.keep_count = 1;
    }
    wanted.keep_last_map = cam && !layer;
    GIG_TRY(gig_network_create_spending(&engine->network, explainer->model, &wanted));
    if (cam) GIG_TRY(find_cam(explainer, engine->network));
    engine->sessions = gig_alloc_zero(explainer->threads, sizeof *engine->sessions);
    engine->functions = engine->sessions ? gig_alloc_zero(explainer->threads, sizeof *engine->functions) : NULL;
    return engine->functions ? GIG_OK : gig_alloc_status();
}

static gig_status check_features(const gig_explainer *explainer, const gig_engine *engine)
{
    const gig_tensor *point = &explainer->raw.point;
    size_t features = gig_network_features(engine->network);
    if (explainer->options.at || point->rank < 0 || gig_tensor_count(point) == features) return GIG_OK;
    int64_t dims[GIG_MAX_RANK];
    char given[160], wanted[160];
    int rank = gig_network_point_dims(engine->network, dims);
    return gig_fail(GIG_EARG, "expected a tensor of shape %s, found %s",
                    gig_dims_text(wanted, sizeof wanted, rank, dims),
                    gig_dims_text(given, sizeof given, point->rank, point->dims));
}

gig_status gig_explainer_engine(gig_engine **out, gig_explainer *explainer, const gig_input *input, gig_use use,
                                size_t sessions)
{
    int tensor = input && gig_input_is_tensor(input);
    if (use == GIG_USE_CAM && explainer->options.keep_cam) use = GIG_USE_PLAIN;
    gig_engine *engine = tensor ? &explainer->tensors[use] : &explainer->pictures[use];
    gig_status status = GIG_OK;
    if (!engine->network) status = make_network(engine, explainer, tensor, use);
    if (status == GIG_OK && tensor && !input->rows) status = check_features(explainer, engine);
    if (status != GIG_OK) {
        close_engine(engine);
        return status;
    }
    if (sessions > explainer->threads) sessions = explainer->threads;
    while (engine->session_count < sessions) {
        GIG_TRY(gig_session_create(&engine->sessions[engine->session_count], engine->network));
        engine->session_count++;
    }
    *out = engine;
    return GIG_OK;
}
