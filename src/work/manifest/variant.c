/* SPDX-License-Identifier: Apache-2.0 */
#include "work/manifest/variant.h"
#include "base/hash.h"
#include "internal/number.h"
#include "path/rules.h"
#include "saliency/method_run.h"
#include "work/manifest/baseline_pictures.h"
#include <stdio.h>
#include <string.h>

static int has_baseline(const gig_method *method)
{
    return (method->row->traits & GIG_METHOD_BASELINE) != 0;
}

/* Sets the two names from the method. */
static void name_parts(gig_variant *out)
{
    gig_method plain = out->method;
    plain.baseline = GIG_BASELINE_BLACK;
    gig_method_name(out->name, sizeof out->name, &plain);
    if (!has_baseline(&out->method))
        snprintf(out->baseline, sizeof out->baseline, "none");
    else if (out->pictures && out->method.baseline == GIG_BASELINE_GIVEN)
        return; /* as it was given */
    else if (out->method.baseline == GIG_BASELINE_GIVEN)
        snprintf(out->baseline, sizeof out->baseline, "random#%zu", out->random_index);
    else
        gig_method_get(out->baseline, sizeof out->baseline, &out->method, "baseline");
}

static gig_status refuse_given(const gig_method *method)
{
    int given = method->baseline == GIG_BASELINE_GIVEN;
    return given ? gig_fail(GIG_EARG, "baseline \"given\" has no meaning in a study") : GIG_OK;
}

/* "pictures:N#...": N given baselines, whose files the job names. */
static gig_status give_pictures(gig_variant *out, gig_method *method, const char *baseline)
{
    char digits[24];
    int64_t count;
    const char *start = baseline + strlen("pictures:");
    size_t length = strcspn(start, "#");
    snprintf(digits, sizeof digits, "%.*s", (int)(length < sizeof digits ? length : sizeof digits - 1), start);
    if (!start[length] || strlen(baseline) >= sizeof out->baseline ||
        gig_parse_int(&count, digits, 1, INT32_MAX) != GIG_OK)
        return gig_fail(
            GIG_EARG, "baseline \"%s\": a study's pictures are named pictures:N#..., as its export has them", baseline);
    snprintf(out->baseline, sizeof out->baseline, "%s", baseline);
    out->pictures = 1;
    method->baseline = GIG_BASELINE_GIVEN;
    method->baseline_count = (size_t)count;
    return GIG_OK;
}

gig_status gig_variant_make(gig_variant *out, const char *method, const gig_method *defaults, const char *baseline)
{
    gig_method start = *defaults;
    *out = (gig_variant){0};
    if (gig_baseline_is_pictures(baseline))
        GIG_TRY(give_pictures(out, &start, baseline));
    else
        GIG_TRY(gig_method_set(&start, "baseline", baseline));
    GIG_TRY(gig_method_parse(&out->method, method, &start));
    out->pictures = out->pictures && out->method.baseline == GIG_BASELINE_GIVEN && has_baseline(&out->method);
    int as_many = out->method.baseline_count == start.baseline_count; /* a name may say "given:N" */
    if (!out->pictures || !as_many) GIG_TRY(refuse_given(&out->method));
    name_parts(out);
    return GIG_OK;
}

gig_status gig_baseline_name(char out[GIG_BASELINE_NAME_BYTES], const char *text)
{
    gig_variant variant;
    GIG_TRY(gig_variant_parse(&variant, "ig", text));
    snprintf(out, GIG_BASELINE_NAME_BYTES, "%s", strcmp(text, "none") ? variant.baseline : text);
    return GIG_OK;
}

gig_status gig_variant_parse(gig_variant *out, const char *method, const char *baseline)
{
    *out = (gig_variant){0};
    GIG_TRY(gig_method_parse(&out->method, method, NULL));
    if (!strncmp(baseline, "random#", 7)) {
        int64_t index;
        GIG_TRY(gig_parse_int(&index, baseline + 7, 0, INT32_MAX));
        out->method.baseline = GIG_BASELINE_GIVEN;
        out->method.baseline_count = 1;
        out->random_index = (size_t)index;
    } else if (gig_baseline_is_pictures(baseline)) {
        GIG_TRY(give_pictures(out, &out->method, baseline));
    } else if (strcmp(baseline, "none")) {
        GIG_TRY(gig_method_set(&out->method, "baseline", baseline));
        GIG_TRY(refuse_given(&out->method));
    }
    name_parts(out);
    return GIG_OK;
}

size_t gig_variant_sources(const gig_variant *variant)
{
    const gig_method *method = &variant->method;
    if (method->xrai) {
        gig_method base = *method;
        base.xrai = 0;
        return gig_method_per_pixel(&base) ? 0 : 1;
    }
    size_t baselines = gig_method_baselines(method);
    /* Squares and variances are taken of each sample's mean over the baselines, and rule random draws other nodes for
     * each baseline: neither is a mean of maps of single baselines. */
    int apart = method->smooth && method->smooth_kind != GIG_SMOOTH_MEAN;
    if (baselines < 2 || variant->pictures || apart || gig_method_rule(method) == GIG_RULE_RANDOM) return 0;
    return baselines;
}

gig_status gig_variant_source(gig_variant *out, const gig_variant *variant, size_t index)
{
    *out = *variant;
    if (index >= gig_variant_sources(variant)) return gig_fail(GIG_EINTERNAL, "a map has no source %zu", index);
    if (out->method.xrai)
        out->method.xrai = 0;
    else if (out->method.baseline == GIG_BASELINE_BLACK_WHITE)
        out->method.baseline = index ? GIG_BASELINE_WHITE : GIG_BASELINE_BLACK;
    else {
        out->method.baseline = GIG_BASELINE_GIVEN;
        out->method.baseline_count = 1;
        out->random_index = index;
    }
    name_parts(out);
    return GIG_OK;
}

/* The name without the options that only say how gradients are summed, and how many draws: fewer draws are the first
 * ones of more. */
static void name_path(char name[GIG_METHOD_NAME_BYTES], const gig_variant *variant)
{
    gig_method plain = variant->method;
    plain.rule = GIG_RULE_DEFAULT;
    plain.tolerance = 0;
    plain.max_evaluations = 0;
    plain.close = 0;
    plain.repeat = 1;
    gig_method_name(name, GIG_METHOD_NAME_BYTES, &plain);
}

/* On a curve the rule also says where the nodes are; the steps of a guide end where its gradients lead it. */
static int same_nodes(const gig_method *a, const gig_method *b)
{
    gig_rule first = gig_method_rule(a), second = gig_method_rule(b);
    return a->row->guide || first == second || (gig_rule_at_step_ends(first) && gig_rule_at_step_ends(second));
}

int gig_variant_same_path(const gig_variant *a, const gig_variant *b)
{
    char first[GIG_METHOD_NAME_BYTES], second[GIG_METHOD_NAME_BYTES];
    if (!(a->method.row->traits & GIG_METHOD_PATH) || a->method.smooth || gig_variant_sources(a)) return 0;
    if (!same_nodes(&a->method, &b->method)) return 0;
    name_path(first, a);
    name_path(second, b);
    return !strcmp(first, second) && !strcmp(a->baseline, b->baseline);
}

uint64_t gig_variant_path(const gig_variant *variant)
{
    char text[GIG_METHOD_NAME_BYTES + GIG_BASELINE_NAME_BYTES + 8];
    gig_variant base = *variant;
    base.method.xrai = 0; /* regions are ranked over the map of a walk */
    name_path(text, &base);
    size_t used = strlen(text);
    int at_ends = !variant->method.row->guide && gig_rule_at_step_ends(gig_method_rule(&variant->method));
    snprintf(text + used, sizeof text - used, "/%s%s", variant->baseline, at_ends ? "/ends" : "");
    return gig_quick_hash(text, strlen(text));
}

int gig_variant_is_gradient(const gig_variant *variant)
{
    const gig_method_row *row = variant->method.row;
    return row->rule == GIG_RULE_GRADIENT && !row->finish;
}

const char *gig_variant_no_slopes(const gig_variant *variant)
{
    const gig_method *method = &variant->method;
    if (method->smooth && method->smooth_kind != GIG_SMOOTH_MEAN)
        return "the map holds squares or variances, which do not add up";
    if (method->row->traits & GIG_METHOD_PATH && !has_baseline(method))
        return "the path sharpens the picture: there is no baseline to differ from";
    if (gig_method_baselines(method) > 1) return "several baselines: there is no one difference to divide by";
    return NULL;
}

const char *gig_variant_no_draws(const gig_variant *variant)
{
    const gig_method *method = &variant->method;
    if (gig_method_draws(method) > 1) return "the map is a mean over draws: score the method without repeat";
    if (method->row->traits & GIG_METHOD_PATH && gig_method_rule(method) == GIG_RULE_RANDOM)
        return "rule random draws its nodes too: repeat reports how such maps agree";
    return NULL;
}

gig_status gig_variant_make_baseline(float **out, const gig_variant *variant, const float *input,
                                     const gig_picture_shape *shape, uint64_t seed)
{
    *out = NULL;
    if (!has_baseline(&variant->method)) return GIG_OK;
    if (variant->pictures || gig_method_baselines(&variant->method) > 1) return GIG_OK;
    size_t features = shape->height * shape->width * shape->channels;
    gig_task task = {.count = 1,
                     .features = features,
                     .inputs = &input,
                     .method = variant->method,
                     .options = {.shape = *shape, .seed = seed}};
    float *made = gig_alloc(features, sizeof *made);
    if (!made) return gig_alloc_status();
    gig_status status = GIG_OK;
    if (variant->method.baseline == GIG_BASELINE_GIVEN)
        gig_baseline_random(made, features, seed, variant->random_index);
    else
        status = gig_baseline_write(made, &task, 0, 0);
    if (status == GIG_OK)
        *out = made;
    else
        gig_free(made);
    return status;
}

const gig_chain *gig_variant_make_side(gig_variant_side *out, const gig_variant *variant, size_t target)
{
    const gig_method *method = &variant->method;
    const gig_method_row *row = method->row;
    if (method->xrai || method->smooth || gig_method_draws(method) > 1 || row->curve ||
        !(row->traits & GIG_METHOD_PATH))
        return NULL;
    if (row->state_size && row->state_size(method, 0) > sizeof out->state) return NULL;
    *out = (gig_variant_side){
        .drive = {.tolerance = method->tolerance, .max_evaluations = method->max_evaluations, .close = method->close}};
    out->chain = (gig_chain){.target = target,
                             .steps = gig_method_steps(method),
                             .segments = gig_method_segments(method),
                             .rule = gig_method_rule(method)};
    if (row->guide && row->guide(&out->guide, &out->state, method) != GIG_OK) return NULL;
    if (row->guide) out->chain.guide = &out->guide;
    return &out->chain;
}
