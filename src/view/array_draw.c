/* SPDX-License-Identifier: Apache-2.0 */
/* Signals as coloured lines, tokens as coloured words, columns as bars. Units are the sheet's. */
#include "internal/number.h"
#include "view/array.h"
#include "view/plot.h"
#include "view/text_layout.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const gig_text_style TICK = {7, 0, 0.35}, WORD = {9, 0, 0}, LIGHT_WORD = {9, 0, 1}, NUMBER = {7, 0, 0.35};
static const double STRIP_GAP = 5, AXIS = 12, BAR_LINE = 13, WORD_LINE = 15, WORD_PAD = 2.5;
enum { MOST_SEGMENTS = 2000 }; /* of a line: longer signals are drawn by their least and largest values */

void gig_line_colour(float rgb[3], double value)
{
    float strength = (float)fmin(1, fabs(value));
    gig_colour_at(rgb, GIG_COLOURS_DIVERGING, value < 0 ? 0 : 1);
    for (int c = 0; c < 3; c++) rgb[c] = 0.78f + strength * (rgb[c] - 0.78f);
}

static void set_colour(cairo_t *on, const float rgb[3])
{
    cairo_set_source_rgb(on, (double)rgb[0], (double)rgb[1], (double)rgb[2]);
}

/* ---- signals ---- */

static double strip_height(const gig_array_drawing *drawing, double width)
{
    return width * (drawing->rows == 1 ? 0.3 : drawing->rows <= 3 ? 0.18 : 0.1);
}

typedef struct strip {
    double x, y, width, height;
    const float *values, *shown;
    size_t count;
    float least, most;
} strip;

static double place_x(const strip *in, double i)
{
    return in->x + in->width * (in->count > 1 ? i / (double)(in->count - 1) : 0.5);
}

static double place_y(const strip *in, float value)
{
    double share = in->most > in->least ? (double)(value - in->least) / (double)(in->most - in->least) : 0.5;
    return in->y + in->height * (0.96 - 0.92 * share);
}

static void draw_segments(cairo_t *on, const strip *in)
{
    for (size_t i = 0; i + 1 < in->count || i == 0; i++) {
        size_t next = i + 1 < in->count ? i + 1 : i;
        float rgb[3];
        double value = 0.5 * ((double)in->shown[i] + (double)in->shown[next]);
        gig_line_colour(rgb, value);
        set_colour(on, rgb);
        cairo_set_line_width(on, 1 + 1.2 * fabs(value));
        cairo_move_to(on, place_x(in, (double)i), place_y(in, in->values[i]));
        cairo_line_to(on, place_x(in, (double)next), place_y(in, in->values[next]));
        cairo_stroke(on);
    }
}

/* From the least to the largest value of each piece, which is coloured by its strongest attribution. */
static void draw_envelope(cairo_t *on, const strip *in)
{
    cairo_set_line_width(on, fmax(0.8, 1.2 * in->width / MOST_SEGMENTS));
    for (size_t piece = 0; piece < MOST_SEGMENTS; piece++) {
        size_t from = piece * in->count / MOST_SEGMENTS, end = (piece + 1) * in->count / MOST_SEGMENTS;
        float least = in->values[from], most = least, strongest = in->shown[from], rgb[3];
        if (end < in->count) end++; /* joined to the next */
        for (size_t i = from; i < end; i++) {
            least = fminf(least, in->values[i]);
            most = fmaxf(most, in->values[i]);
            if (fabsf(in->shown[i]) > fabsf(strongest)) strongest = in->shown[i];
        }
        gig_line_colour(rgb, (double)strongest);
        set_colour(on, rgb);
        double x = place_x(in, 0.5 * (double)(from + end - 1));
        cairo_move_to(on, x, place_y(in, least) + 0.4);
        cairo_line_to(on, x, place_y(in, most) - 0.4);
        cairo_stroke(on);
    }
}

static void draw_strip(cairo_t *on, strip in)
{
    char text[32];
    in.least = in.most = in.values[0];
    for (size_t i = 0; i < in.count; i++) {
        in.least = fminf(in.least, in.values[i]);
        in.most = fmaxf(in.most, in.values[i]);
    }
    cairo_set_source_rgb(on, 0.85, 0.85, 0.85);
    cairo_set_line_width(on, 0.5);
    cairo_rectangle(on, in.x, in.y, in.width, in.height);
    cairo_stroke(on);
    cairo_set_line_cap(on, CAIRO_LINE_CAP_ROUND);
    if (in.count > MOST_SEGMENTS)
        draw_envelope(on, &in);
    else
        draw_segments(on, &in);
    cairo_set_line_cap(on, CAIRO_LINE_CAP_BUTT);
    gig_text_line(on, in.x - 4, in.y + TICK.size, 1, &TICK, gig_format_double(text, 32, 3, (double)in.most));
    if (in.most > in.least)
        gig_text_line(on, in.x - 4, in.y + in.height, 1, &TICK, gig_format_double(text, 32, 3, (double)in.least));
}

static void draw_signal(cairo_t *on, const gig_array_drawing *drawing, double x, double y, double width)
{
    double left = 34, height = strip_height(drawing, width);
    strip in = {.x = x + left, .width = width - left - 4, .height = height, .count = drawing->count};
    for (size_t r = 0; r < drawing->rows; r++) {
        char text[32];
        in.y = y + (double)r * (height + STRIP_GAP);
        in.values = drawing->values + r * drawing->count;
        in.shown = drawing->shown + r * drawing->count;
        draw_strip(on, in);
        snprintf(text, sizeof text, "ch %zu", drawing->order[r]);
        if (drawing->rows > 1) gig_text_line(on, in.x - 4, in.y + 0.5 * (height + TICK.size), 1, &TICK, text);
    }
    gig_plot_axis axis = gig_plot_axis_make(0, (double)(drawing->count - 1), 6, 0);
    for (size_t i = 0; drawing->count > 1 && i < axis.count; i++) {
        char text[32];
        if (axis.ticks[i] != floor(axis.ticks[i])) continue;
        gig_text_line(on, place_x(&in, axis.ticks[i]), in.y + height + 9, 0.5, &TICK,
                      gig_format_double(text, 32, 6, axis.ticks[i]));
    }
}

/* ---- words ---- */

/* The text, or as much of it as fits with an ellipsis. */
static const char *fit(cairo_t *on, char text[GIG_TEXT_BYTES], const gig_text_style *style, const char *from,
                       double width)
{
    snprintf(text, GIG_TEXT_BYTES, "%s", from);
    size_t bytes = strlen(text);
    while (bytes && gig_text_width(on, style, text) > width) {
        do bytes--;
        while (bytes && ((unsigned char)text[bytes] & 0xc0) == 0x80); /* whole characters */
        snprintf(text + bytes, GIG_TEXT_BYTES - bytes, "\xe2\x80\xa6");
    }
    return text;
}

static const char *label_of(char number[32], const gig_array_drawing *drawing, size_t i)
{
    if (drawing->labels) return drawing->labels[i];
    snprintf(number, 32, "%zu", i);
    return number;
}

static void draw_word(cairo_t *on, double x, double y, double width, double value, const char *word)
{
    float rgb[3];
    gig_colour_at(rgb, GIG_COLOURS_DIVERGING, 0.5 + 0.5 * value);
    set_colour(on, rgb);
    cairo_rectangle(on, x, y + 1, width, WORD_LINE - 3);
    cairo_fill(on);
    int dark = 0.2126f * rgb[0] + 0.7152f * rgb[1] + 0.0722f * rgb[2] < 0.42f;
    gig_text_line(on, x + WORD_PAD, y + WORD_LINE - 5, 0, dark ? &LIGHT_WORD : &WORD, word);
}

static double lay_words(cairo_t *on, const gig_array_drawing *drawing, double x, double y, double width, int draw)
{
    double across = 0, down = 0;
    for (size_t i = 0; i < drawing->count - drawing->left; i++) {
        char text[GIG_TEXT_BYTES], number[32];
        const char *word = fit(on, text, &WORD, label_of(number, drawing, i), width - 2 * WORD_PAD);
        double own = fmax(6, gig_text_width(on, &WORD, word) + 2 * WORD_PAD);
        if (across > 0 && across + own > width) {
            across = 0;
            down += WORD_LINE;
        }
        if (draw) draw_word(on, x + across, y + down, own, (double)drawing->shown[i], word);
        across += own + 1.5;
    }
    return down + WORD_LINE;
}

/* ---- columns ---- */

static size_t bars_of(const gig_array_drawing *drawing)
{
    return drawing->count - drawing->left;
}

/* Room for the bars: zero lies where the longest negative one ends. */
typedef struct bars {
    double x, width, zero;
    float least, most;
} bars;

static bars lay_bars(const gig_array_drawing *drawing, double x, double width)
{
    bars out = {.x = x, .width = width};
    for (size_t i = 0; i < bars_of(drawing); i++) {
        out.least = fminf(out.least, drawing->shown[drawing->order[i]]);
        out.most = fmaxf(out.most, drawing->shown[drawing->order[i]]);
    }
    double span = (double)(out.most - out.least);
    out.zero = x + (span > 0 ? width * (double)-out.least / span : 0);
    return out;
}

static void draw_bar(cairo_t *on, const gig_array_drawing *drawing, const bars *in, double y, size_t i)
{
    char number[32];
    float rgb[3];
    double value = (double)drawing->shown[i], span = (double)(in->most - in->least);
    double length = span > 0 ? in->width * value / span : 0;
    gig_colour_at(rgb, GIG_COLOURS_DIVERGING, value < 0 ? 0.12 : 0.88);
    set_colour(on, rgb);
    cairo_rectangle(on, fmin(in->zero, in->zero + length), y + 2, fabs(length), BAR_LINE - 4);
    cairo_fill(on);
    gig_format_double(number, sizeof number, 3, drawing->sums[i]);
    gig_text_line(on, fmax(in->zero, in->zero + length) + 3, y + BAR_LINE - 4, 0, &NUMBER, number);
}

static void draw_bars(cairo_t *on, const gig_array_drawing *drawing, double x, double y, double width)
{
    char text[GIG_TEXT_BYTES], label[GIG_TEXT_BYTES], number[32], value[32];
    double named = 0.38 * width;
    bars in = lay_bars(drawing, x + named + 6, width - named - 44);
    size_t count = bars_of(drawing);
    for (size_t i = 0; i < count; i++) {
        size_t k = drawing->order[i];
        snprintf(label, sizeof label, "%.1900s = %s", label_of(number, drawing, k),
                 gig_format_double(value, sizeof value, 4, (double)drawing->values[k]));
        gig_text_line(on, x + named, y + BAR_LINE - 4, 1, &WORD, fit(on, text, &WORD, label, named));
        draw_bar(on, drawing, &in, y, k);
        y += BAR_LINE;
    }
    cairo_set_source_rgb(on, 0.5, 0.5, 0.5);
    cairo_set_line_width(on, 0.6);
    cairo_move_to(on, in.zero, y - (double)count * BAR_LINE);
    cairo_line_to(on, in.zero, y);
    cairo_stroke(on);
    if (!drawing->left) return;
    snprintf(text, sizeof text, "the other %zu columns add up to %s", drawing->left,
             gig_format_double(number, sizeof number, 3, drawing->rest));
    gig_text_line(on, x + width, y + BAR_LINE - 4, 1, &NUMBER, text);
}

/* ---- any of them ---- */

double gig_array_height(cairo_t *on, const gig_array_drawing *drawing, double width)
{
    if (drawing->kind == GIG_ARRAY_SIGNAL)
        return (double)drawing->rows * (strip_height(drawing, width) + STRIP_GAP) + AXIS;
    if (drawing->kind == GIG_ARRAY_TOKENS) return lay_words(on, drawing, 0, 0, width, 0);
    return BAR_LINE * (double)(bars_of(drawing) + (drawing->left ? 1 : 0));
}

void gig_array_draw(cairo_t *on, const gig_array_drawing *drawing, double x, double y, double width)
{
    if (drawing->kind == GIG_ARRAY_SIGNAL)
        draw_signal(on, drawing, x, y, width);
    else if (drawing->kind == GIG_ARRAY_TOKENS)
        lay_words(on, drawing, x, y, width, 1);
    else
        draw_bars(on, drawing, x, y, width);
}
