/* SPDX-License-Identifier: Apache-2.0 */
/* The target of a call. A network is made for one target: another index, other weights or another kind need another
 * network; another region of the same output does not. */
#include "base/tensor.h"
#include "internal/target.h"
#include "saliency/explainer.h"
#include "saliency/target.h"
#include <string.h>

/* ---- what is asked ---- */

static const gig_target_choice no_target;

static gig_status read_texts(gig_asked_target *out, const char *region, const char *index, const char *weights,
                             const gig_target_choice *given)
{
    int texts = region || index || weights;
    if (texts && given)
        return gig_fail(GIG_EARG, "several targets given: expected only one of region, index, weights and target");
    out->choice = given;
    if (!texts) return given ? gig_target_check(given) : GIG_OK;
    out->choice = &out->read;
    return gig_target_read(&out->read, region, index, weights);
}

gig_status gig_explainer_read_own_target(gig_explainer *explainer)
{
    const gig_explainer_options *given = &explainer->options;
    return read_texts(&explainer->own, given->region, given->index, given->weights, given->target);
}

gig_status gig_explainer_read_target(gig_asked_target *out, const gig_explainer *explainer,
                                     const gig_explain_options *options, const gig_input *first)
{
    *out = (gig_asked_target){0};
    GIG_TRY(read_texts(out, options->region, options->index, options->weights, options->target));
    if (!out->choice) out->choice = explainer->own.choice;
    if (!out->choice && first && first->region) {
        GIG_TRY(gig_target_check(first->region));
        out->choice = first->region;
        out->by_input = 1;
    }
    if (out->choice && explainer->functions)
        return gig_fail(GIG_EARG, "functions of your own have classes only: no region, index or weights");
    if (!out->choice) out->choice = &no_target;
    return GIG_OK;
}

void gig_asked_target_clear(gig_asked_target *asked)
{
    gig_target_clear(&asked->read);
    *asked = (gig_asked_target){0};
}

gig_status gig_asked_target_of(const gig_target_choice **out, const gig_asked_target *asked, const gig_input *input)
{
    const gig_target_choice *own = input->region;
    *out = own ? own : asked->choice;
    if (!own && asked->by_input) return gig_fail(GIG_EARG, "the input has no region, but the first one has");
    if (!own) return GIG_OK;
    GIG_TRY(gig_target_check(own));
    if (own->target.kind == GIG_TARGET_REGION && asked->choice->target.kind == GIG_TARGET_REGION) return GIG_OK;
    return gig_fail(GIG_EARG, "an input's own target is a region, and the target of the call is one too");
}

/* ---- networks for it ---- */

static int is_aim(const gig_explainer *explainer, const gig_target_choice *choice)
{
    const gig_target *aim = &explainer->aim, *wanted = &choice->target;
    const gig_tensor *a = &explainer->aim_weights, *b = &choice->weights;
    if (aim->kind != wanted->kind) return 0;
    if (aim->kind == GIG_TARGET_INDEX)
        return aim->rank == wanted->rank && !memcmp(aim->index, wanted->index, (size_t)aim->rank * sizeof *aim->index);
    if (aim->kind != GIG_TARGET_WEIGHTS) return 1;
    return gig_same_dims(a, b) && !memcmp(a->data, b->data, gig_tensor_bytes(a));
}

gig_status gig_explainer_aim(gig_explainer *explainer, const gig_target_choice *choice)
{
    if (explainer->functions || is_aim(explainer, choice)) return GIG_OK;
    gig_explainer_drop_networks(explainer);
    gig_tensor_clear(&explainer->aim_weights);
    explainer->aim = (gig_target){0};
    if (choice->target.kind == GIG_TARGET_WEIGHTS) GIG_TRY(gig_tensor_copy(&explainer->aim_weights, &choice->weights));
    explainer->aim = choice->target;
    explainer->aim.weights = &explainer->aim_weights;
    return GIG_OK;
}

int gig_network_has_one_number(const gig_network *network)
{
    gig_target_kind kind = gig_network_target(network);
    return kind != GIG_TARGET_CLASS && kind != GIG_TARGET_REGION && gig_network_classes(network) == 1;
}

/* ---- regions ---- */

gig_status gig_engine_forget_region(const gig_engine *engine)
{
    if (gig_network_target(engine->network) != GIG_TARGET_REGION) return GIG_OK;
    for (size_t i = 0; i < engine->session_count; i++) GIG_TRY(gig_session_set_region(engine->sessions[i], NULL));
    return GIG_OK;
}

gig_status gig_engine_region(gig_image *out, const gig_engine *engine, const gig_region_request *wanted)
{
    *out = (gig_image){.channels = 1};
    gig_network_region_size(engine->network, &out->height, &out->width);
    out->pixels = gig_alloc_zero(out->height * out->width, 1);
    if (!out->pixels) return gig_alloc_status();
    gig_status status = gig_target_draw(out->pixels, wanted->choice, engine->sessions[0], wanted->point, wanted->target,
                                        &wanted->shape);
    if (status != GIG_OK) gig_image_clear(out);
    return status;
}

gig_status gig_engine_set_region(const gig_engine *engine, const gig_region_request *wanted)
{
    gig_image mask = {0};
    GIG_TRY(gig_engine_region(&mask, engine, wanted));
    gig_status status = GIG_OK;
    for (size_t i = 0; i < engine->session_count && status == GIG_OK; i++)
        status = gig_session_set_region(engine->sessions[i], mask.pixels);
    gig_image_clear(&mask);
    return status;
}
