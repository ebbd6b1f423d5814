/* SPDX-License-Identifier: Apache-2.0 */
#include "captions.h"
#include "frame/printing.h"
#include "internal/explainer.h"
#include "internal/number.h"
#include "internal/saliency.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- names ---- */

const char *caption_file(char *text, size_t bytes, const char *path)
{
    const char *slash = strrchr(path, '/');
    return output_name(text, bytes, slash && slash[1] ? slash + 1 : path);
}

const char *caption_title(char text[TITLE_BYTES], const options *given, const char *name)
{
    char model[TITLE_BYTES / 3];
    if (given->drawing.title) return output_name(text, TITLE_BYTES, given->drawing.title);
    caption_file(model, sizeof model, given->operands.items[0]);
    snprintf(text, TITLE_BYTES, "%s%s%s", name ? name : "", name ? ", " : "", model);
    return text;
}

const char *caption_baseline(char *text, size_t bytes, const opened_model *of, const gig_method *method)
{
    static const char *const colours[] = {"black", "white", "black+white", "random", "blur", "mean"};
    static const char *const values[] = {"zeros", "ones", "zeros+ones", "random", "blur", "mean"};
    const char *const *names = of->pictures ? colours : values;
    if (method->baseline == GIG_BASELINE_GIVEN)
        output_name(text, bytes, of->given->how.baseline);
    else if (method->baseline == GIG_BASELINE_RANDOM)
        snprintf(text, bytes, "random:%zu", method->baseline_count);
    else if (method->baseline == GIG_BASELINE_BLUR)
        snprintf(text, bytes, "blur:%g", method->baseline_sigma);
    else
        snprintf(text, bytes, "%s", names[method->baseline]);
    return text;
}

const char *caption_cost(char text[CAPTION_BYTES], const gig_explanation *found)
{
    char calls[60] = "";
    size_t count = found->evaluations ? found->evaluations : found->values;
    const char *what = found->evaluations ? "gradient" : "value";
    if (count) snprintf(calls, sizeof calls, "%zu %s%s, ", count, what, count == 1 ? "" : "s");
    if (found->seconds < 0.9995)
        snprintf(text, CAPTION_BYTES, "%s%.0f ms", calls, ceil(1e3 * found->seconds));
    else
        snprintf(text, CAPTION_BYTES, "%s%.1f s", calls, found->seconds);
    return text;
}

/* ---- what a method did ---- */

static void __attribute__((format(printf, 2, 3))) add(char text[CAPTION_BYTES], const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, CAPTION_BYTES - used, format, arguments);
    va_end(arguments);
}

const char *caption_rule(char *text, size_t bytes, const gig_method *method, const gig_explanation *found)
{
    const char *own = gig_rule_name(gig_method_rule(method)), *other = gig_rule_name(GIG_RULE_TRAPEZOID);
    size_t refined = found ? found->refined : 0;
    if (refined && refined < found->chains)
        snprintf(text, bytes, "%s, %s", own, other);
    else
        snprintf(text, bytes, "%s", refined ? other : own);
    return text;
}

static int is_own(const gig_method *method, const gig_method_option *option)
{
    return option >= method->row->options && option < method->row->options + method->row->option_count;
}

/* The row's own options as "fraction 0.1, max-dist 0.02"; words only where they are not the default. */
static void add_own(char text[CAPTION_BYTES], const gig_method *method)
{
    const gig_method_option *option;
    char value[100];
    for (size_t i = 0; (option = gig_method_option_at(method, i)); i++) {
        if (!is_own(method, option) || !gig_method_get(value, sizeof value, method, option->name) || !*value) continue;
        if (option->kind == GIG_OPTION_CHOICE && gig_method_number(method, option->name) == option->usual) continue;
        add(text, "%s%s %s", *text ? ", " : "", option->name, value);
    }
}

/* "200 steps, fraction 0.1, rule left, from black" */
static void add_path(char text[CAPTION_BYTES], const opened_model *of, const gig_method *method,
                     const gig_explanation *found)
{
    char baseline[300], rule[64];
    if (method->steps_per_segment && gig_method_takes(method, "steps-per-segment"))
        add(text, "%zu steps per segment", method->steps_per_segment);
    else
        add(text, "%zu steps", method->steps);
    add_own(text, method);
    add(text, ", rule %s", caption_rule(rule, sizeof rule, method, found));
    if (method->row->traits & GIG_METHOD_BASELINE)
        add(text, ", from %s", caption_baseline(baseline, sizeof baseline, of, method));
    if (method->tolerance > 0) add(text, ", tolerance %g", method->tolerance);
    if (method->close) add(text, ", closed");
    if (method->repeat > 1) add(text, ", mean of %zu draws", method->repeat);
}

const char *caption_method(char text[CAPTION_BYTES], const opened_model *of, const gig_method *method,
                           const gig_explanation *found)
{
    static const char *const kinds[] = {"mean", "mean of squares", "variance"};
    const char *cam = gig_explainer_cam(of->explainer, NULL);
    char layer[200];
    text[0] = 0;
    if (method->row->traits & GIG_METHOD_PATH)
        add_path(text, of, method, found);
    else if (method->row->traits & GIG_METHOD_LAYER)
        add(text, "layer %s", output_name(layer, sizeof layer, cam ? cam : "?"));
    if (!(method->row->traits & GIG_METHOD_PATH)) add_own(text, method);
    if (method->smooth)
        add(text, "%s%s over %zu samples, noise %g", text[0] ? ", " : "", kinds[method->smooth_kind], method->samples,
            method->noise);
    if (method->xrai) add(text, "%sxrai %s", text[0] ? ", " : "", method->xrai_fast ? "fast" : "full");
    return text;
}

/* ---- panels ---- */

const char *caption_class(char text[CAPTION_BYTES], const gig_explanation *found)
{
    char name[CAPTION_BYTES / 2], number[32];
    text[0] = 0;
    if (found->class_name) {
        output_name(name, sizeof name, found->class_name);
        add(text, "%.*s (class %zu)", (int)strcspn(name, ","), name, found->target);
    } else if (!found->one_number) {
        add(text, "class %zu", found->target);
    }
    if (isfinite(found->value))
        add(text, "%s%s %s", text[0] ? ", " : "", found->of, gig_format_double(number, sizeof number, 4, found->value));
    return text;
}

gig_status caption_add_picture(gig_sheet *sheet, const char *title, const gig_explanation *found)
{
    char text[CAPTION_BYTES];
    gig_caption caption = {.title = title ? title : "picture", .class_name = caption_class(text, found)};
    return gig_sheet_add_picture(sheet, &caption, found->picture, found->shape.height, found->shape.width);
}

gig_map_options caption_look(const options *given, const gig_method *method, const float *point, int overlay)
{
    static const gig_display_options displays[] = {{.rule = GIG_DISPLAY_MAGNITUDE},
                                                   {.rule = GIG_DISPLAY_MAGNITUDE},
                                                   {.rule = GIG_DISPLAY_SIGNED},
                                                   {.rule = GIG_DISPLAY_MASS, .sign = GIG_SIGN_POSITIVE},
                                                   {.rule = GIG_DISPLAY_MASS, .sign = GIG_SIGN_NEGATIVE},
                                                   {.rule = GIG_DISPLAY_MASS},
                                                   {.rule = GIG_DISPLAY_RANGE},
                                                   {.rule = GIG_DISPLAY_PAIR_DIVERGING}};
    static const gig_map_look looks[] = {GIG_LOOK_HEAT, GIG_LOOK_OVERLAY, GIG_LOOK_HEAT, GIG_LOOK_MASK, GIG_LOOK_ALPHA};
    int whole_areas = method->xrai || method->row->traits & GIG_METHOD_AREAS;
    gig_map_options out = {
        .look = looks[given->drawing.look], .pixels = point, .display = displays[given->drawing.display]};
    if (!given->drawing.look && (overlay || whole_areas)) out.look = GIG_LOOK_OVERLAY;
    if (!given->drawing.display && whole_areas) out.display.rule = GIG_DISPLAY_RANGE;
    return out;
}

gig_caption caption_of_map(const gig_method *method, const gig_explanation *found,
                           gig_named_number numbers[GIG_EXPLANATION_NUMBERS])
{
    gig_explanation_numbers(numbers, found);
    return (gig_caption){.title = found->method,
                         .has_completeness = !method->xrai && isfinite(found->sum) && isfinite(found->delta),
                         .sum = found->sum,
                         .value_input = found->value_input,
                         .value_baseline = found->value_baseline,
                         .number_count = GIG_EXPLANATION_NUMBERS,
                         .numbers = numbers};
}

gig_status caption_add_map(gig_sheet *sheet, const gig_method *method, const gig_explanation *found, const float *map,
                           const gig_map_options *look, const char *note)
{
    const gig_picture_shape shape = found->shape;
    gig_named_number numbers[GIG_EXPLANATION_NUMBERS];
    gig_caption caption = caption_of_map(method, found, numbers);
    caption.note = note;
    return gig_sheet_add_map(sheet, &caption, map, shape.height, shape.width,
                             gig_method_per_pixel(method) ? 1 : shape.channels, look);
}
