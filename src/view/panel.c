/* SPDX-License-Identifier: Apache-2.0 */
#include "view/panel.h"
#include "base/memory.h"
#include "base/size.h"
#include "internal/number.h"
#include "view/array.h"
#include "view/paint.h"
#include "view/plot.h"
#include "view/text_layout.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const gig_text_style TITLE = {10, 1, 0}, CLASS = {9, 0, 0.15}, SMALL = {7, 0, 0.4}, LINE = {8, 0, 0.15};
static const double BAR = 7, PAD = 3;
enum { STOPS = 64 };

const char *gig_caption_completeness(char text[GIG_CAPTION_LINE_BYTES], const gig_caption *caption)
{
    char sum[32], total[32], share[32];
    double difference = caption->value_input - caption->value_baseline;
    gig_format_double(sum, sizeof sum, 4, caption->sum);
    gig_format_double(total, sizeof total, 4, difference);
    if (!isfinite(caption->sum) || !isfinite(difference)) {
        snprintf(text, GIG_CAPTION_LINE_BYTES, "completeness has no meaning here");
    } else if (difference == 0) {
        snprintf(text, GIG_CAPTION_LINE_BYTES, "sum %s, should be 0", sum);
    } else if (fabs(caption->sum - difference) < 1e-6 * fabs(difference)) {
        snprintf(text, GIG_CAPTION_LINE_BYTES, "sum %s, as it should be", sum);
    } else {
        double off = 100 * (caption->sum - difference) / fabs(difference);
        gig_format_double(share, sizeof share, 3, off);
        snprintf(text, GIG_CAPTION_LINE_BYTES, "sum %s, should be %s (%s%s %%)", sum, total, off > 0 ? "+" : "", share);
    }
    return text;
}

/* "snail  0.931", either part alone, or nothing. */
static gig_status class_line(char **out, const gig_caption *caption)
{
    char number[32] = "", joined[GIG_TEXT_BYTES];
    if (caption->has_probability) gig_format_double(number, sizeof number, 3, caption->probability);
    if (!caption->class_name && !number[0]) return GIG_OK;
    snprintf(joined, sizeof joined, "%.1900s%s%s", caption->class_name ? caption->class_name : "",
             caption->class_name && number[0] ? "  " : "", number);
    return gig_text_copy(out, joined);
}

gig_status gig_panel_caption(gig_panel *panel, const gig_caption *caption)
{
    char line[GIG_CAPTION_LINE_BYTES];
    panel->span = 1;
    if (!caption) return GIG_OK;
    if (caption->span) panel->span = caption->span;
    GIG_TRY(gig_text_copy(&panel->title, caption->title));
    GIG_TRY(gig_text_copy(&panel->note, caption->note));
    GIG_TRY(class_line(&panel->class_line, caption));
    if (!caption->has_completeness) return GIG_OK;
    return gig_text_copy(&panel->completeness, gig_caption_completeness(line, caption));
}

static uint32_t byte_of(float value)
{
    return (uint32_t)lrintf(255 * (value > 0 ? (value < 1 ? value : 1) : 0));
}

gig_status gig_panel_pixels(gig_panel *panel, const float *rgb, size_t height, size_t width)
{
    panel->pixels = gig_alloc(height * width, sizeof *panel->pixels);
    if (!panel->pixels) return gig_alloc_status();
    for (size_t i = 0; i < height * width; i++)
        panel->pixels[i] = byte_of(rgb[3 * i]) << 16 | byte_of(rgb[3 * i + 1]) << 8 | byte_of(rgb[3 * i + 2]);
    panel->height = height;
    panel->width = width;
    return GIG_OK;
}

void gig_panel_clear(gig_panel *panel)
{
    gig_free(panel->title);
    gig_free(panel->class_line);
    gig_free(panel->completeness);
    gig_free(panel->note);
    gig_free(panel->pixels);
    gig_free(panel->html);
    gig_plot_clear(&panel->plot);
    gig_array_drawing_free(panel->array);
    memset(panel, 0, sizeof *panel);
}

/* Size of the drawn picture: as wide as the panel, but at most twice as high as wide. */
static double picture_zoom(const gig_panel *panel, double width)
{
    return fmin(width / (double)panel->width, 2 * width / (double)panel->height);
}

static int has_pixels(const gig_panel *panel)
{
    return panel->height > 0 && panel->width > 0;
}

static double body_height(cairo_t *on, const gig_panel *panel, double width)
{
    if (panel->kind == GIG_PANEL_PLOT) return gig_plot_height(on, &panel->plot, width);
    if (panel->array) return gig_array_height(on, panel->array, width);
    return has_pixels(panel) ? picture_zoom(panel, width) * (double)panel->height : width / 3;
}

static double head(cairo_t *on, const gig_panel *panel, double x, double y, double width, int draw)
{
    double height = gig_text_block(on, x, y, width, &TITLE, panel->title, draw);
    return height > 0 ? height + PAD : 0;
}

/* The colour of value t: over mid grey if the map is an overlay. */
static void legend_colour(float rgb[3], const gig_panel *panel, double t)
{
    if (panel->array && panel->array->kind == GIG_ARRAY_SIGNAL)
        gig_line_colour(rgb, 2 * t - 1);
    else
        gig_colour_at(rgb, panel->colours, t);
    if (panel->opacity > 0)
        gig_overlay_colour(rgb, 0.5f, panel->opacity * (panel->scale.diverging ? fabs(2 * t - 1) : t),
                           (const float[3]){rgb[0], rgb[1], rgb[2]});
}

static void draw_legend(cairo_t *on, const gig_panel *panel, double x, double y, double width)
{
    char text[32];
    cairo_pattern_t *ramp = cairo_pattern_create_linear(x, 0, x + width, 0);
    for (int i = 0; i <= STOPS; i++) {
        float rgb[3];
        legend_colour(rgb, panel, (double)i / STOPS);
        cairo_pattern_add_color_stop_rgb(ramp, (double)i / STOPS, (double)rgb[0], (double)rgb[1], (double)rgb[2]);
    }
    cairo_rectangle(on, x, y, width, BAR);
    cairo_set_source(on, ramp);
    cairo_fill(on);
    cairo_pattern_destroy(ramp);
    double base = y + BAR + SMALL.size + 1;
    gig_text_line(on, x, base, 0, &SMALL, gig_format_double(text, sizeof text, 3, panel->scale.low));
    gig_text_line(on, x + width, base, 1, &SMALL, gig_format_double(text, sizeof text, 3, panel->scale.high));
    if (panel->scale.diverging) gig_text_line(on, x + width / 2, base, 0.5, &SMALL, "0");
}

static double foot(cairo_t *on, const gig_panel *panel, double x, double y, double width, int draw)
{
    double height = PAD;
    if (panel->has_legend) {
        if (draw) draw_legend(on, panel, x, y + height, width);
        height += BAR + 1 + gig_text_leading(&SMALL);
    }
    if (panel->has_scale) height += gig_text_block(on, x, y + height, width, &SMALL, panel->scale.text, draw);
    height += gig_text_block(on, x, y + height, width, &CLASS, panel->class_line, draw);
    height += gig_text_block(on, x, y + height, width, &LINE, panel->completeness, draw);
    return height + gig_text_block(on, x, y + height, width, &LINE, panel->note, draw);
}

gig_panel_size gig_panel_measure(cairo_t *on, const gig_panel *panel, double width)
{
    return (gig_panel_size){head(on, panel, 0, 0, width, 0), body_height(on, panel, width),
                            foot(on, panel, 0, 0, width, 0)};
}

static void draw_empty(cairo_t *on, double x, double y, double width)
{
    cairo_set_source_rgb(on, 0.6, 0.6, 0.6);
    cairo_set_line_width(on, 0.8);
    cairo_rectangle(on, x + 0.4, y + 0.4, width - 0.8, width / 3 - 0.8);
    cairo_stroke(on);
    gig_text_line(on, x + width / 2, y + width / 6, 0.5, &LINE, "empty");
}

static void draw_picture(cairo_t *on, const gig_panel *panel, double x, double y, double width)
{
    if (!has_pixels(panel)) {
        draw_empty(on, x, y, width);
        return;
    }
    double zoom = picture_zoom(panel, width);
    cairo_surface_t *picture =
        cairo_image_surface_create_for_data((unsigned char *)panel->pixels, CAIRO_FORMAT_RGB24, (int)panel->width,
                                            (int)panel->height, (int)(4 * panel->width));
    cairo_save(on);
    cairo_translate(on, x + 0.5 * (width - zoom * (double)panel->width), y);
    cairo_scale(on, zoom, zoom);
    cairo_rectangle(on, 0, 0, (double)panel->width, (double)panel->height);
    cairo_set_source_surface(on, picture, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(on), panel->crisp ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_GOOD);
    cairo_pattern_set_extend(cairo_get_source(on), CAIRO_EXTEND_PAD);
    cairo_fill(on);
    cairo_restore(on);
    cairo_surface_destroy(picture);
}

void gig_panel_draw(cairo_t *on, const gig_panel *panel, double x, double y, double width, gig_panel_size row)
{
    /* The head sits directly on the body, so that a short title does not float. */
    double own = head(on, panel, x, y, width, 0);
    head(on, panel, x, y + row.head - own, width, 1);
    if (panel->kind == GIG_PANEL_PLOT)
        gig_plot_draw(on, &panel->plot, x, y + row.head, width);
    else if (panel->array)
        gig_array_draw(on, panel->array, x, y + row.head, width);
    else
        draw_picture(on, panel, x, y + row.head, width);
    foot(on, panel, x, y + row.head + body_height(on, panel, width), width, 1);
}
