/* SPDX-License-Identifier: Apache-2.0 */
/* Explanations as files: sheets of pictures and maps, arrays. */
#include "base/memory.h"
#include "base/status.h"
#include "internal/explainer.h"
#include "internal/number.h"
#include "internal/tensor.h"
#include "internal/view.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CAPTION_BYTES = 300, MOST_COLUMNS = 6, ARRAY_SPAN = 2 };

/* Are the attributions those of an input that is not a picture? (Some methods give one value per pixel even there.) */
static int is_array(const gig_explanation *explanation)
{
    size_t count = 1;
    for (int i = 0; i < explanation->rank; i++) count *= (size_t)explanation->dims[i];
    return explanation->point && explanation->count == count && !(explanation->traits & GIG_METHOD_PER_PIXEL);
}

static gig_status check(const gig_explanation *explanation)
{
    if (!explanation->attributions) return gig_fail(GIG_EARG, "the explanation is empty");
    if (explanation->input_count) return GIG_OK; /* pictures and arrays */
    if (!is_array(explanation) && (!explanation->shape.height || !explanation->shape.width))
        return gig_fail(GIG_EARG,
                        "the explanation does not belong to a picture: save its attributions as an array instead");
    return GIG_OK;
}

gig_map_options gig_map_look_of(const gig_map_options *asked, unsigned traits, const float *pixels)
{
    gig_map_options look = *asked;
    int areas = (traits & GIG_METHOD_AREAS) != 0; /* so that the picture is visible */
    look.pixels = pixels;
    if (look.look == GIG_LOOK_HEAT && areas && look.pixels) look.look = GIG_LOOK_OVERLAY;
    if (look.display.rule == GIG_DISPLAY_MAGNITUDE && areas) look.display.rule = GIG_DISPLAY_RANGE;
    return look;
}

static const char *class_text(char text[CAPTION_BYTES], const gig_explanation *explanation)
{
    char number[32];
    int used = 0;
    text[0] = 0;
    if (explanation->class_name)
        used = snprintf(text, CAPTION_BYTES, "%.*s (class %zu)", (int)strcspn(explanation->class_name, ","),
                        explanation->class_name, explanation->target);
    else if (!explanation->one_number)
        used = snprintf(text, CAPTION_BYTES, "class %zu", explanation->target);
    if (used >= 0 && used < CAPTION_BYTES && explanation->of[0] && isfinite(explanation->value))
        snprintf(text + used, CAPTION_BYTES - (size_t)used, "%s%s %s", used ? ", " : "", explanation->of,
                 gig_format_double(number, sizeof number, 4, explanation->value));
    return text;
}

/* [channels, height, width] -> [height, width, channels] */
static gig_status interleave(float **out, const gig_explanation *explanation, size_t channels)
{
    size_t pixels = explanation->shape.height * explanation->shape.width;
    *out = gig_alloc(explanation->count, sizeof **out);
    if (!*out) return gig_alloc_status();
    for (size_t p = 0; p < pixels; p++)
        for (size_t c = 0; c < channels; c++) (*out)[p * channels + c] = explanation->attributions[c * pixels + p];
    return GIG_OK;
}

void gig_explanation_numbers(gig_named_number out[GIG_EXPLANATION_NUMBERS], const gig_explanation *explanation)
{
    double values = explanation->values ? (double)explanation->values : (double)NAN; /* most methods need none */
    const gig_named_number all[GIG_EXPLANATION_NUMBERS] = {{"step errors", explanation->step_error},
                                                           {"gradients", (double)explanation->evaluations},
                                                           {"values", values},
                                                           {"stability", explanation->stability},
                                                           {"seconds", explanation->seconds}};
    memcpy(out, all, sizeof all);
}

static gig_status add_array(gig_sheet *sheet, const gig_caption *caption, const gig_explanation *explanation,
                            const gig_draw_options *options)
{
    gig_map_options look = options->map;
    if (look.look == GIG_LOOK_HEAT) look.look = GIG_LOOK_OVERLAY;
    return gig_sheet_add_array(sheet, caption,
                               &(gig_array){.rank = explanation->rank,
                                            .dims = explanation->dims,
                                            .values = explanation->point,
                                            .map = explanation->attributions,
                                            .kind = options->kind,
                                            .label_count = options->label_count,
                                            .labels = options->labels,
                                            .look = &look});
}

/* title: the method's name, or NULL: it is that. */
static gig_status add_map(gig_sheet *sheet, const char *title, const gig_explanation *explanation,
                          const gig_draw_options *options)
{
    const gig_picture_shape *shape = &explanation->shape;
    size_t channels = shape->height ? explanation->count / (shape->height * shape->width) : 1;
    float *turned = NULL;
    char class_name[CAPTION_BYTES];
    gig_map_options look = gig_map_look_of(&options->map, explanation->traits, explanation->picture);
    int adds_up = strncmp(explanation->method, "xrai+", 5) && isfinite(explanation->sum);
    gig_named_number numbers[GIG_EXPLANATION_NUMBERS];
    gig_explanation_numbers(numbers, explanation);
    gig_caption caption = {.title = title ? title : explanation->method,
                           .has_completeness = adds_up && isfinite(explanation->delta),
                           .sum = explanation->sum,
                           .value_input = explanation->value_input,
                           .value_baseline = explanation->value_baseline,
                           .number_count = GIG_EXPLANATION_NUMBERS,
                           .numbers = numbers};
    if (is_array(explanation)) {
        caption.class_name = class_text(class_name, explanation);
        caption.span = ARRAY_SPAN;
        return add_array(sheet, &caption, explanation, options);
    }
    if (shape->planar && channels > 1) GIG_TRY(interleave(&turned, explanation, channels));
    gig_status status = gig_sheet_add_map(sheet, &caption, turned ? turned : explanation->attributions, shape->height,
                                          shape->width, channels, &look);
    gig_free(turned);
    return status;
}

static int same_picture(const gig_explanation *a, const gig_explanation *b)
{
    if (!a->picture || !b->picture || a->target != b->target) return 0;
    if (a->shape.height != b->shape.height || a->shape.width != b->shape.width) return 0;
    return !memcmp(a->picture, b->picture, a->shape.height * a->shape.width * 3 * sizeof *a->picture);
}

static gig_status add_picture(gig_sheet *sheet, const gig_explanation *explanation)
{
    char text[CAPTION_BYTES];
    const gig_caption caption = {.title = "picture", .class_name = class_text(text, explanation)};
    return gig_sheet_add_picture(sheet, &caption, explanation->picture, explanation->shape.height,
                                 explanation->shape.width);
}

/* Panels of the longest run of maps of one picture, the picture included. */
static size_t count_columns(const gig_explanation *explanations, size_t count, int pictures)
{
    size_t run = 0, most = 1;
    for (size_t i = 0; i < count; i++) {
        run = i && same_picture(&explanations[i - 1], &explanations[i]) ? run + 1 : 1;
        if (run > most) most = run;
    }
    most += pictures ? 1 : 0;
    return most < MOST_COLUMNS ? most : MOST_COLUMNS;
}

/* The inputs that were explained together, one after the other. */
static gig_status add_inputs(gig_sheet *sheet, const gig_explanation *all, const gig_draw_options *options)
{
    for (size_t i = 0; i < all->input_count; i++) {
        gig_explanation part;
        char title[CAPTION_BYTES];
        GIG_TRY(gig_explanation_input(&part, all, i));
        if (i) GIG_TRY(gig_sheet_add_heading(sheet, NULL));
        if (part.picture && !options->no_picture) GIG_TRY(add_picture(sheet, &part));
        snprintf(title, sizeof title, "%s: %s", all->inputs[i].name, part.method);
        GIG_TRY(add_map(sheet, title, &part, options));
    }
    return GIG_OK;
}

static gig_status add_all(gig_sheet *sheet, const gig_explanation *explanations, size_t count,
                          const gig_draw_options *options)
{
    for (size_t i = 0; i < count; i++) {
        const gig_explanation *one = &explanations[i];
        if (!i || !same_picture(one - 1, one)) {
            if (i) GIG_TRY(gig_sheet_add_heading(sheet, NULL));
            if (one->picture && !options->no_picture) GIG_TRY(add_picture(sheet, one));
        }
        GIG_TRY(one->input_count ? add_inputs(sheet, one, options) : add_map(sheet, NULL, one, options));
    }
    return GIG_OK;
}

gig_status gig_explanation_sheet(gig_sheet **out, const gig_explanation *explanations, size_t count,
                                 const gig_draw_options *options)
{
    GIG_NEED(out);
    static const gig_draw_options none;
    *out = NULL;
    if (!options) options = &none;
    if (!count) return gig_fail(GIG_EARG, "no explanations to draw: expected at least one");
    for (size_t i = 0; i < count; i++) GIG_TRY(check(&explanations[i]));
    const gig_sheet_options page = {
        .title = options->title,
        .columns = options->columns ? options->columns : count_columns(explanations, count, !options->no_picture)};
    GIG_TRY(gig_sheet_create(out, &page));
    gig_status status = add_all(*out, explanations, count, options);
    if (status == GIG_OK) return GIG_OK;
    gig_sheet_free(*out);
    *out = NULL;
    return status;
}

gig_status gig_explanation_draw(const gig_explanation *explanation, const char *path, const gig_draw_options *options)
{
    gig_sheet *sheet;
    gig_sheet_format format;
    GIG_TRY(gig_sheet_format_of(&format, path));
    GIG_TRY(gig_explanation_sheet(&sheet, explanation, 1, options));
    gig_status status = gig_sheet_write(sheet, path, options && options->force);
    gig_sheet_free(sheet);
    return status;
}

static gig_tensor array_of(const gig_explanation *explanation)
{
    gig_tensor map = {.type = GIG_FLOAT32, .rank = explanation->rank, .real = explanation->attributions};
    memcpy(map.dims, explanation->dims, sizeof map.dims);
    if (gig_tensor_count(&map) != explanation->count || !explanation->rank) {
        map.rank = 1; /* made without an explainer */
        map.dims[0] = (int64_t)explanation->count;
    }
    return map;
}

/* An array for each input, by its name. */
static gig_status save_inputs(const gig_explanation *all, const char *path, int force)
{
    size_t count = all->input_count;
    gig_tensor *maps = gig_alloc_zero(count, sizeof *maps);
    const gig_tensor **list = gig_alloc_zero(count, sizeof *list);
    const char **names = gig_alloc_zero(count, sizeof *names);
    gig_status status = maps && list && names ? GIG_OK : gig_alloc_status();
    for (size_t i = 0; i < count && status == GIG_OK; i++) {
        gig_explanation part;
        status = gig_explanation_input(&part, all, i);
        maps[i] = array_of(&part);
        list[i] = &maps[i];
        names[i] = all->inputs[i].name;
    }
    if (status == GIG_OK) status = gig_npz_write(path, count, names, list, force);
    gig_free(maps);
    gig_free(list);
    gig_free(names);
    return status;
}

gig_status gig_explanation_save(const gig_explanation *explanation, const char *path, int force)
{
    if (!explanation->attributions) return gig_fail(GIG_EARG, "the explanation is empty");
    size_t bytes = strlen(path);
    int archive = bytes > 4 && !strcmp(path + bytes - 4, ".npz");
    if (explanation->input_count && !archive)
        return gig_fail(GIG_EARG, "%zu inputs have a map each: save them as an .npz archive", explanation->input_count);
    if (explanation->input_count) return save_inputs(explanation, path, force);
    const gig_tensor map = array_of(explanation), *only = &map;
    static const char *const name = "attributions";
    return archive ? gig_npz_write(path, 1, &name, &only, force) : gig_npy_write(path, &map, force);
}
