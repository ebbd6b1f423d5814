/* SPDX-License-Identifier: Apache-2.0 */
#include "view/html.h"
#include "base/memory.h"
#include "base/size.h"
#include "internal/view.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#ifndef GIG_VERSION
#define GIG_VERSION "unknown"
#endif

enum { STOPS = 33 }; /* of a colour map; between them the viewer interpolates */

static void key_text(gig_json *out, const char *key, const char *text)
{
    if (!text) return;
    gig_json_key(out, key);
    gig_json_add_text(out, text);
}

static void key_count(gig_json *out, const char *key, size_t value)
{
    gig_json_key(out, key);
    gig_json_add_count(out, value);
}

/* ---- data kept for HTML only ---- */

static void add_number(gig_json *out, const char *name, double value)
{
    if (out->status != GIG_OK || !name) return;
    if (out->bytes[out->used - 1] != '{') gig_json_add(out, ",");
    gig_json_add_text(out, name);
    gig_json_add(out, ":");
    gig_json_add_number(out, value, 9);
}

/* {"sum":0.9,"should be":0.93,...} */
static void add_caption_numbers(gig_json *out, const gig_caption *caption)
{
    gig_json_key(out, "numbers");
    gig_json_add(out, "{");
    if (caption->has_completeness) {
        add_number(out, "sum", caption->sum);
        add_number(out, "should be", caption->value_input - caption->value_baseline);
        add_number(out, "delta", caption->sum - (caption->value_input - caption->value_baseline));
    }
    for (size_t i = 0; i < caption->number_count; i++)
        add_number(out, caption->numbers[i].name, caption->numbers[i].value);
    gig_json_add(out, "}");
}

gig_status gig_html_map(gig_panel *panel, const gig_caption *caption, const float *map, size_t pixels, size_t channels)
{
    gig_json out = {0};
    size_t count;
    if (!gig_size_multiply(&count, pixels, channels)) return gig_fail(GIG_ELIMIT, "a map is too large");
    gig_json_add(&out, "\"kind\":\"map\"");
    key_count(&out, "channels", channels);
    if (caption) add_caption_numbers(&out, caption);
    gig_json_key(&out, "values");
    gig_json_add_i16(&out, map, count);
    return gig_json_take(&panel->html, NULL, &out);
}

/* ---- panels ---- */

static void add_series(gig_json *out, const gig_series *series)
{
    gig_json_add(out, out->bytes[out->used - 1] == '[' ? "{" : ",{");
    key_text(out, "name", series->name);
    gig_json_key(out, "x");
    gig_json_add_numbers(out, series->x, series->count, 6);
    gig_json_key(out, "y");
    gig_json_add_numbers(out, series->y, series->count, 6);
    if (series->low && series->high) {
        gig_json_key(out, "low");
        gig_json_add_numbers(out, series->low, series->count, 6);
        gig_json_key(out, "high");
        gig_json_add_numbers(out, series->high, series->count, 6);
    }
    if (series->dashed) key_count(out, "dashed", 1);
    if (series->dots) key_count(out, "dots", 1);
    if (series->hide_line) key_count(out, "hide_line", 1);
    gig_json_add(out, "}");
}

static void add_plot(gig_json *out, const gig_plot *plot)
{
    const double x_range[2] = {plot->x_low, plot->x_high}, y_range[2] = {plot->y_low, plot->y_high};
    gig_json_add(out, "\"kind\":\"plot\"");
    key_text(out, "x_label", plot->x_label);
    key_text(out, "y_label", plot->y_label);
    gig_json_key(out, "x_range");
    gig_json_add_numbers(out, x_range, 2, 9);
    gig_json_key(out, "y_range");
    gig_json_add_numbers(out, y_range, 2, 9);
    if (plot->diagonal) key_count(out, "diagonal", 1);
    if (plot->zero_line) key_count(out, "zero_line", 1);
    gig_json_key(out, "marks");
    gig_json_add_numbers(out, plot->marks, plot->mark_count, 9);
    gig_json_key(out, "series");
    gig_json_add(out, "[");
    for (size_t i = 0; i < plot->series_count && out->status == GIG_OK; i++) add_series(out, &plot->series[i]);
    gig_json_add(out, "]");
}

static void add_panel(gig_json *out, const gig_panel *panel)
{
    gig_json_add(out, "\n{");
    if (panel->html)
        gig_json_add(out, panel->html);
    else if (panel->kind == GIG_PANEL_PLOT)
        add_plot(out, &panel->plot);
    else if (panel->kind == GIG_PANEL_HEADING)
        gig_json_add(out, "\"kind\":\"heading\"");
    else
        gig_json_add(out, "\"kind\":\"picture\"");
    key_text(out, "title", panel->title);
    key_text(out, "class", panel->class_line);
    key_text(out, "completeness", panel->completeness);
    key_text(out, "note", panel->note);
    if (panel->kind == GIG_PANEL_PICTURE) {
        key_count(out, "height", panel->height);
        key_count(out, "width", panel->width);
    }
    if (panel->kind == GIG_PANEL_PICTURE && !panel->html) {
        gig_json_key(out, "pixels");
        gig_json_add_rgb(out, panel->pixels, panel->height * panel->width);
    }
    gig_json_add(out, "}");
}

/* ---- the document ---- */

static void add_colours(gig_json *out, const char *name, gig_colours colours)
{
    gig_json_key(out, name);
    gig_json_add(out, "[");
    for (int i = 0; i < STOPS; i++) {
        float rgb[3];
        char text[32];
        gig_colour_at(rgb, colours, (double)i / (STOPS - 1));
        snprintf(text, sizeof text, "%s\"#%02lx%02lx%02lx\"", i ? "," : "", lrintf(255 * rgb[0]), lrintf(255 * rgb[1]),
                 lrintf(255 * rgb[2]));
        gig_json_add(out, text);
    }
    gig_json_add(out, "]");
}

static void add_document(gig_json *out, const char *title, const char *footer, const gig_panel *panels, size_t count)
{
    gig_json_add(out, "{");
    key_text(out, "gig", GIG_VERSION);
    key_text(out, "title", title);
    key_text(out, "footer", footer);
    gig_json_key(out, "colours");
    gig_json_add(out, "{");
    add_colours(out, "heat", GIG_COLOURS_HEAT);
    add_colours(out, "grey", GIG_COLOURS_GREY);
    add_colours(out, "diverging", GIG_COLOURS_DIVERGING);
    gig_json_add(out, "}");
    gig_json_key(out, "panels");
    gig_json_add(out, "[");
    for (size_t i = 0; i < count && out->status == GIG_OK; i++) {
        if (i) gig_json_add(out, ",");
        add_panel(out, &panels[i]);
    }
    gig_json_add(out, "]}");
}

static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-",
                  after_script[] = "'; style-src 'sha256-",
                  after_style[] = "'; base-uri 'none'; form-action 'none'\">\n"
                                  "<meta name=\"referrer\" content=\"no-referrer\">\n"
                                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                                  "<title>gig</title>\n<style>",
                  body[] = "</style>\n</head>\n<body>\n<main id=\"view\"><noscript>This file shows its results with "
                           "JavaScript, which is disabled here.</noscript></main>\n"
                           "<script type=\"application/json\" id=\"data\">",
                  script[] = "</script>\n<script type=\"module\">", tail[] = "</script>\n</body>\n</html>\n";

gig_status gig_html_encode(uint8_t **out, size_t *bytes, const char *title, const char *footer, const gig_panel *panels,
                           size_t count)
{
    gig_json text = {0};
    char *taken;
    *out = NULL;
    *bytes = 0;
    gig_json_add(&text, head);
    gig_json_add(&text, gig_viewer_script_hash);
    gig_json_add(&text, after_script);
    gig_json_add(&text, gig_viewer_style_hash);
    gig_json_add(&text, after_style);
    gig_json_add(&text, gig_viewer_style);
    gig_json_add(&text, body);
    add_document(&text, title, footer, panels, count);
    gig_json_add(&text, script);
    gig_json_add(&text, gig_viewer_script);
    gig_json_add(&text, tail);
    GIG_TRY(gig_json_take(&taken, bytes, &text));
    *out = (uint8_t *)taken;
    return GIG_OK;
}
