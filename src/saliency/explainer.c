/* SPDX-License-Identifier: Apache-2.0 */
/* A model ready to explain: opening, closing, and queries. */
#include "saliency/explainer.h"
#include "internal/explainer.h"
#include "internal/workers.h"
#include "model/description.h"
#include "path/functions.h"
#include <stdio.h>
#include <string.h>

/* ---- scalars ---- */

static const char *const scalar_names[] = {[GIG_SOFTMAX] = "softmax",
                                           [GIG_LOGIT] = "logit",
                                           [GIG_LOG_PROBABILITY] = "logprob",
                                           [GIG_SIGMOID] = "sigmoid",
                                           [GIG_VALUE] = "value"};

const char *gig_scalar_name(gig_scalar scalar)
{
    size_t count = sizeof scalar_names / sizeof *scalar_names;
    return (size_t)scalar < count ? scalar_names[scalar] : "unknown";
}

gig_status gig_scalar_find(gig_scalar *out, const char *name)
{
    for (size_t i = 0; i < sizeof scalar_names / sizeof *scalar_names; i++)
        if (!strcmp(scalar_names[i], name)) {
            *out = (gig_scalar)i;
            return GIG_OK;
        }
    return gig_fail(GIG_EARG, "unknown scalar \"%.40s\"; expected softmax, logit, logprob, sigmoid or value", name);
}

/* ---- opening ---- */

/* Texts of the options, each replaced by a copy. */
static const char **texts_of(gig_explainer_options *options, size_t i)
{
    const char **texts[] = {&options->description, &options->preset,  &options->labels,        &options->input,
                            &options->output,      &options->at,      &options->cam,           &options->region,
                            &options->index,       &options->weights, &options->explain_inputs};
    return i < sizeof texts / sizeof *texts ? texts[i] : NULL;
}

static gig_status copy_options(gig_explainer *explainer, const gig_explainer_options *given)
{
    gig_status status = GIG_OK;
    const char **text;
    if (given) explainer->options = *given;
    for (size_t i = 0; (text = texts_of(&explainer->options, i)); i++) {
        if (!*text) continue;
        *text = status == GIG_OK ? gig_strdup(*text) : NULL; /* texts that were not copied must not be freed */
        if (!*text && status == GIG_OK) status = gig_alloc_status();
    }
    return status;
}

static gig_status describe(gig_explainer *explainer, const char *model_path)
{
    const gig_explainer_options *options = &explainer->options;
    const char *cam = options->cam;
    GIG_TRY(options->description ? gig_description_load_file(&explainer->description, options->description)
                                 : gig_description_load(&explainer->description, model_path));
    if (options->preset) GIG_TRY(gig_description_preset(explainer->description, options->preset));
    if (options->labels) GIG_TRY(gig_labels_replace(explainer->description, options->labels));
    if (!cam) cam = explainer->description->cam;
    explainer->cam = cam ? gig_strdup(cam) : NULL;
    return cam && !explainer->cam ? gig_alloc_status() : GIG_OK;
}

/* If the model takes pictures, errors of the model are found now, not at the first picture. */
static gig_status start(gig_explainer *explainer)
{
    gig_engine *engine;
    if (explainer->own.choice) GIG_TRY(gig_explainer_aim(explainer, explainer->own.choice));
    if (explainer->options.at) return GIG_OK;
    if (gig_explainer_prepare(explainer, NULL) != GIG_OK) return GIG_OK; /* the first picture reports why */
    if (explainer->options.lazy) return GIG_OK;
    return gig_explainer_engine(&engine, explainer, NULL, GIG_USE_PLAIN, 0);
}

gig_status gig_explainer_open(gig_explainer **out, const char *model_path, const gig_explainer_options *options)
{
    GIG_NEED(out);
    *out = NULL;
    gig_explainer *explainer = gig_alloc_zero(1, sizeof *explainer);
    if (!explainer) return gig_alloc_status();
    gig_status status;
    GIG_TRY_DONE(copy_options(explainer, options));
    explainer->threads = explainer->options.threads ? explainer->options.threads : gig_workers_default();
    GIG_TRY_DONE(gig_model_load(&explainer->model, model_path, NULL));
    GIG_TRY_DONE(describe(explainer, model_path));
    GIG_TRY_DONE(gig_explainer_read_named(explainer));
    GIG_TRY_DONE(gig_explainer_read_own_target(explainer));
    GIG_TRY_DONE(start(explainer));
    *out = explainer;
    explainer = NULL;
done:
    gig_explainer_close(explainer);
    return status;
}

gig_status gig_explainer_open_functions(gig_explainer **out, size_t count, const gig_function *functions,
                                        const gig_explainer_options *options)
{
    GIG_NEED(out);
    *out = NULL;
    if (!count || !functions) return gig_fail(GIG_EARG, "no functions: expected at least one");
    GIG_TRY(gig_functions_check((gig_functions){count, functions}));
    gig_explainer *explainer = gig_alloc_zero(1, sizeof *explainer);
    if (!explainer) return gig_alloc_status();
    if (options)
        explainer->options = (gig_explainer_options){.shape = options->shape, .max_memory = options->max_memory};
    explainer->threads = count;
    explainer->functions = functions;
    *out = explainer;
    return GIG_OK;
}

void gig_explainer_close(gig_explainer *explainer)
{
    const char **text;
    if (!explainer) return;
    gig_explainer_stop(explainer);
    for (size_t i = 0; (text = texts_of(&explainer->options, i)); i++) gig_free((char *)(uintptr_t)*text);
    for (size_t i = 0; i < explainer->named_count; i++) gig_free(explainer->named[i]);
    gig_free(explainer->named);
    gig_free(explainer->cam);
    gig_free(explainer->asked_point);
    gig_free(explainer->asked_functions);
    gig_asked_target_clear(&explainer->own);
    gig_tensor_clear(&explainer->aim_weights);
    gig_free((void *)(uintptr_t)explainer->added.rows);
    gig_description_free(explainer->description);
    gig_model_free(explainer->model);
    gig_free(explainer);
}

/* ---- methods ---- */

gig_status gig_explainer_add_method(gig_explainer *explainer, const gig_method_row *row)
{
    GIG_NEED(explainer);
    gig_added_rows *added = &explainer->added;
    void *rows = (void *)(uintptr_t)added->rows;
    GIG_TRY(gig_method_row_check(row, added));
    GIG_TRY(gig_grow(&rows, &explainer->added_capacity, added->count + 1, sizeof(const gig_method_row *)));
    ((const gig_method_row **)rows)[added->count] = row;
    added->rows = rows;
    added->count++;
    return GIG_OK;
}

gig_status gig_explainer_parse_method(gig_method *out, const gig_explainer *explainer, const char *text,
                                      const gig_method *defaults)
{
    GIG_NEED(explainer);
    return gig_method_parse_with(out, text, defaults, &explainer->added);
}

/* ---- asking ---- */

const gig_model *gig_explainer_model(const gig_explainer *explainer)
{
    if (!explainer) return NULL;
    return explainer->model;
}

const gig_description *gig_explainer_description(const gig_explainer *explainer)
{
    if (!explainer) return NULL;
    return explainer->description;
}

const char *gig_explainer_class_name(const gig_explainer *explainer, size_t index)
{
    if (!explainer) return NULL;
    return explainer->description ? gig_description_label(explainer->description, index) : NULL;
}

const char *gig_explainer_cam(const gig_explainer *explainer, int *assumed)
{
    if (!explainer) return NULL;
    if (assumed) *assumed = explainer->cam_assumed;
    return explainer->cam;
}

/* The engine for inputs like this one; NULL over functions of the caller's own. */
static gig_status plain_engine(gig_engine **out, gig_explainer *explainer, const gig_input *input)
{
    *out = NULL;
    GIG_NEED(explainer);
    GIG_TRY(gig_explainer_prepare(explainer, input));
    return explainer->functions ? GIG_OK : gig_explainer_engine(out, explainer, input, GIG_USE_PLAIN, 0);
}

gig_status gig_explainer_dims(int *rank, int64_t dims[GIG_MAX_RANK], gig_explainer *explainer, const gig_input *input)
{
    gig_engine *engine;
    GIG_TRY(plain_engine(&engine, explainer, input));
    *rank = gig_explainer_point_dims(explainer, engine, dims);
    return GIG_OK;
}

gig_status gig_explainer_picture_shape(gig_picture_shape *out, gig_explainer *explainer, const gig_input *input)
{
    gig_engine *engine;
    GIG_TRY(plain_engine(&engine, explainer, input));
    *out = gig_explainer_shape(explainer, input, engine);
    return GIG_OK;
}

gig_status gig_explainer_point(float *out, gig_explainer *explainer, const gig_input *input)
{
    GIG_NEED(explainer);
    gig_engine *engine = NULL;
    GIG_TRY(gig_explainer_prepare(explainer, input));
    int placed = (input->file || input->image) && !explainer->named_count; /* no network is needed for these */
    if (!explainer->functions && !placed) GIG_TRY(gig_explainer_engine(&engine, explainer, input, GIG_USE_PLAIN, 0));
    return gig_explainer_write_point(out, explainer, input, engine);
}

gig_status gig_explainer_network(const gig_network **out, gig_explainer *explainer, const gig_input *input)
{
    GIG_NEED(explainer);
    gig_engine *engine;
    if (explainer->functions) return gig_fail(GIG_EARG, "functions of your own have no network");
    GIG_TRY(gig_explainer_prepare(explainer, input));
    GIG_TRY(gig_explainer_engine(&engine, explainer, input, GIG_USE_PLAIN, 0));
    *out = engine->network;
    return GIG_OK;
}

gig_status gig_explainer_classes(size_t *out, gig_explainer *explainer, const gig_input *input,
                                 const gig_explain_options *options)
{
    GIG_NEED(explainer);
    static const gig_explain_options none;
    gig_engine *engine;
    gig_asked_target asked;
    if (explainer->functions) return gig_fail(GIG_EARG, "functions of your own do not say how many classes they have");
    gig_status status = gig_explainer_read_target(&asked, explainer, options ? options : &none, input);
    if (status == GIG_OK) status = gig_explainer_aim(explainer, asked.choice);
    if (status == GIG_OK) status = gig_explainer_prepare(explainer, input);
    if (status == GIG_OK) status = gig_explainer_engine(&engine, explainer, input, GIG_USE_PLAIN, 0);
    if (status == GIG_OK) status = gig_network_expect_target(engine->network); /* else it counted a flattened output */
    if (status == GIG_OK) *out = gig_network_classes(engine->network);
    gig_asked_target_clear(&asked);
    return status;
}

gig_status gig_explainer_find_class(size_t *out, gig_explainer *explainer, const char *text, const gig_input *input,
                                    const gig_explain_options *options)
{
    GIG_NEED(explainer);
    size_t classes = 0;
    GIG_TRY(gig_explainer_classes(&classes, explainer, input, options));
    return gig_description_class(out, explainer->description, text, classes);
}

/* An existing network; all of them give the same answer. */
static const gig_network *any_network(const gig_explainer *explainer, int *tensor)
{
    for (*tensor = 0; *tensor < 2; ++*tensor)
        for (int use = 0; use < GIG_USES; use++) {
            const gig_engine *engine = &explainer->engines[*tensor][use];
            if (engine->network) return engine->network;
        }
    return NULL;
}

const char *gig_explainer_remark(gig_explainer *explainer, size_t i)
{
    if (!explainer) return NULL;
    int tensor;
    const gig_network *network = any_network(explainer, &tensor);
    const gig_description *about = explainer->description;
    if (!about) return NULL;
    size_t described = explainer->complete && !(network && tensor) ? about->remark_count : 0, networks = 0;
    if (i < described) return gig_description_remark(about, i);
    i -= described;
    while (network && gig_network_remark(network, networks)) networks++;
    if (i < networks) return gig_network_remark(network, i);
    i -= networks;
    if (explainer->cam_assumed && i-- == 0) {
        snprintf(explainer->remark, sizeof explainer->remark,
                 "grad-cam uses the layer \"%.250s\", the last tensor with rows and columns; --at chooses another",
                 explainer->cam);
        return explainer->remark;
    }
    size_t classes = network ? gig_network_classes(network) : 0;
    int named = classes && about->label_count && !gig_network_has_one_number(network);
    if (named && about->label_count != classes && i == 0) {
        snprintf(explainer->remark, sizeof explainer->remark,
                 "%zu labels for %zu classes: does the label file belong to another model?", about->label_count,
                 classes);
        return explainer->remark;
    }
    return NULL;
}
