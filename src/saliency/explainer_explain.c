/* SPDX-License-Identifier: Apache-2.0 */
/* Explaining, ranking and evaluating inputs. Inputs that share their networks are run together, so that all workers are
 * busy; tensors of another shape are run after them. */
#include "gig/number.h"
#include "gig/workers.h"
#include "saliency/explainer.h"
#include "saliency/method.h"
#include <math.h>
#include <string.h>

/* Inputs that are run together. */
typedef struct batch {
    gig_explainer *explainer;
    const gig_explain_options *options;
    const gig_input *inputs;
    size_t first, count, total;
    gig_use use;
    gig_engine *engine; /* NULL over functions of the caller's own */
    gig_scalar scalar;  /* of a network */
    size_t features;
    float **points; /* owned, each of `features` */
    size_t *targets;
    size_t workers;
    const gig_function *functions; /* one per worker */
} batch;

static gig_status name_input(const batch *b, size_t i, gig_status status)
{
    const char *name = gig_input_name(&b->inputs[b->first + i]);
    if (name) return gig_fail_in(status, "%s", name);
    return b->total > 1 ? gig_fail_in(status, "input %zu", b->first + i) : status;
}

/* ---- a batch ---- */

static void close_batch(batch *b)
{
    for (size_t i = 0; b->points && i < b->count; i++) gig_free(b->points[i]);
    gig_free(b->points);
    gig_free(b->targets);
    b->points = NULL;
    b->targets = NULL;
}

/* As many inputs from `first` on as the networks made for that one fit. */
static size_t count_alike(const batch *b)
{
    size_t i = b->first + 1;
    int tensor = gig_input_is_tensor(&b->inputs[b->first]);
    while (i < b->total && gig_input_is_tensor(&b->inputs[i]) == tensor &&
           !gig_explainer_changes(b->explainer, &b->inputs[i]))
        i++;
    return i - b->first;
}

static gig_status choose_scalar(batch *b)
{
    if (b->options->of) return gig_scalar_find(&b->scalar, b->options->of);
    int sigmoid = gig_network_output_kind(b->engine->network) == GIG_OUTPUT_SIGMOID;
    b->scalar = sigmoid ? GIG_SIGMOID : GIG_SOFTMAX;
    return GIG_OK;
}

static gig_status read_points(batch *b)
{
    b->points = gig_alloc_zero(b->count, sizeof *b->points);
    b->targets = b->points ? gig_alloc_zero(b->count, sizeof *b->targets) : NULL;
    if (!b->targets) return gig_alloc_status();
    for (size_t i = 0; i < b->count; i++) {
        b->points[i] = gig_alloc(b->features, sizeof **b->points);
        if (!b->points[i]) return gig_alloc_status();
        gig_status status = gig_explainer_write_point(b->points[i], b->explainer, &b->inputs[b->first + i], b->engine);
        if (status != GIG_OK) return name_input(b, i, status);
    }
    return GIG_OK;
}

/* Makes ready what the inputs from b->first on need, and reads as many as can be run together. */
static gig_status open_batch(batch *b)
{
    const gig_input *input = &b->inputs[b->first];
    b->engine = NULL;
    b->count = 1; /* for messages */
    gig_status status = gig_explainer_prepare(b->explainer, input);
    if (status == GIG_OK && !b->explainer->functions)
        status = gig_explainer_engine(&b->engine, b->explainer, input, b->use, 1);
    if (status != GIG_OK) return gig_input_is_tensor(input) ? name_input(b, 0, status) : status;
    b->features = gig_explainer_features(b->explainer, b->engine);
    b->count = b->explainer->functions ? b->total - b->first : count_alike(b);
    if (b->engine) GIG_TRY(choose_scalar(b));
    return read_points(b);
}

/* Functions for at most `wanted` workers: a worker costs a session's memory. */
static gig_status start_workers(batch *b, size_t wanted)
{
    gig_explainer *explainer = b->explainer;
    b->workers = wanted < 1 ? 1 : wanted < explainer->threads ? wanted : explainer->threads;
    b->functions = explainer->functions;
    if (!b->engine) return GIG_OK;
    GIG_TRY(gig_explainer_engine(&b->engine, explainer, &b->inputs[b->first], b->use, b->workers));
    for (size_t w = 0; w < b->workers; w++)
        GIG_TRY(gig_session_function(&b->engine->functions[w], b->engine->sessions[w], b->scalar));
    b->functions = b->engine->functions;
    return GIG_OK;
}

/* ---- classes ---- */

static gig_status rank_input(void *payload, size_t worker, size_t i)
{
    batch *b = payload;
    gig_status status = gig_session_top(b->engine->sessions[worker], b->points[i], 1, &b->targets[i], NULL);
    return status == GIG_OK ? GIG_OK : name_input(b, i, status);
}

/* Functions of the caller's own have no names for their classes; the first one, where none is asked for. */
static gig_status number_class(size_t *out, const char *text)
{
    int64_t number = 0;
    if (text) GIG_TRY(gig_parse_int(&number, text, 0, INT64_MAX));
    *out = (size_t)number;
    return GIG_OK;
}

static gig_status choose_classes(batch *b)
{
    const gig_explain_options *options = b->options;
    size_t classes = b->engine ? gig_network_classes(b->engine->network) : SIZE_MAX, same = 0;
    if (options->classes) {
        for (size_t i = 0; i < b->count; i++) {
            b->targets[i] = options->classes[b->first + i];
            if (b->targets[i] >= classes)
                return name_input(b, i,
                                  gig_fail(GIG_EARG, "class %zu: expected one below %zu, the number of classes",
                                           b->targets[i], classes));
        }
        return GIG_OK;
    }
    if (b->engine && !options->class_name) return gig_workers_run(b->workers, b->count, rank_input, b);
    GIG_TRY(b->engine ? gig_description_class(&same, b->explainer->description, options->class_name, classes)
                      : number_class(&same, options->class_name));
    for (size_t i = 0; i < b->count; i++) b->targets[i] = same;
    return GIG_OK;
}

/* ---- explaining ---- */

gig_use gig_method_use(const gig_method *method)
{
    if (method->row->traits & GIG_METHOD_LAYER) return GIG_USE_CAM;
    return method->row->traits & GIG_METHOD_GUIDED_RELU ? GIG_USE_GUIDED : GIG_USE_PLAIN;
}

/* Points to be evaluated: more workers would have nothing to do. */
static size_t count_points(const batch *b, const gig_method *method, const gig_picture_shape *shape)
{
    size_t values = gig_method_values(method, shape), gradients = gig_method_evaluations(method), points;
    if (__builtin_mul_overflow(values > gradients ? values : gradients, b->count, &points)) return SIZE_MAX;
    return points > b->count ? points : b->count;
}

static void describe_dims(gig_explanation *result, const batch *b)
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

/* F at the input itself: as it was found, or evaluated where that was of noisy copies. */
static gig_status find_value(gig_explanation *result, const batch *b, size_t i, const gig_method *method)
{
    result->value = result->value_input;
    if (!method->smooth || method->row->traits & GIG_METHOD_NO_MODEL) return GIG_OK;
    const float *point = b->points[i];
    return b->functions[0].evaluate(b->functions[0].payload, 1, &point, &b->targets[i], &result->value, NULL);
}

static gig_status describe_result(gig_explanation *result, const batch *b, size_t i, const gig_method *method)
{
    const gig_input *input = &b->inputs[b->first + i];
    result->shape = gig_explainer_shape(b->explainer, input, b->engine);
    describe_dims(result, b);
    result->target = b->targets[i];
    const char *label = gig_explainer_class_name(b->explainer, result->target);
    if (label && !(result->class_name = gig_strdup(label))) return gig_alloc_status();
    if (b->engine) strcpy(result->of, gig_scalar_name(b->scalar));
    GIG_TRY(find_value(result, b, i, method));
    if (!b->engine || gig_input_is_tensor(input)) return GIG_OK;
    result->picture = b->points[i];
    b->points[i] = NULL;
    return GIG_OK;
}

static gig_status explain_batch(gig_explanation *results, batch *b, const gig_method *method)
{
    const gig_explain_options *options = b->options;
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
    GIG_TRY(start_workers(b, count_points(b, method, &shape)));
    GIG_TRY(choose_classes(b));
    if (b->engine) run.sessions = b->engine->sessions;
    gig_status status = gig_method_run(results, b->count, (const float *const *)b->points, b->targets, b->workers,
                                       b->functions, method, &run);
    if (status != GIG_OK) return status == GIG_ECANCEL || b->count > 1 ? status : name_input(b, 0, status);
    for (size_t i = 0; i < b->count && status == GIG_OK; i++) status = describe_result(&results[i], b, i, method);
    return status;
}

gig_status gig_explainer_explain_inputs(gig_explanation *results, gig_explainer *explainer, size_t count,
                                        const gig_input *inputs, const char *name, const gig_explain_options *options)
{
    static const gig_explain_options none;
    gig_method method;
    for (size_t i = 0; i < count; i++) results[i] = (gig_explanation){0};
    if (!options) options = &none;
    gig_status status = gig_method_parse_with(&method, name, options->defaults, &explainer->added);
    if (status != GIG_OK) return status;
    if (options->baseline) method.baseline = GIG_BASELINE_GIVEN;
    batch b = {
        .explainer = explainer, .options = options, .inputs = inputs, .total = count, .use = gig_method_use(&method)};
    if (explainer->functions && b.use != GIG_USE_PLAIN)
        return gig_fail(GIG_EARG, "%s needs a model, not functions of your own", name);
    for (; b.first < count && status == GIG_OK; b.first += b.count) {
        status = open_batch(&b);
        if (status == GIG_OK) status = explain_batch(results + b.first, &b, &method);
        close_batch(&b);
    }
    for (size_t i = 0; i < count && status != GIG_OK; i++) gig_explanation_clear(&results[i]);
    return status;
}

gig_status gig_explainer_explain(gig_explanation *out, gig_explainer *explainer, const char *picture,
                                 const char *method, const gig_explain_options *options)
{
    return gig_explainer_explain_inputs(out, explainer, 1, &(gig_input){.file = picture}, method, options);
}

/* ---- ranking and evaluating ---- */

gig_status gig_explainer_top(size_t *classes, double *probabilities, gig_explainer *explainer, const gig_input *input,
                             size_t k)
{
    static const gig_explain_options none;
    batch b = {.explainer = explainer, .options = &none, .inputs = input, .total = 1};
    if (explainer->functions) return gig_fail(GIG_EARG, "functions of your own cannot be ranked");
    gig_status status = open_batch(&b);
    if (status == GIG_OK) status = gig_session_top(b.engine->sessions[0], b.points[0], k, classes, probabilities);
    close_batch(&b);
    return status;
}

typedef struct evaluation {
    batch b;
    double *values;
    float *const *gradients;
} evaluation;

static gig_status evaluate_input(void *payload, size_t worker, size_t i)
{
    const evaluation *self = payload;
    const batch *b = &self->b;
    const gig_function *function = &b->functions[worker];
    const float *point = b->points[i];
    float *gradient = self->gradients ? self->gradients[b->first + i] : NULL;
    gig_status status = function->evaluate(function->payload, 1, &point, &b->targets[i], &self->values[b->first + i],
                                           gradient ? &gradient : NULL);
    return status == GIG_OK ? GIG_OK : name_input(b, i, status);
}

gig_status gig_explainer_evaluate(double *values, float *const *gradients, gig_explainer *explainer, size_t count,
                                  const gig_input *inputs, const gig_explain_options *options)
{
    static const gig_explain_options none;
    evaluation self = {
        .b = {.explainer = explainer, .options = options ? options : &none, .inputs = inputs, .total = count},
        .values = values,
        .gradients = gradients};
    batch *b = &self.b;
    gig_status status = GIG_OK;
    for (; b->first < count && status == GIG_OK; b->first += b->count) {
        status = open_batch(b);
        if (status == GIG_OK) status = start_workers(b, b->count);
        if (status == GIG_OK) status = choose_classes(b);
        if (status == GIG_OK) status = gig_workers_run(b->workers, b->count, evaluate_input, &self);
        close_batch(b);
    }
    return status;
}
