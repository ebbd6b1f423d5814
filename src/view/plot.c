/* SPDX-License-Identifier: Apache-2.0 */
#include "view/plot.h"
#include "base/memory.h"
#include "base/size.h"
#include "internal/number.h"
#include "view/colour.h"
#include "view/text_layout.h"
#include <math.h>
#include <string.h>

static const gig_text_style TICK = {7.5, 0, 0.3}, LABEL = {8.5, 0, 0.1}, KEY = {8, 0, 0.1};
static const double SWATCH = 16, KEY_GAP = 10, DASHES[2] = {3.5, 2.5};

/* ---- copies ---- */

static gig_status copy_numbers(const double **out, const double *from, size_t count)
{
    if (!from) return GIG_OK;
    double *copy = gig_alloc(count, sizeof *copy);
    if (!copy) return gig_alloc_status();
    if (count) memcpy(copy, from, count * sizeof *copy);
    *out = copy;
    return GIG_OK;
}

static gig_status copy_text(const char **out, const char *from)
{
    char *copy;
    GIG_TRY(gig_text_copy(&copy, from));
    *out = copy;
    return GIG_OK;
}

static gig_status copy_series(gig_series *out, const gig_series *from)
{
    if (from->count && (!from->x || !from->y)) return gig_fail(GIG_EARG, "a series of a plot needs x and y");
    if (from->count > GIG_MAX_ELEMENTS) return gig_fail(GIG_ELIMIT, "a series of %zu points is too long", from->count);
    *out = *from;
    out->name = NULL;
    out->x = out->y = out->low = out->high = NULL;
    GIG_TRY(copy_text(&out->name, from->name));
    GIG_TRY(copy_numbers(&out->x, from->x, from->count));
    GIG_TRY(copy_numbers(&out->y, from->y, from->count));
    if (!from->low || !from->high) return GIG_OK;
    GIG_TRY(copy_numbers(&out->low, from->low, from->count));
    return copy_numbers(&out->high, from->high, from->count);
}

/* The copy's fields are pointers to const, but point to blocks that the copy owns. */
static void release(const void *block)
{
    void *mine;
    memcpy(&mine, &block, sizeof mine);
    gig_free(mine);
}

void gig_plot_clear(gig_plot *plot)
{
    for (size_t i = 0; i < plot->series_count; i++) {
        const gig_series *series = &plot->series[i];
        release(series->name);
        release(series->x);
        release(series->y);
        release(series->low);
        release(series->high);
    }
    release(plot->series);
    release(plot->marks);
    release(plot->x_label);
    release(plot->y_label);
    memset(plot, 0, sizeof *plot);
}

gig_status gig_plot_copy(gig_plot *out, const gig_plot *plot)
{
    gig_status status = GIG_OK;
    *out = *plot;
    out->x_label = out->y_label = NULL;
    out->series = NULL;
    out->marks = NULL;
    out->series_count = out->mark_count = 0;
    if (out->aspect == 0) out->aspect = 0.72;
    if (!(out->aspect > 0 && out->aspect <= 4))
        return gig_fail(GIG_EARG, "aspect of a plot: expected a number above 0, at most 4");
    gig_series *series = gig_alloc_zero(plot->series_count, sizeof *series);
    if (!series) return gig_alloc_status();
    out->series = series;
    GIG_TRY_DONE(copy_text(&out->x_label, plot->x_label));
    GIG_TRY_DONE(copy_text(&out->y_label, plot->y_label));
    GIG_TRY_DONE(copy_numbers(&out->marks, plot->marks, plot->mark_count));
    out->mark_count = plot->marks ? plot->mark_count : 0;
    for (size_t i = 0; i < plot->series_count; i++) {
        out->series_count = i + 1;
        GIG_TRY_DONE(copy_series(&series[i], &plot->series[i]));
    }
done:
    if (status != GIG_OK) gig_plot_clear(out);
    return status;
}

/* ---- ranges ---- */

typedef struct range {
    double low, high;
} range;

static void widen(range *to, double value)
{
    if (!isfinite(value)) return;
    if (value < to->low) to->low = value;
    if (value > to->high) to->high = value;
}

static gig_plot_axis axis_of(const gig_plot *plot, int vertical)
{
    double low = vertical ? plot->y_low : plot->x_low, high = vertical ? plot->y_high : plot->x_high;
    if (isfinite(low) && isfinite(high) && low < high) return gig_plot_axis_make(low, high, 5, 0);
    range data = {INFINITY, -INFINITY};
    for (size_t i = 0; i < plot->series_count; i++) {
        const gig_series *series = &plot->series[i];
        for (size_t k = 0; k < series->count; k++) {
            if (!isfinite(series->x[k]) || !isfinite(series->y[k])) continue;
            widen(&data, vertical ? series->y[k] : series->x[k]);
            if (vertical && series->low) {
                widen(&data, series->low[k]);
                widen(&data, series->high[k]);
            }
        }
    }
    if (vertical && plot->zero_line) widen(&data, 0);
    if (!vertical)
        for (size_t i = 0; i < plot->mark_count; i++) widen(&data, plot->marks[i]);
    return gig_plot_axis_make(data.low, data.high, 5, vertical);
}

/* ---- drawing ---- */

typedef struct frame {
    double x, y, width, height; /* of the area between the axes */
    gig_plot_axis across, up;
} frame;

/* Fraction of the axis, clamped near it: cairo's coordinates have 24 bits before the point. */
static double share(const gig_plot_axis *axis, double value)
{
    return fmin(fmax((value - axis->low) / (axis->high - axis->low), -8), 9);
}

static double place_x(const frame *in, double x)
{
    return in->x + in->width * share(&in->across, x);
}

static double place_y(const frame *in, double y)
{
    return in->y + in->height * (1 - share(&in->up, y));
}

static const char *tick_text(char text[32], double value)
{
    return gig_format_double(text, 32, 5, value);
}

static double widest_tick(cairo_t *on, const gig_plot_axis *axis)
{
    double widest = 0;
    char text[32];
    for (size_t i = 0; i < axis->count; i++)
        widest = fmax(widest, gig_text_width(on, &TICK, tick_text(text, axis->ticks[i])));
    return widest;
}

static frame frame_of(cairo_t *on, const gig_plot *plot, double x, double y, double width)
{
    frame in = {.across = axis_of(plot, 0), .up = axis_of(plot, 1)};
    double left = widest_tick(on, &in.up) + 6 + (plot->y_label ? 12 : 0), below = 12 + (plot->x_label ? 12 : 0);
    in.x = x + left;
    in.y = y + 4;
    in.width = fmax(width - left - 6, 10);
    in.height = fmax(width * plot->aspect - below - 4, 10);
    return in;
}

static void draw_axes(cairo_t *on, const gig_plot *plot, const frame *in)
{
    char text[32];
    cairo_set_line_width(on, 0.5);
    for (size_t i = 0; i < in->across.count; i++) {
        double x = place_x(in, in->across.ticks[i]);
        cairo_set_source_rgb(on, 0.9, 0.9, 0.9);
        cairo_move_to(on, x, in->y);
        cairo_line_to(on, x, in->y + in->height);
        cairo_stroke(on);
        gig_text_line(on, x, in->y + in->height + 10, 0.5, &TICK, tick_text(text, in->across.ticks[i]));
    }
    for (size_t i = 0; i < in->up.count; i++) {
        double y = place_y(in, in->up.ticks[i]);
        cairo_set_source_rgb(on, 0.9, 0.9, 0.9);
        cairo_move_to(on, in->x, y);
        cairo_line_to(on, in->x + in->width, y);
        cairo_stroke(on);
        gig_text_line(on, in->x - 4, y + 0.36 * TICK.size, 1, &TICK, tick_text(text, in->up.ticks[i]));
    }
    cairo_set_source_rgb(on, 0.35, 0.35, 0.35);
    cairo_set_line_width(on, 0.8);
    cairo_rectangle(on, in->x, in->y, in->width, in->height);
    cairo_stroke(on);
    if (plot->x_label) gig_text_line(on, in->x + in->width / 2, in->y + in->height + 21, 0.5, &LABEL, plot->x_label);
    if (!plot->y_label) return;
    cairo_save(on);
    cairo_translate(on, in->x - widest_tick(on, &in->up) - 10, in->y + in->height / 2);
    cairo_rotate(on, -1.5707963267948966);
    gig_text_line(on, 0, 0, 0.5, &LABEL, plot->y_label);
    cairo_restore(on);
}

static void draw_guides(cairo_t *on, const gig_plot *plot, const frame *in)
{
    cairo_set_source_rgb(on, 0.45, 0.45, 0.45);
    cairo_set_line_width(on, 0.8);
    if (plot->zero_line && in->up.low < 0 && in->up.high > 0) {
        cairo_move_to(on, in->x, place_y(in, 0));
        cairo_line_to(on, in->x + in->width, place_y(in, 0));
        cairo_stroke(on);
    }
    cairo_set_dash(on, DASHES, 2, 0);
    for (size_t i = 0; i < plot->mark_count; i++) {
        if (!isfinite(plot->marks[i])) continue;
        cairo_move_to(on, place_x(in, plot->marks[i]), in->y);
        cairo_line_to(on, place_x(in, plot->marks[i]), in->y + in->height);
    }
    if (plot->diagonal) {
        cairo_move_to(on, in->x, in->y + in->height);
        cairo_line_to(on, in->x + in->width, in->y);
    }
    cairo_stroke(on);
    cairo_set_dash(on, NULL, 0, 0);
}

static gig_rgb series_colour(const gig_plot *plot, size_t i)
{
    return gig_palette(plot->series[i].colour ? plot->series[i].colour - 1 : i);
}

static int drawable(const gig_series *series, size_t k, int band)
{
    if (!isfinite(series->x[k]) || !isfinite(series->y[k])) return 0;
    return !band || (isfinite(series->low[k]) && isfinite(series->high[k]));
}

/* First index after the run of drawable points that starts at k. */
static size_t run_end(const gig_series *series, size_t k, int band)
{
    while (k < series->count && drawable(series, k, band)) k++;
    return k;
}

static void draw_band(cairo_t *on, const gig_series *series, const frame *in, gig_rgb colour)
{
    cairo_set_source_rgba(on, colour.r, colour.g, colour.b, 0.18);
    for (size_t k = 0; k < series->count; k++) {
        size_t end = run_end(series, k, 1);
        for (size_t i = k; i < end; i++) cairo_line_to(on, place_x(in, series->x[i]), place_y(in, series->high[i]));
        for (size_t i = end; i > k; i--)
            cairo_line_to(on, place_x(in, series->x[i - 1]), place_y(in, series->low[i - 1]));
        cairo_close_path(on);
        cairo_fill(on);
        k = end;
    }
}

static void draw_series(cairo_t *on, const gig_series *series, const frame *in, gig_rgb colour)
{
    if (series->low) draw_band(on, series, in, colour);
    cairo_set_source_rgb(on, colour.r, colour.g, colour.b);
    cairo_set_line_width(on, 1.4);
    if (series->dashed) cairo_set_dash(on, DASHES, 2, 0);
    for (size_t k = 0; !series->hide_line && k < series->count; k++) {
        size_t end = run_end(series, k, 0);
        for (size_t i = k; i < end; i++) cairo_line_to(on, place_x(in, series->x[i]), place_y(in, series->y[i]));
        if (end == k + 1) cairo_line_to(on, place_x(in, series->x[k]), place_y(in, series->y[k])); /* a single point */
        cairo_stroke(on);
        k = end;
    }
    cairo_set_dash(on, NULL, 0, 0);
    for (size_t k = 0; series->dots && k < series->count; k++) {
        if (!drawable(series, k, 0)) continue;
        cairo_new_sub_path(on);
        cairo_arc(on, place_x(in, series->x[k]), place_y(in, series->y[k]), 1.9, 0, 6.283185307179586);
        cairo_fill(on);
    }
}

/* Swatches and names in lines of `width`; returns the height. */
static double draw_key(cairo_t *on, const gig_plot *plot, double x, double y, double width, int draw)
{
    double at = 0, line = gig_text_leading(&KEY) + 1, height = 0;
    for (size_t i = 0; i < plot->series_count; i++) {
        const gig_series *series = &plot->series[i];
        if (!series->name || !*series->name) continue;
        double wide = SWATCH + 4 + gig_text_width(on, &KEY, series->name);
        if (height == 0) height = line;
        if (at > 0 && at + wide > width) {
            at = 0;
            height += line;
        }
        if (draw) {
            gig_rgb colour = series_colour(plot, i);
            double middle = y + height - line + 0.5 * line;
            cairo_set_source_rgb(on, colour.r, colour.g, colour.b);
            cairo_set_line_width(on, 1.8);
            if (series->dashed) cairo_set_dash(on, DASHES, 2, 0);
            cairo_move_to(on, x + at, middle);
            cairo_line_to(on, x + at + SWATCH, middle);
            cairo_stroke(on);
            cairo_set_dash(on, NULL, 0, 0);
            gig_text_line(on, x + at + SWATCH + 4, middle + 0.36 * KEY.size, 0, &KEY, series->name);
        }
        at += wide + KEY_GAP;
    }
    return height;
}

double gig_plot_height(cairo_t *on, const gig_plot *plot, double width)
{
    return width * plot->aspect + 4 + draw_key(on, plot, 0, 0, width, 0);
}

void gig_plot_draw(cairo_t *on, const gig_plot *plot, double x, double y, double width)
{
    frame in = frame_of(on, plot, x, y, width);
    draw_axes(on, plot, &in);
    cairo_save(on);
    cairo_rectangle(on, in.x - 0.5, in.y - 0.5, in.width + 1, in.height + 1);
    cairo_clip(on);
    draw_guides(on, plot, &in);
    for (size_t i = 0; i < plot->series_count; i++) draw_series(on, &plot->series[i], &in, series_colour(plot, i));
    cairo_restore(on);
    draw_key(on, plot, x, y + width * plot->aspect + 4, width, 1);
}
