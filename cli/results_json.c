/* SPDX-License-Identifier: Apache-2.0 */
/* One result as JSON: what was found, and under `options` every setting that concerned the method. */
#include "captions.h"
#include "results.h"
#include <jansson.h>

static void set_count(json_t *out, const char *key, size_t value)
{
    json_object_set_new(out, key, json_integer((json_int_t)value));
}

static void set_text(json_t *out, const char *key, const char *value)
{
    json_object_set_new(out, key, json_name(value));
}

static void set_guided(json_t *out, const gig_method *method)
{
    set_count(out, "anchors", method->anchors);
    json_object_set_new(out, "fraction", json_number(method->fraction));
    set_text(out, "fraction-of", method->of_remaining ? "remaining" : "all");
    json_object_set_new(out, "max-dist", method->bounded ? json_number(method->max_dist) : json_null());
}

static void set_path(json_t *out, const options *given, const gig_method *method, const gig_explanation *found)
{
    char baseline[300], rule[64];
    int guided = method->base == GIG_BASE_GUIDED_IG;
    set_text(out, "rule", caption_rule(rule, sizeof rule, method, found));
    if (guided && method->steps_per_segment)
        set_count(out, "steps-per-segment", method->steps_per_segment);
    else
        set_count(out, "steps", method->steps);
    if (guided) set_guided(out, method);
    if (method->base == GIG_BASE_BLUR_IG)
        json_object_set_new(out, "sigma", json_number(method->sigma));
    else
        set_text(out, "baseline", caption_baseline(baseline, sizeof baseline, given, method));
    json_object_set_new(out, "tolerance", method->tolerance > 0 ? json_number(method->tolerance) : json_null());
    if (method->tolerance > 0) set_count(out, "max-evaluations", gig_method_max_evaluations(method));
    json_object_set_new(out, "close", json_boolean(method->close));
    set_count(out, "repeat", method->repeat);
}

/* The canonical name leaves defaults out; here they stand. */
static json_t *options_json(const results *from, const gig_method *method, const gig_explanation *found)
{
    static const char *const precisions[] = {"f32", "mixed", "split", "bf16"};
    static const char *const kinds[] = {"mean", "squares", "variance"};
    char name[GIG_METHOD_NAME_BYTES];
    json_t *out = json_object();
    set_text(out, "method", gig_method_name(name, sizeof name, method));
    if (method->base == GIG_BASE_IG || method->base == GIG_BASE_BLUR_IG || method->base == GIG_BASE_GUIDED_IG)
        set_path(out, from->given, method, found);
    if (method->base == GIG_BASE_GRAD_CAM && from->of->cam) set_text(out, "layer", from->of->cam);
    if (method->base == GIG_BASE_OCCLUSION) {
        json_object_set_new(out, "window",
                            json_pack("[I, I]", (json_int_t)method->window[0], (json_int_t)method->window[1]));
        json_object_set_new(out, "stride",
                            json_pack("[I, I]", (json_int_t)method->stride[0], (json_int_t)method->stride[1]));
        json_object_set_new(out, "value", json_number(method->value));
        set_text(out, "overlap", method->overlap_sum ? "sum" : "average");
    }
    if (method->smooth) {
        set_text(out, "smooth", kinds[method->smooth_kind]);
        set_count(out, "samples", method->samples);
        json_object_set_new(out, "noise", json_number(method->noise));
    }
    if (method->xrai) {
        set_text(out, "xrai", method->xrai_fast ? "fast" : "full");
        set_count(out, "min-pixels", method->min_pixels);
        json_object_set_new(out, "segments", from->given->segments ? json_name(from->given->segments) : json_null());
    }
    set_count(out, "seed", (size_t)from->given->seed);
    set_count(out, "batch", gig_network_batch(from->of->plain.network));
    set_text(out, "precision", precisions[from->given->precision]);
    return out;
}

json_t *results_json(const results *from, const char *name, const gig_method *method, size_t target, double value,
                     const gig_explanation *found)
{
    const char *label = gig_description_label(from->of->description, target);
    char engine_name[64];
    return json_pack("{s:o, s:s, s:I, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:f, s:o, s:o, s:o, s:o, s:o, "
                     "s:o, s:o, s:o, s:I, s:o, s:{s:s, s:s}}",
                     "input", json_name(name), "method", found->method, "class", (json_int_t)target, "label",
                     label ? json_name(label) : json_null(), "of", scalar_name(from->of->scalar), "value",
                     json_number(value), "value_input", json_number(found->value_input), "value_baseline",
                     json_number(found->value_baseline), "sum", json_number(found->sum), "delta",
                     json_number(found->delta), "step_error", json_number(found->step_error), "evaluations",
                     (json_int_t)found->evaluations, "values", (json_int_t)found->values, "seconds", found->seconds,
                     "noise", json_number(found->noise), "distance", json_number(found->distance), "l1",
                     json_number(found->l1), "l2", json_number(found->l2), "closed", json_number(found->closed),
                     "unassigned", json_number(found->unassigned), "stability", json_number(found->stability),
                     "stability_of_mean", json_number(found->stability_of_mean), "stopped", (json_int_t)found->stopped,
                     "options", options_json(from, method, found), "versions", "gig", gig_version(), "engine",
                     gig_network_engine(engine_name, sizeof engine_name));
}
