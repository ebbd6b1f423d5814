/* SPDX-License-Identifier: Apache-2.0 */
#include "view/drawing.h"
#include "base/memory.h"
#include "gig/image.h"
#include "image/encode.h"
#include "view/text_layout.h"
#include <cairo/cairo-pdf.h>
#include <cairo/cairo-svg.h>
#include <math.h>
#include <string.h>

enum { MAX_SIDE = 32000 };                         /* cairo's own limit is 32767 */
static const double MAX_PIXELS = 64e6;             /* 256 MB while drawing */
static const char DATE[] = "2000-01-01T00:00:00Z"; /* of every PDF: the same drawing gives the same bytes */

typedef struct sink {
    uint8_t *bytes;
    size_t used, capacity;
    gig_status status;
} sink;

static cairo_status_t take(void *payload, const unsigned char *data, unsigned count)
{
    sink *into = payload;
    into->status = gig_grow((void **)&into->bytes, &into->capacity, into->used + count, 1);
    if (into->status != GIG_OK) return CAIRO_STATUS_WRITE_ERROR;
    memcpy(into->bytes + into->used, data, count);
    into->used += count;
    return CAIRO_STATUS_SUCCESS;
}

gig_status gig_cairo_status(cairo_status_t status)
{
    if (status == CAIRO_STATUS_SUCCESS) return GIG_OK;
    if (status == CAIRO_STATUS_NO_MEMORY) return gig_fail(GIG_ENOMEM, "memory ran out while drawing");
    return gig_fail(GIG_EINTERNAL, "drawing failed: %s", cairo_status_to_string(status));
}

gig_status gig_drawing_size(size_t *height, size_t *width, const gig_drawing *drawing)
{
    double wide = ceil(drawing->width * drawing->scale), high = ceil(drawing->height * drawing->scale);
    if (!(wide <= MAX_SIDE && high <= MAX_SIDE && wide * high <= MAX_PIXELS))
        return gig_fail(GIG_ELIMIT,
                        "a sheet of %.0f x %.0f pixels is too large (at most %d per side, %.0f in total); use fewer "
                        "panels or a smaller scale",
                        wide, high, MAX_SIDE, MAX_PIXELS);
    *width = wide < 1 ? 1 : (size_t)wide;
    *height = high < 1 ? 1 : (size_t)high;
    return GIG_OK;
}

static gig_status draw_on(cairo_surface_t *surface, const gig_drawing *drawing, double scale)
{
    cairo_t *on = cairo_create(surface);
    cairo_scale(on, scale, scale);
    gig_text_begin(on);
    cairo_set_source_rgb(on, 1, 1, 1);
    cairo_paint(on);
    drawing->draw(drawing->payload, on);
    cairo_status_t drawn = cairo_status(on);
    cairo_destroy(on);
    return gig_cairo_status(drawn);
}

/* The drawing as pixels; the caller destroys the surface. */
static gig_status draw_pixels(cairo_surface_t **out, const gig_drawing *drawing)
{
    size_t height, width;
    GIG_TRY(gig_drawing_size(&height, &width, drawing));
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
    gig_status status = gig_cairo_status(cairo_surface_status(surface));
    if (status == GIG_OK) status = draw_on(surface, drawing, drawing->scale);
    if (status == GIG_OK) {
        cairo_surface_flush(surface);
        *out = surface;
    } else {
        cairo_surface_destroy(surface);
    }
    return status;
}

gig_status gig_drawing_render(uint8_t *rgb, const gig_drawing *drawing)
{
    cairo_surface_t *surface;
    GIG_TRY(draw_pixels(&surface, drawing));
    size_t width = (size_t)cairo_image_surface_get_width(surface);
    size_t height = (size_t)cairo_image_surface_get_height(surface);
    size_t stride = (size_t)cairo_image_surface_get_stride(surface);
    const uint8_t *data = cairo_image_surface_get_data(surface);
    for (size_t y = 0; y < height; y++) {
        for (size_t x = 0; x < width; x++) {
            uint32_t pixel;
            memcpy(&pixel, data + y * stride + 4 * x, sizeof pixel);
            *rgb++ = (uint8_t)(pixel >> 16);
            *rgb++ = (uint8_t)(pixel >> 8);
            *rgb++ = (uint8_t)pixel;
        }
    }
    cairo_surface_destroy(surface);
    return GIG_OK;
}

/* Formats of pixels, by their encoders; the others are drawn as vectors. */
static gig_status (*const pixel_formats[])(uint8_t **, size_t *, const gig_image *) = {
    [GIG_SHEET_PNG] = gig_png_encode_fast,
    [GIG_SHEET_WEBP] = gig_webp_encode,
};

static gig_status encode_pixels(uint8_t **out, size_t *bytes, const gig_drawing *drawing, gig_sheet_format format)
{
    gig_image picture = {0};
    size_t height, width;
    GIG_TRY(gig_drawing_size(&height, &width, drawing));
    GIG_TRY(gig_image_create(&picture, width, height, 3));
    gig_status status = gig_drawing_render(picture.pixels, drawing);
    if (status == GIG_OK) status = pixel_formats[format](out, bytes, &picture);
    gig_image_clear(&picture);
    return status;
}

static gig_status encode_vector(sink *into, const gig_drawing *drawing, gig_sheet_format format)
{
    cairo_surface_t *surface;
    if (format == GIG_SHEET_PDF) {
        surface = cairo_pdf_surface_create_for_stream(take, into, drawing->width, drawing->height);
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, DATE);
    } else {
        surface = cairo_svg_surface_create_for_stream(take, into, drawing->width, drawing->height);
    }
    gig_status status = gig_cairo_status(cairo_surface_status(surface));
    if (status == GIG_OK) status = draw_on(surface, drawing, 1);
    cairo_surface_finish(surface);
    if (status == GIG_OK) status = gig_cairo_status(cairo_surface_status(surface));
    cairo_surface_destroy(surface);
    return status;
}

gig_status gig_drawing_encode(uint8_t **out, size_t *bytes, const gig_drawing *drawing, gig_sheet_format format)
{
    sink into = {0};
    *out = NULL;
    *bytes = 0;
    if ((size_t)format < sizeof pixel_formats / sizeof *pixel_formats && pixel_formats[format])
        return encode_pixels(out, bytes, drawing, format);
    gig_status status = encode_vector(&into, drawing, format);
    if (into.status != GIG_OK) status = into.status; /* the sink's own error, not cairo's */
    if (status != GIG_OK) {
        gig_free(into.bytes);
        return status;
    }
    *out = into.bytes;
    *bytes = into.used;
    return GIG_OK;
}
