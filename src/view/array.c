/* SPDX-License-Identifier: Apache-2.0 */
/* From an array with its attributions to what a panel keeps of it. */
#include "view/array.h"
#include "base/memory.h"
#include "base/size.h"
#include "view/paint.h"
#include "view/panel.h"
#include "view/text_layout.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STRIPS = 12, MOST_WORDS = 2000, MOST_BARS = 24, MOST_SLICES = 16 };

void gig_array_drawing_free(gig_array_drawing *drawing)
{
    if (!drawing) return;
    for (size_t i = 0; drawing->labels && i < drawing->count; i++) gig_free(drawing->labels[i]);
    gig_free(drawing->labels);
    gig_free(drawing->order);
    gig_free(drawing->values);
    gig_free(drawing->shown);
    gig_free(drawing->sums);
    gig_free(drawing);
}

static gig_status make_room(gig_array_drawing *out, size_t ordered)
{
    size_t count;
    if (!gig_size_multiply(&count, out->rows, out->count)) return gig_fail(GIG_ELIMIT, "an array is too large to draw");
    out->order = gig_alloc(ordered, sizeof *out->order);
    out->values = gig_alloc(count, sizeof *out->values);
    out->shown = gig_alloc(count, sizeof *out->shown);
    return out->order && out->values && out->shown ? GIG_OK : gig_alloc_status();
}

/* Behind the words of the scale. */
static void remark(gig_display_scale *scale, const char *text)
{
    size_t used = strlen(scale->text);
    snprintf(scale->text + used, sizeof scale->text - used, "%s%s", used ? "; " : "", text);
}

/* ---- choosing the strongest ---- */

typedef struct ranked {
    double strength;
    size_t index;
} ranked;

static int by_strength(const void *a, const void *b)
{
    const ranked *one = a, *other = b;
    if (one->strength != other->strength) return one->strength > other->strength ? -1 : 1;
    return (one->index > other->index) - (one->index < other->index); /* ties: the first */
}

static int by_index(const void *a, const void *b)
{
    size_t one = *(const size_t *)a, other = *(const size_t *)b;
    return (one > other) - (one < other);
}

/* The `kept` strongest of all, strongest first. */
static void choose_strongest(size_t *order, size_t kept, ranked *all, size_t count)
{
    qsort(all, count, sizeof *all, by_strength);
    for (size_t i = 0; i < kept; i++) order[i] = all[i].index;
}

/* ---- signals ---- */

static gig_status choose_channels(gig_array_drawing *out, const float *map, const gig_array_layout *is)
{
    ranked *all = gig_alloc(is->channels, sizeof *all);
    if (!all) return gig_alloc_status();
    for (size_t c = 0; c < is->channels; c++) {
        all[c] = (ranked){0, c};
        for (size_t i = 0; i < is->width; i++)
            all[c].strength += fabs((double)map[c * is->strides[0] + i * is->strides[3]]);
    }
    choose_strongest(out->order, out->rows, all, is->channels);
    qsort(out->order, out->rows, sizeof *out->order, by_index);
    gig_free(all);
    return GIG_OK;
}

static void gather(float *out, const gig_array_drawing *drawing, const float *from, const gig_array_layout *is)
{
    for (size_t r = 0; r < drawing->rows; r++)
        for (size_t i = 0; i < drawing->count; i++)
            *out++ = from[drawing->order[r] * is->strides[0] + i * is->strides[3]];
}

static gig_status keep_signal(gig_array_drawing *out, gig_display_scale *scale, const gig_array *array,
                              const gig_array_layout *is)
{
    const gig_display_options display = {.rule = GIG_DISPLAY_SIGNED};
    char text[80];
    out->rows = is->channels < MOST_STRIPS ? is->channels : MOST_STRIPS;
    out->count = is->width;
    GIG_TRY(make_room(out, out->rows));
    GIG_TRY(choose_channels(out, array->map, is));
    gather(out->values, out, array->map, is); /* until they are display values */
    GIG_TRY(gig_display_map(out->shown, scale, out->values, out->rows * out->count, 1, &display));
    gather(out->values, out, array->values, is);
    if (out->rows == is->channels) return GIG_OK;
    snprintf(text, sizeof text, "%zu of %zu channels, those with the largest attributions", out->rows, is->channels);
    remark(scale, text);
    return GIG_OK;
}

/* ---- words and columns: one number each ---- */

static gig_status add_up(gig_array_drawing *out, gig_display_scale *scale, const gig_array *array,
                         const gig_array_layout *is)
{
    const gig_display_options display = {.rule = GIG_DISPLAY_SIGNED, .percentile = 100};
    out->sums = gig_alloc_zero(is->width, sizeof *out->sums);
    if (!out->sums) return gig_alloc_status();
    for (size_t i = 0; i < is->width; i++) {
        for (size_t c = 0; c < is->channels; c++)
            out->sums[i] += (double)array->map[i * is->strides[3] + c * is->strides[0]];
        out->values[i] = (float)out->sums[i];
    }
    GIG_TRY(gig_display_map(out->shown, scale, out->values, is->width, 1, &display));
    if (!scale->constant)
        snprintf(scale->text, sizeof scale->text, "%s",
                 is->kind == GIG_ARRAY_TABLE ? "attributions, the largest first"
                 : is->channels > 1          ? "sum over the values of a token, +/- the largest"
                                             : "value, +/- the largest");
    for (size_t i = 0; i < is->width; i++) out->values[i] = array->values[i * is->strides[3]];
    return GIG_OK;
}

static gig_status copy_labels(gig_array_drawing *out, const gig_array *array)
{
    if (!array->labels) return GIG_OK;
    out->labels = gig_alloc_zero(out->count, sizeof *out->labels);
    if (!out->labels) return gig_alloc_status();
    for (size_t i = 0; i < out->count; i++)
        GIG_TRY(gig_text_copy(&out->labels[i], array->labels[i] ? array->labels[i] : ""));
    return GIG_OK;
}

static gig_status keep_words(gig_array_drawing *out, gig_display_scale *scale, const gig_array *array,
                             const gig_array_layout *is)
{
    char text[80];
    GIG_TRY(add_up(out, scale, array, is));
    if (out->count > MOST_WORDS) {
        out->left = out->count - MOST_WORDS;
        snprintf(text, sizeof text, "the first %d of %zu tokens", MOST_WORDS, out->count);
        remark(scale, text);
    }
    return GIG_OK;
}

static gig_status keep_columns(gig_array_drawing *out, gig_display_scale *scale, const gig_array *array,
                               const gig_array_layout *is)
{
    GIG_TRY(add_up(out, scale, array, is));
    ranked *all = gig_alloc(out->count, sizeof *all);
    if (!all) return gig_alloc_status();
    for (size_t i = 0; i < out->count; i++) all[i] = (ranked){fabs(out->sums[i]), i};
    choose_strongest(out->order, out->count, all, out->count);
    gig_free(all);
    for (size_t i = MOST_BARS; i < out->count; i++) {
        out->left++;
        out->rest += out->sums[out->order[i]];
    }
    return GIG_OK;
}

/* ---- slices ---- */

static size_t at(const gig_array_layout *is, size_t c, size_t z, size_t y, size_t x)
{
    return c * is->strides[0] + z * is->strides[1] + y * is->strides[2] + x * is->strides[3];
}

static size_t slice_of(const gig_array_layout *is, size_t shown, size_t i)
{
    return shown == is->depth ? i : (2 * i + 1) * is->depth / (2 * shown);
}

/* The slices one beneath the other: the map [shown * height, width, channels], and the input as a grey picture from its
 * least value to its largest. */
static void stack(float *map, float *grey, const gig_array *array, const gig_array_layout *is, size_t shown)
{
    float least = INFINITY, most = -INFINITY;
    size_t pixels = shown * is->height * is->width, p = 0;
    for (size_t i = 0; i < shown; i++)
        for (size_t y = 0; y < is->height; y++)
            for (size_t x = 0; x < is->width; x++, p++) {
                double sum = 0;
                for (size_t c = 0; c < is->channels; c++) {
                    size_t from = at(is, c, slice_of(is, shown, i), y, x);
                    map[p * is->channels + c] = array->map[from];
                    sum += (double)array->values[from];
                }
                grey[3 * p] = (float)(sum / (double)is->channels);
                least = fminf(least, grey[3 * p]);
                most = fmaxf(most, grey[3 * p]);
            }
    for (p = 0; p < pixels; p++) {
        float value = most > least ? (grey[3 * p] - least) / (most - least) : 0.5f;
        grey[3 * p] = grey[3 * p + 1] = grey[3 * p + 2] = value;
    }
}

/* Side by side in rows, white between: rgb is [shown * height, width, 3]. */
static gig_status arrange(gig_panel *panel, const float *rgb, const gig_array_layout *is, size_t shown)
{
    size_t columns = 1, gap = shown > 1 ? 1 + is->width / 48 : 0, size = is->height * is->width;
    while (columns * columns * is->width < shown * is->height) columns++;
    size_t rows = gig_size_divide_up(shown, columns);
    size_t height = rows * (is->height + gap) - gap, width = columns * (is->width + gap) - gap, count;
    GIG_TRY(gig_picture_check(&count, NULL, height, width, 3));
    float *sheet = gig_alloc(3 * count, sizeof *sheet);
    if (!sheet) return gig_alloc_status();
    for (size_t i = 0; i < 3 * count; i++) sheet[i] = 1;
    for (size_t i = 0; i < shown; i++)
        for (size_t y = 0; y < is->height; y++)
            memcpy(sheet + 3 * (((i / columns) * (is->height + gap) + y) * width + (i % columns) * (is->width + gap)),
                   rgb + 3 * (i * size + y * is->width), 3 * is->width * sizeof *rgb);
    gig_status status = gig_panel_pixels(panel, sheet, height, width);
    gig_free(sheet);
    return status;
}

static gig_status paint_slices(gig_panel *panel, const gig_array *array, const gig_array_layout *is)
{
    gig_map_options how = array->look ? *array->look : (gig_map_options){.look = GIG_LOOK_OVERLAY};
    size_t shown = is->depth < MOST_SLICES ? is->depth : MOST_SLICES, pixels = 0, values = 0;
    char text[80];
    GIG_TRY(gig_picture_check(&pixels, NULL, shown * is->height, is->width, is->channels > 3 ? is->channels : 3));
    if (!gig_size_multiply(&values, pixels, is->channels)) return gig_fail(GIG_ELIMIT, "an array is too large to draw");
    float *map = gig_alloc(values, sizeof *map), *grey = gig_alloc(3 * pixels, sizeof *grey);
    float *rgb = gig_alloc(3 * pixels, sizeof *rgb);
    gig_status status = map && grey && rgb ? GIG_OK : gig_alloc_status();
    if (status == GIG_OK) {
        stack(map, grey, array, is, shown);
        how.pixels = grey;
        status = gig_map_options_check(&how, &how);
    }
    if (status == GIG_OK)
        status = gig_map_paint(rgb, &panel->scale, map, shown * is->height, is->width, is->channels, &how);
    if (status == GIG_OK) status = arrange(panel, rgb, is, shown);
    gig_free(map);
    gig_free(grey);
    gig_free(rgb);
    panel->colours = gig_map_colours(&how, &panel->scale);
    panel->opacity = how.look == GIG_LOOK_OVERLAY ? how.opacity : 0;
    panel->crisp = 1;
    panel->has_legend = how.look == GIG_LOOK_HEAT || how.look == GIG_LOOK_OVERLAY;
    if (status != GIG_OK || is->depth == 1) return status;
    snprintf(text, sizeof text, "slices %zu to %zu of %zu%s, in rows", slice_of(is, shown, 0),
             slice_of(is, shown, shown - 1), is->depth, shown < is->depth ? ", evenly spaced" : "");
    remark(&panel->scale, text);
    return GIG_OK;
}

/* ---- the panel ---- */

static gig_status keep(gig_panel *panel, const gig_array *array, const gig_array_layout *is)
{
    gig_array_drawing *out = panel->array = gig_alloc_zero(1, sizeof *out);
    if (!out) return gig_alloc_status();
    out->kind = is->kind;
    panel->colours = GIG_COLOURS_DIVERGING;
    panel->has_legend = is->kind != GIG_ARRAY_TABLE;
    if (is->kind == GIG_ARRAY_SIGNAL) return keep_signal(out, &panel->scale, array, is);
    out->rows = 1;
    out->count = is->width;
    GIG_TRY(make_room(out, out->count));
    GIG_TRY(copy_labels(out, array));
    return (is->kind == GIG_ARRAY_TOKENS ? keep_words : keep_columns)(out, &panel->scale, array, is);
}

gig_status gig_array_panel(gig_panel *panel, const gig_array *array, const gig_array_layout *layout)
{
    panel->kind = GIG_PANEL_ARRAY;
    panel->has_scale = 1;
    if (!layout->channels || !layout->width || !layout->height || !layout->depth) return GIG_OK; /* "empty" */
    GIG_TRY(layout->kind == GIG_ARRAY_SLICES ? paint_slices(panel, array, layout) : keep(panel, array, layout));
    if (panel->scale.constant || panel->scale.empty) panel->has_legend = 0;
    return GIG_OK;
}
