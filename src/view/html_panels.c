/* SPDX-License-Identifier: Apache-2.0 */
/* Panels that only HTML files show: paths, arrays, tables. */
#include "base/memory.h"
#include "base/size.h"
#include "view/html.h"
#include "view/paint.h"
#include <math.h>

static gig_status finish(gig_panel *panel, const gig_caption *caption, gig_json *from)
{
    panel->kind = GIG_PANEL_HTML;
    GIG_TRY(gig_json_take(&panel->html, NULL, from));
    return gig_panel_caption(panel, caption);
}

static gig_status check_finite(const float *values, size_t count, const char *what)
{
    for (size_t i = 0; values && i < count; i++)
        if (!isfinite(values[i])) return gig_fail(GIG_ENUMERIC, "%s is not finite at value %zu", what, i);
    return GIG_OK;
}

/* ---- paths ---- */

static void add_field(gig_json *out, const char *key, const gig_path_frame *frames, size_t count, int alpha)
{
    gig_json_key(out, key);
    gig_json_add(out, "[");
    for (size_t i = 0; i < count; i++) {
        if (i) gig_json_add(out, ",");
        gig_json_add_number(out, alpha ? frames[i].alpha : frames[i].value, 6);
    }
    gig_json_add(out, "]");
}

/* Frames of a film have at most this many pixels per side, and maps have 8 bits. */
enum { FRAME_SIDE = 128 };

typedef struct frame_size {
    size_t height, width, channels; /* as given */
    size_t block;                   /* pixels per side that are averaged into one */
    size_t rows, columns;           /* as written */
    float *room;                    /* [rows, columns, 3] */
} frame_size;

/* Means over blocks into size->room: of each of 3 channels, or (`sums`) of the sum over all. */
static void shrink(const frame_size *size, const float *from, size_t channels, int sums)
{
    size_t kept = sums ? 1 : channels;
    for (size_t r = 0; r < size->rows; r++)
        for (size_t c = 0; c < size->columns; c++) {
            double total[3] = {0};
            size_t count = 0;
            for (size_t y = r * size->block; y < (r + 1) * size->block && y < size->height; y++)
                for (size_t x = c * size->block; x < (c + 1) * size->block && x < size->width; x++, count++)
                    for (size_t k = 0; k < channels; k++)
                        total[sums ? 0 : k] += (double)from[(y * size->width + x) * channels + k];
            for (size_t k = 0; k < kept; k++)
                size->room[(r * size->columns + c) * kept + k] = (float)(total[k] / (double)(count ? count : 1));
        }
}

static gig_status add_frame(gig_json *out, const gig_path_frame *frame, const frame_size *size)
{
    size_t pixels = size->height * size->width, written = size->rows * size->columns;
    GIG_TRY(check_finite(frame->pixels, 3 * pixels, "a picture on the path"));
    GIG_TRY(check_finite(frame->map, size->channels * pixels, "a map on the path"));
    gig_json_add(out, out->status == GIG_OK && out->bytes[out->used - 1] == '[' ? "{" : ",{");
    gig_json_key(out, "alpha");
    gig_json_add_number(out, frame->alpha, 6);
    gig_json_key(out, "value");
    gig_json_add_number(out, frame->value, 6);
    gig_json_key(out, "pixels");
    shrink(size, frame->pixels, 3, 0);
    gig_json_add_u8(out, size->room, 3 * written);
    if (frame->map) {
        shrink(size, frame->map, size->channels, 1);
        gig_json_key(out, "map");
        gig_json_add_i8(out, size->room, written);
    }
    gig_json_add(out, "}");
    return GIG_OK;
}

static gig_status size_frames(frame_size *out, size_t height, size_t width, size_t channels)
{
    size_t pixels, side = height > width ? height : width;
    GIG_TRY(gig_picture_check(&pixels, NULL, height, width, channels > 3 ? channels : 3));
    *out = (frame_size){.height = height, .width = width, .channels = channels, .block = 1};
    if (side > FRAME_SIDE) out->block = (side + FRAME_SIDE - 1) / FRAME_SIDE;
    out->rows = (height + out->block - 1) / out->block;
    out->columns = (width + out->block - 1) / out->block;
    out->room = gig_alloc(3 * out->rows * out->columns, sizeof *out->room);
    return out->room ? GIG_OK : gig_alloc_status();
}

gig_status gig_html_path(gig_panel *panel, const gig_caption *caption, const char *score, size_t count,
                         const gig_path_frame *frames, size_t height, size_t width, size_t channels)
{
    gig_json out = {0};
    frame_size size;
    gig_status status = GIG_OK;
    GIG_TRY(size_frames(&size, height, width, channels));
    gig_json_add(&out, "\"kind\":\"path\"");
    gig_json_key(&out, "y_label");
    gig_json_add_text(&out, score ? score : "score");
    gig_json_key(&out, "height");
    gig_json_add_count(&out, size.rows);
    gig_json_key(&out, "width");
    gig_json_add_count(&out, size.columns);
    add_field(&out, "alpha", frames, count, 1);
    add_field(&out, "value", frames, count, 0);
    gig_json_key(&out, "frames");
    gig_json_add(&out, "[");
    for (size_t i = 0; i < count && status == GIG_OK; i++)
        if (frames[i].pixels) status = add_frame(&out, &frames[i], &size);
    gig_json_add(&out, "]");
    gig_free(size.room);
    if (out.status == GIG_OK) out.status = status;
    return finish(panel, caption, &out);
}

/* ---- arrays ---- */

gig_status gig_html_array(gig_panel *panel, const gig_caption *caption, int rank, const int64_t *dims,
                          const float *values, const float *map, const char *const *labels)
{
    gig_json out = {0};
    size_t count;
    GIG_TRY(gig_size_of_dims(&count, rank, dims));
    GIG_TRY(check_finite(values, count, "the input"));
    GIG_TRY(check_finite(map, count, "the map"));
    gig_json_add(&out, "\"kind\":\"array\"");
    gig_json_key(&out, "dims");
    gig_json_add(&out, "[");
    for (int i = 0; i < rank; i++) {
        if (i) gig_json_add(&out, ",");
        gig_json_add_count(&out, (size_t)dims[i]);
    }
    gig_json_add(&out, "]");
    gig_json_key(&out, "values");
    gig_json_add_i16(&out, values, count);
    gig_json_key(&out, "map");
    gig_json_add_i16(&out, map, count);
    if (labels && rank > 0) {
        gig_json_key(&out, "labels");
        gig_json_add(&out, "[");
        for (int64_t i = 0; i < dims[0]; i++) {
            if (i) gig_json_add(&out, ",");
            gig_json_add_text(&out, labels[i] ? labels[i] : "");
        }
        gig_json_add(&out, "]");
    }
    return finish(panel, caption, &out);
}

/* ---- tables ---- */

gig_status gig_html_table(gig_panel *panel, const gig_caption *caption, size_t rows, size_t columns,
                          const char *const *names, const char *const *cells, const double *numbers)
{
    gig_json out = {0};
    if (columns == 0) return gig_fail(GIG_EARG, "a table needs at least one column");
    gig_json_add(&out, "\"kind\":\"table\"");
    gig_json_key(&out, "columns");
    gig_json_add(&out, "[");
    for (size_t c = 0; c < columns; c++) {
        if (c) gig_json_add(&out, ",");
        gig_json_add_text(&out, names[c] ? names[c] : "");
    }
    gig_json_add(&out, "]");
    gig_json_key(&out, "rows");
    gig_json_add(&out, "[");
    for (size_t r = 0; r < rows && out.status == GIG_OK; r++) {
        gig_json_add(&out, r ? ",[" : "[");
        for (size_t c = 0; c < columns; c++) {
            const char *cell = cells ? cells[r * columns + c] : NULL;
            if (c) gig_json_add(&out, ",");
            if (cell || !numbers)
                gig_json_add_text(&out, cell);
            else
                gig_json_add_number(&out, numbers[r * columns + c], 9);
        }
        gig_json_add(&out, "]");
    }
    gig_json_add(&out, "]");
    return finish(panel, caption, &out);
}
