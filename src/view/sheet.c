/* SPDX-License-Identifier: Apache-2.0 */
/* Contact sheets: panels in rows, laid out once and drawn on any output. */
#include "base/file.h"
#include "base/memory.h"
#include "base/size.h"
#include "internal/view.h"
#include "view/array.h"
#include "view/drawing.h"
#include "view/html.h"
#include "view/paint.h"
#include "view/panel.h"
#include "view/plot.h"
#include "view/text_layout.h"
#include <math.h>
#include <string.h>
#include <strings.h>

static const gig_text_style TITLE = {14, 1, 0}, HEADING = {11, 1, 0.2}, FOOTER = {7.5, 0, 0.4};
static const double MARGIN = 14, GAP = 14, ROW_GAP = 12;
enum { MAX_PANELS = 10000, MAX_COLUMNS = 100 };

struct gig_sheet {
    char *title, *footer;
    size_t columns; /* 0: by the number of panels */
    double panel_width, scale;
    gig_panel *panels;
    size_t count, capacity;
};

gig_status gig_sheet_create(gig_sheet **out, const gig_sheet_options *options)
{
    GIG_NEED(out);
    gig_sheet_options how = options ? *options : (gig_sheet_options)GIG_SHEET_OPTIONS_INIT;
    gig_status status = GIG_OK;
    *out = NULL;
    if (how.panel_width == 0) how.panel_width = 208;
    if (how.scale == 0) how.scale = 2;
    if (!(how.panel_width >= 40 && how.panel_width <= 4000))
        return gig_fail(GIG_EARG, "panel width: expected 40 to 4000 units");
    if (!(how.scale >= 0.1 && how.scale <= 16)) return gig_fail(GIG_EARG, "sheet scale: expected 0.1 to 16");
    if (how.columns > MAX_COLUMNS)
        return gig_fail(GIG_EARG, "too many columns on a sheet: expected at most %d", MAX_COLUMNS);
    gig_sheet *sheet = gig_alloc_zero(1, sizeof *sheet);
    if (!sheet) return gig_alloc_status();
    sheet->columns = how.columns;
    sheet->panel_width = how.panel_width;
    sheet->scale = how.scale;
    GIG_TRY_DONE(gig_text_copy(&sheet->title, how.title));
    GIG_TRY_DONE(gig_text_copy(&sheet->footer, how.footer));
    *out = sheet;
    sheet = NULL;
done:
    gig_sheet_free(sheet);
    return status;
}

void gig_sheet_free(gig_sheet *sheet)
{
    if (!sheet) return;
    for (size_t i = 0; i < sheet->count; i++) gig_panel_clear(&sheet->panels[i]);
    gig_free(sheet->panels);
    gig_free(sheet->title);
    gig_free(sheet->footer);
    gig_free(sheet);
}

/* Takes over the panel, or clears it if `status` is an error or memory runs out. */
static gig_status add(gig_sheet *sheet, gig_panel *panel, gig_status status)
{
    if (status == GIG_OK && sheet->count >= MAX_PANELS)
        status = gig_fail(GIG_ELIMIT, "too many panels on a sheet: expected at most %d", MAX_PANELS);
    if (status == GIG_OK)
        status = gig_grow((void **)&sheet->panels, &sheet->capacity, sheet->count + 1, sizeof *sheet->panels);
    if (status == GIG_OK)
        sheet->panels[sheet->count++] = *panel;
    else
        gig_panel_clear(panel);
    return status;
}

gig_status gig_sheet_add_picture(gig_sheet *sheet, const gig_caption *caption, const float *pixels, size_t height,
                                 size_t width)
{
    GIG_NEED(sheet);
    gig_panel panel = {.kind = GIG_PANEL_PICTURE};
    size_t count;
    GIG_TRY(gig_picture_check(&count, pixels, height, width, 3));
    gig_status status = gig_panel_caption(&panel, caption);
    if (status == GIG_OK) status = gig_panel_pixels(&panel, pixels, height, width);
    return add(sheet, &panel, status);
}

enum {
    FEW_PIXELS = 64
}; /* per side: such a map is enlarged so much that its pixels are drawn as squares, not smoothed */

gig_status gig_sheet_add_map(gig_sheet *sheet, const gig_caption *caption, const float *map, size_t height,
                             size_t width, size_t channels, const gig_map_options *options)
{
    GIG_NEED(sheet);
    gig_panel panel = {.kind = GIG_PANEL_PICTURE, .has_scale = 1};
    gig_map_options how;
    size_t count;
    GIG_TRY(gig_map_options_check(&how, options));
    GIG_TRY(gig_picture_check(&count, NULL, height, width, 3));
    float *rgb = gig_alloc(3 * count, sizeof *rgb);
    if (!rgb) return gig_alloc_status();
    gig_status status = gig_map_paint(rgb, &panel.scale, map, height, width, channels, &how);
    if (status == GIG_OK) status = gig_panel_caption(&panel, caption);
    if (status == GIG_OK) status = gig_panel_pixels(&panel, rgb, height, width);
    if (status == GIG_OK) status = gig_html_map(&panel, caption, map, count, channels);
    gig_free(rgb);
    panel.crisp = how.look == GIG_LOOK_HEAT || (width <= FEW_PIXELS && height <= FEW_PIXELS);
    panel.colours = gig_map_colours(&how, &panel.scale);
    panel.opacity = how.look == GIG_LOOK_OVERLAY ? how.opacity : 0;
    panel.has_legend =
        (how.look == GIG_LOOK_HEAT || how.look == GIG_LOOK_OVERLAY) && !panel.scale.constant && !panel.scale.empty;
    return add(sheet, &panel, status);
}

gig_status gig_sheet_add_plot(gig_sheet *sheet, const gig_caption *caption, const gig_plot *plot)
{
    GIG_NEED(sheet);
    gig_panel panel = {.kind = GIG_PANEL_PLOT};
    gig_status status = gig_panel_caption(&panel, caption);
    if (status == GIG_OK) status = gig_plot_copy(&panel.plot, plot);
    return add(sheet, &panel, status);
}

gig_status gig_sheet_add_heading(gig_sheet *sheet, const char *heading)
{
    GIG_NEED(sheet);
    gig_panel panel = {.kind = GIG_PANEL_HEADING};
    gig_status status = gig_text_copy(&panel.title, heading);
    return add(sheet, &panel, status);
}

gig_status gig_sheet_add_path(gig_sheet *sheet, const gig_caption *caption, const gig_path_frames *path)
{
    GIG_NEED(sheet);
    gig_panel panel = {0};
    return add(sheet, &panel, gig_html_path(&panel, caption, path));
}

gig_status gig_sheet_add_array(gig_sheet *sheet, const gig_caption *caption, const gig_array *array)
{
    GIG_NEED(sheet);
    gig_panel panel = {0};
    gig_array_layout layout;
    GIG_TRY(gig_array_lay_out(&layout, array));
    gig_status status = gig_html_array(&panel, caption, array, &layout);
    if (status == GIG_OK) status = gig_array_panel(&panel, array, &layout);
    return add(sheet, &panel, status);
}

gig_status gig_sheet_add_table(gig_sheet *sheet, const gig_caption *caption, size_t rows, size_t columns,
                               const char *const *names, const char *const *cells, const double *numbers)
{
    GIG_NEED(sheet);
    gig_panel panel = {0};
    return add(sheet, &panel, gig_html_table(&panel, caption, rows, columns, names, cells, numbers));
}

/* ---- layout ---- */

/* About as many columns as rows, but at most 5, unless a panel spans more. */
static size_t columns_of(const gig_sheet *sheet)
{
    size_t panels = 0, widest = 1, columns = sheet->columns;
    for (size_t i = 0; i < sheet->count; i++) {
        if (sheet->panels[i].kind == GIG_PANEL_HEADING) continue;
        panels += sheet->panels[i].span;
        if (sheet->panels[i].span > widest) widest = sheet->panels[i].span;
    }
    if (!columns) {
        for (columns = 1; columns < 5 && columns * columns < panels;) columns++;
        if (panels <= 4 && panels > columns) columns = panels;
    }
    if (columns < widest) columns = widest;
    return columns < MAX_COLUMNS ? columns : MAX_COLUMNS;
}

static double span_width(const gig_sheet *sheet, size_t span)
{
    return (double)span * sheet->panel_width + (double)(span - 1) * GAP;
}

static size_t span_of(const gig_panel *panel, size_t columns)
{
    return panel->span < columns ? panel->span : columns;
}

/* First panel after the row that starts at `first` (which is not a heading). */
static size_t row_end(const gig_sheet *sheet, size_t first, size_t columns)
{
    size_t used = 0, i = first;
    while (i < sheet->count && sheet->panels[i].kind != GIG_PANEL_HEADING) {
        used += span_of(&sheet->panels[i], columns);
        if (used > columns && i > first) break;
        i++;
    }
    return i;
}

static double lay_row(const gig_sheet *sheet, cairo_t *on, size_t first, size_t end, double y, int draw)
{
    gig_panel_size row = {0};
    size_t columns = columns_of(sheet);
    for (size_t i = first; i < end; i++) {
        const gig_panel *panel = &sheet->panels[i];
        gig_panel_size own = gig_panel_measure(on, panel, span_width(sheet, span_of(panel, columns)));
        row.head = fmax(row.head, own.head);
        row.foot = fmax(row.foot, own.body + own.foot); /* a foot follows its own body */
    }
    double x = MARGIN;
    for (size_t i = first; draw && i < end; i++) {
        double width = span_width(sheet, span_of(&sheet->panels[i], columns));
        gig_panel_draw(on, &sheet->panels[i], x, y, width, row);
        x += width + GAP;
    }
    return row.head + row.foot;
}

/* Measures, and with `draw` draws, the whole sheet; returns its height. */
static double lay_out(const gig_sheet *sheet, cairo_t *on, int draw)
{
    size_t columns = columns_of(sheet);
    double width = span_width(sheet, columns), y = MARGIN;
    double title = gig_text_block(on, MARGIN, y, width, &TITLE, sheet->title, draw);
    y += title > 0 ? title + 8 : 0;
    for (size_t i = 0; i < sheet->count;) {
        const gig_panel *panel = &sheet->panels[i];
        if (panel->kind == GIG_PANEL_HEADING) {
            double heading = gig_text_block(on, MARGIN, y, width, &HEADING, panel->title, draw);
            y += heading > 0 ? heading + 4 : 0;
            i++;
            continue;
        }
        size_t end = row_end(sheet, i, columns);
        y += lay_row(sheet, on, i, end, y, draw) + ROW_GAP;
        i = end;
    }
    y += gig_text_block(on, MARGIN, y, width, &FOOTER, sheet->footer, draw);
    return y + MARGIN;
}

static void draw_sheet(void *payload, cairo_t *on)
{
    lay_out(payload, on, 1);
}

static gig_status make_drawing(gig_drawing *out, gig_sheet *sheet)
{
    for (size_t i = 0; i < sheet->count; i++)
        if (sheet->panels[i].kind == GIG_PANEL_HTML)
            return gig_fail(GIG_EUNSUPPORTED, "paths and tables can only be written to .html files");
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    cairo_t *on = cairo_create(surface);
    gig_text_begin(on);
    out->width = span_width(sheet, columns_of(sheet)) + 2 * MARGIN;
    out->height = lay_out(sheet, on, 0);
    out->scale = sheet->scale;
    out->draw = draw_sheet;
    out->payload = sheet;
    cairo_status_t measured = cairo_status(on);
    cairo_destroy(on);
    cairo_surface_destroy(surface);
    return gig_cairo_status(measured);
}

/* ---- output ---- */

/* In the order of gig_sheet_format. */
static const char *const endings[] = {".png", ".svg", ".pdf", ".html", ".webp"};
#define ENDINGS ".png, .svg, .pdf, .html or .webp"
enum { FORMATS = sizeof endings / sizeof *endings };

gig_status gig_sheet_format_of(gig_sheet_format *out, const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < FORMATS; i++) {
        if (strcasecmp(dot, endings[i]) != 0) continue;
        *out = (gig_sheet_format)i;
        return GIG_OK;
    }
    return gig_fail(GIG_EARG, "%s: expected a file name that ends in " ENDINGS, path);
}

gig_status gig_sheet_encode(uint8_t **out, size_t *bytes, gig_sheet *sheet, gig_sheet_format format)
{
    gig_drawing drawing;
    *out = NULL;
    *bytes = 0;
    GIG_NEED(sheet);
    if ((int)format < 0 || (size_t)format >= FORMATS) return gig_fail(GIG_EARG, "unknown format %d of a sheet", format);
    if (format == GIG_SHEET_HTML)
        return gig_html_encode(out, bytes, sheet->title, sheet->footer, sheet->panels, sheet->count);
    GIG_TRY(make_drawing(&drawing, sheet));
    return gig_drawing_encode(out, bytes, &drawing, format);
}

void gig_sheet_bytes_free(uint8_t *bytes)
{
    gig_free(bytes);
}

gig_status gig_sheet_write(gig_sheet *sheet, const char *path, int force)
{
    GIG_NEED(sheet);
    gig_sheet_format format;
    uint8_t *bytes;
    size_t count;
    GIG_TRY(gig_sheet_format_of(&format, path));
    GIG_TRY(gig_sheet_encode(&bytes, &count, sheet, format));
    gig_status status = gig_file_write(path, bytes, count, force);
    gig_free(bytes);
    return status;
}

gig_status gig_sheet_size(size_t *height, size_t *width, gig_sheet *sheet)
{
    gig_drawing drawing;
    *height = *width = 0;
    GIG_NEED(sheet);
    GIG_TRY(make_drawing(&drawing, sheet));
    return gig_drawing_size(height, width, &drawing);
}

gig_status gig_sheet_render(uint8_t *rgb, gig_sheet *sheet)
{
    GIG_NEED(sheet);
    gig_drawing drawing;
    GIG_TRY(make_drawing(&drawing, sheet));
    return gig_drawing_render(rgb, &drawing);
}
