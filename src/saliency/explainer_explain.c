/* SPDX-License-Identifier: Apache-2.0 */
/* Explaining, ranking and evaluating inputs; tensors of another shape run in a batch of their own. */
#include "base/tensor.h"
#include "internal/explainer.h"
#include "internal/saliency.h"
#include "internal/target.h"
#include "internal/workers.h"
#include "saliency/explainer_batch.h"
#include "saliency/method.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- explaining ---- */

gig_use gig_method_use(const gig_method *method)
{
    if (method->row->traits & GIG_METHOD_GUIDED_RELU) return GIG_USE_GUIDED;
    return method->row->traits & GIG_METHOD_LAYER ? GIG_USE_CAM : GIG_USE_PLAIN;
}

/* Number of points to evaluate: more workers would be idle. */
static size_t count_points(const gig_batch *b, const gig_method *method, const gig_picture_shape *shape)
{
    size_t values = gig_method_values(method, shape), gradients = gig_method_evaluations(method), points;
    if (__builtin_mul_overflow(values > gradients ? values : gradients, b->count, &points)) return SIZE_MAX;
    return points > b->count ? points : b->count;
}

static void describe_dims(gig_explanation *result, const gig_batch *b)
{
    const gig_picture_shape *shape = &result->shape;
    if (result->count == b->features) {
        result->rank = gig_explainer_point_dims(b->explainer, b->engine, result->dims);
        return;
    }
    result->rank = 3;
    result->dims[0] = (int64_t)shape->height;
    result->dims[1] = (int64_t)shape->width;
    result->dims[2] = 1;
}

/* F at the input itself: already known, or evaluated if the known value is that of noisy copies or draws. */
static gig_status find_value(gig_explanation *result, const gig_batch *b, size_t i, const gig_method *method)
{
    result->value = result->value_input;
    int moved = method->smooth || method->repeat > 1;
    if (!moved || method->row->traits & GIG_METHOD_NO_MODEL) return GIG_OK;
    const float *point = b->points[i];
    return b->functions[0].evaluate(b->functions[0].payload, 1, &point, &b->targets[i], &result->value, NULL);
}

static gig_status describe_result(gig_explanation *result, const gig_batch *b, size_t i, const gig_method *method)
{
    const gig_input *input = &b->inputs[b->first + i];
    result->shape = gig_explainer_shape(b->explainer, input, b->engine);
    describe_dims(result, b);
    result->target = b->targets[i];
    result->one_number = b->engine && gig_network_has_one_number(b->engine->network);
    const char *label = !result->one_number ? gig_explainer_class_name(b->explainer, result->target) : NULL;
    if (label && !(result->class_name = gig_strdup(label))) return gig_alloc_status();
    if (b->engine) snprintf(result->of, sizeof result->of, "%s", gig_scalar_name(b->scalar));
    GIG_TRY(find_value(result, b, i, method));
    if (b->engine) GIG_TRY(gig_session_branches(&result->branches, b->engine->sessions[0], b->points[i]));
    if (!b->engine && result->shape.height) return GIG_OK; /* the caller's picture, in the caller's own layout */
    GIG_TRY(gig_batch_list_inputs(result, b, input));
    int picture = b->engine && !gig_input_is_tensor(input) && !result->input_count;
    *(picture ? &result->picture : &result->point) = b->points[i];
    b->points[i] = NULL;
    return GIG_OK;
}

/* Sessions that keep the layer: of the batch's own network, or of another one if its ReLUs are guided. */
static gig_status layer_sessions(gig_session *const **out, const gig_batch *b, const gig_method *method)
{
    gig_engine *engine = b->engine;
    *out = engine ? engine->sessions : NULL;
    if (b->use != GIG_USE_GUIDED || !(method->row->traits & GIG_METHOD_LAYER)) return GIG_OK;
    GIG_TRY(gig_explainer_engine(&engine, b->explainer, &b->inputs[b->first], GIG_USE_CAM, b->workers));
    if (gig_network_target(engine->network) == GIG_TARGET_REGION)
        return gig_fail(GIG_EUNSUPPORTED, "%s does not support a region as its target", method->row->name);
    *out = engine->sessions;
    return GIG_OK;
}

static gig_status explain_batch(gig_explanation *results, gig_batch *b, const gig_method *method)
{
    const gig_explain_options *options = b->options;
    GIG_TRY(gig_batch_refuse_several(b, method));
    gig_picture_shape shape = gig_explainer_shape(b->explainer, &b->inputs[b->first], b->engine);
    gig_run_options run = {.shape = shape,
                           .seed = options->seed,
                           .baseline = options->baseline,
                           .mask_count = options->mask_count,
                           .masks = options->masks,
                           .scalar = b->scalar,
                           .max_memory = b->explainer->options.max_memory,
                           .observe = options->observe,
                           .observe_payload = options->observe_payload,
                           .progress = options->progress,
                           .progress_payload = options->progress_payload};
    GIG_TRY(gig_batch_start(b, count_points(b, method, &shape)));
    GIG_TRY(gig_batch_choose(b));
    GIG_TRY(layer_sessions(&run.sessions, b, method));
    size_t *parts = NULL;
    GIG_TRY(gig_batch_list_parts(&run.part_count, &parts, b));
    run.parts = parts;
    gig_status status = gig_method_run(results, b->count, (const float *const *)b->points, b->targets,
                                       (gig_functions){b->workers, b->functions}, method, &run);
    gig_free(parts);
    if (status != GIG_OK) return status == GIG_ECANCEL || b->count > 1 ? status : gig_batch_name(b, 0, status);
    for (size_t i = 0; i < b->count && status == GIG_OK; i++) status = describe_result(&results[i], b, i, method);
    return status;
}

gig_status gig_explainer_explain_inputs(gig_explanation *results, gig_explainer *explainer, size_t count,
                                        const gig_input *inputs, const char *name, const gig_explain_options *options)
{
    static const gig_explain_options none;
    gig_method method;
    for (size_t i = 0; i < count; i++) results[i] = (gig_explanation){0};
    GIG_NEED(explainer);
    if (!options) options = &none;
    int is_picture = count && !inputs->tensor && !explainer->functions;
    if (name && !strcmp(name, "auto")) name = gig_method_auto(is_picture);
    if (!name && !options->method) return gig_fail(GIG_EARG, "the method is missing");
    gig_status status = GIG_OK;
    if (name) status = gig_method_parse_with(&method, name, options->defaults, &explainer->added);
    if (status != GIG_OK) return status;
    if (!name) method = *options->method;
    if (options->baseline && method.baseline != GIG_BASELINE_GIVEN) {
        method.baseline = GIG_BASELINE_GIVEN;
        method.baseline_count = 1;
    }
    gig_batch b = {
        .explainer = explainer, .options = options, .inputs = inputs, .total = count, .use = gig_method_use(&method)};
    if (explainer->functions && b.use != GIG_USE_PLAIN)
        return gig_fail(GIG_EARG, "%s needs a model, not functions of your own", method.row->name);
    status = gig_batch_read_target(&b);
    for (; b.first < count && status == GIG_OK; b.first += b.count) {
        status = gig_batch_open(&b);
        if (status == GIG_OK) status = explain_batch(results + b.first, &b, &method);
        gig_batch_close(&b);
    }
    gig_asked_target_clear(&b.asked);
    for (size_t i = 0; i < count && status != GIG_OK; i++) gig_explanation_clear(&results[i]);
    return status;
}

gig_status gig_explainer_explain(gig_explanation *out, gig_explainer *explainer, const char *picture,
                                 const char *method, const gig_explain_options *options)
{
    return gig_explainer_explain_inputs(out, explainer, 1, &(gig_input){.file = picture}, method, options);
}

/* ---- ranking and evaluating ---- */

static const gig_explain_options no_options;

/* Classes are ranked over a given region; a predicted region depends on the class and cannot be used for that. */
static gig_status rank_classes(size_t *classes, double *probabilities, gig_batch *b, size_t k)
{
    gig_region_request region;
    gig_session *session = b->engine->sessions[0];
    GIG_TRY(gig_engine_forget_region(b->engine));
    GIG_TRY(gig_batch_region(&region, b));
    if (region.choice->target.kind == GIG_TARGET_REGION && region.choice->region != GIG_REGION_PREDICTED)
        GIG_TRY(gig_engine_set_region(b->engine, &region));
    return gig_session_top(session, b->points[0], k, classes, probabilities);
}

gig_status gig_explainer_top(size_t *classes, double *probabilities, gig_explainer *explainer, const gig_input *input,
                             size_t k, const gig_explain_options *options)
{
    GIG_NEED(explainer);
    gig_batch b = {.explainer = explainer, .options = options ? options : &no_options, .inputs = input, .total = 1};
    if (explainer->functions) return gig_fail(GIG_EARG, "classes of your own functions cannot be ranked");
    gig_status status = gig_batch_read_target(&b);
    if (status == GIG_OK) status = gig_batch_open(&b);
    if (status == GIG_OK) status = rank_classes(classes, probabilities, &b, k);
    gig_batch_close(&b);
    gig_asked_target_clear(&b.asked);
    return status;
}

/* ---- questions ---- */

static gig_status make_functions(gig_question *out, gig_explainer *explainer, const gig_batch *b)
{
    const gig_engine *engine = b->engine;
    if (!explainer->asked_functions)
        explainer->asked_functions = gig_alloc_zero(2 * explainer->threads, sizeof *explainer->asked_functions);
    if (!explainer->asked_functions) return gig_alloc_status();
    gig_function *probability = explainer->asked_functions, *argmax = probability + explainer->threads;
    gig_scalar kind = gig_network_probability(engine->network, b->scalar);
    for (size_t w = 0; w < b->workers; w++) {
        GIG_TRY(gig_session_argmax_function(&argmax[w], engine->sessions[w]));
        GIG_TRY(gig_session_function(&probability[w], engine->sessions[w], kind));
    }
    *out = (gig_question){.point = b->points[0],
                          .features = b->features,
                          .target = b->targets[0],
                          .scalar = b->scalar,
                          .shape = gig_explainer_shape(explainer, b->inputs, engine),
                          .network = engine->network,
                          .workers = b->workers,
                          .functions = b->functions,
                          .probability_functions = probability,
                          .argmax_functions = argmax,
                          .sessions = engine->sessions,
                          .one_number = (unsigned)gig_network_has_one_number(engine->network)};
    return GIG_OK;
}

gig_status gig_explainer_ask(gig_question *out, gig_explainer *explainer, const gig_input *input, size_t workers,
                             const gig_explain_options *options)
{
    gig_batch b = {.explainer = explainer, .options = options ? options : &no_options, .inputs = input, .total = 1};
    *out = (gig_question){0};
    GIG_NEED(explainer);
    if (explainer->functions)
        return gig_fail(GIG_EARG, "your own functions can be called directly, without gig_explainer_ask");
    gig_status status = gig_batch_read_target(&b);
    if (status == GIG_OK) status = gig_batch_open(&b);
    if (status == GIG_OK) status = gig_batch_start(&b, workers ? workers : explainer->threads);
    if (status == GIG_OK) status = gig_batch_choose(&b);
    if (status == GIG_OK) status = make_functions(out, explainer, &b);
    if (status == GIG_OK) {
        gig_free(explainer->asked_point);
        explainer->asked_point = b.points[0];
        b.points[0] = NULL;
    }
    gig_batch_close(&b);
    gig_asked_target_clear(&b.asked);
    return status;
}

static gig_status copy_choice(gig_target_choice *out, const gig_batch *b)
{
    gig_region_request region;
    GIG_TRY(gig_batch_region(&region, b));
    *out = (gig_target_choice){.target = region.choice->target};
    out->target.weights = &out->weights;
    if (out->target.kind == GIG_TARGET_WEIGHTS) return gig_tensor_copy(&out->weights, &region.choice->weights);
    if (out->target.kind != GIG_TARGET_REGION) return GIG_OK;
    out->region = GIG_REGION_MASK;
    return gig_engine_region(&out->mask, b->engine, &region);
}

gig_status gig_explainer_fix_target(gig_target_choice *out, size_t *class_index, gig_explainer *explainer,
                                    const gig_input *input, const gig_explain_options *options)
{
    gig_batch b = {.explainer = explainer, .options = options ? options : &no_options, .inputs = input, .total = 1};
    *out = (gig_target_choice){0};
    GIG_NEED(explainer);
    if (explainer->functions) return gig_fail(GIG_EARG, "functions of your own have no target to fix");
    gig_status status = gig_batch_read_target(&b);
    if (status == GIG_OK) status = gig_batch_open(&b);
    if (status == GIG_OK) status = gig_batch_start(&b, 1);
    if (status == GIG_OK) status = gig_batch_choose(&b);
    if (status == GIG_OK) status = copy_choice(out, &b);
    if (status == GIG_OK && class_index) *class_index = b.targets[0];
    if (status != GIG_OK) gig_target_clear(out);
    gig_batch_close(&b);
    gig_asked_target_clear(&b.asked);
    return status;
}

typedef struct evaluation {
    gig_batch b;
    double *values;
    float *const *gradients;
} evaluation;

static gig_status evaluate_input(void *payload, size_t worker, size_t i)
{
    const evaluation *self = payload;
    const gig_batch *b = &self->b;
    const gig_function *function = &b->functions[worker];
    const float *point = b->points[i];
    float *gradient = self->gradients ? self->gradients[b->first + i] : NULL;
    gig_status status = function->evaluate(function->payload, 1, &point, &b->targets[i], &self->values[b->first + i],
                                           gradient ? &gradient : NULL);
    return status == GIG_OK ? GIG_OK : gig_batch_name(b, i, status);
}

gig_status gig_explainer_evaluate(double *values, float *const *gradients, gig_explainer *explainer, size_t count,
                                  const gig_input *inputs, const gig_explain_options *options)
{
    GIG_NEED(explainer);
    evaluation self = {
        .b = {.explainer = explainer, .options = options ? options : &no_options, .inputs = inputs, .total = count},
        .values = values,
        .gradients = gradients};
    gig_batch *b = &self.b;
    gig_status status = gig_batch_read_target(b);
    for (; b->first < count && status == GIG_OK; b->first += b->count) {
        status = gig_batch_open(b);
        if (status == GIG_OK) status = gig_batch_start(b, b->count);
        if (status == GIG_OK) status = gig_batch_choose(b);
        if (status == GIG_OK) status = gig_workers_run(b->workers, b->count, evaluate_input, &self);
        gig_batch_close(b);
    }
    gig_asked_target_clear(&b->asked);
    return status;
}
