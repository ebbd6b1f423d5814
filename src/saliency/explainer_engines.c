/* SPDX-License-Identifier: Apache-2.0 */
/* Networks and sessions of an explainer, made when first needed. Pictures have one set of networks, raw tensors
 * another. A set is rebuilt if a tensor has another shape, or (with `at` or other bound inputs) other values. */
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

static void stop(gig_explainer *explainer, int tensor)
{
    for (int use = 0; use < GIG_USES; use++) close_engine(&explainer->engines[tensor][use]);
    gig_raw_clear(&explainer->raw[tensor]);
}

void gig_explainer_drop_networks(gig_explainer *explainer)
{
    for (int use = 0; use < 2 * GIG_USES; use++) close_engine(&explainer->engines[use / GIG_USES][use % GIG_USES]);
}

void gig_explainer_stop(gig_explainer *explainer)
{
    stop(explainer, 0);
    stop(explainer, 1);
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

static gig_status complete(gig_explainer *explainer)
{
    if (explainer->complete) return GIG_OK;
    if (explainer->options.at)
        return gig_fail(GIG_EARG, "points at tensor \"%.80s\" are not pictures: give the model's input as tensors",
                        explainer->options.at);
    use_shapes(explainer);
    GIG_TRY(gig_description_complete(explainer->description, explainer->model));
    explainer->complete = 1;
    return GIG_OK;
}

gig_status gig_explainer_prepare(gig_explainer *explainer, const gig_input *input)
{
    static const gig_input any_picture = {.file = ""};
    if (explainer->functions) return GIG_OK;
    int tensor = input && gig_input_is_tensor(input);
    if (!tensor) GIG_TRY(complete(explainer));
    if (explainer->raw[tensor].made && !gig_explainer_changes(explainer, input)) return GIG_OK;
    stop(explainer, tensor);
    gig_status status = gig_explainer_prepare_raw(explainer, input ? input : &any_picture);
    if (status != GIG_OK) gig_raw_clear(&explainer->raw[tensor]);
    return status;
}

/* ---- making them ---- */

static gig_network_options network_options(const gig_explainer *explainer, int tensor, gig_use use)
{
    const gig_explainer_options *given = &explainer->options;
    const gig_description *about = explainer->description;
    const gig_raw *raw = &explainer->raw[tensor];
    gig_network_options out = {.batch = given->batch ? given->batch : 1,
                               .precision = given->precision,
                               .blocking = given->blocking,
                               .portable = given->portable,
                               .operator_threads = given->operator_threads,
                               .max_memory = given->max_memory,
                               .input = explainer->named_count ? raw->main : given->input,
                               .also_count = raw->also_count,
                               .also = raw->also,
                               .output = given->output ? given->output : about->output_name,
                               .output_kind = about->output,
                               .bound_count = raw->bound_count,
                               .bound = raw->bound,
                               .shape_count = raw->shape_count,
                               .shapes = raw->shapes,
                               .guided_relu = use == GIG_USE_GUIDED,
                               .target = explainer->aim};
    if (tensor) {
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
    const gig_tensor *point = &explainer->raw[1].point;
    size_t features = gig_network_part_features(engine->network, 0);
    if (explainer->options.at || point->rank < 0 || gig_tensor_count(point) == features) return GIG_OK;
    int64_t dims[GIG_MAX_RANK];
    char given[160], wanted[160];
    int rank = gig_network_part_dims(engine->network, 0, dims);
    return gig_fail(GIG_EARG, "expected a tensor of shape %s, found %s",
                    gig_dims_text(wanted, sizeof wanted, rank, dims),
                    gig_dims_text(given, sizeof given, point->rank, point->dims));
}

gig_status gig_explainer_engine(gig_engine **out, gig_explainer *explainer, const gig_input *input, gig_use use,
                                size_t sessions)
{
    int tensor = input && gig_input_is_tensor(input);
    if (use == GIG_USE_CAM && explainer->options.keep_cam) use = GIG_USE_PLAIN;
    gig_engine *engine = &explainer->engines[tensor][use];
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
