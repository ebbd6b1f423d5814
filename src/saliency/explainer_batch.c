/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that share their networks, run together so that all workers are busy: their points, classes and regions. */
#include "saliency/explainer_batch.h"
#include "internal/explainer.h"
#include "internal/number.h"
#include "internal/workers.h"

gig_status gig_batch_name(const gig_batch *b, size_t i, gig_status status)
{
    const char *name = gig_input_name(&b->inputs[b->first + i]);
    if (name) return gig_fail_in(status, "%s", name);
    return b->total > 1 ? gig_fail_in(status, "input %zu", b->first + i) : status;
}

/* ---- a batch ---- */

void gig_batch_close(gig_batch *b)
{
    for (size_t i = 0; b->points && i < b->count; i++) gig_free(b->points[i]);
    gig_free(b->points);
    gig_free(b->targets);
    b->points = NULL;
    b->targets = NULL;
}

/* A region that depends on the input is set in all sessions, so such inputs are run one after the other. */
static int runs_alone(const gig_batch *b, const gig_input *input)
{
    const gig_target_choice *choice = b->asked.choice;
    return input->region || (choice->target.kind == GIG_TARGET_REGION && choice->region == GIG_REGION_PREDICTED);
}

/* How many inputs from `first` on can use the networks made for that one. */
static size_t count_alike(const gig_batch *b)
{
    size_t i = b->first + 1;
    if (runs_alone(b, &b->inputs[b->first])) return 1;
    int tensor = gig_input_is_tensor(&b->inputs[b->first]);
    while (i < b->total && gig_input_is_tensor(&b->inputs[i]) == tensor && !runs_alone(b, &b->inputs[i]) &&
           !gig_explainer_changes(b->explainer, &b->inputs[i]))
        i++;
    return i - b->first;
}

static gig_status choose_scalar(gig_batch *b)
{
    if (b->options->of) return gig_scalar_find(&b->scalar, b->options->of);
    int sigmoid = gig_network_output_kind(b->engine->network) == GIG_OUTPUT_SIGMOID;
    b->scalar = gig_network_has_one_number(b->engine->network) ? GIG_VALUE : sigmoid ? GIG_SIGMOID : GIG_SOFTMAX;
    return GIG_OK;
}

static gig_status read_points(gig_batch *b)
{
    b->points = gig_alloc_zero(b->count, sizeof *b->points);
    b->targets = b->points ? gig_alloc_zero(b->count, sizeof *b->targets) : NULL;
    if (!b->targets) return gig_alloc_status();
    for (size_t i = 0; i < b->count; i++) {
        b->points[i] = gig_alloc(b->features, sizeof **b->points);
        if (!b->points[i]) return gig_alloc_status();
        gig_status status = gig_explainer_write_point(b->points[i], b->explainer, &b->inputs[b->first + i], b->engine);
        if (status != GIG_OK) return gig_batch_name(b, i, status);
    }
    return GIG_OK;
}

/* Prepares the networks for the inputs from b->first on, and reads as many as can run together. */
gig_status gig_batch_read_target(gig_batch *b)
{
    GIG_TRY(gig_explainer_read_target(&b->asked, b->explainer, b->options, b->total ? b->inputs : NULL));
    return gig_explainer_aim(b->explainer, b->asked.choice);
}

gig_status gig_batch_open(gig_batch *b)
{
    const gig_input *input = &b->inputs[b->first];
    b->engine = NULL;
    b->count = 1; /* for messages */
    gig_status status = gig_explainer_prepare(b->explainer, input);
    if (status == GIG_OK && !b->explainer->functions)
        status = gig_explainer_engine(&b->engine, b->explainer, input, b->use, 1);
    if (status != GIG_OK) return gig_input_is_tensor(input) ? gig_batch_name(b, 0, status) : status;
    b->features = gig_explainer_features(b->explainer, b->engine);
    b->count = b->explainer->functions ? b->total - b->first : count_alike(b);
    if (b->engine) GIG_TRY(choose_scalar(b));
    return read_points(b);
}

gig_status gig_batch_start(gig_batch *b, size_t wanted)
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
    gig_batch *b = payload;
    gig_status status = gig_session_top(b->engine->sessions[worker], b->points[i], 1, &b->targets[i], NULL);
    return status == GIG_OK ? GIG_OK : gig_batch_name(b, i, status);
}

/* The caller's own functions have no class names; without a choice, the first class is used. */
static gig_status number_class(size_t *out, const char *text)
{
    int64_t number = 0;
    if (text) GIG_TRY(gig_parse_int(&number, text, 0, INT64_MAX));
    *out = (size_t)number;
    return GIG_OK;
}

static gig_status choose_classes(gig_batch *b)
{
    const gig_explain_options *options = b->options;
    size_t classes = b->engine ? gig_network_classes(b->engine->network) : SIZE_MAX, same = 0;
    if (options->classes) {
        for (size_t i = 0; i < b->count; i++) {
            b->targets[i] = options->classes[b->first + i];
            if (b->targets[i] >= classes)
                return gig_batch_name(b, i,
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

/* ---- regions ---- */

gig_status gig_batch_region(gig_region_request *out, const gig_batch *b)
{
    const gig_input *input = &b->inputs[b->first];
    *out = (gig_region_request){.point = b->points[0],
                                .target = b->targets[0],
                                .shape = b->engine ? gig_explainer_part_shape(input, b->engine, 0)
                                                   : b->explainer->options.shape};
    return gig_asked_target_of(&out->choice, &b->asked, input);
}

gig_status gig_batch_choose(gig_batch *b)
{
    gig_region_request region;
    if (b->engine) GIG_TRY(gig_engine_forget_region(b->engine));
    GIG_TRY(choose_classes(b));
    gig_status status = gig_batch_region(&region, b);
    if (status == GIG_OK && region.choice->target.kind == GIG_TARGET_REGION)
        status = gig_engine_set_region(b->engine, &region);
    return status == GIG_OK ? GIG_OK : gig_batch_name(b, 0, status);
}
